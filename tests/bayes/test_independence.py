"""Which columns depend on each other given the class: bits worked out by hand."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import tallystick as ts
from tallystick.bayes.explain import BINS, coded, conditional_information, independence

EVERY = [dict(zip("aby", row, strict=True)) for row in itertools.product("uv", "pq", "01")] * 5


def read(rows, **kinds):
    return ts.NaiveBayes(kinds=kinds)._read(rows, "y")


def test_independent_columns_tell_nothing():
    (pair,) = independence(read(EVERY))
    assert (pair.first, pair.second, pair.bits) == ("a", "b", 0.0)
    assert pair.excess == -pair.by_chance < 0


def test_a_copy_tells_all_of_the_other_whatever_the_class():
    rows = [row | {"b": row["a"]} for row in EVERY]
    (pair,) = independence(read(rows))
    assert pair.bits == pytest.approx(1.0)
    assert pair.by_chance == pytest.approx(2 / (2 * 40 * np.log(2)))  # a degree of freedom in each class
    assert str(independence(read(rows))).endswith("dependent")


def test_columns_that_only_the_class_joins_are_independent_given_it():
    rows = [{"a": c, "b": c, "y": c} for c in "01" * 10]
    (pair,) = independence(read(rows))
    assert pair.bits == 0.0


def test_the_order_of_rows_means_nothing_and_missing_is_a_level():
    rows = [row | {"a": None if i % 3 == 0 else row["a"]} for i, row in enumerate(EVERY)]
    one, other = (independence(read(some)).to_dict() for some in (rows, rows[::-1]))
    assert one == other
    (pair,) = one["pairs"]
    assert pair["both_there"] != pair["bits"]


def test_numbers_are_cut_into_a_few_bins_of_equal_counts():
    table = read({"n": [float(i) for i in range(60)], "y": ["p", "q"] * 30}, n="numeric")
    codes, size, there = coded(table, "n")
    assert (size, there) == (BINS, BINS)
    assert np.bincount(codes).tolist() == [10] * BINS


def test_rows_on_disk_are_cut_into_the_same_bins_a_few_values_at_a_time(monkeypatch):
    rng = np.random.default_rng(1)
    x = np.where(rng.random(500) < 0.1, np.nan, rng.normal(size=500))
    rows = {"x": x, "n": rng.integers(0, 4, 500), "y": rng.choice(["a", "b"], 500).tolist()}
    here = ts.NaiveBayes()._read(rows, "y")
    there = ts.NaiveBayes(memory="32MB")._read(rows, "y")
    monkeypatch.setattr("tallystick.bayes.explain.STEP", 7)
    for name in ("x", "n"):
        (a, *sizes), (b, *others) = coded(here, name), coded(there, name)
        assert a.tolist() == b.tolist()
        assert sizes == others
    bins = np.bincount(coded(here, "x")[0])
    assert len(bins) == BINS + 1
    assert np.ptp(bins[:-1]) <= 1


def test_without_counts_there_is_no_information():
    assert conditional_information(np.zeros((2, 2, 2))) == (0.0, 0)
