"""Two trees of the same rows beside each other."""

from __future__ import annotations

import itertools

import pytest

import tallystick as ts
from tallystick.errors import OptionError

PHI = [
    {"A": a, "B": b, "C": c, "phi": "yes" if (a and b) or (not a and c) else "no"}
    for a, b, c in itertools.product((0, 1), repeat=3)
]
NOISY = [{"x": x, "y": "b" if x in (2, 3, 7) else "a"} for x in range(10)]


def test_greedy_needs_six_leaves_where_four_are_enough():
    grown = ts.DecisionTree.id3().fit(PHI, "phi")
    best = ts.OptimalTree().fit(PHI, "phi")
    found = grown.against(best)
    assert (found.leaves, found.loss) == ((6, 4), (0.0, 0.0))
    assert (found.further, found.more_leaves, found.optimal) == (0.0, 2, 1)
    assert "This tree has as many errors and 2 leaves more." in str(found)
    assert found.to_dict()["certificate"]["found"] == 0.0
    assert best.against(grown).more_leaves == -2


def test_errors_are_counted_as_the_certificate_counts_them():
    grown = ts.DecisionTree.cart(max_depth=1, min_samples_leaf=1, min_samples_split=2).fit(NOISY, "y")
    best = ts.OptimalTree(max_depth=1, costs={"b": {"a": 5}}).fit(NOISY, "y")
    found = grown.against(best)
    assert found.measure == "cost"
    assert found.loss[1] == best.certificate_.loss
    assert found.further > 0
    assert "a cost" in str(found)


def test_two_grown_trees_may_be_compared_too():
    small, large = (ts.DecisionTree.id3(max_depth=d).fit(NOISY, "y") for d in (1, 9))
    found = small.against(large)
    assert found.certificate is None
    assert found.further > 0
    assert "errors more" in str(found)


def test_regression_trees_have_squared_errors():
    rows = [{"x": x, "y": float(x > 4) * 3} for x in range(10)]
    one = ts.RegressionTree().fit(rows, "y")
    assert one.against(one).measure == "squared error"


def test_trees_of_other_rows_are_refused():
    tree = ts.DecisionTree().fit(NOISY, "y")
    with pytest.raises(OptionError, match="different rows"):
        tree.against(ts.OptimalTree().fit(NOISY[:-1], "y"))
    with pytest.raises(OptionError, match="takes a fitted tree"):
        tree.against(ts.NaiveBayes().fit(NOISY, "y"))
