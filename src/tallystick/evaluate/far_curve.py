"""Learning curves of rows that stay with Spark: subsets are taken, learned from and tested there.

Knows tables on Spark, methods and questions about answers. Law: the subsets and figures are those of the same
rows here, bit for bit; what comes here are fitted models and sums, or a subset that is small enough to be
learned from here.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tallystick import kernels
from tallystick.contracts import Block, Table
from tallystick.data.schema import Schema
from tallystick.evaluate.cases import InParts
from tallystick.evaluate.costs import named, own_costs
from tallystick.evaluate.far_folds import Dealer, FoldModel, OnlyClass
from tallystick.evaluate.measures import log_losses
from tallystick.evaluate.method import Fits
from tallystick.evaluate.running import Steps, fresh, spread
from tallystick.models.decision import decide
from tallystick.stats.bayes import BayesSums
from tallystick.stats.exact import digits, joined, nearest

Counts = NDArray[np.int64]
Floats = NDArray[np.float64]


def class_rows(table: Table) -> Counts:
    """Return how many rows each class has, counted where the rows are."""
    assert table.engine is not None
    counts: Counts = table.engine.total(table, BayesSums((), len(table.schema.predicted.labels)))[""]
    return counts


class JudgedTotals(NamedTuple):
    """Rows that were tested, those answered wrongly, and the sum of their losses in digits."""

    rows: int
    wrong: int
    loss: Counts


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
        truth, shares = block.classes.astype(np.int64), self.work(block)
        wrong = int((decide(shares, self.rule) != truth).sum())
        return self.merge(total, JudgedTotals(block.rows, wrong, digits(log_losses(truth, shares))))

    def merge(self, total: JudgedTotals, other: JudgedTotals) -> JudgedTotals:
        """Add two totals."""
        rows, wrong = total.rows + other.rows, total.wrong + other.wrong
        return JudgedTotals(rows, wrong, joined(total.loss, other.loss))


@dataclass(frozen=True)
class FarSubsets:
    """The subsets of a learning curve, where the rows are. tested: how many rows test; sizes: of subsets."""

    table: Table
    dealer: Dealer
    tested: int
    sizes: Sequence[int]

    def base(self) -> float:
        """Return the share of the most frequent class."""
        return float(class_rows(self.table).max() / self.table.rows)

    def curves(self, repeat: int, models: Iterable[Fits], told: Steps) -> tuple[Floats, Floats]:
        """Return error[model, size] and loss[model, size] of one repeat."""
        methods = list(models)
        error, loss = (np.empty((len(methods), len(self.sizes))) for _ in range(2))
        ends = (self.tested, *(self.tested + size for size in self.sizes))
        rows = self.dealer.in_order(InParts(repeat + 1, ends))
        schema = rows.schema
        try:
            for at in range(len(self.sizes)):
                training = rows.of_folds(*range(1, at + 2))
                for m, model in enumerate(methods):
                    rule = own_costs(model, schema.predicted, schema.predicted.labels)
                    asked = JudgedSums(_learned(named(model, schema.predicted), training, schema), rule)
                    found: JudgedTotals = rows.total(asked, 0)
                    error[m, at], loss[m, at] = found.wrong / found.rows, nearest(found.loss) / found.rows
                training.release()
        finally:
            rows.release()
        for _ in methods:
            told.one()
        return error, loss


def _learned(model: Fits, training: Table, whole: Schema) -> Any:
    """Return how rows are answered by what a subset tells; one of one class, or without a usable column, by
    its class shares.
    """
    labels = whole.predicted.labels
    if len(training.schema.predicted.labels) < 2 or not training.schema.used:
        full = class_rows(training)
        return OnlyClass(spread((full / full.sum())[None], training.schema.predicted.labels, labels)[0])
    fitted = fresh(model, threads=1)._fit_to_answer(training.near())
    return FoldModel(fitted.model_, whole, training.schema)
