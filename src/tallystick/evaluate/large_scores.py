"""Scores of more rows than memory holds: sums block by block, and areas and curves of rows in the order of
their shares, which lie on disk.

Knows class codes, shares, folds and a budget. Knows nothing of models, tables or pictures.
Law: the same scores as those of `scores.py`, to the bit, within a budget that does not depend on the rows;
rows have no weights.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallystick.data.source import scratch
from tallystick.evaluate import intervals, large
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
    Scores,
    bin_of,
    calibration_bin,
    confusion_of,
    false_alarms,
    in_top_tenth,
    lift_of,
    near_shares,
    rarest,
    scores_of,
    thinned,
)
from tallystick.evaluate.thresholds import RankedRows
from tallystick.models.decision import decide

Floats = NDArray[np.float64]
Codes = NDArray[np.int64]
TieBlock = tuple[Floats, Floats, Floats, Floats]  # value, up, full, beside of some ties
Side = tuple[Floats, Floats, float]
Blocks = Callable[[], Iterable[tuple[Codes, Floats, Codes]]]  # truth, shares, fold of the tested rows


@dataclass(frozen=True)
class TiesOnDisk:
    """Rows by the share of one class, on disk: value[tie] rising; up[tie], full[tie]: rows of the class, and
    all rows, with that share; beside[tie]: what the first of them gave to the class before or behind it.
    """

    value: Floats
    up: Floats
    full: Floats
    beside: Floats

    @classmethod
    def of(cls, blocks: Iterator[TieBlock], rows: int) -> TiesOnDisk:
        """Keep what comes block by block, of at most so many rows."""
        kept = [scratch.empty(rows, np.float64) for _ in range(4)]
        at = 0
        for block in blocks:
            for out, some in zip(kept, block, strict=True):
                out[at : at + len(some)] = some
            at += len(block[0])
        return cls(*(out[:at] for out in kept))

    def falling(self) -> tuple[Floats, Floats]:
        """Return the rows of the class, and all, with each share or a higher one, the highest first."""
        up, full = (scratch.empty(len(self.value), np.float64) for _ in range(2))
        np.cumsum(self.up[::-1], out=up)
        np.cumsum(self.full[::-1], out=full)
        return up, full


@dataclass(frozen=True)
class SharesOnDisk:
    """Answers whose rows can be had in the order of a class's shares. truth[row], shares[row, class],
    fold[row], negative where a row was not tested; budget: bytes of memory to work in.
    """

    truth: NDArray[Any]
    shares: Floats
    fold: Codes
    budget: int

    def column(self, c: int) -> Floats:
        """Return the shares of one class side by side; 0.0 has one form, so that bits are in their order."""
        out = scratch.empty(len(self.fold), np.float64)
        for s in large.steps(len(out)):
            out[s] = self.shares[s, c] + 0.0
        return out

    def ties(self, c: int, values: Floats, fold: int | None) -> Iterator[TieBlock]:
        """Yield value, up, full and beside of ties, rising, of one fold (None: of all tested rows); a tie is
        whole.
        """

        def tested(s: slice) -> NDArray[np.bool_]:
            return np.asarray(self.fold[s] >= 0 if fold is None else self.fold[s] == fold)

        other = c - 1 if c else min(1, self.shares.shape[1] - 1)
        held = (np.empty(0),) * 4  # the last tie: more of it may come
        for rows in large.by_key(values.view(np.uint64), tested, self.budget):
            if not len(rows):
                continue
            value, hit = values[rows], (self.truth[rows] == c).astype(np.float64)
            first = np.flatnonzero(np.append(True, value[1:] != value[:-1]))
            full = np.diff(np.append(first, len(value))).astype(np.float64)
            up, beside = np.add.reduceat(hit, first), self.shares[rows[first], other]
            if len(held[0]) and held[0][0] == value[0]:
                up[0], full[0], beside[0] = up[0] + held[1][0], full[0] + held[2][0], held[3][0]
                held = (np.empty(0),) * 4
            yield held
            value = value[first]
            yield value[:-1], up[:-1], full[:-1], beside[:-1]
            held = (value[-1:], up[-1:], full[-1:], beside[-1:])
        yield held

    def area(self, c: int) -> tuple[float, float] | None:
        """Return what `measures.delong` finds for one class against the rest."""
        values, none = self.column(c), digits(np.empty(0))
        folds = [
            FoldTies(TiesOnDisk.of(self.ties(c, values, f), int(ups + downs)), ups, downs)
            for f, (ups, downs) in sorted(self._rows(c).items())
        ]
        pairs = sum(fold.ups * fold.downs for fold in folds)
        if pairs == 0:
            return None
        won, spreads = none, [none, none]
        for (up, below, _), _ in itertools.chain.from_iterable(fold.sides() for fold in folds):
            won = joined(won, digits(up * below))
        area = nearest(won) / pairs
        for sides in itertools.chain.from_iterable(fold.sides() for fold in folds):
            added = [digits(area_spread(*side, area)) for side in sides]
            spreads = [joined(*both) for both in zip(spreads, added, strict=True)]
        sizes = [sum(f.ups for f in folds if f.downs), sum(f.downs for f in folds if f.ups)]
        return area, area_error([nearest(spread) for spread in spreads], sizes, pairs)

    def _rows(self, c: int) -> dict[int, tuple[float, float]]:
        """Return the rows of a class, and of the others, of each fold."""
        out = dict[int, tuple[float, float]]()
        for s in large.steps(len(self.fold)):
            hit = self.truth[s] == c
            for f in np.unique(self.fold[s]).tolist():
                ups, downs = out.get(f, (0.0, 0.0))
                here = self.fold[s] == f
                up = float(np.count_nonzero(hit & here))
                out[f] = ups + up, downs + float(np.count_nonzero(here)) - up
        return {f: rows for f, rows in out.items() if f >= 0}


@dataclass(frozen=True)
class FoldTies:
    """The ties of one fold, and its rows of the class and of the others."""

    ties: TiesOnDisk
    ups: float
    downs: float

    def sides(self) -> Iterator[tuple[Side, Side]]:
        """Yield of some ties after others, for the class and for the rest: the rows of each, over how many of
        the other side each of them wins, and how many there are.
        """
        passed_up = passed_down = 0.0
        for s in large.steps(len(self.ties.full)):
            up, down = self.ties.up[s], self.ties.full[s] - self.ties.up[s]
            below = passed_down + np.cumsum(down) - down / 2
            above = self.ups - passed_up - np.cumsum(up) + up / 2
            yield (up, below, self.downs), (down, above, self.ups)
            passed_up, passed_down = passed_up + float(up.sum()), passed_down + float(down.sum())


# ---- all scores ----


@dataclass(frozen=True)
class LargeAnswers:
    """Answers to more rows than memory holds, as scores ask for them, like `measures.Answered`."""

    classes: tuple[str, ...]
    ranked: SharesOnDisk
    blocks: Blocks
    confusion: Floats
    positive: int
    cost: Floats | None

    @classmethod
    def of(
        cls,
        classes: tuple[str, ...],
        ranked: SharesOnDisk,
        blocks: Blocks,
        rule: Floats | None,
        positive: int | None,
        cost: Floats | None,
    ) -> LargeAnswers:
        """Count what is answered. rule: the costs that decide answers; positive: None is the rarest class."""
        k = len(classes)
        confusion = np.zeros((k, k))
        for truth, shares, _ in blocks():
            confusion += confusion_of(truth, decide(shares, rule), np.ones(len(truth)), k)
        own = rarest(confusion.sum(axis=1)) if positive is None else positive
        return cls(classes, ranked, blocks, confusion, own, cost)

    @property
    def rows(self) -> float:
        """How many rows there are."""
        return float(self.confusion.sum())

    @property
    def prior(self) -> Floats:
        """The share of each class among the rows."""
        return np.asarray(self.confusion.sum(axis=1) / self.rows)

    def mean_loss(self) -> RowMean:
        """Return the mean log-loss, and its interval."""
        return self._mean(log_losses)

    def mean_brier(self) -> RowMean:
        """Return the mean of the squared distances from the truth, and its interval."""
        return self._mean(square_distances)

    def mean_cost(self, cost: Floats) -> RowMean:
        """Return what an answer costs in the mean, and its interval."""
        return cost_mean(self.confusion.astype(np.int64), cost)

    def _mean(self, of: Callable[[Codes, Floats], Floats]) -> RowMean:
        """Return the mean of something of each row, and its interval; the sums are exact."""
        none = digits(np.empty(0))
        total, squares, cubes = none, none, none
        for truth, shares, _ in self.blocks():
            total = joined(total, digits(of(truth, shares)))
        value = nearest(total) / self.rows
        for truth, shares, _ in self.blocks():
            away = of(truth, shares) - value
            squares, cubes = joined(squares, digits(away**2)), joined(cubes, digits(away**3))
        return value, *intervals.of_sums(self.rows, value, nearest(squares), nearest(cubes))

    def area(self, c: int) -> tuple[float, float] | None:
        """Return the area under the ROC curve of one class against the rest, and its standard error."""
        return self.ranked.area(c)

    @cached_property
    def ties(self) -> TiesOnDisk:
        """The rows by the share of the positive class."""
        values = self.ranked.column(self.positive)
        return TiesOnDisk.of(self.ranked.ties(self.positive, values, None), int(self.rows))

    @cached_property
    def falling(self) -> tuple[Floats, Floats]:
        """Rows of the positive class, and all rows, with each share or a higher one, the highest first."""
        return self.ties.falling()

    def precision_area(self) -> float:
        """Return the area under the precision-recall curve of the positive class, by steps."""
        ups, full = self.falling
        total, before = digits(np.empty(0)), 0.0
        for s in large.steps(len(ups)):
            recall = ups[s] / max(float(ups[-1]), 1e-300)
            total = joined(total, digits(np.diff(recall, prepend=before) * (ups[s] / full[s])))
            before = float(recall[-1])
        return nearest(total)

    def scores(self) -> Scores:
        """Return what `scores.score` returns of fewer rows."""
        blocks = self.blocks()
        none = sum(int((shares[np.arange(len(truth)), truth] <= 0).sum()) for truth, shares, _ in blocks)
        ranked = self._ranked() if len(self.classes) == 2 else None
        return scores_of(self, self.classes, self._curves(), impossible=none, ranked=ranked)

    def _ranked(self) -> RankedRows:
        """Return the ties of two classes, the second one's shares rising."""
        ties, positive = self.ties, self.positive
        shares, hits = (scratch.empty((len(ties.value), 2), np.float64) for _ in range(2))
        shares[:, positive], shares[:, 1 - positive] = ties.value, ties.beside
        hits[:, positive] = ties.up
        np.subtract(ties.full, ties.up, out=hits[:, 1 - positive])
        return RankedRows(shares, hits) if positive else RankedRows(shares[::-1], hits[::-1])

    def _curves(self) -> dict[str, Any]:
        """Return what `scores.class_curves` returns."""
        ups, full = self.falling
        hits, rows = float(ups[-1]), float(full[-1])

        def at(places: Codes) -> tuple[Floats, Floats]:
            return ups[places] / full[places], ups[places] / max(hits, 1e-300)

        precision, recall = at(thinned(len(ups)))
        behind, found = at(thinned(len(ups) + 1)[1:] - 1)  # above the highest nothing is found
        false = false_alarms(behind, found, hits, rows)
        inside, room = digits(np.empty(0)), digits(np.empty(0))
        for s in large.steps(len(ups)):  # the highest shares first
            own = slice(len(ups) - s.stop, len(ups) - s.start)
            up, each = self.ties.up[own][::-1], self.ties.full[own][::-1]
            some, taken = in_top_tenth(up, each, full[s] - each, rows)
            inside, room = joined(inside, digits(some)), joined(room, digits(taken))
        return {
            "calibration": self._calibration(),
            "pr": np.stack([recall, precision], axis=1).tolist(),
            "roc": [[0.0, 0.0], *np.stack([false, found], axis=1).tolist()],
            "top_tenth": lift_of(nearest(inside) / nearest(room), hits / rows),
        }

    def _calibration(self) -> list[dict[str, Any]]:
        """Return what `scores.calibration` returns."""
        ties, rows = self.ties, self.rows
        held, passed = np.zeros(BINS, np.int64), 0.0  # ties of each bin
        for s in large.steps(len(ties.full)):
            along = passed + np.cumsum(ties.full[s])
            place = bin_of(along, ties.full[s], rows)
            held, passed = held + np.bincount(place, minlength=BINS), float(along[-1])
        ends = [0, *np.cumsum(held[held > 0]).tolist()]
        parts = [p for a, b in itertools.pairwise(ends) for p in near_shares(ties.value, ties.full, a, b)]
        out = []
        for first, last in parts:
            some, told = slice(first, last), digits(np.empty(0))
            for s in large.steps(last - first):
                each = ties.full[some][s].astype(np.int64)
                told = joined(told, digits(ties.value[some][s], each))
            rows = float(ties.full[some].sum())
            out.append(calibration_bin(rows, float(ties.up[some].sum()), nearest(told)))
        return out
