"""Curves of any class: of rows not seen, thinned along the curve, and none where there is nothing to tell."""

from __future__ import annotations

import numpy as np
import pytest

import tallystick as ts
from tallystick.reports.quality import constant, curves_section, thinned


def test_every_class_has_its_points_in_the_frame_of_the_first(given):
    found = curves_section(given("bayes"))
    assert sorted(found["data"]["classes"]) == [0, 1]
    assert found["positive"] == given("bayes").labels[found["first"]]
    for own in found["data"]["classes"].values():
        assert own["roc"][0] == [0.0, 0.0]
        assert own["roc"][-1] == [1.0, 1.0]
        assert all(low <= seen <= high for _, seen, low, high in own["calibration"])


def test_a_curve_keeps_its_ends_and_corners_when_it_is_thinned():
    steep = [[0.0, k / 1000] for k in range(1000)] + [[k / 1000, 1.0] for k in range(1001)]
    found = thinned(steep, 21)
    assert len(found) <= 23
    assert (found[0], found[-1]) == ([0.0, 0.0], [1.0, 1.0])
    away = np.abs(np.diff(np.array(found), axis=0)).sum(axis=1)
    assert away.max() < 0.12


@pytest.mark.slow
def test_a_model_that_answers_all_rows_alike_has_no_curve():
    rows = [{"x": "ab"[i % 2], "y": "pq"[i % 4 < 2]} for i in range(40)]
    found = ts.compare(rows, "y", methods=["tree"], folds=5)
    assert constant(found["most frequent class"].result)
    page = ts.report(rows, "y", methods=["tree:min_samples_leaf=30"], folds=5, repeats=0)
    assert constant(page.comparison.chosen.result)
    assert "gives every row the same shares" in page.html
    assert 'data-curve="roc"' not in page.html
