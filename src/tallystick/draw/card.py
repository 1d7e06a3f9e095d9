"""A scorecard as SVG: a step curve per number, bars per level, a heat map per pair, rows under each, and the
scale of points and shares at the foot.

Knows names and numbers. Knows no model. Laws: all curves and bars of a card share one axis of points;
everything that came from a user is escaped; what is not drawn is counted in words.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar

from tallystick.data.text import quantity
from tallystick.draw.nomogram import SHARES
from tallystick.draw.svg import PALETTE, Svg, ticks
from tallystick.draw.text import clean, cut, width

WIDE, TALL, TALLER, ROOM = 312.0, 200.0, 250.0, 18.0  # of a panel (taller: names aslant), and between
LEFT, TOP, BOTTOM, ROWS = 44.0, 30.0, 140.0, 178.0  # axis, plot, foot of the rows
APART = 44.0  # the place of missing values
LETTER = 6.0  # width of a small letter, about
CELL, CELL_TALL, NAMES, HEAT_TOP = 62.0, 24.0, 104.0, 42.0  # of a heat map: two lines over its columns
ASLANT = 14  # letters of a name under a bar
MOST_BARS = 12
LINES, THIN = 3, 0.012  # ranges so thin cannot be seen; with a third of them so, all are equally wide
INK = "#7d8894"  # points for and against are no classes: their side tells them apart
FOR, AGAINST = PALETTE[0], PALETTE[5]  # in a cell of two columns, which has no side


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
        room = (WIDE - 6 - LEFT - (APART if self.missing is not None else 0.0)) / max(len(self.marks), 1)
        return self.cuts is not None or all(LETTER * width(clean(m.words)) <= room - 2 for m in self.marks)

    @property
    def size(self) -> tuple[float, float]:
        """Width and height."""
        return WIDE, TALL if self.flat else TALLER

    def draw(self, svg: Svg, ends: tuple[float, float]) -> None:
        """Draw the panel with its left upper corner at 0, 0; ends: of the shared axis of points."""
        _draw_panel(svg, self, ends)


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
        return max(WIDE, wide), max(HEAT_TOP + 22 + CELL_TALL * len(self.first) + 12, 90.0)

    def draw(self, svg: Svg, ends: tuple[float, float]) -> None:
        """Draw the heat map with its left upper corner at 0, 0."""
        _draw_heat(svg, self, ends)


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
    wide = max([across * WIDE + (across - 1) * ROOM, *(p.size[0] for p in panels)])
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
    scale_foot(svg, foot, wide, step, sides[1])
    return str(svg)


def scale_foot(svg: Svg, y: float, wide: float, step: int, label: str) -> None:
    """Draw points from left to right with the share that each sum means under them."""
    most, left = 7.0 / math.log(2.0) * step, 190.0

    def x(points: float) -> float:
        return left + (points + most) / (2 * most) * (wide - left - 30)

    svg.text(left - 14, y + 4, "sum of points", text_anchor="end", font_weight="bold")
    svg.text(left - 14, y + 24, f"share of {cut(clean(label), 16)}", text_anchor="end", font_weight="bold")
    svg.line(x(-most), y + 6, x(most), y + 6, opacity=0.8)
    for tick in ticks(-most, most, 12):
        svg.line(x(tick), y + 2, x(tick), y + 6, opacity=0.8)
        svg.text(x(tick), y - 3, f"{tick:+g}" if tick else "0", 11, text_anchor="middle")
    for share in SHARES:
        at = x(math.log(share / (1 - share)) / math.log(2.0) * step)
        svg.line(at, y + 6, at, y + 10, opacity=0.8)
        svg.text(at, y + 24, f"{100 * share:g} %", 11, text_anchor="middle")


# -- one column --


def _draw_panel(svg: Svg, panel: Panel, ends: tuple[float, float]) -> None:
    svg.text(
        4, 16, cut(clean(panel.name), 28 if panel.left else 38), 13, clean(panel.name), font_weight="bold"
    )
    right = WIDE - 6 - (APART if panel.missing is not None else 0.0)

    def up(points: float) -> float:
        return BOTTOM - (points - ends[0]) / ((ends[1] - ends[0]) or 1.0) * (BOTTOM - TOP)

    for tick in ticks(*ends, 5):
        svg.line(LEFT, up(tick), WIDE - 6, up(tick), opacity=0.5 if tick == 0 else 0.12)
        svg.text(LEFT - 5, up(tick) + 4, f"{tick:+g}" if tick else "0", 11, text_anchor="end")
    if panel.marks:
        edges = _edges(panel, right)
        _draw_marks(svg, panel.marks, edges, up, panel)
        _draw_names(svg, panel, edges)
    if panel.missing is not None:
        at = right + 10
        _draw_marks(svg, [panel.missing], [at, WIDE - 6], up, panel)
        svg.text((at + WIDE - 6) / 2, ROWS + 14, "missing", 10, text_anchor="middle", opacity=0.8)
    if panel.left:
        told = f"{len(panel.marks)} of {len(panel.marks) + panel.left:,} lines"
        svg.text(WIDE - 6, 16, told, 10, text_anchor="end", opacity=0.7)


def _edges(panel: Panel, right: float) -> list[float]:
    """Return where each line begins and the last one ends: to scale, or equally wide."""
    n, wide = len(panel.marks), right - LEFT
    inner = _to_scale(panel.cuts) if panel.cuts else None
    if inner is None:
        return [LEFT + wide * i / n for i in range(n + 1)]
    return [LEFT, *(LEFT + wide * share for share in inner), right]


def _to_scale(cuts: Sequence[float]) -> list[float] | None:
    """Return where cuts lie from 0 to 1, the outer ranges as wide as the mean inner one; None where too many
    ranges would be too thin to see.
    """
    if len(cuts) < 2:
        return None
    span = cuts[-1] / 2 - cuts[0] / 2
    if not math.isfinite(span) or span <= 0:
        return None
    outer = max(1.0 / (len(cuts) + 1), 0.08)
    places = [outer + (1 - 2 * outer) * (c / 2 - cuts[0] / 2) / span for c in cuts]
    thin = sum(b - a < THIN for a, b in itertools.pairwise(places))
    return None if thin * LINES > len(cuts) else places


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
            if at - half > end + 6 and at + half < WIDE:
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


# -- two columns at once --


def _draw_heat(svg: Svg, heat: HeatMap, ends: tuple[float, float]) -> None:
    svg.text(4, 16, cut(clean(heat.name), 56), 13, clean(heat.name), font_weight="bold")
    most = max(abs(ends[0]), abs(ends[1])) or 1.0
    own = max([abs(m.points) for m in heat.every] or [1]) or 1
    most = max(min(most, own), 1.0)  # a pair's own reach: its cells are read against each other
    letters = int((CELL - 4) / LETTER)
    for j, name in enumerate(heat.second):
        for up, text in zip((0, 12), two_lines(clean(name), letters), strict=False):
            svg.text(NAMES + CELL * (j + 0.5), TOP + 12 + up, text, 10, clean(name), text_anchor="middle")
    for i, name in enumerate(heat.first):
        y = HEAT_TOP + 18 + CELL_TALL * i
        svg.text(NAMES - 6, y + 16, cut(clean(name), 16), 10, clean(name), text_anchor="end")
        for j, mark in enumerate(heat.cells[i]):
            x = NAMES + CELL * j
            if mark is None:
                svg.rect(x + 1, y + 1, CELL - 2, CELL_TALL - 2, fill="currentColor", opacity=0.05)
                continue
            strength = 0.6 * abs(mark.points) / most
            svg.rect(x + 1, y + 1, CELL - 2, CELL_TALL - 2, fill="currentColor", opacity=0.05)
            ink = FOR if mark.points > 0 else AGAINST
            svg.rect(x + 1, y + 1, CELL - 2, CELL_TALL - 2, mark.hint, fill=ink, fill_opacity=strength)
            svg.text(
                x + CELL / 2,
                y + 16,
                f"{mark.points:+d}" if mark.points else "0",
                11,
                mark.hint,
                text_anchor="middle",
            )


def two_lines(text: str, letters: int) -> tuple[str, ...]:
    """Return a name as one line, or as two, parted after a space or a hyphen where it has one."""
    if width(text) <= letters:
        return (text,)
    at = max(text.rfind(mark, 0, letters + (mark == " ")) + 1 for mark in " -")
    at = at or letters
    return text[:at].strip(), cut(text[at:], letters)
