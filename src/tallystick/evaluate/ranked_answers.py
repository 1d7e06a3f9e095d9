"""What pieces of the order of a class's shares tell: pairs that are ranked rightly, curves, calibration.

Knows pieces (values with counts by label; a label is 2 * fold, and one more of rows of the class). Knows
nothing of where they are. Law: how the order is cut into pieces changes no bit of what all of them tell.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tallystick.evaluate.measures import area_spread
from tallystick.evaluate.scores import (
    BINS,
    NEAR,
    bin_of,
    calibration_bin,
    false_alarms,
    from_half,
    in_top_tenth,
)
from tallystick.stats.exact import digits, joined, nearest
from tallystick.stats.value_tables import RankedPiece, RankedValues

Counts = NDArray[np.int64]
Floats = NDArray[np.float64]


class Ties(NamedTuple):
    """Rows of one fold with one share: up and down of the class and not, below: lower ones not of the class,
    above: higher ones of it, ties counting one half; fold.
    """

    up: Floats
    down: Floats
    below: Floats
    above: Floats
    fold: Counts


def ties_of(piece: RankedPiece, totals: Counts, unit: int) -> Ties:
    """Return the ties of a piece; unit: what a row of weight 1 is counted as."""
    folds = len(totals) // 2
    counts, before = (a.reshape(*a.shape[:-1], folds, 2) / unit for a in (piece.counts, piece.before))
    down, up = counts[..., 0], counts[..., 1]
    below = before[:, 0] + np.cumsum(down, axis=0) - down / 2
    above = totals.reshape(-1, 2)[:, 1] / unit - (before[:, 1] + np.cumsum(up, axis=0)) + up / 2
    there = (up + down) > 0
    return Ties(up[there], down[there], below[there], above[there], np.nonzero(there)[1])


@dataclass(frozen=True)
class PairsWon:
    """How many pairs are ranked rightly."""

    totals: Counts
    unit: int = 1

    def __call__(self, piece: RankedPiece) -> Counts:
        """Return the sum in digits."""
        ties = ties_of(piece, self.totals, self.unit)
        return digits(ties.up * ties.below)


@dataclass(frozen=True)
class PairSpread:
    """What rows of both sides add to the variance of an area, and how many of them have a pair."""

    totals: Counts
    area: float
    unit: int = 1

    def __call__(self, piece: RankedPiece) -> list[tuple[Counts, float]]:
        """Return the sums of both sides, in digits, and their rows."""
        ties = ties_of(piece, self.totals, self.unit)
        downs, ups = (self.totals.reshape(-1, 2)[ties.fold, side] / self.unit for side in (0, 1))
        return [
            (digits(area_spread(each, won, others, self.area)), float(each[others > 0].sum()))
            for each, won, others in ((ties.up, ties.below, downs), (ties.down, ties.above, ups))
        ]


class CurveParts(NamedTuple):
    """What a piece of the order adds to the curves of a class: sums in digits, `points` (place in the falling
    order of distinct shares, false alarms, recall, precision), and the rows in each bin of calibration.
    """

    area: Counts
    inside: Counts
    room: Counts
    points: list[tuple[int, float, float, float]]
    bins: Counts


@dataclass(frozen=True)
class Curves:
    """The curves of a class. distinct: different shares; wanted: the places of points that are asked for;
    unit: what a row of weight 1 is counted as.
    """

    totals: Counts
    distinct: int
    wanted: Counts
    unit: int = 1

    def __call__(self, piece: RankedPiece) -> CurveParts:
        """Return the part of a piece."""
        counted = piece.counts.sum(axis=1)
        up, full = piece.counts[:, 1::2].sum(axis=1) / self.unit, counted / self.unit
        ups, rows = float(self.totals[1::2].sum()) / self.unit, float(self.totals.sum()) / self.unit
        upto = piece.before.sum() / self.unit + np.cumsum(full)
        found = ups - (piece.before[1::2].sum() / self.unit + np.cumsum(up) - up)  # of this share or higher
        higher = rows - upto
        precision, recall = found / (higher + full), found / max(ups, 1e-300)
        area = (recall - (found - up) / max(ups, 1e-300)) * precision
        inside, room = in_top_tenth(up, full, higher, rows)
        false = false_alarms(precision, recall, ups, rows)
        place = self.distinct - 1 - piece.first - np.arange(len(up))
        kept = np.isin(place, self.wanted)
        told = (a[kept].tolist() for a in (place, false, recall, precision))
        bins = np.zeros(BINS, np.int64)
        np.add.at(bins, bin_of(upto, full, rows), counted)
        return CurveParts(digits(area), digits(inside), digits(room), list(zip(*told, strict=True)), bins)


class Stretch(NamedTuple):
    """Rows that follow each other in the order: after `first` rows, up to and with the row `last`."""

    first: int
    last: int


class StretchPart(NamedTuple):
    """What a piece tells of a stretch: its lowest and highest share, and where it is best divided: (how far
    from its half, after which row). sums: rows of the class, and the sum of shares in digits.
    """

    low: float
    high: float
    half: tuple[float, int]
    ups: int
    told: Counts


@dataclass(frozen=True)
class InStretches:
    """What a piece tells of stretches; unit: what a row of weight 1 is counted as."""

    stretches: tuple[Stretch, ...]
    unit: int = 1

    def __call__(self, piece: RankedPiece) -> list[StretchPart | None]:
        """Return the part of each stretch that lies here; None where none does."""
        up, full = piece.counts[:, 1::2].sum(axis=1), piece.counts.sum(axis=1)
        upto = int(piece.before.sum()) + np.cumsum(full)
        out: list[StretchPart | None] = []
        for first, last in self.stretches:
            here = slice(*np.searchsorted(upto, [first, last], side="right").tolist())
            values = piece.values[here]
            if not len(values):
                out.append(None)
                continue
            off = from_half((upto[here] - first) / self.unit, (last - first) / self.unit)
            at = int(np.argmin(off))
            half = float(off[at]), int(upto[here][at])
            told = digits(values, full[here])
            out.append(StretchPart(float(values[0]), float(values[-1]), half, int(up[here].sum()), told))
        return out


def joined_parts(parts: Sequence[StretchPart | None]) -> StretchPart:
    """Return what all pieces tell of a stretch."""
    there = [part for part in parts if part is not None]
    told = joined(*(part.told for part in there))
    low, high = min(p.low for p in there), max(p.high for p in there)
    return StretchPart(low, high, min(p.half for p in there), sum(p.ups for p in there), told)


def calibrated(order: RankedValues, bins: Counts, unit: int = 1) -> list[dict[str, Any]]:
    """Return what `scores.calibration` returns. bins: the rows of each bin, before any is halved; unit: what
    a row of weight 1 is counted as.
    """
    ends = np.cumsum(bins).tolist()
    todo = [Stretch(a, b) for a, b in pairwise([0, *ends]) if a < b]
    done: list[tuple[Stretch, StretchPart]] = []
    while todo:
        told = order.ask(InStretches(tuple(todo), unit))
        found = [joined_parts(parts) for parts in zip(*told, strict=True)]
        halved: list[Stretch] = []
        for own, part in zip(todo, found, strict=True):
            off, at = part.half
            if part.high - part.low <= NEAR or off == np.inf:
                done.append((own, part))
            else:
                halved += [Stretch(own.first, at), Stretch(at, own.last)]
        todo = halved
    return [
        calibration_bin((own.last - own.first) / unit, part.ups / unit, nearest(part.told) / unit)
        for own, part in sorted(done, key=lambda one: one[0])
    ]
