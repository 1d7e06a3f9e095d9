"""The options of a density tree, checked.

Knows names and ranges. Knows nothing of trees.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tallystick.errors import Argument, OptionError, shown
from tallystick.models.plain import check_whole, is_number, make_plain

LENGTH, HELD_OUT = "length", "held-out"
PRUNINGS = (LENGTH, HELD_OUT)
LARGEST = 2**31 - 1
MOST_PIECES = 1_000
LEAST_ALPHA, MOST_ALPHA = 1e-6, 1e9


@dataclass(frozen=True, slots=True)
class DensityOptions:
    """How a density tree is grown, pruned and smoothed; see `ts.DensityTree`."""

    alpha: float = 8.0
    max_depth: int | None = None
    max_leaf_nodes: int | None = None
    min_samples_leaf: int = 5
    pieces: int = 16
    pruning: str | None = LENGTH

    def __post_init__(self) -> None:
        make_plain(self, tuple(self.__slots__))
        if not is_number(self.alpha) or not LEAST_ALPHA <= self.alpha <= MOST_ALPHA:
            raise OptionError(
                Argument("alpha"),
                f" must be a number from {LEAST_ALPHA:g} to {MOST_ALPHA:g}, not {shown(self.alpha)}.",
            )
        check_whole("min_samples_leaf", self.min_samples_leaf, 1, LARGEST)
        check_whole("pieces", self.pieces, 2, MOST_PIECES)
        for name, low in (("max_depth", 1), ("max_leaf_nodes", 1)):
            if getattr(self, name) is not None:
                check_whole(name, getattr(self, name), low, LARGEST)
        if self.pruning is not None and self.pruning not in PRUNINGS:
            raise OptionError(
                Argument("pruning"), f" must be 'length', 'held-out' or None, not {shown(self.pruning)}."
            )

    def to_dict(self) -> dict[str, Any]:
        """Return the options as plain data for the model file."""
        return {name: getattr(self, name) for name in self.__slots__} | {"alpha": float(self.alpha)}
