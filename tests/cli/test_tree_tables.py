"""tally splits and tally prune: what Python says, printed."""

from __future__ import annotations

import json

import pytest
from command import call

import tallystick as ts

pytestmark = pytest.mark.slow


def test_splits_tells_the_gains_of_a_node_and_the_numbers_of_all(inside, capfd):
    assert call("tally splits play-tennis.csv -t Play --node 2") == 0
    said = capfd.readouterr().out
    tree = ts.DecisionTree.id3().fit("play-tennis.csv", "Play")
    assert said.split() == f"{tree.splits(2)} {tree.show(nodes=True)}".split()  # long lines are broken
    assert "→ Wind: gain 0.9710" in said


def test_splits_takes_a_tree_by_name_and_refuses_others(inside, capfd):
    model = "cart:min_samples_split=2,min_samples_leaf=1"
    assert call(f"tally splits play-tennis.csv -t Play --model {model} --json") == 0
    found = json.loads(capfd.readouterr().out)
    assert found["candidates"][0]["gain"] == pytest.approx(0.0918, abs=1e-4)  # Humidity, by Gini
    assert call("tally splits play-tennis.csv -t Play --model bayes") == 2
    assert "--model bayes is not a tree that is grown" in capfd.readouterr().err


def test_prune_prints_the_path_of_the_grown_tree_and_draws_it(inside, capfd):
    assert call("tally prune votes.csv -t party --model cart --folds 3 --picture path.svg") == 0
    tree = ts.DecisionTree.cart(pruning=None).fit("votes.csv", "party")
    assert capfd.readouterr().out.split() == str(tree.pruning_path(folds=3)).split()  # long lines are broken
    assert "cross-validated" in (inside / "path.svg").read_text()


@pytest.mark.parametrize("words", ["splits --node 0", "splits --node 2 --json", "prune --folds 3 --json"])
def test_rows_on_disk_are_kept_for_what_a_tree_is_asked(inside, capfd, words):
    command, *rest = words.split()
    line = " ".join(["tally", command, "votes.csv", "-t", "party", "--model", "id3", *rest])
    assert call(line) == 0
    said = capfd.readouterr().out
    assert call(f"{line} --memory 32MB") == 0
    assert capfd.readouterr().out == said


def test_prune_validates_on_another_file_or_on_parts_and_draws_three_curves(inside, capfd):
    tree = ts.DecisionTree(pruning=None).fit("votes.csv", "party")
    assert call("tally prune votes.csv -t party --parts .6,.2,.2 --picture path.svg") == 0
    assert capfd.readouterr().out.split() == str(tree.pruning_path(folds=(0.6, 0.2, 0.2))).split()
    drawn = (inside / "path.svg").read_text()
    assert all(f">{name} error" in drawn for name in ("training", "validation", "test"))
    (inside / "new.csv").write_text("".join((inside / "votes.csv").read_text().splitlines(True)[:90]))
    assert call("tally prune votes.csv -t party --held-out new.csv --json") == 0
    found = json.loads(capfd.readouterr().out)
    assert found["rows"] == {"training": 435, "validation": 89}
    assert found == tree.pruning_path(held_out="new.csv").to_dict()
    assert found["held_out_rows_in_training"] == 89


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("--parts 0.6,x", "--parts takes numbers"),
        ("--parts 0.6,0.4 --folds 3", "--folds and --parts are two ways to validate"),
        ("--parts 0.6,0.4 --held-out votes.csv", "--parts and --held-out are two ways to validate"),
        ("--held-out play-tennis.csv", "lacks 16 columns of the fit"),
        ("--held-out votes.csv --picture votes.csv", "is a file that this command reads"),
    ],
)
def test_prune_refuses_in_one_line(inside, capfd, words, said):
    assert call(f"tally prune votes.csv -t party {words}") == 2
    error = capfd.readouterr().err
    assert said in error
    assert error.count("\n") == 1
