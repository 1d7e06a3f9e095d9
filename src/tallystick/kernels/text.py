"""Text kernels: parsing and hashing of cells, cutting of separated text, tokenizing into word counts.

- Cells to numbers, dates and hashes: `parse_numbers()`, `join_texts()`. A column of texts has Arrow's layout:
  cell `row` is data[offsets[row]:offsets[row + 1]], UTF-8; bit (bit_offset + row) of validity is 1 where the
  cell is present, None: all are. The caller guarantees that offsets rise.
- Blocks of separated text cut into cells and read as columns: `cut_cells()`, `read_columns()`.
- The tokenizer: `WordTable`, `WordRows`. Entry: `WordCounter`.
"""

from __future__ import annotations

import mmap
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from enum import IntEnum
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tallystick import _kernels
from tallystick.kernels import check
from tallystick.kernels.check import Array

# ---- hashes of cells and rows in two lanes of 64 bits: for fingerprints and folds, not for secrets ----
#
# A row's hash is mix(sum over columns of its cells' hashes): hashes[lane, row] starts at 0, each column adds,
# `mix_hashes` ends it. A column's key comes from its name, so the order of columns does not matter.


Hashes = NDArray[np.uint64]


class CellKind(IntEnum):
    """What a text cell is once surrounding ASCII white space is gone."""

    MISSING = 0  # null, or one of the marks
    NUMBER = 1  # 3.14, 1e5, 7.
    INTEGER = 2  # 42, -0, +7; exact as a double
    LEADING_ZEROS = 3  # 00123
    INEXACT = 4  # an integer that no double holds exactly
    INFINITE = 5  # inf, -Infinity, 1e999
    BOOLEAN = 6  # true, false in any letter case
    DATE = 7  # 2012-03-04, 2012-03-04T05:06:07+01:00
    THOUSANDS = 8  # 1,234
    OTHER_DECIMAL = 9  # 3,14 where the decimal mark is a point; 3.14 where it is a comma
    PERCENT = 10  # 12 %
    CURRENCY = 11  # $5, 5 €
    OTHER = 12


@dataclass(frozen=True, slots=True)
class Parsed:
    """Cells read as numbers.

    values[row]: the double nearest to the written number (also for LEADING_ZEROS, INEXACT and INFINITE), days
    since 1970-01-01 for a DATE when asked for, else NaN; 0.0 is never negative. kinds[row]: a CellKind.
    counts[kind]: cells. first[kind]: the first such row, -1 if there is none.
    """

    values: NDArray[np.float64]
    kinds: NDArray[np.uint8]
    counts: NDArray[np.int64]
    first: NDArray[np.int64]

    def count(self, *kinds: CellKind) -> int:
        """Return how many cells are of any of these kinds."""
        return int(self.counts[list(kinds)].sum())

    @property
    def integers(self) -> int:
        """Cells written as integers, with or without leading zeros, exact or not."""
        return self.count(CellKind.INTEGER, CellKind.LEADING_ZEROS, CellKind.INEXACT)

    @property
    def numbers(self) -> int:
        """Cells that read as numbers, infinite ones included."""
        return self.integers + self.count(CellKind.NUMBER, CellKind.INFINITE)


def text_rows(data: Any, offsets: Any, validity: Any, bit_offset: int) -> int:
    """Check a column of texts and return its number of rows."""
    check.array("data", data, "uint8", (None,))
    check.array("offsets", offsets, ("int32", "int64"), (None,))
    if len(offsets) == 0 or offsets[0] < 0 or offsets[-1] > len(data):
        raise ValueError(f"offsets must lie within data; found {len(offsets)} offsets for {len(data)} bytes")
    check.maybe("validity", validity, "uint8", (None,))
    check.check_size("bit_offset", bit_offset, 0)
    rows = len(offsets) - 1
    if validity is not None and len(validity) * 8 < rows + bit_offset:
        raise ValueError(f"validity must have a bit for each of {rows} rows; found {len(validity)} bytes")
    return rows


def join_texts(texts: Sequence[str]) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """Return texts as (data, offsets[text + 1]): their UTF-8 bytes one after the other."""
    offsets = np.zeros(len(texts) + 1, np.int64)
    data = np.frombuffer("\0".join(texts).encode(), np.uint8)
    ends = np.flatnonzero(data == 0)
    if len(ends) == len(texts) - 1:  # no text holds the separator: all are encoded and measured at once
        offsets[1:-1] = ends - np.arange(len(ends))
        offsets[-1] = len(data) - len(ends)
        return (data[data != 0] if len(ends) else data), offsets
    data = np.frombuffer("".join(texts).encode(), np.uint8)
    np.cumsum(np.fromiter((len(t.encode()) for t in texts), np.int64, len(texts)), out=offsets[1:])
    return data, offsets


