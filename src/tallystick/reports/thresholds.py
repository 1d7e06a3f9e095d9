"""Of the page, how answers are decided: of two classes counts at many thresholds, gain and lift; of more the
shares of rows, so that the page answers by whatever costs are typed in.

Knows answers to rows that the model had not seen. Knows nothing of HTML.
Laws: the page counts what a model that decides so answers; at 0.5, and where every error costs 1, stand the
answers by the largest share. Of many rows some stand for all, and the page says so.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tallystick.draw.panels import Axis, ChartCurve, chart
from tallystick.evaluate.thresholds import Thresholds, all_cuts, between, thin
from tallystick.reports.curves import constant
from tallystick.reports.ingredients import Ingredients
from tallystick.reports.inks import inks

MOST_CELLS = 30_000  # shares on the page; of more rows some are taken, evenly over all of them
PARTS = 100_000  # shares are told in so many parts of 1
MOST_TYPED = 12  # classes whose costs stand in a table; of more they are named one by one


def costs_section(given: Ingredients) -> dict[str, Any] | None:
    """Return rows of more than two classes as the page needs them to answer by costs; None of two, and of a
    model that says the same of all rows.
    """
    result, size = given.chosen.result, len(given.labels)
    if size < 3 or constant(result):
        return None
    tested = np.flatnonzero(result.fold >= 0)
    most = max(MOST_CELLS // size, 1)
    some = tested[np.linspace(0, len(tested) - 1, min(len(tested), most)).astype(np.int64)]
    shares = np.rint(result.shares[some, :size] * PARTS).astype(np.int64)
    weights = result.repeats[0].weight(result.weights)
    return {
        "rows": f"{len(tested):,}",
        "some": f"{len(some):,}" if len(some) < len(tested) else "",
        "table": size <= MOST_TYPED,
        "data": {
            "parts": PARTS,
            "truth": result.repeats[0].of(result.truth)[some].tolist(),
            "shares": shares.ravel().tolist(),
            "weights": [] if weights is None else [round(float(w), 6) for w in weights[some]],
            "table": size <= MOST_TYPED,
        },
    }


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
