"""Numbers that become doubles as tables have them when somebody asks: what goes along with the first look
at a matrix reads them as they lie, and a fit that needs no more never asks.

Knows arrays and threads. Knows nothing of schemas or sources.
Law: what is made is what `astype` makes, without -0.0; it is made once, whoever asks.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallystick.contracts import Table as Tabular
from tallystick.data.threads import in_order

STEP = 65_536  # rows that a thread takes at once
NEAR = 2_048  # of these, those whose doubles stay near


class Doubles:
    """The doubles of numbers [row, column] of another type, or of doubles among which -0.0 is, laid out
    alike. zeros: -0.0 may be among them.
    """

    def __init__(self, numbers: NDArray[Any], threads: int, zeros: bool) -> None:
        self.numbers, self.threads, self.zeros = numbers, threads, zeros
        self._made: NDArray[np.float64] | None = None
        self._lock = threading.Lock()

    def made(self) -> NDArray[np.float64]:
        """Return them."""
        with self._lock:
            if self._made is None:
                out = np.empty_like(self.numbers, np.float64)
                starts = range(0, len(out), STEP)
                for _ in in_order((partial(self._make, out, start) for start in starts), self.threads):
                    pass
                self._made = out
            return self._made

    def _make(self, out: NDArray[np.float64], start: int) -> None:
        for at in range(start, min(start + STEP, len(out)), NEAR):
            some = out[at : at + NEAR]
            some[...] = self.numbers[at : at + NEAR]
            if self.zeros:
                some += 0.0


@dataclass(frozen=True, slots=True)
class LaterColumn:
    """One column of such numbers."""

    of: Doubles
    j: int

    def __len__(self) -> int:
        return len(self.of.numbers)

    @property
    def lying(self) -> NDArray[Any]:
        """The numbers as they lie."""
        return self.of.numbers[:, self.j]

    def made(self) -> NDArray[np.float64]:
        """Return the column as doubles."""
        return self.of.made()[:, self.j]


class LaterColumns(Mapping[str, Any]):
    """The columns of a table, some of which become doubles when they are asked for."""

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


def as_it_lies(table: Tabular, name: str) -> NDArray[Any]:
    """Return a whole column of numbers as it lies: of any type, where it waits to become doubles."""
    from tallystick.data.table.table import Table  # a model is loaded without tables

    columns = table.columns if isinstance(table, Table) else {}
    data = columns.given.get(name) if isinstance(columns, LaterColumns) else None
    return data.lying if isinstance(data, LaterColumn) else table.column(name)
