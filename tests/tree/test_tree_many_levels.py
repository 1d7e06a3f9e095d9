"""Columns of many levels: what they may cost a tree."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import accumulate

import numpy as np
import pandas as pd
import pytest
import reference_tree as twin
from shared_tables import shared

import tallystick as ts
from tallystick.kernels.trees import GrowColumn, Grower, GrowRules

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


def best_left(grown, rules, data):
    """The first branch of the best two groups of a column of two classes, every cut of the levels by their
    shares scored: its levels, and what it holds of each class.
    """
    rows = range(len(data.target))
    counts = np.zeros((data.k[0] + 1, 3), np.int64)  # missing last
    for r in rows:
        at = data.k[0] if data.cells[0][r] is None else data.cells[0][r]
        counts[at, data.target[r]] += data.score[r]
        counts[at, 2] += data.rows[r]
    vectors, total = [tuple(map(int, v)) for v in counts], tuple(map(int, counts.sum(axis=0)))
    lost, price = vectors.pop(), grown.price(0, list(rows))

    def add(a, b, sign=1):
        return tuple(x + sign * y for x, y in zip(a, b, strict=True))

    def worth(v):
        n = v[0] + v[1]
        if rules.criterion == "gini":
            return Fraction((v[0] ** 2 + v[1] ** 2) << grown.shift, n) if n else Fraction(0)
        return grown.f(v[0]) + grown.f(v[1]) - grown.f(n)

    order = sorted(range(len(vectors)), key=lambda j: (Fraction(vectors[j][1], sum(vectors[j][:2])), j))
    cuts = [(j + 1, v) for j, v in enumerate(accumulate((vectors[j] for j in order), add))]
    best = None
    for at, known in cuts:  # the last one: missing rows alone
        for side in (0, 1) if lost[2] and at < len(order) else (1,):
            left = add(known, lost) if side == 0 else known
            right = add(total, left, -1)
            if min(left[2], right[2]) < rules.min_leaf:
                continue
            paid = price.of(at % len(order), bool(lost[2]) and (side == 0 or at == len(order)))
            key = math.floor(worth(left) + worth(right)) - paid
            if best is None or key > best[0]:
                best = key, set(order[:at]), left
    _, levels, left = best
    if 0 in levels:
        return levels, left
    return set(order) - levels, add(total, left, -1)


@pytest.mark.parametrize("criterion", ["entropy", "gini"])
@pytest.mark.parametrize(
    ("missing", "penalty", "heavy", "least"),
    [(0, 0.0, 1, 1), (60, 1.0, 1, 1), (60, 0.0, 4, 1), (0, 0.0, 4, 700)],
)
def test_the_best_two_groups_of_many_levels_are_the_best_of_all(criterion, missing, penalty, heavy, least):
    for seed in range(4):
        rng = np.random.default_rng([seed, missing])
        k, n = int(rng.integers(257, 420)), 1_800
        codes = np.concatenate([np.arange(k), rng.integers(0, k, n - k)])
        effect = rng.normal(size=k) * [0.0, 0.3, 1.0, 4.0][seed]
        labels = (effect[codes] + rng.normal(size=n) > 0.5).astype(np.uint8)
        codes[n - missing :] = k
        weights = rng.integers(1, heavy + 1, n)
        cells = [None if c == k else c for c in codes.tolist()]
        whole = weights.tolist()
        data = twin.Data([cells], ["levels"], [k], labels.tolist(), 2, whole, whole)
        rules = twin.Rules(criterion=criterion, penalty=penalty, min_leaf=least, max_depth=1)
        given = None if heavy == 1 else weights
        grower = Grower(
            [GrowColumn("levels", codes.astype(np.uint16), k)],
            [0],
            GrowRules(criterion=criterion, penalty=penalty, min_leaf=least, max_depth=1),
            classes=2,
            labels=labels,
            score_weights=given,
            row_weights=given,
        )
        grower.run()
        tried = grower.arrays() | grower.harvest().tried()
        levels, left = best_left(twin.Twin(data, rules), rules, data)
        assert set(np.flatnonzero(tried["tried_maps"][:k] == 0).tolist()) == levels
        assert tuple(tried["lefts"][0].tolist()) == left


@pytest.mark.filterwarnings("ignore::tallystick.errors.TallyWarning")
def test_few_rows_beside_very_heavy_ones_are_not_parted_by_rounding():
    k, n = 472, 1_200  # the entropy of the light rows, in units of the whole table, is rounding alone
    codes = np.r_[np.repeat(np.arange(k), 2), np.arange(n - 2 * k) % k, np.arange(8)]
    y = np.r_[np.zeros(n, int), np.ones(8, int)]
    y[2 * np.arange(k - 17, k)] = 1
    rows = {"x": np.r_[np.zeros(n), np.ones(8)], "c": [f"l{code:04d}" for code in codes]}
    weights = np.r_[np.ones(n, np.int64), np.full(8, 2**52)]
    tree = ts.DecisionTree.cart(max_depth=2, min_samples_leaf=1, pruning=None)
    tree.fit(rows, y, sample_weight=weights)
    assert len(np.unique(tree.predict_proba(rows)[:n, 1])) == 1
