"""Many columns at once: one look at each, prints of rows, small whole numbers as codes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallystick import _kernels
from tallystick.kernels import check

Floats = NDArray[np.float64]
Counts = NDArray[np.int64]
RowScan = tuple[int, float, float, int, int, bool]


def scan_rows(columns: Sequence[Floats]) -> list[RowScan]:
    """Return per column: missing, low and high (infinities included), 1 where some cells are not whole, and
    where some are neither 0 nor 1, any -0.0. Columns may be strided; those of a matrix stored by rows are
    read as they lie.
    """
    _check_columns(columns)
    found: list[RowScan] = _kernels.scan_rows(list(columns))
    return found


def joined_scans(parts: Sequence[list[RowScan]]) -> list[RowScan]:
    """Return the scans of columns from those of some of their rows each."""
    if len(parts) == 1:
        return parts[0]
    out = []
    for column in zip(*parts, strict=True):
        missing, low, high, broken, many, zero = zip(*column, strict=True)
        out.append((sum(missing), min(low), max(high), sum(broken), sum(many), any(zero)))
    return out


def class_changes(columns: Sequence[Floats], rows: Counts, classes: Counts) -> list[int]:
    """Return, per column, how often the class changes along its values, missing last, equal values by class:
    among some rows, classes[i] of rows[i].
    """
    _check_columns(columns)
    check.array("rows", rows, "int64", (None,))
    check.array("classes", classes, "int64", rows.shape)
    far = np.maximum.reduce(rows.view(np.uint64), initial=0)  # what is below 0 is beyond all rows too
    if len(rows) and len(columns) and far >= len(columns[0]):
        raise ValueError(f"rows must lie within 0..{len(columns[0]) - 1}; found {rows.min()}..{rows.max()}")
    found: list[int] = _kernels.class_changes(list(columns), rows, classes)
    return found


def add_prints(
    hashes: NDArray[np.uint64], columns: Sequence[Floats], keys: Sequence[tuple[int, int]]
) -> None:
    """Do hashes[lane, row] += print of columns[j][row] under keys[j][lane], over all j; NaN is missing, -0.0
    is 0.0.
    """
    check.writable("hashes", hashes, "uint64", (2, None))
    _check_columns(columns, hashes.shape[1])
    if len(keys) != len(columns):
        raise ValueError(f"keys must have one entry per column; found {len(keys)} for {len(columns)}")
    by_lane = np.array([[key[lane] for key in keys] for lane in (0, 1)], np.uint64)
    _kernels.add_prints(hashes, list(columns), by_lane)


class AnyNumbers:
    """Columns of numbers of any type, as they lie: laid out as doubles some rows at a time, for kernels that
    read these alone.
    """

    def __init__(self, columns: Sequence[NDArray[Any]], rows: int) -> None:
        for one in columns:
            check.loose("columns", one, (*check.NUMBERS, "bool"), (rows,))
        self._kept, self._rows = list(columns), rows  # the kernel has addresses alone
        self._numbers = _kernels.any_numbers(self._kept)

    def doubles(self, first: int, out: Floats, by_rows: bool) -> bool:
        """Fill out[row, column] where by_rows, else out[column, row], with the rows from `first` on. Return
        False where one is infinite, or whole and beyond 2^53; out then holds anything.
        """
        width = len(self._kept)
        check.writable("out", out, "float64", (None, width) if by_rows else (width, None))
        self._check_rows(first, out.shape[0 if by_rows else 1])
        found: bool = self._numbers.doubles(first, by_rows, out)
        return found

    def codes(self, first: int, numbers: tuple[float, float], out: NDArray[np.uint8]) -> bool:
        """Fill out[column, row] with the codes 0 and 1 of two numbers, and 2 of missing ones, from the row
        `first` on. Return False where there is another number; out then holds anything.
        """
        check.writable("out", out, "uint8", (len(self._kept), None))
        self._check_rows(first, out.shape[1])
        found: bool = self._numbers.codes(first, *numbers, out)
        return found

    def _check_rows(self, first: int, rows: int) -> None:
        if not 0 <= first <= first + rows <= self._rows:
            raise ValueError(f"rows {first}..{first + rows} must lie within 0..{self._rows}")


def _check_columns(columns: Sequence[Floats], rows: int | None = None) -> None:
    if len(columns):
        check.columns("columns", columns, "float64", len(columns[0]) if rows is None else rows)


def small_codes(
    matrix: NDArray[Any],
    base: Counts,
    codes: NDArray[np.uint8],
    start: int,
    fits: NDArray[np.uint8],
    seen: NDArray[np.uint8],
) -> None:
    """Do codes[j, start + row] = matrix[row, j] - base[j]; fits[j] becomes 0 where some of them need more
    than 8 bits; seen[j, code] becomes 1 for every code there is.
    """
    check.loose("matrix", matrix, check.WHOLES, (None, len(codes)))
    check.array("base", base, "int64", (len(codes),))
    check.writable("codes", codes, "uint8", (None, None))
    check.writable("fits", fits, "uint8", (len(codes),))
    check.writable("seen", seen, "uint8", (len(codes), 256))
    if start < 0 or start + len(matrix) > codes.shape[1]:
        raise ValueError(f"rows {start}..{start + len(matrix)} must lie within codes; found {codes.shape[1]}")
    _kernels.small_codes(matrix, base, start, codes, fits, seen)
