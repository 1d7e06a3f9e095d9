"""Exact sums as decimal text."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tallystick.stats.exact import SQUARE_UNIT, SUM_UNIT, Unreduced, read, reads, write


@pytest.mark.slow
@given(st.integers(-(2**2100), 2**2100), st.sampled_from([0, 1, 20, SUM_UNIT, SQUARE_UNIT]))
def test_text_is_the_exact_value_and_comes_back(units, unit):
    text = write(units, unit)
    assert Fraction(text) == Fraction(units, 2**unit)
    assert read(text, unit) == units
    assert reads(text, unit)


def test_a_double_is_written_with_all_its_digits():
    assert (
        write(int(Fraction(0.1) * 2**SUM_UNIT), SUM_UNIT)
        == "0.1000000000000000055511151231257827021181583404541015625"
    )
    assert write(0, SUM_UNIT) == "0"
    assert write(-3, 1) == "-1.5"


@pytest.mark.parametrize("text", ["-0", "01", "1.50", "1e3", " 1", "", "1.", "0.3", "1" * 3001, "NaN"])
def test_text_that_is_not_written_so_is_not_read(text):
    assert not reads(text, 10)


ratios = st.tuples(st.integers(-(2**80), 2**80), st.integers(1, 2**80)).map(lambda pair: Unreduced(*pair))


@given(ratios, ratios, st.integers(-5, 5), st.integers(1, 5))
def test_ratios_add_multiply_and_compare_as_fractions_do(a, b, over, under):
    assert Fraction(*a.plus(b)) == Fraction(*a) + Fraction(*b)
    assert Fraction(*a.times(over, under)) == Fraction(*a) * Fraction(over, under)
    assert a.below(b) == (Fraction(*a) < Fraction(*b))
    assert not a.below(a.times(3, 3))


def test_the_sum_of_many_ratios_stands_over_no_more_than_it_needs():
    total = Unreduced(0, 1)
    for under in [4, 6] * 1000:
        total = total.plus(Unreduced(1, under))
    assert total.under == 12
