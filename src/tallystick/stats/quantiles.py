"""The distinct values of numeric columns with their counts, from which exact ranks and quantile bins follow.

Knows blocks. Law: the total is the multiset of values, so it does not depend on the order or the cut of the
rows, and neither do bins chosen from it.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tallystick import kernels
from tallystick.data.table.ranks import quantile_cuts

Floats = NDArray[np.float64]
Counts = NDArray[np.int64]
WAIT = 1 << 16  # values that wait to be told apart, or twice those that are known


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
    """Values as they come, told apart when somebody asks or when many wait: it stands for `ValueCounts`, and
    is one where it is sent.
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
