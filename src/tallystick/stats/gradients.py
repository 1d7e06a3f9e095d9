"""The sums of logistic regression: rows per class and word first, then loss, gradient and curvature at
given weights.

Knows blocks, designs and weights. Knows nothing of priors, solvers or standardising: columns come with a
centre and a factor that bring them to |y| <= 1. Law: totals are whole numbers that add, so any order of
rows gives the same bits.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallystick import kernels
from tallystick.contracts import Block, Table
from tallystick.data.table.block import Block as Rows
from tallystick.kernels import Begun, Curvature, DenseColumns, Descent, Landing, Sums, TextColumn, Weighting
from tallystick.models.logistic.design import Design

Array = NDArray[np.float64]
Whole = NDArray[np.int64]


@dataclass
class RowTotals:
    """classes[class]: rows in units of 1 / unit; heaviest: the largest weight; words[text][word]: rows with
    the word; most[text]: the largest count of a word in a row.
    """

    classes: Whole
    heaviest: Whole
    words: list[Whole]
    most: list[Whole]


@dataclass(frozen=True, slots=True)
class RowFacts:
    """Ask how many rows there are per class, and per word."""

    design: Design
    classes: int

    def zero(self) -> RowTotals:
        """Return the total of no rows."""
        words = [np.zeros(len(t.words) + 1, np.int64) for t in self.design.texts]
        most = [np.zeros(1, np.int64) for _ in self.design.texts]
        return RowTotals(np.zeros(self.classes, np.int64), np.zeros(1, np.int64), words, most)

    def add(self, total: RowTotals, block: Block) -> RowTotals:
        """Add the rows of one block."""
        assert block.classes is not None
        kernels.count_classes(block.classes, self.classes, block.weights, total.classes)
        top = 1 if block.weights is None else int(block.weights.max(initial=0))
        total.heaviest[0] = max(int(total.heaviest[0]), top)
        for text, rows, most in zip(self.design.texts, total.words, total.most, strict=True):
            kernels.word_rows(*block.words(text.name), block.weights, rows, most)
        return total

    def merge(self, total: RowTotals, other: RowTotals) -> RowTotals:
        """Add two totals."""
        total.classes += other.classes
        np.maximum(total.heaviest, other.heaviest, out=total.heaviest)
        for a, b in zip(total.words, other.words, strict=True):
            a += b
        for a, b in zip(total.most, other.most, strict=True):
            np.maximum(a, b, out=a)
        return total


@dataclass(frozen=True, slots=True)
class TextWeights:
    """How the words of a text column count: tf[count] * idf[word], rows of length 1 when `unit`; scaled to
    at most 1.
    """

    idf: Array
    tf: Array
    unit: bool
    scale: float
    theta: Array  # [words, link]


@dataclass(frozen=True, slots=True)
class Copies:
    """What a row counts for. whole: weights are copies. Otherwise weight / unit / heaviest is a factor of at
    most 1.
    """

    whole: bool = True
    unit: int = 1
    heaviest: float = 1.0
    by_class: Array | None = None

    def of(self, weights: Whole | None) -> Weighting:
        """Return the weights of rows as the kernel takes them."""
        if weights is None:
            return Weighting(None, None, self.by_class)
        if self.whole:
            return Weighting(weights, None, self.by_class)
        return Weighting(None, weights / (self.unit * self.heaviest), self.by_class)


@dataclass
class Total:
    """Sums, and words[text][word, link]: the gradient of word weights."""

    sums: Sums
    words: list[Whole]


@dataclass(frozen=True, slots=True)
class Laid:
    """The rows of a block as kernels take them, by a design; `every`: one row in so many."""

    design: Design
    every: int
    columns: DenseColumns
    classes: NDArray[Any]
    weights: Whole | None


def laid_out(design: Design, block: Block, every: int) -> Laid:
    """Return the columns of a block; a fit asks the same rows many times, so the block remembers the last."""
    memo = block.memo
    known = memo.get(f"logistic {every}")
    if known is not None and known.design is design:
        return known  # type: ignore[no-any-return]
    values = [c.values(block) for c in design.dense]
    codes = [block.codes(c.column.name) for c in design.coded]
    columns = DenseColumns(values, codes, [c.start for c in design.coded])
    classes = np.zeros(block.rows, np.uint8) if block.classes is None else block.classes
    weights = block.weights
    if every > 1:
        rows, values = kernels.sample_rows(columns, block.rows, every)
        columns = DenseColumns(values, [c[rows] for c in codes], columns.starts)
        classes, weights = classes[rows], None if weights is None else weights[rows]
    laid = Laid(design, every, columns, classes, weights)
    memo[f"logistic {every}"] = laid
    return laid


@dataclass(frozen=True, slots=True)
class Sampled:
    """About one row in `every`, chosen by its content, as blocks of their own; never with texts."""

    design: Design
    every: int

    def __call__(self, block: Block) -> Rows:
        """Return the chosen rows of a block."""
        assert block.classes is not None
        rows, _ = kernels.sample_rows(laid_out(self.design, block, 1).columns, block.rows, self.every)
        parts = [block.values(n) if number else block.codes(n) for n, number in self.design.columns]
        columns = {name: cells[rows] for (name, _), cells in zip(self.design.columns, parts, strict=True)}
        weights = None if block.weights is None else block.weights[rows]
        return Rows(len(rows), columns, block.classes[rows], None, weights)


def text_of(block: Block, name: str, weights: TextWeights, gradient: Whole) -> TextColumn:
    """Return a text column as kernels take it; the block remembers the words' values while a fit lasts."""
    plain = TextColumn(
        *block.words(name), weights.idf, weights.tf, weights.unit, weights.scale, weights.theta, gradient
    )
    memo = block.memo
    idf, values = memo.get(f"words of {name}", (None, None))
    if idf is not weights.idf:
        values = kernels.word_values(plain)
        memo[f"words of {name}"] = weights.idf, values
    return replace(plain, values=values)


