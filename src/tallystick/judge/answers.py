"""Answers to more rows than memory holds, as `summed_answers.py` asks for them: in blocks, and in the order
of the shares of a class.

Knows class codes, shares, folds, blocks and a budget. Knows nothing of models, scores or pictures.
Law: what is held in memory does not depend on the rows; rows have no weights.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property, reduce
from itertools import pairwise
from typing import Any, NamedTuple, NoReturn, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from tallystick import kernels
from tallystick.contracts import Block, Statistic, Table
from tallystick.errors import OptionError
from tallystick.io import scratch
from tallystick.judge import folds as large
from tallystick.judge.groups import RankedRows
from tallystick.judge.scores import (
    BINS,
    CLASS_SHARES,
    NEAR,
    NUMBER_SCORES,
    Measure,
    RowMean,
    Scores,
    area_error,
    area_spread,
    average,
    bin_of,
    calibration_bin,
    class_share_losses,
    cost_mean,
    false_alarms,
    from_half,
    in_top_tenth,
    lift_of,
    log_losses,
    rarest,
    scores_of,
    square_distances,
    thinned,
)
from tallystick.kernels.check import code_dtype
from tallystick.model.decision import decide
from tallystick.stats import distributions
from tallystick.stats.class_counts import BayesSums
from tallystick.stats.exact import digits, joined, nearest
from tallystick.stats.values import RankedPiece, RankedValues, value_table
from tallystick.table.block import RowBlock, rows_counted

FOLD = "fold"
PIECE = 1 << 13  # rows of a piece of an order, about
Counts = NDArray[np.int64]
Floats = NDArray[np.float64]
Found = TypeVar("Found")


@dataclass(frozen=True)
class DiskAnswers:
    """truth[row], shares[row, class], and the fold that each row was tested in, negative where it was not;
    budget: bytes of memory to work in.
    """

    truth: NDArray[Any]
    shares: Floats
    tested: Counts
    budget: int
    fold: str = FOLD

    @property
    def folds(self) -> int:
        """How many folds there are."""
        return 1 + max((int(self.tested[s].max()) for s in large.steps(len(self.tested))), default=-1)

    def _blocks(self) -> Iterator[tuple[Counts, RowBlock]]:
        """Yield the tested rows, some at a time: their numbers, and what was answered."""
        kind = code_dtype(self.folds)
        for s in large.steps(len(self.tested)):
            here = np.flatnonzero(self.tested[s] >= 0)
            own = self.shares[s][here]
            columns: dict[str, Any] = {str(c): np.ascontiguousarray(own[:, c]) for c in range(own.shape[1])}
            columns[FOLD] = self.tested[s][here].astype(kind)
            yield here + s.start, RowBlock(len(here), columns, self.truth[s][here])

    def total(self, question: Any) -> Any:
        """Return the total of a question over all blocks."""
        return reduce(question.add, (block for _, block in self._blocks()), question.zero())

    def ranked(self, name: str, labels: Callable[[RowBlock], NDArray[Any]], width: int) -> DiskOrder:
        """Return the rows in the order of a column of shares; labels(block)[row]: below `width`."""
        values = scratch.empty(len(self.tested), np.float64)
        own = scratch.empty(len(self.tested), code_dtype(width))
        for rows, block in self._blocks():
            values[rows], own[rows] = block.values(name) + 0.0, labels(block)  # 0.0 has one form
        return DiskOrder.of(values, own, width, lambda s: np.asarray(self.tested[s] >= 0), self.budget)

    def by_share(self, order: DiskOrder) -> RankedRows:
        """Return the rows of two classes in the order of the second one's shares, as thresholds ask."""
        shares, hits = (scratch.empty((order.distinct, 2), np.float64) for _ in range(2))
        at, last = 0, -1.0
        for s in large.steps(len(order.rows)):
            value = order.values[s]
            new = order.rows[s][np.diff(value, prepend=last) != 0]
            shares[at : at + len(new)] = self.shares[new]
            at, last = at + len(new), float(value[-1])
        for piece in order.pieces():
            some = slice(piece.first, piece.first + len(piece.values))
            hits[some, 0], hits[some, 1] = (piece.counts[:, side::2].sum(axis=1) for side in (0, 1))
        return RankedRows(shares, hits)

    def release(self) -> None:
        """Nothing is kept but the answers."""


