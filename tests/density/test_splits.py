"""The best test of a node, against trying every one on the rows."""

from __future__ import annotations

import numpy as np
import pytest
from density_tables import log_likelihood
from hypothesis import given
from hypothesis import strategies as st

from tallystick.density.learner import SplitScale, best_split
from tallystick.density.model import ColumnCells
from tallystick.schema import Column

KINDS = ("levels", "ordered", "numeric")


def cells(name, kind, k):
    if kind == "numeric":
        return ColumnCells(Column(name, kind, low=0.0, high=float(k)), tuple(float(i) for i in range(1, k)))
    return ColumnCells(Column(name, kind, levels=tuple(map(str, range(k)))))


def tried(own, codes):
    """Every test of a column: the rows of its first side."""
    k, missing = own.k, codes == own.k
    known = (
        [codes == c for c in range(k)] if own.column.kind == "levels" else [codes < c for c in range(1, k)]
    )
    if own.column.kind == "levels" and k == 2:
        known = known[:1]
    if not missing.any():
        return known
    return [side for one in known for side in (one & ~missing, one | missing)] + [~missing]


@st.composite
def tables(draw):
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    columns = draw(st.integers(2, 4))
    rows = draw(st.integers(4, 40))
    every, codes = [], []
    for j in range(columns):
        k = draw(st.integers(2, 4))
        every.append(cells("dbca"[j], draw(st.sampled_from(KINDS)), k))
        codes.append(rng.integers(0, k + draw(st.integers(0, 1)), rows))
    return every, codes, draw(st.integers(1, 3))


@pytest.mark.slow
@given(tables())
def test_the_best_test_is_that_of_trying_all(given):
    every, codes, least = given
    n = len(codes[0])

    def pair(a, b):
        table = np.zeros((every[a].k + 1, every[b].k + 1), np.int64)
        np.add.at(table, (codes[a], codes[b]), 1)
        return table

    rows = [np.bincount(c, minlength=own.k + 1) for own, c in zip(every, codes, strict=True)]
    found = best_split(every, range(len(every)), pair, rows, least, SplitScale.of(n, len(every)))
    named = {own.name: c for own, c in zip(every, codes, strict=True)}
    base = log_likelihood(named, np.zeros(n))
    gains = [
        log_likelihood(named, side) - base
        for own, c in zip(every, codes, strict=True)
        for side in tried(own, c)
        if least <= side.sum() <= n - least
    ]
    best = max(gains, default=0.0)
    if found is None:
        assert best < 1e-9
        return
    side = found.branch[codes[found.column]] == 0
    assert log_likelihood(named, side) - base == pytest.approx(best, abs=1e-6)
    assert found.gain / SplitScale.of(n, len(every)).bit == pytest.approx(best, abs=1e-6)


def test_equal_tests_tie_and_the_first_name_wins():
    every = [cells("b", "levels", 2), cells("a", "levels", 2), cells("c", "levels", 2)]
    codes = np.array([0, 0, 1, 1, 0, 1])
    table = np.zeros((3, 3), np.int64)
    np.add.at(table, (codes, codes), 1)
    rows = [np.bincount(codes, minlength=3)] * 3
    found = best_split(every, range(3), lambda _a, _b: table, rows, 1, SplitScale.of(6, 3))
    assert found is not None
    assert every[found.column].name == "a"


def test_a_scale_has_room_for_heavy_rows_and_is_one_bit_exact():
    for weight in (10, 10**6, 2**40, 2**61):
        scale = SplitScale.of(weight, 100)
        whole = int(scale.of_counts(np.array([weight]))[0])
        assert 0 < whole * 400 < 2**63
    assert scale.of_counts(np.zeros((0, 3), np.int64)).shape == (0, 3)
    small = SplitScale.of(8, 2)
    assert small.of_counts(np.array([[1, 2], [4, 8]])).tolist() == [
        [0, 2 * small.bit],
        [8 * small.bit, 24 * small.bit],
    ]
