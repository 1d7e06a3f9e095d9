"""How the values of a numeric column are spread: enough to find exact quantile cuts without all the values.

Knows blocks. Knows nothing of trees. Two questions: rows in equal cells between the lowest and the highest
value, with the values themselves as long as they are few; then the values in the cells where a cut must lie.
Law: the cuts are those of `quantile_cuts` over all values, to the last bit; totals are counts, so no order of
rows can change them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from tallystick import kernels
from tallystick.contracts import Block
from tallystick.data.table.ranks import between, wanted_rows
from tallystick.stats.quantiles import Counts, Floats, ValueCounts, ValueRuns, count_values, merge_values

MOST_CELLS, LEAST_CELLS = 1 << 16, 1 << 8
ALL_CELLS = 1 << 23  # of the columns of one question: 64 MB
STEP = 1 << 12  # rows of a matrix that are looked at, column by column, while they lie in the cache
NearValues = ValueCounts | ValueRuns
NONE = ValueCounts(np.zeros(0), np.zeros(0, np.int64), 0)


@dataclass(frozen=True)
class Grid:
    """Equal cells between the lowest and the highest value of a column."""

    name: str
    low: float
    high: float
    cells: int

    @property
    def scale(self) -> float:
        """Cells for each half unit."""
        half = self.high / 2 - self.low / 2  # halves first: no overflow
        with np.errstate(over="ignore", divide="ignore"):
            scale = float(np.float64(self.cells) / half) if half > 0 else 0.0
        return scale if np.isfinite(scale) else 0.0

    def of(self, values: Floats) -> NDArray[np.uint32]:
        """Return cell[value]; a higher value is never in a lower cell."""
        place = (values / 2 - self.low / 2) * self.scale
        return np.clip(place, 0, self.cells - 1).astype(np.uint32)

    def pick(self, values: Floats, there: NDArray[np.bool_]) -> NDArray[np.uint32]:
        """Return the rows whose values lie in cells with there[cell]."""
        return kernels.pick_cells(values, self.low / 2, self.scale, there)


class CellGrid(Protocol):
    """Cells of a column's values, in their order: a `Grid`, or one some of whose cells are divided."""

    @property
    def name(self) -> str:
        """The column."""
        ...

    def of(self, values: Floats) -> NDArray[Any]:
        """Return cell[value]."""
        ...

    def pick(self, values: Floats, there: NDArray[np.bool_]) -> NDArray[np.uint32]:
        """Return the rows whose values lie in cells with there[cell]."""
        ...


class ValueSpread(NamedTuple):
    """One column: rows in each cell, its distinct values with counts, and whether those are too many to
    tell. grid: of the cells, where they are not those that were asked for first.
    """

    cells: Counts
    few: ValueCounts
    many: bool = False
    grid: CellGrid | None = None


@dataclass(frozen=True)
class Spreads:
    """Ask for the spread of columns; most[column]: distinct values up to which they are listed, 0: none."""

    grids: tuple[Grid, ...]
    most: tuple[int, ...]

    def zero(self) -> list[ValueSpread]:
        """Return the total of no rows."""
        return [ValueSpread(np.zeros(grid.cells, np.int64), NONE) for grid in self.grids]

    def add(self, total: list[ValueSpread], block: Block) -> list[ValueSpread]:
        """Add the rows of one block."""
        columns, weights = [block.values(grid.name) for grid in self.grids], block.weights
        for rows in _steps(block, columns):
            own = None if weights is None else weights[rows]
            for grid, values, before in zip(self.grids, columns, total, strict=True):
                kernels.count_cells(values[rows], grid.low / 2, grid.scale, own, before.cells)
        out = []
        for values, before, most in zip(columns, total, self.most, strict=True):
            if most and not before.many:
                before = _with_values(before, values, weights, most)
            out.append(before if most else before._replace(many=True))
        return out

    def merge(self, total: list[ValueSpread], other: list[ValueSpread]) -> list[ValueSpread]:
        """Add two totals."""
        out = []
        for a, b, most in zip(total, other, self.most, strict=True):
            cells = a.cells
            cells += b.cells
            if a.many or b.many:
                out.append(ValueSpread(cells, NONE, True))
            else:
                out.append(_bounded(cells, merge_values(a.few, b.few), most))
        return out


