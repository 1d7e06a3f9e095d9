"""Out-of-fold answers and what follows from them: measures with intervals, by fold, by group, by threshold.

1. Classes: `FoldAnswers` (one repeat), entry: `CrossValidation`; two results compared: `difference()`.
2. Numbers: entry: `RegressionValidation`.

shares[row, class] = probabilities given by models that had not seen the row; base, baseline = answering every
row with the most frequent class, or the mean.
Laws: nothing here needs the table, the method or how folds were run; a row of weight w counts as w rows.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallystick.draw.svg import Picture, as_html
from tallystick.errors import OptionError, some
from tallystick.judge import folds as large
from tallystick.judge.answers import Answers, average, log_losses
from tallystick.judge.folds import FoldPlan
from tallystick.judge.scores import (
    CLASS_SHARES,
    NUMBER_SCORES,
    SCORES,
    Answered,
    AnsweredNumbers,
    Measure,
    Measured,
    Scores,
    accuracy,
    copies,
)
from tallystick.model.decision import decide
from tallystick.stats import distributions
from tallystick.stats.exact import weighted_total

Floats = NDArray[np.float64]
DECIDING = ("log-loss", "auc", "accuracy")  # measures that methods can be judged by
RARE = 0.2  # part of an equal share: a class with less makes accuracy a poor guide
LEVEL = 0.05  # p below which a difference is more than chance


@dataclass(frozen=True)
class FoldAnswers:
    """Out-of-fold shares[row, class] of one repeat; fold[row] is negative where a row was never tested.

    Where copies of one row are in several folds, these are pieces of rows: rows[piece], weights[piece].
    """

    shares: Floats
    fold: NDArray[np.int64]
    rows: NDArray[np.int64] | None = None
    weights: Floats | None = None
    budget: int = 0  # bytes of memory to work in, where there are more rows than it holds

    @property
    def large(self) -> bool:
        """Whether there are more rows than memory holds."""
        return self.budget > 0

    def of(self, each: NDArray[Any]) -> NDArray[Any]:
        """Return something known of every row, for every piece."""
        return each if self.rows is None else each[self.rows]

    def weight(self, weights: Floats | None) -> Floats | None:
        """Return the weight of every piece; weights: those of the rows."""
        return weights if self.rows is None else self.weights

    def sizes(self, weights: Floats | None) -> list[int]:
        """Return the number of tested rows of each fold, copies counted."""
        own = self.weight(weights)
        own = None if own is None else copies(own)
        sizes: Counter[int] = Counter()
        for s in large.steps(len(self.fold)):
            fold, many = self.fold[s], None if own is None else own[s]
            for f in np.unique(fold[fold >= 0]).tolist():
                sizes[f] += int(np.count_nonzero(fold == f) if many is None else many[fold == f].sum())
        return [sizes[f] for f in range(max(sizes, default=-1) + 1)]

    def against(self, truth: NDArray[Any], weights: Floats | None) -> Answers:
        """Return the answers beside truth[row]; weights[row]."""
        return Answers.of(self.of(truth), self.shares, self.fold, self.weight(weights), self.budget)


BY_AREA = (
    "measure='auc' compares the areas of single folds, which are not kept of rows on disk or with Spark. Use "
    "'log-loss' or 'accuracy'."
)


def count_rows(rows: int, weights: Floats | None) -> int:
    """Return how many rows there are, copies counted."""
    return rows if weights is None else int(copies(weights).sum())


class Validation:
    """What out-of-fold answers tell, of classes or of numbers: truth[row], and the answers of each repeat."""

    truth: NDArray[Any]
    repeats: tuple[FoldAnswers, ...]
    weights: Floats | None

    @property
    def measured(self) -> Sequence[Measured]:
        """The answers of each repeat, as scores ask for them."""
        raise NotImplementedError

    @property
    def rows(self) -> int:
        """How many rows there are, copies counted."""
        return count_rows(len(self.truth), self.weights)

    @property
    def fold(self) -> NDArray[np.int64]:
        """fold[row] of the first repeat."""
        return self.repeats[0].fold

    @property
    def loss_error(self) -> float:
        """The standard error of the mean loss (log-loss, squared error) over the tested rows of the first
        repeat.
        """
        return self.measured[0].loss_error


@dataclass(frozen=True)
class CrossValidation(Validation):
    """Out-of-fold answers and what follows from them.

    truth[row] in the order of the rows read; weights[row] are whole multiples of 1/unit, or None.
    """

    classes: tuple[str, ...]
    truth: NDArray[Any]
    repeats: tuple[FoldAnswers, ...]
    weights: Floats | None = None
    cost: Floats | None = None
    positive: int | None = None
    how: str = "stratified folds"
    stopped: bool = False  # interrupted: only finished folds count
    groups: dict[str, NDArray[Any]] = field(default_factory=dict, repr=False)
    own_costs: Floats | None = None  # [truth, answer] by which the method itself decides its answers
    decides: str = "log-loss"  # of DECIDING: the measure that methods are judged by

    @property
    def most_frequent(self) -> str:
        """The most frequent class: always answering it is the baseline."""
        counts = np.zeros(len(self.classes))
        for part in large.steps(len(self.truth)):  # bincount makes eight bytes of each code
            weights = None if self.weights is None else self.weights[part]
            counts += np.bincount(self.truth[part], weights, len(self.classes))
        return self.classes[int(np.argmax(counts))]

    @property
    def rule(self) -> Floats | None:
        """costs[truth, answer] that decide answers: the method's own, else `cost`; None: the largest
        share.
        """
        return self.cost if self.own_costs is None else self.own_costs

    @property
    def answered(self) -> NDArray[np.int64]:
        """The class answered for each row in the first repeat."""
        return decide(self.shares, self.rule)

    @cached_property
    def tested_answers(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The rows that were tested in the first repeat, and the class answered for each."""
        rows = np.flatnonzero(self.fold >= 0)
        return rows, decide(self.shares[rows], self.rule)

    @property
    def shares(self) -> Floats:
        """Out-of-fold shares of the first repeat."""
        return self.repeats[0].shares

    @cached_property
    def measured(self) -> tuple[Answered, ...]:
        """The answers of each repeat, as scores ask for them."""
        given = len(self.classes), self.rule, self.cost, self.positive
        return tuple(Answered(r.against(self.truth, self.weights), *given) for r in self.repeats)

    @cached_property
    def scores(self) -> Scores:
        """The scores of the first repeat: measures, confusion, curves."""
        return self.measured[0].scores(self.classes)

    def measure(self, name: str) -> Measure:
        """Return one measure, its value and interval averaged over the repeats.

        The interval is of the score on new rows of a model trained on all rows: widened for what folds
        share and for how they differ; with rows held out it is that of the one model that answered.
        """
        known_scores = [score for score in SCORES if score.name == name]
        measured = [given.measure(score) for given in self.measured for score in known_scores]
        parts = [found for found in measured if found is not None]
        if not parts:
            known = some([m.name for m in self.scores.measures])
            why = " (no fold has rows of two classes)" if name == "auc" else ""
            raise OptionError(f"there is no measure {name!r} of these answers{why}. Measures: {known}.")
        value, low, high = (float(np.mean([getattr(p, f) for p in parts])) for f in ("value", "low", "high"))
        found = replace(parts[0], value=value, low=low, high=high)
        return found.over_folds(self.widening["accuracy" if known_scores[0].answers else "log-loss"])

    @cached_property
    def widening(self) -> dict[str, float]:
        """By what folds make the variance of the accuracy and of the log-loss larger than that of rows."""
        sizes = self.repeats[0].sizes(self.weights)
        folds = sum(n > 0 for n in sizes)
        if folds > distributions.MOST_FOLDS or folds < 2:
            return dict.fromkeys(("accuracy", "log-loss"), distributions.widening(np.empty(0), 0.0, folds))
        right = float(np.mean([accuracy(given.confusion)[0] for given in self.measured]))
        rows = self.measured[0].rows
        errors = {"accuracy": math.sqrt(right * (1 - right) / rows), "log-loss": self.loss_error}
        return {name: distributions.widening(self.fold_means(name), e, folds) for name, e in errors.items()}

    @cached_property
    def beats_base(self) -> bool:
        """Whether the answers are better than the baseline's beyond chance: by log-loss, accuracy or AUC."""
        return any(map(self.beats_base_by, DECIDING))

    def beats_base_by(self, name: str) -> bool:
        """Say whether the answers are better than the baseline's beyond chance by one of DECIDING.

        The log-loss is held against that of the class shares fold by fold: both rise and fall with the rows
        of a fold, so the difference is known far better than either.
        """
        if not any(m.name == name for m in self.scores.measures):
            return False
        if name != "log-loss" or len(self.fold_means()) < 2:
            return beyond_base(self.measure(name))
        away = self.fold_means() - self.fold_means(CLASS_SHARES)
        return bool(away.mean() < 0 and distributions.corrected(away, len(self.repeats)) < LEVEL)

    @property
    def measures(self) -> tuple[Measure, ...]:
        """All measures, averaged over the repeats."""
        return tuple(self.measure(m.name) for m in self.scores.measures)

    @property
    def shown(self) -> tuple[str, str]:
        """The measure people know and the loss that decides."""
        return ("log-loss" if self.decides == "accuracy" else "accuracy"), self.decides

    @property
    def loss(self) -> float:
        """The loss that decides: the log-loss, or what is missing of an accuracy or area of 1."""
        value = self.measure(self.decides).value
        return value if self.decides == "log-loss" else 1 - value

    def fold_losses(self) -> Floats:
        """Return the loss that decides of every fold of every repeat; nan where a fold has none."""
        means = self.fold_means(self.decides)
        return means if self.decides == "log-loss" else 1 - means

    def row_losses(self) -> tuple[Floats, Floats | None] | None:
        """Return the loss that decides of every tested row of the first repeat, and the weights; None where
        rows have none of their own, or are not here.
        """
        part = self.repeats[0]
        if self.decides == "auc" or part.large:
            return None
        rows, own = np.flatnonzero(part.fold >= 0), part.weight(self.weights)
        losses = _row_values(self.decides, part.of(self.truth)[rows], part.shares[rows], self.rule)
        losses = losses if self.decides == "log-loss" else 1 - losses
        return losses, None if own is None else own[rows]

    @property
    def accuracy(self) -> float:
        """The share of rows whose answer is right."""
        return self.measure("accuracy").value

    @property
    def log_loss(self) -> float:
        """The mean of -ln(share given to the right class)."""
        return self.measure("log-loss").value

    @property
    def baseline(self) -> float:
        """The accuracy of always answering the most frequent class."""
        base = self.measure("accuracy").base
        assert base is not None
        return base

    def fold_means(self, name: str = "log-loss") -> Floats:
        """Return the mean log-loss or accuracy of every fold of every repeat, the area under its ROC curve,
        or what its log-loss is by the class shares of all rows.
        """
        if name == "auc" and self.repeats[0].large:
            raise OptionError(BY_AREA)
        return np.concatenate([given.fold_means(name) for given in self.measured])

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
        from tallystick.judge.groups import error_rates

        part = self.repeats[0]
        weights = part.weight(self.weights)
        return error_rates(part.of(self.groups[column]), part.of(self.truth), part, weights, self.rule)

    def said_by(self, column: str) -> str:
        """Return what differs between the values of a column beyond chance, in a sentence."""
        from tallystick.judge.groups import sentence

        return sentence(self.by(column), self.classes)

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain data."""
        return {
            "accuracy": self.accuracy,
            "baseline": self.baseline,
            "by": {name: self.by(name) for name in self.groups},
            "fold_accuracies": list(self.fold_accuracies),
            "fold_sizes": [r.sizes(self.weights) for r in self.repeats],
            "folds": len(self.repeats[0].sizes(self.weights)),
            "how": self.how,
            "log_loss": self.log_loss,
            "measures": [m.to_dict() for m in self.measures],
            "repeats": len(self.repeats),
            "rows": self.rows,
            "scores": self.scores.to_dict(),
            "standard_error": self.standard_error,
            "stopped": self.stopped,
        }

    def picture(self, kind: str = "roc") -> Picture:
        """Return "roc", "pr" or "calibration" of the positive class as a picture."""
        from tallystick.draw.charts import Axis, ChartCurve, chart

        curves, of = self.scores.curves, self.scores.positive
        if kind == "calibration":
            bins = curves["calibration"]
            x, y, low, high = ([b[k] for b in bins] for k in ("predicted", "observed", "low", "high"))
            line = ChartCurve(of, x, y, low, high, dots=True, bars=True)
            axes = Axis(f"share given to {of}"), Axis("observed share")
        elif kind in ("roc", "pr"):
            line = ChartCurve(of, [p[0] for p in curves[kind]], [p[1] for p in curves[kind]])
            words = {"roc": ("false alarms", "found"), "pr": ("found (recall)", "precision")}[kind]
            axes = Axis(f"{words[0]}, {of}"), Axis(words[1])
        else:
            raise OptionError(f"there is no picture {kind!r} of scores. Use roc, pr or calibration.")
        return Picture(chart([line], *axes, f"{kind} of {of}", diagonal=kind != "pr"))

    def _repr_html_(self) -> str:
        from tallystick.draw.svg import framed, html_lines
        from tallystick.judge.checks import cross_validation_lines

        return framed(html_lines(cross_validation_lines(self)), self.picture())

    def __str__(self) -> str:
        from tallystick.judge.checks import show_cross_validation

        return show_cross_validation(self)

    __repr__ = __str__


def rare_class(found: Any) -> int | None:
    """Return the rarer of two classes, where it is so rare that the right answers tell little; else None."""
    held = found.scores.confusion.sum(axis=1)
    rarest = int(np.argmin(held))
    return rarest if len(held) == 2 and held[rarest] < RARE * held.sum() / 2 else None


def difference(one: Any, other: Any) -> tuple[float, float | None]:
    """Return the standard error by which the losses of two results differ on the same rows, and the p that
    they do not; None where there is one part, whose rows stand for the folds.
    """
    away = one.fold_losses() - other.fold_losses()
    away = away[~np.isnan(away)]
    if len(away) > 1:
        repeats = len(one.repeats)
        return distributions.paired_error(away, repeats), distributions.corrected(away, repeats)
    rows, others = one.row_losses(), other.row_losses()
    if rows is not None and others is not None:
        return mean_error(rows[0] - others[0], rows[1]), None
    m = other.measure(other.shown[1])  # rows are not at hand: the error of one of the two
    return (m.high - m.low) / (2 * distributions.NORMAL_975), None


def beyond_base(m: Measure) -> bool:
    """Say whether a measure's interval lies on the good side of its baseline."""
    if m.base is None:
        return False
    return m.high < m.base if m.ends[1] == math.inf else m.low > m.base


