"""tally fit: the model as printed, saved, scored and piped."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from dataclasses import replace
from importlib import resources
from pathlib import Path

import numpy as np
import pytest
from command import bad, call, good, tally

import tallystick as ts
from tallystick.cli.fit import scores_as_data, verdict
from tallystick.methods import NAMES

pytestmark = pytest.mark.slow  # a process per call

VOTES = resources.files("tallystick.examples") / "votes.csv"


def test_fit_saves_a_model_that_python_loads(fitted):
    model = ts.load(fitted / "votes.tally.json")
    assert list(model.classes_) == ["democrat", "republican"]
    direct = ts.NaiveBayes().fit(str(fitted / "votes.csv"), "party")
    assert direct.to_bytes() == (fitted / "votes.tally.json").read_bytes()


def test_fit_says_what_it_did(folder):
    text = good("fit", "--model", "bayes", "votes.csv", "--target", "party", "-o", "m.tally.json", cwd=folder)
    assert "435 rows, 16 columns" in text
    assert "saved m.tally.json: naive-bayes" in text


def test_fit_without_output_prints_the_model_and_says_it_is_not_saved(folder):
    before = sorted(folder.iterdir())
    assert "not saved" in good("fit", "play-tennis.csv", "--target", "Play", cwd=folder)
    assert sorted(folder.iterdir()) == before


def test_fit_json_has_the_digest_of_the_file(folder):
    import hashlib

    data = json.loads(
        good(
            "fit", "--model", "bayes", "votes.csv", "-t", "party", "-o", "m.tally.json", "--json", cwd=folder
        )
    )
    content = (folder / "m.tally.json").read_bytes()
    assert data["sha256"] == hashlib.sha256(content).hexdigest()
    assert (data["rows"], data["bytes"], data["saved"]) == (435, len(content), "m.tally.json")


def test_fit_sets_parameters_of_the_method(folder):
    good(
        "fit",
        "--model",
        "bayes",
        "votes.csv",
        "-t",
        "party",
        "-o",
        "m.tally.json",
        "--set",
        "alpha=0.5",
        cwd=folder,
    )
    assert '"alpha":0.5' in (folder / "m.tally.json").read_text()


@pytest.mark.parametrize("name", ["id3", "c45", "cart"])
def test_fit_takes_the_classical_trees_by_name(folder, name):
    good("fit", "--model", name, "votes.csv", "-t", "party", "-o", "m.tally.json", "--folds", "0", cwd=folder)
    known = getattr(ts.DecisionTree, name)().fit(str(folder / "votes.csv"), "party")
    assert (folder / "m.tally.json").read_bytes() == known.to_bytes()


def test_fit_names_the_methods_there_are(folder):
    said = bad("fit", "--model", "c4", "votes.csv", "-t", "party", cwd=folder)
    assert "there is no method 'c4'. Did you mean 'c45'? Use: tree, bayes," in said


@pytest.mark.parametrize(
    "way",
    [
        ["--regression", "--model", "tree"],
        ["--kind", "y=numeric", "--model", "tree"],
        ["--model", "regression"],
    ],
)
def test_fit_learns_a_regression_tree_where_the_target_is_a_number(folder, way):
    rows = [f"{i % 7},{'ab'[i % 2]},{3 * (i % 7) + i % 2}" for i in range(60)]
    (folder / "t.csv").write_text("x,w,y\n" + "\n".join(rows) + "\n")
    said = good("fit", "t.csv", "-t", "y", *way, "-o", "m.tally.json", cwd=folder)
    assert "Tree for y: 60 rows" in said
    assert re.search(r"r2 +[\d.]+ ", said)
    assert "always answering the mean" in said
    known = ts.RegressionTree().fit(str(folder / "t.csv"), "y")
    assert (folder / "m.tally.json").read_bytes() == known.to_bytes()
    assert "next: tally predict m.tally.json NEW.csv -o predictions.csv" in said


def test_fit_chooses_among_the_methods_for_numbers(folder):
    rows = [f"{i % 7},{'ab'[i % 2]},{3 * (i % 7) + i % 2 + 0.1 * (i % 3)}" for i in range(60)]
    (folder / "t.csv").write_text("x,w,y\n" + "\n".join(rows) + "\n")
    said = good("fit", "t.csv", "-t", "y", "--regression", "-o", "m.tally.json", cwd=folder)
    assert "linear regression has the lowest mean squared error" in " ".join(said.split())
    named = good("fit", "t.csv", "-t", "y", "--model", "linear", "-o", "n.tally.json", cwd=folder)
    assert "Linear regression of y" in named
    assert (folder / "m.tally.json").read_bytes() == (folder / "n.tally.json").read_bytes()
    known = ts.LinearRegression().fit(folder / "t.csv", "y")
    assert (folder / "m.tally.json").read_bytes() == known.to_bytes()
    good("fit", "t.csv", "-t", "y", "--model", "linear", "--l2", "0", "-o", "o.tally.json", cwd=folder)
    assert ts.load(folder / "o.tally.json").l2 == 0
    said = bad("fit", "t.csv", "-t", "y", "--regression", "--model", "bayes", cwd=folder)
    assert "--model bayes answers classes, and the target is a number. Use --model regression or" in said


def test_fit_never_writes_over_its_data(folder):
    before = (folder / "votes.csv").read_bytes()
    assert "is the file 'votes.csv', which this command reads" in bad(
        "fit", "--model", "bayes", "votes.csv", "-t", "party", "-o", "./votes.csv", cwd=folder
    )
    assert (folder / "votes.csv").read_bytes() == before


def test_threads_change_no_byte(fitted):
    good(
        "fit",
        "--model",
        "bayes",
        "votes.csv",
        "-t",
        "party",
        "-o",
        "one.tally.json",
        "--threads",
        "1",
        cwd=fitted,
    )
    assert (fitted / "one.tally.json").read_bytes() == (fitted / "votes.tally.json").read_bytes()


def test_fit_prints_the_model_its_score_the_notes_and_the_next_command(inside, capfd):
    (inside / "wide.csv").write_text(
        "\n".join(
            f"{line},{'always' if i else 'same'}" for i, line in enumerate(VOTES.read_text().splitlines())
        )
    )
    assert call("tally fit wide.csv -t party --model tree -o 'my tree.tally.json'") == 0
    seen = capfd.readouterr()
    assert "├─ physician-fee-freeze = n or missing" in seen.out
    assert re.search(r"accuracy +0\.\d{4} \(95 % interval 0\.\d{4} to 0\.\d{4}", seen.out)
    assert re.search(r"log-loss +0\.\d{4} \(95 % interval", seen.out)
    assert "same" in seen.err  # the constant column is in the notes
    assert seen.out.endswith("next: tally predict 'my tree.tally.json' NEW.csv -o predictions.csv\n")


def test_fit_scores_are_those_of_python(inside, capfd):
    assert call("tally fit --model bayes votes.csv -t party --json --folds 5") == 0
    score = json.loads(capfd.readouterr().out)["score"]
    known = ts.cross_validate(ts.NaiveBayes(), "votes.csv", "party", folds=5).measure("accuracy")
    assert score["folds"] == 5
    assert score["measures"]["accuracy"]["value"] == known.value
    assert score["measures"]["accuracy"]["low"] == known.low


def test_fit_of_fewer_rows_than_folds_leaves_each_out_in_turn(inside, capfd):
    Path("two.csv").write_text("a,y\n1,b\n2,c\n")
    assert call("tally fit two.csv -t y -o two.tally.json --kind a=numeric") == 0
    assert "cross-validated (each row left out in turn)" in capfd.readouterr().out
    assert Path("two.tally.json").exists()


def test_fit_without_a_method_takes_the_one_that_compare_takes(inside, capfd):
    assert call("tally fit votes.csv -t party --json --folds 5 -o chosen.tally.json") == 0
    found = json.loads(capfd.readouterr().out)
    known = ts.compare("votes.csv", "party", methods=NAMES, tuned=False, folds=5)
    assert (found["kind"], found["why"]) == (known.model.model_.kind, known.why)
    loss = known.chosen.result.measure("log-loss")
    assert found["score"]["measures"]["log-loss"] == loss.to_dict()
    again = known.model.to_bytes()  # the choice leaves no trace in the model
    assert Path("chosen.tally.json").read_bytes() == again
    assert call("tally fit votes.csv -t party --folds 5 --model best") == 0
    assert " ".join(known.why.split()) in " ".join(capfd.readouterr().out.split())


def test_fit_takes_a_method_where_none_is_better_than_the_most_frequent_class(inside, capfd):
    Path("noise.csv").write_text("a,y\n" + "".join(f"{'pq'[i % 2]},{'bc'[i // 2 % 2]}\n" for i in range(40)))
    assert call("tally fit noise.csv -t y -o noise.tally.json --json") == 0
    found = json.loads(capfd.readouterr().out)
    assert found["why"].startswith("No method is clearly better than always answering the most frequent")
    assert Path("noise.tally.json").exists()


def test_settings_need_the_name_of_a_method(inside, capfd):
    assert call("tally fit votes.csv -t party --set alpha=1") == 2
    assert "--set is for one method. Name it: --model bayes or card or" in capfd.readouterr().err


def test_a_model_goes_through_a_pipe_untouched(inside):
    tally = f"{sys.executable} -m tallystick.cli"
    command = f"{tally} fit votes.csv -t party --model bayes -o - --folds 0 > piped.tally.json"
    done = subprocess.run(["bash", "-c", command], capture_output=True, check=True)
    assert Path("piped.tally.json").read_bytes() == Path("votes.tally.json").read_bytes()
    assert b"saved standard output" in done.stderr


def noise(folder, rows=300):
    """A file whose columns tell nothing, two of them left out."""
    cells = ((i * 7919 % 1009, "abc"[i * 31 % 3], "nny"[i * 104729 % 7 % 3]) for i in range(rows))
    lines = [f"r{i},1,{x},{z},{y}" for i, (x, z, y) in enumerate(cells)]
    (folder / "noise.csv").write_text("\n".join(["id,one,x,z,y", *lines]) + "\n")


def test_fit_says_plainly_when_the_model_is_not_better_than_the_most_frequent_class(folder):
    noise(folder)
    done = tally("fit", "noise.csv", "-t", "y", "--model", "bayes", cwd=folder)
    page, notes = " ".join(done.stdout.decode().split()), " ".join(done.stderr.decode().split())
    assert re.search(
        r"is (worse|not clearly better) than always predicting the class frequencies: log-loss 0\.", page
    )
    assert "column 'id' is left out: it looks like an identifier" in notes
    assert "column 'one' is left out: it has one value in 300 rows (--keep one uses it)." in notes
    told = json.loads(good("fit", "noise.csv", "-t", "y", "--model", "bayes", "--json", cwd=folder))
    assert told["score"]["verdict"] in page
    clear = json.loads(good("fit", "votes.csv", "-t", "party", "--model", "tree", "--json", cwd=folder))
    assert clear["score"]["verdict"] == ""


def rare(rows=3000):
    """Return rows of which few are of the class "Yes", whose odds rise with x, but to a half hardly ever."""
    rng = np.random.default_rng(5)
    x = rng.normal(size=rows)
    y = rng.random(rows) < 1 / (1 + np.exp(3.4 - 0.9 * x))
    return {"x": x, "y": np.where(y, "Yes", "No")}


def test_a_model_of_a_rare_class_is_judged_by_its_probabilities_and_what_ranking_brings():
    found = ts.cross_validate(ts.LogisticRegression(), rare(), "y")
    right, loss = found.measure("accuracy"), found.measure("log-loss")
    assert right.value <= right.base + 0.002
    assert loss.high > loss.base  # each interval alone shows nothing
    assert found.beats_base_by("log-loss")  # fold by fold it is clear
    said = scores_as_data(found, 3000)
    assert "not clearly better" not in said["verdict"]
    assert "worse" not in said["verdict"]
    assert list(said["measures"]) == ["accuracy", "auc", "log-loss"]
    ranked = np.argsort(-found.shares[:, 1], kind="stable")[:300]
    share = (found.truth[ranked] == 1).sum() / (found.truth == 1).sum()
    assert f"hold {100 * share:.0f} % of those that are 'Yes'" in said["ranking"]


def test_the_verdict_follows_the_measure_that_was_asked_for():
    found = ts.cross_validate(ts.LogisticRegression(), rare(), "y")
    assert "accuracy" in verdict(replace(found, decides="accuracy"))
    assert verdict(replace(found, decides="auc")) == ""
    rng = np.random.default_rng(1)
    noise = {"x": rng.normal(size=300), "y": np.where(rng.random(300) < 0.3, "a", "b")}
    none = ts.cross_validate(ts.NaiveBayes(), noise, "y")
    assert "than always predicting the class frequencies: log-loss" in verdict(none)


def test_answers_may_be_good_where_probabilities_are_not_and_the_cure_is_named(folder):
    page = " ".join(good("fit", "votes.csv", "-t", "party", "--model", "bayes", cwd=folder).split())
    assert (
        "It is right clearly more often than always answering 'democrat', but its probabilities are" in page
    )
    assert "(lower is better). To use them, fit with --set calibrate=true." in page
    cured = good("fit", "votes.csv", "-t", "party", "--model", "bayes", "--set", "calibrate=true", cwd=folder)
    assert "not clearly better" not in cured
    sure = " ".join(good("fit", "play-tennis.csv", "-t", "Play", "--model", "id3", cwd=folder).split())
    assert "It is right more often than always answering 'Yes', but its probabilities are worse than" in sure
    assert "say little" not in sure  # 13 of 14 answers are right, and the other was given without a doubt


def test_fit_of_naive_bayes_prints_the_votes_and_with_all_the_shares(folder):
    args = ("fit", "play-tennis.csv", "-t", "Play", "--model", "bayes", "--folds", "0")
    text, every = good(*args, cwd=folder), good(*args, "--all", cwd=folder)
    for printed in (text, every):
        assert "vote for Yes, in log-odds" in printed
        assert re.search(r"^  Humidity = Normal +\+1.48$", printed, re.MULTILINE)
    assert "P(value | class)" not in text
    assert "P(value | class) of Humidity, 2 levels\n" in every
    assert re.search(r"^  Normal +0.28571 \(1\) +0.63636 \(6\)$", every, re.MULTILINE)


def test_all_shows_every_line_of_a_model(folder):
    noise(folder)
    text = good("fit", "noise.csv", "-t", "y", "--model", "id3", "--folds", "0", cwd=folder)
    every = good("fit", "noise.csv", "-t", "y", "--model", "id3", "--folds", "0", "--all", cwd=folder)
    assert re.search(r"\.\.\. and \d+ more lines \(--all\)", text)
    assert "more lines" not in every
    assert every.count("\n") > text.count("\n") > 40


def test_a_total_that_was_dropped_is_said_on_the_page(tmp_path):
    lines = [f"{i + 0.5},{'ab'[i % 2]}" for i in range(12)]
    path = tmp_path / "t.csv"
    path.write_text("\n".join(["x,y", *lines, "Total,2054"]) + "\n", encoding="utf-8")
    done = tally("fit", str(path), "-t", "y", "--folds", "0", "--model", "bayes")
    assert "note: 1 row is left out: it has '2054' for 'y'" in done.stdout.decode()
    assert b"2054" not in done.stderr
    found = json.loads(good("fit", str(path), "-t", "y", "--folds", "0", "--model", "bayes", "--json"))
    assert "total-left-out" in [note["code"] for note in found["notes"]]
