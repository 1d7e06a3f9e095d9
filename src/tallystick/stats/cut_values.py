"""Numeric columns cut into bins by the rule of Fayyad and Irani: where the class entropy falls by more than
it costs to say where.

Knows values by class. Knows nothing of rows, nor of what the bins are for. A column of many values is cut at
the ends of cells: about equal in rows of a sample of its values, rounded where these are even enough, and
whatever the rule finds in that sample.
The classes of all rows are counted in the cells, and the rule chooses among their ends. Law: cuts depend on
the multiset of (value, class) alone, so on no order, thread or engine.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tallystick import kernels
from tallystick.data.table.ranks import between, quantile_cuts
from tallystick.stats.class_values import Floats, ValuesByClass

CELLS = 256  # about equal in rows of the sample
Counts = NDArray[np.int64]


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
