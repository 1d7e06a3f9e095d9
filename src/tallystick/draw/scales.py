"""One line of a nomogram as a picture that is as wide as its place: marks stand at percentages.

Knows names and numbers. Knows no model. Law: everything that came from a user is escaped; labels that would
touch are left out, the ends never.
"""

from __future__ import annotations

from collections.abc import Sequence

from tallystick.draw.svg import escape
from tallystick.draw.text import cut, width

NARROW = 340.0  # pixels that labels are laid out for: those of a phone
LETTER = 6.4
TALL, MIDDLE = 52, 26


def place(weight: float, ends: tuple[float, float]) -> float:
    """Return where a weight lies, in percent; the outer 3 on each side are margin."""
    low, high = ends
    inside = (min(max(weight, low), high) - low) / ((high - low) or 1.0)
    return round(3 + 94 * inside, 3)


def scale_line(title: str, marks: Sequence[tuple[str, float]], ends: tuple[float, float]) -> str:
    """Return a line with its marks (words, weight), words above and below in turn where there is room."""
    at = sorted(((place(w, ends), text) for text, w in marks), key=lambda m: (m[0], m[1]))
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="100%" height="{TALL}" role="img" '
        f'font-family="system-ui, sans-serif" font-size="11"><title>{escape(title)}</title>'
    ]
    if at:
        out.append(
            f'<line x1="{at[0][0]}%" y1="{MIDDLE}" x2="{at[-1][0]}%" y2="{MIDDLE}" stroke="currentColor" '
            'opacity="0.5"/>'
        )
    for x, _ in at:
        out.append(
            f'<line x1="{x}%" y1="{MIDDLE - 4}" x2="{x}%" y2="{MIDDLE + 4}" stroke="currentColor" '
            'opacity="0.6"/>'
        )
    for x, text, above in _labels(at):
        anchor = "start" if x < 8 else "end" if x > 92 else "middle"
        up = MIDDLE - 12 if above else MIDDLE + 20  # clear of a point that lies on the line
        out.append(
            f'<text x="{x}%" y="{up}" text-anchor="{anchor}" fill="currentColor">{escape(text)}</text>'
        )
    return "".join([*out, "</svg>"])


def _labels(at: Sequence[tuple[float, str]]) -> list[tuple[float, str, bool]]:
    """Return the labels that fit: the two ends first, then the others where they touch none."""
    taken: dict[bool, list[tuple[float, float]]] = {True: [], False: []}
    out = []
    order = [0, len(at) - 1, *range(1, len(at) - 1)] if len(at) > 1 else list(range(len(at)))
    for k in order:
        x, text = at[k]
        short = cut(text, 20)
        half = width(short) * LETTER / 2 + 3
        middle = x / 100 * NARROW
        middle = middle + half if x < 8 else middle - half if x > 92 else middle
        for above in (k % 2 == 0, k % 2 == 1):
            if all(middle + half < a or middle - half > b for a, b in taken[above]):
                taken[above].append((middle - half, middle + half))
                out.append((x, short, above))
                break
    return out
