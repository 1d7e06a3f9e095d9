"""Cross-validation: how good is a method on rows it has not seen.

Knows tables, folds, and anything that can fit a table and answer a block. Knows nothing of learners.
Laws: the table is encoded once and folds are subsets of its rows; what occurs in test rows alone is unseen to the
teaching part; the answers do not depend on threads.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from tallystick.contracts import Block
from tallystick.data.encode import Table
from tallystick.errors import OptionError
from tallystick.evaluate import folds as dealing
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
        """Return rows, error rate with interval, and mean share of the positive class for each value of a column."""
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
        return (answers(shares) == truth).astype(np.float64)
    raise OptionError(f"a fold has a mean 'log-loss' or 'accuracy', not {name!r}.")


def cross_shares(model: Fits, table: Table, plan: dealing.Plan, progress: Progress | None = None) -> tuple[Answers, bool]:
    """Return out-of-fold shares, and whether the user stopped before all folds were done.

    A method may know a faster way to the same answers (`cross_shares` of its own).
    """
    own = getattr(model, "cross_shares", None)
    if own is not None and not plan.rising:
        shares = own(table, np.maximum(plan.fold, 0), int(plan.fold.max()) + 1) if (plan.fold >= 0).all() else None
        if shares is not None:
            return Answers(shares, plan.fold), False
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


def _mark(done: NDArray[np.int64], test: NDArray[np.int64], fold: NDArray[np.int64]) -> None:
    done[test] = fold[test]


def run_folds(one: Callable[[int], int], n: int, finished: Callable[[int], None], progress: Progress | None) -> bool:
    """Run one(0) to one(n - 1) on two threads; True when the user pressed Ctrl-C and something was finished."""
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
    """Return shares[row, class] of a part encoded by the training schema; a class not taught has the share 0."""
    assert training.schema.target is not None
    at = [labels.index(label) for label in training.schema.target.labels]
    shares = np.zeros((part.rows, len(labels)))
    done = 0
    for block in part.blocks():
        shares[done : done + block.rows, at] = model.predict_block(block)[0]
        done += block.rows
    return shares


def fresh(model: Fits, threads: int | None = None) -> Any:
    """Return an unfitted copy; threads are set where the method has them."""
    params = model.get_params(deep=False)
    if threads is not None and params.get("threads", 0) is None:
        params["threads"] = threads
    return type(model)(**params)
