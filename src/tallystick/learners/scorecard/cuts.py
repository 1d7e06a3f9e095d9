"""Where the ranges of a number begin: all values apart where they are few; else values with many rows by
themselves, and the stretches between them in parts of about the same rows.

Knows counts of values and of cells. Never sees a row. Law: the cuts are exact and depend on the multiset of
values alone, whether all values are at hand or only those of the cells that matter.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallystick.data.schema import Column
from tallystick.data.table.ranks import between
from tallystick.stats.distribution import Grid, Near, Spreads, ValueSpread, cells_for
from tallystick.stats.finer_cells import ZOOM, FinerCells, Zoomed, divided, to_divide
from tallystick.stats.quantiles import ValueCounts

Counts = NDArray[np.int64]
DIGITS = 17  # tell any two numbers apart
Cuts = tuple[float, ...]
PLAIN, SHARE = (
    4,
    64,
)  # times `ranges`: distinct values kept apart, as long as each has so many rows to go with


def kept_apart(ranges: int, rows: float) -> int:
    """Return up to how many distinct values each has a range of its own."""
    return max(ranges, min(PLAIN * ranges, int(rows // SHARE)))


def cuts_by_column(
    columns: Sequence[Column], ranges: int, weight: int, rows: float
) -> Generator[Any, Any, dict[str, Cuts]]:
    """Return cuts by column. weight: what all rows weigh in units of the table; rows: in rows."""
    if not columns:
        return {}
    cells = cells_for(weight, len(columns))
    grids = tuple(Grid(c.name, c.low or 0.0, c.high or 0.0, cells) for c in columns)
    few = kept_apart(ranges, rows)
    spreads: list[ValueSpread] = yield Spreads(grids, tuple(few for _ in columns))
    out: dict[str, Cuts] = {}
    crowds: list[Crowd] = []
    for grid, spread in zip(grids, spreads, strict=True):
        if spread.many:
            crowds.append(Crowd(grid, spread.cells, ranges))
        else:
            out[grid.name] = tuple(plain_cuts(spread.few.values, np.arange(1, len(spread.few.values))))
    if crowds:
        crowds = yield from in_finer_cells(crowds, [crowd.full for crowd in crowds])
        heavy = [ValueCounts(np.zeros(0), np.zeros(0, np.int64), 0) for _ in crowds]
        if any(crowd.full.any() for crowd in crowds):
            heavy = yield Near(tuple(c.grid for c in crowds), tuple(c.full for c in crowds))
        wanted = [crowd.planned(found).there for crowd, found in zip(crowds, heavy, strict=True)]
        crowds = yield from in_finer_cells(crowds, wanted)
        plans = [crowd.planned(found) for crowd, found in zip(crowds, heavy, strict=True)]
        near = yield Near(tuple(c.grid for c in crowds), tuple(p.there for p in plans))
        for crowd, plan, values in zip(crowds, plans, near, strict=True):
            out[crowd.grid.name] = tuple(crowd.cuts(plan, values))
    return out


def in_finer_cells(
    crowds: Sequence[Crowd], there: Sequence[NDArray[np.bool_]]
) -> Generator[Any, Any, list[Crowd]]:
    """Return columns with the cells there[column] divided where many rows lie in them; what was divided
    stays so.
    """
    whole = [crowd.whole(own) for crowd, own in zip(crowds, there, strict=True)]
    grids, cells, wanted = [w[0] for w in whole], [w[1] for w in whole], [w[2] for w in whole]
    many = to_divide(grids, cells, wanted)
    if not many:
        return list(crowds)
    made = zip(*divided(grids, cells, many, (yield FinerCells(tuple(many.values())))), strict=True)
    finer = [replace(crowd, grid=g, cells=own) for crowd, (g, own) in zip(crowds, made, strict=True)]
    return [finer[i] if i in many else crowd for i, crowd in enumerate(crowds)]


@dataclass(frozen=True)
class Plan:
    """Values with ranges of their own, the places among the other rows after which cuts lie, and the cells
    that must be known for it.
    """

    heavy: NDArray[np.float64]
    weights: Counts
    wanted: Counts
    there: NDArray[np.bool_]


@dataclass(frozen=True)
class Crowd:
    """A column of many values: the weight in each cell of its grid, and how many ranges there may be."""

    grid: Grid | Zoomed
    cells: Counts
    ranges: int

    def whole(self, there: NDArray[np.bool_]) -> tuple[Grid, Counts, NDArray[np.bool_]]:
        """Return the grid, the weight in its cells and those in which there[place] lie, as if none were
        divided; what is divided lies there.
        """
        if isinstance(self.grid, Grid):
            return self.grid, self.cells, there
        at = self.grid.starts // ZOOM
        cells = np.zeros(self.grid.grid.cells, np.int64)
        np.add.at(cells, at, self.cells)
        wanted = self.grid.there.copy()
        wanted[at[there]] = True
        return self.grid.grid, cells, wanted

    @property
    def total(self) -> int:
        """What all rows with a value weigh."""
        return int(self.cells.sum())

    @property
    def full(self) -> NDArray[np.bool_]:
        """Cells with so many rows that a single value may have a range of its own."""
        out: NDArray[np.bool_] = self.cells * self.ranges >= self.total
        return out

    def below(self, near: ValueCounts) -> Counts:
        """Return what the rows below each value weigh; all values of its cell are known."""
        place = self.grid.of(near.values)
        before = np.cumsum(self.cells) - self.cells
        inside = np.cumsum(near.counts) - near.counts
        first = np.searchsorted(place, place, side="left")  # the first value of the same cell
        out: Counts = before[place] + inside - inside[first]
        return out

    def planned(self, found: ValueCounts) -> Plan:
        """Return where the cuts lie, from all values of the full cells."""
        own = found.counts * self.ranges >= self.total
        heavy, weights = found.values[own], found.counts[own]
        wanted = wanted_places(self.below(found)[own], weights, self.total, self.ranges)
        cells, at = self.cells.copy(), self.grid.of(heavy)
        np.subtract.at(cells, at, weights)
        filled = np.flatnonzero(self.cells)
        place = np.searchsorted(filled, at)  # of the heavy values among the filled cells
        others = np.searchsorted(np.cumsum(cells[filled]), wanted, side="left")
        near = np.concatenate([place - 1, place, place + 1, others, others + 1])
        there = np.zeros(len(cells), bool)
        there[filled[np.clip(near, 0, len(filled) - 1)]] = True
        return Plan(heavy, weights, wanted, there)

    def cuts(self, plan: Plan, near: ValueCounts) -> list[float]:
        """Return the cuts, from all values of the cells that the plan asked for."""
        return chosen_cuts(near, self.below(near), plan.heavy, plan.wanted)


def wanted_places(below: Counts, weights: Counts, total: int, ranges: int) -> Counts:
    """Return after which of the other rows cuts lie: every stretch between heavy values has about as many
    parts as its share of the ranges that are left. below[value]: rows below a heavy value.
    """
    before = np.cumsum(weights) - weights  # heavy rows below a heavy value
    edges = [0, *(below - before).tolist(), total - int(weights.sum())]
    left, out = max(ranges - len(weights), 1), []
    for start, end in pairwise(edges):
        rows = end - start
        parts = (2 * rows * left + edges[-1]) // (2 * edges[-1]) if edges[-1] else 1  # to the nearest
        out += [start - (-rows * i // parts) for i in range(1, parts)]
    return np.array(out, np.int64)


def chosen_cuts(near: ValueCounts, below: Counts, heavy: NDArray[np.float64], wanted: Counts) -> list[float]:
    """Return cuts on both sides of heavy values and after the wanted ones of the other rows."""
    own = np.isin(near.values, heavy)
    others = below + near.counts - np.cumsum(np.where(own, near.counts, 0))  # up to and with this value
    at = np.flatnonzero(own)
    begins = np.zeros(len(near.values) + 2, bool)  # which values a range begins with
    begins[np.concatenate([at, at + 1, np.searchsorted(others, wanted, side="left") + 1])] = True
    return plain_cuts(near.values, np.flatnonzero(begins[1 : len(near.values)]) + 1)


def plain_cuts(values: NDArray[np.float64], upper: Counts) -> list[float]:
    """Return the cuts below some values: about halfway from the value before, with as few digits as will do,
    since people read them.
    """
    low, high, middle = values[upper - 1], values[upper], between(values, upper)
    return [_plain(*ends) for ends in zip(low.tolist(), high.tolist(), middle.tolist(), strict=True)]


def _plain(low: float, high: float, middle: float) -> float:
    """Return the number of fewest digits in the middle half between two values."""
    for digits in range(1, DIGITS):
        cut = float(f"{middle:.{digits}g}")
        if low < cut <= high and abs(cut - middle) <= high / 4 - low / 4:
            return cut
    return middle
