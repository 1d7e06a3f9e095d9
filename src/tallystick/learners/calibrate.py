"""Calibrate scores: a slope and a shift per class that make out-of-fold shares as honest as they can be.

Knows scores, classes and weights of rows the models had not seen. Knows nothing of the models.
Law: the result depends on the multiset of rows alone: every sum is of whole numbers (terms rounded to fixed
point).
"""

from __future__ import annotations

import math

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

    Minus PRIOR / 2 * ((slope - 1)^2 + sum of shift^2), so that few rows move little. Newton's method; the
    problem is
    concave, and each step is halved until it helps.
    """
    best = scores.max(axis=1, keepdims=True)
    near = np.maximum(scores - np.where(np.isfinite(best), best, 0.0), -FARTHEST)
    rows = _Rows(near, truth, weights)
    at = np.zeros(1 + scores.shape[1])
    at[0] = 1.0
    value, gradient, curvature = rows.look(at)
    for _ in range(ROUNDS):
        step = solve(curvature, gradient)
        for halving in range(30):
            new = at + step / 2**halving
            new[0] = max(float(new[0]), LEAST_SLOPE)
            found = rows.look(new)
            if found[0] > value:
                break
        else:
            break
        gained = found[0] - value
        at, (value, gradient, curvature) = new, found
        if gained < 1e-9 * abs(value):
            break
    return float(at[0]), tuple(float(s) for s in at[1:])


class _Rows:
    """Rows as seen by the objective. scores[row, class], truth[row], weights[row]."""

    def __init__(self, scores: Array, truth: NDArray[np.int64], weights: Array) -> None:
        self.scores, self.truth, self.weights = scores, truth, weights
        self.copies = weights.astype(np.int64) if (weights == np.floor(weights)).all() else None
        bound = FARTHEST**2 * max(math.fsum(weights.tolist()), 1.0)
        self.one = 2.0 ** (61 - math.ceil(math.log2(bound)))  # so that no sum of terms passes 2^62

    def total(self, terms: Array) -> float:
        """Return the sum of weight * term, each rounded to a whole multiple of 1 / one."""
        whole = np.rint(terms * self.one)
        if self.copies is not None:  # a weight is that many copies: round the term, then multiply
            return int((whole.astype(np.int64) * self.copies).sum()) / self.one
        return int(np.rint(whole * self.weights).astype(np.int64).sum()) / self.one

    def look(self, at: Array) -> tuple[float, Array, Array]:
        """Return the objective, its gradient, and minus its curvature, at (slope, shift...)."""
        z = np.ascontiguousarray(at[0] * self.scores + at[1:])
        shares = kernels.softmax(z)
        own = np.arange(len(z)), self.truth
        k = z.shape[1]
        value = self.total(np.maximum(z[own] - kernels.log_sum_exp(z), -FARTHEST))
        mean = _rowsum(shares * self.scores)
        gradient = np.empty(1 + k)
        gradient[0] = self.total(self.scores[own] - mean)
        curvature = np.empty((1 + k, 1 + k))
        curvature[0, 0] = self.total(_rowsum(shares * self.scores * self.scores) - mean * mean)
        for c in range(k):
            gradient[1 + c] = self.total((self.truth == c) - shares[:, c])
            curvature[0, 1 + c] = curvature[1 + c, 0] = self.total(shares[:, c] * (self.scores[:, c] - mean))
            for d in range(c + 1):
                term = shares[:, c] * ((c == d) - shares[:, d])
                curvature[1 + c, 1 + d] = curvature[1 + d, 1 + c] = self.total(term)
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
