"""Answers to tested rows, in blocks and sorted by the share of a class: what scores are summed from.

1. Losses and weights of rows: `log_losses()`, `class_weights()`, `average()`.
2. Entry: `Answers`: truth, shares, fold and weight of each row, read in blocks.
3. `ShareOrder`: the rows sorted by the share of one class, rising, for the area under the ROC curve and the
   points of ROC, precision-recall and calibration curves.

share = the probability given to a class; up, down = the weight of rows that are of the class, that are not;
tie = rows of one fold with one share; piece = some consecutive ties; before = the weight of lower shares;
unit = the integer weight of a row of weight 1; digits = an exact sum in several integers (`stats/exact.py`).
Laws: a row of weight w counts as w rows; neither the order of the rows nor how they are cut into blocks or
pieces changes a bit; under a memory budget, what is in memory does not grow with the rows.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import DTypeLike, NDArray

from tallystick import kernels
from tallystick.contracts import Block, Statistic, Table
from tallystick.io import scratch
from tallystick.judge.folds import by_key, counts, steps
from tallystick.stats import distributions
from tallystick.stats.class_counts import BayesSums
from tallystick.stats.exact import PARTS, digits, joined, nearest, weighted_total

PIECE = 1 << 13  # rows of a piece, about
CLIP = 1e-15  # smallest share that log-loss takes; rows below are counted in `Scores.impossible`
BINS = 10  # bins of a calibration curve, of about equal weight
NEAR, FEWEST = 0.25, 10  # a bin whose shares span more than NEAR is halved, if each half has FEWEST rows
Counts = NDArray[np.int64]
Floats = NDArray[np.float64]


def class_weights(table: Table) -> Counts | Floats:
    """Return the weight of the rows of each class, in units of the table."""
    size = len(table.schema.predicted.labels)
    if table.engine is not None:  # the rows are elsewhere, and counted there
        found: Counts = table.engine.total(table, BayesSums((), size))[""]
        return found
    assert table.classes is not None
    if table.weights is None:
        return counts(table.classes, size)
    return np.bincount(table.classes, table.weights, size)


def log_losses(truth: Counts, shares: Floats) -> Floats:
    """Return -ln(share of the true class) of each row, the share clipped at CLIP."""
    own = np.clip(shares[np.arange(len(truth)), truth], CLIP, 1.0)
    return np.asarray(-np.log(own))


def square_distances(truth: Counts, shares: Floats) -> Floats:
    """Return each row's squared distance between its shares and 1 for the true class, 0 for the others."""
    own = np.eye(shares.shape[1])[truth]
    return np.asarray((np.ascontiguousarray(shares - own) ** 2).sum(axis=1))


def losses_of(rows: Block | Table, answers: Floats, some: Any = slice(None)) -> Floats:
    """Return the log-loss of each of some rows, or its squared error where the target is a number."""
    if rows.response is not None:
        return np.asarray((rows.response[some] - answers[:, 0]) ** 2)
    assert rows.classes is not None
    return log_losses(rows.classes[some].astype(np.int64), answers)


def average(values: Floats, weight: Floats) -> float:
    """Return the mean of values[row]: the same in any order of the rows."""
    rows = float(weight.sum())
    rough = float((weight * values).sum())
    return (weighted_total(values, weight) if math.isfinite(rough) else rough) / rows


@dataclass(frozen=True)
class RowSums(Statistic[Counts]):
    """Ask for the sum of work(block)[row], finite numbers, in digits; a row counts as often as it weighs."""

    work: Any

    def zero(self) -> Counts:
        return np.zeros(kernels.SUM_DIGITS, np.int64)

    def add(self, total: Counts, block: Block) -> Counts:
        return joined(total, digits(self.work(block), block.weights))

    def merge(self, total: Counts, other: Counts) -> Counts:
        return joined(total, other)


class AnswerBlock(NamedTuple):
    """Some tested rows: their numbers, truth[row], shares[row, class], fold[row] and weights[row]."""

    rows: Counts
    truth: NDArray[Any]
    shares: Floats
    fold: Counts
    weights: Counts | None


