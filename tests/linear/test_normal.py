"""The normal equations: sums of all rows less those of a fold are the sums of the rest."""

from __future__ import annotations

import numpy as np

import tallystick as ts
from tallystick.engine import Local
from tallystick.linear.least_squares import equations_of, evident, left, residuals, solved
from tallystick.linear.path import drive

R = np.random.default_rng(0)
X = R.normal(size=(200, 3)) * [1, 5, 0.1]
Y = X @ [1.0, -2.0, 3.0] + R.normal(size=200)


def equations(l2=0.0):
    model = ts.LinearRegression(l2=l2)
    table = model._read(X, Y)
    return drive(equations_of(model._options(), table.schema, 1), table, Local(1)), model._options()


def test_the_sums_are_those_of_standardised_columns():
    found, options = equations()
    Z = np.column_stack([np.ones(200), (X - X.mean(0)) / X.std(0)])
    np.testing.assert_allclose(found.matrix, Z.T @ Z, atol=1e-9)
    np.testing.assert_allclose(found.side, Z.T @ ((Y - Y.mean()) / Y.std()), atol=1e-9)
    problem = found.problem(options, 0.0)
    w, _ = solved(problem, found)
    peer = np.linalg.lstsq(Z, (Y - Y.mean()) / Y.std(), rcond=None)
    np.testing.assert_allclose(w, peer[0], atol=1e-12)
    assert abs(left(problem, found, w) - peer[1][0]) < 1e-9


def test_all_rows_less_a_fold_are_the_rest():
    found, _ = equations()
    assert found.without(found.gram).total == 0


def test_the_evidence_of_a_clear_line_is_a_weak_penalty():
    found, options = equations("auto")
    assert 0 < evident(found, options) < 0.1


def test_no_residual_passes_the_bound():
    found, _ = equations()
    question = residuals(found, np.array([0.3, -1.0, 2.0, 0.5]))
    Z = np.column_stack([np.ones(200), (X - X.mean(0)) / X.std(0)])
    assert np.abs((Y - Y.mean()) / Y.std() - Z @ [0.3, -1.0, 2.0, 0.5]).max() <= question.bound
