"""Scores of predicted shares against the truth, as data: the measures, the confusion, the curves.

Knows class codes, shares and weights. Knows nothing of models, tables or pictures.
Law: a row of weight w counts as w rows; the order of the rows means nothing.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallystick.errors import OptionError
from tallystick.evaluate import intervals
from tallystick.evaluate.measures import (
    SCORES,
    Answered,
    Measure,
    precision_recall,
)
from tallystick.evaluate.thresholds import RankedRows, Thresholds, thresholds_of
from tallystick.models.decision import decide
from tallystick.stats.exact import exact_total, weighted_total

Floats = NDArray[np.float64]
Codes = NDArray[np.int64]

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
                "f1_interval": list(intervals.f1(hits, misses, alarms)),
                "precision": _ratio(hits, hits + alarms),
                "precision_interval": list(intervals.wilson(hits, hits + alarms)),
                "recall": _ratio(hits, hits + misses),
                "recall_interval": list(intervals.wilson(hits, hits + misses)),
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
    low, high = intervals.wilson(ups, rows)
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
