"""Errors of numbers by group where rows and answers stay with Spark: those of `number_groups` from sums.

Knows columns beside dealt rows, and questions about answers. Knows nothing of who sums. Law: what is told is
that of the same answers here, bit for bit; what comes here are rows by group, and sums of the groups shown.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tallystick import kernels
from tallystick.contracts import Block
from tallystick.evaluate.far_dealing import FarFolds, beside_name
from tallystick.evaluate.far_groups import into_shown
from tallystick.evaluate.groups import Grouping
from tallystick.evaluate.number_groups import sizes_of
from tallystick.evaluate.summed_answers import AnswerRows
from tallystick.evaluate.summed_numbers import numbers_in
from tallystick.kernels.check import code_dtype
from tallystick.stats.exact import nearest

Counts = NDArray[np.int64]
Floats = NDArray[np.float64]


def sizes_far(parts: FarFolds, answers: AnswerRows, grouping: Grouping) -> list[dict[str, Any]]:
    """Return what `number_groups.error_sizes` returns."""
    into, names = into_shown(parts, answers, grouping)
    asked = GroupNumbers(beside_name(grouping), into, len(names))
    found: NumbersByGroup = answers.total(asked)
    rows = found.rows / parts.unit
    sums = np.array([[nearest(one) for one in each] for each in found.sums]) / parts.unit
    means = sums / rows
    away = answers.total(GroupAway(asked, means[2:]))
    told = np.array([[[nearest(d) for d in one] for one in each] for each in away]) / parts.unit
    return [
        sizes_of(name, float(rows[g]), means[:, g].tolist(), [tuple(one) for one in told[:, :, g].tolist()])
        for g, name in enumerate(names)
    ]


class NumbersByGroup(NamedTuple):
    """rows[group], in units of the table, and sums[truth, answer, size of the error or answer less truth,
    group, digit].
    """

    rows: Counts
    sums: Counts


@dataclass(frozen=True)
class GroupNumbers:
    """Ask for sums of the rows of groups. into[group of the column]: the group that is shown, of `size`."""

    name: str
    into: Counts
    size: int

    def zero(self) -> NumbersByGroup:
        """Return the total of no rows."""
        sums = np.zeros((4, self.size, kernels.SUM_DIGITS), np.int64)
        return NumbersByGroup(np.zeros(self.size, np.int64), sums)

    def group(self, block: Block) -> NDArray[Any]:
        """Return group[row] of those shown."""
        return np.asarray(self.into[block.codes(self.name)].astype(code_dtype(self.size)))

    def add(self, total: NumbersByGroup, block: Block) -> NumbersByGroup:
        """Add the rows of one block."""
        own, group = self.zero(), self.group(block)
        truth, answer = numbers_in(block)
        summed([truth, answer, np.abs(answer - truth), answer - truth], group, own.sums, block.weights)
        kernels.count_classes(group, self.size, block.weights, own.rows)
        return self.merge(total, own)

    def merge(self, total: NumbersByGroup, other: NumbersByGroup) -> NumbersByGroup:
        """Add two totals."""
        return NumbersByGroup(total.rows + other.rows, kernels.carry(total.sums + other.sums))


@dataclass(frozen=True)
class GroupAway:
    """Ask how errors lie about means[size of the error or answer less truth, group]: sums[which, power,
    group, digit] of the squares and cubes of what is away.
    """

    of: GroupNumbers
    means: Floats

    def zero(self) -> Counts:
        """Return the total of no rows."""
        return np.zeros((2, 2, self.of.size, kernels.SUM_DIGITS), np.int64)

    def add(self, total: Counts, block: Block) -> Counts:
        """Add the rows of one block."""
        own, group = self.zero(), self.of.group(block)
        truth, answer = numbers_in(block)
        for at, values in enumerate((np.abs(answer - truth), answer - truth)):
            away = values - self.means[at, group]
            summed([away**2, away**3], group, own[at], block.weights)
        return self.merge(total, own)

    def merge(self, total: Counts, other: Counts) -> Counts:
        """Add two totals."""
        return kernels.carry(total + other)


def summed(columns: list[Floats], group: NDArray[Any], sums: Counts, weights: Counts | None) -> None:
    """Add columns[which][row] to sums[which, group, digit]."""
    none = np.zeros(sums.shape[:2], np.int64)
    squares = np.zeros((*sums.shape[:2], kernels.SQUARE_DIGITS), np.int64)
    kernels.add_moments([np.ascontiguousarray(c) for c in columns], group, none, sums, squares, weights)
