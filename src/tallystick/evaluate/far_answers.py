"""Scores of answers that stay where the rows are: the same numbers from sums, and from ranks in pieces.

Knows blocks of answers (the share of class c in the column c, fold, class), and questions to them. Knows
nothing of who sums. Law: every score is that of `scores.score` on the same answers, bit for bit; what comes
here does not grow with the rows.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from typing import Any, NamedTuple, NoReturn, Protocol

import numpy as np
from numpy.typing import NDArray

from tallystick import kernels
from tallystick.contracts import Block
from tallystick.errors import OptionError
from tallystick.evaluate import intervals
from tallystick.evaluate.exact import digits, joined, nearest
from tallystick.evaluate.measures import (
    RowMean,
    area_error,
    area_spread,
    cost_mean,
    log_losses,
    square_distances,
)
from tallystick.evaluate.scores import (
    BINS,
    NEAR,
    bin_of,
    calibration_bin,
    false_alarms,
    from_half,
    in_top_tenth,
    lift_of,
    thinned,
)
from tallystick.kernels.check import code_dtype
from tallystick.models.decision import decide

Counts = NDArray[np.int64]
Floats = NDArray[np.float64]


class RankedShares(Protocol):
    """Some of the rows of a class, in the order of its shares: values[share], rising, with counts[share,
    label]; the label is 2 * fold, and one more of rows of the class. before[label], first: rows, and distinct
    shares, that are lower and not here.
    """

    @property
    def values(self) -> Floats: ...  # noqa: D102

    @property
    def counts(self) -> Counts: ...  # noqa: D102

    @property
    def before(self) -> Counts: ...  # noqa: D102

    @property
    def first(self) -> int: ...  # noqa: D102


class RankedClass(Protocol):
    """All rows in the order of the shares of a class. totals[label]: rows; distinct: different shares."""

    @property
    def totals(self) -> Counts: ...  # noqa: D102

    @property
    def distinct(self) -> int: ...  # noqa: D102

    def ask(self, work: Callable[[Any], Any]) -> list[Any]:
        """Return work(ranked shares) of all pieces."""
        ...


class FarRows(Protocol):
    """Blocks of answers, where they are. fold: the name of the column of folds."""

    @property
    def fold(self) -> str: ...  # noqa: D102

    def total(self, question: Any) -> Any:
        """Return the total of a question over all blocks."""
        ...

    def ranked(self, name: str, labels: Callable[[Block], NDArray[Any]], width: int) -> RankedClass:
        """Return the rows in the order of a column of shares; labels(block)[row]: below `width`."""
        ...

    def release(self) -> None:
        """Let go what is kept."""
        ...


class AnswerTotals(NamedTuple):
    """Sums of answers: confusion[truth, answer], rows[fold] that are there and answered rightly, rows whose
    true class had the share 0, and sums[loss or square distance, fold, digit].
    """

    confusion: Counts
    rows: Counts
    hits: Counts
    impossible: int
    sums: Counts


def answers_in(block: Block, classes: int) -> tuple[Counts, Floats]:
    """Return truth[row] and shares[row, class] of a block of answers."""
    assert block.classes is not None
    return block.classes.astype(np.int64), np.stack([block.values(str(c)) for c in range(classes)], axis=1)


@dataclass(frozen=True)
class ScoreSums:
    """Ask for the sums of answers. fold: the column of folds; rule: costs that decide."""

    fold: str
    classes: int
    folds: int
    rule: Floats | None

    def zero(self) -> AnswerTotals:
        """Return the total of no rows."""
        each = np.zeros(self.folds, np.int64)
        sums = np.zeros((2, self.folds, kernels.SUM_DIGITS), np.int64)
        return AnswerTotals(np.zeros((self.classes, self.classes), np.int64), each, each.copy(), 0, sums)

    def add(self, total: AnswerTotals, block: Block) -> AnswerTotals:
        """Add the rows of one block."""
        truth, shares = answers_in(block, self.classes)
        fold, answer = block.codes(self.fold), decide(shares, self.rule)
        columns = [log_losses(truth, shares), square_distances(truth, shares)]
        none, own = np.zeros((2, self.folds), np.int64), self.zero()
        squares = np.zeros((2, self.folds, kernels.SQUARE_DIGITS), np.int64)
        kernels.add_moments(columns, fold, none, own.sums, squares)
        pairs = np.bincount(truth * self.classes + answer, minlength=self.classes**2)
        return self.merge(
            total,
            AnswerTotals(
                pairs.reshape(self.classes, self.classes),
                np.bincount(fold, minlength=self.folds),
                np.bincount(fold[answer == truth], minlength=self.folds),
                int((shares[np.arange(len(truth)), truth] <= 0).sum()),
                own.sums,
            ),
        )

    def merge(self, total: AnswerTotals, other: AnswerTotals) -> AnswerTotals:
        """Add two totals."""
        return AnswerTotals(
            total.confusion + other.confusion,
            total.rows + other.rows,
            total.hits + other.hits,
            total.impossible + other.impossible,
            kernels.carry(total.sums + other.sums),
        )


@dataclass(frozen=True)
class AwaySums:
    """Ask how losses and square distances lie about their means: sums[which, power, digit] of the squares and
    cubes of what is away from centres[which].
    """

    classes: int
    centres: tuple[float, float]

    def zero(self) -> Counts:
        """Return the total of no rows."""
        return np.zeros((2, 2, kernels.SUM_DIGITS), np.int64)

    def add(self, total: Counts, block: Block) -> Counts:
        """Add the rows of one block."""
        truth, shares = answers_in(block, self.classes)
        each = log_losses(truth, shares), square_distances(truth, shares)
        away = [values - centre for values, centre in zip(each, self.centres, strict=True)]
        return self.merge(total, np.stack([np.stack([digits(a**2), digits(a**3)]) for a in away]))

    def merge(self, total: Counts, other: Counts) -> Counts:
        """Add two totals."""
        return kernels.carry(total + other)


@dataclass(frozen=True)
class FoldAndHit:
    """The label of a row in the order of the shares of a class."""

    fold: str
    c: int

    def __call__(self, block: Block) -> NDArray[Any]:
        """Return label[row]."""
        assert block.classes is not None
        label = 2 * block.codes(self.fold).astype(np.int64) + (block.classes == self.c)
        return np.asarray(label.astype(code_dtype(int(label.max(initial=0)) + 1)))


# ---- works on pieces of the order ----


class Ties(NamedTuple):
    """Rows of one fold with one share: up and down of the class and not, below: lower ones not of the class,
    above: higher ones of it, ties counting one half; fold.
    """

    up: Floats
    down: Floats
    below: Floats
    above: Floats
    fold: Counts


def ties_of(piece: RankedShares, totals: Counts) -> Ties:
    """Return the ties of a piece."""
    counts, before = (a.reshape(*a.shape[:-1], -1, 2).astype(float) for a in (piece.counts, piece.before))
    down, up = counts[..., 0], counts[..., 1]
    below = before[:, 0] + np.cumsum(down, axis=0) - down / 2
    above = totals.reshape(-1, 2)[:, 1] - (before[:, 1] + np.cumsum(up, axis=0)) + up / 2
    there = (up + down) > 0
    return Ties(up[there], down[there], below[there], above[there], np.nonzero(there)[1])


@dataclass(frozen=True)
class PairsWon:
    """How many pairs are ranked rightly."""

    totals: Counts

    def __call__(self, piece: RankedShares) -> Counts:
        """Return the sum in digits."""
        ties = ties_of(piece, self.totals)
        return digits(ties.up * ties.below)


@dataclass(frozen=True)
class PairSpread:
    """What rows of both sides add to the variance of an area, and how many of them have a pair."""

    totals: Counts
    area: float

    def __call__(self, piece: RankedShares) -> list[tuple[Counts, float]]:
        """Return the sums of both sides, in digits, and their rows."""
        ties = ties_of(piece, self.totals)
        downs, ups = (self.totals.reshape(-1, 2)[ties.fold, side].astype(float) for side in (0, 1))
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
    """The curves of a class. distinct: different shares; wanted: the places of points that are asked for."""

    totals: Counts
    distinct: int
    wanted: Counts

    def __call__(self, piece: RankedShares) -> CurveParts:
        """Return the part of a piece."""
        up, full = piece.counts[:, 1::2].sum(axis=1), piece.counts.sum(axis=1)
        ups, rows = float(self.totals[1::2].sum()), float(self.totals.sum())
        upto = piece.before.sum() + np.cumsum(full)
        found = ups - (piece.before[1::2].sum() + np.cumsum(up) - up)  # of this share or a higher one
        higher = rows - upto
        precision, recall = found / (higher + full), found / max(ups, 1e-300)
        area = (recall - (found - up) / max(ups, 1e-300)) * precision
        inside, room = in_top_tenth(up.astype(float), full.astype(float), higher.astype(float), rows)
        false = false_alarms(precision, recall, ups, rows)
        place = self.distinct - 1 - piece.first - np.arange(len(up))
        kept = np.isin(place, self.wanted)
        told = (a[kept].tolist() for a in (place, false, recall, precision))
        bin_ = bin_of(upto.astype(float), full.astype(float), rows)
        bins = np.bincount(bin_, full, BINS).astype(np.int64)
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
    """What a piece tells of stretches."""

    stretches: tuple[Stretch, ...]

    def __call__(self, piece: RankedShares) -> list[StretchPart | None]:
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
            off = from_half(upto[here] - first, float(last - first))
            at = int(np.argmin(off))
            half = float(off[at]), int(upto[here][at])
            told = digits(values, full[here])
            out.append(StretchPart(float(values[0]), float(values[-1]), half, int(up[here].sum()), told))
        return out


def joined_parts(parts: Sequence[StretchPart | None]) -> StretchPart:
    """Return what all pieces tell of a stretch."""
    there = [part for part in parts if part is not None]
    told = there[0].told
    for part in there[1:]:
        told = joined(told, part.told)
    low, high = min(p.low for p in there), max(p.high for p in there)
    return StretchPart(low, high, min(p.half for p in there), sum(p.ups for p in there), told)


def calibrated(order: RankedClass, bins: Counts) -> list[dict[str, Any]]:
    """Return what `scores.calibration` returns. bins: the rows of each bin, before any is halved."""
    ends = np.cumsum(bins).tolist()
    todo = [Stretch(a, b) for a, b in pairwise([0, *ends]) if a < b]
    done: list[tuple[Stretch, StretchPart]] = []
    while todo:
        found = [joined_parts(parts) for parts in zip(*order.ask(InStretches(tuple(todo))), strict=True)]
        halved: list[Stretch] = []
        for own, part in zip(todo, found, strict=True):
            off, at = part.half
            if part.high - part.low <= NEAR or off == np.inf:
                done.append((own, part))
            else:
                halved += [Stretch(own.first, at), Stretch(at, own.last)]
        todo = halved
    return [
        calibration_bin(float(own.last - own.first), float(part.ups), nearest(part.told))
        for own, part in sorted(done, key=lambda one: one[0])
    ]


# ---- what scores are measured on ----


@dataclass(frozen=True)
class FarAnswered:
    """What a score is measured on, as `measures.Answered`, where no row is at hand."""

    answers: FarRows
    totals: AnswerTotals
    positive: int
    cost: Floats | None
    _orders: dict[int, RankedClass] = field(default_factory=dict, repr=False)

    @property
    def confusion(self) -> Floats:
        """confusion[truth, answer]."""
        return self.totals.confusion.astype(np.float64)

    @property
    def rows(self) -> float:
        """How many rows."""
        return float(self.totals.rows.sum())

    @property
    def prior(self) -> Floats:
        """The share of each class among the rows."""
        return np.asarray(self.confusion.sum(axis=1) / self.rows)

    @cached_property
    def means(self) -> tuple[float, float]:
        """The mean log-loss and the mean square distance."""
        every = [nearest(kernels.carry(self.totals.sums[which].sum(axis=0)[None])[0]) for which in (0, 1)]
        return every[0] / self.rows, every[1] / self.rows

    @cached_property
    def away(self) -> Floats:
        """sums[which, power] of what is away from the means."""
        found = self.answers.total(AwaySums(len(self.confusion), self.means))
        return np.array([[nearest(d) for d in each] for each in found])

    def mean_loss(self) -> RowMean:
        """Return the mean log-loss, and its interval."""
        return self._mean(0)

    def mean_brier(self) -> RowMean:
        """Return the mean of the squared distances from the truth, and its interval."""
        return self._mean(1)

    def _mean(self, which: int) -> RowMean:
        mean, away = self.means[which], self.away[which].tolist()
        return mean, *intervals.of_sums(self.rows, mean, *away)

    def mean_cost(self, cost: Floats) -> RowMean:
        """Return what an answer costs in the mean, and its interval."""
        return cost_mean(self.totals.confusion, cost)

    def _order(self, c: int) -> RankedClass:
        if c not in self._orders:
            label = FoldAndHit(self.answers.fold, c)
            self._orders[c] = self.answers.ranked(str(c), label, 2 * len(self.totals.rows))
        return self._orders[c]

    def area(self, c: int) -> tuple[float, float] | None:
        """Return what `delong` finds for one class against the rest."""
        order = self._order(c)
        downs, ups = order.totals.reshape(-1, 2).T.astype(float)
        pairs = float((ups * downs).sum())
        if pairs == 0:
            return None
        area = _sum(order.ask(PairsWon(order.totals))) / pairs
        sides = list(zip(*order.ask(PairSpread(order.totals, area)), strict=True))
        spreads = [_sum([d for d, _ in side]) for side in sides]
        return area, area_error(spreads, [sum(size for _, size in side) for side in sides], pairs)

    @cached_property
    def curve_parts(self) -> list[CurveParts]:
        """What the pieces of the order tell of the curves of the positive class."""
        order = self._order(self.positive)
        wanted = np.union1d(thinned(order.distinct), thinned(order.distinct + 1) - 1)
        return order.ask(Curves(order.totals, order.distinct, wanted))

    def precision_area(self) -> float:
        """Return the area under the precision-recall curve of the positive class, by steps."""
        return _sum([part.area for part in self.curve_parts])

    def curves(self) -> dict[str, Any]:
        """Return what `scores.class_curves` returns of the positive class."""
        parts, distinct = self.curve_parts, self._order(self.positive).distinct
        points = {place: rest for part in parts for place, *rest in part.points}
        tenth = _sum([part.inside for part in parts]) / _sum([part.room for part in parts])
        roc = [[0.0, 0.0] if i == 0 else points[i - 1][:2] for i in thinned(distinct + 1).tolist()]
        return {
            "calibration": calibrated(
                self._order(self.positive), np.sum([part.bins for part in parts], axis=0)
            ),
            "pr": [points[i][1:] for i in thinned(distinct).tolist()],
            "roc": roc,
            "top_tenth": lift_of(tenth, float(self.confusion[self.positive].sum() / self.rows)),
        }

    def _rows(self) -> NoReturn:
        raise OptionError(
            "this score looks at single rows, and the answers to them stay with Spark. "
            "Collect the rows: frame.toArrow()."
        )

    @property
    def truth(self) -> Any:
        """Rows are not at hand."""
        self._rows()

    @property
    def shares(self) -> Any:
        """Rows are not at hand."""
        self._rows()


def _sum(parts: Sequence[Counts]) -> float:
    """Return the sum of sums in digits."""
    total = parts[0]
    for other in parts[1:]:
        total = joined(total, other)
    return nearest(total)