def mean_error(values: Floats, weights: Floats | None) -> float:
    """Return the standard error of the mean of some rows."""
    weight = np.ones(len(values)) if weights is None else weights
    n = float(weight.sum())
    away = values - weighted_total(values, weight) / n
    return math.sqrt(weighted_total(away**2, weight) / max(n - 1, 1) / n)


def _row_values(name: str, truth: NDArray[np.int64], shares: Floats, rule: Floats | None) -> Floats:
    if name == "log-loss":
        return log_losses(truth, shares)
    if name == "accuracy":
        return np.asarray(decide(shares, rule) == truth, np.float64)
    raise OptionError(f"a fold has a mean 'log-loss' or 'accuracy', not {name!r}.")


# Regression: mean squared error and the like, with intervals, against always answering the mean.


@dataclass(frozen=True)
class RegressionValidation(Validation):
    """truth[row] in the order of the rows read; answers are shares[row, 0] of each repeat."""

    truth: Floats
    repeats: tuple[FoldAnswers, ...]
    weights: Floats | None = None
    how: str = "folds"
    stopped: bool = False
    groups: dict[str, NDArray[Any]] = field(default_factory=dict, repr=False)

    @property
    def mse(self) -> float:
        """The mean of the squared errors."""
        return self.measure("mse").value

    @property
    def answers(self) -> Floats:
        """answers[row] of the first repeat."""
        return self.repeats[0].shares[:, 0]

    @cached_property
    def measured(self) -> tuple[AnsweredNumbers, ...]:
        """The answers of each repeat, as scores ask for them."""
        return tuple(AnsweredNumbers(r.against(self.truth, self.weights)) for r in self.repeats)

    @property
    def measures(self) -> tuple[Measure, ...]:
        """Mean squared error and its root, mean absolute error and R², averaged over the repeats."""
        out = []
        for score in NUMBER_SCORES:
            same = [found for given in self.measured if (found := given.measure(score)) is not None]
            value, low, high = np.mean([(m.value, m.low, m.high) for m in same], axis=0).tolist()
            found = replace(same[0], value=value, low=low, high=high)
            out.append(found.over_folds(self.widening))
        return tuple(out)

    @cached_property
    def widening(self) -> float:
        """By what folds make the variance of the mean squared error larger than that of rows."""
        folds = self.folds
        few = 2 <= folds <= distributions.MOST_FOLDS
        means, error = (self.fold_means(), self.loss_error) if few else (np.empty(0), 0.0)
        return distributions.widening(means, error, folds)

    @property
    def folds(self) -> int:
        """How many folds of the first repeat have tested rows."""
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
        return bool(away.mean() < 0 and distributions.corrected(away, len(self.repeats)) < LEVEL)

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

    def fold_losses(self) -> Floats:
        """Return the mean squared error of every fold of every repeat."""
        return self.fold_means()

    def row_losses(self) -> tuple[Floats, Floats | None] | None:
        """Return the squared error of every tested row of the first repeat, and the weights."""
        part = self.repeats[0]
        rows, own = np.flatnonzero(part.fold >= 0), part.weight(self.weights)
        squares = (part.of(self.truth)[rows] - part.shares[rows, 0]) ** 2
        return squares, None if own is None else own[rows]

    def _base_means(self) -> Floats:
        """Return the mean squared error of always answering the mean, of every fold of every repeat."""
        weight = np.ones(len(self.truth)) if self.weights is None else self.weights
        mean = np.full((len(self.truth), 1), average(np.asarray(self.truth, np.float64), weight))
        always = tuple(replace(r, shares=mean if r.rows is None else mean[r.rows]) for r in self.repeats)
        return replace(self, repeats=always).fold_means()

    def fold_means(self) -> Floats:
        """Return the mean squared error of every fold of every repeat."""
        return np.concatenate([given.fold_mean(given.LOSS) for given in self.measured])

    def by(self, column: str) -> list[dict[str, Any]]:
        """Return rows, mean size of the error and mean of answer less truth, with intervals, for each value
        of a column.
        """
        from tallystick.judge.groups import error_sizes

        part = self.repeats[0]
        return error_sizes(part.of(self.groups[column]), part.of(self.truth), part, part.weight(self.weights))

    def said_by(self, column: str) -> str:
        """Return what differs between the values of a column beyond chance, in a sentence."""
        from tallystick.judge.groups import number_sentence

        return number_sentence(self.by(column))

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
        from tallystick.judge.checks import show_regression

        return show_regression(self)

    __repr__ = __str__
