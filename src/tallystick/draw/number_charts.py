"""Pictures of numbers answered by numbers: answer against truth, and how far off they are.

Knows numbers and how to lay them out. Knows no model and no data set.
Law: of many points a grid of cells is drawn, the darker the more points lie in it; where single points may
not be shown, a cell of one is left out.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from tallystick.draw.panels import FRAME, INK, SIDE, Axis, axes
from tallystick.draw.svg import Svg, around, brief

Floats = NDArray[np.float64]

MOST_DOTS = 600  # more points are drawn as cells
CELLS = 40  # along each side
BARS = 24  # of a histogram, about


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