@lru_cache(maxsize=64)
def joined_marks(marks: tuple[str, ...]) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """Return the marks joined, once for all columns. Cached, so never written to."""
    return join_texts(marks)


def code_objects(cells: NDArray[Any], most: int) -> tuple[NDArray[np.uint16], NDArray[np.int64]] | None:
    """Return codes[row] of Python objects, the same number for the same object, and first[code], the row
    where it came first; numbers are in the order of these rows. None: more than `most` objects differ, or
    than 16 bits and a sign have numbers for. No object is looked at.
    """
    check.loose("cells", cells, "object", (None,))
    check.check_size("most", most)
    given = np.ndarray(len(cells), np.uint64, np.ascontiguousarray(cells))
    codes, first = np.empty(len(cells), np.uint16), np.empty(min(most, _kernels.most_addresses), np.int64)
    found = _kernels.code_addresses(given, codes, first)
    return None if found > len(first) else (codes, first[:found])


def parse_numbers(
    data: NDArray[np.uint8],
    offsets: NDArray[Any],
    validity: NDArray[np.uint8] | None,
    marks: Sequence[str],
    decimal: str = ".",
    *,
    bit_offset: int = 0,
    dates: bool = False,
) -> Parsed:
    """Read a column of texts as numbers. marks: the texts that mean missing, compared after stripping."""
    rows = text_rows(data, offsets, validity, bit_offset)
    if decimal not in (".", ","):
        raise ValueError(f"decimal must be '.' or ','; found {decimal!r}")
    mark_data, mark_offsets = joined_marks(tuple(marks))
    values, kinds = np.empty(rows), np.empty(rows, np.uint8)
    counts, first = np.zeros(len(CellKind), np.int64), np.full(len(CellKind), -1, np.int64)
    call = _kernels.parse_numbers_32 if offsets.dtype == np.int32 else _kernels.parse_numbers_64
    cells = (data, offsets, validity, bit_offset)
    call(*cells, mark_data, mark_offsets, decimal, dates, values, kinds, counts, first)
    return Parsed(values, kinds, counts, first)


# ---- separated text: a block cut into cells, its columns read as numbers or copied as texts ----
#
# A cut block is its bytes and ends[row, column], where the separator or the line end of each cell is.


FEW = 1024  # distinct texts of a column, up to which cells are compared in place
LARGEST = (1 << 32) - 64  # bytes in a block
SPARE = 8  # entries beyond the cells that a block can have

ALL_NUMBERS = sum(1 << k for k in (CellKind.MISSING, CellKind.NUMBER, CellKind.INTEGER, CellKind.INFINITE))
ALL_DATES = 1 << CellKind.MISSING | 1 << CellKind.DATE

Text = bytes | NDArray[np.uint8]


class TextLook(NamedTuple):
    """What some text holds. lines: line feeds; end: behind the last of them, 0 without one; odd: a quote or a
    NUL byte; beyond: a byte beyond ASCII; holds: the byte that was asked for.
    """

    lines: int
    end: int
    odd: bool
    beyond: bool
    holds: bool


def look_at_text(text: NDArray[np.uint8], asked: int) -> TextLook:
    """Return what some bytes hold, in one look. asked: a byte."""
    check.array("text", text, "uint8", (None,))
    if not 0 <= asked < 256:
        raise ValueError(f"asked must be a byte; found {asked}")
    return TextLook(*_kernels.look_at_text(text, asked))


def cut_cells(
    block: Text, columns: int, separator: str, room: NDArray[np.uint32] | None = None
) -> NDArray[np.uint32] | None:
    """Return ends[row, column] of rows without quotes; None where the block is not plain: a row of more or
    fewer cells, an empty line, or a carriage return that ends no line. room: where they are put, at least
    SPARE more than the block has bytes.
    """
    check.check_size("columns", columns)
    if len(separator) != 1 or not separator.isascii() or len(block) > LARGEST:
        raise ValueError(f"separator must be one byte, blocks below 4 GB; found {separator!r}, {len(block)}")
    data = np.frombuffer(block, np.uint8)
    ends = np.empty(len(block) + SPARE, np.uint32) if room is None else room  # unwritten, it takes no memory
    if len(ends) < len(block) + SPARE:
        raise ValueError(f"room must be {len(block) + SPARE:,} long at least; found {len(ends):,}")
    rows = _kernels.cut_cells(data, columns, separator, ends)
    return None if rows < 0 else ends[: rows * columns].reshape(rows, columns)


