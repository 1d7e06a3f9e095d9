"""What the parameters of the search may be."""

from __future__ import annotations

import pytest

import tallystick as ts
from tallystick.errors import OptionError
from tallystick.tree.optimal import OptimalOptions

PLAIN = {
    "max_depth": 3,
    "max_leaf_nodes": None,
    "leaf_price": 0.0,
    "class_weight": None,
    "costs": None,
    "max_work": None,
}


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"max_depth": 0}, "max_depth must be a whole number"),
        ({"max_depth": None}, "needs a limit"),
        ({"max_leaf_nodes": 1}, "max_leaf_nodes must be"),
        ({"leaf_price": -1}, "leaf_price must be"),
        ({"leaf_price": float("nan")}, "leaf_price must be"),
        ({"max_work": 0}, "max_work must be"),
        ({"class_weight": "even"}, "class_weight must be one of balanced"),
    ],
)
def test_a_wrong_value_is_named(given, words):
    with pytest.raises(OptionError, match=words):
        OptimalOptions(**PLAIN | given)


def test_seconds_are_above_zero():
    with pytest.raises(OptionError, match="seconds must be"):
        ts.OptimalTree(seconds=0).fit([{"a": 1, "y": "n"}, {"a": 2, "y": "m"}], "y")


@pytest.mark.parametrize(
    ("given", "rows", "size"),
    [
        ({}, 100, (3, 8)),
        ({"max_leaf_nodes": 5}, 100, (3, 5)),
        ({"max_depth": None, "max_leaf_nodes": 4}, 100, (3, 4)),
        ({}, 3, (2, 3)),
        ({}, 1, (0, 1)),
        ({"max_depth": 1000}, 10**6, (1000, 2**16)),
    ],
)
def test_a_tree_has_no_more_leaves_than_rows(given, rows, size):
    assert OptimalOptions(**PLAIN | given).size(rows) == size
