"""The likelihood and the way up: every step climbs, and its end is where the estimator ends."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from svg import shapes, words

import tallystick as ts
from tallystick.teach.pictures import SHOWN, _signed, ascent, height, thinned

ROWS = [{"dose": d, "cured": c} for d, c in zip(range(10), "nnynynyyny", strict=True)]
X = np.arange(10.0)
Z = (X - X.mean()) / X.std()
Y = np.array([float(row["cured"] == "y") for row in ROWS])


@pytest.mark.parametrize("l2", [0.0, 2.0])
def test_every_step_climbs_and_the_end_is_the_optimum(l2):
    way = ascent(Z, Y, 1 / len(Z), l2)
    heights = [float(height(Z, Y, l2, *at)) for at in way]
    assert all(b > a for a, b in itertools.pairwise(heights[:-1]))
    model = ts.LogisticRegression(l2=l2).fit(ROWS, "cured")
    slope = float(model.coef_[0, 0] * X.std())
    assert way[-1] == pytest.approx(
        (float(model.intercept_[0] + model.coef_[0, 0] * X.mean()), slope), abs=1e-4
    )


def test_the_height_is_the_log_likelihood_of_the_textbook():
    p = 1 / (1 + np.exp(-(0.3 + 0.7 * Z)))
    assert float(height(Z, Y, 0.0, 0.3, 0.7)) == pytest.approx(np.log(np.where(Y == 1, p, 1 - p)).sum())


def test_a_long_way_is_thinned_with_its_ends_kept():
    way = [(float(k), 0.0) for k in range(2000)]
    few = thinned(way)
    assert len(few) <= SHOWN
    assert (few[0], few[-1]) == (way[0], way[-1])


def test_the_picture_tells_start_end_and_steps():
    svg = ts.pictures.likelihood(ROWS, "cured", eta=0.05)
    told = words(svg)
    assert "step length η = 0.05" in told
    assert f"start (0, 0): log-likelihood −{10 * np.log(2):.4f}" in told
    assert any("steps; the gradient is nearly 0" in text for text in told)
    assert len(svg) < 100_000
    assert len(shapes(svg, "polyline")) > 5


def test_separated_classes_have_no_top_and_are_drawn_all_the_same():
    rows = [{"x": x, "y": x > 3} for x in range(8)]
    assert any("after 2,000 steps" in text for text in words(ts.pictures.likelihood(rows, "y")))


@pytest.mark.parametrize("more", [{"eta": 0.0}, {"eta": -1}, {"l2": -1.0}])
def test_a_step_or_a_prior_that_cannot_be_is_one_line(more):
    with pytest.raises(ts.TallyError, match="eta must be above 0 and l2 at least 0"):
        ts.pictures.likelihood(ROWS, "cured", **more)


def test_nothing_has_no_sign():
    assert [_signed(v, 3) for v in (-1e-9, 1e-9, -1.5)] == ["0.000", "0.000", "−1.500"]