@dataclass(frozen=True)
class DiskOrder:
    """Rows in the order of the shares of a class: rows[place] with values[place], rising, and labels[place].
    totals[label]: rows; distinct: different shares.
    """

    rows: Counts
    values: Floats
    labels: NDArray[Any]
    totals: Counts
    distinct: int

    @classmethod
    def of(
        cls, values: Floats, labels: NDArray[Any], width: int, tested: large.Test, budget: int
    ) -> DiskOrder:
        """Put the tested rows in order."""
        many = sum(int(np.count_nonzero(tested(s))) for s in large.steps(len(values)))
        kept = tuple(scratch.empty(many, kind) for kind in (np.int64, np.float64, labels.dtype))
        totals, distinct, at, last = np.zeros(width, np.int64), 0, 0, -1.0
        for rows in large.by_key(values.view(np.uint64), tested, budget):
            if not len(rows):
                continue
            value, label = values[rows], labels[rows]
            for out, some in zip(kept, (rows, value, label), strict=True):
                out[at : at + len(rows)] = some
            totals += np.bincount(label, minlength=width)
            distinct += int(np.count_nonzero(np.diff(value, prepend=last)))
            at, last = at + len(rows), float(value[-1])
        return cls(kept[0], kept[1], kept[2], totals, distinct)

    def pieces(self) -> Iterator[RankedPiece]:
        """Yield the order in pieces; a share is in one of them."""
        before, first = np.zeros_like(self.totals), 0
        values, counts = np.zeros(0), np.zeros((0, len(before)), np.int64)  # the last share: more may come
        for s in large.steps(len(self.rows), PIECE):
            found = value_table(self.values[s], [(self.labels[s], None)], len(before))
            assert found.values is not None
            own = found.table[:-1]
            if len(values) and values[0] == found.values[0]:
                own[0] += counts[0]
                values, counts = values[:0], counts[:0]
            values, counts = np.concatenate([values, found.values]), np.concatenate([counts, own])
            yield RankedPiece(values[:-1], counts[:-1], before, first)
            before, first = before + counts[:-1].sum(axis=0), first + len(values) - 1
            values, counts = values[-1:], counts[-1:]
        yield RankedPiece(values, counts, before, first)

    def ask(self, work: Callable[[RankedPiece], Found]) -> list[Found]:
        """Return work(piece) of all pieces."""
        return [work(piece) for piece in self.pieces()]


# Sums over rows that judging asks for where the rows are: rows of each class, rows that are answered
# wrongly, and losses.
#
# Knows blocks and anything that answers them. Knows nothing of who sums. Law: losses are summed in digits,
# so that no order or cut of the rows changes a bit.


def class_rows(table: Table) -> Counts:
    """Return how many rows each class has, in units of the table, counted where the rows are."""
    assert table.engine is not None
    counts: Counts = table.engine.total(table, BayesSums((), len(table.schema.predicted.labels)))[""]
    return counts


def class_weights(table: Table) -> Counts | Floats:
    """Return what the rows of each class weigh together, in units of the table, wherever they are."""
    if table.place == "far":
        return class_rows(table)
    assert table.classes is not None
    size = len(table.schema.predicted.labels)
    if table.weights is None:
        return large.counts(table.classes, size)
    return np.bincount(table.classes, table.weights, size)


def mean_response(table: Table) -> float:
    """Return the mean of a target of numbers, wherever the rows are."""
    if table.place == "far":
        assert table.engine is not None
        return nearest(table.engine.total(table, RowSums(response_of))) / table.weight
    assert table.response is not None
    weights = np.ones(table.rows) if table.weights is None else table.weights / table.unit
    return average(table.response, weights)


def response_of(block: Block) -> Floats:
    """Return response[row]."""
    assert block.response is not None
    return block.response


class JudgedTotals(NamedTuple):
    """What rows that were tested weigh, and those answered wrongly, in units of their table, and the sum of
    their losses in digits.
    """

    weight: int
    wrong: int
    loss: Counts

    @property
    def error(self) -> float:
        """The share of rows answered wrongly."""
        return self.wrong / self.weight

    @property
    def mean_loss(self) -> float:
        """The mean log-loss."""
        return nearest(self.loss) / self.weight


