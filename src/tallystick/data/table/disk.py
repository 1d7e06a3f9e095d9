"""A table whose rows lie on disk: the table of table.py over mapped files.

Knows tables and files. Knows nothing of sources or learners.
Law: what is held in memory is some blocks and what the schema itself needs: it depends on the budget and the
schema, not on the rows.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tallystick.contracts import Place
from tallystick.data.schema import Schema
from tallystick.data.source import scratch
from tallystick.data.source.scratch import ScratchFile, padded
from tallystick.data.table.block import Block, WordCounts, class_type, code_type
from tallystick.data.table.ranks import Ranked, rank_within
from tallystick.data.table.subset import Within, recode_block, schema_within, take_block
from tallystick.data.table.table import BLOCK, Table


@dataclass
class DiskTable(Table):
    """A table over mapped files. budget: bytes of memory to work in."""

    place: ClassVar[Place] = "disk"
    room = staticmethod(scratch.empty)
    budget: int = 0
    _last: dict[str, Ranked] = field(default_factory=dict, init=False, repr=False, compare=False)

    def holds(self, row_bytes: int) -> bool:
        """Is there memory for so many bytes a row?"""
        return 2 * row_bytes * self.rows <= self.budget

    @property
    def block_rows(self) -> int:
        """How many rows a block has, so that those in hand fit the budget."""
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

    def blocks(self) -> Iterator[Block]:
        """Yield all rows in blocks that are made each time: what is kept with a block goes with it."""
        size = self.block_rows
        return (self.slice(s, min(s + size, self.rows)) for s in range(0, self.rows, size))

    def take(self, rows: NDArray[np.int64], schema: Schema | None = None) -> Table:
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


# ---- the file that is written ----


CLASSES, RESPONSE, WEIGHTS, KEPT = "classes", "response", "weights", "kept"


@dataclass
class _Words:
    """The words of a text column: entries in files of their own, since nobody knows how many come."""

    words: ScratchFile = field(default_factory=ScratchFile)
    counts: ScratchFile = field(default_factory=ScratchFile)
    entries: int = 0


class _Place(NamedTuple):
    """Where an array lies: file, first byte, kind and length."""

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
        block: Block,
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
