"""A column of numbers whose rows stay with Spark, or on disk, described by what ranges of its values tell.

Knows pieces of the values in their order, each with counts by class. Knows nothing of who has them. Law: the
description is that of all values at once, number for number; what comes here does not grow with the rows.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, reduce
from typing import NamedTuple

import numpy as np

from tallystick.data.read.slips import sentinels
from tallystick.data.schema import Column, Note
from tallystick.data.table.block import classes_of
from tallystick.description import doubts
from tallystick.description.columns import (
    BINS,
    ColumnView,
    bin_parts,
    bin_places,
    bin_step,
    is_small,
    ranks_wanted,
    summary_of,
    terms_of_mean,
)
from tallystick.description.counts import Group, TableCounts
from tallystick.description.gains import Counts, Floats, Stack, cut_costs, gain_of_cut, midpoint, summed
from tallystick.stats.exact import digits, joined, nearest
from tallystick.stats.value_ranges import ValueRanges
from tallystick.stats.value_tables import RankedPiece, RankedValues, values_at

FEW = 1 << 10  # different numbers of a column that may come here


# ---- works on pieces of the order ----


def whole(piece: RankedPiece) -> tuple[Floats, Counts]:
    """Return all values of a piece with their counts."""
    return piece.values, piece.counts


class BestCut(NamedTuple):
    """The best cut of a piece: what it costs, the place of the value below it, that value and the one above
    (None: it is in the next piece), and left[class]: the rows below.
    """

    cost: int
    place: int
    value: float
    above: float | None
    left: Counts


class RangeSums(NamedTuple):
    """counts[bin, class], what is summed for the mean in digits, the values at ranks, and the best cut."""

    bins: Counts
    mean: Counts
    at: dict[int, float]
    cut: BestCut | None


@dataclass(frozen=True)
class SumsOf:
    """Ask a piece for its part of a description. ends: the lowest and the highest value; totals[class]: rows
    with a value; distinct: values; rows: with and without one.
    """

    ends: tuple[float, float]
    totals: Counts
    distinct: int
    rows: int

    def __call__(self, piece: RankedPiece) -> RangeSums:
        """Return the part of a piece."""
        low, high = self.ends
        known, own = int(self.totals.sum()), piece.counts.sum(axis=1)
        place = bin_places(piece.values, low, bin_step(low, high))
        terms = terms_of_mean(piece.values, own, known, is_small(low, high))
        at = values_at(piece, ranks_wanted(known))
        return RangeSums(summed(place, piece.counts, BINS), digits(terms), at, self._cut(piece))

    def _cut(self, piece: RankedPiece) -> BestCut | None:
        left = piece.before + np.cumsum(piece.counts, axis=0)
        if piece.first + len(left) == self.distinct:
            left = left[:-1]  # no value is above the last
        if not len(left):
            return None
        cost = cut_costs(left, self.totals - left, self.rows)
        at = int(np.argmin(cost))
        above = float(piece.values[at + 1]) if at + 1 < len(piece.values) else None
        return BestCut(int(cost[at]), piece.first + at, float(piece.values[at]), above, left[at])


# ---- what is found of a column ----


@dataclass(frozen=True)
class RangedNumbers:
    """A column of many different numbers. missing[class]: rows without one."""

    column: Column
    order: RankedValues
    missing: Counts

    @cached_property
    def ranges(self) -> ValueRanges:
        """What ranges of its values tell."""
        return ValueRanges(self.order, self.missing)

    def view(self, known: bool) -> ColumnView:
        """Return the column; known: there is a target."""
        order, c = self.order, self.column
        low, high = self.ranges.extremes[0][0], self.ranges.extremes[-1][0]
        rows = int(order.totals.sum())
        asked = SumsOf((low, high), order.totals, order.distinct, rows + int(self.missing.sum()))
        found: list[RangeSums] = order.ask(asked)
        total = nearest(reduce(joined, [part.mean for part in found]))
        at = {rank: value for part in found for rank, value in part.at.items()}
        bins = np.sum([part.bins for part in found], axis=0)
        parts = bin_parts(low, float(bin_step(low, high)), bins)
        numbers = summary_of(low, high, total, rows, at)
        base = (c.name, c.kind, c.why, int(self.missing.sum()), order.distinct, parts)
        if not known:
            return ColumnView(*base, unit=c.unit, numbers=numbers)
        cut = min((p.cut for p in found if p.cut is not None), key=lambda one: (one.cost, one.place))
        told = gain_of_cut(cut.left, order.totals - cut.left, self.missing, order.distinct)
        where = midpoint(cut.value, self._above(cut))
        return ColumnView(*base, told.gain, told.ratio, where, told.left, c.unit, numbers)

    def _above(self, cut: BestCut) -> float:
        """Return the value above a cut."""
        later = (p.low[0][0] for p in self.ranges.ends if p.first > cut.place)
        return next(later) if cut.above is None else cut.above

    def notes(self, known: bool, among: int) -> Iterator[Note]:
        """Yield what a careful reader would ask; among: columns of the table."""
        if not self.column.unit:
            for mark in sentinels(self.column.name, *self.ranges.few):
                yield mark.note(self.column.name)
        told = self.ranges.alone(among) if known else None
        if told is not None:
            yield doubts.given_away(self.column.name, told)


def ranged(counts: TableCounts) -> Iterator[Group | RangedNumbers]:
    """Yield the columns of numbers of many rows, far away or on disk, that have a value, each by itself."""
    for column in counts.numeric if counts.dealer is not None else ():
        order: RankedValues = counts.dealer.ranked(column.name, classes_of, counts.n_classes)
        missing = counts.classes - order.totals
        if order.distinct > FEW:
            yield RangedNumbers(column, order, missing)
        elif order.distinct:
            values, own = (np.concatenate(part) for part in zip(*order.ask(whole), strict=True))
            yield Group([column], Stack.of([np.vstack([own, missing[None]])]), [values])
