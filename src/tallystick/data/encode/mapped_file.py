"""The columns of a table in one file on disk, written block by block and then mapped.

Knows encoded blocks and a schema. Knows nothing of sources.
Law: the arrays are the blocks' rows, one after the other.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallystick.data.encode.block import Block, WordCounts, code_type
from tallystick.data.encode.target import class_type
from tallystick.data.schema import Schema
from tallystick.data.source.scratch import ScratchFile, padded

CLASSES, RESPONSE, WEIGHTS, KEPT = "classes", "response", "weights", "kept"


@dataclass
class _Words:
    """The words of a text column: entries in files of their own, since nobody knows how many come."""

    words: ScratchFile = field(default_factory=ScratchFile)
    counts: ScratchFile = field(default_factory=ScratchFile)
    entries: int = 0


class TableFile:
    """A table being written. unit: None without weights; classes: False where they have no meaning here."""

    def __init__(self, schema: Schema, rows: int, unit: int | None, classes: bool = True) -> None:
        self.schema, self.rows, self.done = schema, rows, 0
        self.file = ScratchFile()
        self.places: dict[tuple[str, str], tuple[int, np.dtype[Any], int]] = {}
        self.texts: dict[str, _Words] = {}
        end = 0
        for column in schema.used:
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
        self.places[key] = at, np.dtype(kind), size
        return padded(at + size * np.dtype(kind).itemsize)

    def add(self, block: Block, start: int = 0, keep: NDArray[np.int64] | None = None) -> None:
        """Write a block. start: the number of its batch's first row; keep: rows of the batch that count."""
        for column in self.schema.used:
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
        at, kind, _ = self.places[key]
        data = np.ascontiguousarray(data)
        if data.dtype != kind:
            data = data.astype(kind)
        self.file.write(data, at + (self.done + shift) * kind.itemsize)

    def _add_words(self, name: str, data: WordCounts) -> None:
        text = self.texts[name]
        if not self.done:
            self.file.write(np.zeros(1, np.int64), self.places["column", name][0])
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
            self.places["", KEPT] = self.end, np.dtype(np.int64), self.rows
            self.file.reserve(self.end + 8 * self.rows)
            for first in range(0, self.done, 1 << 16):
                before = np.arange(first, min(first + (1 << 16), self.done), dtype=np.int64)
                self.file.write(before, self.end + 8 * first)
        self._write(("", KEPT), start + (np.arange(rows) if keep is None else keep))

    def columns(self) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        """Return the columns, and target, weights and kept rows, as arrays over the file."""
        view = self.file.view()
        self.file.close()
        columns: dict[str, Any] = {}
        rest: dict[str, NDArray[Any]] = {}
        for (sort, name), (at, kind, size) in self.places.items():
            array = np.frombuffer(view, kind, size, at) if size else np.empty(0, kind)
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
