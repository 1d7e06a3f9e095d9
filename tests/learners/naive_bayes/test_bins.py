"""How a number is read: bins by the MDL rule, or a Gaussian, judged on the multiset of values."""

from __future__ import annotations

import math

import numpy as np
import pytest

from tallystick.learners.naive_bayes.bins import Judgement, between, cut_by_mdl, fold_counts, judge
from tallystick.learners.prune.pessimistic import normal_quantile
from tallystick.stats.class_values import ValuesByClass


def column(values, counts):
    order = np.argsort(values)
    return ValuesByClass(np.array(values, float)[order], np.array(counts)[order], np.zeros(2, np.int64))


def test_a_number_is_cut_between_the_values_where_classes_change():
    apart = column(range(10), [[5, 0]] * 5 + [[0, 5]] * 5)
    bins = cut_by_mdl(apart, 1)
    assert bins.cuts == (4.5,)
    assert bins.counts.tolist() == [[25, 0], [0, 25]]


def test_values_that_say_nothing_are_one_bin():
    assert cut_by_mdl(column(range(4), [[5, 5]] * 4), 1).cuts == ()
    none = cut_by_mdl(column([], np.zeros((0, 2), np.int64)), 1)
    assert (none.cuts, none.counts.tolist()) == ((), [[0, 0]])


def test_a_cut_lies_above_the_lower_value_however_near_they_are():
    assert between(1.0, 3.0) == 2.0
    low = 1.0
    assert between(low, math.nextafter(low, 2)) == math.nextafter(low, 2)
    assert between(-1.7e308, 1.7e308) == 0.0


@pytest.mark.parametrize("unit", [1, 4])
def test_every_case_is_in_one_fold(unit):
    counts = np.random.default_rng(0).integers(0, 9, (50, 2)) * unit
    folds = [fold_counts(counts, f, 5, unit) for f in range(5)]
    assert (sum(folds) == counts).all()
    sizes = [f.sum(axis=0) for f in folds]
    assert np.ptp(sizes, axis=0).max() <= unit


def test_a_gaussian_is_preferred_where_values_are_gaussian_and_bins_where_they_are_not():
    bell_curve = np.array([normal_quantile((i + 0.5) / 300) for i in range(300)])
    values = np.concatenate([bell_curve, bell_curve + 1.0001])
    bell = judge(column(values, [[1, 0]] * 300 + [[0, 1]] * 300), 1)
    assert bell.prefers_gaussian
    middle = np.abs(values) < 0.5
    band = judge(column(values, np.where(middle[:, None], [[1, 0]], [[0, 1]])), 1)
    assert not band.prefers_gaussian


def test_a_gaussian_must_be_better_by_more_than_one_standard_error():
    assert Judgement(-0.5, -0.6, 0.05).prefers_gaussian
    assert not Judgement(-0.5, -0.6, 0.2).prefers_gaussian


def test_very_large_values_are_judged_like_small_ones():
    rng = np.random.default_rng(2)
    values = np.concatenate([rng.normal(0, 1, 100), rng.normal(2, 1, 100)])
    counts = [[1, 0]] * 100 + [[0, 1]] * 100
    plain, large = judge(column(values, counts), 1), judge(column(values * 2.0**900, counts), 1)
    assert large.gaussian == pytest.approx(plain.gaussian, abs=1e-9)
