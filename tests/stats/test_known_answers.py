"""What a tree's counts tell of its answers is what its training rows tell when they are asked."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import tallystick as ts
from tallystick.engine import Local
from tallystick.io.open import open_source
from tallystick.stats.profile import AnswerCounts, answers_at_nodes, answers_of_nodes
from tallystick.table.reader import read_table


def rows(n=400):
    rng = np.random.default_rng(3)
    x = rng.normal(size=n)
    return pd.DataFrame(
        {
            "x": np.where(rng.random(n) < 0.2, np.nan, x),
            "few": rng.integers(0, 4, n) / 2,
            "sky": rng.choice(["sun", "rain", "fog", None], n),
            "y": rng.choice(["no", "yes", "maybe"], n, p=[0.5, 0.3, 0.2]),
            "w": np.arange(n) % 4,
        }
    )


TREES = {
    "full": ts.DecisionTree(),
    "binned": ts.DecisionTree(max_bins=8, max_depth=5),
    "id3": ts.DecisionTree.id3(),
    "one leaf": ts.DecisionTree(min_samples_split=10**6),
    "few leaves": ts.DecisionTree(max_leaf_nodes=7),
    "averaged": ts.DecisionTree(average=True, max_depth=4),
    "weighed": ts.DecisionTree(class_weight={"no": 0.0, "yes": 2.5, "maybe": 1.0}, max_depth=4),
    "costs": ts.DecisionTree(max_depth=4, costs={"no": {"yes": 5.0}}),
    "pruned": ts.DecisionTree(pruning="mdl"),
    "optimal": ts.OptimalTree(max_depth=2),
}


@pytest.mark.slow
@pytest.mark.parametrize("weights", [None, "w", "parts"])
@pytest.mark.parametrize("name", TREES)
def test_counts_of_nodes_tell_what_the_rows_tell(name, weights):
    data = rows()
    if weights == "parts":
        data["w"] = data["w"] / 7 + 0.1
    given = data if weights else data.drop(columns="w")
    if name == "id3":
        given = given.drop(columns=["x", "few"])
    table = read_table(open_source(given), None, "y", "w" if weights else None)
    tree = TREES[name].__class__(**TREES[name].get_params(deep=False))._fit_table(table).model_
    asked = Local(1).total(table, AnswerCounts(tree, 3))
    found = answers_of_nodes(tree, table.unit)
    for one, other in zip(found, asked, strict=True):
        np.testing.assert_array_equal(one, other)
    assert int(found.classes.sum()) == table.weight


@pytest.mark.slow
def test_rows_that_end_at_several_nodes_are_asked():
    table = read_table(open_source(rows()), None, "y")
    tree = ts.DecisionTree(missing_values="fractions")._fit_table(table).model_
    assert tree.spreads
    assert answers_of_nodes(tree, table.unit) is None
    assert answers_of_nodes(ts.DecisionTree()._fit_table(table).model_, 1 << 20) is None  # another unit


def test_answers_at_nodes_are_counted_by_what_the_rows_weigh():
    table = read_table(open_source(rows()), None, "y")
    tree = ts.DecisionTree(min_samples_split=10**6)._fit_table(table).model_
    found = answers_at_nodes(tree, np.array([0, 0]), np.array([0, 2], np.uint32), np.array([5, 7]))
    assert found.classes.tolist() == [5, 0, 7]
    assert found.given.tolist() == [0, 12, 0]  # the labels in their order: maybe, no, yes
    assert found.shares.sum() == 3 * 12
