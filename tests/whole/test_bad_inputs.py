"""Every row of the front door's list, through Python and the command line; the cases are in bad_inputs.py."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest
from bad_inputs import FIT, TABLE, Case
from bad_inputs_asked import DESCRIBE, PREDICT
from bad_inputs_methods import BY_METHOD, METHODS

import tallystick as ts
from tallystick.cli.main import run
from tallystick.errors import TallyError

pytestmark = pytest.mark.slow

EVERY = FIT + BY_METHOD
NAMES = [f"{case.row}: {case.what}" for case in EVERY]
LEARNERS = {
    "bayes": ts.NaiveBayes,
    "tree": ts.DecisionTree,
    "logistic": ts.LogisticRegression,
    "card": ts.Scorecard,
}


def write(case: Case, tmp_path):
    path = tmp_path / "train.csv"
    path.write_bytes(case.data)
    return path


@pytest.mark.parametrize("case", EVERY, ids=NAMES)
def test_fit_in_python_gives_the_stated_outcome(case, tmp_path):
    path = write(case, tmp_path)
    model = LEARNERS[case.method](**case.wishes)
    if case.outcome == "ERROR":
        with pytest.raises(TallyError, match=case.says) as caught:
            model.fit(ts.read(path, **case.options), case.target)
        assert str(caught.value).isprintable()  # one line, no control bytes
        return
    model.fit(ts.read(path, **case.options), case.target)
    notes = " ".join(note.text for note in (*model.source_notes_, *model.notes_))
    assert re.search(case.says, notes), notes
    assert notes.isprintable()


def fit_by_command(case: Case, method: str, tmp_path, capsys) -> None:
    """Fit a case with a method on the command line and look at all that comes out."""
    path, out = write(case, tmp_path), tmp_path / "m.tally.json"
    args = ["fit", str(path), "--target", case.target, "--model", method, "--folds", "0", "-o", str(out)]
    code = run([*args, *case.flags], debug=False)
    said = capsys.readouterr()
    if case.outcome == "ERROR":
        assert code == 2
        assert said.err.startswith("tally: ")
        assert said.err.count("\n") == 1
        assert not out.exists()
    else:
        assert code == 0, said.err
        assert out.exists()
    assert (said.out + said.err).replace("\n", "").isprintable()
    assert re.search(case.typed or case.says, " ".join(said.err.split())), said.err


@pytest.mark.parametrize("case", EVERY, ids=NAMES)
def test_fit_on_the_command_line_gives_the_same_outcome(case, tmp_path, capsys):
    fit_by_command(case, case.method, tmp_path, capsys)


SMALL = [case for case in FIT if case.row != 15]  # 64 MiB that are refused before a method is asked


@pytest.mark.parametrize("method", METHODS[1:])
@pytest.mark.parametrize("case", SMALL, ids=[f"{case.row}: {case.what}" for case in SMALL])
def test_every_method_gives_the_same_outcome(case, method, tmp_path, capsys):
    if case.leaf and method == "tree":
        case = replace(case, outcome="NOTE", says=case.leaf)
    fit_by_command(case, method, tmp_path, capsys)


HARD = [case for case in BY_METHOD if case.outcome != "ERROR" and case.row != 40]  # one class is for trees


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("case", HARD, ids=[f"{case.row}: {case.what}" for case in HARD])
def test_what_is_hard_for_one_method_is_answered_by_all_alike_each_time(case, method, tmp_path):
    path = write(case, tmp_path)
    models = [LEARNERS[method](threads=threads).fit(path, case.target) for threads in (1, 2)]
    assert models[0].to_bytes() == models[1].to_bytes()
    shares = models[0].predict_proba(path)
    assert np.isfinite(shares).all()
    assert np.allclose(shares.sum(axis=1), 1)


@pytest.mark.parametrize("method", METHODS)
def test_the_scale_of_one_column_touches_no_other(method):  # row 51
    rng = np.random.default_rng(7)
    rows = {"a": rng.normal(size=60), "b": rng.normal(size=60)}
    labels = ["pq"[int(v > 0.3)] for v in rows["a"] + rng.normal(size=60)]
    plain = LEARNERS[method]().fit(rows, labels).predict_proba(rows)
    scaled = {"a": rows["a"], "b": rows["b"] * 2.0**40}
    other = LEARNERS[method]().fit(scaled, labels).predict_proba(scaled)
    assert np.allclose(plain, other, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("case", DESCRIBE, ids=[f"{case.row}: {case.what}" for case in DESCRIBE])
def test_describe_gives_the_stated_outcome_in_python_and_on_the_command_line(case, tmp_path, capsys):
    path = write(case, tmp_path)
    notes = " ".join(note.text for note in ts.describe(path, case.target).notes)
    assert re.search(case.says, notes), notes
    assert run(["describe", str(path), "--target", case.target, *case.flags], debug=False) == 0
    said = capsys.readouterr().out
    assert re.search(case.typed or case.says, " ".join(said.split())), said
    path.write_bytes(TABLE)
    assert not re.search(case.says, " ".join(note.text for note in ts.describe(path, "y").notes))


@pytest.mark.parametrize("case", PREDICT, ids=[f"{case.row}: {case.what}" for case in PREDICT])
def test_predict_gives_the_stated_outcome(case, tmp_path, capsys):
    train, new, model = tmp_path / "train.csv", tmp_path / "new.csv", tmp_path / "m.tally.json"
    train.write_bytes(TABLE)
    new.write_bytes(case.data)
    assert run(["fit", "--model", "bayes", str(train), "--target", "y", "-o", str(model)], debug=False) == 0
    capsys.readouterr()
    out = tmp_path / "out.csv"
    code = run(["predict", str(model), str(new), "-o", str(out), *case.flags], debug=False)
    said = capsys.readouterr()
    if case.outcome == "ERROR":
        assert code == 2
        assert said.err.count("\n") == 1
        assert not out.exists()
    else:
        assert code == 0, said.err
        rows = len(case.data.decode().splitlines()) - 1
        assert len(out.read_text().splitlines()) == rows + 1
    assert re.search(case.typed or case.says, " ".join(said.err.split())), said.err


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("case", PREDICT, ids=[f"{case.row}: {case.what}" for case in PREDICT])
def test_predict_in_python_gives_the_stated_outcome(case, method, tmp_path):
    train, new = tmp_path / "train.csv", tmp_path / "new.csv"
    train.write_bytes(TABLE)
    new.write_bytes(case.data)
    model = LEARNERS[method]().fit(train, "y")
    options = {"lenient": "--lenient" in case.flags}
    if "as-missing" in case.flags:
        options["missing_columns"] = "as-missing"
    lacking = re.search(r"lacks 1 column that the model needs: '(\w+)'", case.says)
    needed = lacking is None or lacking[1] in model._asked.needed  # a card may not ask for it
    if case.outcome == "ERROR" and needed:
        with pytest.raises(TallyError, match=case.says):
            model.predict(new, **options)
        with pytest.raises(TallyError, match=case.says):
            model.predict_proba(new, **options)
        return
    rows = len(case.data.decode().splitlines()) - 1
    assert set(model.predict(new, **options).tolist()) <= {"p", "q"}
    shares = model.predict_proba(new, **options)
    assert shares.shape == (rows, 2)
    assert np.allclose(shares.sum(axis=1), 1)
    if case.row == 60:
        assert model.outside_range(new) == [("x",)]


@pytest.mark.parametrize(
    ("row", "says"),
    [
        (25, "check sentinel: column 'z' is -999 in 5 rows.*pass --missing -999"),
        (45, "check giveaway: column 'z' by itself gives the target of 40 of 40 rows correctly"),
        (
            47,
            "check conflicts: 24 rows are equal to others but of another class: at least 8 of 40 rows will",
        ),
    ],
)
def test_compare_tells_what_needs_a_look_at_all_values(row, says, tmp_path, capsys):
    case = next(case for case in DESCRIBE if case.row == row)
    path = write(case, tmp_path)
    args = ["compare", str(path), "--target", "y", "--no-tuning", "--method", "bayes"]
    assert run(args, debug=False) == 0
    assert re.search(says, " ".join(capsys.readouterr().out.split()))
    found = ts.compare(path, "y", methods=("bayes",), tuned=False)
    assert re.search(
        case.says.split(".*")[0].split(" so ")[0], " ".join(check.text for check in found.checks)
    )


READERS = {
    "describe": ("FILE", "-t", "y"),
    "fit": ("FILE", "-t", "y", "-o", "new.tally.json"),
    "predict": ("MODEL", "FILE", "-o", "new.csv"),
    "explain": ("MODEL", "FILE"),
    "compare": ("FILE", "-t", "y"),
    "curve": ("FILE", "-t", "y"),
    "report": ("FILE", "-t", "y", "-o", "new.html"),
    "verify": ("MODEL", "FILE"),
}


@pytest.mark.parametrize("command", READERS)
def test_every_command_refuses_what_is_not_a_table(command, tmp_path, capsys, monkeypatch):  # row 14
    monkeypatch.chdir(tmp_path)
    (tmp_path / "train.csv").write_bytes(TABLE)
    assert (
        run(
            ["fit", "--model", "bayes", "train.csv", "-t", "y", "--folds", "0", "-o", "m.tally.json"],
            debug=False,
        )
        == 0
    )
    (tmp_path / "empty.csv").write_bytes(b"")
    (tmp_path / "book.csv").write_bytes(b"PK\x03\x04 and so on")
    (tmp_path / "cut.parquet").write_bytes(b"PAR1 and so on")
    (tmp_path / "latin.csv").write_bytes(TABLE + b"1,caf\xe9,p\n")
    (tmp_path / "folder").mkdir()
    said = {
        "empty.csv": "is empty",
        "book.csv": "Excel workbook",
        "cut.parquet": "cut.parquet",
        "latin.csv": "is not UTF-8",
        "folder": "folder",
        "nowhere.csv": "nowhere.csv",
        "train\x1b[31m\n.csv": r"train\x1b[31m\n.csv",
    }
    before = sorted(tmp_path.iterdir())
    for file, words in said.items():
        capsys.readouterr()
        args = [{"FILE": file, "MODEL": "m.tally.json"}.get(word, word) for word in READERS[command]]
        assert run([command, *args], debug=False) == 2, file
        out = capsys.readouterr()
        assert out.out == ""
        assert out.err.startswith("tally: ")
        assert out.err[:-1].isprintable(), out.err  # one line, no control bytes
        assert words in out.err
    assert sorted(tmp_path.iterdir()) == before  # nothing written


def test_files_that_differ_in_form_only_give_the_same_model_bytes(tmp_path):
    plain = tmp_path / "plain.csv"
    plain.write_bytes(TABLE)
    expected = ts.NaiveBayes().fit(plain, "y").to_bytes()
    same = {"UTF-8 byte order mark", "CRLF line ends", "CR line ends", "mixed line ends, no final newline"}
    same |= {"semicolons", "tabs", "pipes", "UTF-16 with its mark", "gz", "lines before the header", "footer"}
    for case in FIT:
        if case.what in same:
            assert ts.NaiveBayes().fit(write(case, tmp_path), "y").to_bytes() == expected, case.what


def test_a_target_column_in_new_rows_changes_no_prediction():  # row 57
    import pandas as pd

    frame = pd.DataFrame({"w": list("abab") * 10, "y": list("ppqq") * 10})
    model = ts.NaiveBayes().fit(frame, "y")
    assert (model.predict_proba(frame) == model.predict_proba(frame.assign(y="other"))).all()


def test_the_page_of_the_docs_tells_the_real_messages():
    import subprocess
    import sys
    from pathlib import Path

    tool = Path(__file__).resolve().parents[2] / "tools" / "make_bad_inputs_page.py"
    assert subprocess.run([sys.executable, str(tool), "--check"], check=False).returncode == 0, (
        f"run {tool.name}"
    )
