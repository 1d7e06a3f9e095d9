"""The reason codes of a row, for the data of one scorecard: what an exported module has after the code of
`standalone.py`. Needs the standard library only; the module is copied from the line below on.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from tallystick.export.standalone import Model, Row, written

# -- reasons --


def reasons(
    model: Model, row: Row, most: int = 4, against: str | Row = "best", label: Any = None
) -> list[dict[str, Any]]:
    """Return what cost a row most points, in order and in words.

    against: the "best" line of each section, the "average" training row, or a row: columns that it lacks are
    held against their best line. label: the class that points count towards; else the second of two, and of
    more the one that is answered.
    """
    cells, parts = [column.cell(row) for column in model.columns], model.parts(row)
    shares = model.shares(parts)
    answered = 1 if len(model.labels) == 2 else shares.index(max(shares))
    c = answered if label is None else model.labels.index(label)
    out = []
    for term, part, (name, points) in zip(model.data["terms"], parts, held(model, against, c), strict=True):
        lost = words_lost(term, cells, c) if points is None else points - towards(part, c)
        shown = math.floor(lost * 10 + 0.5) / 10
        if shown > 0:
            line, exact = said(model, term, cells, c), int(lost) if lost == int(lost) else lost
            text = f"{line}: {written(shown)} {'point' if shown == 1 else 'points'} less than {name}"
            out.append({"section": term["name"], "line": line, "points": exact, "text": text})
    return sorted(out, key=lambda reason: -reason["points"])[:most]


def held(model: Model, against: str | Row, c: int) -> list[tuple[str, float | None]]:
    """Return what each section is held against: its name, and its points; None: a text without the words
    that cost it points.
    """
    terms = model.data["terms"]
    if against == "average":
        return [("the average row", term["usual"][c]) for term in terms]
    best = [("the best", term["best"][c]) if "best" in term else ("without", None) for term in terms]
    if not isinstance(against, Mapping):
        if against != "best":
            raise ValueError(f"against must be 'best', 'average' or a row, not {against!r}.")
        return best
    parts = model.parts({column.name: against.get(column.name) for column in model.columns})
    for i, term in enumerate(terms):
        if all(model.columns[place].name in against for place in places(term)):
            best[i] = ("the given row", towards(parts[i], c))
    return best


def places(term: Mapping[str, Any]) -> list[int]:
    """Return the columns of a section: one, or the two of a pair."""
    return [side["column"] for side in term.get("pair", [term])]


def towards(part: Sequence[float], c: int) -> float:
    """Return points towards a class: of two classes what is for the second is against the first."""
    return part[c] - part[1 - c] if len(part) == 2 else part[c]


def words_lost(term: Mapping[str, Any], cells: Sequence[Any], c: int) -> float:
    """Return the points that the words of a text cost it."""
    words, _ = cells[term["column"]]
    return sum(max(-towards(term["words"][word], c), 0) for word, _ in words)


def said(model: Model, term: Mapping[str, Any], cells: Sequence[Any], c: int) -> str:
    """Return what a row has in the columns of a section."""
    if "words" in term:
        return said_words(model, term, cells, c)
    out = []
    for side in term.get("pair", [term]):
        column, x = model.columns[side["column"]], cells[side["column"]]
        if "cuts" in side:
            at = sum(cut <= x for cut in side["cuts"]) if x == x else -1
            out.append(f"{column.name} {side['said'][at]}")
        else:
            texts = [*(f"= {level}" for level in column.levels), "is missing", "is a new level"]
            out.append(f"{column.name} {texts[x]}")
    return ", ".join(out)


def said_words(model: Model, term: Mapping[str, Any], cells: Sequence[Any], c: int) -> str:
    """Return the words that speak against a class, those that cost most first; else all that the card has."""
    column, points = model.columns[term["column"]], term["words"]
    known = [word for word, _ in cells[term["column"]][0] if any(points[word])]
    known.sort(key=lambda word: (towards(points[word], c), word))
    told = [word for word in known if towards(points[word], c) < 0] or known
    names = ", ".join(column.words[word] for word in told[:8])
    more = f" and {len(told) - 8:,} more" if len(told) > 8 else ""
    return f"{column.name} contains {names}{more}" if told else f"{column.name} contains no word of the card"
