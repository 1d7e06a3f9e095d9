"""Trees that other systems have published, from our presets of the same name."""

from __future__ import annotations

import numpy as np
import pytest
from shared_tables import needs_data, shared

import tallystick as ts

pytestmark = [pytest.mark.slow, needs_data]


def test_c45_gives_j48s_tree_of_iris():
    iris = shared("iris/iris")
    tree = ts.DecisionTree.c45().fit(iris, "class")
    found = [
        (
            [c.sentence(missing=False) for c in rule.conditions],
            rule.answer,
            rule.covers,
            rule.covers - rule.right,
        )
        for rule in tree.rules()
    ]
    assert found == [
        (["petalwidth ≤ 0.6"], "Iris-setosa", 50, 0),
        (["0.6 < petalwidth ≤ 1.7", "petallength ≤ 4.9"], "Iris-versicolor", 48, 1),
        (["0.6 < petalwidth ≤ 1.5", "petallength > 4.9"], "Iris-virginica", 3, 0),
        (["1.5 < petalwidth ≤ 1.7", "petallength > 4.9"], "Iris-versicolor", 3, 1),
        (["petalwidth > 1.7"], "Iris-virginica", 46, 1),
    ]
    assert tree.get_n_leaves() == 5
    assert tree.score(iris) == 147 / 150


def test_cart_gives_rparts_table_of_kyphosis():
    rows = shared("kyphosis/kyphosis")
    tree = ts.DecisionTree.cart().fit(rows, "Kyphosis")
    root = tree.splits(0).candidates[0]
    assert (root.column, root.tests[0]) == ("Start", "Start < 8.5")
    assert root.gain * 81 == pytest.approx(6.7623, abs=5e-5)
    path = tree.pruning_path(folds=0)
    splits = path.leaves - 1
    relative = path.error / path.error[0]
    assert splits.tolist() == [0, 1, 4]
    assert relative == pytest.approx([1, 0.82353, 0.76471], abs=5e-6)
    assert np.maximum(path.cp, 0.01) == pytest.approx([0.17647, 0.01961, 0.01], abs=5e-6)


@pytest.mark.parametrize(
    ("name", "target", "low", "high"),
    [
        ("iris/iris", "class", 0.93, 0.97),
        ("pima-diabetes/diabetes", "class", 0.70, 0.77),
        ("breast-cancer/breast-cancer", "Class", 0.70, 0.77),
        ("house-votes-84/vote", "Class", 0.94, 0.98),
        ("labor/labor", "class", 0.70, 0.90),
        ("glass/glass", "Type", 0.60, 0.75),
    ],
)
def test_c45_is_as_right_as_j48_in_cross_validation(name, target, low, high):
    result = ts.cross_validate(ts.DecisionTree.c45(), shared(name), target)
    assert low <= result.accuracy <= high
