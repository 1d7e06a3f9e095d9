"""Folds at work: training parts are fitted and test parts answered, two folds at a time where that pays.

Knows tables, plans, and anything that can fit a table and answer a block. Knows nothing of learners.
Laws: what occurs in test rows alone is unseen to the training part; the answers do not depend on threads; at
most two training parts exist at once, however many folds there are; an interrupt keeps what is finished.
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallystick.contracts import Block, Table
from tallystick.data.threads import as_they_come
from tallystick.engines.local import Local
from tallystick.evaluate import large
from tallystick.evaluate.far_sums import JudgedSums, JudgedTotals, losses_of
from tallystick.evaluate.folds import NEVER, FoldPlan
from tallystick.evaluate.method import Answering, Fits, FoldRows
from tallystick.evaluate.result import FoldAnswers
from tallystick.stats.exact import exact_total_of

Floats = NDArray[np.float64]
Progress = Callable[[int, int, str], None]
WORKERS = 2  # folds at work at once
SMALL = 250_000  # cells of a table below which Python's own time decides, and a second thread only costs


class Steps:
    """Counts finished pieces of work over all threads and tells them."""

    def __init__(self, total: int, progress: Progress | None, what: str = "folds") -> None:
        self.total, self.progress, self.what = total, progress, what
        self.done, self.lock = 0, threading.Lock()

    def one(self) -> None:
        """One more piece is done."""
        with self.lock:
            self.done += 1
            if self.progress is not None:
                self.progress(self.done, self.total, self.what)


def workers(table: Table) -> int:
    """Return how many folds of a table to have at work at once."""
    small = table.rows * len(table.schema.used) <= SMALL
    return 1 if small or table.place == "disk" else WORKERS  # rows on disk: one training part at a time


def run_folds(
    one: Callable[[int], int],
    n: int,
    finished: Callable[[int], None],
    enough: int = 1,
    at_once: int = WORKERS,
) -> bool:
    """Run one(0) to one(n - 1), some at once; True when the user pressed Ctrl-C after at least `enough` were
    finished. Folds under way then come to their end unseen; those waiting are not begun.
    """
    count = 0
    try:
        for done in as_they_come([partial(one, at) for at in range(n)], at_once):
            finished(done)
            count += 1
    except KeyboardInterrupt:
        if count < enough:
            raise
        return True
    return False


def cross_shares(
    model: Fits, table: Table, plan: FoldPlan, progress: Progress | None = None
) -> tuple[FoldAnswers, bool]:
    """Return out-of-fold shares, and whether the user stopped before all folds were done.

    A method may know a faster way to the same answers (`cross_shares` of its own). Regression: shares[row, 0]
    is the answer itself.
    """
    given, table = table, plan.pieces(table)
    found = None if plan.rising else model._cross_shares(table, plan)
    if found is not None:
        return answered(found, plan.fold, plan, given, table), False
    shares = large.empty(table, (table.rows, max(len(table.schema.predicted.labels), 1)), np.float64)
    done = large.empty(table, table.rows, np.int64)
    done[:] = NEVER
    numbers = plan.numbers
    steps = Steps(len(numbers), progress)

    def one(at: int) -> int:
        train, test = plan.part(numbers[at])
        method = fresh(model, threads=1 if len(numbers) > 1 and table.place != "disk" else None)
        place = 0
        for found in fold_answers(method, table, train, test):
            shares[test[place : place + len(found)]] = found
            place += len(found)
        steps.one()
        return at

    def finished(at: int) -> None:
        done[plan.tested(numbers[at])] = numbers[at]

    stopped = run_folds(one, len(numbers), finished, at_once=workers(table))
    return answered(shares, done, plan, given, table), stopped


def answered(
    shares: Floats, fold: NDArray[np.int64], plan: FoldPlan, table: Table, pieces: Table
) -> FoldAnswers:
    """Return the answers to the pieces of a plan; where one copy stands for all, those to the table's
    rows.
    """
    if plan.twin is None:
        weights = None if plan.rows is None or pieces.weights is None else pieces.weights / pieces.unit
        return FoldAnswers(shares, fold, plan.rows, weights, table.budget if plan.large else 0)
    twin = plan.twin[: table.rows]
    return FoldAnswers(shares[twin], fold[twin])


def refit_shares(model: Fits, table: Table, plan: FoldPlan) -> Floats:
    """Return shares[piece, class] out of fold by fitting each training part: what any faster way must
    equal. The rows of the table are the pieces of the plan.
    """
    shares = np.zeros((table.rows, len(table.schema.predicted.labels)))
    for train, test in plan.parts():
        shares[test] = fold_shares(fresh(model), table, train, test)
    return shares


def fold_shares(model: Fits, table: Table, train: NDArray[np.int64], test: NDArray[np.int64]) -> Floats:
    """Fit the training rows and return shares[test row, class], classes as in the whole table."""
    return np.concatenate(list(fold_answers(model, table, train, test)))


def fold_answers(
    model: Fits, table: Table, train: NDArray[np.int64], test: NDArray[np.int64]
) -> Iterator[Floats]:
    """Fit the training rows and yield shares[test row, class], classes as in the whole table, some rows at a
    time.
    """
    training = table.take(train)
    only = one_class(training, table.schema.predicted.labels)
    if only is not None:
        yield np.tile(only, (len(test), 1))
        return
    model._fit_to_answer(training)
    tested = table.take(test, training.schema)
    try:
        yield from answers_to(model, training, tested, table.schema.predicted.labels)
    finally:
        for part in (training, tested):
            part.release()


def one_class(training: Table, labels: tuple[str, ...]) -> Floats | None:
    """Return shares[class of all labels] of training rows that have one class: any method answers it. None:
    they have several, or the target is a number.
    """
    own = training.schema.predicted.labels
    return np.array([float(label == own[0]) for label in labels]) if len(own) == 1 else None


@dataclass(frozen=True)
class ByBlock:
    """A fitted method as work on a block; it can be sent to where the rows are."""

    model: Any

    def __call__(self, block: Block) -> Floats:
        """Return shares[row, class]."""
        shares: Floats = self.model.model_.shares(block)
        return shares


def answer(model: Fits, training: Table, part: FoldRows, labels: tuple[str, ...]) -> Floats:
    """Return shares[row, class] of a part encoded by the training schema; a class not in training has 0.
    Regression: the answers as [row, 0].
    """
    return gathered(training, part.rows, labels, answers_to(model, training, part, labels))


def gathered(table: Table, rows: int, labels: tuple[str, ...], pieces: Iterator[Floats]) -> Floats:
    """Return shares[row, class] that come in pieces as one array, on disk where the budget of a table does
    not hold it.
    """
    out, at = large.empty(table, (rows, max(len(labels), 1)), np.float64), 0
    for shares in pieces:
        out[at : at + len(shares)] = shares
        at += len(shares)
    return out


def answers_to(model: Fits, training: Table, part: FoldRows, labels: tuple[str, ...]) -> Iterator[Floats]:
    """Yield what `answer` returns, some rows at a time."""
    found = model._predict_table(part)
    if found is not None:
        yield spread(found, training.schema.predicted.labels, labels)
    else:
        for shares in part.answers(ByBlock(model)):  # where the rows are
            yield spread(shares, training.schema.predicted.labels, labels)


def spread(shares: Floats, own: tuple[str, ...], labels: tuple[str, ...], others: float = 0.0) -> Floats:
    """Return shares[row, class of the training part] as shares[row, class of all labels]; others: what those
    get that the training part lacks.
    """
    if own == labels:
        return shares
    out = np.full((len(shares), len(labels)), others)
    out[:, [labels.index(label) for label in own]] = shares
    return out


def answer_settings(
    settings: Sequence[Any], training: Table, part: FoldRows, labels: tuple[str, ...], roughly: bool = False
) -> Iterable[Floats]:
    """Yield shares[row, class of all labels] of each setting fitted to the training part, together where its
    method can. roughly: they are to tell which setting is best, and are forgotten.
    """
    own, only = training.schema.predicted.labels, one_class(training, labels)
    if only is not None:
        yield from (np.broadcast_to(only, (part.rows, len(only))) for _ in settings)
        return
    models = together(settings, training, roughly)
    if models is None:
        for setting in settings:
            yield answer(fresh(setting, threads=1)._fit_to_answer(training), training, part, labels)
        return
    again = Counter(map(id, models))
    known: dict[int, Floats] = {}
    for at, model in enumerate(map(id, models)):
        if model not in known:
            pieces = (spread(shares, own, labels) for shares in part.answers(models[at].shares))
            known[model] = gathered(training, part.rows, labels, pieces)
        again[model] -= 1
        yield known[model] if again[model] else known.pop(model)  # a later setting may come to the same


def together(settings: Sequence[Any], training: Table, roughly: bool) -> list[Answering] | None:
    """Return a model of each setting, fitted to the training part together; None: they cannot be."""
    found = settings[0]._fit_settings(settings, training, roughly) if len(settings) > 1 else None
    return None if found is None else list(found)


def training_loss(model: Any, table: Table) -> float:
    """Return the mean log-loss of a fitted model on its training rows."""
    if table.place == "far" and table.engine is not None:
        judged: JudgedTotals = table.engine.total(table, JudgedSums(ByBlock(model), None))
        return judged.mean_loss
    return exact_total_of(_losses_of(model, table)) / table.weight


def _losses_of(model: Any, table: Table) -> Iterator[tuple[Floats, NDArray[np.int64] | None]]:
    """Yield the log-loss of each training row, and its weight, some rows at a time."""
    at = 0
    for shares in answers_to(model, table, table, table.schema.predicted.labels):
        here = slice(at, at + len(shares))
        yield losses_of(table, shares, here), None if table.weights is None else table.weights[here]
        at += len(shares)


def fresh(model: Fits, threads: int | None = None) -> Any:
    """Return an unfitted copy; threads are set where the method has them and the user did not say."""
    params = model.get_params(deep=False)
    engine = params.get("engine")
    said = isinstance(engine, Local) and engine.threads is not None
    if threads is not None and not said and params.get("threads", 0) is None:
        params["threads"] = threads
    return type(model)(**params)
