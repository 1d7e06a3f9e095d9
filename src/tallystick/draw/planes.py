"""Pictures of planes and scales as SVG: areas and level lines, nomograms, decision regions, surfaces.

Entry: `areas()` and `level_lines()` for a grid; `nomogram()`; `regions_picture()`; `surface_picture()`.
Laws of the grid: areas cover it once, whatever their number; a level line lies where neighbouring numbers are
on both sides of the level.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallystick.draw.charts import (
    HEAD,
    PANEL_BOTTOM,
    PANEL_LEFT,
    PANEL_RIGHT,
    PANEL_TOP,
    SIDE,
    Axis,
    axes,
    axis_scale,
)
from tallystick.draw.svg import FONT, Svg, brief, colour, cut, escape
from tallystick.draw.svg import ticks as svg_ticks
from tallystick.errors import clean

Floats = NDArray[np.float64]
Edge = tuple[int, int, int]  # row, column, 0: to the right, 1: upwards
# Of the four corners (1: here, 2: right, 4: right above, 8: above) those over the level name the sides that
# a line crosses: 0 below, 1 right, 2 above, 3 left. The two saddles are cut so that low corners meet.
CROSSED = {
    1: ((3, 0),),
    2: ((0, 1),),
    3: ((3, 1),),
    4: ((1, 2),),
    5: ((3, 0), (1, 2)),
    6: ((0, 2),),
    7: ((3, 2),),
    8: ((2, 3),),
    9: ((2, 0),),
    10: ((0, 1), (2, 3)),
    11: ((2, 1),),
    12: ((1, 3),),
    13: ((1, 0),),
    14: ((0, 3),),
}


def areas(codes: NDArray[np.int64], cell: tuple[float, float]) -> dict[int, str]:
    """Return, for every code, a path over its cells: codes[row, column], the first row at the top."""
    wide, high = cell
    open_: dict[tuple[int, int, int], int] = {}  # (code, start, end) of a run: the row it began in
    found: dict[int, list[str]] = {}

    def close(run: tuple[int, int, int], began: int, ended: int) -> None:
        code, start, end = run
        across, down = _short((end - start) * wide), _short((ended - began) * high)
        found.setdefault(code, []).append(
            f"M{_short(start * wide)} {_short(began * high)}h{across}v{down}h-{across}z"
        )

    for row, line in enumerate(codes):
        ends = [*np.flatnonzero(np.diff(line)).tolist(), len(line) - 1]
        starts = [0, *(e + 1 for e in ends[:-1])]
        runs = {(int(line[a]), a, b + 1) for a, b in zip(starts, ends, strict=True)}
        for gone in [run for run in open_ if run not in runs]:
            close(gone, open_.pop(gone), row)
        for run in runs:
            open_.setdefault(run, row)
    for run, began in open_.items():
        close(run, began, len(codes))
    return {code: "".join(sorted(found[code])) for code in sorted(found)}


def level_lines(values: Floats, level: float) -> list[list[tuple[float, float]]]:
    """Return the lines along which values[row, column] equal a level, as points (column, row)."""
    links: dict[Edge, list[Edge]] = {}
    over = values > level
    corner = over[:-1, :-1] + 2 * over[:-1, 1:] + 4 * over[1:, 1:] + 8 * over[1:, :-1]
    for i, j in np.argwhere((corner > 0) & (corner < 15)).tolist():
        sides: tuple[Edge, ...] = ((i, j, 0), (i, j + 1, 1), (i + 1, j, 0), (i, j, 1))
        for a, b in CROSSED[int(corner[i, j])]:
            links.setdefault(sides[a], []).append(sides[b])
            links.setdefault(sides[b], []).append(sides[a])
    return [[_place(values, level, edge) for edge in line] for line in _joined(links)]


def _joined(links: dict[Edge, list[Edge]]) -> Iterable[list[Edge]]:
    """Yield runs of edges, those with an end first, closed ones last."""
    for start in sorted(links, key=lambda e: (len(links[e]), e)):
        line = [start]
        while links[line[-1]]:
            following = links[line[-1]].pop()
            links[following].remove(line[-1])
            line.append(following)
        if len(line) > 1:
            yield line


def _place(values: Floats, level: float, edge: Edge) -> tuple[float, float]:
    i, j, up = edge
    a, b = values[i, j], values[i + up, j + 1 - up]
    part = float((level - a) / (b - a)) if b != a else 0.5
    return (j, i + part) if up else (j + part, i)


def _short(number: float) -> str:
    return f"{number:.2f}".rstrip("0").rstrip(".")


# Nomogram: one line per column with its values at their weights; the sum is read off as a probability.
# Law: everything that came from a user is escaped.

LEFT, WIDE, RIGHT, STEP = 250, 600, 50, 36
SHARES = (0.001, 0.01, 0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99, 0.999)
MOST = 7.0  # log-odds at which the axis ends: 99.9 %
LETTER = 6.4  # width of a letter, about


@dataclass(frozen=True)
class Scale:
    """One line: a name, and marks (text, weight)."""

    name: str
    marks: tuple[tuple[str, float], ...]


def nomogram(
    title: str, scales: Sequence[Scale], base: float, sides: tuple[str, str] = ("", ""), step: int = 0
) -> str:
    """Return the picture: log-odds from left to right; base is what they are before any column spoke. sides:
    what speaks for the left and for the right. step: all weights are points, of which so many double the
    odds; 0 if they are log-odds.
    """
    unit = "points" if step else "log-odds"
    begin = f"{base:+.0f} points" if step else f"{base:+.2f}"
    weights = [w for s in scales for _, w in s.marks if math.isfinite(w)] or [0.0]
    low, high = min([*weights, 0.0]), max([*weights, 0.0])
    span = (high - low) or 1.0

    def x(weight: float) -> float:
        return LEFT + (min(max(weight, low), high) - low) / span * WIDE

    height, wide = 172 + STEP * len(scales), LEFT + WIDE + RIGHT
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {wide} {height}" width="{wide}" '
        f'height="{height}" font-family="{FONT}" font-size="12" fill="currentColor" role="img">',
        f"<title>{escape(clean(title))}</title>",
        _text(12, 22, title, size=15, weight="bold"),
        _text(12, 42, f"Add the {unit} of a row's values to {begin}; the sum gives the share at the foot."),
        *_sides(x, sides),
    ]
    bottom = 100 + STEP * len(scales)
    for tick in ticks(low, high):
        faint = 0.45 if tick == 0 else 0.12
        out.append(_rule(x(tick), 88, x(tick), bottom, faint))
        out.append(_text(x(tick), 82, f"{tick:+g}" if tick else "0", "middle"))
    out.append(_text(LEFT - 14, 82, unit, "end", weight="bold"))
    for i, scale in enumerate(scales):
        out += _line(110 + STEP * i, scale, x)
    out += _foot(bottom + 34, sides[1], unit, step / math.log(2.0) if step else 1.0)
    return "\n".join([*out, "</svg>"])


def ticks(low: float, high: float, count: int = 8) -> list[float]:
    """Return round numbers between low and high."""
    rough = (high - low) / count or 1.0
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(m * power for m in (1, 2, 5, 10) if m * power >= rough)
    first = math.ceil(low / step)
    return [round(i * step, 10) for i in range(first, math.floor(high / step) + 1)]


def _text(x: float, y: float, text: str, anchor: str = "start", size: int = 0, weight: str = "") -> str:
    more = (f' font-size="{size}"' if size else "") + (f' font-weight="{weight}"' if weight else "")
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"{more}>{escape(clean(text))}</text>'


def _rule(x1: float, y1: float, x2: float, y2: float, strength: float, width: float = 1) -> str:
    return (
        f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="currentColor" '
        f'stroke-opacity="{strength}" stroke-width="{width}"/>'
    )


def _sides(x: Callable[[float], float], sides: tuple[str, str]) -> list[str]:
    left, right = (cut(clean(side), 24) for side in sides)
    out = []
    if left and x(0.0) - LEFT > LETTER * (len(left) + 3):
        out.append(_text(x(0.0) - 8, 62, f"← {left}", "end"))
    if right and LEFT + WIDE + RIGHT - x(0.0) > LETTER * (len(right) + 3):
        out.append(_text(x(0.0) + 8, 62, f"{right} →"))
    return out


def _line(y: float, scale: Scale, x: Callable[[float], float]) -> list[str]:
    """Return one column: its name, a line from its least to its greatest weight, its values where there is
    room.
    """
    places = [x(w) for _, w in scale.marks if math.isfinite(w)] or [x(0.0)]
    out = [
        _text(LEFT - 14, y + 4, cut(clean(scale.name), 36), "end"),
        _rule(min(places), y, max(places), y, 0.35, 2),
    ]
    ends = {True: -1e9, False: -1e9}
    for text, weight in sorted(scale.marks, key=lambda m: m[1]):
        place, shown = x(weight), cut(clean(text), 18)
        out.append(f'<circle cx="{place:.1f}" cy="{y:.1f}" r="4"/>')  # for or against is where it stands
        half = LETTER * len(shown) / 2
        above = place - half > ends[True] + 4
        if above or place - half > ends[False] + 4:  # where there is room for the words
            ends[above] = place + half
            out.append(_text(place, y - 8 if above else y + 17, shown, "middle"))
    return out


def _foot(y: float, label: str, unit: str = "log-odds", size: float = 1.0) -> list[str]:
    """Return the line of sums, as far as they matter, and the share that each means. size: of a unit of
    log-odds.
    """

    def x(odds: float) -> float:
        return LEFT + (odds + MOST) / (2 * MOST) * WIDE

    out = [_text(LEFT - 14, y + 4, f"sum of {unit}", "end", weight="bold")]
    out.append(_rule(x(-MOST), y, x(MOST), y, 0.8))
    for tick in ticks(-6.0 * size, 6.0 * size, 7):
        out.append(_rule(x(tick / size), y - 4, x(tick / size), y, 0.8))
        out.append(_text(x(tick / size), y - 9, f"{tick:+g}" if tick else "0", "middle"))
    for share in SHARES:
        place = x(math.log(share / (1 - share)))
        out.append(_rule(place, y, place, y + 4, 0.8))
        out.append(_text(place, y + 18, f"{100 * share:g} %", "middle", 11))
    name = f"share of {cut(clean(label), 20)}" if label else "share"
    out.append(_text(LEFT - 26, y + 22, name, "end", weight="bold"))
    return out


# Decision regions: a plane of two columns in the colours of the answers, for models side by side.
# Law: the colour of a place is the class with the largest share there, and the fuller the colour the larger
# that share; a point is drawn at its two values.

REGIONS_WIDTH, HIGH = (
    SIDE - PANEL_LEFT - PANEL_RIGHT,
    SIDE - 30 - PANEL_BOTTOM - PANEL_TOP,
)  # of a plane, in pixels
REGION_CELLS = (int(REGIONS_WIDTH // 2), int(HIGH // 2))  # two pixels a cell: columns, rows
MOST_POINTS = 400
MANY_POINTS = 150  # more than these are drawn small
ACROSS = 3  # planes in a row
SHADES = 10
NOTE_HIGH = LEGEND_HIGH = 18.0


@dataclass(frozen=True)
class Region:
    """What one model answers: shares[row, column, class], the first row at the lowest value of y; and to
    which of the points its answer is wrong.
    """

    name: str
    shares: NDArray[np.float64]
    wrong: Sequence[bool]
    note: str = ""


@dataclass(frozen=True)
class RegionPoints:
    """Rows: their place on the two axes, and their class."""

    x: Sequence[float]
    y: Sequence[float]
    classes: Sequence[int]


def regions_picture(
    regions: Sequence[Region], x: Axis, y: Axis, labels: Sequence[str], points: RegionPoints, title: str
) -> str:
    """Return the planes of models over the same two axes, with the rows on them and a legend."""
    across = min(ACROSS, len(regions))
    down = -(-len(regions) // across)
    step = HEAD + SIDE - 30 + NOTE_HIGH
    wide = SIDE + y.room
    lines = _legend_lines(labels, wide * across)
    svg = Svg(wide * across, step * down + 46 + LEGEND_HIGH * (len(lines) - 1), title)
    for k, region in enumerate(regions):
        column, row = k % across, k // across
        svg.open(transform=f"translate({column * wide + y.room:.0f} {row * step + HEAD:.0f})")
        svg.text(PANEL_LEFT, -2, cut(clean(region.name), 40), 13, font_weight="bold")
        axes(svg, x, replace(y, words="" if column else y.words))
        _plane(svg, region.shares, x, y)
        _points(svg, region.wrong, x, y, labels, points)
        svg.text(PANEL_LEFT, SIDE - 30 + 12, region.note, 11, opacity=0.8)
        svg.close()
    _legend(svg, lines, step * down + 14, bool(points.x))
    return str(svg)


def _plane(svg: Svg, shares: NDArray[np.float64], x: Axis, y: Axis) -> None:
    """Colour the cells, and draw the borders between classes where both axes are numbers."""
    best, classes = shares.argmax(axis=2), shares.shape[2]
    floor = 1.0 / classes
    sure = (shares.max(axis=2) - floor) / (1.0 - floor or 1.0)
    shade = np.clip((sure * SHADES).astype(np.int64), 0, SHADES - 1)
    cell = REGIONS_WIDTH / shares.shape[1], HIGH / shares.shape[0]
    svg.open(transform=f"translate({PANEL_LEFT:.0f} {PANEL_TOP:.0f})", shape_rendering="crispEdges")
    for code, path in areas((best * SHADES + shade)[::-1], cell).items():
        c, level = divmod(code, SHADES)
        svg.path(path, fill=colour(c), stroke=None, opacity=round(0.08 + 0.5 * (level + 1) / SHADES, 3))
    svg.close()
    if x.names or y.names:
        return
    for c in range(classes if classes > 2 else 1):
        others = np.delete(shares, c, axis=2).max(axis=2)
        for line in level_lines(shares[:, :, c] - others, 0.0):
            at = [(PANEL_LEFT + (i + 0.5) * cell[0], PANEL_TOP + HIGH - (j + 0.5) * cell[1]) for i, j in line]
            svg.curve(at, stroke_width=1.2, opacity=0.7)


def _points(
    svg: Svg, wrong: Sequence[bool], x: Axis, y: Axis, labels: Sequence[str], points: RegionPoints
) -> None:
    """Draw the rows; those that the model answers wrongly have a dark ring."""
    size = 3.2 if len(wrong) <= MANY_POINTS else 2.4
    for a, b, c, missed in zip(points.x, points.y, points.classes, wrong, strict=True):
        across, up = x.place(a), y.place(b)
        hint = f"{clean(labels[c])}: {_value(x, a)}, {_value(y, b)}"
        ring: dict[str, Any] = (
            {"stroke": "currentColor", "stroke_width": 1.4} if missed else {"stroke": "#ffffff"}
        )
        svg.circle(
            PANEL_LEFT + across * REGIONS_WIDTH,
            PANEL_TOP + HIGH * (1 - up),
            size,
            hint,
            fill=colour(c),
            **ring,
        )


def _value(axis: Axis, value: float) -> str:
    return f"{clean(axis.words)} {clean(axis.names[round(value)]) if axis.names else brief(value)}"


def _legend_lines(labels: Sequence[str], wide: float) -> list[list[tuple[float, str, int]]]:
    """Return the lines of the legend: place, words and number of each class; -1 for what is left out."""
    words = [(cut(clean(label), 18), c) for c, label in enumerate(labels[:8])]
    if len(labels) > 8:
        words.append((f"and {len(labels) - 8} more", -1))
    lines: list[list[tuple[float, str, int]]] = [[]]
    at = PANEL_LEFT
    for text, c in words:
        if lines[-1] and at + 17 + 7.2 * len(text) > wide:
            lines.append([])
            at = PANEL_LEFT
        lines[-1].append((at, text, c))
        at += 30 + 7.2 * len(text)
    return lines


def _legend(svg: Svg, lines: Sequence[Sequence[tuple[float, str, int]]], top: float, dots: bool) -> None:
    for k, line in enumerate(lines):
        down = top + LEGEND_HIGH * k
        for at, text, c in line:
            if c >= 0:
                svg.rect(at, down - 9, 12, 10, fill=colour(c), rx=2)
            svg.text(at + (17 if c >= 0 else 0), down, text, 12)
    top += LEGEND_HIGH * (len(lines) - 1)
    words = f"fuller: surer{' · dots: the rows, ringed where the model is wrong' if dots else ''}"
    svg.text(PANEL_LEFT, top + 20, words, 11, opacity=0.8)


# Surface over a plane, seen from above: bands and level lines, and a path of ascent.
# Law: lines are at the given heights; the path goes through its points in their order.

SIZE, SURFACE_LEFT, TOP, SURFACE_RIGHT = 400.0, 64.0, 20.0, 250.0
SURFACE_LETTER, UPRIGHT = 6.2, 16  # the width of one, and how many a name beside the plane has


@dataclass(frozen=True)
class Surface:
    """heights[row, column] over equally spaced places from low to high of x and y; heights of lines rise."""

    heights: NDArray[np.float64]
    x: tuple[str, float, float]  # words, low, high
    y: tuple[str, float, float]
    lines: Sequence[float]
    names: tuple[tuple[str, ...], tuple[str, ...]] = ((), ())  # of levels at 0, 1, 2, ... of x and y


def surface_picture(
    surface: Surface, path: Sequence[tuple[float, float]], notes: Sequence[str], title: str
) -> str:
    """Return the surface with its path, start hollow and end full, and notes beside it."""
    room = SURFACE_LETTER * max(map(len, _short_axis(surface.names[1], UPRIGHT)), default=0)
    svg = Svg(room + SURFACE_LEFT + SIZE + SURFACE_RIGHT, TOP + SIZE + 48, title)
    svg.open(transform=f"translate({room:.0f} 0)")
    to_x = axis_scale(surface.x[1], surface.x[2], SURFACE_LEFT, SURFACE_LEFT + SIZE, False)
    to_y = axis_scale(surface.y[1], surface.y[2], TOP + SIZE, TOP, False)
    rows, columns = surface.heights.shape
    cell = SIZE / columns, SIZE / rows
    codes = np.searchsorted(np.asarray(surface.lines), surface.heights)
    svg.open(transform=f"translate({SURFACE_LEFT:.0f} {TOP:.0f})", shape_rendering="crispEdges")
    for code, band in areas(codes[::-1].astype(np.int64), cell).items():
        shade = 0.04 + 0.5 * code / max(len(surface.lines), 1)
        svg.path(band, fill=colour(0), stroke=None, opacity=round(shade, 3))
    svg.close()
    for level in surface.lines:
        for line in level_lines(surface.heights, level):
            corners = [
                (SURFACE_LEFT + (i + 0.5) * cell[0], TOP + SIZE - (j + 0.5) * cell[1]) for i, j in line
            ]
            svg.curve(corners, stroke_width=0.8, opacity=0.5)
    svg.rect(SURFACE_LEFT, TOP, SIZE, SIZE, fill="none", stroke="currentColor", opacity=0.5)
    letters = max(
        3, int(SIZE / SURFACE_LETTER / max(len(surface.names[0]), 1)) - 1
    )  # so that names do not touch
    for tick, text in _ticks(surface.x, _short_axis(surface.names[0], letters)):
        svg.line(to_x(tick), TOP + SIZE, to_x(tick), TOP + SIZE + 5, opacity=0.6)
        svg.text(to_x(tick), TOP + SIZE + 18, text, 11, text_anchor="middle")
    for tick, text in _ticks(surface.y, _short_axis(surface.names[1], UPRIGHT)):
        svg.line(SURFACE_LEFT - 5, to_y(tick), SURFACE_LEFT, to_y(tick), opacity=0.6)
        svg.text(SURFACE_LEFT - 8, to_y(tick) + 4, text, 11, text_anchor="end")
    middle = TOP + SIZE / 2
    svg.text(SURFACE_LEFT + SIZE / 2, TOP + SIZE + 40, surface.x[0], text_anchor="middle")
    at = 16 - room
    svg.text(at, middle, surface.y[0], text_anchor="middle", transform=f"rotate(-90 {at:.0f} {middle:.0f})")
    places = [(to_x(a), to_y(b)) for a, b in path]
    if places:
        svg.curve(places, stroke=colour(5), stroke_width=2)
        for px, py in places[1:-1]:
            svg.circle(px, py, 2.2, fill=colour(5))
        svg.circle(*places[0], 5, "start", fill="#ffffff", stroke=colour(5), stroke_width=2)
        svg.circle(*places[-1], 5, "end", fill=colour(5))
    for k, note in enumerate(notes):
        svg.text(SURFACE_LEFT + SIZE + 18, TOP + 14 + 19 * k, note, 12)
    svg.close()
    return str(svg)


def _short_axis(names: Sequence[str], letters: int) -> list[str]:
    return [cut(clean(name), letters) for name in names]


def _ticks(axis: tuple[str, float, float], names: Sequence[str]) -> list[tuple[float, str]]:
    """Return where something stands at an axis, and what: round numbers, or the name of every level."""
    if names:
        return [(float(k), name) for k, name in enumerate(names)]
    return [(tick, brief(tick)) for tick in svg_ticks(*axis[1:])]
