"""The solvers' linear algebra in a fixed order of additions: the same bits everywhere, no BLAS, no LAPACK."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from tallystick import _kernels
from tallystick.kernels import check

Floats = NDArray[np.float64]
Kept = NDArray[Any]  # a long vector as it is remembered, in float64 or float32
Whole = NDArray[np.int64]
KEPT = ("float64", "float32")


def longest(v: Floats) -> float:
    """Return the largest of |v|."""
    return float(_kernels.longest(check.array("v", v, "float64", (None,))))


def dot(a: Floats, b: Floats) -> float:
    """Return the sum of a * b in a fixed order."""
    check.array("a", a, "float64", (None,))
    check.array("b", b, "float64", a.shape)
    return float(_kernels.dot(a, b))


def dots(vectors: Sequence[Kept], sides: Sequence[Floats]) -> list[list[float]]:
    """Return [vector][side]: the sums of products, every vector read once; vectors of one precision."""
    for one in vectors:
        check.array("vectors", one, KEPT, sides[0].shape)
    for side in sides:
        check.array("sides", side, "float64", sides[0].shape)
    out = np.empty((len(vectors), len(sides)))
    _kernels.dots(vectors, sides, out)
    found: list[list[float]] = out.tolist()
    return found


def combine(q: Floats, factor: float, vectors: Sequence[Kept], coefficients: Sequence[float]) -> Floats:
    """Do q = factor * q + the sum of coefficient * vector, and return it."""
    check.writable("q", q, "float64", (None,))
    for one in vectors:
        check.array("vectors", one, KEPT, q.shape)
    given = check.array("coefficients", np.array(coefficients, np.float64), "float64", (len(vectors),))
    _kernels.combine(factor, vectors, given, q)
    return q


def pulled(sums: Whole, unit: float, l2: Floats, w: Floats, gradient: Floats) -> float:
    """Do gradient = sums * unit + l2 * w, and return the sum of l2 * w * w."""
    check.array("sums", sums, "int64", w.shape)
    check.array("l2", l2, "float64", w.shape)
    check.array("w", w, "float64", (None,))
    check.writable("gradient", gradient, "float64", w.shape)
    return float(_kernels.pulled(sums, unit, l2, w, gradient))


def cholesky(a: Floats, least: float = 0.0) -> tuple[Floats, int]:
    """Return L of a = L L' and n; or what was done, and the first column whose pivot is at most `least` of
    itself.
    """
    check.array("a", a, "float64", (None, None))
    factor = a.copy()
    at = int(_kernels.cholesky(factor, least))
    return factor, at


def cholesky_solve(factor: Floats, right: Floats) -> Floats:
    """Return x with L L' x = right."""
    check.array("factor", factor, "float64", (None, None))
    x = np.array(right, np.float64)
    check.array("right", x, "float64", (len(factor),))
    _kernels.cholesky_solve(factor, x)
    return x


def cholesky_skip(a: Floats, least: float) -> tuple[Floats, NDArray[np.bool_]]:
    """Return L of the columns that do not depend on earlier ones, and which do (their rows are the
    identity's).
    """
    n = len(check.array("a", a, "float64", (None, None)))
    factor, skipped = a.copy(), np.zeros(n, np.uint8)
    _kernels.cholesky_skip(factor, least, skipped)
    return factor, skipped.astype(bool)


def inverse_diagonal(factor: Floats) -> Floats:
    """Return the diagonal of (L L')^-1."""
    n = len(check.array("factor", factor, "float64", (None, None)))
    diagonal = np.empty(n)
    _kernels.inverse_diagonal(factor, np.empty(n), diagonal)
    return diagonal


def product(a: Floats, b: Floats) -> Floats:
    """Return the matrix product a b, in a fixed order of additions."""
    check.array("a", a, "float64", (None, len(b)))
    check.array("b", b, "float64", (None, None))
    out = np.empty((len(a), b.shape[1]))
    _kernels.product(a, b, out)
    return out


class Together(Protocol):
    """Threads that do a step for all items and wait, as a crew of `data.threads` does."""

    @property
    def threads(self) -> int:
        """How many there are."""

    def __call__(self, step: Callable[[int], None], items: Iterable[int], /) -> object:
        """Do the step for all items."""


def posterior(
    matrix: Floats,
    at: Whole,
    scale: Floats,
    helpers: Together | None,
    out: tuple[Floats, Floats],
) -> tuple[Floats, Floats]:
    """Return X with X'X = (I + D M D)^-1, M being rows and columns `at` of a symmetric matrix and D =
    diag(scale), and the diagonal of I - X'X. helpers: who shares the work; the same bits. out: two matrices
    to be written over, the second is X.
    """
    check.array("matrix", matrix, "float64", (None, len(matrix)))
    n = len(check.array("at", at, "int64", (None,)))
    check.array("scale", scale, "float64", (n,))
    if n and not (at.min() >= 0 and at.max() < len(matrix)):
        raise ValueError(f"at must lie within 0..{len(matrix) - 1}; found {at.min()}..{at.max()}")
    a, x = (check.writable("out", given, "float64", (n, n)) for given in out)
    told = np.empty(n)
    if helpers is None or not n:
        _kernels.posterior(matrix, at, scale, a, x, told)
        return x, told

    def start(begin: int, stop: int) -> None:
        _kernels.posterior_start(matrix, at, scale, begin, stop, a, x)

    def rows(first: int, begin: int, stop: int) -> None:
        _kernels.posterior_rows(first, begin, stop, a, x)

    stretches(helpers, start, 0, n)
    blocks = range(0, n, _kernels.POSTERIOR_BLOCK)
    for first, below in zip(blocks, [*blocks[1:], n], strict=True):
        _kernels.posterior_block(first, a, x)
        stretches(helpers, partial(rows, first), below, n)
    helpers(lambda column: _kernels.posterior_columns(column, a, x, told), blocks)
    return x, told


