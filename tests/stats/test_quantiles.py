"""Distinct values with their counts, and the bins that follow from them."""

from __future__ import annotations

import numpy as np

from tallystick.stats.quantiles import ValueCounts, count_values, merge_values


def told(found):
    return found.values.tolist(), found.counts.tolist(), found.missing


def test_values_are_counted_and_missing_ones_apart():
    values = np.array([2.0, -0.0, 2.0, np.nan, 0.0])
    assert told(count_values(values, None)) == ([0.0, 2.0], [2, 2], 1)


def test_a_row_of_weight_0_does_not_count():
    values = np.array([2.0, 1.0, np.nan])
    assert told(count_values(values, np.array([3, 0, 4]))) == ([2.0], [3], 4)


def test_merging_adds_counts_of_equal_values():
    a, b = count_values(np.array([1.0, 2.0]), None), count_values(np.array([2.0, 3.0, np.nan]), None)
    assert told(merge_values(a, b)) == told(merge_values(b, a)) == ([1.0, 2.0, 3.0], [1, 2, 1], 1)
    none = count_values(np.zeros(0), None)
    assert told(merge_values(none, a)) == told(a)


def test_bins_hold_as_equal_counts_as_ties_allow():
    even = ValueCounts(np.arange(4.0), np.ones(4, np.int64), 0)
    assert even.cuts(2).tolist() == [1.5]
    assert even.cuts(9).tolist() == [0.5, 1.5, 2.5]  # no more bins than values
    tied = ValueCounts(np.array([0.0, 1.0]), np.array([99, 1]), 0)
    assert tied.cuts(4).tolist() == [0.5]
