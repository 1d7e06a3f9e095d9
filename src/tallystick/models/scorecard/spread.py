"""How far all points of a card could lie elsewhere, together: what the interval of a row's answer needs.

Knows numbers. Law: `from_dict(to_dict())` is the same.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


@dataclass(frozen=True)
class CardSpread:
    """base[link]: standard errors of the base, in points. factors[link][direction, line], in units[link]:
    line 0 is the base, then the lines of all parts one after the other.

    The covariance of two lines is the product of their columns, added up over the directions. What the square
    of a line's standard error has beyond that is its own, and goes together with no other line.
    """

    base: Array
    units: Array
    factors: tuple[NDArray[np.int64], ...]

    def to_dict(self) -> dict[str, Any]:
        """Return plain data."""
        return {
            "base": self.base.tolist(),
            "factors": [f.tolist() for f in self.factors],
            "units": self.units.tolist(),
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any], lines: int) -> CardSpread:
        """Build it from `to_dict()`; the reader of model files has checked the shape. lines: of the card."""
        factors = tuple(np.array(f, np.int64).reshape(-1, lines + 1) for f in data["factors"])
        return cls(np.array(data["base"], np.float64), np.array(data["units"], np.float64), factors)
