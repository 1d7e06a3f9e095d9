"""`cross_validate`, held-out rows, and learning curves: how good a method is on new rows.

1. Entry: `cross_validate()`; `judge_on()` for a held-out file; `FoldOptions`: how rows are dealt, checked.
2. Learning curves, the error against the number of training rows: `curve_table()`, `LearningCurve`.

shares[row, class] = probabilities; case = one copy of a row (a whole weight w is w cases).
Laws: the table is encoded once and folds are subsets of its rows; values that only test rows have are unseen
in training; answers do not depend on threads. Of curves: every method sees the same subsets, nested within a
repeat; they depend on what rows hold, not on their order.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, ClassVar, Literal, Protocol, overload

import numpy as np
from numpy.typing import NDArray

from tallystick.contracts import Table
from tallystick.draw.svg import Picture
from tallystick.engine import STEPS_DONE, check_progress
from tallystick.errors import Argument, DataError, OptionError, shown, some
from tallystick.io.open import is_spark
from tallystick.judge import folds as large
from tallystick.judge.answers import class_weights, log_losses
from tallystick.judge.folds import (
    Cases,
    Dealing,
    InParts,
    case_keys,
    cases_of,
    check_repeats,
    check_times,
    count_cases,
    in_pieces,
    is_large,
    one_out,
    time_column,
)
from tallystick.judge.groups import (
    By,
    asked_by,
    group_names,
    names_by,
    naming,
    refuse_target,
    refuse_weights,
)
from tallystick.judge.result import CrossValidation, RegressionValidation
from tallystick.judge.run import (
    Fits,
    HeldOut,
    Progress,
    Steps,
    answer,
    cross_shares,
    fresh,
    hold,
    judged_by,
    judged_cost,
    named,
    own_costs,
    run_folds,
    workers,
)
from tallystick.model.decision import decide
from tallystick.schema import Columns
from tallystick.stats.exact import digits, nearest
from tallystick.table import table as table_room


class Regresses(Fits, Protocol):
    """A method that answers with numbers."""

    regression: ClassVar[Literal[True]]


@overload
def cross_validate(
    model: Regresses, data: Any, target: Any = None, *args: Any, **given: Any
) -> RegressionValidation: ...


@overload
def cross_validate(
    model: Fits, data: Any, target: Any = None, *args: Any, **given: Any
) -> CrossValidation: ...


def cross_validate(
    model: Fits,
    data: Any,
    target: Any = None,
    folds: int | str | Sequence[float] = 10,
    *,
    repeats: int = 1,
    groups: str | None = None,
    time: str | None = None,
    by: By = (),
    cost: Any = None,
    threshold: Any = None,
    positive: Any = None,
    sample_weight: Any = None,
    held_out: Any = None,
    progress: Progress | None = None,
) -> CrossValidation | RegressionValidation:
    """Cross-validate a method: each fold is answered by a model trained on the other folds.

    Copies of a row are dealt to folds like any other rows, and a whole weight as that many copies.

    Parameters
    ----------
    model : estimator
        The method and its parameters; it is copied, not fitted.
    data : path, frame, Arrow table, matrix or records
        The rows, as `fit` takes them.
    target : str or array, default None
        The name of the column to predict, or the labels; None where `data` holds them already.
    folds : int, "leave-one-out" or list of float, default 10
        How many folds; or shares of the rows such as (0.7, 0.3): the first is for training, the last for one
        test.
    repeats : int, default 1
        How often the rows are dealt anew.
    groups : str, default None
        A column whose equal values stay in one fold. It is not learned from.
    time : str, default None
        A column: each fold is answered by a model trained on earlier rows only. It is not learned from.
    by : str, list of str or dict, default ()
        Columns to count errors by, in the model or not. Numbers are cut at their quartiles, or where you say:
        "age: 25, 40, 60" or {"age": [25, 40, 60]}.
    cost : dict or table, default None
        {class: {answer: cost}} (not named: 1 for a wrong answer, 0 for a right one) or `cost[class][answer]`.
        It decides the answers of a method that has no `costs` of its own.
    threshold : float or dict, default None
        Of two classes: answer the rarer one where its probability is above this number; or {class: number}.
    positive : label, default None
        The class that precision and recall are about; None is the rarest.
    sample_weight : array or str, default None
        The weight of each row; None is 1.
    held_out : rows or (X, y), default None
        Other rows, with the target, to test on instead of folds.
    progress : function, default None
        Called as progress(done, total, what) while the work goes on.

    Returns
    -------
    CrossValidation or RegressionValidation
        The scores with their intervals, and the answer to every row.

    Examples
    --------
    >>> import tallystick as ts
    >>> rows = [{"sky": "sun", "play": "no"}, {"sky": "rain", "play": "yes"}] * 10
    >>> ts.cross_validate(ts.NaiveBayes(), rows, "play", folds=4).accuracy
    1.0
    """
    check_repeats(repeats)
    check_progress(progress, STEPS_DONE)
    by = asked_by(by, sample_weight)
    if held_out is not None:
        no_dealing(groups, time)
        return judge_on(model, data, target, held_out, cost, threshold)
    way = FoldOptions.of(folds, groups, time)
    table = way.read(fresh(model), data, target, sample_weight)
    again = partial(read_again, data=data, target=target, weight=sample_weight)
    way = way.fitting(table)
    dealing, how = way.dealing(table), way.words(table)
    values = names_by(fresh(model), again, table, by, ordered=not is_spark(data))
    outer = partial(dealing.outer, table, way.folds)
    plans = [one_out(table)] if way.one_out else [outer(key) for key in way.keys(repeats)]
    lean = way.lean(table)
    weights = None if table.weights is None else table.weights / table.unit
    if table.response is not None:
        done = [cross_shares(model, lean, plan, progress) for plan in plans]
        answers, stopped = tuple(a for a, _ in done), any(one for _, one in done)
        return RegressionValidation(table.response, answers, weights, how, stopped, values)
    labels, place = _positive(table, positive)
    prices, own = judged_by(judged_cost(cost, threshold, table), model, table.schema.predicted, labels)
    model = named(model, table.schema.predicted)
    done = [cross_shares(model, lean, plan, progress) for plan in plans]
    assert table.classes is not None
    return CrossValidation(
        labels,
        table.classes if is_large(table) else table.classes.astype(np.int64),
        tuple(a for a, _ in done),
        weights,
        prices,
        place,
        how,
        any(stopped for _, stopped in done),
        values,
        own,
    )


def read_again(reader: Any, data: Any, target: Any, weight: Any) -> Table:
    """Return the rows once more, for columns that the table lacks."""
    if isinstance(data, table_room.LocalTable):
        raise OptionError("by= names a column that is not part of this table. Pass the data itself.")
    table: Table = reader._read(data, target, weight)
    return table.near()


def judge_on(
    model: Fits, data: Any, target: Any, held_out: Any, cost: Any = None, threshold: Any = None
) -> CrossValidation | RegressionValidation:
    """Fit on one set of rows and judge on another, a held-out file say, which has the target too.

    Rows of a class that was not in training are counted as wrong answers of share 0.
    """
    table = model._read(data, target)
    held = hold(held_out, table, fresh(model))
    fitted: Any = fresh(model)._fit_table(table)
    part = held.judged(answer(fitted, table, held, table.schema.predicted.labels))
    if table.schema.regression:
        return RegressionValidation(held.truth, (part,), how=held_words(table, held))
    prices, own = judged_by(judged_cost(cost, threshold, table), model, table.schema.predicted, held.labels)
    how = held_words(table, held)
    return CrossValidation(held.labels, held.truth, (part,), cost=prices, how=how, own_costs=own)


def no_dealing(groups: str | None, time: str | None) -> None:
    """Refuse ways to deal rows where there are held-out rows, which need none."""
    if groups is not None or time is not None:
        raise OptionError("held_out= names the test rows; leave out groups= and time=.")


def held_words(table: Table, held: HeldOut) -> str:
    """Return how held-out rows were judged, in words."""
    if held.copies:
        return f"held out, {table.rows:,} training rows, {held.copies:,} of the held-out rows among them"
    return f"held out, {table.rows:,} training rows"


def _shares(given: Any) -> tuple[float, ...]:
    """Return shares of rows as numbers; none, where some are not."""
    try:
        return tuple(float(v) for v in given)
    except (TypeError, ValueError):
        return ()


@dataclass(frozen=True)
class FoldOptions:
    """The user's options for dealing rows to folds, checked before any table is read."""

    folds: int
    groups: str | None = None
    time: str | None = None
    shares: tuple[float, ...] = ()
    one_out: bool = False

    @classmethod
    def of(cls, folds: Any, groups: str | None, time: str | None) -> FoldOptions:
        """Return the way, or an error that says what can be given."""
        if groups is not None and time is not None:
            raise OptionError("pass ", Argument("groups"), " or ", Argument("time"), ", not both.")
        for option, name in (("groups", groups), ("time", time)):
            if not isinstance(name, str | None):
                raise OptionError(
                    f"{option}= is the name of a column, not {shown(type(name).__name__)}. Add the values to "
                    "the table as a column, and name it."
                )
        if isinstance(folds, str) and folds == "leave-one-out" and groups is None and time is None:
            return cls(0, one_out=True)
        if isinstance(folds, (list, tuple, np.ndarray)):
            shares = _shares(folds)
            if len(shares) not in (2, 3) or min(shares) <= 0 or groups is not None or time is not None:
                raise OptionError(
                    f"shares of rows are two (train, test) or three (train, validate, test) numbers above 0, "
                    f"without groups= or time=, not {shown(folds)}."
                )
            return cls(0, shares=shares)
        if not isinstance(folds, (int, np.integer)) or isinstance(folds, bool):
            raise OptionError(
                f"folds must be a number, 'leave-one-out' (without groups= or time=) or shares, "
                f"not {shown(folds)}."
            )
        return cls(int(folds), groups, time)

    def keys(self, repeats: int) -> range:
        """Return the keys by which rows are dealt; time deals them in one way."""
        return range(1 if self.time is not None else repeats)

    @property
    def aside(self) -> list[str]:
        """The columns that deal rows and are not learned from."""
        return list(self._named)

    @property
    def _named(self) -> dict[str, str]:
        """The argument that named each of them."""
        given = ((self.groups, "groups"), (self.time, "time"))
        return {name: option for name, option in given if name is not None}

    def read(self, reader: Any, data: Any, target: Any, weight: Any) -> Table:
        """Read the table; columns set aside must not be left out, so their kind is declared."""
        if isinstance(data, table_room.LocalTable) and not self.aside:
            return data
        refuse_weights(self._named, weight)
        known = Columns.of(reader.columns, reader.kinds)
        kinds, keep = dict(known.kinds), known.keep
        if self.groups is not None:
            kinds.setdefault(self.groups, "levels")
        if self.time is not None and self.time not in kinds:
            keep = [*keep, self.time]
        reader.set_params(columns=replace(known, kinds=kinds, keep=keep), kinds=None)
        with naming(self._named):
            table: Table = reader._read(data, target, weight)
        refuse_target(self._named, table.schema)
        return table.near()

    def lean(self, table: Table) -> Table:
        """Return the table without the columns that deal rows: what is learned from."""
        return table.without(self.aside) if self.aside else table

    def dealing(self, table: Table) -> Dealing:
        """Return how the rows of a table are dealt."""
        if self.groups is not None:
            return Dealing(groups=group_names(table, self.groups))
        if self.time is not None:
            return Dealing(times=_moments(table, self.time))
        return Dealing(shares=self.shares)

    def fitting(self, table: Table) -> FoldOptions:
        """Return the way for a table: of fewer rows than folds, each row is left out in turn."""
        if self.groups is not None or self.time is not None or self.shares or self.one_out:
            return self
        return replace(self, folds=max(2, min(self.folds, count_cases(table)))) if self.folds > 2 else self

    def words(self, table: Table) -> str:
        """Return how the rows of a table are dealt, in words."""
        if self.groups is not None:
            return f"{self.folds} folds that keep each {self.groups} together"
        if self.time is not None:
            return f"{self.folds} folds by {self.time}"
        if self.one_out:
            return "each row left out in turn"
        if self.shares:
            parts = [f"{s / sum(self.shares):.0%}" for s in self.shares]
            named_parts = ("train", "test") if len(parts) == 2 else ("train", "validate", "test")
            return ", ".join(f"{p} {w}" for p, w in zip(parts, named_parts, strict=True))
        if self.folds == count_cases(table):
            return "each row left out in turn"
        return f"{self.folds} {'folds' if table.schema.regression else 'stratified folds'}"


