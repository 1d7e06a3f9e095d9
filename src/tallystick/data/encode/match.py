"""New rows to the codes and values of a known schema, batch by batch.

Knows schemas and new cells. Knows nothing of how the schema was found.
Law: a row's codes depend on the row and the schema alone; columns go by name, others are ignored.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from tallystick import contracts
from tallystick.contracts import Source
from tallystick.data.encode import strings
from tallystick.data.encode.cells import WRITTEN_NUMBERS, Coded, among, condense
from tallystick.data.encode.codes import recode
from tallystick.data.encode.column import mark_numbers, text_cells
from tallystick.data.encode.gather import batch_columns
from tallystick.data.encode.table import Block
from tallystick.data.encode.wholes import Wholes, by_table, level_code, text_table
from tallystick.data.encode.words import Vocabulary, match_words
from tallystick.data.encode.work import in_order, thread_count
from tallystick.data.schema import CODED, Column, Note, Reading, Schema
from tallystick.data.source.values import number_text
from tallystick.errors import DataError, OptionError, counted, nearest, shown, some
from tallystick.kernels import CellKind

READABLE = (*WRITTEN_NUMBERS, CellKind.LEADING_ZEROS, CellKind.INEXACT)


@dataclass(frozen=True)
class Matched:
    """New rows from row `start` on; per column, how many cells were missing, unseen or unreadable."""

    block: Block
    start: int
    missing: Mapping[str, int]
    unseen: Mapping[str, int]
    unreadable: Mapping[str, int]
    notes: tuple[Note, ...] = ()


@dataclass(frozen=True)
class _Found:
    """One column of a batch. bad: the first unreadable cell as (row, text)."""

    data: Any
    missing: int
    unseen: int = 0
    unreadable: int = 0
    bad: tuple[int, str] | None = None


def match(
    source: Source,
    schema: Schema,
    *,
    lenient: bool = False,
    missing_columns: str = "error",
    threads: int | None = None,
) -> Iterator[Matched]:
    """Encode new rows by a known schema, batch by batch. lenient: what is no number counts as missing."""
    absent = _absent(source, schema, missing_columns)
    notes = _absent_notes(source, absent)
    reading = getattr(source, "reading", Reading())
    matchers = [Matcher(c, schema.marks, reading.decimal, reading.inf == "missing") for c in schema.used]
    if len(matchers) == 1:
        matchers[0].threads = thread_count(threads)
    names = [c.name for c in schema.used if c.name not in absent]
    start = 0
    jobs = (_bind(load, matchers) for load in batch_columns(source, names))
    for rows, found in in_order(jobs, threads):
        if not lenient:
            _refuse_unreadable(found, start)
        yield Matched(
            Block(rows, {n: f.data for n, f in found.items()}),
            start,
            {n: f.missing for n, f in found.items()},
            {n: f.unseen for n, f in found.items()},
            {n: f.unreadable for n, f in found.items()},
            notes,
        )
        start += rows


def outside(block: contracts.Block, schema: Schema) -> dict[str, NDArray[np.bool_]]:
    """Return, of each numeric column that has such a value, which rows lie outside the range of the fit."""
    found = {}
    for column in schema.used:
        if column.kind == "numeric" and column.low is not None and column.high is not None:
            values = block.values(column.name)
            beyond = (values < column.low) | (values > column.high)  # a missing value is neither
            if beyond.any():
                found[column.name] = beyond
    return found


def _absent(source: Source, schema: Schema, missing_columns: str) -> list[str]:
    if missing_columns not in ("error", "as-missing"):
        raise OptionError(f"missing_columns is {shown(missing_columns)}. Use 'error' or 'as-missing'.")
    there = set(source.columns)
    absent = [c.name for c in schema.used if c.name not in there]
    if absent and missing_columns == "error":
        raise DataError(
            f"{source.name} lacks {len(absent)} column{'s' * (len(absent) > 1)} that the model needs: "
            f"{some(absent)}.{nearest(absent[0], source.columns)} "
            "Add what is lacking, or pass missing_columns='as-missing'."
        )
    return absent


def _absent_notes(source: Source, absent: list[str]) -> tuple[Note, ...]:
    text = f"{source.name} lacks {counted(len(absent), 'column')}; counted as missing: {some(absent)}."
    return (Note("columns-as-missing", text, count=len(absent)),) if absent else ()


def _bind(load: Callable[[], Any], matchers: list[Matcher]) -> Callable[[], tuple[int, dict[str, _Found]]]:
    def run() -> tuple[int, dict[str, _Found]]:
        rows, cells = load()
        return rows, {m.column.name: m.run(cells.get(m.column.name), rows) for m in matchers}

    return run


def _refuse_unreadable(found: Mapping[str, _Found], start: int) -> None:
    for name, f in found.items():
        if f.bad is not None:
            row, text = f.bad
            raise DataError(
                f"column {shown(name)} was numeric when the model was fitted, but row {start + row + 1:,} "
                f"holds {shown(text)}. Correct it, or pass lenient=True to count such cells as missing."
            )


class Matcher:
    """New cells of one known column to its codes, values or words."""

    def __init__(self, column: Column, marks: tuple[str, ...], decimal: str, inf_missing: bool) -> None:
        self.column, self.marks, self.decimal, self.inf_missing = column, marks, decimal, inf_missing
        self.sentinels = mark_numbers(marks)
        self.threads = 1  # more than one when no other column waits
        self.tables: dict[int, NDArray[Any]] = {}  # by base: the code of each small whole number
        self.vocabulary = Vocabulary(column.words) if column.kind == "text" else None

    def run(self, cells: Any, rows: int) -> _Found:
        """Return the column of one batch; cells are Arrow, a view of a matrix, or None: no such column."""
        if cells is None:
            cells = pa.nulls(rows)
        if self.vocabulary is not None:
            return self._words(cells, self.vocabulary)
        if isinstance(cells, Wholes):
            if self.column.kind in CODED and not len(self.sentinels):
                return self._whole_codes(cells)
            cells = pa.array(cells.values().astype(np.int64))
        if self.column.kind in CODED:
            return self._codes(cells)
        return self._values(cells)

    def _as_texts(self, cells: Any) -> Coded:
        array = pa.array(np.ascontiguousarray(cells)) if isinstance(cells, np.ndarray) else cells
        part = condense(array, self.column.name, self.marks, self.decimal, as_text=True)
        assert isinstance(part, Coded)
        return part

    def _words(self, cells: Any, vocabulary: Vocabulary) -> _Found:
        texts = text_cells(self._as_texts(cells).array, self.marks)
        counts = match_words(texts, vocabulary, threads=self.threads)
        unseen = int(counts.counts[counts.words == len(self.column.words)].sum())
        return _Found(counts, texts.null_count, unseen)

    def _whole_codes(self, cells: Wholes) -> _Found:
        k = len(self.column.levels)
        if cells.base not in self.tables:
            code = level_code(self.column.levels, k + 1)
            known = text_table(cells.base, lambda t: code(self._alias(t, float(t))), strings.code_type(k))
            self.tables[cells.base] = known
        table = self.tables[cells.base]
        codes = by_table(cells, table)
        unseen = int(np.count_nonzero(codes == k + 1)) if (table[cells.used] == k + 1).any() else 0
        return _Found(codes, 0, unseen)

    def _codes(self, cells: Any) -> _Found:
        k = len(self.column.levels)
        found = strings.distinct([self._as_texts(cells).array], self.marks)
        codes = recode(found.codes, self._meant(found.values), self.column.levels, unseen=True)
        return _Found(codes, int((codes == k).sum()), int((codes == k + 1).sum()))

    def _meant(self, texts: pa.LargeStringArray) -> pa.LargeStringArray:
        """Return each text as the level it means: 1.0 is "1"; TRUE is "true", or "1" of levels 0 and 1."""
        levels = self.column.levels
        if pc.all(pc.is_in(texts, pa.array(levels, pa.large_string()))).as_py() is not False:
            return texts
        parsed = strings.numbers(texts, (), self.decimal)
        written = texts.to_pylist()
        for i in np.flatnonzero(
            among(parsed.kinds, (CellKind.NUMBER, CellKind.INTEGER, CellKind.BOOLEAN))
        ).tolist():
            if written[i] not in levels:
                written[i] = self._alias(written[i], float(parsed.values[i]))
        return pa.array(written, pa.large_string())

    def _alias(self, text: str, value: float) -> str:
        levels = self.column.levels
        plain = text.lower() if np.isnan(value) else number_text(value)
        if plain not in levels and self.column.kind == "boolean" and plain in ("0", "1", "false", "true"):
            return levels[plain in ("1", "true")]
        return plain if plain in levels else text

    def _values(self, cells: Any) -> _Found:
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

    def _read(self, cells: pa.Array) -> _Found:
        dated = self.column.unit == "date"
        parsed = strings.numbers(cells, self.marks, self.decimal, dates=dated)
        wanted = (CellKind.DATE,) if dated else READABLE
        wrong = len(cells) - parsed.count(CellKind.MISSING, *wanted)
        if not wrong:
            return self._tidy(parsed.values, 0, None)
        bad = ~among(parsed.kinds, (CellKind.MISSING, *wanted))
        first = int(bad.argmax())
        return self._tidy(np.where(bad, np.nan, parsed.values), wrong, (first, cells[first].as_py()))

    def _tidy(self, values: NDArray[np.float64], unreadable: int, bad: tuple[int, str] | None) -> _Found:
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
        return _Found(values, int(np.isnan(values).sum()), 0, unreadable, bad)
