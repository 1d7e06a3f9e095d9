"""Charts as SVG: lines, dots, bars, effects, forest plots, heat maps, small pictures for tables, histograms.

Parts in order, with their entry: lines, dots and bars (`line_chart`, `dot_chart`, `bar_chart`); effects of a
column (`number_effect`, `level_effect`); forest plot (`forest`); heat map (`heat_map`); shares before and
after (`pair_bars`); pictures in tables (`split_bars`, `strip`, `charts`); answers of numbers
(`against_chart`, `histogram`); shares of naive Bayes (`share_bars`). Numbers without a comment are pixels.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallystick.draw.svg import Svg, around, brief, colour, cut, ticks, width
from tallystick.errors import clean
from tallystick.text import quantity

Line = tuple[str, Sequence[float], Sequence[float], Sequence[float], Sequence[float]]  # name, x, y, low, high
PointMark = tuple[float, float, str]  # x, y, words beside it
Dot = tuple[str, float, float, float, str]  # name, value, low, high, words beside it

MOST_POINTS = 900  # points of a line: 640 pixels show no more
DOTTED = 40  # points of a line that are marked each; more of them are a curve
WIDTH, HEIGHT, CHART_LEFT, CHART_RIGHT, CHART_TOP, CHART_BOTTOM = 640.0, 360.0, 64.0, 16.0, 16.0, 48.0


def line_chart(
    lines: Sequence[Line],
    x: str,
    y: str,
    level: tuple[str, float] | None = None,
    log_x: bool = False,
    marks: Sequence[PointMark] = (),
) -> str:
    """Return curves with their bands; `level` is a dashed line across, with its name; marks are points with
    words beside them, or pale ones without.
    """
    lines = [thinned(line) for line in lines]
    xs = [v for line in lines for v in line[1]]
    ys = [v for line in lines for part in line[3:] for v in part] + ([level[1]] if level else [])
    ys += [mark[1] for mark in marks]
    svg = Svg(WIDTH, HEIGHT + 18 * len(lines), f"{y} against {x}")
    to_x = axis_scale(min(xs), max(xs), CHART_LEFT, WIDTH - CHART_RIGHT, log_x)
    low, high = min([0.0, *ys]), max(ys) * 1.02
    to_y = axis_scale(low, high, HEIGHT - CHART_BOTTOM, CHART_TOP, False)
    right, bottom = WIDTH - CHART_RIGHT, HEIGHT - CHART_BOTTOM
    for tick in ticks(low, high):
        svg.line(CHART_LEFT, to_y(tick), right, to_y(tick), opacity=0.15)
        svg.text(CHART_LEFT - 8, to_y(tick) + 4, brief(tick), 11, text_anchor="end")
    for tick in (_log_ticks if log_x else ticks)(min(xs), max(xs)):
        svg.line(to_x(tick), bottom, to_x(tick), bottom + 5)
        svg.text(to_x(tick), bottom + 18, brief(tick), 11, text_anchor="middle")
    svg.line(CHART_LEFT, bottom, right, bottom)
    svg.text((CHART_LEFT + right) / 2, HEIGHT - 10, x, text_anchor="middle")
    middle = (CHART_TOP + bottom) / 2
    svg.text(14, middle, y, text_anchor="middle", transform=f"rotate(-90 14 {middle:.0f})")
    if level:
        up = to_y(level[1])
        svg.line(CHART_LEFT, up, right, up, stroke_dasharray="4 4", opacity=0.6)
        svg.text(right, up - 4, level[0], 11, text_anchor="end", opacity=0.7)
    for number, (name, at, values, lows, highs) in enumerate(lines):
        band = [(to_x(a), to_y(v)) for a, v in zip(at, lows, strict=True)]
        band += [(to_x(a), to_y(v)) for a, v in reversed(list(zip(at, highs, strict=True)))]
        if list(lows) != list(highs):
            svg.area(band, fill=colour(number), opacity=0.18)
        points = [(to_x(a), to_y(v)) for a, v in zip(at, values, strict=True)]
        svg.curve(points, stroke=colour(number), stroke_width=2)
        for (px, py), a, v in zip(points, at, values, strict=True) if len(points) <= DOTTED else ():
            svg.circle(px, py, 2.5, f"{name}: {brief(v)} at {brief(a)}", fill=colour(number))
        svg.rect(CHART_LEFT, HEIGHT + 18 * number, 14, 10, fill=colour(number))
        svg.text(CHART_LEFT + 20, HEIGHT + 9 + 18 * number, name)
    for a, b, words in marks:  # those without words are many, and pale
        px, py = to_x(a), to_y(b)
        svg.circle(px, py, 4 if words else 2.5, words, fill="currentColor", opacity=None if words else 0.3)
        if words:
            side = ("start", 8) if px < 0.7 * WIDTH else ("end", -8)
            svg.text(px + side[1], py - 16, words, text_anchor=side[0])
    return str(svg)


def thinned(line: Line) -> Line:
    """Return a line of at most about MOST_POINTS points that looks the same: of every stretch of equally many
    points its first, and those where it is lowest and highest.
    """
    name, at, values, lows, highs = line
    if len(at) <= MOST_POINTS:
        return line
    each = 3 * len(at) / MOST_POINTS
    kept = {len(at) - 1}
    for k in range(MOST_POINTS // 3):
        stretch = range(int(k * each), min(int((k + 1) * each), len(at)))
        kept |= {stretch[0], min(stretch, key=lambda i: values[i]), max(stretch, key=lambda i: values[i])}
    order = sorted(kept)
    return name, *([part[i] for i in order] for part in (at, values, lows, highs))  # type: ignore[return-value]


def dot_chart(dots: Sequence[Dot], x: str, level: tuple[str, float] | None = None, marked: str = "") -> str:
    """Return one row per dot with its interval; the row named `marked` is set off."""
    left, row = 210.0, 26.0
    ends = [v for d in dots for v in d[1:4] if math.isfinite(v)] + ([level[1]] if level else [])
    low, high = min(ends), max(ends)
    room = (high - low) * 0.05 or 0.5
    svg = Svg(WIDTH + 120, CHART_TOP + row * len(dots) + CHART_BOTTOM, f"{x} of {len(dots)} methods")
    bottom = CHART_TOP + row * len(dots)
    to_x = axis_scale(low - room, high + room, left, WIDTH - CHART_RIGHT, False)
    for tick in ticks(low - room, high + room):
        svg.line(to_x(tick), CHART_TOP, to_x(tick), bottom, opacity=0.15)
        svg.text(to_x(tick), bottom + 16, brief(tick), 11, text_anchor="middle")
    svg.text((left + WIDTH - CHART_RIGHT) / 2, bottom + 36, x, text_anchor="middle")
    if level:
        svg.line(to_x(level[1]), CHART_TOP, to_x(level[1]), bottom, stroke_dasharray="4 4", opacity=0.6)
    for number, (name, value, lower, upper, words) in enumerate(dots):
        at, strength = CHART_TOP + row * (number + 0.5), 1.0 if name == marked else 0.45
        svg.text(left - 10, at + 4, name, text_anchor="end", font_weight="bold" if name == marked else None)
        left_end, right_end = to_x(max(lower, low - room)), to_x(min(upper, high + room))
        svg.line(left_end, at, right_end, at, stroke_width=2, opacity=strength)
        hint = f"{name}: {brief(value)} ({brief(lower)} to {brief(upper)})"
        svg.circle(to_x(value), at, 5, hint, fill="currentColor", opacity=strength)
        svg.text(WIDTH - CHART_RIGHT + 10, at + 4, words, 11, opacity=0.8)
    return str(svg)


def bar_chart(bars: Sequence[tuple[str, float]], x: str, title: str) -> str:
    """Return one bar per row from 0 to the right or left, with its number."""
    left, row, wide = 250.0, 22.0, 640.0
    values = [v for _, v in bars if math.isfinite(v)] or [0.0]
    low, high = min([0.0, *values]), max([0.0, *values])
    room = (high - low) * 0.12 or 0.5
    svg = Svg(wide, CHART_TOP + row * len(bars) + 34, title)
    to_x = axis_scale(low - (room if low < 0 else 0), high + room, left, wide - CHART_RIGHT, False)
    bottom = CHART_TOP + row * len(bars)
    for number, (name, value) in enumerate(bars):
        at = CHART_TOP + row * number
        end = to_x(min(max(value, low), high) if math.isfinite(value) else (high if value > 0 else low))
        svg.text(left - 10, at + 15, cut(clean(name), 38), text_anchor="end")
        hint = f"{name}: {brief(value).replace('inf', '∞')}"
        long = abs(end - to_x(0))
        svg.rect(min(to_x(0), end), at + 4, long, row - 8, hint, fill="currentColor", opacity=0.6)
        side = ("start", 4) if value >= 0 else ("end", -4)
        shown = f"{value:.3g}".replace("inf", "∞")
        svg.text(end + side[1], at + 15, shown, 11, text_anchor=side[0], opacity=0.8)
    svg.line(to_x(0), CHART_TOP, to_x(0), bottom, opacity=0.6)
    svg.text((left + wide - CHART_RIGHT) / 2, bottom + 24, x, text_anchor="middle")
    return str(svg)


def axis_scale(low: float, high: float, start: float, end: float, log: bool) -> Callable[[float], float]:
    """Return where a value lies between two places, on a plain or a logarithmic axis."""
    bend = math.log10 if log else float
    a, b = bend(low), bend(high)
    width = (b - a) or 1.0
    return lambda value: start + (bend(value) - a) / width * (end - start)


def _log_ticks(low: float, high: float) -> list[float]:
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    every = [f * 10.0**p for p in powers for f in (1, 2, 5)]
    inside = [t for t in every if low <= t <= high]
    return inside if len(inside) <= 9 else [t for t in inside if f"{t:e}"[0] == "1"]


# Effects: a model's answers against one column as a curve or dots with a band, and the rows below.
# Laws: rows and answers share the axis of the column; a number's axis covers 98 of 100 rows.

WIDE, EFFECT_LEFT, EFFECT_RIGHT, EFFECT_TOP = 320.0, 46.0, 10.0, 26.0
PLOT, ROWS = 150.0, 34.0  # heights of the answers and of the rows under them
STEP, NAMES, COUNTS = 22.0, 104.0, 44.0  # pixels of a level: its height, its name, its rows
MOST_LEVELS = 12


@dataclass(frozen=True)
class EffectMark:
    """A value of a column: the mean answer, its band, and its rows; of a step, where it starts and ends."""

    words: str
    number: float
    mean: float
    low: float
    high: float
    rows: int
    start: float | None = None
    end: float | None = None

    @property
    def reach(self) -> tuple[float, float]:
        """From where to where the answer is drawn."""
        start, end = self.start, self.end
        return (self.number, self.number) if start is None or end is None else (start, end)


def number_effect(
    name: str,
    answer: str,
    marks: Sequence[EffectMark],
    lie: tuple[Sequence[int], tuple[float, float]],
    scale: tuple[float, float],
    ink: str,
) -> str:
    """Return the answers against a number; lie: how many rows lie in equal steps between two ends; scale: of
    the answers.
    """
    bars, (low, high) = lie
    high = high if high > low else low + 1.0
    svg = Svg(WIDE, EFFECT_TOP + PLOT + ROWS + 44, f"{clean(answer)} against {clean(name)}")
    svg.text(0, 12, cut(clean(name), 44), 12, font_weight="bold")
    to_x = axis_scale(low, high, EFFECT_LEFT, WIDE - EFFECT_RIGHT, False)
    to_y = axis_scale(*scale, EFFECT_TOP + PLOT, EFFECT_TOP, False)
    for tick in ticks(*scale, 4):
        svg.line(EFFECT_LEFT, to_y(tick), WIDE - EFFECT_RIGHT, to_y(tick), opacity=0.15)
        svg.text(EFFECT_LEFT - 6, to_y(tick) + 4, brief(tick), 11, text_anchor="end")
    inside = [m for m in marks if m.reach[0] <= high and low <= m.reach[1]] or list(marks[:1])
    ends = [(max(m.reach[0], low), min(m.reach[1], high)) for m in inside]  # the same twice, but of steps
    sides = [(to_x(x), m) for m, reach in zip(inside, ends, strict=True) for x in dict.fromkeys(reach)]
    around = [(x, to_y(m.low)) for x, m in sides] + [(x, to_y(m.high)) for x, m in reversed(sides)]
    svg.area(around, fill=ink, opacity=0.16)
    if len(sides) > 1:
        svg.curve([(x, to_y(m.mean)) for x, m in sides], stroke=ink, stroke_width=2)
    else:  # one value is a point
        svg.circle(to_x(inside[0].number), to_y(inside[0].mean), 3, clean(inside[0].words), fill=ink)
    # how many rows there are at each step, on the axis of the column
    top, bottom = max([*bars, 1]), EFFECT_TOP + PLOT + ROWS + 8
    left, right = to_x(low), to_x(high)
    wide = (right - left) / max(len(bars), 1)
    steps = [f"M{left:.1f} {bottom:.1f}"]
    for k, rows in enumerate(bars):
        steps.append(f"V{bottom - ROWS * rows / top:.1f}H{left + (k + 1) * wide:.1f}")
    svg.path(f"{''.join(steps)}V{bottom:.1f}Z", f"the rows: {sum(bars):,}", fill="currentColor", opacity=0.3)
    svg.line(left, bottom, right, bottom, opacity=0.6)
    svg.text(EFFECT_LEFT - 6, bottom, "rows", 11, text_anchor="end", opacity=0.8)
    for tick in ticks(low, high, 4):
        svg.line(to_x(tick), bottom, to_x(tick), bottom + 4, opacity=0.6)
        svg.text(to_x(tick), bottom + 16, brief(tick), 11, text_anchor="middle")
    return str(svg)


def level_effect(
    name: str, answer: str, marks: Sequence[EffectMark], scale: tuple[float, float], ink: str
) -> str:
    """Return the answers of the most frequent levels, a line each, with their rows beside them."""
    kept = sorted(marks, key=lambda m: -m.rows)[:MOST_LEVELS]
    shown = [m for m in marks if m in kept]
    top = EFFECT_TOP + 6
    bottom = top + STEP * len(shown)
    svg = Svg(WIDE, bottom + 24 + (14 if len(shown) < len(marks) else 0), f"{clean(answer)} by {clean(name)}")
    svg.text(0, 12, cut(clean(name), 44), 12, font_weight="bold")
    to_x = axis_scale(*scale, NAMES + 8, WIDE - COUNTS - 16, False)
    for tick in ticks(*scale, 4):
        svg.line(to_x(tick), top, to_x(tick), bottom, opacity=0.15)
        svg.text(to_x(tick), bottom + 14, brief(tick), 11, text_anchor="middle")
    svg.text(WIDE - COUNTS, top - 2, "rows", 11, opacity=0.8)
    most = max([m.rows for m in shown] or [1]) or 1
    for k, m in enumerate(shown):
        up = top + STEP * (k + 0.5)
        svg.text(NAMES, up + 4, cut(clean(m.words), 16), 11, clean(m.words), text_anchor="end")
        svg.line(to_x(m.low), up, to_x(m.high), up, stroke=ink, stroke_width=3, opacity=0.35)
        hint = f"{clean(m.words)}: {brief(m.mean)} ({brief(m.low)} to {brief(m.high)}), {m.rows:,} rows"
        svg.circle(to_x(m.mean), up, 4.5, hint, fill=ink)
        svg.rect(WIDE - COUNTS, up - 5, COUNTS * m.rows / most, 10, fill="currentColor", opacity=0.3)
    if len(shown) < len(marks):
        svg.text(0, bottom + 30, f"and {len(marks) - len(shown)} levels of fewer rows", 11, opacity=0.8)
    return str(svg)


# Forest plot: one row per effect, its odds ratio a dot on a logarithmic axis, its interval a line.
# Law: everything that came from a user is escaped.

FOREST_LEFT, FOREST_WIDTH, ROW, FOREST_TOP, FOREST_BOTTOM, FOREST_RIGHT = (
    250.0,
    400.0,
    26.0,
    64.0,
    52.0,
    210.0,
)
WIDEST = math.log(10_000.0)  # log odds ratio at which the axis ends; longer intervals are cut at the edge
COARSE = tuple(10.0**p for p in range(-4, 5))
FINE = (0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0)


@dataclass(frozen=True)
class Effect:
    """One row: logarithms of the odds ratio and of the ends of its interval."""

    name: str
    middle: float
    low: float
    high: float


def forest(title: str, effects: Sequence[Effect], note: str = "") -> str:
    """Return the picture. Effects whose interval leaves out 1 are set off: colours mean classes."""
    ends = [v for e in effects for v in (e.middle, e.low, e.high) if math.isfinite(v)] or [0.0]
    low, high = max(min(*ends, -0.7), -WIDEST), min(max(*ends, 0.7), WIDEST)
    room = 0.04 * (high - low)
    low, high = low - room, high + room

    def x(value: float) -> float:
        return FOREST_LEFT + (min(max(value, low), high) - low) / (high - low) * FOREST_WIDTH

    bottom = FOREST_TOP + ROW * len(effects)
    svg = Svg(FOREST_LEFT + FOREST_WIDTH + FOREST_RIGHT, bottom + FOREST_BOTTOM, clean(title))
    svg.text(10, 22, clean(title), 14, font_weight="bold")
    svg.text(x(0.0) - 8, FOREST_TOP - 10, "\u2190 less likely", 11, text_anchor="end", opacity=0.7)
    svg.text(x(0.0) + 8, FOREST_TOP - 10, "more likely \u2192", 11, opacity=0.7)
    svg.text(FOREST_LEFT + FOREST_WIDTH + 16, FOREST_TOP - 10, "odds ratio (95 % interval)", 11, opacity=0.7)
    for step in FINE if high - low < math.log(200.0) else COARSE:
        if low <= math.log(step) <= high:
            at = x(math.log(step))
            svg.line(at, FOREST_TOP, at, bottom, opacity=0.15)
            svg.text(at, bottom + 16, f"{step:,g}", 11, text_anchor="middle")
    svg.line(x(0.0), FOREST_TOP - 4, x(0.0), bottom + 4, stroke_dasharray="4 4", opacity=0.7)
    for number, effect in enumerate(effects):
        _row(
            svg, FOREST_TOP + ROW * (number + 0.5), effect, (x(effect.low), x(effect.middle), x(effect.high))
        )
    svg.text(FOREST_LEFT, bottom + 38, note, 11, opacity=0.7)
    return str(svg)


def _row(svg: Svg, at: float, effect: Effect, places: tuple[float, float, float]) -> None:
    clear = effect.low > 0.0 or effect.high < 0.0
    strength = 1.0 if clear else 0.45
    low, middle, high = places
    words = f"{_ratio(effect.middle)}"
    if effect.low != effect.high:
        words += f" ({_ratio(effect.low)} to {_ratio(effect.high)})"
    svg.text(FOREST_LEFT - 12, at + 4, cut(clean(effect.name), 36), text_anchor="end")
    svg.line(low, at, high, at, stroke_width=2, opacity=strength)
    svg.circle(middle, at, 5, f"{clean(effect.name)}: {words}", fill="currentColor", opacity=strength)
    svg.text(FOREST_LEFT + FOREST_WIDTH + 16, at + 4, words, 11)


def _ratio(value: float) -> str:
    return f"{math.exp(value):.3g}" if abs(value) < 700 else ("0" if value < 0 else "inf")


# Heat map of many classes: truth against answer, a cell as dark as its share of the true class.
# Law: rows and columns are in the same order, so that right answers are on the diagonal.

HEAT_WIDTH = 560.0  # pixels of all cells together, about
SMALLEST, LARGEST = 9.0, 24.0  # a cell
LETTERS, LETTER = 18, 6.2  # letters of a name, pixels of a letter
LEAST = 0.004  # a share below that is not drawn


def heat_map(counts: Sequence[Sequence[float]], labels: Sequence[str], title: str) -> str:
    """Return counts[truth][answer] as cells with a hint each; names stand beside and over them."""
    cell = min(max(HEAT_WIDTH / max(len(labels), 1), SMALLEST), LARGEST)
    names = [cut(clean(label), LETTERS) for label in labels]
    room = 30 + LETTER * max(map(len, names), default=0)
    side = cell * len(labels)
    svg = Svg(room + side + 10, room + side + 10, title)
    svg.text(room + side / 2, 12, "answer", 12, text_anchor="middle")
    svg.text(
        12,
        room + side / 2,
        "truth",
        12,
        text_anchor="middle",
        transform=f"rotate(-90 12 {room + side / 2:.0f})",
    )
    svg.rect(room, room, side, side, fill="none", stroke="currentColor", stroke_opacity=0.3)
    step = max(1, round(11 / cell))  # names that would touch are left out
    for i, name in enumerate(names[::step]):
        at = room + (i * step + 0.5) * cell
        svg.text(room - 6, at + 4, name, 11, text_anchor="end")
        svg.text(at + 4, room - 6, name, 11, transform=f"rotate(-90 {at + 4:.1f} {room - 6:.1f})")
    for i, line in enumerate(counts):
        full = sum(line) or 1.0
        for j, rows in enumerate(line):
            if rows / full >= LEAST or (rows and i != j):
                words = f"{clean(labels[i])} answered as {clean(labels[j])}: {brief(rows)} rows"
                words += f", {rows / full:.1%}"
                shade = max(rows / full, 0.06)
                svg.rect(
                    room + j * cell, room + i * cell, cell, cell, words, fill="currentColor", opacity=shade
                )
    svg.line(room, room, room + side, room + side, opacity=0.25)
    return str(svg)


# Pairs of bars: shares before and after, for each level or bin of a column.
# Law: a bar is as long as its share of the longest.

NAME, LONG, WORDS, BAR, PAIR_STEP = 150.0, 170.0, 96.0, 8.0, 25.0
BEFORE, AFTER = "#8a949e", "#0072b2"


def pair_bars(parts: Sequence[tuple[str, float, float]], title: str) -> str:
    """Return the picture: for each part its share before, and below it its share after."""
    longest = max((share for _, *both in parts for share in both), default=0.0) or 1.0
    svg = Svg(NAME + LONG + WORDS, PAIR_STEP * len(parts) + 4, clean(title))
    for number, (name, before, after) in enumerate(parts):
        top = PAIR_STEP * number + 4
        svg.text(NAME - 8, top + 12, cut(clean(name), 22), 11, text_anchor="end")
        for row, (share, fill, when) in enumerate(((before, BEFORE, "was"), (after, AFTER, "is"))):
            y = top + BAR * row
            svg.rect(NAME, y, LONG, BAR - 1, fill="currentColor", opacity=0.05)
            hint = f"{clean(name)}: {when} {share:.1%}"
            svg.rect(NAME, y, LONG * share / longest, BAR - 1, hint, fill=fill)
        svg.text(NAME + LONG + 8, top + 12, f"{before:.1%} → {after:.1%}", 11)
    return str(svg)


# Small pictures for tables or side by side: split bars, strips with an interval, square charts.
# Laws: sizes and colours are attributes, never styles; texts keep their size on a narrow page because the
# pictures are drawn small and are not scaled; a colour of the palette means a class: lengths, intervals and
# signed bars are drawn in the colour of the page's text.

SIDE, PANEL_LEFT, PANEL_BOTTOM, PANEL_TOP, PANEL_RIGHT = 320.0, 58.0, 40.0, 12.0, 12.0
PANEL_LETTER = 6.2  # pixels of a letter at size 11
INK, PLAIN = "currentColor", 0.6  # colour and opacity of marks that belong to no class
HEAD = 24.0  # room for a heading over a chart
MOST_LETTERS = 40  # letters of a name in the legend


FRAME = (
    PANEL_LEFT,
    SIDE - PANEL_RIGHT,
    PANEL_TOP,
    SIDE - 30 - PANEL_BOTTOM,
)  # of a chart's plot: left, right, top, bottom


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
        return max(0.0, PANEL_LETTER * longest + 24 - PANEL_LEFT)

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
        svg.text(PANEL_LEFT, -6, one.head, 13, font_weight="bold")
        _chart(svg, one)
        svg.close()
    return str(svg)


def _chart(svg: Svg, one: Chart) -> None:
    x, y = one.x, one.y
    bottom = SIDE - 30 - PANEL_BOTTOM

    def at(a: float, b: float) -> tuple[float, float]:
        return PANEL_LEFT + x.place(a) * (SIDE - PANEL_LEFT - PANEL_RIGHT), bottom - y.place(b) * (
            bottom - PANEL_TOP
        )

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
        ink = curve.ink or colour(k)
        low = [at(a, b) for a, b in zip(curve.x, curve.low, strict=False)]
        high = [at(a, b) for a, b in zip(curve.x, curve.high, strict=False)]
        if curve.bars:
            for (px, top), (_, under) in zip(high, low, strict=True):
                svg.line(px, top, px, under, stroke=ink, stroke_width=1.5, opacity=0.7)
        elif low:
            svg.area([*low, *reversed(high)], fill=ink, opacity=0.1 if ink == INK else 0.18)
    for k, curve in enumerate(one.curves):
        ink = curve.ink or colour(k)
        points = [at(a, b) for a, b in zip(curve.x, curve.y, strict=True)]
        many = len(points) > 1  # one point is no line
        if many:
            svg.curve(points, stroke=ink, stroke_width=curve.wide, stroke_dasharray=curve.dash)
        if curve.dots or not many:
            for (px, py), a, b in zip(points, curve.x, curve.y, strict=True):
                svg.circle(px, py, 3 if many else 4.5, f"{curve.name}: {brief(b)} at {brief(a)}", fill=ink)
        if len(one.curves) > 1:
            up = SIDE - 21 + 18 * k
            svg.line(
                PANEL_LEFT,
                up,
                PANEL_LEFT + 24,
                up,
                stroke=ink,
                stroke_width=curve.wide,
                stroke_dasharray=curve.dash,
            )
            svg.text(PANEL_LEFT + 30, up + 4, cut(clean(curve.name), MOST_LETTERS), 12)
    svg.close()


def axes(svg: Svg, x: Axis, y: Axis) -> None:
    """Draw the axes of one square chart, with a pale line at every round number of y."""
    wide, bottom = SIDE - PANEL_LEFT - PANEL_RIGHT, SIDE - 30 - PANEL_BOTTOM
    for tick in y.ticks():
        up = bottom - y.place(tick) * (bottom - PANEL_TOP)
        if not y.names:
            svg.line(PANEL_LEFT, up, SIDE - PANEL_RIGHT, up, opacity=0.15)
        svg.text(PANEL_LEFT - 6, up + 4, y.label(tick), 11, y.hint(tick), text_anchor="end")
    free = 0.0  # to the right of the last label
    letters = max(3, int(wide / max(len(x.names), 1) / PANEL_LETTER) - 1)  # so that names do not touch
    for tick in x.ticks():
        text = x.label(tick, letters)
        along, half = PANEL_LEFT + x.place(tick) * wide, PANEL_LETTER * len(text) / 2
        svg.line(along, bottom, along, bottom + 4, opacity=0.6)
        if along - half >= free or x.names:
            svg.text(along, bottom + 16, text, 11, x.hint(tick, letters), text_anchor="middle")
            free = along + half + 4
    svg.line(PANEL_LEFT, bottom, SIDE - PANEL_RIGHT, bottom, opacity=0.6)
    svg.text(PANEL_LEFT + wide / 2, bottom + 33, x.words, 12, text_anchor="middle")
    middle = (PANEL_TOP + bottom) / 2
    at = 10 - y.room
    svg.text(at, middle, y.words, 12, text_anchor="middle", transform=f"rotate(-90 {at:.0f} {middle:.0f})")


# Answers of a regression: answer against truth, and a histogram of errors.
# Law: many points are drawn as a grid of cells, darker where there are more points; where single points may
# not be shown, a cell of one is left out.

Floats = NDArray[np.float64]

MOST_DOTS = 600  # more points are drawn as cells
CELLS = 40  # along each side
BARS = 24  # bars of a histogram, about


def against_chart(truth: Floats, answer: Floats, words: tuple[str, str], single: bool = True) -> str:
    """Return answers against the truth, with the line of right answers; words: of the truth, the answer.

    single: whether a point may stand for one row.
    """
    low, high = float(min(truth.min(), answer.min())), float(max(truth.max(), answer.max()))
    if low == high:
        low, high = low - 1, high + 1
    x, y = Axis(words[0], low, high), Axis(words[1], low, high)
    svg = Svg(SIDE, SIDE - 30, f"{words[1]} against {words[0]}")
    axes(svg, x, y)
    left, right, top, bottom = FRAME
    svg.line(left, bottom, right, top, stroke_dasharray="4 4", opacity=0.5)
    wide, tall = right - left, bottom - top
    if single and len(truth) <= MOST_DOTS:
        for a, b in zip(truth.tolist(), answer.tolist(), strict=True):
            svg.circle(left + x.place(a) * wide, bottom - y.place(b) * tall, 2.2, fill=INK, opacity=0.35)
        return str(svg)
    edges = np.linspace(low, high, CELLS + 1)
    counts = np.histogram2d(truth, answer, bins=(edges, edges))[0]
    counts[counts < (1 if single else 2)] = 0
    most = counts.max() or 1.0
    for i, j in zip(*np.nonzero(counts), strict=True):
        shade = 0.15 + 0.75 * float(np.sqrt(counts[i, j] / most))
        at = left + i / CELLS * wide, bottom - (j + 1) / CELLS * tall
        svg.rect(*at, wide / CELLS, tall / CELLS, f"{counts[i, j]:,.0f} rows", fill=INK, opacity=shade)
    return str(svg)


def histogram(values: Floats, weights: Floats, words: str, zero: str = "") -> str:
    """Return how many values lie between round numbers; zero: what a line at 0 is called, if it is wanted.

    The ends are those of 98 of 100 values; what lies beyond is in the first and the last bar.
    """
    ends = np.quantile(values, [0.01, 0.99], method="inverted_cdf")
    edges = np.array(around(float(ends[0]), float(ends[1]), BARS))
    if len(edges) < 2:
        edges = np.array([edges[0] - 0.5, edges[0] + 0.5])
    inside = np.clip(values, edges[0], np.nextafter(edges[-1], edges[0]))
    counts = np.histogram(inside, edges, weights=weights)[0]
    x = Axis(words, float(edges[0]), float(edges[-1]))
    y = Axis("rows", 0.0, float(counts.max()) * 1.05 or 1.0)
    svg = Svg(SIDE, SIDE - 30, f"rows by {words}")
    axes(svg, x, y)
    left, right, top, bottom = FRAME
    for count, a, b in zip(counts.tolist(), edges[:-1].tolist(), edges[1:].tolist(), strict=True):
        at, wide = left + x.place(a) * (right - left), (x.place(b) - x.place(a)) * (right - left)
        high = y.place(count) * (bottom - top)
        if count:
            hint = f"{brief(a)} to {brief(b)}: {count:,.0f} rows"
            svg.rect(at + 0.5, bottom - high, max(wide - 1, 0.5), high, hint, fill=INK, opacity=0.6)
    if zero and edges[0] < 0 < edges[-1]:
        at = left + x.place(0.0) * (right - left)
        svg.line(at, top, at, bottom, stroke_dasharray="4 4", opacity=0.7)
        svg.text(at + 4, top + 10, zero, 11, opacity=0.8)
    return str(svg)


def tenths(values: Floats, answer: Floats, weights: Floats, parts: int = 10) -> Sequence[NDArray[np.int64]]:
    """Return the rows in about equally many parts by their answer, equal answers together."""
    order = np.argsort(answer, kind="stable")
    full = np.cumsum(weights[order])
    part = np.minimum((full - weights[order] / 2) * parts / full[-1], parts - 1).astype(np.int64)
    first = np.concatenate([[True], np.diff(answer[order]) != 0])
    part = part[np.maximum.accumulate(np.where(first, np.arange(len(order)), 0))]
    return [order[part == k] for k in np.unique(part)]


# Shares of naive Bayes as bars: for every column and value, how often each class has it.
# Law: a bar is as long as its share; the whole length is a share of 1.

BARS_NAME_WIDTH, BARS_LONGEST_NAME, BARS_WORDS, BAR_HEIGHT, BARS_TOP = 200.0, 260.0, 150.0, 13.0, 40.0


@dataclass(frozen=True)
class ShareRow:
    """One value of a column: the share of each class's rows that have it, and words for each."""

    column: str
    value: str
    shares: Sequence[float]
    words: Sequence[str]


