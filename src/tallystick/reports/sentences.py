"""Sentences with names and numbers in them, as pieces: who prints them decides how a name is set off.

Knows words and numbers. Knows no model. Law: a share is never rounded to all or none unless it is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from string import Formatter

from tallystick.draw.text import clean, cut
from tallystick.draw.text import percent as percent  # the sections say shares as sentences do

LONGEST = 200  # of a name in a sentence


@dataclass(frozen=True)
class Piece:
    """Some text; a name came from a user."""

    text: str
    name: bool = False


@dataclass(frozen=True)
class Said:
    """One sentence or more."""

    pieces: tuple[Piece, ...]

    def __str__(self) -> str:
        return "".join(p.text for p in self.pieces)

    def __add__(self, other: Said) -> Said:
        return Said((*self.pieces, Piece(" "), *other.pieces))


@dataclass(frozen=True)
class Name:
    """A text of the user's, to be set off."""

    text: str


def say(template: str, *given: object) -> Said:
    """Return the template with {} filled in order; a Name becomes a piece of its own."""
    pieces: list[Piece] = []
    values = iter(given)
    for text, field, _, _ in Formatter().parse(template):
        if text:
            pieces.append(Piece(text))
        if field is not None:
            value = next(values)
            if isinstance(value, Said):
                pieces.extend(value.pieces)
            elif isinstance(value, Name):
                pieces.append(Piece(cut(clean(value.text), LONGEST), True))
            else:
                pieces.append(Piece(str(value)))
    return Said(tuple(pieces))


def listed(names: Sequence[str]) -> Said:
    """Return names as `a, b and c`."""
    out: list[Piece] = []
    for k, name in enumerate(names):
        if k:
            out.append(Piece(" and " if k == len(names) - 1 else ", "))
        out.append(Piece(cut(clean(name), LONGEST), True))
    return Said(tuple(out))


def of_100(share: float, about: bool = False) -> str:
    """Return a share in words: `95 of 100`, `all`, `none`, `more than 99 of 100`."""
    if share >= 1:
        return "all"
    if share <= 0:
        return "none"
    if share > 0.995:
        return "more than 99 of 100"
    if share < 0.005:
        return "fewer than 1 of 100"
    return f"{'about ' if about else ''}{round(100 * share)} of 100"


def times(ratio: float) -> str:
    """Return a ratio in words that need no more digits than it has meaning: `35`, `3.2`, `1.08`."""
    if ratio >= 1000:
        return "more than 1,000"
    return f"{ratio:.0f}" if ratio >= 10 else f"{ratio:.1f}" if ratio >= 1.95 else f"{ratio:.2f}"
