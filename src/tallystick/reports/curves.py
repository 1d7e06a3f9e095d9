"""Of the page, one class against the rest: ROC, precision and recall, calibration, of any class.

Knows out-of-fold shares. Knows nothing of HTML. Laws: the page comes with the pictures of one class, and with
the points of every class in its list, drawn in the same frame; a model that gives all rows of a fold the same
share has no curve, for what would be drawn is the folds.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallystick.draw.panels import FRAME, Axis, ChartCurve, chart
from tallystick.evaluate import CrossValidation
from tallystick.evaluate.scores import class_curves
from tallystick.reports.ingredients import Ingredients
from tallystick.reports.inks import inks

MOST_CLASSES = 60  # in the list, the most frequent
POINTS = 80  # of a curve that another class is drawn with


def curves_section(given: Ingredients) -> dict[str, Any]:
    """Return the pictures of one class, and the points of all in the list."""
    result = given.chosen.result
    if constant(result):
        return {"constant": True, "positive": result.scores.positive}
    first = given.labels.index(result.scores.positive)
    told = {c: _curves(result, c) for c in _listed(result, first)}
    ink = inks(given)[first]
    own = result.scores.curves  # all points, for the pictures that need no script
    return {
        "constant": False,
        "positive": result.scores.positive,
        "first": first,
        "roc": _chart("ROC curve", own["roc"], ("false alarms", "found"), ink),
        "pr": _chart("precision and recall", own["pr"], ("found (recall)", "precision"), ink),
        "calibration": _calibration(own["calibration"], ink),
        "lift": own["top_tenth"],
        "left": len(given.labels) - len(told),
        "data": {"frame": list(FRAME), "classes": told, "first": first},
    }


def constant(result: CrossValidation) -> bool:
    """Say whether every row of a fold was given the same shares."""
    part = result.repeats[0]
    folds = np.unique(part.fold[part.fold >= 0])
    return all(bool((np.ptp(part.shares[part.fold == f], axis=0) == 0).all()) for f in folds.tolist())


def _listed(result: CrossValidation, first: int) -> list[int]:
    """Return the classes that can be looked at: the first, then the most frequent ones."""
    full = np.bincount(result.truth, result.weights, minlength=len(result.classes))
    order = np.argsort(-full, kind="stable").tolist()
    kept = [c for c in order if full[c] > 0][:MOST_CLASSES]
    return sorted({first, *kept})


def _curves(result: CrossValidation, c: int) -> dict[str, Any]:
    part = result.repeats[0]
    rows = part.fold >= 0
    weights = part.weight(result.weights)
    weight = np.ones(int(rows.sum())) if weights is None else weights[rows]
    found = class_curves(part.of(result.truth)[rows] == c, part.shares[rows, c], weight)
    bins = found["calibration"]
    return {
        "roc": thinned(found["roc"]),
        "pr": thinned(found["pr"]),
        "calibration": [
            [round(b[k], 4) for k in ("predicted", "observed", "low", "high")] for b in bins
        ],
        "lift": [round(found["top_tenth"]["share"], 4), round(found["top_tenth"]["lift"], 2)],
    }  # fmt: skip


def thinned(points: list[list[float]], most: int = POINTS) -> list[list[float]]:
    """Return at most `most` points of a curve, about equally far from each other along it, the ends kept."""
    at: NDArray[np.float64] = np.asarray(points, float)
    if len(at) > most:
        along = np.concatenate([[0.0], np.abs(np.diff(at, axis=0)).sum(axis=1).cumsum()])
        near = np.searchsorted(along, np.linspace(0.0, along[-1], most))
        at = at[np.unique(np.concatenate([[0], near, [len(at) - 1]]))]
    return [[round(x, 4), round(y, 4)] for x, y in at.tolist()]


def _chart(title: str, points: list[list[float]], words: tuple[str, str], ink: str) -> str:
    line = ChartCurve(title, [p[0] for p in points], [p[1] for p in points], ink=ink)
    return chart([line], Axis(words[0]), Axis(words[1]), title, diagonal=words[1] == "found")


def _calibration(bins: list[dict[str, Any]], ink: str) -> str:
    x, y, low, high = ([b[k] for b in bins] for k in ("predicted", "observed", "low", "high"))
    line = ChartCurve("came true", x, y, low, high, dots=True, bars=True, ink=ink)
    return chart([line], Axis("predicted share"), Axis("observed share"), "calibration", diagonal=True)
