"""What rows look like, and what a model answers to them: the sums of a profile.

Knows blocks and models. Law: whole numbers that add, so any order and any cut of the rows gives the same.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from tallystick import kernels
from tallystick.contracts import Block, Model
from tallystick.models.profile import STEPS
from tallystick.stats.quantiles import Counts

TARGET, ANSWERS = "target", "answers"  # the two columns that `Instead` shows
ROWS = 1 << 22  # shares that are held at once


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
        assert block.classes is not None
        shares, weights = self.model.shares(block), block.weights
        kernels.count_classes(block.classes, self.classes, weights, total.classes)
        given = self.model.decide(shares).astype(np.uint32)
        kernels.count_classes(given, self.classes, weights, total.given)
        first = np.arange(self.classes, dtype=np.uint32) * STEPS
        size = max(ROWS // self.classes, 1)
        for start in range(0, block.rows, size):
            some = shares[start : start + size]
            places = first + np.minimum(some * STEPS, STEPS - 1).astype(np.uint32)
            own = None if weights is None else np.repeat(weights[start : start + size], self.classes)
            kernels.count_classes(places.ravel(), self.classes * STEPS, own, total.shares)
        return total

    def merge(self, total: AnswerSums, other: AnswerSums) -> AnswerSums:
        """Add two totals."""
        for mine, theirs in zip(total, other, strict=True):
            mine += theirs
        return total
