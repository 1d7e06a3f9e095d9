"""Questions that go along with others: what a model file tells of its rows costs no walk of its own.

    1st walk    what is asked    and the fingerprint, and how the numbers of each column are spread
    2nd walk    what is asked    and the values at the wanted ranks

Knows the questions of a profile. Knows nothing of Spark.
Law: what is told is what a walk for that question alone would tell.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from tallystick.contracts import Statistic
from tallystick.data.schema import Schema
from tallystick.stats.distribution import Near, Spreads, same_question
from tallystick.stats.finer_cells import to_divide
from tallystick.stats.profile import numbers_together, spreads_of, wanted_cells


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
