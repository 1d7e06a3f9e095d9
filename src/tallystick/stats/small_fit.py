"""The weights of a small logistic regression, asked for in one question.

Knows blocks of numbers and two classes. Knows nothing of models or of what else a fit tells.
Law: an answer is what the questions of `learners/logistic` lead to, bit for bit; who has no quick answer says
None, and is asked those.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tallystick import kernels
from tallystick.contracts import Block, Table
from tallystick.kernels import DenseColumns, WholeFit

Array = NDArray[np.float64]


class SmallWeights(NamedTuple):
    """w[1 + column]: the constant and the weights of (x - centre) / scale."""

    centre: Array
    scale: Array
    w: Array


@dataclass(frozen=True, slots=True)
class SmallFit:
    """Ask for the optimum of a table of numbers without missing cells, two classes and rows that count once.

    bounds: the least and the highest value of each column; rule: from how many rows there are, how many bits
    their terms have and what the fit needs; most: steps.
    """

    names: tuple[str, ...]
    bounds: Array
    rule: Callable[[int], tuple[int, WholeFit]]
    most: int

    def zero(self) -> None:
        """Return the total of no rows."""

    def add(self, total: None, block: Block) -> None:
        """Add nothing: sums alone are not an optimum."""

    def merge(self, total: None, other: None) -> None:
        """Add nothing."""


class InOneCall:
    """The shortcut: where all rows are one block, one call sums, scales and fits them."""

    row_bytes = 0

    def solve(self, question: SmallFit, table: Table, threads: int) -> SmallWeights | None:
        """Return the weights; None where the rows are not those asked for or there is no optimum."""
        blocks = list(table.blocks())
        if len(blocks) != 1 or blocks[0].weights is not None:
            return None
        block = blocks[0]
        assert block.classes is not None
        columns, rule = DenseColumns([*map(block.values, question.names)], [], []), question.rule(block.rows)
        found = kernels.whole_fit(columns, question.bounds, block.classes, *rule, question.most)
        return None if found is None else SmallWeights(found[0][0], found[0][1], found[1])