def judged(truth: Counts, shares: Floats, rule: Floats | None, weights: Counts | None) -> JudgedTotals:
    """Return how rows are answered. rule: costs that decide."""
    wrong, loss = decide(shares, rule) != truth, digits(log_losses(truth, shares), weights)
    if weights is None:
        return JudgedTotals(len(truth), int(wrong.sum()), loss)
    return JudgedTotals(int(weights.sum()), int(weights[wrong].sum()), loss)


def largest_share(table: Table) -> float:
    """Return the share of the most frequent class, wherever the rows are."""
    return float(class_weights(table).max() / table.weight)


@dataclass(frozen=True)
class JudgedSums(Statistic[JudgedTotals]):
    """Ask how rows are answered. work(block): shares[row, class]; rule: costs that decide."""

    work: Any
    rule: Floats | None

    def zero(self) -> JudgedTotals:
        """Return the total of no rows."""
        return JudgedTotals(0, 0, np.zeros(kernels.SUM_DIGITS, np.int64))

    def add(self, total: JudgedTotals, block: Block) -> JudgedTotals:
        """Add the rows of one block."""
        assert block.classes is not None
        truth = block.classes.astype(np.int64)
        return self.merge(total, judged(truth, self.work(block), self.rule, block.weights))

    def merge(self, total: JudgedTotals, other: JudgedTotals) -> JudgedTotals:
        """Add two totals."""
        weight, wrong = total.weight + other.weight, total.wrong + other.wrong
        return JudgedTotals(weight, wrong, joined(total.loss, other.loss))


@dataclass(frozen=True)
class RowSums(Statistic[Counts]):
    """Ask for the sum of work(block)[row], finite numbers, in digits; a row counts as often as it weighs."""

    work: Any

    def zero(self) -> Counts:
        """Return the total of no rows."""
        return np.zeros(kernels.SUM_DIGITS, np.int64)

    def add(self, total: Counts, block: Block) -> Counts:
        """Add the rows of one block."""
        return joined(total, digits(self.work(block), block.weights))

    def merge(self, total: Counts, other: Counts) -> Counts:
        """Add two totals."""
        return joined(total, other)


def losses_of(rows: Block | Table, answers: Floats, some: Any = slice(None)) -> Floats:
    """Return the log-loss of each of some rows, or its squared error where the target is a number."""
    if rows.response is not None:
        return np.asarray((rows.response[some] - answers[:, 0]) ** 2)
    assert rows.classes is not None
    return log_losses(rows.classes[some].astype(np.int64), answers)


@dataclass(frozen=True)
class LossSums(Statistic[Counts]):
    """Ask for the losses of several ways to answer: sums[work, digit], a row as often as it weighs. works:
    each work(block) is shares[row, class]; one that is there twice is asked once.
    """

    works: tuple[Any, ...]

    def zero(self) -> Counts:
        """Return the total of no rows."""
        return np.zeros((len(self.works), kernels.SUM_DIGITS), np.int64)

    def add(self, total: Counts, block: Block) -> Counts:
        """Add the rows of one block."""
        each = {id(work): work for work in self.works}
        found = {at: digits(losses_of(block, work(block)), block.weights) for at, work in each.items()}
        return self.merge(total, np.stack([found[id(work)] for work in self.works]))

    def merge(self, total: Counts, other: Counts) -> Counts:
        """Add two totals."""
        return kernels.carry(total + other)


# What pieces of the order of a class's shares tell: pairs that are ranked rightly, curves, calibration.
#
# Knows pieces (values with counts by label; a label is 2 * fold, and one more of rows of the class). Knows
# nothing of where they are. Law: how the order is cut into pieces changes no bit of what all of them tell.


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


# Scores of answers that are not in memory, but on disk or with Spark: the same numbers from sums, and from
# ranks in pieces.
#
# Knows blocks of answers (the share of class c in the column c, fold, class), and questions to them. Knows
# nothing of who sums. Law: every score is that of `scores.score` on the same answers, bit for bit; what
# comes here does not grow with the rows.


