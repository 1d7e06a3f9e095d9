"""Batches as a survey saw them, kept until all rows are known: the source is read once.

Knows what a survey takes of a batch: numbers, texts with the codes of rows, or words. Knows nothing of kinds.
Law: what is read back is what was kept, batch by batch in the order of the source.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from tallystick.data.read.cells import Floats
from tallystick.data.read.integers import SmallIntegers
from tallystick.data.read.strings import Distinct
from tallystick.data.read.survey import Taken
from tallystick.data.read.survey_column import BatchWords
from tallystick.data.read.survey_target import TargetCells
from tallystick.data.read.weights import Chosen, kept_rows
from tallystick.data.source.scratch import ScratchFile
from tallystick.data.table.block import WordCounts

PIECE = 3  # numbers that tell of a piece: its form, its texts, the bytes of its texts
NOTHING, NUMBERS, DATES, WORDS, TEXTS = -1, 0, 1, 2, 3
WIDTHS: tuple[type[np.unsignedinteger[Any]], ...] = (np.uint8, np.uint16, np.uint32)

Piece = Floats | SmallIntegers | Distinct | BatchWords | None


class KeptInMemory:
    """Batches in memory."""

    def __init__(self, names: Sequence[str]) -> None:
        self.names = list(names)
        self.batches = list[Taken]()

    def __len__(self) -> int:
        return len(self.batches)

    def add(self, taken: Taken) -> None:
        """Keep a batch."""
        self.batches.append(taken)

    def read(self, i: int) -> Taken:
        """Return a batch."""
        return self.batches[i]

    def close(self) -> None:
        """Let go of them."""
        self.batches.clear()


class KeptOnDisk:
    """Batches on disk. names: of the columns, in the order of their pieces."""

    def __init__(self, names: Sequence[str], regression: bool) -> None:
        self.names, self.regression = list(names), regression
        self.file = ScratchFile()
        self.starts, self.rows = array("q"), array("q")
        self.told = array("q")  # [batch, piece, PIECE]: columns, target, weights

    def __len__(self) -> int:
        return len(self.rows)

    def add(self, taken: Taken) -> None:
        """Keep a batch."""
        self.starts.append(self.file.size)
        self.rows.append(taken.chosen.rows)
        for name in self.names:
            self._write(taken.columns.get(name))
        if self.regression:
            self._write(None if taken.hit.response is None else Floats(taken.hit.response))
        else:
            self._write(taken.hit.labels)
        self._write(None if taken.weights is None else Floats(taken.weights))

    def _write(self, piece: Piece) -> None:
        if piece is None:
            self.told.extend((NOTHING, 0, 0))
        elif isinstance(piece, Distinct):
            lengths, data = _bytes_of(piece.values)
            width = piece.codes.dtype.itemsize.bit_length() - 1
            self.told.extend((TEXTS + width, len(piece.values), len(data)))
            self.file.append(piece.codes, lengths, data)
        elif isinstance(piece, BatchWords):
            lengths, data = _bytes_of(piece.words)
            self.told.extend((WORDS, len(piece.words), len(data)))
            self.file.append(*map(np.ascontiguousarray, piece.rows), lengths, data)
        else:
            self.told.extend((DATES if isinstance(piece, Floats) and piece.dated else NUMBERS, 0, 0))
            values = piece.values if isinstance(piece, Floats) else piece.values()
            self.file.append(np.ascontiguousarray(values))

    def read(self, i: int) -> Taken:
        """Return a batch; which rows count is found again from its target and weights."""
        end = self.starts[i + 1] if i + 1 < len(self) else self.file.size
        data = self.file.read(self.starts[i], end - self.starts[i])
        pieces, at = list[Piece](), 0
        width = len(self.names) + 2
        for j in range(width):
            place = (i * width + j) * PIECE
            piece, at = _read(data, at, self.rows[i], tuple(self.told[place : place + PIECE]))
            pieces.append(piece)
        *columns, target, weights = pieces
        hit = TargetCells()
        if isinstance(target, Distinct):
            hit = TargetCells(target)
        elif isinstance(target, Floats):
            hit = TargetCells(response=target.values)
        real = weights.values if isinstance(weights, Floats) else None
        keep = kept_rows(hit.absent, real)
        known = {name: c for name, c in zip(self.names, columns, strict=True) if c is not None}
        return Taken(Chosen(self.rows[i], keep), hit, real, known)

    def close(self) -> None:
        """Give the room on disk back."""
        self.file.close()


def _bytes_of(texts: pa.LargeStringArray) -> tuple[NDArray[np.int64], bytes]:
    """Return offsets[text + 1] from 0 and the bytes of texts."""
    _, offsets, data = texts.buffers()
    places = np.frombuffer(offsets, np.int64, len(texts) + 1, 8 * texts.offset) if len(texts) else np.zeros(1)
    low, high = int(places[0]), int(places[-1])
    return places.astype(np.int64) - low, bytes(memoryview(data or b"")[low:high])


def _read(data: bytes, at: int, rows: int, told: tuple[int, ...]) -> tuple[Piece, int]:
    """Return a piece and where the next one begins."""
    form, texts, size = told
    if form == NOTHING:
        return None, at
    if form < WORDS:
        values = _numbers(data, at, rows, np.float64)
        return Floats(values, form == DATES, True), at + 8 * rows
    if form == WORDS:
        starts = _numbers(data, at, rows + 1, np.int64)
        at, entries = at + starts.nbytes, int(starts[-1])
        words, counts = (_numbers(data, at + 4 * entries * i, entries, np.uint32) for i in range(2))
        known, at = _texts(data, at + 8 * entries, texts, size)
        return BatchWords(known, WordCounts(starts, words, counts)), at
    codes = _numbers(data, at, rows, WIDTHS[form - TEXTS])
    found, at = _texts(data, at + codes.nbytes, texts, size)
    return Distinct(found, codes), at


def _texts(data: bytes, at: int, count: int, size: int) -> tuple[pa.LargeStringArray, int]:
    """Return so many texts of so many bytes, and where they end."""
    offsets = _numbers(data, at, count + 1, np.int64)
    at += offsets.nbytes
    buffers = [None, pa.py_buffer(offsets), pa.py_buffer(memoryview(data)[at : at + size])]
    return pa.Array.from_buffers(pa.large_string(), count, buffers), at + size


def _numbers(data: bytes, at: int, count: int, kind: Any) -> NDArray[Any]:
    """Return numbers that may begin anywhere, in a place of their own where kernels need them aligned."""
    found = np.frombuffer(data, kind, count, at)
    return found if found.flags.aligned else found.copy()
