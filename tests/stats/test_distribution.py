"""Exact quantile cuts from few numbers: what travels is small, the cuts are those of all values."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import tallystick as ts
from tallystick.data.table.block import Block
from tallystick.data.table.ranks import quantile_cuts, rank
from tallystick.stats.distribution import Grid, Near, Spreads, cells_for, cells_of_cuts, cuts_of
from tallystick.stats.split_search import MOST_DISTINCT

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
    near = total(Near((grid,), (cells_of_cuts(spread.cells, bins),)))
    return cuts_of(grid, spread.cells, near, bins), near


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


class Blockwise:
    """An engine that knows nothing but blocks."""

    def total(self, table, question):
        total = question.zero()
        for block in table.blocks():
            total = question.add(total, block)
        return total


@pytest.mark.parametrize("max_bins", [None, 255])
def test_more_distinct_numbers_than_can_travel_are_put_in_255_bins_with_a_note(max_bins):
    rng = np.random.default_rng(1)
    x = rng.normal(size=(MOST_DISTINCT + 1, 2))
    x[:, 1] = np.round(x[:, 1], 1)
    y = (x[:, 0] + x[:, 1] + rng.normal(size=len(x)) > 0).astype(int)
    there = ts.DecisionTree(max_depth=3, max_bins=max_bins, engine=Blockwise()).fit(x, y)
    here = ts.DecisionTree(max_depth=3, max_bins=255).fit(x, y)
    assert there.model_.to_dict() == here.model_.to_dict()
    said = [n.column for n in there.notes_ if n.code == "binned"]
    assert said == (["x0"] if max_bins is None else [])


def test_as_many_distinct_numbers_as_can_travel_are_told_apart():
    rng = np.random.default_rng(2)
    x = rng.permutation(MOST_DISTINCT).astype(float)[:, None] + 0.5
    y = (x[:, 0] > 12_345.7).astype(int)
    there = ts.DecisionTree(max_depth=2, engine=Blockwise()).fit(x, y)
    assert there.to_bytes() == ts.DecisionTree(max_depth=2).fit(x, y).to_bytes()
