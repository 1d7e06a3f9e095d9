"""A nomogram as SVG: one line per column with its values where their weight lies, and the sum read off as a
share.

Knows names and numbers. Knows no model. Law: everything that came from a user is escaped.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from tallystick.draw.text import clean, cut

LEFT, WIDE, STEP, RIGHT = 220, 640, 38, 40
SHARES = (0.001, 0.01, 0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99, 0.999)


@dataclass(frozen=True)
class Scale:
    """One line: a name, and marks (text, weight)."""

    name: str
    marks: tuple[tuple[str, float], ...]


def nomogram(title: str, scales: Sequence[Scale], base: float) -> str:
    """Return the picture: log-odds from left to right; base is what they are before any column spoke."""
    weights = [w for s in scales for _, w in s.marks if math.isfinite(w)] or [0.0]
    low, high = min([*weights, 0.0]), max([*weights, 0.0])
    span = (high - low) or 1.0

    def x(weight: float) -> float:
        return LEFT + (min(max(weight, low), high) - low) / span * WIDE

    height = 70 + STEP * (len(scales) + 3)
    wide = LEFT + WIDE + RIGHT
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {wide} {height}" width="{wide}" '
        f'height="{height}" font-family="sans-serif" font-size="11" role="img">',
        f"<title>{escape(clean(title))}</title>",
        f'<text x="10" y="20" font-size="14" font-weight="bold">{escape(clean(title))}</text>',
    ]
    y = 50
    out += _line(y, "log-odds of a value", [(f"{t:+g}", x(t)) for t in ticks(low, high)])
    for scale in scales:
        y += STEP
        out += _line(y, scale.name, [(text, x(w)) for text, w in scale.marks])
    y += STEP
    out += _sum_lines(y, scales, base)
    return "\n".join([*out, "</svg>"])


def ticks(low: float, high: float, count: int = 8) -> list[float]:
    """Return round numbers between low and high."""
    rough = (high - low) / count or 1.0
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(m * power for m in (1, 2, 5, 10) if m * power >= rough)
    first = math.ceil(low / step)
    return [round(i * step, 10) for i in range(first, math.floor(high / step) + 1)]


def _line(y: float, name: str, marks: Sequence[tuple[str, float]]) -> list[str]:
    places = [p for _, p in marks] or [LEFT]
    out = [
        f'<text x="{LEFT - 12}" y="{y + 4}" text-anchor="end">{escape(cut(clean(name), 32))}</text>',
        f'<line x1="{min(places):.1f}" y1="{y}" x2="{max(places):.1f}" y2="{y}" stroke="#444"/>',
    ]
    last = {True: -1e9, False: -1e9}
    for i, (text, place) in enumerate(sorted(marks, key=lambda m: m[1])):
        above = i % 2 == 0
        out.append(f'<line x1="{place:.1f}" y1="{y - 4}" x2="{place:.1f}" y2="{y + 4}" stroke="#444"/>')
        if place - last[above] >= 6 * min(len(text), 14) + 4:  # where there is room for the words
            last[above] = place
            shown = escape(cut(clean(text), 18))
            out.append(
                f'<text x="{place:.1f}" y="{y - 7 if above else y + 15}" text-anchor="middle">{shown}</text>'
            )
    return out


def _sum_lines(y: float, scales: Sequence[Scale], base: float) -> list[str]:
    """Return the line of sums with the share that each sum means."""
    ends = [[w for _, w in s.marks if math.isfinite(w)] or [0.0] for s in scales]
    low, high = base + sum(min(e) for e in ends), base + sum(max(e) for e in ends)
    span = (high - low) or 1.0
    odds = [(s, math.log(s / (1 - s))) for s in SHARES]
    marks = [(f"{s:g}", LEFT + (o - low) / span * WIDE) for s, o in odds if low <= o <= high]
    out = _line(
        y,
        f"sum of log-odds, from {base:+.2f}",
        [(f"{t:+g}", LEFT + (t - low) / span * WIDE) for t in ticks(low, high)],
    )
    return out + _line(y + STEP, "share", marks)
