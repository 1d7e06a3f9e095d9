"""Of the page, where to draw the line between two classes: counts at many thresholds, gain and lift.

Knows answers to rows that the model had not seen. Knows nothing of HTML.
Law: the page counts what a model that decides by the threshold answers; at 0.5 stand the model's own answers.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tallystick.draw.panels import Axis, ChartCurve, chart
from tallystick.evaluate.thresholds import Thresholds, all_cuts, between, thin
from tallystick.reports.curves import constant
from tallystick.reports.ingredients import Ingredients
from tallystick.reports.inks import inks


def threshold_section(given: Ingredients) -> dict[str, Any] | None:
    """Return counts by threshold and the curves; None of more classes, and of a model without any curve."""
    result = given.chosen.result
    if result.scores.ranked is None or constant(result):
        return None
    found = result.scores.thresholds()
    of = given.labels.index(found.of)
    ink = inks(given)[of]
    return {
        "of": found.of,
        "other": found.other,
        "gain": _curve(found, 1, f"share of {found.of} found", ink),
        "lift": _curve(found, 2, "lift", ink),
        "data": steps_of(found, of),
    }


def steps_of(found: Thresholds, of: int) -> dict[str, Any]:
    """Return what the slider moves over: thresholds, and the rows above each, of both classes."""
    cuts = all_cuts(found.ranked, of, np.array(found.costs))
    keep = thin(len(cuts.low)).tolist()
    own = {between(float(cuts.low[k]), float(cuts.high[k])) for k in keep}
    steps = sorted({*own, *(k / 100 for k in range(1, 100))})
    above = found.ranked.above(np.array(steps), of)
    return {
        "of": of,
        "steps": steps,
        "found": above[:, of].tolist(),
        "alarms": above[:, 1 - of].tolist(),
        "all": [float(found.ranked.hits[:, c].sum()) for c in (of, 1 - of)],
    }


def _curve(found: Thresholds, place: int, words: str, ink: str) -> str:
    x, y = [p[0] for p in found.gains], [p[place] for p in found.gains]
    line = ChartCurve(found.of, x, y, ink=ink)
    top = 1.0 if place == 1 else max(1.0, *y) * 1.05
    axis = Axis("share of rows taken, the most probable first")
    return chart([line], axis, Axis(words, 0.0, top), words, diagonal=place == 1)
