"""The scores: one small object each, listed once; what each measures, with its interval and its baseline.

Knows class codes, shares and weights. Knows nothing of models, tables, folds or pictures.
Law: a row of weight w counts as w rows; the order of the rows means nothing.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallystick.evaluate import intervals
from tallystick.evaluate.intervals import METHODS, OF
from tallystick.stats.exact import digits, exact_total, nearest, weighted_total

Floats = NDArray[np.float64]
Codes = NDArray[np.int64]
RowMean = tuple[float, float, float]  # the mean, and the ends of its interval
Found = tuple[float, float, float, str, float | None]  # value, low, high, how the interval is made, baseline

CLIP = (
    1e-15  # a share of 0 for the true class costs log(1/CLIP), not infinity; counted in `Scores.impossible`
)


@dataclass(frozen=True, slots=True)
class Measure:
    """One number that was measured, its 95 % interval, and the same number for the baseline.

    widened: by what folds make its variance larger than that of as many independent rows; 1 where one model
    answered. See `intervals.OF` for what the interval is one of. ends: between which every such number lies.
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
        low, high = intervals.stretched(self.value, (self.low, self.high), factor, *self.ends)
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
class Answered:
    """What a score is measured on: truth[row], shares[row, class], weight[row], answer[row], the confusion
    [truth, answer], the positive class, fold[row] and, where errors have prices, cost[truth, answer].
    """

    truth: Codes
    shares: Floats
    weight: Floats
    answer: Codes
    confusion: Floats
    positive: int
    fold: Codes
    cost: Floats | None = None

    @property
    def rows(self) -> float:
        """What all rows weigh."""
        return float(self.weight.sum())

    @property
    def prior(self) -> Floats:
        """The share of each class among the rows."""
        return np.asarray(self.confusion.sum(axis=1) / self.rows)

    def row_mean(self, values: Floats) -> RowMean:
        """Return the mean of values[row], and its interval."""
        return row_mean(values, self.weight)

    # -- what rows must be looked at for; rows far away are asked for the same (`summed_answers.py`) --

    def mean_loss(self) -> RowMean:
        """Return the mean log-loss, and its interval."""
        return self.row_mean(log_losses(self.truth, self.shares))

    def mean_brier(self) -> RowMean:
        """Return the mean of the squared distances from the truth, and its interval."""
        return self.row_mean(square_distances(self.truth, self.shares))

    def mean_cost(self, cost: Floats) -> RowMean:
        """Return what an answer costs in the mean, and its interval."""
        return self.row_mean(cost[self.truth, self.answer])

    def area(self, c: int) -> tuple[float, float] | None:
        """Return what `delong` finds for one class against the rest."""
        return delong(self.truth == c, self.shares[:, c], self.weight, self.fold)

    def precision_area(self) -> float:
        """Return the area under the precision-recall curve of the positive class, by steps."""
        _, precision, recall = precision_recall(
            self.truth == self.positive, self.shares[:, self.positive], self.weight
        )
        return exact_total(np.diff(recall, prepend=0.0) * precision)


@dataclass(frozen=True)
class Score:
    """One way to score answers.

    measure: what was found, or None where there is nothing to measure. answers: whether it is of the answers;
    else it is of the shares, and folds widen its interval as they do that of the log-loss. least, most:
    between which the score lies.
    """

    name: str
    measure: Callable[[Any], Found | None]
    answers: bool = False
    least: float = 0.0
    most: float = 1.0

    def of(self, given: Any) -> Measure | None:
        """Return the measure of some answers."""
        found = self.measure(given)
        return None if found is None else self.made(found)

    def made(self, found: Found) -> Measure:
        """Return the measure that was found."""
        return Measure(self.name, *found, ends=(self.least, self.most))


def accuracy(confusion: Floats) -> Found:
    """Return the share of right answers in confusion[truth, answer]."""
    rows, hits = float(confusion.sum()), float(np.trace(confusion))
    base = float(confusion.sum(axis=1).max()) / rows
    return hits / rows, *intervals.wilson(hits, rows), "wilson", base


def _balanced(given: Answered) -> Found:
    hits, rows = np.diag(given.confusion), given.confusion.sum(axis=1)
    seen = rows > 0
    value = float((hits[seen] / rows[seen]).mean())
    low_high = intervals.recalls(hits.tolist(), rows.tolist())
    return value, *low_high, "recalls", 1 / int(seen.sum())


def log_losses(truth: Codes, shares: Floats) -> Floats:
    """Return -ln(share of the true class) of each row, the share clipped at CLIP."""
    own = np.clip(shares[np.arange(len(truth)), truth], CLIP, 1.0)
    return np.asarray(-np.log(own))


