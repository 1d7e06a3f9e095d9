"""Rows given as floats have the answers they have in a table, infinite numbers none."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import tallystick as ts
from tallystick.errors import DataError
from tallystick.predict import columns as float_rows

pytestmark = pytest.mark.slow

RNG = np.random.default_rng(0)
X = RNG.normal(size=(400, 5))
Y = np.array(["no", "yes"])[(X[:, 0] + X[:, 1] ** 2 + RNG.normal(size=400) > 1).astype(int)]
METHODS = {
    "bayes": lambda: ts.NaiveBayes(),
    "gaussian": lambda: ts.NaiveBayes(distributions="gaussian"),
    "calibrated": lambda: ts.NaiveBayes(calibrate=True),
    "card": lambda: ts.Scorecard(),
}


@pytest.fixture(scope="module")
def models():
    return {name: make().fit(X, Y) for name, make in METHODS.items()}


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_answers_of_floats_are_those_of_a_table(models, method, dtype, monkeypatch):
    monkeypatch.setattr(float_rows, "CELLS", 0)
    monkeypatch.setattr(float_rows, "LEAST", 150)  # the rows come in stretches
    new = RNG.normal(size=(400, 5)).astype(dtype)
    new[::7, 2], new[3, 0] = np.nan, -0.0
    model = models[method]
    read = [{f"x{j}": None if np.isnan(v) else float(v) for j, v in enumerate(row)} for row in new]
    for rows in (new, np.asfortranarray(new), pd.DataFrame(new, columns=[f"x{j}" for j in range(5)])):
        assert model.predict_proba(rows).tobytes() == model.predict_proba(read).tobytes()
        assert model.predict(rows).tolist() == model.predict(read).tolist()
    model.set_decision(threshold=0.9, of="yes")
    assert model.predict(new).tolist() == model.predict(read).tolist()
    model.clear_decision()


@pytest.mark.parametrize("method", METHODS)
def test_infinite_numbers_are_refused_as_in_a_table(models, method):
    new = X[:3].copy()
    new[1, 1] = np.inf
    with pytest.raises(DataError, match="x1"):
        models[method].predict(new)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_infinite_numbers_are_refused_in_columns_that_say_nothing(method, dtype):
    rng = np.random.default_rng(1)
    said = np.column_stack([X[:, 0], rng.permutation(X[:, 1])])  # a card does not use the second
    model = METHODS[method]().fit(said, (X[:, 0] > 0).astype(int))
    new = said.astype(dtype)
    new[-1, 1] = np.inf
    if method == "card":  # nobody must bring the column: what it holds changes nothing
        assert [c.name for c in model.schema_.used] == ["x0"]
        assert (model.predict(new) == model.predict(said.astype(dtype))).all()
        assert (model.predict_proba(new) == model.predict_proba(said.astype(dtype))).all()
        return
    with pytest.raises(DataError, match="x1"):
        model.predict(new)
    with pytest.raises(DataError, match="x1"):
        model.predict_proba(new)
