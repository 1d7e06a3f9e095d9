"""From the optimum to the model: likelihoods, errors and degrees beside plain NumPy."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest
from logistic_tables import made

import tallystick as ts
from tallystick.linear.file import compared
from tallystick.linear.learner import null_likelihood
from tallystick.linear.prepare import KnownRows
from tallystick.stats.design_sums import Design, RowTotals


def fitted(l2, rows=200):
    rng = np.random.default_rng(4)
    x = rng.normal(5.0, 3.0, rows)
    y = (x - 5 + rng.logistic(size=rows) * 2 > 0).astype(int)
    return x, y, ts.LogisticRegression(l2=l2).fit(pd.DataFrame({"x": x}), y).model_


def test_standard_errors_are_those_of_the_curvature_in_the_users_units():
    x, _, model = fitted(0)
    design = np.column_stack([np.ones(len(x)), x])
    p = 1 / (1 + np.exp(-(model.constant[0] + model.parts[0].slope[0] * x)))
    covariance = np.linalg.inv(design.T @ (design * (p * (1 - p))[:, None]))
    np.testing.assert_allclose(np.ravel(model.errors), np.sqrt(np.diag(covariance)), rtol=1e-6)


def test_the_likelihoods_are_those_of_the_shares():
    _, y, model = fitted(0)
    share = y.mean()
    assert model.fit.null == pytest.approx(
        len(y) * (share * math.log(share) + (1 - share) * math.log(1 - share))
    )
    assert model.fit.null < model.fit.log_likelihood < 0
    assert model.fit.rows == len(y)


def test_a_prior_takes_degrees_away_and_none_takes_none():
    assert fitted(0)[2].fit.degrees == 2.0
    assert 1.0 < fitted(10.0)[2].fit.degrees < 2.0
    assert fitted(1e9)[2].fit.degrees == pytest.approx(1.0, abs=1e-4)


def test_every_coefficient_has_an_error_and_those_that_are_not_free_have_0():
    X, y = made(3, rows=300, classes=3)
    model = ts.LogisticRegression(l2=0).fit(X, y).model_
    lines = compared(model)
    assert len(lines) == len(model.errors)
    assert all(not any(c.errors) for c in lines if not c.free)
    assert all(any(c.errors) for c in lines if c.free)


def test_the_likelihood_of_the_class_shares_leaves_out_classes_without_rows():
    facts = RowTotals(np.array([3, 1, 0]), np.array([1]), [], [])
    known = KnownRows(Design((), (), ()), facts, 1, np.ones(3))
    assert null_likelihood(known) == pytest.approx(3 * math.log(0.75) + math.log(0.25))
