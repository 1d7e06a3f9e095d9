"""The fitted scorecard: a base and integer points per line of each column, whose sum is the log-odds.

In this order: axes, from cells to lines (`RangeAxis`, `LevelAxis`, `WordAxis`, `PairAxis`); parts, the
points and training rows on each line; the covariance of the points (`CardSpread`); the model (entry
`ScorecardModel`).
line = a range, level, word or cell of a pair; link = one score: of two classes one, else one per class;
step = points that double the odds.
Laws: `from_dict(to_dict())` is the same model and predicts the same bits; the log-odds are the base and
the points added up, times ln 2 over `step`: a person with a pencil gets the very probability.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallystick import kernels
from tallystick.contracts import Block
from tallystick.model.additive import Additive, BinTerm, Calibration, LevelTerm, RowPart, Term, WordTerm
from tallystick.model.decision import AnswerDecision, decide, in_force
from tallystick.predict.columns import in_blocks
from tallystick.predict.row import RowAnswer, RowCells, RowShares, row_reader
from tallystick.schema import Schema
from tallystick.scorecard.options import ScorecardOptions

# ---- axes: from the cells of a column to lines (ranges, levels, words, pairs of columns) ----
#
# Law: a row's line depends on its own cells alone.

Codes = NDArray[Any]


def narrow(codes: Codes, size: int) -> Codes:
    """Return codes in as few bytes as `size` of them need."""
    kind = np.uint8 if size <= 1 << 8 else np.uint16 if size <= 1 << 16 else np.uint32
    return np.ascontiguousarray(codes, kind)


@dataclass(frozen=True)
class RangeAxis:
    """A number. Line i holds cuts[i - 1] <= x < cuts[i]; the last line is missing."""

    name: str
    cuts: tuple[float, ...]

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that are looked at."""
        return (self.name,)

    @property
    def known(self) -> int:
        """The lines of values that are there."""
        return len(self.cuts) + 1

    @property
    def size(self) -> int:
        """All lines."""
        return len(self.cuts) + 2

    @cached_property
    def _cuts(self) -> NDArray[np.float64]:
        return np.array(self.cuts, np.float64)

    def codes(self, block: Block) -> Codes:
        """Return line[row]."""
        return narrow(kernels.bins(block.values(self.name), self._cuts), self.size)

    def row_line(self, place: Mapping[str, int]) -> Callable[[RowCells], int]:
        """Return what finds the line of one row, whose cells stand in places by column."""
        at, cuts, missing = place[self.name], self.cuts, self.known
        return lambda cells: bisect_right(cuts, x) if (x := cells[at]) == x else missing

    def within(self, finer: RangeAxis) -> Codes | None:
        """Return line[line of the finer axis]; None where that does not begin a line at each of the cuts."""
        if self.name != finer.name or not set(self.cuts) <= set(finer.cuts):
            return None
        starts = np.searchsorted(self._cuts, finer._cuts, side="right")
        return narrow(np.array([0, *starts.tolist(), self.known]), self.size)


@dataclass(frozen=True)
class LevelAxis:
    """Levels. line[level]: which line a level is in; after the known lines come missing and unseen."""

    name: str
    line: tuple[int, ...]

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that are looked at."""
        return (self.name,)

    @cached_property
    def known(self) -> int:
        """The lines of values that are there."""
        return max(self.line, default=-1) + 1

    @property
    def size(self) -> int:
        """All lines."""
        return self.known + 2

    @cached_property
    def lines(self) -> NDArray[np.int64]:
        """The line of each code: the levels, missing, unseen."""
        return np.array([*self.line, self.known, self.known + 1], np.int64)

    def codes(self, block: Block) -> Codes:
        """Return line[row]."""
        return narrow(self.lines[block.codes(self.name)], self.size)

    def row_line(self, place: Mapping[str, int]) -> Callable[[RowCells], int]:
        """Return what finds the line of one row, whose cells stand in places by column."""
        at, lines = place[self.name], self.lines.tolist()
        return lambda cells: lines[cells[at]]


@dataclass(frozen=True)
class WordAxis:
    """A word of a text: line 0 is a text without it, line 1 a text with it."""

    name: str
    word: int

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that are looked at."""
        return (self.name,)

    @property
    def size(self) -> int:
        """All lines."""
        return 2

    def codes(self, block: Block) -> Codes:
        """Return line[row]."""
        starts, words, _ = block.words(self.name)
        entries = np.flatnonzero(words == self.word)
        out = np.zeros(block.rows, np.uint8)
        out[np.searchsorted(starts, entries, side="right") - 1] = 1
        return out


