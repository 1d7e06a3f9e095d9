"""Sums of doubles: the double nearest to the exact sum, in any order and any cut."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tallystick.stats import exact
from tallystick.stats.exact import digits, exact_total, exact_total_of, joined, nearest, weighted_total

number = st.one_of(st.floats(-1e200, 1e200), st.floats(-1, 1), st.floats(-1e-300, 1e-300))


@pytest.mark.parametrize("few", [0, exact.FEW])
@given(values=st.lists(number, max_size=40), cut=st.integers(0, 40))
def test_a_total_is_the_nearest_double_however_values_are_cut(few, values, cut):
    want = float(sum(map(Fraction, values)))
    array = np.array(values)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(exact, "FEW", few)
        assert exact_total(array) == exact_total(array[::-1]) == want
    assert nearest(joined(digits(array[cut:]), digits(array[:cut]))) == want
    parts = (array[cut:], None), (array[:cut], None)
    assert exact_total_of(iter(parts)) == exact_total_of([(array, None)]) == want


@pytest.mark.parametrize("few", [0, exact.FEW])
def test_a_total_beyond_all_doubles_is_infinite_and_what_passes_by_them_is_not(few, monkeypatch):
    monkeypatch.setattr(exact, "FEW", few)
    assert exact_total(np.array([1e308, 1e308])) == np.inf
    assert exact_total(np.array([-1e308, -1e308])) == -np.inf
    assert exact_total(np.array([1e308, 1e308, -1e308])) == 1e308


def test_no_part_has_the_total_0():
    assert exact_total_of([]) == 0.0


def test_a_weight_counts_a_value_as_often():
    values, weights = np.array([0.1, 0.7, -3.3]), np.array([3, 1, 10**9])
    want = float(sum(Fraction(v) * w for v, w in zip(values.tolist(), weights.tolist(), strict=True)))
    assert nearest(digits(values, weights)) == want
    assert nearest(digits(values, np.array([0, 2, 0]))) == 1.4
    parts = [(values[rows], weights[rows]) for rows in (slice(2), slice(2, 3))]
    assert exact_total_of(parts) == exact_total_of([(values, weights)]) == want


@pytest.mark.parametrize("unit", [1, 1 << 32])
def test_no_product_of_a_weight_is_rounded_before_the_sum(unit):
    rng = np.random.default_rng(unit)
    values = rng.normal(size=500) * 10.0 ** rng.integers(-200, 200, 500)
    weights = rng.integers(1, 9 * unit, 500) / unit
    want = sum(Fraction(v) * Fraction(w) for v, w in zip(values.tolist(), weights.tolist(), strict=True))
    assert weighted_total(values, weights) == float(want)
