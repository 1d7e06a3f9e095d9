"""The card itself: every column with its lines, points, training rows and class shares, as data and as
text.

Knows fitted cards. Knows no row. Law: whoever adds up the base and one line of every section gets the
points that the model gets, and with them the very probability.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np

from tallystick import kernels
from tallystick.data.schema import Column
from tallystick.data.text import quantity
from tallystick.draw.svg import as_html
from tallystick.draw.text import Line, Span, clean, plain, table, wrapped
from tallystick.errors import page_limit
from tallystick.models.decision import AnswerDecision
from tallystick.models.scorecard.axes import LevelAxis, RangeAxis
from tallystick.models.scorecard.model import ScorecardModel
from tallystick.models.scorecard.parts import LinePoints, PairPoints, Part, WordPoints

WIDE = 80
LEVELS = 8  # of one line that are named


@dataclass(frozen=True)
class CardLine:
    """One line: what it says of a row, points by link, what the training rows on it weigh, and their
    classes. errors: standard errors of the points. place: which line of the section's axis it is, of a
    pair of both axes.
    """

    text: str
    points: tuple[int, ...]
    rows: float
    shares: tuple[float, ...]
    errors: tuple[float, ...] = ()
    place: tuple[int, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return plain data."""
        out: dict[str, Any] = {
            "line": self.text,
            "points": list(self.points),
            "rows": self.rows,
            "shares": list(self.shares),
        }
        return out | ({"errors": list(self.errors)} if self.errors else {})


@dataclass(frozen=True)
class CardSection:
    """A column, or two at once: exactly one line holds for a row; of words any number does. axes: the names
    of all lines along each column, those without rows or points too; cuts: where the ranges of a number
    begin, in its unit.
    """

    name: str
    columns: tuple[str, ...]
    kind: str  # "ranges", "levels", "words" or "pair"
    lines: tuple[CardLine, ...]
    axes: tuple[tuple[str, ...], ...] = ()
    cuts: tuple[float, ...] = ()
    unit: str = ""

    @property
    def reach(self) -> int:
        """The most points that lie between two of its lines, over the links."""
        by_link = zip(*(line.points for line in self.lines), strict=True)
        return max((max(points) - min(points) for points in by_link), default=0)

    def to_dict(self) -> dict[str, Any]:
        """Return plain data."""
        return {
            "columns": list(self.columns),
            "kind": self.kind,
            "lines": [line.to_dict() for line in self.lines],
            "name": self.name,
        }


