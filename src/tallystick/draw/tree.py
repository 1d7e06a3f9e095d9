"""A tree as a picture: all rows on the left, every box a group, every line a question.

Knows boxes, texts and shares. Knows no model and no data set. The page's viewer (`reports/assets/tree.js`)
draws the same boxes by the same measures, so that a saved picture and the page look alike.
Laws: everything drawn is in the boxes it was given; leaves stand in their order, from top to bottom; a part
of a bar is as long as its share, and what is not drawn by class is one grey part.
"""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tallystick.draw.svg import Svg, colour
from tallystick.draw.text import cut, width

BREAK = "\x1f"
WIDE, WIDEST, ROOM, GAP, PAD = 212.0, 344.0, 60.0, 12.0, 9.0  # of a box; of a question; between boxes; inside
HEAD, LINE, BAR, TALL = 15.0, 14.0, 9.0, 30.0  # a line of the question, of the words; the bar; the small bars
CELLS = 27  # letters of the question that fit into a line
LETTER, SMALL_LETTER = 6.3, 5.8  # about the width of a letter at 12 pixels, and at 11
THICK = 30.0  # a branch that all rows take
OTHERS, GREY = -1, "#c3c9d0"  # the classes that have no part of their own
MANY, LARGEST = 8, 5  # classes that have their own colours; with more, the largest of a box are drawn


@dataclass(frozen=True)
class AskedColumn:
    """How the rows of a box lie on the column it asks: one bar per range or value, parted by class.

    bars[k]: rows of each class of `classes` (OTHERS: the remaining ones). cuts: between which bars the
    question divides, as shares of the width. under: what stands under the bars. Where a value lies: between
    the `ends` of all bars, or in the bar that has its place in `values`.
    """

    column: str
    classes: tuple[int, ...]
    bars: tuple[tuple[float, ...], ...]
    cuts: tuple[float, ...] = ()
    under: tuple[str, ...] = ()
    ends: tuple[float, float] | None = None
    values: tuple[str, ...] = ()


@dataclass(frozen=True)
class Box:
    """One node: the box it comes from (-1: none), the question's answer that leads to it, its lines of text.

    parts: (class, share) in the order of drawing. rows: its share of all rows. answer: the class ahead, whose
    colour the branch has. strong: a leaf, drawn with a full line. lit: on the way of the row that is
    explained. spread: the column it asks. hint: shown when the pointer rests on it.
    """

    parent: int
    branch: str
    lines: tuple[str, ...]
    parts: tuple[tuple[int, float], ...] = ()
    rows: float = 0.0
    answer: int = OTHERS
    strong: bool = False
    lit: bool = False
    spread: AskedColumn | None = None
    hint: str = ""

    @property
    def head(self) -> list[str]:
        """The branch in at most two lines."""
        return headed(self.branch, CELLS)

    @property
    def tall(self) -> float:
        """How high the box is."""
        small = LINE + TALL + (LINE if self.spread.under else 4.0) if self.spread else 0.0
        bar = BAR + 6 if self.parts else 0.0
        return 2 * PAD + HEAD * len(self.head) + small + bar + LINE * len(self.lines)


def bar_parts(shares: Sequence[float]) -> tuple[tuple[int, float], ...]:
    """Return the parts of a bar: every class, or of many the largest here and the others together."""
    every = [(k, float(share)) for k, share in enumerate(shares)]
    if len(every) > MANY:
        largest = sorted(every, key=lambda part: (-part[1], part[0]))[:LARGEST]
        every = [*largest, (OTHERS, max(0.0, float(sum(shares)) - sum(share for _, share in largest)))]
    return tuple(part for part in every if part[1] > 1e-12)


