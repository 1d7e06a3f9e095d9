"""A column in cells: the levels of a column of levels, pieces of a line for numbers; and what lies outside.

Knows a column's schema and where its numbers are cut. Knows nothing of trees or counts.
Outcomes of a column, in this order: its k cells, missing, and then for levels one level never seen and
nothing, for numbers what lies below the lowest piece and what lies above the highest.
Law: pieces touch and do not overlap, so every number is in exactly one outcome.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallystick import kernels
from tallystick.contracts import Block
from tallystick.data.schema import Column
from tallystick.models.additive import bins_of

Floats = NDArray[np.float64]
BEYOND = 2  # outcomes after the missing one
LEAST_WIDTH = 5e-324
LARGEST_WHOLE = 2.0**51  # whole numbers up to here have halves between them


@dataclass(frozen=True, eq=False)
class ColumnCells:
    """The cells of one column. cuts: where pieces of numbers begin, after the first. whole: all numbers of
    the fit were whole, so a piece goes from one half to another and a whole number's density is its share.
    """

    column: Column
    cuts: tuple[float, ...] = ()
    whole: bool = False

    @property
    def name(self) -> str:
        """The column's name."""
        return self.column.name

    @property
    def numeric(self) -> bool:
        """Whether cells are pieces of a line."""
        return self.column.kind == "numeric"

    @property
    def k(self) -> int:
        """How many cells there are; the code of missing."""
        return len(self.cuts) + 1 if self.numeric else len(self.column.levels)

    @cached_property
    def edges(self) -> Floats:
        """Where pieces begin and the last one ends [k + 1]; around the lowest and the highest value there is
        as much room as half of the narrowest piece.
        """
        low, high = self.column.low or 0.0, self.column.high or 0.0
        cuts = np.array(self.cuts)
        room = 0.5
        if not self.whole and len(cuts):
            rooms = [float(cuts[0]) - low, high - float(cuts[-1]), *(np.diff(cuts / 2)).tolist()]
            room = min((r for r in rooms if r > 0), default=0.0)
        first, last = (
            min(low - room, np.nextafter(low, -np.inf)),
            max(high + room, np.nextafter(high, np.inf)),
        )
        largest = np.finfo(np.float64).max
        out: Floats = np.clip(np.concatenate([[first], cuts, [last]]), -largest, largest)
        return out

    @cached_property
    def log_widths(self) -> Floats:
        """Logarithms of the pieces' widths [k]; of levels 0."""
        if not self.numeric:
            return np.zeros(self.k)
        halves = np.maximum(np.diff(self.edges / 2), LEAST_WIDTH)  # halves first: no overflow
        out: Floats = kernels.log(halves) + kernels.log([2.0])[0]
        return out

    @property
    def half_reach(self) -> float:
        """Half of how far all pieces reach: by it the density falls beyond them."""
        return max(float(self.edges[-1] / 2 - self.edges[0] / 2), LEAST_WIDTH)

    @cached_property
    def log_half_reach(self) -> float:
        """Logarithm of half of how far all pieces reach."""
        return float(kernels.log([self.half_reach])[0])

    @cached_property
    def log_scale(self) -> float:
        """Logarithm of how far all pieces reach."""
        return self.log_half_reach + float(kernels.log([2.0])[0])

    def codes(self, block: Block) -> NDArray[Any]:
        """Return the cell of each row; k is missing, k + 1 a level never seen."""
        if not self.numeric:
            return block.codes(self.name)
        return bins_of(block.values(self.name), np.array(self.cuts))

    def outcomes(self, block: Block) -> tuple[NDArray[Any], NDArray[np.int64], Floats]:
        """Return the outcome of each row; and of the rows beyond the pieces which they are, and how their
        density falls: as s / (s + d)^2 at a distance d, s being how far the pieces reach.
        """
        codes = self.codes(block)
        if not self.numeric:
            return codes, np.empty(0, np.int64), np.empty(0)
        values, edges = block.values(self.name), self.edges
        below, above = np.flatnonzero(values < edges[0]), np.flatnonzero(values >= edges[-1])
        codes = codes.astype(np.int64)
        codes[below], codes[above] = self.k + 1, self.k + 2
        far = np.concatenate([below, above])
        half = np.concatenate([edges[0] / 2 - values[below] / 2, values[above] / 2 - edges[-1] / 2])
        falls = kernels.log(half + self.half_reach) if len(far) else half
        return codes, far, 2 * self.log_half_reach - self.log_scale - 2 * falls

    def reached(self, reach: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Return which outcomes can come to a node, of reach[cell, missing last]."""
        far = (reach[0], reach[self.k - 1]) if self.numeric else (reach[-1], False)
        return np.append(reach, far)

    @cached_property
    def even(self) -> Floats:
        """Every outcome as likely as any other, both ends of a line together as one."""
        out = np.full(self.k + 1 + BEYOND, 1 / (self.k + 2))
        out[-2:] = out[0] / 2 if self.numeric else (out[0], 0.0)
        return out


def refined(cuts: tuple[float, ...], low: float, high: float, pieces: int) -> tuple[float, ...]:
    """Return cuts with which no piece is wider than a `pieces`-th of the range, nearly: one of few rows that
    reaches far, over a gap or along a tail, is cut into equal parts.
    """
    widest, out = (high / 2 - low / 2) / pieces, list[float]()
    for start, end in pairwise([low, *cuts, high]):
        parts = int((end / 2 - start / 2) / widest) if widest > 0 else 1
        step = (end / 2 - start / 2) / max(parts, 1)
        inside = (2 * (start / 2 + step * i) for i in range(1, parts))
        out += [*(cut for cut in inside if start < cut < end), end]
    return tuple(sorted(set(out[:-1])))


def halves(low: Floats, high: Floats) -> tuple[float, ...]:
    """Return cuts between cells of whole numbers, halfway between two that follow each other. low[cell],
    high[cell]: the numbers there; cells without any do not count. A gap that is wider than a cell beside it
    is a cell of its own.
    """
    low, high = low[low <= high], high[low <= high]
    out: list[float] = []
    for i in range(len(low) - 1):
        gap = low[i + 1] - high[i] - 1
        wide = gap > min(high[i] - low[i] + 1, high[i + 1] - low[i + 1] + 1)
        out += [float(high[i]) + 0.5, float(low[i + 1]) - 0.5] if wide else [float(low[i + 1]) - 0.5]
    return tuple(out)
