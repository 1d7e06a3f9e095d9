"""The form of a scorecard: whole points, and what reason codes need beside them.

Knows fitted cards and forms. Law: all points are whole numbers, so that written code reads like the card; a
reason of an export is the reason that the model gives.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from tallystick.export.form import Data, Form, additive_form
from tallystick.schema import Schema
from tallystick.scorecard.explain import best_points, said_ranges, towards, usual_points
from tallystick.scorecard.model import LevelAxis, Part, RangeAxis, ScorecardModel, WordPoints


def card_form(model: ScorecardModel, sha256: str) -> Form:
    """Return the form of a card.

    Its terms have no "average" (parts are points as the card has them) but "best" and "usual": the points
    towards each class of the best line and of the average training row; a text has no best. "said": the
    ranges in words, missing last; of a pair one list a side.
    """
    form = additive_form(model, sha256)
    terms = tuple(_term(model, part, term) for part, term in zip(model.parts, form.terms, strict=True))
    return replace(form, base=tuple(map(int, form.base)), terms=terms)


def _term(model: ScorecardModel, part: Part, term: Data) -> Data:
    out = {key: value for key, value in term.items() if key != "average"}
    for key in ("table", "words"):
        if key in out:
            out[key] = [[int(p) for p in row] for row in out[key]]
    out["usual"] = usual_points(model, part).tolist()
    if isinstance(part, WordPoints):
        return out
    out["best"] = [int(p) for p in best_points(part, towards(model, part.points))]
    if "pair" not in out:
        return out | _said(model.schema, part.axis)  # type: ignore[arg-type]
    sides = zip(out["pair"], (part.axis.first, part.axis.second), strict=True)  # type: ignore[union-attr]
    return out | {"pair": [side | _said(model.schema, axis) for side, axis in sides]}


def _said(schema: Schema, axis: RangeAxis | LevelAxis) -> dict[str, Any]:
    """Return the ranges of a number in words; levels speak for themselves."""
    return {"said": said_ranges(schema[axis.name], axis)} if isinstance(axis, RangeAxis) else {}
