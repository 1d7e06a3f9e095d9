"""Cross-validation: how good is a method on new rows?

Knows tables, folds, and anything that can fit a table and answer a block. Knows nothing of learners.
Laws: the table is encoded once and folds are subsets of its rows; what occurs in test rows alone is unseen
to the training part; the answers do not depend on threads.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, ClassVar, Literal, Protocol, overload

import numpy as np
from numpy.typing import NDArray

from tallystick.contracts import Table
from tallystick.data.schema import Columns
from tallystick.data.source.door import is_spark
from tallystick.data.table import table as table_room
from tallystick.engines.local import STEPS_DONE, check_progress
from tallystick.errors import Argument, OptionError, shown, some
from tallystick.evaluate.cases import count_cases
from tallystick.evaluate.costs import judged_by, judged_cost, named
from tallystick.evaluate.far_dealing import FarDealing
from tallystick.evaluate.far_folds import FarJudging, judged_far
from tallystick.evaluate.far_groups import groups_far
from tallystick.evaluate.folds import Dealing, check_repeats, check_times, one_out, time_column
from tallystick.evaluate.groups import (
    Again,
    By,
    asked_by,
    group_names,
    names_by,
    naming,
    refuse_target,
    refuse_weights,
)
from tallystick.evaluate.held_out import HeldOut, hold
from tallystick.evaluate.large import is_large
from tallystick.evaluate.method import Fits
from tallystick.evaluate.regression import RegressionValidation
from tallystick.evaluate.result import CrossValidation
from tallystick.evaluate.running import Progress, answer, cross_shares, fresh


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
    way = FoldWay.of(folds, groups, time)
    table = way.read(fresh(model), data, target, sample_weight)
    again = partial(read_again, data=data, target=target, weight=sample_weight)
    far, way = way.far(table, fresh(model), again, by), way.fitting(table)
    if far is not None:
        return _judged_far(model, far, way, repeats, (cost, threshold), positive, progress)
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


def _judged_far(
    model: Fits,
    dealing: FarDealing,
    way: FoldWay,
    repeats: int,
    decided: tuple[Any, Any],
    positive: Any,
    progress: Progress | None,
) -> CrossValidation | RegressionValidation:
    """Return the cross-validation of rows that stay far, where their answers stay too. decided: the costs and
    the threshold that were given.
    """
    table = dealing.table
    if table.schema.regression:
        every = _repeats(model, dealing, way, repeats, FarJudging(), progress)
        return RegressionValidation.elsewhere(every, way.words(table))
    labels, place = _positive(table, positive)
    cost = judged_cost(*decided, table)
    prices, own = judged_by(cost, model, table.schema.predicted, labels)
    how = FarJudging(prices if own is None else own, prices, place)
    made = named(model, table.schema.predicted)
    parts = _repeats(made, dealing, way, repeats, how, progress)
    return CrossValidation.elsewhere(labels, parts, (prices, own), way.words(table), place)


def _repeats(
    model: Fits,
    dealing: FarDealing,
    way: FoldWay,
    repeats: int,
    how: FarJudging,
    progress: Progress | None,
) -> list[Any]:
    """Return what follows from the answers of each repeat."""
    table, keys = dealing.table, way.keys(repeats)
    return [judged_far(model, dealing.outer(way.folds, key), table, how, progress) for key in keys]


def read_again(reader: Any, data: Any, target: Any, weight: Any) -> Table:
    """Return the rows once more, for columns that the table lacks."""
    if isinstance(data, table_room.Table):
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
class FoldWay:
    """How a user wants rows to be dealt: checked words, before any table is read."""

    folds: int
    groups: str | None = None
    time: str | None = None
    shares: tuple[float, ...] = ()
    one_out: bool = False

    @classmethod
    def of(cls, folds: Any, groups: str | None, time: str | None) -> FoldWay:
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
        if isinstance(data, table_room.Table) and not self.aside:
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

    def far(
        self,
        table: Table,
        reader: Any = None,
        read: Again | None = None,
        by: By = (),
    ) -> FarDealing | None:
        """Return how the rows of a table are dealt where they are; None: they are here, or must come. by:
        columns that answers are to be told by, for which read(reader) gives the rows once more.
        """
        if table.place != "far" or table.dealer() is None:
            return None
        if self.one_out:
            raise OptionError(
                f"leave-one-out fits a model for each different row, and these {table.rows:,} rows stay with "
                "Spark. Use folds=10, or collect the rows: frame.toArrow()."
            )
        beside = None
        if by and read is not None:
            beside = groups_far(reader, read, table, by)
            if beside is None:
                return None
        return FarDealing.of(table, self.groups, self.time, self.shares, beside)

    def fitting(self, table: Table) -> FoldWay:
        """Return the way for a table: of fewer rows than folds, each row is left out in turn."""
        if self.groups is not None or self.time is not None or self.shares or self.one_out:
            return self
        return replace(self, folds=max(2, min(self.folds, _cases(table)))) if self.folds > 2 else self

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
        if self.folds == _cases(table):
            return "each row left out in turn"
        return f"{self.folds} {'folds' if table.schema.regression else 'stratified folds'}"


def _cases(table: Table) -> int:
    """Return how many rows a table has, copies counted, wherever they are."""
    dealer = table.dealer() if table.place == "far" else None
    return count_cases(table) if dealer is None else int(dealer.cases)


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
