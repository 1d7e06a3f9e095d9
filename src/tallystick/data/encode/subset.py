"""Some rows of an encoded column, as if the others had never been.

Knows encoded columns. Law: the result tells nothing of rows that were not taken; declared levels stay.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallystick import kernels
from tallystick.data.encode.strings import code_type
from tallystick.data.encode.weights import Scale
from tallystick.data.encode.words import WordCounts
from tallystick.data.schema import Column


def take_column(column: Column, data: Any, rows: NDArray[np.int64], scale: Scale) -> tuple[Column, Any]:
    """Return the column and its data for some rows; a column left out stays out."""
    if data is None:
        return column, None
    if column.kind == "numeric":
        return _take_values(column, data[rows], scale)
    if column.kind == "text":
        return _take_words(column, data, rows, scale)
    return _take_codes(column, data[rows], scale)


def _take_values(column: Column, values: NDArray[np.float64], scale: Scale) -> tuple[Column, Any]:
    seen = kernels.scan(values)
    empty = seen.missing == len(values)
    low, high = (None, None) if empty else (float(seen.low) + 0.0, float(seen.high) + 0.0)
    missing = seen.missing if scale.weights is None else scale.count(np.isnan(values))
    return replace(column, low=low, high=high, missing=missing), values


def _take_codes(column: Column, codes: NDArray[Any], scale: Scale) -> tuple[Column, Any]:
    k = len(column.levels)
    counts = scale.counts(codes, k + 1)
    column = replace(column, missing=int(counts[k]))
    used = counts[:k] > 0
    if column.declared or column.kind == "boolean" or used.all():
        return column, codes
    levels = tuple(level for level, there in zip(column.levels, used, strict=True) if there)
    into = np.full(k + 2, len(levels), code_type(len(levels)))
    into[:k][used] = np.arange(len(levels))
    return replace(column, levels=levels), into[codes]


def _take_words(column: Column, data: WordCounts, rows: NDArray[np.int64], scale: Scale) -> tuple[Column, Any]:
    lengths = np.diff(data.starts)[rows]
    starts = np.zeros(len(rows) + 1, np.int64)
    np.cumsum(lengths, out=starts[1:])
    # entry e of the new rows is entry e - starts[row] of the old row
    entries = np.arange(starts[-1]) + np.repeat(data.starts[rows] - starts[:-1], lengths)
    words, counts = data.words[entries], data.counts[entries]
    size = len(column.words)
    used = np.zeros(size + 1, bool)
    used[words] = True
    into = np.full(size + 1, int(used[:size].sum()), np.uint32)  # unseen stays the number after the last
    into[:size][used[:size]] = np.arange(used[:size].sum(), dtype=np.uint32)
    kept = tuple(w for w, there in zip(column.words, used[:size].tolist(), strict=True) if there)
    return replace(column, words=kept), WordCounts(starts, into[words], counts)
