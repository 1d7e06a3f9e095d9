"""What a model answers against one column: a curve or dots with a band, and how the rows lie, under it.

Knows numbers, names and how to lay them out. Knows no model and no data set.
Laws: rows and answers share the axis of the column; a number's axis goes as far as 98 of 100 rows do.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tallystick.draw.charts import scale as placed
from tallystick.draw.svg import Svg, brief, ticks
from tallystick.draw.text import clean, cut

WIDE, LEFT, RIGHT, TOP = 320.0, 46.0, 10.0, 26.0
PLOT, ROWS = 150.0, 34.0  # heights of the answers and of the rows under them
STEP, NAMES, COUNTS = 22.0, 104.0, 44.0  # of a level: its height, its name, its rows
MOST_LEVELS = 12


@dataclass(frozen=True)
class EffectMark:
    """A value of a column: the mean answer, its band, and its rows; of a step, where it starts and ends."""

    words: str
    number: float
    mean: float
    low: float
    high: float
    rows: int
    start: float | None = None
    end: float | None = None

    @property
    def reach(self) -> tuple[float, float]:
        """From where to where the answer is drawn."""
        start, end = self.start, self.end
        return (self.number, self.number) if start is None or end is None else (start, end)


def number_effect(
    name: str,
    answer: str,
    marks: Sequence[EffectMark],
    lie: tuple[Sequence[int], tuple[float, float]],
    scale: tuple[float, float],
    ink: str,
) -> str:
    """Return the answers against a number; lie: how many rows lie in equal steps between two ends; scale: of
    the answers.
    """
    bars, (low, high) = lie
    high = high if high > low else low + 1.0
    svg = Svg(WIDE, TOP + PLOT + ROWS + 44, f"{clean(answer)} against {clean(name)}")
    svg.text(0, 12, cut(clean(name), 44), 12, font_weight="bold")
    to_x = placed(low, high, LEFT, WIDE - RIGHT, False)
    to_y = placed(*scale, TOP + PLOT, TOP, False)
    for tick in ticks(*scale, 4):
        svg.line(LEFT, to_y(tick), WIDE - RIGHT, to_y(tick), opacity=0.15)
        svg.text(LEFT - 6, to_y(tick) + 4, brief(tick), 11, text_anchor="end")
    inside = [m for m in marks if m.reach[0] <= high and low <= m.reach[1]] or list(marks[:1])
    ends = [(max(m.reach[0], low), min(m.reach[1], high)) for m in inside]  # the same twice, but of steps
    sides = [(to_x(x), m) for m, reach in zip(inside, ends, strict=True) for x in dict.fromkeys(reach)]
    around = [(x, to_y(m.low)) for x, m in sides] + [(x, to_y(m.high)) for x, m in reversed(sides)]
    svg.area(around, fill=ink, opacity=0.16)
    if len(sides) > 1:
        svg.curve([(x, to_y(m.mean)) for x, m in sides], stroke=ink, stroke_width=2)
    else:  # one value is a point
        svg.circle(to_x(inside[0].number), to_y(inside[0].mean), 3, clean(inside[0].words), fill=ink)
    _rows_under(svg, bars, to_x(low), to_x(high))
    bottom = TOP + PLOT + ROWS + 8
    for tick in ticks(low, high, 4):
        svg.line(to_x(tick), bottom, to_x(tick), bottom + 4, opacity=0.6)
        svg.text(to_x(tick), bottom + 16, brief(tick), 11, text_anchor="middle")
    return str(svg)


def _rows_under(svg: Svg, bars: Sequence[int], left: float, right: float) -> None:
    """Draw how many rows there are at each step, on the axis of the column."""
    top, bottom = max([*bars, 1]), TOP + PLOT + ROWS + 8
    wide = (right - left) / max(len(bars), 1)
    steps = [f"M{left:.1f} {bottom:.1f}"]
    for k, rows in enumerate(bars):
        steps.append(f"V{bottom - ROWS * rows / top:.1f}H{left + (k + 1) * wide:.1f}")
    svg.path(f"{''.join(steps)}V{bottom:.1f}Z", f"the rows: {sum(bars):,}", fill="currentColor", opacity=0.3)
    svg.line(left, bottom, right, bottom, opacity=0.6)
    svg.text(LEFT - 6, bottom, "rows", 11, text_anchor="end", opacity=0.8)


def level_effect(
    name: str, answer: str, marks: Sequence[EffectMark], scale: tuple[float, float], ink: str
) -> str:
    """Return the answers of the most frequent levels, a line each, with their rows beside them."""
    kept = sorted(marks, key=lambda m: -m.rows)[:MOST_LEVELS]
    shown = [m for m in marks if m in kept]
    top = TOP + 6
    bottom = top + STEP * len(shown)
    svg = Svg(WIDE, bottom + 24 + (14 if len(shown) < len(marks) else 0), f"{clean(answer)} by {clean(name)}")
    svg.text(0, 12, cut(clean(name), 44), 12, font_weight="bold")
    to_x = placed(*scale, NAMES + 8, WIDE - COUNTS - 16, False)
    for tick in ticks(*scale, 4):
        svg.line(to_x(tick), top, to_x(tick), bottom, opacity=0.15)
        svg.text(to_x(tick), bottom + 14, brief(tick), 11, text_anchor="middle")
    svg.text(WIDE - COUNTS, top - 2, "rows", 11, opacity=0.8)
    most = max([m.rows for m in shown] or [1]) or 1
    for k, m in enumerate(shown):
        up = top + STEP * (k + 0.5)
        svg.text(NAMES, up + 4, cut(clean(m.words), 16), 11, clean(m.words), text_anchor="end")
        svg.line(to_x(m.low), up, to_x(m.high), up, stroke=ink, stroke_width=3, opacity=0.35)
        told = f"{clean(m.words)}: {brief(m.mean)} ({brief(m.low)} to {brief(m.high)}), {m.rows:,} rows"
        svg.circle(to_x(m.mean), up, 4.5, told, fill=ink)
        svg.rect(WIDE - COUNTS, up - 5, COUNTS * m.rows / most, 10, fill="currentColor", opacity=0.3)
    if len(shown) < len(marks):
        svg.text(0, bottom + 30, f"and {len(marks) - len(shown)} levels of fewer rows", 11, opacity=0.8)
    return str(svg)
