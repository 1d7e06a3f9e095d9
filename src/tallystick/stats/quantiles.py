"""Distinct values and exact quantiles of numeric columns, by counting them in cells of a grid.

- `ValueCounts`, `ValueRuns`: distinct values with counts, and the same while values still arrive.
- Exact cuts in two questions: `Spreads` (rows per cell; all values while few), then `ValuesInCells` for the
  cells where a cut must be; `cells_of_cuts()` and `cuts_of()` between them. Entry: `Spreads`.
- One pass for two questions whose cells nest: `determines()`, `merge_queries()`, `among()`.
- Crowded cells are divided first: `RefinedGrid`, `FinerCells`. Entry: `zoomed_where_crowded()`.

cell = an equal interval between a column's lowest and highest value; near = values in the cells that matter;
there[cell] = is the cell wanted; place = a cell, or a fine one where it is divided.
Law: cuts are those of `quantile_cuts` over all values, to the last bit, for any order or partition of rows.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from tallystick import kernels
from tallystick.contracts import Block, Statistic
from tallystick.table.ranks import between, quantile_cuts, wanted_rows

Floats = NDArray[np.float64]
Counts = NDArray[np.int64]
WAIT = 1 << 16  # values buffered before they are counted, or twice the distinct ones so far


class ValueCounts(NamedTuple):
    """One column: distinct values, ascending, how often each occurs, and the weight of rows without one."""

    values: Floats
    counts: Counts
    missing: int

    def cuts(self, most: int) -> Floats:
        """Return the cuts of at most `most` bins with counts as equal as ties allow."""
        return quantile_cuts(self.values, self.counts, most)


def count_values(values: Floats, weights: Counts | None) -> ValueCounts:
    """Return the distinct values of some rows, with counts or weights; a row of weight 0 does not count."""
    ranks = kernels.ranks(values, counts=weights is None)
    if ranks.counts is not None:
        return ValueCounts(ranks.distinct, ranks.counts, ranks.missing)
    counts = kernels.count_classes(ranks.codes, len(ranks.distinct) + 1, weights)
    seen = counts[:-1] > 0
    return ValueCounts(ranks.distinct[seen], counts[:-1][seen], int(counts[-1]))


def merge_values(a: ValueCounts | ValueRuns, b: ValueCounts | ValueRuns) -> ValueCounts:
    """Add two lists of (value, count); sorting by value brings equal ones together."""
    if not len(a.values) or not len(b.values):
        full = a if len(a.values) else b
        return ValueCounts(full.values, full.counts, a.missing + b.missing)
    ranks = kernels.ranks(np.concatenate([a.values, b.values]))
    counts = kernels.count_classes(ranks.codes, len(ranks.distinct), np.concatenate([a.counts, b.counts]))
    return ValueCounts(ranks.distinct, counts, a.missing + b.missing)


class ValueRuns:
    """A buffer of values, counted when a property is read or when it is full; used as a `ValueCounts`, and
    pickled as one.
    """

    def __init__(self) -> None:
        self._known = ValueCounts(np.zeros(0), np.zeros(0, np.int64), 0)
        self._waiting: list[tuple[Floats, Counts | None]] = []
        self._rows = 0

    def add(self, values: Floats, weights: Counts | None) -> None:
        """Take in the values of some rows."""
        self._waiting.append((values, weights))
        self._rows += len(values)
        if self._rows > max(WAIT, 2 * len(self._known.values)):
            self._settle()

    def _settle(self) -> ValueCounts:
        if self._waiting:
            values, weights = zip(*self._waiting, strict=True)
            heavy = None if weights[0] is None else np.concatenate(weights)
            self._known = merge_values(self._known, count_values(np.concatenate(values), heavy))
            self._waiting, self._rows = [], 0
        return self._known

    @property
    def values(self) -> Floats:
        """Distinct values, ascending."""
        return self._settle().values

    @property
    def counts(self) -> Counts:
        """How often each occurs."""
        return self._settle().counts

    @property
    def missing(self) -> int:
        """The weight of rows without one."""
        return self._settle().missing

    def __reduce__(self) -> tuple[Any, ...]:
        return ValueCounts, tuple(self._settle())


# ---- exact quantile cuts without all the values, in two questions ----
# First rows in equal cells between the lowest and the highest value, with the values themselves as long as
# they are few; then the values in the cells where a cut must be.

MOST_CELLS, LEAST_CELLS = 1 << 16, 1 << 8
ALL_CELLS = 1 << 23  # cells of all columns of one question: 64 MB
STEP = 1 << 12  # rows of a matrix that are counted column by column while they are in the cache
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
        """Return the rows whose values are in cells with there[cell]."""
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
        """Return the rows whose values are in cells with there[cell]."""
        ...


class ValueSpread(NamedTuple):
    """One column: rows in each cell, its distinct values with counts, and whether those are too many to
    list. grid: of the cells, where it is not the one that was asked for first.
    """

    cells: Counts
    few: ValueCounts
    many: bool = False
    grid: CellGrid | None = None


@dataclass(frozen=True)
class Spreads(Statistic[list[ValueSpread]]):
    """Ask for the spread of columns; most[column]: distinct values up to which they are listed, 0: none."""

    grids: tuple[Grid, ...]
    most: tuple[int, ...]

    def zero(self) -> list[ValueSpread]:
        return [ValueSpread(np.zeros(grid.cells, np.int64), NONE) for grid in self.grids]

    def add(self, total: list[ValueSpread], block: Block) -> list[ValueSpread]:
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
    """Add distinct values. Where the first rows already have too many, the others are not sorted: each
    thread starts empty and would sort them all.
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
    """Return how many cells suit so many rows: finer ones cost more than they save, and the counts of all
    columns are sent together.
    """
    most = min(MOST_CELLS, ALL_CELLS // max(columns, 1))
    return max(min(1 << max(rows // 4, 1).bit_length(), most), LEAST_CELLS)


@dataclass(frozen=True)
class ValuesInCells(Statistic[Any]):
    """Ask for the values in some cells of columns. there[column][cell]: is the cell wanted?"""

    grids: tuple[CellGrid, ...]
    there: tuple[NDArray[np.bool_], ...]

    def zero(self) -> list[ValueRuns]:
        return [ValueRuns() for _ in self.grids]

    def add(self, total: list[ValueRuns], block: Block) -> list[ValueRuns]:
        columns, weights = [block.values(grid.name) for grid in self.grids], block.weights
        for rows in _steps(block, columns):
            some = None if weights is None else weights[rows]
            for grid, there, column, found in zip(self.grids, self.there, columns, total, strict=True):
                values = column[rows]
                near = grid.pick(values, there)
                found.add(values[near], None if some is None else some[near])
        return total

    def merge(self, total: list[NearValues], other: list[NearValues]) -> list[NearValues]:
        return [merge_values(a, b) for a, b in zip(total, other, strict=True)]


def same_question(one: Any, other: Any) -> bool:
    """Say whether two questions for spreads, or for values in some of their cells, are the same."""
    if isinstance(one, ValuesInCells) and isinstance(other, ValuesInCells):
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


# ---- two questions about nested cells answered by one pass ----
# Law: the total is what each question alone would give. A fine cell is inside one cell: their number per cell
# is a power of two, and a product with one is exact.


def fine_in(grid: CellGrid, finer: CellGrid | None) -> int:
    """Return how many cells of a finer grid are in each cell; 0: it is not a finer grid of the same cells."""
    if not isinstance(grid, Grid) or not isinstance(finer, Grid):
        return 0
    parts, rest = divmod(finer.cells, grid.cells)
    same = (grid.name, grid.low, grid.high) == (finer.name, finer.low, finer.high)
    exact = not rest and parts & (parts - 1) == 0 and finer.scale == grid.scale * parts
    return parts if same and exact else 0


def by_name(grids: Sequence[CellGrid]) -> Mapping[str, int]:
    """Return the index of each column."""
    return {grid.name: i for i, grid in enumerate(grids)}


def determines(asked: Spreads, wanted: Spreads) -> bool:
    """Say whether the total of one question for rows in cells gives that of another."""
    at = by_name(asked.grids)
    known = [asked.grids[at[grid.name]] if grid.name in at else None for grid in wanted.grids]
    return not any(wanted.most) and all(map(fine_in, wanted.grids, known))


def summed(asked: Spreads, wanted: Spreads, found: list[ValueSpread]) -> list[ValueSpread]:
    """Return the total of the wanted question from that of a finer one."""
    at = by_name(asked.grids)
    cells = [found[at[grid.name]].cells.reshape(grid.cells, -1).sum(axis=1) for grid in wanted.grids]
    return [ValueSpread(own, NONE, True) for own in cells]


def merge_queries(fine: ValuesInCells, other: ValuesInCells) -> ValuesInCells | None:
    """Return the question for the values in the wanted cells of both; None: where the cells of a column do
    not nest.
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
    return ValuesInCells(tuple(grids), (*there, *more))


def among(question: ValuesInCells, one: ValuesInCells, found: list[NearValues]) -> list[NearValues]:
    """Return the total of a question from that of one for more cells."""
    at, out = by_name(one.grids), list[NearValues]()
    for grid, there in zip(question.grids, question.there, strict=True):
        every = found[at[grid.name]]
        own = there[grid.of(every.values)]
        out.append(ValueCounts(every.values[own], every.counts[own], every.missing))
    return out


# ---- crowded cells divided into fine ones: three small questions instead of a large second one ----
# Rows in equal cells, rows in fine cells of the few that matter, and the values in the few fine ones that
# matter. Law: as above; ZOOM is a power of two, so fine cells nest exactly.

ZOOM = 128  # fine cells in a cell
MOST_NEAR = 1 << 22  # rows in the wanted cells of a column; where there are more, these are divided

Cells = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class RefinedGrid:
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
class FinerCells(Statistic[list[Counts]]):
    """Ask for the rows in fine cells, of columns each."""

    zoomed: tuple[RefinedGrid, ...]

    def zero(self) -> list[Counts]:
        return [np.zeros(int(z.there.sum()) * ZOOM, np.int64) for z in self.zoomed]

    def add(self, total: list[Counts], block: Block) -> list[Counts]:
        own = []
        for z in self.zoomed:
            values = np.ascontiguousarray(block.values(z.name))
            rows = z.grid.pick(values, z.there)
            own.append(z.counted(values[rows], None if block.weights is None else block.weights[rows]))
        return self.merge(total, own)

    def merge(self, total: list[Counts], other: list[Counts]) -> list[Counts]:
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
) -> tuple[list[Grid | RefinedGrid], list[Counts]]:
    """Return grids and rows in their cells, divided where many rows lie in the cells that are chosen."""
    many = to_divide(grids, cells, [choose(own) for own in cells])
    return divided(grids, cells, many, asked(FinerCells(tuple(many.values()))) if many else ())


def to_divide(
    grids: Sequence[Grid], cells: Sequence[Counts], chosen: Sequence[Cells]
) -> dict[int, RefinedGrid]:
    """Return, by their place, the grids in whose chosen cells many rows lie, with these divided."""
    every = zip(grids, cells, chosen, strict=True)
    return {
        i: RefinedGrid(grid, there) for i, (grid, own, there) in enumerate(every) if crowded(grid, own, there)
    }


def divided(
    grids: Sequence[Grid], cells: Sequence[Counts], many: Mapping[int, RefinedGrid], fine: Sequence[Counts]
) -> tuple[list[Grid | RefinedGrid], list[Counts]]:
    """Return grids and rows in their cells, some of them divided; fine: the rows in those fine cells."""
    out: list[Grid | RefinedGrid] = list(grids)
    counts = list(cells)
    for (i, z), own in zip(many.items(), fine, strict=True):
        out[i], counts[i] = z, z.joined(cells[i], own)
    return out, counts
