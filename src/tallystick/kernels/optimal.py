"""The best tree of a small depth: the door to the kernels that search for it.

A `Search` is a job in rounds, so that the caller's threads can share it: while `plan` names some cuts,
`evaluate` each of them, in any order and at once, then `merge`. Arrays given to it are kept alive and must
not change.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tallystick import _kernels
from tallystick.kernels import check

__all__ = ["FORMS", "MOST_KEY", "Search", "SearchColumn", "TestFound"]

FORMS = ("two", "classes", "any")  # how losses are made: optimal/table.hpp
MOST_KEY = (2**63 - 1) // 4  # keys stay below


class SearchColumn(NamedTuple):
    """codes[row] of one column, k is missing; levels: each against the rest, else cut in their order."""

    levels: bool
    k: int
    codes: NDArray[np.uint32]


class TestFound(NamedTuple):
    """A node of the best tree, depth first. column -1: a leaf. low, high: the codes a cut lies between; of
    levels, low is the one on the left. high == k: missing rows are alone on the right. missing: their
    branch, -1 where there were none.
    """

    column: int
    low: int
    high: int
    missing: int


class Search:
    """loss[row, answer], floor[row]: what no tree saves; a tree's key is loss * worth + leaves * leaf."""

    def __init__(
        self,
        columns: Sequence[SearchColumn],
        form: str,
        loss: NDArray[np.int64],
        floor: NDArray[np.int64],
        worth: int,
        leaf: int,
    ) -> None:
        if form not in FORMS:
            raise ValueError(f"form must be one of {FORMS}, not {form!r}")
        rows = len(loss)
        check.array("loss", loss, "int64", (rows, None))
        check.array("floor", floor, "int64", (rows,))
        self._kept = (columns, loss, floor)
        self._job = _kernels.OptimalTree()
        for column in columns:
            check.array("codes", column.codes, "uint32", (rows,))
            self._job.add_column(column.levels, column.k, column.codes)
        self._job.set_rows(FORMS.index(form), loss, floor, worth, leaf)

    def start(self, depth: int, leaves: int, max_work: int | None, seconds: float | None) -> None:
        """Begin: the tree has at most this depth and so many leaves. Limits may be None."""
        most = MOST_KEY if max_work is None else min(max_work, MOST_KEY)
        self._job.start(min(depth, 1000), leaves, most, -1.0 if seconds is None else seconds)

    def plan(self) -> int:
        """Return how many cuts are to be evaluated now; 0: the search is over."""
        return int(self._job.plan())

    def evaluate(self, number: int) -> None:
        """Look at one of the cuts planned."""
        self._job.evaluate(number)

    def merge(self) -> None:
        """Take in what was found. Cuts that were not evaluated end the search."""
        self._job.merge()

    def stop(self) -> None:
        """Let all steps that run now, or later, return soon; `merge` then ends the search."""
        self._job.stop()

    @property
    def tests(self) -> list[TestFound]:
        """The best tree so far."""
        return [TestFound(*t) for t in self._job.tests()]

    @property
    def key(self) -> int:
        """The key of the best tree so far."""
        return int(self._job.key)

    @property
    def bound(self) -> int:
        """No tree has a smaller key."""
        return int(self._job.bound)

    @property
    def work(self) -> int:
        """Rows times columns looked at so far."""
        return int(self._job.work)
