"""How a number is read, in bins or as a Gaussian, judged on the multiset of values."""

from __future__ import annotations

import numpy as np
import pytest

from tallystick import kernels
from tallystick.bayes.learner import FOLDS, Judgement, judge
from tallystick.stats.binning import cut_by_mdl
from tallystick.stats.class_counts import ValuesByClass
from tallystick.tree.prune import normal_quantile


def column(values, counts):
    order = np.argsort(values)
    return ValuesByClass(np.array(values, float)[order], np.array(counts)[order], np.zeros(2, np.int64))


def fold_counts(counts, fold, unit):
    """Return the part of counts[value, class] in one fold: case q of a class is in fold (q // unit) mod 5."""
    turn = FOLDS * unit

    def reached(cases):
        return cases // turn * unit + np.clip(cases % turn - fold * unit, 0, unit)

    after = np.cumsum(counts, axis=0)
    return reached(after) - reached(after - counts)


def gains(scores):
    return kernels.log(np.maximum(kernels.softmax(np.ascontiguousarray(scores)), 1e-6))


def as_gaussian(rest, values, unit):
    """Return the log density[value, class] of a Gaussian for each class, written with whole arrays."""
    middle = rest.values[len(rest.values) // 2]
    n = np.maximum(rest.counts.sum(0), 1)
    x = (rest.values - middle)[:, None]
    mean = np.add.accumulate(rest.counts * x, axis=0)[-1] / n
    spread = np.add.accumulate(rest.counts * x * x, axis=0)[-1]
    rows, middle_of_all = float(n.sum()), np.add.accumulate(mean * n)[-1] / n.sum()
    whole = max(float(np.add.accumulate(spread)[-1]) / rows - middle_of_all**2, 0.0)
    variance = (np.maximum(spread - mean * mean * n, 0.0) + 2 * unit * whole) / (n + 2 * unit)
    variance = np.where(variance > 0, variance, 1.0)
    distance = (values - middle)[:, None] - mean
    return -0.5 * (1.8378770664093453 + kernels.log(variance)) - distance * distance / (2 * variance)


def in_bins(rest, values, unit):
    bins = cut_by_mdl(rest, unit)
    shares = (bins.counts + unit) / (bins.counts.sum(0) + unit * len(bins.counts))
    return kernels.log(shares)[np.searchsorted(np.array(bins.cuts), values, side="right")]


def twin(column, unit):
    """Return the sums of `judge` over all folds, written with whole arrays."""
    sums = np.zeros(4)
    for fold in range(FOLDS):
        test = fold_counts(column.counts, fold, unit)
        rest = column.without(test, np.zeros_like(column.missing))
        seen = test.any(axis=1)
        if not seen.any() or len(rest.values) < 2:
            continue
        values, cases = column.values[seen], test[seen] / unit
        prior = kernels.log(rest.counts.sum(0).astype(float))
        gaussian = gains(prior + as_gaussian(rest, values, unit))
        binned = gains(prior + in_bins(rest, values, unit))
        difference = gaussian - binned
        for i, table in enumerate((gaussian * cases, binned * cases, difference * difference * cases, cases)):
            sums[i] += np.add.accumulate(table.ravel())[-1]
    return tuple(sums.tolist())


@pytest.mark.slow
@pytest.mark.parametrize("classes", [1, 2, 3, 6])
@pytest.mark.parametrize("unit", [1, 4])
@pytest.mark.parametrize("n", [1, 2, 40, 900])
def test_judging_in_the_kernel_gives_the_bits_of_whole_arrays(n, unit, classes):
    rng = np.random.default_rng(n + classes)
    values = np.unique(rng.normal(size=n).round(3))
    counts = rng.integers(0, 12, (len(values), classes)) + np.eye(classes, dtype=np.int64)[0]
    counts[: len(values) // 2, 0] *= 5
    some = ValuesByClass(values, np.ascontiguousarray(counts * unit), np.zeros(classes, np.int64))
    assert tuple(kernels.judge_readings(values, some.counts, unit, FOLDS, FOLDS)) == twin(some, unit)


def test_a_gaussian_is_preferred_where_values_are_gaussian_and_bins_where_they_are_not():
    bell_curve = np.array([normal_quantile((i + 0.5) / 300) for i in range(300)])
    values = np.concatenate([bell_curve, bell_curve + 1.0001])
    bell = judge(column(values, [[1, 0]] * 300 + [[0, 1]] * 300), 1, True)
    assert bell.prefers_gaussian
    middle = np.abs(values) < 0.5
    band = judge(column(values, np.where(middle[:, None], [[1, 0]], [[0, 1]])), 1, True)
    assert not band.prefers_gaussian


def test_a_gaussian_must_be_better_by_more_than_one_standard_error():
    assert Judgement(-0.5, -0.6, 0.05).prefers_gaussian
    assert not Judgement(-0.5, -0.6, 0.2).prefers_gaussian


def test_very_large_values_are_judged_like_small_ones():
    rng = np.random.default_rng(2)
    values = np.concatenate([rng.normal(0, 1, 100), rng.normal(2, 1, 100)])
    counts = [[1, 0]] * 100 + [[0, 1]] * 100
    plain, large = judge(column(values, counts), 1, True), judge(column(values * 2.0**900, counts), 1, True)
    assert large.gaussian == pytest.approx(plain.gaussian, abs=1e-9)


def test_the_reason_is_told_where_bins_are_taken_although_the_gaussian_did_better():
    assert str(Judgement(-0.5, -0.6, 0.05)) == "-0.5000 as Gaussian, -0.6000 in bins"
    assert str(Judgement(-0.6, -0.5, 0.05)) == "-0.6000 as Gaussian, -0.5000 in bins"
    assert str(Judgement(-0.5, -0.6, 0.2)).endswith("assume less and are within the standard error of 0.2000")
