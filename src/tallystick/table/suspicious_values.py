"""Suspicious values: labels spelt in two ways (`Yes`, `Yse`), numbers that mean missing (-999 among ages).

Entry: `variants()` for labels, `sentinels()` for numbers.
Law: the answer depends on the values and their counts, not on their order.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tallystick.errors import Argument, Message, counted, shown
from tallystick.schema import Note

SHORT = 3  # letters of the shortest label that may be a misspelling
SELDOM = 0.05  # share of the correct label's rows, up to which another is a misspelling
MANY = 500  # labels, beyond which only letter case and spaces are compared

Pair = tuple[str, str]


def variants(labels: Sequence[str], counts: Sequence[float]) -> list[tuple[Pair, tuple[float, float]]]:
    """Return (a label, what it may be spelt for) with the rows of both; each label has one such pair at most.

    The other is the most frequent label that differs in letter case or spaces only, or, where the label is
    seldom beside it, by one letter more, less or another, or by two neighbours changed about.
    """
    rows = {label: float(n) for label, n in zip(labels, counts, strict=True) if n > 0}
    order = sorted(rows, key=lambda label: (-rows[label], label))
    first: dict[str, str] = {}  # the most frequent label of each spelling
    out = []
    for label in order:
        plain = folded(label)
        other = first.setdefault(plain, label)
        if other == label and len(order) <= MANY:
            commons = (c for c in first.values() if rows[label] <= SELDOM * rows[c])
            other = next((c for c in commons if near(plain, folded(c))), label)
        if other != label:
            out.append(((label, other), (rows[label], rows[other])))
    return out


def say_variants(found: Sequence[tuple[Pair, tuple[float, float]]], most: int = 3) -> str:
    """Return the pairs in a sentence's part: `'Yse' (2 rows) may be 'Yes' (140 rows)`."""
    parts = [
        f"{shown(label)} ({counted(int(n), 'row')}) may be {shown(other)} ({counted(int(m), 'row')})"
        for (label, other), (n, m) in found[:most]
    ]
    more = f" and {len(found) - most:,} more" if len(found) > most else ""
    return ", ".join(parts) + more


def merging(found: Sequence[tuple[Pair, tuple[float, float]]]) -> Argument:
    """Return the argument that makes the labels of each pair one."""
    into: dict[str, list[str]] = {}
    last = {label: other for (label, other), _ in found}
    for label, other in last.items():
        while other in last:  # a slip of a slip: all become the most frequent
            other = last[other]
        into.setdefault(other, []).append(label)
    return Argument("merge", {text: sorted(spelt) for text, spelt in sorted(into.items())})


def folded(label: str) -> str:
    """Return a label without its spaces and letter case."""
    return "".join(label.split()).casefold()


def near(a: str, b: str) -> bool:
    """Say whether two words of letters are one slip apart."""
    if len(a) > len(b):
        a, b = b, a
    if len(a) < SHORT or len(b) - len(a) > 1 or not (a + b).isalpha():
        return False
    at = next((i for i, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), len(a))
    if len(a) < len(b):
        return a[at:] == b[at + 1 :]
    return a[at + 1 :] == b[at + 1 :] or (
        a[at : at + 2] == b[at : at + 2][::-1] and a[at + 2 :] == b[at + 2 :]
    )


# ---- numbers that may mean missing ----


SENTINEL_ROWS, SENTINEL_SHARE = 5, 0.01  # rows, and share of the rows, that a mark for missing has at least
FEW_VALUES = 3  # other values that a column with such a mark has, at least


@dataclass(frozen=True, slots=True)
class Sentinel:
    """A number that may stand for missing: what was found, what to do, and in how many rows."""

    found: str
    cure: Message
    count: int

    def note(self, column: str) -> Note:
        """Return it as a note on its column."""
        return Note("sentinel", Message(self.found, " ", self.cure), column, self.count)


def sentinels(name: str, distinct: NDArray[np.float64], counts: NDArray[np.int64]) -> Iterator[Sentinel]:
    """Yield a lowest or highest number that is frequent and far from all others, such as -999.

    counts[value] of rows, distinct[value] ascending.
    """
    if len(distinct) <= FEW_VALUES:
        return
    least = max(SENTINEL_ROWS, SENTINEL_SHARE * float(counts.sum()))
    for value, count, near, far in (
        (distinct[0], counts[0], distinct[1], distinct[-1]),
        (distinct[-1], counts[-1], distinct[-2], distinct[0]),
    ):
        if count >= least and abs(near - value) > abs(far - near):
            found = (
                f"column {shown(name)} is {value:.10g} in {counted(count, 'row')}, far from all other values "
                f"({min(near, far):.6g} to {max(near, far):.6g})."
            )
            cure = Message("If it stands for missing, pass ", Argument("missing", [f"{value:.10g}"]), ".")
            yield Sentinel(found, cure, int(count))
