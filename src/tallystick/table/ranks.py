"""Exact ranks and quantile cuts of numbers, in memory or within a memory budget.

- Ranks: codes[row] among distinct values. Entry: `rank()`, `rank_group()`; `quantile_cuts()`, `between()`.
- Columns that exceed the budget: `SortedRun`, `few_or_cuts()`, `quantiles()`, `codes_within()`.

Law: ranks and bins depend on the multiset of values, not on their order.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallystick import kernels
from tallystick.io import scratch
from tallystick.parallel import checkpoint
from tallystick.table.block import code_type

Floats = NDArray[np.float64]
Counts = NDArray[np.int64]
SHARE = 64  # a sorted run may take this part of the budget
SIGN = np.uint64(1 << 63)
FEW = 254  # range of whole numbers that are codes after subtracting the lowest; 8 bits have two more
GROUP = 8  # columns gathered at once: the doubles of a cache line
STEP = 65_536  # values per step of a sequential pass
ROWS = 4_096  # rows per step, whose cache lines serve all columns of a group

Ranked = tuple[NDArray[Any], NDArray[np.float64]]


def rank(values: NDArray[np.float64]) -> Ranked:
    """Return codes[row] and distinct[code], ascending; a missing value has the code len(distinct)."""
    own = np.ascontiguousarray(values)
    checkpoint()
    few = _of_few(own)
    if few is not None:
        return few
    found = kernels.ranks(own, pause=checkpoint)
    return found.codes, found.distinct


def _of_few(values: NDArray[np.float64]) -> Ranked | None:
    """Return the same of numbers that are whole steps apart and close together, none missing; None of others.
    Of many the first values tell it.
    """
    for some in (values[:FEW], values):
        low, high = (some.min(), some.max()) if len(some) else (0.0, np.inf)
        if not high < low + FEW:  # or some are missing; a sum, which is never too large
            return None
    codes = np.empty(len(values), np.uint8)
    for start in range(0, len(values), ROWS):  # what is made on the way stays near
        some, shifts = values[start : start + ROWS], codes[start : start + ROWS]
        shifts[...] = some - low
        if not np.array_equal(shifts + low, some):
            return None
    there = kernels.count_classes(codes, FEW) > 0
    if not there[: int(high - low) + 1].all():
        codes = (np.cumsum(there) - 1).astype(np.uint8)[codes]
    return codes, (low + np.flatnonzero(there) + 0.0).astype(np.float64)


def rank_within(values: NDArray[np.float64], budget: int) -> Ranked:
    """Return the same; what takes more than a part of a budget of bytes is on disk."""
    room = scratch.empty if 32 * len(values) > budget // 16 else np.empty
    few = _of_few(values) if room is np.empty else None
    if few is not None:
        return few
    found = kernels.ranks(np.ascontiguousarray(values), room=room)
    return found.codes, found.distinct


def rank_group(columns: Sequence[NDArray[np.float64]]) -> list[Ranked]:
    """Return the ranks of neighbouring columns."""
    ranked = []
    for own in gathered(columns):
        checkpoint()
        ranked.append(rank(own))
    return ranked


def gathered(columns: Sequence[NDArray[np.float64]]) -> Sequence[NDArray[np.float64]]:
    """Return columns whose values are neighbours. Kernels walk a column several times, so neighbouring
    columns of a matrix are copied first, a few rows of all at a time.
    """
    if all(column.flags.c_contiguous for column in columns):
        return columns
    out = np.empty((len(columns), len(columns[0])))
    for start in range(0, out.shape[1], ROWS):
        checkpoint()
        for own, column in zip(out, columns, strict=True):
            own[start : start + ROWS] = column[start : start + ROWS]
    return list(out)


def quantile_cuts(distinct: NDArray[np.float64], counts: NDArray[np.int64], most: int) -> NDArray[np.float64]:
    """Return ascending cuts that make at most `most` bins, as equal as ties allow; exact and order-free.

    counts[code] are the rows (or weights) of distinct[code]. Bin b: cuts[b-1] <= x < cuts[b].
    The b-th cut lies after the value of row number ceil(b * rows / most), halfway to the next value, or on
    the next value where halfway rounds onto the lower one.
    """
    if len(distinct) <= most:
        upper = np.arange(1, len(distinct))
    else:
        after = np.cumsum(counts)  # rows up to and with this value; int64 is exact
        upper = np.unique(np.searchsorted(after, wanted_rows(int(after[-1]), most), side="left") + 1)
        upper = upper[upper < len(distinct)]
    return between(distinct, upper)


def wanted_rows(rows: int, most: int) -> NDArray[np.int64]:
    """Return the numbers of the rows after whose values the cuts of `most` bins lie."""
    cut, (times, more) = np.arange(1, most), divmod(rows, most)
    return cut * times - -cut * more // most  # ceil(cut * rows / most), no product beyond the rows


def between(distinct: NDArray[np.float64], upper: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the cuts below some values: halfway from the value before."""
    return cuts_between(distinct[upper - 1], distinct[upper])


