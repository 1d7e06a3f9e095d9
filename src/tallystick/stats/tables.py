"""Counts and moments per class: whole numbers throughout, so every total is exact.

Knows blocks. Knows nothing of learners or engines. Law: the same bits for any order and any cut of the rows,
and an integer weight w is w copies of the row.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tallystick import kernels
from tallystick.contracts import Block

Counts = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class ClassCounts:
    """Ask for counts[class]: rows of each class, or their weight."""

    classes: int

    def zero(self) -> Counts:
        """Return the total of no rows."""
        return np.zeros(self.classes, np.int64)

    def add(self, total: Counts, block: Block) -> Counts:
        """Add the rows of one block."""
        assert block.classes is not None
        return kernels.count_classes(block.classes, self.classes, block.weights, total)

    def merge(self, total: Counts, other: Counts) -> Counts:
        """Add two totals."""
        total += other
        return total


@dataclass(frozen=True, slots=True)
class CountTables:
    """Ask for one table[code, class] per column; columns[j] = (name, codes with missing and unseen)."""

    columns: tuple[tuple[str, int], ...]
    classes: int

    def zero(self) -> list[Counts]:
        """Return the total of no rows."""
        return [np.zeros((codes, self.classes), np.int64) for _, codes in self.columns]

    def add(self, total: list[Counts], block: Block) -> list[Counts]:
        """Add the rows of one block, all columns in one call."""
        assert block.classes is not None
        codes = [block.codes(name) for name, _ in self.columns]
        sizes = [size for _, size in self.columns]
        return kernels.count_columns(
            codes, block.classes, sizes, self.classes, weights=block.weights, out=total
        )

    def merge(self, total: list[Counts], other: list[Counts]) -> list[Counts]:
        """Add two totals."""
        for table, more in zip(total, other, strict=True):
            table += more
        return total


class MomentTotals(NamedTuple):
    """What `Moments` sums, as whole numbers in digits: see kernels.moments."""

    present: Counts  # [column, class]: weight of rows with a value
    sums: Counts  # [column, class, digit], in units of 2^-1074
    squares: Counts  # [column, class, digit], in units of 2^-2148

    def sum(self, column: int, label: int) -> Fraction:
        """Return the exact sum of a column's values in one class."""
        return kernels.exact_sum(self.sums[column, label])

    def sum_of_squares(self, column: int, label: int) -> Fraction:
        """Return the exact sum of a column's squared values in one class."""
        return kernels.exact_squares(self.squares[column, label])

    def mean(self, column: int, label: int) -> Fraction:
        """Return the exact mean; there must be a row with a value. `float()` of it is correctly rounded."""
        return self.sum(column, label) / int(self.present[column, label])

    def variance(self, column: int, label: int) -> Fraction:
        """Return the exact mean squared distance from the mean."""
        n = int(self.present[column, label])
        return self.sum_of_squares(column, label) / n - self.mean(column, label) ** 2


@dataclass(frozen=True, slots=True)
class Moments:
    """Ask for exact sums of values and of their squares, per numeric column and class."""

    columns: tuple[str, ...]
    classes: int

    def zero(self) -> MomentTotals:
        """Return the total of no rows."""
        shape = (len(self.columns), self.classes)
        return MomentTotals(
            np.zeros(shape, np.int64),
            np.zeros((*shape, kernels.SUM_DIGITS), np.int64),
            np.zeros((*shape, kernels.SQUARE_DIGITS), np.int64),
        )

    def add(self, total: MomentTotals, block: Block) -> MomentTotals:
        """Add the rows of one block."""
        assert block.classes is not None
        missing = np.zeros_like(total.present)
        columns = [block.values(name) for name in self.columns]
        kernels.add_moments(columns, block.classes, missing, total.sums, total.squares, weights=block.weights)
        rows = kernels.count_classes(block.classes, self.classes, block.weights)
        np.add(total.present, rows - missing, out=total.present)
        return total

    def merge(self, total: MomentTotals, other: MomentTotals) -> MomentTotals:
        """Add two totals."""
        for mine, more in zip(total, other, strict=True):
            np.add(mine, more, out=mine)
        kernels.carry(total.sums)
        kernels.carry(total.squares)
        return total
