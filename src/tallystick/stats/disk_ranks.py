"""A column of numbers whose rows lie on disk, in the order of its values: some of them at a time.

Knows ranks, and counts of them, that lie on disk. Knows nothing of what is asked of the pieces.
Law: the pieces together are all values with their counts, and one of them is in memory at a time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from tallystick import kernels
from tallystick.contracts import Table
from tallystick.data.source import scratch
from tallystick.data.threads import checkpoint
from tallystick.stats.value_tables import RankedPiece, sum_of

VALUE, LABEL = 64, 48  # bytes that a value in hand takes, and more for each label: counts, sums, costs
SHARE = 16  # the part of the budget for the values in hand
Counts = NDArray[np.int64]
Found = TypeVar("Found")


def in_hand(table: Table, labels: int, columns: int = 1) -> bool:
    """Say whether the budget of a table has room for all values of columns with counts[value, label]."""
    return table.holds(columns * (VALUE + LABEL * labels))


@dataclass(frozen=True)
class DiskRanks:
    """values[value], rising, and counts[value, label] of their rows, missing last. size: values of a piece;
    totals[label]: rows that have a value.
    """

    values: NDArray[np.float64]
    counts: Counts
    size: int
    totals: Counts

    @classmethod
    def of(cls, table: Table, name: str, labels: NDArray[Any], width: int) -> DiskRanks:
        """Count the values of a column. labels[row]: below `width`."""
        codes, values = table.ranks(name)
        counts = scratch.empty((len(values) + 1, width), np.int64)
        kernels.count_codes(codes, labels, len(counts), width, weights=table.weights, out=counts)
        size = max(1, table.budget // SHARE // (VALUE + LABEL * width))
        return cls(values, counts, size, sum_of(counts[:-1]))

    @property
    def distinct(self) -> int:
        """How many values there are."""
        return len(self.values)

    @property
    def missing(self) -> Counts:
        """Rows without a value, by label."""
        return np.asarray(self.counts[-1])

    def pieces(self) -> Iterator[RankedPiece]:
        """Yield all values, some at a time."""
        before = np.zeros_like(self.totals)
        for start in range(0, self.distinct, self.size):
            checkpoint()
            some = slice(start, min(start + self.size, self.distinct))
            counts = self.counts[some]
            yield RankedPiece(self.values[some], counts, before, start)
            before = before + counts.sum(axis=0)

    def ask(self, work: Callable[[RankedPiece], Found]) -> list[Found]:
        """Return work(piece) of all pieces, in their order."""
        return [work(piece) for piece in self.pieces()]


@dataclass(frozen=True)
class DiskRanker:
    """Puts the columns of a table on disk in the order of their values."""

    table: Table

    def ranked(self, name: str, labels: Callable[[Any], NDArray[Any]], width: int) -> DiskRanks:
        """Return a column. labels(table)[row]: below `width`."""
        return DiskRanks.of(self.table, name, labels(self.table), width)
