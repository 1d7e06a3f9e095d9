"""Subsets of rows (folds, samples): their blocks, recoding to another schema, and the schema they imply.

- Some rows in the codes they have: `take_block()`, `take_words()`; arrays of one's own: `own_copy()`.
- Recoding by another schema: `recode_block()`, `recode_column()`; words: `known_words()`.
- The schema of a subset as if other rows did not exist. Entry: `Within` (a statistic), then
  `schema_within()`.

unseen = the code after missing. Laws: the schema of a subset depends on its rows alone, not on other rows,
their order or partition; levels that the user declared stay.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tallystick import kernels
from tallystick.contracts import Block, Statistic
from tallystick.schema import CODED, Column, Schema, Target
from tallystick.table.block import RowBlock, WordCounts, code_type

if TYPE_CHECKING:
    import pyarrow as pa

    from tallystick.table.table import LocalTable

Counts = NDArray[np.int64]
COPIED = 1 << 12  # rows copied at once, all columns together, as columns of a matrix share cache lines


def take_block(block: Any, rows: NDArray[np.int64]) -> RowBlock:
    """Return some rows of a block, or of a table in memory, in the codes they have."""

    def cut(array: Any) -> Any:
        return None if array is None else array[rows]

    columns = {
        n: take_words(d, rows) if isinstance(d, WordCounts) else d[rows] for n, d in block.columns.items()
    }
    return RowBlock(len(rows), columns, cut(block.classes), cut(block.response), cut(block.weights))


def own_copy(table: LocalTable) -> LocalTable:
    """Return a table in memory whose arrays are shared with no one: copies of what is not its own."""
    if table.own:
        return table
    columns: dict[str, Any] = {}
    given = []
    for name, data in table.columns.items():
        if isinstance(data, WordCounts):  # always made for the table
            columns[name] = data
        else:
            columns[name] = np.empty(len(data), data.dtype)
            given.append((columns[name], data))
    for start in range(0, table.rows, COPIED):
        some = slice(start, start + COPIED)
        for out, data in given:
            out[some] = data[some]
    table = replace(table, columns=columns, own=True)
    for name in ("classes", "response", "weights"):
        array = getattr(table, name)
        setattr(table, name, None if array is None else array.copy())
    return table


def recode_block(block: RowBlock, old: Schema, new: Schema) -> RowBlock:
    """Return a block in the codes of another schema; levels and words that it lacks become unseen."""
    columns = {c.name: recode_column(old[c.name], block.columns[c.name], c) for c in new.used}
    return replace(block, columns=columns, classes=recode_classes(block.classes, old.target, new.target))


def recode_classes(
    classes: NDArray[Any] | None, old: Target | None, new: Target | None
) -> NDArray[Any] | None:
    """Return classes in the codes of another target; None where it lacks a label that some row has."""
    if classes is None or old is None or new is None or old.labels == new.labels:
        return classes
    at = {label: code for code, label in enumerate(new.labels)}
    into = np.array([at.get(label, -1) for label in old.labels])
    found = into[classes]
    return None if (found < 0).any() else found.astype(classes.dtype)


def recode_column(column: Column, data: Any, known: Column) -> Any:
    """Return a column's data in the codes of another schema."""
    if known.kind == "numeric":
        return data
    if known.kind == "text":
        if column.words == known.words:
            return data
        from tallystick.io.frames import from_texts  # imports Arrow, which loading a model must not

        return known_words(from_texts(column.words), data, from_texts(known.words))
    if column.levels == known.levels:
        return data
    into = np.empty(len(column.levels) + 2, code_type(len(known.levels)))
    places = {level: code for code, level in enumerate(known.levels)}
    missing, unseen = len(known.levels), len(known.levels) + 1
    into[:-2] = [places.get(level, unseen) for level in column.levels]
    into[-2:] = missing, unseen
    return into[data]


# ---- words of text columns ----


def known_words(words: pa.LargeStringArray, data: WordCounts, known: pa.LargeStringArray) -> WordCounts:
    """Recode words; both vocabularies are sorted, so rising words stay rising and unseen ones come last."""
    import pyarrow.compute as pc

    from tallystick.io.frames import filled

    unseen = len(known)
    if words.equals(known):
        return data
    into = np.append(filled(pc.index_in(words, known), unseen), unseen).astype(np.uint32)
    return _join_unseen(WordCounts(data.starts, into[data.words], data.counts), unseen)