def read_columns(
    block: Text,
    ends: NDArray[np.uint32],
    texts: NDArray[np.bool_],
    marks: Sequence[str],
    decimal: str,
    room: Callable[[NDArray[np.uint32], int], Sequence[NDArray[np.float64]]] | None = None,
) -> tuple[Sequence[NDArray[np.float64]], NDArray[np.uint32], NDArray[np.uint32], dict[int, FewTexts | None]]:
    """Return values[i][row], columns[i] and seen[i], a bit for each CellKind that was met: within ALL_NUMBERS
    or ALL_DATES where all cells were read; and those columns that do not look like numbers as codes, None for
    one that has more texts than FEW. Columns in `texts` are left out. room(columns, rows) gives the places of
    values.
    """
    rows, columns = _checked(block, ends)
    check.array("texts", texts, "bool", (columns,))
    data, (mark_data, mark_offsets) = np.frombuffer(block, np.uint8), joined_marks(tuple(marks))
    looks = np.where(texts, ~np.uint32(0), np.uint32(0))
    _kernels.look_at_columns(data, ends, mark_data, mark_offsets, decimal, looks)
    chosen = np.flatnonzero(looks == 0).astype(np.uint32)
    values, seen = (room or _fresh)(chosen, rows), np.zeros(len(chosen), np.uint32)
    if len(values) != len(chosen):
        raise ValueError(f"room must give {len(chosen)} places; found {len(values)}")
    for place in values:
        check.array("values", place, "float64", (rows,))
    others = np.flatnonzero((looks != 0) & ~texts).astype(np.uint32)
    coding = _coding(len(others), rows)
    _kernels.read_columns(
        data, ends, mark_data, mark_offsets, decimal, chosen, list(values), seen, others, *coding
    )
    return values, chosen, seen, dict(zip(others.tolist(), _coded(block, coding), strict=True))


def _fresh(columns: NDArray[np.uint32], rows: int) -> Sequence[NDArray[np.float64]]:
    return list(np.empty((len(columns), rows)))


class FewTexts(NamedTuple):
    """A column of few texts: codes[row], the texts as they come, outer space left out, and rows of each."""

    codes: NDArray[np.uint16]
    texts: list[bytes]
    counts: NDArray[np.int64]


def code_columns(block: Text, ends: NDArray[np.uint32], columns: Sequence[int]) -> list[FewTexts | None]:
    """Return some columns as codes; None for one that has more texts than FEW."""
    rows, width = _checked(block, ends)
    if wrong := [j for j in columns if not 0 <= j < width]:
        raise ValueError(f"columns must be below {width}; found {wrong[0]}")
    coding = _coding(len(columns), rows)
    data, chosen = np.frombuffer(block, np.uint8), np.array(columns, np.uint32)
    _kernels.code_columns(data, ends, chosen, *coding)
    return _coded(block, coding)


class _Coding(NamedTuple):
    """Where a kernel puts columns of few texts; see `Coding` in csv/cut.hpp."""

    codes: NDArray[np.uint16]
    texts: NDArray[np.uint32]
    counts: NDArray[np.int64]
    slots: NDArray[np.uint16]
    keys: NDArray[np.uint64]
    known: NDArray[np.int64]


def _coding(size: int, rows: int) -> _Coding:
    return _Coding(
        np.empty((size, rows), np.uint16),
        np.empty((size, FEW, 2), np.uint32),
        np.empty((size, FEW), np.int64),
        np.zeros((size, 4 * FEW), np.uint16),
        np.empty((size, FEW), np.uint64),
        np.zeros(size, np.int64),
    )


def _coded(block: Text, coding: _Coding) -> list[FewTexts | None]:
    found = list[FewTexts | None]()
    for i, n in enumerate(coding.known.tolist()):
        texts = [bytes(block[at : at + size]) for at, size in coding.texts[i, : max(n, 0)].tolist()]
        found.append(None if n < 0 else FewTexts(coding.codes[i], texts, coding.counts[i, :n]))
    return found


