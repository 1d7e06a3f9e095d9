"""New cells of one known column to its codes, values or words.

Knows one column of a schema and Arrow cells. Knows nothing of tables, nor of how the schema was found.
Law: a cell's code depends on the cell and the column alone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from tallystick.data.read import strings
from tallystick.data.read.cells import (
    WRITTEN_NUMBERS,
    Coded,
    Floats,
    SmallIntegers,
    among,
    as_utf8,
    by_table,
    condense,
    fill_table,
    level_code,
    mark_numbers,
    text_cells,
    tidied,
)
from tallystick.data.read.strings import Distinct
from tallystick.data.read.ways import read_in
from tallystick.data.read.words import Vocabulary, match_words
from tallystick.data.schema import ABSENT, CODED, NUMBER_MARKS, Column, meanings, spelt
from tallystick.data.source.arrays import filled, from_numbers, from_texts
from tallystick.data.table.block import code_type
from tallystick.data.text import number_text
from tallystick.data.written import way_of
from tallystick.kernels import CellKind

SAME_VALUES = ("0", "1", "false", "true")  # of a boolean whose levels are two of them
READABLE = (*WRITTEN_NUMBERS, CellKind.LEADING_ZEROS, CellKind.INEXACT)


@dataclass(frozen=True)
class Found:
    """One column of a batch. bad: the first unreadable cell as (row, text). meant: texts taken for the level
    that they mean, such as true for yes.
    """

    data: Any
    missing: int
    unseen: int = 0
    unreadable: int = 0
    bad: tuple[int, str] | None = None
    meant: Mapping[str, str] = field(default_factory=dict)


class Matcher:
    """New cells of one known column to its codes, values or words."""

    def __init__(self, column: Column, marks: tuple[str, ...], decimal: str, inf_missing: bool) -> None:
        self.column, self.decimal = column, decimal
        self.inf_missing = inf_missing or "inf" in column.marks
        self.marks = (*marks, *column.marks)
        self.sentinels = mark_numbers(marks)
        self.way = way_of(column.written)
        self.threads = 1  # that share the words of a batch
        # by base: the code of each small whole number, and which are filled in
        self.tables: dict[int, tuple[NDArray[Any], NDArray[np.bool_]]] = {}

    @cached_property
    def meanings(self) -> Mapping[str, str]:
        """The level that each text for no or yes means."""
        return meanings(self.column) if self.column.kind in CODED else {}

    @cached_property
    def spelt(self) -> Mapping[str, str]:
        """The level of every text that is one, or was merged into one."""
        return spelt(self.column)

    @cached_property
    def vocabulary(self) -> Vocabulary:
        """The words of a text column, ready to be looked up."""
        return Vocabulary(self.column.words)

    @cached_property
    def known(self) -> pa.LargeStringArray:
        """The words of a text column."""
        return from_texts(self.column.words)

    def run(self, cells: Any, rows: int) -> Found:
        """Return the column of one batch; cells are Arrow, a view of a matrix, or None: no such column."""
        with as_utf8(self.column.name):
            return self._run(pa.nulls(rows) if cells is None else cells)

    def _run(self, cells: Any) -> Found:
        if self.column.kind == "text":
            return self._words(cells, self.vocabulary)
        if isinstance(cells, SmallIntegers):
            tabled = self.column.kind == "boolean" or not self.meanings  # else the meaning has to be noted
            if self.column.kind in CODED and not len(self.sentinels) and tabled:
                return self._whole_codes(cells)
            cells = from_numbers(cells.values().astype(np.int64))
        if self.column.kind in CODED:
            return self._codes(cells)
        return self._values(cells)

    def _as_texts(self, cells: Any) -> Coded:
        array = from_numbers(cells) if isinstance(cells, np.ndarray) else cells
        part = condense(array, self.column.name, self.marks, self.decimal, as_text=True)
        assert isinstance(part, Coded)
        return part

    def _words(self, cells: Any, vocabulary: Vocabulary) -> Found:
        texts = text_cells(self._as_texts(cells).array, self.marks)
        counts = match_words(texts, vocabulary, threads=self.threads)
        unseen = int(counts.counts[counts.words == len(self.column.words)].sum())
        return Found(counts, texts.null_count, unseen)

    def _whole_codes(self, cells: SmallIntegers) -> Found:
        k = len(self.column.levels)
        if cells.base not in self.tables:
            self.tables[cells.base] = np.zeros(256, code_type(k)), np.zeros(256, bool)
        table, known = self.tables[cells.base]
        new = cells.used[~known[cells.used]]
        if len(new):
            code = level_code(self.column.levels, k + 1)
            fill_table(table, new, cells.base, lambda t: code(self._alias(t, float(t))[0]))
            known[new] = True  # only now: threads that come at once fill in the same
        codes = by_table(cells, table)
        unseen = int(np.count_nonzero(codes == k + 1)) if (table[cells.used] == k + 1).any() else 0
        return Found(codes, 0, unseen)

    def _codes(self, cells: Any) -> Found:
        k = len(self.column.levels)
        found = strings.distinct([self._as_texts(cells).array], self.marks)
        texts, meant = self._meant(found.values)
        codes = recode(found.codes, texts, self.column.levels, unseen=True)
        missing = 0 if ABSENT in self.column.levels else int((codes == k).sum())
        return Found(codes, missing, int((codes == k + 1).sum()), meant=meant)

    def coded(self, found: Distinct) -> NDArray[Any]:
        """Return codes[row] of texts that are levels, or mean one, or were taken as missing."""
        if (
            len(found.values) == len(self.column.levels)
            and tuple(found.values.to_pylist()) == self.column.levels
        ):
            return found.codes  # the levels are the texts of this batch, all of them
        return recode(found.codes, self._meant(found.values)[0], self.column.levels)

    def _meant(self, texts: pa.LargeStringArray) -> tuple[pa.LargeStringArray, dict[str, str]]:
        """Return each text as the level it means (1.0 is "1"), and those that are other words for it: true is
        "yes" of the levels yes and no.
        """
        levels = self.column.levels
        if pc.all(pc.is_in(texts, from_texts(levels))).as_py() is not False:
            return texts, {}
        parsed = strings.numbers(texts, (), self.decimal)
        looked = among(parsed.kinds, (CellKind.NUMBER, CellKind.INTEGER, CellKind.BOOLEAN))
        written, meant = texts.to_pylist(), dict[str, str]()
        every = self.meanings or self.column.merged
        for i in range(len(texts)) if every else np.flatnonzero(looked).tolist():
            text = written[i]
            if text in self.column.marks:
                continue  # missing, whatever else it may mean
            if text not in self.spelt:
                written[i], told = self._alias(text, float(parsed.values[i]) if looked[i] else np.nan)
                meant |= {text: written[i]} if told else {}
            else:
                written[i] = self.spelt[text]
        return from_texts(written), meant

    def _alias(self, text: str, value: float) -> tuple[str, bool]:
        """Return the level that a text means which is none itself, and whether a note says so: 1.0 for 1
        or TRUE for true has not. value: the number that the text reads as, or NaN.
        """
        plain = text.lower() if np.isnan(value) else number_text(value)
        if plain in self.spelt and (self.meanings or not np.isnan(value) or plain in SAME_VALUES):
            return self.spelt[plain], False
        told = plain not in SAME_VALUES or not set(self.column.levels) <= {*SAME_VALUES, ABSENT}
        return self.meanings.get(plain, text), told and plain in self.meanings

    def _values(self, cells: Any) -> Found:
        if isinstance(cells, np.ndarray):
            return self._tidy(cells, 0, None)
        if pa.types.is_dictionary(cells.type):
            if strings.is_text(cells.type.value_type):
                return self._read_each(cells)
            cells = cells.dictionary_decode()
        kind = cells.type
        if strings.is_text(kind):
            return self._read(cells)
        part = condense(cells, self.column.name, self.marks, self.decimal)
        if isinstance(part, Coded):  # booleans, or whole numbers beyond doubles
            return self._read(part.array.cast(pa.large_string()))
        if part.dated and self.column.unit != "date":
            bad = np.flatnonzero(~np.isnan(part.values))
            first = None if not len(bad) else (int(bad[0]), _moment_text(cells[int(bad[0])]))
            return self._tidy(np.full(len(part), np.nan), len(bad), first)
        return self._tidy(part.values, 0, None)

    def _read(self, cells: pa.Array) -> Found:
        dated = self.column.unit == "date"
        parsed = read_in(cells, self.way, self.decimal, self.marks)
        wanted = (CellKind.DATE,) if dated else READABLE
        wrong = len(cells) - parsed.count(CellKind.MISSING, *wanted)
        if not wrong:
            return self._tidy(parsed.values, 0, None, cells)
        gone = ~among(parsed.kinds, (CellKind.MISSING, *wanted))
        values = np.where(gone, np.nan, parsed.values)
        bad = [i for i in np.flatnonzero(gone).tolist() if not self._is_mark(cells[i].as_py())]
        return self._tidy(values, len(bad), (bad[0], cells[bad[0]].as_py()) if bad else None, cells)

    @staticmethod
    def _is_mark(text: str) -> bool:
        return text.strip(strings.SPACES).lower() in NUMBER_MARKS

    def _read_each(self, cells: pa.DictionaryArray) -> Found:
        """As _read, with each text of a dictionary read once, however often it repeats."""
        dated, texts = self.column.unit == "date", cells.dictionary
        parsed = read_in(texts, self.way, self.decimal, self.marks)
        fine = among(parsed.kinds, (CellKind.MISSING, *((CellKind.DATE,) if dated else READABLE)))
        values = np.append(np.where(fine, parsed.values, np.nan), np.nan)
        wrong = [i for i in np.flatnonzero(~fine).tolist() if not self._is_mark(texts[i].as_py() or "")]
        place = filled(cells.indices, len(texts)).astype(np.int64)
        bad = np.isin(place, wrong)
        first = int(bad.argmax()) if bad.any() else -1
        found = None if first < 0 else (first, texts[int(place[first])].as_py())
        return self._tidy(values[place], int(bad.sum()), found, cells)

    def numbers(self, found: Floats | SmallIntegers | Distinct) -> NDArray[np.float64]:
        """Return values[row] of cells that were read before: what is not a number is missing."""
        if isinstance(found, SmallIntegers):
            return found.values()
        if isinstance(found, Floats):
            return tidied(found.values, self.sentinels, found.scan)
        wanted = (CellKind.DATE,) if self.column.unit == "date" else READABLE
        parsed = read_in(found.values, self.way, self.decimal)
        values = np.where(among(parsed.kinds, wanted), parsed.values, np.nan)
        by_code = tidied(np.append(values, np.nan), self.sentinels)
        out: NDArray[np.float64] = by_code[found.codes]
        return out

    def _tidy(
        self, values: NDArray[np.float64], unreadable: int, bad: tuple[int, str] | None, cells: Any = None
    ) -> Found:
        """Return the values with marks and allowed infinities missing and without -0.0. cells: the texts that
        they were read from, if any.
        """
        values = values + 0.0
        if len(self.sentinels):
            values[np.isin(values, self.sentinels)] = np.nan
        infinite = np.isinf(values)
        if infinite.any():
            if self.inf_missing:
                values[infinite] = np.nan
            else:
                unreadable += int(infinite.sum())
                first = int(infinite.argmax())
                bad = bad or (first, str(values[first] if cells is None else cells[first].as_py()))
                values[infinite] = np.nan
        return Found(values, int(np.isnan(values).sum()), 0, unreadable, bad)


def _moment_text(cell: Any) -> str:
    """Return a date or time as text, also where Python has none of that year."""
    try:
        return str(cell)
    except (OverflowError, ValueError):
        return "a date"


# ---- codes of levels ----


def recode(
    codes: NDArray[Any],
    texts: pa.LargeStringArray,
    levels: Sequence[str],
    *,
    fold: bool = False,
    unseen: bool = False,
) -> NDArray[Any]:
    """Return codes among texts as codes among levels; len(texts) is missing and becomes len(levels), or the
    level ABSENT where there is one.

    fold: letter case means nothing. A text that is not a level becomes unseen, or missing if unseen is not
    asked for.
    """
    k = len(levels)
    if not fold and len(texts) == k and texts.to_pylist() == list(levels):
        return codes
    into = np.full(len(texts) + 1, k, code_type(k))
    found = pc.index_in(pc.utf8_lower(texts) if fold else texts, from_texts(levels))
    into[:-1] = filled(found, k + unseen)
    if ABSENT in levels:
        into[into == k] = levels.index(ABSENT)
    return into[codes]  # type: ignore[no-any-return]