class AnswerRows(Protocol):
    """Blocks of answers, where they are. fold: the name of the column of folds."""

    @property
    def fold(self) -> str: ...

    def total(self, question: Any) -> Any:
        """Return the total of a question over all blocks."""
        ...

    def ranked(self, name: str, labels: Callable[[Block], NDArray[Any]], width: int) -> RankedValues:
        """Return the rows in the order of a column of shares; labels(block)[row]: below `width`."""
        ...

    def by_share(self, order: Any) -> RankedRows | None:
        """Return the rows of two classes in the order of the second one's shares; None: shares stay there."""
        ...

    def release(self) -> None:
        """Let go what is kept."""
        ...


class AnswerTotals(NamedTuple):
    """Sums of answers, in units of the table: confusion[truth, answer], truths[fold, class] that are there,
    hits[fold] that are answered rightly, rows whose true class had the share 0 (copies counted), and
    sums[loss or square distance, fold, digit].
    """

    confusion: Counts
    truths: Counts
    hits: Counts
    impossible: int
    sums: Counts

    @property
    def rows(self) -> Counts:
        """rows[fold] that are there."""
        return np.asarray(self.truths.sum(axis=1))


def answers_in(block: Block, classes: int) -> tuple[Counts, Floats]:
    """Return truth[row] and shares[row, class] of a block of answers."""
    assert block.classes is not None
    return block.classes.astype(np.int64), np.stack([block.values(str(c)) for c in range(classes)], axis=1)


def counted(codes: NDArray[Any], weights: Counts | None, size: int) -> Counts:
    """Return what the rows of each code weigh, in units of the table."""
    if weights is None:
        return np.bincount(codes, minlength=size)
    out = np.zeros(size, np.int64)
    np.add.at(out, codes, weights)
    return out


def some(weights: Counts | None, rows: Counts) -> Counts | None:
    """Return the weights of some rows."""
    return None if weights is None else weights[rows]


@dataclass(frozen=True)
class ScoreSums(Statistic[AnswerTotals]):
    """Ask for the sums of answers. fold: the column of folds; rule: costs that decide; unit: what a row of
    weight 1 weighs.
    """

    fold: str
    classes: int
    folds: int
    rule: Floats | None
    unit: int

    def zero(self) -> AnswerTotals:
        """Return the total of no rows."""
        each = np.zeros(self.folds, np.int64)
        sums = np.zeros((2, self.folds, kernels.SUM_DIGITS), np.int64)
        truths = np.zeros((self.folds, self.classes), np.int64)
        return AnswerTotals(np.zeros((self.classes, self.classes), np.int64), truths, each, 0, sums)

    def add(self, total: AnswerTotals, block: Block) -> AnswerTotals:
        """Add the rows of one block."""
        truth, shares = answers_in(block, self.classes)
        fold, answer, weights = block.codes(self.fold), decide(shares, self.rule), block.weights
        columns = [log_losses(truth, shares), square_distances(truth, shares)]
        none, own = np.zeros((2, self.folds), np.int64), self.zero()
        squares = np.zeros((2, self.folds, kernels.SQUARE_DIGITS), np.int64)
        kernels.add_moments(columns, fold, none, own.sums, squares, weights)
        lost = np.flatnonzero(shares[np.arange(len(truth)), truth] <= 0)
        hit = np.flatnonzero(answer == truth)
        return self.merge(
            total,
            AnswerTotals(
                counted(truth * self.classes + answer, weights, self.classes**2).reshape(own.confusion.shape),
                counted(fold.astype(np.int64) * self.classes + truth, weights, own.truths.size).reshape(
                    own.truths.shape
                ),
                counted(fold[hit], some(weights, hit), self.folds),
                rows_counted(some(weights, lost), len(lost), self.unit),
                own.sums,
            ),
        )

    def merge(self, total: AnswerTotals, other: AnswerTotals) -> AnswerTotals:
        """Add two totals."""
        return AnswerTotals(
            total.confusion + other.confusion,
            total.truths + other.truths,
            total.hits + other.hits,
            total.impossible + other.impossible,
            kernels.carry(total.sums + other.sums),
        )


@dataclass(frozen=True)
class AwaySums(Statistic[Counts]):
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
        powers = [[digits(a**power, block.weights) for power in (2, 3)] for a in away]
        return self.merge(total, np.array(powers))

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


# ---- what scores are measured on ----


