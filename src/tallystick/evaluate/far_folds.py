"""Cross-validation of rows that stay with Spark: folds are dealt, answered and scored there.

Knows tables on Spark, methods and questions about answers. Law: scores are those of the same rows here, bit
for bit; what comes here are fitted models and sums, nothing that grows with the rows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from tallystick.contracts import Block, Table
from tallystick.data.schema import CODED, Schema
from tallystick.data.table.subset import recode_block
from tallystick.evaluate.cases import InTurn
from tallystick.evaluate.folds import check_folds, deal, group_folds
from tallystick.evaluate.groups import level_names
from tallystick.evaluate.method import Answering, Fits
from tallystick.evaluate.result import RepeatScores
from tallystick.evaluate.running import (
    Progress,
    Steps,
    fresh,
    one_class,
    run_folds,
    spread,
    together,
    workers,
)
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

    def coded(self, *folds: int) -> Table:
        """Return the rows of some folds in the codes of all rows."""
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
    dealing = FarDealing.of(table, how.groups)
    if dealing is None:
        return None
    rows = dealing.outer(how.folds, how.key)
    try:
        return judged_answers(rows, fold_models(model, table, rows, progress), how)
    finally:
        rows.release()


@dataclass(frozen=True)
class FarDealing:
    """How rows that stay far are dealt where they are: as `folds.Dealing` deals rows here. groups: the name
    of a column whose equal values stay together.
    """

    table: Table
    dealer: Dealer
    groups: str | None = None

    @classmethod
    def of(cls, table: Table, groups: str | None = None) -> FarDealing | None:
        """Return how to deal a table; None: it does not stay far, or cannot be dealt there."""
        dealer: Dealer | None = table.dealer()
        if dealer is None:
            return None
        if groups is not None:
            column = table.schema[groups]
            if column not in table.schema.used or column.kind not in CODED or table.engine is None:
                return None
        return cls(table, dealer, groups)

    def outer(self, folds: int, key: int = 0) -> FoldedRows:
        """Return the rows in the folds that judge."""
        if self.groups is None:
            check_folds(folds, self.table.rows, "rows")
            return self.dealer.in_order(InTurn(key, folds, not self.table.schema.regression))
        return self._by(self._fold_of_code(folds, key, self._held[1] > 0), folds)

    def inner(
        self, training: Table, folds: int, outer: tuple[int, int] | None = None
    ) -> tuple[FoldedRows, int]:
        """Return rows in the folds that choose among settings, and how many folds these are: training is all
        rows, or those outside one fold of several, outer = (that fold, several). Rows in no such fold are in
        one more.
        """
        if self.groups is None:
            dealer: Dealer = training.dealer()
            check_folds(folds, training.rows, "rows")
            return dealer.in_order(InTurn(1, folds)), folds
        every = self._held[1] > 0
        there = every if outer is None else every & (self._fold_of_code(outer[1], 0, every) != outer[0])
        folds = max(2, min(folds, int(there.sum())))
        fold = self._fold_of_code(folds, 1, there)
        return self._by(np.where(there, fold, folds), folds + 1), folds

    @cached_property
    def _held(self) -> tuple[NDArray[Any], Counts]:
        """The names of the groups, and rows[code] of each."""
        assert self.groups is not None
        assert self.table.engine is not None
        names = level_names(self.table.schema[self.groups])
        asked = Ask(self.groups, "codes", len(names) - 1)
        total = self.table.engine.total(
            self.table, BayesSums((asked,), len(self.table.schema.predicted.labels))
        )
        return names, total[key(0, "counts")].sum(axis=1)

    def _fold_of_code(self, folds: int, key: int, there: NDArray[np.bool_]) -> Counts:
        """Return fold[code] of the groups that are there."""
        names, rows = self._held
        fold = np.zeros(len(names), np.int64)
        fold[there] = group_folds(names[there], rows[there], folds, key)
        return fold

    def _by(self, fold: Counts, folds: int) -> FoldedRows:
        assert self.groups is not None
        sizes = np.bincount(fold, self._held[1], folds).astype(np.int64).tolist()
        return self.dealer.by(FoldOfCode(self.groups, fold), sizes, self.groups)


def halves(table: Table, folds: int) -> Iterator[tuple[Table, Table]]:
    """Yield (rows to train on, rows to test on) of each stratified fold, in the codes of the whole table.
    Rows that are here stay in the table, with weight 0 outside their part; rows far away are taken out.
    """
    dealing = FarDealing.of(table)
    if dealing is None:
        yield from deal(table, folds).halves(table)
        return
    rows = dealing.outer(folds)
    try:
        for f in range(folds):
            parts = rows.coded(*(other for other in range(folds) if other != f)), rows.coded(f)
            try:
                yield parts
            finally:
                for part in parts:
                    part.release()
    finally:
        rows.release()


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
    steps = Steps(len(works), progress)

    def one(fold: int) -> int:
        training = rows.training(fold)
        try:
            works[fold] = setting_works([model], training, rows.schema)[0]
        finally:
            training.release()
        steps.one()
        return fold

    everything = len(works)
    if run_folds(one, everything, lambda fold: None, enough=everything, at_once=workers(table)):
        raise KeyboardInterrupt  # answers come when all folds are done
    return works


def setting_works(
    settings: Sequence[Any], training: Table, whole: Schema, roughly: bool = False
) -> list[FoldModel | OnlyClass]:
    """Return how rows coded by the whole table are answered by each setting, fitted to the training part;
    roughly: see `running.answer_settings`.
    """
    only = one_class(training, whole.predicted.labels)
    if only is not None:
        return [OnlyClass(only)] * len(settings)
    models = together(settings, training, roughly)
    if models is None:
        models = [fresh(setting, threads=1)._fit_to_answer(training).model_ for setting in settings]
    made = {id(model): FoldModel(model, whole, training.schema) for model in models}
    return [made[id(model)] for model in models]


def judged_answers(rows: FoldedRows, works: list[Any], how: FarJudging) -> RepeatScores:
    """Return what follows from the answers to all rows."""
    labels, answers = rows.schema.predicted.labels, rows.answered(works)
    try:
        given = SummedAnswers.of(answers, len(labels), len(works), how.rule, how.cost, how.positive)
        return RepeatScores(given.scores(labels), rows.sizes, given.fold_means, given.loss_error)
    finally:
        answers.release()
