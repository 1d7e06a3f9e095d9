"""Cut points of numeric columns: equal-frequency ranges, MDL bins; the bits that a split costs.

- Equal-frequency ranges. Entry: `cuts_by_column()`. Few values are all kept apart; of many, frequent values
  get ranges of their own and the rest is split into parts of about equal weight.
- Supervised bins by Fayyad and Irani's MDL rule. Entry: `cut_by_mdl()`; of many values `cells_of()` (from a
  sample), `in_cells()`, `join_cells()`.
- Bits that a split costs: `cut_bits()`, `level_bits()`, `word_bits()`, `group_bits()`, `after_price()`.

cut = the number where a range begins; cell = a fine interval of a `Grid`; heavy = with a range of its own.
Law: cuts are exact and depend on the multiset of values (and classes) alone; no function here sees a row.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallystick import kernels
from tallystick.schema import Column
from tallystick.stats.class_counts import Floats, ValuesByClass
from tallystick.stats.quantiles import (
    ZOOM,
    FinerCells,
    Grid,
    RefinedGrid,
    Spreads,
    ValueCounts,
    ValuesInCells,
    ValueSpread,
    cells_for,
    divided,
    to_divide,
)
from tallystick.table.ranks import between, quantile_cuts

Counts = NDArray[np.int64]
DIGITS = 17  # significant digits that distinguish any two doubles
Cuts = tuple[float, ...]
PLAIN, SHARE = (
    4,
    64,
)  # up to PLAIN * ranges distinct values are all kept apart, if there are SHARE rows for each


def kept_apart(ranges: int, rows: float) -> int:
    """Return up to how many distinct values each has a range of its own."""
    return max(ranges, min(PLAIN * ranges, int(rows // SHARE)))


def cuts_by_column(
    columns: Sequence[Column], ranges: int, weight: int, rows: float
) -> Generator[Any, Any, dict[str, Cuts]]:
    """Return cuts by column; yields statistics, is sent their totals. weight: of all rows in units; rows: as
    rows.
    """
    if not columns:
        return {}
    cells = cells_for(weight, len(columns))
    grids = tuple(Grid(c.name, c.low or 0.0, c.high or 0.0, cells) for c in columns)
    few = kept_apart(ranges, rows)
    spreads: list[ValueSpread] = yield Spreads(grids, tuple(few for _ in columns))
    out: dict[str, Cuts] = {}
    crowds: list[RangeCells] = []
    for grid, spread in zip(grids, spreads, strict=True):
        if spread.many:
            crowds.append(RangeCells(grid, spread.cells, ranges))
        else:
            out[grid.name] = tuple(plain_cuts(spread.few.values, np.arange(1, len(spread.few.values))))
    if crowds:
        crowds = yield from in_finer_cells(crowds, [crowd.full for crowd in crowds])
        heavy = [ValueCounts(np.zeros(0), np.zeros(0, np.int64), 0) for _ in crowds]
        if any(crowd.full.any() for crowd in crowds):
            heavy = yield ValuesInCells(tuple(c.grid for c in crowds), tuple(c.full for c in crowds))
        wanted = [crowd.planned(found).there for crowd, found in zip(crowds, heavy, strict=True)]
        crowds = yield from in_finer_cells(crowds, wanted)
        plans = [crowd.planned(found) for crowd, found in zip(crowds, heavy, strict=True)]
        near = yield ValuesInCells(tuple(c.grid for c in crowds), tuple(p.there for p in plans))
        for crowd, plan, values in zip(crowds, plans, near, strict=True):
            out[crowd.grid.name] = tuple(crowd.cuts(plan, values))
    return out


def in_finer_cells(
    crowds: Sequence[RangeCells], there: Sequence[NDArray[np.bool_]]
) -> Generator[Any, Any, list[RangeCells]]:
    """Return the columns with the cells there[column] divided where these have many rows; cells that were
    divided before stay divided.
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
    """heavy, weights: values with ranges of their own; wanted: ranks among the other rows after which a cut
    is placed; there[cell]: cells whose values must be known for it.
    """

    heavy: NDArray[np.float64]
    weights: Counts
    wanted: Counts
    there: NDArray[np.bool_]


@dataclass(frozen=True)
class RangeCells:
    """A column of many values: the weight in each cell of its grid, and how many ranges there may be."""

    grid: Grid | RefinedGrid
    cells: Counts
    ranges: int

    def whole(self, there: NDArray[np.bool_]) -> tuple[Grid, Counts, NDArray[np.bool_]]:
        """Return the undivided grid, the weight in its cells, and which of them are wanted: those of
        there[place] and those that are divided already.
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
        """Whether a cell has so many rows that one of its values may get a range of its own."""
        out: NDArray[np.bool_] = self.cells * self.ranges >= self.total
        return out

    def below(self, near: ValueCounts) -> Counts:
        """Return the weight of the rows below each value, whose cells must be known in full."""
        place = self.grid.of(near.values)
        before = np.cumsum(self.cells) - self.cells
        inside = np.cumsum(near.counts) - near.counts
        first = np.searchsorted(place, place, side="left")  # the first value of the same cell
        out: Counts = before[place] + inside - inside[first]
        return out

    def planned(self, found: ValueCounts) -> Plan:
        """Return the plan of the cuts, from all values of the full cells."""
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
    """Return the ranks among the other rows after which to cut: every stretch between heavy values gets its
    share of the ranges that are left. below[value]: rows below a heavy value.
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


# ---- bins by the MDL rule of Fayyad and Irani: a cut must lower the class entropy by more than it costs ----
#
# A column of many values is cut at the ends of cells: the rule's own cuts of a sample, and about equal parts
# of it, rounded where that leaves them even. All rows are counted by cell, and the rule chooses among the
# ends.

