"""A surface over a plane, seen from above: bands and lines of equal height, and a path that climbs it.

Knows numbers and words. Knows no model and no data set.
Law: lines lie at given heights; the path goes through its points in their order.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tallystick.draw.charts import scale
from tallystick.draw.fields import areas, level_lines
from tallystick.draw.svg import Svg, brief, colour, ticks
from tallystick.draw.text import clean, cut

__all__ = ["Surface", "surface_picture"]

SIZE, LEFT, TOP, RIGHT = 400.0, 64.0, 20.0, 250.0
LETTER, UPRIGHT = 6.2, 16  # the width of one, and how many a name beside the plane has


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
    room = LETTER * max(map(len, _short(surface.names[1], UPRIGHT)), default=0)
    svg = Svg(room + LEFT + SIZE + RIGHT, TOP + SIZE + 48, title)
    svg.open(transform=f"translate({room:.0f} 0)")
    to_x = scale(surface.x[1], surface.x[2], LEFT, LEFT + SIZE, False)
    to_y = scale(surface.y[1], surface.y[2], TOP + SIZE, TOP, False)
    _bands(svg, surface)
    letters = max(3, int(SIZE / LETTER / max(len(surface.names[0]), 1)) - 1)  # so that names do not touch
    for tick, text in _ticks(surface.x, _short(surface.names[0], letters)):
        svg.line(to_x(tick), TOP + SIZE, to_x(tick), TOP + SIZE + 5, opacity=0.6)
        svg.text(to_x(tick), TOP + SIZE + 18, text, 11, text_anchor="middle")
    for tick, text in _ticks(surface.y, _short(surface.names[1], UPRIGHT)):
        svg.line(LEFT - 5, to_y(tick), LEFT, to_y(tick), opacity=0.6)
        svg.text(LEFT - 8, to_y(tick) + 4, text, 11, text_anchor="end")
    middle = TOP + SIZE / 2
    svg.text(LEFT + SIZE / 2, TOP + SIZE + 40, surface.x[0], text_anchor="middle")
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
        svg.text(LEFT + SIZE + 18, TOP + 14 + 19 * k, note, 12)
    svg.close()
    return str(svg)


def _short(names: Sequence[str], letters: int) -> list[str]:
    return [cut(clean(name), letters) for name in names]


def _ticks(axis: tuple[str, float, float], names: Sequence[str]) -> list[tuple[float, str]]:
    """Return where something stands at an axis, and what: round numbers, or the name of every level."""
    if names:
        return [(float(k), name) for k, name in enumerate(names)]
    return [(tick, brief(tick)) for tick in ticks(*axis[1:])]


def _bands(svg: Svg, surface: Surface) -> None:
    rows, columns = surface.heights.shape
    cell = SIZE / columns, SIZE / rows
    codes = np.searchsorted(np.asarray(surface.lines), surface.heights)
    svg.open(transform=f"translate({LEFT:.0f} {TOP:.0f})", shape_rendering="crispEdges")
    for code, path in areas(codes[::-1].astype(np.int64), cell).items():
        shade = 0.04 + 0.5 * code / max(len(surface.lines), 1)
        svg.path(path, fill=colour(0), stroke=None, opacity=round(shade, 3))
    svg.close()
    for level in surface.lines:
        for line in level_lines(surface.heights, level):
            at = [(LEFT + (i + 0.5) * cell[0], TOP + SIZE - (j + 0.5) * cell[1]) for i, j in line]
            svg.curve(at, stroke_width=0.8, opacity=0.5)
    svg.rect(LEFT, TOP, SIZE, SIZE, fill="none", stroke="currentColor", opacity=0.5)
