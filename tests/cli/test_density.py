"""tally density: sentences, a saved tree, likelihoods and drawn rows; flags that do not go together."""

from __future__ import annotations

import json

import pyarrow.csv
import pytest
from command import bad, good

import tallystick as ts

pytestmark = pytest.mark.slow  # a process per call


def test_it_prints_a_sentence_for_each_leaf_and_saves_the_tree_of_python(folder, tmp_path):
    out = tmp_path / "groups.tally.json"
    text = good("density", "votes.csv", "-o", out, "--picture", tmp_path / "g.svg", cwd=folder)
    assert "Density tree of 17 columns: 435 rows" in text
    assert " of rows: " in text
    assert max(len(line) for line in text.splitlines() if str(out) not in line) <= 80
    assert out.read_bytes() == ts.DensityTree().fit(folder / "votes.csv").to_bytes()
    assert (tmp_path / "g.svg").read_text().startswith("<svg")
    assert "same" in good("verify", out, "votes.csv", cwd=folder)
    line = bad("predict", out, "votes.csv", cwd=folder)
    assert "predicts nothing" in line
    assert "leaf" in good("explain", out, "votes.csv", "--row", 2, cwd=folder)


def test_rows_are_drawn_and_scored_by_a_saved_tree_too(folder, tmp_path):
    out = tmp_path / "groups.tally.json"
    good("density", "votes.csv", "-o", out, cwd=folder)
    drawn = tmp_path / "drawn.csv"
    good("density", out, "--sample", 30, "--seed", 3, "--rows", drawn, cwd=folder)
    wanted = ts.load(out).sample(30, seed=3)
    found = pyarrow.csv.read_csv(drawn, convert_options=pyarrow.csv.ConvertOptions(strings_can_be_null=True))
    assert found.to_pylist() == wanted.to_pylist()
    scored = good("density", out, "--score", "votes.csv", "--rows", "-", cwd=folder).splitlines()
    assert scored[0].replace('"', "") == "log_likelihood,leaf"
    assert len(scored) == 436
    mean = ts.load(out).score(folder / "votes.csv")
    found = json.loads(good("density", out, "--score", "votes.csv", "--json", cwd=folder))
    assert found["mean_log_likelihood"] == pytest.approx(mean)
    assert found["leaves"][0]["sentence"]


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        (["--sample", 5], "--sample needs a place for the rows"),
        (["--rows", "x.csv"], "--rows says where rows go"),
        (["--sample", 5, "--score", "votes.csv", "--rows", "x.csv"], "Leave out one of them"),
        (["--set", "pruning=mdl"], "pruning must be 'length', 'held-out' or None"),
        (["--set", "leafs=3"], "no parameter"),
    ],
)
def test_flags_that_make_no_sense_are_refused_in_one_line(folder, flags, said):
    assert said in bad("density", "votes.csv", *flags, cwd=folder)


def test_another_model_is_refused(folder, tmp_path):
    other = tmp_path / "bayes.tally.json"
    good("fit", "votes.csv", "-t", "party", "--model", "bayes", "--folds", 0, "-o", other, cwd=folder)
    assert "is a naive-bayes, not a density tree" in bad("density", other, cwd=folder)
