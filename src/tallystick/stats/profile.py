"""What rows look like, and what a model answers to them: the sums of a profile.

Knows blocks and models. Law: whole numbers that add, so any order and any cut of the rows gives the same.
Values of numbers are exact order statistics: equal cells between the lowest and the highest tell where each
lies, then the values of those cells are asked for.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tallystick import kernels
from tallystick.contracts import Block, Model
from tallystick.data.schema import Schema
from tallystick.data.table.subset import take_block
from tallystick.models.profile import PERCENTS, STEPS
from tallystick.stats.distribution import Grid, Spreads, cells_for
from tallystick.stats.quantiles import Counts

TARGET, ANSWERS = "target", "answers"  # the two columns that `Instead` shows
ROWS = 1 << 19  # shares that are held at once, in some six forms of 8 bytes
CELLS = 1 << 12  # of a column, at most: the counts of a few columns stay in the cache
TOGETHER = 256  # numeric columns that are asked for at once
Ends = tuple[str, float, float]  # a column with its lowest and highest number


def spreads_of(ends: list[Ends], rows: int) -> Spreads:
    """Return the question for the rows in cells of columns of numbers."""
    cells = min(cells_for(rows), CELLS)
    grids = tuple(Grid(name, low, high, cells) for name, low, high in ends)
    return Spreads(grids, (0,) * len(grids))


def numbers_together(schema: Schema) -> list[list[Ends]]:
    """Return the columns of numbers that have any, as many as are asked for at once."""
    ends = [
        (c.name, c.low, c.high)
        for c in schema.used
        if c.kind == "numeric" and c.low is not None and c.high is not None
    ]
    return [ends[start : start + TOGETHER] for start in range(0, len(ends), TOGETHER)]


def wanted_ranks(rows: int) -> NDArray[np.int64]:
    """Return the ranks, from 1, of the values at PERCENTS of so many rows."""
    return np.array([max(-(-rows * percent // 100), 1) for percent in PERCENTS], np.int64)


def wanted_cells(cells: Counts) -> NDArray[np.bool_]:
    """Return the cells in which the wanted ranks lie."""
    there = np.zeros(len(cells), bool)
    there[np.searchsorted(np.cumsum(cells), wanted_ranks(int(cells.sum())), side="left")] = True
    return there


@dataclass(frozen=True)
class Untold:
    """Ask a question of rows as if they had no target."""

    question: Any

    def zero(self) -> Any:
        """Return the total of no rows."""
        return self.question.zero()

    def add(self, total: Any, block: Any) -> Any:
        """Add the rows of one block."""
        return self.question.add(total, replace(block, classes=None))

    def merge(self, total: Any, other: Any) -> Any:
        """Add two totals."""
        return self.question.merge(total, other)


@dataclass(frozen=True)
class Instead:
    """Ask a question of two numbers in the place of the columns: TARGET, the row's response, and ANSWERS,
    what a regression answers to it.
    """

    model: Model
    question: Any

    def zero(self) -> Any:
        """Return the total of no rows."""
        return self.question.zero()

    def add(self, total: Any, block: Any) -> Any:
        """Add the rows of one block."""
        answers = np.ascontiguousarray(self.model.shares(block)[:, 0])
        return self.question.add(
            total, replace(block, columns={TARGET: block.response, ANSWERS: answers}, memo={})
        )

    def merge(self, total: Any, other: Any) -> Any:
        """Add two totals."""
        return self.question.merge(total, other)


class AnswerSums(NamedTuple):
    """Rows of each class, rows answered with each, and shares[class * STEPS + step]."""

    classes: Counts
    given: Counts
    shares: Counts


def not_told(model: Model, unit: int) -> None:
    """Nothing: of most models the counts do not tell what they answer, and the rows are asked."""


@dataclass(frozen=True)
class AnswerCounts:
    """Ask for the classes of the rows and for what a model answers to them."""

    model: Model
    classes: int

    def zero(self) -> AnswerSums:
        """Return the total of no rows."""
        sizes = (self.classes, self.classes, self.classes * STEPS)
        return AnswerSums(*(np.zeros(size, np.int64) for size in sizes))

    def add(self, total: AnswerSums, block: Block) -> AnswerSums:
        """Add the rows of one block."""
        size = max(ROWS // self.classes, 1)
        if block.rows > size:  # a model of many classes answers a few rows at a time
            for start in range(0, block.rows, size):
                some = np.arange(start, min(start + size, block.rows))
                total = self.add(total, take_block(block, some))
            return total
        assert block.classes is not None
        shares, weights = self.model.shares(block), block.weights
        kernels.count_classes(block.classes, self.classes, weights, total.classes)
        given = self.model.decide(shares).astype(np.uint32)
        kernels.count_classes(given, self.classes, weights, total.given)
        first = np.arange(self.classes, dtype=np.uint32) * STEPS
        places = first + np.minimum(shares * STEPS, STEPS - 1).astype(np.uint32)
        own = None if weights is None else np.repeat(weights, self.classes)
        kernels.count_classes(places.ravel(), self.classes * STEPS, own, total.shares)
        return total

    def merge(self, total: AnswerSums, other: AnswerSums) -> AnswerSums:
        """Add two totals."""
        for mine, theirs in zip(total, other, strict=True):
            mine += theirs
        return total