def share_bars(rows: Sequence[ShareRow], classes: Sequence[str], title: str, note: str = "") -> str:
    """Return the rows under the headings of their columns, a bar per class."""
    step = BAR_HEIGHT * len(classes) + 9
    heads = 1 + sum(a.column != b.column for a, b in itertools.pairwise(rows)) if rows else 0
    svg = Svg(
        BARS_NAME_WIDTH + BARS_LONGEST_NAME + BARS_WORDS, BARS_TOP + heads * 26 + len(rows) * step + 24, title
    )
    at = 14.0
    for c, label in enumerate(classes):
        text = cut(clean(label), 18)
        svg.rect(at, 10, 12, 10, fill=colour(c), rx=2)
        svg.text(at + 17, 19, text, 12)
        at += 34 + 7.2 * len(text)
    up, last = BARS_TOP, None
    for row in rows:
        if row.column != last:
            svg.text(14, up + 14, cut(clean(row.column), 60), 13, font_weight="bold")
            up, last = up + 26, row.column
        svg.text(
            BARS_NAME_WIDTH - 10,
            up + BAR_HEIGHT * len(classes) / 2 + 4,
            cut(clean(row.value), 26),
            text_anchor="end",
        )
        svg.line(BARS_NAME_WIDTH, up - 3, BARS_NAME_WIDTH, up + step - 6, opacity=0.5)
        for c, (share, words) in enumerate(zip(row.shares, row.words, strict=True)):
            y = up + BAR_HEIGHT * c
            hint = f"{clean(row.column)} = {clean(row.value)}, {clean(classes[c])}: {words}"
            svg.rect(BARS_NAME_WIDTH, y, BARS_LONGEST_NAME, BAR_HEIGHT - 2, fill="currentColor", opacity=0.06)
            svg.rect(BARS_NAME_WIDTH, y, share * BARS_LONGEST_NAME, BAR_HEIGHT - 2, hint, fill=colour(c))
            svg.text(BARS_NAME_WIDTH + BARS_LONGEST_NAME + 8, y + BAR_HEIGHT - 3.5, words, 11, opacity=0.85)
        up += step
    svg.text(14, up + 14, note, 11, opacity=0.8)
    return str(svg)
