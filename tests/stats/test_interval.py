"""Intervals of shares and means hold the probability they promise."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tallystick.stats.distributions import beta_cdf, mixture_interval, searched, student


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(st.floats(0.5, 3000), st.sampled_from([0.5, 0.95, 0.99]))
def test_students_t_is_right(freedom, mass):
    from scipy.stats import t

    assert student(freedom, mass) == pytest.approx(t.interval(mass, freedom)[1], rel=1e-9)


def test_class_weights_multiply_the_odds_of_an_interval():
    plain = mixture_interval([(1.0, 44.5, 38.5, 1.0)])
    heavy = mixture_interval([(1.0, 44.5, 38.5, 3.0)])
    assert heavy == pytest.approx([3 * p / (3 * p + 1 - p) for p in plain])
    assert mixture_interval([(1.0, 2.0, 2.0, 0.0)]) == pytest.approx((0, 0), abs=1e-9)
    assert mixture_interval([(1.0, 2.0, 2.0, float("inf"))]) == pytest.approx((1, 1), abs=1e-9)


def test_a_group_that_was_looked_for_counts_less_and_one_that_was_given_in_full():
    assert searched(0.0) == pytest.approx(1.0, abs=1e-6)
    assert searched(-3.0) == searched(0.0)
    factors = [searched(bits) for bits in (1.0, 5.0, 20.0, 900.0, 10_000.0)]
    assert factors == sorted(factors)
    assert searched(1.0) == pytest.approx((2.2414027 / 1.9599640) ** 2, rel=1e-5)  # 1 - 0.05 / 2 on two sides


def test_the_ends_of_the_beta_distribution_are_0_and_1():
    assert (beta_cdf(0.0, 2.0, 3.0), beta_cdf(1.0, 2.0, 3.0), beta_cdf(-1.0, 2.0, 3.0)) == (0.0, 1.0, 0.0)
    assert beta_cdf(0.5, 1.0, 1.0) == pytest.approx(0.5)
    assert beta_cdf(0.25, 2.0, 1.0) == pytest.approx(1 / 16)


@pytest.mark.slow
@settings(max_examples=200, deadline=None)
@given(st.floats(0.01, 500), st.floats(0.01, 500), st.floats(0.001, 0.999))
def test_the_beta_distribution_is_right(a, b, x):
    from scipy.stats import beta

    assert beta_cdf(x, a, b) == pytest.approx(beta.cdf(x, a, b), abs=1e-11)


def test_an_interval_holds_its_probability():
    from scipy.stats import beta

    assert mixture_interval([(1.0, 3.5, 2.5, 1.0)]) == pytest.approx(beta.interval(0.95, 3.5, 2.5), abs=1e-9)
    low, high = mixture_interval([(0.3, 2, 9, 1.0), (0.7, 8, 1, 1.0)], 0.9)
    inside = sum(w * (beta.cdf(high, a, b) - beta.cdf(low, a, b)) for w, a, b in ((0.3, 2, 9), (0.7, 8, 1)))
    assert inside == pytest.approx(0.9, abs=1e-9)
