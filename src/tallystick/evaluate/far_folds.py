"""Cross-validation of rows that stay with Spark: folds are dealt, answered and scored there.

Knows tables on Spark, methods and questions about answers. Law: scores are those of the same rows here, bit
for bit; what comes here are fitted models and sums, nothing that grows with the rows.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from tallystick.contracts import Block, Table
from tallystick.data.schema import Schema
from tallystick.data.table.subset import recode_block
from tallystick.evaluate.cases import CaseOrder
from tallystick.evaluate.folds import check_folds
from tallystick.evaluate.method import Answering, Fits
from tallystick.evaluate.result import RepeatScores
from tallystick.evaluate.running import Progress, Steps, fresh, one_class, run_folds, spread, workers
from tallystick.evaluate.summed_answers import AnswerRows, SummedAnswers

Floats = NDArray[np.float64]


class FoldedRows(Protocol):
    """Rows in folds, where they are. sizes[fold]: rows."""

    @property
    def sizes(self) -> tuple[int, ...]: ...  # noqa: D102

    def training(self, fold: int) -> Table:
        """Return the rows of the other folds as a table that knows nothing of these."""
        ...

    def answered(self, works: Sequence[Callable[[Block], Floats]]) -> AnswerRows:
        """Return the answers to all rows, those of a fold by works[fold]."""
        ...

    def release(self) -> None:
        """Let go what is kept."""
        ...


@dataclass(frozen=True)
class FarJudging:
    """How rows are dealt and answers judged: see `cross_validate` and `scores.score`."""

    folds: int
    key: int
    rule: Floats | None = None
    cost: Floats | None = None
    positive: int | None = None


@dataclass(frozen=True)
class FoldModel:
    """How the rows of a fold are answered, in the codes of the whole table."""

    model: Answering
    whole: Schema
    training: Schema

    def __call__(self, block: Block) -> Floats:
        """Return shares[row, class of the whole table]."""
        own = recode_block(block, self.whole, self.training)  # type: ignore[arg-type]
        labels = self.training.predicted.labels
        return spread(self.model.shares(own), labels, self.whole.predicted.labels)


@dataclass(frozen=True)
class OnlyClass:
    """The answer where all training rows are of one class."""

    shares: Floats

    def __call__(self, block: Block) -> Floats:
        """Return shares[row, class]."""
        return np.tile(self.shares, (block.rows, 1))


def judged_far(
    model: Fits, table: Table, how: FarJudging, progress: Progress | None = None
) -> RepeatScores | None:
    """Return what follows from the out-of-fold answers of one repeat; None: the rows are dealt here."""
    check_folds(how.folds, table.rows, "rows")
    rows: FoldedRows | None = table.dealt(how.folds, CaseOrder(how.key))
    if rows is None:
        return None
    try:
        return judged_answers(rows, fold_models(model, table, rows, progress), table.schema, how)
    finally:
        rows.release()


def fold_models(model: Fits, table: Table, rows: FoldedRows, progress: Progress | None) -> list[Any]:
    """Return how the rows of each fold are answered: by the model of all others."""
    works: list[Any] = [None] * len(rows.sizes)
    steps, labels = Steps(len(works), progress), table.schema.predicted.labels

    def one(fold: int) -> int:
        training = rows.training(fold)
        only = one_class(training, labels)
        if only is not None:
            works[fold] = OnlyClass(only)
        else:
            fitted = fresh(model)._fit_table(training)
            works[fold] = FoldModel(fitted.model_, table.schema, training.schema)
        training.release()
        steps.one()
        return fold

    everything = len(works)
    if run_folds(one, everything, lambda fold: None, enough=everything, at_once=workers(table)):
        raise KeyboardInterrupt  # answers come when all folds are done
    return works


def judged_answers(rows: FoldedRows, works: list[Any], schema: Schema, how: FarJudging) -> RepeatScores:
    """Return what follows from the answers to all rows."""
    labels, answers = schema.predicted.labels, rows.answered(works)
    try:
        given = SummedAnswers.of(answers, len(labels), len(works), how.rule, how.cost, how.positive)
        return RepeatScores(given.scores(labels), rows.sizes, given.fold_means, given.loss_error)
    finally:
        answers.release()
