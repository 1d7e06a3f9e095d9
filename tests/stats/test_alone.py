"""What one column tells alone, from its counts: enough, too little, or luck."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tallystick.stats import one_column_rules as alone


def slow_fewest_wrong(counts, most):
    """Every way to cut, every answer of each interval."""
    out = []
    for cuts in range(most + 1):
        ways = combinations(range(1, len(counts)), min(cuts, len(counts) - 1))
        out.append(
            min(sum(int(p.sum() - p.sum(axis=0).max()) for p in np.split(counts, list(way))) for way in ways)
        )
    return out


@pytest.mark.slow
@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=1, max_size=7))
def test_the_small_tree_has_the_fewest_errors_of_all_that_cut_as_often(data):
    counts = np.array(data)
    runs = alone.runs_of(counts)
    assert alone.fewest_wrong(runs, 3) == [float(v) for v in slow_fewest_wrong(counts, 3)]


def test_two_levels_that_tell_all_of_forty_rows_are_named_and_ten_rows_are_luck():
    none = np.zeros(2, np.int64)
    found = alone.by_levels(np.array([[20, 0], [0, 20]]), none)
    assert found.found == "by itself gives the target of 40 of 40 rows correctly"
    assert alone.by_levels(np.array([[5, 0], [0, 5]]), none) is None
    assert alone.by_levels(np.array([[20, 0], [0, 20]]), none, among=2**40) is None  # so many chances


def test_being_missing_tells_too_and_is_said():
    found = alone.by_cuts(np.array([[5, 0]] * 8), np.array([0, 40]))
    assert found == alone.Alone(0.0, 80.0, absence=True)
    assert found.found.endswith("correctly, by being missing or not")


def test_a_word_that_stands_in_every_row_of_one_class_tells_the_class():
    rows, none = np.array([50, 50]), np.zeros(2, np.int64)
    assert alone.by_word(np.array([[0, 50], [20, 30]]), rows, none) == alone.Alone(0.0, 100.0)
    assert alone.by_word(np.array([[20, 30]]), rows, none) is None
    assert alone.by_word(np.zeros((0, 2), np.int64), rows, none) is None


def test_a_word_in_fewer_rows_than_must_be_tells_nothing():
    rng, none = np.random.default_rng(0), np.zeros(2)
    named = 0
    for _ in range(500):
        rows = rng.integers(1, 200, 2) / rng.choice([1, 8])
        counts = rows * (rng.random((4, 2)) < 0.5) * rng.choice([1, 1, 0.99], (4, 2))
        some = counts.sum(axis=1) >= alone.fewest_rows(rows)
        every = alone.by_word(counts, rows, none)
        assert alone.by_word(counts[some], rows, none, words=4) == every
        named += every is not None
    assert 20 < named < 480


def test_at_most_one_row_in_a_hundred_and_a_tenth_of_the_rare_ones_may_be_wrong():
    assert alone.allowed(np.array([500, 500])) == 10.0
    assert alone.allowed(np.array([990, 10])) == 1.0
    assert alone.allowed(np.array([7, 0])) == 0.0


@pytest.mark.slow
def test_pieces_of_the_values_tell_what_all_tell_wherever_they_are_cut():
    rng = np.random.default_rng(0)
    for _ in range(300):
        counts = rng.integers(0, 4, (12, 3))
        counts[counts.sum(axis=1) == 0, 0] = 1
        pieces = np.split(counts, sorted(rng.choice(np.arange(1, 12), 4, replace=False).tolist()))
        runs = alone.runs_of(counts)
        many, goes_on = alone.joined_runs([alone.piece_runs(piece) for piece in pieces])
        assert many == len(runs)
        told = [alone.wrong_between(own, 3, on) for own, on in zip(pieces, goes_on, strict=True)]
        assert alone.wrong_of_all(told) == alone.fewest_wrong(runs, 3)
