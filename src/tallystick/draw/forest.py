"""A forest plot as SVG: one row per effect, its odds ratio a dot on a logarithmic axis, its interval a line.

Knows names and numbers. Knows no model. Law: everything that came from a user is escaped.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from tallystick.draw.svg import Svg
from tallystick.draw.text import clean, cut

LEFT, WIDE, ROW, TOP, BOTTOM, RIGHT = 250.0, 400.0, 26.0, 64.0, 52.0, 210.0
WIDEST = math.log(10_000.0)  # the axis ends here; what goes on beyond is cut at the edge
COARSE = tuple(10.0**p for p in range(-4, 5))
FINE = (0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0)


@dataclass(frozen=True)
class Effect:
    """One row: logarithms of the odds ratio and of the ends of its interval."""

    name: str
    middle: float
    low: float
    high: float


def forest(title: str, effects: Sequence[Effect], note: str = "") -> str:
    """Return the picture. Effects whose interval leaves out 1 are set off: colours mean classes."""
    ends = [v for e in effects for v in (e.middle, e.low, e.high) if math.isfinite(v)] or [0.0]
    low, high = max(min(*ends, -0.7), -WIDEST), min(max(*ends, 0.7), WIDEST)
    room = 0.04 * (high - low)
    low, high = low - room, high + room

    def x(value: float) -> float:
        return LEFT + (min(max(value, low), high) - low) / (high - low) * WIDE

    bottom = TOP + ROW * len(effects)
    svg = Svg(LEFT + WIDE + RIGHT, bottom + BOTTOM, clean(title))
    svg.text(10, 22, clean(title), 14, font_weight="bold")
    svg.text(x(0.0) - 8, TOP - 10, "\u2190 less likely", 11, text_anchor="end", opacity=0.7)
    svg.text(x(0.0) + 8, TOP - 10, "more likely \u2192", 11, opacity=0.7)
    svg.text(LEFT + WIDE + 16, TOP - 10, "odds ratio (95 % interval)", 11, opacity=0.7)
    for step in FINE if high - low < math.log(200.0) else COARSE:
        if low <= math.log(step) <= high:
            at = x(math.log(step))
            svg.line(at, TOP, at, bottom, opacity=0.15)
            svg.text(at, bottom + 16, f"{step:,g}", 11, text_anchor="middle")
    svg.line(x(0.0), TOP - 4, x(0.0), bottom + 4, stroke_dasharray="4 4", opacity=0.7)
    for number, effect in enumerate(effects):
        _row(svg, TOP + ROW * (number + 0.5), effect, (x(effect.low), x(effect.middle), x(effect.high)))
    svg.text(LEFT, bottom + 38, note, 11, opacity=0.7)
    return str(svg)


def _row(svg: Svg, at: float, effect: Effect, places: tuple[float, float, float]) -> None:
    clear = effect.low > 0.0 or effect.high < 0.0
    strength = 1.0 if clear else 0.45
    low, middle, high = places
    words = f"{_ratio(effect.middle)}"
    if effect.low != effect.high:
        words += f" ({_ratio(effect.low)} to {_ratio(effect.high)})"
    svg.text(LEFT - 12, at + 4, cut(clean(effect.name), 36), text_anchor="end")
    svg.line(low, at, high, at, stroke_width=2, opacity=strength)
    svg.circle(middle, at, 5, f"{clean(effect.name)}: {words}", fill="currentColor", opacity=strength)
    svg.text(LEFT + WIDE + 16, at + 4, words, 11)


def _ratio(value: float) -> str:
    return f"{math.exp(value):.3g}" if abs(value) < 700 else ("0" if value < 0 else "inf")
