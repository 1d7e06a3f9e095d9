"""Encoding of batches by a decision: cells of known columns to codes, values or words.

- `Matcher`: new cells of one known column; `Found` is its result. `PartMatcher`: parts of dates, as a number
  or the code of a weekday. `matcher_of()` chooses.
- Entry: `Encoder(decision).block(batch)`.

Laws: a cell's code depends on the cell and the column alone; a batch encoded again, from its cells or from
its surveyed parts, is the same block.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from tallystick.io.frames import filled, from_numbers, from_texts
from tallystick.kernels.text import CellKind
from tallystick.parallel import checkpoint
from tallystick.schema import ABSENT, CODED, NUMBER_MARKS, Column, meanings, spelt
from tallystick.table import strings
from tallystick.table.block import RowBlock, WordCounts, class_type, code_type, join_words
from tallystick.table.cells import (
    WRITTEN_NUMBERS,
    Coded,
    Floats,
    SmallIntegers,
    among,
    as_utf8,
    by_table,
    condense,
    fill_table,
    floats,
    level_code,
    mark_numbers,
    text_cells,
    tidied,
)
from tallystick.table.column_survey import BatchWords, Piece
from tallystick.table.disk import PlacesInMemory
from tallystick.table.kinds import read_in
from tallystick.table.lazy_columns import LaterColumn
from tallystick.table.strings import Distinct, Vocabulary, match_words
from tallystick.table.subset import known_words, take_words
from tallystick.table.survey import Decision, ScannedBatch
from tallystick.table.target import TargetCells, hit, kept_rows, weight_numbers
from tallystick.text import label_form, number_text, part_values, way_of, weekday_codes

# ---- new cells of one known column ----

SAME_VALUES = ("0", "1", "false", "true")  # of booleans: 1 for true is the same value and gets no note
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
                written[i], found = self._alias(text, float(parsed.values[i]) if looked[i] else np.nan)
                meant |= {text: written[i]} if found else {}
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
        is_known = plain not in SAME_VALUES or not set(self.column.levels) <= {*SAME_VALUES, ABSENT}
        return self.meanings.get(plain, text), is_known and plain in self.meanings

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


# ---- new cells of dates, as one of their parts ----
# Law: the part is that of the day number which the column of dates itself has.


class PartMatcher(Matcher):
    """New cells of dates to a part of them."""

    def __init__(self, column: Column, marks: tuple[str, ...], decimal: str, inf_missing: bool) -> None:
        super().__init__(column, marks, decimal, inf_missing)
        whole = Column(column.of, "numeric", unit="date", written=column.written, marks=column.marks)
        self.days = Matcher(whole, marks, decimal, inf_missing)

    def run(self, cells: Any, rows: int) -> Found:
        """Return the column of one batch; what is not a date is counted at the dates themselves."""
        found = self.days.run(cells, rows)
        return replace(found, data=self._part(found.data), unreadable=0)

    def part(self, found: Any) -> NDArray[Any]:
        """Return the part of cells that were read before."""
        return self._part(self.days.numbers(found))

    def _part(self, days: NDArray[Any]) -> NDArray[Any]:
        values = part_values(days, self.column.part)
        return weekday_codes(values) if self.column.part == "weekday" else values


def matcher_of(column: Column, marks: tuple[str, ...], decimal: str, inf_missing: bool) -> Matcher:
    """Return what reads the cells of a column."""
    kind = PartMatcher if column.part else Matcher
    return kind(column, marks, decimal, inf_missing)


class Encoder:
    """What turns batches into blocks; made once, used for any number of batches, and can be pickled."""

    def __init__(self, decision: Decision) -> None:
        self.decision = decision
        q, schema = decision.question, decision.schema
        self.matchers = [matcher_of(c, schema.marks, q.plan.decimal, True) for c in schema.used]
        self.finite = {  # numbers among which the survey found none that mean missing
            m.column.name
            for m in self.matchers
            if m.column.kind == "numeric"
            and not m.column.part
            and not len(m.sentinels)
            and q.plan.of(m.column.name).inf != "missing"
        }

    def __reduce__(self) -> Any:
        return Encoder, (self.decision,)

    def block(self, batch: Any, target: Any = None, weights: Any = None) -> RowBlock:
        """Return the rows of a batch that count; target, weights: for its rows, where they are apart."""
        q = self.decision.question
        at = {name: j for j, name in enumerate(q.columns)}
        if q.target is not None and q.target not in q.apart:
            target = batch.column(at[q.target])
        if q.weights is not None and q.weights not in q.apart:
            weights = batch.column(at[q.weights])
        found = hit(target, q.target or "", q.plan, q.regression)
        real = None if weights is None else weight_numbers(weights)
        keep = kept_rows(found.absent, real)
        if keep is not None:
            batch = batch.take(keep)
        columns = {}
        for matcher in self.matchers:
            name = matcher.column.name
            columns[name] = self._known(matcher, batch.column(at[matcher.column.cells]), batch.num_rows)
        classes = self.classes(found)
        return RowBlock(
            batch.num_rows,
            columns,
            cut(classes, keep),
            cut(found.response, keep),
            None if real is None else self.weights(real if keep is None else real[keep]),
        )

    def cells(self, name: str, cells: Any) -> Any:
        """Return the data of some cells of one column."""
        matcher = next(m for m in self.matchers if m.column.name == name)
        return self._known(matcher, cells, len(cells))

    def unchanged(self) -> set[str]:
        """Return the columns of numbers whose cells, where all are finite, are their values."""
        cells = Counter(m.column.cells for m in self.matchers)  # those of dates may have parts as well
        return {
            m.column.name
            for m in self.matchers
            if m.column.kind == "numeric"
            and m.column.cells == m.column.name
            and cells[m.column.name] == 1
            and not len(m.sentinels)
        }

    def taken(self, taken: ScannedBatch, but: Collection[str] = ()) -> RowBlock:
        """Return the rows of a batch as a survey saw them, without some columns."""
        columns = {
            m.column.name: cut_words(self._read(m, taken.columns[m.column.cells]), taken.keep)
            for m in self.matchers
            if m.column.name not in but
        }
        return RowBlock(taken.rows if taken.keep is None else len(taken.keep), columns, *self.rest(taken))

    def rest(self, taken: ScannedBatch) -> tuple[Any, Any, Any]:
        """Return classes, response and weights of the rows of a batch that count."""
        keep = taken.keep
        real = None if taken.weights is None else cut(taken.weights, keep)
        weights = None if real is None else self.weights(real)
        return cut(self.classes(taken.hit), keep), cut(taken.hit.response, keep), weights

    def column(self, matcher: Matcher, batches: Sequence[ScannedBatch], places: PlacesInMemory) -> Any:
        """Return one column's data of all batches, one after the other: a view where one batch has it so, or
        where they lie in their places; or what becomes doubles later.
        """
        checkpoint()
        name = matcher.column.cells
        alone = len(batches) == 1
        if alone and batches[0].keep is None and (later := self._later(matcher, batches[0].columns[name])):
            return later
        parts = [cut_words(self._read(matcher, t.columns[name], alone), t.keep) for t in batches]
        if len(parts) == 1:
            return parts[0]
        if matcher.column.kind == "text":
            return join_words(parts)
        if matcher.column.kind != "numeric" or matcher.column.name != name:
            return np.concatenate(parts)
        cells = (t.columns[name] for t in batches)
        return places.joined(name, [c.values if isinstance(c, Floats) else None for c in cells], parts)

    def _read(self, matcher: Matcher, found: Piece, alone: bool = False) -> Any:
        """Return a column's data from what the survey saw of it. alone: there is no other batch."""
        column = matcher.column
        if isinstance(matcher, PartMatcher):
            return matcher.part(found)
        if isinstance(found, BatchWords):
            if alone and len(found.words) == len(column.words):
                return found.rows  # no word was left out, and there are no others
            return known_words(found.words, found.rows, matcher.known)
        if column.kind == "numeric":
            return matcher.numbers(found)
        if isinstance(found, Distinct):
            return matcher.coded(found)
        if isinstance(found, SmallIntegers) and ABSENT not in column.levels:
            table = np.zeros(256, np.uint8)
            fill_table(table, found.used, found.base, level_code(column.levels, 2))
            return by_table(found, table)
        return number_codes(matcher.numbers(found), column.levels)

    def _later(self, matcher: Matcher, found: Piece) -> LaterColumn | None:
        """Return numbers of which all rows count and that may wait until they are asked for; None: others."""
        if not isinstance(found, Floats) or not isinstance(found.given, LaterColumn):
            return None
        plain = matcher.column.kind == "numeric" and not isinstance(matcher, PartMatcher)
        finite = found.scan is not None and found.scan.first_infinity < 0
        return found.given if plain and finite and not len(matcher.sentinels) else None

    def _known(self, matcher: Matcher, cells: Any, rows: int) -> Any:
        """Return a column's data; every level was surveyed, so what is not a level was taken as missing."""
        if matcher.column.name in self.finite and is_number(cells.type):
            return floats(cells) + 0.0  # never -0.0
        data = matcher.run(cells, rows).data
        return _known_codes(data, len(matcher.column.levels)) if matcher.column.kind in CODED else data

    def classes(self, found: TargetCells) -> NDArray[Any] | None:
        """Return classes[row] of a batch; rows without one have some class, and are to be dropped."""
        if found.labels is None:
            return None
        table, codes = class_table(found.labels, self.decision), found.labels.codes
        if table.dtype == codes.dtype and np.array_equal(table[:-1], np.arange(len(table) - 1)):
            return codes  # rows without a label have a code beyond the classes: they are dropped
        return table[codes]  # type: ignore[no-any-return]

    def weights(self, real: NDArray[np.float64]) -> NDArray[np.int64] | None:
        """Return weights[row] in units of the table; None where all are 1."""
        if self.decision.unit is None:
            return None
        if self.decision.unit == 1:
            return real.astype(np.int64)
        return self.decision.scale.units(real)


