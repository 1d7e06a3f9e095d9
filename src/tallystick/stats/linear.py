"""Loss, gradient and curvature of a linear predictor: the plain way, against which faster ways are checked.

Knows blocks and parameters. Knows nothing of priors or solvers. Law: each row's terms are rounded once, to
whole multiples of 2^-40 of their bound; whole numbers are added, so any order and any cut of the rows gives
the same bits.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tallystick import kernels
from tallystick.contracts import Block

Floats = NDArray[np.float64]
Wide = NDArray[np.uint64]


@dataclass(frozen=True, slots=True)
class Term:
    """One column of the predictor: its first parameter (0 is the constant), levels (0: values) and bound."""

    column: str
    first: int
    levels: int = 0
    bound: float = 1.0  # a power of two, at least every |value|


class LinearTotals(NamedTuple):
    """128-bit whole numbers as two words [..., 2]: see kernels.linear."""

    objective: Wide  # [2]
    gradient: Wide  # [parameter, free, 2]
    curvature: (
        Wide | None
    )  # [parameter, free, parameter, free, 2], filled where the second parameter <= the first


@dataclass(frozen=True, slots=True, eq=False)
class LinearSums:
    """Ask for -log likelihood, its gradient and (if wanted) its curvature at beta[parameter, free].

    Free classes are all but the last, whose score is 0.
    """

    terms: tuple[Term, ...]
    beta: Floats
    curvature: bool = False

    def zero(self) -> LinearTotals:
        """Return the total of no rows."""
        shape = self.beta.shape
        second = np.zeros((*shape, *shape, 2), np.uint64) if self.curvature else None
        return LinearTotals(np.zeros(2, np.uint64), np.zeros((*shape, 2), np.uint64), second)

    def add(self, total: LinearTotals, block: Block) -> LinearTotals:
        """Add the rows of one block."""
        assert block.classes is not None
        columns = []
        for term in self.terms:
            data = block.codes(term.column).astype(np.uint32) if term.levels else block.values(term.column)
            columns.append(kernels.LinearColumn(data, term.first, term.levels, term.bound))
        kernels.add_linear_sums(columns, self.beta, block.classes, *total, weights=block.weights)
        return total

    def merge(self, total: LinearTotals, other: LinearTotals) -> LinearTotals:
        """Add two totals."""
        for mine, more in zip(total, other, strict=True):
            if mine is not None and more is not None:
                kernels.add_wide(mine, more)
        return total

    def read(self, total: LinearTotals) -> tuple[float, Floats, Floats | None]:
        """Return the loss, gradient[parameter, free] and the whole symmetric curvature as doubles."""
        bound = np.ones(len(self.beta))
        for term in self.terms:
            bound[term.first] = term.bound
        loss = int(kernels.wide_ints(total.objective[None])[0]) / 2.0**40
        gradient = kernels.wide_ints(total.gradient).astype(float) / 2.0**40 * bound[:, None]
        if total.curvature is None:
            return loss, gradient, None
        half = kernels.wide_ints(total.curvature).astype(float) / 2.0**40
        half = half * bound[:, None, None, None] * bound[:, None]
        lower = np.tri(len(bound), k=-1)[:, None, :, None] * half
        return loss, gradient, half + lower.transpose(2, 3, 0, 1)
