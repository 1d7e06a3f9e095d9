"""Survey of one column: mergeable facts about its numbers, dates, texts and words, and the decision.

- `NumbersSeen`, `Places`: counts, range, few distinct values, and whether whole numbers number the rows.
- Entry: `ColumnSurvey` (add, merge, decide); `SecondLook`: what another pass must find out.

measure = 0: rows, 1: copies of rows by weight; prints = hash sums that prove a set of whole numbers.
Law: any partition of the rows and any order of merging give the same facts, and so the same decision.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, Self

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from tallystick import kernels
from tallystick.errors import shown
from tallystick.io.frames import from_numbers, from_texts
from tallystick.kernels.text import CellKind, Parsed
from tallystick.schema import Column, Note
from tallystick.table import strings
from tallystick.table.block import WordCounts, code_type
from tallystick.table.cells import (
    WRITTEN_NUMBERS,
    Coded,
    Floats,
    SmallIntegers,
    among,
    as_utf8,
    mark_numbers,
    text_cells,
)
from tallystick.table.kinds import (
    FEW_VALUES,
    MANY_ROWS,
    Decided,
    KindVerdict,
    NumberFacts,
    TextFacts,
    decide_levels,
    decide_numbers,
    decide_out,
    fills_its_range,
    infinite_cells,
    infinite_note,
    is_row_index,
    judge_texts,
    names_an_index,
    number_marks,
    read_in,
    refuse_numbers,
    unreadable_cells,
)
from tallystick.table.merging import in_order, merged
from tallystick.table.strings import Distinct, TextCounts, counted_words
from tallystick.table.subset import take_words
from tallystick.table.target import RowSelection
from tallystick.table.wishes import Asked
from tallystick.text import number_text

Counts = NDArray[np.int64]
LISTED = 5  # rows listed in an error
LOOKED = 64  # first values, enough to see in most columns that distinct values are many
KEY = kernels.hash_text(b"run")  # hash key of the prints of whole numbers
RANGE = 1 << 18  # whole numbers whose prints are summed at once
ALL = 1 << 128
NONE = [np.zeros(m, np.int64) for m in range(3)]  # by number of measures: shared zeros, never written to


@dataclass
class Places:
    """A bit for each whole number from low to high: 1 where some value is that number."""

    low: float
    high: float
    bits: NDArray[np.uint8] = field(init=False)

    def __post_init__(self) -> None:
        self.bits = np.zeros(int(self.high - self.low) // 8 + 1, np.uint8)

    def add(self, values: NDArray[np.float64]) -> Self:
        """Take in whole numbers of the range."""
        at = (values - self.low).astype(np.int64)
        np.bitwise_or.at(self.bits, at >> 3, np.left_shift(1, at & 7).astype(np.uint8))
        return self

    def merge(self, other: Places) -> Self:
        """Take in the numbers that others saw of the same range."""
        self.bits |= other.bits
        return self

    def count(self) -> int:
        """Return how many different numbers there are."""
        return int(np.bitwise_count(self.bits).sum())


@dataclass
class NumbersSeen:
    """Cells read as numbers. Arrays are [measure], see target.RowSelection.

    rows: all cells of such parts, counted or not. Those with a value are marked (they mean missing), infinite
    or finite. first: the first rows that are infinite. prints: sums that tell whether every whole
    number from low to high is there once; None when some is there twice. places: which whole numbers there
    are, kept in a second look only, when the range is known.
    """

    measures: int
    places: Places | None = None
    distinct: int | None = None  # how many distinct numbers there are, where known
    rows: int = 0
    marked: Counts = field(init=False)
    finite: Counts = field(init=False)
    infinite: Counts = field(init=False)
    low: float = np.inf
    high: float = -np.inf
    whole: bool = True
    binary: bool = True
    first: tuple[int, ...] = ()
    spans: bool = False  # some are durations
    few: frozenset[float] | None = frozenset()  # all different values, if they are whole and few
    prints: list[int] | None = field(init=False)

    def __post_init__(self) -> None:
        self.marked = self.finite = self.infinite = NONE[self.measures]
        self.prints = [0] * self.measures

    @property
    def present(self) -> Counts:
        """Cells with a value."""
        return self.marked + self.infinite + self.finite

    def add(self, part: Floats, marks: tuple[str, ...], chosen: RowSelection) -> None:
        """Add the cells of a batch."""
        self.rows += len(part)
        self.spans = self.spans or part.spans
        sentinels, scan = mark_numbers(marks), part.scan
        if scan is None or scan.first_infinity >= 0 or chosen.keep is not None or len(sentinels):
            values, scan = self._finite(part, sentinels, chosen)
            part = Floats(values)
        missing = scan.missing
        more = chosen.filled(part.values, missing) if missing else chosen.every
        self.finite = more if self.finite is NONE[self.measures] else self.finite + more
        if self._range(scan, len(part) - missing, part.lying):
            good = None if missing == 0 else ~np.isnan(part.values)
            self._count_prints(part.values if good is None else part.values[good], chosen.weights(good))

    def _finite(
        self, part: Floats, sentinels: NDArray[np.float64], chosen: RowSelection
    ) -> tuple[NDArray[np.float64], kernels.Scan]:
        """Return the cells that count, without those that mean missing or are infinite, which are noted, and
        one look at them.
        """
        values = chosen.cut(part.values)
        scan = kernels.scan(values) if part.scan is None or chosen.keep is not None else part.scan
        if len(sentinels) and (hit := np.isin(values, sentinels)).any():
            self.marked = self.marked + chosen.count(hit)
            values = np.where(hit, np.nan, values)
            scan = kernels.scan(values)
        if scan.first_infinity >= 0:
            infinite = np.isinf(values)
            self.infinite = self.infinite + chosen.count(infinite)
            self.first = first_rows(self.first, chosen.row_numbers(np.flatnonzero(infinite)[:LISTED]))
            values = np.where(infinite, np.nan, values)
            scan = kernels.scan(values)
        return values, scan

    def add_small(self, part: SmallIntegers, chosen: RowSelection) -> None:
        """Add small whole numbers, more than can differ, of which all rows count."""
        low, high = part.present[0], part.present[-1]
        self.rows += len(part)
        self.finite = self.finite + chosen.count(None)
        present = np.array(part.present, np.float64)
        if self._range(kernels.Scan(0, -1, low, high, True, low >= 0 and high <= 1), len(part), present):
            self._count_prints(present, None)

    def add_counted(self, values: NDArray[np.float64], counts: Counts, asked: Asked) -> None:
        """Add values[value] that occur counts[value, measure] times; NaN does not count."""
        here = ~np.isnan(values) & (counts[:, 0] > 0)
        values, counts = values[here], counts[here]
        marked = np.isin(values, mark_numbers(asked.marks))
        self.marked = self.marked + counts[marked].sum(axis=0)
        self.infinite = self.infinite + counts[np.isinf(values) & ~marked].sum(axis=0)
        good = good_numbers(values, asked)
        self.finite = self.finite + counts[good].sum(axis=0)
        if self._range(kernels.scan(values[good]), int(good.sum()), values[good]):
            self._count_prints(values[good], counts[good])

    def _range(self, scan: Any, count: int, values: NDArray[Any]) -> bool:
        """Take in the range of so many finite values, and which there are if these are few; say whether the
        values themselves are wanted.
        """
        if not count:
            return False
        low, high = float(scan.low) + 0.0, float(scan.high) + 0.0
        self.low, self.high = min(self.low, low), max(self.high, high)
        self.whole, self.binary = self.whole and scan.whole, self.binary and scan.binary
        if not self.whole or has_repeats(scan, count):
            self.prints = None
        if self.few is not None:
            many = not self.whole or few_values(values[:LOOKED]) is None
            self.few = None if many else few_values(values, self.few)
        return self.places is not None or self.prints is not None

    def _count_prints(self, values: NDArray[np.float64], counts: Counts | None) -> None:
        """Take in finite values; counts[value, measure], None means 1 each."""
        if self.places is not None:
            self.places.add(values)
        if self.prints is not None:
            hashes = np.zeros((2, len(values)), np.uint64)
            kernels.add_double_hashes(hashes, values, KEY)
            for m in range(self.measures):
                weights = None if counts is None else np.ascontiguousarray(counts[:, m])
                self.prints[m] = (self.prints[m] + kernels.sum_hashes(hashes, weights)) % ALL

    def merge(self, other: NumbersSeen) -> None:
        """Take in the cells of other batches."""
        self.rows += other.rows
        self.spans = self.spans or other.spans
        self.marked = self.marked + other.marked
        self.finite = self.finite + other.finite
        self.infinite = self.infinite + other.infinite
        self.low, self.high = min(self.low, other.low), max(self.high, other.high)
        self.whole, self.binary = self.whole and other.whole, self.binary and other.binary
        self.first = first_rows(self.first, other.first)
        if self.places is not None and other.places is not None:
            self.places.merge(other.places)
        both = None if self.few is None or other.few is None else self.few | other.few
        self.few = None if both is None or not self.whole or len(both) > FEW_VALUES else both
        if not self.whole or self.prints is None or other.prints is None:
            self.prints = None
        else:
            self.prints = [(a + b) % ALL for a, b in zip(self.prints, other.prints, strict=True)]

    def facts(self, total: int, m: int, dated: bool) -> NumberFacts:
        """Return what the judge wants to know."""
        finite = int(self.finite[m])
        if not finite:
            return NumberFacts(total, total, dated=dated, spans=self.spans)
        low, high = self.low + 0.0, self.high + 0.0
        run = self.whole and finite == high - low + 1 and self._all_there(m)
        distinct = self.distinct if self.places is None else self.places.count()
        if distinct is not None:
            run = self.whole and fills_its_range(finite, low, high) and distinct == finite
        binary = self.binary and low < high
        few = 0 if self.few is None or not self.whole else len(self.few)
        return NumberFacts(total, total - finite, low, high, self.whole, binary, run, dated, self.spans, few)

    def may_number_rows(self, name: str, facts: NumberFacts) -> bool:
        """Must it be known which whole numbers are there, to tell whether they number the rows?"""
        known = facts.run or self.places is not None or self.distinct is not None
        if known or facts.measured or not facts.whole or facts.missing == facts.total:
            return False
        present = facts.total - facts.missing
        matters = present >= MANY_ROWS or is_row_index(name, facts) or names_an_index(name)
        return matters and fills_its_range(present, facts.low, facts.high)

    def _all_there(self, m: int) -> bool:
        if self.prints is None:
            return False
        wanted, low, size = 0, self.low, int(self.high - self.low) + 1
        for start in range(0, size, RANGE):
            values = low + np.arange(start, min(start + RANGE, size), dtype=np.float64)
            hashes = np.zeros((2, len(values)), np.uint64)
            kernels.add_double_hashes(hashes, values, KEY)
            wanted = (wanted + kernels.sum_hashes(hashes)) % ALL
        return wanted == self.prints[m]


def few_values(values: NDArray[Any], known: frozenset[float] = frozenset()) -> frozenset[float] | None:
    """Return the different numbers among known ones and values, but NaN; None: they are more than a few."""
    found, values = set(known), values[values == values]
    for number in known:
        values = values[values != number]
    while len(values):
        found.add(float(values[0]) + 0.0)
        if len(found) > FEW_VALUES:
            return None
        values = values[values != values[0]]
    return frozenset(found)


def has_repeats(scan: Any, count: int) -> bool:
    """Are so many whole numbers of a range too many to be there once each?"""
    return bool(count > scan.high - scan.low + 1)


def good_numbers(values: NDArray[np.float64], asked: Asked) -> NDArray[np.bool_]:
    """Return which values are finite and no mark."""
    return np.isfinite(values) & ~np.isin(values, mark_numbers(asked.marks))


def first_rows(a: tuple[int, ...], b: Any) -> tuple[int, ...]:
    """Return the first few of two lists of row numbers."""
    return tuple(sorted({*a, *b}))[:LISTED]


# ---- one spelling for texts that are all numbers ----


def in_one_way(
    texts: pa.LargeStringArray, parsed: Parsed
) -> tuple[pa.LargeStringArray, Parsed, NDArray[Any] | None]:
    """Write texts that are all numbers in one way: 1.0 and 1 are one level, in a file as in a frame.

    Returns the texts, what they read as, and into[old code], missing last; None when nothing changes.
    """
    counts = parsed.counts
    if not len(texts) or counts[CellKind.NUMBER] + counts[CellKind.INTEGER] < len(texts):
        return texts, parsed, None
    canonical = [number_text(value) for value in parsed.values.tolist()]
    if canonical == texts.to_pylist():
        return texts, parsed, None
    written = from_texts(canonical)
    again = strings.distinct(
        [pa.DictionaryArray.from_arrays(np.arange(len(written), dtype=np.int32), written)]
    )
    into = np.append(again.codes, len(again.values)).astype(code_type(len(again.values)))
    return again.values, strings.numbers(again.values, (), ".", dates=True), into


# ---- the survey of one column ----


FAMILIES: dict[str, tuple[CellKind, ...]] = {"numbers": WRITTEN_NUMBERS, "dates": (CellKind.DATE,)}
NUMBERS = KindVerdict("numbers", "")
INFINITE_MARKS = ("-inf", "inf")  # of a column whose infinite values counted as missing
LOOSE = (CellKind.LEADING_ZEROS, CellKind.INEXACT)  # numbers too, when the user says that they are


@dataclass(frozen=True)
class SecondLook:
    """What must be looked at again: texts that were read as numbers and forgotten; or, where there are ends,
    which whole numbers between them are there; or the words of texts.
    """

    ends: tuple[float, float] | None = None
    words: bool = False


@dataclass(frozen=True)
class BatchWords:
    """The words of a batch: words[word] sorted, and rows[row] with the number of each. there[row]: it has a
    text, None: all have.
    """

    words: pa.LargeStringArray
    rows: WordCounts
    there: NDArray[np.bool_] | None = None

    @classmethod
    def of(cls, part: Coded | SmallIntegers, asked: Asked, threads: int) -> BatchWords:
        """Return the words of cells."""
        if isinstance(part, SmallIntegers):
            part = Coded(part.texts(), written=False)
        cells = pa.chunked_array([text_cells(array, asked.marks) for array in part.arrays])
        words, rows = counted_words(cells, threads=threads, min_letters=asked.min_letters)
        return cls(words, rows, cells.is_valid().to_numpy() if cells.null_count else None)

    @classmethod
    def among(cls, found: Distinct, asked: Asked, threads: int) -> BatchWords:
        """Return the words of distinct texts: each is looked at once."""
        words, rows = counted_words(found.values, threads=threads, min_letters=asked.min_letters)
        starts = np.append(rows.starts, rows.starts[-1])  # a missing text, behind the last, has no words
        there = found.codes != len(found.values)
        every = take_words(WordCounts(starts, rows.words, rows.counts), found.codes.astype(np.int64))
        return cls(words, every, None if there.all() else there)

    def documents(self, chosen: RowSelection) -> Counts:
        """Return counts[word, measure] of the rows that have it."""
        rows = self.rows if chosen.keep is None else take_words(self.rows, chosen.keep)
        k = len(self.words)
        copies = None if chosen.copies is None else np.repeat(chosen.copies, np.diff(rows.starts))
        weights = [None] if copies is None else [None, copies]
        return np.stack([kernels.count_classes(rows.words, k + 1, w)[:k] for w in weights], axis=1)


Piece = Floats | SmallIntegers | Distinct | BatchWords


@dataclass
class Strange:
    """Cells that are not numbers where numbers were asked for: how many, and the first."""

    count: int = 0
    first: tuple[int, str] | None = None

    def add(self, count: int, first: tuple[int, str] | None) -> None:
        """Take in more."""
        self.count += count
        known = [f for f in (self.first, first) if f is not None]
        self.first = min(known) if known else None


@dataclass
class ColumnSurvey:
    """One column: what was read as numbers, as dates, the distinct texts, and the words of texts."""

    asked: Asked
    measures: int
    text_bytes: int = 0  # see survey.SurveyRequest
    ends: tuple[float, float] | None = None  # of whole numbers of which it must be known which are there
    numbers: NumbersSeen = field(init=False)
    _dates: NumbersSeen | None = None
    _texts: TextCounts | None = None
    words: TextCounts | None = None
    filled: Any = 0  # [measure]: rows that have words
    verdict: KindVerdict | None = None  # that the texts are to be read word by word
    coded: int = 0  # cells of parts that are texts
    order: tuple[str, ...] | None = ()  # as the dictionaries list them; None: some part has no order
    became: frozenset[str] = frozenset()  # spellings that were there, and were merged
    first: tuple[int, ...] = ()  # rows with infinite numbers among the texts
    strange: dict[str, Strange] = field(default_factory=dict)
    _last: tuple[pa.LargeStringArray, Parsed] | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        self.numbers = NumbersSeen(self.measures, None if self.ends is None else Places(*self.ends))

    @property
    def dates(self) -> NumbersSeen:
        """What was read as dates: seldom anything, and so made when it is asked for."""
        self._dates = self._dates or NumbersSeen(self.measures)
        return self._dates

    @property
    def texts(self) -> TextCounts:
        """The texts, and how many rows have each."""
        self._texts = self._texts or TextCounts(self.measures, self.text_bytes)
        return self._texts

    def add(self, part: Piece, chosen: RowSelection) -> None:
        """Add the cells of a batch."""
        if isinstance(part, SmallIntegers):
            if chosen.keep is None:
                self.numbers.add_small(part, chosen)
                return
            part = Floats(part.values())
        if isinstance(part, Floats):
            (self.dates if part.dated else self.numbers).add(part, self.asked.marks, chosen)
            return
        if isinstance(part, BatchWords):
            self._known_words().add(part.words, part.documents(chosen))
            self.filled = self.filled + chosen.count(None if part.there is None else chosen.cut(part.there))
            return
        if not len(part.codes):
            return
        self.coded += len(part.codes)
        self.texts.add(part.values, chosen.counts(part)[:-1])
        both = self.order is not None and part.order is not None
        self.order = tuple(dict.fromkeys((*self.order, *part.order))) if both else None  # type: ignore[misc]
        self._note_rows(part, chosen)

    def _known_words(self) -> TextCounts:
        """Return the words so far; that there are any says that the column is read word by word."""
        self.words = self.words or TextCounts(self.measures, self.text_bytes)
        return self.words

    def _note_rows(self, found: Distinct, chosen: RowSelection) -> None:
        """Remember rows that an error may have to name."""
        parsed = self._parsed(found.values)
        kinds = parsed.kinds
        if parsed.counts[CellKind.INFINITE]:
            infinite = kinds == CellKind.INFINITE
            rows = np.flatnonzero(chosen.cut(np.append(infinite, False)[found.codes]))
            self.first = first_rows(self.first, chosen.row_numbers(rows[:LISTED]))
        if not self.asked.as_numbers:
            return
        for family, wanted in FAMILIES.items():
            known = among(kinds, (*wanted, *LOOSE, CellKind.MISSING)) | number_marks(found.values, kinds)
            strange = np.append(~known, False)
            if strange.any():
                bad = np.flatnonzero(chosen.cut(strange[found.codes]))
                codes = chosen.cut(found.codes)
                row = chosen.row_numbers(bad[:1])
                text = [found.values[int(codes[i])].as_py() for i in bad[:1]]
                first = (row[0] if row else -1, text[0]) if text else None
                self.strange.setdefault(family, Strange()).add(len(bad), first)

    def _parsed(self, texts: pa.LargeStringArray) -> Parsed:
        """Return texts read as numbers; those of the last batch are read once."""
        if self._last is None or self._last[0] is not texts:
            self._last = texts, strings.numbers_of(texts, self.asked.decimal)
        return self._last[1]

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_last": None}

    def shift(self, start: int) -> None:
        """Say that rows, counted from 0, begin at another number."""
        self.first = tuple(row + start for row in self.first)
        for numbers in (self.numbers, self._dates):
            if numbers is not None:
                numbers.first = tuple(row + start for row in numbers.first)
        for strange in self.strange.values():
            if strange.first is not None:
                strange.first = strange.first[0] + start, strange.first[1]

    def merge(self, other: ColumnSurvey) -> None:
        """Take in the cells of other batches."""
        self.numbers.merge(other.numbers)
        if other._dates is not None:
            self.dates.merge(other.dates)
        if other._texts is not None:
            self.texts.merge(other.texts)
        self.coded += other.coded
        if self.order is None or other.order is None:
            self.order = None
        else:
            self.order = tuple(dict.fromkeys((*self.order, *other.order)))
        self.first = first_rows(self.first, other.first)
        for family, strange in other.strange.items():
            self.strange.setdefault(family, Strange()).add(strange.count, strange.first)
        if other.words is not None:
            self._known_words().merge(other.words)
            self.filled = self.filled + other.filled

    def complete(self, second: ColumnSurvey, look: SecondLook) -> ColumnSurvey:
        """Return what is known after a second look."""
        if look.words:
            self.words, self.filled = second.words, second.filled
            return self
        if look.ends is None:
            return second
        self.ends, self.numbers.places = look.ends, second.numbers.places
        return self

    # ---- the verdict ----

    def decide(self, name: str, total: int, m: int) -> Decided | SecondLook:
        """Return what the column is, or what to look at again. total: rows that count, by measure m."""
        asked = self.asked
        if asked.kind == "out":
            return decide_out(name, asked, KindVerdict("out", "as asked"), 0)
        if self.words is not None:
            column = Column(name, "text", missing=total - int(self.filled[m]))
            with as_utf8(name):
                return self._words(column, asked, m, self.verdict or KindVerdict("text", "as asked"))
        dated = self._dates is not None and self.dates.rows > 0
        if not self.coded and not (self.numbers.rows and dated):
            return self._numbers(name, asked, self.dates if dated else self.numbers, (total, m, dated))
        with as_utf8(name):
            return self._decide_texts(name, total, m)

    def _decide_texts(self, name: str, total: int, m: int) -> Decided | SecondLook:
        """Return what a column is of which some cells are texts."""
        asked = self.asked
        joined = merged(*self.texts.sorted(), asked.merge)
        self.became = frozenset(joined.became)
        texts, counts = joined.texts, joined.counts
        parsed = self._parsed(texts)
        if asked.wants_text:
            texts, parsed, into = in_one_way(texts, parsed)
            if into is not None:
                old, counts = counts, np.zeros((len(texts), self.measures), np.int64)
                np.add.at(counts, into[:-1], old)
        facts = self._facts(texts, counts[:, m], parsed.kinds, total, m)
        verdict = judge_texts(name, facts, asked)
        if verdict.way is not None and (self.numbers.rows or self.dates.rows):
            return SecondLook()  # plain numbers are to be seen as they are written, too
        if (
            verdict.kind in ("numbers", "dates")
            and not (self.numbers if verdict.kind == "dates" else self.dates).rows
        ):
            refuse_numbers(name, joined)
            if verdict.way is not None:
                parsed = read_in(texts, verdict.way, asked.decimal)
            return self._read(name, asked, (parsed, counts), verdict, (total, m))
        if verdict.kind == "out":
            return decide_out(name, asked, verdict, facts.missing)
        if self.numbers.rows or self.dates.rows:
            return SecondLook()
        if verdict.kind == "text":
            self.verdict = verdict
            return SecondLook(words=True)
        return decide_levels(name, asked, verdict, facts.missing, joined.note("column", name, m))

    def _words(self, column: Column, asked: Asked, m: int, verdict: KindVerdict) -> Decided:
        """Return a text column with its vocabulary: the words that enough rows have."""
        assert self.words is not None
        words, counts = self.words.sorted()
        rows = counts[:, m]
        kept = rows >= max(1, asked.min_count)
        lost = int((rows > 0).sum() - kept.sum())
        column = replace(
            column,
            words=tuple((words if kept.all() else words.filter(from_numbers(kept))).to_pylist()),
            least=asked.min_count,
            declared=asked.declared,
            why=verdict.why,
        )
        said = f"column {shown(column.name)}: words in fewer than {column.least:,} rows are left out."
        rare = (Note("rare-words", said, column.name, lost),) if lost else ()
        return Decided(column, (*verdict.notes, *rare))

    def _facts(
        self, texts: pa.LargeStringArray, counts: Counts, kinds: NDArray[np.uint8], total: int, m: int
    ) -> TextFacts:
        order = None
        if self.order is not None and self.coded:
            used = set(texts.to_pylist())
            order = tuple(t for t in in_order(self.order, self.asked.merge) if t in used)
        if (counts == 0).any():
            some = counts > 0
            texts, kinds, counts = texts.filter(from_numbers(some)), kinds[some], counts[some]
        numbers = int(self.numbers.present[m])
        dates = 0 if self._dates is None else int(self._dates.present[m])
        missing = total - int(counts.sum()) - numbers - dates
        return TextFacts(texts, counts, kinds, total, missing, order, numbers, dates)

    def _read(
        self, name: str, asked: Asked, found: tuple[Any, Counts], verdict: KindVerdict, scale: tuple[int, int]
    ) -> Decided | SecondLook:
        """Judge texts that are numbers or dates, with those read before."""
        parsed, counts = found
        wanted = [*FAMILIES[verdict.kind], *(LOOSE if verdict.way is not None else ())]
        if asked.as_numbers and verdict.way is None:
            wanted += LOOSE if asked.kind == "numeric" else ()
            strange = self.strange.get(verdict.kind, Strange())
            if strange.first is not None:
                raise unreadable_cells(name, asked, strange.count, *strange.first)
        values = np.where(among(parsed.kinds, wanted), parsed.values, np.nan)
        both = NumbersSeen(self.measures, None if self.ends is None else Places(*self.ends))
        both.merge(self.dates if verdict.kind == "dates" else self.numbers)
        both.add_counted(values, counts, asked)
        if not both.rows:  # all numbers are here as texts
            both.distinct = len(np.unique(values[good_numbers(values, asked) & (counts[:, 0] > 0)]))
        both.first = first_rows(both.first, self.first)
        return self._numbers(name, asked, both, (*scale, verdict.kind == "dates"), verdict)

    def _numbers(
        self,
        name: str,
        asked: Asked,
        numbers: NumbersSeen,
        scale: tuple[int, int, bool],
        before: KindVerdict | None = None,
    ) -> Decided | SecondLook:
        total, m, dated = scale
        notes: tuple[Note, ...] = ()
        if numbers.infinite[0]:
            if asked.inf != "missing":
                raise infinite_cells(name, int(numbers.infinite[0]), list(numbers.first))
            notes = (infinite_note(name, int(numbers.infinite[m])),)
        before, facts = before or NUMBERS, numbers.facts(total, m, dated)
        if notes:
            before = replace(before, marks=tuple(sorted({*before.marks, *INFINITE_MARKS})))
        if not asked.declared and not asked.keep and numbers.may_number_rows(name, facts):
            return SecondLook((facts.low, facts.high))
        return decide_numbers(name, asked, facts, before, notes)
