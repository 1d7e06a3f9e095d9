"""Decision trees as people call them: the named ways to grow, leaves, depth, copies of settings."""

from __future__ import annotations

import pytest

import tallystick as ts
from tallystick.errors import OptionError
from tallystick.estimators.judging import settings

ROWS = {
    "a": ["u", "u", "v", "v"] * 10,
    "b": ["k", "l"] * 20,
    "y": ["p", "q", "q", "q"] * 10,
}


@pytest.mark.parametrize(
    ("make", "criterion"),
    [(ts.DecisionTree.id3, "entropy"), (ts.DecisionTree.c45, "gain-ratio"), (ts.DecisionTree.cart, "gini")],
)
def test_a_named_way_sets_its_parameters_and_takes_others(make, criterion):
    tree = make(max_depth=3)
    assert (tree.criterion, tree.max_depth, tree.average) == (criterion, 3, False)


def test_depth_and_leaves_are_those_of_the_tree():
    tree = ts.DecisionTree.id3().fit(ROWS, "y")
    assert (tree.get_depth(), tree.get_n_leaves()) == (2, 3)
    assert ts.DecisionTree.id3(max_depth=1).fit(ROWS, "y").get_n_leaves() == 2


def test_rows_of_one_leaf_are_sent_to_one_node():
    tree = ts.DecisionTree.id3().fit(ROWS, "y")
    nodes = tree.apply({"a": ["u", "u", "v", "v"], "b": ["k", "l", "k", "l"]})
    assert nodes[2] == nodes[3]
    assert len(set(nodes.tolist())) == 3


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"criterion": "ginni"}, "criterion must be one of entropy, gain-ratio, gini, not 'ginni'"),
        ({"max_depth": 0}, "max_depth"),
        ({"min_samples_leaf": -1}, "min_samples_leaf"),
        ({"smoothing": -1}, "smoothing must be None or a number from 0 up"),
        ({"split_prior": 1.0}, "split_prior must be None or a number above 0 and below 1"),
    ],
)
def test_parameters_that_make_no_sense_are_refused_before_any_row_is_read(given, says):
    with pytest.raises(OptionError, match=says):
        ts.DecisionTree(**given).fit("no such file.csv", "y")


def test_settings_answered_together_are_the_trees_of_each():
    table = ts.DecisionTree()._read(ROWS, "y")
    each = [setting for _, setting in settings("tree", {})]
    found = each[0]._answer_settings(each, table, table)
    assert found is not None
    for setting, shares in zip(each, found, strict=True):
        model = setting._fit_table(table).model_
        assert shares.tolist() == model.shares(table.slice(0, table.rows)).tolist()