def _moments(table: Table, name: str) -> NDArray[Any]:
    """Return a sortable moment per row: numbers and dates by value, levels by their order."""
    column = time_column(table.schema, name)
    data = table.column(name)
    gone = np.isnan(data) if column.kind == "numeric" else data >= len(column.levels)
    check_times(name, int(gone.sum()), f" (first: row {int(np.argmax(gone)) + 1})")
    return np.asarray(data)


def _positive(table: Table, positive: Any) -> tuple[tuple[str, ...], int | None]:
    """Return the labels, and the place of the positive one if it was named."""
    labels = table.schema.predicted.labels
    place = None
    if positive is not None:
        label = table.schema.predicted.label_of(positive)
        place = labels.index(label) if label in labels else None
        if place is None:
            raise OptionError(f"positive={shown(positive)} is not a class. Classes: {some(labels)}.")
    return labels, place


# Learning curves.

Floats = NDArray[np.float64]
TESTED = 1 / 3  # part of the rows that test in every repeat
MOST_TESTED = 5_000  # test rows at most: more cost time and change little
POINTS = 10  # sizes of a curve, if none are asked for
MOST_POINTS = 1_000  # sizes at most: each is a fit of every method in every repeat


@dataclass(frozen=True)
class Curve:
    """error[repeat, size] and loss[repeat, size] of one method."""

    name: str
    error: Floats
    loss: Floats

    def band(self, what: str = "error") -> tuple[Floats, Floats, Floats]:
        """Return mean[size], and mean ± 2 standard errors over the repeats."""
        values: Floats = getattr(self, what)
        mean = values.mean(axis=0)
        half = 2 * values.std(axis=0, ddof=1) / len(values) ** 0.5 if len(values) > 1 else np.zeros_like(mean)
        return mean, mean - half, mean + half


