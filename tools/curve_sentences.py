"""What fifteen pairs of learning curves show, in sentences made from their figures.

Knows the data that `tally curve --json` prints, of two methods each: a generative one, then a discriminative
one. Law: nothing is said of two curves whose bands overlap but that they overlap.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

Curve = Mapping[str, Any]
FIRST, LAST = 0, -1
NAMES = ("naive Bayes", "logistic regression")
WORDS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven",
         "twelve", "thirteen", "fourteen", "fifteen")  # fmt: skip


def lower(curve: Curve, at: int) -> int | None:
    """Return which of the two methods has the lower error at a size; None: their bands overlap."""
    one, two = curve["methods"]
    if one["high"][at] < two["low"][at]:
        return 0
    return 1 if two["high"][at] < one["low"][at] else None


def settled(curve: Curve, method: int) -> int:
    """Return the first size from which on a method's error stays within its last band."""
    own = curve["methods"][method]
    inside = [e <= own["high"][LAST] for e in own["error"]]
    at = len(inside) - 1
    while at and inside[at - 1]:
        at -= 1
    return int(curve["sizes"][at])


def table_row(title: str, curve: Curve) -> str:
    """Return what one panel shows as a row of a table; the lower error is bold where the bands separate."""
    cells = [title]
    for at in (FIRST, LAST):
        winner = lower(curve, at)
        cells.append(f"{curve['sizes'][at]:,}")
        for number, method in enumerate(curve["methods"]):
            error = f"{method['error'][at]:.4f} ± {(method['high'][at] - method['low'][at]) / 2:.4f}"
            cells.append(f"**{error}**" if winner == number else error)
    cells += [_crossing(curve), f"{curve['repeats']:,}"]
    return f"| {' | '.join(cells)} |"


def _crossing(curve: Curve) -> str:
    """Tell where the lead passes from naive Bayes to logistic regression, if it does."""
    leads = [lower(curve, k) for k in range(len(curve["sizes"]))]
    if 0 not in leads or 1 not in leads:
        return ""
    last, first = max(k for k, w in enumerate(leads) if w == 0), min(k for k, w in enumerate(leads) if w == 1)
    if last > first:
        return ""
    low, high = curve["sizes"][last], curve["sizes"][first]
    return f"between {low:,} and {high:,} rows"


def summary(curves: Sequence[Curve]) -> str:
    """Return what all pictures together show."""
    lines = []
    for at, words in ((FIRST, "smallest"), (LAST, "largest")):
        won = [lower(curve, at) for curve in curves]
        lines.append(
            f"At the {words} size the bands separate on {_count(len(won) - won.count(None))} of the "
            f"{_count(len(won))} tables: {NAMES[0]} is lower on {_count(won.count(0))}, {NAMES[1]} on "
            f"{_count(won.count(1))}."
        )
    crossed = sum(bool(_crossing(curve)) for curve in curves)
    lines.append(f"The lead passes from {NAMES[0]} to {NAMES[1]} on {_count(crossed)}.")
    sooner = sum(settled(c, 0) < settled(c, 1) for c in curves)
    later = sum(settled(c, 0) > settled(c, 1) for c in curves)
    lines.append(
        f"Naive Bayes comes within the band of its own last error with fewer rows than "
        f"{NAMES[1]} does on {_count(sooner)}, with more on {_count(later)}, with as many on "
        f"{_count(len(curves) - sooner - later)}."
    )
    return " ".join(lines)


def _count(number: int) -> str:
    return WORDS[number] if number < len(WORDS) else f"{number:,}"