@dataclass(frozen=True, slots=True)
class LogisticSums:
    """Ask for loss, gradient and curvature at theta[parameter, link].

    Whole numbers in units of 2^-bits; y = (x - scaling[0]) * scaling[1] must have |y| <= 1.
    """

    design: Design
    scaling: Array
    theta: Array
    bits: int
    copies: Copies = field(default_factory=Copies)
    curvature: Curvature = Curvature.NONE
    texts: tuple[TextWeights, ...] = ()
    every: int = 1  # about one row in so many takes part, chosen by its content; never with texts

    @property
    def form(self) -> Sampled | None:
        """Where a part of the rows is asked for: that part."""
        return Sampled(self.design, self.every) if self.every > 1 else None

    def in_form(self) -> LogisticSums:
        """Return the same question of the part."""
        return replace(self, every=1)

    def zero(self) -> Total:
        """Return the total of no rows."""
        d, links = self.design, self.theta.shape[1]
        sums = kernels.new_sums(len(d.dense), d.cells, links, self.curvature, len(d.texts))
        return Total(sums, [np.zeros(t.theta.shape, np.int64) for t in self.texts])

    def add(self, total: Total, block: Block) -> Total:
        """Add the rows of one block."""
        laid = laid_out(self.design, block, self.every)
        columns = laid.columns
        if self.texts:
            texts = [
                text_of(block, c.name, t, g)
                for c, t, g in zip(self.design.texts, self.texts, total.words, strict=True)
            ]
            columns = DenseColumns(columns.values, columns.codes, columns.starts, texts)
        kernels.logistic_sums(
            columns,
            self.scaling,
            laid.classes,
            self.copies.of(laid.weights),
            self.theta,
            self.bits,
            self.curvature,
            total.sums,
        )
        return total

    def merge(self, total: Total, other: Total) -> Total:
        """Add two totals."""
        a, b = total.sums, other.sums
        for x, y in zip(
            (a.loss, a.gradient, a.squares, *total.words),
            (b.loss, b.gradient, b.squares, *other.words),
            strict=True,
        ):
            x += y
        return total


@dataclass(frozen=True, slots=True)
class NewtonSums:
    """Ask for loss, gradient and curvature at the next point of Newton's method; an engine with all rows at
    hand may go on to the end of the way instead, and answer with the `Landing`.

    w: the weights one begins with; begun: the point there, when it is known, with the step to the question's
    own weights. Law: a landing is what asking point by point comes to, bit for bit.
    """

    question: LogisticSums
    descent: Descent
    w: Array
    begun: Begun | None = None

    def zero(self) -> Total:
        """Return the total of no rows."""
        return self.question.zero()

    def add(self, total: Total, block: Block) -> Total:
        """Add the rows of one block."""
        return self.question.add(total, block)

    def merge(self, total: Total, other: Total) -> Total:
        """Add two totals."""
        return self.question.merge(total, other)


