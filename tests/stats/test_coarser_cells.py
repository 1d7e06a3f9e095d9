"""What finer cells tell of coarser ones is what a question for these alone would tell."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tallystick.stats.quantiles import (
    Grid,
    RefinedGrid,
    Spreads,
    ValuesInCells,
    among,
    determines,
    fine_in,
    merge_queries,
    summed,
)
from tallystick.table.block import RowBlock as Block

numbers = st.floats(allow_nan=True, allow_infinity=False)


def alone(question, block):
    return question.merge(question.zero(), question.add(question.zero(), block))


def grids_of(columns, cells):
    ends = {n: v[~np.isnan(v)] for n, v in columns.items()}
    return tuple(
        Grid(n, float(v.min(initial=0.0)), float(v.max(initial=0.0)), cells) for n, v in ends.items()
    )


@pytest.mark.slow
@given(st.lists(st.tuples(numbers, numbers, st.integers(0, 3)), min_size=1, max_size=40), st.integers(0, 4))
def test_cells_and_values_of_both_are_those_of_each_alone(rows, bits):
    columns = {"x": np.array([r[0] for r in rows]), "z": np.array([r[1] for r in rows])}
    block = Block(len(rows), columns, weights=np.array([r[2] for r in rows]))
    fine, coarse = grids_of(columns, 64), grids_of(columns, 64 >> bits)
    asked, wanted = Spreads(fine, (3, 3)), Spreads(coarse, (0, 0))
    if not determines(asked, wanted):  # a product that is not exact
        assert any(f.scale != c.scale * (1 << bits) for f, c in zip(fine, coarse, strict=True))
        return
    found, own = summed(asked, wanted, asked.add(asked.zero(), block)), wanted.add(wanted.zero(), block)
    assert [(s.cells.tolist(), s.many) for s in found] == [(s.cells.tolist(), s.many) for s in own]
    rng = np.random.default_rng(len(rows))
    first = ValuesInCells(fine[:1], (rng.random(64) < 0.3,))
    second = ValuesInCells(coarse, tuple(rng.random(64 >> bits) < 0.5 for _ in coarse))
    one = merge_queries(first, second)
    total = alone(one, block)
    for question in (first, second):
        for mine, his in zip(among(question, one, total), alone(question, block), strict=True):
            assert mine.values.tolist() == his.values.tolist()
            assert mine.counts.tolist() == his.counts.tolist()
            assert mine.missing == his.missing


GRID = Grid("x", -1.0, 2.0, 16)


@pytest.mark.parametrize(
    "other",
    [
        replace(GRID, name="z", cells=64),
        replace(GRID, low=0.0, cells=64),
        replace(GRID, high=3.0, cells=64),
        replace(GRID, cells=24),
        replace(GRID, cells=48),
        replace(GRID, cells=8),
        RefinedGrid(GRID, np.ones(16, bool)),
        None,
    ],
)
def test_cells_that_lie_otherwise_tell_nothing(other):
    assert fine_in(GRID, replace(GRID, cells=64)) == 4
    assert fine_in(GRID, other) == 0
    point = replace(GRID, high=GRID.low)  # whose scale is 0, however many cells there are
    assert fine_in(point, replace(point, cells=24)) == 0
    if other is not None and other.name == "x":
        near = ValuesInCells((other,), (np.ones(64, bool),))
        assert merge_queries(near, ValuesInCells((GRID,), (np.ones(16, bool),))) is None


def test_listed_values_are_not_told_by_cells():
    asked, wanted = Spreads((replace(GRID, cells=64),), (9,)), Spreads((GRID,), (0,))
    assert determines(asked, wanted)
    assert not determines(asked, replace(wanted, most=(9,)))
    assert not determines(asked, Spreads((GRID, replace(GRID, name="z")), (0, 0)))