@dataclass(frozen=True)
class SummedAnswers:
    """What a score is measured on, as `measures.Answered`, where no row is at hand. unit: what a row of
    weight 1 weighs.
    """

    answers: AnswerRows
    totals: AnswerTotals
    positive: int
    cost: Floats | None
    unit: int = 1
    _orders: dict[int, RankedValues] = field(default_factory=dict, repr=False)

    @classmethod
    def of(
        cls,
        answers: AnswerRows,
        classes: int,
        folds: int,
        rule: Floats | None,
        cost: Floats | None,
        positive: int | None,
        unit: int = 1,
    ) -> SummedAnswers:
        """Sum answers. rule: the costs that decide; positive: None is the rarest class."""
        totals = answers.total(ScoreSums(answers.fold, classes, folds, rule, unit))
        own = rarest(totals.confusion.sum(axis=1)) if positive is None else positive
        return cls(answers, totals, own, cost, unit)

    @property
    def confusion(self) -> Floats:
        """confusion[truth, answer]."""
        return self.totals.confusion / self.unit

    @property
    def rows(self) -> float:
        """What all rows weigh."""
        return float(self.totals.rows.sum()) / self.unit

    @property
    def prior(self) -> Floats:
        """The share of each class among the rows."""
        return np.asarray(self.confusion.sum(axis=1) / self.rows)

    @cached_property
    def means(self) -> tuple[float, float]:
        """The mean log-loss and the mean square distance."""
        every = [nearest(kernels.carry(self.totals.sums[which].sum(axis=0)[None])[0]) for which in (0, 1)]
        return every[0] / self.unit / self.rows, every[1] / self.unit / self.rows

    @cached_property
    def away(self) -> Floats:
        """sums[which, power] of what is away from the means."""
        found = self.answers.total(AwaySums(len(self.confusion), self.means))
        return np.array([[nearest(d) for d in each] for each in found]) / self.unit

    @property
    def loss_error(self) -> float:
        """The standard error of the mean log-loss."""
        return math.sqrt(float(self.away[0, 0]) / max(self.rows - 1, 1) / self.rows)

    @property
    def fold_means(self) -> dict[str, Floats]:
        """The mean accuracy and log-loss of each fold that has rows, and the log-loss of the class shares."""
        rows, hits, losses = self.totals.rows / self.unit, self.totals.hits / self.unit, self.totals.sums[0]
        there = np.flatnonzero(rows).tolist()
        return {
            "accuracy": np.array([hits[f] / rows[f] for f in there]),
            "log-loss": np.array([nearest(losses[f]) / self.unit / rows[f] for f in there]),
            CLASS_SHARES: class_share_losses(self.totals.truths[there]),
        }

    def mean_loss(self) -> RowMean:
        """Return the mean log-loss, and its interval."""
        return self._mean(0)

    def mean_brier(self) -> RowMean:
        """Return the mean of the squared distances from the truth, and its interval."""
        return self._mean(1)

    def _mean(self, which: int) -> RowMean:
        mean, away = self.means[which], self.away[which].tolist()
        return mean, *distributions.of_sums(self.rows, mean, *away)

    def mean_cost(self, cost: Floats) -> RowMean:
        """Return what an answer costs in the mean, and its interval."""
        return cost_mean(self.totals.confusion, cost, self.unit)

    def order(self, c: int) -> RankedValues:
        """Return the rows in the order of the shares of a class."""
        if c not in self._orders:
            label = FoldAndHit(self.answers.fold, c)
            self._orders[c] = self.answers.ranked(str(c), label, 2 * len(self.totals.rows))
        return self._orders[c]

    def area(self, c: int) -> tuple[float, float] | None:
        """Return what `delong` finds for one class against the rest."""
        order = self.order(c)
        downs, ups = order.totals.reshape(-1, 2).T / self.unit
        pairs = float((ups * downs).sum())
        if pairs == 0:
            return None
        area = nearest(joined(*order.ask(PairsWon(order.totals, self.unit)))) / pairs
        sides = list(zip(*order.ask(PairSpread(order.totals, area, self.unit)), strict=True))
        spreads = [nearest(joined(*(spread for spread, _ in side))) for side in sides]
        return area, area_error(spreads, [sum(size for _, size in side) for side in sides], pairs)

    @cached_property
    def curve_parts(self) -> list[CurveParts]:
        """What the pieces of the order tell of the curves of the positive class."""
        order = self.order(self.positive)
        wanted = np.union1d(thinned(order.distinct), thinned(order.distinct + 1) - 1)
        return order.ask(Curves(order.totals, order.distinct, wanted, self.unit))

    def precision_area(self) -> float:
        """Return the area under the precision-recall curve of the positive class, by steps."""
        return nearest(joined(*(part.area for part in self.curve_parts)))

    def curves(self) -> dict[str, Any]:
        """Return what `scores.class_curves` returns of the positive class."""
        parts, distinct = self.curve_parts, self.order(self.positive).distinct
        points = {place: rest for part in parts for place, *rest in part.points}
        inside, room = (
            nearest(joined(*each)) for each in zip(*((p.inside, p.room) for p in parts), strict=True)
        )
        roc = [[0.0, 0.0] if i == 0 else points[i - 1][:2] for i in thinned(distinct + 1).tolist()]
        return {
            "calibration": calibrated(
                self.order(self.positive), np.sum([part.bins for part in parts], axis=0), self.unit
            ),
            "pr": [points[i][1:] for i in thinned(distinct).tolist()],
            "roc": roc,
            "top_tenth": lift_of(inside / room, float(self.confusion[self.positive].sum() / self.rows)),
        }

    def scores(self, classes: tuple[str, ...]) -> Scores:
        """Return all scores."""
        ranked = self.answers.by_share(self.order(1)) if len(classes) == 2 else None
        return scores_of(self, classes, self.curves(), impossible=self.totals.impossible, ranked=ranked)

    def _rows(self) -> NoReturn:
        raise OptionError(
            "this score looks at single rows, and the answers to them stay with Spark or on disk. "
            "Collect the rows: frame.toArrow(); or leave memory= out."
        )

    @property
    def truth(self) -> Any:
        """Rows are not at hand."""
        self._rows()

    @property
    def shares(self) -> Any:
        """Rows are not at hand."""
        self._rows()


