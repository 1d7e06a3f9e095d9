"""Hash sample of a table's numbers: the values of least hashes and their rows, picked while it was read.

Entry: `take_picked()`; `PickedPart` holds some rows, `PickedNumbers` all. limit = the highest hash picked.
Law: what is known is what a pass over the rows would pick with the same limit.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tallystick.contracts import Table as Tabular

ALL = (1 << 64) - 1  # the highest hash
MARGIN = 1.08  # factor of a guessed limit: seven standard deviations of the number picked
MOST = 0.25  # share of the hashes beyond which all values are taken
SIZE = 1 << 13  # distinct values of a sample
ROOM = 1.25  # buffer size over the rows expected where all values are distinct

Found = tuple[int, NDArray[np.int64], NDArray[np.float64]]  # the first row, rows after it, and values


def first_share(size: int, rows: int) -> float:
    """Return the share of the hashes that holds `size` values, if all are different."""
    return MARGIN * size / max(rows, 1)


def limit_of(share: float) -> int:
    """Return the highest of a share of the hashes."""
    return min(int(share * ALL), ALL)  # as a double, ALL is one more


def least_limit(rows: int) -> int:
    """Return the highest hash of rows that surely have some more than SIZE below it, if they all differ; 0
    where all rows are as few.
    """
    return limit_of(min(first_share(SIZE + 1, rows), 1.0)) if rows > SIZE else 0


class PickedPart(NamedTuple):
    """What was picked of some rows, those from `start` on: rows and values [column, place], found[column] of
    them; a column that filled its room was not looked at to the end.
    """

    start: int
    limits: NDArray[np.uint64]
    found: NDArray[np.int64]
    rows: NDArray[np.int64]
    values: NDArray[np.float64]

    @classmethod
    def empty(cls, start: int, columns: int, rows: int, share: float, gaps: float = 0.0) -> PickedPart:
        """Return room for what will be picked of so many rows. gaps: the share of missing cells, which
        are all picked.
        """
        shape = columns, int(ROOM * (share + gaps) * rows) + 64
        limits = np.full(columns, limit_of(share), np.uint64)
        return cls(start, limits, np.zeros(columns, np.int64), np.empty(shape, np.int64), np.empty(shape))

    def column(self, j: int) -> Found | None:
        """Return what was found of a column; None: it was not looked at to the end."""
        n = int(self.found[j])
        return None if n == self.rows.shape[1] else (self.start, self.rows[j, :n], self.values[j, :n])


class PickedNumbers(NamedTuple):
    """What was picked of all rows with one limit for all columns."""

    limit: int
    names: tuple[str, ...]
    parts: tuple[PickedPart, ...]

    def column(self, name: str, limit: int) -> list[Found] | None:
        """Return what is within a limit of a column, part by part; None: it is not known."""
        if limit != self.limit or name not in self.names:
            return None
        parts = [part.column(self.names.index(name)) for part in self.parts]
        whole = [part for part in parts if part is not None]
        return whole if len(whole) == len(parts) else None

    def so_far(self, name: str) -> list[Found]:
        """Return what there was room for of a column."""
        j = self.names.index(name)
        counts = [int(part.found[j]) for part in self.parts]
        return [(p.start, p.rows[j, :n], p.values[j, :n]) for p, n in zip(self.parts, counts, strict=True)]


def take_picked(table: Tabular) -> PickedNumbers | None:
    """Return what was picked while the table was read, which does not hold it any longer; None: nothing."""
    from tallystick.table.table import LocalTable as Table  # a model is loaded without tables

    if not isinstance(table, Table):
        return None
    picked, table._picked = table._picked, None
    return picked