@dataclass(frozen=True)
class Answers:
    """truth[row], shares[row, class] (a regression: the answers [row, 0]) and fold[row], negative for a row
    that was not tested. weights[row] in units: a row of weight 1 has `unit`; None: 1 each. budget: bytes of
    memory to work in, when the arrays are mapped from disk; 0: all rows are one block in memory.
    """

    truth: NDArray[Any]
    shares: Floats
    fold: Counts
    weights: Counts | None = None
    unit: int = 1
    budget: int = 0

    @classmethod
    def of(
        cls, truth: NDArray[Any], shares: Floats, fold: Counts, weight: Floats | None, budget: int = 0
    ) -> Answers:
        """Return answers; weight[row]: whole multiples of 1/PARTS, or None."""
        if weight is None:
            return cls(truth, shares, fold, None, 1, budget)
        unit = 1 if (weight == np.floor(weight)).all() else PARTS
        return cls(truth, shares, fold, np.rint(weight * unit).astype(np.int64), unit, budget)

    @property
    def folds(self) -> int:
        """How many folds there are, numbered from 0."""
        return 1 + max((int(self.fold[s].max(initial=-1)) for s in steps(len(self.fold))), default=-1)

    def blocks(self) -> Iterator[AnswerBlock]:
        """Yield the tested rows: all at once, or some at a time where there is a budget."""
        for s in steps(len(self.fold)) if self.budget else (slice(0, len(self.fold)),):
            rows = np.flatnonzero(self.fold[s] >= 0) + s.start
            weights = None if self.weights is None else self.weights[rows]
            yield AnswerBlock(rows, self.truth[rows], self.shares[rows], self.fold[rows], weights)

    def room(self, shape: int | tuple[int, ...], dtype: DTypeLike) -> NDArray[Any]:
        """Return an array of zeros: in memory, or on disk where there is a budget."""
        return scratch.empty(shape, dtype) if self.budget else np.zeros(shape, dtype)


def counted(codes: NDArray[Any], weights: Counts | None, size: int) -> Counts:
    """Return the weight of the rows of each code, in units."""
    if weights is None:
        return np.bincount(codes, minlength=size)
    out = np.zeros(size, np.int64)
    np.add.at(out, codes, weights)
    return out


# ---- Rows sorted by the share of a class: areas, curves and calibration need ranks, not sums of losses ----


class Ties(NamedTuple):
    """Ties, sorted by (share, fold): the share value[tie], fold[tie], the number row[tie] of one of its rows,
    and the weight of its rows that are of the class, up[tie], and that are not, down[tie], in units.
    """

    value: Floats
    fold: Counts
    row: Counts
    up: Counts
    down: Counts

    def part(self, at: slice) -> Ties:
        """Return some of the ties."""
        return Ties(self.value[at], self.fold[at], self.row[at], self.up[at], self.down[at])


@dataclass(frozen=True)
class Piece:
    """Consecutive ties; no share is in two pieces. before[0, fold], before[1, fold]: the weight, down and
    up, of rows in earlier pieces; first: how many distinct shares earlier pieces have.
    """

    ties: Ties
    before: Counts
    first: int

    @property
    def starts(self) -> Counts:
        """The first tie of each distinct share."""
        return np.flatnonzero(np.diff(self.ties.value, prepend=-1.0) != 0)

    def standing(self, totals: Counts, unit: int) -> tuple[Floats, Floats]:
        """Return for each tie the rank statistics of the ROC area: the rows of its fold that are not of the
        class and have lower shares, and those of the class with higher shares; equal shares count half.
        """
        fold, up, down = self.ties.fold, self.ties.up, self.ties.down
        order = np.argsort(fold, kind="stable")
        new = np.diff(fold[order], prepend=-1) != 0
        group, first = np.cumsum(new) - 1, np.flatnonzero(new)
        upto = []
        for side, own in ((0, down), (1, up)):
            total = np.cumsum(own[order])
            each = np.empty_like(own)
            each[order] = total - (total - own[order])[first][group]
            upto.append(self.before[side, fold] + each)
        return upto[0] / unit - down / unit / 2, (totals[1, fold] - upto[1]) / unit + up / unit / 2


