"""Running folds: labels and weights of rows, held-out rows, what judging asks of methods, costs of answers.

1. Labels as class numbers, and weights: `class_labels_of()`, `weights_of()`.
2. Held-out rows, encoded by the training schema: `hold()`, `HeldOut`.
3. The contract of methods: `Fits`, `Answering`, `FoldRows`.
4. Entry: `cross_shares()`: fits training parts and answers test parts, WORKERS folds in parallel.
5. Costs of answers: `cost_matrix()`, `judged_by()`.

shares[row, class] = probabilities (a regression: the answers as [row, 0]); plan = `folds.FoldPlan`.
Laws: values that only test rows have are unseen in training; answers do not depend on threads; at most two
training parts exist at once; an interrupt keeps the finished folds; held-out rows change nothing of training.
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from tallystick.contracts import Block, Table
from tallystick.engine import Local
from tallystick.errors import DataError, OptionError, TargetError, counted, nearest, shown
from tallystick.io.containers import as_column
from tallystick.io.csv_repair import unread
from tallystick.io.open import open_source, opened
from tallystick.judge import folds
from tallystick.judge.answers import class_weights, losses_of
from tallystick.judge.folds import NEVER, FoldPlan
from tallystick.judge.result import FoldAnswers
from tallystick.model.decision import AnswerDecision, by_answer, of_threshold, refuse_unknown
from tallystick.parallel import as_they_come
from tallystick.schema import Schema, Target
from tallystick.stats.exact import exact_total_of
from tallystick.table.block import Hasher, RowBlock
from tallystick.table.cells import distinct_texts
from tallystick.table.new_rows import match
from tallystick.table.target import no_weight, refuse_no_weights, weight_numbers

UNKNOWN = -1  # class number of a label that the model does not know
MISSING = -2  # class number of a row without a label


def class_labels_of(X: Any, y: Any, schema: Schema) -> NDArray[np.int64]:
    """Return truth[row]: the class number of each row's label, UNKNOWN for a label the model does not know,
    MISSING for none, as of a row that cannot be read.
    """
    target = schema.predicted
    if isinstance(y, str):
        source = open_source(X)
        if y not in source.columns:
            raise TargetError(f"there is no column {shown(y)} in {source.name}.{nearest(y, source.columns)}")
        parts = [_classes(batch.column(y), target, schema.marks, unread(batch)) for batch in source.batches()]
        return np.concatenate(parts) if parts else np.zeros(0, np.int64)
    flat = y.ravel() if isinstance(y, np.ndarray) and y.ndim != 1 else y
    return _classes(as_column(flat, target.name).combine_chunks(), target, schema.marks)


def _classes(
    cells: Any, target: Target, marks: Sequence[str], lost: Collection[int] = ()
) -> NDArray[np.int64]:
    """Return the class number of each label of a batch; lost: the rows that cannot be read."""
    known = {label: i for i, label in enumerate(target.labels)}
    distinct = distinct_texts(cells, target.name, marks)
    texts = map(target.label_of, distinct.values.to_pylist())
    numbers = np.array([*(known.get(text, UNKNOWN) for text in texts), MISSING], np.int64)
    out: NDArray[np.int64] = numbers[distinct.codes]
    out[list(lost)] = MISSING
    return out


def weights_of(X: Any, given: Any, rows: int) -> NDArray[np.float64]:
    """Return the weight of each row, checked. given: an array, or the name of a column of X."""
    if isinstance(given, str):
        source = open_source(X)
        if given not in source.columns:
            raise DataError(
                f"there is no column {shown(given)} in {source.name}.{nearest(given, source.columns)}"
            )
        real = np.concatenate([weight_numbers(batch.column(given)) for batch in source.batches()])
    else:
        real = weight_numbers(as_column(given, "sample_weight"))
    if len(real) != rows:
        raise DataError(
            f"sample_weight has {len(real):,} values for {counted(rows, 'row')}. Pass one per row."
        )
    refuse_no_weights(real)
    if not real.any():
        raise no_weight()
    return real


# Held-out rows: another source, encoded by the training schema, with the truth; rows without it are left out.

NOT_IN_TRAINING = "(not in training)"


@dataclass(frozen=True)
class HeldOut:
    """Rows to be answered, and their truth: the class in `labels`, or of a regression the number.

    labels: those of the training rows, and one more when the target of some rows is none of them. known[row]
    of the source: has a target. copies: how many rows are, with the same target, among the training rows.
    """

    data: Any
    parts: tuple[RowBlock, ...]
    truth: NDArray[Any]
    known: NDArray[np.bool_]
    labels: tuple[str, ...]
    copies: int

    @property
    def rows(self) -> int:
        """How many rows are to be answered, those without a target among them."""
        return len(self.known)

    def blocks(self) -> Iterator[RowBlock]:
        """Yield the rows."""
        return iter(self.parts)

    def answers(self, work: Callable[[RowBlock], NDArray[np.float64]]) -> Iterator[NDArray[np.float64]]:
        """Yield work(block) of all rows."""
        return map(work, self.parts)

    def judged(self, shares: NDArray[np.float64]) -> FoldAnswers:
        """Return the answers of the rows with a target; a class that was not in training has the share 0."""
        more = max(len(self.labels), 1) - shares.shape[1]
        whole = np.hstack([shares, np.zeros((len(shares), more))])[self.known]
        return FoldAnswers(whole, np.zeros(len(whole), np.int64))


def hold(given: Any, table: Table, reader: Any) -> HeldOut:
    """Return held-out rows for a training table. given: rows with their target as a column, or (X, y)."""
    X, y = given if isinstance(given, tuple) and len(given) == 2 else (given, table.schema.predicted.name)
    X = opened(X)  # opened once: it may be a pipe
    source = open_source(X)
    parts = tuple(matched.block for matched in match(source, table.schema, unread="leave out"))
    truth: NDArray[Any]
    labels: tuple[str, ...] = ()
    if table.schema.regression:
        truth, known = _responses(reader._read(X, y), sum(part.rows for part in parts))
    else:
        labels = table.schema.predicted.labels
        truth = class_labels_of(X, y, table.schema)
        known = truth != MISSING
        if (truth == UNKNOWN).any():
            truth, labels = np.where(truth == UNKNOWN, len(labels), truth), (*labels, NOT_IN_TRAINING)
    if not known.any():
        raise DataError(f"no row of {source.name} has a target. Held-out rows need one to be judged.")
    return HeldOut(X, parts, truth[known], known, labels, _copies(table, parts, truth, known))


def _responses(read: Table, rows: int) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    assert read.response is not None
    places = read.local().kept
    kept = np.arange(rows) if places is None else places
    truth, known = np.full(rows, np.nan), np.zeros(rows, bool)
    truth[kept], known[kept] = read.response, True
    return truth, known


def _copies(table: Table, parts: tuple[RowBlock, ...], truth: NDArray[Any], known: NDArray[np.bool_]) -> int:
    """Return how many held-out rows are equal to a training row, target included."""
    hasher, start = Hasher(table.schema), 0
    hashes = []
    for part in parts:
        here = slice(start, start + part.rows)
        if table.schema.regression:
            whole = replace(part, response=np.ascontiguousarray(truth[here]))
        else:
            own = np.clip(truth[here], 0, len(table.schema.predicted.labels)).astype(np.uint32)
            whole = replace(part, classes=own)  # a class not in training equals no training row
        hashes.append(hasher.rows(whole))
        start += part.rows
    asked = np.concatenate(hashes) if hashes else np.zeros(0, np.uint64)
    return int((np.isin(asked, table.row_hashes()) & known).sum())


# The contract of methods: to fit a table and answer rows, and faster ways to do so.
# Law: every method has every member; `PlainMethod` in estimator/base.py has the defaults.

Floats = NDArray[np.float64]


class FoldRows(Protocol):
    """Rows to be answered: a table, or rows held out."""

    @property
    def rows(self) -> int:
        """How many."""
        ...

    def blocks(self) -> Iterator[Any]:
        """Yield all rows once."""
        ...

    def answers(self, work: Callable[[Block], Floats]) -> Iterator[Floats]:
        """Yield work(block) of all rows, some at a time."""
        ...


class Answering(Protocol):
    """What judging needs of a fitted model."""

    def shares(self, block: Block) -> Floats:
        """Return P(class | row) [row, class]; a regression: the answers as [row, 0]."""
        ...


class Fits(Protocol):
    """What judging needs of a method, ours or foreign.

    The names begin with an underscore although rooms share them: every method is a public class, whose
    public names stay few. This is their contract; no other private member of a method is used.
    """

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the parameters it was made with."""
        ...

    def _read(self, X: Any, y: Any = None, sample_weight: Any = None) -> Table:
        """Return the encoded table."""
        ...

    def _fit_table(self, table: Table) -> Any:
        """Learn from an encoded table."""
        ...

    def _fit_to_answer(self, table: Table) -> Any:
        """Learn from an encoded table to answer with `model_` and be forgotten: whatever else a fit finds may
        be left out. Law: it answers as `_fit_table` does, bit for bit.
        """
        ...

    @property
    def model_(self) -> Answering:
        """The fitted model."""
        ...

    def _numbers(self) -> int | None:
        """Return how many numbers a reader of the fitted model must look at; None: nobody says."""
        ...

    def _own_costs(self, target: Target) -> Sequence[Sequence[float]]:
        """Return `costs[class][answer]` by which answers are decided; nothing where the largest share is."""
        ...

    def _by_label(self, target: Target) -> Self:
        """Return the method with its numbers per class by label: a part of the rows may lack a class."""
        ...

    def _predict_table(self, table: Any) -> Floats | None:
        """Return shares[row, class] of rows as they were read; None: `model_` answers blocks."""
        ...

    def _cross_shares(self, table: Table, plan: FoldPlan) -> Floats | None:
        """Return out-of-fold shares[row, class]; the rows of the table are the pieces of the plan. None: each
        fold is fitted. Law: the shares are those of fitting fold by fold.
        """
        ...

    def _fit_settings(
        self, settings: Sequence[Any], training: Table, roughly: bool = False
    ) -> Iterable[Answering] | None:
        """Return, for each setting (an unfitted method of this class), a model that answers and is forgotten.

        Law: the models answer as those of fitting each setting alone do, to the precision a fit is carried
        to; roughly: near enough to tell which setting is best. Settings that come to the same may have one
        model. None: each must be fitted. It uses one thread.
        """
        ...

    def _grow_shares(
        self, table: Table, train: NDArray[np.int64], test: NDArray[np.int64], sizes: Sequence[int]
    ) -> Iterable[Floats | None] | None:
        """Return, for each of the rising sizes, shares[test row, class] of the model of train[:size].

        train and test are rows of the table; classes are the labels of the whole table, and a class that
        train[:size] does not have gets the share 0. Law: the shares are the bits that fitting
        `table.take(train[:size])` and answering `table.take(test, its schema)` gives. An item that is None
        (one class only, no usable column, a choice that cannot be added up) is fitted instead, and so is
        everything when None is returned. Called once per repeat, from several threads at once: it may not
        change the method, and uses one thread.
        """
        ...


