"""The weights of a linear regression for the page: what one more of a number, or a level, adds to the answer.

Knows fitted linear models. Knows nothing of HTML.
"""

from __future__ import annotations

from typing import Any

from tallystick.draw.svg import brief
from tallystick.draw.text import between, p_value
from tallystick.explain.linear import LinearFigure, LinearSummary
from tallystick.explain.logistic_words import reference_words
from tallystick.models.linear.model import LinearModel
from tallystick.reports.ingredients import Ingredients

MOST = 60  # weights on the page


def number_weights(given: Ingredients, model: LinearModel) -> dict[str, Any]:
    """Return the weights, those furthest from 0 in standard errors first; the constant leads."""
    figures = LinearSummary(model).figures
    order = sorted(figures, key=_sureness)
    return {
        "errors": any(f.error is not None for f in figures),
        "rows": [_line(f) for f in order[:MOST]],
        "left": max(0, len(order) - MOST),
        "bases": reference_words(model).strip(),
    }


def _sureness(f: LinearFigure) -> tuple[float, float, str]:
    return (0.0 if f.t is None else -abs(f.t), -abs(f.estimate), f.name)


def _line(f: LinearFigure) -> dict[str, str]:
    return {
        "name": f.name,
        "weight": brief(f.estimate),
        "ends": "" if f.interval is None else between(*f.interval, ".4g"),
        "p": "" if f.p is None else p_value(f.p),
    }
