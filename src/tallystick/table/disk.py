"""Tables on disk: places for columns of unknown length, kept batches, `DiskTable` and its writer.

- Places in the final arrays, reserved before the number of rows is known: `PlacesInMemory`, `PlacesOnDisk`.
- Parts of batches kept until all rows are known: `KeptInMemory`, `KeptOnDisk`.
- Entry: `TableFile`, the writer, and `mapped()`, which returns the `DiskTable`; `RowsOnDisk`: rows at places
  that the writer chooses.

piece = the part of one column in one batch; tidy: see `cells.py`.
Law: memory in use is some blocks and what the schema needs: it depends on budget and schema, not on rows.
"""

from __future__ import annotations

from array import array
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate
from threading import Lock
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from tallystick.errors import DataError
from tallystick.io import scratch
from tallystick.io.scratch import ScratchFile, give_back, padded
from tallystick.schema import Schema
from tallystick.table.block import OWN, RowBlock, WordCounts, class_type, code_type
from tallystick.table.cells import Floats, SmallIntegers
from tallystick.table.column_survey import BatchWords
from tallystick.table.ranks import Ranked, rank_within
from tallystick.table.strings import Distinct
from tallystick.table.subset import Within, recode_block, schema_within, take_block
from tallystick.table.survey import ScannedBatch
from tallystick.table.table import BLOCK, LocalTable
from tallystick.table.target import TargetCells

# ---- places for columns, reserved before the number of rows is known ----
# Law: a batch has its place after the rows before it; where there are fewer rows than the place says, or more
# than expected, a column is concatenated as if nothing had been reserved.

Values = NDArray[np.float64]


def expected(rows: int) -> int:
    """Return for how many rows there shall be room, where there are about so many."""
    return rows + rows // 64 + 1_000


class PlacesInMemory:
    """Columns in memory, an array each: one large array would be given large pages, which take long where the
    system has to find them first. Of a column of texts there is none.
    """

    def __init__(self) -> None:
        self.values: dict[str, Values] = {}
        self.rows, self._first = 0, Lock()

    def expect(self, rows: int) -> None:
        """Say that there are about so many rows."""
        self.rows = expected(rows)

    def of(self, names: Sequence[str], row: int, rows: int) -> list[Values] | None:
        """Return the places of some rows of these columns of numbers; None: there are none. Any thread may
        ask.
        """
        with self._first:
            if row + rows > self.rows or not self._taken(names):
                return None
        return [self.values[name][row : row + rows] for name in names]

    def _taken(self, names: Sequence[str]) -> bool:
        """Take room for columns that have none; say whether it could be had."""
        try:
            self.values |= {name: np.empty(self.rows) for name in names if name not in self.values}
        except MemoryError:
            self.rows = 0
        return self.rows > 0

    def joined(self, name: str, read: Sequence[Values | None], parts: Sequence[Values]) -> Values:
        """Return the parts of a column one after the other: where they lie, with those put there that lie
        elsewhere. read: the numbers that the parts were made of, where they are numbers.
        """
        size, whole = sum(map(len, parts)), self.values.get(name)
        if whole is None or size > len(whole):
            return np.concatenate(parts)
        begin, row, away = _address(whole), 0, []
        for before, part in zip(read, parts, strict=True):
            if _address(part) != begin + 8 * row:
                if before is not None and np.may_share_memory(before, whole):
                    return np.concatenate(parts)  # it is in a wrong place, or others read it there
                away.append((row, part))
            row += len(part)
        for row, part in away:
            whole[row : row + len(part)] = part
        return whole[:size]


