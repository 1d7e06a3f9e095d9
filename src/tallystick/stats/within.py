"""What some rows hold of their columns: levels, ranges, missing rows, words. The schema of a part of a table
follows from that.

Knows blocks. Law: `schema_within` is the schema of `encode.Table.take` on the same rows; whole numbers and
ends of ranges only, so no order of rows can change it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallystick import kernels
from tallystick.contracts import Block
from tallystick.data.schema import CODED, Column, Schema

Counts = NDArray[np.int64]


@dataclass(frozen=True)
class Within:
    """Ask what rows hold. copies: whole weights count as copies of rows.

    Total of a column: counts[level, then missing]; numbers: (missing, range); texts: rows with each word,
    then missing. Last: rows of each class.
    """

    schema: Schema
    copies: bool

    def zero(self) -> list[Any]:
        """Return the total of no rows."""
        labels = 0 if self.schema.target is None else len(self.schema.target.labels)
        return [*(self._nothing(c) for c in self.schema.used), np.zeros(labels, np.int64)]

    def _nothing(self, column: Column) -> Any:
        if column.kind == "numeric":
            return 0, np.inf, -np.inf
        return np.zeros(len(column.words if column.kind == "text" else column.levels) + 1, np.int64)

    def add(self, total: list[Any], block: Block) -> list[Any]:
        """Add the rows of one block."""
        weights = block.weights if self.copies else None
        found = [self._of(c, block, weights) for c in self.schema.used]
        labels = np.zeros(len(total[-1]), np.int64)
        if block.classes is not None:
            kernels.count_classes(block.classes, len(labels), None, labels)
        return self.merge(total, [*found, labels])

    def _of(self, column: Column, block: Block, weights: Counts | None) -> Any:
        if column.kind in CODED:
            return kernels.count_classes(block.codes(column.name), len(column.levels) + 1, weights)
        if column.kind == "numeric":
            values = np.ascontiguousarray(block.values(column.name))
            seen, gone = kernels.scan(values), np.isnan(values)
            lost = seen.missing if weights is None else int(weights[gone].sum())
            if seen.missing == len(values):
                return lost, np.inf, -np.inf
            return lost, float(seen.low) + 0.0, float(seen.high) + 0.0
        starts, words, _ = block.words(column.name)
        rows = np.repeat(np.arange(block.rows), np.diff(starts))
        heavy = None if weights is None else weights[rows].astype(float)
        size = len(column.words)
        return np.append(np.bincount(words, heavy, minlength=size + 1)[:size].astype(np.int64), 0)

    def merge(self, total: list[Any], other: list[Any]) -> list[Any]:
        """Add two totals."""
        out: list[Any] = []
        for a, b in zip(total, other, strict=True):
            if isinstance(a, tuple):
                out.append((a[0] + b[0], min(a[1], b[1]), max(a[2], b[2])))
            else:
                out.append(a + b)
        return out


def schema_within(schema: Schema, total: list[Any]) -> Schema:
    """Return the schema of the rows that were asked about, as if there were no others."""
    told = {c.name: _within(c, found) for c, found in zip(schema.used, total[:-1], strict=True)}
    target = schema.target
    if target is not None and target.labels:
        used = [label for label, rows in zip(target.labels, total[-1].tolist(), strict=True) if rows]
        target = replace(target, labels=tuple(used))
    return Schema(tuple(told.get(c.name, c) for c in schema.columns), target, schema.marks)


def _within(column: Column, found: Any) -> Column:
    if column.kind == "numeric":
        missing, low, high = found
        empty = low > high
        return replace(column, low=None if empty else low, high=None if empty else high, missing=missing)
    if column.kind == "text":
        least = max(column.least, 1)
        words = tuple(w for w, n in zip(column.words, found.tolist(), strict=False) if n >= least)
        return replace(column, words=words)
    column = replace(column, missing=int(found[-1]))
    if column.declared or column.kind == "boolean":
        return column
    levels = tuple(v for v, n in zip(column.levels, found.tolist(), strict=False) if n)
    return replace(column, levels=levels)