# Running folds.

Progress = Callable[[int, int, str], None]
WORKERS = 2  # folds in parallel
SMALL = 250_000  # cells of a table below which Python's overhead dominates and a second thread only costs


class Steps:
    """Counts finished pieces of work over all threads and reports them to `progress`."""

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
    """Return how many folds of a table to run in parallel."""
    small = table.rows * len(table.schema.used) <= SMALL
    return 1 if small or table.budget else WORKERS  # rows on disk: one training part at a time


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
    shares = folds.empty(table, (table.rows, max(len(table.schema.predicted.labels), 1)), np.float64)
    done = folds.empty(table, table.rows, np.int64)
    done[:] = NEVER
    numbers = plan.numbers
    steps = Steps(len(numbers), progress)

    def one(at: int) -> int:
        train, test = plan.part(numbers[at])
        method = fresh(model, threads=1 if len(numbers) > 1 and not table.budget else None)
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
        return FoldAnswers(shares, fold, plan.rows, weights, folds.room(table) if plan.large else 0)
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


def answer(model: Fits, training: Table, part: FoldRows, labels: tuple[str, ...]) -> Floats:
    """Return shares[row, class] of a part encoded by the training schema; a class not in training has 0.
    Regression: the answers as [row, 0].
    """
    return gathered(training, part.rows, labels, answers_to(model, training, part, labels))