class PlacesOnDisk:
    """Columns in a scratch file, one after the other: those of the first batch that is written."""

    def __init__(self) -> None:
        self.begins: dict[str, int] = {}  # the first byte of each column
        self.file: ScratchFile | None = None
        self.rows, self._first = 0, Lock()

    def expect(self, rows: int) -> None:
        """Say that there are about so many rows; once there is room for them, it is too late."""
        with self._first:
            if self.file is None:
                self.rows = expected(rows)

    def of(self, names: Sequence[str], row: int, rows: int) -> None:
        """Numbers are read into memory, and written from there."""
        return

    def take(self, names: Sequence[str]) -> None:
        """Take room for these columns of numbers, if nobody took any before and there is so much: how many
        rows there are is a guess.
        """
        with self._first:
            if not self.rows or self.file is not None or not names:
                return
            size, file = padded(8 * self.rows), ScratchFile()
            try:
                file.reserve(size * len(names))
            except DataError:
                file.close()
                self.rows = 0
                return
            self.file, self.begins = file, {name: j * size for j, name in enumerate(names)}

    def write(self, name: str, row: int, values: Values) -> bool:
        """Write numbers of a column in their place, from a row on, if there is one; any thread may."""
        if self.file is None or name not in self.begins or row + len(values) > self.rows:
            return False
        self.file.write(values, self.begins[name] + 8 * row)
        return True

    def read(self, name: str, row: int, rows: int) -> bytes:
        """Return numbers of a column that were written."""
        assert self.file is not None
        return self.file.read(self.begins[name] + 8 * row, 8 * rows)

    def give_back(self, rows: int, names: Collection[str]) -> None:
        """Give the disk back all but so many rows of these columns: how many there are was a guess."""
        if self.file is None:
            return
        taken = padded(8 * self.rows)
        for name, at in self.begins.items():
            needed = 8 * rows if name in names else 0
            self.file.free(taken - needed, at + needed)

    def columns(self) -> dict[str, tuple[ScratchFile, int]]:
        """Return where each column begins."""
        return {} if self.file is None else {name: (self.file, at) for name, at in self.begins.items()}

    def close(self) -> None:
        """Give the room back, once no array holds it."""
        if self.file is not None:
            self.file.close()


def _address(values: Values) -> int:
    """Return the address of an array."""
    return int(values.__array_interface__["data"][0])


# ---- parts of batches, kept in memory or on disk until all rows are known ----
# Law: a batch comes back as it was, wherever it was kept.

PIECE = 4  # integers of a piece's record: form, texts (of numbers: 1 if tidy), their bytes, place
PLACED = 2  # flag of numbers that are in their places in the table: tidy as well
GIVEN_BACK = 32  # batches after which freed memory is returned to the system, as allocators would keep it
NOTHING, NUMBERS, DATES, SPANS, WORDS, TEXTS = -1, 0, 1, 2, 3, 4
WIDTHS: tuple[type[np.unsignedinteger[Any]], ...] = (np.uint8, np.uint16, np.uint32)

PieceFacts = tuple[int, int, int]
Piece = Floats | SmallIntegers | Distinct | BatchWords | None