@dataclass(frozen=True)
class LearningCurve:
    """Curves of several methods over the same sizes."""

    target: str
    sizes: tuple[int, ...]
    curves: tuple[Curve, ...]
    base: float
    tested: int
    repeats: int
    stopped: bool = False
    left_out: str = ""  # a sentence, where a method could not learn from the table

    def to_dict(self) -> dict[str, Any]:
        """Return the curves as plain data."""
        methods = []
        for curve in self.curves:
            error, low, high = curve.band()
            methods.append(
                {
                    "error": error.tolist(),
                    "high": high.tolist(),
                    "log_loss": curve.band("loss")[0].tolist(),
                    "low": low.tolist(),
                    "name": curve.name,
                }
            )
        return {
            "base_error": self.base,
            "left_out": self.left_out,
            "methods": methods,
            "repeats": self.repeats,
            "sizes": list(self.sizes),
            "stopped": self.stopped,
            "target": self.target,
            "tested": self.tested,
        }

    def picture(self) -> Picture:
        """Return the curves as SVG."""
        from tallystick.draw.charts import line_chart

        data = self.to_dict()
        return Picture(
            line_chart(
                [(m["name"], data["sizes"], m["error"], m["low"], m["high"]) for m in data["methods"]],
                x="training rows",
                y="error on new rows",
                level=("most frequent class", self.base),
                log_x=True,
            )
        )

    def _repr_html_(self) -> str:
        from tallystick.draw.svg import framed

        return framed(self.picture(), text=str(self))

    def __str__(self) -> str:
        from tallystick.judge.checks import show_curve

        return show_curve(self)

    __repr__ = __str__


