"""Scores of answers that are not in memory, but on disk or with Spark: the same numbers from sums, and from
ranks in pieces.

Knows blocks of answers (the share of class c in the column c, fold, class), and questions to them. Knows
nothing of who sums. Law: every score is that of `scores.score` on the same answers, bit for bit; what comes
here does not grow with the rows.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple, NoReturn, Protocol

import numpy as np
from numpy.typing import NDArray

from tallystick import kernels
from tallystick.contracts import Block
from tallystick.data.table.block import rows_counted
from tallystick.errors import OptionError
from tallystick.evaluate import intervals
from tallystick.evaluate.measures import (
    CLASS_SHARES,
    RowMean,
    area_error,
    class_share_losses,
    cost_mean,
    log_losses,
    square_distances,
)
from tallystick.evaluate.ranked_answers import (
    CurveParts,
    Curves,
    PairSpread,
    PairsWon,
    calibrated,
)
from tallystick.evaluate.scores import (
    Scores,
    lift_of,
    rarest,
    scores_of,
    thinned,
)
from tallystick.evaluate.thresholds import RankedRows
from tallystick.kernels.check import code_dtype
from tallystick.models.decision import decide
from tallystick.stats.exact import digits, joined, nearest
from tallystick.stats.value_tables import RankedValues

Counts = NDArray[np.int64]
Floats = NDArray[np.float64]


class AnswerRows(Protocol):
    """Blocks of answers, where they are. fold: the name of the column of folds."""

    @property
    def fold(self) -> str: ...  # noqa: D102

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
class ScoreSums:
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
        return mean, *intervals.of_sums(self.rows, mean, *away)

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
