"""Exact ranks and quantile bins, in memory and in runs on disk."""

from __future__ import annotations

import numpy as np
import pytest

from tallystick import kernels
from tallystick.table import ranks
from tallystick.table.ranks import (
    codes_within,
    cuts_between,
    few_or_cuts,
    quantile_cuts,
    quantiles,
    rank,
    rank_group,
    rank_within,
    wanted_rows,
)

VALUES = np.array([2.5, np.nan, -1.0, 2.5])


def test_codes_are_the_ranks_and_missing_comes_last():
    codes, distinct = rank(VALUES)
    assert (codes.tolist(), distinct.tolist()) == ([1, 2, 0, 1], [-1.0, 2.5])
    on_disk = rank_within(VALUES, 1)
    assert [a.tolist() for a in on_disk] == [codes.tolist(), distinct.tolist()]


def test_columns_of_a_matrix_are_ranked_as_each_alone():
    matrix = np.random.default_rng(0).integers(0, 5, (30, 3)).astype(float)
    together = rank_group(list(matrix.T))
    for (codes, distinct), column in zip(together, matrix.T, strict=True):
        alone = rank(column)
        assert (codes.tolist(), distinct.tolist()) == (alone[0].tolist(), alone[1].tolist())


RANDOM = np.random.default_rng(5)
COLUMNS = {
    "whole": RANDOM.integers(-3, 9, 9_000).astype(float),
    "with gaps": RANDOM.choice([0.0, 5.0, 253.0], 9_000),
    "as many as 8 bits hold": np.arange(9_000) % 254.0,
    "one more": np.arange(9_000) % 255.0,
    "halves": RANDOM.integers(0, 4, 9_000) + 0.5,
    "large": RANDOM.integers(0, 4, 9_000) + 2.0**52,
    "too large for steps of one": RANDOM.integers(0, 4, 9_000) * 2.0 + 2.0**53,
    "-0.0": RANDOM.choice([-0.0, 0.0, -1.0], 9_000),
    "broken at the end": np.append(RANDOM.integers(0, 4, 8_999), 1.25),
    "missing at the end": np.append(RANDOM.integers(0, 4, 8_999), np.nan),
    "infinite at the end": np.append(RANDOM.integers(0, 4, 8_999), np.inf),
    "far at the end": np.append(RANDOM.integers(0, 4, 8_999), 1e300),
    "one": np.ones(300),
    "none": np.empty(0),
}


@pytest.mark.parametrize("case", COLUMNS)
def test_ranks_of_numbers_close_together_are_those_of_any(case):
    values = COLUMNS[case]
    found = kernels.ranks(values)
    for codes, distinct in (rank(values), rank_within(values, 1 << 30)):
        assert codes.dtype == found.codes.dtype
        assert codes.tobytes() == found.codes.tobytes()
        assert distinct.tobytes() == found.distinct.tobytes()


def test_cuts_lie_halfway_after_the_wanted_rows():
    assert wanted_rows(10, 4).tolist() == [3, 5, 8]
    assert quantile_cuts(np.arange(10.0), np.ones(10, np.int64), 4).tolist() == [2.5, 4.5, 7.5]
    assert quantile_cuts(np.arange(2.0), np.array([99, 1]), 5).tolist() == [0.5]
    assert quantile_cuts(np.zeros(0), np.zeros(0, np.int64), 5).tolist() == []


def test_a_cut_never_rounds_onto_the_lower_value_and_does_not_overflow():
    low = 1.0
    high = np.nextafter(low, 2)
    assert cuts_between(np.array([low]), np.array([high])).tolist() == [high]
    assert cuts_between(np.array([-1.7e308]), np.array([1.7e308])).tolist() == [0.0]


@pytest.mark.parametrize("weighted", [False, True])
def test_cuts_of_runs_on_disk_are_those_of_all_values(weighted):
    rng = np.random.default_rng(1)
    values = rng.normal(size=10_000).round(2)
    weights = rng.integers(0, 3, 10_000) if weighted else None
    found, binned = few_or_cuts(values, weights, 50, 16, 1)  # runs of 4,096 values
    distinct, place = np.unique(values, return_inverse=True)
    counts = np.bincount(place, weights).astype(np.int64)
    kept = counts > 0
    assert binned
    assert found.tolist() == quantile_cuts(distinct[kept], counts[kept], 16).tolist()


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["float64", "float32"])
def test_quantiles_are_those_of_all_values_in_order(kind, monkeypatch):
    monkeypatch.setattr(ranks, "STEP", 7)
    rng = np.random.default_rng(3)
    shares = [0.0, 0.01, 0.25, 1 / 3, 0.5, 0.99, 1.0]
    for size in (1, 2, 9, 100):
        for values in (
            rng.normal(size=size) * 10.0 ** rng.integers(-30, 30, size),
            rng.integers(-2, 3, size),
        ):
            values = values.astype(kind)
            known = np.append(values, [np.inf, -np.inf]).astype(kind)
            mixed = rng.permutation(np.append(known, [np.nan] * 3)).astype(kind)
            want = np.quantile(values, shares, method="inverted_cdf").tolist()
            assert quantiles(mixed, shares, finite=True) == want
            assert quantiles(mixed, shares) == np.quantile(known, shares, method="inverted_cdf").tolist()
    assert np.isnan(quantiles(np.array([np.nan]), [0.1, 0.5])).all()


def test_few_values_are_told_apart_and_coded_with_missing_last():
    found, binned = few_or_cuts(VALUES, None, 10, 4, 1 << 20)
    assert (found.tolist(), binned) == ([-1.0, 2.5], False)
    assert codes_within(VALUES, found, False, 1 << 20).tolist() == [1, 2, 0, 1]
    assert codes_within(VALUES, np.array([0.0]), True, 1 << 20).tolist() == [1, 2, 0, 1]
    one = np.array([np.nan, 7.0])
    assert codes_within(one, np.array([7.0]), False, 1 << 20).tolist() == [1, 0]