def number_codes(values: NDArray[np.float64], levels: tuple[str, ...]) -> NDArray[np.uint8]:
    """Return the codes of numbers that are levels: 0 and 1, or one value and missing."""
    there = ~np.isnan(values)
    if ABSENT in levels:
        return there.astype(np.uint8)
    return np.where(there, values, 2).astype(np.uint8)


def is_number(kind: pa.DataType) -> bool:
    """Are cells of this type numbers that doubles hold?"""
    whole = pa.types.is_integer(kind) and kind.bit_width < 64
    return bool(whole or pa.types.is_floating(kind))


def _known_codes(codes: NDArray[Any], k: int) -> NDArray[Any]:
    return np.where(codes == k + 1, np.array(k, codes.dtype), codes) if (codes == k + 1).any() else codes


def class_table(labels: Distinct, decision: Decision) -> NDArray[Any]:
    """Return class[text] of the labels of a batch, and 0 for rows without one."""
    target = decision.schema.predicted
    at = {label: code for code, label in enumerate(target.labels)}
    parsed = strings.numbers_of(labels.values, decision.question.plan.decimal)
    merged = dict(target.merged)
    forms = [
        merged.get(text) or label_form(text, value, target.type)
        for text, value in zip(labels.values.to_pylist(), parsed.values.tolist(), strict=True)
    ]
    return np.array([at[form] for form in forms] + [0], class_type(len(target.labels)))


def cut_words(data: Any, keep: NDArray[np.int64] | None) -> Any:
    """Return the kept rows of a column."""
    return take_words(data, keep) if isinstance(data, WordCounts) and keep is not None else cut(data, keep)


def cut(array: Any, keep: NDArray[np.int64] | None) -> Any:
    """Return the kept rows of an array."""
    return array if array is None or keep is None else array[keep]