class ShareOrder:
    """The tested rows sorted by the share of class c, in pieces. totals[0, fold], totals[1, fold]: their
    weight, down and up; distinct: how many different shares there are.
    """

    def __init__(self, answers: Answers, c: int) -> None:
        self.answers, self.c, self.unit = answers, c, answers.unit
        self.totals, self.distinct = np.zeros((2, answers.folds), np.int64), 0
        self._rows: Counts | None = None
        self._pieces: list[Piece] = []
        if answers.budget:
            self._rows = self._sorted()
        for piece in self._cut():
            for side, weight in ((0, piece.ties.down), (1, piece.ties.up)):
                np.add.at(self.totals[side], piece.ties.fold, weight)
            self.distinct += len(piece.starts)
            if not answers.budget:
                self._pieces.append(piece)

    @property
    def pieces(self) -> Iterator[Piece]:
        """The pieces, by rising share."""
        return iter(self._pieces) if self._pieces else self._cut()

    def _sorted(self) -> Counts:
        """Return the numbers of the tested rows, sorted, on disk."""
        a = self.answers
        keys = a.room(len(a.fold), np.float64)
        for s in steps(len(a.fold)):
            keys[s] = a.shares[s, self.c] + 0.0  # -0.0 becomes 0.0
        many = sum(int(np.count_nonzero(a.fold[s] >= 0)) for s in steps(len(a.fold)))
        out, at = a.room(many, np.int64), 0
        for rows in by_key(keys.view(np.uint64), lambda s: np.asarray(a.fold[s] >= 0), a.budget):
            out[at : at + len(rows)] = rows
            at += len(rows)
        return out

    def _cut(self) -> Iterator[Piece]:
        a = self.answers
        before, first = np.zeros((2, a.folds), np.int64), 0
        every = np.flatnonzero(a.fold >= 0) if self._rows is None else self._rows
        slices = [slice(0, len(every))] if self._rows is None else list(steps(len(every), PIECE))
        ties = Ties(np.zeros(0), *(np.zeros(0, np.int64) for _ in range(4)))
        for s in slices:
            rows = every[s]
            hit, weight = a.truth[rows] == self.c, np.ones(len(rows), np.int64)
            weight = weight if a.weights is None else a.weights[rows]
            own = Ties(a.shares[rows, self.c] + 0.0, a.fold[rows], rows, weight * hit, weight * ~hit)
            ties = _merged(Ties(*(np.concatenate(both) for both in zip(ties, own, strict=True))))
            end = len(ties.value)
            if s.stop < len(every):  # the next slice may have more rows of the last share
                end = int(np.searchsorted(ties.value, ties.value[-1]))
            piece = Piece(ties.part(slice(0, end)), before.copy(), first)
            yield piece
            for side, weights in ((0, piece.ties.down), (1, piece.ties.up)):
                np.add.at(before[side], piece.ties.fold, weights)
            first, ties = first + len(piece.starts), ties.part(slice(end, None))

    def area(self) -> tuple[float, float] | None:
        """Return the area under the ROC curve and DeLong's standard error; None where there is no pair.

        The area is the share of pairs (of the class, not of it) in which the first has the higher share, ties
        counting one half. Both rows of a pair are of one fold, answered by one model: across folds, shares
        are biased the wrong way, since a class that is frequent in a fold is rare in its training rows.
        """
        downs, ups = self.totals / self.unit
        pairs = float((ups * downs).sum())
        if pairs == 0:
            return None
        won = [digits(p.ties.up / self.unit * p.standing(self.totals, self.unit)[0]) for p in self.pieces]
        area = nearest(joined(*won)) / pairs
        spreads = [np.zeros(kernels.SUM_DIGITS, np.int64) for _ in range(2)]
        sizes = [0.0, 0.0]  # rows of each side that have a pair
        for piece in self.pieces:
            fold, (below, above) = piece.ties.fold, piece.standing(self.totals, self.unit)
            sides = ((piece.ties.up, below, downs[fold]), (piece.ties.down, above, ups[fold]))
            for side, (weight, beaten, others) in enumerate(sides):
                each = weight / self.unit
                spreads[side] = joined(spreads[side], digits(each * (beaten - area * others) ** 2))
                sizes[side] += float(each[others > 0].sum())
        parts = zip(map(nearest, spreads), sizes, strict=True)
        error = sum(spread / pairs / pairs * size / max(size - 1, 1) for spread, size in parts)
        return area, float(np.sqrt(error))

    def curves(self) -> tuple[dict[str, Any], float]:
        """Return the points of roc, pr and calibration of the class and the lift of its top tenth, and the
        area under its precision-recall curve, by steps.

        Rows that tie at the edge of the top tenth count in part, so that their order means nothing.
        """
        unit, distinct = self.unit, self.distinct
        ups, rows = (float(n) / unit for n in (self.totals[1].sum(), self.totals.sum()))
        wanted = np.union1d(thinned(distinct), thinned(distinct + 1) - 1)
        sums = np.zeros((3, kernels.SUM_DIGITS), np.int64)  # area; in the top tenth: of the class, all
        points: dict[int, tuple[float, float, float]] = {}
        bins = np.zeros(BINS, np.int64)
        for piece in self.pieces:
            own = [np.add.reduceat(each, piece.starts) for each in (piece.ties.up, piece.ties.down)]
            full_units = own[0] + own[1]
            up, full = own[0] / unit, full_units / unit
            upto = (int(piece.before.sum()) + np.cumsum(full_units)) / unit
            lower = int(piece.before[1].sum()) + np.cumsum(own[0]) - own[0]
            found = ups - lower / unit  # rows of the class with this share or a higher one
            higher = rows - upto
            precision, recall = found / (higher + full), found / max(ups, 1e-300)
            room = np.clip(0.1 * rows - higher, 0, full)
            inside = up * room / np.where(full > 0, full, 1)
            area = (recall - (found - up) / max(ups, 1e-300)) * precision
            sums = kernels.carry(sums + np.stack([digits(each) for each in (area, inside, room)]))
            yes = recall * ups / np.maximum(precision, 1e-300)
            false = (yes - recall * ups) / max(rows - ups, 1e-300)
            place = distinct - 1 - piece.first - np.arange(len(up))  # rank from the highest share
            for i in np.flatnonzero(np.isin(place, wanted)).tolist():
                points[int(place[i])] = float(false[i]), float(recall[i]), float(precision[i])
            np.add.at(bins, _bins_of(upto, full, rows), full_units)
        total, top, tenth = map(nearest, sums)
        share, base = top / tenth, ups / rows
        curves = {
            "calibration": self._calibration(bins),
            "pr": [list(points[i][1:]) for i in thinned(distinct).tolist()],
            "roc": [
                [0.0, 0.0] if i == 0 else list(points[i - 1][:2]) for i in thinned(distinct + 1).tolist()
            ],
            "top_tenth": {"base": base, "lift": share / base if base else 0.0, "share": share},
        }
        return curves, total

    def _calibration(self, bins: Counts) -> list[dict[str, Any]]:
        """Return, for about equally full bins of the share, its mean and the observed share; bins whose
        shares lie far apart are halved while they have rows enough. bins: the weight in each before that.
        """
        ends, unit = [0, *np.cumsum(bins).tolist()], self.unit
        todo = [(a, b) for a, b in pairwise(ends) if a < b]
        done: list[tuple[int, int, int, float]] = []
        while todo:
            found = self._stretches(todo)
            halved: list[tuple[int, int]] = []
            for (first, last), part in zip(todo, found, strict=True):
                if part.high - part.low <= NEAR or part.half[0] == np.inf:
                    done.append((first, last, part.ups, nearest(part.sum)))
                else:
                    halved += [(first, part.half[1]), (part.half[1], last)]
            todo = halved
        out = []
        for first, last, ups, total in sorted(done):
            rows, hits = (last - first) / unit, ups / unit
            low, high = distributions.wilson(hits, rows)
            predicted = total / unit / rows
            share = hits / rows
            out.append({"high": high, "low": low, "observed": share, "predicted": predicted, "rows": rows})
        return out

    def _stretches(self, stretches: list[tuple[int, int]]) -> list[Stretch]:
        """Return a summary of each stretch of the order: the rows after a cumulative weight of `first` up to
        one of `last`, in units.
        """
        none = np.zeros(kernels.SUM_DIGITS, np.int64)
        out = [Stretch(np.inf, -np.inf, (np.inf, 0), 0, none) for _ in stretches]
        for piece in self.pieces:
            starts = piece.starts
            up, down = (np.add.reduceat(each, starts) for each in (piece.ties.up, piece.ties.down))
            values, full = piece.ties.value[starts], up + down
            upto = int(piece.before.sum()) + np.cumsum(full)
            for at, (first, last) in enumerate(stretches):
                here = slice(*np.searchsorted(upto, [first, last], side="right").tolist())
                if here.start == here.stop:
                    continue
                along, rows = (upto[here] - first) / self.unit, (last - first) / self.unit
                enough = (along >= FEWEST) & (rows - along >= FEWEST)
                off = np.where(enough, np.abs(along - rows / 2), np.inf)  # distance from the middle
                best = int(np.argmin(off))
                out[at] = Stretch(
                    min(out[at].low, float(values[here][0])),
                    max(out[at].high, float(values[here][-1])),
                    min(out[at].half, (float(off[best]), int(upto[here][best]))),
                    out[at].ups + int(up[here].sum()),
                    joined(out[at].sum, digits(values[here], full[here])),
                )
        return out

    def by_share(self) -> tuple[Floats, Floats]:
        """Return shares[distinct, class], rising in this class's, and hits[distinct, other or this class]:
        the weight of rows there.
        """
        width = self.answers.shares.shape[1]
        shares = self.answers.room((self.distinct, width), np.float64)
        hits = self.answers.room((self.distinct, 2), np.float64)
        for piece in self.pieces:
            starts = piece.starts
            some = slice(piece.first, piece.first + len(starts))
            shares[some] = self.answers.shares[piece.ties.row[starts]]
            for side, weight in ((0, piece.ties.down), (1, piece.ties.up)):
                hits[some, side] = np.add.reduceat(weight, starts) / self.unit
        return shares, hits


