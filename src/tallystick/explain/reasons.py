"""Reason codes: the sections of a card that cost a row most points, in order and in words.

Knows fitted cards and blocks. Knows nothing of estimators or pictures. Laws: a reason's points are those of
what the row is held against less its own, and more than 0; reasons are in the order of their points, of
equals in the order of the card's parts.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallystick import methods
from tallystick.contracts import Block
from tallystick.data.schema import Column
from tallystick.data.text import number_text
from tallystick.draw.text import clean
from tallystick.errors import OptionError
from tallystick.explain import MOST_REASONS
from tallystick.explain.card import line_names
from tallystick.models.scorecard.axes import LevelAxis, RangeAxis
from tallystick.models.scorecard.model import ScorecardModel
from tallystick.models.scorecard.parts import LinePoints, Part, WordPoints

Array = NDArray[np.float64]
STRANGE = ("is missing", "is a new level")  # after the levels
BEST, AVERAGE, GIVEN, NO_WORDS = "the best", "the average row", "the given row", "without"


@dataclass(frozen=True)
class ReasonCode:
    """A section that cost a row points. line: what the row has there; points: how many less than what it is
    held against, as `against` calls it.
    """

    section: str
    columns: tuple[str, ...]
    line: str
    points: float
    against: str

    @property
    def text(self) -> str:
        """The reason in words: age below 25: 34 points less than the best."""
        points = rounded(self.points)
        counted = f"{number_text(points)} {'point' if points == 1 else 'points'}"
        return f"{self.line}: {counted} less than {self.against}"

    def to_dict(self) -> dict[str, Any]:
        """Return plain data."""
        return {
            "against": self.against,
            "columns": list(self.columns),
            "line": self.line,
            "points": self.points,
            "section": self.section,
            "text": self.text,
        }

    def __str__(self) -> str:
        return clean(self.text)


def rounded(points: float) -> float:
    """Return points to one digit after the point, halves upwards: in every language the same."""
    return math.floor(points * 10 + 0.5) / 10


@dataclass(frozen=True)
class Reference:
    """What rows are held against, a part each: what it is called, and its points towards each class; None is
    a text without the words that speak against the class.
    """

    names: tuple[str, ...]
    points: tuple[Array | None, ...]


def towards(model: ScorecardModel, points: NDArray[np.int64]) -> Array:
    """Return points[..., class] that speak for each class from points[..., link]: of two classes what is for
    the second is against the first.
    """
    if model.links > 1:
        return points.astype(np.float64)
    return np.concatenate([-points, points], axis=-1).astype(np.float64)


def best_points(part: Part, points: Array) -> Array:
    """Return the most points [class] of the lines that the card shows; points[line, class]."""
    shown = part.rows.any(axis=1) | points.any(axis=1)
    best: Array = points[shown].max(axis=0) if shown.any() else points.max(axis=0)
    return best


def usual_points(model: ScorecardModel, part: Part) -> Array:
    """Return the points towards each class of the average training row."""
    average = model.average(part)
    return average if model.links > 1 else np.array([-average[1], average[1]])


def best_reference(model: ScorecardModel) -> Reference:
    """Return the best line of every section; of a text itself without the words that cost it points."""
    names, points = [], []
    for part in model.parts:
        words = isinstance(part, WordPoints)
        names.append(NO_WORDS if words else BEST)
        points.append(None if words else best_points(part, towards(model, part.points)))
    return Reference(tuple(names), tuple(points))


def average_reference(model: ScorecardModel) -> Reference:
    """Return the points of the average training row."""
    found = tuple(usual_points(model, part) for part in model.parts)
    return Reference((AVERAGE,) * len(found), found)


def row_reference(model: ScorecardModel, block: Block, given: Collection[str]) -> Reference:
    """Return the points of the first row of a block; sections of columns that were not given keep their best
    line.
    """
    best, own = best_reference(model), own_points(model, block)[0]
    names, points = list(best.names), list(best.points)
    for i, part in enumerate(model.parts):
        if all(name in given for name in part.columns):
            names[i], points[i] = GIVEN, own[i]
    return Reference(tuple(names), tuple(points))


def own_points(model: ScorecardModel, block: Block) -> Array:
    """Return the points of rows towards each class [row, part, class]."""
    parts = model.additive.parts(block)[:, 1:]
    if model.links > 1:
        return parts
    link = parts[..., 1:]
    return np.concatenate([-link, link], axis=-1)


def costs(model: ScorecardModel, block: Block, reference: Reference, classes: NDArray[np.int64]) -> Array:
    """Return how many points less than the reference each section gives a row [row, part]; classes[row]: the
    class that points count towards.
    """
    own, at = own_points(model, block), np.arange(block.rows)
    out = np.zeros((block.rows, len(model.parts)))
    for i, part in enumerate(model.parts):
        held = reference.points[i]
        if held is not None:
            out[:, i] = held[classes] - own[at, i, classes]
        elif isinstance(part, WordPoints):
            out[:, i] = _against(model, part, block, classes)
    return out + 0.0


def _against(model: ScorecardModel, part: WordPoints, block: Block, classes: NDArray[np.int64]) -> Array:
    """Return the points that the words of each text cost it."""
    starts, words, _ = block.words(part.name)
    lost = np.zeros((part.size + 1, len(model.labels)))
    lost[list(part.words)] = np.maximum(-towards(model, part.points), 0.0)
    row = np.repeat(np.arange(block.rows), np.diff(starts))
    out: Array = np.bincount(row, lost[words, classes[row]], block.rows).astype(np.float64)
    return out


def reasons(
    model: ScorecardModel,
    block: Block,
    reference: Reference,
    most: int = MOST_REASONS,
    label: int | None = None,
    rows: Sequence[int] | None = None,
) -> list[tuple[ReasonCode, ...]]:
    """Return the reasons of each row of a block, at most `most`; rows: of these alone.

    label: the class that points count towards; else of two classes the second, which the card's points speak
    for, and of more the one that is answered.
    """
    if label is None and model.links > 1:
        classes = model.decide(model.shares(block))
    else:
        classes = np.full(block.rows, 1 if label is None else label, np.int64)
    lost = costs(model, block, reference, classes)
    order = np.argsort(-lost, axis=1, kind="stable")[:, :most]
    said = [_Said(model, part, block) for part in model.parts]
    out = []
    for row in range(block.rows) if rows is None else rows:
        cost, c = lost[row].tolist(), int(classes[row])
        found = [i for i in order[row].tolist() if rounded(cost[i]) > 0]
        out.append(tuple(_code(model, i, said[i].line(row, c), cost[i], reference.names[i]) for i in found))
    return out


def asked(
    model: ScorecardModel, most: int, against: str, label: int | None
) -> Callable[[Block], list[tuple[ReasonCode, ...]]]:
    """Return what gives the reasons of a block of rows; against: "best" or "average"."""
    held = average_reference(model) if against == "average" else best_reference(model)
    return lambda block: reasons(model, block, held, most, label)


def no_reasons(model: Any, *given: Any) -> Any:
    """Refuse a model of a method without reason codes."""
    words = methods.of_kind(model.kind).words
    raise OptionError(f"a model of {words} has no reason codes: a scorecard has. Use explain for a row.")


def _code(model: ScorecardModel, i: int, line: str, cost: float, against: str) -> ReasonCode:
    part = model.parts[i]
    return ReasonCode(part.name, part.columns, line, int(cost) if cost == int(cost) else cost, against)


class _Said:
    """What a part says of the rows of a block, in words."""

    def __init__(self, model: ScorecardModel, part: Part, block: Block) -> None:
        self.model, self.part, self.block = model, part, block
        self.sides: list[tuple[list[Any], list[str]]] = []
        if isinstance(part, WordPoints):
            return
        axes = [part.axis] if isinstance(part, LinePoints) else [part.axis.first, part.axis.second]
        self.sides = [_side(model, axis, block) for axis in axes]

    def line(self, row: int, c: int) -> str:
        """Return what a row has in the columns of the part."""
        if isinstance(self.part, WordPoints):
            return self._words(self.part, row, c)
        names = [
            f"{name} {texts[at[row]]}"
            for name, (at, texts) in zip(self.part.columns, self.sides, strict=True)
        ]
        return ", ".join(names)

    def _words(self, part: WordPoints, row: int, c: int) -> str:
        """Return the words that speak against a class, the costliest first; else all that the card has."""
        starts, words, _ = self.block.words(part.name)
        own = set(words[int(starts[row]) : int(starts[row + 1])].tolist())
        points = dict(zip(part.words, towards(self.model, part.points)[:, c].tolist(), strict=True))
        known = sorted(own & points.keys(), key=lambda w: (points[w], w))
        told = [w for w in known if points[w] < 0] or known
        names = ", ".join(self.model.schema[part.name].words[w] for w in told[:8])
        more = f" and {len(told) - 8:,} more" if len(told) > 8 else ""
        return f"{part.name} contains {names}{more}" if told else f"{part.name} contains no word of the card"


def _side(model: ScorecardModel, axis: RangeAxis | LevelAxis, block: Block) -> tuple[list[Any], list[str]]:
    """Return places[row] and the texts that they are places of: ranges, or the levels themselves."""
    column = model.schema[axis.name]
    if isinstance(axis, RangeAxis):
        return axis.codes(block).tolist(), said_ranges(column, axis)
    return block.codes(axis.name).tolist(), [*(f"= {t}" for t in column.levels), *STRANGE]


def said_ranges(column: Column, axis: RangeAxis) -> list[str]:
    """Return the ranges of a number as they follow its name, missing last."""
    return [*line_names(column, axis)[:-1], STRANGE[0]]