def copy_cells(
    block: Text, ends: NDArray[np.uint32], column: int
) -> tuple[NDArray[np.uint8], NDArray[np.int32]]:
    """Return the cells of a column as (data, offsets[row + 1])."""
    rows, _ = _checked(block, ends, column)
    offsets, none = np.empty(rows + 1, np.int32), np.empty(0, np.uint8)
    source = np.frombuffer(block, np.uint8)
    _kernels.copy_cells(source, ends, column, offsets, none)
    data = np.empty(int(offsets[-1]), np.uint8)
    if len(data):
        _kernels.copy_cells(source, ends, column, offsets, data)
    return data, offsets


def _checked(block: Text, ends: Any, column: int = 0) -> tuple[int, int]:
    check.array("ends", ends, "uint32", (None, None))
    if ends.size and ends[-1, -1] > len(block):
        raise ValueError(f"ends must lie within the block of {len(block):,} bytes; found {ends[-1, -1]:,}")
    if not 0 <= column < ends.shape[1]:
        raise ValueError(f"column must be below {ends.shape[1]}; found {column}")
    return ends.shape[0], ends.shape[1]


# ---- the tokenizer: texts to word counts, and tables of words ----
#
# Kernels allocate nothing: they stop where a buffer is full, and are resumed with a larger one. A word's
# number depends on the order of texts; `WordTable.order` gives one that does not.


STOP_WORDS, STOP_ARENA, STOP_SCRATCH, STOP_ENTRIES = 1, 2, 3, 4  # which buffer is full; 0: done
CHUNK = 1 << 18  # entries kept together
QUICK = 1 << 16  # slots up to which a hash table grows fourfold, beyond twofold
UNICODE: str = _kernels.unicode_version  # version of the tables of word characters


def _longer(array: NDArray[Any], length: int) -> NDArray[Any]:
    """Return a longer copy of an array; its new part is not set."""
    out = np.empty((length, *array.shape[1:]), array.dtype)
    out[: len(array)] = array
    return out


def _lent(room: int) -> tuple[NDArray[np.uint32], NDArray[np.uint32]]:
    """Return two arrays whose memory goes back to the system when they are dropped: while chunks are joined,
    the whole grows as they go. The allocator would keep what is freed.
    """
    both = np.frombuffer(mmap.mmap(-1, 8 * room), np.uint32)
    return both[:room], both[room:]


