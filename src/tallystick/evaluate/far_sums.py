"""Sums over rows that judging asks for where the rows are: rows of each class, rows that are answered
wrongly, and losses.

Knows blocks and anything that answers them. Knows nothing of who sums. Law: losses are summed in digits, so
that no order or cut of the rows changes a bit.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tallystick import kernels
from tallystick.contracts import Block, Table
from tallystick.evaluate import large
from tallystick.evaluate.measures import average, log_losses
from tallystick.models.decision import decide
from tallystick.stats.bayes import BayesSums
from tallystick.stats.exact import digits, joined, nearest

Counts = NDArray[np.int64]
Floats = NDArray[np.float64]


def class_rows(table: Table) -> Counts:
    """Return how many rows each class has, in units of the table, counted where the rows are."""
    assert table.engine is not None
    counts: Counts = table.engine.total(table, BayesSums((), len(table.schema.predicted.labels)))[""]
    return counts


def class_weights(table: Table) -> Counts | Floats:
    """Return what the rows of each class weigh together, in units of the table, wherever they are."""
    if table.place == "far":
        return class_rows(table)
    assert table.classes is not None
    size = len(table.schema.predicted.labels)
    if table.weights is None:
        return large.counts(table.classes, size)
    return np.bincount(table.classes, table.weights, size)


def mean_response(table: Table) -> float:
    """Return the mean of a target of numbers, wherever the rows are."""
    if table.place == "far":
        assert table.engine is not None
        return nearest(table.engine.total(table, RowSums(response_of))) / table.weight
    assert table.response is not None
    weights = np.ones(table.rows) if table.weights is None else table.weights / table.unit
    return average(table.response, weights)


def response_of(block: Block) -> Floats:
    """Return response[row]."""
    assert block.response is not None
    return block.response


class JudgedTotals(NamedTuple):
    """What rows that were tested weigh, and those answered wrongly, in units of their table, and the sum of
    their losses in digits.
    """

    weight: int
    wrong: int
    loss: Counts

    @property
    def error(self) -> float:
        """The share of rows answered wrongly."""
        return self.wrong / self.weight

    @property
    def mean_loss(self) -> float:
        """The mean log-loss."""
        return nearest(self.loss) / self.weight


def judged(truth: Counts, shares: Floats, rule: Floats | None, weights: Counts | None) -> JudgedTotals:
    """Return how rows are answered. rule: costs that decide."""
    wrong, loss = decide(shares, rule) != truth, digits(log_losses(truth, shares), weights)
    if weights is None:
        return JudgedTotals(len(truth), int(wrong.sum()), loss)
    return JudgedTotals(int(weights.sum()), int(weights[wrong].sum()), loss)


def largest_share(table: Table) -> float:
    """Return the share of the most frequent class, wherever the rows are."""
    return float(class_weights(table).max() / table.weight)


@dataclass(frozen=True)
class JudgedSums:
    """Ask how rows are answered. work(block): shares[row, class]; rule: costs that decide."""

    work: Any
    rule: Floats | None

    def zero(self) -> JudgedTotals:
        """Return the total of no rows."""
        return JudgedTotals(0, 0, np.zeros(kernels.SUM_DIGITS, np.int64))

    def add(self, total: JudgedTotals, block: Block) -> JudgedTotals:
        """Add the rows of one block."""
        assert block.classes is not None
        truth = block.classes.astype(np.int64)
        return self.merge(total, judged(truth, self.work(block), self.rule, block.weights))

    def merge(self, total: JudgedTotals, other: JudgedTotals) -> JudgedTotals:
        """Add two totals."""
        weight, wrong = total.weight + other.weight, total.wrong + other.wrong
        return JudgedTotals(weight, wrong, joined(total.loss, other.loss))


@dataclass(frozen=True)
class RowSums:
    """Ask for the sum of work(block)[row], finite numbers, in digits; a row counts as often as it weighs."""

    work: Any

    def zero(self) -> Counts:
        """Return the total of no rows."""
        return np.zeros(kernels.SUM_DIGITS, np.int64)

    def add(self, total: Counts, block: Block) -> Counts:
        """Add the rows of one block."""
        return joined(total, digits(self.work(block), block.weights))

    def merge(self, total: Counts, other: Counts) -> Counts:
        """Add two totals."""
        return joined(total, other)


def losses_of(rows: Block | Table, answers: Floats, some: Any = slice(None)) -> Floats:
    """Return the log-loss of each of some rows, or its squared error where the target is a number."""
    if rows.response is not None:
        return np.asarray((rows.response[some] - answers[:, 0]) ** 2)
    assert rows.classes is not None
    return log_losses(rows.classes[some].astype(np.int64), answers)


@dataclass(frozen=True)
class LossSums:
    """Ask for the losses of several ways to answer: sums[work, digit], a row as often as it weighs. works:
    each work(block) is shares[row, class]; one that is there twice is asked once.
    """

    works: tuple[Any, ...]

    def zero(self) -> Counts:
        """Return the total of no rows."""
        return np.zeros((len(self.works), kernels.SUM_DIGITS), np.int64)

    def add(self, total: Counts, block: Block) -> Counts:
        """Add the rows of one block."""
        each = {id(work): work for work in self.works}
        found = {at: digits(losses_of(block, work(block)), block.weights) for at, work in each.items()}
        return self.merge(total, np.stack([found[id(work)] for work in self.works]))

    def merge(self, total: Counts, other: Counts) -> Counts:
        """Add two totals."""
        return kernels.carry(total + other)
