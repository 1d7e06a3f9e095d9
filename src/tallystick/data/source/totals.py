"""A last row that is the total of the others: it says so, and its numbers are the sums of their columns.

Knows rows of texts. Knows nothing of kinds, nor of where the rows come from.
Law: a row is a total only where every number of it is the sum of all others in its column, to the figures
that it has; else it is a row like any other.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from decimal import Decimal
from fractions import Fraction

WORDS = (
    *("total", "totals", "sum", "sums", "subtotal", "grand total", "overall"),
    *("summe", "gesamt", "gesamtsumme", "insgesamt", "zusammen"),
    *("totale", "somme", "suma", "totaal", "summa"),
)
NUMBERS = {  # by the decimal mark
    ".": re.compile(r"[+-]?[0-9]{1,40}(\.[0-9]{1,40})?"),
    ",": re.compile(r"[+-]?([0-9]{1,40}|[0-9]{1,3}(\.[0-9]{3}){1,12})(,[0-9]{1,40})?"),
}


def number(text: str, mark: str) -> Decimal | None:
    """Return the number that a text is, None of another."""
    if not NUMBERS[mark].fullmatch(text):
        return None
    return Decimal(text if mark == "." else text.replace(".", "").replace(",", "."))


def says_sum(cell: str, words: Sequence[str] = WORDS) -> bool:
    """Does a cell say that what follows is a sum?"""
    word = cell.strip().casefold().rstrip(":")
    return any(word == known or word.startswith((known + " ", known + ":")) for known in words)


def may_be_total(cells: Sequence[str], mark: str) -> dict[int, Decimal] | None:
    """Return the numbers of a row, by place, if its first text says that they are sums and it has nothing
    but that text, numbers and empty cells. mark: of decimals.
    """
    texts = [cell.strip() for cell in cells]
    first = next((text for text in texts if text), "")
    if not says_sum(first):
        return None
    left = {i: number(text, mark) for i, text in enumerate(texts) if text and i != texts.index(first)}
    known = {i: found for i, found in left.items() if found is not None}
    return known if known and len(known) == len(left) else None


class ColumnSums:
    """The sums of some columns, exact; none where a cell is not a number."""

    def __init__(self, places: Iterable[int], mark: str) -> None:
        self.mark = mark
        self.sums: dict[int, Fraction] | None = dict.fromkeys(places, Fraction(0))
        self.rows = 0

    def add(self, column: int, cells: Iterable[str | None]) -> None:
        """Add cells of a column; an empty one is nothing."""
        if self.sums is None:
            return
        total = Fraction(0)
        for cell in cells:
            if text := (cell or "").strip():
                found = number(text, self.mark)
                if found is None:
                    self.sums = None
                    return
                total += Fraction(found)
        self.sums[column] += total

    def are(self, numbers: dict[int, Decimal]) -> bool:
        """Are these the sums, to the figures that they have?"""
        if self.sums is None or self.rows < 2:
            return False
        return all(abs(self.sums[i] - Fraction(told)) <= _half(told) for i, told in numbers.items())


def _half(told: Decimal) -> Fraction:
    """Return half of the last figure of a number."""
    exponent = told.as_tuple().exponent
    return Fraction(1, 2) * Fraction(10) ** (exponent if isinstance(exponent, int) else 0)
