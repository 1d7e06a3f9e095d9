"""Calibrate scores: a slope and a shift per class that make out-of-fold shares as honest as they can be.

Knows scores, classes and weights of rows the models had not seen. Knows nothing of the models.
Law: the result depends on the multiset of rows alone: every sum is of whole numbers (terms rounded to fixed
point).
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from tallystick import kernels

Array = NDArray[np.float64]
FARTHEST = 200.0  # a class that far below the best is as good as impossible
PRIOR = 1.0  # the strength of the wish for slope 1 and shift 0, in cases
ROUNDS = 50
LEAST_SLOPE = 1e-3


def calibrate(scores: Array, truth: NDArray[np.int64], weights: Array) -> tuple[float, tuple[float, ...]]:
    """Return (slope, shift[class]) that maximise sum of weight * ln softmax(slope * score + shift)[truth].

    Minus PRIOR / 2 * ((slope - 1)^2 + sum of shift^2), so that few rows move little.
    """
    near, one = nearby(scores), whole_unit(math.fsum(weights.tolist()))
    whole = bool((weights == np.floor(weights)).all())

    def look(at: Array) -> tuple[float, Array, Array]:
        return objective(term_sums(near, truth, at, one, weights, whole), at, one)

    return maximised(look, scores.shape[1])


def maximised(
    look: Callable[[Array], tuple[float, Array, Array]], classes: int
) -> tuple[float, tuple[float, ...]]:
    """Return (slope, shift[class]) where the objective is highest. look(at): it, its gradient, and minus its
    curvature. Newton's method; the problem is concave, and each step is halved until it helps.
    """
    at = np.zeros(1 + classes)
    at[0] = 1.0
    value, gradient, curvature = look(at)
    for _ in range(ROUNDS):
        step = solve(curvature, gradient)
        for halving in range(30):
            new = at + step / 2**halving
            new[0] = max(float(new[0]), LEAST_SLOPE)
            found = look(new)
            if found[0] > value:
                break
        else:
            break
        gained = found[0] - value
        at, (value, gradient, curvature) = new, found
        if gained < 1e-9 * abs(value):
            break
    return float(at[0]), tuple(float(s) for s in at[1:])


def nearby(scores: Array) -> Array:
    """Return scores[row, class] by how far they are below the best of their row, FARTHEST at most."""
    best = scores.max(axis=1, keepdims=True)
    out: Array = np.maximum(scores - np.where(np.isfinite(best), best, 0.0), -FARTHEST)
    return out


def whole_unit(weight: float) -> float:
    """Return how many whole numbers 1 is in sums over rows of some weight: no sum of terms passes 2^62."""
    bound = FARTHEST**2 * max(weight, 1.0)
    return float(2.0 ** (61 - math.ceil(math.log2(bound))))


def term_sums(
    scores: Array,
    truth: NDArray[np.int64],
    at: Array,
    one: float,
    weights: Array | None = None,
    whole: bool = True,
) -> NDArray[np.int64]:
    """Return the sums of weight * term over rows, each rounded to a whole multiple of 1 / one, of the terms
    of the objective, its gradient and minus its curvature at (slope, shift...). weights: None is 1; whole:
    those of all rows are, be they here or not.
    """
    z = np.ascontiguousarray(at[0] * scores + at[1:])
    shares = kernels.softmax(z)
    own = np.arange(len(z)), truth
    k = z.shape[1]
    mean = _rowsum(shares * scores)
    terms = [
        np.maximum(z[own] - kernels.log_sum_exp(z), -FARTHEST),
        scores[own] - mean,
        *((truth == c) - shares[:, c] for c in range(k)),
        _rowsum(shares * scores * scores) - mean * mean,
    ]
    for c in range(k):
        terms.append(shares[:, c] * (scores[:, c] - mean))
        terms += [shares[:, c] * ((c == d) - shares[:, d]) for d in range(c + 1)]
    out = np.empty(len(terms), np.int64)
    for i, term in enumerate(terms):
        rounded = np.rint(term * one)
        if weights is None:
            out[i] = rounded.astype(np.int64).sum()
        elif whole:  # a weight is that many copies: round the term, then multiply
            out[i] = (rounded.astype(np.int64) * weights.astype(np.int64)).sum()
        else:
            out[i] = np.rint(rounded * weights).astype(np.int64).sum()
    return out


def objective(sums: NDArray[np.int64], at: Array, one: float) -> tuple[float, Array, Array]:
    """Return the objective, its gradient, and minus its curvature, at (slope, shift...), from `term_sums`."""
    k = len(at) - 1
    told = iter([int(total) / one for total in sums])
    value = next(told)
    gradient = np.array([next(told) for _ in range(1 + k)])
    curvature = np.empty((1 + k, 1 + k))
    curvature[0, 0] = next(told)
    for c in range(k):
        curvature[0, 1 + c] = curvature[1 + c, 0] = next(told)
        for d in range(c + 1):
            curvature[1 + c, 1 + d] = curvature[1 + d, 1 + c] = next(told)
    away = at.copy()
    away[0] -= 1.0
    value -= PRIOR / 2 * sum(a * a for a in away.tolist())
    return value, gradient - PRIOR * away, curvature + PRIOR * np.eye(1 + k)


def _rowsum(table: Array) -> Array:
    """Return the sums of rows, added in the order of columns."""
    out: Array = np.add.accumulate(table, axis=1)[:, -1]
    return out


def solve(matrix: Array, right: Array) -> Array:
    """Return x with matrix x = right, for a symmetric positive matrix, by Cholesky in one fixed order."""
    n = len(right)
    a = matrix.tolist()
    low = [[0.0] * n for _ in range(n)]
    for i in range(n):
        for j in range(i + 1):
            rest = a[i][j] - sum(low[i][k] * low[j][k] for k in range(j))
            low[i][j] = math.sqrt(max(rest, 1e-12)) if i == j else rest / low[j][j]
    y = [0.0] * n
    for i in range(n):
        y[i] = (float(right[i]) - sum(low[i][k] * y[k] for k in range(i))) / low[i][i]
    x = [0.0] * n
    for i in reversed(range(n)):
        x[i] = (y[i] - sum(low[k][i] * x[k] for k in range(i + 1, n))) / low[i][i]
    return np.array(x)
