"""A table of shares as bars: for every column and value, how often each class has it.

Knows names, counts and shares. Knows no model and no data set.
Law: a bar is as long as its share; the whole length is a share of 1.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

from tallystick.draw.svg import Svg, colour
from tallystick.draw.text import clean, cut

__all__ = ["ShareRow", "share_bars"]

NAME, LONG, WORDS, BAR, TOP = 200.0, 260.0, 150.0, 13.0, 40.0


@dataclass(frozen=True)
class ShareRow:
    """One value of a column: the share of each class's rows that have it, and words for each."""

    column: str
    value: str
    shares: Sequence[float]
    words: Sequence[str]


def share_bars(rows: Sequence[ShareRow], classes: Sequence[str], title: str, note: str = "") -> str:
    """Return the rows under the headings of their columns, a bar per class."""
    step = BAR * len(classes) + 9
    heads = 1 + sum(a.column != b.column for a, b in itertools.pairwise(rows)) if rows else 0
    svg = Svg(NAME + LONG + WORDS, TOP + heads * 26 + len(rows) * step + 24, title)
    at = 14.0
    for c, label in enumerate(classes):
        text = cut(clean(label), 18)
        svg.rect(at, 10, 12, 10, fill=colour(c), rx=2)
        svg.text(at + 17, 19, text, 12)
        at += 34 + 7.2 * len(text)
    up, last = TOP, None
    for row in rows:
        if row.column != last:
            svg.text(14, up + 14, cut(clean(row.column), 60), 13, font_weight="bold")
            up, last = up + 26, row.column
        svg.text(NAME - 10, up + BAR * len(classes) / 2 + 4, cut(clean(row.value), 26), text_anchor="end")
        svg.line(NAME, up - 3, NAME, up + step - 6, opacity=0.5)
        for c, (share, words) in enumerate(zip(row.shares, row.words, strict=True)):
            y = up + BAR * c
            hint = f"{clean(row.column)} = {clean(row.value)}, {clean(classes[c])}: {words}"
            svg.rect(NAME, y, LONG, BAR - 2, fill="currentColor", opacity=0.06)
            svg.rect(NAME, y, share * LONG, BAR - 2, hint, fill=colour(c))
            svg.text(NAME + LONG + 8, y + BAR - 3.5, words, 11, opacity=0.85)
        up += step
    svg.text(14, up + 14, note, 11, opacity=0.8)
    return str(svg)
