"""What a fitted tree says of itself, and smaller trees made of it."""

from __future__ import annotations

import pytest

import tallystick as ts
from tallystick.errors import OptionError
from tallystick.estimators.tree_views import pruning_note

ROWS = {
    "a": ["u", "v"] * 30,
    "b": ["k", "k", "l"] * 20,
    "y": ["p" if i % 2 == 0 or i % 11 == 0 else "q" for i in range(60)],
}


@pytest.fixture(scope="module")
def tree():
    return ts.DecisionTree.id3(stop_at_zero_gain=True).fit(ROWS, "y")


def test_the_pruning_path_goes_from_one_leaf_to_the_grown_tree(tree):
    leaves = tree.pruning_path(folds=0).leaves.tolist()
    assert leaves == sorted(leaves)
    assert (leaves[0], leaves[-1]) == (1, tree.get_n_leaves())


def test_a_price_that_nothing_is_worth_leaves_one_leaf_and_the_tree_as_it_was(tree):
    small = tree.prune(alpha=1.0)
    assert small.get_n_leaves() == 1
    assert tree.get_n_leaves() > 1
    assert any(note.code == "pruned" for note in small.notes_)


def test_the_root_asks_the_column_that_gains_most(tree):
    found = tree.splits(0)
    assert found.candidates[0].chosen
    assert found.candidates[0].column == "a"
    with pytest.raises(OptionError, match="node 99 is not there"):
        tree.splits(99)


def test_importances_and_use_are_by_column(tree):
    assert tree.feature_importances_.sum() == pytest.approx(1.0)
    assert tree.column_use().to_dict()["a"]["usage"] == 1.0


def test_a_long_tree_is_cut_where_asked(tree):
    assert tree.show(most=2).splitlines()[-2] == "… and 1 more branch; tree.show(most=3) tells all."
    assert tree.show(most=1).splitlines()[-2] == "… and 2 more branches; tree.show(most=3) tells all."


def test_an_unknown_way_to_prune_is_refused(tree):
    with pytest.raises(OptionError, match="cost"):
        tree.prune("cost-complexty")


def test_a_note_says_from_how_many_leaves_to_how_many(tree):
    small = tree.prune(alpha=1.0).model_
    note = pruning_note("cost-complexity", tree.model_, small, average=True)
    assert note.text.startswith(f"pruned (cost-complexity) from {tree.get_n_leaves()} to 1 leaf.")
    assert note.text.endswith("average=True is for trees that are not pruned.")
