"""Shares before and after as pairs of bars, one pair for each level or bin of a column.

Knows names and shares. Knows no model and no data set. Law: a bar is as long as its share of the longest.
"""

from __future__ import annotations

from collections.abc import Sequence

from tallystick.draw.svg import Svg
from tallystick.draw.text import clean, cut

NAME, LONG, WORDS, BAR, STEP = 150.0, 170.0, 96.0, 8.0, 25.0
BEFORE, AFTER = "#8a949e", "#0072b2"


def pair_bars(parts: Sequence[tuple[str, float, float]], title: str) -> str:
    """Return the picture: for each part its share before, and below it its share after."""
    longest = max((share for _, *both in parts for share in both), default=0.0) or 1.0
    svg = Svg(NAME + LONG + WORDS, STEP * len(parts) + 4, clean(title))
    for number, (name, before, after) in enumerate(parts):
        top = STEP * number + 4
        svg.text(NAME - 8, top + 12, cut(clean(name), 22), 11, text_anchor="end")
        for row, (share, fill, when) in enumerate(((before, BEFORE, "was"), (after, AFTER, "is"))):
            y = top + BAR * row
            svg.rect(NAME, y, LONG, BAR - 1, fill="currentColor", opacity=0.05)
            hint = f"{clean(name)}: {when} {share:.1%}"
            svg.rect(NAME, y, LONG * share / longest, BAR - 1, hint, fill=fill)
        svg.text(NAME + LONG + 8, top + 12, f"{before:.1%} → {after:.1%}", 11)
    return str(svg)