def _join_unseen(data: WordCounts, unseen: int) -> WordCounts:
    """Move the unseen words of each row to its end and make them one entry."""
    new = data.words == unseen
    if not new.any():
        return data
    row = np.repeat(np.arange(len(data.starts) - 1), np.diff(data.starts))
    lost = np.bincount(row[new], data.counts[new], minlength=len(data.starts) - 1).astype(np.int64)
    kept = np.bincount(row[~new], minlength=len(data.starts) - 1)
    starts = np.concatenate([[0], np.cumsum(kept + (lost > 0))]).astype(np.int64)
    words = np.full(starts[-1], unseen, np.uint32)
    counts = np.zeros(starts[-1], np.uint32)
    first = np.concatenate([[0], np.cumsum(kept)])[:-1]
    at = starts[row[~new]] + np.arange(int(kept.sum())) - first[row[~new]]
    words[at], counts[at] = data.words[~new], data.counts[~new]
    counts[starts[1:][lost > 0] - 1] = lost[lost > 0]
    return WordCounts(starts, words, counts)


def take_words(data: WordCounts, rows: NDArray[np.int64]) -> WordCounts:
    """Return the words of some rows, in the codes they have."""
    starts, entries = _entries(data, rows)
    return WordCounts(starts, data.words[entries], data.counts[entries])


def _entries(data: WordCounts, rows: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return starts[row + 1] of some rows and the old place of each of their entries."""
    lengths = np.diff(data.starts)[rows]
    starts = np.zeros(len(rows) + 1, np.int64)
    np.cumsum(lengths, out=starts[1:])
    return starts, np.arange(starts[-1]) + np.repeat(data.starts[rows] - starts[:-1], lengths)


# ---- the schema of a subset ----


@dataclass(frozen=True)
class Within(Statistic[list[Any]]):
    """Ask for the levels, ranges, words and classes that rows have. copies: whole weights are copies of rows.

    Total of a column: counts[level, then missing]; numbers: (missing, low, high); texts: rows with each word,
    then 0. Last: rows of each class.
    """

    schema: Schema
    copies: bool

    def zero(self) -> list[Any]:
        labels = 0 if self.schema.target is None else len(self.schema.target.labels)
        return [*(self._nothing(c) for c in self.schema.used), np.zeros(labels, np.int64)]

    def _nothing(self, column: Column) -> Any:
        if column.kind == "numeric":
            return 0, np.inf, -np.inf
        return np.zeros(len(column.words if column.kind == "text" else column.levels) + 1, np.int64)

    def add(self, total: list[Any], block: Block) -> list[Any]:
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
        out: list[Any] = []
        for a, b in zip(total, other, strict=True):
            if isinstance(a, tuple):
                out.append((a[0] + b[0], min(a[1], b[1]), max(a[2], b[2])))
            else:
                out.append(a + b)
        return out


def schema_within(schema: Schema, total: list[Any]) -> Schema:
    """Return the schema of the rows of `total`, as if there were no others."""
    fields = {c.name: _within(c, found) for c, found in zip(schema.used, total[:-1], strict=True)}
    target = schema.target
    if target is not None and target.labels:
        used = [label for label, rows in zip(target.labels, total[-1].tolist(), strict=True) if rows]
        target = replace(target, labels=tuple(used))
    columns = tuple(fields.get(c.name, c) for c in schema.columns)
    return Schema(columns, target, schema.marks, schema.keys)


def _within(column: Column, found: Any) -> Column:
    if column.kind == "numeric":
        missing, low, high = found
        empty = low > high
        return replace(column, low=None if empty else low, high=None if empty else high, missing=missing)
    if column.kind == "text":
        least = max(column.least, 1)
        words = tuple(w for w, n in zip(column.words, found.tolist(), strict=False) if n >= least)
        return replace(column, words=words)
    missing, levels = int(found[-1]), column.levels
    if not column.declared and column.kind != "boolean":
        levels = tuple(v for v, n in zip(levels, found.tolist(), strict=False) if n)
    if missing == column.missing and len(levels) == len(column.levels):
        return column  # unchanged: the same levels and as many missing
    return replace(column, missing=missing, levels=levels)
