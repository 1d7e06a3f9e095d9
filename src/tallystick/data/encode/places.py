"""Which whole numbers of a range are there: a bit for each.

Knows whole numbers between two ends. Law: any cut of the values and any order of merging give the same bits.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Self

import numpy as np
from numpy.typing import NDArray


@dataclass
class Places:
    """A bit for each whole number from low to high: 1 where some value is that number."""

    low: float
    high: float
    bits: NDArray[np.uint8] = field(init=False)

    def __post_init__(self) -> None:
        self.bits = np.zeros(int(self.high - self.low) // 8 + 1, np.uint8)

    def add(self, values: NDArray[np.float64]) -> Self:
        """Take in whole numbers of the range."""
        at = (values - self.low).astype(np.int64)
        np.bitwise_or.at(self.bits, at >> 3, np.left_shift(1, at & 7).astype(np.uint8))
        return self

    def merge(self, other: Places) -> Self:
        """Take in the numbers that others saw of the same range."""
        self.bits |= other.bits
        return self

    def count(self) -> int:
        """Return how many different numbers there are."""
        return int(np.bitwise_count(self.bits).sum())
