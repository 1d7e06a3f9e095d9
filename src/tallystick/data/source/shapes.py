"""What the cells of each column look like, over the rows that can be read: whether a damaged one fits.

Knows texts in columns. Knows nothing of files, kinds or levels as a model has them.
Law: what is known does not depend on how the rows come in blocks, nor, up to LOOKED of them, on their order.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

import pyarrow as pa
import pyarrow.compute as pc

from tallystick.data.schema import MISSING_MARKS

LOOKED = 20_000  # rows that are looked at: the first that can be read
MOST = 64  # different texts or forms that are remembered of a column; of more, it may hold any
OFTEN_TEXTS, OFTEN_FORMS = 8, 4  # rows per text, or form, where they are all that a column holds
LONG = 200  # characters of a text whose form is not asked for
RUNS = re.compile(r"9+|A+|a+")


def _kind(char: str) -> str:
    """Return the kind of a character: 9, A, a, or itself."""
    if char.isdecimal():
        return "9"
    return ("A" if char.isupper() else "a") if char.isalpha() else char


ASCII = {code: _kind(chr(code)) for code in range(128)}


def form(text: str) -> str:
    """Return the form of a text: 28/01/2018 is 99/99/9999, MG-8769 is AA-9999."""
    return text.translate(ASCII) if text.isascii() else "".join(map(_kind, text))


def short_form(form: str) -> str:
    """Return a form without the lengths of its runs: 9/9/9, A-9."""
    return RUNS.sub(lambda run: run[0][0], form)


def is_number(text: str) -> bool:
    """Is this a number, with a point or a comma?"""
    if not text or text[-1] not in "0123456789." or "_" in text:  # neither inf nor nan
        return False
    try:
        float(text.replace(",", ".", 1))
    except ValueError:
        return False
    return True


class KnownTexts:
    """A set of texts that gives up when there are too many: then it is open, whatever came first."""

    def __init__(self) -> None:
        self.texts: set[str] | None = set()

    def add(self, texts: Sequence[str]) -> None:
        """Take some more."""
        if self.texts is not None:
            self.texts.update(texts)
            if len(self.texts) > MOST:
                self.texts = None

    def closed(self, rows: int, often: int) -> set[str] | None:
        """Return all texts where each is frequent, so that another one would be strange; else None."""
        return self.texts if self.texts is not None and len(self.texts) * often <= rows else None


@dataclass
class ColumnLooks:
    """What is known of one column's cells."""

    filled: int = 0
    empty: int = 0
    numbers: bool = True
    commas: bool = False
    texts: KnownTexts = field(default_factory=KnownTexts)
    forms: KnownTexts = field(default_factory=KnownTexts)
    short: KnownTexts = field(default_factory=KnownTexts)
    firsts: set[str] = field(default_factory=set)  # kinds of the first characters, and of the last
    lasts: set[str] = field(default_factory=set)
    spaced: bool = False  # a cell has space around it
    worded: bool = False  # a cell has several words: its form tells nothing

    def add(self, cells: pa.Array) -> None:
        """Take some more cells."""
        counts = pc.value_counts(cells)
        for text, count in zip(counts.field(0).to_pylist(), counts.field(1).to_pylist(), strict=True):
            self._take(text, count)

    def _take(self, text: str, count: int) -> None:
        bare = text.strip()
        if bare in MISSING_MARKS:
            self.empty += count
            if not bare:
                return
        else:
            self.filled += count
            self.numbers = self.numbers and is_number(bare)
            self.commas = self.commas or "," in bare
        self.spaced = self.spaced or text != bare
        self.worded = self.worded or (" " in bare and any(map(str.isalpha, bare)))
        self.texts.add((bare,))
        self.firsts.add(_kind(bare[0]))
        self.lasts.add(_kind(bare[-1]))
        if self.short.texts is not None and not self.worded:
            made = form(bare) if len(bare) <= LONG else "…"
            self.forms.add((made,))
            self.short.add((short_form(made),))

    def fits(self, cell: str, exactly: bool = False) -> bool:
        """Could this be a cell of the column? exactly: a number of any other form than the others is none."""
        bare = cell.strip()
        if not bare:
            return self.empty > 0
        if bare in MISSING_MARKS and self.empty:
            return True
        if cell != bare and not self.spaced:
            return False
        rows = self.filled + self.empty
        number = is_number(bare) and (self.commas or "," not in bare)
        if self.filled and self.numbers and not (exactly and number):
            return number
        if (texts := self.texts.closed(rows, OFTEN_TEXTS)) is not None:
            return bare in texts
        if not self.worded and (forms := self.forms.closed(rows, OFTEN_FORMS)) is not None:
            return form(bare) in forms
        if not self.worded and (short := self.short.closed(rows, OFTEN_FORMS)) is not None:
            return short_form(form(bare)) in short
        return _kind(bare[0]) in self.firsts and _kind(bare[-1]) in self.lasts


class Looks:
    """What is known of all columns of a table."""

    def __init__(self, width: int) -> None:
        self.columns = [ColumnLooks() for _ in range(width)]
        self.rows = 0

    def add(self, table: pa.Table) -> None:
        """Take the rows of a table of texts."""
        table = table.slice(0, max(LOOKED - self.rows, 0))
        self.rows += table.num_rows
        for looks, cells in zip(self.columns, table.columns, strict=True):
            looks.add(cells)

    def fit(self, cells: Sequence[str]) -> bool:
        """Could this be a row?"""
        return len(cells) == len(self.columns) and all(
            c.fits(cell) for c, cell in zip(self.columns, cells, strict=True)
        )
