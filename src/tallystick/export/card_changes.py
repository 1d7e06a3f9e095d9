"""What differs between two scorecards, line by line: points before and after, lines that came or went.

Knows checked documents. Knows nothing of files. Law: two documents with the same schema have no change here
exactly when their own parts are equal.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from typing import Any

from tallystick.data.schema import Schema
from tallystick.errors import shown
from tallystick.explain.card import line_names
from tallystick.export import canonical
from tallystick.export.diff_models import Pair, by_class, walk
from tallystick.models.scorecard.axes import LevelAxis, RangeAxis
from tallystick.models.scorecard.parts import PairPoints, Part, WordPoints, part_from


def card_changes(a: dict[str, Any], b: dict[str, Any]) -> Iterator[Pair]:
    """Yield what differs between two scorecards: points first, then the rows behind them."""
    before, after = _facts(a), _facts(b)
    _alike(before["points"], after["points"], whole=True)
    for name in ("training rows", "standard errors"):
        _alike(before[name], after[name], whole=False)
    for name in before:
        yield from walk(before[name], after[name], name)


def _alike(before: dict[str, Any], after: dict[str, Any], whole: bool) -> None:
    """Give a column that one card lacks no lines there, so that its lines are told one by one; if not
    `whole`, keep only the lines of both cards: the points tell which came and went.
    """
    for place in before.keys() | after.keys():
        one, two = before.setdefault(place, {}), after.setdefault(place, {})
        if not whole:
            before[place] = {line: v for line, v in one.items() if line in two}
            after[place] = {line: v for line, v in two.items() if line in one}


def _facts(document: dict[str, Any]) -> dict[str, Any]:
    """Return a card by name: the scale, the base, points by line, then rows, errors and the fit."""
    schema = Schema.from_dict(document["schema"])
    model, labels = document["model"], list(schema.predicted.labels)
    links = labels[1:] if len(labels) == 2 else labels
    words = {c.name: len(c.words) for c in schema.columns if c.kind == "text"}
    points: dict[str, Any] = {}
    rows: dict[str, Any] = {}
    errors: dict[str, Any] = {}
    for k, data in enumerate(model["parts"]):
        part = part_from(data, words)
        place, names = _place(part), _lines(schema, part)
        points[place] = _by_line(names, data["points"], links)
        rows[place] = _by_line(names, data["rows"], labels)
        if model["errors"]:
            errors[place] = _by_line(names, model["errors"][k], links)
    return {
        "points that double the odds": model["step"],
        "base points": _points(model["base"], links),
        "points": points,
        "order of the columns": [_place(part_from(p, words)) for p in model["parts"]],
        "columns without points": model["left_out"],
        "training rows": rows,
        "standard errors": errors,
        "what they have in common": _digest(model.get("spread")),
        "fit": model["fit"],
    }


def _digest(spread: Any) -> str:
    """Return a name for how the errors go together: whether it changed is what matters, not each number."""
    return hashlib.sha256(canonical.write(spread)).hexdigest()[:12] if spread else "not kept"


def _by_line(names: list[str], values: list[Any], labels: list[str]) -> dict[str, Any]:
    return {name: _points(value, labels) for name, value in zip(names, values, strict=True)}


def _points(values: list[Any], labels: list[str]) -> Any:
    """Return one number for one link, else a number per class."""
    return values[0] if len(values) == 1 else by_class(values, labels)


def _place(part: Part) -> str:
    return f"{'pair' if isinstance(part, PairPoints) else 'column'} {shown(part.name)}"


def _lines(schema: Schema, part: Part) -> list[str]:
    """Return every line of a part in words, each once."""
    if isinstance(part, WordPoints):
        return [f"word {shown(schema[part.name].words[w])}" for w in part.words]
    if isinstance(part, PairPoints):
        first, second = (_axis_names(schema, axis) for axis in (part.axis.first, part.axis.second))
        return [f"{a}, {b}" for a in first for b in second]
    return _axis_names(schema, part.axis)


def _axis_names(schema: Schema, axis: RangeAxis | LevelAxis) -> list[str]:
    if isinstance(axis, RangeAxis):
        return line_names(schema[axis.name], axis)
    levels: list[list[str]] = [[] for _ in range(axis.known)]
    for level, line in zip(schema[axis.name].levels, axis.line, strict=True):
        levels[line].append(shown(level))
    return [*(" or ".join(on) for on in levels), "missing", "a new level"]
