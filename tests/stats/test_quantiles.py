"""Distinct values with their counts, and the bins that follow from them."""

from __future__ import annotations

import pickle

import numpy as np

from tallystick.stats import quantiles
from tallystick.stats.quantiles import ValueCounts, ValueRuns, count_values, merge_values


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


def test_values_that_wait_are_those_counted_at_once(monkeypatch):
    monkeypatch.setattr(quantiles, "WAIT", 5)
    rng = np.random.default_rng(1)
    values, weights = rng.integers(0, 9, 60) / 2, rng.integers(0, 3, 60)
    for heavy in (None, weights):
        runs = ValueRuns()
        for start in range(0, 60, 4):
            own = slice(start, start + 4)
            runs.add(values[own], None if heavy is None else heavy[own])
        sent = pickle.loads(pickle.dumps(runs))
        assert isinstance(sent, ValueCounts)
        assert told(runs) == told(sent) == told(count_values(values, heavy))
        assert told(merge_values(runs, sent)) == told(merge_values(sent, runs))
    assert told(ValueRuns()) == ([], [], 0)