@dataclass(slots=True)
class WordTable:
    """Words by number, found by hash.

    slots[slot]: hash and number. records[word, 4]: start, length (and scratch), last row, rows with the word.
    arena: the bytes of all words one after the other, and at least 16 more.
    """

    words: int = 0
    slots: NDArray[np.uint64] = field(default_factory=lambda: np.zeros(1 << 12, np.uint64))
    records: NDArray[np.int64] = field(default_factory=lambda: np.zeros(((1 << 11) + 1, 4), np.int64))
    arena: NDArray[np.uint8] = field(default_factory=lambda: np.empty(1 << 14, np.uint8))

    @classmethod
    def of(cls, texts: Sequence[str]) -> WordTable:
        """Return a table of these words, numbered as they come; a word that comes again is not added."""
        data, offsets = join_texts(texts)
        given = cls(len(texts), np.zeros(0, np.uint64), np.zeros((len(texts), 4), np.int64))
        given.records[:, 0], given.records[:, 1] = offsets[:-1], np.diff(offsets)
        given.arena = _longer(data, len(data) + 16)
        table = cls()
        table.add(given)
        return table

    @property
    def documents(self) -> NDArray[np.int64]:
        """documents[word]: the rows that have the word."""
        return self.records[: self.words, 3]

    def grow(self, stop: int, need: int) -> None:
        """Make room for what ran short: words, or `need` bytes."""
        if stop == STOP_ARENA:
            self.arena = _longer(self.arena, 2 * len(self.arena) + 2 * need)
            return
        factor = 4 if len(self.slots) < QUICK else 2  # small tables grow fast, large ones waste no memory
        slots = np.zeros(factor * len(self.slots), np.uint64)
        _kernels.move_slots(self.slots, slots)
        self.slots, self.records = slots, _longer(self.records, len(slots) // 2 + 1)

    def add(self, other: WordTable) -> NDArray[np.uint32]:
        """Add the words of another table; return place[w], the number here of its word w."""
        place, state = np.empty(other.words, np.uint32), np.array([0, self.words], np.int64)
        source = (other.slots, other.records, other.words, other.arena)
        while stop := _kernels.merge_words(*source, self.slots, self.records, self.arena, state, place):
            self.words = int(state[1])
            self.grow(stop, len(other.arena))
        self.words = int(state[1])
        return place

    def order(self) -> NDArray[np.uint32]:
        """Return order[rank] = word, by the words' UTF-8 bytes."""
        order, keys = np.empty(self.words, np.uint32), np.empty((self.words, 2), np.uint64)
        _kernels.sort_words(self.slots, self.records, self.words, self.arena, keys, order)
        return order

    def text(self) -> tuple[NDArray[np.int64], NDArray[np.uint8]]:
        """Return (starts[words + 1], bytes) of all words."""
        starts = np.zeros(self.words + 1, np.int64)
        np.cumsum(self.records[: self.words, 1] & 0xFFFFFFFF, out=starts[1:])
        return starts, self.arena[: int(starts[-1])]


@dataclass(slots=True)
class WordRows:
    """Word counts of consecutive rows: row r has lengths[r] entries, one row after the other."""

    lengths: NDArray[np.uint32]
    words: NDArray[np.uint32]
    counts: NDArray[np.uint32]

    def place(self, place: NDArray[np.uint32] | None, unseen: int) -> None:
        """Renumber words by place[word] (None: as they are) and sort each row; `unseen` becomes one entry."""
        scratch = np.empty(int(self.lengths.max(initial=0)), np.uint64)
        left = _kernels.place_words(self.lengths, self.words, self.counts, place, unseen, scratch)
        self.words, self.counts = self.words[:left], self.counts[:left]


class WordCounter:
    """Counts the words of texts into rows, with a table of its own that grows or a given one that stays.

    A text that is one of the marks is missing: it has no words. With a given table the number table.words
    stands for all unseen words.
    """

    def __init__(self, marks: Sequence[str] = (), table: WordTable | None = None) -> None:
        self.frozen = table is not None
        self.table = WordTable() if table is None else replace(table, records=table.records.copy())
        self._marks = join_texts(marks)
        self._scratch = np.empty(256, np.uint8)

    def count(
        self,
        data: NDArray[np.uint8],
        offsets: NDArray[Any],
        validity: NDArray[np.uint8] | None,
        bit_offset: int,
    ) -> list[WordRows]:
        """Return the word counts of a column of texts (see kernels.text) in chunks; rows are not sorted."""
        rows = text_rows(data, offsets, validity, bit_offset)
        offsets = offsets.astype(np.int64, copy=False)
        texts = (data, offsets, validity, bit_offset, *self._marks)
        lengths = np.empty(rows, np.uint32)
        room = min(CHUNK, int(offsets[-1] - offsets[0]) // 3 + 1)
        self.table.records[:, 2] = -1
        chunks: list[WordRows] = []
        row = 0
        while row < rows:
            words, counts = _lent(room)
            done, entries = self._fill(texts, row, lengths, words, counts)
            if done == row:  # not even one row fits
                room *= 2
            else:
                chunks.append(WordRows(lengths[row:done], words[:entries], counts[:entries]))
            row = done
        return chunks

    def _fill(
        self, texts: tuple[Any, ...], row: int, lengths: Array, words: Array, counts: Array
    ) -> tuple[int, int]:
        """Count from a row on until all is done or the arrays are full; return next row and entries."""
        state = np.array([row, self.table.words, 0], np.int64)
        stop = -1
        while stop not in (0, STOP_ENTRIES):
            table = (self.table.slots, self.table.records, self.table.arena, self.frozen)
            arguments: tuple[Any, ...] = (*texts, *table, lengths, words, counts, self._scratch, state)
            stop = _kernels.count_words(*arguments)
            self.table.words = int(state[1])
            if stop not in (0, STOP_ENTRIES):
                self._grow(stop, int(texts[1][int(state[0]) + 1] - texts[1][int(state[0])]))
        return int(state[0]), int(state[2])

    def _grow(self, stop: int, longest: int) -> None:
        """Make room for what ran short, for a row of `longest` bytes."""
        if stop == STOP_SCRATCH:
            self._scratch = np.empty(min(4 * len(self._scratch), 2 * longest + 256), np.uint8)
        else:
            self.table.grow(stop, longest)
