"""Numeric columns converted to doubles on first use: a first pass reads them in their own type.

`Doubles` converts a whole matrix once; `LaterColumn` is one column of it; `LaterColumns` a table's mapping.
`raw_column()`, `raw_values()`: the numbers in their own type, for readers that need no doubles.

Law: the result is that of `astype`, without -0.0; it is made once, whoever asks.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from tallystick.contracts import Block, Table
from tallystick.parallel import each_in_order

STEP = 1 << 18  # numbers per job of a thread
NEAR = 1 << 15  # numbers converted at once, whose doubles stay in the cache


class Doubles:
    """The doubles of numbers [row, column] of another type, or of doubles among which -0.0 is, laid out
    alike, or by_columns, which takes longer. zeros: -0.0 may be among them.
    """

    def __init__(self, numbers: NDArray[Any], threads: int, zeros: bool, by_columns: bool = False) -> None:
        self.numbers, self.threads, self.zeros = numbers, threads, zeros
        self._order: Literal["F", "K"] = "F" if by_columns else "K"
        self._made: NDArray[np.float64] | None = None
        self._lock = threading.Lock()

    def made(self) -> NDArray[np.float64]:
        """Return the doubles."""
        with self._lock:
            if self._made is None:
                out = np.empty_like(self.numbers, np.float64, order=self._order)
                starts = range(0, len(out), self._rows(STEP))
                each_in_order(partial(self._make, out), starts, self.threads)
                self._made = self.numbers = out  # the originals are released
            return self._made

    def _rows(self, numbers: int) -> int:
        """Return how many rows have so many numbers."""
        width: int = self.numbers.shape[1]
        return max(numbers // max(width, 1), 1)

    def _make(self, out: NDArray[np.float64], start: int) -> None:
        near = self._rows(NEAR)
        for at in range(start, min(start + self._rows(STEP), len(out)), near):
            some = out[at : at + near]
            some[...] = self.numbers[at : at + near]
            if self.zeros:
                some += 0.0


@dataclass(frozen=True, slots=True)
class LaterColumn:
    """One column of such numbers, or some rows of it."""

    of: Doubles
    j: int
    start: int = 0
    stop: int | None = None

    def __len__(self) -> int:
        return len(self.lying)

    @property
    def lying(self) -> NDArray[Any]:
        """The numbers in their own type."""
        return self.of.numbers[self.start : self.stop, self.j]

    def made(self) -> NDArray[np.float64]:
        """Return the column as doubles."""
        return self.of.made()[self.start : self.stop, self.j]


class LaterColumns(Mapping[str, Any]):
    """The columns of a table or block, some of which become doubles when they are asked for."""

    def __init__(self, given: Mapping[str, Any]) -> None:
        self.given = given

    def __getitem__(self, name: str) -> Any:
        data = self.given[name]
        return data.made() if isinstance(data, LaterColumn) else data

    def __iter__(self) -> Iterator[str]:
        return iter(self.given)

    def __len__(self) -> int:
        return len(self.given)

    def __reduce__(self) -> Any:
        return dict, (dict(self),)


def raw_column(table: Table, name: str) -> NDArray[Any]:
    """Return a whole column of numbers in its own type, if it was not converted to doubles yet."""
    from tallystick.table import table as memory  # a model is loaded without tables

    found = _lying(table.columns, name) if isinstance(table, memory.LocalTable) else None
    return table.column(name) if found is None else found


def raw_values(block: Block, name: str) -> NDArray[Any]:
    """Return the same of a block."""
    from tallystick.table import block as memory

    found = _lying(block.columns, name) if isinstance(block, memory.RowBlock) else None
    return block.values(name) if found is None else found


def _lying(columns: Mapping[str, Any], name: str) -> NDArray[Any] | None:
    data = columns.given.get(name) if isinstance(columns, LaterColumns) else None
    return data.lying if isinstance(data, LaterColumn) else None
