"""What it costs, in bits, to say which split of a column was chosen: a cut, a group of levels, a word; and
how much of a gain is left then.

Knows numbers of values and of rows per level. Knows nothing of rows or names. A column of many levels can be
grouped in so many ways that some grouping tells the classes of any table; so a grouping pays the bits that
name it, and a level of one row counts for nothing, as a new row will hardly ever have it.
Law: the numbers are those by which the tree kernels choose groups (`src/kernels/tree/price.hpp`).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tallystick import kernels

__all__ = ["after_price", "coverage", "cut_bits", "group_bits", "level_bits", "word_bits"]


def cut_bits(values: int, cuts: int = 1) -> float:
    """Return cuts · log2(values - 1): each cut lies between two neighbouring values of the column."""
    return cuts * word_bits(values - 1)


def level_bits(levels: int, classes: int) -> float:
    """Return (levels - 1) · log2(classes): for each level but the first, which class it speaks for."""
    return max(levels - 1, 0) * word_bits(classes)


def word_bits(words: int) -> float:
    """Return log2(words): which of so many it is."""
    return float(kernels.log2([float(max(words, 1))])[0])


def group_bits(k: int, j: int) -> float:
    """Return the bits that name j of k levels as one of two groups: log2(k - 1) + log2(k over j) - 1.

    None are needed for two levels; k // 2 of many take about k bits.
    """
    if k < 3 or not 0 < j < k:
        return 0.0
    ends = np.cumsum(kernels.log2(np.arange(1, k + 1, dtype=np.float64)))  # log2 of the factorials of 1..k
    return float(kernels.log2([k - 1.0])[0] + (ends[k - 1] - ends[j - 1] - ends[k - j - 1]) - 1)


def coverage(rows: NDArray[np.int64]) -> float:
    """Return the share of rows whose level has more than one, for rows[level]; 1 for fewer than three levels.

    The other rows estimate how many new rows will have a level never seen (Good and Turing).
    """
    there = rows[rows > 0]
    return 1.0 if len(there) < 3 else float(there[there > 1].sum() / there.sum())


def after_price(gain: float, rows: NDArray[np.int64], missing: int = 0) -> float:
    """Return what is left of a gain, in bits per row, of a column with rows[level] and `missing` rows beside.

    The price is that of the dearest grouping, half of the levels.
    """
    there = rows[rows > 0]
    bits = group_bits(len(there), len(there) // 2)
    return max(gain * coverage(there) - bits / max(int(there.sum()) + missing, 1), 0.0)
