"""Explanations of a scorecard: comparison with naive Bayes, reason codes, points of one row, export form.

In this order: the card beside naive Bayes on the same lines (entry `beside()`); reason codes, the sections
that cost a row most points (`card_reasons()`); why one row is answered as it is (`explain()`); the plain form
of a card for exports (`card_form()`).
part, section = one column, text or pair, in the model and on the card; line = one row of it; learnt points =
those of the scorecard; counted points = those of naive Bayes; way = (class, class it is compared with);
reference = the points that a row's points are compared with; towards = signed in favour of a class.
Laws: counted points follow from the rows beside them; both kinds have mean 0 over a column's training rows.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallystick import kernels, methods
from tallystick.bayes.explain import Explanation, Reason
from tallystick.contracts import Block
from tallystick.draw.svg import Line, Span, as_html, plain, table, wrapped
from tallystick.errors import OptionError, clean, counted, page_limit
from tallystick.export.form import Data, Form, additive_form
from tallystick.schema import Column, Schema
from tallystick.scorecard.card import WIDE, Card, card_of, line_names
from tallystick.scorecard.model import (
    LN2,
    LevelAxis,
    LinePoints,
    PairPoints,
    Part,
    RangeAxis,
    ScorecardModel,
    WordPoints,
)
from tallystick.text import number_text, quantity

ALPHA = 1.0  # pseudo-rows of each class added to every line, the default smoothing of naive Bayes
MOST = 40  # lines of a column that are printed
Array = NDArray[np.float64]

MOST_REASONS = 4  # reason codes of a row by default


def counted_card(model: ScorecardModel) -> Card:
    """Return the naive Bayes card of the same lines and rows; it has no pairs."""
    parts = [p for p in model.parts if not isinstance(p, PairPoints)]
    classes = class_rows(model)
    known = {part.name: _counted(model, part, classes) for part in parts}
    base = kernels.log(classes + ALPHA)
    for points, weight in known.values():
        base = base + (points * weight[:, None]).sum(axis=0)
    card = card_of(model)
    sections = []
    for section in card.sections:
        if section.kind == "pair":
            continue
        points, weight = known[section.name]
        centred = points - (points * weight[:, None]).sum(axis=0)
        lines = tuple(
            replace(line, points=_whole(model, centred[line.place[0]] if line.rows else 0 * base), errors=())
            for line in section.lines
        )
        sections.append(replace(section, lines=lines))
    return replace(card, base=_whole(model, base), sections=tuple(sections))


def class_rows(model: ScorecardModel) -> Array:
    """Return the weight of the training rows of each class, the sum over the lines of a column."""
    for part in model.parts:
        if not isinstance(part, WordPoints):
            rows: Array = part.rows.sum(axis=0) / model.unit
            return rows
    raise OptionError(
        "a card without a column of numbers or levels does not keep how many rows each class has. Fit "
        "ts.NaiveBayes on the rows instead."
    )


def _counted(model: ScorecardModel, part: Part, classes: Array) -> tuple[Array, Array]:
    """Return log P(line | class) [line, class], and each line's share of all rows."""
    rows = part.rows / model.unit
    total = math.fsum(classes.tolist())
    weight: Array = rows.sum(axis=1) / max(total, 1e-300)
    if isinstance(part, WordPoints):
        return kernels.log((rows + ALPHA) / (classes + 2 * ALPHA)), weight
    lines = max(int(np.count_nonzero(weight)), 1)
    return kernels.log((rows + ALPHA) / (classes + ALPHA * lines)), weight


def _whole(model: ScorecardModel, logs: Array) -> tuple[int, ...]:
    """Return whole points by link from logarithms by class."""
    scaled = logs[1:] - logs[0] if model.links == 1 else logs - math.fsum(logs.tolist()) / len(logs)
    return tuple(np.rint(scaled * (model.step / LN2)).astype(np.int64).tolist())


@dataclass(frozen=True)
class BesideLine:
    """A line: points learnt together, points counted alone, and its training rows."""

    text: str
    learnt: int
    counted: int
    rows: float


@dataclass(frozen=True)
class BesideColumn:
    """A column with both kinds of points. opposite: whether, over the training rows, one falls where the
    other rises.
    """

    name: str
    lines: tuple[BesideLine, ...]

    @property
    def opposite(self) -> bool:
        """Whether what was learnt speaks against what counting says."""
        return math.fsum(line.rows * line.learnt * line.counted for line in self.lines) < 0


