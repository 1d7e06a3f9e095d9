"""The printed scorecard: drawing of panels, the card as data and text, intervals of a row, nomogram.

In this order: SVG of panels (`card_picture()`: step curves of numbers, bars of levels, heat maps of pairs);
the card as data and text (`Card`, entry `card_of()`); the interval of a row's shares (`card_interval()`); a
card as panels and as a nomogram (`card_svg()`, `card_nomogram()`).
section = one column, text or pair; line = one row of it; way = (class, class that it is compared with);
mark = one line as it is drawn.
Laws: all curves and bars of a card share one axis of points; everything that came from a user is escaped;
what is not drawn is counted in words.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from tallystick import kernels
from tallystick.contracts import Block
from tallystick.draw.planes import SHARES, Scale, nomogram
from tallystick.draw.svg import PALETTE, Line, Span, Svg, as_html, cut, plain, table, ticks, width, wrapped
from tallystick.errors import OptionError, clean, page_limit
from tallystick.model.decision import AnswerDecision
from tallystick.schema import Column
from tallystick.scorecard.model import (
    LevelAxis,
    LinePoints,
    PairPoints,
    Part,
    RangeAxis,
    ScorecardModel,
    WordPoints,
)
from tallystick.stats.distributions import NORMAL_975
from tallystick.text import quantity

CARD_WIDTH, TALL, TALLER, ROOM = 312.0, 200.0, 250.0, 18.0  # of a panel (taller: names aslant), and between
LEFT, TOP, BOTTOM, ROWS = 44.0, 30.0, 140.0, 178.0  # axis, plot, foot of the rows
APART = 44.0  # width of the place of missing values
LETTER = 6.0  # width of a small letter, about
CELL, CELL_TALL, NAMES, HEAT_TOP = 62.0, 24.0, 104.0, 42.0  # of a heat map: two lines over its columns
ASLANT = 14  # letters of a slanted name under a bar
MOST_BARS = 12
LINES, THIN = 3, 0.012  # if 1 / LINES of the ranges are thinner than THIN of the axis, all get equal width
INK = "#7d8894"  # of bars: points for and against differ by their side, not by colour
FOR, AGAINST = PALETTE[0], PALETTE[5]  # colours in a heat map, whose cells have no side


@dataclass(frozen=True)
class Mark:
    """One line of the card: its words, points, training rows, and what is said when the pointer rests
    on it.
    """

    words: str
    points: int
    rows: float
    hint: str = ""


@dataclass(frozen=True)
class Panel:
    """A column of the card. cuts: where the ranges of a number begin, in its unit, marks in their order;
    without cuts the marks are levels or words. missing: the line of missing values, apart. left: lines not
    drawn.
    """

    name: str
    marks: tuple[Mark, ...]
    cuts: tuple[float, ...] | None = None
    missing: Mark | None = None
    left: int = 0
    unit: str = ""
    pair: ClassVar[bool] = False

    @property
    def every(self) -> tuple[Mark, ...]:
        """All lines that are drawn."""
        return self.marks if self.missing is None else (*self.marks, self.missing)

    @property
    def flat(self) -> bool:
        """Whether what stands under the bars fits there."""
        room = (CARD_WIDTH - 6 - LEFT - (APART if self.missing is not None else 0.0)) / max(
            len(self.marks), 1
        )
        return self.cuts is not None or all(LETTER * width(clean(m.words)) <= room - 2 for m in self.marks)

    @property
    def size(self) -> tuple[float, float]:
        """Width and height."""
        return CARD_WIDTH, TALL if self.flat else TALLER

    def draw(self, svg: Svg, ends: tuple[float, float]) -> None:
        """Draw the panel with its left upper corner at 0, 0; ends: of the shared axis of points."""
        name, cells = clean(self.name), 28 if self.left else 38
        svg.text(4, 16, cut(name, cells), 13, name, font_weight="bold")
        right = CARD_WIDTH - 6 - (APART if self.missing is not None else 0.0)

        def up(points: float) -> float:
            return BOTTOM - (points - ends[0]) / ((ends[1] - ends[0]) or 1.0) * (BOTTOM - TOP)

        for tick in ticks(*ends, 5):
            svg.line(LEFT, up(tick), CARD_WIDTH - 6, up(tick), opacity=0.5 if tick == 0 else 0.12)
            svg.text(LEFT - 5, up(tick) + 4, f"{tick:+g}" if tick else "0", 11, text_anchor="end")
        if self.marks:
            edges = _edges(self, right)
            _draw_marks(svg, self.marks, edges, up, self)
            _draw_names(svg, self, edges)
        if self.missing is not None:
            at = right + 10
            _draw_marks(svg, [self.missing], [at, CARD_WIDTH - 6], up, self)
            svg.text((at + CARD_WIDTH - 6) / 2, ROWS + 14, "missing", 10, text_anchor="middle", opacity=0.8)
        if self.left:
            shown = f"{len(self.marks)} of {len(self.marks) + self.left:,} lines"
            svg.text(CARD_WIDTH - 6, 16, shown, 10, text_anchor="end", opacity=0.7)


@dataclass(frozen=True)
class HeatMap:
    """Two columns at once: names of the rows and columns, and a mark (or None: no such rows) per cell."""

    name: str
    first: tuple[str, ...]
    second: tuple[str, ...]
    cells: tuple[tuple[Mark | None, ...], ...]
    pair: ClassVar[bool] = True

    @property
    def every(self) -> tuple[Mark, ...]:
        """All cells that are drawn."""
        return tuple(mark for row in self.cells for mark in row if mark is not None)

    @property
    def size(self) -> tuple[float, float]:
        """Width and height."""
        wide = NAMES + CELL * len(self.second) + 8
        return max(CARD_WIDTH, wide), max(HEAT_TOP + 22 + CELL_TALL * len(self.first) + 12, 90.0)

    def draw(self, svg: Svg, ends: tuple[float, float]) -> None:
        """Draw the heat map with its left upper corner at 0, 0."""
        svg.text(4, 16, cut(clean(self.name), 56), 13, clean(self.name), font_weight="bold")
        most = max(abs(ends[0]), abs(ends[1])) or 1.0
        own = max([abs(m.points) for m in self.every] or [1]) or 1
        most = max(min(most, own), 1.0)  # a pair's own reach: its cells are read against each other
        letters = int((CELL - 4) / LETTER)
        for j, name in enumerate(self.second):
            for up, text in zip((0, 12), two_lines(clean(name), letters), strict=False):
                svg.text(NAMES + CELL * (j + 0.5), TOP + 12 + up, text, 10, clean(name), text_anchor="middle")
        for i, name in enumerate(self.first):
            y = HEAT_TOP + 18 + CELL_TALL * i
            svg.text(NAMES - 6, y + 16, cut(clean(name), 16), 10, clean(name), text_anchor="end")
            for j, mark in enumerate(self.cells[i]):
                x = NAMES + CELL * j
                svg.rect(x + 1, y + 1, CELL - 2, CELL_TALL - 2, fill="currentColor", opacity=0.05)
                if mark is None:
                    continue
                ink, strength = FOR if mark.points > 0 else AGAINST, 0.6 * abs(mark.points) / most
                svg.rect(x + 1, y + 1, CELL - 2, CELL_TALL - 2, mark.hint, fill=ink, fill_opacity=strength)
                points = f"{mark.points:+d}" if mark.points else "0"
                svg.text(x + CELL / 2, y + 16, points, 11, mark.hint, text_anchor="middle")


def axis_ends(panels: Sequence[Panel | HeatMap]) -> tuple[float, float]:
    """Return the ends of the axis of points that all panels share."""
    points = [float(mark.points) for panel in panels for mark in panel.every] or [0.0]
    low, high = min(0.0, *points), max(0.0, *points)
    room = 0.1 * ((high - low) or 1.0)  # for the number at a bar's end
    return low - (room if low < 0 else 0.0), high + room


def panel_picture(panel: Panel | HeatMap, ends: tuple[float, float]) -> str:
    """Return one column of the card as a picture of its own."""
    wide, tall = panel.size
    points = ", ".join(f"{clean(m.words)} {m.points:+d}" for m in panel.every[:24])
    svg = Svg(wide, tall, f"{clean(panel.name)}: {points} points")
    panel.draw(svg, ends)
    return str(svg)


def card_picture(
    title: str,
    sentence: str,
    panels: Sequence[Panel | HeatMap],
    step: int,
    sides: tuple[str, str],
    across: int = 3,
) -> str:
    """Return the whole card: panels in rows, the scale of points and shares at the foot. step: points that
    double the odds; sides: what falling and rising points speak for.
    """
    wide = max([across * CARD_WIDTH + (across - 1) * ROOM, *(p.size[0] for p in panels)])
    ends, places, x, y, tall = axis_ends(panels), [], 0.0, 76.0, 0.0
    for panel in panels:
        w, h = panel.size
        if x and x + w > wide:
            x, y, tall = 0.0, y + tall + ROOM, 0.0
        places.append((x, y))
        x, tall = x + w + ROOM, max(tall, h)
    foot = y + tall + 30
    svg = Svg(wide, foot + 64, f"{clean(title)}. {clean(sentence)}")
    svg.text(4, 22, clean(title), 15, font_weight="bold")
    svg.text(4, 42, clean(sentence), 12)
    svg.text(
        4,
        60,
        f"Above 0 speaks for {cut(clean(sides[1]), 30)}, below for {cut(clean(sides[0]), 30)}; "
        "the bars under a curve are the training rows on each line.",
        11,
        opacity=0.75,
    )
    for panel, (at, up) in zip(panels, places, strict=True):
        svg.open(transform=f"translate({at:.0f} {up:.0f})")
        panel.draw(svg, ends)
        svg.close()
    # the scale: points from left to right, under them the probability that each sum means
    most, left, y = 7.0 / math.log(2.0) * step, 190.0, foot

    def along(points: float) -> float:
        return left + (points + most) / (2 * most) * (wide - left - 30)

    share_of = f"share of {cut(clean(sides[1]), 16)}"
    svg.text(left - 14, y + 4, "sum of points", text_anchor="end", font_weight="bold")
    svg.text(left - 14, y + 24, share_of, text_anchor="end", font_weight="bold")
    svg.line(along(-most), y + 6, along(most), y + 6, opacity=0.8)
    for tick in ticks(-most, most, 12):
        svg.line(along(tick), y + 2, along(tick), y + 6, opacity=0.8)
        svg.text(along(tick), y - 3, f"{tick:+g}" if tick else "0", 11, text_anchor="middle")
    for share in SHARES:
        at = along(math.log(share / (1 - share)) / math.log(2.0) * step)
        svg.line(at, y + 6, at, y + 10, opacity=0.8)
        svg.text(at, y + 24, f"{100 * share:g} %", 11, text_anchor="middle")
    return str(svg)


def _edges(panel: Panel, right: float) -> list[float]:
    """Return where each line begins and the last one ends: to scale, the outer ranges as wide as the mean
    inner one; equally wide where too many ranges would be too thin to see.
    """
    n, wide, cuts = len(panel.marks), right - LEFT, panel.cuts or ()
    span = cuts[-1] / 2 - cuts[0] / 2 if len(cuts) > 1 else 0.0
    if math.isfinite(span) and span > 0:
        outer = max(1.0 / (len(cuts) + 1), 0.08)
        places = [outer + (1 - 2 * outer) * (c / 2 - cuts[0] / 2) / span for c in cuts]
        if sum(b - a < THIN for a, b in pairwise(places)) * LINES <= len(cuts):
            return [LEFT, *(LEFT + wide * share for share in places), right]
    return [LEFT + wide * i / n for i in range(n + 1)]


def _draw_marks(
    svg: Svg, marks: Sequence[Mark], edges: Sequence[float], up: Callable[[float], float], panel: Panel
) -> None:
    """Draw the points of lines from edge to edge, and their rows at the foot."""
    most = max([m.rows for m in panel.every] or [0.0]) or 1.0
    steps = panel.cuts is not None
    outline = []
    for mark, a, b in zip(marks, edges[:-1], edges[1:], strict=True):
        room = 0.0 if steps and len(marks) > 1 else min(3.0, 0.12 * (b - a))
        zero = up(0)
        top = min(up(mark.points), zero)
        svg.rect(
            a + room,
            top,
            b - a - 2 * room,
            abs(up(mark.points) - zero),
            fill=INK,
            opacity=0.4 if steps else 0.8,
        )
        high = mark.rows / most * (ROWS - BOTTOM - 10)
        svg.rect(a + room, ROWS - high, b - a - 2 * room, high, fill="currentColor", opacity=0.3)
        svg.rect(a, TOP, b - a, ROWS - TOP, mark.hint, fill="#000", opacity=0)
        outline += [(a, up(mark.points)), (b, up(mark.points))]
        if not steps and b - a >= LETTER * (len(f"{mark.points:+d}") + 0.5):
            shift = -4 if mark.points >= 0 else 12
            svg.text(
                (a + b) / 2,
                up(mark.points) + shift,
                f"{mark.points:+d}" if mark.points else "0",
                10,
                text_anchor="middle",
            )
    if steps:
        svg.curve(outline, stroke_width=2)
    svg.line(edges[0], ROWS, edges[-1], ROWS, opacity=0.4)


def _draw_names(svg: Svg, panel: Panel, edges: Sequence[float]) -> None:
    """Write what the lines are: cuts at their edges where they do not touch, levels under their bars."""
    if panel.cuts is not None:
        end = -1e9
        for at, value in zip(edges[1:-1], panel.cuts, strict=True):
            text = quantity(value, panel.unit) if panel.unit else short(value)
            half = LETTER * len(text) / 2
            if at - half > end + 6 and at + half < CARD_WIDTH:
                end = at + half
                svg.line(at, ROWS, at, ROWS + 4, opacity=0.6)
                svg.text(at, ROWS + 15, text, 10, text_anchor="middle")
        if len(panel.marks) == 1:
            svg.text((edges[0] + edges[-1]) / 2, ROWS + 14, "any number", 10, text_anchor="middle")
        return
    for mark, a, b in zip(panel.marks, edges[:-1], edges[1:], strict=True):
        middle = (a + b) / 2
        if panel.flat:
            svg.text(middle, ROWS + 14, clean(mark.words), 10, text_anchor="middle")
        else:
            svg.text(
                middle + 3,
                ROWS + 11,
                cut(clean(mark.words), ASLANT),
                10,
                mark.hint,
                text_anchor="end",
                transform=f"rotate(-45 {middle + 3:.1f} {ROWS + 11:.1f})",
            )


def short(value: float) -> str:
    """Return a number in four digits, with thousands set apart."""
    return f"{float(f'{value:.4g}'):,.10g}" if abs(value) < 1e9 else f"{value:.4g}"


def two_lines(text: str, letters: int) -> tuple[str, ...]:
    """Return a name as one line, or as two, parted after a space or a hyphen where it has one."""
    if width(text) <= letters:
        return (text,)
    at = max(text.rfind(mark, 0, letters + (mark == " ")) + 1 for mark in " -")
    at = at or letters
    return text[:at].strip(), cut(text[at:], letters)


# ---- the card as data and as text: every column with its lines, points, training rows and class shares ----
#
# Law: the base and one line of every section add up to the points of the model, and so to its probability.

WIDE = 80  # letters of a line of text
LEVELS = 8  # levels of one line that are named


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
        if len(self.in_favour) == 1:
            label, base = clean(self.in_favour[0]), self.base[0]
            adding = [
                f"Begin with {base:+d} points and add one line of every section. {self.step} points double "
                f"the odds of {label}; 0 points are even odds.",
                f"Probability of {label} = 1 / (1 + 2^(-points / {self.step})).",
            ]
        else:
            bases = ", ".join(f"{clean(c)} {b:+d}" for c, b in zip(self.in_favour, self.base, strict=True))
            adding = [
                f"Each class has points of its own. Begin with {bases}, and add one line of every section. "
                f"{self.step} points double the odds between two classes.",
                f"Probability of a class = 2^(its points / {self.step}) over the sum of these over all "
                "classes.",
            ]
        return [*adding, *self.answering()]

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


# ---- the interval of a row's probabilities, from the covariance of the points ----
#
# Law: the interval holds the probability that the whole points give.

Array = NDArray[np.float64]


def card_errors(model: ScorecardModel, block: Block) -> Array:
    """Return the standard error of each sum of points [row, link]."""
    if model.spread is None:
        raise OptionError("this card does not keep how the errors of its points go together. Fit it again.")
    errors = np.concatenate([model.spread.base[None, :], *model.errors])  # [1 + line, link]
    out = np.zeros((block.rows, model.links))
    for k, (whole, unit) in enumerate(zip(model.spread.factors, model.spread.units, strict=True)):
        factor = whole * unit
        with np.errstate(over="ignore"):  # a file may hold any error
            squares = errors[:, k] ** 2
        own = np.maximum(squares - (factor**2).sum(axis=0), 0.0)  # goes together with no other line
        table, start = np.concatenate([factor, own[None, :]]), 1  # [number, 1 + line]
        sums = np.repeat(table[None, :, 0], block.rows, axis=0)  # [row, number]: of the base and the lines
        for part in model.parts:
            lines = table[:, start : start + len(part.points)].T
            start += len(part.points)
            if isinstance(part, WordPoints):
                starts, words, _ = block.words(part.name)
                by_word = np.zeros((part.size + 1, len(table)))
                by_word[list(part.words)] = lines
                rows = np.repeat(np.arange(block.rows), np.diff(starts))
                np.add.at(sums, rows, by_word[np.minimum(words, part.size)])
            else:
                sums += lines[part.axis.codes(block)]
        out[:, k] = np.sqrt((sums[:, :-1] ** 2).sum(axis=1) + sums[:, -1])
    return out


def card_interval(model: ScorecardModel, block: Block) -> Array:
    """Return low and high ends of each probability [row, class, 2], of about 95 %."""
    errors = card_errors(model, block) * model.slope
    scores, shares = model.scores(block), model.shares(block)
    if model.links == 1:
        odds = np.stack([scores[:, 0] - scores[:, 1], scores[:, 1] - scores[:, 0]], axis=1)
        spread = np.repeat(errors, 2, axis=1)
    else:  # the odds against all others move with the points of each as the others share what is left
        rest = np.maximum(1.0 - shares, 1e-300)
        odds = kernels.log(np.maximum(shares, 1e-300)) - kernels.log(rest)
        others = (shares[:, None, :] * (1.0 - np.eye(model.links))) / rest[:, :, None]  # [row, class, other]
        spread = np.sqrt(errors**2 + np.einsum("rco,ro->rc", others**2, errors**2))
    ends = [_share(odds - NORMAL_975 * spread), _share(odds + NORMAL_975 * spread)]
    return np.stack([np.minimum(ends[0], shares), np.maximum(ends[1], shares)], axis=2)


def _share(odds: Array) -> Array:
    """Return probabilities of log-odds."""
    flat = np.ascontiguousarray(odds.reshape(-1))
    both: Array = kernels.softmax(np.stack([np.zeros(len(flat)), flat], axis=1))[:, 1]
    return both.reshape(odds.shape)


# ---- a card as a picture and as a nomogram: its sections as panels, for one class against another ----
#
# Law: the points drawn are those of the card.

MOST_MARKS = 24  # marks on a line of the nomogram, those with most rows
Way = tuple[int, int]  # the class that points speak for, and the one against it


def card_svg(card: Card, way: Way) -> str:
    """Return the whole card, drawn, for one class against another."""
    label, against = card.classes[way[0]], card.classes[way[1]]
    base = card.lead(card.base, *way)
    sentence = (
        f"Begin with {base:+d} points and add one line of every column: {card.step} points double the odds "
        f"of {clean(label)} against {clean(against)}."
    )
    ordered = sorted(card.sections, key=lambda section: section.kind == "pair")  # pairs last
    panels = [panel_of(card, section, way) for section in ordered]
    return card_picture(f"Scorecard for {clean(card.target)}", sentence, panels, card.step, (against, label))


def panel_of(card: Card, section: CardSection, way: Way, least: int = 1) -> Panel | HeatMap:
    """Return one section as it is drawn; least: training rows that a line must have to show their class."""
    if section.kind == "pair":
        # without the lines that no row was on
        cells = {line.place: _mark(card, line, way, least) for line in section.lines}
        first, second = (
            [i for i in range(len(names)) if any(p[k] == i for p in cells)]
            for k, names in enumerate(section.axes)
        )
        return HeatMap(
            section.name,
            tuple(section.axes[0][i] for i in first),
            tuple(section.axes[1][j] for j in second),
            tuple(tuple(cells.get((i, j)) for j in second) for i in first),
        )
    marks = [(line, _mark(card, line, way, least)) for line in section.lines]
    if section.kind == "words":
        # the words with most points for and against, as many of both where there are, by their points
        order = sorted((m for _, m in marks), key=lambda m: (-m.points, m.words))
        down = min(MOST_BARS // 2, sum(m.points < 0 for m in order))
        up = min(MOST_BARS - down, len(order) - down)
        outer = [*order[:up], *order[len(order) - down :]]
        words = tuple(replace(m, words=m.words.removeprefix("contains ")) for m in outer)
        return Panel(f"{section.name} contains", words, left=len(marks) - len(words))
    names = section.axes[0]
    missing_at = len(names) - (1 if section.kind == "ranges" else 2)
    missing = next((m for line, m in marks if line.place == (missing_at,)), None)
    if section.kind == "ranges":
        found = {line.place[0]: m for line, m in marks}
        whole = tuple(found.get(i, Mark(names[i], 0, 0.0, f"{names[i]}: no rows")) for i in range(missing_at))
        return Panel(section.name, whole, section.cuts, missing, unit=section.unit)
    known = [m for line, m in marks if line.place[0] < missing_at]
    if len(known) > MOST_BARS:  # what most rows have is never among what is not drawn
        known.sort(key=lambda mark: -mark.rows)
    return Panel(section.name, tuple(known[:MOST_BARS]), None, missing, max(0, len(known) - MOST_BARS))


def _mark(card: Card, line: CardLine, way: Way, least: int) -> Mark:
    points = card.lead(line.points, *way)
    hint = f"{clean(line.text)}: {points:+d} points; {counted_rows(line)}"
    if line.rows and line.rows >= least:
        hint += f", {line.shares[way[0]]:.1%} {clean(card.classes[way[0]])}"
    return Mark(line.text, points, line.rows, hint)


def counted_rows(line: CardLine) -> str:
    """Return the training rows on a line in words."""
    return f"{line.rows:,.10g} training row{'' if line.rows == 1 else 's'}"


def card_nomogram(card: Card, way: Way) -> str:
    """Return the card as a nomogram: each section a line, each of its lines where its points lie."""
    scales = []
    for section in card.sections:
        short = short_ranges([quantity(cut, section.unit) for cut in section.cuts]) if section.cuts else []
        marks = [
            (
                short[line.place[0]] if line.place[0] < len(short) else line.text,
                float(card.lead(line.points, *way)),
            )
            for line in section.lines
        ]
        heavy = sorted(range(len(marks)), key=lambda i: (-abs(marks[i][1]), i))[:MOST_MARKS]
        scales.append(Scale(section.name, tuple(marks[i] for i in sorted(heavy))))
    scales.sort(key=lambda s: min(w for _, w in s.marks) - max(w for _, w in s.marks))
    label, against = card.classes[way[0]], card.classes[way[1]]
    title = f"{card.target}: {label} against {against}"
    return nomogram(title, scales, float(card.lead(card.base, *way)), (against, label), card.step)