def class_share_losses(truths: NDArray[Any]) -> Floats:
    """Return the mean log-loss[fold] of giving every row the class shares of all of truths[fold, class]."""
    full = truths.sum(axis=0)
    losses = -np.log(np.where(full > 0, full, 1) / full.sum())
    return np.array([exact_total(own * losses) / own.sum() for own in truths.astype(np.float64)])


def square_distances(truth: Codes, shares: Floats) -> Floats:
    """Return of each row the squared distance of its shares from a share of 1 for the true class."""
    own = np.eye(shares.shape[1])[truth]
    return np.asarray((np.ascontiguousarray(shares - own) ** 2).sum(axis=1))


def _log_loss(given: Answered) -> Found:
    seen = given.prior[given.prior > 0]
    value, low, high = given.mean_loss()
    return value, max(0.0, low), high, "mean", float(-(seen * np.log(seen)).sum())


def _brier(given: Answered) -> Found:
    """The mean of (probability - truth)²; of more than two classes its sum over them, as scikit-learn has."""
    half = 2.0 if len(given.prior) == 2 else 1.0
    value, low, high = (each / half for each in given.mean_brier())
    return value, max(0.0, low), high, "mean", float(1 - (given.prior**2).sum()) / half


def _cost(given: Answered) -> Found | None:
    if given.cost is None:
        return None
    return *given.mean_cost(given.cost), "mean", float((given.prior @ given.cost).min())


def _auc(given: Answered) -> Found | None:
    """The area under the ROC curve; for several classes the mean over classes of each against the rest."""
    sizes = given.confusion.sum(axis=1)
    codes = np.flatnonzero(sizes).tolist() if len(sizes) > 2 else [len(sizes) - 1]
    parts = [(given.area(c), sizes[c]) for c in codes]
    found = [(area, size) for area, size in parts if area is not None]
    if not found:
        return None
    value = sum(area[0] for area, _ in found) / len(found)
    error = sum(area[1] for area, _ in found) / len(found)  # classes are not independent
    ends = intervals.on_logit(value, error, float(min(size for _, size in found)))
    return value, *ends, "auc", 0.5


def delong(hit: NDArray[np.bool_], value: Floats, weight: Floats, fold: Codes) -> tuple[float, float] | None:
    """Return the area under the ROC curve and DeLong's standard error; None where there is no pair.

    The area is the share of pairs (positive, negative) in which the positive has the higher value, ties
    counting one half. A pair is of one fold, so one model gave both values. Rows that one fold has too many
    of are too few among its training rows, so values of two folds stand the wrong way round.
    """
    order = np.lexsort((value, fold))
    hit, value, weight, fold = hit[order], value[order], weight[order], fold[order]
    start = np.diff(fold, prepend=fold[0] - 1) != 0
    new = start | (np.diff(value, prepend=-1.0) != 0)
    tie, own = np.cumsum(new) - 1, (np.cumsum(start) - 1)[new]  # tie[row]; own[tie]: its fold
    up, down = np.bincount(tie, weight * hit), np.bincount(tie, weight * ~hit)
    ups, downs = np.bincount(own, up), np.bincount(own, down)  # of each fold
    pairs = float((ups * downs).sum())
    if pairs == 0:
        return None
    below = np.cumsum(down) - down / 2 - (np.cumsum(downs) - downs)[own]  # negatives below this value
    above = np.cumsum(ups)[own] - np.cumsum(up) + up / 2  # positives above this value
    area = exact_total(up * below) / pairs
    sides = ((up, below, downs[own]), (down, above, ups[own]))
    spreads = [exact_total(area_spread(*side, area)) for side in sides]
    sizes = [float(each[others > 0].sum()) for each, _, others in sides]
    return area, area_error(spreads, sizes, pairs)


def area_spread(each: NDArray[Any], won: NDArray[Any], others: NDArray[Any] | float, area: float) -> Floats:
    """Return what ties add to the variance of an area: each[tie] rows that won over won[tie] of others[tie]
    rows of the other side.
    """
    return np.asarray(each * (won - area * others) ** 2)


def cost_mean(confusion: NDArray[np.int64], cost: Floats, unit: int = 1) -> RowMean:
    """Return what an answer costs in the mean, and its interval, of counted answers; unit: what a row of
    weight 1 is counted as.
    """
    values, counts, rows = cost.ravel(), confusion.ravel(), float(confusion.sum()) / unit
    mean = nearest(digits(values, counts)) / unit / rows
    away = values - mean
    sums = (nearest(digits(away**power, counts)) / unit for power in (2, 3))
    return mean, *intervals.of_sums(rows, mean, *sums)


