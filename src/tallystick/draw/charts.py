"""Charts: lines with bands, and dots with intervals, from numbers to SVG.

Knows numbers, names and how to lay them out. Knows no model and no data set.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from tallystick.draw.svg import Svg, brief, colour, ticks
from tallystick.draw.text import clean, cut

Line = tuple[str, Sequence[float], Sequence[float], Sequence[float], Sequence[float]]  # name, x, y, low, high
PointMark = tuple[float, float, str]  # x, y, words beside it
Dot = tuple[str, float, float, float, str]  # name, value, low, high, words beside it

MOST_POINTS = 900  # of a line: a picture of 640 pixels shows no more
DOTTED = 40  # points of a line that are marked each; more of them are a curve
WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 640.0, 360.0, 64.0, 16.0, 16.0, 48.0


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
    to_x = scale(min(xs), max(xs), LEFT, WIDTH - RIGHT, log_x)
    low, high = min([0.0, *ys]), max(ys) * 1.02
    to_y = scale(low, high, HEIGHT - BOTTOM, TOP, False)
    _axes(
        svg,
        to_x,
        to_y,
        (_log_ticks(min(xs), max(xs)) if log_x else ticks(min(xs), max(xs))),
        ticks(low, high),
    )
    svg.text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 10, x, text_anchor="middle")
    svg.text(
        14,
        (TOP + HEIGHT - BOTTOM) / 2,
        y,
        text_anchor="middle",
        transform=f"rotate(-90 14 {(TOP + HEIGHT - BOTTOM) / 2:.0f})",
    )
    if level:
        svg.line(LEFT, to_y(level[1]), WIDTH - RIGHT, to_y(level[1]), stroke_dasharray="4 4", opacity=0.6)
        svg.text(WIDTH - RIGHT, to_y(level[1]) - 4, level[0], 11, text_anchor="end", opacity=0.7)
    for number, (name, at, values, lows, highs) in enumerate(lines):
        band = [(to_x(a), to_y(v)) for a, v in zip(at, lows, strict=True)]
        band += [(to_x(a), to_y(v)) for a, v in reversed(list(zip(at, highs, strict=True)))]
        if list(lows) != list(highs):
            svg.area(band, fill=colour(number), opacity=0.18)
        points = [(to_x(a), to_y(v)) for a, v in zip(at, values, strict=True)]
        svg.curve(points, stroke=colour(number), stroke_width=2)
        for (px, py), a, v in zip(points, at, values, strict=True) if len(points) <= DOTTED else ():
            svg.circle(px, py, 2.5, f"{name}: {brief(v)} at {brief(a)}", fill=colour(number))
        svg.rect(LEFT, HEIGHT + 18 * number, 14, 10, fill=colour(number))
        svg.text(LEFT + 20, HEIGHT + 9 + 18 * number, name)
    _marks(svg, [(to_x(a), to_y(b), told) for a, b, told in marks])
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


def _marks(svg: Svg, marks: Sequence[PointMark]) -> None:
    """Draw points with their words beside them; those without words are many, and pale."""
    for px, py, told in marks:
        right = px < 0.7 * WIDTH
        svg.circle(px, py, 4 if told else 2.5, told, fill="currentColor", opacity=None if told else 0.3)
        if told:
            svg.text(px + (8 if right else -8), py - 16, told, text_anchor="start" if right else "end")


def dot_chart(dots: Sequence[Dot], x: str, level: tuple[str, float] | None = None, marked: str = "") -> str:
    """Return one row per dot with its interval; the row named `marked` is set off."""
    left, row = 210.0, 26.0
    ends = [v for d in dots for v in d[1:4] if math.isfinite(v)] + ([level[1]] if level else [])
    low, high = min(ends), max(ends)
    room = (high - low) * 0.05 or 0.5
    svg = Svg(WIDTH + 120, TOP + row * len(dots) + BOTTOM, f"{x} of {len(dots)} methods")
    bottom = TOP + row * len(dots)
    to_x = scale(low - room, high + room, left, WIDTH - RIGHT, False)
    for tick in ticks(low - room, high + room):
        svg.line(to_x(tick), TOP, to_x(tick), bottom, opacity=0.15)
        svg.text(to_x(tick), bottom + 16, brief(tick), 11, text_anchor="middle")
    svg.text((left + WIDTH - RIGHT) / 2, bottom + 36, x, text_anchor="middle")
    if level:
        svg.line(to_x(level[1]), TOP, to_x(level[1]), bottom, stroke_dasharray="4 4", opacity=0.6)
    for number, (name, value, lower, upper, words) in enumerate(dots):
        at, strength = TOP + row * (number + 0.5), 1.0 if name == marked else 0.45
        svg.text(left - 10, at + 4, name, text_anchor="end", font_weight="bold" if name == marked else None)
        left_end, right_end = to_x(max(lower, low - room)), to_x(min(upper, high + room))
        svg.line(left_end, at, right_end, at, stroke_width=2, opacity=strength)
        told = f"{name}: {brief(value)} ({brief(lower)} to {brief(upper)})"
        svg.circle(to_x(value), at, 5, told, fill="currentColor", opacity=strength)
        svg.text(WIDTH - RIGHT + 10, at + 4, words, 11, opacity=0.8)
    return str(svg)


def bar_chart(bars: Sequence[tuple[str, float]], x: str, title: str) -> str:
    """Return one bar per row from 0 to the right or left, with its number."""
    left, row, wide = 250.0, 22.0, 640.0
    values = [v for _, v in bars if math.isfinite(v)] or [0.0]
    low, high = min([0.0, *values]), max([0.0, *values])
    room = (high - low) * 0.12 or 0.5
    svg = Svg(wide, TOP + row * len(bars) + 34, title)
    to_x = scale(low - (room if low < 0 else 0), high + room, left, wide - RIGHT, False)
    bottom = TOP + row * len(bars)
    for number, (name, value) in enumerate(bars):
        at = TOP + row * number
        end = to_x(min(max(value, low), high) if math.isfinite(value) else (high if value > 0 else low))
        svg.text(left - 10, at + 15, cut(clean(name), 38), text_anchor="end")
        hint = f"{name}: {brief(value).replace('inf', '∞')}"
        long = abs(end - to_x(0))
        svg.rect(min(to_x(0), end), at + 4, long, row - 8, hint, fill="currentColor", opacity=0.6)
        side = ("start", 4) if value >= 0 else ("end", -4)
        told = f"{value:.3g}".replace("inf", "∞")
        svg.text(end + side[1], at + 15, told, 11, text_anchor=side[0], opacity=0.8)
    svg.line(to_x(0), TOP, to_x(0), bottom, opacity=0.6)
    svg.text((left + wide - RIGHT) / 2, bottom + 24, x, text_anchor="middle")
    return str(svg)


def scale(low: float, high: float, start: float, end: float, log: bool) -> Callable[[float], float]:
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


def _axes(
    svg: Svg,
    to_x: Callable[[float], float],
    to_y: Callable[[float], float],
    x_ticks: Sequence[float],
    y_ticks: Sequence[float],
) -> None:
    for tick in y_ticks:
        svg.line(LEFT, to_y(tick), WIDTH - RIGHT, to_y(tick), opacity=0.15)
        svg.text(LEFT - 8, to_y(tick) + 4, brief(tick), 11, text_anchor="end")
    for tick in x_ticks:
        svg.line(to_x(tick), HEIGHT - BOTTOM, to_x(tick), HEIGHT - BOTTOM + 5)
        svg.text(to_x(tick), HEIGHT - BOTTOM + 18, brief(tick), 11, text_anchor="middle")
    svg.line(LEFT, HEIGHT - BOTTOM, WIDTH - RIGHT, HEIGHT - BOTTOM)