def curve_table(
    methods: Mapping[str, Fits],
    table: Table,
    sizes: Sequence[int] | int | None = None,
    repeats: int = 20,
    progress: Progress | None = None,
) -> LearningCurve:
    """Train every method on growing subsets, `repeats` times, and test each on rows held out in that
    repeat. sizes: of the subsets, or how many there are.
    """
    many = count_cases(table)
    if many < 10:
        raise DataError(f"a learning curve needs at least 10 rows, found {many:,}. Add rows.")
    check_repeats(repeats)
    tested = min(int(many * TESTED), MOST_TESTED)
    steps = _sizes(sizes, many, many - tested)
    error, loss = (np.full((len(methods), repeats, len(steps)), np.nan) for _ in range(2))
    progressed = Steps(repeats * len(methods), progress, "curves")
    plain = table.weights is None and large.is_large(table)
    cases = Cases(None, None, case_keys(table)) if plain else cases_of(table)

    def one(repeat: int) -> int:
        whole, test, train, places = subsets(cases, table, repeat + 1, tested, steps)
        for m, model in enumerate(methods.values()):
            error[m, repeat], loss[m, repeat] = _one_curve(model, whole, train, test, places)
            progressed.one()
        return repeat

    finished: list[int] = []
    stopped = run_folds(one, repeats, finished.append, at_once=workers(table))
    base = 1 - float(class_weights(table).max() / table.weight)
    kept = sorted(finished)
    curves = tuple(Curve(n, error[m, kept], loss[m, kept]) for m, n in enumerate(methods))
    return LearningCurve(table.schema.predicted.name, tuple(steps), curves, base, tested, len(kept), stopped)


