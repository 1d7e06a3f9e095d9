"""Rules as SVG: a line for each, a bar of the classes of its rows, as long as they are many.

Knows names and numbers. Knows no model. Law: everything that came from a user is escaped.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tallystick.draw.svg import Svg, colour
from tallystick.draw.text import clean, cut

LEFT, WIDE, ROW, TOP, BOTTOM, RIGHT = 520.0, 220.0, 28.0, 64.0, 40.0, 190.0
LONGEST = 76  # of a rule that is written out
MOST = 60  # rules drawn


@dataclass(frozen=True)
class RuleLine:
    """One rule: its conditions in words, its answer, rows by class, and how probable the answer is."""

    text: str
    answer: str
    rows: tuple[float, ...]
    certainty: str
    lit: bool = False  # set off: the rule that answered


def rule_picture(title: str, labels: Sequence[str], lines: Sequence[RuleLine]) -> str:
    """Return the picture; of more than MOST rules the first and the last."""
    shown = list(lines) if len(lines) <= MOST else [*lines[: MOST - 1], lines[-1]]
    bottom = TOP + ROW * len(shown)
    svg = Svg(LEFT + WIDE + RIGHT, bottom + BOTTOM, clean(title))
    svg.text(10, 22, clean(title), 14, font_weight="bold")
    at = LEFT
    for c, label in enumerate(labels[:8]):
        svg.rect(at, TOP - 24, 10, 10, fill=colour(c))
        svg.text(at + 14, TOP - 15, cut(clean(label), 14), 11)
        at += 100
    most = max((sum(line.rows) for line in shown), default=0.0) or 1.0
    for k, line in enumerate(shown):
        _line(svg, TOP + ROW * k, line, WIDE * sum(line.rows) / most)
    if len(shown) < len(lines):
        svg.text(10, bottom + 24, f"{len(lines) - len(shown):,} more rules are not drawn", 11, opacity=0.7)
    return str(svg)


def _line(svg: Svg, top: float, line: RuleLine, wide: float) -> None:
    given = {"font_weight": "bold"} if line.lit else {}
    said = clean(f"{line.text} → {line.answer}")
    svg.text(10, top + 18, cut(said, LONGEST), 12, **given)
    total, at = sum(line.rows) or 1.0, LEFT
    for c, rows in enumerate(line.rows):
        part = wide * rows / total
        if part > 0:
            svg.rect(at, top + 6, part, 16, said, fill=colour(c))
        at += part
    svg.text(LEFT + wide + 8, top + 18, clean(line.certainty), 11)
