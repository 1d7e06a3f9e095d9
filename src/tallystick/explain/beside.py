"""The card beside naive Bayes on the same lines: what counting alone says, and what learning together says.

Knows cards and the training rows on their lines. Knows no new row. Laws: counted points follow from the rows
that stand beside them; both kinds of points have a mean of 0 over the training rows of a column.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallystick import kernels
from tallystick.draw.svg import as_html
from tallystick.draw.text import Line, Span, clean, plain, table, wrapped
from tallystick.errors import OptionError, page_limit
from tallystick.explain.card import WIDE, Card, CardSection, card_of
from tallystick.models.scorecard.model import LN2, ScorecardModel
from tallystick.models.scorecard.parts import PairPoints, Part, WordPoints

ALPHA = 1.0  # rows of each class added to every line, as naive Bayes does by itself
MOST = 40  # lines of a column in the text
Array = NDArray[np.float64]


def counted_card(model: ScorecardModel) -> Card:
    """Return the card that counting alone makes of the same lines and rows; pairs have no place in it."""
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
    """Return what the training rows of each class weigh, as the lines of a column add up."""
    for part in model.parts:
        if not isinstance(part, WordPoints):
            rows: Array = part.rows.sum(axis=0) / model.unit
            return rows
    raise OptionError(
        "a card without a column of numbers or levels does not keep how many rows each class has. Fit "
        "ts.NaiveBayes on the rows instead."
    )


def _counted(model: ScorecardModel, part: Part, classes: Array) -> tuple[Array, Array]:
    """Return log(share of a class's rows that are on a line) [line, class], and each line's share of all
    rows.
    """
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
            lines += [(), *_column_text(column)]
        return plain(lines)

    __repr__ = __str__
    _repr_html_ = as_html


def _column_text(column: BesideColumn) -> Iterator[Line]:
    header = [
        clean(column.name) + (" (differs in sign)" if column.opposite else ""),
        "learnt",
        "counted",
        "rows",
    ]
    body = [
        [Span(f"  {clean(line.text)}"), *(Span(f"{p:+d}" if p else "0") for p in (line.learnt, line.counted)),
         Span(f"{line.rows:,.10g}", "dim")]
        for line in column.lines[: page_limit(MOST)]
    ]  # fmt: skip
    yield from table(header, body, frozenset((1, 2, 3)), WIDE)
    if (more := len(column.lines) - page_limit(MOST)) > 0:
        yield (Span(f"  and {more:,} more lines", "dim"),)


def beside(model: ScorecardModel, way: tuple[int, int]) -> BesideNaiveBayes:
    """Return the card beside naive Bayes for one class against another."""
    learnt, counted = card_of(model), counted_card(model)
    same = {section.name: section for section in counted.sections}
    columns = [_both(learnt, s, same[s.name], way) for s in learnt.sections if s.name in same]
    base = learnt.lead(learnt.base, *way), counted.lead(counted.base, *way)
    label, against = learnt.classes[way[0]], learnt.classes[way[1]]
    return BesideNaiveBayes(learnt.target, label, against, learnt.step, base, tuple(columns))


def _both(card: Card, learnt: CardSection, counted: CardSection, way: tuple[int, int]) -> BesideColumn:
    lines = [
        BesideLine(a.text, card.lead(a.points, *way), card.lead(b.points, *way), a.rows)
        for a, b in zip(learnt.lines, counted.lines, strict=True)
    ]
    return BesideColumn(learnt.name, tuple(lines))
