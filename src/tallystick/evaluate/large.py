"""More rows than memory holds: arrays of one entry a row lie on disk and are worked on a few rows at a time.

Knows row hashes, keys and masks. Knows nothing of models or scores.
Law: rows come in the order that sorting them at once gives, but for equal keys, whose order means nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from tallystick.contracts import Table
from tallystick.data.source import scratch

Rows = NDArray[np.int64]
Keys = NDArray[np.uint64]
Test = Callable[[slice], NDArray[np.bool_]]
ROW_BYTES = 300  # of memory that dealing and scoring take for a row, with several methods beside each other
SORTED_BYTES = 64  # of memory that sorting takes for a row
STEP = 1 << 16  # rows looked at at once
DIGIT = 16  # bits of a key that are counted at once


def is_large(table: Table) -> bool:
    """Has the table more rows than its budget lets us hold arrays of?"""
    return not table.holds(ROW_BYTES)


def tidy(table: Table) -> None:
    """Give back the memory that a finished job freed, where a table has a budget."""
    if table.budget:
        scratch.give_back()


def empty(table: Table, shape: int | tuple[int, ...], dtype: DTypeLike) -> NDArray[Any]:
    """Return an array with an entry a row, of zeros: in memory, or on disk where that is too small."""
    return scratch.empty(shape, dtype) if is_large(table) else np.zeros(shape, dtype)


def steps(rows: int, size: int = 0) -> Iterator[slice]:
    """Yield all rows, some at a time: STEP, or so many."""
    size = size or STEP
    return (slice(start, min(start + size, rows)) for start in range(0, rows, size))


def where(test: Test, rows: int) -> Rows:
    """Return the rows that pass a test, as an array on disk."""
    out = scratch.empty(sum(int(np.count_nonzero(test(s))) for s in steps(rows)), np.int64)
    at = 0
    for s in steps(rows):
        found = np.flatnonzero(test(s))
        out[at : at + len(found)] = found + s.start
        at += len(found)
    return out


def in_order(keys: Keys, table: Table) -> Rows:
    """Return the rows of a table in the order of their keys, of equal keys the first rows first."""
    if not is_large(table):
        return np.argsort(keys, kind="stable")
    out, at = scratch.empty(len(keys), np.int64), 0
    for rows in by_key(keys, None, table.budget):
        out[at : at + len(rows)] = rows
        at += len(rows)
    return out


def numbers(table: Table) -> Rows:
    """Return the numbers of all rows."""
    out = empty(table, table.rows, np.int64)
    for s in steps(table.rows):
        out[s] = np.arange(s.start, s.stop)
    return out


def distinct(keys: Keys, table: Table) -> int:
    """Return how many different keys there are."""
    if not is_large(table):
        return len(np.unique(keys))
    found, last = 0, None
    for rows in by_key(keys, None, table.budget):
        if len(rows):
            some = keys[rows]
            found += int(np.count_nonzero(some[1:] != some[:-1])) + int(last is None or some[0] != last)
            last = some[-1]
    return found


def counts(codes: NDArray[Any], size: int) -> Rows:
    """Return how many rows have each code. A part at a time: bincount makes eight bytes of each."""
    out = np.zeros(size, np.int64)
    for s in steps(len(codes)):
        out += np.bincount(codes[s], minlength=size)
    return out


def by_key(keys: Keys, test: Test | None, budget: int) -> Iterator[Rows]:
    """Yield the rows that pass a test in the order of their keys, some at a time."""
    most = max(STEP, budget // 8 // SORTED_BYTES)
    waiting: list[tuple[int, int]] = []  # neighbouring ranges of keys that are few enough together
    held = 0
    for low, high, count in _ranges(keys, test, most):
        if waiting and held + count > most:
            yield from _within(keys, test, waiting[0][0], waiting[-1][1], held, most)
            waiting, held = [], 0
        waiting.append((low, high))
        held += count
    if waiting:
        yield from _within(keys, test, waiting[0][0], waiting[-1][1], held, most)


def _ranges(
    keys: Keys, test: Test | None, most: int, prefix: int = 0, known: int = 0
) -> Iterator[tuple[int, int, int]]:
    """Yield (low, high, rows) of rising ranges of keys whose first `known` bits are the prefix; a range of
    more rows than `most` has one key.
    """
    left = 64 - known - DIGIT
    counts = np.zeros(1 << DIGIT, np.int64)
    for s in steps(len(keys)):
        some = keys[s] if test is None else keys[s][test(s)]
        if known:
            some = some[some >> np.uint64(64 - known) == prefix]
        digits = (some >> np.uint64(left)) & np.uint64((1 << DIGIT) - 1)
        counts += np.bincount(digits.astype(np.int64), minlength=1 << DIGIT)
    for digit in np.flatnonzero(counts).tolist():
        whole = prefix << DIGIT | digit
        if counts[digit] > most and left:
            yield from _ranges(keys, test, most, whole, known + DIGIT)
        else:
            yield whole << left, (whole + 1 << left) - 1, int(counts[digit])


def _within(keys: Keys, test: Test | None, low: int, high: int, count: int, most: int) -> Iterator[Rows]:
    """Yield the rows with keys of a range in order; too many of them have one key and need none."""
    found: list[Rows] = []
    for s in steps(len(keys)):
        here = (keys[s] >= np.uint64(low)) & (keys[s] <= np.uint64(high))
        rows = np.flatnonzero(here if test is None else here & test(s)) + s.start
        if count > most:
            yield rows
        else:
            found.append(rows)
    if found:
        rows = np.concatenate(found)
        yield rows[np.argsort(keys[rows], kind="stable")]
