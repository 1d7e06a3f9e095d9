"""What was taken of the batches of a source, kept in memory or on disk until all rows are known.

Knows batches as a survey saw them, and scratch files. Knows nothing of sources, decisions or tables.
Law: a batch comes back as it was, wherever it was kept.
"""

from __future__ import annotations

from array import array
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from tallystick.data.read.cells import Floats, SmallIntegers
from tallystick.data.read.places import PlacesInMemory, PlacesOnDisk
from tallystick.data.read.strings import Distinct
from tallystick.data.read.survey import Looked
from tallystick.data.read.survey_column import BatchWords
from tallystick.data.read.survey_target import TargetCells
from tallystick.data.source.scratch import ScratchFile, give_back
from tallystick.data.table.block import WordCounts

PIECE = 4  # numbers that tell of a piece: its form, its texts (of numbers: 1 if tidy), their bytes, its place
PLACED = 2  # of numbers that lie in their places in the table: tidy as well
GIVEN_BACK = 32  # batches after which freed memory goes back: allocators keep what small ones leave in pieces
NOTHING, NUMBERS, DATES, SPANS, WORDS, TEXTS = -1, 0, 1, 2, 3, 4
WIDTHS: tuple[type[np.unsignedinteger[Any]], ...] = (np.uint8, np.uint16, np.uint32)

Told = tuple[int, int, int]
Piece = Floats | SmallIntegers | Distinct | BatchWords | None


class KeptInMemory:
    """Batches in memory."""

    takes_views = True  # a source in memory is one batch, by view

    def __init__(self, names: Sequence[str]) -> None:
        self.names = list(names)
        self.batches = list[Looked]()
        self.places = PlacesInMemory()

    def __len__(self) -> int:
        return len(self.batches)

    def put(self, taken: Looked, row: int | None = None) -> Looked:
        """Return a batch: it is kept as it is."""
        return taken

    def add(self, taken: Looked) -> None:
        """Keep a batch; they come in their order."""
        self.batches.append(taken)

    def read(self, i: int, but: Collection[str] = ()) -> Looked:
        """Return a batch, whole: what nobody asks for costs nothing here."""
        return self.batches[i]

    def close(self) -> None:
        """Let go of them."""
        self.batches.clear()


@dataclass(frozen=True)
class Written:
    """A batch on disk: its rows, PIECE numbers of each of its pieces, where the last of them ends, and the
    row of the table from which on some of its numbers lie in their places, -1 where none do.
    """

    rows: int
    told: array[int]
    end: int
    start: int


class KeptOnDisk:
    """Batches on disk. names: of the columns, in the order of their pieces."""

    takes_views = False  # a batch is written before the next is read: few are in memory at once

    def __init__(self, names: Sequence[str], regression: bool) -> None:
        self.names, self.regression = list(names), regression
        self.order = {name: j for j, name in enumerate(self.names)}
        self.file, self.places = ScratchFile(), PlacesOnDisk()
        self.rows, self.ends, self.starts = array("q"), array("q"), array("q")
        self.told = array("q")  # [batch, piece, PIECE]: columns, target, weights

    def __len__(self) -> int:
        return len(self.rows)

    def put(self, taken: Looked, row: int | None = None) -> Written:
        """Write a batch, wherever there is room; numbers that are a column's values as they are go to their
        places in the table, if the first row of the batch is known. Any thread may.
        """
        target: Piece = taken.hit.labels
        if self.regression:
            target = None if taken.hit.response is None else Floats(taken.hit.response)
        weights = None if taken.weights is None else Floats(taken.weights)
        if row is not None:
            self.places.take([name for name, piece in taken.columns.items() if isinstance(piece, Floats)])
        pieces = [
            *(self._in_place(name, taken.columns.get(name), row) for name in self.names),
            *map(_in_bytes, (target, weights)),
        ]
        size = sum(memoryview(part).nbytes for _, parts in pieces for part in parts)
        at, told = self.file.claim(size), array("q")
        for form, parts in pieces:
            told.extend((*form, at))
            for part in parts:
                at += self.file.write(part, at)
        return Written(taken.rows, told, at, -1 if row is None else row)

    def _in_place(self, name: str, piece: Piece, row: int | None) -> tuple[Told, tuple[Any, ...]]:
        """Return what tells of a piece, and its bytes in parts; none where it was put in its place."""
        if row is None or not isinstance(piece, Floats) or not _is_tidy(piece):
            return _in_bytes(piece)
        placed = self.places.write(name, row, np.ascontiguousarray(piece.values))
        return ((_form(piece), PLACED, 0), ()) if placed else _in_bytes(piece)

    def add(self, batch: Written) -> None:
        """Keep a batch; they come in their order."""
        self.rows.append(batch.rows)
        self.told.extend(batch.told)
        self.ends.append(batch.end)
        self.starts.append(batch.start)
        if len(self) % GIVEN_BACK == 0:
            give_back()

    def read(self, i: int, but: Collection[str] = ()) -> Looked:
        """Return a batch without some columns; which rows count is found again from its target and
        weights.
        """
        names = [*self.names, None, None]
        *columns, target, weights = (
            None if name in but else self._read(i, j) for j, name in enumerate(names)
        )
        hit = TargetCells()
        if isinstance(target, Distinct):
            hit = TargetCells(target)
        elif isinstance(target, Floats):
            hit = TargetCells(response=target.values)
        real = weights.values if isinstance(weights, Floats) else None
        known = {name: c for name, c in zip(self.names, columns, strict=True) if c is not None}
        return Looked(self.rows[i], hit, real, known)

    def _read(self, i: int, j: int) -> Piece:
        """Return a piece of a batch."""
        place = (i * (len(self.names) + 2) + j) * PIECE
        form, texts, size, at = self.told[place : place + PIECE]
        if NUMBERS <= form < WORDS and texts == PLACED:
            return _piece(self.numbers(i, self.names[j]), self.rows[i], (form, texts, size))
        last = j == len(self.names) + 1
        end = self.ends[i] if last else self.told[place + 2 * PIECE - 1]
        return _piece(self.file.read(at, end - at), self.rows[i], (form, texts, size))

    def tidy(self) -> set[str]:
        """Return the columns all of whose pieces are numbers without infinities and -0.0."""
        told = np.frombuffer(self.told, np.int64).reshape(len(self), -1, PIECE)
        fine = ((told[:, :, 0] >= NUMBERS) & (told[:, :, 0] < WORDS) & (told[:, :, 1] != 0)).all(axis=0)
        return {name for name, tidy in zip(self.names, fine.tolist(), strict=False) if tidy}

    def numbers(self, i: int, name: str) -> bytes:
        """Return the numbers of a column of a batch, as they lie."""
        if self.in_place(i, name):
            return self.places.read(name, self.starts[i], self.rows[i])
        return self.file.read(self._told(i, name)[-1], 8 * self.rows[i])

    def in_place(self, i: int, name: str) -> bool:
        """Do the numbers of a column of a batch lie in their place?"""
        form, texts, *_ = self._told(i, name)
        return NUMBERS <= form < WORDS and texts == PLACED

    def _told(self, i: int, name: str) -> array[int]:
        place = (i * (len(self.names) + 2) + self.order[name]) * PIECE
        return self.told[place : place + PIECE]

    def settled(self) -> bool:
        """Do all batches that have places lie where they belong, with room between them for the others?"""
        starts = accumulate(self.rows, initial=0)
        right = all(start in (-1, row) for start, row in zip(self.starts, starts, strict=False))
        return right and sum(self.rows) <= self.places.rows

    def close(self) -> None:
        """Give the room on disk back."""
        self.file.close()
        self.places.close()


