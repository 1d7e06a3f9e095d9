"""A heat map of many classes: truth against answer, a cell as dark as the share of its truth.

Knows counts and names. Knows no model and no data set.
Law: rows and columns stand in the same order, so that what is right lies on the diagonal.
"""

from __future__ import annotations

from collections.abc import Sequence

from tallystick.draw.svg import Svg, brief
from tallystick.draw.text import clean, cut

__all__ = ["heat_map"]

WIDE = 560.0  # of all cells together, about
SMALLEST, LARGEST = 9.0, 24.0  # a cell
LETTERS, LETTER = 18, 6.2  # of a name, and the width of one
LEAST = 0.004  # a share below that is not drawn


def heat_map(counts: Sequence[Sequence[float]], labels: Sequence[str], title: str) -> str:
    """Return counts[truth][answer] as cells with a hint each; names stand beside and over them."""
    cell = min(max(WIDE / max(len(labels), 1), SMALLEST), LARGEST)
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
