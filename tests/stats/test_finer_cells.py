"""Cuts in three looks: rows in cells, rows in fine cells, values in few of those."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import tallystick as ts
from tallystick.stats import quantiles as finer_cells
from tallystick.stats.quantiles import (
    ZOOM,
    FinerCells,
    Grid,
    RefinedGrid,
    Spreads,
    ValuesInCells,
    cells_for,
    cells_of_cuts,
    crowded,
    cuts_of,
    zoomed_where_crowded,
)
from tallystick.table.block import RowBlock as Block
from tallystick.table.ranks import quantile_cuts, rank

number = st.one_of(st.floats(allow_nan=False, allow_infinity=False), st.floats(-1, 1), st.just(float("nan")))


def blocks_of(values, weights, end):
    cut = [slice(0, end), slice(end, len(values))]
    return [
        Block(len(values[s]), {"x": values[s]}, weights=None if weights is None else weights[s]) for s in cut
    ]


def total(question, blocks):
    one, other = (question.add(question.zero(), block) for block in blocks)
    return question.merge(one, other)[0]


@pytest.mark.slow
@given(
    rows=st.lists(st.tuples(number, st.integers(1, 5)), min_size=1, max_size=60),
    weighted=st.booleans(),
    bins=st.integers(2, 9),
    cells=st.sampled_from([1, 2, 7, 256]),
    end=st.integers(0, 60),
)
@example([(1e308, 1), (-1e308, 1), (0.0, 1), (5e-324, 1)], False, 2, 256, 1)
def test_cuts_found_in_three_looks_are_those_of_all_values(rows, weighted, bins, cells, end):
    values = np.array([v for v, _ in rows], float) + 0.0
    weights = np.array([w for _, w in rows], np.int64) if weighted else None
    codes, distinct = rank(values)
    if len(distinct) <= bins:
        return
    blocks, grid = blocks_of(values, weights, end), Grid("x", float(distinct[0]), float(distinct[-1]), cells)
    spread = total(Spreads((grid,), (bins,)), blocks)
    zoomed = RefinedGrid(grid, cells_of_cuts(spread.cells, bins))
    if not np.isfinite(grid.scale * ZOOM) or grid.scale == 0:  # fine cells would not lie in cells
        assert not crowded(grid, spread.cells, zoomed.there)
        return
    counts = zoomed.joined(spread.cells, total(FinerCells((zoomed,)), blocks))
    assert counts.sum() == spread.cells.sum()
    near = total(ValuesInCells((zoomed,), (cells_of_cuts(counts, bins),)), blocks)
    every = np.bincount(codes, weights, len(distinct) + 1).astype(np.int64)[:-1]
    assert cuts_of(zoomed, counts, near, bins).tolist() == quantile_cuts(distinct, every, bins).tolist()


def test_fine_cells_leave_few_values_to_be_told():
    values = np.random.default_rng(0).normal(size=400_000)
    blocks = blocks_of(values, None, 100_000)
    grid = Grid("x", float(values.min()), float(values.max()), cells_for(len(values)))
    cells = total(Spreads((grid,), (0,)), blocks).cells
    plain = total(ValuesInCells((grid,), (cells_of_cuts(cells, 20),)), blocks)
    zoomed = RefinedGrid(grid, cells_of_cuts(cells, 20))
    counts = zoomed.joined(cells, total(FinerCells((zoomed,)), blocks))
    near = total(ValuesInCells((zoomed,), (cells_of_cuts(counts, 20),)), blocks)
    assert len(near.values) <= 2 * 20 * 2 < len(plain.values) / 3


def test_only_crowded_cells_are_divided(monkeypatch):
    grid, cells = Grid("x", 0.0, 8.0, 4), np.array([5, 5, 5, 5])
    assert zoomed_where_crowded(None, [grid], [cells], lambda own: own > 9)[0] == [grid]
    monkeypatch.setattr(finer_cells, "MOST_NEAR", 4)
    block = Block(2, {"x": np.array([1.0, 3.0])})
    (found,), (counts,) = zoomed_where_crowded(
        lambda question: question.add(question.zero(), block), [grid], [cells], lambda own: np.arange(4) == 1
    )
    assert isinstance(found, RefinedGrid)
    assert (len(counts), counts[1 : 1 + ZOOM].sum(), counts[-1]) == (3 + ZOOM, 1, 5)


class Blockwise:
    """An engine that knows nothing but blocks."""

    def __init__(self):
        self.asked = []

    def total(self, table, question):
        self.asked.append(type(question).__name__)
        found = question.zero()
        for block in table.blocks():
            found = question.add(found, block)
        return found


def test_a_binned_tree_and_its_profile_are_the_same_by_finer_cells(monkeypatch):
    rng = np.random.default_rng(1)
    x = rng.normal(size=(3_000, 2))
    y = (x[:, 0] + x[:, 1] + rng.normal(size=len(x)) > 0).astype(int)
    here = ts.DecisionTree(max_depth=3, max_bins=16).fit(x, y).to_bytes()
    monkeypatch.setattr(finer_cells, "MOST_NEAR", 0)
    engine = Blockwise()
    there = ts.DecisionTree(max_depth=3, max_bins=16, engine=engine).fit(x, y)
    assert there.to_bytes() == here
    assert engine.asked.count("FinerCells") >= 1
