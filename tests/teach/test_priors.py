"""The prior: weights shrink with it, training losses grow, and the least cross-validated loss is marked."""

from __future__ import annotations

import numpy as np
import pytest
from svg import shapes, words

import tallystick as ts
from tallystick.teach.pictures import STRENGTHS, _fits, _tested, read

RANDOM = np.random.default_rng(3)
ROWS = [
    {"a": float(a), "b": float(b), "y": bool(a + RANDOM.normal() > 0)}
    for a, b in RANDOM.normal(0, 3, (60, 2))
]


def test_weights_grow_and_training_loss_falls_as_the_prior_spreads():
    names, weights, training = _fits(read(ROWS, "y", {}), {})
    assert names == ["a", "b"]
    assert (np.diff(np.abs(weights[:, 0])) > 0).all()
    assert (np.diff(training) < 0).all()
    model = ts.LogisticRegression(l2=STRENGTHS[0]).fit(ROWS, "y")
    spread = np.std([row["a"] for row in ROWS])
    assert weights[0, 0] == pytest.approx(model.coef_[0, 0] * spread, rel=1e-6)


@pytest.mark.slow
def test_the_least_loss_is_marked():
    table = read(ROWS, "y", {})
    kappa = STRENGTHS[int(np.argmin(_tested(table, {})))] ** -0.5
    svg = ts.pictures.prior(ROWS, "y")
    assert f"κ = {float(f'{kappa:.2g}'):g}" in words(svg)
    assert {"Weights", "Losses", "a", "b", "training", "cross-validated, 5 folds"} <= set(words(svg))
    assert len(shapes(svg, "polyline")) == 4


def test_three_classes_have_weights_for_two_of_them():
    rows = [{"x": i % 10, "y": "abc"[(i % 10) // 4]} for i in range(60)]
    assert {"x (a)", "x (b)"} <= set(words(ts.pictures.prior(rows, "y")))
