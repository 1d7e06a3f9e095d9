"""Long stretches of a text file whose rows line feeds alone tell apart: read once, and not copied.

Knows bytes of a file. Knows nothing of separators or cells. Law: a stretch is whole rows without a quote
or a NUL byte; what is not such, and the end of the file, is left to `csv_rows.row_blocks`.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import IO, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tallystick import kernels
from tallystick.io.csv_rows import NEAR
from tallystick.io.source import cannot_read

TAIL = 1 << 14  # bytes at the end of a file: totals and footers are told there


class BareRows(NamedTuple):
    """Whole rows of a file, as `bytes.Walked` has them.

    text: their bytes; at: their first byte below the header. easy: all is ASCII, and
    without the byte that was asked for. about: lines of the whole file, if all are as long as these.
    """

    text: NDArray[np.uint8]
    at: int
    line: int
    lines: int
    easy: bool
    about: int
    doubtful: bool = False

    @property
    def block(self) -> bytes:
        """The rows."""
        return self.text.tobytes()


def stretches(path: str, where: str, start: int, line: int, size: int, asked: int) -> Iterator[BareRows]:
    """Yield stretches of at most `size` bytes from a byte of a file on, as far as they go; its last bytes,
    at least TAIL, are left, and a file of few stretches is left whole. line: the number of the first one;
    asked: see BareRows.
    """
    begin, rest = start, np.empty(0, np.uint8)
    try:
        with open(path, "rb", buffering=0) as file:
            whole = os.fstat(file.fileno()).st_size
            file.seek(begin)
            while whole > 2 * size and (left := whole - TAIL - begin) > 0:
                text = np.empty(min(size, left), np.uint8)
                found = None if len(rest) > len(text) else _next(file, text, rest, asked)
                if found is None:
                    return
                end, lines, easy = found
                about = lines * (whole - start) // end + 1
                yield BareRows(text[:end], begin - start, line, lines, easy, about)
                begin, line, rest = begin + end, line + lines, text[end:].copy()
    except OSError as error:
        raise cannot_read(where, error) from None


def _next(
    file: IO[bytes], text: NDArray[np.uint8], rest: NDArray[np.uint8], asked: int
) -> tuple[int, int, bool] | None:
    """Read the next bytes behind those that are there, the rest of a row; return where the last row ends, how
    many lines there are, and whether they are easy; None where they are not plain rows.
    """
    text[: len(rest)] = rest
    seen, full, end, lines, easy = 0, len(rest), 0, 0, True
    while seen < len(text):
        done = file.readinto(text[full : full + NEAR].data)  # type: ignore[attr-defined]
        if not done and full < len(text):
            return None
        full += done
        look = kernels.look_at_text(text[seen:full], asked)
        if look.odd:
            return None
        end = seen + look.end if look.end else end
        lines, easy, seen = lines + look.lines, easy and not look.beyond and not look.holds, full
    return (end, lines, easy) if end else None
