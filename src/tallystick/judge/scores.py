"""Scores of answers against the truth: the measures with intervals, the confusion matrix, curves and lift.

1. `Measure`, `Score`; the lists `SCORES` (classes) and `NUMBER_SCORES` (numbers).
2. What scores are computed from, sums over rows: `Measured`, `Answered` (classes), `AnsweredNumbers`.
3. Entry: `score()`, which returns `Scores`.

unit = the integer weight of a row of weight 1; value = a quantity of each row that is summed, by fold;
rule[truth, answer] = the costs that decide answers; cost[truth, answer] = the costs that are measured.
Law: a row of weight w counts as w rows; the order of the rows does not matter.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from tallystick import kernels
from tallystick.errors import OptionError
from tallystick.judge.answers import (
    AnswerBlock,
    Answers,
    ShareOrder,
    average,
    counted,
    log_losses,
    square_distances,
)
from tallystick.judge.groups import RankedRows, Thresholds, thresholds_of
from tallystick.kernels.check import code_dtype
from tallystick.model.decision import decide
from tallystick.stats import distributions
from tallystick.stats.distributions import METHODS, OF
from tallystick.stats.exact import digits, exact_total, joined, nearest
from tallystick.table.block import rows_counted

Floats = NDArray[np.float64]
Codes = NDArray[np.int64]
RowMean = tuple[float, float, float]  # the mean, and the ends of its interval
Found = tuple[float, float, float, str, float | None]  # value, low, high, how the interval is made, baseline


@dataclass(frozen=True, slots=True)
class Measure:
    """One number that was measured, its 95 % interval, and the same number for the baseline.

    widened: by what folds make its variance larger than that of as many independent rows; 1 where one model
    answered. `distributions.OF` says what the interval is of. ends: the bounds of the measure.
    """

    name: str
    value: float
    low: float
    high: float
    method: str
    base: float | None = None
    widened: float = 1.0
    ends: tuple[float, float] = field(default=(0.0, 1.0), repr=False)

    def over_folds(self, factor: float) -> Measure:
        """Return the measure with the interval that cross-validation owes, its variance times a factor."""
        if factor <= 1.0:
            return self
        low, high = distributions.stretched(self.value, (self.low, self.high), factor, *self.ends)
        return replace(self, low=low, high=high, widened=factor)

    def to_dict(self) -> dict[str, Any]:
        """Return the measure as plain data."""
        times = f"; widened {math.sqrt(self.widened):.2f} times for the folds"
        return {
            "base": self.base,
            "high": self.high,
            "low": self.low,
            "method": METHODS[self.method] + (times if self.widened > 1 else ""),
            "name": self.name,
            "of": OF[self.widened > 1],
            "value": self.value,
        }


@dataclass(frozen=True)
class Score:
    """One way to score answers.

    measure: the result, or None where there is nothing to measure. answers: whether it is computed from the
    answers; else it is from the shares, and folds widen its interval as that of the log-loss. least, most:
    the bounds of the score.
    """

    name: str
    measure: Callable[[Any], Found | None]
    answers: bool = False
    least: float = 0.0
    most: float = 1.0


def accuracy(confusion: Floats) -> Found:
    """Return the share of right answers in confusion[truth, answer]."""
    rows, hits = float(confusion.sum()), float(np.trace(confusion))
    base = float(confusion.sum(axis=1).max()) / rows
    return hits / rows, *distributions.wilson(hits, rows), "wilson", base


def _balanced(given: Answered) -> Found:
    hits, rows = np.diag(given.confusion), given.confusion.sum(axis=1)
    seen = rows > 0
    value = float((hits[seen] / rows[seen]).mean())
    low_high = distributions.recalls(hits.tolist(), rows.tolist())
    return value, *low_high, "recalls", 1 / int(seen.sum())


def class_share_losses(truths: Floats) -> Floats:
    """Return the mean log-loss[fold] of giving every row the class shares of all of truths[fold, class]."""
    full = truths.sum(axis=0)
    losses = -np.log(np.where(full > 0, full, 1) / full.sum())
    return np.array([exact_total(own * losses) / own.sum() for own in truths])


def _log_loss(given: Answered) -> Found:
    seen = given.prior[given.prior > 0]
    value, low, high = given.interval(0)
    return value, max(0.0, low), high, "mean", float(-(seen * np.log(seen)).sum())


def _brier(given: Answered) -> Found:
    """The mean of (probability - truth)²; of more than two classes its sum over them, as scikit-learn has."""
    half = 2.0 if len(given.prior) == 2 else 1.0
    value, low, high = (each / half for each in given.interval(1))
    return value, max(0.0, low), high, "mean", float(1 - (given.prior**2).sum()) / half


def _cost(given: Answered) -> Found | None:
    if given.cost is None:
        return None
    return *given.mean_cost(given.cost), "mean", float((given.prior @ given.cost).min())


def _auc(given: Answered) -> Found | None:
    """The area under the ROC curve; for several classes the mean over classes of each against the rest."""
    sizes = given.confusion.sum(axis=1)
    codes = np.flatnonzero(sizes).tolist() if len(sizes) > 2 else [len(sizes) - 1]
    parts = [(given.order(c).area(), sizes[c]) for c in codes]
    found = [(area, size) for area, size in parts if area is not None]
    if not found:
        return None
    value = sum(area[0] for area, _ in found) / len(found)
    error = sum(area[1] for area, _ in found) / len(found)  # classes are not independent
    ends = distributions.on_logit(value, error, float(min(size for _, size in found)))
    return value, *ends, "auc", 0.5


def _average_precision(given: Answered) -> Found:
    """The area under the precision-recall curve of the positive class, by steps."""
    ups = float(given.confusion[given.positive].sum())
    base = ups / given.rows
    if ups == 0:
        return 0.0, 0.0, 1.0, "precision", base
    area = given.curves[1]
    error = math.sqrt(area * (1 - area) / ups)
    return area, *distributions.on_logit(area, error, ups), "precision", base


CLASS_SHARES = "class shares"  # the baseline of the log-loss, fold by fold
ACCURACY = Score("accuracy", lambda given: accuracy(given.confusion), answers=True)
LOG_LOSS = Score("log-loss", _log_loss, most=math.inf)
SCORES = [  # of classes, in the order shown
    ACCURACY,
    Score("balanced accuracy", _balanced, answers=True),
    LOG_LOSS,
    Score("brier", _brier, most=math.inf),
    Score("auc", _auc),
    Score("average precision", _average_precision),
    Score("cost", _cost, answers=True, most=math.inf),
]


def _squared(given: AnsweredNumbers) -> Found:
    value, low, high = given.interval(1)
    return value, max(low, 0.0), high, "mean", given.base[0]


def _root(given: AnsweredNumbers) -> Found:
    value, low, high, _, base = _squared(given)
    assert base is not None
    return math.sqrt(value), math.sqrt(low), math.sqrt(high), "root", math.sqrt(base)


def _absolute(given: AnsweredNumbers) -> Found:
    return *given.interval(2), "mean", given.base[1]


def _r2(given: AnsweredNumbers) -> Found:
    value, low, high, _, base = _squared(given)
    of = base or 1.0
    return 1 - value / of, 1 - high / of, 1 - low / of, "r2", 0.0


NUMBER_SCORES = [  # of a numeric target
    Score("mse", _squared, most=math.inf),
    Score("rmse", _root, most=math.inf),
    Score("mae", _absolute, most=math.inf),
    Score("r2", _r2, least=-math.inf),
]


class Measured:
    """What scores are computed from: sums over answered rows of the `values` of each, by fold."""

    POWERS: ClassVar[tuple[tuple[int, int], ...]]  # of each value: which powers of its deviation are summed
    LOSS: ClassVar[int]  # index of the value that is the loss

    def __init__(self, answers: Answers) -> None:
        self.answers, self.unit, folds = answers, answers.unit, answers.folds
        many = len(self.POWERS)
        self.fold_weights = np.zeros(folds, np.int64)  # in units
        self.sums = np.zeros((many, folds, kernels.SUM_DIGITS), np.int64)
        self.beyond = np.zeros((many, folds), np.int64)  # rows in which a value is not a finite number
        squares = np.zeros((many, folds, kernels.SQUARE_DIGITS), np.int64)
        for block in answers.blocks():
            fold = block.fold.astype(code_dtype(folds))
            kernels.add_moments(self.values(block), fold, self.beyond, self.sums, squares, block.weights)
            self.fold_weights += counted(fold, block.weights, folds)
        self.rows = float(self.fold_weights.sum()) / self.unit
        self._measures: dict[str, Measure | None] = {}

    def values(self, block: AnswerBlock) -> list[Floats]:
        """Return values[value][row] of some rows."""
        raise NotImplementedError

    @cached_property
    def means(self) -> tuple[float, ...]:
        """The mean of each value."""
        return tuple(self._mean(value, slice(None)) for value in range(len(self.POWERS)))

    def fold_mean(self, value: int) -> Floats:
        """Return the mean of a value over each fold that has rows."""
        there = np.flatnonzero(self.fold_weights).tolist()
        return np.array([self._mean(value, slice(f, f + 1)) for f in there])

    def _mean(self, value: int, folds: slice) -> float:
        if self.beyond[value, folds].any():
            return math.inf
        total = nearest(kernels.carry(self.sums[value, folds].sum(axis=0)[None])[0])
        return total / self.unit / (float(self.fold_weights[folds].sum()) / self.unit)

    @cached_property
    def away(self) -> Floats:
        """sums[value, which of its powers] of how far each value is from its mean."""
        sums = np.zeros((len(self.POWERS), 2, kernels.SUM_DIGITS), np.int64)
        beyond = np.zeros((len(self.POWERS), 2), np.int64)
        for block in self.answers.blocks():
            for at, (values, mean) in enumerate(zip(self.values(block), self.means, strict=True)):
                for which, power in enumerate(self.POWERS[at]):
                    with np.errstate(over="ignore", invalid="ignore"):
                        each = np.abs(values - mean) if power == 1 else (values - mean) ** power
                    sums[at, which] = joined(sums[at, which], digits(each, block.weights))
                    beyond[at, which] += np.count_nonzero(~np.isfinite(each))
        total = np.array([[nearest(one) for one in each] for each in sums]) / self.unit
        return np.where(beyond > 0, math.inf, total)

    def interval(self, value: int) -> RowMean:
        """Return the mean of a value, and its interval."""
        mean = self.means[value]
        return mean, *distributions.of_sums(self.rows, mean, *self.away[value].tolist())

    @property
    def loss_error(self) -> float:
        """The standard error of the mean loss."""
        return math.sqrt(float(self.away[self.LOSS, 0]) / max(self.rows - 1, 1) / self.rows)

    def measure(self, score: Score) -> Measure | None:
        """Return what a score finds, worked out once; None where there is nothing to measure."""
        if score.name not in self._measures:
            found = score.measure(self)
            ends = score.least, score.most
            self._measures[score.name] = None if found is None else Measure(score.name, *found, ends=ends)
        return self._measures[score.name]


class Answered(Measured):
    """What a score of classes is computed from: answers, the confusion[truth, answer], the positive class
    and, where errors have prices, cost[truth, answer]. rule[truth, answer]: the costs by which answers are
    decided; None: the largest share. positive: None is the rarest class.
    """

    POWERS = ((2, 3), (2, 3))  # of the log-loss, and of the square distance
    LOSS = 0

    def __init__(
        self,
        answers: Answers,
        classes: int,
        rule: Floats | None = None,
        cost: Floats | None = None,
        positive: int | None = None,
    ) -> None:
        super().__init__(answers)
        self.rule, self.cost, k = rule, cost, classes
        self.counts = np.zeros((k, k), np.int64)  # [truth, answer], in units
        truths, hits = np.zeros((answers.folds, k), np.int64), np.zeros(answers.folds, np.int64)
        self.impossible = 0  # rows whose true class had the share 0, copies counted
        for _, classes_, shares, fold, weights in answers.blocks():
            truth, answer = classes_.astype(np.int64), decide(shares, rule)
            self.counts += counted(truth * k + answer, weights, k * k).reshape(k, k)
            truths += counted(fold * k + truth, weights, truths.size).reshape(truths.shape)
            hit, lost = answer == truth, shares[np.arange(len(truth)), truth] <= 0
            hits += counted(fold[hit], None if weights is None else weights[hit], len(hits))
            heavy = None if weights is None else weights[lost]
            self.impossible += rows_counted(heavy, int(lost.sum()), self.unit)
        self.truths, self.hits = truths, hits
        self.confusion: Floats = self.counts / self.unit
        self.positive = rarest(self.confusion.sum(axis=1)) if positive is None else positive
        self._orders: dict[int, ShareOrder] = {}

    def values(self, block: AnswerBlock) -> list[Floats]:
        """Return the log-loss and the square distance of some rows."""
        truth = block.truth.astype(np.int64)
        return [log_losses(truth, block.shares), square_distances(truth, block.shares)]

    @property
    def prior(self) -> Floats:
        """The share of each class among the rows."""
        return np.asarray(self.confusion.sum(axis=1) / self.rows)

    def fold_means(self, name: str) -> Floats:
        """Return the mean accuracy or log-loss of each fold that has rows, the area under its ROC curve, or
        its log-loss by the class shares of all rows.
        """
        if name == "log-loss":
            return self.fold_mean(0)
        there = np.flatnonzero(self.fold_weights)
        if name == "accuracy":
            return np.asarray(self.hits[there] / self.unit / (self.fold_weights[there] / self.unit))
        if name == CLASS_SHARES:
            return class_share_losses(self.truths[there] / self.unit)
        if name == "auc":
            a = self.answers
            parts = [np.flatnonzero(a.fold == f) for f in there.tolist()]
            weights = [None if a.weights is None else a.weights[rows] for rows in parts]
            each = [
                Answers(a.truth[rows], a.shares[rows], np.zeros(len(rows), np.int64), own, a.unit)
                for rows, own in zip(parts, weights, strict=True)
            ]
            areas = [_auc(Answered(one, len(self.confusion))) for one in each]
            return np.array([math.nan if area is None else area[0] for area in areas])
        raise OptionError(f"a fold has a mean 'log-loss' or 'accuracy', not {name!r}.")

    def mean_cost(self, cost: Floats) -> RowMean:
        """Return what an answer costs in the mean, and its interval."""
        values, counts = cost.ravel(), self.counts.ravel()
        mean = nearest(digits(values, counts)) / self.unit / self.rows
        sums = (nearest(digits((values - mean) ** power, counts)) / self.unit for power in (2, 3))
        return mean, *distributions.of_sums(self.rows, mean, *sums)

    def order(self, c: int) -> ShareOrder:
        """Return the rows in the order of the shares of a class."""
        if c not in self._orders:
            self._orders[c] = ShareOrder(self.answers, c)
        return self._orders[c]

    @cached_property
    def curves(self) -> tuple[dict[str, Any], float]:
        """The curves of the positive class, and the area under that of precision and recall."""
        return self.order(self.positive).curves()

    def scores(self, classes: tuple[str, ...]) -> Scores:
        """Return all scores."""
        return Scores(
            classes=classes,
            rows=self.rows,
            measures=tuple(found for s in SCORES if (found := self.measure(s)) is not None),
            per_class=tuple(_per_class(self.confusion, classes)),
            confusion=self.confusion,
            positive=classes[self.positive],
            curves=self.curves[0],
            impossible=self.impossible,
            ranked=RankedRows(*self.order(1).by_share()) if len(classes) == 2 else None,
        )

    # -- row by row, for scores that do not follow from sums: all answers are loaded --

    @cached_property
    def _tested(self) -> NDArray[np.int64]:
        return np.flatnonzero(self.answers.fold >= 0)

    @property
    def truth(self) -> Codes:
        """truth[row]."""
        return self.answers.truth[self._tested].astype(np.int64)

    @property
    def shares(self) -> Floats:
        """shares[row, class]."""
        return self.answers.shares[self._tested]

    @property
    def answer(self) -> Codes:
        """The class answered for each row."""
        return decide(self.shares, self.rule)

    @property
    def weight(self) -> Floats:
        """weight[row]."""
        weights = self.answers.weights
        return np.ones(len(self._tested)) if weights is None else weights[self._tested] / self.unit

    def row_mean(self, values: Floats) -> RowMean:
        """Return the mean of values[row], and its interval."""
        mean = average(values, self.weight)
        return mean, *distributions.mean(values, self.weight, mean)


class AnsweredNumbers(Measured):
    """What a score of numbers is computed from."""

    POWERS = ((1, 2), (2, 3), (2, 3))  # of the true number, the squared error and the size of the error
    LOSS = 1

    def values(self, block: AnswerBlock) -> list[Floats]:
        """Return the true number, the squared error and the size of the error of some rows."""
        error = block.truth - block.shares[:, 0]
        with np.errstate(over="ignore"):
            return [np.ascontiguousarray(block.truth), error**2, np.abs(error)]

    @property
    def base(self) -> tuple[float, float]:
        """The mean of the squared errors, and of their sizes, of always answering the mean."""
        sizes, squares = self.away[0].tolist()
        return squares / self.rows, sizes / self.rows


@dataclass(frozen=True)
class Scores:
    """All scores of one set of predictions.

    confusion[truth, answer]; `curves` has, for the positive class, the points of roc, pr and calibration,
    and the lift.
    """

    classes: tuple[str, ...]
    rows: float
    measures: tuple[Measure, ...]
    per_class: tuple[dict[str, Any], ...]
    confusion: Floats
    positive: str
    curves: dict[str, Any] = field(repr=False)
    impossible: int = 0
    ranked: RankedRows | None = field(default=None, repr=False)

    def __getitem__(self, name: str) -> Measure:
        for measure in self.measures:
            if measure.name == name:
                return measure
        raise KeyError(name)

    def thresholds(self, costs: Any = None, of: Any = None, at: Sequence[float] | None = None) -> Thresholds:
        """Return what every threshold between two classes finds, misses and costs, and the cheapest.

        Parameters
        ----------
        costs : dict or table, default None
            {class: {answer: cost}} (not named: 1 for a wrong answer, 0 for a right one) or
            `costs[class][answer]`; None: every error costs 1.
        of : label, default None
            The class whose probability is held against the threshold; None is the positive one.
        at : list of float, default None
            The thresholds of the table; None is some round ones. The cheapest is found among all.

        Returns
        -------
        Thresholds
            Prints as a table; `best` is the cheapest, `gains` has gain and lift.
        """
        if self.ranked is None and len(self.classes) == 2:
            raise OptionError(
                "thresholds are counted over the answers to all rows, and these stay with Spark. "
                "Collect the rows: frame.toArrow()."
            )
        if self.ranked is None:
            raise OptionError(
                f"a threshold is for two classes, and here are {len(self.classes):,}. Pass cost= to "
                "cross_validate: the answers are then those of least expected cost."
            )
        return thresholds_of(self.ranked, self.classes, costs, self.positive if of is None else of, at)

    def to_dict(self) -> dict[str, Any]:
        """Return all scores as plain data."""
        return {
            "classes": list(self.classes),
            "confusion": self.confusion.tolist(),
            "curves": self.curves,
            "impossible": self.impossible,
            "measures": [m.to_dict() for m in self.measures],
            "per_class": list(self.per_class),
            "positive": self.positive,
            "rows": self.rows,
        }


def score(
    truth: Codes,
    shares: Floats,
    classes: tuple[str, ...],
    weights: Floats | None = None,
    cost: Floats | None = None,
    positive: int | None = None,
    rule: Floats | None = None,
    fold: Codes | None = None,
) -> Scores:
    """Score shares[row, class] against truth[row]; cost[truth, answer] adds the expected cost.

    rule[truth, answer]: the costs by which answers are decided, if not by `cost`. fold[row]: which model
    answered, if not one answered all. The positive class of curves and lift is the rarer one of two, or the
    given one. There is no "auc" where no model answered rows of two classes.
    """
    one = np.zeros(len(truth), np.int64) if fold is None else fold
    answers = Answers.of(truth, shares, one, weights)
    return Answered(answers, len(classes), cost if rule is None else rule, cost, positive).scores(classes)


def copies(weights: Floats) -> Floats:
    """Return how many rows each weight counts for: itself where all are whole, else one; 0 is no row."""
    return weights if (weights == np.floor(weights)).all() else (weights > 0).astype(np.float64)


def rarest(seen: NDArray[Any]) -> int:
    """Return the class that has the fewest rows of those that have any."""
    return int(np.argmin(np.where(seen > 0, seen, np.inf)))


def _per_class(confusion: Floats, classes: tuple[str, ...]) -> list[dict[str, Any]]:
    out = []
    for c, name in enumerate(classes):
        hits = float(confusion[c, c])
        misses, alarms = float(confusion[c].sum()) - hits, float(confusion[:, c].sum()) - hits
        out.append(
            {
                "class": name,
                "f1": _ratio(2 * hits, 2 * hits + misses + alarms),
                "f1_interval": list(distributions.f1(hits, misses, alarms)),
                "precision": _ratio(hits, hits + alarms),
                "precision_interval": list(distributions.wilson(hits, hits + alarms)),
                "recall": _ratio(hits, hits + misses),
                "recall_interval": list(distributions.wilson(hits, hits + misses)),
                "rows": hits + misses,
            }
        )
    return out


def _ratio(part: float, whole: float) -> float:
    return part / whole if whole else 0.0
