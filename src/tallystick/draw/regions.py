"""Decision regions: a plane of two columns in the colours of the answers, for models side by side.

Knows grids of shares, points and names. Knows no model and no data set.
Law: the colour of a place is the class with the largest share there, and the fuller the colour the larger
that share; every point stands where its two values lie.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallystick.draw.fields import areas, level_lines
from tallystick.draw.panels import BOTTOM, HEAD, LEFT, RIGHT, SIDE, TOP, Axis, axes
from tallystick.draw.svg import Svg, brief, colour
from tallystick.draw.text import clean, cut

__all__ = ["CELLS", "MOST_POINTS", "Region", "RegionPoints", "regions_picture"]

WIDE, HIGH = SIDE - LEFT - RIGHT, SIDE - 30 - BOTTOM - TOP  # of a plane, in pixels
CELLS = (int(WIDE // 2), int(HIGH // 2))  # two pixels a cell: columns, rows
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
        svg.text(LEFT, -2, cut(clean(region.name), 40), 13, font_weight="bold")
        axes(svg, x, replace(y, words="" if column else y.words))
        _plane(svg, region.shares, x, y)
        _points(svg, region.wrong, x, y, labels, points)
        svg.text(LEFT, SIDE - 30 + 12, region.note, 11, opacity=0.8)
        svg.close()
    _legend(svg, lines, step * down + 14, bool(points.x))
    return str(svg)


def _plane(svg: Svg, shares: NDArray[np.float64], x: Axis, y: Axis) -> None:
    """Colour the cells, and draw the borders between classes where both axes are numbers."""
    best, classes = shares.argmax(axis=2), shares.shape[2]
    floor = 1.0 / classes
    sure = (shares.max(axis=2) - floor) / (1.0 - floor or 1.0)
    shade = np.clip((sure * SHADES).astype(np.int64), 0, SHADES - 1)
    cell = WIDE / shares.shape[1], HIGH / shares.shape[0]
    svg.open(transform=f"translate({LEFT:.0f} {TOP:.0f})", shape_rendering="crispEdges")
    for code, path in areas((best * SHADES + shade)[::-1], cell).items():
        c, level = divmod(code, SHADES)
        svg.path(path, fill=colour(c), stroke=None, opacity=round(0.08 + 0.5 * (level + 1) / SHADES, 3))
    svg.close()
    if x.names or y.names:
        return
    for c in range(classes if classes > 2 else 1):
        others = np.delete(shares, c, axis=2).max(axis=2)
        for line in level_lines(shares[:, :, c] - others, 0.0):
            at = [(LEFT + (i + 0.5) * cell[0], TOP + HIGH - (j + 0.5) * cell[1]) for i, j in line]
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
        svg.circle(LEFT + across * WIDE, TOP + HIGH * (1 - up), size, hint, fill=colour(c), **ring)


def _value(axis: Axis, value: float) -> str:
    return f"{clean(axis.words)} {clean(axis.names[round(value)]) if axis.names else brief(value)}"


def _legend_lines(labels: Sequence[str], wide: float) -> list[list[tuple[float, str, int]]]:
    """Return the lines of the legend: place, words and number of each class; -1 for what is left out."""
    words = [(cut(clean(label), 18), c) for c, label in enumerate(labels[:8])]
    if len(labels) > 8:
        words.append((f"and {len(labels) - 8} more", -1))
    lines: list[list[tuple[float, str, int]]] = [[]]
    at = LEFT
    for text, c in words:
        if lines[-1] and at + 17 + 7.2 * len(text) > wide:
            lines.append([])
            at = LEFT
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
    told = f"fuller: surer{' · dots: the rows, ringed where the model is wrong' if dots else ''}"
    svg.text(LEFT, top + 20, told, 11, opacity=0.8)
