"""Scores of answers with numbers that stay with Spark: the same figures from sums.

Knows blocks of answers (the true number, the answer in the column 0, fold), and questions to them. Knows
nothing of who sums. Law: every figure is that of `measures.Reckoned` on the same answers, bit for bit; what
comes here does not grow with the rows.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tallystick import kernels
from tallystick.contracts import Block
from tallystick.evaluate import intervals
from tallystick.evaluate.measures import NUMBER_SCORES, Measure, RowMean
from tallystick.evaluate.summed_answers import AnswerRows
from tallystick.stats.exact import digits, nearest

Counts = NDArray[np.int64]
Floats = NDArray[np.float64]


def numbers_in(block: Block) -> tuple[Floats, Floats]:
    """Return truth[row] and answer[row] of a block of answers."""
    assert block.response is not None
    return block.response, block.values("0")


class NumberTotals(NamedTuple):
    """Sums of answers, in units of the table: rows[fold], and sums[true number, squared error or size of the
    error, fold, digit]; beyond[one of these]: rows in which it is not a finite number.
    """

    rows: Counts
    sums: Counts
    beyond: Counts


@dataclass(frozen=True)
class NumberSums:
    """Ask for the sums of answers. fold: the column of folds."""

    fold: str
    folds: int

    def zero(self) -> NumberTotals:
        """Return the total of no rows."""
        sums = np.zeros((3, self.folds, kernels.SUM_DIGITS), np.int64)
        return NumberTotals(np.zeros(self.folds, np.int64), sums, np.zeros((3, self.folds), np.int64))

    def add(self, total: NumberTotals, block: Block) -> NumberTotals:
        """Add the rows of one block."""
        own, fold = self.zero(), block.codes(self.fold)
        truth, answer = numbers_in(block)
        columns = [np.ascontiguousarray(truth), (truth - answer) ** 2, np.abs(truth - answer)]
        squares = np.zeros((3, self.folds, kernels.SQUARE_DIGITS), np.int64)
        kernels.add_moments(columns, fold, own.beyond, own.sums, squares, block.weights)
        kernels.count_classes(fold, self.folds, block.weights, own.rows)
        return self.merge(total, own)

    def merge(self, total: NumberTotals, other: NumberTotals) -> NumberTotals:
        """Add two totals."""
        sums = kernels.carry(total.sums + other.sums)
        return NumberTotals(total.rows + other.rows, sums, total.beyond + other.beyond)


class AwayTotals(NamedTuple):
    """sums[which, power, digit], and beyond[which, power]: rows in which it is not a finite number."""

    sums: Counts
    beyond: Counts


@dataclass(frozen=True)
class NumberAway:
    """Ask how numbers lie about their means, centres of the true number, the squared error and the size of
    the error: the sizes and squares of what the first is away, and the squares and cubes of what the others
    are.
    """

    centres: tuple[float, float, float]

    def zero(self) -> AwayTotals:
        """Return the total of no rows."""
        return AwayTotals(np.zeros((3, 2, kernels.SUM_DIGITS), np.int64), np.zeros((3, 2), np.int64))

    def add(self, total: AwayTotals, block: Block) -> AwayTotals:
        """Add the rows of one block."""
        truth, answer = numbers_in(block)
        each = truth, (truth - answer) ** 2, np.abs(truth - answer)
        spread, square, size = (values - centre for values, centre in zip(each, self.centres, strict=True))
        with np.errstate(over="ignore"):
            pairs = (np.abs(spread), spread**2), (square**2, square**3), (size**2, size**3)
        beyond = np.array([[np.count_nonzero(~np.isfinite(v)) for v in pair] for pair in pairs])
        sums = np.array([[digits(v, block.weights) for v in pair] for pair in pairs])
        return self.merge(total, AwayTotals(sums, beyond))

    def merge(self, total: AwayTotals, other: AwayTotals) -> AwayTotals:
        """Add two totals."""
        return AwayTotals(kernels.carry(total.sums + other.sums), total.beyond + other.beyond)


@dataclass(frozen=True)
class SummedNumbers:
    """What a score of numbers is measured on, as `measures.Reckoned`, where no row is at hand. unit: what a
    row of weight 1 weighs.
    """

    answers: AnswerRows
    totals: NumberTotals
    unit: int

    @classmethod
    def of(cls, answers: AnswerRows, folds: int, unit: int) -> SummedNumbers:
        """Sum answers."""
        return cls(answers, answers.total(NumberSums(answers.fold, folds)), unit)

    @property
    def rows(self) -> float:
        """What all rows weigh."""
        return float(self.totals.rows.sum()) / self.unit

    @cached_property
    def means(self) -> tuple[float, float, float]:
        """The means of the true number, the squared error and the size of the error."""
        truth, square, size = (self._mean(which, slice(None)) for which in range(3))
        return truth, square, size

    def _mean(self, which: int, folds: slice) -> float:
        t = self.totals
        if t.beyond[which, folds].any():
            return math.inf
        total = nearest(kernels.carry(t.sums[which, folds].sum(axis=0)[None])[0])
        return total / self.unit / (float(t.rows[folds].sum()) / self.unit)

    @cached_property
    def away(self) -> Floats:
        """sums[which, power] of what is away from the means."""
        found = self.answers.total(NumberAway(self.means))
        sums = np.array([[nearest(d) for d in each] for each in found.sums]) / self.unit
        return np.where(found.beyond > 0, math.inf, sums)

    @property
    def mean_square(self) -> RowMean:
        """The mean of the squared errors, and its interval."""
        return self._interval(1)

    @property
    def mean_size(self) -> RowMean:
        """The mean size of the errors, and its interval."""
        return self._interval(2)

    def _interval(self, which: int) -> RowMean:
        mean = self.means[which]
        return mean, *intervals.of_sums(self.rows, mean, *self.away[which].tolist())

    @property
    def base(self) -> tuple[float, float]:
        """The mean of the squared errors, and of their sizes, of always answering the mean."""
        sizes, squares = self.away[0].tolist()
        return squares / self.rows, sizes / self.rows

    @property
    def loss_error(self) -> float:
        """The standard error of the mean squared error."""
        return math.sqrt(float(self.away[1, 0]) / max(self.rows - 1, 1) / self.rows)

    @property
    def fold_means(self) -> Floats:
        """The mean squared error of each fold that has rows."""
        there = np.flatnonzero(self.totals.rows).tolist()
        return np.array([self._mean(1, slice(f, f + 1)) for f in there])

    def measures(self) -> tuple[Measure, ...]:
        """Return all measures."""
        return tuple(found for score in NUMBER_SCORES if (found := score.of(self)) is not None)