@dataclass(frozen=True)
class Card:
    """What a person needs to score a row by hand. in_favour: the classes that points speak for, one a
    link.
    """

    target: str
    classes: tuple[str, ...]
    in_favour: tuple[str, ...]
    step: int
    base: tuple[int, ...]
    sections: tuple[CardSection, ...]
    left_out: tuple[str, ...] = ()
    decision: AnswerDecision | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return plain data."""
        decided = {} if self.decision is None else {"decision": self.decision.to_dict()}
        return decided | {
            "base": list(self.base),
            "classes": list(self.classes),
            "in_favour": list(self.in_favour),
            "left_out": list(self.left_out),
            "points_to_double": self.step,
            "sections": [section.to_dict() for section in self.sections],
            "target": self.target,
        }

    def lead(self, points: Sequence[int], label: int, against: int) -> int:
        """Return by how many points one class is ahead of another, of points by link."""
        whole = (0, *points) if len(points) == 1 else tuple(points)
        return whole[label] - whole[against]

    def rule(self) -> list[str]:
        """Return how points become a probability, and where somebody said so an answer, in sentences."""
        return [*self._adding(), *self.answering()]

    def answering(self) -> list[str]:
        """Return the decision that is kept with the model, in a sentence; with the points of a threshold."""
        decision = self.decision
        if decision is None:
            return []
        if decision.threshold is None:
            return [f"Answer {clean(str(decision))}."]
        odds = decision.threshold / (1.0 - decision.threshold)
        points = self.step * math.log2(odds) * (1 if decision.of == self.in_favour[0] else -1)
        side = "more" if decision.of == self.in_favour[0] else "fewer"
        return [f"Answer {clean(str(decision))}: it has {side} than {points:.1f} points there."]

    def _adding(self) -> list[str]:
        if len(self.in_favour) == 1:
            label, base = clean(self.in_favour[0]), self.base[0]
            return [
                f"Begin with {base:+d} points and add one line of every section. {self.step} points double "
                f"the odds of {label}; 0 points are even odds.",
                f"Probability of {label} = 1 / (1 + 2^(-points / {self.step})).",
            ]
        bases = ", ".join(f"{clean(c)} {b:+d}" for c, b in zip(self.in_favour, self.base, strict=True))
        return [
            f"Each class has points of its own. Begin with {bases}, and add one line of every section. "
            f"{self.step} points double the odds between two classes.",
            f"Probability of a class = 2^(its points / {self.step}) over the sum of these over all classes.",
        ]

    def ladder(self) -> list[tuple[int, float]]:
        """Return points and the probability that they mean, of two classes: whole doublings about even
        odds.
        """
        steps = np.arange(-6, 7) * self.step
        shares = kernels.softmax(np.stack([np.zeros(13), np.log(2.0) * np.arange(-6, 7)], axis=1))
        return [(int(p), float(s)) for p, s in zip(steps, shares[:, 1], strict=True)]

    def to_text(self, errors: bool = False) -> str:
        """Return the card as text; errors: with the standard error of all points after a ±."""
        return plain(self.text(errors=errors))

    def text(self, cells: int = WIDE, most: int = 40, errors: bool = False) -> list[Line]:
        """Return the card as lines of text; errors: with the standard errors of the points."""
        lines: list[Line] = [(Span(f"Scorecard for {clean(self.target)}", "strong"),)]
        for sentence in self.rule():
            lines += wrapped(sentence, cells)
        shown = self.in_favour if len(self.in_favour) <= 6 else self.in_favour[:6]
        for section in self.sections:
            lines += [(), *section_text(section, self, shown, cells, most, errors)]
        if len(shown) < len(self.in_favour):
            lines += [(), *wrapped(f"{len(self.in_favour) - 6} more classes: see to_dict().", cells)]
        if self.left_out:
            names = ", ".join(clean(name) for name in self.left_out)
            lines += [(), *wrapped(f"No points: {names}.", cells)]
        if len(self.in_favour) == 1:
            scale = "   ".join(f"{points:+d} {share:.1%}" for points, share in self.ladder()[::2])
            lines += [(), *wrapped(f"{scale}", cells, "Points and probability: ")]
        return lines

    def __str__(self) -> str:
        return plain(self.text())

    __repr__ = __str__
    _repr_html_ = as_html


def section_text(
    section: CardSection, card: Card, shown: Sequence[str], cells: int, most: int, errors: bool = False
) -> Iterator[Line]:
    """Yield one section as a table: line, points, rows, share; errors: of the points too."""
    one = len(card.in_favour) == 1
    points = ["points"] if one else [clean(c) for c in shown]
    header = [clean(section.name), *points, "rows", *([clean(card.in_favour[0])] if one else [])]
    body = []
    most = page_limit(most)
    for line in first_lines(section, most):
        row = [Span(f"  {clean(line.text)}")]
        row += [Span(f"{p:+d}" if p else "0") for p in line.points[: len(shown)]]
        if errors and line.errors:
            ends = zip(row[1:], line.errors, strict=False)
            row[1:] = [Span(f"{span.text} ± {error:.1f}") for span, error in ends]
        row.append(Span(f"{line.rows:,.10g}", "dim"))
        if one:
            row.append(Span(f"{line.shares[1]:.1%}" if line.rows else "", "dim"))
        body.append(row)
    yield from table(header, body, frozenset(range(1, len(header))), cells)
    if len(section.lines) > most:
        yield (Span(f"  and {len(section.lines) - most:,} more lines", "dim"),)


def first_lines(section: CardSection, most: int) -> Sequence[CardLine]:
    """Return as many lines of a section as are shown: of more levels those of most rows first."""
    if len(section.lines) <= most or section.kind != "levels":
        return section.lines[:most]
    return sorted(section.lines, key=lambda line: -line.rows)[:most]


def card_of(model: ScorecardModel, levels: int = LEVELS) -> Card:
    """Return the card of a fitted model, the columns with most between their lines first. levels: how many
    of one line are named.
    """
    sections = [section_of(model, i, part, levels) for i, part in enumerate(model.parts)]
    order = sorted(range(len(sections)), key=lambda i: (-sections[i].reach, i))
    labels = model.labels
    return Card(
        model.schema.predicted.name,
        labels,
        labels[1:] if model.links == 1 else labels,
        model.step,
        tuple(model.base.tolist()),
        tuple(sections[i] for i in order),
        model.left_out,
        model.decision,
    )


def section_of(model: ScorecardModel, number: int, part: Part, levels: int = LEVELS) -> CardSection:
    """Return one part as a section; lines that no training row was on and that have no points are left
    away.
    """
    names, kind = names_of(model, part, levels)
    errors = model.errors[number].tolist() if model.errors else [[]] * len(names)
    lines = []
    axes = axes_of(model, part, levels)
    wide = len(axes[-1])
    numbers = zip(names, part.points.tolist(), part.rows.tolist(), errors, strict=True)
    for i, (text, points, rows, error) in enumerate(numbers):
        total = sum(rows)
        if total or any(points):
            shares = tuple(r / total if total else 0.0 for r in rows)
            place = divmod(i, wide) if kind == "pair" else (i,)
            lines.append(CardLine(text, tuple(points), total / model.unit, shares, tuple(error), place))
    section = CardSection(part.name, part.columns, kind, tuple(lines), axes)
    if isinstance(part, LinePoints) and isinstance(part.axis, RangeAxis):
        return replace(section, cuts=part.axis.cuts, unit=model.schema[part.name].unit)
    return section


def axes_of(model: ScorecardModel, part: Part, levels: int = LEVELS) -> tuple[tuple[str, ...], ...]:
    """Return the names of all lines along each column of a part; of a pair in few letters."""
    if isinstance(part, PairPoints):
        both = part.axis.first, part.axis.second
        return tuple(tuple(line_names(model.schema[axis.name], axis, levels, short=True)) for axis in both)
    return (tuple(names_of(model, part, levels)[0]),)


def names_of(model: ScorecardModel, part: Part, levels: int = LEVELS) -> tuple[list[str], str]:
    """Return the lines of a part in words, and what kind of lines they are."""
    if isinstance(part, WordPoints):
        words = model.schema[part.name].words
        return [f"contains {words[w]}" for w in part.words], "words"
    if isinstance(part, PairPoints):
        first = line_names(model.schema[part.axis.first.name], part.axis.first, levels)
        second = line_names(model.schema[part.axis.second.name], part.axis.second, levels)
        return [f"{a}, {b}" for a in first for b in second], "pair"
    assert isinstance(part, LinePoints)
    kind = "ranges" if isinstance(part.axis, RangeAxis) else "levels"
    return line_names(model.schema[part.name], part.axis, levels), kind


def line_names(
    column: Column, axis: RangeAxis | LevelAxis, most: int = LEVELS, short: bool = False
) -> list[str]:
    """Return the lines of an axis in words: ranges, levels (those on one line together), missing, a new
    level. short: ranges in few letters.
    """
    if isinstance(axis, RangeAxis):
        ends = [quantity(cut, column.unit) for cut in axis.cuts]
        return [*(short_ranges(ends) if short else range_names(ends)), "missing"]
    levels: list[list[str]] = [[] for _ in range(axis.known)]
    for level, line in zip(column.levels, axis.line, strict=True):
        levels[line].append(level)
    names = [" or ".join(on) if len(on) <= most else f"{on[0]} or {len(on) - 1:,} others" for on in levels]
    return [*names, "missing", "a new level"]


def short_ranges(ends: Sequence[str]) -> list[str]:
    """Return ranges in few letters: < 3.5, 3.5 to 7, ≥ 7."""
    if not ends:
        return ["any number"]
    return [f"< {ends[0]}", *(f"{a} to {b}" for a, b in pairwise(ends)), f"≥ {ends[-1]}"]


def range_names(ends: Sequence[str]) -> list[str]:
    """Return ranges as conditions: below 3.5, 3.5 to below 7, 7 and more; of dates too."""
    if not ends:
        return ["any number"]
    return [f"below {ends[0]}", *(f"{a} to below {b}" for a, b in pairwise(ends)), f"{ends[-1]} and more"]
