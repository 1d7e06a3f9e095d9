"""What some rows of a table on disk are, found a few rows at a time: the schema that `subset.py` would give.

Knows encoded tables and schemas. Law: the schema of Table.take in memory.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallystick import kernels
from tallystick.data.encode.subset import take_words
from tallystick.data.encode.table import Table
from tallystick.data.encode.words import WordCounts
from tallystick.data.schema import CODED, Column, Schema, Target


def taken_schema(table: Table, rows: NDArray[np.int64], size: int) -> Schema:
    """Return the schema of a table that knows nothing of the other rows; looks at `size` rows at once."""
    pieces = [rows[start : start + size] for start in range(0, len(rows), size)]
    columns = [_taken(table, column, pieces) for column in table.schema.columns]
    return Schema(tuple(columns), _labels(table, pieces), table.schema.marks)


def _labels(table: Table, pieces: list[NDArray[np.int64]]) -> Target | None:
    target = table.schema.target
    if target is None or table.classes is None:
        return target
    counts = np.zeros(len(target.labels), np.int64)
    for rows in pieces:
        kernels.count_classes(table.classes[rows], len(counts), None, counts)
    if counts.all():
        return target
    return replace(target, labels=tuple(t for t, n in zip(target.labels, counts.tolist(), strict=True) if n))


def _taken(table: Table, column: Column, pieces: list[NDArray[np.int64]]) -> Column:
    data = table.columns.get(column.name)
    if data is None:
        return column
    copies = table.weights if table.unit == 1 else None
    if column.kind == "numeric":
        return _numbers(column, data, pieces, copies)
    if column.kind in CODED:
        return _levels(column, data, pieces, copies)
    return _words(column, data, pieces, copies)


def _numbers(column: Column, data: Any, pieces: list[NDArray[np.int64]], copies: Any) -> Column:
    low, high, missing, present = np.inf, -np.inf, 0, 0
    for rows in pieces:
        values = data[rows]
        seen = kernels.scan(values)
        present += len(values) - seen.missing
        low, high = min(low, float(seen.low)), max(high, float(seen.high))
        missing += seen.missing if copies is None else int(copies[rows][np.isnan(values)].sum())
    ends = (low + 0.0, high + 0.0) if present else (None, None)
    return replace(column, low=ends[0], high=ends[1], missing=missing)


def _levels(column: Column, data: Any, pieces: list[NDArray[np.int64]], copies: Any) -> Column:
    k = len(column.levels)
    counts = np.zeros(k + 1, np.int64)
    for rows in pieces:
        kernels.count_classes(data[rows], k + 1, None if copies is None else copies[rows], counts)
    column = replace(column, missing=int(counts[k]))
    if column.declared or column.kind == "boolean" or counts[:k].all():
        return column
    return replace(
        column, levels=tuple(t for t, n in zip(column.levels, counts[:k].tolist(), strict=True) if n)
    )


def _words(column: Column, data: WordCounts, pieces: list[NDArray[np.int64]], copies: Any) -> Column:
    size = len(column.words)
    documents = np.zeros(size + 1, np.int64)
    for rows in pieces:
        part = take_words(data, rows)
        of_entry = None
        if copies is not None:
            of_entry = np.repeat(copies[rows], np.diff(part.starts))
        kernels.count_classes(part.words, size + 1, of_entry, documents)
    kept = documents[:size] >= max(1, column.least)
    return replace(column, words=tuple(w for w, n in zip(column.words, kept.tolist(), strict=True) if n))
