"""What a scorecard keeps of each column: lines, whole points per line, and the training rows on each
line.

Knows axes and numbers. Knows nothing of fitting. points[line, link]: one link for two classes (in favour
of the second), else one per class. rows[line, class]: what the training rows on a line weigh, in units of
the table.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallystick.contracts import Block
from tallystick.models.additive import BinTerm, LevelTerm, Term, WordTerm
from tallystick.models.scorecard.axes import LevelAxis, PairAxis, RangeAxis

Array = NDArray[np.float64]
Whole = NDArray[np.int64]


@dataclass(frozen=True)
class LinePoints:
    """A column of numbers or levels. The lines of its axis; unseen levels have no points."""

    axis: RangeAxis | LevelAxis
    points: Whole
    rows: Whole

    @property
    def name(self) -> str:
        """The column."""
        return self.axis.name

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that are looked at."""
        return (self.axis.name,)

    def term(self, table: Array) -> Term:
        """Return the part as a term of the additive form; table[line, class]."""
        if isinstance(self.axis, RangeAxis):
            return BinTerm(self.name, np.array(self.axis.cuts, np.float64), table)
        return LevelTerm(self.name, np.ascontiguousarray(table[self.axis.lines]))

    def to_dict(self) -> dict[str, Any]:
        """Return plain data."""
        return _axis(self.axis) | {"points": self.points.tolist(), "rows": self.rows.tolist()}


@dataclass(frozen=True)
class WordPoints:
    """A text column: words[i] (a place in the column's vocabulary) adds points[i] to a text that holds it."""

    name: str
    words: tuple[int, ...]
    points: Whole
    rows: Whole
    size: int  # of the vocabulary

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that are looked at."""
        return (self.name,)

    def term(self, table: Array) -> Term:
        """Return the part as a term of the additive form; table[word, class]."""
        whole = np.zeros((self.size + 1, table.shape[1]))
        whole[list(self.words)] = table
        return WordTerm(self.name, whole, np.zeros(table.shape[1]), "once")

    def to_dict(self) -> dict[str, Any]:
        """Return plain data."""
        return {
            "name": self.name,
            "part": "words",
            "points": self.points.tolist(),
            "rows": self.rows.tolist(),
            "words": list(self.words),
        }


@dataclass(frozen=True)
class PairPoints:
    """Two columns at once, beside the parts of their own."""

    axis: PairAxis
    points: Whole
    rows: Whole

    @property
    def name(self) -> str:
        """What the pair is called."""
        return self.axis.name

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that are looked at."""
        return self.axis.columns

    def term(self, table: Array) -> Term:
        """Return the part as a term of the additive form; table[line, class]."""
        return PairTerm(self.axis, table)

    def to_dict(self) -> dict[str, Any]:
        """Return plain data."""
        return {
            "first": _axis(self.axis.first),
            "part": "pair",
            "points": self.points.tolist(),
            "rows": self.rows.tolist(),
            "second": _axis(self.axis.second),
        }


Part = LinePoints | WordPoints | PairPoints


@dataclass(frozen=True, slots=True)
class PairTerm:
    """A part per line of two columns at once. table[line, class]."""

    axis: PairAxis
    table: Array

    @property
    def column(self) -> str:
        """What the pair is called."""
        return self.axis.name

    def add(self, scores: Array, block: Block) -> None:
        """Add table[line[row], class]."""
        scores += self.table[self.axis.codes(block)]


def _axis(axis: RangeAxis | LevelAxis) -> dict[str, Any]:
    if isinstance(axis, RangeAxis):
        return {"cuts": list(axis.cuts), "name": axis.name, "part": "ranges"}
    return {"line": list(axis.line), "name": axis.name, "part": "levels"}


def _axis_from(data: Mapping[str, Any]) -> RangeAxis | LevelAxis:
    if data["part"] == "ranges":
        return RangeAxis(data["name"], tuple(map(float, data["cuts"])))
    return LevelAxis(data["name"], tuple(data["line"]))


def part_from(data: Mapping[str, Any], vocabulary: Mapping[str, int]) -> Part:
    """Build a part from `to_dict()`; the reader of model files has checked the shape. vocabulary: words
    of each text column.
    """
    points, rows = np.array(data["points"], np.int64), np.array(data["rows"], np.int64)
    if data["part"] == "words":
        name = data["name"]
        return WordPoints(name, tuple(data["words"]), points, rows, vocabulary[name])
    if data["part"] == "pair":
        first, second = _axis_from(data["first"]), _axis_from(data["second"])
        return PairPoints(PairAxis(first, second), points, rows)
    return LinePoints(_axis_from(data), points, rows)
