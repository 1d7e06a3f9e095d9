"""Room for the numbers of all batches where the table will have them, taken before all rows are known.

Knows names of columns, rows and memory. Knows nothing of cells or decisions.
Law: a batch lies where the lines before it say; where those are not all rows, or are more than were expected,
a column is joined as if nothing had a place.
"""

from __future__ import annotations

from collections.abc import Sequence
from threading import Lock

import numpy as np
from numpy.typing import NDArray

from tallystick.data.source.scratch import ScratchFile, padded

Values = NDArray[np.float64]


def expected(rows: int) -> int:
    """Return for how many rows there shall be room, where there are about so many."""
    return rows + rows // 64 + 1_000


class PlacesInMemory:
    """Columns in memory, an array each: one large array would be given large pages, which take long where the
    system has to find them first. What is not written to takes no memory.
    """

    def __init__(self) -> None:
        self.values: dict[str, Values] = {}

    def expect(self, names: Sequence[str], rows: int) -> None:
        """Take room for about so many rows of these columns, if it can be had."""
        try:
            self.values = {name: np.empty(expected(rows)) for name in names}
        except MemoryError:
            self.values = {}

    def of(self, names: Sequence[str], row: int, rows: int) -> list[Values] | None:
        """Return the places of some rows of these columns; None: there are none."""
        found = [self.values[name][row : row + rows] for name in names if name in self.values]
        return found if len(found) == len(names) and all(len(v) == rows for v in found) else None

    def joined(self, name: str, read: Sequence[Values | None], parts: Sequence[Values]) -> Values:
        """Return the parts of a column one after the other: where they lie, with those put there that lie
        elsewhere. read: the numbers that the parts were made of, where they are numbers.
        """
        size, whole = sum(map(len, parts)), self.values.get(name)
        if whole is None or size > len(whole):
            return np.concatenate(parts)
        begin, row, away = _address(whole), 0, []
        for before, part in zip(read, parts, strict=True):
            if _address(part) != begin + 8 * row:
                if before is not None and np.may_share_memory(before, whole):
                    return np.concatenate(parts)  # it lies where it does not belong, or others read it there
                away.append((row, part))
            row += len(part)
        for row, part in away:
            whole[row : row + len(part)] = part
        return whole[:size]


class PlacesOnDisk:
    """Columns in a scratch file, one after the other. The first batch says which."""

    def __init__(self) -> None:
        self.begins: dict[str, int] = {}  # the first byte of each column
        self.file: ScratchFile | None = None
        self.rows, self._first = 0, Lock()

    def expect(self, names: Sequence[str], rows: int) -> None:
        """Say that there are about so many rows."""
        self.rows = expected(rows)

    def of(self, names: Sequence[str], row: int, rows: int) -> None:
        """Numbers are read into memory, and written from there."""
        return

    def take(self, names: Sequence[str]) -> None:
        """Take room for these columns of numbers, if nobody took any before."""
        with self._first:
            if self.rows and self.file is None:
                size = padded(8 * self.rows)
                self.file = ScratchFile()
                self.file.reserve(size * len(names))
                self.begins = {name: j * size for j, name in enumerate(names)}

    def write(self, name: str, row: int, values: Values) -> bool:
        """Write numbers of a column in their place, from a row on, if there is one; any thread may."""
        if self.file is None or name not in self.begins or row + len(values) > self.rows:
            return False
        self.file.write(values, self.begins[name] + 8 * row)
        return True

    def read(self, name: str, row: int, rows: int) -> bytes:
        """Return numbers of a column that were written."""
        assert self.file is not None
        return self.file.read(self.begins[name] + 8 * row, 8 * rows)

    def columns(self) -> dict[str, tuple[ScratchFile, int]]:
        """Return where each column begins."""
        return {} if self.file is None else {name: (self.file, at) for name, at in self.begins.items()}

    def close(self) -> None:
        """Give the room back, once no array holds it."""
        if self.file is not None:
            self.file.close()


def _address(values: Values) -> int:
    """Return where numbers lie."""
    return int(values.__array_interface__["data"][0])
