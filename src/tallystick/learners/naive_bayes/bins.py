"""Decide how a number is read: cut into bins by the MDL rule, or as a Gaussian; by cross-validation where
asked.

Knows the values of one column with their class counts. Knows nothing of rows or other columns.
Law: the decision depends on the multiset of (value, class) alone; sums run over rising values, so bits are
fixed.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tallystick import kernels
from tallystick.models.naive_bayes.columns import sum_in_order
from tallystick.stats.class_values import ValuesByClass

Floats = NDArray[np.float64]
Counts = NDArray[np.int64]
FOLDS = 5
SMOOTHING = 2  # cases with the whole column's variance that are added to each class
CHUNK = 1 << 15  # values looked at at once
MANY = 20_000  # rows from which one of the folds is enough to judge by
LEAST = 1e-6  # a share given to the right class counts at least this much
LOG_TWO_PI = 1.8378770664093453


@dataclass(frozen=True)
class Binned:
    """Cuts between values, and counts[bin, class]."""

    cuts: tuple[float, ...]
    counts: Counts


def between(low: float, high: float) -> float:
    """Return the midpoint of two neighbouring values; where it rounds onto the lower one, the upper one."""
    middle = low / 2 + high / 2
    return middle if low < middle <= high else high


def cut_by_mdl(column: ValuesByClass, unit: int) -> Binned:
    """Return the bins of Fayyad and Irani: cuts where the class entropy falls by more than it costs to say
    where.
    """
    before = kernels.mdl_cuts(column.counts, unit)
    cuts = tuple(between(float(column.values[i - 1]), float(column.values[i])) for i in before)
    starts = np.concatenate([[0], before]).astype(np.intp)
    if not len(column.values):
        return Binned((), np.zeros((1, column.counts.shape[1]), np.int64))
    return Binned(cuts, np.add.reduceat(column.counts, starts, axis=0))


@dataclass(frozen=True)
class Judgement:
    """Cross-validated log-likelihoods of the classes per row, and the standard error of their difference."""

    gaussian: float
    binned: float
    error: float

    @property
    def prefers_gaussian(self) -> bool:
        """Whether the Gaussian is better by more than one standard error: bins assume less."""
        return self.gaussian - self.binned > self.error


def judge(column: ValuesByClass, unit: int) -> Judgement:
    """Compare the two ways to read this column alone, by the log-likelihood of the classes, cross-validated.

    The cases of a class, in rising order of value, go round the folds; so the folds need no rows.
    """
    rows = int(column.counts.sum()) // unit
    sums = np.zeros(4)  # of gaussian, binned, squared differences; cases
    for fold in range(1 if rows >= MANY else FOLDS):
        test = fold_counts(column.counts, fold, FOLDS, unit)
        rest = column.without(test, np.zeros_like(column.missing))
        seen = test.any(axis=1)
        if not seen.any() or len(rest.values) < 2:
            continue
        values, cases = column.values[seen], test[seen] / unit
        prior = kernels.log(rest.counts.sum(0).astype(float))
        gaussian = _gains(prior + _normal(rest, values, unit))
        binned = _gains(prior + _binned(rest, values, unit))
        difference = gaussian - binned
        for i, table in enumerate((gaussian * cases, binned * cases, difference * difference * cases, cases)):
            sums[i] += sum_in_order(table.ravel())
    n = max(float(sums[3]), 1.0)
    mean = (sums[0] - sums[1]) / n
    error = float(np.sqrt(max(sums[2] / n - mean * mean, 0.0) / n))
    return Judgement(float(sums[0]) / n, float(sums[1]) / n, error)


def _gains(scores: Floats) -> Floats:
    return kernels.log(np.maximum(kernels.softmax(np.ascontiguousarray(scores)), LEAST))


def fold_counts(counts: Counts, fold: int, folds: int, unit: int) -> Counts:
    """Return the part of counts[value, class] in one fold: case q of a class is in fold (q // unit) mod
    folds.
    """
    turn = folds * unit

    def reached(cases: Counts) -> Counts:
        out: Counts = cases // turn * unit + np.clip(cases % turn - fold * unit, 0, unit)
        return out

    out, before = np.empty_like(counts), np.zeros(counts.shape[1], np.int64)
    for start in range(0, len(counts), CHUNK):
        some = counts[start : start + CHUNK]
        after = np.cumsum(some, axis=0) + before
        out[start : start + CHUNK] = reached(after) - reached(after - some)
        before = after[-1]
    return out


def _normal(column: ValuesByClass, values: Floats, unit: int) -> Floats:
    """Return the Gaussian log density[value, class] of the classes' values."""
    scale = _scale(column.values)  # the same for all classes, so it cancels
    values = values * scale
    middle = float(column.values[len(column.values) // 2] * scale)
    n = np.maximum(column.counts.sum(0), 1)

    def first(some: slice) -> Floats:
        x = (column.values[some] * scale - middle)[:, None]
        out: Floats = column.counts[some].astype(float) * x
        return out

    def second(some: slice) -> Floats:
        out: Floats = first(some) * (column.values[some] * scale - middle)[:, None]
        return out

    mean = _sums(first, len(column.values)) / n
    spread = _sums(second, len(column.values))
    rows = float(n.sum())
    whole = max(sum_in_order(spread) / rows - (sum_in_order(mean * n) / rows) ** 2, 0.0)
    own = np.maximum(spread - mean * mean * n, 0.0)
    variance = (own + SMOOTHING * unit * whole) / (n + SMOOTHING * unit)
    variance = np.where(variance > 0, variance, 1.0)
    distance = (values - middle)[:, None] - mean
    out: Floats = -0.5 * (LOG_TWO_PI + kernels.log(variance)) - distance * distance / (2 * variance)
    return out


def _scale(values: Floats) -> float:
    """Return 1, or a power of two that keeps the squares of very large or very small values finite."""
    largest = float(np.abs(values).max())
    return 1.0 if 1e-100 < largest < 1e100 or largest == 0 else float(np.ldexp(1.0, -np.frexp(largest)[1]))


def _binned(column: ValuesByClass, values: Floats, unit: int) -> Floats:
    """Return the log share[value, class] of the bins that the classes' values give, with the Laplace
    correction.
    """
    bins = cut_by_mdl(column, unit)
    shares = (bins.counts + unit) / (bins.counts.sum(0) + unit * len(bins.counts))
    at = np.searchsorted(np.array(bins.cuts), values, side="right")
    return kernels.log(shares)[at]


def _sums(table: Callable[[slice], Floats], rows: int) -> Floats:
    """Return the sums over rows, added in their order: NumPy's own sum may take turns with the machine. A few
    rows at a time, so that long columns need little memory.
    """
    out: Floats = np.add.accumulate(table(slice(0, CHUNK)), axis=0)[-1]
    for start in range(CHUNK, rows, CHUNK):
        out = np.add.accumulate(np.vstack([out, table(slice(start, start + CHUNK))]), axis=0)[-1]
    return out