class NewtonToTheEnd:
    """The shortcut: where all rows are one block, one call goes all the way that asking point by point does,
    and answers with the landing; of more blocks the total.
    """

    row_bytes = 0

    def solve(self, question: NewtonSums, table: Table, threads: int) -> Total | Landing:
        """Return the landing when all rows are one block, the total otherwise."""
        blocks, q = list(table.blocks()), question.question
        if len(blocks) != 1:
            total = question.zero()
            for block in blocks:
                total = question.add(total, block)
            return total
        laid = laid_out(q.design, blocks[0], 1)
        return kernels.newton(
            laid.columns,
            q.scaling,
            laid.classes,
            q.copies.of(laid.weights),
            q.theta.copy(),
            q.bits,
            question.descent,
            (question.w, question.begun),
        )


@dataclass(frozen=True, slots=True)
class Sides:
    """Ask between which scores the classes lie along directions theta[parameter, link] of the columns.

    Total [direction, pair, 4]: least and highest score of the first class of the pair minus the second,
    over rows of the first, then of the second; pairs (1, 0), (2, 0), (2, 1), ... And [direction, 2]: the
    least and the highest margin of a row's own class over the best other.
    """

    design: Design
    scaling: Array
    directions: tuple[Array, ...]
    classes: int

    def zero(self) -> tuple[Array, Array]:
        """Return the total of no rows."""
        pairs, k = self.classes * (self.classes - 1) // 2, len(self.directions)
        sides, margins = np.empty((k, pairs, 4)), np.empty((k, 2))
        sides[..., 0::2], sides[..., 1::2] = np.inf, -np.inf
        margins[:, 0], margins[:, 1] = np.inf, -np.inf
        return sides, margins

    def add(self, total: tuple[Array, Array], block: Block) -> tuple[Array, Array]:
        """Add the rows of one block."""
        assert block.classes is not None
        sides, margins = total
        columns = laid_out(self.design, block, 1).columns
        thetas = np.stack(self.directions)
        kernels.add_sides(columns, self.scaling, block.classes, block.weights, thetas, sides, margins)
        return total

    def merge(self, total: tuple[Array, Array], other: tuple[Array, Array]) -> tuple[Array, Array]:
        """Take the outer ends of two totals."""
        for a, b in zip(total, other, strict=True):
            np.minimum(a[..., 0::2], b[..., 0::2], out=a[..., 0::2])
            np.maximum(a[..., 1::2], b[..., 1::2], out=a[..., 1::2])
        return total


@dataclass(frozen=True, slots=True)
class Meetings:
    """Ask which classes the rows with a cell, a missing number or a word have.

    Total: met[parameter, class] of the constant, of columns that are 1 where a number is missing, and of
    cells; there[dense, class] of the rows where that number is not missing; words[text][word, class].
    """

    design: Design
    classes: int

    def zero(self) -> list[NDArray[np.bool_]]:
        """Return the total of no rows."""
        d = self.design
        sizes = [d.size, len(d.dense), *(len(t.words) + 1 for t in d.texts)]
        return [np.zeros((size, self.classes), np.bool_) for size in sizes]

    def add(self, total: list[NDArray[np.bool_]], block: Block) -> list[NDArray[np.bool_]]:
        """Add the rows of one block."""
        assert block.classes is not None
        met, there, *words = total
        d, classes = self.design, np.asarray(block.classes)
        counts = np.ones(len(classes), np.bool_) if block.weights is None else block.weights > 0
        met[0, classes[counts]] = True
        for j, column in enumerate(d.dense):
            if column.missing:
                gone = column.values(block) > 0
                met[1 + j, classes[counts & gone]] = True
                there[j, classes[counts & ~gone]] = True
        for coded in d.coded:
            codes = block.codes(coded.column.name)[counts].astype(np.int64)
            met[d.cell(coded) + codes, classes[counts]] = True
        for text, table in zip(d.texts, words, strict=True):
            starts, word, _ = block.words(text.name)
            row = np.repeat(np.arange(len(classes)), np.diff(starts))
            kept = counts[row]
            table[word[kept], classes[row[kept]]] = True
        return total

    def merge(
        self, total: list[NDArray[np.bool_]], other: list[NDArray[np.bool_]]
    ) -> list[NDArray[np.bool_]]:
        """Join two totals."""
        for a, b in zip(total, other, strict=True):
            a |= b
        return total
