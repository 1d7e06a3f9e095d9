"""Numbers to exact ranks, and ranks to at most N quantile bins.

Knows arrays of doubles. Law: ranks and bins depend on the multiset of values, not on their order.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray


def code_type(count: int) -> type[np.unsignedinteger[Any]]:
    """Return the smallest unsigned type for `count` different codes."""
    return np.uint8 if count <= 1 << 8 else np.uint16 if count <= 1 << 16 else np.uint32


def rank(values: NDArray[np.float64]) -> tuple[NDArray[Any], NDArray[np.float64]]:
    """Return codes[row] and distinct[code], ascending; a missing value has the code len(distinct)."""
    distinct, codes = np.unique(values, return_inverse=True)
    if len(distinct) and np.isnan(distinct[-1]):
        distinct = distinct[:-1]
    return codes.astype(code_type(len(distinct) + 1)), distinct


def quantile_bins(distinct: NDArray[np.float64], counts: NDArray[np.int64], most: int) -> NDArray[np.float64]:
    """Return ascending cuts that make at most `most` bins of rows as equal as ties allow; exact and order-free.

    counts[code] are the rows (weights) of distinct[code]. Bin b holds the values with cuts[b-1] <= x < cuts[b].
    A cut lies halfway between two neighbouring values, or on the upper one where halfway rounds onto the lower.
    """
    if len(distinct) <= most:
        upper = np.arange(1, len(distinct))
    else:
        after = np.cumsum(counts)  # rows up to and with this value
        total = int(after[-1])
        wanted = [(total * b) // most for b in range(1, most)]
        upper = np.unique(np.searchsorted(after, wanted, side="left") + 1)
        upper = upper[upper < len(distinct)]
    low, high = distinct[upper - 1], distinct[upper]
    middle = low / 2 + high / 2
    return np.where((middle > low) & (middle <= high), middle, high)
