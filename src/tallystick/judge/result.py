"""Out-of-fold answers and what follows from them: measures with intervals, fold by fold and group by group.

Knows classes, shares and folds. Knows nothing of tables, methods or how folds were run.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from tallystick.draw.svg import Picture, as_html
from tallystick.errors import OptionError, some
from tallystick.judge import folds as large
from tallystick.judge.answers import DiskAnswers, SummedAnswers
from tallystick.judge.folds import FoldPlan
from tallystick.judge.scores import (
    ACCURACY,
    CLASS_SHARES,
    LOG_LOSS,
    NUMBER_SCORES,
    SCORES,
    Measure,
    Reckoned,
    Scores,
    accuracy,
    area_of,
    average,
    class_share_losses,
    copies,
    log_losses,
    score,
)
from tallystick.model.decision import decide
from tallystick.stats import distributions
from tallystick.stats.exact import weighted_total

Floats = NDArray[np.float64]
DECIDING = ("log-loss", "auc", "accuracy")  # measures that methods can be judged by
RARE = 0.2  # of an equal share: a class with less makes accuracy a poor guide
LEVEL = 0.05  # of a p below which a difference is more than chance
LEAN = {one.name: one for one in (ACCURACY, LOG_LOSS)}  # scores that need no order of the rows


class JudgedRepeat(Protocol):
    """What follows from the answers of one repeat, where these stay elsewhere."""

    @property
    def sizes(self) -> tuple[int, ...]:
        """sizes[fold]: tested rows."""
        ...


@dataclass(frozen=True)
class RepeatScores:
    """What follows from the answers of one repeat, where these stay elsewhere. sizes[fold]: tested rows;
    rows: all rows, copies counted; held[class]: what rows weigh, those that are never tested among them, in
    units of the table; fold_means[name][fold]; loss_error: of the mean
    log-loss; by[column]: what `groups.error_rates` tells.
    """

    scores: Scores
    sizes: tuple[int, ...]
    rows: int
    held: tuple[int, ...]
    fold_means: dict[str, Floats]
    loss_error: float
    by: dict[str, list[dict[str, Any]]] = field(default_factory=dict)


@dataclass(frozen=True)
class FoldAnswers:
    """Out-of-fold shares[row, class] of one repeat; fold[row] is negative where a row was never tested.

    Where copies of one row are in several folds, these are pieces of rows: rows[piece], weights[piece].
    judged: what follows from answers that are not here.
    """

    shares: Floats
    fold: NDArray[np.int64]
    rows: NDArray[np.int64] | None = None
    weights: Floats | None = None
    budget: int = 0  # bytes of memory to work in, where there are more rows than it holds
    judged: JudgedRepeat | None = None

    @classmethod
    def elsewhere(cls, judged: JudgedRepeat, classes: int) -> FoldAnswers:
        """Return answers of which only what follows from them is here."""
        return cls(np.zeros((0, classes)), np.zeros(0, np.int64), judged=judged)

    @property
    def large(self) -> bool:
        """Whether there are more rows than memory holds."""
        return self.budget > 0

    def here(self) -> FoldAnswers:
        """Return the answers themselves, which must be here."""
        if self.judged is not None:
            raise OptionError(
                "the answers to single rows stay with Spark, scores come here. To see them, fit a model and "
                "pass rows that it was not trained on to model.transform(frame)."
            )
        return self

    def of(self, each: NDArray[Any]) -> NDArray[Any]:
        """Return something known of every row, for every piece."""
        return each if self.rows is None else each[self.rows]

    def weight(self, weights: Floats | None) -> Floats | None:
        """Return the weight of every piece; weights: those of the rows."""
        return weights if self.rows is None else self.weights

    def sizes(self, weights: Floats | None) -> list[int]:
        """Return the number of tested rows of each fold, copies counted."""
        if self.judged is not None:
            return list(self.judged.sizes)
        own = self.weight(weights)
        own = None if own is None else copies(own)
        sizes: Counter[int] = Counter()
        for s in large.steps(len(self.fold)):
            fold, many = self.fold[s], None if own is None else own[s]
            for f in np.unique(fold[fold >= 0]).tolist():
                sizes[f] += int(np.count_nonzero(fold == f) if many is None else many[fold == f].sum())
        return [sizes[f] for f in range(max(sizes, default=-1) + 1)]


BY_AREA = (
    "measure='auc' compares the areas of single folds, which are not kept of rows on disk or with Spark. Use "
    "'log-loss' or 'accuracy'."
)


def count_rows(rows: int, weights: Floats | None) -> int:
    """Return how many rows there are, copies counted."""
    return rows if weights is None else int(copies(weights).sum())


@dataclass(frozen=True)
class CrossValidation:
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

    @classmethod
    def elsewhere(
        cls,
        classes: tuple[str, ...],
        judged: Sequence[RepeatScores],
        costs: tuple[Floats | None, Floats | None],
        how: str,
        positive: int | None = None,
    ) -> CrossValidation:
        """Return what follows from answers that are not here. costs: what answers cost, and the method's own
        costs.
        """
        parts = tuple(FoldAnswers.elsewhere(one, len(classes)) for one in judged)
        none = np.zeros(0, np.int64)
        groups: dict[str, NDArray[Any]] = dict.fromkeys(judged[0].by, none)  # of no row that is here
        return cls(classes, none, parts, None, costs[0], positive, how, groups=groups, own_costs=costs[1])

    @property
    def most_frequent(self) -> str:
        """The most frequent class: always answering it is the baseline."""
        if (judged := self._judged) is not None:
            return self.classes[int(np.argmax(judged.held))]
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
    def rows(self) -> int:
        """How many rows there are, copies counted."""
        judged = self._judged
        return count_rows(len(self.truth), self.weights) if judged is None else judged.rows

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
        return self.repeats[0].here().shares

    @property
    def fold(self) -> NDArray[np.int64]:
        """fold[row] of the first repeat."""
        return self.repeats[0].here().fold

    @property
    def _judged(self) -> RepeatScores | None:
        """What follows from the answers of the first repeat, where these are not here."""
        found = self.repeats[0].judged
        return found if isinstance(found, RepeatScores) else None

    @cached_property
    def all_scores(self) -> tuple[Scores, ...]:
        """The scores of each repeat."""
        if self.summed:
            return tuple(given.scores(self.classes) for given in self.summed)
        return tuple(map(self._score, self.repeats))

    @cached_property
    def summed(self) -> tuple[SummedAnswers, ...]:
        """Of more rows than memory holds, the sums of the answers of each repeat."""
        return tuple(self._sums(r) for r in self.repeats if r.large)

    def _sums(self, part: FoldAnswers) -> SummedAnswers:
        answers = DiskAnswers(self.truth, part.shares, part.fold, part.budget)
        given = len(self.classes), answers.folds, self.rule, self.cost, self.positive
        return SummedAnswers.of(answers, *given)

    @property
    def scores(self) -> Scores:
        """The scores of the first repeat: measures, confusion, curves."""
        return self.all_scores[0]

    def measure(self, name: str) -> Measure:
        """Return one measure, its value and interval averaged over the repeats.

        The interval is of the score on new rows of a model trained on all rows: widened for what folds
        share and for how they differ; with rows held out it is that of the one model that answered.
        """
        if name in LEAN and self.summed:
            parts = [found for given in self.summed if (found := LEAN[name].of(given)) is not None]
        else:
            parts = [m for s in self.all_scores for m in s.measures if m.name == name]
        if not parts:
            known = some([m.name for m in self.scores.measures])
            why = " (no fold has rows of two classes)" if name == "auc" else ""
            raise OptionError(f"there is no measure {name!r} of these answers{why}. Measures: {known}.")
        value, low, high = (float(np.mean([getattr(p, f) for p in parts])) for f in ("value", "low", "high"))
        found = replace(parts[0], value=value, low=low, high=high)
        answers = any(score.answers for score in SCORES if score.name == name)
        return found.over_folds(self.widening["accuracy" if answers else "log-loss"])

    @cached_property
    def widening(self) -> dict[str, float]:
        """By what folds make the variance of the accuracy and of the log-loss larger than that of rows."""
        sizes = self.repeats[0].sizes(self.weights)
        folds = sum(n > 0 for n in sizes)
        if folds > distributions.MOST_FOLDS or folds < 2:
            return dict.fromkeys(("accuracy", "log-loss"), distributions.widening(np.empty(0), 0.0, folds))
        if self.summed:
            every, rows = [accuracy(given.confusion)[0] for given in self.summed], float(sum(sizes))
        else:
            every, rows = [s["accuracy"].value for s in self.all_scores], self.scores.rows
        right = float(np.mean(every))
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

    @property
    def loss_error(self) -> float:
        """The standard error of the log-loss over the tested rows of the first repeat."""
        if self.summed:
            return self.summed[0].loss_error
        part = self.repeats[0]
        if self._judged is not None:
            return self._judged.loss_error
        rows = self._tested(part)
        losses = log_losses(part.of(self.truth)[rows], part.shares[rows])
        weights = part.weight(self.weights)
        return mean_error(losses, None if weights is None else weights[rows])

    def fold_losses(self) -> Floats:
        """Return the loss that decides of every fold of every repeat; nan where a fold has none."""
        means = self.fold_means(self.decides)
        return means if self.decides == "log-loss" else 1 - means

    def row_losses(self) -> tuple[Floats, Floats | None] | None:
        """Return the loss that decides of every tested row of the first repeat, and the weights; None where
        rows have none of their own, or are not here.
        """
        part = self.repeats[0]
        if self.decides == "auc" or self._judged is not None or part.large:
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
        if name not in self._known:
            self._known[name] = self._fold_means(name)
        return self._known[name]

    @cached_property
    def _known(self) -> dict[str, Floats]:
        """The means of folds that were asked for."""
        return {}

    def _fold_means(self, name: str) -> Floats:
        elsewhere = [given.fold_means for given in self.summed] or [
            r.judged.fold_means for r in self.repeats if isinstance(r.judged, RepeatScores)
        ]
        if elsewhere:
            if name == "auc":
                raise OptionError(BY_AREA)
            return np.concatenate([given[name] for given in elsewhere])
        out: list[float] = []
        for r in self.repeats:
            tested = self._tested(r)
            truth, shares, own = (
                r.of(self.truth)[tested].astype(np.int64),
                r.shares[tested],
                r.weight(self.weights),
            )
            weight = np.ones(len(tested)) if own is None else own[tested]
            parts = [r.fold[tested] == f for f in np.unique(r.fold[tested]).tolist()]
            if name == CLASS_SHARES:
                full = [np.bincount(truth[here], weight[here], len(self.classes)) for here in parts]
                out += class_share_losses(np.array(full)).tolist()
            elif name == "auc":
                out += [area_of(truth[here], shares[here], weight[here]) for here in parts]
            else:
                rows = _row_values(name, truth, shares, self.rule)
                means = [weighted_total(rows[at], weight[at]) / float(weight[at].sum()) for at in parts]
                out += means
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
        from tallystick.judge.groups import error_rates

        part = self.repeats[0]
        if self._judged is not None:
            return self._judged.by[column]
        weights = part.weight(self.weights)
        return error_rates(part.of(self.groups[column]), part.of(self.truth), part, weights, self.rule)

    def said_by(self, column: str) -> str:
        """Return what differs between the values of a column beyond chance, in a sentence."""
        from tallystick.judge.groups import sentence

        return sentence(self.by(column), self.classes)

    def _tested(self, part: FoldAnswers) -> NDArray[np.int64]:
        """Return the tested rows in an order that is theirs alone: sums of doubles depend on it."""
        rows = np.flatnonzero(part.fold >= 0)
        weights = part.weight(self.weights)
        keys = [*part.shares[rows].T, part.of(self.truth)[rows]]
        if weights is not None:
            keys.append(weights[rows])
        return rows[np.lexsort(keys)]

    def _score(self, part: FoldAnswers) -> Scores:
        if isinstance(part.judged, RepeatScores):
            return part.judged.scores
        rows = self._tested(part)
        weights = part.weight(self.weights)
        weight = None if weights is None else weights[rows]
        truth = part.of(self.truth)[rows].astype(np.int64)
        shares, fold = part.shares[rows], part.fold[rows]
        return score(truth, shares, self.classes, weight, self.cost, self.positive, self.rule, fold)

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


# Out-of-fold answers of a regression: mean squared error and its like, with intervals.
#
# Knows numbers, answers and folds. Knows nothing of tables or methods. Law: a row of weight w counts as w
# rows; the base is the error of always answering the mean.


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
        few = 2 <= folds <= distributions.MOST_FOLDS
        means, error = (self.fold_means(), self.loss_error) if few else (np.empty(0), 0.0)
        return distributions.widening(means, error, folds)

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
        from tallystick.judge.number_groups import error_sizes

        part = self.repeats[0]
        if self._judged is not None:
            return self._judged.by[column]
        return error_sizes(part.of(self.groups[column]), part.of(self.truth), part, part.weight(self.weights))

    def said_by(self, column: str) -> str:
        """Return what differs between the values of a column beyond chance, in a sentence."""
        from tallystick.judge.number_groups import number_sentence

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
        from tallystick.judge.checks import show_regression

        return show_regression(self)

    __repr__ = __str__
