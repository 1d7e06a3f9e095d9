"""The door to the tokenizer: texts to word counts, and tables of words.

The kernels allocate nothing: they stop where memory runs short, the door grows it and lets them go on.
A word's number depends on the order in which texts came; `WordTable.order` makes of it what does not.
"""

from __future__ import annotations

import mmap
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallystick import _kernels
from tallystick.kernels.check import Array
from tallystick.kernels.text import join_texts, text_rows

STOP_WORDS, STOP_ARENA, STOP_SCRATCH, STOP_ENTRIES = 1, 2, 3, 4  # what ran short; 0 is done
CHUNK = 1 << 18  # entries kept together
QUICK = 1 << 16  # slots up to which a table grows fourfold
UNICODE: str = _kernels.unicode_version  # of the tables that say what a word character is


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