def gathered(table: Table, rows: int, labels: tuple[str, ...], pieces: Iterator[Floats]) -> Floats:
    """Return shares[row, class] that come in pieces as one array, on disk where the budget of a table does
    not hold it.
    """
    out, at = folds.empty(table, (rows, max(len(labels), 1)), np.float64), 0
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
        for shares in part.answers(model.model_.shares):  # computed where the rows are
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
    method can. roughly: they only serve to choose the best setting.
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

    def losses() -> Iterator[tuple[Floats, NDArray[np.int64] | None]]:
        at = 0
        for shares in answers_to(model, table, table, table.schema.predicted.labels):
            here = slice(at, at + len(shares))
            yield losses_of(table, shares, here), None if table.weights is None else table.weights[here]
            at += len(shares)

    return exact_total_of(losses()) / table.weight


def fresh(model: Fits, threads: int | None = None) -> Any:
    """Return an unfitted copy; threads are set where the method has them and the user did not say."""
    params = model.get_params(deep=False)
    engine = params.get("engine")
    said = isinstance(engine, Local) and engine.threads is not None
    if threads is not None and not said and params.get("threads", 0) is None:
        params["threads"] = threads
    return type(model)(**params)


# Costs of answers. Law: an answer is decided by the method's own costs if it has some, as in its `predict`;
# else by the costs that judging was given; without any, by the largest share.


