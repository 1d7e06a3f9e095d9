"""Long stretches of a text file whose rows line feeds alone tell apart: whoever cuts them reads them.

Knows bytes of a file. Knows nothing of separators or cells.
Law: a stretch is whole rows without a quote or a NUL byte; what is not such, and the end of the file, is left
to `bytes.row_blocks`.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import IO, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tallystick import kernels
from tallystick.contracts import Room
from tallystick.data.source.bytes import NEAR
from tallystick.data.source.stream import cannot_read
from tallystick.errors import DataError

TAIL = 1 << 14  # bytes at the end of a file: totals and footers are told there


class BareRows(NamedTuple):
    """Whole rows of a file, as `bytes.Walked` has them, but not yet read.

    start: their first byte in the file; at: below the header. easy: all is ASCII, and without the byte that
    was asked for.
    """

    path: str
    where: str
    start: int
    size: int
    at: int
    line: int
    lines: int
    easy: bool
    doubtful: bool = False

    @property
    def block(self) -> bytes:
        """The rows; read each time."""
        return self.into(lambda size: np.empty(size, np.uint8)).tobytes()

    def into(self, room: Room) -> NDArray[np.uint8]:
        """Return the rows, in memory that is given."""
        out = room(self.size)
        left = out.data
        try:
            with open(self.path, "rb", buffering=0) as file:
                file.seek(self.start)
                while left and (done := file.readinto(left)):
                    left = left[done:]
        except OSError as error:
            raise cannot_read(self.where, error) from None
        if left:
            raise DataError(f"{self.where} became shorter while it was read. Read it again.")
        return out


def stretches(path: str, where: str, start: int, line: int, size: int, asked: int) -> Iterator[BareRows]:
    """Yield stretches of at most `size` bytes from a byte of a file on, as far as they go; its last bytes,
    at least TAIL, are left, and a file of few stretches is left whole. line: the number of the first one;
    asked: see BareRows.
    """
    room, begin = np.empty(min(size, NEAR), np.uint8), start
    try:
        with open(path, "rb", buffering=0) as file:
            whole = os.fstat(file.fileno()).st_size
            while whole > 2 * size and (left := whole - TAIL - begin) > 0:
                file.seek(begin)
                found = _next(file, min(size, left), asked, room)
                if found is None:
                    return
                end, lines, easy = found
                yield BareRows(path, where, begin, end, begin - start, line, lines, easy)
                begin, line = begin + end, line + lines
    except OSError as error:
        raise cannot_read(where, error) from None


def _next(file: IO[bytes], size: int, asked: int, room: NDArray[np.uint8]) -> tuple[int, int, bool] | None:
    """Return where the last row of the next bytes ends, how many lines they have, and whether they are easy;
    None where they are not plain rows.
    """
    seen, end, lines, easy = 0, 0, 0, True
    while seen < size:
        done = file.readinto(room[: size - seen].data)  # type: ignore[attr-defined]
        look = kernels.look_at_text(room[:done], asked)
        if not done or look.odd:
            return None
        end = seen + look.end if look.end else end
        lines, easy, seen = lines + look.lines, easy and not look.beyond and not look.holds, seen + done
    return (end, lines, easy) if end else None
