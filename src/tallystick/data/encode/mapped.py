"""A table whose rows lie on disk: the table of table.py over mapped files.

Knows tables and files. Knows nothing of sources or learners.
Law: what is held in memory is some blocks and what the schema itself needs: it depends on the budget and the
schema, not on the rows.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallystick.data.encode.block import Block
from tallystick.data.encode.mapped_file import TableFile
from tallystick.data.encode.ranks import rank_within
from tallystick.data.encode.runs import codes_within, few_or_cuts
from tallystick.data.encode.subset import Within, recode_block, schema_within, take_block
from tallystick.data.encode.table import BLOCK, Table
from tallystick.data.encode.work import in_order
from tallystick.data.schema import Schema
from tallystick.data.source import scratch


@dataclass
class MappedTable(Table):
    """A table over mapped files. budget: bytes of memory to work in."""

    budget: int = 0
    _last: dict[str, Any] = field(default_factory=dict, init=False, repr=False, compare=False)

    def holds(self, row_bytes: int) -> bool:
        """Is there memory for so many bytes a row?"""
        return 2 * row_bytes * self.rows <= self.budget

    @property
    def block_rows(self) -> int:
        """How many rows a block has, so that those in hand fit the budget."""
        width = 8 * max(1, len(self.schema.used))
        return max(256, min(BLOCK, self.budget // 32 // width // 256 * 256))

    def ranks(self, name: str) -> tuple[NDArray[Any], NDArray[np.float64]]:
        """Return codes[row] and distinct[code] of a numeric column; only the last column's are kept."""
        if name not in self._last:
            self._last = {name: rank_within(self.columns[name], self.budget)}
        return self._last[name]  # type: ignore[no-any-return]

    def number_codes(self, name: str, most: int, bins: int) -> tuple[NDArray[Any], NDArray[np.float64], bool]:
        """Return codes[row] of a numeric column, missing last, and what they stand for: its distinct values
        if those are at most `most`, else (True) the cuts of so many bins.
        """
        found, binned = few_or_cuts(self.columns[name], self.weights, most, bins, self.budget)
        return codes_within(self.columns[name], found, binned, self.budget), found, binned

    def rank_all(self, threads: int | None = None) -> None:
        """Do nothing: ranks of all columns would be a table in memory."""

    def blocks(self) -> Iterator[Block]:
        """Yield all rows in blocks that are made anew each time: what is kept with a block goes with it."""
        size = self.block_rows
        return (self.slice(s, min(s + size, self.rows)) for s in range(0, self.rows, size))

    def row_hashes(self) -> NDArray[np.uint64]:
        """Return hashes[row] of the rows' content, target included, weights not."""
        from tallystick.data.encode.hashes import Hasher

        hasher, at = Hasher(self.schema), 0
        out = scratch.empty(self.rows, np.uint64)
        for part in in_order((partial(hasher.rows, block) for block in self.blocks()), self._threads):
            out[at : at + len(part)] = part
            at += len(part)
        return out

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
        return replace(made, notes=self.notes, source_notes=self.source_notes, kept=kept)


def mapped(file: TableFile, budget: int, unit: int) -> MappedTable:
    """Return the table of a file that is written."""
    columns, rest = file.columns()
    table = MappedTable(file.schema, columns, file.rows, unit=unit, budget=budget)
    table.classes, table.response = rest.get("classes"), rest.get("response")
    table.weights, table.kept = rest.get("weights"), rest.get("kept")
    return table