def cost_matrix(cost: Any, target: Target, labels: tuple[str, ...]) -> Floats | None:
    """Return cost[truth, answer] for labels, checked: rows of numbers, or {class: {answer: cost}}, where what
    is not named costs 1 if wrong. labels: those of the target, and perhaps one that was not in training.
    """
    if cost is None:
        return None
    size = len(target.labels)
    refuse_unknown(cost, target, "cost")
    try:
        prices = np.asarray(by_answer(cost, target) if isinstance(cost, Mapping) else cost, np.float64)
    except (TypeError, ValueError, OverflowError):
        prices = np.empty(0)
    if prices.shape == (len(labels), len(labels)) and np.isfinite(prices).all():
        return prices
    if prices.shape != (size, size) or not np.isfinite(prices).all():
        raise OptionError(
            f"cost must be {{class: {{answer: cost}}}}, or {size} rows of {size} numbers, "
            f"cost[truth][answer], found {shown(cost)}."
        )
    return _with_unseen(prices)


def own_costs(model: Fits, target: Target, labels: tuple[str, ...]) -> Floats | None:
    """Return costs[truth, answer] by which a method decides its answers; None: by the largest share."""
    table = model._own_costs(target) if target.labels else ()
    if not len(table):
        return None
    prices = np.array(table, np.float64)
    return prices if len(prices) == len(labels) else _with_unseen(prices)


def judged_cost(cost: Any, threshold: Any, table: Table) -> Any:
    """Return what decides answers: costs as they were given, or the decision of a threshold: a number, of the
    rarer class of a table, or {class: number}.
    """
    if threshold is None:
        return cost
    if cost is not None:
        raise OptionError("cost and threshold both decide the answers. Pass one of them.")
    target = table.schema.predicted
    if isinstance(threshold, Mapping):
        if len(threshold) != 1:
            raise OptionError(
                f"threshold takes a number, or one class {{class: number}}, not {shown(threshold)}."
            )
        of, threshold = next(iter(threshold.items()))
        return of_threshold(target, threshold, of)
    return of_threshold(target, threshold, rarer_class(table) if len(target.labels) == 2 else None)


def rarer_class(table: Table) -> str | None:
    """Return the class of the fewest rows, by weight; of equals the first. None without classes."""
    if table.schema.target is None or table.schema.regression:
        return None
    labels, counts = table.schema.predicted.labels, class_weights(table)
    return labels[int(np.argmin(np.where(counts > 0, counts, np.inf)))]


def judged_by(
    cost: Any, model: Fits, target: Target, labels: tuple[str, ...]
) -> tuple[Floats | None, Floats | None]:
    """Return what answers cost (as given, else the method's own), and the method's own costs."""
    if isinstance(cost, AnswerDecision):  # a threshold: it decides, and has no prices of its own
        rule = cost.table
        return None, rule if len(rule) == len(labels) else _with_unseen(rule)
    own = own_costs(model, target, labels)
    given = cost_matrix(cost, target, labels)
    return (own if given is None else given), own


def _with_unseen(prices: Floats) -> Floats:
    """Return the costs with one class more, which nobody can answer: it always costs more than others."""
    most = float(prices.max()) + 1
    return np.pad(prices, ((0, 1), (0, 1)), constant_values=most)


def named(model: Any, target: Target) -> Any:
    """Return the method with its numbers per class by label: a fold may lack a class, and a list would no
    longer fit.
    """
    return model._by_label(target) if target.labels else model
