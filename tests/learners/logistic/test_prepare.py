"""Columns that repeat others, and scales that touch no other column."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from logistic_tables import made

import tallystick as ts


@pytest.mark.parametrize("l2", [0, 1.0])
def test_collinear_columns_have_one_answer_and_are_named(l2):
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(200, 2)), columns=["a", "b"])
    X["twice"] = 2 * X["a"] + 1
    y = (X["a"] + rng.logistic(size=200) > 0).astype(int).to_numpy()
    order = rng.permutation(200)
    one = ts.LogisticRegression(l2=l2).fit(X, y)
    assert one.to_bytes() == ts.LogisticRegression(l2=l2).fit(X.iloc[order], y[order]).to_bytes()
    note = next(n for n in one.notes_ if n.code == "collinear")
    assert "'twice' repeats 'a'" in note.text
    assert np.isfinite(one.coef_).all()


def test_more_columns_than_rows_have_one_answer():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(20, 40)), np.arange(20) % 2
    order = rng.permutation(20)
    for l2 in (0, 1.0):
        model = ts.LogisticRegression(l2=l2).fit(X, y)
        assert model.to_bytes() == ts.LogisticRegression(l2=l2).fit(X[order], y[order]).to_bytes()
        assert model.model_.fit.separation == "complete"


def test_one_columns_scale_touches_no_other():
    X, y = made(2)
    plain = ts.LogisticRegression().fit(X, y)
    wide = ts.LogisticRegression().fit(X.assign(a=X["a"] * 2.0**40), y)
    np.testing.assert_allclose(
        plain.predict_proba(X), wide.predict_proba(X.assign(a=X["a"] * 2.0**40)), atol=1e-9
    )
    at = plain.coef_names_.index("a")
    np.testing.assert_allclose(plain.coef_[:, at], wide.coef_[:, at] * 2.0**40, rtol=1e-6)
    rest = [i for i in range(len(plain.coef_names_)) if i != at]
    np.testing.assert_allclose(plain.coef_[:, rest], wide.coef_[:, rest], rtol=1e-6, atol=1e-9)