CELLS = 256  # parts of about equal frequency in which a sample is cut


@dataclass(frozen=True)
class Binned:
    """One column: cuts between values, counts[bin, class] and missing[class]."""

    cuts: tuple[float, ...]
    counts: Counts
    missing: Counts


def cut_by_mdl(column: ValuesByClass, unit: int) -> Binned:
    """Return the bins of values with their class counts; `unit` is what one row weighs."""
    before = kernels.mdl_cuts(column.counts, unit)
    if not len(column.values):
        return Binned((), np.zeros((1, column.counts.shape[1]), np.int64), column.missing)
    cuts = tuple(between(column.values, before).tolist())
    return Binned(cuts, _joined(column.counts, before), column.missing)


def cells_of(sample: ValuesByClass, unit: int) -> Floats:
    """Return the ends between cells of a column of which this is a sample, of more values than cells; one of
    them is in every cell.
    """
    values, rows = sample.values, np.einsum("vc->v", sample.counts)
    own = between(values, kernels.mdl_cuts(sample.counts, unit))
    even = quantile_cuts(values, rows, CELLS)
    plain = np.concatenate([own, even])
    with np.errstate(over="ignore"):
        step = np.ptp(plain) / kernels.BIN_STEPS
        near = np.concatenate([own, _rounded(even, step)]) if np.isfinite(step) else plain
    ends, heaviest = _parting(near, values, rows)
    return ends if heaviest * CELLS <= 2 * int(rows.sum()) else _parting(plain, values, rows)[0]


def _rounded(ends: Floats, step: float) -> Floats:
    """Return ends rounded to multiples of the power of two above a step, which are found without a search."""
    power = int(np.frexp(step)[1])
    return np.asarray(np.ldexp(np.rint(np.ldexp(ends, -power)), power) + 0.0)  # no -0


def _parting(ends: Floats, values: Floats, rows: Counts) -> tuple[Floats, int]:
    """Return those ends, rising, that part the values, the first given where several part them alike; and the
    rows of the heaviest cell.
    """
    starts, first = np.unique(np.searchsorted(values, ends, side="left"), return_index=True)
    inside = (starts > 0) & (starts < len(values))
    starts = np.concatenate([[0], starts[inside]])
    return ends[first[inside]], int(np.add.reduceat(rows, starts).max())


def in_cells(column: ValuesByClass, ends: Floats) -> Counts:
    """Return counts[cell, class] of values, none of the cells empty; the last line: missing."""
    starts = np.searchsorted(column.values, ends, side="left")
    return np.concatenate([_joined(column.counts, starts), column.missing[None]])


def join_cells(ends: Floats, counts: Counts, unit: int) -> Binned:
    """Return the bins that the rule makes of cells; counts[cell, class], the last line: missing."""
    before = kernels.mdl_cuts(np.ascontiguousarray(counts[:-1]), unit)
    return Binned(tuple(ends[before - 1].tolist()), _joined(counts[:-1], before), counts[-1].copy())


def _joined(counts: Counts, before: NDArray[np.int64]) -> Counts:
    """Return the counts of neighbours together, parted before some."""
    starts = np.concatenate([[0], before]).astype(np.intp)
    return np.add.reduceat(counts, starts, axis=0)


# ---- bits that name the split of a column: a cut, a group of levels, a word; and the gain that is left ----
#
# Levels can be grouped in so many ways that some grouping fits the classes of any table: so a grouping pays
# the bits that name it, and a level of one row counts for nothing, as a new row will hardly ever have it.
# Law: the tree kernels choose groups by the same numbers (`src/kernels/tree/price.hpp`).


def cut_bits(values: int, cuts: int = 1) -> float:
    """Return cuts · log2(values - 1): each cut lies between two neighbouring values of the column."""
    return cuts * word_bits(values - 1)


def level_bits(levels: int, classes: int) -> float:
    """Return (levels - 1) · log2(classes): for each level but the first, which class it speaks for."""
    return max(levels - 1, 0) * word_bits(classes)


def word_bits(words: int) -> float:
    """Return log2(words): which of so many it is."""
    return float(kernels.log2([float(max(words, 1))])[0])


def group_bits(k: int, j: int) -> float:
    """Return the bits that name j of k levels as one of two groups: log2(k - 1) + log2(k over j) - 1.

    None are needed for two levels; k // 2 of many take about k bits.
    """
    if k < 3 or not 0 < j < k:
        return 0.0
    ends = np.cumsum(kernels.log2(np.arange(1, k + 1, dtype=np.float64)))  # log2 of the factorials of 1..k
    return float(kernels.log2([k - 1.0])[0] + (ends[k - 1] - ends[j - 1] - ends[k - j - 1]) - 1)


def coverage(rows: NDArray[np.int64]) -> float:
    """Return the share of rows whose level has more than one, for rows[level]; 1 for fewer than three levels.

    The other rows estimate how many new rows will have a level never seen (Good and Turing).
    """
    there = rows[rows > 0]
    return 1.0 if len(there) < 3 else float(there[there > 1].sum() / there.sum())


def after_price(gain: float, rows: NDArray[np.int64], missing: int = 0) -> float:
    """Return what is left of a gain, in bits per row, of a column with rows[level] and `missing` rows beside.

    The price is that of the dearest grouping, half of the levels.
    """
    there = rows[rows > 0]
    bits = group_bits(len(there), len(there) // 2)
    return max(gain * coverage(there) - bits / max(int(there.sum()) + missing, 1), 0.0)
