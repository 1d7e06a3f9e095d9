"""The memory that a growing tree takes, and how it keeps to a budget.

A column of numbers is a list of rows in the order of its values. It is read and written from its beginning to
its end, so it may lie on disk. Knows sizes. Knows nothing of rows, scores or files.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tallystick.stats.split_search import GrowingTree

GROWING = 40  # bytes that a row takes in two threads, beside its numbers in order
PARTING = 4  # and more for every other thread
SORTING = 32  # and more for every thread that puts a column in order
HALF = 1 << 30  # rows from which an entry of an order takes 8 bytes, about
TOLD_TEST, TOLD_COUNT = 96, 16  # bytes that a test that was not made takes, while it is told, and its counts
MANY = 1 << 16  # threads: more than there are


@dataclass(frozen=True)
class GrowingRoom:
    """What a budget of bytes leaves to a tree of some rows; 0: there is none. numbers: columns in order."""

    rows: int
    numbers: int
    budget: int = 0

    @property
    def on_disk(self) -> bool:
        """Do the orders lie on disk?"""
        return bool(self.budget) and 2 * self._ordered * self.rows > self.budget

    @property
    def workers(self) -> int:
        """How many threads may grow at once."""
        return self._at_once(self._free - SORTING + 2 * PARTING, PARTING)

    @property
    def sorters(self) -> int:
        """How many of them may put a column in order at once."""
        return self._at_once(self._free, SORTING)

    @property
    def _ordered(self) -> int:
        """Bytes that a row takes with all its numbers in order."""
        return GROWING + (8 if self.rows >= HALF else 4) * self.numbers

    @property
    def _free(self) -> int:
        """Bytes of the budget that are left for a row."""
        return self.budget // max(self.rows, 1) - (GROWING if self.on_disk else self._ordered)

    def _at_once(self, free: int, each: int) -> int:
        return max(1, free // each) if self.budget else MANY


NO_BUDGET = GrowingRoom(0, 0)


def most_rows(budget: int) -> int:
    """Return how many rows a budget has room for, their numbers being in order on disk."""
    return budget // (2 * GROWING)


def holds_tree(question: GrowingTree, rows: int, budget: int, depth: int = 0) -> bool:
    """Say whether a budget, 0 being none, has room for a tree of some rows that stand at a node of this
    depth, its numbers being in order on disk.
    """
    return not budget or 2 * (GROWING * rows + _tried(question, rows, depth)) <= budget


def _tried(question: GrowingTree, rows: int, depth: int) -> int:
    """Return about how many bytes the tests take that were not made."""
    if not question.keep_tried:
        return 0
    sizes = (len(question.schema.used[j].levels) for j in question.columns)
    widest = 2 if question.rules.groups else max([2, *sizes])
    below = min(max(question.rules.max_depth - depth, 0), 40)  # beyond, rows are the limit
    each = TOLD_TEST + TOLD_COUNT * ((len(question.labels) or 1) + 1)
    return each * len(question.columns) * min(_tests(question, rows), int(widest**below))


def _tests(question: GrowingTree, rows: int) -> int:
    """Return about how many nodes of a tree without limits are looked at, where numbers tell nothing of the
    classes: with two classes one for 2.0, 2.7, 3.5, 4.4, 5.3 and 6.4 rows of 1, 2, 4, 8, 15 and 30 columns,
    with more of them up to twice as many.
    """
    few = len(question.labels) == 2
    return (1 if few else 2) * rows // (1 + len(question.columns).bit_length())