def tone(number: int) -> dict[str, Any]:
    """Return how a class is filled: its colour, paler where the colours come again; grey for the others."""
    if number < 0:
        return {"fill": GREY}
    return {"fill": colour(number), "opacity": 0.6 if (number // MANY) % 2 else None}


def headed(text: str, cells: int) -> list[str]:
    """Return a text in at most two lines of so many cells."""
    if width(text) <= cells:
        return [text] if text else []
    apart = textwrap.wrap(text.replace("_", f"_{BREAK} "), cells)  # a name may go on after an underscore
    lines = [line.replace(f"{BREAK} ", "").replace(BREAK, "") for line in apart]
    return [cut(lines[0], cells), cut(" ".join(lines[1:]), cells)] if len(lines) > 1 else lines


def tree_picture(boxes: Sequence[Box], legend: Sequence[str], title: str, note: str = "") -> str:
    """Return the tree as SVG; boxes stand in preorder. note: a footnote."""
    depth = [0] * len(boxes)
    for k, box in enumerate(boxes):
        depth[k] = depth[box.parent] + 1 if box.parent >= 0 else 0
    middle, height = _places(boxes)
    box_wide = _box_width(boxes)
    wide = max(2 * PAD + (box_wide + ROOM) * max(depth) + box_wide, 300.0)
    rows = _legend_rows(legend, wide) if len(legend) <= MANY else []
    grey = "The largest classes of each group are drawn; grey: the others." if len(legend) > MANY else ""
    notes = [line for text in (grey, note) if text for line in textwrap.wrap(text, int(wide / LETTER))]
    svg = Svg(wide, height + 20 * len(rows) + LINE * len(notes) + PAD, title)
    lit, left = any(box.lit for box in boxes), [PAD + (box_wide + ROOM) * d for d in depth]
    for k, box in enumerate(boxes):
        if box.parent >= 0:
            _branch(svg, box, (left[k], middle[box.parent], middle[k]), lit)
    for k, box in enumerate(boxes):
        _box(svg, (left[k], middle[k] - box.tall / 2, box_wide), box)
    _legend(svg, rows, height)
    for n, line in enumerate(notes):
        svg.text(PAD, height + 20 * len(rows) + LINE * n + 10, line, 11)
    return str(svg)


def _places(boxes: Sequence[Box]) -> tuple[list[float], float]:
    """Return the middle of each box, and how high all is: a box beside the middle of its branches, each
    subtree in a strip of its own.
    """
    below: list[list[int]] = [[] for _ in boxes]
    for k, box in enumerate(boxes):
        if box.parent >= 0:
            below[box.parent].append(k)
    strip = [box.tall for box in boxes]
    inner = [0.0] * len(boxes)
    for k in range(len(boxes) - 1, -1, -1):
        inner[k] = sum(strip[b] for b in below[k]) + GAP * max(len(below[k]) - 1, 0)
        strip[k] = max(strip[k], inner[k])
    top, middle = [PAD] * len(boxes), [0.0] * len(boxes)
    for k in range(len(boxes)):
        at = top[k] + (strip[k] - inner[k]) / 2
        for b in below[k]:
            top[b], at = at, at + strip[b] + GAP
    for k in range(len(boxes) - 1, -1, -1):
        half = boxes[k].tall / 2
        own = top[k] + strip[k] / 2
        if below[k]:
            own = (middle[below[k][0]] + middle[below[k][-1]]) / 2
        middle[k] = float(np.clip(own, top[k] + half, top[k] + strip[k] - half))
    return middle, strip[0] + 2 * PAD


def _branch(svg: Svg, box: Box, at: tuple[float, float, float], lit: bool) -> None:
    x2, y1, y2 = at
    x1, half = x2 - ROOM, x2 - ROOM / 2
    svg.path(
        f"M{x1:.1f},{y1:.1f} C{half:.1f},{y1:.1f} {half:.1f},{y2:.1f} {x2:.1f},{y2:.1f}",
        stroke=colour(box.answer) if box.answer >= 0 else "#8a939c",
        stroke_width=max(1.5, THICK * box.rows) + (1 if box.lit else 0),
        opacity=0.8 if box.lit else 0.2 if lit else 0.5,
    )


def _box_width(boxes: Sequence[Box]) -> float:
    """Return how wide all boxes are: as their longest line needs, within reason."""
    longest = max((width(line) for box in boxes for line in box.lines), default=0)
    return min(max(WIDE, 2 * PAD + SMALL_LETTER * longest), WIDEST)


def _box(svg: Svg, at: tuple[float, float, float], box: Box) -> None:
    left, top, wide = at
    inside, letters = wide - 2 * PAD, int((wide - 2 * PAD) / SMALL_LETTER)
    strong = box.strong or box.lit
    svg.rect(
        left,
        top,
        wide,
        box.tall,
        box.hint,
        rx=6,
        fill="#ffffff",
        stroke="#333333" if strong else "#999999",
        stroke_width=2.5 if box.lit else 1.5 if strong else 1,
    )
    y = top + PAD
    for line in box.head:
        svg.text(left + PAD, y + 11, line, 12, fill="#222222", font_weight="bold")
        y += HEAD
    if box.parts:
        _bar(svg, (left + PAD, y + 1, inside), box.parts)
        y += BAR + 6
    for line in box.lines:
        svg.text(left + PAD, y + 10, cut(line, letters), 11, fill="#222222")
        y += LINE
    if box.spread is not None:
        _spread(svg, (left + PAD, y, inside), box.spread)


def _bar(svg: Svg, at: tuple[float, float, float], parts: Sequence[tuple[int, float]]) -> None:
    left, top, wide = at
    for number, share in parts:
        part = share * wide
        svg.rect(left, top, part, BAR, **tone(number))
        left += part


def _spread(svg: Svg, at: tuple[float, float, float], spread: AskedColumn) -> None:
    """Draw the small bars under the name of their column, and lines where the question divides them."""
    left, top, wide = at
    foot = top + LINE + TALL
    svg.text(left, top + 10, cut(f"asks {spread.column}", int(wide / SMALL_LETTER)), 11, fill="#222222")
    each, most = wide / max(len(spread.bars), 1), max((sum(bar) for bar in spread.bars), default=0.0) or 1.0
    for k, bar in enumerate(spread.bars):
        up = foot
        for number, rows in zip(spread.classes, bar, strict=True):
            part = (TALL - 2) * rows / most
            if part > 0:
                svg.rect(left + each * k + 0.5, up - part, max(each - 1, 0.5), part, **tone(number))
            up -= part
    svg.line(left, foot, left + wide, foot, opacity=0.5, stroke="#222222")
    for share in spread.cuts:
        x = left + wide * share
        svg.line(x, top + LINE + 1, x, foot + 3, stroke="#222222", stroke_width=1.5)
    if spread.ends is not None and len(spread.under) == 2:
        svg.text(left, foot + 11, spread.under[0], 10, fill="#222222")
        svg.text(left + wide, foot + 11, spread.under[1], 10, fill="#222222", text_anchor="end")
    else:
        for k, word in enumerate(spread.under):
            svg.text(left + each * (k + 0.5), foot + 11, word, 10, fill="#222222", text_anchor="middle")


def _legend_rows(legend: Sequence[str], edge: float) -> list[list[tuple[int, str]]]:
    rows: list[list[tuple[int, str]]] = [[]] if legend else []
    used = 0.0
    for k, name in enumerate(legend):
        wide = width(name) * LETTER + 30
        if used and used + wide > edge:
            rows.append([])
            used = 0.0
        rows[-1].append((k, name))
        used += wide
    return rows


def _legend(svg: Svg, rows: list[list[tuple[int, str]]], top: float) -> None:
    for n, row in enumerate(rows):
        at = PAD
        for k, name in row:
            svg.rect(at, top + 20 * n + 2, 12, 12, fill=colour(k))
            svg.text(at + 17, top + 20 * n + 12, name, 12)
            at += width(name) * LETTER + 30
