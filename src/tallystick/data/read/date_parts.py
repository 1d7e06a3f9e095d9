"""New cells of dates to one of their parts: a number, or the code of a weekday.

Knows what matchers read. Knows nothing of how dates are written.
Law: the part is that of the number of days which the column of dates itself gets.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from numpy.typing import NDArray

from tallystick.data.dates import part_values, weekday_codes
from tallystick.data.read.matcher import Found, Matcher
from tallystick.data.schema import Column


class PartMatcher(Matcher):
    """New cells of dates to a part of them."""

    def __init__(self, column: Column, marks: tuple[str, ...], decimal: str, inf_missing: bool) -> None:
        super().__init__(column, marks, decimal, inf_missing)
        whole = Column(column.of, "numeric", unit="date", written=column.written, marks=column.marks)
        self.days = Matcher(whole, marks, decimal, inf_missing)

    def run(self, cells: Any, rows: int) -> Found:
        """Return the column of one batch; what is not a date is counted at the dates themselves."""
        found = self.days.run(cells, rows)
        return replace(found, data=self._part(found.data), unreadable=0)

    def part(self, found: Any) -> NDArray[Any]:
        """Return the part of cells that were read before."""
        return self._part(self.days.numbers(found))

    def _part(self, days: NDArray[Any]) -> NDArray[Any]:
        values = part_values(days, self.column.part)
        return weekday_codes(values) if self.column.part == "weekday" else values


def matcher_of(column: Column, marks: tuple[str, ...], decimal: str, inf_missing: bool) -> Matcher:
    """Return what reads the cells of a column."""
    kind = PartMatcher if column.part else Matcher
    return kind(column, marks, decimal, inf_missing)
