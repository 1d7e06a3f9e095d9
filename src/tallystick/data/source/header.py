"""Is the first row of a text table a header? Told by the rows below it, column by column.

Knows cells as text. Knows nothing of files.
A name over numbers is not a number, and a name over levels is none of them. So a row whose cells are like
those below them, in every column that can tell, is a row like the others.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from enum import Enum, auto
from itertools import pairwise

from tallystick.data.schema import MISSING_MARKS
from tallystick.data.source.shapes import form, short_form

LEAST = 2  # rows below, to tell
NUMBERS = 0.9  # the share of numbers, or of dates, that makes a column one of them
DATE = re.compile(r"\d{4}-\d{2}-\d{2}")


class First(Enum):
    """What the first row is."""

    HEADER = auto()
    DATA = auto()
    DOUBT = auto()  # a header, but it may be data


class HeaderFit(Enum):
    """How a first cell goes with those below it."""

    NUMBER = auto()  # a number over numbers
    LEVEL = auto()  # one of the texts below, which repeat, or of their form, as a date over dates
    STRANGE = auto()  # none of the few texts below
    NAME = auto()  # a text over numbers, dates or codes: no row has that
    SILENT = auto()  # nothing can be concluded


def is_number(cell: str) -> bool:
    """Does a cell of the first row read as a number? Names seldom do."""
    try:
        float(cell.strip().replace(",", "."))
    except ValueError:
        return False
    return True


def judged(first: Sequence[str], below: Sequence[Sequence[str]]) -> First:
    """Return what the first row is. A row of numbers alone is data; else all columns are heard."""
    if all(map(is_number, first)):
        return First.DATA
    # a header that is repeated, where files were joined, would speak for itself
    rows = [row for row in below if len(row) == len(first) and list(row) != list(first)]
    if len(rows) < LEAST:
        return First.HEADER
    fits = []
    for j, cell in enumerate(first):
        fits.append(_fit(cell, [row[j] for row in rows]))
        if fits[-1] is HeaderFit.NAME:  # the other columns, perhaps thousands, need not be heard
            return First.HEADER
    numbers, levels, strange = (
        fits.count(fit) for fit in (HeaderFit.NUMBER, HeaderFit.LEVEL, HeaderFit.STRANGE)
    )
    if levels > strange and numbers + levels > 1:
        return First.DATA
    measured = [cell for cell, fit in zip(first, fits, strict=True) if fit is HeaderFit.NUMBER]
    if not levels and not strange and _are_measured(measured):
        return First.DATA
    alike = levels > strange or (not strange and numbers and not _are_steps(measured))
    return First.DOUBT if alike else First.HEADER


def evidence(first: Sequence[str], below: Sequence[Sequence[str]]) -> Counter[HeaderFit]:
    """Return how the cells of a row go with those below them: how many of each kind."""
    rows = [row for row in below if len(row) == len(first) and list(row) != list(first)]
    return Counter(_fit(cell, [row[j] for row in rows]) for j, cell in enumerate(first))


def _fit(cell: str, below: Sequence[str]) -> HeaderFit:
    cell = cell.strip()
    filled = [text for text in map(str.strip, below) if text not in MISSING_MARKS]
    if not filled or cell in MISSING_MARKS:
        return HeaderFit.SILENT
    if sum(map(is_number, filled)) >= NUMBERS * len(filled):
        return HeaderFit.NUMBER if is_number(cell) else HeaderFit.NAME
    if sum(bool(DATE.match(text)) for text in filled) >= NUMBERS * len(filled):
        return HeaderFit.LEVEL if DATE.match(cell) else HeaderFit.NAME
    top, rows = Counter(short_form(form(text)) for text in filled).most_common(1)[0]
    if "9" in top and rows >= NUMBERS * len(filled):  # codes, times, amounts: of one form, with digits
        return HeaderFit.LEVEL if short_form(form(cell)) == top else HeaderFit.NAME
    known = set(filled)
    if 2 * len(known) > len(filled):  # texts of their own, as names of people are
        return HeaderFit.SILENT
    return HeaderFit.LEVEL if cell in known else HeaderFit.STRANGE


def _are_measured(cells: Sequence[str]) -> bool:
    """Are these numbers measurements, rather than years or places on a scale, which name columns too?"""
    whole = all(cell.strip().lstrip("+-").isdigit() for cell in cells)
    return len(cells) > 2 and not whole and not _are_steps(cells)


def _are_steps(cells: Sequence[str]) -> bool:
    """Do these numbers go up or down by equal steps, as names of columns do?"""
    values = [float(cell.strip().replace(",", ".")) for cell in cells]
    return len({round(b - a, 9) for a, b in pairwise(values)}) <= 1
