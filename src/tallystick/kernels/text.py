"""The door to the text kernels: cells to numbers.

A column of texts is in Arrow's layout: cell row is data[offsets[row]:offsets[row + 1]], UTF-8; bit
(bit_offset + row) of validity is 1 where the cell is there, None: all are. Offsets rise: that is a promise.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallystick import _kernels
from tallystick.kernels import check


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

    values[row]: the double nearest to the written number (also for LEADING_ZEROS, INEXACT and INFINITE), days
    since 1970-01-01 for a DATE when asked for, else NaN; 0.0 is never negative. kinds[row]: a CellKind.
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


def text_rows(data: Any, offsets: Any, validity: Any, bit_offset: int) -> int:
    """Check a column of texts and return its number of rows."""
    check.array("data", data, "uint8", (None,))
    check.array("offsets", offsets, ("int32", "int64"), (None,))
    if len(offsets) == 0 or offsets[0] < 0 or offsets[-1] > len(data):
        raise ValueError(f"offsets must lie within data; found {len(offsets)} offsets for {len(data)} bytes")
    check.maybe("validity", validity, "uint8", (None,))
    check.size("bit_offset", bit_offset, 0)
    rows = len(offsets) - 1
    if validity is not None and len(validity) * 8 < rows + bit_offset:
        raise ValueError(f"validity must have a bit for each of {rows} rows; found {len(validity)} bytes")
    return rows


def join_texts(texts: Sequence[str]) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """Return texts as (data, offsets[text + 1]): their UTF-8 bytes one after the other."""
    offsets = np.zeros(len(texts) + 1, np.int64)
    data = np.frombuffer("\0".join(texts).encode(), np.uint8)
    ends = np.flatnonzero(data == 0)
    if len(ends) == len(texts) - 1:  # no text holds the separator: all are encoded and measured at once
        offsets[1:-1] = ends - np.arange(len(ends))
        offsets[-1] = len(data) - len(ends)
        return (data[data != 0] if len(ends) else data), offsets
    data = np.frombuffer("".join(texts).encode(), np.uint8)
    np.cumsum(np.fromiter((len(t.encode()) for t in texts), np.int64, len(texts)), out=offsets[1:])
    return data, offsets


@lru_cache(maxsize=64)
def joined_marks(marks: tuple[str, ...]) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """Return the marks joined, once for all columns. Shared: nobody writes to them."""
    return join_texts(marks)


def code_objects(cells: NDArray[Any], most: int) -> tuple[NDArray[np.uint16], NDArray[np.int64]] | None:
    """Return codes[row] of Python objects, the same number for the same object, and first[code], the row
    where it came first; numbers are in the order of these rows. None: more than `most` objects differ, or
    than 16 bits and a sign have numbers for. No object is looked at.
    """
    check.loose("cells", cells, "object", (None,))
    check.size("most", most)
    given = np.ndarray(len(cells), np.uint64, np.ascontiguousarray(cells))
    codes, first = np.empty(len(cells), np.uint16), np.empty(min(most, _kernels.most_addresses), np.int64)
    found = _kernels.code_addresses(given, codes, first)
    return None if found > len(first) else (codes, first[:found])


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
    """Read a column of texts as numbers. marks: the texts that mean missing, compared after stripping."""
    rows = text_rows(data, offsets, validity, bit_offset)
    if decimal not in (".", ","):
        raise ValueError(f"decimal must be '.' or ','; found {decimal!r}")
    mark_data, mark_offsets = joined_marks(tuple(marks))
    values, kinds = np.empty(rows), np.empty(rows, np.uint8)
    counts, first = np.zeros(len(CellKind), np.int64), np.full(len(CellKind), -1, np.int64)
    call = _kernels.parse_numbers_32 if offsets.dtype == np.int32 else _kernels.parse_numbers_64
    cells = (data, offsets, validity, bit_offset)
    call(*cells, mark_data, mark_offsets, decimal, dates, values, kinds, counts, first)
    return Parsed(values, kinds, counts, first)
