"""How far Jeffreys' prior pulls the weights of a logistic regression of two classes: sums over rows of
leverage times (1/2 - share), by column.

Knows blocks, designs and weights, and the inverse curvature there. Law: totals are whole numbers that add, so
any order of rows gives the same bits.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tallystick import kernels
from tallystick.contracts import Block
from tallystick.kernels import Weighting
from tallystick.models.logistic.design import Design
from tallystick.stats.gradients import Copies, Laid, laid_out

Array = NDArray[np.float64]
Whole = NDArray[np.int64]
ROWS = 4_096  # that are laid out as a matrix at a time


@dataclass(frozen=True, slots=True)
class LeverageSums:
    """Ask for the pull at theta[parameter]; inverse[free, free]: of the curvature by the columns as the rows
    are laid out, |y| <= 1; at[free]: their parameters. Whole numbers in units of 2^-bits.
    """

    design: Design
    scaling: Array
    theta: Array
    at: Whole
    inverse: Array
    bits: int
    copies: Copies

    def zero(self) -> Whole:
        """Return the total of no rows."""
        return np.zeros(len(self.at), np.int64)

    def add(self, total: Whole, block: Block) -> Whole:
        """Add the rows of one block."""
        laid = laid_out(self.design, block, 1)
        weighting = self.copies.of(laid.weights)
        for start in range(0, block.rows, ROWS):
            rows = slice(start, min(start + ROWS, block.rows))
            total += self._pull(laid, rows, weighting)
        return total

    def merge(self, total: Whole, other: Whole) -> Whole:
        """Add two totals."""
        total += other
        return total

    def _pull(self, laid: Laid, rows: slice, weighting: Weighting) -> Whole:
        wanted = np.flatnonzero((self.theta != 0) | np.isin(np.arange(len(self.theta)), self.at))
        every = np.stack([self._column(laid, int(j), rows) for j in wanted], axis=1)
        score = kernels.product(every, np.ascontiguousarray(self.theta[wanted][:, None]))[:, 0]
        share = kernels.softmax(np.stack([np.zeros(len(score)), score], axis=1))[:, 1]
        y = np.ascontiguousarray(every[:, np.searchsorted(wanted, self.at)])
        by_inverse = kernels.product(y, self.inverse)
        quadratic = np.zeros(len(y))
        for j in range(y.shape[1]):  # one column after the other: the same bits everywhere
            quadratic += by_inverse[:, j] * y[:, j]
        factor = np.ones(len(y)) if weighting.row_factor is None else weighting.row_factor[rows]
        if weighting.class_factor is not None:
            factor = factor * weighting.class_factor[np.asarray(laid.classes[rows])]
        leverage = np.minimum(factor * share * (1.0 - share) * quadratic, 1.0)
        terms = np.rint((leverage * (0.5 - share))[:, None] * y * 2.0**self.bits).astype(np.int64)
        if weighting.copies is not None:
            terms *= weighting.copies[rows, None]
        out: Whole = terms.sum(axis=0)
        return out

    def _column(self, laid: Laid, parameter: int, rows: slice) -> Array:
        """Return a column of the design [row], brought to |y| <= 1; 0 where a number is missing."""
        dense = len(self.design.dense)
        if parameter == 0:
            return np.ones(rows.stop - rows.start)
        if parameter <= dense:
            j = parameter - 1
            y = (laid.columns.values[j][rows] - self.scaling[0, j]) * self.scaling[1, j]
            out: Array = np.nan_to_num(y, nan=0.0)
            return out
        i = next(k for k in range(len(self.design.coded) - 1, -1, -1) if self._start(k) <= parameter)
        held: Array = (laid.columns.codes[i][rows] == parameter - self._start(i)).astype(np.float64)
        return held

    def _start(self, coded: int) -> int:
        return self.design.cell(self.design.coded[coded])
