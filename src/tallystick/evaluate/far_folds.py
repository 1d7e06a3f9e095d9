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
from tallystick.data.schema import CODED, Schema
from tallystick.data.table.subset import recode_block
from tallystick.evaluate.cases import InTurn
from tallystick.evaluate.folds import check_folds, group_folds
from tallystick.evaluate.groups import level_names
from tallystick.evaluate.method import Answering, Fits
from tallystick.evaluate.result import RepeatScores
from tallystick.evaluate.running import Progress, Steps, fresh, one_class, run_folds, spread, workers
from tallystick.evaluate.summed_answers import AnswerRows, SummedAnswers
from tallystick.stats.bayes import Ask, BayesSums, key

Counts = NDArray[np.int64]
Floats = NDArray[np.float64]


class FoldedRows(Protocol):
    """Rows in folds, where they are. sizes[fold]: rows; schema: of what is learned from."""

    @property
    def sizes(self) -> tuple[int, ...]: ...  # noqa: D102

    @property
    def schema(self) -> Schema: ...  # noqa: D102

    def training(self, fold: int) -> Table:
        """Return the rows of the other folds as a table that knows nothing of these."""
        ...

    def of_folds(self, *folds: int) -> Table:
        """Return the rows of some folds as a table that knows nothing of the others."""
        ...

    def total(self, question: Any, *folds: int) -> Any:
        """Return the total of a question over the rows of some folds."""
        ...

    def answered(self, works: Sequence[Callable[[Block], Floats]]) -> AnswerRows:
        """Return the answers to all rows, those of a fold by works[fold]."""
        ...

    def release(self) -> None:
        """Let go what is kept."""
        ...


class Dealer(Protocol):
    """Who deals rows where they are."""

    def in_order(self, order: Any) -> FoldedRows:
        """Return the rows in folds by their ranks in an order."""
        ...

    def by(self, work: Callable[[Block], NDArray[Any]], sizes: Sequence[int], aside: str) -> FoldedRows:
        """Return the rows in the folds that work(block)[row] gives, so many each, without one column."""
        ...


@dataclass(frozen=True)
class FarJudging:
    """How rows are dealt and answers judged: see `cross_validate` and `scores.score`. groups: the name of a
    column whose equal values stay together.
    """

    folds: int
    key: int
    rule: Floats | None = None
    cost: Floats | None = None
    positive: int | None = None
    groups: str | None = None


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
    rows = dealt_far(table, how)
    if rows is None:
        return None
    try:
        return judged_answers(rows, fold_models(model, table, rows, progress), how)
    finally:
        rows.release()


def dealt_far(table: Table, how: FarJudging) -> FoldedRows | None:
    """Return the rows in folds where they are; None: they do not stay far, or cannot be dealt there."""
    dealer: Dealer | None = None if table.schema.regression else table.dealer()
    if dealer is None:
        return None
    if how.groups is None:
        check_folds(how.folds, table.rows, "rows")
        return dealer.in_order(InTurn(how.key, how.folds))
    column = table.schema[how.groups]
    if column not in table.schema.used or column.kind not in CODED or table.engine is None:
        return None
    names = level_names(column)
    asked = BayesSums((Ask(column.name, "codes", len(names) - 1),), len(table.schema.predicted.labels))
    rows: Counts = table.engine.total(table, asked)[key(0, "counts")].sum(axis=1)
    there = np.flatnonzero(rows)
    fold = np.zeros(len(names), np.int64)
    fold[there] = group_folds(names[there], rows[there], how.folds, how.key)
    sizes = np.bincount(fold, rows, how.folds).astype(np.int64).tolist()
    return dealer.by(FoldOfCode(column.name, fold), sizes, column.name)


@dataclass(frozen=True)
class FoldOfCode:
    """The fold of a row by its code in a column. fold[code]."""

    name: str
    fold: Counts

    def __call__(self, block: Block) -> Counts:
        """Return fold[row]."""
        return np.asarray(self.fold[block.codes(self.name)])


def fold_models(model: Fits, table: Table, rows: FoldedRows, progress: Progress | None) -> list[Any]:
    """Return how the rows of each fold are answered: by the model of all others."""
    works: list[Any] = [None] * len(rows.sizes)
    steps, labels = Steps(len(works), progress), rows.schema.predicted.labels

    def one(fold: int) -> int:
        training = rows.training(fold)
        only = one_class(training, labels)
        if only is not None:
            works[fold] = OnlyClass(only)
        else:
            fitted = fresh(model)._fit_to_answer(training)
            works[fold] = FoldModel(fitted.model_, rows.schema, training.schema)
        training.release()
        steps.one()
        return fold

    everything = len(works)
    if run_folds(one, everything, lambda fold: None, enough=everything, at_once=workers(table)):
        raise KeyboardInterrupt  # answers come when all folds are done
    return works


def judged_answers(rows: FoldedRows, works: list[Any], how: FarJudging) -> RepeatScores:
    """Return what follows from the answers to all rows."""
    labels, answers = rows.schema.predicted.labels, rows.answered(works)
    try:
        given = SummedAnswers.of(answers, len(labels), len(works), how.rule, how.cost, how.positive)
        return RepeatScores(given.scores(labels), rows.sizes, given.fold_means, given.loss_error)
    finally:
        answers.release()
