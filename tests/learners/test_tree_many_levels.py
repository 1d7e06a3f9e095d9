"""Columns of many levels: what they may cost a tree."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from shared_tables import shared

import tallystick as ts

MAKERS = {"default": ts.DecisionTree, "cart": ts.DecisionTree.cart}


@pytest.mark.slow
@pytest.mark.parametrize("tree", MAKERS)
def test_car_names_cost_at_most_two_points(tree):
    cars = pd.read_csv(shared("auto-mpg/auto-mpg"), na_values="?")
    named = MAKERS[tree](kinds={"car_name": "levels"})
    deals = {"repeats": 10}  # of 398 rows: one deal of the folds moves the accuracy by more than a point
    with_names = ts.cross_validate(named, cars, "origin", **deals)
    without = ts.cross_validate(MAKERS[tree](), cars.drop(columns="car_name"), "origin", **deals)
    assert with_names.accuracy > without.accuracy - 0.02
    assert with_names.log_loss < without.log_loss + 0.05


def test_car_names_cost_a_regression_at_most_two_points():
    cars = pd.read_csv(shared("auto-mpg/auto-mpg"), na_values="?")
    named = ts.RegressionTree(kinds={"car_name": "levels"})
    with_names = ts.cross_validate(named, cars, "mpg").measure("r2").value
    without = ts.cross_validate(ts.RegressionTree(), cars.drop(columns="car_name"), "mpg").measure("r2").value
    assert with_names > without - 0.02


@pytest.mark.parametrize("tree", MAKERS)
@pytest.mark.parametrize("rows", [600, 3000])
def test_a_random_code_of_500_levels_is_not_asked(tree, rows):
    rng = np.random.default_rng(rows)
    x = rng.normal(size=rows)
    y = np.where(x + 2 * rng.logistic(size=rows) > 1, "fraud", "fair")
    code = [f"m{i}" for i in rng.integers(0, 500, rows)]
    frame = pd.DataFrame({"x": x.round(2), "merchant": code, "y": y})
    plain = MAKERS[tree](kinds={"merchant": "levels"}).fit(frame.drop(columns="x"), "y")
    assert plain.get_n_leaves() == 1
    both = MAKERS[tree](kinds={"merchant": "levels"}).fit(frame, "y")
    assert "merchant" not in str(both)


def test_a_code_that_tells_is_asked():
    rng = np.random.default_rng(3)
    code = rng.integers(0, 100, 2000)
    y = np.where((code % 3 == 0) ^ (rng.random(2000) < 0.2), "a", "b")
    frame = pd.DataFrame({"code": [f"c{i}" for i in code], "y": y})
    tree = ts.DecisionTree().fit(frame, "y")
    assert tree.score(frame[["code"]], y) > 0.78
