"""Entropy and the sigmoid: the marked point and the fitted curve have the numbers of the textbook."""

from __future__ import annotations

import pytest
from svg import shapes, words

import tallystick as ts


def test_the_curve_of_entropy_marks_a_share_with_its_bits():
    assert "H(0.6429) = 0.9403" in words(ts.pictures.entropy(9 / 14))
    assert "H(1) = 0.0000" in words(ts.pictures.entropy(1))
    assert len(shapes(ts.pictures.entropy(), "polyline")) == 3


def test_a_share_beyond_1_is_one_line():
    with pytest.raises(ts.TallyError, match=r"share must lie between 0 and 1, not 1\.5"):
        ts.pictures.entropy(1.5)


def test_the_sigmoid_is_drawn_for_several_weights():
    assert {"w = 0.5", "w = 1", "w = 2", "w = 5"} <= set(words(ts.pictures.sigmoid()))


def test_the_fitted_sigmoid_crosses_even_odds_where_its_score_is_0():
    rows = [{"dose": d, "cured": c} for d, c in zip(range(8), "nnynyyny", strict=True)]
    model = ts.LogisticRegression().fit(rows, "cured")
    even = -model.intercept_[0] / model.coef_[0, 0]
    texts = words(ts.pictures.sigmoid(rows, "cured"))
    assert f"even odds at {even:.4g}" in texts
    assert any(f"{model.coef_[0, 0]:.4g}·dose" in text for text in texts)
