"""Out-of-fold answers of a regression: mean squared error and its like, with intervals.

Knows numbers, answers and folds. Knows nothing of tables or methods.
Law: a row of weight w counts as w rows; the base is the error of always answering the mean.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallystick.draw.svg import as_html
from tallystick.evaluate import intervals
from tallystick.evaluate.folds import FoldPlan
from tallystick.evaluate.measures import NUMBER_SCORES, Measure, Reckoned, average
from tallystick.evaluate.result import LEVEL, FoldAnswers, beyond_base, count_rows, mean_error

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class NumberRepeat:
    """What follows from the answers of one repeat, where these stay elsewhere. sizes[fold]: tested rows;
    rows: all rows, copies counted; fold_means[fold], loss_error: of the mean squared error; by[column]: what
    `number_groups.error_sizes` tells.
    """

    measures: tuple[Measure, ...]
    sizes: tuple[int, ...]
    rows: int
    fold_means: Floats
    loss_error: float
    by: dict[str, list[dict[str, Any]]] = field(default_factory=dict)


@dataclass(frozen=True)
class RegressionValidation:
    """truth[row] in the order of the rows read; answers are shares[row, 0] of each repeat."""

    truth: Floats
    repeats: tuple[FoldAnswers, ...]
    weights: Floats | None = None
    how: str = "folds"
    stopped: bool = False
    groups: dict[str, NDArray[Any]] = field(default_factory=dict, repr=False)

    @classmethod
    def elsewhere(cls, judged: Sequence[NumberRepeat], how: str) -> RegressionValidation:
        """Return what follows from answers that are not here."""
        parts = tuple(FoldAnswers.elsewhere(one, 1) for one in judged)
        none = np.zeros(0)
        return cls(none, parts, how=how, groups=dict.fromkeys(judged[0].by, none))

    @property
    def _judged(self) -> NumberRepeat | None:
        """What follows from the answers of the first repeat, where these are not here."""
        found = self.repeats[0].judged
        return found if isinstance(found, NumberRepeat) else None

    @property
    def rows(self) -> int:
        """How many rows there are, copies counted."""
        judged = self._judged
        return count_rows(len(self.truth), self.weights) if judged is None else judged.rows

    @property
    def mse(self) -> float:
        """The mean of the squared errors."""
        return self.measure("mse").value

    @property
    def fold(self) -> NDArray[np.int64]:
        """fold[row] of the first repeat."""
        return self.repeats[0].here().fold

    @property
    def answers(self) -> Floats:
        """answers[row] of the first repeat."""
        return self.repeats[0].here().shares[:, 0]

    @property
    def measures(self) -> tuple[Measure, ...]:
        """Mean squared error and its root, mean absolute error and R², averaged over the repeats."""
        parts = [self._measures(r) for r in self.repeats]
        out = []
        for same in zip(*parts, strict=True):
            value, low, high = np.mean([(m.value, m.low, m.high) for m in same], axis=0).tolist()
            found = replace(same[0], value=value, low=low, high=high)
            out.append(found.over_folds(self.widening))
        return tuple(out)

    @cached_property
    def widening(self) -> float:
        """By what folds make the variance of the mean squared error larger than that of rows."""
        folds = self.folds
        few = 2 <= folds <= intervals.MOST_FOLDS
        means, error = (self.fold_means(), self.loss_error) if few else (np.empty(0), 0.0)
        return intervals.widening(means, error, folds)

    @property
    def folds(self) -> int:
        """How many folds of the first repeat have tested rows."""
        if self._judged is not None:
            return sum(n > 0 for n in self._judged.sizes)
        return len(FoldPlan(self.fold).numbers)

    def measure(self, name: str) -> Measure:
        """Return one measure by name: "mse", "rmse", "mae" or "r2"."""
        return next(m for m in self.measures if m.name == name)

    @property
    def beats_base(self) -> bool:
        """Whether the answers are better than the mean beyond chance, by the squared errors of each fold
        beside those of the mean on the same rows.
        """
        if len(self.fold_means()) < 2:
            return beyond_base(self.measure("mse"))
        away = self.fold_means() - self._base_means()
        return bool(away.mean() < 0 and intervals.corrected(away, len(self.repeats)) < LEVEL)

    def beats_base_by(self, name: str) -> bool:
        """Say whether the answers are better than the mean beyond chance by a measure: there is one."""
        return name == "mse" and self.beats_base

    @property
    def shown(self) -> tuple[str, str]:
        """The measure people know and the loss that decides."""
        return "r2", "mse"

    @property
    def loss(self) -> float:
        """The mean squared error."""
        return self.mse

    @property
    def loss_error(self) -> float:
        """The standard error of the mean squared error over the tested rows of the first repeat."""
        part = self.repeats[0]
        if self._judged is not None:
            return self._judged.loss_error
        rows, weights = part.fold >= 0, part.weight(self.weights)
        squares = (part.of(self.truth)[rows] - part.shares[rows, 0]) ** 2
        return mean_error(squares, None if weights is None else weights[rows])

    def fold_losses(self) -> Floats:
        """Return the mean squared error of every fold of every repeat."""
        return self.fold_means()

    def row_losses(self) -> tuple[Floats, Floats | None] | None:
        """Return the squared error of every tested row of the first repeat, and the weights; None where rows
        are not here.
        """
        part = self.repeats[0]
        if self._judged is not None:
            return None
        rows, own = np.flatnonzero(part.fold >= 0), part.weight(self.weights)
        squares = (part.of(self.truth)[rows] - part.shares[rows, 0]) ** 2
        return squares, None if own is None else own[rows]

    def _base_means(self) -> Floats:
        """Return the mean squared error of always answering the mean, of every fold of every repeat."""
        if self._judged is not None:  # of rows far away it is known over all folds
            base = self.measure("mse").base
            return np.full(len(self.fold_means()), 0.0 if base is None else base)
        weight = np.ones(len(self.truth)) if self.weights is None else self.weights
        mean = np.full((len(self.truth), 1), average(np.asarray(self.truth, np.float64), weight))
        always = tuple(replace(r, shares=mean if r.rows is None else mean[r.rows]) for r in self.repeats)
        return replace(self, repeats=always).fold_means()

    def fold_means(self) -> Floats:
        """Return the mean squared error of every fold of every repeat."""
        out = []
        for r in self.repeats:
            if isinstance(r.judged, NumberRepeat):
                out += r.judged.fold_means.tolist()
                continue
            squares = (r.of(self.truth) - r.shares[:, 0]) ** 2
            own = r.weight(self.weights)
            weight = np.ones(len(squares)) if own is None else own
            for f in FoldPlan(r.fold).numbers:
                here = r.fold == f
                out.append(average(squares[here], weight[here]))
        return np.array(out)

    def by(self, column: str) -> list[dict[str, Any]]:
        """Return rows, mean size of the error and mean of answer less truth, with intervals, for each value
        of a column.
        """
        from tallystick.evaluate.number_groups import error_sizes

        part = self.repeats[0]
        if self._judged is not None:
            return self._judged.by[column]
        return error_sizes(part.of(self.groups[column]), part.of(self.truth), part, part.weight(self.weights))

    def said_by(self, column: str) -> str:
        """Return what differs between the values of a column beyond chance, in a sentence."""
        from tallystick.evaluate.number_groups import number_sentence

        return number_sentence(self.by(column))

    def _measures(self, part: FoldAnswers) -> Sequence[Measure]:
        if isinstance(part.judged, NumberRepeat):
            return part.judged.measures
        rows = part.fold >= 0
        truth, weights = part.of(self.truth)[rows], part.weight(self.weights)
        weight = np.ones(len(truth)) if weights is None else weights[rows]
        given = Reckoned(truth, part.shares[rows, 0], weight)
        return [found for score in NUMBER_SCORES if (found := score.of(given)) is not None]

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain data."""
        return {
            "by": {name: self.by(name) for name in self.groups},
            "fold_mse": self.fold_means().tolist(),
            "fold_sizes": [r.sizes(self.weights) for r in self.repeats],
            "folds": self.folds,
            "how": self.how,
            "measures": [m.to_dict() for m in self.measures],
            "mse": self.mse,
            "repeats": len(self.repeats),
            "rows": self.rows,
            "stopped": self.stopped,
        }

    _repr_html_ = as_html

    def __str__(self) -> str:
        from tallystick.evaluate.text import show_regression

        return show_regression(self)

    __repr__ = __str__
