"""A tree as a picture: boxes with bars of class shares, joined by labelled branches.

Knows boxes, texts and shares. Knows no model and no data set.
Law: everything drawn is in the boxes it was given; leaves stand in their order, left to right.
"""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass

from tallystick.draw.svg import Svg, colour
from tallystick.draw.text import width

BOX, GAP, BAR, LINE, DROP = 132.0, 18.0, 9.0, 15.0, 58.0
LETTER, BOLD, SMALL = 6.3, 7.4, 5.8  # about the width of a letter at 12 pixels, and at 11


@dataclass(frozen=True)
class Box:
    """One node: the box above it (-1: none), the words on the branch that leads to it, its lines of text.

    shares: the parts of the bar, in the order of the legend. strong: a leaf, drawn with a full line. lit: on
    the way of the row that is explained. hint: shown when the pointer rests on it.
    """

    parent: int
    branch: str
    lines: tuple[str, ...]
    shares: tuple[float, ...] = ()
    strong: bool = False
    lit: bool = False
    hint: str = ""


def tree_picture(boxes: Sequence[Box], legend: Sequence[str], title: str, note: str = "") -> str:
    """Return the tree as SVG; boxes stand in preorder. note: a footnote."""
    below: list[list[int]] = [[] for _ in boxes]
    depth = [0] * len(boxes)
    for k, box in enumerate(boxes):
        if box.parent >= 0:
            below[box.parent].append(k)
            depth[k] = depth[box.parent] + 1
    wide = [max(BOX, *(width(line) * _letter(n) + 16 for n, line in enumerate(box.lines))) for box in boxes]
    x = _places(boxes, below, wide)
    tall = [12 + LINE * len(box.lines) + (BAR + 6 if box.shares else 0) for box in boxes]
    level = [max(t for t, d in zip(tall, depth, strict=True) if d == at) for at in range(max(depth) + 1)]
    top = [8 + sum(level[:d]) + DROP * d for d in depth]
    words = [width(box.branch) * LETTER + 10 for box in boxes]
    edge = max(p + max(w, t) / 2 for p, w, t in zip(x, wide, words, strict=True)) + 8
    height = max(t + h for t, h in zip(top, tall, strict=True)) + 12
    rows = _legend_rows(legend, edge)
    notes = textwrap.wrap(note, int(max(edge, 240) / SMALL) - 3)
    svg = Svg(max(edge, 240), height + 20 * len(rows) + LINE * len(notes), title)
    for k, box in enumerate(boxes):
        if box.parent >= 0:
            _branch(svg, x[box.parent], top[box.parent] + tall[box.parent], x[k], top[k], box)
    for k, box in enumerate(boxes):
        _box(svg, x[k], top[k], wide[k], tall[k], box)
    _legend(svg, rows, height)
    for n, line in enumerate(notes):
        svg.text(8, height + 20 * len(rows) + LINE * n + 8, line, 11)
    return str(svg)


def _letter(line: int) -> float:
    """Return the width of a letter of a box's line; the first is bold."""
    return LETTER if line else BOLD


def _places(boxes: Sequence[Box], below: list[list[int]], wide: list[float]) -> list[float]:
    """Return the middle of each box: as near as outlines allow, a node over the middle of its branches.

    An outline has, for each depth, how far the subtree reaches left and right of its top.
    """
    half = [max(w, width(b.branch) * LETTER + 10) / 2 for b, w in zip(boxes, wide, strict=True)]
    outline: list[list[tuple[float, float]]] = [[] for _ in boxes]
    shift = [0.0] * len(boxes)  # from the box above
    for k in range(len(boxes) - 1, -1, -1):
        at: list[float] = []
        right: list[tuple[float, float]] = []
        for b in below[k]:
            touch = zip(right, outline[b], strict=False)
            at.append(max((r[1] - own[0] + GAP for r, own in touch), default=0.0))
            right = _beside(right, outline[b], at[-1])
        middle = (at[0] + at[-1]) / 2 if at else 0.0
        for b, place in zip(below[k], at, strict=True):
            shift[b] = place - middle
        outline[k] = [(-half[k], half[k]), *((low - middle, high - middle) for low, high in right)]
        for b in below[k]:
            outline[b] = []
    x = [0.0] * len(boxes)
    for k, box in enumerate(boxes):
        x[k] = x[box.parent] + shift[k] if box.parent >= 0 else 0.0
    left = min(p - h for p, h in zip(x, half, strict=True))
    return [p - left + 8 for p in x]


def _beside(
    left: list[tuple[float, float]], right: list[tuple[float, float]], at: float
) -> list[tuple[float, float]]:
    """Return the outline of two subtrees side by side, the second moved by `at`."""
    moved = [(low + at, high + at) for low, high in right]
    both = [(a[0], b[1]) for a, b in zip(left, moved, strict=False)]
    longer = left if len(left) > len(moved) else moved
    return both + longer[len(both) :]


def _branch(svg: Svg, x1: float, y1: float, x2: float, y2: float, box: Box) -> None:
    middle = y1 + 14
    svg.path(
        f"M{x1:.1f},{y1:.1f} V{middle:.1f} H{x2:.1f} V{y2:.1f}",
        stroke_width=2.5 if box.lit else 1,
        opacity=0.9 if box.lit else 0.45,
    )
    if box.branch:
        wide = width(box.branch) * LETTER + 8
        svg.rect(x2 - wide / 2, y2 - 32, wide, 18, fill="#fff", opacity=0.85, rx=3)
        svg.text(x2, y2 - 19, box.branch, 12, text_anchor="middle", fill="#222")


def _box(svg: Svg, x: float, y: float, wide: float, tall: float, box: Box) -> None:
    left = x - wide / 2
    svg.rect(
        left,
        y,
        wide,
        tall,
        box.hint,
        rx=5 if box.strong else 2,
        fill="#ffffff",
        stroke="#333333" if box.strong or box.lit else "#999999",
        stroke_width=2.5 if box.lit else 1.5 if box.strong else 1,
    )
    for n, line in enumerate(box.lines):
        bold = "bold" if n == 0 else None
        svg.text(x, y + 18 + LINE * n, line, 12, text_anchor="middle", fill="#222222", font_weight=bold)
    at, bar = left + 6, y + 14 + LINE * len(box.lines)
    for k, share in enumerate(box.shares):
        part = share * (wide - 12)
        if part > 0:
            svg.rect(at, bar, part, BAR, fill=colour(k))
        at += part


def _legend_rows(legend: Sequence[str], edge: float) -> list[list[tuple[int, str]]]:
    rows: list[list[tuple[int, str]]] = [[]] if legend else []
    used = 0.0
    for k, name in enumerate(legend):
        wide = width(name) * LETTER + 30
        if used and used + wide > max(edge, 240):
            rows.append([])
            used = 0.0
        rows[-1].append((k, name))
        used += wide
    return rows


def _legend(svg: Svg, rows: list[list[tuple[int, str]]], top: float) -> None:
    for n, row in enumerate(rows):
        at = 8.0
        for k, name in row:
            svg.rect(at, top + 20 * n + 2, 12, 12, fill=colour(k))
            svg.text(at + 17, top + 20 * n + 12, name, 12)
            at += width(name) * LETTER + 30
