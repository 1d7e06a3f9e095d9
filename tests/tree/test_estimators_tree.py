"""Decision trees as people call them: the named ways to grow, leaves, depth, copies of settings."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

import tallystick as ts
from tallystick.errors import OptionError
from tallystick.judge.api import settings

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
        ({"average": np.array([1, 2])}, "average must be True or False"),
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
    found = each[0]._fit_settings(each, table)
    assert found is not None
    for setting, tree in zip(each, found, strict=True):
        model, block = setting._fit_table(table).model_, table.slice(0, table.rows)
        assert tree.shares(block).tolist() == model.shares(block).tolist()


def test_a_node_of_less_entropy_than_asked_for_is_a_leaf():
    rows = [{"a": i % 2, "b": i % 3, "c": i % 5 == 0, "y": i % 2 == 0 or i % 7 == 0} for i in range(60)]
    plain = ts.DecisionTree.id3().fit(rows, "y")
    assert ts.DecisionTree.id3(min_entropy=0.0).fit(rows, "y").to_bytes() == plain.to_bytes()
    for criterion in ("entropy", "gini"):
        tree = ts.DecisionTree.id3(criterion=criterion, min_entropy=0.7).fit(rows, "y")
        nodes = tree.model_.nodes
        shares = nodes.counts / nodes.counts.sum(axis=1, keepdims=True)
        bits = -np.sum(np.where(shares > 0, shares * np.log2(np.where(shares > 0, shares, 1)), 0), axis=1)
        assert (bits[nodes.column >= 0] >= 0.7).all()
        assert len(nodes) < len(plain.model_.nodes)
    level = ts.DecisionTree.id3(min_entropy=1.0).fit([{"a": i % 2, "y": i % 2} for i in range(8)], "y")
    assert level.get_n_leaves() == 2  # an entropy of 1 is not less than 1
    again = pickle.loads(pickle.dumps(tree))
    assert again.to_bytes() == tree.to_bytes()
    assert again.min_entropy == 0.7


@pytest.mark.slow
@pytest.mark.parametrize("memory", [None, "64MB"])
def test_a_least_entropy_stops_rows_on_disk_and_in_parts_too(tmp_path, memory):
    path = tmp_path / "t.csv"
    cells = [(i % 2, i % 3, "" if i % 11 == 0 else i % 5, int(i % 2 == 0 or i % 7 == 0)) for i in range(90)]
    lines = [",".join(map(str, row)) for row in cells]
    path.write_text("a,b,c,y\n" + "\n".join(lines) + "\n")
    for more in ({}, {"missing_values": "fractions"}):
        tree = ts.DecisionTree.id3(min_entropy=0.8, memory=memory, **more).fit(path, "y")
        assert '"min_entropy":0.8' in tree.to_bytes().decode()
        assert tree.to_bytes() == ts.DecisionTree.id3(min_entropy=0.8, **more).fit(path, "y").to_bytes()
