"""Numbers to exact ranks, and ranks to at most N quantile bins.

Knows arrays of doubles. Law: ranks and bins depend on the multiset of values, not on their order.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallystick import kernels
from tallystick.data.encode.work import checkpoint
from tallystick.data.source import scratch

GROUP = 8  # columns gathered at once: as many doubles as a line of the cache has
ROWS = 4_096  # so that the lines of a group are still in the cache for its next column

Ranked = tuple[NDArray[Any], NDArray[np.float64]]


def rank(values: NDArray[np.float64]) -> Ranked:
    """Return codes[row] and distinct[code], ascending; a missing value has the code len(distinct)."""
    own = np.ascontiguousarray(values)
    checkpoint()
    found = kernels.ranks(own, pause=checkpoint)
    return found.codes, found.distinct


def rank_within(values: NDArray[np.float64], budget: int) -> Ranked:
    """Return the same; what takes more than a part of a budget of bytes lies on disk."""
    room = scratch.empty if 32 * len(values) > budget // 16 else np.empty
    found = kernels.ranks(np.ascontiguousarray(values), room=room)
    return found.codes, found.distinct


def rank_group(columns: Sequence[NDArray[np.float64]]) -> list[Ranked]:
    """Return the ranks of neighbouring columns. The kernel walks a column several times, so columns of a
    matrix are gathered first, a few rows of all at a time.
    """
    if all(column.flags.c_contiguous for column in columns):
        return [rank(column) for column in columns]
    gathered = np.empty((len(columns), len(columns[0])))
    for start in range(0, gathered.shape[1], ROWS):
        checkpoint()
        for own, column in zip(gathered, columns, strict=True):
            own[start : start + ROWS] = column[start : start + ROWS]
    ranked = []
    for own in gathered:
        checkpoint()
        ranked.append(rank(own))
    return ranked


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
    return np.array([-(-rows * b // most) for b in range(1, most)], dtype=np.int64)


def between(distinct: NDArray[np.float64], upper: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the cuts below some values: halfway from the value before."""
    return cuts_between(distinct[upper - 1], distinct[upper])


def cuts_between(low: NDArray[np.float64], high: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return cuts halfway between neighbouring values, or on the higher where that rounds onto the lower."""
    middle = low / 2 + high / 2  # halves first: no overflow
    return np.where((middle > low) & (middle <= high), middle, high)
