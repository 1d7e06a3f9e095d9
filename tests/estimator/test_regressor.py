"""What all estimators of a number share."""

from __future__ import annotations

import numpy as np
import pytest

import tallystick as ts
from tallystick.errors import DataError

X = np.random.default_rng(0).normal(size=(80, 2))
Y = X[:, 0] + 0.1 * X[:, 1] ** 2


@pytest.mark.parametrize("kind", [ts.RegressionTree, ts.LinearRegression])
def test_answers_their_intervals_and_how_well(kind):
    from sklearn.metrics import r2_score

    model = kind().fit(X, Y)
    found = model.predict(X)
    assert model.score(X, Y) == pytest.approx(r2_score(Y, found))
    assert model.predict_one({"x0": X[3, 0], "x1": X[3, 1]}) == found[3]
    assert model.predict_interval(X).shape == (80, 2)
    with pytest.raises(DataError, match="1 rows have no response"):
        model.score(X, [None, *Y[1:]])
