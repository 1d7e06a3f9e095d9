"""How much a column tells of the class: information gain, gain ratio and best cut, from counts alone.

Knows count tables, of one column or of many at once. Knows nothing of rows, files or names.
Law: every number follows from the integer counts by the formulas in the docstrings; equal splits tie exactly.

Missing is a value like another: rows without a value are a branch of their own, in the gain and in the
entropy of the split itself. What is left of a gain after its price (`stats.price`: the bits that say which
cut, levels or word were chosen, over all rows) is what columns are ranked by.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallystick import kernels
from tallystick.stats.price import after_price, cut_bits, word_bits

Counts = NDArray[np.int64]
Floats = NDArray[np.float64]
SMALL = 1 << 14
AT_ONCE = 1 << 16  # splits that are priced at once


@dataclass(frozen=True, slots=True)
class Gain:
    """What a split on one column gains, in bits, and what is `left` of it after its price; `at`: the first
    value on the upper side of a cut.
    """

    gain: float
    ratio: float
    left: float
    at: int | None = None


@dataclass(frozen=True)
class Stack:
    """Counts of several columns one below the other, so that thousands of short ones are worked out at once.

    counts[place, class]: the values of column j are the places starts[j] up to starts[j + 1], at least one;
    missing[column, class]: rows without a value.
    """

    counts: Counts
    starts: NDArray[np.intp]
    missing: Counts

    @classmethod
    def of(cls, tables: Sequence[Counts]) -> Stack:
        """Return a stack of counts[code, class], the last code of each being missing."""
        lengths = np.array([len(table) - 1 for table in tables], np.intp)
        counts = tables[0][:-1] if len(tables) == 1 else np.concatenate([table[:-1] for table in tables])
        return cls(counts, np.cumsum(lengths) - lengths, np.stack([table[-1] for table in tables]))

    @cached_property
    def lengths(self) -> NDArray[np.intp]:
        """The number of places of each column."""
        return np.diff(np.append(self.starts, len(self.counts)))

    @cached_property
    def sizes(self) -> Counts:
        """Rows of each place."""
        sizes: Counts = self.counts.sum(axis=1)
        return sizes

    @cached_property
    def total(self) -> Counts:
        """total[column, class]: rows with a value."""
        return np.add.reduceat(self.counts, self.starts, axis=0)

    @cached_property
    def left(self) -> Counts:
        """left[place, class]: rows of the column up to this place and with it."""
        left = np.cumsum(self.counts, axis=0)
        before = left[self.starts] - self.counts[self.starts]
        return left - self.spread(before) if len(self.starts) > 1 else left

    def spread(self, each: NDArray[Any]) -> NDArray[Any]:
        """Return something of each column at all its places."""
        return np.repeat(each, self.lengths, axis=0)


def n_log2_n(counts: Counts) -> NDArray[np.float64]:
    """Return n·log2(n) for each count; 0 where n is 0."""
    try:
        return _small()[counts]
    except IndexError:  # some are not small
        return np.where(counts > 0, counts * kernels.log2(np.maximum(counts, 1).astype(np.float64)), 0.0)


@lru_cache(maxsize=1)
def _small() -> NDArray[np.float64]:
    """Return n·log2(n) of small counts, worked out once."""
    n = np.arange(SMALL)
    return np.where(n > 0, n * kernels.log2(np.maximum(n, 1).astype(np.float64)), 0.0)


def entropy(counts: Counts) -> float:
    """Return the entropy of counts[class] in bits: log2(n) - sum of n_c·log2(n_c) / n."""
    return float(bits(counts[None])[0]) / max(int(counts.sum()), 1)


def bits(counts: Counts) -> NDArray[np.float64]:
    """Return n times the entropy of each row of counts[row, class], n being the row's sum."""
    own: NDArray[np.float64] = n_log2_n(counts.sum(axis=1)) - n_log2_n(counts).sum(axis=1)
    return np.maximum(own, 0.0)


def _gains(stack: Stack, inside: Floats, sizes: Floats) -> tuple[Floats, Floats]:
    """Return gain and gain ratio of each column. inside: bits left within the branches; sizes: the sum of
    n·log2(n) over the branches.
    """
    missing = stack.missing.sum(axis=1)
    rows = np.maximum(stack.total.sum(axis=1) + missing, 1)
    gain = np.maximum(bits(stack.total + stack.missing) - inside - bits(stack.missing), 0.0) / rows
    own = np.maximum(n_log2_n(rows) - sizes - n_log2_n(missing), 0.0) / rows
    return gain, np.divide(gain, own, out=np.zeros_like(gain), where=own > 0)


def gains_by_levels(stack: Stack) -> tuple[Floats, Floats, Floats]:
    """Return gain, gain ratio and what is left of each column, split into one branch per place."""
    inside = np.add.reduceat(bits(stack.counts), stack.starts)
    gain, ratio = _gains(stack, inside, np.add.reduceat(n_log2_n(stack.sizes), stack.starts))
    parts = zip(
        gain.tolist(), np.split(stack.sizes, stack.starts[1:]), stack.missing.sum(axis=1), strict=True
    )
    return gain, ratio, np.array([after_price(g, sizes, int(gone)) for g, sizes, gone in parts])