def stretches(
    helpers: Together, step: Callable[[int, int], None], begin: int, stop: int, times: int = 1
) -> None:
    """Do step(begin, stop) of stretches: `times` of them for each helper."""
    each = -(-(stop - begin) // (times * helpers.threads)) or 1
    helpers(lambda first: step(first, min(first + each, stop)), range(begin, stop, each))


def without_constant(lower: Whole, unit: float, out: Floats) -> tuple[Floats, float, Floats]:
    """Return what a curvature in whole `unit`s, the constant first and only its lower triangle filled, is
    where the constant is free to follow; the constant's own; and how it follows each of the others. out:
    a matrix to be written over with the first.
    """
    n = len(check.array("lower", lower, "int64", (None, len(lower)))) - 1
    check.writable("out", out, "float64", (n, n))
    cross = np.empty(n)
    return out, float(_kernels.without_constant(lower, unit, out, cross)), cross


def eigen(a: Floats) -> tuple[Floats, Floats]:
    """Return the eigenvalues of a symmetric matrix, falling, and its eigenvectors as rows."""
    work = check.array("a", a, "float64", (None, len(a))).copy()
    vectors = np.empty_like(work)
    _kernels.eigen(work, vectors)
    order = np.argsort(-np.diag(work), kind="stable")
    return np.diag(work)[order].copy(), vectors[order]


def times(a: Floats, x: Floats) -> Floats:
    """Return a x for a square matrix, in a fixed order of additions."""
    check.array("a", a, "float64", (len(x), len(x)))
    check.array("x", x, "float64", (None,))
    y = np.empty(len(x))
    _kernels.times(a, x, y)
    return y


def precondition(a: Floats, v: Floats, mean: Floats, groups: Whole, even: bool, q: Floats) -> Floats:
    """Return q[row, link] divided by about the curvature, in place: see kernels/logistic/solve.hpp.

    a[row] * v[link] is 1 over the diagonal, mean[row] the mean of a column; groups[group, 2]: rows whose
    weights keep their sum; even: so do the links of a row.
    """
    check.array("a", a, "float64", (None,))
    check.array("v", v, "float64", (None,))
    check.array("mean", mean, "float64", a.shape)
    check.array("groups", groups, "int64", (None, 2))
    check.writable("q", q, "float64", (len(a) * len(v),))
    if len(groups) and not (groups.min() >= 0 and groups.max() <= len(a)):
        raise ValueError(f"groups must lie within 0..{len(a)}; found {groups.min()}..{groups.max()}")
    _kernels.precondition(a, v, mean, groups, even, q)
    return q


def curvature_of_sums(
    links: Whole,
    classes: int,
    squares: Whole,
    at: Whole,
    power: Floats,
    unit: float,
    shift: float,
    l2: Floats,
) -> Floats:
    """Return the curvature [n k, n k] from squares[pair, P, P] in whole `unit`s, lower triangles filled.

    links[k]: the classes with weights (classes 1: the one link of two classes); at[n]: the free parameters,
    each brought to its scale by power[n]; shift is added among the constants, l2[n k] to the diagonal.
    """
    pairs = max(classes * (classes - 1) // 2, 1)
    check.array("links", links, "int64", (None,))
    check.array("at", at, "int64", (None,))
    check.array("power", power, "float64", at.shape)
    check.array("l2", l2, "float64", (len(at) * len(links),))
    check.array("squares", squares, "int64", (pairs, None, None))
    h = np.empty((len(l2), len(l2)))
    _kernels.curvature_of_sums(links, classes, squares, at, power, unit, shift, l2, h)
    return h


def curvature_of_gram(
    links: Whole, classes: int, gram: Floats, share: Floats, shift: float, l2: Floats
) -> Floats:
    """Return the curvature [n k, n k] where every row has the same share[class]; gram[n, n] sums z z'."""
    check.array("links", links, "int64", (None,))
    check.array("gram", gram, "float64", (len(gram), len(gram)))
    check.array("share", share, "float64", (max(classes, 2),))
    check.array("l2", l2, "float64", (len(gram) * len(links),))
    h = np.empty((len(l2), len(l2)))
    _kernels.curvature_of_gram(links, classes, gram, share, shift, l2, h)
    return h


def eigen_ends(a: Floats, factor: Floats, rounds: int = 30) -> tuple[float, float]:
    """Return about the largest and the smallest eigenvalue of a = L L'."""
    n = len(check.array("a", a, "float64", (len(a), len(a))))
    check.array("factor", factor, "float64", a.shape)
    ends = np.empty(2)
    _kernels.eigen_ends(a, factor, check.size("rounds", rounds), np.empty(2 * n), ends)
    return float(ends[0]), float(ends[1])


def lasso_step(
    h: Floats, g: Floats, w: Floats, l1: Floats, tolerance: float, rounds: int
) -> tuple[Floats, int]:
    """Return the step d that minimises g'd + d'hd/2 + sum l1 |w + d|, and the rounds it took."""
    n = len(g)
    check.array("h", h, "float64", (n, n))
    for name, value in (("g", g), ("w", w), ("l1", l1)):
        check.array(name, value, "float64", (n,))
    d, hd = np.zeros(n), np.zeros(n)
    return d, int(_kernels.lasso_step(h, g, w, l1, tolerance, rounds, d, hd))
