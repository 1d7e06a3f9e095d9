"""A sample of the distinct values of numeric columns with their class counts: the values whose hashes are
least.

Knows blocks. Knows nothing of what is judged by it. Laws: which values are in the sample depends on the set
of values alone, so on no order, thread or engine; each has all its rows; a column of at most `size` values is
there whole.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tallystick import kernels
from tallystick.contracts import Block, Table
from tallystick.data.table.block import classes_of
from tallystick.data.threads import checkpoint
from tallystick.stats.class_values import ClassValues, Floats, ValuesByClass, by_groups

SIZE = 1 << 15  # distinct values that are enough to judge by
ALL = (1 << 64) - 1  # the highest hash


class SampledValues(NamedTuple):
    """Values of one column whose hashes are at most the limit."""

    values: ValuesByClass
    limit: int = ALL

    @property
    def whole(self) -> bool:
        """Whether no value was left out."""
        return self.limit == ALL


def sample_of(values: ValuesByClass, limit: int = ALL, size: int = SIZE) -> SampledValues:
    """Return the `size` values with the least hashes of those within a limit."""
    if len(values.values) <= size and limit == ALL:
        return SampledValues(values)
    hashes = kernels.value_hashes(values.values)
    if np.count_nonzero(hashes <= np.uint64(limit)) > size:
        limit = int(np.partition(hashes, size - 1)[size - 1])
    kept = hashes <= np.uint64(limit)
    return SampledValues(ValuesByClass(values.values[kept], values.counts[kept], values.missing), limit)


@dataclass(frozen=True, slots=True)
class ValueSample:
    """Ask for a sample of the values of some columns by class."""

    columns: tuple[str, ...]
    classes: int
    size: int = SIZE

    def zero(self) -> list[SampledValues]:
        """Return the total of no rows."""
        return [SampledValues(values) for values in self._all.zero()]

    def add(self, total: list[SampledValues], block: Block) -> list[SampledValues]:
        """Add the rows of one block."""
        found = []
        for name, known in zip(self.columns, total, strict=True):
            values = self.within(known.limit, block.values(name), classes_of(block), block.weights)
            found.append(sample_of(values, known.limit, self.size))
        return self.merge(total, found)

    def merge(self, total: list[SampledValues], other: list[SampledValues]) -> list[SampledValues]:
        """Add two totals."""
        both = self._all.merge([a.values for a in total], [b.values for b in other])
        limits = (min(a.limit, b.limit) for a, b in zip(total, other, strict=True))
        return [sample_of(v, limit, self.size) for v, limit in zip(both, limits, strict=True)]

    @property
    def _all(self) -> ClassValues:
        return ClassValues(self.columns, self.classes)

    def within(self, limit: int, values: Floats, classes: NDArray[Any], weights: Any) -> ValuesByClass:
        """Return the values of rows that lie within the limit, and the missing ones, by class."""
        if limit < ALL:
            picked = kernels.pick_values(values, limit)
            values, classes = values[picked], classes[picked]
            weights = None if weights is None else weights[picked]
        ranks = kernels.ranks(values)
        return self._all.by_code(ranks.codes, ranks.distinct, classes, weights)


class ByGuess:
    """The shortcut: a limit is guessed, and the rows within it are looked at; only where a column has few
    values, all are ranked, and the table remembers them.
    """

    row_bytes = 0  # ranks lie where the table says

    def solve(self, question: ValueSample, table: Table, threads: int) -> list[SampledValues]:
        """Return the total."""
        return by_groups(table, question.columns, threads, partial(self._one, question, table))

    def _one(self, question: ValueSample, table: Table, name: str, values: Floats) -> SampledValues:
        classes = classes_of(table)
        share = 2 * question.size / max(table.rows, 1)  # if all values are different, twice the sample
        while share < 0.5:
            checkpoint()
            limit = int(share * ALL)
            found = question.within(limit, values, classes, table.weights)
            if len(found.values) >= question.size:
                return sample_of(found, limit, question.size)
            share *= 2 * question.size / max(len(found.values), 1)
        codes, distinct = table.ranks(name)
        checkpoint()
        every = ClassValues((name,), question.classes).by_code(codes, distinct, classes, table.weights)
        return sample_of(every, size=question.size)