@dataclass(frozen=True)
class BesideNaiveBayes:
    """The card and naive Bayes on the same lines, for one class against another."""

    target: str
    label: str
    against: str
    step: int
    base: tuple[int, int]
    columns: tuple[BesideColumn, ...]

    @property
    def opposite(self) -> tuple[str, ...]:
        """The columns in which the two differ in sign."""
        return tuple(column.name for column in self.columns if column.opposite)

    def to_dict(self) -> dict[str, Any]:
        """Return plain data."""
        columns = [
            {
                "lines": [
                    {"counted": x.counted, "learnt": x.learnt, "line": x.text, "rows": x.rows}
                    for x in c.lines
                ],
                "name": c.name,
                "opposite": c.opposite,
            }
            for c in self.columns
        ]
        base = {"counted": self.base[1], "learnt": self.base[0]}
        return {"against": self.against, "base": base, "columns": columns, "label": self.label,
                "points_to_double": self.step, "target": self.target}  # fmt: skip

    def sentence(self) -> str:
        """Return in which columns the two differ in sign, and what that means."""
        if not self.opposite:
            return "In no column do the two differ in sign."
        names = ", ".join(clean(name) for name in self.opposite)
        return (
            f"The two differ in sign in {names}: what such a column tells alone, other columns tell already, "
            "and counting alone counts it twice."
        )

    def __str__(self) -> str:
        lines: list[Line] = [
            (Span(f"{clean(self.target)}: {clean(self.label)} against {clean(self.against)}", "strong"),)
        ]
        lines += wrapped(
            "Points learnt together beside points of counting alone (naive Bayes) on the same lines; "
            f"{self.step} points double the odds. Begin with {self.base[0]:+d} (learnt) or "
            f"{self.base[1]:+d} (counted).",
            WIDE,
        )
        lines += wrapped(self.sentence(), WIDE)
        for column in self.columns:
            name = clean(column.name) + (" (differs in sign)" if column.opposite else "")
            body = [
                [
                    Span(f"  {clean(line.text)}"),
                    *(Span(f"{p:+d}" if p else "0") for p in (line.learnt, line.counted)),
                    Span(f"{line.rows:,.10g}", "dim"),
                ]
                for line in column.lines[: page_limit(MOST)]
            ]
            lines += [(), *table([name, "learnt", "counted", "rows"], body, frozenset((1, 2, 3)), WIDE)]
            if (more := len(column.lines) - page_limit(MOST)) > 0:
                lines.append((Span(f"  and {more:,} more lines", "dim"),))
        return plain(lines)

    __repr__ = __str__
    _repr_html_ = as_html


def beside(model: ScorecardModel, way: tuple[int, int]) -> BesideNaiveBayes:
    """Return the card beside naive Bayes for one class against another."""
    learnt, counted = card_of(model), counted_card(model)
    same = {section.name: section for section in counted.sections}
    columns = []
    for section in learnt.sections:
        if section.name in same:
            pairs = zip(section.lines, same[section.name].lines, strict=True)
            lines = [
                BesideLine(a.text, learnt.lead(a.points, *way), learnt.lead(b.points, *way), a.rows)
                for a, b in pairs
            ]
            columns.append(BesideColumn(section.name, tuple(lines)))
    base = learnt.lead(learnt.base, *way), counted.lead(counted.base, *way)
    label, against = learnt.classes[way[0]], learnt.classes[way[1]]
    return BesideNaiveBayes(learnt.target, label, against, learnt.step, base, tuple(columns))


# ---- reason codes: the sections of a card that cost a row most points, in order and in words ----
#
# Laws: a reason's points are those of the reference less the row's own, and more than 0; reasons are in the
# order of their points, of equals in the order of the card's parts.

STRANGE = ("is missing", "is a new level")  # texts of the two codes after those of the levels
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
    """What rows are compared with, part by part: names[part], and points[part][class] in favour of each
    class; None stands for the row's own text without the words that cost it points.
    """

    names: tuple[str, ...]
    points: tuple[Array | None, ...]