def subsets(
    cases: Cases, table: Table, key: int, tested: int, sizes: Sequence[int]
) -> tuple[Table, NDArray[np.int64], NDArray[np.int64], list[int]]:
    """Return the table, or, where rows have weights, those of its rows that are used, in pieces where copies
    of one are in several parts; the rows that test and those that train, part by part, which depend on what
    they hold and on the key; and how many of the latter each subset has.
    """
    if cases.sizes is None:
        order = cases.order_within(key, table)
        return table, order[:tested], order[tested:], list(sizes)
    ends_at = tested, *(tested + size for size in sizes)  # ends of the test cases and of each subset
    plan = in_pieces(table, cases, InParts(key, ends_at), ends_at[-1])
    order = np.argsort(plan.fold, kind="stable")
    ends = np.searchsorted(plan.fold[order], np.arange(len(sizes) + 1), side="right")
    return plan.pieces(table), order[: ends[0]], order[ends[0] :], (ends[1:] - ends[0]).tolist()


def _sizes(sizes: Sequence[int] | int | None, many: int, most: int) -> list[int]:
    whole = isinstance(sizes, int | np.integer) and not isinstance(sizes, bool)
    if sizes is None or (whole and 1 <= sizes <= MOST_POINTS):  # type: ignore[operator]
        points = min(POINTS if sizes is None else int(sizes), many)  # type: ignore[arg-type]
        return sorted({int(s) for s in np.geomspace(min(10, most), most, points).round()})
    try:
        out = sorted({int(s) for s in sizes})  # type: ignore[union-attr]
    except (TypeError, ValueError, OverflowError):
        raise OptionError(
            f"sizes must be a list of numbers of rows, or how many sizes (up to {MOST_POINTS:,}), not "
            f"{shown(sizes)}."
        ) from None
    if not out or out[0] < 1 or out[-1] > most:
        raise OptionError(
            f"sizes must lie between 1 and {most:,} (a third of the {many:,} rows is for testing), "
            f"not {shown(out)}."
        )
    return out


def _one_curve(
    model: Fits, table: Table, train: NDArray[np.int64], test: NDArray[np.int64], sizes: Sequence[int]
) -> tuple[Floats, Floats]:
    """Return error[size] and loss[size]; a method that can add counts gives its shares size by size
    (`_grow_shares`).
    """
    grown = model._grow_shares(table, train, test, sizes)
    steps = [None] * len(sizes) if grown is None else grown
    assert table.classes is not None
    rule = own_costs(model, table.schema.predicted, table.schema.predicted.labels)
    model = named(model, table.schema.predicted)
    truth = table.classes[test].astype(np.int64)
    weights = None if table.weights is None else table.weights[test]
    error, loss = np.empty(len(sizes)), np.empty(len(sizes))
    for at, (size, found) in enumerate(zip(sizes, steps, strict=True)):
        part = _fitted_shares(model, table, train[:size], test) if found is None else found
        wrong, every = decide(part, rule) != truth, len(truth)
        if weights is None:
            error[at] = wrong.sum() / every
        else:
            every = int(weights.sum())
            error[at] = int(weights[wrong].sum()) / every
        loss[at] = nearest(digits(log_losses(truth, part), weights)) / every
    return error, loss


def _fitted_shares(model: Fits, table: Table, train: NDArray[np.int64], test: NDArray[np.int64]) -> Floats:
    """Return shares[test row, class]; a subset of one class answers that class, one without a usable column
    its shares.
    """
    assert table.classes is not None
    training = table.take(train).near()
    labels = table.schema.predicted.labels
    if len(training.schema.predicted.labels) < 2 or not training.schema.used:
        weight = None if table.weights is None else table.weights[train]
        full = np.bincount(table.classes[train], weight, minlength=len(labels))
        return np.tile(full / full.sum(), (len(test), 1))
    fitted = fresh(model, threads=1)._fit_to_answer(training)
    return answer(fitted, training, table.take(test, training.schema).near(), labels)
