"""The sums of a scorecard: rows per line and class, then loss, gradient and curvature at given points per
line; and residuals on lines that the card does not have yet.

Knows blocks and axes. Knows nothing of priors, strengths or rounding. Law: totals are whole numbers that
add, so any order of rows gives the same bits.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallystick import kernels
from tallystick.contracts import Block
from tallystick.kernels import Curvature, DenseColumns, Sums, Weighting
from tallystick.kernels.check import Room
from tallystick.models.scorecard.axes import Axis, RangeAxis
from tallystick.stats.gradients import Copies

Array = NDArray[np.float64]
Whole = NDArray[np.int64]
NO_SCALING = np.zeros((2, 0))
MIX = np.uint64(0x9E3779B97F4A7C15)
BUCKETS = 1 << 16
LIGHT = 1 << 23  # what a bucket weighs at most for squares of all of them to be added in 64 bits


@dataclass(frozen=True)
class CardLayout:
    """The lines of several axes, one after the other: starts[axis], and lines in all."""

    axes: tuple[Axis, ...]
    starts: tuple[int, ...] = field(init=False)
    lines: int = field(init=False)

    def __post_init__(self) -> None:
        sizes = [axis.size for axis in self.axes]
        object.__setattr__(self, "starts", tuple(int(s) for s in np.cumsum([0, *sizes])[:-1]))
        object.__setattr__(self, "lines", sum(sizes))

    def part(self, axis: int) -> slice:
        """Return where the lines of an axis lie."""
        return slice(self.starts[axis], self.starts[axis] + self.axes[axis].size)


@dataclass(frozen=True)
class RowSample:
    """About one row in `every`, by the lines of some axes: rows that are alike there are all in it or all
    out, so it is the same in any order of rows.
    """

    axes: tuple[Axis, ...] = ()
    every: int = 1


ALL_ROWS = RowSample()


def laid_out(layout: CardLayout, block: Block, sample: RowSample) -> tuple[DenseColumns, Any, Whole | None]:
    """Return columns, classes and weights of the rows of a block that are in the sample."""
    assert block.classes is not None
    classes, weights = block.classes, block.weights
    if sample.every == 1:
        known = block.memo.get("card columns")  # of the last card: rounds ask for the same one many times
        if known is None or known[0] != layout.axes:
            codes = [lines_of(axis, block) for axis in layout.axes]
            known = block.memo["card columns"] = (layout.axes, DenseColumns([], codes, layout.starts))
        return known[1], classes, weights
    rows, lines = sampled(block, sample)
    for axis in layout.axes:
        if axis not in lines:
            lines[axis] = some_lines_of(axis, block, rows)
    codes = [lines[axis] for axis in layout.axes]
    return (
        DenseColumns([], codes, layout.starts),
        classes[rows],
        None if weights is None else weights[rows],
    )


def lines_of(axis: Axis, block: Block) -> NDArray[Any]:
    """Return line[row]; a fit asks the same rows many times, so a block remembers the lines of an axis."""
    known: dict[Axis, NDArray[Any]] = block.memo.setdefault("card lines", {})
    if axis not in known:
        known[axis] = axis.codes(block)
    return known[axis]


def some_lines_of(axis: Axis, block: Block, rows: Whole) -> NDArray[Any]:
    """Return the lines of some rows. An axis of numbers with fewer cuts than one that is remembered, as those
    of pairs are, is told by that one's lines: few rows are looked at then, and no number again.
    """
    known: dict[Axis, NDArray[Any]] = block.memo.setdefault("card lines", {})
    if isinstance(axis, RangeAxis) and axis not in known:
        for finer, lines in list(known.items()):  # another fit of the same rows may add to them
            if isinstance(finer, RangeAxis) and (line := axis.within(finer)) is not None:
                return np.take(line, lines[rows])
    return lines_of(axis, block)[rows]


def sampled(block: Block, sample: RowSample) -> tuple[Whole, dict[Axis, NDArray[Any]]]:
    """Return the rows of a block that are in the sample, and what is remembered of their lines."""
    held = block.memo.get("card sample")
    if held is None or held[0] != sample:
        inside = (mixed_lines(sample.axes, block) >> np.uint64(40)) % np.uint64(sample.every) == 0
        held = block.memo["card sample"] = (sample, np.flatnonzero(inside), {})
    return held[1], held[2]


def mixed_lines(axes: Sequence[Axis], block: Block) -> NDArray[np.uint64]:
    """Return a number for each row that is the same where all its lines are."""
    mixed = np.zeros(block.rows, np.uint64)
    for axis in axes:
        mixed = (mixed + lines_of(axis, block).astype(np.uint64) + np.uint64(1)) * MIX
        mixed ^= mixed >> np.uint64(29)
    return mixed


@dataclass(frozen=True)
class RowVariety:
    """Ask what the rows weigh that fall into each of BUCKETS by all their lines: how far rows differ."""

    axes: tuple[Axis, ...]

    def zero(self) -> Whole:
        """Return the total of no rows."""
        return np.zeros((BUCKETS, 1), np.int64)

    def add(self, total: Whole, block: Block) -> Whole:
        """Add the rows of one block."""
        bucket = (mixed_lines(self.axes, block) >> np.uint64(24)).astype(np.uint16)
        alone = np.zeros(block.rows, np.uint8)
        kernels.count_codes(bucket, alone, BUCKETS, 1, weights=block.weights, out=total)
        return total

    def merge(self, total: Whole, other: Whole) -> Whole:
        """Add two totals."""
        total += other
        return total


def variety(total: Whole) -> float:
    """Return how many kinds of rows there are, each as heavy as the others, that would crowd the buckets
    as these do.
    """
    weights = total.ravel()
    if weights.max(initial=0) < LIGHT:  # then no sum of squares is beyond 64 bits
        whole, squares = int(weights.sum()) ** 2, int((weights * weights).sum())
    else:
        heavy = [int(w) for w in weights.tolist() if w]
        whole, squares = sum(heavy) ** 2, sum(w * w for w in heavy)
    alike = squares * BUCKETS - whole  # different kinds share a bucket by chance
    return math.inf if alike <= 0 else whole * (BUCKETS - 1) / alike


@dataclass(frozen=True)
class LineCounts:
    """Ask what the rows on each line weigh, by class: [line, class] in units of the table."""

    layout: CardLayout
    classes: int

    def zero(self) -> Whole:
        """Return the total of no rows."""
        return np.zeros((self.layout.lines, self.classes), np.int64)

    def add(self, total: Whole, block: Block) -> Whole:
        """Add the rows of one block."""
        columns, classes, weights = laid_out(self.layout, block, ALL_ROWS)
        for i, codes in enumerate(columns.codes):
            here = total[self.layout.part(i)]
            kernels.count_codes(codes, classes, len(here), self.classes, weights=weights, out=here)
        return total

    def merge(self, total: Whole, other: Whole) -> Whole:
        """Add two totals."""
        total += other
        return total


@dataclass(frozen=True)
class CardSums:
    """Ask for loss, gradient and curvature at theta[1 + line, link], the constant first; whole numbers in
    units of 2^-bits, over the rows of a sample. room: makes the curvature, of zeros.
    """

    layout: CardLayout
    theta: Array
    bits: int
    copies: Copies
    curvature: Curvature = Curvature.NONE
    sample: RowSample = ALL_ROWS
    room: Room = np.zeros

    def zero(self) -> Sums:
        """Return the total of no rows."""
        links = self.theta.shape[1]
        return kernels.new_sums(0, self.layout.lines, links, self.curvature, room=self.room)

    def add(self, total: Sums, block: Block) -> Sums:
        """Add the rows of one block."""
        columns, classes, weights = laid_out(self.layout, block, self.sample)
        kernels.logistic_sums(
            columns,
            NO_SCALING,
            classes,
            self.copies.of(weights),
            self.theta,
            self.bits,
            self.curvature,
            total,
        )
        return total

    def merge(self, total: Sums, other: Sums) -> Sums:
        """Add two totals."""
        for a, b in zip(
            (total.loss, total.gradient, total.squares),
            (other.loss, other.gradient, other.squares),
            strict=True,
        ):
            a += b
        return total


def met(columns: DenseColumns, lines: int, classes: NDArray[Any], whole: Whole) -> Whole:
    """Return [line, line]: whole[row] summed over the rows that are on both lines; of a later column with an
    earlier one. All pairs of columns are summed at once.
    """
    total = kernels.new_sums(0, lines, 1, Curvature.GRAM)
    theta, weighting = np.zeros((1 + lines, 1)), Weighting(whole)
    kernels.logistic_sums(columns, NO_SCALING, classes, weighting, theta, 0, Curvature.GRAM, total)
    return total.squares[0, 1:, 1:]


@dataclass(frozen=True)
class PairResiduals:
    """Ask, at theta[1 + line, link] of a card, for what is left on the lines of pairs of columns.

    coarse: an axis per column; pairs: places among them. Total [pair][2, link, first, second]: sums of y
    - p and of p (1 - p) in units of 2^-bits.
    """

    layout: CardLayout
    theta: Array
    bits: int
    copies: Copies
    coarse: tuple[Axis, ...]
    pairs: tuple[tuple[int, int], ...]
    sample: RowSample = ALL_ROWS

    def zero(self) -> list[Whole]:
        """Return the total of no rows."""
        links, sizes = self.theta.shape[1], [axis.size for axis in self.coarse]
        return [np.zeros((2, links, sizes[a], sizes[b]), np.int64) for a, b in self.pairs]

    def add(self, total: list[Whole], block: Block) -> list[Whole]:
        """Add the rows of one block."""
        every = CardLayout((*self.layout.axes, *self.coarse))
        columns, classes, weights = laid_out(every, block, self.sample)
        main, codes = len(self.layout.axes), columns.codes
        known = DenseColumns([], codes[:main], self.layout.starts)
        shares, _ = kernels.linear_answers(known, len(classes), NO_SCALING, self.theta, kernels.Answer.SHARES)
        coarse = CardLayout(self.coarse)
        meeting = DenseColumns([], codes[main:], coarse.starts)
        lines = [coarse.part(i) for i in range(len(self.coarse))]
        for link, parts in enumerate(self._parts(shares, np.asarray(classes), weights)):
            for what, part in enumerate(parts):
                both = met(meeting, coarse.lines, classes, part)
                for table, (a, b) in zip(total, self.pairs, strict=True):
                    table[what, link] += both[lines[b], lines[a]].T if a <= b else both[lines[a], lines[b]]
        return total

    def _parts(self, shares: Array, classes: Any, weights: Whole | None) -> list[tuple[Whole, Whole]]:
        """Return, per link, the rows' residuals and curvatures as whole multiples of 2^-bits."""
        counted = self.copies.of(weights)
        factor = np.ones(len(classes)) if counted.row_factor is None else counted.row_factor
        if counted.class_factor is not None:
            factor = factor * counted.class_factor[classes]
        links, out = self.theta.shape[1], []
        for link in range(links):
            label = 1 if links == 1 else link
            share = shares[:, label]
            whole = []
            for values in ((classes == label) - share, share * (1.0 - share)):
                part = np.rint(values * factor * 2.0**self.bits).astype(np.int64)
                whole.append(part if counted.copies is None else part * counted.copies)
            out.append((whole[0], whole[1]))
        return out

    def merge(self, total: list[Whole], other: list[Whole]) -> list[Whole]:
        """Add two totals."""
        for a, b in zip(total, other, strict=True):
            a += b
        return total


@dataclass(frozen=True)
class WordsByClass:
    """Ask what the rows that hold a word weigh: [text][word, class] in units of the table."""

    texts: tuple[tuple[str, int], ...]  # name, words known
    classes: int

    def zero(self) -> list[Whole]:
        """Return the total of no rows."""
        return [np.zeros((words + 1, self.classes), np.int64) for _, words in self.texts]

    def add(self, total: list[Whole], block: Block) -> list[Whole]:
        """Add the rows of one block."""
        assert block.classes is not None
        for (name, words), here in zip(self.texts, total, strict=True):
            starts, word, _ = block.words(name)
            row = np.repeat(np.arange(block.rows), np.diff(starts))
            own = np.ascontiguousarray(word[int(starts[0]) : int(starts[-1])])
            weights = None if block.weights is None else block.weights[row]
            kernels.count_codes(own, block.classes[row], words + 1, self.classes, weights=weights, out=here)
        return total

    def merge(self, total: list[Whole], other: list[Whole]) -> list[Whole]:
        """Add two totals."""
        for a, b in zip(total, other, strict=True):
            a += b
        return total
