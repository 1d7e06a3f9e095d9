"""Room for the numbers of all batches where the table will have them, taken before all rows are known.

Knows names of columns, rows and memory. Knows nothing of cells or decisions.
Law: a batch lies where the lines before it say; where those are not all rows, or are more than were expected,
a column is joined as if nothing had a place.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from threading import Lock

import numpy as np
from numpy.typing import NDArray

from tallystick.data.source.scratch import ScratchFile, padded
from tallystick.errors import DataError

Values = NDArray[np.float64]


def expected(rows: int) -> int:
    """Return for how many rows there shall be room, where there are about so many."""
    return rows + rows // 64 + 1_000


class PlacesInMemory:
    """Columns in memory, an array each: one large array would be given large pages, which take long where the
    system has to find them first. Of a column of texts there is none.
    """

    def __init__(self) -> None:
        self.values: dict[str, Values] = {}
        self.rows, self._first = 0, Lock()

    def expect(self, rows: int) -> None:
        """Say that there are about so many rows."""
        self.rows = expected(rows)

    def of(self, names: Sequence[str], row: int, rows: int) -> list[Values] | None:
        """Return the places of some rows of these columns of numbers; None: there are none. Any thread may
        ask.
        """
        with self._first:
            if row + rows > self.rows or not self._taken(names):
                return None
        return [self.values[name][row : row + rows] for name in names]

    def _taken(self, names: Sequence[str]) -> bool:
        """Take room for columns that have none; say whether it could be had."""
        try:
            self.values |= {name: np.empty(self.rows) for name in names if name not in self.values}
        except MemoryError:
            self.rows = 0
        return self.rows > 0

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
    """Columns in a scratch file, one after the other: those of the first batch that is written."""

    def __init__(self) -> None:
        self.begins: dict[str, int] = {}  # the first byte of each column
        self.file: ScratchFile | None = None
        self.rows, self._first = 0, Lock()

    def expect(self, rows: int) -> None:
        """Say that there are about so many rows; once there is room for them, it is too late."""
        with self._first:
            if self.file is None:
                self.rows = expected(rows)

    def of(self, names: Sequence[str], row: int, rows: int) -> None:
        """Numbers are read into memory, and written from there."""
        return

    def take(self, names: Sequence[str]) -> None:
        """Take room for these columns of numbers, if nobody took any before and there is so much: how many
        rows there are is a guess.
        """
        with self._first:
            if not self.rows or self.file is not None or not names:
                return
            size, file = padded(8 * self.rows), ScratchFile()
            try:
                file.reserve(size * len(names))
            except DataError:
                file.close()
                self.rows = 0
                return
            self.file, self.begins = file, {name: j * size for j, name in enumerate(names)}

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

    def give_back(self, rows: int, names: Collection[str]) -> None:
        """Give the disk back all but so many rows of these columns: how many there are was a guess."""
        if self.file is None:
            return
        taken = padded(8 * self.rows)
        for name, at in self.begins.items():
            needed = 8 * rows if name in names else 0
            self.file.free(taken - needed, at + needed)

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
