"""The best test of a node: how much more likely the rows are when each side has distributions of its own.

With counts n(cell) of a column among n rows, the log-likelihood of the best distribution is the sum of
F(n(cell)) less F(n), F(n) = n log2 n. A test parts the rows in two; the column that it tests says no more
about itself than the shares of the two sides say, so the gain is that of all other columns:

    sum over other columns of [ F(cells of one side) + F(cells of the other) - F(cells of both) ]
        - (columns - 1) · [ F(one side) + F(other side) - F(both) ]

Knows count tables of pairs of columns. Knows nothing of rows or models.
Law: whole numbers, so equal tests tie exactly; of equals the first by the name of the column, then its first
cut or level.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tallystick import kernels
from tallystick.models.density.cells import ColumnCells

Ints = NDArray[np.int64]
Pair = Callable[[int, int], Ints]  # pair(a, b)[code of a, code of b], missing last
ROOM = 1 << 51  # n log2 n is had of numbers up to here
LISTED = 1 << 20  # numbers whose n log2 n is looked up


@dataclass(frozen=True)
class Split:
    """A test: its column, the branch of each cell (missing last), its gain in units of the scale, and how
    many tests of this column there were to choose from.
    """

    column: int
    branch: Ints
    gain: int
    choices: int


@dataclass(frozen=True, eq=False)
class SplitScale:
    """n log2 n in whole numbers whose sums over all columns have room. drop: bits of counts left aside."""

    largest: int
    drop: int
    listed: Ints
    bit: float  # what one bit is

    @classmethod
    def of(cls, weight: int, columns: int) -> SplitScale:
        """Return the finest scale for rows of this weight."""
        drop = max((4 * weight * columns).bit_length() - ROOM.bit_length() + 1, 0)
        largest = 4 * (weight >> drop) * columns + 4
        listed = kernels.n_log2_n(np.arange(min(weight >> drop, LISTED) + 1), largest)
        return cls(largest, drop, listed, float(kernels.n_log2_n(np.array([2]), largest)[0]) / 2)

    def of_counts(self, counts: Ints) -> Ints:
        """Return n log2 n of counts, in their shape."""
        counts = counts >> self.drop if self.drop else counts
        if counts.size == 0 or int(counts.max()) < len(self.listed):
            return self.listed[counts]
        return kernels.n_log2_n(np.ascontiguousarray(counts).ravel(), self.largest).reshape(counts.shape)


def best_split(
    cells: Sequence[ColumnCells],
    columns: Sequence[int],
    pair: Pair,
    rows: Sequence[Ints],
    least: int,
    scale: SplitScale,
) -> Split | None:
    """Return the test of some columns that gains most; None where no test has enough rows on both sides or
    none gains. rows[column][cell]: of the node, missing last. least: rows of a side, in table units.
    """
    best: Split | None = None
    for column in sorted(columns, key=lambda j: cells[j].name.encode()):
        others = [j for j in range(len(cells)) if j != column]
        if not others:
            continue
        table = np.concatenate([pair(column, j) for j in others], axis=1)
        found = _of_column(cells[column], column, table, rows[column], len(others), least, scale)
        if found is not None and (best is None or found.gain > best.gain):
            best = found
    return best


def _of_column(
    own: ColumnCells, column: int, table: Ints, rows: Ints, others: int, least: int, scale: SplitScale
) -> Split | None:
    """Return the best test of a column. table[cell, cells of all other columns]."""
    sides = _sides(own, rows)
    first = sides @ rows
    total = int(rows.sum())
    sides = sides[(first >= least) & (total - first >= least)]
    if not len(sides):
        return None
    first, inside, both = sides @ rows, _inside(sides, table, total), table.sum(axis=0)
    gain = scale.of_counts(inside).sum(axis=1) + scale.of_counts(both - inside).sum(axis=1)
    gain -= int(scale.of_counts(both).sum())
    apart = scale.of_counts(first) + scale.of_counts(total - first) - scale.of_counts(np.array([total]))
    gain -= others * apart
    at = int(gain.argmax())
    return Split(column, 1 - sides[at], int(gain[at]), len(sides)) if gain[at] > 0 else None


def _inside(sides: Ints, table: Ints, total: int) -> Ints:
    """Return sides @ table; by doubles where they hold every sum exactly, which is many times faster."""
    if total >= 1 << 53:
        return sides @ table
    out: Ints = (sides.astype(np.float64) @ table.astype(np.float64)).astype(np.int64)
    return out


def _sides(own: ColumnCells, rows: Ints) -> Ints:
    """Return sides[test, cell]: 1 where a cell, missing last, is on the first side.

    Numbers and ordered levels are cut in two; of levels one stands against all others. Where values are
    missing they go to either side, or are parted from the known ones; elsewhere to the side with more rows.
    """
    k = own.k
    one = np.eye(k, dtype=np.int64)
    if own.numeric or own.column.kind == "ordered":
        one = np.tri(k, dtype=np.int64)[:-1]
    elif k == 2:
        one = one[:1]
    if not rows[k]:
        away = (2 * (one @ rows[:k]) >= rows.sum()).astype(np.int64)
        return np.column_stack([one, away])
    known = np.append(np.ones(k, np.int64), 0)
    either = np.hstack([np.repeat(one, 2, axis=0), np.tile(np.array([[0], [1]]), (len(one), 1))])
    return np.vstack([either, known])
