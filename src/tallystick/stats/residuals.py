"""The sums of least squares beyond those of logistic regression: between which numbers the response lies, and
columns by the residuals of given weights.

Knows blocks, designs and weights. Knows nothing of penalties or standardising. Law: totals are whole numbers
that add, and ends of numbers, so any order of rows gives the same bits.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from tallystick import kernels
from tallystick.contracts import Block
from tallystick.kernels import Curvature, DenseColumns, Sums, Weighting
from tallystick.models.logistic.design import Design
from tallystick.stats.gradients import Copies, laid_out

Array = NDArray[np.float64]


@dataclass
class ResponseTotals:
    """weight[0]: of all rows, in units of 1 / unit; heaviest[0]: the largest; ends: of the response."""

    weight: NDArray[np.int64]
    heaviest: NDArray[np.int64]
    ends: Array


@dataclass(frozen=True, slots=True)
class ResponseFacts:
    """Ask what the rows weigh, and between which numbers their response lies."""

    def zero(self) -> ResponseTotals:
        """Return the total of no rows."""
        return ResponseTotals(np.zeros(1, np.int64), np.zeros(1, np.int64), np.array([np.inf, -np.inf]))

    def add(self, total: ResponseTotals, block: Block) -> ResponseTotals:
        """Add the rows of one block; a row of weight 0 is none."""
        assert block.response is not None
        response, weights = block.response, block.weights
        if weights is not None:
            response = response[weights > 0]
        total.weight += len(response) if weights is None else int(weights.sum())
        top = 1 if weights is None else int(weights.max(initial=0))
        total.heaviest[0] = max(int(total.heaviest[0]), top)
        total.ends[0] = min(total.ends[0], response.min(initial=np.inf))
        total.ends[1] = max(total.ends[1], response.max(initial=-np.inf))
        return total

    def merge(self, total: ResponseTotals, other: ResponseTotals) -> ResponseTotals:
        """Add two totals."""
        total.weight += other.weight
        np.maximum(total.heaviest, other.heaviest, out=total.heaviest)
        total.ends[0] = min(total.ends[0], other.ends[0])
        total.ends[1] = max(total.ends[1], other.ends[1])
        return total


@dataclass(frozen=True, slots=True)
class ResidualSums:
    """Ask for the sums of residual times column, at theta[parameter, 1] of the design without the response.

    design: with the response as its last dense column; scaling brings all of them to |y| <= 1. A residual is
    response * y - score over `bound`, which no residual passes; response 0 asks for the scores themselves.
    The sums lie in `squares[0]` of the total [parameter], in units of 2^-bits: the residual stands in the
    response's place, so that its own sum is that of the squares.
    """

    design: Design
    scaling: Array
    theta: Array
    response: float
    bound: float
    bits: int
    copies: Copies

    def zero(self) -> Sums:
        """Return the total of no rows."""
        d = self.design
        return kernels.new_sums(len(d.dense), d.cells, 1, Curvature.DIAGONAL)

    def add(self, total: Sums, block: Block) -> Sums:
        """Add the rows of one block."""
        laid = laid_out(self.design, block, 1)
        *values, truth = laid.columns.values
        known = DenseColumns(values, laid.columns.codes, laid.columns.starts)
        rows = len(laid.classes)
        scores = kernels.linear_scores(known, rows, self.scaling[:, :-1].copy(), self.theta)[:, 1]
        y = (truth - self.scaling[0, -1]) * self.scaling[1, -1]
        residual = (self.response * y - scores) / self.bound
        columns = DenseColumns([*values, residual], known.codes, known.starts)
        scaling = self.scaling.copy()
        scaling[:, -1] = 0.0, 1.0
        given = self.copies.of(laid.weights)
        factor = residual if given.row_factor is None else residual * given.row_factor
        none = np.zeros((self.design.size, 1))
        weighting = Weighting(given.copies, factor, None)
        kernels.logistic_sums(
            columns, scaling, laid.classes, weighting, none, self.bits, Curvature.DIAGONAL, total
        )
        return total

    def merge(self, total: Sums, other: Sums) -> Sums:
        """Add two totals."""
        for x, y in zip(
            (total.loss, total.gradient, total.squares),
            (other.loss, other.gradient, other.squares),
            strict=True,
        ):
            x += y
        return total

    def at(self, theta: Array, bound: float) -> ResidualSums:
        """Return the same question at other weights."""
        return replace(self, theta=theta, bound=bound)
