"""Trees grown by the device code, on a processor: the bytes of the tree grown in memory."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from gpu_tables import table
from gpu_twin import twin

import tallystick as ts

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("small_rows", [0, 150])
@pytest.mark.parametrize(
    "given",
    [
        {"max_depth": 4},
        {},
        {"criterion": "entropy", "min_samples_leaf": 7},
        {"max_bins": 16},
        {"max_depth": 3, "criterion": "gini"},  # grown on the processor
    ],
)
@pytest.mark.parametrize("classes", [2, 3, 6])
def test_trees_have_the_same_bytes(given, classes, small_rows):
    X, y = table(10 + classes, classes=classes)
    here = ts.DecisionTree(**given).fit(X, y)
    with twin(small_rows=small_rows) as device:
        there = ts.DecisionTree(**given, engine=ts.Gpu()).fit(X, y)
    assert ("part_entries_2" in device.launched) == (given.get("criterion") != "gini")
    assert there.to_bytes() == here.to_bytes()


@pytest.mark.parametrize("method", [ts.DecisionTree.c45, ts.DecisionTree.cart, ts.DecisionTree.id3])
def test_trees_as_taught_have_the_same_bytes(method):
    X, y = table(3)
    X = X[["level", "flag"]] if method is ts.DecisionTree.id3 else X
    here = method().fit(X, y)
    with twin():
        there = method(engine=ts.Gpu()).fit(X, y)
    assert there.to_bytes() == here.to_bytes()


def test_a_column_of_many_equal_numbers_ties_as_in_memory():
    rng = np.random.default_rng(8)
    X = pd.DataFrame({n: rng.integers(0, 1500, 4000) / 8 for n in "ab"})
    X["c"] = X["a"]  # equal gains: the first name wins
    y = (X["a"] + X["b"] > 180).astype(int)
    here = ts.DecisionTree(max_depth=5).fit(X, y)
    with twin() as device:
        there = ts.DecisionTree(max_depth=5, engine=ts.Gpu()).fit(X, y)
    assert "tile_best_2" in device.launched
    assert there.to_bytes() == here.to_bytes()
