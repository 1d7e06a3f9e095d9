"""Cross-validation: how good is a method on rows it has not seen.

Knows tables, folds, and anything that can fit a table and answer a block. Knows nothing of learners.
Laws: the table is encoded once and folds are subsets of its rows; what occurs in test rows alone is unseen
to the
teaching part; the answers do not depend on threads.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import pairwise
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from tallystick.contracts import Block
from tallystick.data.encode import Table
from tallystick.data.schema import CODED
from tallystick.errors import OptionError, nearest, shown, some
from tallystick.evaluate import folds as dealing
from tallystick.evaluate.labels import MISSING, UNKNOWN, labels_of
from tallystick.evaluate.scores import Measure, Scores, answers, log_losses, score

Floats = NDArray[np.float64]
Progress = Callable[[int, int, str], None]
WORKERS = 2  # folds at work at once; each holds one teaching part, so memory does not grow with the folds


class Fits(Protocol):
    """What judging needs of a method."""

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the parameters it was made with."""
        ...

    def read(self, X: Any, y: Any = None, sample_weight: Any = None) -> Table:
        """Return the encoded table."""
        ...

    def fit_table(self, table: Table) -> Any:
        """Learn from an encoded table."""
        ...

    def predict_block(self, block: Block) -> tuple[Floats, NDArray[np.bool_]]:
        """Return P(class | row) [row, class], and the rows only the prior could answer."""
        ...


@dataclass(frozen=True)
class Answers:
    """Out-of-fold shares[row, class] of one repeat; fold[row] is negative where a row was never tested."""

    shares: Floats
    fold: NDArray[np.int64]