@dataclass(frozen=True)
class PairAxis:
    """Two columns at once: line = first * (lines of the second) + second."""

    first: RangeAxis | LevelAxis
    second: RangeAxis | LevelAxis

    @property
    def name(self) -> str:
        """What the pair is called."""
        return f"{self.first.name} × {self.second.name}"

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that are looked at."""
        return (self.first.name, self.second.name)

    @property
    def size(self) -> int:
        """All lines."""
        return self.first.size * self.second.size

    def codes(self, block: Block) -> Codes:
        """Return line[row]."""
        first = self.first.codes(block).astype(np.int64)
        return narrow(first * self.second.size + self.second.codes(block), self.size)


Axis = RangeAxis | LevelAxis | WordAxis | PairAxis


# ---- parts: the axis of each column, integer points per line, and the training rows on each line ----

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

    def row_part(self, place: Mapping[str, int]) -> RowPart:
        """Return the part of one row."""
        table, wide = self.table.tolist(), self.axis.second.size
        first, second = (axis.row_line(place) for axis in (self.axis.first, self.axis.second))
        return lambda cells: table[first(cells) * wide + second(cells)]


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


# ---- the covariance of all points, for the interval of a row's answer ----
#
# Law: `from_dict(to_dict())` is the same.


@dataclass(frozen=True)
class CardSpread:
    """base[link]: standard errors of the base, in points. factors[link][direction, line], in units[link]:
    line 0 is the base, then the lines of all parts one after the other.

    The covariance of two lines is the product of their columns, added up over the directions. What the square
    of a line's standard error has beyond that is its own, and goes together with no other line.
    """

    base: Array
    units: Array
    factors: tuple[NDArray[np.int64], ...]

    def to_dict(self) -> dict[str, Any]:
        """Return plain data."""
        return {
            "base": self.base.tolist(),
            "factors": [f.tolist() for f in self.factors],
            "units": self.units.tolist(),
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any], lines: int) -> CardSpread:
        """Build it from `to_dict()`; the reader of model files has checked the shape. lines: of the card."""
        factors = tuple(np.array(f, np.int64).reshape(-1, lines + 1) for f in data["factors"])
        return cls(np.array(data["base"], np.float64), np.array(data["units"], np.float64), factors)


KIND = "scorecard"
LN2 = 0.6931471805599453


@dataclass(frozen=True)
class CardFit:
    """How the fit went; losses are means over the training rows, by weight.

    loss: before rounding; rounded: of the whole points; null: of the class shares. rows: what the training
    rows weigh, class weights not counted. degrees: how many
    numbers the points amount to. evidence: log of how probable the rows are, as the priors were chosen.
    """

    loss: float
    rounded: float
    null: float
    rows: float
    degrees: float
    evidence: float
    passes: int

    def to_dict(self) -> dict[str, Any]:
        """Return plain data."""
        return {name: getattr(self, name) for name in sorted(self.__dataclass_fields__)}


@dataclass(frozen=True)
class ScorecardModel:
    """base[link] and parts in the order of the columns, pairs last.

    step: points that double the odds, in force. errors[part][line][link]: standard errors of points, or
    empty. left_out: columns that the rows gave no points. spread: how the errors go together; None where a
    file does not have.
    """

    schema: Schema
    options: ScorecardOptions
    step: int
    base: Whole
    parts: tuple[Part, ...]
    fit: CardFit
    unit: int = 1
    errors: tuple[Array, ...] = ()
    left_out: tuple[str, ...] = ()
    spread: CardSpread | None = None
    decision: AnswerDecision | None = None

    kind = KIND

    @property
    def labels(self) -> tuple[str, ...]:
        """The class labels."""
        return self.schema.predicted.labels

    @property
    def links(self) -> int:
        """One for two classes, else one per class."""
        return len(self.base)

    @property
    def slope(self) -> float:
        """What one point adds to the log-odds."""
        return LN2 / self.step

    @property
    def calibration(self) -> Calibration:
        """Points to log-odds, as exports take it: score * slope + shift."""
        return Calibration(self.slope, (0.0,) * len(self.labels))

    @property
    def lines(self) -> int:
        """How many lines of the card have points: what the razor counts."""
        return sum(int(np.count_nonzero(part.points.any(axis=1))) for part in self.parts)

    @cached_property
    def additive(self) -> Additive:
        """The model in points as base and terms: what explanations, nomograms and exports read."""
        terms = [part.term(self._by_class(part.points)) for part in self.parts]
        averages = [self.average(part) for part in self.parts]
        return Additive(self._by_class(self.base), terms, averages)

    def _by_class(self, points: Whole) -> Array:
        """Return points[..., class] from points[..., link]: two classes have 0 and the link's."""
        if self.links > 1:
            return points.astype(np.float64)
        out = np.zeros((*points.shape[:-1], 2))
        out[..., 1] = points[..., 0]
        return out

    def average(self, part: Part) -> Array:
        """Return what a part adds to the average training row [class]."""
        table, weight = self._by_class(part.points), part.rows.sum(axis=1).astype(np.float64)
        total = self.fit.rows * self.unit if isinstance(part, WordPoints) else math.fsum(weight.tolist())
        sums = [math.fsum((weight * table[:, c]).tolist()) for c in range(table.shape[1])]
        return np.array(sums) / max(total, 1e-300)

    def points(self, block: Block) -> Array:
        """Return base and points added up [row, class]: whole numbers."""
        return self.additive.scores(block)

    def scores(self, block: Block) -> Array:
        """Return log scores [row, class]."""
        return self.slope * self.points(block)

    def shares(self, block: Block) -> Array:
        """Return P(class | row) [row, class]."""
        return kernels.softmax(self.scores(block))

    def decide(self, shares: Array) -> NDArray[np.int64]:
        """Return the class answered for shares[row, class]: the largest share, or as the decision says; of
        equals the first.
        """
        return decide(shares, in_force(self.decision))

    @cached_property
    def shares_of_row(self) -> RowShares:
        """Answers rows given as dicts."""

        def answer_of(place: Mapping[str, int]) -> RowAnswer | None:
            points_of = self.additive.row_scores(place)
            if points_of is None:
                return None
            return lambda cells: kernels.softmax(self.slope * np.array([points_of(cells)]))[0]

        return row_reader(self.schema, answer_of)

    def of_columns(
        self, columns: Sequence[NDArray[Any]], rows: int, best: bool = False
    ) -> NDArray[Any] | None:
        """Return the shares of rows given as columns of numbers; best: what `decide` answers for them."""
        paired = {name for part in self.parts if isinstance(part, PairPoints) for name in part.columns}
        work = (lambda block: self.decide(self.shares(block))) if best else self.shares
        lie = self.additive.numbers - paired  # pairs read doubles
        return in_blocks(self.schema, columns, rows, work, lie=lie)

    def log_shares(self, block: Block) -> Array:
        """Return log P(class | row) [row, class]."""
        return self.additive.log_shares(self.scores(block))

    def to_dict(self) -> dict[str, Any]:
        """Return this model's own part of the model file."""
        own = {} if self.spread is None else {"spread": self.spread.to_dict()}
        return own | {
            "base": self.base.tolist(),
            "errors": [e.tolist() for e in self.errors],
            "fit": self.fit.to_dict(),
            "left_out": list(self.left_out),
            "parts": [part.to_dict() for part in self.parts],
            "step": self.step,
        }

    @classmethod
    def from_dict(
        cls, data: Mapping[str, Any], schema: Schema, options: ScorecardOptions, unit: int
    ) -> ScorecardModel:
        """Build the model from `to_dict()`; the reader of model files has checked the shape."""
        words = {c.name: len(c.words) for c in schema.columns if c.kind == "text"}
        lines = sum(len(p["points"]) for p in data["parts"])
        return cls(
            schema,
            options,
            int(data["step"]),
            np.array(data["base"], np.int64),
            tuple(part_from(p, words) for p in data["parts"]),
            CardFit(**data["fit"]),
            unit,
            tuple(np.array(e, np.float64) for e in data["errors"]),
            tuple(data["left_out"]),
            CardSpread.from_dict(data["spread"], lines) if "spread" in data else None,
        )