def cuts_between(low: NDArray[np.float64], high: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return cuts halfway between neighbouring values, or on the higher where that rounds onto the lower."""
    middle = low / 2 + high / 2  # halves first: no overflow
    return np.where((middle > low) & (middle <= high), middle, high)


# ---- the same for columns that exceed the budget, in sorted runs ----


@dataclass(frozen=True)
class SortedRun:
    """Some values of a column, rising, on disk; up_to[n]: the weight of the first n, None: 1 each."""

    values: Floats
    up_to: Counts | None

    def at_most(self, limits: Floats) -> Counts:
        """Return the weight of the values up to each limit."""
        places = np.searchsorted(self.values, limits, side="right")
        return places if self.up_to is None else self.up_to[places]

    def value_at(self, wanted: Counts) -> Floats:
        """Return the value of each wanted row, counted from 1 and by weight."""
        places = wanted if self.up_to is None else np.searchsorted(self.up_to, wanted)
        return self.values[places - 1]

    def next_above(self, limits: Floats) -> Floats:
        """Return the first value above each limit, infinity where there is none."""
        places = np.searchsorted(self.values, limits, side="right")
        here = places < len(self.values)
        return np.where(here, self.values[np.where(here, places, 0)], np.inf)


def few_or_cuts(
    values: Floats, weights: Counts | None, most: int, bins: int, budget: int
) -> tuple[Floats, bool]:
    """Return the distinct values if they are at most `most`, else (True) the cuts of that many `bins`."""
    runs, known = list[SortedRun](), np.empty(0)
    size = max(1 << 12, budget // SHARE // 8)
    few = True
    room = np.empty if len(values) <= size else scratch.empty  # one run needs no disk
    for start in range(0, len(values), size):
        checkpoint()
        some = slice(start, start + size)
        run = _run(values[some], None if weights is None else weights[some], room)
        if not len(run.values):
            continue
        runs.append(run)
        if few:
            new = run.values[np.append(True, run.values[1:] != run.values[:-1])]
            known = np.unique(np.concatenate([known, new])) if len(new) <= most else new
            few = len(known) <= most
    return (known, False) if few else (_cuts(runs, bins), True)


def _run(values: Floats, weights: Counts | None, room: Callable[[int, Any], NDArray[Any]]) -> SortedRun:
    """Sort some values, and put them where there is room."""
    here = ~np.isnan(values)
    if weights is not None:
        here &= weights > 0
    known = values if here.all() else values[here]
    out = room(len(known), np.float64)
    if weights is None:
        out[:] = np.sort(known)
        return SortedRun(out, None)
    order = np.argsort(known, kind="stable")
    out[:] = known[order]
    up_to = room(len(known) + 1, np.int64)
    up_to[0] = 0
    np.cumsum(weights[here][order], out=up_to[1:])
    return SortedRun(out, up_to)


def _cuts(runs: list[SortedRun], bins: int) -> Floats:
    """Return the cuts of quantile_cuts: after the value of each wanted row."""
    total = sum(int(len(r.values) if r.up_to is None else r.up_to[-1]) for r in runs)
    wanted = wanted_rows(total, bins)
    below = np.unique(runs[0].value_at(wanted) if len(runs) == 1 else _values_at(runs, wanted))
    above = np.min([run.next_above(below) for run in runs], axis=0)
    there = np.isfinite(above)
    return cuts_between(below[there], above[there])


def _values_at(runs: list[SortedRun], wanted: Counts) -> Floats:
    """Return the value of each wanted row of all runs together, found by halving all doubles."""
    low = np.full(len(wanted), _key(np.array([min(r.values[0] for r in runs)]))[0])
    high = np.full(len(wanted), _key(np.array([max(r.values[-1] for r in runs)]))[0])
    while (low < high).any():
        middle = low + (high - low) // np.uint64(2)
        reached = sum(run.at_most(_value(middle)) for run in runs) >= wanted
        high = np.where(reached, middle, high)
        low = np.where(reached, low, middle + np.uint64(1))
    return _value(low)


def quantiles(values: Floats, shares: Sequence[float], finite: bool = False) -> list[float]:
    """Return the lowest values that have such shares of all known ones at or below them, NaN where none is
    known; finite: infinite ones do not count. The digits of their keys are found one after the other by
    counting, so a long column is not held.
    """
    parts = [values[start : start + STEP] for start in range(0, len(values), STEP)]

    def wanted(part: Floats) -> Floats:
        own: Floats = part[np.isfinite(part) if finite else part == part].astype(np.float64) + 0.0
        return own

    known = sum(len(wanted(part)) for part in parts)
    if not known:
        return [math.nan] * len(shares)
    left = [max(math.ceil(known * share - 1), 0) for share in shares]
    found = [0] * len(shares)
    for shift in (48, 32, 16, 0):
        counts = {key: np.zeros(1 << 16, np.int64) for key in found}
        for part in parts:
            keys = _key(wanted(part))
            for key, count in counts.items():
                own = keys if shift == 48 else keys[keys >> np.uint64(shift + 16) == key]
                digits = (own >> np.uint64(shift)).astype(np.uint16)
                count += np.bincount(digits, minlength=len(count))
        for i, key in enumerate(found):
            below = np.cumsum(counts[key])
            digit = int(np.searchsorted(below, left[i], side="right"))
            left[i] -= int(below[digit - 1]) if digit else 0
            found[i] = key << 16 | digit
    out: list[float] = _value(np.array(found, np.uint64)).tolist()
    return out


def _key(values: Floats) -> NDArray[np.uint64]:
    """Return whole numbers in the order of doubles; 0.0 has one form, since tables have no -0.0."""
    bits = values.view(np.uint64)
    return np.where(bits & SIGN, ~bits, bits | SIGN)


def _value(keys: NDArray[np.uint64]) -> Floats:
    return np.where(keys & SIGN, keys & ~SIGN, ~keys).view(np.float64)


def codes_within(values: Floats, found: Floats, binned: bool, budget: int) -> NDArray[Any]:
    """Return codes[row] among distinct values or bins, on disk; missing has the code behind the last."""
    k = len(found) + 1 if binned else len(found)
    kind = code_type(k)
    out = scratch.empty(len(values), kind)
    size = max(1 << 12, budget // SHARE // 8)
    for start in range(0, len(values), size):
        checkpoint()
        some = np.ascontiguousarray(values[start : start + size])
        if binned or k > 1:  # a distinct value is a bin of its own, from itself to the next
            out[start : start + size] = kernels.bins(some, found if binned else found[1:])
        else:
            out[start : start + size] = np.where(np.isnan(some), k, np.searchsorted(found, some))
    return out