def towards(model: ScorecardModel, points: NDArray[np.int64]) -> Array:
    """Return points[..., class] in favour of each class from points[..., link]: of two classes, points for
    the second count against the first.
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


def card_reasons(
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
        codes = []
        for i in found:
            part, points = model.parts[i], int(cost[i]) if cost[i] == int(cost[i]) else cost[i]
            line = said[i].line(row, c)
            codes.append(ReasonCode(part.name, part.columns, line, points, reference.names[i]))
        out.append(tuple(codes))
    return out


def asked(
    model: ScorecardModel, most: int, against: str, label: int | None
) -> Callable[[Block], list[tuple[ReasonCode, ...]]]:
    """Return what gives the reasons of a block of rows; against: "best" or "average"."""
    held = average_reference(model) if against == "average" else best_reference(model)
    return lambda block: card_reasons(model, block, held, most, label)


def no_reasons(model: Any, *given: Any) -> Any:
    """Refuse a model of a method without reason codes."""
    words = methods.of_kind(model.kind).words
    raise OptionError(f"a model of {words} has no reason codes: a scorecard has. Use explain for a row.")


class _Said:
    """The cells of a part in the rows of a block, in words."""

    def __init__(self, model: ScorecardModel, part: Part, block: Block) -> None:
        self.model, self.part, self.block = model, part, block
        self.sides: list[tuple[list[Any], list[str]]] = []  # of each column: places[row], texts[place]
        if isinstance(part, WordPoints):
            return
        for axis in [part.axis] if isinstance(part, LinePoints) else [part.axis.first, part.axis.second]:
            column = model.schema[axis.name]
            if isinstance(axis, RangeAxis):
                self.sides.append((axis.codes(block).tolist(), said_ranges(column, axis)))
            else:
                texts = [*(f"= {t}" for t in column.levels), *STRANGE]
                self.sides.append((block.codes(axis.name).tolist(), texts))

    def line(self, row: int, c: int) -> str:
        """Return what a row has in the columns of the part; of a text the words that count against a class,
        the costliest first, else all that the card has.
        """
        part = self.part
        if not isinstance(part, WordPoints):
            sides = zip(part.columns, self.sides, strict=True)
            return ", ".join(f"{name} {texts[at[row]]}" for name, (at, texts) in sides)
        starts, words, _ = self.block.words(part.name)
        own = set(words[int(starts[row]) : int(starts[row + 1])].tolist())
        points = dict(zip(part.words, towards(self.model, part.points)[:, c].tolist(), strict=True))
        known = sorted(own & points.keys(), key=lambda w: (points[w], w))
        named = [w for w in known if points[w] < 0] or known
        names = ", ".join(self.model.schema[part.name].words[w] for w in named[:8])
        more = f" and {len(named) - 8:,} more" if len(named) > 8 else ""
        return f"{part.name} contains {names}{more}" if named else f"{part.name} contains no word of the card"


def said_ranges(column: Column, axis: RangeAxis) -> list[str]:
    """Return the ranges of a number as they follow its name, missing last."""
    return [*line_names(column, axis)[:-1], STRANGE[0]]


# ---- explanation of one row: its points, line by line, and its reason codes ----
#
# Law: base and points, added up, are the score to the bit.


@dataclass(frozen=True)
class CardExplanation(Explanation):
    """Points from base to sum, and the reason codes of the row: what cost it most points of `towards`,
    against the best line of each section.
    """

    codes: tuple[ReasonCode, ...] = ()
    towards: str = ""

    def to_dict(self) -> dict[str, Any]:
        """Return plain data."""
        codes = [code.to_dict() for code in self.codes]
        return super().to_dict() | {"reason_codes": codes, "towards": self.towards}

    def __str__(self) -> str:
        lines = [f"  {i}. {code}" for i, code in enumerate(self.codes, 1)]
        if lines:
            lines.insert(0, f"what cost it most points of {clean(self.towards)}:")
        return "\n".join([super().__str__(), *lines])

    __repr__ = __str__


def explain(model: ScorecardModel, block: Block, row: int = 0) -> CardExplanation:
    """Return the explanation of one row of a block: the base, the points of each line it is on, and its
    reason codes.
    """
    parts = model.additive.parts(block)[row]
    scores = np.add.accumulate(parts, axis=0)[-1]
    reasons = [
        Reason(part.name, value_of(model, part, block, row), tuple(own.tolist()))
        for part, own in zip(model.parts, parts[1:], strict=True)
    ]
    shares = model.shares(block)[row : row + 1]
    towards = 1 if model.links == 1 else int(model.decide(shares)[0])
    codes = card_reasons(model, block, best_reference(model), label=towards, rows=[row])[0]
    return CardExplanation(
        model.labels,
        tuple(parts[0].tolist()),
        tuple(reasons),
        tuple(scores.tolist()),
        tuple(shares[0].tolist()),
        False,
        "base",
        "points",
        model.decision,
        codes,
        model.labels[towards],
    )


def value_of(model: ScorecardModel, part: Part, block: Block, row: int) -> str:
    """Return the cells of a row that a part looks at, in words."""
    if isinstance(part, WordPoints):
        starts, words, _ = block.words(part.name)
        said = set(words[int(starts[row]) : int(starts[row + 1])].tolist()) & set(part.words)
        names = [model.schema[part.name].words[w] for w in sorted(said)]
        return ", ".join(names) if names else counted(0, "known word")
    axes = [part.axis] if isinstance(part, LinePoints) else [part.axis.first, part.axis.second]
    return " and ".join(cell_of(model, axis, block, row) for axis in axes)


def cell_of(model: ScorecardModel, axis: RangeAxis | LevelAxis, block: Block, row: int) -> str:
    """Return one cell of a row in words."""
    if isinstance(axis, RangeAxis):
        x = float(block.values(axis.name)[row])
        return "missing" if math.isnan(x) else quantity(x, model.schema[axis.name].unit)
    levels = model.schema[axis.name].levels
    return [*levels, "missing", "a new level"][int(block.codes(axis.name)[row])]


# ---- the form of a card for exports: integer points, so that exported code reads like the card, and what
# reason codes need ----


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
