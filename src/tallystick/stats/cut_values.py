"""Numeric columns cut into bins by the rule of Fayyad and Irani: where the class entropy falls by more than
it costs to say where.

Knows blocks. Knows nothing of what the bins are for. Law: cuts depend on the multiset of (value, class)
alone, so on no order, thread or engine.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from tallystick import kernels
from tallystick.contracts import Block, Table
from tallystick.data.table.block import classes_of
from tallystick.data.threads import in_order
from tallystick.stats.class_values import ByRanks, ClassValues, Floats, ValuesByClass, by_groups

Counts = NDArray[np.int64]


@dataclass(frozen=True)
class Binned:
    """One column: cuts between values, counts[bin, class] and missing[class]."""

    cuts: tuple[float, ...]
    counts: Counts
    missing: Counts


def between(low: float, high: float) -> float:
    """Return the midpoint of two neighbouring values; where it rounds onto the lower one, the upper one."""
    middle = low / 2 + high / 2
    return middle if low < middle <= high else high


def cut_by_mdl(column: ValuesByClass, unit: int) -> Binned:
    """Return the bins of values with their class counts; `unit` is what one row weighs."""
    before = kernels.mdl_cuts(column.counts, unit)
    cuts = tuple(between(float(column.values[i - 1]), float(column.values[i])) for i in before)
    starts = np.concatenate([[0], before]).astype(np.intp)
    if not len(column.values):
        return Binned((), np.zeros((1, column.counts.shape[1]), np.int64), column.missing)
    return Binned(cuts, np.add.reduceat(column.counts, starts, axis=0), column.missing)


@dataclass(frozen=True, slots=True)
class CutValues:
    """Ask for what bins of some columns are made of; `bins` makes them, `unit` is what one row weighs."""

    columns: tuple[str, ...]
    classes: int
    unit: int = 1

    @property
    def _values(self) -> ClassValues:
        return ClassValues(self.columns, self.classes)

    def zero(self) -> list[ValuesByClass]:
        """Return the total of no rows."""
        return self._values.zero()

    def add(self, total: list[ValuesByClass], block: Block) -> list[ValuesByClass]:
        """Add the rows of one block."""
        return self._values.add(total, block)

    def merge(self, total: list[ValuesByClass], other: list[ValuesByClass]) -> list[ValuesByClass]:
        """Add two totals."""
        return self._values.merge(total, other)

    def bins(self, total: Sequence[ValuesByClass | Binned], threads: int | None) -> list[Binned]:
        """Return the bins of the columns; some are cut already."""

        def one(found: ValuesByClass | Binned) -> Binned:
            return found if isinstance(found, Binned) else cut_by_mdl(found, self.unit)

        return list(in_order((partial(one, found) for found in total), threads))


class ByCells:
    """The shortcut: rows are dealt into cells of rising values, and only cells in which a cut may lie are
    sorted.
    """

    row_bytes = 0  # see below

    def solve(self, question: CutValues, table: Table, threads: int) -> Sequence[ValuesByClass | Binned]:
        """Return the columns, cut; on disk their values by class, which take less memory."""
        if table.place == "disk":
            return ByRanks().solve(ClassValues(question.columns, question.classes), table, threads)

        classes, weights = classes_of(table), table.weights

        def one(_: str, values: Floats) -> Binned:
            return Binned(*kernels.cut_rows(values, classes, question.classes, weights, question.unit))

        return by_groups(table, question.columns, threads, one)