def gains_by_cut(stack: Stack) -> tuple[Floats, Floats, Floats, NDArray[np.intp]]:
    """Return gain, gain ratio, what is left, and the best cut of each column: `at`, the first place of the
    upper side,
    counted from the column's own first; 0 where there is nothing to cut. Ties go to the lowest cut: costs are
    whole numbers.
    """
    right = stack.spread(stack.total)
    right -= stack.left
    rows = int((stack.total + stack.missing).sum(axis=1).max())
    cost = cut_costs(stack.left, right, rows)
    ends = stack.starts + stack.lengths - 1
    cost[ends] = np.iinfo(np.int64).max  # all rows on one side
    best = np.flatnonzero(cost == stack.spread(np.minimum.reduceat(cost, stack.starts)))
    at = best[np.searchsorted(best, stack.starts)]
    found = _gains_of_cuts(stack, stack.left[at], right[at], stack.lengths.tolist())
    return *found, np.where(at < ends, at + 1 - stack.starts, 0)


def _gains_of_cuts(
    stack: Stack, low: Counts, high: Counts, values: Sequence[int]
) -> tuple[Floats, Floats, Floats]:
    """Return gain, gain ratio and what is left of each column, by its two sides low and high[column, class];
    values[column]: how many there are.
    """
    sizes = n_log2_n(low.sum(axis=1)) + n_log2_n(high.sum(axis=1))
    gain, ratio = _gains(stack, bits(low) + bits(high), sizes)
    every = np.maximum((stack.total + stack.missing).sum(axis=1), 1)
    return gain, ratio, np.maximum(gain - np.array([cut_bits(n) for n in values]) / every, 0.0)


def gain_of_cut(low: Counts, high: Counts, missing: Counts, values: int) -> Gain:
    """Return what the cut of a column of so many values gains, by its two sides low and high[class]."""
    stack = Stack.of([np.stack([low, high, missing])])
    gain, ratio, left = _gains_of_cuts(stack, low[None], high[None], [values])
    return Gain(float(gain[0]), float(ratio[0]), float(left[0]))


def by_levels(counts: Counts, missing: Counts) -> Gain:
    """Return the gain of one branch per level: counts[level, class], missing[class]."""
    gain, ratio, left = gains_by_levels(Stack.of([np.vstack([counts, missing])]))
    return Gain(float(gain[0]), float(ratio[0]), float(left[0]))


def by_word(counts: Counts, rows: Counts) -> Gain | None:
    """Return the best split into texts with and without a word: counts[word, class] of rows[class].

    None when there is no word. Ties go to the first word.
    """
    if len(counts) == 0:
        return None
    at = int(np.argmin(cut_costs(counts, rows - counts, int(rows.sum()))))
    branches = np.stack([counts[at], rows - counts[at], np.zeros_like(rows)])
    gain, ratio, _ = gains_by_levels(Stack.of([branches]))
    left = max(float(gain[0]) - word_bits(len(counts)) / max(int(rows.sum()), 1), 0.0)
    return Gain(float(gain[0]), float(ratio[0]), left, at)


def cut_costs(left: Counts, right: Counts, rows: int) -> Counts:
    """Return what each split of at most `rows` rows costs: left, right[split, class].

    n·log2(n) as the whole numbers that trees are grown by: what ties there ties here.
    """
    cost = np.zeros(len(left), np.int64)
    for start in range(0, len(left), AT_ONCE):  # a table on disk has room for little more than the counts
        some = slice(start, start + AT_ONCE)
        for side in (left[some], right[some]):
            cost[some] += _whole_n_log2_n(side.sum(axis=1), rows) - _whole_n_log2_n(side, rows).sum(axis=1)
    return cost


def _whole_n_log2_n(counts: Counts, rows: int) -> Counts:
    if rows < SMALL:
        return _whole_small(rows)[counts]
    flat = np.ascontiguousarray(counts).ravel()
    return kernels.n_log2_n(flat, rows).reshape(counts.shape)


@lru_cache(maxsize=1)
def _whole_small(rows: int) -> Counts:
    return kernels.n_log2_n(np.arange(rows + 1), rows)


def summed(place: NDArray[np.int64], counts: Counts, places: int) -> Counts:
    """Return the sums of counts[row, class] over rows of one place. Doubles hold such sums exactly."""
    columns = [np.bincount(place, own, places).astype(np.int64) for own in counts.T]
    return np.stack(columns, axis=1)


def midpoint(low: float, high: float) -> float:
    """Return the cut between two neighbouring values: x < cut is left; never the lower value itself."""
    middle = low / 2 + high / 2 if abs(low) > 1 and abs(high) > 1 else (low + high) / 2
    return high if middle <= low else middle
