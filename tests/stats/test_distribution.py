"""Exact quantile cuts from few numbers: what travels is small, the cuts are those of all values."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import tallystick as ts
from tallystick.stats.quantiles import Grid, Spreads, ValuesInCells, cells_for, cells_of_cuts, cuts_of
from tallystick.table.block import RowBlock as Block
from tallystick.table.ranks import quantile_cuts, rank

number = st.one_of(
    st.floats(allow_nan=False, allow_infinity=False),
    st.floats(-1, 1),
    st.integers(-3, 3).map(float),
    st.just(float("nan")),
)


def found(values, weights, bins, cells, ends):
    """The cuts by two questions over blocks, None when there are no more values than bins."""
    there = values[~np.isnan(values)]
    low, high = (float(there.min()), float(there.max())) if len(there) else (0.0, 0.0)
    grid = Grid("x", low, high, cells)
    cut = [slice(a, b) for a, b in zip([0, *ends], [*ends, len(values)], strict=True)]
    blocks = [
        Block(len(values[s]), {"x": values[s]}, weights=None if weights is None else weights[s]) for s in cut
    ]

    def total(question):
        sums = [question.add(question.zero(), b) for b in blocks]
        while len(sums) > 1:
            sums.append(question.merge(sums.pop(), sums.pop(0)))
        return sums[0][0]

    spread = total(Spreads((grid,), (bins,)))
    if not spread.many:
        return None, spread.few
    near = total(ValuesInCells((grid,), (cells_of_cuts(spread.cells, bins),)))
    return cuts_of(grid, spread.cells, near, bins), near


@pytest.mark.slow
@given(
    rows=st.lists(st.tuples(number, st.integers(1, 5)), max_size=60),
    weighted=st.booleans(),
    bins=st.integers(2, 9),
    cells=st.sampled_from([1, 2, 7, 256]),
    ends=st.lists(st.integers(0, 60), max_size=3),
)
@example([(1e308, 1), (-1e308, 1), (0.0, 1), (5e-324, 1)], False, 2, 256, [])
def test_cuts_found_in_two_looks_are_those_of_all_values(rows, weighted, bins, cells, ends):
    values = np.array([v for v, _ in rows], float) + 0.0
    weights = np.array([w for _, w in rows], np.int64) if weighted else None
    cuts, few = found(values, weights, bins, cells, sorted(min(e, len(rows)) for e in ends))
    codes, distinct = rank(values)
    counts = np.bincount(codes, weights, len(distinct) + 1).astype(np.int64)[:-1]
    if cuts is None:
        assert few.values.tolist() == distinct.tolist()
        assert few.counts.tolist() == counts.tolist()
    else:
        assert len(distinct) > bins
        assert cuts.tolist() == quantile_cuts(distinct, counts, bins).tolist()


def test_few_values_are_asked_for_where_many_lie():
    values = np.random.default_rng(0).normal(size=200_000)
    cuts, near = found(values, None, 255, cells_for(len(values)), [70_000, 140_000])
    assert len(near.values) < 0.1 * len(values)
    assert len(cuts) == 254


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("distinct", [3, 4, 5, 40])
@pytest.mark.parametrize("turn", [1, -1])
def test_values_are_listed_up_to_the_most_wherever_in_a_block_they_lie(distinct, turn, weighted):
    values = np.concatenate([np.zeros(30), np.arange(distinct, dtype=float)])[::turn].copy()
    weights = None
    if weighted:  # rows of weight 0 have no value that counts
        values = np.concatenate([100.0 + np.arange(30), values])
        weights = np.where(values < 100, 2, 0)
    question = Spreads((Grid("x", 0.0, 130.0, 256),), (4,))
    (found,) = question.add(question.zero(), Block(len(values), {"x": values}, weights=weights))
    assert found.many == (distinct > 4)
    assert found.few.values.tolist() == ([] if found.many else list(range(distinct)))


def test_the_cells_of_many_columns_travel_together_and_stay_few():
    assert cells_for(10**10) == cells_for(10**10, 128) == 65_536
    assert 1_000 * cells_for(10**10, 1_000) <= 1 << 23
    assert (cells_for(3), cells_for(10**10, 10**6)) == (256, 256)


class Blockwise:
    """An engine that knows nothing but blocks."""

    def total(self, table, question):
        total = question.zero()
        for block in table.blocks():
            total = question.add(total, block)
        return total


@pytest.mark.slow
def test_more_distinct_numbers_than_codes_of_two_bytes_have_room_for_are_told_apart():
    """Nothing is put in bins unless `max_bins` says so, whoever sums."""
    rng = np.random.default_rng(1)
    x = rng.normal(size=(70_000, 2))
    x[:, 1] = np.round(x[:, 1], 1)
    y = (x[:, 0] + x[:, 1] + rng.normal(size=len(x)) > 0).astype(int)
    there, here = (ts.DecisionTree(max_depth=3, engine=engine).fit(x, y) for engine in (Blockwise(), None))
    assert there.to_bytes() == here.to_bytes()
    assert "binned" not in {n.code for n in there.notes_}


def test_bins_are_the_same_whoever_sums():
    rng = np.random.default_rng(1)
    x = rng.normal(size=(9_000, 2))
    y = (x[:, 0] + x[:, 1] + rng.normal(size=len(x)) > 0).astype(int)
    there = ts.DecisionTree(max_depth=3, max_bins=255, engine=Blockwise()).fit(x, y)
    assert there.to_bytes() == ts.DecisionTree(max_depth=3, max_bins=255).fit(x, y).to_bytes()
