"""What ranges of a column's values tell of it: its ends, numbers that may stand for missing, and whether it
alone tells the class.

Knows pieces of the values in their order, each with counts by class. Knows nothing of who has them. Law: what
they tell is what all values at once tell; what comes here does not grow with the rows.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tallystick.contracts import Block
from tallystick.stats import alone
from tallystick.stats.alone import InOrder
from tallystick.stats.value_tables import RankedPiece, RankedValues

__all__ = ["RangeEnds", "ValueRanges", "ends_of", "one_label"]

Counts = NDArray[np.int64]
Floats = NDArray[np.float64]


def one_label(block: Block) -> NDArray[Any]:
    """Return the same label for each row."""
    return np.zeros(block.rows, np.uint8)


class RangeEnds(NamedTuple):
    """The two lowest and the two highest values of a piece, each with its rows, how many values are lower,
    and the piece's runs.
    """

    low: list[tuple[float, int]]
    high: list[tuple[float, int]]
    first: int
    runs: alone.PieceRuns


def ends_of(piece: RankedPiece) -> RangeEnds:
    """Return the ends of a piece."""
    pairs = [
        list(zip(piece.values[some].tolist(), piece.counts[some].sum(axis=1).tolist(), strict=True))
        for some in (slice(None, 2), slice(-2, None))
    ]
    return RangeEnds(pairs[0], pairs[1], piece.first, alone.piece_runs(piece.counts))


def _runs_of(piece: RankedPiece) -> Floats:
    return alone.runs_of(piece.counts)


def _whole(piece: RankedPiece) -> bool:
    return bool((np.floor(piece.values) == piece.values).all())


@dataclass(frozen=True)
class CutIn:
    """Ask a piece what its best cut tells of the class. totals[class]: rows of all pieces."""

    totals: Counts

    def __call__(self, piece: RankedPiece) -> float:
        """Return the probability that two rows on one side are of one class."""
        return alone.one_cut(piece.counts, piece.before, self.totals)


@dataclass(frozen=True)
class WrongIn:
    """Ask a piece how few rows small trees get wrong in it. goes_on[first]: whether its first run goes on
    with the last of the piece before, by how many values are lower.
    """

    most: int
    goes_on: dict[int, bool]

    def __call__(self, piece: RankedPiece) -> Floats:
        """Return wrong[class before, cuts, class in hand]."""
        return alone.wrong_between(piece.counts, self.most, self.goes_on[piece.first])


@dataclass(frozen=True)
class ValueRanges:
    """A column of numbers in ranges of its values; some row has one. missing[class]: rows without one.

    unit: what a row of weight 1 counts for; near: the ranges are here, and so may be all runs at once.
    """

    order: RankedValues
    missing: Counts
    unit: int = 1
    near: bool = False

    @cached_property
    def ends(self) -> list[RangeEnds]:
        """The ends of all pieces."""
        found: list[RangeEnds] = self.order.ask(ends_of)
        return found

    @cached_property
    def extremes(self) -> list[tuple[float, int]]:
        """The two lowest and the two highest values, each with its rows; a column of fewer than four has the
        same ones twice.
        """
        low = [pair for piece in self.ends[:2] for pair in piece.low]
        high = [pair for piece in self.ends[-2:] for pair in piece.high]
        return [*low[:2], *high[-2:]]

    @property
    def few(self) -> tuple[Floats, Counts]:
        """Values with their rows that have the marks of all: the two lowest and the two highest, and all
        other rows as if they had the second.
        """
        told = dict(self.extremes if self.order.distinct else [])
        values = np.array(sorted(told))
        counts = np.array([told[v] for v in values.tolist()])
        if self.order.distinct > len(values):
            counts[1] += int(self.order.totals.sum()) - int(counts.sum())
        return values, counts

    @cached_property
    def runs(self) -> tuple[int, list[bool]]:
        """How many runs there are, and which pieces go on with one."""
        return alone.joined_runs([piece.runs for piece in self.ends])

    def alone(self, among: int) -> alone.Alone | None:
        """Return what the column tells of the class alone, None unless it is nearly all; among: columns."""
        found = alone.RunsFound(self.order.totals, self.missing, self.order.distinct, self.runs[0])
        return alone.by_runs(found, self._fewest, among, self.unit)

    def in_order(self) -> InOrder | None:
        """Return what the order of whole numbers tells of the class, None unless far more than a cut does."""
        rows = float(self.order.totals.sum()) / self.unit
        if self.order.distinct < alone.NUMBERED * rows or not all(self.order.ask(_whole)):
            return None
        cut = max(self.order.ask(CutIn(self.order.totals)))
        return alone.in_order(self.order.distinct, rows, self.runs[0], cut)

    def _fewest(self, most: int) -> list[float]:
        """Return the fewest wrong rows with 0 to `most` cuts. Far away each range tells them for every class
        before it; that takes the third power of the classes, and no runs come here.
        """
        if self.near:
            own = self.order.ask(_runs_of)
            return alone.fewest_wrong(alone.runs_in_hand(own, self.runs[1]), most)
        goes_on = {piece.first: own for piece, own in zip(self.ends, self.runs[1], strict=True)}
        return alone.wrong_of_all(self.order.ask(WrongIn(most, goes_on)))
