"""How much a column tells of the class: information gain, gain ratio and best cut, from counts alone.

Knows count tables. Knows nothing of rows, files or names.
Law: every number follows from the integer counts by the formulas in the docstrings; equal splits tie exactly.

Rows without a value follow C4.5: the gain is that of the rows with a value times their share of all rows,
and the missing rows are one more branch in the entropy of the split itself.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from tallystick import kernels

Counts = NDArray[np.int64]
SMALL = 1 << 14


@dataclass(frozen=True, slots=True)
class Gain:
    """What a split on one column gains, in bits; `at`: the first value on the upper side of a cut."""

    gain: float
    ratio: float
    at: int | None = None


def n_log2_n(counts: Counts) -> NDArray[np.float64]:
    """Return n·log2(n) for each count; 0 where n is 0."""
    if counts.size and counts.max() < SMALL:
        return _small()[counts]
    return np.where(counts > 0, counts * kernels.log2(np.maximum(counts, 1).astype(np.float64)), 0.0)


@lru_cache(maxsize=1)
def _small() -> NDArray[np.float64]:
    """Return n·log2(n) of small counts, worked out once: wide tables ask for thousands of short arrays."""
    n = np.arange(SMALL)
    return np.where(n > 0, n * kernels.log2(np.maximum(n, 1).astype(np.float64)), 0.0)


def entropy(counts: Counts) -> float:
    """Return the entropy of counts[class] in bits: log2(n) - sum of n_c·log2(n_c) / n."""
    total = counts.sum(keepdims=True)
    if total[0] == 0:
        return 0.0
    return max(0.0, float((n_log2_n(total)[0] - n_log2_n(counts).sum()) / total[0]))


def _gain(branches: Counts, missing: Counts, at: int | None) -> Gain:
    """Return the gain of a split into branches[branch, class], missing[class] standing apart."""
    sizes = branches.sum(axis=1)
    known, rows = int(sizes.sum()), int(sizes.sum() + missing.sum())
    if known == 0:
        return Gain(0.0, 0.0, at)
    inside = sum(int(n) * entropy(b) for n, b in zip(sizes, branches, strict=True)) / known
    gain = max(0.0, entropy(branches.sum(axis=0)) - inside) * known / rows
    own = entropy(np.append(sizes, missing.sum()))
    return Gain(gain, gain / own if own > 0 else 0.0, at)


def by_levels(counts: Counts, missing: Counts) -> Gain:
    """Return the gain of one branch per level: counts[level, class], missing[class]."""
    return _gain(counts, missing, None)


def by_cut(counts: Counts, missing: Counts) -> Gain | None:
    """Return the best split into low and high values: counts[value, class] in rising order of values.

    None when there is nothing to cut. Ties go to the lowest cut: costs are compared as whole numbers.
    """
    if len(counts) < 2:
        return None
    left = np.cumsum(counts, axis=0)[:-1]  # left[cut, class]: rows before value cut + 1
    at = _cheapest(left, counts.sum(axis=0) - left)
    branches = np.stack([left[at], counts.sum(axis=0) - left[at]])
    return _gain(branches, missing, at + 1)


def by_word(counts: Counts, rows: Counts) -> Gain | None:
    """Return the best split into texts with and without a word: counts[word, class] of rows[class].

    None when there is no word. Ties go to the first word.
    """
    if len(counts) == 0:
        return None
    at = _cheapest(counts, rows - counts)
    return _gain(np.stack([counts[at], rows - counts[at]]), np.zeros_like(rows), at)


def _cheapest(left: Counts, right: Counts) -> int:
    """Return the first split of least cost: left[split, class], right[split, class]; whole numbers tie."""
    cost = np.zeros(len(left), np.int64)
    most = n_log2_n((left[:1] + right[:1]).sum(axis=1))[0]
    scale = 2.0 ** (50 - int(np.ceil(most + 2)).bit_length())
    for side in (left, right):
        cost += np.rint(n_log2_n(side.sum(axis=1)) * scale).astype(np.int64)
        cost -= np.rint(n_log2_n(side) * scale).astype(np.int64).sum(axis=1)
    return int(np.argmin(cost))


def midpoint(low: float, high: float) -> float:
    """Return the cut between two neighbouring values: x < cut is left; never the lower value itself."""
    middle = low / 2 + high / 2 if abs(low) > 1 and abs(high) > 1 else (low + high) / 2
    return high if middle <= low else middle
