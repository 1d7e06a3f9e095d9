"""The learner: questions in stages, and what it refuses."""

from __future__ import annotations

import numpy as np
import pytest

import tallystick as ts
from tallystick.engine import Local, fit
from tallystick.errors import OptionError
from tallystick.linear.least_squares import LinearLearner


def test_the_learner_asks_and_finishes():
    X = np.random.default_rng(0).normal(size=(50, 2))
    model = ts.LinearRegression(l2="cv")
    table = model._read(X, X[:, 0] - X[:, 1])
    found = fit(LinearLearner(model._options(), 1, chosen=0.0), table, Local(1))
    assert found.fit.l2 == 0.0
    assert found.kind == "linear-regression"
    np.testing.assert_allclose([p.slope[0] for p in found.parts], [1.0, -1.0], rtol=1e-12)


def test_too_many_weights_are_not_cross_validated(monkeypatch):
    monkeypatch.setattr("tallystick.linear.least_squares.MATRIX", 3)
    X = np.random.default_rng(0).normal(size=(50, 4))
    with pytest.raises(OptionError, match="l2='cv' is for at most 3 weights, and there are 5"):
        ts.LinearRegression(l2="cv").fit(X, X[:, 0])