class KeptInMemory:
    """Batches in memory."""

    takes_views = True  # a source in memory is one batch, by view

    def __init__(self, names: Sequence[str]) -> None:
        self.names = list(names)
        self.batches = list[ScannedBatch]()
        self.places = PlacesInMemory()

    def __len__(self) -> int:
        return len(self.batches)

    def put(self, taken: ScannedBatch, row: int | None = None) -> ScannedBatch:
        """Return a batch: it is kept as it is."""
        return taken

    def add(self, taken: ScannedBatch) -> None:
        """Keep a batch; they come in their order."""
        self.batches.append(taken)

    def read(self, i: int, but: Collection[str] = ()) -> ScannedBatch:
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
    facts: array[int]
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
        self.facts = array("q")  # [batch, piece, PIECE]: columns, target, weights

    def __len__(self) -> int:
        return len(self.rows)

    def put(self, taken: ScannedBatch, row: int | None = None) -> Written:
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
        at, found = self.file.claim(size), array("q")
        for form, parts in pieces:
            found.extend((*form, at))
            for part in parts:
                at += self.file.write(part, at)
        return Written(taken.rows, found, at, -1 if row is None else row)

    def _in_place(self, name: str, piece: Piece, row: int | None) -> tuple[PieceFacts, tuple[Any, ...]]:
        """Return the record of a piece, and its bytes in parts; none where it was put in its place."""
        if row is None or not isinstance(piece, Floats) or not _is_tidy(piece):
            return _in_bytes(piece)
        placed = self.places.write(name, row, np.ascontiguousarray(piece.values))
        return ((_form(piece), PLACED, 0), ()) if placed else _in_bytes(piece)

    def add(self, batch: Written) -> None:
        """Keep a batch; they come in their order."""
        self.rows.append(batch.rows)
        self.facts.extend(batch.facts)
        self.ends.append(batch.end)
        self.starts.append(batch.start)
        if len(self) % GIVEN_BACK == 0:
            give_back()

    def read(self, i: int, but: Collection[str] = ()) -> ScannedBatch:
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
        return ScannedBatch(self.rows[i], hit, real, known)

    def _read(self, i: int, j: int) -> Piece:
        """Return a piece of a batch."""
        place = (i * (len(self.names) + 2) + j) * PIECE
        form, texts, size, at = self.facts[place : place + PIECE]
        if NUMBERS <= form < WORDS and texts == PLACED:
            return _piece(self.numbers(i, self.names[j]), self.rows[i], (form, texts, size))
        last = j == len(self.names) + 1
        end = self.ends[i] if last else self.facts[place + 2 * PIECE - 1]
        return _piece(self.file.read(at, end - at), self.rows[i], (form, texts, size))

    def tidy(self) -> set[str]:
        """Return the columns all of whose pieces are numbers without infinities and -0.0."""
        found = np.frombuffer(self.facts, np.int64).reshape(len(self), -1, PIECE)
        fine = ((found[:, :, 0] >= NUMBERS) & (found[:, :, 0] < WORDS) & (found[:, :, 1] != 0)).all(axis=0)
        return {name for name, tidy in zip(self.names, fine.tolist(), strict=False) if tidy}

    def numbers(self, i: int, name: str) -> bytes:
        """Return the numbers of a column of a batch in their own type."""
        if self.in_place(i, name):
            return self.places.read(name, self.starts[i], self.rows[i])
        return self.file.read(self._facts_of(i, name)[-1], 8 * self.rows[i])

    def in_place(self, i: int, name: str) -> bool:
        """Are the numbers of a column of a batch in their place?"""
        form, texts, *_ = self._facts_of(i, name)
        return NUMBERS <= form < WORDS and texts == PLACED

    def _facts_of(self, i: int, name: str) -> array[int]:
        place = (i * (len(self.names) + 2) + self.order[name]) * PIECE
        return self.facts[place : place + PIECE]

    def settled(self) -> bool:
        """Do all batches that have places lie where they belong, with room between them for the others?"""
        starts = accumulate(self.rows, initial=0)
        right = all(start in (-1, row) for start, row in zip(self.starts, starts, strict=False))
        return right and sum(self.rows) <= self.places.rows

    def close(self) -> None:
        """Give the room on disk back."""
        self.file.close()
        self.places.close()


def _in_bytes(piece: Piece) -> tuple[PieceFacts, tuple[Any, ...]]:
    """Return the record of a piece without its place, and its bytes in parts."""
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


def _piece(data: bytes, rows: int, given: tuple[int, ...]) -> Piece:
    """Return a piece from its bytes."""
    form, texts, size = given
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


