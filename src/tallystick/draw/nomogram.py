"""A nomogram as SVG: one line per column with its values where their weight lies, and the sum read off as a
share.

Knows names and numbers. Knows no model. Law: everything that came from a user is escaped.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from tallystick.draw.svg import FONT, escape
from tallystick.draw.text import clean, cut

LEFT, WIDE, RIGHT, STEP = 250, 600, 50, 36
SHARES = (0.001, 0.01, 0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99, 0.999)
MOST = 7.0  # log-odds at which nothing is left to read: 99.9 %
LETTER = 6.4  # width of a letter, about


@dataclass(frozen=True)
class Scale:
    """One line: a name, and marks (text, weight)."""

    name: str
    marks: tuple[tuple[str, float], ...]


def nomogram(
    title: str, scales: Sequence[Scale], base: float, sides: tuple[str, str] = ("", ""), step: int = 0
) -> str:
    """Return the picture: log-odds from left to right; base is what they are before any column spoke. sides:
    what speaks for the left and for the right. step: all weights are points, of which so many double the
    odds; 0 if they are log-odds.
    """
    unit = "points" if step else "log-odds"
    begin = f"{base:+.0f} points" if step else f"{base:+.2f}"
    weights = [w for s in scales for _, w in s.marks if math.isfinite(w)] or [0.0]
    low, high = min([*weights, 0.0]), max([*weights, 0.0])
    span = (high - low) or 1.0

    def x(weight: float) -> float:
        return LEFT + (min(max(weight, low), high) - low) / span * WIDE

    height, wide = 172 + STEP * len(scales), LEFT + WIDE + RIGHT
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {wide} {height}" width="{wide}" '
        f'height="{height}" font-family="{FONT}" font-size="12" fill="currentColor" role="img">',
        f"<title>{escape(clean(title))}</title>",
        _text(12, 22, title, size=15, weight="bold"),
        _text(12, 42, f"Add the {unit} of a row's values to {begin}; the sum gives the share at the foot."),
        *_sides(x, sides),
    ]
    bottom = 100 + STEP * len(scales)
    for tick in ticks(low, high):
        faint = 0.45 if tick == 0 else 0.12
        out.append(_rule(x(tick), 88, x(tick), bottom, faint))
        out.append(_text(x(tick), 82, f"{tick:+g}" if tick else "0", "middle"))
    out.append(_text(LEFT - 14, 82, unit, "end", weight="bold"))
    for i, scale in enumerate(scales):
        out += _line(110 + STEP * i, scale, x)
    out += _foot(bottom + 34, sides[1], unit, step / math.log(2.0) if step else 1.0)
    return "\n".join([*out, "</svg>"])


def ticks(low: float, high: float, count: int = 8) -> list[float]:
    """Return round numbers between low and high."""
    rough = (high - low) / count or 1.0
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(m * power for m in (1, 2, 5, 10) if m * power >= rough)
    first = math.ceil(low / step)
    return [round(i * step, 10) for i in range(first, math.floor(high / step) + 1)]


def _text(x: float, y: float, text: str, anchor: str = "start", size: int = 0, weight: str = "") -> str:
    more = (f' font-size="{size}"' if size else "") + (f' font-weight="{weight}"' if weight else "")
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"{more}>{escape(clean(text))}</text>'


def _rule(x1: float, y1: float, x2: float, y2: float, strength: float, width: float = 1) -> str:
    return (
        f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="currentColor" '
        f'stroke-opacity="{strength}" stroke-width="{width}"/>'
    )


def _sides(x: Callable[[float], float], sides: tuple[str, str]) -> list[str]:
    left, right = (cut(clean(side), 24) for side in sides)
    out = []
    if left and x(0.0) - LEFT > LETTER * (len(left) + 3):
        out.append(_text(x(0.0) - 8, 62, f"← {left}", "end"))
    if right and LEFT + WIDE + RIGHT - x(0.0) > LETTER * (len(right) + 3):
        out.append(_text(x(0.0) + 8, 62, f"{right} →"))
    return out


def _line(y: float, scale: Scale, x: Callable[[float], float]) -> list[str]:
    """Return one column: its name, a line from its least to its greatest weight, its values where there is
    room.
    """
    places = [x(w) for _, w in scale.marks if math.isfinite(w)] or [x(0.0)]
    out = [
        _text(LEFT - 14, y + 4, cut(clean(scale.name), 36), "end"),
        _rule(min(places), y, max(places), y, 0.35, 2),
    ]
    ends = {True: -1e9, False: -1e9}
    for text, weight in sorted(scale.marks, key=lambda m: m[1]):
        place, shown = x(weight), cut(clean(text), 18)
        out.append(f'<circle cx="{place:.1f}" cy="{y:.1f}" r="4"/>')  # for or against is where it stands
        half = LETTER * len(shown) / 2
        above = place - half > ends[True] + 4
        if above or place - half > ends[False] + 4:  # where there is room for the words
            ends[above] = place + half
            out.append(_text(place, y - 8 if above else y + 17, shown, "middle"))
    return out


def _foot(y: float, label: str, unit: str = "log-odds", size: float = 1.0) -> list[str]:
    """Return the line of sums, as far as they matter, and the share that each means. size: of a unit of
    log-odds.
    """

    def x(odds: float) -> float:
        return LEFT + (odds + MOST) / (2 * MOST) * WIDE

    out = [_text(LEFT - 14, y + 4, f"sum of {unit}", "end", weight="bold")]
    out.append(_rule(x(-MOST), y, x(MOST), y, 0.8))
    for tick in ticks(-6.0 * size, 6.0 * size, 7):
        out.append(_rule(x(tick / size), y - 4, x(tick / size), y, 0.8))
        out.append(_text(x(tick / size), y - 9, f"{tick:+g}" if tick else "0", "middle"))
    for share in SHARES:
        place = x(math.log(share / (1 - share)))
        out.append(_rule(place, y, place, y + 4, 0.8))
        out.append(_text(place, y + 18, f"{100 * share:g} %", "middle", 11))
    name = f"share of {cut(clean(label), 20)}" if label else "share"
    out.append(_text(LEFT - 26, y + 22, name, "end", weight="bold"))
    return out
