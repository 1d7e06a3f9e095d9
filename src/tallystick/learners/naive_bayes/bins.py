"""Decide how a number is read: cut into bins by the MDL rule, or as a Gaussian; by cross-validation where
asked.

Knows the values of one column with their class counts. Knows nothing of rows or other columns.
Law: the decision depends on the multiset of (value, class) alone; sums run over rising values, so bits are
fixed.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tallystick import kernels
from tallystick.stats.class_values import ValuesByClass

Floats = NDArray[np.float64]
Counts = NDArray[np.int64]
FOLDS = 5
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


def judge(column: ValuesByClass, unit: int) -> dict[str, float]:
    """Return the mean log-likelihood of the classes, cross-validated, for each way to read this column alone.

    The cases of a class, in rising order of value, go round the folds; so the folds need no rows.
    """
    rows = int(column.counts.sum()) // unit
    rounds = range(1 if rows >= MANY else FOLDS)
    found = {"gaussian": 0.0, "binned": 0.0}
    tested = 0
    for fold in rounds:
        test = fold_counts(column.counts, fold, FOLDS, unit)
        rest = column.without(test, np.zeros_like(column.missing))
        seen = test.any(axis=1)
        if not seen.any() or len(rest.values) < 2:
            continue
        values, counts = column.values[seen], test[seen]
        prior = kernels.log(rest.counts.sum(0).astype(float))
        tested += int(counts.sum())
        for name, parts in (
            ("gaussian", _normal(rest, values, unit)),
            ("binned", _binned(rest, values, unit)),
        ):
            shares = kernels.softmax(np.ascontiguousarray(prior + parts))
            gains = kernels.log(np.maximum(shares, LEAST)) * counts
            found[name] += _sum(gains.ravel())
    return {name: value / max(tested, 1) for name, value in found.items()}


def fold_counts(counts: Counts, fold: int, folds: int, unit: int) -> Counts:
    """Return the part of counts[value, class] in one fold: case q of a class is in fold (q // unit) mod
    folds.
    """
    after = np.cumsum(counts, axis=0)
    turn = folds * unit

    def reached(cases: Counts) -> Counts:
        out: Counts = cases // turn * unit + np.clip(cases % turn - fold * unit, 0, unit)
        return out

    return reached(after) - reached(after - counts)


def _normal(column: ValuesByClass, values: Floats, unit: int) -> Floats:
    """Return the Gaussian log density[value, class] of the classes' values."""
    middle = float(column.values[len(column.values) // 2])
    x = (column.values - middle)[:, None]
    n = np.maximum(column.counts.sum(0), 1)
    weight = column.counts.astype(float)
    mean = _sums(weight * x) / n
    spread = _sums(weight * x * x)
    whole = max(float(_sum(spread)) / float(n.sum()) - (float(_sum(mean * n)) / float(n.sum())) ** 2, 0.0)
    variance = np.maximum(spread / n - mean * mean, whole * 1e-6)
    variance = np.where(variance > 0, variance, 1.0)
    distance = (values - middle)[:, None] - mean
    return -0.5 * (LOG_TWO_PI + kernels.log(variance)) - distance * distance / (2 * variance)


def _binned(column: ValuesByClass, values: Floats, unit: int) -> Floats:
    """Return the log share[value, class] of the bins that the classes' values give, with the Laplace
    correction.
    """
    bins = cut_by_mdl(column, unit)
    shares = (bins.counts + unit) / (bins.counts.sum(0) + unit * len(bins.counts))
    at = np.searchsorted(np.array(bins.cuts), values, side="right")
    return kernels.log(shares)[at]


def _sums(table: Floats) -> Floats:
    """Return the sums over rows, added in their order: NumPy's own sum may take turns with the machine."""
    out: Floats = np.add.accumulate(table, axis=0)[-1]
    return out


def _sum(values: Floats) -> float:
    return float(np.add.accumulate(values)[-1]) if len(values) else 0.0