def area_error(spreads: Sequence[float], sizes: Sequence[float], pairs: float) -> float:
    """Return DeLong's standard error, of the spreads of both sides and the rows that have a pair there."""
    parts = zip(spreads, sizes, strict=True)
    return math.sqrt(sum(spread / pairs / pairs * size / max(size - 1, 1) for spread, size in parts))


def _average_precision(given: Answered) -> Found:
    """The area under the precision-recall curve of the positive class, by steps."""
    ups = float(given.confusion[given.positive].sum())
    base = ups / given.rows
    if ups == 0:
        return 0.0, 0.0, 1.0, "precision", base
    area = given.precision_area()
    error = math.sqrt(area * (1 - area) / ups)
    return area, *intervals.on_logit(area, error, ups), "precision", base


def precision_recall(hit: NDArray[np.bool_], value: Floats, weight: Floats) -> tuple[Floats, Floats, Floats]:
    """Return thresholds falling, and precision and recall of answering yes at or above each."""
    distinct, at = np.unique(-value, return_inverse=True)
    up = np.cumsum(np.bincount(at, weight * hit, minlength=len(distinct)))
    all_ = np.cumsum(np.bincount(at, weight, minlength=len(distinct)))
    return -distinct, up / all_, up / max(float(up[-1]), 1e-300)


def area_of(truth: Codes, shares: Floats, weight: Floats) -> float:
    """Return the area under the ROC curve of rows that one model answered, as `auc`; nan without a pair."""
    sizes, same = np.bincount(truth, weight, shares.shape[1]), np.zeros(len(truth), np.int64)
    codes = np.flatnonzero(sizes).tolist() if len(sizes) > 2 else [len(sizes) - 1]
    found = [a[0] for c in codes if (a := delong(truth == c, shares[:, c], weight, same)) is not None]
    return sum(found) / len(found) if found else math.nan


CLASS_SHARES = "class shares"  # whose log-loss a model's is held against, fold by fold
ACCURACY = Score("accuracy", lambda given: accuracy(given.confusion), answers=True)
LOG_LOSS = Score("log-loss", _log_loss, most=math.inf)
SCORES = [  # in the order in which they are shown
    ACCURACY,
    Score("balanced accuracy", _balanced, answers=True),
    LOG_LOSS,
    Score("brier", _brier, most=math.inf),
    Score("auc", _auc),
    Score("average precision", _average_precision),
    Score("cost", _cost, answers=True, most=math.inf),
]


@dataclass(frozen=True)
class Reckoned:
    """What a score of numbers is measured on: truth[row], answer[row], weight[row]."""

    truth: Floats
    answer: Floats
    weight: Floats

    # -- what rows must be looked at for; rows far away are asked for the same (`summed_numbers.py`) --

    @cached_property
    def mean_square(self) -> RowMean:
        """The mean of the squared errors, and its interval."""
        return row_mean((self.truth - self.answer) ** 2, self.weight)

    @cached_property
    def mean_size(self) -> RowMean:
        """The mean size of the errors, and its interval."""
        return row_mean(np.abs(self.truth - self.answer), self.weight)

    @cached_property
    def base(self) -> tuple[float, float]:
        """The mean of the squared errors, and of their sizes, of always answering the mean."""
        spread = self.truth - average(self.truth, self.weight)
        return average(spread**2, self.weight), average(np.abs(spread), self.weight)


def row_mean(values: Floats, weight: Floats) -> RowMean:
    """Return the mean of values[row], and its interval."""
    mean = average(values, weight)
    return mean, *intervals.mean(values, weight, mean)


def average(values: Floats, weight: Floats) -> float:
    """Return the mean of values[row]: the same in any order of the rows."""
    rows = float(weight.sum())
    rough = float((weight * values).sum())
    return (weighted_total(values, weight) if math.isfinite(rough) else rough) / rows


def _squared(given: Any) -> Found:
    value, low, high = given.mean_square
    return value, max(low, 0.0), high, "mean", given.base[0]


def _root(given: Any) -> Found:
    value, low, high, _, base = _squared(given)
    assert base is not None
    return math.sqrt(value), math.sqrt(low), math.sqrt(high), "root", math.sqrt(base)


def _absolute(given: Any) -> Found:
    return *given.mean_size, "mean", given.base[1]


def _r2(given: Any) -> Found:
    value, low, high, _, base = _squared(given)
    of = base or 1.0
    return 1 - value / of, 1 - high / of, 1 - low / of, "r2", 0.0


NUMBER_SCORES = [  # of a target that is a number
    Score("mse", _squared, most=math.inf),
    Score("rmse", _root, most=math.inf),
    Score("mae", _absolute, most=math.inf),
    Score("r2", _r2, least=-math.inf),
]
