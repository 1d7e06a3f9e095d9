"""A basis in blocks: pieces of lines, each with directions of its own, and what vectors and matrices over all
lines are along them. Sums in a fixed order, as in `solve.py`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tallystick import _kernels
from tallystick.kernels import check
from tallystick.kernels.solve import Together, stretches

Floats = NDArray[np.float64]
Whole = NDArray[np.int64]
PARTS = 3  # of the directions for each thread: the first have the longest columns


@dataclass(frozen=True)
class BlockBasis:
    """table[piece]: first line, lines, first direction, directions; rows: a direction's lines, one direction
    after the other.
    """

    table: Whole
    rows: Floats

    @classmethod
    def of(cls, factors: Sequence[Floats]) -> BlockBasis:
        """Lay pieces side by side; factors[piece][line, direction]."""
        table, line, direction = np.zeros((len(factors), 4), np.int64), 0, 0
        for i, factor in enumerate(factors):
            check.array("factors", factor, "float64", (None, None))
            table[i] = line, factor.shape[0], direction, factor.shape[1]
            line, direction = line + factor.shape[0], direction + factor.shape[1]
        rows = [np.ascontiguousarray(factor.T).ravel() for factor in factors]
        return cls(table, np.concatenate(rows) if rows else np.zeros(0))

    @property
    def lines(self) -> int:
        """The lines of all pieces."""
        return int(self.table[-1, :2].sum()) if len(self.table) else 0

    @property
    def directions(self) -> int:
        """The directions of all pieces."""
        return int(self.table[-1, 2:].sum()) if len(self.table) else 0

    def along(self, x: Floats) -> Floats:
        """Return B'x for x[line]."""
        check.array("x", x, "float64", (self.lines,))
        out = np.empty(self.directions)
        _kernels.along(self.table, self.rows, x, out)
        return out

    def lines_of(self, v: Floats) -> Floats:
        """Return B v for v[direction]."""
        check.array("v", v, "float64", (self.directions,))
        out = np.empty(self.lines)
        _kernels.lines_along(self.table, self.rows, v, out)
        return out

    def diagonal(self, w: Floats) -> Floats:
        """Return the diagonal of B'W B for a symmetric w[line, line]."""
        check.array("w", w, "float64", (self.lines, self.lines))
        out = np.empty(self.directions)
        _kernels.diagonal_along(self.table, self.rows, w, out)
        return out

    def turned(self, w: Floats, some: Whole, helpers: Together | None, work: tuple[Floats, Floats]) -> Floats:
        """Return B'W B of some directions, in rising order, for a symmetric w[line, line]; only the lower
        triangle is filled. helpers: who shares the work; the same bits. work: two matrices to be written
        over, [direction, line] and what is returned.
        """
        check.array("w", w, "float64", (self.lines, self.lines))
        q = len(check.array("some", some, "int64", (None,)))
        if q and not (some[0] >= 0 and some[-1] < self.directions and (np.diff(some) > 0).all()):
            raise ValueError(f"some must rise within 0..{self.directions - 1}")
        half, out = work
        check.writable("work", half, "float64", (q, len(w)))
        check.writable("work", out, "float64", (q, q))

        def halves(begin: int, stop: int) -> None:
            _kernels.turn_half(self.table, self.rows, w, some, begin, stop, half)

        def wholes(begin: int, stop: int) -> None:
            _kernels.turn_whole(self.table, self.rows, some, begin, stop, half, out)

        for step in (halves, wholes):
            if helpers is None:
                step(0, q)
            else:
                stretches(helpers, step, 0, q, PARTS)
        return out
