"""Weights from the rows themselves: mended until nothing is left, or step by step without a matrix."""

from __future__ import annotations

import numpy as np

import tallystick as ts
from tallystick.engine import Local
from tallystick.linear import least_squares as solve
from tallystick.linear.least_squares import equations_of, solved
from tallystick.linear.path import drive

R = np.random.default_rng(1)
X = R.normal(size=(150, 4)) + np.array([0, 3, 0, 100])
Y = X @ [1.0, -2.0, 3.0, 0.5] + R.normal(size=150)


def test_conjugate_gradients_come_to_the_same_weights():
    model = ts.LinearRegression(l2=0.5)
    table = model._read(X, Y)
    found = drive(equations_of(model._options(), table.schema, 1), table, Local(1))
    problem = found.problem(model._options(), 0.5)
    w, factor = solved(problem, found)
    best, error, rounds = drive(solve.mended(problem, found, w, factor), table, Local(1))
    other, same, steps = drive(solve.conjugate(problem, found), table, Local(1))
    np.testing.assert_allclose(best, w, atol=1e-12)
    np.testing.assert_allclose(other, best, atol=1e-9)
    assert abs(error - same) < 1e-9
    assert 1 <= rounds <= solve.MENDS
    assert steps > 1
    gradient, _ = drive(solve.left_at(problem, found, best), table, Local(1))
    assert np.abs(gradient).max() < 1e-10
    assert solve.laid(problem, best).tolist() == best.tolist()