def _in_bytes(piece: Piece) -> tuple[Told, tuple[Any, ...]]:
    """Return what tells of a piece, but its place, and its bytes in parts."""
    if piece is None:
        return (NOTHING, 0, 0), ()
    if isinstance(piece, Distinct):
        lengths, data = _bytes_of(piece.values)
        width = piece.codes.dtype.itemsize.bit_length() - 1
        return (TEXTS + width, len(piece.values), len(data)), (piece.codes, lengths, data)
    if isinstance(piece, BatchWords):
        lengths, data = _bytes_of(piece.words)
        return (WORDS, len(piece.words), len(data)), (*map(np.ascontiguousarray, piece.rows), lengths, data)
    values = piece.values if isinstance(piece, Floats) else piece.values()
    return (_form(piece), _is_tidy(piece), 0), (np.ascontiguousarray(values),)


def _form(piece: Floats | SmallIntegers) -> int:
    """Return what kind of numbers these are."""
    if not isinstance(piece, Floats):
        return NUMBERS
    return DATES if piece.dated else SPANS if piece.spans else NUMBERS


def _is_tidy(piece: Floats | SmallIntegers) -> bool:
    """Is it known that these numbers are a column's values as they are?"""
    scan = piece.scan if isinstance(piece, Floats) else None
    return scan is not None and scan.first_infinity < 0 and not scan.negative_zero


def _bytes_of(texts: pa.LargeStringArray) -> tuple[NDArray[np.int64], bytes]:
    """Return offsets[text + 1] from 0 and the bytes of texts."""
    _, offsets, data = texts.buffers()
    places = np.frombuffer(offsets, np.int64, len(texts) + 1, 8 * texts.offset) if len(texts) else np.zeros(1)
    low, high = int(places[0]), int(places[-1])
    return places.astype(np.int64) - low, bytes(memoryview(data or b"")[low:high])


def _piece(data: bytes, rows: int, told: tuple[int, ...]) -> Piece:
    """Return a piece from its bytes."""
    form, texts, size = told
    if form == NOTHING:
        return None
    if form < WORDS:
        return Floats(_numbers(data, 0, rows, np.float64), form == DATES, True, spans=form == SPANS)
    if form == WORDS:
        starts = _numbers(data, 0, rows + 1, np.int64)
        at, entries = starts.nbytes, int(starts[-1])
        words, counts = (_numbers(data, at + 4 * entries * i, entries, np.uint32) for i in range(2))
        known = _texts(data, at + 8 * entries, texts, size)
        return BatchWords(known, WordCounts(starts, words, counts))
    codes = _numbers(data, 0, rows, WIDTHS[form - TEXTS])
    return Distinct(_texts(data, codes.nbytes, texts, size), codes)


def _texts(data: bytes, at: int, count: int, size: int) -> pa.LargeStringArray:
    """Return so many texts of so many bytes."""
    offsets = _numbers(data, at, count + 1, np.int64)
    at += offsets.nbytes
    buffers = [None, pa.py_buffer(offsets), pa.py_buffer(memoryview(data)[at : at + size])]
    return pa.Array.from_buffers(pa.large_string(), count, buffers)


def _numbers(data: bytes, at: int, count: int, kind: Any) -> NDArray[Any]:
    """Return numbers that may begin anywhere, in a place of their own where kernels need them aligned."""
    found = np.frombuffer(data, kind, count, at)
    return found if found.flags.aligned else found.copy()
