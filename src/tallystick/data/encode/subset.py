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
from tallystick.data.schema import Column, Target


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


def _take_words(
    column: Column, data: WordCounts, rows: NDArray[np.int64], scale: Scale
) -> tuple[Column, Any]:
    starts, entries = _entries(data, rows)
    words, counts = data.words[entries], data.counts[entries]
    size = len(column.words)
    used = np.zeros(size + 1, bool)
    used[words] = True
    into = np.full(size + 1, int(used[:size].sum()), np.uint32)  # unseen stays the number after the last
    into[:size][used[:size]] = np.arange(used[:size].sum(), dtype=np.uint32)
    kept = tuple(w for w, there in zip(column.words, used[:size].tolist(), strict=True) if there)
    return common_words(replace(column, words=kept), WordCounts(starts, into[words], counts), scale)


def common_words(column: Column, data: WordCounts, scale: Scale) -> tuple[Column, WordCounts]:
    """Return a text column with the words that enough rows have, `column.least`; others become unseen."""
    if column.least <= 1:
        return column, data
    size, weights = len(column.words), scale.weights if scale.unit == 1 else None
    rows = np.repeat(np.arange(len(data.starts) - 1), np.diff(data.starts))
    heavy = None if weights is None else weights[rows].astype(float)
    documents = np.bincount(data.words, heavy, minlength=size + 1)[:size]
    kept = documents >= column.least
    if kept.all():
        return column, data
    into = np.full(size + 1, int(kept.sum()), np.uint32)
    into[:size][kept] = np.arange(kept.sum(), dtype=np.uint32)
    words = tuple(w for w, there in zip(column.words, kept.tolist(), strict=True) if there)
    recoded = WordCounts(data.starts, into[data.words], data.counts)
    return replace(column, words=words), _join_unseen(recoded, len(words))


def take_labels(
    target: Target | None, classes: NDArray[Any] | None, rows: NDArray[np.int64]
) -> tuple[Target | None, NDArray[Any] | None]:
    """Return the target with the labels that some rows have, and their class codes."""
    if target is None or classes is None:
        return target, None
    codes = classes[rows]
    used = np.bincount(codes, minlength=len(target.labels)) > 0
    if used.all():
        return target, codes
    labels = tuple(label for label, there in zip(target.labels, used.tolist(), strict=True) if there)
    into = (np.cumsum(used) - 1).astype(classes.dtype)
    return replace(target, labels=labels), into[codes]


def match_column(column: Column, data: Any, rows: NDArray[np.int64], known: Column) -> Any:
    """Return a column's data for some rows in the codes of another schema: what that one lacks is unseen."""
    if known.kind == "numeric":
        return data[rows]
    if known.kind == "text":
        plain = replace(column, least=1)  # which words are known is for the other schema to say
        some, part = _take_words(plain, data, rows, Scale(len(rows), len(rows)))
        return _match_words(some.words, part, known)
    if column.levels == known.levels:
        return data[rows]
    into = np.empty(len(column.levels) + 2, code_type(len(known.levels)))
    places = {level: code for code, level in enumerate(known.levels)}
    missing, unseen = len(known.levels), len(known.levels) + 1
    into[:-2] = [places.get(level, unseen) for level in column.levels]
    into[-2:] = missing, unseen
    return into[data[rows]]


def _match_words(words: tuple[str, ...], data: WordCounts, known: Column) -> WordCounts:
    """Recode words; both vocabularies are sorted, so rising words stay rising and unseen ones come last."""
    places = {word: number for number, word in enumerate(known.words)}
    unseen = len(known.words)
    into = np.array([*(places.get(word, unseen) for word in words), unseen], np.uint32)
    numbers = into[data.words]
    return _join_unseen(WordCounts(data.starts, numbers, data.counts), unseen)


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
    """Return the words of some rows, numbers as they are."""
    starts, entries = _entries(data, rows)
    return WordCounts(starts, data.words[entries], data.counts[entries])


def _entries(data: WordCounts, rows: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return starts[row + 1] of some rows and the old place of each of their entries."""
    lengths = np.diff(data.starts)[rows]
    starts = np.zeros(len(rows) + 1, np.int64)
    np.cumsum(lengths, out=starts[1:])
    return starts, np.arange(starts[-1]) + np.repeat(data.starts[rows] - starts[:-1], lengths)
