"""Learning curves of rows that stay with Spark: subsets are taken, learned from and tested there.

Knows tables on Spark, methods and questions about answers. Law: the subsets and figures are those of the same
rows here, bit for bit; what comes here are fitted models and sums, or a subset that is small enough to be
learned from here.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallystick.contracts import Table
from tallystick.data.schema import Schema
from tallystick.evaluate.cases import InParts
from tallystick.evaluate.costs import named, own_costs
from tallystick.evaluate.far_dealing import Dealer
from tallystick.evaluate.far_folds import FoldModel, OnlyClass
from tallystick.evaluate.far_sums import JudgedSums, JudgedTotals, class_rows, largest_share
from tallystick.evaluate.method import Fits
from tallystick.evaluate.running import Steps, fresh, spread

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class FarSubsets:
    """The subsets of a learning curve, where the rows are. tested: how many rows test; sizes: of subsets;
    copies of a row are counted.
    """

    table: Table
    dealer: Dealer
    tested: int
    sizes: Sequence[int]

    def base(self) -> float:
        """Return the share of the most frequent class."""
        return largest_share(self.table)

    def curves(self, repeat: int, models: Iterable[Fits], told: Steps) -> tuple[Floats, Floats]:
        """Return error[model, size] and loss[model, size] of one repeat."""
        methods = list(models)
        error, loss = (np.empty((len(methods), len(self.sizes))) for _ in range(2))
        rows = self.dealer.in_order(InParts(repeat + 1, parts_end(self.tested, self.sizes)))
        schema = rows.schema
        try:
            for at in range(len(self.sizes)):
                training = rows.of_folds(*range(1, at + 2))
                for m, model in enumerate(methods):
                    rule = own_costs(model, schema.predicted, schema.predicted.labels)
                    asked = JudgedSums(_learned(named(model, schema.predicted), training, schema), rule)
                    found: JudgedTotals = rows.total(asked, 0)
                    error[m, at], loss[m, at] = found.error, found.mean_loss
                training.release()
        finally:
            rows.release()
        for _ in methods:
            told.one()
        return error, loss


def parts_end(tested: int, sizes: Sequence[int]) -> tuple[int, ...]:
    """Return where the cases end that test, and those of each subset, which come after them."""
    return tested, *(tested + size for size in sizes)


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
