"""What the table of a linear regression and its explanations are made of."""

from __future__ import annotations

import pytest
from scipy import stats

from tallystick.linear.summary import (
    LinearExplanation,
    LinearFigure,
    LinearReason,
    fisher_tail,
    student_tail,
)


@pytest.mark.parametrize(("t", "freedom"), [(0.3, 4), (-2.5, 17), (8.0, 300.5)])
def test_tails_are_those_of_scipy(t, freedom):
    assert student_tail(t, freedom) == pytest.approx(2 * stats.t.sf(abs(t), freedom), rel=1e-10)
    assert fisher_tail(abs(t), 3, freedom) == pytest.approx(stats.f.sf(abs(t), 3, freedom), rel=1e-10)


def test_a_figure_without_an_error_says_nothing_of_chance():
    bare = LinearFigure("x", 2.0, None, 5.0)
    assert (bare.t, bare.p, bare.interval) == (None, None, None)
    assert LinearFigure("x", 2.0, 0.5, 5.0).t == 4


def test_reasons_come_the_strongest_first():
    reasons = (LinearReason("a", "1", 0.5), LinearReason("b", "yes", -2.0))
    why = LinearExplanation("rent", 10.0, reasons, 8.5)
    assert [r.column for r in why.ranked()] == ["b", "a"]
    said = str(why).splitlines()
    assert said[0].startswith("rent 8.5 (no interval")
    assert said[2].startswith("b = yes")
    assert said[-1].split() == ["sum", "+8.5"]
