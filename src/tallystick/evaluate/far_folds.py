"""Cross-validation of rows that stay with Spark: folds are dealt, answered and scored there.

Knows tables on Spark, methods and questions about answers. Law: scores are those of the same rows here, bit
for bit; what comes here are fitted models and sums, nothing that grows with the rows.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallystick.contracts import Block, Table
from tallystick.data.schema import Schema
from tallystick.data.table.subset import recode_block
from tallystick.engines.local import Local
from tallystick.evaluate.far_dealing import FarDealing, FarFolds
from tallystick.evaluate.far_groups import rates_far
from tallystick.evaluate.far_number_groups import sizes_far
from tallystick.evaluate.folds import deal
from tallystick.evaluate.method import Answering, Fits
from tallystick.evaluate.regression import NumberRepeat
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
from tallystick.evaluate.summed_numbers import SummedNumbers
from tallystick.stats.fingerprint import ColumnPrints

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class FarJudging:
    """How answers are judged: see `scores.score`."""

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
    model: Fits, parts: FarFolds, table: Table, how: FarJudging, progress: Progress | None = None
) -> RepeatScores | NumberRepeat:
    """Return what follows from the out-of-fold answers to the rows of a table in folds."""
    try:
        return judged_answers(parts, fold_models(model, table, parts, progress), how)
    finally:
        parts.release()


def halves(table: Table, folds: int) -> Iterator[tuple[Table, Table]]:
    """Yield (rows to train on, rows to test on) of each stratified fold, in the codes of the whole table.
    Rows that are here stay in the table, with weight 0 outside their part; rows far away are taken out. The
    folds do not depend on names of columns: what is chosen by them is part of the model.
    """
    nameless = without_names(table)
    dealing = FarDealing.of(nameless)
    if dealing is None:
        yield from deal(nameless, folds).halves(table)
        return
    rows = dealing.outer(folds).rows
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


def without_names(table: Any) -> Any:
    """Return the table with columns that hashes of rows know by what they hold, not by their names.

    At first by the cells of a column beside the target, then, where columns are alike, also by the rows that
    these stand in. Columns that are alike still are equal or can be traded for each other: by any names the
    folds then give the same losses. They need names, since rows that differ must differ in their hashes.
    """
    schema = table.schema
    used, target = [c.name for c in schema.used], schema.target
    called = [] if target is None else [(target.name, "target")]
    prints = [""] * len(used)
    for _ in range(2):
        found = (table.engine or Local(1)).total(table, ColumnPrints(schema, table.unit)).tolist()
        prints = [f"{before} {print_:016x}" for before, print_ in zip(prints, found, strict=True)]
        order = sorted(range(len(used)), key=lambda i: (prints[i], used[i]))
        schema = replace(schema, keys=(*((used[i], prints[i]) for i in order), *called))
        if len(set(prints)) == len(prints):
            return replace(table, schema=schema)
    keys = [(used[i], f"{prints[i]} {place}") for place, i in enumerate(order)]
    return replace(table, schema=replace(schema, keys=(*keys, *called)))


def fold_models(model: Fits, table: Table, parts: FarFolds, progress: Progress | None) -> list[Any]:
    """Return how the rows of each test are answered: by the model of those that train for it."""
    works: list[Any] = [None] * len(parts.tested)
    steps = Steps(len(works), progress)

    def one(fold: int) -> int:
        training = parts.training(fold)
        try:
            works[fold] = setting_works([model], training, parts.schema)[0]
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


def judged_answers(parts: FarFolds, works: list[Any], how: FarJudging) -> RepeatScores | NumberRepeat:
    """Return what follows from the answers to all tested rows."""
    answers = parts.answered(works)
    try:
        return _numbers(parts, answers) if parts.schema.regression else _classes(parts, answers, how)
    finally:
        answers.release()


def _numbers(parts: FarFolds, answers: AnswerRows) -> NumberRepeat:
    given = SummedNumbers.of(answers, len(parts.tested), parts.unit)
    return NumberRepeat(
        given.measures(),
        parts.sizes,
        sum(parts.rows.sizes),
        given.fold_means,
        given.loss_error,
        {one.name: sizes_far(parts, answers, one) for one in parts.groupings},
    )


def _classes(parts: FarFolds, answers: AnswerRows, how: FarJudging) -> RepeatScores:
    labels = parts.schema.predicted.labels
    asked = how.rule, how.cost, how.positive, parts.unit
    given = SummedAnswers.of(answers, len(labels), len(parts.tested), *asked)
    held = given.totals.confusion.sum(axis=1)
    if sum(parts.sizes) < sum(parts.rows.sizes):
        held = parts.class_rows()
    return RepeatScores(
        given.scores(labels),
        parts.sizes,
        sum(parts.rows.sizes),
        tuple(held.tolist()),
        given.fold_means,
        given.loss_error,
        {one.name: rates_far(parts, answers, one, how.rule) for one in parts.groupings},
    )
