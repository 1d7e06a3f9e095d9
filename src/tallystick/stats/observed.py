"""The largest value of a column that is not above a cut: where C4.5 puts its cuts.

Knows blocks. Knows nothing of trees. Law: a largest value does not depend on the order or the cut of rows.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tallystick.contracts import Block

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class LargestBelow:
    """Ask for the largest value up to each of some cuts. cuts[column]: rising; -inf where there is none."""

    names: tuple[str, ...]
    cuts: tuple[Floats, ...]

    def zero(self) -> list[Floats]:
        """Return the total of no rows: found[column][cut]."""
        return [np.full(len(cuts), -np.inf) for cuts in self.cuts]

    def add(self, total: list[Floats], block: Block) -> list[Floats]:
        """Add the rows of one block."""
        for name, cuts, found in zip(self.names, self.cuts, total, strict=True):
            values = np.sort(block.values(name))  # missing ones are last
            places = np.searchsorted(values, cuts, side="right")
            known = np.where(places > 0, values[np.maximum(places, 1) - 1] if len(values) else 0.0, -np.inf)
            np.maximum(found, known, out=found)
        return total

    def merge(self, total: list[Floats], other: list[Floats]) -> list[Floats]:
        """Add two totals."""
        return [np.maximum(a, b) for a, b in zip(total, other, strict=True)]
