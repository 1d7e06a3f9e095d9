"""Questions that go along with others: what a model file tells of its rows costs no walk of its own.

    1st walk    what is asked    and the fingerprint, and how the numbers of each column are spread
    2nd walk    what is asked    and the values at the wanted ranks

Where a tree asks for the same in finer cells, its answer tells both.
Knows the questions of a profile and of a tree. Knows nothing of Spark.
Law: what is told is what a walk for that question alone would tell.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from tallystick.contracts import Statistic
from tallystick.data.schema import Schema
from tallystick.stats.coarser_cells import among, in_one, summed, tells
from tallystick.stats.distribution import Near, Spreads, same_question
from tallystick.stats.finer_cells import to_divide
from tallystick.stats.fingerprint import Both
from tallystick.stats.profile import numbers_together, spreads_of, wanted_cells
from tallystick.stats.shortcuts import spreads_in

Parted = Callable[[Any], tuple[Any, Any]]  # the total of one walk to those of two questions


@dataclass
class Along:
    """What goes along with the next walks over the rows of a table, and what was told."""

    schema: Schema
    rows: int
    told: list[tuple[Any, Any]] = field(default_factory=list)  # question, total

    def next(self) -> Spreads | Near | None:
        """Return what goes along with the next walk, None: nothing; of very many columns the first ones."""
        if not self.told:
            together = numbers_together(self.schema)
            return spreads_of(together[0], self.rows) if together else None
        if len(self.told) > 1:
            return None
        spreads, total = self.told[0]
        cells = [spread.cells for spread in total]
        there = [wanted_cells(own) for own in cells]
        crowded = to_divide(spreads.grids, cells, there)  # asked for in finer cells first
        return None if crowded else Near(spreads.grids, tuple(there))

    def take(self, question: Statistic[Any], total: Any) -> None:
        """Take in what was told."""
        self.told.append((question, total))

    def known(self, question: Statistic[Any]) -> Any:
        """Return the total of a question that went along with another; None: it did not."""
        return next((total for asked, total in self.told if same_question(asked, question)), None)


def in_one_walk(question: Any, more: Spreads | Near) -> tuple[Any, Parted]:
    """Return what is asked where one question goes along with another, and how the total is parted."""
    spreads = spreads_in(question)
    if isinstance(more, Spreads) and spreads is not None and tells(spreads, more):
        return question, lambda total: (total, summed(spreads, more, total.values))
    if isinstance(more, Near) and isinstance(question, Near) and (one := in_one(question, more)) is not None:
        return one, lambda total: (among(question, one, total), among(more, one, total))
    return Both(question, more), tuple