@dataclass
class DiskTable(LocalTable):
    """A table over mapped files. budget: bytes of memory to work in."""

    room = staticmethod(scratch.empty)
    budget: int = 0
    _last: dict[str, Ranked] = field(default_factory=dict, init=False, repr=False, compare=False)

    def holds(self, row_bytes: int) -> bool:
        """Is there memory for so many bytes a row?"""
        return 2 * row_bytes * self.rows <= self.budget

    @property
    def block_rows(self) -> int:
        """Rows of a block, so that the blocks in use fit the budget."""
        width = 8 * max(1, len(self.schema.used))
        return max(256, min(BLOCK, self.budget // 32 // width // 256 * 256))

    def ranks(self, name: str) -> tuple[NDArray[Any], NDArray[np.float64]]:
        """Return codes[row] and distinct[code] of a numeric column; only the last column's are kept, and
        threads may ask for several at once.
        """
        found = self._last.get(name)
        if found is None:
            found = rank_within(self.columns[name], self.budget)
            self._last = {name: found}
        return found

    def rank_all(self, threads: int | None = None) -> None:
        """Do nothing: ranks of all columns would be a table in memory."""

    def release(self) -> None:
        """Let go what others keep for this table, and the ranks: what waits on disk takes no memory."""
        super().release()
        self._last = {}

    def blocks(self) -> Iterator[RowBlock]:
        """Yield all rows in blocks that are made each time: what is kept with a block goes with it."""
        size = self.block_rows
        return (self.slice(s, min(s + size, self.rows)) for s in range(0, self.rows, size))

    def take(self, rows: NDArray[np.int64], schema: Schema | None = None) -> LocalTable:
        """Return some rows as a table on disk; see Table.take."""
        size = self.block_rows
        parts = [rows[start : start + size] for start in range(0, len(rows), size)]
        known = schema
        if known is None:
            within = Within(self.schema, self.unit == 1)
            total = within.zero()
            for part in parts:
                total = within.add(total, take_block(self, part))
            known = schema_within(self.schema, total)
        has_classes = self.classes is not None and (schema is None or schema.target == self.schema.target)
        file = TableFile(known, len(rows), self.unit if self.weights is not None else None, has_classes)
        for part in parts:
            file.add(recode_block(take_block(self, part), self.schema, known))
        made = mapped(file, self.budget, self.unit)
        kept = rows
        if self.kept is not None:
            kept = scratch.empty(len(rows), np.int64)
            for start in range(0, len(rows), size):
                kept[start : start + size] = self.kept[rows[start : start + size]]
        return replace(made, notes=self.notes, source_notes=self.source_notes, kept=kept, files=self.files)


def mapped(file: TableFile, budget: int, unit: int) -> DiskTable:
    """Return the table of a file that is written."""
    columns, rest = file.columns()
    table = DiskTable(file.schema, columns, file.rows, unit=unit, budget=budget)
    table.classes, table.response = rest.get("classes"), rest.get("response")
    table.weights, table.kept = rest.get("weights"), rest.get("kept")
    return table


# ---- the writer of the table file ----


CLASSES, RESPONSE, WEIGHTS, KEPT = "classes", "response", "weights", "kept"


@dataclass
class _Words:
    """The words of a text column: entries in files of their own, since their number is not known."""

    words: ScratchFile = field(default_factory=ScratchFile)
    counts: ScratchFile = field(default_factory=ScratchFile)
    entries: int = 0


class _Place(NamedTuple):
    """An array in a file: file, first byte, kind and length."""

    file: ScratchFile
    at: int
    kind: np.dtype[Any]
    size: int


class TableFile:
    """A table being written. unit: None without weights; classes: False where they have no meaning here;
    there: columns of numbers that lie in another file already, and where they begin.
    """

    def __init__(
        self,
        schema: Schema,
        rows: int,
        unit: int | None,
        classes: bool = True,
        there: Mapping[str, tuple[ScratchFile, int]] = MappingProxyType({}),
    ) -> None:
        self.schema, self.rows, self.done = schema, rows, 0
        self.file = ScratchFile()
        self.places: dict[tuple[str, str], _Place] = {}
        self.texts: dict[str, _Words] = {}
        end = 0
        for column in schema.used:
            if column.name in there:
                place = _Place(*there[column.name], np.dtype(np.float64), rows)
                self.places["column", column.name] = place
                continue
            kind: Any = np.float64 if column.kind == "numeric" else code_type(len(column.levels))
            size = rows
            if column.kind == "text":
                self.texts[column.name] = _Words()
                kind, size = np.int64, rows + 1
            end = self._place(("column", column.name), kind, size, end)
        if schema.target is not None and (classes or not schema.target.labels):
            labels = schema.target.labels
            name, kind = (CLASSES, class_type(len(labels))) if labels else (RESPONSE, np.float64)
            end = self._place(("", name), kind, rows, end)
        if unit is not None:
            end = self._place(("", WEIGHTS), np.int64, rows, end)
        self.end = end
        self.file.reserve(end)
        self.dropped = False

    def _place(self, key: tuple[str, str], kind: Any, size: int, at: int) -> int:
        self.places[key] = _Place(self.file, at, np.dtype(kind), size)
        return padded(at + size * np.dtype(kind).itemsize)

    def put(self, name: str, data: bytes, row: int) -> None:
        """Write a column's data from a row on, as they are; any thread may."""
        file, at, kind, _ = self.places["column", name]
        file.write(data, at + row * kind.itemsize)

    def add(
        self,
        block: RowBlock,
        start: int = 0,
        keep: NDArray[np.int64] | None = None,
        but: Collection[str] = (),
    ) -> None:
        """Write a block, but for columns that are put in their places apart. start: the number of its batch's
        first row; keep: rows of the batch that count.
        """
        for column in self.schema.used:
            if column.name in but:
                continue
            data = block.columns[column.name]
            if column.kind == "text":
                self._add_words(column.name, WordCounts(*data))
            else:
                self._write(("column", column.name), data)
        for name, data in (
            (CLASSES, block.classes),
            (RESPONSE, block.response),
            (WEIGHTS, block.weights),
        ):
            if data is not None and ("", name) in self.places:
                self._write(("", name), data)
        self._note_kept(block.rows, start, keep)
        self.done += block.rows

    def _write(self, key: tuple[str, str], data: NDArray[Any], shift: int = 0) -> None:
        file, at, kind, _ = self.places[key]
        data = np.ascontiguousarray(data)
        if data.dtype != kind:
            data = data.astype(kind)
        file.write(data, at + (self.done + shift) * kind.itemsize)

    def _add_words(self, name: str, data: WordCounts) -> None:
        text = self.texts[name]
        if not self.done:
            self.file.write(np.zeros(1, np.int64), self.places["column", name].at)
        self._write(("column", name), data.starts[1:] + text.entries, 1)
        text.words.append(np.ascontiguousarray(data.words))
        text.counts.append(np.ascontiguousarray(data.counts))
        text.entries += len(data.words)

    def _note_kept(self, rows: int, start: int, keep: NDArray[np.int64] | None) -> None:
        """Write which rows of the source these are, from the first row on that is dropped."""
        if keep is None and not self.dropped:
            return
        if not self.dropped:
            self.dropped = True
            self.places["", KEPT] = _Place(self.file, self.end, np.dtype(np.int64), self.rows)
            self.file.reserve(self.end + 8 * self.rows)
            for first in range(0, self.done, 1 << 16):
                before = np.arange(first, min(first + (1 << 16), self.done), dtype=np.int64)
                self.file.write(before, self.end + 8 * first)
        self._write(("", KEPT), start + (np.arange(rows) if keep is None else keep))

    def columns(self) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        """Return the columns, and target, weights and kept rows, as arrays over the file."""
        views = {file: file.view() for file in {self.file, *(place.file for place in self.places.values())}}
        self.file.close()
        columns: dict[str, Any] = {}
        rest: dict[str, NDArray[Any]] = {}
        for (sort, name), (file, at, kind, size) in self.places.items():
            array = np.frombuffer(views[file], kind, size, at) if size else np.empty(0, kind)
            if not sort:
                rest[name] = array
            elif name in self.texts:
                text = self.texts[name]
                entries = [np.frombuffer(f.view(), np.uint32) for f in (text.words, text.counts)]
                text.words.close()
                text.counts.close()
                columns[name] = WordCounts(array, *entries)
            else:
                columns[name] = array
        return columns, rest


# ---- rows collected part by part at places that the writer chooses; on disk if they are many ----
# Law: a block of some rows is what was written there.

Key = tuple[str, ...]  # the name of a column, or nothing and what else a row has


class RowsOnDisk:
    """So many rows, in the form of the first part that is written; there are no columns of words."""

    def __init__(self, rows: int) -> None:
        self.rows = rows
        self._arrays: dict[Key, NDArray[Any]] = {}

    def write(self, part: RowBlock, at: int) -> None:
        """Let some rows stand at a place."""
        arrays: dict[Key, NDArray[Any]] = {(name,): data for name, data in part.columns.items()}
        for name in OWN:
            if (array := getattr(part, name)) is not None:
                arrays["", name] = array
        if not self._arrays:
            forms = [scratch.ArrayForm((self.rows,), array.dtype) for array in arrays.values()]
            few = sum(form.bytes for form in forms) < scratch.FEW
            made = [np.empty(*form) for form in forms] if few else scratch.empties(forms)
            self._arrays = dict(zip(arrays, made, strict=True))
        for key, array in arrays.items():
            self._arrays[key][at : at + part.rows] = array

    def slice(self, start: int, stop: int) -> RowBlock:
        """Return rows start to stop as a block of views."""
        cut = {key: array[start:stop] for key, array in self._arrays.items()}
        columns = {key[0]: array for key, array in cut.items() if len(key) == 1}
        classes, response, weights = (cut.get(("", name)) for name in OWN)
        return RowBlock(stop - start, columns, classes, response, weights)
