"""One column from parts to codes or values: merge, judge, encode.

Knows one column at a time. Knows nothing of the table around it, nor of containers.
Law: the answer depends on the multiset of cells (and their place) alone, not on how they were cut into parts.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tallystick import kernels
from tallystick.data.encode import strings
from tallystick.data.encode.cells import WRITTEN_NUMBERS, Coded, Floats, Part, among, as_utf8
from tallystick.data.encode.codes import recode
from tallystick.data.encode.infer import (
    Asked,
    NumberFacts,
    TextFacts,
    Verdict,
    fills_its_range,
    judge_numbers,
    judge_texts,
    number_cure,
    number_marks,
)
from tallystick.data.encode.wholes import Wholes, by_table, level_code, text_facts, text_table
from tallystick.data.encode.work import checkpoint
from tallystick.data.schema import ABSENT, CODED, Column, Note
from tallystick.data.source.arrays import from_numbers, from_texts, to_numbers
from tallystick.data.source.values import number_text
from tallystick.errors import DataError, shown
from tallystick.kernels import CellKind, Parsed, Scan

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tallystick.data.encode.weights import Scale

PLAIN_NUMBERS = (CellKind.NUMBER, CellKind.INTEGER)
NEGATIVE_ZERO = np.int64(-(2**63))  # the bits of -0.0


@dataclass(frozen=True)
class Decided:
    """What a column is, and what has to be said about it."""

    column: Column
    notes: tuple[Note, ...] = ()


@dataclass(frozen=True)
class Done:
    """A column, decided and encoded."""

    column: Column
    data: Any
    notes: tuple[Note, ...]


@dataclass(frozen=True)
class Job:
    """All that is needed to decide and encode one column. parts(True) gives every part as texts."""

    name: str
    parts: Callable[[bool], list[Part]]
    asked: Asked
    scale: Scale
    threads: int = 1  # more than one when no other column waits

    def run(self) -> Done:
        """Look at the cells, judge the column, encode it."""
        with as_utf8(self.name):
            return self._run()

    def _run(self) -> Done:
        if self.asked.kind == "out":
            return self._out(Verdict("out", "as asked"), 0)
        parts = self.parts(self.asked.wants_text)
        if len(parts) == 1 and isinstance(parts[0], Wholes):
            if self.scale.keep is None and not len(mark_numbers(self.asked.marks)):
                return self._wholes(parts[0])
            parts = [long_way(parts[0], self.asked.wants_text)]
        if all(isinstance(part, Floats) for part in parts) and len({p.dated for p in parts}) <= 1:  # type: ignore[union-attr]
            return self._numbers(*joined(parts), Verdict("numbers", ""))
        return self._texts(parts)

    # ---- numbers ----

    def _numbers(self, values: NDArray[np.float64], dated: bool, scan: Scan | None, before: Verdict) -> Done:
        """Judge and encode a column whose every cell is a number or missing."""
        if self.scale.keep is not None:
            values, scan = values[self.scale.keep], None
        checkpoint()
        values, scan, notes = self._tidy(values, scan)
        facts = number_facts(values, scan, self.scale, dated)
        decided = decide_numbers(self.name, self.asked, facts, before, notes)
        data: Any = None if decided.column.kind == "out" else values
        if decided.column.kind == "boolean":
            data = number_codes(values, decided.column.levels)
        return Done(decided.column, data, decided.notes)

    def _wholes(self, part: Wholes) -> Done:
        """Judge and encode a column of small whole numbers, none of them missing."""
        if self.asked.wants_text:
            texts, kinds = text_facts(part)
            ones = np.ones(len(texts), np.int64)  # a wish does not depend on how often a value comes
            verdict = judge_texts(self.name, TextFacts(texts, ones, kinds, self.scale.total, 0), self.asked)
            if verdict.kind not in CODED:
                return self._texts([long_way(part, True)])
            k = len(verdict.levels)
            into = level_code(verdict.levels, k)
            codes = by_table(part, text_table(part.base, into, strings.code_type(k)))
            return Done(self._column(verdict.kind, verdict.levels, 0, verdict.why), codes, verdict.notes)
        low, high = float(part.present[0]), float(part.present[-1])
        run = len(part.used) == self.scale.total and fills_its_range(self.scale.total, low, high)
        binary = low >= 0 and high <= 1 and low < high
        verdict = judge_numbers(
            self.name, NumberFacts(self.scale.total, 0, low, high, True, binary, run), self.asked
        )
        if verdict.kind == "out":
            return self._out(verdict, 0)
        if verdict.kind == "boolean":
            codes = by_table(part, text_table(part.base, level_code(("0", "1"), 2), np.uint8))
            return Done(self._column("boolean", verdict.levels, 0, verdict.why), codes, verdict.notes)
        column = replace(self._column("numeric", (), 0, verdict.why), low=low, high=high)
        return Done(column, part.values(), verdict.notes)

    def _column(self, kind: Any, levels: tuple[str, ...], missing: int, why: str) -> Column:
        return Column(self.name, kind, levels, missing=missing, declared=self.asked.declared, why=why)

    def _out(self, verdict: Verdict, missing: int) -> Done:
        decided = decide_out(self.name, self.asked, verdict, missing)
        return Done(decided.column, None, decided.notes)

    def _tidy(
        self, values: NDArray[np.float64], scan: Scan | None
    ) -> tuple[NDArray[np.float64], Scan, tuple[Note, ...]]:
        """Return the values without -0.0, numeric marks and infinities; those are an error unless allowed."""
        sentinels = mark_numbers(self.asked.marks)
        if len(sentinels) and (hit := np.isin(values, sentinels)).any():
            values, scan = np.where(hit, np.nan, values), None
        scan = scan or kernels.scan(values)
        notes: tuple[Note, ...] = ()
        if scan.first_infinity >= 0:
            infinite = np.isinf(values)
            if self.asked.inf != "missing":
                rows = np.flatnonzero(infinite)
                raise infinite_cells(self.name, len(rows), self.scale.row_numbers(rows[:5]))
            notes = (infinite_note(self.name, self.scale.count(infinite)),)
            values = np.where(infinite, np.nan, values)
            scan = kernels.scan(values)
        if (
            scan.negative_zero
            and scan.low <= 0 <= scan.high
            and (values.view(np.int64) == NEGATIVE_ZERO).any()
        ):
            values = values + 0.0
        return values, scan, notes

    # ---- texts ----

    def _texts(self, parts: list[Part]) -> Done:
        """Judge a column that holds text; parts already read as numbers stand for texts that are numbers."""
        checkpoint()
        if self.asked.kind == "text" and all(isinstance(part, Coded) for part in parts):
            return self._words(parts, Verdict("text", "as asked"))  # which texts are alike decides nothing
        merged = Merged(parts, self.asked, self.scale)
        checkpoint()
        facts = merged.facts(self.name)
        verdict = judge_texts(self.name, facts, self.asked)
        if verdict.kind in ("numbers", "dates") and merged.can_be(verdict.kind):
            return self._numbers(self._read(merged, verdict), verdict.kind == "dates", None, verdict)
        if verdict.kind == "out":
            return self._out(verdict, facts.missing)
        if merged.has_floats:  # some texts were read as numbers and forgotten: look again
            return self._texts(self.parts(True))
        if verdict.kind == "text":
            return self._words(parts, verdict)
        codes = recode(merged.codes, merged.texts, verdict.levels, fold=verdict.fold)
        if self.scale.keep is not None:
            codes = codes[self.scale.keep]
        missing = 0 if ABSENT in verdict.levels else facts.missing
        return Done(self._column(verdict.kind, verdict.levels, missing, verdict.why), codes, verdict.notes)

    def _read(self, merged: Merged, verdict: Verdict) -> NDArray[np.float64]:
        """Return values[row] of texts that are numbers or dates."""
        wanted = [CellKind.DATE] if verdict.kind == "dates" else list(WRITTEN_NUMBERS)
        if self.asked.kind == "numeric":
            wanted += [CellKind.LEADING_ZEROS, CellKind.INEXACT]
            self._refuse_unreadable(merged, wanted)
        return merged.values(wanted)

    def _refuse_unreadable(self, merged: Merged, wanted: list[CellKind]) -> None:
        known = among(merged.parsed.kinds, [*wanted, CellKind.MISSING])
        strange = np.append(~known & ~number_marks(merged.texts, merged.parsed.kinds), False)
        bad = np.flatnonzero(strange[merged.codes])
        if self.scale.keep is not None:
            bad = np.intersect1d(bad, self.scale.keep)
        if len(bad):
            example = merged.texts[int(merged.codes[bad[0]])].as_py()
            raise unreadable_cells(self.name, len(bad), int(bad[0]), example)

    def _words(self, parts: list[Part], verdict: Verdict) -> Done:
        from tallystick.data.encode.subset import common_words
        from tallystick.data.encode.words import count_words

        cells = pa.chunked_array(
            [text_cells(p.array, self.asked.marks) for p in parts if isinstance(p, Coded)]
        )
        if self.scale.keep is not None:
            cells = cells.take(from_numbers(self.scale.keep))
        missing = self.scale.total - self.scale.count(cells.is_valid().to_numpy()) if cells.null_count else 0
        words, counts = count_words(cells, threads=self.threads, min_letters=self.asked.min_letters)
        column = replace(
            self._column("text", (), missing, verdict.why), words=words, least=self.asked.min_count
        )
        found, counts = common_words(column, counts, self.scale)
        lost = len(words) - len(found.words)
        said = f"column {shown(self.name)}: words in fewer than {column.least:,} rows are left out."
        rare = (Note("rare-words", said, self.name, lost),) if lost else ()
        return Done(found, counts, (*verdict.notes, *rare))


def decide_numbers(
    name: str, asked: Asked, facts: NumberFacts, before: Verdict, notes: tuple[Note, ...]
) -> Decided:
    """Return what a column of numbers is. before: the verdict that its texts are numbers, if they were texts;
    notes: what was done to the values.
    """
    verdict = judge_numbers(name, facts, asked)
    notes = (*before.notes, *notes, *verdict.notes)
    why = before.why if verdict.kind == "numeric" and before.notes else verdict.why
    if verdict.kind == "out":
        return decide_out(name, asked, replace(verdict, notes=notes), facts.missing)
    known = facts.missing < facts.total and verdict.kind == "numeric"
    column = Column(
        name,
        verdict.kind,  # type: ignore[arg-type]
        verdict.levels,
        low=facts.low if known else None,
        high=facts.high if known else None,
        unit="date" if facts.dated else "",
        missing=0 if ABSENT in verdict.levels else facts.missing,
        declared=asked.declared,
        why=why,
    )
    return Decided(column, notes)


def number_codes(values: NDArray[np.float64], levels: tuple[str, ...]) -> NDArray[np.uint8]:
    """Return the codes of numbers that are levels: 0 and 1, or one value and missing."""
    there = ~np.isnan(values)
    if ABSENT in levels:
        return there.astype(np.uint8)
    return np.where(there, values, 2).astype(np.uint8)


def decide_out(name: str, asked: Asked, verdict: Verdict, missing: int) -> Decided:
    """Return a column that is left out."""
    column = Column(name, "out", missing=missing, declared=asked.kind == "out", why=verdict.why)
    return Decided(column, verdict.notes)


def infinite_note(name: str, count: int) -> Note:
    """Return what is said where infinite values are allowed."""
    return Note(
        "infinite-as-missing", f"column {shown(name)}: infinite values count as missing.", name, count
    )


def infinite_cells(name: str, count: int, rows: list[int]) -> DataError:
    """Return the error of infinite values; rows: the first of them, none where rows have no numbers."""
    listed = ", ".join(f"{row + 1:,}" for row in rows)
    where = f" (row {listed}{', …' * (count > len(rows))})" if rows else ""
    return DataError(
        f"column {shown(name)} holds {count:,} infinite value{'s' * (count > 1)}{where}. "
        "Make them missing (NaN), or pass inf='missing' to ts.read."
    )


def unreadable_cells(name: str, count: int, row: int, example: str) -> DataError:
    """Return the error of cells that are to be numbers and are none; row: of the example, -1 if unknown."""
    where = f" in row {row + 1:,}" if row >= 0 else ""
    wrong = "1 cell is no number" if count == 1 else f"{count:,} cells are no numbers"
    return DataError(
        f"column {shown(name)} is to be numeric, but {wrong}, "
        f"e.g. {shown(example)}{where}. {number_cure(example)}"
    )


def long_way(part: Part, as_text: bool) -> Part:
    """Return small whole numbers as any other part; other parts as they are."""
    if not isinstance(part, Wholes):
        return part
    return Coded(part.texts(), written=False) if as_text else Floats(part.values())


def text_cells(coded: pa.DictionaryArray, marks: tuple[str, ...]) -> pa.LargeStringArray:
    """Return the texts themselves, null where missing."""
    texts = coded.dictionary.cast(pa.large_string())
    marked = pc.is_in(pc.ascii_trim(texts, strings.SPACES), from_texts(marks))
    cells = pc.if_else(marked, None, texts) if pc.any(marked).as_py() else texts
    every = np.arange(len(texts))
    if coded.indices.null_count == 0 and np.array_equal(to_numbers(coded.indices), every):
        return cells  # texts that were not looked at for copies
    return cells.take(coded.indices)


class Merged:
    """The parts of a text column as one: texts[k] sorted, codes[row] with k for missing, parsed as numbers.

    Rows of parts that were read as numbers have the code k too; `numbers` holds their values.
    """

    def __init__(self, parts: list[Part], asked: Asked, scale: Scale) -> None:
        self.parts, self.scale = parts, scale
        self.has_floats = any(isinstance(part, Floats) for part in parts)
        coded = [part.array for part in parts if isinstance(part, Coded)]
        found = strings.distinct(coded, asked.marks)
        self.texts, codes = found.values, found.codes
        self.parsed = strings.numbers_of(self.texts, asked.decimal)
        if asked.wants_text:
            self.texts, self.parsed, into = in_one_way(self.texts, self.parsed)
            codes = codes if into is None else into[codes]
        self.codes = self._spread(codes) if self.has_floats else codes
        self.order = _order(coded, self.texts)

    def _spread(self, codes: NDArray[Any]) -> NDArray[Any]:
        pieces, start = [], 0
        for part in self.parts:
            if isinstance(part, Floats):
                pieces.append(np.full(len(part), len(self.texts), codes.dtype))
            else:
                pieces.append(codes[start : start + len(part)])
                start += len(part)
        return np.concatenate(pieces)

    def values(self, wanted: list[CellKind]) -> NDArray[np.float64]:
        """Return values[row]: those of wanted kinds of text, and of the parts read before."""
        by_code = np.where(among(self.parsed.kinds, wanted), self.parsed.values, np.nan)
        values: NDArray[np.float64] = np.append(by_code, np.nan)[self.codes]
        start = 0
        for part in self.parts:
            if isinstance(part, Floats):
                values[start : start + len(part)] = part.values
            start += len(part)
        return values

    def facts(self, name: str) -> TextFacts:
        """Return what the judge wants to know: only texts that some counted row holds."""
        keep, k = self.scale.keep, len(self.texts)
        codes = self.codes if keep is None else self.codes[keep]
        counts = self.scale.counts(codes, k + 1)
        texts, kinds, used = self.texts, self.parsed.kinds, counts[:k]
        if keep is not None and (used == 0).any():
            texts, kinds, used = texts.filter(from_numbers(used > 0)), kinds[used > 0], used[used > 0]
        numbers, dates = self._read_before()
        missing = self.scale.total - int(used.sum()) - numbers - dates
        return TextFacts(texts, used, kinds, self.scale.total, missing, self.order, numbers, dates)

    def _read_before(self) -> tuple[int, int]:
        """Return the counted rows of parts that were read as numbers, and as dates."""
        if not self.has_floats:
            return 0, 0
        there = []
        for dated in (False, True):
            rows = [
                ~np.isnan(p.values) if isinstance(p, Floats) and p.dated == dated else np.zeros(len(p), bool)
                for p in self.parts
            ]
            there.append(self.scale.count(self.scale.cut(np.concatenate(rows))))
        return there[0], there[1]

    def can_be(self, kind: str) -> bool:
        """Were all parts that are no texts any more read as this kind?"""
        return all(p.dated == (kind == "dates") for p in self.parts if isinstance(p, Floats))


def in_one_way(
    texts: pa.LargeStringArray, parsed: Parsed
) -> tuple[pa.LargeStringArray, Parsed, NDArray[Any] | None]:
    """Write texts that are all numbers in one way: 1.0 and 1 are one level, in a file as in a frame.

    Returns the texts, what they read as, and into[old code], missing last; None when nothing changes.
    """
    if not len(texts) or not among(parsed.kinds, PLAIN_NUMBERS).all():
        return texts, parsed, None
    written = from_texts([number_text(value) for value in parsed.values.tolist()])
    again = strings.distinct(
        [pa.DictionaryArray.from_arrays(np.arange(len(written), dtype=np.int32), written)]
    )
    into = np.append(again.codes, len(again.values)).astype(strings.code_type(len(again.values)))
    return again.values, strings.numbers(again.values, (), ".", dates=True), into


def _order(coded: list[pa.DictionaryArray], texts: pa.LargeStringArray) -> tuple[str, ...] | None:
    """Return the used texts in the order the dictionaries give them, None when they have no order."""
    if not coded or not all(pa.types.is_dictionary(c.type) and c.type.ordered for c in coded):
        return None
    listed = [t.strip(strings.SPACES) for c in coded for t in c.dictionary.to_pylist() if t is not None]
    used = set(texts.to_pylist())
    return tuple(t for t in dict.fromkeys(listed) if t in used)


def joined(parts: list[Part]) -> tuple[NDArray[np.float64], bool, Scan | None]:
    """Return the values of number parts as one array: a view when there is one part."""
    numbers = [part for part in parts if isinstance(part, Floats)]
    if not numbers:
        return np.empty(0), False, None
    if len(numbers) == 1:
        return numbers[0].values, numbers[0].dated, numbers[0].scan
    return np.concatenate([part.values for part in numbers]), numbers[0].dated, None


@lru_cache(maxsize=64)
def mark_numbers(marks: tuple[str, ...]) -> NDArray[np.float64]:
    """Return the missing marks that are numbers. Shared: nobody writes to it."""
    data, offsets = kernels.join_texts(marks)
    parsed = kernels.parse_numbers(data, offsets, None, ())
    return parsed.values[among(parsed.kinds, PLAIN_NUMBERS)]


def number_facts(values: NDArray[np.float64], scan: Scan, scale: Scale, dated: bool = False) -> NumberFacts:
    """Return what the judge wants to know of a column of numbers."""
    missing = scan.missing if scale.weights is None else scale.count(np.isnan(values))
    if scan.missing == len(values):
        return NumberFacts(scale.total, missing, dated=dated)
    low, high = float(scan.low) + 0.0, float(scan.high) + 0.0
    present = scale.total - missing
    run = scan.whole and fills_its_range(present, low, high) and _distinct(values, low, high) == present
    binary = scan.binary and low < high
    return NumberFacts(scale.total, missing, low, high, scan.whole, binary, run, dated)


def _distinct(values: NDArray[np.float64], low: float, high: float) -> int:
    """Return how many different whole numbers there are between low and high."""
    seen = np.zeros(int(high - low) + 1, bool)
    seen[(values[~np.isnan(values)] - low).astype(np.int64)] = True
    return int(seen.sum())
