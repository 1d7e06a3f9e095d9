"""Cells of cells: where many rows lie in the cells that hold a cut, these are asked for more finely first.

Knows grids and blocks. Knows nothing of trees or profiles. So three small questions tell a cut: rows in equal
cells, rows in fine cells of the few that matter, and the values in the few fine ones that matter.
Law: the cuts are those of all values, to the last bit. A fine cell lies in one cell: their number in a cell
is a power of two, and a product with one is exact.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallystick.contracts import Block
from tallystick.stats.distribution import Grid
from tallystick.stats.quantiles import Counts, Floats

ZOOM = 128  # fine cells in a cell
MOST_NEAR = 1 << 22  # rows in the cells of a column that matter; where there are more, these are divided

Cells = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Zoomed:
    """A grid some of whose cells are divided: there[cell]. Places are cells, or fine cells in their stead."""

    grid: Grid
    there: Cells

    @property
    def name(self) -> str:
        """The column."""
        return self.grid.name

    @property
    def fine(self) -> Grid:
        """The grid of all fine cells."""
        return replace(self.grid, cells=self.grid.cells * ZOOM)

    @cached_property
    def starts(self) -> NDArray[np.int64]:
        """The first fine cell of each place."""
        cells = np.arange(self.grid.cells) * ZOOM
        inside = (cells[self.there][:, None] + np.arange(ZOOM)).ravel()
        return np.sort(np.concatenate([cells[~self.there], inside]))

    def of(self, values: Floats) -> NDArray[np.int64]:
        """Return place[value]; a higher value is never in a lower place."""
        return np.searchsorted(self.starts, self.fine.of(values), side="right") - 1

    def pick(self, values: Floats, there: Cells) -> NDArray[np.uint32]:
        """Return the rows whose values lie in places with there[place], all of them fine."""
        rows = self.grid.pick(values, self.there)
        return rows[there[self.of(values[rows])]]

    def counted(self, values: Floats, weights: Counts | None) -> Counts:
        """Return how many values of divided cells lie in each of their fine cells."""
        rank = np.cumsum(self.there) - 1
        fine = self.fine.of(values).astype(np.int64)
        at = rank[fine // ZOOM] * ZOOM + fine % ZOOM
        out = np.zeros(int(self.there.sum()) * ZOOM, np.int64)
        np.add.at(out, at, 1 if weights is None else weights)
        return out

    def joined(self, cells: Counts, fine: Counts) -> Counts:
        """Return the rows in each place, of those in each cell and in the fine ones."""
        out = cells[self.starts // ZOOM]
        out[self.there[self.starts // ZOOM]] = fine
        return out


@dataclass(frozen=True)
class FinerCells:
    """Ask for the rows in fine cells, of columns each."""

    zoomed: tuple[Zoomed, ...]

    def zero(self) -> list[Counts]:
        """Return the total of no rows."""
        return [np.zeros(int(z.there.sum()) * ZOOM, np.int64) for z in self.zoomed]

    def add(self, total: list[Counts], block: Block) -> list[Counts]:
        """Add the rows of one block."""
        own = []
        for z in self.zoomed:
            values = np.ascontiguousarray(block.values(z.name))
            rows = z.grid.pick(values, z.there)
            own.append(z.counted(values[rows], None if block.weights is None else block.weights[rows]))
        return self.merge(total, own)

    def merge(self, total: list[Counts], other: list[Counts]) -> list[Counts]:
        """Add two totals."""
        return [a + b for a, b in zip(total, other, strict=True)]


def crowded(grid: Grid, cells: Counts, there: Cells) -> bool:
    """Say whether so many rows lie in the cells that matter that these are better divided first."""
    with np.errstate(over="ignore"):
        exact = bool(np.isfinite(grid.scale * ZOOM)) and grid.scale > 0
    return exact and int(cells[there].sum()) > MOST_NEAR


def zoomed_where_crowded(
    asked: Callable[[Any], Any],
    grids: Sequence[Grid],
    cells: Sequence[Counts],
    choose: Callable[[Counts], Cells],
) -> tuple[list[Grid | Zoomed], list[Counts]]:
    """Return grids and rows in their cells, divided where many rows lie in the cells that are chosen."""
    many = to_divide(grids, cells, [choose(own) for own in cells])
    return divided(grids, cells, many, asked(FinerCells(tuple(many.values()))) if many else ())


def to_divide(grids: Sequence[Grid], cells: Sequence[Counts], chosen: Sequence[Cells]) -> dict[int, Zoomed]:
    """Return, by their place, the grids in whose chosen cells many rows lie, with these divided."""
    every = zip(grids, cells, chosen, strict=True)
    return {i: Zoomed(grid, there) for i, (grid, own, there) in enumerate(every) if crowded(grid, own, there)}


def divided(
    grids: Sequence[Grid], cells: Sequence[Counts], many: Mapping[int, Zoomed], fine: Sequence[Counts]
) -> tuple[list[Grid | Zoomed], list[Counts]]:
    """Return grids and rows in their cells, some of them divided; fine: the rows in those fine cells."""
    out: list[Grid | Zoomed] = list(grids)
    counts = list(cells)
    for (i, z), own in zip(many.items(), fine, strict=True):
        out[i], counts[i] = z, z.joined(cells[i], own)
    return out, counts
