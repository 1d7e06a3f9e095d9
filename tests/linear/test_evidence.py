"""The strength of the prior under which the rows are most probable."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

import tallystick as ts
from tallystick.linear.learner import LEAST, MOST, PSEUDO, next_strength
from tallystick.linear.prepare import Point


def ready(l2):
    return SimpleNamespace(problem=SimpleNamespace(l2=np.array(l2)))


def point(w, curvature):
    return Point(np.array(w), 0.0, np.zeros(len(w)), 0.0, curvature=np.array(curvature, float))


def test_the_next_strength_is_mackays_rule_held_back():
    # two weights under l2 = 1; the rows have a curvature of 3 each, so each is determined to 1 - 1/4
    found = next_strength(ready([1.0, 1.0]), point([2.0, 1.0], np.diag([4.0, 4.0])), 1.0)
    assert found == pytest.approx((1.5 + PSEUDO) / (5.0 + PSEUDO))


def test_weights_near_0_ask_for_a_strong_prior_and_large_ones_for_a_weak_one_within_bounds():
    sure = np.diag([1e9] * 200)
    assert next_strength(ready([1.0] * 200), point([0.0] * 200, sure), 1.0) == pytest.approx(41.0)
    assert next_strength(ready([1.0] * 900), point([0.0] * 900, np.diag([1e9] * 900)), 1.0) == MOST
    assert next_strength(ready([1.0] * 2), point([99.0] * 2, np.diag([9.0] * 2)), 1.0) == LEAST


def test_a_curvature_of_0_changes_nothing():
    assert next_strength(ready([1.0, 1.0]), point([1.0, 1.0], np.zeros((2, 2))), 0.7) == 0.7


def test_columns_of_noise_get_a_stronger_prior_than_columns_that_tell():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 8))
    noise = ts.LogisticRegression(l2="auto").fit(X, rng.integers(0, 2, 120)).model_.fit.l2
    tells = ts.LogisticRegression(l2="auto").fit(X, (X.sum(axis=1) + rng.logistic(size=120) > 0).astype(int))
    assert noise > 1.5 * tells.model_.fit.l2