@dataclass(frozen=True)
class CrossValidation:
    """Out-of-fold answers and what follows from them.

    truth[row] in the order of the rows read; weights[row] are whole multiples of 1/unit, or None.
    """

    classes: tuple[str, ...]
    truth: NDArray[np.int64]
    repeats: tuple[Answers, ...]
    weights: Floats | None = None
    cost: Floats | None = None
    positive: int | None = None
    how: str = "stratified folds"
    stopped: bool = False  # interrupted: only finished folds count
    groups: dict[str, NDArray[Any]] = field(default_factory=dict, repr=False)

    @property
    def shares(self) -> Floats:
        """Out-of-fold shares of the first repeat."""
        return self.repeats[0].shares

    @property
    def fold(self) -> NDArray[np.int64]:
        """fold[row] of the first repeat."""
        return self.repeats[0].fold

    @cached_property
    def all_scores(self) -> tuple[Scores, ...]:
        """The scores of each repeat."""
        return tuple(self._score(r) for r in self.repeats)

    @property
    def scores(self) -> Scores:
        """The scores of the first repeat: measures, confusion, curves."""
        return self.all_scores[0]

    def measure(self, name: str) -> Measure:
        """Return one measure, its value and interval averaged over the repeats."""
        parts = [s[name] for s in self.all_scores]
        value, low, high = (float(np.mean([getattr(p, f) for p in parts])) for f in ("value", "low", "high"))
        return Measure(name, value, low, high, parts[0].method, parts[0].base)

    @property
    def accuracy(self) -> float:
        """The share of rows whose most probable class is right."""
        return self.measure("accuracy").value

    @property
    def log_loss(self) -> float:
        """The mean of -ln(share given to the right class)."""
        return self.measure("log-loss").value

    @property
    def base_rate(self) -> float:
        """The accuracy of always answering the most frequent class."""
        base = self.measure("accuracy").base
        assert base is not None
        return base

    def fold_means(self, name: str = "log-loss") -> Floats:
        """Return the mean log-loss or accuracy of every fold of every repeat."""
        out = []
        for r in self.repeats:
            tested = np.flatnonzero(r.fold >= 0)
            rows = _row_values(name, self.truth[tested], r.shares[tested])
            weight = np.ones(len(tested)) if self.weights is None else self.weights[tested]
            for f in np.unique(r.fold[tested]).tolist():
                here = r.fold[tested] == f
                out.append(np.average(rows[here], weights=weight[here]))
        return np.array(out)

    @property
    def fold_accuracies(self) -> tuple[float, ...]:
        """The accuracy in each fold."""
        return tuple(self.fold_means("accuracy").tolist())

    @property
    def standard_error(self) -> float:
        """The standard error of the mean accuracy over folds."""
        means = self.fold_means("accuracy")
        return float(np.std(means, ddof=1) / len(means) ** 0.5) if len(means) > 1 else float("nan")

    def by(self, column: str) -> list[dict[str, Any]]:
        """Return rows, error rate with interval, and mean share of the positive class for each value of a
        column.
        """
        from tallystick.evaluate.groups import error_rates

        return error_rates(self.groups[column], self.truth, self.repeats[0], self.weights, self.cost)

    def _score(self, part: Answers) -> Scores:
        rows = np.flatnonzero(part.fold >= 0)
        weight = None if self.weights is None else self.weights[rows]
        return score(self.truth[rows], part.shares[rows], self.classes, weight, self.cost, self.positive)

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain data."""
        return {
            "accuracy": self.accuracy,
            "base_rate": self.base_rate,
            "by": {name: self.by(name) for name in self.groups},
            "fold_accuracies": list(self.fold_accuracies),
            "fold_sizes": [list(dealing.Plan(r.fold).sizes) for r in self.repeats],
            "folds": len(dealing.Plan(self.fold).sizes),
            "how": self.how,
            "log_loss": self.log_loss,
            "measures": [self.measure(m.name).to_dict() for m in self.scores.measures],
            "repeats": len(self.repeats),
            "rows": len(self.truth),
            "scores": self.scores.to_dict(),
            "standard_error": self.standard_error,
            "stopped": self.stopped,
        }

    def __str__(self) -> str:
        from tallystick.evaluate.show import show_cross_validation

        return show_cross_validation(self)


def _row_values(name: str, truth: NDArray[np.int64], shares: Floats) -> Floats:
    if name == "log-loss":
        return log_losses(truth, shares)
    if name == "accuracy":
        return np.asarray(answers(shares) == truth, np.float64)
    raise OptionError(f"a fold has a mean 'log-loss' or 'accuracy', not {name!r}.")


def cross_shares(
    model: Fits, table: Table, plan: dealing.Plan, progress: Progress | None = None
) -> tuple[Answers, bool]:
    """Return out-of-fold shares, and whether the user stopped before all folds were done.

    A method may know a faster way to the same answers (`cross_shares` of its own).
    """
    own = getattr(model, "cross_shares", None)
    if own is not None and not plan.rising and (plan.fold >= 0).all():
        found = own(table, None if plan.one_out else plan.fold, int(plan.fold.max()) + 1)
        if found is not None:
            return Answers(found, plan.fold), False
    assert table.schema.target is not None
    shares = np.zeros((table.rows, len(table.schema.target.labels)))
    done = np.full(table.rows, dealing.NEVER, np.int64)
    parts = list(plan.parts())

    def one(at: int) -> int:
        teach, test = parts[at]
        shares[test] = fold_shares(fresh(model, threads=1 if len(parts) > 1 else None), table, teach, test)
        return at

    stopped = run_folds(one, len(parts), lambda at: _mark(done, parts[at][1], plan.fold), progress)
    return Answers(shares, done), stopped


def refit_shares(model: Fits, table: Table, fold: NDArray[np.int64]) -> Floats:
    """Return shares[row, class] out of fold by fitting each teaching part anew: what any faster way must
    equal.
    """
    assert table.schema.target is not None
    shares = np.zeros((table.rows, len(table.schema.target.labels)))
    for teach, test in dealing.Plan(fold).parts():
        shares[test] = fold_shares(fresh(model), table, teach, test)
    return shares


def _mark(done: NDArray[np.int64], test: NDArray[np.int64], fold: NDArray[np.int64]) -> None:
    done[test] = fold[test]


def run_folds(
    one: Callable[[int], int], n: int, finished: Callable[[int], None], progress: Progress | None
) -> bool:
    """Run one(0) to one(n - 1) on two threads; True when the user pressed Ctrl-C and something was
    finished.
    """
    pool = ThreadPoolExecutor(min(WORKERS, n))
    jobs = [pool.submit(one, at) for at in range(n)]
    count = 0
    try:
        for job in as_completed(jobs):
            finished(job.result())
            count += 1
            if progress is not None:
                progress(count, n, "folds")
    except KeyboardInterrupt:
        if not count:
            raise
        return True
    finally:
        pool.shutdown(wait=False, cancel_futures=True)
    return False


def fold_shares(model: Fits, table: Table, teach: NDArray[np.int64], test: NDArray[np.int64]) -> Floats:
    """Fit the teaching rows and return shares[test row, class], classes as in the whole table."""
    training = table.take(teach)
    model.fit_table(training)
    assert table.schema.target is not None
    return answer(model, training, table.take(test, training.schema), table.schema.target.labels)


def answer(model: Fits, training: Table, part: Table, labels: tuple[str, ...]) -> Floats:
    """Return shares[row, class] of a part encoded by the training schema; a class not taught has the share
    0.
    """
    assert training.schema.target is not None
    at = [labels.index(label) for label in training.schema.target.labels]
    shares = np.zeros((part.rows, len(labels)))
    own = getattr(model, "predict_table", None)  # a method that needs the rows as they were read
    if own is not None:
        shares[:, at] = own(part)
        return shares
    done = 0
    for block in part.blocks():
        shares[done : done + block.rows, at] = model.predict_block(block)[0]
        done += block.rows
    return shares


def training_loss(model: Any, table: Table) -> float:
    """Return the log-loss of a fitted model on the rows it was taught."""
    assert table.schema.target is not None
    assert table.classes is not None
    losses = log_losses(
        table.classes.astype(np.int64), answer(model, table, table, table.schema.target.labels)
    )
    return float(np.average(losses, weights=table.weights))


def fresh(model: Fits, threads: int | None = None) -> Any:
    """Return an unfitted copy; threads are set where the method has them."""
    params = model.get_params(deep=False)
    if threads is not None and params.get("threads", 0) is None:
        params["threads"] = threads
    return type(model)(**params)


def cross_validate(
    model: Fits,
    data: Any,
    target: Any = None,
    folds: int | str = 10,
    *,
    repeats: int = 1,
    groups: str | None = None,
    time: str | None = None,
    by: str | Sequence[str] = (),
    cost: Any = None,
    positive: Any = None,
    sample_weight: Any = None,
    progress: Progress | None = None,
) -> CrossValidation:
    """Judge a method on rows it has not seen: every fold is answered by a model fitted on the others.

    folds: a number, or "leave-one-out" (copies together). groups: a column whose equal values stay in
    one fold. time: a column; a fold is taught by earlier rows only. by: columns to count errors by.
    cost[truth][answer].
    Columns named by groups or time are not learned from.
    """
    aside = [name for name in (groups, time) if name is not None]
    if len(aside) > 1:
        raise OptionError("pass groups= or time=, not both.")
    table = _read(model, data, target, sample_weight, aside)
    plans, how = _plans(table, folds, repeats, groups, time)
    lean = without(table, aside)
    labels, prices, place = _prices(table, cost, positive)
    done = [cross_shares(model, lean, plan, progress) for plan in plans]
    names = (by,) if isinstance(by, str) else tuple(by)
    assert table.classes is not None
    return CrossValidation(
        labels,
        table.classes.astype(np.int64),
        tuple(a for a, _ in done),
        None if table.weights is None else table.weights / table.unit,
        prices,
        place,
        how,
        any(stopped for _, stopped in done),
        {name: group_names(table, name) for name in names},
    )


def judge_on(model: Fits, data: Any, target: Any, held_out: Any, cost: Any = None) -> CrossValidation:
    """Fit on one set of rows and judge on another, a held-out file say, which has the target too.

    Rows of a class the model was not taught are counted as wrong answers of share 0.
    """
    table = model.read(data, target)
    fitted: Any = fresh(model).fit_table(table)
    assert table.schema.target is not None
    truth = labels_of(held_out, table.schema.target.name, table.schema)
    labels = table.schema.target.labels
    if (truth == UNKNOWN).any():
        truth = np.where(truth == UNKNOWN, len(labels), truth)
        labels = (*labels, "(not taught)")
    shares = np.zeros((len(truth), len(labels)))
    for matched in fitted.blocks(held_out):
        rows = slice(matched.start, matched.start + matched.block.rows)
        shares[rows, : len(table.schema.target.labels)] = fitted.predict_block(matched.block)[0]
    known = truth != MISSING
    part = Answers(shares[known], np.zeros(int(known.sum()), np.int64))
    prices = None if cost is None else np.asarray(cost, np.float64)
    return CrossValidation(labels, truth[known], (part,), cost=prices, how="rows held out")


def _read(model: Fits, data: Any, target: Any, weight: Any, aside: Sequence[str]) -> Table:
    """Read the table; columns set aside must not be left out, so they are declared."""
    reader: Any = fresh(model)
    if aside:
        kinds = {name: "levels" for name in aside if name not in (reader.kinds or {})}
        reader.set_params(kinds={**(reader.kinds or {}), **kinds})
    table: Table = reader.read(data, target, weight)
    return table


def _plans(
    table: Table, folds: int | str, repeats: int, groups: str | None, time: str | None
) -> tuple[list[dealing.Plan], str]:
    if groups is not None:
        names = group_names(table, groups)
        plans = [
            dealing.Plan(dealing.group_folds(names, table.weights, _whole(folds), key))
            for key in range(repeats)
        ]
        return plans, f"{folds} folds that keep each {groups} together"
    if time is not None:
        return [
            dealing.Plan(dealing.time_folds(_moments(table, time), _whole(folds)), True)
        ], f"{folds} folds by {time}"
    if folds == "leave-one-out":
        return [dealing.Plan(dealing.one_out(table), one_out=True)], "each distinct row left out in turn"
    plans = [dealing.Plan(dealing.deal_folds(table, folds, key)) for key in range(repeats)]
    return plans, f"{folds} stratified folds"


def without(table: Table, names: Sequence[str]) -> Table:
    """Return the table as if some columns were not there."""
    if not names:
        return table
    schema = replace(table.schema, columns=tuple(c for c in table.schema.columns if c.name not in names))
    columns = {n: data for n, data in table.columns.items() if n not in names}
    return replace(table, schema=schema, columns=columns, _ranks={}, _fingerprint=None)


def group_names(table: Table, name: str) -> NDArray[Any]:
    """Return the value of a column in each row as text; numbers are cut at their quartiles."""
    if name not in table.columns:
        raise OptionError(f"there is no used column {shown(name)}.{nearest(name, list(table.columns))}")
    column, data = table.schema[name], table.columns[name]
    if column.kind in CODED:
        return np.asarray(np.array([*column.levels, "(missing)", "(unseen)"], object)[data])
    if column.kind != "numeric":
        raise OptionError(f"column {shown(name)} is {column.kind}; groups need levels or numbers.")
    known = data[~np.isnan(data)]
    cuts = np.unique(np.quantile(known, (0.25, 0.5, 0.75))) if len(known) else np.empty(0)
    ends = ["", *(f"{c:g}" for c in cuts), ""]
    texts = [
        f"{a} to below {b}" if a and b else f"below {b}" if b else f"{a} or more" for a, b in pairwise(ends)
    ]
    codes = np.where(np.isnan(data), len(texts), np.searchsorted(cuts, data, "right"))
    return np.array([*texts, "(missing)"], object)[codes]


def _moments(table: Table, name: str) -> NDArray[Any]:
    """Return a sortable moment per row: numbers and dates by value, levels by their order."""
    column, data = table.schema[name], table.columns[name]
    gone = np.isnan(data) if column.kind == "numeric" else data >= len(column.levels)
    if gone.any():
        raise OptionError(
            f"column {shown(name)} gives no time for {int(gone.sum()):,} rows "
            f"(first: row {int(np.argmax(gone)) + 1}). Fill or drop them."
        )
    return np.asarray(data)


def _prices(table: Table, cost: Any, positive: Any) -> tuple[tuple[str, ...], Floats | None, int | None]:
    assert table.schema.target is not None
    labels = table.schema.target.labels
    place = None
    if positive is not None:
        texts = [str(positive), str(positive).lower()]
        place = next((i for i, label in enumerate(labels) if label in texts), None)
        if place is None:
            raise OptionError(f"positive={shown(positive)} is no class. Classes: {some(labels)}.")
    if cost is None:
        return labels, None, place
    prices = np.asarray(cost, np.float64)
    if prices.shape != (len(labels), len(labels)) or not np.isfinite(prices).all():
        raise OptionError(
            f"cost must be {len(labels)} rows of {len(labels)} numbers, cost[truth][answer], "
            f"found shape {prices.shape}."
        )
    return labels, prices, place


def _whole(folds: int | str) -> int:
    if not isinstance(folds, int):
        raise OptionError(f"folds must be a number with groups= or time=, not {shown(folds)}.")
    return folds
