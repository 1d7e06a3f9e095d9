"""The distinct values of numeric columns with their class counts: all that cutting a number into bins needs.

Knows blocks. Knows nothing of bins. Law: the total is the multiset of (value, class), so no order can
change it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tallystick import kernels
from tallystick.contracts import Block, Table
from tallystick.data.table.block import classes_of
from tallystick.data.threads import checkpoint, each_in_order
from tallystick.stats.room import refuse_beyond_memory

Floats = NDArray[np.float64]
Counts = NDArray[np.int64]
ALONE = 100_000  # cells below which a thread costs more than it gives
COPIES = 3  # tables of values by class that are held at once, where they are judged


class ValuesByClass(NamedTuple):
    """One column: values[value] rising, counts[value, class], missing[class]."""

    values: Floats
    counts: Counts
    missing: Counts

    def of_classes(self, classes: NDArray[np.intp]) -> ValuesByClass:
        """Return the same for some of the classes."""
        return ValuesByClass(
            self.values, np.ascontiguousarray(self.counts[:, classes]), self.missing[classes]
        )

    def counted(self, weights: Counts | None) -> ValuesByClass:
        """Return the values that count: a row of weight 0 does not."""
        if weights is None:
            return self
        there = self.counts.any(axis=1)
        return self._replace(values=self.values[there], counts=np.ascontiguousarray(self.counts[there]))

    def without(self, counts: Counts, missing: Counts) -> ValuesByClass:
        """Return the rest when some of the counts are taken away; values that no row has are gone."""
        left = self.counts - counts
        there = left.any(axis=1)
        return ValuesByClass(self.values[there], np.ascontiguousarray(left[there]), self.missing - missing)


@dataclass(frozen=True, slots=True)
class ClassValues:
    """Ask for the values of some columns by class."""

    columns: tuple[str, ...]
    classes: int

    def zero(self) -> list[ValuesByClass]:
        """Return the total of no rows."""
        empty = np.zeros((0, self.classes), np.int64)
        return [ValuesByClass(np.zeros(0), empty, np.zeros(self.classes, np.int64)) for _ in self.columns]

    def add(self, total: list[ValuesByClass], block: Block) -> list[ValuesByClass]:
        """Add the rows of one block."""
        return self.merge(total, [self._count(block, name) for name in self.columns])

    def _count(self, block: Block, name: str) -> ValuesByClass:
        ranks = kernels.ranks(block.values(name))
        return self.by_code(ranks.codes, ranks.distinct, classes_of(block), block.weights)

    def by_code(
        self, codes: NDArray[Any], distinct: Floats, classes: NDArray[Any], weights: Any
    ) -> ValuesByClass:
        """Return the counts of a column whose values are codes among distinct ones, missing last."""
        self.refuse_many(len(distinct))
        counts = kernels.count_codes(codes, classes, len(distinct) + 1, self.classes, weights=weights)
        return ValuesByClass(distinct, counts[:-1], counts[-1].copy()).counted(weights)

    def refuse_many(self, values: int) -> None:
        """Refuse counts of so many values of a column that memory has no room for."""
        refuse_beyond_memory(
            COPIES * 8 * (values + 1) * self.classes,
            f"the {values:,} values of a column by {self.classes:,} classes",
            "Join rare classes, or round the numbers.",
        )

    def merge(self, total: list[ValuesByClass], other: list[ValuesByClass]) -> list[ValuesByClass]:
        """Add two totals."""
        return [_merged(a, b) for a, b in zip(total, other, strict=True)]


class ByRanks:
    """The shortcut: each column is sorted once, not once per block, and a table remembers its ranks."""

    row_bytes = 0  # ranks lie where the table says

    def solve(self, question: ClassValues, table: Table, threads: int) -> list[ValuesByClass]:
        """Return the total from the ranks of whole columns."""
        classes, weights = classes_of(table), table.weights

        def one(name: str) -> ValuesByClass:
            codes, distinct = table.ranks(name)
            checkpoint()
            return question.by_code(codes, distinct, classes, weights)

        alone = table.rows * len(question.columns) < ALONE
        return each_in_order(one, question.columns, 1 if alone else threads)


def _merged(a: ValuesByClass, b: ValuesByClass) -> ValuesByClass:
    if not len(a.values) or not len(b.values):
        full = a if len(a.values) else b
        return ValuesByClass(full.values, full.counts, a.missing + b.missing)
    values, place = np.unique(np.concatenate([a.values, b.values]), return_inverse=True)
    counts = np.zeros((len(values), a.counts.shape[1]), np.int64)
    counts[place[: len(a.values)]] += a.counts  # values are distinct within each part
    counts[place[len(a.values) :]] += b.counts
    return ValuesByClass(values, counts, a.missing + b.missing)