class Stretch(NamedTuple):
    """Summary of a stretch: lowest and highest share, the best place to halve it (distance from the middle,
    cumulative weight), the weight of its rows of the class, and the sum of its shares in digits.
    """

    low: float
    high: float
    half: tuple[float, int]
    ups: int
    sum: Counts


def _merged(ties: Ties) -> Ties:
    """Return the ties sorted, those of one share and fold merged."""
    order = np.lexsort((ties.fold, ties.value))
    value, fold = ties.value[order], ties.fold[order]
    new = np.flatnonzero((np.diff(value, prepend=-1.0) != 0) | (np.diff(fold, prepend=-1) != 0))
    if not len(new):
        return ties
    up, down = (np.add.reduceat(each[order], new) for each in (ties.up, ties.down))
    return Ties(value[new], fold[new], ties.row[order][new], up, down)


def thinned(points: int, most: int = 400) -> Counts:
    """Return which of so many points of a curve are drawn, ends kept: at most `most`, so that a million rows
    draw as fast as a hundred.
    """
    return np.unique(np.linspace(0, points - 1, min(points, most)).astype(np.int64))


def _bins_of(upto: NDArray[Any], full: NDArray[Any], rows: float) -> Counts:
    """Return the bin of each distinct share; upto[share]: rows with it or a lower one; full: rows with it."""
    return np.minimum(((upto - full / 2) / rows * BINS).astype(np.int64), BINS - 1)
