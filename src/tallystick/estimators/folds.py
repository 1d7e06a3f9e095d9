"""Naive Bayes on rows it has not seen, from one pass: each fold is answered by the total of the others.

Knows tables, engines and the learner's totals. Law: the answers are the bits that refitting each fold gives.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from tallystick.contracts import Engine, Table
from tallystick.data.table.block import class_type
from tallystick.data.threads import in_order
from tallystick.engines.local import Local
from tallystick.learners.calibrate import calibrate
from tallystick.learners.fit import fit
from tallystick.learners.naive_bayes import NaiveBayesLearner
from tallystick.learners.naive_bayes.folds import (
    FoldQuestion,
    Known,
    WholeTable,
    added,
    part_of,
    question,
    sum_of,
)
from tallystick.models.naive_bayes import Calibration, NaiveBayesModel
from tallystick.stats.bayes import Total
from tallystick.stats.class_values import COPIES, ValuesByClass

if TYPE_CHECKING:
    from tallystick.evaluate.folds import FoldPlan

Array = NDArray[np.float64]
Answer = Callable[[NaiveBayesModel, Table], Array]
FOLDS = 10  # of the cross-validation that calibrates
AT_ONCE = 1 << 18  # rows that are answered at once
MOST_CELLS = 1 << 24  # of a total for all folds at once; beyond, each fold is summed by itself


def cross_answers(
    ask: FoldQuestion,
    table: Table,
    plan: FoldPlan,
    engine: Engine,
    answer: Answer,
    threads: int | None,
    absent: float = 0.0,
) -> Array:
    """Return answer(model of the other folds, rows) [row, class]; classes that no other fold has:
    `absent`.
    """
    from tallystick.evaluate import large

    labels = table.schema.predicted.labels
    out: Array = large.empty(table, (table.rows, len(labels)), np.float64)
    if absent:
        out[:] = absent

    def job(f: int, model: NaiveBayesModel) -> Callable[[], None]:
        def run() -> None:
            test = plan.tested(f)
            at = [labels.index(label) for label in model.schema.predicted.labels]
            for start in range(0, len(test), AT_ONCE):
                some = test[start : start + AT_ONCE]
                out[some[:, None], at] = answer(model, table.take(some, model.schema))

        return run

    models = fold_models(ask, table, plan, engine)
    for _ in in_order((job(f, model) for f, model in models), threads):
        pass
    return out


def fold_models(
    ask: FoldQuestion, table: Table, plan: FoldPlan, engine: Engine
) -> Iterator[tuple[int, NaiveBayesModel]]:
    """Yield each fold that has rows, and the model of all rows but these."""
    from tallystick.evaluate import large

    assert table.classes is not None
    k, numbers = len(table.schema.predicted.labels), plan.numbers
    folds = numbers[-1] + 1
    cells = sum(len(a) for a in _tables(ask.statistics(1)[0].zero())) * k * folds
    if cells > MOST_CELLS:
        whole = _whole(ask, table, k, engine)
        for f in numbers:
            yield f, ask.rest(whole, _whole(ask, table.take(plan.tested(f), table.schema), k, engine))
        return
    classes = large.empty(table, table.rows, class_type(k * folds))
    for s in large.steps(table.rows):
        classes[s] = plan.fold[s] * k + table.classes[s].astype(np.int64)
    both = _whole(ask, table.with_classes(classes), k * folds, engine)
    whole = sum_of(both.sums, both.values, folds)
    for f in numbers:
        yield f, ask.rest(whole, part_of(both.sums, both.values, f, folds))


def holds_values(ask: FoldQuestion, table: Table, rows: int, parts: int) -> bool:
    """Say whether the budget of a table has room for the values of all columns that may be cut, of so many
    rows, by class and part.
    """
    classes = len(table.schema.predicted.labels)
    return not table.budget or 4 * COPIES * 8 * rows * len(ask.cut) * classes * parts <= table.budget


def _whole(ask: FoldQuestion, table: Table, classes: int, engine: Engine) -> WholeTable:
    sums, values = ask.statistics(classes)
    found = engine.total(table, values) if values.columns else []
    return WholeTable(engine.total(table, sums), dict(zip(values.columns, found, strict=True)))


def _tables(total: Total) -> list[NDArray[np.int64]]:
    return [array for array in total.values() if array.ndim == 2]


def grown_answers(
    ask: FoldQuestion,
    table: Table,
    train: NDArray[np.int64],
    test: NDArray[np.int64],
    sizes: Sequence[int],
    answer: Answer,
) -> list[Array | None] | None:
    """Return answer(model of train[:size], test rows) [row, class] for rising sizes, from one pass over the
    training rows; None for a size whose rows have one class, and None where the totals would be too large.
    """
    labels, engine = table.schema.predicted.labels, Local(1)
    k, steps = len(labels), len(sizes)
    if sum(len(a) for a in _tables(ask.statistics(1)[0].zero())) * k * steps > MOST_CELLS:
        return None
    if not holds_values(ask, table, sizes[-1], steps):
        return None
    training = table.take(train[: sizes[-1]], table.schema)
    assert training.classes is not None
    step = np.searchsorted(np.asarray(sizes), np.arange(training.rows), side="right")
    classes = (step * k + training.classes.astype(np.int64)).astype(class_type(k * steps))
    both = _whole(ask, training.with_classes(classes), k * steps, engine)
    whole = sum_of(both.sums, both.values, steps)
    later = _nothing(whole)
    out: list[Array | None] = [None] * steps
    for s in reversed(range(steps)):
        if np.count_nonzero(whole.sums[""] - later.sums[""]) > 1:
            model = ask.rest(whole, later)
            shares = np.zeros((len(test), k))
            at = [labels.index(label) for label in model.schema.predicted.labels]
            shares[:, at] = answer(model, table.take(test, model.schema))
            out[s] = shares
        later = added(later, part_of(both.sums, both.values, s, steps))
    return out


def _nothing(whole: WholeTable) -> WholeTable:
    """Return the totals of no rows."""
    values = {
        name: ValuesByClass(v.values, np.zeros_like(v.counts), np.zeros_like(v.missing))
        for name, v in whole.values.items()
    }
    return WholeTable({name: np.zeros_like(array) for name, array in whole.sums.items()}, values)


def one_out_answers(ask: FoldQuestion, table: Table, plan: FoldPlan, engine: Engine, answer: Answer) -> Array:
    """Return answer(model of all but this piece, piece) [piece, class] of the pieces that a plan tests, each
    a fold of its own.
    """
    labels = table.schema.predicted.labels
    k = len(labels)
    whole = _whole(ask, table, k, engine)
    out = np.zeros((table.rows, k))
    known: Known = {}
    for row in np.flatnonzero(plan.fold >= 0).tolist():
        alone = table.take(np.array([row]), table.schema)
        model = ask.rest(whole, _whole(ask, alone, k, engine), known)
        at = [labels.index(label) for label in model.schema.predicted.labels]
        out[row, at] = answer(model, table.take(np.array([row]), model.schema))[0]
    return out


def calibrated(model: NaiveBayesModel, table: Table, engine: Engine, threads: int | None) -> NaiveBayesModel:
    """Return the model with slope and shifts fitted to the scores of rows its like had not seen."""
    from tallystick.evaluate import deal  # judging is not loaded by who only predicts
    from tallystick.evaluate.cases import count_cases
    from tallystick.evaluate.far_dealing import FarDealing

    dealing = FarDealing.of(table)
    if dealing is not None:
        from tallystick.estimators.far_calibration import calibrated_far

        return calibrated_far(model, dealing, FOLDS, engine)
    plan = deal(table, min(FOLDS, count_cases(table)))
    table = plan.pieces(table)
    assert table.classes is not None
    scores = _unseen_scores(model, table, plan, engine, threads)
    weights = np.ones(table.rows) if table.weights is None else table.weights / table.unit
    slope, shift = calibrate(scores, table.classes.astype(np.int64), weights)
    return replace(model, calibration=Calibration(slope, shift))


def _unseen_scores(
    model: NaiveBayesModel, table: Table, plan: FoldPlan, engine: Engine, threads: int | None
) -> Array:
    """Return scores[row, class], each by a model that was fitted without the row's fold."""
    learner = NaiveBayesLearner(model.options, model.unit)
    ask = question(learner, table.schema)
    near = table.place != "far"
    if ask is not None and near and holds_values(ask, table, table.rows, len(plan.numbers)):
        return cross_answers(ask, table, plan, engine, _joint, threads, -np.inf)
    scores = np.full((table.rows, len(model.classes)), -np.inf)
    for train, test in plan.parts():
        training = table.take(train)
        part = fit(learner, training, engine)
        labels = [table.schema.predicted.labels.index(v) for v in training.schema.predicted.labels]
        scores[test[:, None], labels] = _joint(part, table.take(test, training.schema))
    return scores


def _joint(model: NaiveBayesModel, rows: Table) -> Array:
    return np.concatenate(list(rows.answers(model.joint)))
