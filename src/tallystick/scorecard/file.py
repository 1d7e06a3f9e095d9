"""The shape of a scorecard's part of the model file, and the check that it fits the schema."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

from tallystick.errors import ModelFileError, OptionError, shown
from tallystick.model.shapes import (
    MAX_COUNT,
    Either,
    FileKind,
    Listed,
    Maybe,
    Named,
    Number,
    Record,
    Shape,
    Text,
    Variant,
    Whole,
    wished,
)
from tallystick.schema import CODED, Column, Schema
from tallystick.scorecard.options import CHOSEN, MOST_RANGES, WAYS, ScorecardOptions

_BIG = 1e300
MOST_POINTS = 10**12
MOST_WHOLE = 2**53  # whole numbers up to here differ as doubles, so points add up in any order
MOST_CELLS = 10**8  # words by classes that are laid out in memory
_POINTS = Listed(Listed(Whole(-MOST_POINTS, MOST_POINTS), "links"))
_ROWS = Listed(Listed(Whole(0, MAX_COUNT), "classes"))
_RANGES: dict[str, Shape] = {"cuts": Listed(Number()), "name": Text(), "part": Text()}
_LEVELS: dict[str, Shape] = {"line": Listed(Whole(0, MAX_COUNT)), "name": Text(), "part": Text()}
_AXIS = Variant("part", {"levels": Record(_LEVELS), "ranges": Record(_RANGES)})
_WORDS: dict[str, Shape] = {"name": Text(), "part": Text(), "words": Listed(Whole(), distinct=True)}
_PAIR: dict[str, Shape] = {"first": _AXIS, "part": Text(), "second": _AXIS}
_TABLE: dict[str, Shape] = {"points": _POINTS, "rows": _ROWS}
_PART = Variant(
    "part",
    {
        "levels": Record(_LEVELS | _TABLE),
        "pair": Record(_PAIR | _TABLE),
        "ranges": Record(_RANGES | _TABLE),
        "words": Record(_WORDS | _TABLE),
    },
)
_FIT = Record(
    {
        "degrees": Number(0, _BIG),
        "evidence": Number(-_BIG, _BIG),
        "loss": Number(0, _BIG),
        "null": Number(0, _BIG),
        "passes": Whole(),
        "rounded": Number(0, _BIG),
        "rows": Number(0, _BIG),
    }
)
_SPREAD = Record(
    {
        "base": Listed(Number(0, MOST_POINTS), "links"),
        "factors": Listed(Listed(Listed(Whole(-MOST_POINTS, MOST_POINTS))), "links"),
        "units": Listed(Number(0, MOST_POINTS), "links"),
    }
)
MODEL = Record(
    {
        "base": Listed(Whole(-MOST_POINTS, MOST_POINTS), "links"),
        "errors": Listed(Listed(Listed(Number(0, _BIG), "links"))),
        "fit": _FIT,
        "left_out": Listed(Text(), distinct=True),
        "parts": Listed(_PART),
        "step": Whole(1, 10**9),
    },
    {"spread": _SPREAD},
)
_POSITIVE = Number(0, _BIG)
PARAMETERS: dict[str, Shape] = {
    "class_weight": Maybe(Either((Named(_POSITIVE), Text(("balanced",))))),
    "cuts": Maybe(Named(Listed(Number()))),
    "l2": Either((_POSITIVE, Text(CHOSEN))),
    "max_columns": Maybe(Whole(1)),
    "max_lines": Maybe(Whole(1)),
    "min_letters": Whole(1),
    "monotone": Maybe(Named(Either((Named(Text(WAYS)), Text(WAYS))))),
    "pairs": Maybe(Whole()),
    "points_to_double": Whole(1),
    "population": Maybe(Named(_POSITIVE)),
    "ranges": Whole(2, MOST_RANGES),
}


def check(document: dict[str, Any], schema: Schema) -> None:
    """Raise ModelFileError unless the parts fit the schema and every line has its points."""
    model, labels = document["model"], schema.target.labels if schema.target else ()
    links = 1 if len(labels) == 2 else len(labels)
    if len(labels) < 2 or len(model["base"]) != links:
        raise _edited("the points are not those of the class labels")
    try:
        given = document["parameters"]
        ScorecardOptions(**{k: given[k] for k in PARAMETERS})
    except OptionError as error:
        raise ModelFileError(f"model file: {error}") from None
    seen: set[tuple[str, ...]] = set()
    for names in _columns(model["parts"]):
        if len(set(names)) < len(names) or names in seen:
            raise _edited(f"{_named(names)} stands twice on the card")
        seen.add(names)
    columns = {c.name: c for c in schema.columns}
    for part in model["parts"]:
        _check_part(part, columns, len(labels))
    if sum(map(_reach, model["parts"]), max(map(abs, model["base"]))) > MOST_WHOLE:
        raise _edited("the points add up to more than a whole number can be told from the next")
    sizes = [len(part["points"]) for part in model["parts"]]
    if model["errors"] and [len(e) for e in model["errors"]] != sizes:
        raise _edited("there is not a standard error for each line")
    if "spread" in model:
        factors, known = model["spread"]["factors"], len(model["errors"]) == len(sizes)
        if not known or any(len(row) != sum(sizes) + 1 for factor in factors for row in factor):
            raise _edited("what the standard errors have in common is not that of each line")
    if not set(model["left_out"]).isdisjoint(n for one in seen for n in one):
        raise _edited("a column without points has points")


def _columns(parts: list[dict[str, Any]]) -> Iterator[tuple[str, ...]]:
    """Yield the columns of each part; of a pair in one order, whichever comes first."""
    for part in parts:
        pair = part["part"] == "pair"
        yield tuple(sorted((part["first"]["name"], part["second"]["name"]))) if pair else (part["name"],)


def _named(names: tuple[str, ...]) -> str:
    return " × ".join(shown(name) for name in names)


def _check_part(part: dict[str, Any], columns: dict[str, Column], labels: int) -> None:
    """Raise unless every line of a part has points and rows."""
    (names,) = _columns([part])
    size, rows = _lines(part, columns, labels), part["rows"]
    if len(part["points"]) != size or len(rows) != size or not size:
        raise ModelFileError(
            f"model file: {_named(names)} needs points and rows for each of {size:,} lines, at least one. "
            "The file was edited."
        )
    if sum(map(sum, rows)) > MAX_COUNT:
        raise _edited(f"the rows of {_named(names)} are too many to be counted")


def _reach(part: dict[str, Any]) -> int:
    """Return the most points that a part adds to a row, whichever sign they have."""
    most = (max(map(abs, line)) for line in part["points"])
    return sum(most) if part["part"] == "words" else max(most)


def _edited(what: str) -> ModelFileError:
    return ModelFileError(f"model file: {what}. The file was edited.")


def _lines(part: dict[str, Any], columns: dict[str, Column], labels: int) -> int:
    """Return how many lines a part has, checked against its column."""
    if part["part"] == "pair":
        return _lines(part["first"], columns, labels) * _lines(part["second"], columns, labels)
    column = columns.get(part["name"])
    wanted = {"ranges": ("numeric",), "levels": CODED, "words": ("text",)}[part["part"]]
    if column is None or column.kind not in wanted:
        raise _edited(f"column {shown(part['name'])} is not one that has {part['part']}")
    if part["part"] == "ranges":
        if any(b <= a for a, b in pairwise(part["cuts"])):
            raise _edited(f"the ranges of column {shown(part['name'])} do not rise")
        return len(part["cuts"]) + 2
    if part["part"] == "words":
        if any(w >= len(column.words) for w in part["words"]):
            raise _edited(f"column {shown(part['name'])} has a word that is not in its vocabulary")
        if (len(column.words) + 1) * labels > MOST_CELLS:
            raise _edited(f"the words of column {shown(part['name'])} would fill the memory")
        return len(part["words"])
    line = part["line"]
    if len(line) != len(column.levels) or sorted(set(line)) != list(range(len(set(line)))):
        raise _edited(f"the lines of column {shown(part['name'])} are not those of its levels")
    return len(set(line)) + 2


FILE = FileKind(MODEL, wished(PARAMETERS), check)