def _steps(block: Block, columns: list[Floats]) -> list[slice]:
    """Return the rows of a block in steps: of a matrix a few at a time, because columns share its lines."""
    step = STEP if any(values.strides[0] != values.itemsize for values in columns) else block.rows
    return [slice(start, start + step) for start in range(0, block.rows, max(step, 1))]


def _with_values(before: ValueSpread, values: Floats, weights: Counts | None, most: int) -> ValueSpread:
    """Add distinct values. Where the first rows have too many, the others need not be told apart: every
    thread begins with none, and would do so.
    """
    for rows in (slice(2 * most), slice(None)):
        own = None if weights is None else weights[rows]
        found = merge_values(before.few, count_values(values[rows], own))
        if len(found.values) > most:
            break
    return _bounded(before.cells, found, most)


def _bounded(cells: Counts, found: ValueCounts, most: int) -> ValueSpread:
    return ValueSpread(cells, NONE, True) if len(found.values) > most else ValueSpread(cells, found)


def cells_for(rows: int, columns: int = 1) -> int:
    """Return how many cells tell cuts well among so many rows: finer ones cost more than they spare, and
    those of all columns travel together.
    """
    most = min(MOST_CELLS, ALL_CELLS // max(columns, 1))
    return max(min(1 << max(rows // 4, 1).bit_length(), most), LEAST_CELLS)


@dataclass(frozen=True)
class Near:
    """Ask for the values in some cells of columns. there[column][cell]: is the cell wanted?"""

    grids: tuple[CellGrid, ...]
    there: tuple[NDArray[np.bool_], ...]

    def zero(self) -> list[ValueRuns]:
        """Return the total of no rows."""
        return [ValueRuns() for _ in self.grids]

    def add(self, total: list[ValueRuns], block: Block) -> list[ValueRuns]:
        """Add the rows of one block."""
        columns, weights = [block.values(grid.name) for grid in self.grids], block.weights
        for rows in _steps(block, columns):
            some = None if weights is None else weights[rows]
            for grid, there, column, found in zip(self.grids, self.there, columns, total, strict=True):
                values = column[rows]
                near = grid.pick(values, there)
                found.add(values[near], None if some is None else some[near])
        return total

    def merge(self, total: list[NearValues], other: list[NearValues]) -> list[NearValues]:
        """Add two totals."""
        return [merge_values(a, b) for a, b in zip(total, other, strict=True)]


def same_question(one: Any, other: Any) -> bool:
    """Say whether two questions for spreads, or for values in some of their cells, are the same."""
    if isinstance(one, Near) and isinstance(other, Near):
        return one.grids == other.grids and all(map(np.array_equal, one.there, other.there))
    return isinstance(one, Spreads) and one == other


def cells_of_cuts(cells: Counts, bins: int) -> NDArray[np.bool_]:
    """Return the cells in which the cuts of so many bins are decided: where a wanted row lies, and the next
    that is not empty.
    """
    filled = np.flatnonzero(cells)
    at = np.searchsorted(np.cumsum(cells[filled]), wanted_rows(int(cells.sum()), bins), side="left")
    there = np.zeros(len(cells), bool)
    there[filled[np.minimum(np.concatenate([at, at + 1]), len(filled) - 1)]] = True
    return there


def rows_up_to(grid: CellGrid, cells: Counts, near: NearValues) -> Counts:
    """Return, of each value in the cells that matter, the rows of the whole column up to and with it."""
    place = grid.of(near.values)
    before = np.cumsum(cells) - cells
    inside = np.cumsum(near.counts)
    first = np.searchsorted(place, place, side="left")  # the first value of the same cell
    upto: Counts = before[place] + inside - (inside - near.counts)[first]
    return upto


def cuts_of(grid: CellGrid, cells: Counts, near: NearValues, bins: int) -> Floats:
    """Return the cuts of `quantile_cuts` from the rows of all cells and the values of those that matter."""
    after = rows_up_to(grid, cells, near)
    upper = np.unique(np.searchsorted(after, wanted_rows(int(cells.sum()), bins), side="left") + 1)
    return between(near.values, upper[upper < len(near.values)])
