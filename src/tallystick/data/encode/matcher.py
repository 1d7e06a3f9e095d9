"""New cells of one known column to its codes, values or words.

Knows a column of a schema and new cells. Knows nothing of sources, nor of how the schema was found.
Law: a cell's code depends on the cell and the column alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from tallystick import kernels
from tallystick.data.encode import strings
from tallystick.data.encode.cells import WRITTEN_NUMBERS, Coded, Floats, among, condense
from tallystick.data.encode.codes import recode
from tallystick.data.encode.column import mark_numbers, text_cells
from tallystick.data.encode.strings import Distinct
from tallystick.data.encode.wholes import Wholes, by_table, level_code, text_table
from tallystick.data.encode.words import Vocabulary, match_words
from tallystick.data.schema import CODED, Column
from tallystick.data.source.arrays import from_numbers, from_texts
from tallystick.data.source.values import number_text
from tallystick.kernels import CellKind

READABLE = (*WRITTEN_NUMBERS, CellKind.LEADING_ZEROS, CellKind.INEXACT)


@dataclass(frozen=True)
class Found:
    """One column of a batch. bad: the first unreadable cell as (row, text)."""

    data: Any
    missing: int
    unseen: int = 0
    unreadable: int = 0
    bad: tuple[int, str] | None = None


class Matcher:
    """New cells of one known column to its codes, values or words."""

    def __init__(self, column: Column, marks: tuple[str, ...], decimal: str, inf_missing: bool) -> None:
        self.column, self.marks, self.decimal, self.inf_missing = column, marks, decimal, inf_missing
        self.sentinels = mark_numbers(marks)
        self.threads = 1  # more than one when no other column waits
        self.tables: dict[int, NDArray[Any]] = {}  # by base: the code of each small whole number
        self.vocabulary = Vocabulary(column.words) if column.kind == "text" else None

    def run(self, cells: Any, rows: int) -> Found:
        """Return the column of one batch; cells are Arrow, a view of a matrix, or None: no such column."""
        if cells is None:
            cells = pa.nulls(rows)
        if self.vocabulary is not None:
            return self._words(cells, self.vocabulary)
        if isinstance(cells, Wholes):
            if self.column.kind in CODED and not len(self.sentinels):
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

    def _whole_codes(self, cells: Wholes) -> Found:
        k = len(self.column.levels)
        if cells.base not in self.tables:
            code = level_code(self.column.levels, k + 1)
            known = text_table(cells.base, lambda t: code(self._alias(t, float(t))), strings.code_type(k))
            self.tables[cells.base] = known
        table = self.tables[cells.base]
        codes = by_table(cells, table)
        unseen = int(np.count_nonzero(codes == k + 1)) if (table[cells.used] == k + 1).any() else 0
        return Found(codes, 0, unseen)

    def _codes(self, cells: Any) -> Found:
        k = len(self.column.levels)
        codes = self.coded(strings.distinct([self._as_texts(cells).array], self.marks))
        return Found(codes, int((codes == k).sum()), int((codes == k + 1).sum()))

    def coded(self, found: Distinct) -> NDArray[Any]:
        """Return codes[row] of texts that are levels, or mean one."""
        return recode(found.codes, self._meant(found.values), self.column.levels, unseen=True)

    def _meant(self, texts: pa.LargeStringArray) -> pa.LargeStringArray:
        """Return each text as the level it means: 1.0 is "1"; TRUE is "true", or "1" of levels 0 and 1."""
        levels = self.column.levels
        if pc.all(pc.is_in(texts, from_texts(levels))).as_py() is not False:
            return texts
        parsed = strings.numbers(texts, (), self.decimal)
        written = texts.to_pylist()
        for i in np.flatnonzero(
            among(parsed.kinds, (CellKind.NUMBER, CellKind.INTEGER, CellKind.BOOLEAN))
        ).tolist():
            if written[i] not in levels:
                written[i] = self._alias(written[i], float(parsed.values[i]))
        return from_texts(written)

    def _alias(self, text: str, value: float) -> str:
        levels = self.column.levels
        plain = text.lower() if np.isnan(value) else number_text(value)
        if plain not in levels and self.column.kind == "boolean" and plain in ("0", "1", "false", "true"):
            return levels[plain in ("1", "true")]
        return plain if plain in levels else text

    def _values(self, cells: Any) -> Found:
        if isinstance(cells, np.ndarray):
            return self._tidy(cells, 0, None)
        if pa.types.is_dictionary(cells.type):
            cells = cells.dictionary_decode()
        kind = cells.type
        if pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind):
            return self._read(cells)
        part = condense(cells, self.column.name, self.marks, self.decimal)
        if isinstance(part, Coded):  # booleans, or whole numbers beyond doubles
            return self._read(part.array.cast(pa.large_string()))
        if part.dated and self.column.unit != "date":
            bad = np.flatnonzero(~np.isnan(part.values))
            first = None if not len(bad) else (int(bad[0]), str(cells[int(bad[0])]))
            return self._tidy(np.full(len(part), np.nan), len(bad), first)
        return self._tidy(part.values, 0, None)

    def _read(self, cells: pa.Array) -> Found:
        dated = self.column.unit == "date"
        parsed = strings.numbers(cells, self.marks, self.decimal, dates=dated)
        wanted = (CellKind.DATE,) if dated else READABLE
        wrong = len(cells) - parsed.count(CellKind.MISSING, *wanted)
        if not wrong:
            return self._tidy(parsed.values, 0, None)
        bad = ~among(parsed.kinds, (CellKind.MISSING, *wanted))
        first = int(bad.argmax())
        return self._tidy(np.where(bad, np.nan, parsed.values), wrong, (first, cells[first].as_py()))

    def numbers(self, found: Floats | Distinct) -> NDArray[np.float64]:
        """Return values[row] of cells that were read before: what is no number is missing."""
        if not isinstance(found, Distinct):
            return found.values  # a survey keeps numbers tidy
        wanted = (CellKind.DATE,) if self.column.unit == "date" else READABLE
        parsed = strings.numbers(found.values, (), self.decimal, dates=True)
        values = np.where(among(parsed.kinds, wanted), parsed.values, np.nan)
        by_code = tidied(np.append(values, np.nan), self.sentinels)
        out: NDArray[np.float64] = by_code[found.codes]
        return out

    def _tidy(self, values: NDArray[np.float64], unreadable: int, bad: tuple[int, str] | None) -> Found:
        """Return the values with marks and allowed infinities missing and without -0.0."""
        values = values + 0.0
        if len(self.sentinels):
            values[np.isin(values, self.sentinels)] = np.nan
        infinite = np.isinf(values)
        if infinite.any():
            if self.inf_missing:
                values[infinite] = np.nan
            else:
                unreadable += int(infinite.sum())
                bad = bad or (int(infinite.argmax()), "inf")
                values[infinite] = np.nan
        return Found(values, int(np.isnan(values).sum()), 0, unreadable, bad)


def tidied(values: NDArray[np.float64], sentinels: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return values with marks and infinities missing and without -0.0; the same array if it is fine."""
    scan = kernels.scan(values)
    fine = scan.first_infinity < 0 and not (scan.low <= 0 <= scan.high)
    if fine and not len(sentinels):
        return values
    values = values + 0.0
    values[np.isinf(values) | np.isin(values, sentinels)] = np.nan
    return values
