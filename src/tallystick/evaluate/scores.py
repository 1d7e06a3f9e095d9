"""Scores of predicted shares against the truth, as data, each with its interval and the baseline beside it.

Knows class codes, shares and weights. Knows nothing of models, tables or pictures.
Law: a row of weight w counts as w rows; the order of the rows means nothing.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallystick.evaluate import intervals
from tallystick.evaluate.intervals import METHODS, OF
from tallystick.models.decision import decide

Floats = NDArray[np.float64]
Codes = NDArray[np.int64]

UNBOUNDED = ("log-loss", "brier", "cost", "mse", "mae")  # measures that may be above 1
FIXED = float(1 << 30)  # parts of one, in sums of whole numbers
CLIP = (
    1e-15  # a share of 0 for the true class costs log(1/CLIP), not infinity; counted in `Scores.impossible`
)


@dataclass(frozen=True, slots=True)
class Measure:
    """One number that was measured, its 95 % interval, and the same number for the baseline.

    widened: by what folds make its variance larger than that of as many independent rows; 1 where one model
    answered. See `intervals.OF` for what the interval is one of.
    """

    name: str
    value: float
    low: float
    high: float
    method: str
    base: float | None = None
    widened: float = 1.0

    def over_folds(self, factor: float) -> Measure:
        """Return the measure with the interval that cross-validation owes, its variance times a factor."""
        if factor <= 1.0:
            return self
        share = self.name not in UNBOUNDED
        least, most = (-math.inf if self.name == "r2" else 0.0), (1.0 if share else math.inf)
        ends = intervals.stretched(self.value, (self.low, self.high), factor, least, most)
        return replace(self, low=ends[0], high=ends[1], widened=factor)

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

    def __getitem__(self, name: str) -> Measure:
        for measure in self.measures:
            if measure.name == name:
                return measure
        raise KeyError(name)

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
        seen = np.bincount(truth, weight, minlength=len(classes))
        positive = int(np.argmin(np.where(seen > 0, seen, np.inf)))
    confusion = _confusion(truth, answered, weight, len(classes))
    measures = [
        _accuracy(confusion),
        _balanced(confusion),
        *_row_means(truth, shares, weight, confusion),
        *_auc(truth, shares, weight, np.zeros_like(truth) if fold is None else fold),
        _precision(truth == positive, shares[:, positive], weight),
    ]
    if cost is not None:
        measures.append(_cost(truth, answered, weight, cost))
    return Scores(
        classes=classes,
        rows=float(weight.sum()),
        measures=tuple(measures),
        per_class=tuple(_per_class(confusion, classes)),
        confusion=confusion,
        positive=classes[positive],
        curves=_curves(truth == positive, shares[:, positive], weight, cost, positive),
        impossible=int((shares[np.arange(len(truth)), truth] <= 0).sum()),
    )


@dataclass(frozen=True)
class Lean:
    """Scores that need no order of the rows. fold_means[name][fold]; loss_error: of the mean log-loss."""

    measures: dict[str, Measure]
    fold_means: dict[str, Floats]
    loss_error: float


def lean_scores(
    blocks: Callable[[], Iterable[tuple[Codes, Floats, Codes]]], classes: int, rule: Floats | None
) -> Lean:
    """Return accuracy and log-loss of (truth, shares, fold) that come block by block, with their intervals.

    rule: costs that decide answers. Sums are of whole numbers, so the order of rows means nothing.
    """
    confusion, sums = np.zeros((classes, classes)), dict[int, list[int]]()  # sums[fold]: rows, hits, loss
    for truth, shares, fold in blocks():
        answer, losses = decide(shares, rule), log_losses(truth, shares)
        confusion += _confusion(truth, answer, np.ones(len(truth)), classes)
        for f in np.unique(fold).tolist():
            here = fold == f
            found = (int(here.sum()), int((answer == truth)[here].sum()), _whole(losses[here]))
            sums[f] = [old + new for old, new in zip(sums.get(f, (0, 0, 0)), found, strict=True)]
    rows = float(confusion.sum())
    centre = sum(loss for _, _, loss in sums.values()) / FIXED / rows
    second, third = 0, 0
    for truth, shares, _ in blocks():
        away = log_losses(truth, shares) - centre
        second, third = second + _whole(away**2), third + _whole(away**3)
    variance = second / FIXED / max(rows - 1, 1)
    low, high = intervals.of_moments(rows, centre, variance, third / FIXED / rows)
    prior = confusion.sum(axis=1) / rows
    base = float(-(prior[prior > 0] * np.log(prior[prior > 0])).sum())
    loss = Measure("log-loss", centre, max(0.0, low), high, "mean", base)
    means = {
        "accuracy": np.array([hits / n for _, (n, hits, _) in sorted(sums.items())]),
        "log-loss": np.array([lost / FIXED / n for _, (n, _, lost) in sorted(sums.items())]),
    }
    measures = {"accuracy": _accuracy(confusion), "log-loss": loss}
    return Lean(measures, means, math.sqrt(variance / rows))


def _whole(values: Floats) -> int:
    """Return the sum of some values, each rounded to a whole multiple of 1 / FIXED."""
    return int(np.rint(values * FIXED).astype(np.int64).sum())


def log_losses(truth: Codes, shares: Floats) -> Floats:
    """Return -ln(share of the true class) of each row, the share clipped at CLIP."""
    own = np.clip(shares[np.arange(len(truth)), truth], CLIP, 1.0)
    return np.asarray(-np.log(own))


def _confusion(truth: Codes, answer: Codes, weight: Floats, k: int) -> Floats:
    return np.bincount(truth * k + answer, weight, minlength=k * k).reshape(k, k).astype(np.float64)


def _accuracy(confusion: Floats) -> Measure:
    rows, hits = float(confusion.sum()), float(np.trace(confusion))
    base = float(confusion.sum(axis=1).max()) / rows
    return Measure("accuracy", hits / rows, *intervals.wilson(hits, rows), "wilson", base)


def _balanced(confusion: Floats) -> Measure:
    hits, rows = np.diag(confusion), confusion.sum(axis=1)
    seen = rows > 0
    value = float((hits[seen] / rows[seen]).mean())
    low_high = intervals.recalls(hits.tolist(), rows.tolist())
    return Measure("balanced accuracy", value, *low_high, "recalls", 1 / int(seen.sum()))


def _row_means(truth: Codes, shares: Floats, weight: Floats, confusion: Floats) -> list[Measure]:
    rows = float(weight.sum())
    prior = confusion.sum(axis=1) / rows
    own = np.eye(shares.shape[1])[truth]
    seen = prior[prior > 0]
    losses = log_losses(truth, shares)
    brier = ((shares - own) ** 2).sum(axis=1)
    bases = {"log-loss": float(-(seen * np.log(seen)).sum()), "brier": float(1 - (prior**2).sum())}
    out = []
    for name, values in (("log-loss", losses), ("brier", brier)):
        value = float((weight * values).sum()) / rows
        low, high = intervals.mean(values, weight)
        out.append(Measure(name, value, max(0.0, low), high, "mean", bases[name]))
    return out


def _cost(truth: Codes, answered: Codes, weight: Floats, cost: Floats) -> Measure:
    values = cost[truth, answered]
    prior = np.bincount(truth, weight, minlength=len(cost)) / weight.sum()
    value = float((weight * values).sum() / weight.sum())
    return Measure("cost", value, *intervals.mean(values, weight), "mean", float((prior @ cost).min()))


def _auc(truth: Codes, shares: Floats, weight: Floats, fold: Codes) -> list[Measure]:
    """The area under the ROC curve; for several classes the mean over classes of each against the rest."""
    codes = np.unique(truth).tolist() if shares.shape[1] > 2 else [shares.shape[1] - 1]
    parts = [(delong(truth == c, shares[:, c], weight, fold), weight[truth == c].sum()) for c in codes]
    found = [(area, size) for area, size in parts if area is not None]
    if not found:
        return []
    value = sum(area[0] for area, _ in found) / len(found)
    error = sum(area[1] for area, _ in found) / len(found)  # the parts hang together: errors are added
    ends = intervals.on_logit(value, error, float(min(size for _, size in found)))
    return [Measure("auc", value, *ends, "auc", 0.5)]


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
    area = float((up * below).sum()) / pairs
    error = 0.0
    for each, won, others in ((up, below, downs[own]), (down, above, ups[own])):
        size = float(each[others > 0].sum())
        spread = float((each * (won - area * others) ** 2).sum())
        error += spread / pairs / pairs * size / max(size - 1, 1)
    return area, math.sqrt(error)


def _precision(hit: NDArray[np.bool_], value: Floats, weight: Floats) -> Measure:
    """Average precision: the area under the precision-recall curve by steps."""
    ups, rows = float(weight[hit].sum()), float(weight.sum())
    base = ups / rows
    if ups == 0:
        return Measure("average precision", 0.0, 0.0, 1.0, "precision", base)
    _, precision, recall = _pr(hit, value, weight)
    area = float((np.diff(recall, prepend=0.0) * precision).sum())
    error = math.sqrt(area * (1 - area) / ups)
    low, high = intervals.on_logit(area, error, ups)
    return Measure("average precision", area, low, high, "precision", base)


def _pr(hit: NDArray[np.bool_], value: Floats, weight: Floats) -> tuple[Floats, Floats, Floats]:
    """Return thresholds falling, and precision and recall of answering yes at or above each."""
    distinct, at = np.unique(-value, return_inverse=True)
    up = np.cumsum(np.bincount(at, weight * hit, minlength=len(distinct)))
    all_ = np.cumsum(np.bincount(at, weight, minlength=len(distinct)))
    return -distinct, up / all_, up / max(float(up[-1]), 1e-300)


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


def _curves(
    hit: NDArray[np.bool_], value: Floats, weight: Floats, cost: Floats | None, positive: int
) -> dict[str, Any]:
    thresholds, precision, recall = _pr(hit, value, weight)
    ups, rows = float(weight[hit].sum()), float(weight.sum())
    yes = recall * ups / np.maximum(precision, 1e-300)
    false = (yes - recall * ups) / max(rows - ups, 1e-300)
    out: dict[str, Any] = {
        "calibration": calibration(hit, value, weight),
        "pr": _thin(recall, precision),
        "roc": _thin(np.concatenate([[0.0], false]), np.concatenate([[0.0], recall])),
        "top_tenth": top_tenth(hit, value, weight),
    }
    if cost is not None and len(cost) == 2:
        total = _threshold_costs(recall * ups, yes, ups, rows, cost, positive)
        best = int(np.argmin(total))
        out["best_threshold"] = {"cost": float(total[best]), "threshold": float(thresholds[best])}
    return out


def _threshold_costs(up: Floats, yes: Floats, ups: float, rows: float, cost: Floats, positive: int) -> Floats:
    """Mean cost of answering `positive` at or above each threshold; chosen on the same rows, so a little
    hopeful.
    """
    p, n = positive, 1 - positive
    alarms = yes - up
    spent = cost[p, p] * up + cost[p, n] * (ups - up) + cost[n, p] * alarms
    return np.asarray((spent + cost[n, n] * (rows - ups - alarms)) / rows)


def _thin(x: Floats, y: Floats, most: int = 400) -> list[list[float]]:
    """Return at most `most` points of a curve, ends kept, so that a million rows draw as fast as a
    hundred.
    """
    at = np.unique(np.linspace(0, len(x) - 1, min(len(x), most)).astype(int))
    return [[float(a), float(b)] for a, b in zip(x[at], y[at], strict=True)]


def calibration(
    hit: NDArray[np.bool_], value: Floats, weight: Floats, bins: int = 10
) -> list[dict[str, Any]]:
    """Return, for about equally full bins of the predicted share, its mean and the observed share."""
    distinct, at = np.unique(value, return_inverse=True)
    full = np.bincount(at, weight, minlength=len(distinct))
    place = np.minimum(((np.cumsum(full) - full / 2) / full.sum() * bins).astype(int), bins - 1)[at]
    out = []
    for b in np.unique(place).tolist():
        here = place == b
        rows, ups = float(weight[here].sum()), float(weight[here & hit].sum())
        low, high = intervals.wilson(ups, rows)
        told = float((weight[here] * value[here]).sum()) / rows
        out.append({"high": high, "low": low, "observed": ups / rows, "predicted": told, "rows": rows})
    return out


def top_tenth(hit: NDArray[np.bool_], value: Floats, weight: Floats) -> dict[str, float]:
    """Return the share of positives in the tenth of the rows with the highest scores, and its lift.

    Rows that tie at the edge count in part, so that their order means nothing.
    """
    distinct, at = np.unique(-value, return_inverse=True)
    full = np.bincount(at, weight, minlength=len(distinct))
    up = np.bincount(at, weight * hit, minlength=len(distinct))
    room = np.clip(0.1 * full.sum() - (np.cumsum(full) - full), 0, full)
    share = float((up * room / np.where(full > 0, full, 1)).sum() / room.sum())
    base = float(up.sum() / full.sum())
    return {"base": base, "lift": share / base if base else 0.0, "share": share}
