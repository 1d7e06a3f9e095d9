"""Scores of predicted shares against the truth, as data: the measures, the confusion, the curves.

Knows class codes, shares and weights. Knows nothing of models, tables or pictures.
Law: a row of weight w counts as w rows; the order of the rows means nothing.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallystick.errors import OptionError
from tallystick.judge.groups import RankedRows, Thresholds, thresholds_of
from tallystick.model.decision import decide
from tallystick.stats import distributions
from tallystick.stats.distributions import METHODS, OF
from tallystick.stats.exact import digits, exact_total, nearest, weighted_total

# The scores: one small object each, listed once; what each measures, with its interval and its baseline.
#
# Knows class codes, shares and weights. Knows nothing of models, tables, folds or pictures. Law: a row of
# weight w counts as w rows; the order of the rows means nothing.


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
    return hits / rows, *distributions.wilson(hits, rows), "wilson", base


def _balanced(given: Answered) -> Found:
    hits, rows = np.diag(given.confusion), given.confusion.sum(axis=1)
    seen = rows > 0
    value = float((hits[seen] / rows[seen]).mean())
    low_high = distributions.recalls(hits.tolist(), rows.tolist())
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
    ends = distributions.on_logit(value, error, float(min(size for _, size in found)))
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
    return mean, *distributions.of_sums(rows, mean, *sums)


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
    return area, *distributions.on_logit(area, error, ups), "precision", base


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
    return mean, *distributions.mean(values, weight, mean)


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

BINS = 10  # of shares, in a calibration
NEAR, FEWEST = 0.25, 10  # of a bin of calibration: how far apart its shares may lie, rows of each half


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
    weight = np.ones(len(truth)) if weights is None else weights.astype(np.float64)
    answered = decide(shares, cost if rule is None else rule)
    if positive is None:
        positive = rarest(np.bincount(truth, weight, minlength=len(classes)))
    confusion = confusion_of(truth, answered, weight, len(classes))
    one = np.zeros_like(truth) if fold is None else fold
    given = Answered(truth, shares, weight, answered, confusion, positive, one, cost)
    return scores_of(
        given,
        classes,
        curves=class_curves(truth == positive, shares[:, positive], weight),
        impossible=int(copies(weight)[shares[np.arange(len(truth)), truth] <= 0].sum()),
        ranked=RankedRows.of(truth, shares, weight) if len(classes) == 2 else None,
    )


def scores_of(given: Any, classes: tuple[str, ...], curves: dict[str, Any], **more: Any) -> Scores:
    """Return the scores of answers, wherever these are: given has the members of `measures.Answered`."""
    return Scores(
        classes=classes,
        rows=given.rows,
        measures=tuple(found for s in SCORES if (found := s.of(given)) is not None),
        per_class=tuple(_per_class(given.confusion, classes)),
        confusion=given.confusion,
        positive=classes[given.positive],
        curves=curves,
        **more,
    )


def copies(weights: Floats) -> Floats:
    """Return how many rows each weight counts for: itself where all are whole, else one; 0 is no row."""
    return weights if (weights == np.floor(weights)).all() else (weights > 0).astype(np.float64)


def rarest(seen: NDArray[Any]) -> int:
    """Return the class that has the fewest rows of those that have any."""
    return int(np.argmin(np.where(seen > 0, seen, np.inf)))


def confusion_of(truth: Codes, answer: Codes, weight: Floats, k: int) -> Floats:
    """Return counts[truth, answer] of k classes."""
    return np.bincount(truth * k + answer, weight, minlength=k * k).reshape(k, k).astype(np.float64)


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


def class_curves(hit: NDArray[np.bool_], value: Floats, weight: Floats) -> dict[str, Any]:
    """Return what one class against the rest looks like: hit[row] whether a row has it, value[row] its share.

    The points of roc, pr and calibration, and the lift of the top tenth.
    """
    _, precision, recall = precision_recall(hit, value, weight)
    false = false_alarms(precision, recall, float(weight[hit].sum()), float(weight.sum()))
    out: dict[str, Any] = {
        "calibration": calibration(hit, value, weight),
        "pr": _thin(recall, precision),
        "roc": _thin(np.concatenate([[0.0], false]), np.concatenate([[0.0], recall])),
        "top_tenth": top_tenth(hit, value, weight),
    }
    return out


def false_alarms(precision: Floats, recall: Floats, ups: float, rows: float) -> Floats:
    """Return the share of the other rows that are answered yes, where so much is found so precisely."""
    yes = recall * ups / np.maximum(precision, 1e-300)
    return np.asarray((yes - recall * ups) / max(rows - ups, 1e-300))


def _thin(x: Floats, y: Floats) -> list[list[float]]:
    at = thinned(len(x))
    return [[float(a), float(b)] for a, b in zip(x[at], y[at], strict=True)]


def thinned(points: int, most: int = 400) -> Codes:
    """Return which of so many points of a curve are drawn, ends kept: at most `most`, so that a million rows
    draw as fast as a hundred.
    """
    return np.unique(np.linspace(0, points - 1, min(points, most)).astype(np.int64))


def calibration(
    hit: NDArray[np.bool_], value: Floats, weight: Floats, bins: int = BINS
) -> list[dict[str, Any]]:
    """Return, for about equally full bins of the predicted share, its mean and the observed share; bins whose
    shares lie far apart are halved while they have rows enough.
    """
    distinct, at = np.unique(value, return_inverse=True)
    full: Floats = np.bincount(at, weight, minlength=len(distinct)).astype(np.float64)
    place = bin_of(np.cumsum(full), full, float(full.sum()), bins)
    ends = [int(e) for e in np.flatnonzero(np.diff(place, append=bins)) + 1]
    parts = [part for a, b in itertools.pairwise([0, *ends]) for part in near_shares(distinct, full, a, b)]
    out = []
    for first, last in parts:
        here = (at >= first) & (at < last)
        rows, ups = float(weight[here].sum()), float(weight[here & hit].sum())
        out.append(calibration_bin(rows, ups, weighted_total(value[here], weight[here])))
    return out


def bin_of(upto: NDArray[Any], full: NDArray[Any], rows: float, bins: int = BINS) -> Codes:
    """Return the bin of each distinct share, rising; upto[share]: rows up to and with it, full[share]: at
    it.
    """
    return np.minimum(((upto - full / 2) / rows * bins).astype(np.int64), bins - 1)


def near_shares(distinct: Floats, full: Floats, first: int, last: int) -> list[tuple[int, int]]:
    """Return stretches of shares that lie near each other, or that are too few rows to be halved."""
    along = np.cumsum(full[first:last])
    off = from_half(along, float(along[-1]))
    middle = first + 1 + int(np.argmin(off))
    if distinct[last - 1] - distinct[first] <= NEAR or off[middle - first - 1] == np.inf:
        return [(first, last)]
    return [*near_shares(distinct, full, first, middle), *near_shares(distinct, full, middle, last)]


def from_half(along: NDArray[Any], rows: float) -> Floats:
    """Return how far from its half a stretch of so many rows is divided after along[share] of them; inf where
    a half has too few rows.
    """
    enough = (along >= FEWEST) & (rows - along >= FEWEST)
    return np.where(enough, np.abs(along - rows / 2), np.inf)


def calibration_bin(rows: float, ups: float, told: float) -> dict[str, Any]:
    """Return what a bin of shares tells: its rows, those of the class, and the sum of their shares."""
    low, high = distributions.wilson(ups, rows)
    return {"high": high, "low": low, "observed": ups / rows, "predicted": told / rows, "rows": rows}


def top_tenth(hit: NDArray[np.bool_], value: Floats, weight: Floats) -> dict[str, float]:
    """Return the share of positives in the tenth of the rows with the highest scores, and its lift.

    Rows that tie at the edge count in part, so that their order means nothing.
    """
    distinct, at = np.unique(-value, return_inverse=True)
    full = np.bincount(at, weight, minlength=len(distinct))
    up = np.bincount(at, weight * hit, minlength=len(distinct))
    inside, room = in_top_tenth(up, full, np.cumsum(full) - full, float(full.sum()))
    return lift_of(exact_total(inside) / exact_total(room), float(up.sum() / full.sum()))


def in_top_tenth(
    up: NDArray[Any], full: NDArray[Any], before: NDArray[Any], rows: float
) -> tuple[Floats, Floats]:
    """Return, of each distinct share, how many of its rows of the class and of all are in the tenth with the
    highest; before[share]: rows with higher ones.
    """
    room = np.clip(0.1 * rows - before, 0, full)
    return up * room / np.where(full > 0, full, 1), room


def lift_of(share: float, base: float) -> dict[str, float]:
    """Return the share of a class in the top tenth beside that in all rows."""
    return {"base": base, "lift": share / base if base else 0.0, "share": share}