# Scores of answers with numbers that stay with Spark: the same figures from sums.
#
# Knows blocks of answers (the true number, the answer in the column 0, fold), and questions to them. Knows
# nothing of who sums. Law: every figure is that of `measures.Reckoned` on the same answers, bit for bit;
# what comes here does not grow with the rows.


def numbers_in(block: Block) -> tuple[Floats, Floats]:
    """Return truth[row] and answer[row] of a block of answers."""
    assert block.response is not None
    return block.response, block.values("0")


class NumberTotals(NamedTuple):
    """Sums of answers, in units of the table: rows[fold], and sums[true number, squared error or size of the
    error, fold, digit]; beyond[one of these]: rows in which it is not a finite number.
    """

    rows: Counts
    sums: Counts
    beyond: Counts


@dataclass(frozen=True)
class NumberSums(Statistic[NumberTotals]):
    """Ask for the sums of answers. fold: the column of folds."""

    fold: str
    folds: int

    def zero(self) -> NumberTotals:
        """Return the total of no rows."""
        sums = np.zeros((3, self.folds, kernels.SUM_DIGITS), np.int64)
        return NumberTotals(np.zeros(self.folds, np.int64), sums, np.zeros((3, self.folds), np.int64))

    def add(self, total: NumberTotals, block: Block) -> NumberTotals:
        """Add the rows of one block."""
        own, fold = self.zero(), block.codes(self.fold)
        truth, answer = numbers_in(block)
        columns = [np.ascontiguousarray(truth), (truth - answer) ** 2, np.abs(truth - answer)]
        squares = np.zeros((3, self.folds, kernels.SQUARE_DIGITS), np.int64)
        kernels.add_moments(columns, fold, own.beyond, own.sums, squares, block.weights)
        kernels.count_classes(fold, self.folds, block.weights, own.rows)
        return self.merge(total, own)

    def merge(self, total: NumberTotals, other: NumberTotals) -> NumberTotals:
        """Add two totals."""
        sums = kernels.carry(total.sums + other.sums)
        return NumberTotals(total.rows + other.rows, sums, total.beyond + other.beyond)


