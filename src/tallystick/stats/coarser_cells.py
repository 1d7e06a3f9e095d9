"""Cells that are sums of finer ones: of two questions about columns in cells one walk is enough, where the
cells of one lie in those of the other.

Knows grids, and questions for the rows and for the values in their cells. Knows nothing of trees or profiles.
Law: what is told is what each question alone would tell. A fine cell lies in one cell: their number in a cell
is a power of two, and a product with one is exact.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from tallystick.stats.distribution import NONE, CellGrid, Grid, Near, NearValues, Spreads, ValueSpread
from tallystick.stats.quantiles import ValueCounts


def fine_in(grid: CellGrid, finer: CellGrid | None) -> int:
    """Return how many cells of a finer grid lie in each cell; 0: it is not a finer grid of the same cells."""
    if not isinstance(grid, Grid) or not isinstance(finer, Grid):
        return 0
    parts, rest = divmod(finer.cells, grid.cells)
    same = (grid.name, grid.low, grid.high) == (finer.name, finer.low, finer.high)
    exact = not rest and parts & (parts - 1) == 0 and finer.scale == grid.scale * parts
    return parts if same and exact else 0


def by_name(grids: Sequence[CellGrid]) -> Mapping[str, int]:
    """Return the place of each column."""
    return {grid.name: i for i, grid in enumerate(grids)}


def tells(asked: Spreads, wanted: Spreads) -> bool:
    """Say whether one question for the rows in cells tells what another asks for."""
    at = by_name(asked.grids)
    known = [asked.grids[at[grid.name]] if grid.name in at else None for grid in wanted.grids]
    return not any(wanted.most) and all(map(fine_in, wanted.grids, known))


def summed(asked: Spreads, wanted: Spreads, found: list[ValueSpread]) -> list[ValueSpread]:
    """Return the total of the wanted question from that of the one that tells it."""
    at = by_name(asked.grids)
    cells = [found[at[grid.name]].cells.reshape(grid.cells, -1).sum(axis=1) for grid in wanted.grids]
    return [ValueSpread(own, NONE, True) for own in cells]


def in_one(fine: Near, other: Near) -> Near | None:
    """Return the question for the values in the wanted cells of both; None: where the cells of a column do
    not lie in each other.
    """
    at, there = by_name(fine.grids), list(fine.there)
    grids, more = list(fine.grids), list[NDArray[np.bool_]]()
    for grid, wanted in zip(other.grids, other.there, strict=True):
        if grid.name not in at:
            grids.append(grid)
            more.append(wanted)
            continue
        i = at[grid.name]
        if not (parts := fine_in(grid, fine.grids[i])):
            return None
        there[i] = there[i] | np.repeat(wanted, parts)
    return Near(tuple(grids), (*there, *more))


def among(question: Near, one: Near, found: list[NearValues]) -> list[NearValues]:
    """Return the total of a question from that of one for more cells."""
    at, out = by_name(one.grids), list[NearValues]()
    for grid, there in zip(question.grids, question.there, strict=True):
        every = found[at[grid.name]]
        own = there[grid.of(every.values)]
        out.append(ValueCounts(every.values[own], every.counts[own], every.missing))
    return out
