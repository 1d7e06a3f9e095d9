"""The only door to compiled code: checks dtype, shape and order, names the wrong argument, then calls.

Knows arrays. Knows nothing of columns, schemas or files. Nothing is checked again on the other side.
Law: every kernel has a twin in tests/reference.py that gives the same bits.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallystick import _kernels

# ---- text: cells to numbers ----


class CellKind(IntEnum):
    """What a text cell is once surrounding ASCII white space is gone."""

    MISSING = 0  # null, or one of the marks
    NUMBER = 1  # 3.14, 1e5, 7.
    INTEGER = 2  # 42, -0, +7; exact as a double
    LEADING_ZEROS = 3  # 00123
    INEXACT = 4  # an integer that no double holds exactly
    INFINITE = 5  # inf, -Infinity, 1e999
    BOOLEAN = 6  # true, false in any letter case
    DATE = 7  # 2012-03-04, 2012-03-04T05:06:07+01:00
    THOUSANDS = 8  # 1,234
    OTHER_DECIMAL = 9  # 3,14 where the decimal mark is a point; 3.14 where it is a comma
    PERCENT = 10  # 12 %
    CURRENCY = 11  # $5, 5 €
    OTHER = 12


@dataclass(frozen=True, slots=True)
class Parsed:
    """Cells read as numbers.

    values[row]: the double nearest to the written number (also for LEADING_ZEROS, INEXACT and INFINITE), days since
    1970-01-01 for a DATE when asked for, else NaN; 0.0 is never negative. kinds[row]: a CellKind.
    counts[kind]: cells. first[kind]: the first such row, -1 if there is none.
    """

    values: NDArray[np.float64]
    kinds: NDArray[np.uint8]
    counts: NDArray[np.int64]
    first: NDArray[np.int64]

    def count(self, *kinds: CellKind) -> int:
        """Return how many cells are of any of these kinds."""
        return int(self.counts[list(kinds)].sum())

    @property
    def integers(self) -> int:
        """Cells written as integers, with or without leading zeros, exact or not."""
        return self.count(CellKind.INTEGER, CellKind.LEADING_ZEROS, CellKind.INEXACT)

    @property
    def numbers(self) -> int:
        """Cells that read as numbers, infinite ones included."""
        return self.integers + self.count(CellKind.NUMBER, CellKind.INFINITE)


def _cells(data: NDArray[np.uint8], offsets: NDArray[Any], validity: NDArray[np.uint8] | None, bit: int) -> int:
    """Check a string column in Arrow layout and return its number of rows."""
    if data.dtype != np.uint8 or data.ndim != 1:
        raise TypeError(f"data must be a uint8 vector, not {data.dtype} of {data.ndim} dimensions")
    if offsets.dtype not in (np.int32, np.int64) or offsets.ndim != 1 or len(offsets) == 0:
        raise TypeError(f"offsets must be an int32 or int64 vector of rows + 1 numbers, not {offsets.dtype}")
    if offsets[0] < 0 or offsets[-1] > len(data):
        raise ValueError(f"offsets end at {offsets[-1]}, data has {len(data)} bytes")
    rows = len(offsets) - 1
    if validity is not None and (validity.dtype != np.uint8 or len(validity) * 8 < rows + bit):
        raise ValueError(f"validity must be uint8 with a bit for each of {rows} rows")
    return rows


def join_texts(texts: Sequence[str]) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """Return texts as (data, offsets[text + 1]): their UTF-8 bytes one after the other."""
    parts = [t.encode() for t in texts]
    offsets = np.zeros(len(parts) + 1, np.int64)
    np.cumsum([len(p) for p in parts], out=offsets[1:])
    return np.frombuffer(b"".join(parts), np.uint8), offsets


def parse_numbers(
    data: NDArray[np.uint8],
    offsets: NDArray[Any],
    validity: NDArray[np.uint8] | None,
    marks: Sequence[str],
    decimal: str = ".",
    *,
    bit_offset: int = 0,
    dates: bool = False,
) -> Parsed:
    """Read a string column in Arrow layout: cell row is data[offsets[row]:offsets[row + 1]].

    Bit (bit_offset + row) of validity is 1 where the cell is there; None: all are. marks: the texts that mean missing.
    """
    rows = _cells(data, offsets, validity, bit_offset)
    if decimal not in (".", ","):
        raise ValueError(f"decimal must be '.' or ',', not {decimal!r}")
    mark_data, mark_offsets = join_texts(marks)
    values, kinds = np.empty(rows), np.empty(rows, np.uint8)
    counts, first = np.zeros(len(CellKind), np.int64), np.full(len(CellKind), -1, np.int64)
    call = _kernels.parse_numbers_32 if offsets.dtype == np.int32 else _kernels.parse_numbers_64
    call(data, offsets, validity, bit_offset, mark_data, mark_offsets, decimal, dates, values, kinds, counts, first)
    return Parsed(values, kinds, counts, first)
