"""Naive Bayes across folds: calibration of its scores, and cross-validated answers from one pass.

1. Calibration by Newton's method, a slope and a shift per class: `calibrate()`.
2. Out-of-fold answers: each fold is answered by the total of the others: `cross_answers()`, `fold_models()`.
3. Learning curves: `grown_answers()`; leave-one-out: `one_out_answers()`; a calibrated model: `calibrated()`.

one = the whole number that stands for 1 in fixed-point sums over rows.
Laws: the answers are the bits that refitting each fold gives; calibration depends on the multiset of rows
alone, because every sum is of whole numbers.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from tallystick import kernels
from tallystick.bayes.learner import (
    FoldQuestion,
    Known,
    NaiveBayesLearner,
    WholeTable,
    added,
    part_of,
    question,
    sum_of,
)
from tallystick.bayes.model import NaiveBayesModel
from tallystick.contracts import Engine, Table
from tallystick.engine import Local, fit
from tallystick.model.additive import Calibration
from tallystick.parallel import in_order
from tallystick.stats.class_counts import COPIES, Total, ValuesByClass
from tallystick.table.block import class_type
from tallystick.table.table import LocalTable

if TYPE_CHECKING:
    from tallystick.judge.folds import FoldPlan


# Calibration: slope and shifts that maximise the out-of-fold likelihood; terms are rounded to fixed point.

Array = NDArray[np.float64]
FARTHEST = 200.0  # in log score: a class further below the best counts as so far below
PRIOR = 1.0  # strength of the penalty on a slope other than 1 and shifts other than 0, in rows
ROUNDS = 50  # steps of Newton's method at most
LEAST_SLOPE = 1e-3  # a smaller or negative slope would turn answers round


def calibrate(scores: Array, truth: NDArray[np.int64], weights: Array) -> tuple[float, tuple[float, ...]]:
    """Return (slope, shift[class]) that maximise sum of weight * ln softmax(slope * score + shift)[truth].

    Minus PRIOR / 2 * ((slope - 1)^2 + sum of shift^2), so that few rows move little.
    """
    near, one = nearby(scores), whole_unit(math.fsum(weights.tolist()))
    whole = bool((weights == np.floor(weights)).all())

    def look(at: Array) -> tuple[float, Array, Array]:
        return objective(term_sums(near, truth, at, one, weights, whole), at, one)

    return maximised(look, scores.shape[1])


def maximised(
    look: Callable[[Array], tuple[float, Array, Array]], classes: int
) -> tuple[float, tuple[float, ...]]:
    """Return (slope, shift[class]) where the objective is highest. look(at): it, its gradient, and minus
    its curvature. Newton's method; the problem is concave, and each step is halved until it helps.
    """
    at = np.zeros(1 + classes)
    at[0] = 1.0
    value, gradient, curvature = look(at)
    for _ in range(ROUNDS):
        step = solve(curvature, gradient)
        for halving in range(30):
            new = at + step / 2**halving
            new[0] = max(float(new[0]), LEAST_SLOPE)
            found = look(new)
            if found[0] > value:
                break
        else:
            break
        gained = found[0] - value
        at, (value, gradient, curvature) = new, found
        if gained < 1e-9 * abs(value):
            break
    return float(at[0]), tuple(float(s) for s in at[1:])


def nearby(scores: Array) -> Array:
    """Return scores[row, class] by how far they are below the best of their row, FARTHEST at most."""
    best = scores.max(axis=1, keepdims=True)
    out: Array = np.maximum(scores - np.where(np.isfinite(best), best, 0.0), -FARTHEST)
    return out


def whole_unit(weight: float) -> float:
    """Return the whole number that stands for 1 in sums over rows of this weight: no sum passes 2^62."""
    bound = FARTHEST**2 * max(weight, 1.0)
    return float(2.0 ** (61 - math.ceil(math.log2(bound))))


def term_sums(
    scores: Array,
    truth: NDArray[np.int64],
    at: Array,
    one: float,
    weights: Array | None = None,
    whole: bool = True,
) -> NDArray[np.int64]:
    """Return the sums of weight * term over rows, each rounded to a whole multiple of 1 / one, of the terms
    of the objective, its gradient and minus its curvature at (slope, shift...). weights: None is 1; whole:
    the weights of all rows are whole, also of those that are not in this part.
    """
    z = np.ascontiguousarray(at[0] * scores + at[1:])
    shares = kernels.softmax(z)
    own = np.arange(len(z)), truth
    k = z.shape[1]
    mean = _rowsum(shares * scores)
    terms = [
        np.maximum(z[own] - kernels.log_sum_exp(z), -FARTHEST),
        scores[own] - mean,
        *((truth == c) - shares[:, c] for c in range(k)),
        _rowsum(shares * scores * scores) - mean * mean,
    ]
    for c in range(k):
        terms.append(shares[:, c] * (scores[:, c] - mean))
        terms += [shares[:, c] * ((c == d) - shares[:, d]) for d in range(c + 1)]
    out = np.empty(len(terms), np.int64)
    for i, term in enumerate(terms):
        rounded = np.rint(term * one)
        if weights is None:
            out[i] = rounded.astype(np.int64).sum()
        elif whole:  # a weight is that many copies: round the term, then multiply
            out[i] = (rounded.astype(np.int64) * weights.astype(np.int64)).sum()
        else:
            out[i] = np.rint(rounded * weights).astype(np.int64).sum()
    return out


def objective(sums: NDArray[np.int64], at: Array, one: float) -> tuple[float, Array, Array]:
    """Return the objective, its gradient, and minus its curvature, at (slope, shift...), from `term_sums`."""
    k = len(at) - 1
    found = iter([int(total) / one for total in sums])
    value = next(found)
    gradient = np.array([next(found) for _ in range(1 + k)])
    curvature = np.empty((1 + k, 1 + k))
    curvature[0, 0] = next(found)
    for c in range(k):
        curvature[0, 1 + c] = curvature[1 + c, 0] = next(found)
        for d in range(c + 1):
            curvature[1 + c, 1 + d] = curvature[1 + d, 1 + c] = next(found)
    away = at.copy()
    away[0] -= 1.0
    value -= PRIOR / 2 * sum(a * a for a in away.tolist())
    return value, gradient - PRIOR * away, curvature + PRIOR * np.eye(1 + k)


def _rowsum(table: Array) -> Array:
    """Return the sums of rows, added in the order of columns."""
    out: Array = np.add.accumulate(table, axis=1)[:, -1]
    return out


def solve(matrix: Array, right: Array) -> Array:
    """Return x with matrix x = right, for a symmetric positive matrix, by Cholesky in one fixed order."""
    n = len(right)
    a = matrix.tolist()
    low = [[0.0] * n for _ in range(n)]
    for i in range(n):
        for j in range(i + 1):
            rest = a[i][j] - sum(low[i][k] * low[j][k] for k in range(j))
            low[i][j] = math.sqrt(max(rest, 1e-12)) if i == j else rest / low[j][j]
    y = [0.0] * n
    for i in range(n):
        y[i] = (float(right[i]) - sum(low[i][k] * y[k] for k in range(i))) / low[i][i]
    x = [0.0] * n
    for i in reversed(range(n)):
        x[i] = (y[i] - sum(low[k][i] * x[k] for k in range(i + 1, n))) / low[i][i]
    return np.array(x)


Answer = Callable[[NaiveBayesModel, Table], Array]
FOLDS = 10  # folds of the cross-validation that calibrates
AT_ONCE = 1 << 18  # rows of a batch to be answered
MOST_CELLS = 1 << 24  # cells of a total for all folds together; beyond, each fold is summed by itself


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
    from tallystick.judge import folds as large

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
    from tallystick.judge import folds as large

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
    both = _whole(ask, table.local().with_classes(classes), k * folds, engine)
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
    both = _whole(ask, training.local().with_classes(classes), k * steps, engine)
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
    """Return the model with slope and shifts fitted to out-of-fold scores."""
    from tallystick.judge.folds import count_cases, deal  # not loaded for prediction alone

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
    near = isinstance(table, LocalTable)
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