class AwayTotals(NamedTuple):
    """sums[which, power, digit], and beyond[which, power]: rows in which it is not a finite number."""

    sums: Counts
    beyond: Counts


@dataclass(frozen=True)
class NumberAway(Statistic[AwayTotals]):
    """Ask how numbers lie about their means, centres of the true number, the squared error and the size of
    the error: the sizes and squares of what the first is away, and the squares and cubes of what the others
    are.
    """

    centres: tuple[float, float, float]

    def zero(self) -> AwayTotals:
        """Return the total of no rows."""
        return AwayTotals(np.zeros((3, 2, kernels.SUM_DIGITS), np.int64), np.zeros((3, 2), np.int64))

    def add(self, total: AwayTotals, block: Block) -> AwayTotals:
        """Add the rows of one block."""
        truth, answer = numbers_in(block)
        each = truth, (truth - answer) ** 2, np.abs(truth - answer)
        spread, square, size = (values - centre for values, centre in zip(each, self.centres, strict=True))
        with np.errstate(over="ignore"):
            pairs = (np.abs(spread), spread**2), (square**2, square**3), (size**2, size**3)
        beyond = np.array([[np.count_nonzero(~np.isfinite(v)) for v in pair] for pair in pairs])
        sums = np.array([[digits(v, block.weights) for v in pair] for pair in pairs])
        return self.merge(total, AwayTotals(sums, beyond))

    def merge(self, total: AwayTotals, other: AwayTotals) -> AwayTotals:
        """Add two totals."""
        return AwayTotals(kernels.carry(total.sums + other.sums), total.beyond + other.beyond)


@dataclass(frozen=True)
class SummedNumbers:
    """What a score of numbers is measured on, as `measures.Reckoned`, where no row is at hand. unit: what a
    row of weight 1 weighs.
    """

    answers: AnswerRows
    totals: NumberTotals
    unit: int

    @classmethod
    def of(cls, answers: AnswerRows, folds: int, unit: int) -> SummedNumbers:
        """Sum answers."""
        return cls(answers, answers.total(NumberSums(answers.fold, folds)), unit)

    @property
    def rows(self) -> float:
        """What all rows weigh."""
        return float(self.totals.rows.sum()) / self.unit

    @cached_property
    def means(self) -> tuple[float, float, float]:
        """The means of the true number, the squared error and the size of the error."""
        truth, square, size = (self._mean(which, slice(None)) for which in range(3))
        return truth, square, size

    def _mean(self, which: int, folds: slice) -> float:
        t = self.totals
        if t.beyond[which, folds].any():
            return math.inf
        total = nearest(kernels.carry(t.sums[which, folds].sum(axis=0)[None])[0])
        return total / self.unit / (float(t.rows[folds].sum()) / self.unit)

    @cached_property
    def away(self) -> Floats:
        """sums[which, power] of what is away from the means."""
        found = self.answers.total(NumberAway(self.means))
        sums = np.array([[nearest(d) for d in each] for each in found.sums]) / self.unit
        return np.where(found.beyond > 0, math.inf, sums)

    @property
    def mean_square(self) -> RowMean:
        """The mean of the squared errors, and its interval."""
        return self._interval(1)

    @property
    def mean_size(self) -> RowMean:
        """The mean size of the errors, and its interval."""
        return self._interval(2)

    def _interval(self, which: int) -> RowMean:
        mean = self.means[which]
        return mean, *distributions.of_sums(self.rows, mean, *self.away[which].tolist())

    @property
    def base(self) -> tuple[float, float]:
        """The mean of the squared errors, and of their sizes, of always answering the mean."""
        sizes, squares = self.away[0].tolist()
        return squares / self.rows, sizes / self.rows

    @property
    def loss_error(self) -> float:
        """The standard error of the mean squared error."""
        return math.sqrt(float(self.away[1, 0]) / max(self.rows - 1, 1) / self.rows)

    @property
    def fold_means(self) -> Floats:
        """The mean squared error of each fold that has rows."""
        there = np.flatnonzero(self.totals.rows).tolist()
        return np.array([self._mean(1, slice(f, f + 1)) for f in there])

    def measures(self) -> tuple[Measure, ...]:
        """Return all measures."""
        return tuple(found for score in NUMBER_SCORES if (found := score.of(self)) is not None)
