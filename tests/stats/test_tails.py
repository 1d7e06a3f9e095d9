"""Tails and points are those of SciPy."""

from __future__ import annotations

import math

import pytest
from scipy import stats

from tallystick.errors import OptionError
from tallystick.stats.distributions import check_level, chi_square_tail, normal_point


@pytest.mark.parametrize("freedom", [1, 2, 3, 7.5, 40, 600])
@pytest.mark.parametrize("part", [0.01, 0.3, 0.9, 1.0, 1.1, 2.0, 6.0])
def test_the_chi_square_tail_is_scipys(freedom, part):
    x = freedom * part
    assert chi_square_tail(x, freedom) == pytest.approx(stats.chi2.sf(x, freedom), rel=1e-11, abs=1e-14)


def test_ends_of_the_tail():
    assert chi_square_tail(0.0, 3) == 1.0
    assert chi_square_tail(2_000.0, 1) == pytest.approx(stats.chi2.sf(2_000.0, 1), rel=1e-9)
    assert math.isnan(chi_square_tail(math.nan, 2))


@pytest.mark.parametrize("level", [0.5, 0.9, 0.95, 0.99])
def test_points_and_tails_agree(level):
    assert normal_point(level) == pytest.approx(stats.norm.ppf(0.5 + level / 2), rel=1e-12)
    assert chi_square_tail(normal_point(level) ** 2, 1) == pytest.approx(1 - level, rel=1e-10)


@pytest.mark.parametrize("level", [0, 1, 95, "high", None])
def test_a_level_is_between_0_and_1(level):
    with pytest.raises(OptionError, match="level must be a number between 0 and 1"):
        check_level(level)
