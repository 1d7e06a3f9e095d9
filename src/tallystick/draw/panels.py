"""Small pictures that stand in a table or side by side: split bars, strips with an interval, square charts.

Knows numbers, names and how to lay them out. Knows no model and no data set.
Laws: sizes and colours are attributes, never styles; texts keep their size on a narrow page because the
pictures are drawn small and are not scaled; a colour of the palette means a class: lengths, intervals and
what speaks for or against something are drawn in the ink of the page.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from tallystick.data.text import quantity
from tallystick.draw.svg import Svg, brief, colour, ticks
from tallystick.draw.text import clean, cut, width

SIDE, LEFT, BOTTOM, TOP, RIGHT = 320.0, 58.0, 40.0, 12.0, 12.0
LETTER = 6.2  # the width of one at size 11
INK, PLAIN = "currentColor", 0.6  # of what is no class
HEAD = 24.0  # room for a heading over a chart
MOST_LETTERS = 40  # of a name in the legend


FRAME = (LEFT, SIDE - RIGHT, TOP, SIDE - 30 - BOTTOM)  # of a chart's plot: left, right, top, bottom


@dataclass(frozen=True)
class ChartCurve:
    """Points of one line; low and high are the ends of an interval at each point, dots marks the points.

    bars: intervals as bars at each point instead of a band. ink: its colour, if not that of its number; dash:
    of its line; wide: how thick it is.
    """

    name: str
    x: Sequence[float]
    y: Sequence[float]
    low: Sequence[float] = ()
    high: Sequence[float] = ()
    dots: bool = False
    bars: bool = False
    ink: str = ""
    dash: str | None = None
    wide: float = 2.0


@dataclass(frozen=True)
class Axis:
    """One axis: its words, its ends, and whether it is logarithmic; names: of levels at 0, 1, 2, ...;
    unit: of its numbers.
    """

    words: str
    low: float = 0.0
    high: float = 1.0
    log: bool = False
    names: tuple[str, ...] = ()
    unit: str = ""

    def place(self, value: float) -> float:
        """Return where a value lies, 0 to 1."""
        bend = math.log10 if self.log else float
        a, b = bend(self.low), bend(self.high)
        return (bend(value) - a) / ((b - a) or 1.0)

    def ticks(self) -> list[float]:
        """Return round numbers on the axis, or the place of every level."""
        if self.names:
            return [float(k) for k in range(len(self.names))]
        if not self.log:
            return ticks(self.low, self.high, 5)
        powers = range(math.floor(math.log10(self.low)), math.ceil(math.log10(self.high)) + 1)
        every = [f * 10.0**p for p in powers for f in (1, 2, 5)]
        inside = [t for t in every if self.low <= t <= self.high * (1 + 1e-12)]
        return inside if len(inside) <= 6 else [t for t in inside if f"{t:e}"[0] == "1"] or inside[:6]

    @property
    def room(self) -> float:
        """How much more room names need beside the axis than numbers do."""
        longest = max((width(self.label(float(k))) for k in range(len(self.names))), default=0)
        return max(0.0, LETTER * longest + 24 - LEFT)

    def label(self, tick: float, letters: int = 16) -> str:
        """Return what stands at a tick; letters: that a name may have."""
        if self.names:
            return cut(clean(self.names[int(tick)]), letters)
        return quantity(tick, self.unit) if self.unit else brief(tick)

    def hint(self, tick: float, letters: int = 16) -> str:
        """Return the whole name where it is cut."""
        whole = clean(self.names[int(tick)]) if self.names else ""
        return whole if whole != cut(whole, letters) else ""


def split_bars(
    parts: Sequence[Sequence[float]],
    title: str,
    hints: Sequence[str],
    names: Sequence[str] = (),
    inks: Sequence[str] = (),
) -> str:
    """Return one bar per part, as high as its rows, split by class: parts[part][class].

    names: under the bars, or two of them for the ends. inks: the colours of the classes, if not in order.
    """
    wide, tall = 180.0, 40.0
    svg = Svg(wide, tall + (15 if names else 0), title)
    top = max([sum(p) for p in parts] or [0.0]) or 1.0
    step = wide / max(len(parts), 1)
    room = min(3.0, step * 0.15)
    for i, part in enumerate(parts):
        at = tall - 1
        for c, rows in enumerate(part):
            high = rows / top * (tall - 3)
            if high > 0:
                look = {"fill": inks[c]} if inks else {"fill": colour(c), **_pattern(c)}
                svg.rect(i * step + room / 2, at - high, step - room, high, **look)
            at -= high
        if hints:
            svg.rect(i * step, 0, step, tall, hints[i], fill="#000", opacity=0)
    svg.line(0, tall - 0.5, wide, tall - 0.5, opacity=0.4)
    each = len(names) == len(parts)
    for i, text in enumerate(names):
        x, anchor = ((i + 0.5) * step, "middle") if each else (i * wide, ("start", "end")[i])
        svg.text(x, tall + 12, text, 11, text_anchor=anchor, opacity=0.8)
    return str(svg)


def split_lines(
    parts: Sequence[Sequence[float]],
    title: str,
    hints: Sequence[str],
    names: Sequence[str],
    inks: Sequence[str] = (),
    most: float = 0.0,
) -> str:
    """Return one line per part, its name and a bar as long as its rows, split by class: parts[part][class].

    For names that have no room under bars. most: the rows of a bar of full length; one that is longer is
    drawn pale, at full length.
    """
    wide, start, step = 180.0, 92.0, 15.0
    svg = Svg(wide, step * len(parts), title)
    top = most or max([sum(p) for p in parts] or [0.0]) or 1.0
    for i, (part, name) in enumerate(zip(parts, names, strict=True)):
        svg.text(start - 6, i * step + 11, cut(clean(name), 13), 11, text_anchor="end")
        at, full = start, max(sum(part), top)
        pale = {"opacity": 0.45} if full > top else {}
        for c, rows in enumerate(part):
            long = rows / full * (wide - start)
            if long > 0:
                look = {"fill": inks[c]} if inks else {"fill": colour(c), **_pattern(c)}
                svg.rect(at, i * step + 2, long, step - 4, hints[i], **look | pale)
            at += long
    svg.line(start, 0, start, step * len(parts), opacity=0.4)
    return str(svg)


def _pattern(c: int) -> dict[str, Any]:
    """Return how a colour that is used again differs from its first use: the second eight are paler."""
    return {"opacity": 0.6} if (c // 8) % 2 else {}


def length_bar(share: float, title: str, wide: float = 90, tall: float = 10) -> str:
    """Return a bar of a share of its width, on a pale ground."""
    svg = Svg(wide, tall, title)
    svg.rect(0, 0, wide, tall, fill="currentColor", opacity=0.1, rx=2)
    long = max(min(share, 1.0) * wide, 1.0 if share > 0 else 0.0)
    svg.rect(0, 0, long, tall, fill=INK, opacity=PLAIN, rx=2)
    return str(svg)


STRIP, STRIP_EDGE = 180.0, 12.0  # how wide a strip is, and its margins


def _on_strip(value: float, scale: tuple[float, float]) -> float:
    inside = min(max(value, scale[0]), scale[1]) - scale[0]
    return STRIP_EDGE + inside / ((scale[1] - scale[0]) or 1.0) * (STRIP - 2 * STRIP_EDGE)


def strip(
    value: float, ends: tuple[float, float], scale: tuple[float, float], title: str, strong: bool = False
) -> str:
    """Return a dot with its interval on a scale from left to right; strips of one scale can be compared."""
    tall = 18.0
    svg = Svg(STRIP, tall, title)
    shade = 1.0 if strong else PLAIN
    svg.line(STRIP_EDGE, tall / 2, STRIP - STRIP_EDGE, tall / 2, opacity=0.15)
    low, high = (_on_strip(v, scale) for v in ends)
    svg.line(low, tall / 2, high, tall / 2, stroke_width=3, opacity=shade)
    svg.circle(_on_strip(value, scale), tall / 2, 5, fill=INK, opacity=shade)
    return str(svg)


def strip_axis(scale: tuple[float, float], title: str, unit: str = "") -> str:
    """Return the axis over strips of one scale: round numbers, "%" for shares."""
    svg = Svg(STRIP, 20, title)
    many = 100 if unit == "%" else 1
    for tick in ticks(scale[0] * many, scale[1] * many, 3):
        x = _on_strip(tick / many, scale)
        svg.text(x, 11, f"{brief(tick)}{' %' if unit == '%' else unit}", 11, text_anchor="middle")
        svg.line(x, 15, x, 20, opacity=0.6)
    svg.line(STRIP_EDGE, 19.5, STRIP - STRIP_EDGE, 19.5, opacity=0.4)
    return str(svg)


def signed_bar(value: float, most: float, title: str, wide: float = 160, tall: float = 12) -> str:
    """Return a bar from the middle to the right (above 0) or to the left."""
    svg = Svg(wide, tall, title)
    size = 0.0 if not math.isfinite(value) or most <= 0 else min(abs(value) / most, 1.0) * (wide / 2 - 2)
    size = wide / 2 - 2 if math.isinf(value) else size
    svg.line(wide / 2, 0, wide / 2, tall, opacity=0.5)
    svg.rect(wide / 2 - (size if value < 0 else 0), 1, size, tall - 2, fill=INK, opacity=PLAIN)
    return str(svg)


@dataclass(frozen=True)
class Chart:
    """One square chart; level: a dashed line across with its name; upright: one from top to bottom."""

    curves: Sequence[ChartCurve]
    x: Axis
    y: Axis
    level: tuple[str, float] | None = None
    diagonal: bool = False
    upright: tuple[str, float] | None = None
    head: str = ""

    @property
    def high(self) -> float:
        """How high it is with its legend; one curve needs none."""
        return SIDE - 30 + (18 * len(self.curves) + 6 if len(self.curves) > 1 else 0)


def chart(
    curves: Sequence[ChartCurve],
    x: Axis,
    y: Axis,
    title: str,
    level: tuple[str, float] | None = None,
    diagonal: bool = False,
) -> str:
    """Return a small square chart; level: a dashed line across with its name. One curve needs no legend."""
    one = Chart(curves, x, y, level, diagonal)
    svg = Svg(SIDE, one.high, title)
    _chart(svg, one)
    return str(svg)


def charts(row: Sequence[Chart], title: str) -> str:
    """Return square charts side by side, each under its heading."""
    svg = Svg(SIDE * len(row), HEAD + max(one.high for one in row), title)
    for k, one in enumerate(row):
        svg.open(transform=f"translate({k * SIDE:.0f} {HEAD:.0f})")
        svg.text(LEFT, -6, one.head, 13, font_weight="bold")
        _chart(svg, one)
        svg.close()
    return str(svg)


def _chart(svg: Svg, one: Chart) -> None:
    x, y = one.x, one.y
    bottom = SIDE - 30 - BOTTOM

    def at(a: float, b: float) -> tuple[float, float]:
        return LEFT + x.place(a) * (SIDE - LEFT - RIGHT), bottom - y.place(b) * (bottom - TOP)

    axes(svg, x, y)
    if one.level:
        (x1, up), (x2, _) = at(x.low, one.level[1]), at(x.high, one.level[1])
        svg.line(x1, up, x2, up, stroke_dasharray="4 4", opacity=0.6)
        svg.text(x2, up - 5, one.level[0], 11, text_anchor="end", opacity=0.8)
    if one.upright:
        (x1, y1), (_, y2) = at(one.upright[1], y.low), at(one.upright[1], y.high)
        svg.line(x1, y1, x1, y2, stroke_dasharray="4 4", opacity=0.6)
        side = ("start", 5) if x1 < SIDE * 0.6 else ("end", -5)
        svg.text(x1 + side[1], y2 + 10, one.upright[0], 11, text_anchor=side[0], opacity=0.8)
    if one.diagonal:
        (x1, y1), (x2, y2) = at(x.low, y.low), at(x.high, y.high)
        svg.line(x1, y1, x2, y2, stroke_dasharray="4 4", opacity=0.5)
    svg.open(class_="curves")
    for k, curve in enumerate(one.curves):  # bands lie under every line
        _band(svg, curve, curve.ink or colour(k), at)
    for k, curve in enumerate(one.curves):
        ink = curve.ink or colour(k)
        _curve(svg, curve, ink, at)
        if len(one.curves) > 1:
            up = SIDE - 21 + 18 * k
            svg.line(
                LEFT, up, LEFT + 24, up, stroke=ink, stroke_width=curve.wide, stroke_dasharray=curve.dash
            )
            svg.text(LEFT + 30, up + 4, cut(clean(curve.name), MOST_LETTERS), 12)
    svg.close()


def _band(svg: Svg, curve: ChartCurve, ink: str, at: Any) -> None:
    low = [at(a, b) for a, b in zip(curve.x, curve.low, strict=False)]
    high = [at(a, b) for a, b in zip(curve.x, curve.high, strict=False)]
    if curve.bars:
        for (px, top), (_, under) in zip(high, low, strict=True):
            svg.line(px, top, px, under, stroke=ink, stroke_width=1.5, opacity=0.7)
    elif low:
        svg.area([*low, *reversed(high)], fill=ink, opacity=0.1 if ink == INK else 0.18)


def _curve(svg: Svg, curve: ChartCurve, ink: str, at: Any) -> None:
    points = [at(a, b) for a, b in zip(curve.x, curve.y, strict=True)]
    if len(points) > 1:
        svg.curve(points, stroke=ink, stroke_width=curve.wide, stroke_dasharray=curve.dash)
    if curve.dots or len(points) == 1:  # one point is no line
        for (px, py), a, b in zip(points, curve.x, curve.y, strict=True):
            svg.circle(
                px, py, 3 if len(points) > 1 else 4.5, f"{curve.name}: {brief(b)} at {brief(a)}", fill=ink
            )


def axes(svg: Svg, x: Axis, y: Axis) -> None:
    """Draw the axes of one square chart, with a pale line at every round number of y."""
    wide, bottom = SIDE - LEFT - RIGHT, SIDE - 30 - BOTTOM
    for tick in y.ticks():
        up = bottom - y.place(tick) * (bottom - TOP)
        if not y.names:
            svg.line(LEFT, up, SIDE - RIGHT, up, opacity=0.15)
        svg.text(LEFT - 6, up + 4, y.label(tick), 11, y.hint(tick), text_anchor="end")
    free = 0.0  # to the right of the last label
    letters = max(3, int(wide / max(len(x.names), 1) / LETTER) - 1)  # so that names do not touch
    for tick in x.ticks():
        text = x.label(tick, letters)
        along, half = LEFT + x.place(tick) * wide, LETTER * len(text) / 2
        svg.line(along, bottom, along, bottom + 4, opacity=0.6)
        if along - half >= free or x.names:
            svg.text(along, bottom + 16, text, 11, x.hint(tick, letters), text_anchor="middle")
            free = along + half + 4
    svg.line(LEFT, bottom, SIDE - RIGHT, bottom, opacity=0.6)
    svg.text(LEFT + wide / 2, bottom + 33, x.words, 12, text_anchor="middle")
    middle = (TOP + bottom) / 2
    at = 10 - y.room
    svg.text(at, middle, y.words, 12, text_anchor="middle", transform=f"rotate(-90 {at:.0f} {middle:.0f})")
