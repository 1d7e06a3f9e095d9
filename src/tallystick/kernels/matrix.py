"""Whole matrices at once: one look at every column, exact sums, hashes, small whole numbers as codes."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallystick import _kernels
from tallystick.kernels import check

Floats = NDArray[np.float64]
Counts = NDArray[np.int64]
LANES: int = _kernels.lanes
SLOTS: int = _kernels.slots
MOST_ROWS = 1 << 20
WHOLE = ("int64", "uint64", "int32", "uint32", "int16", "uint16", "int8", "uint8")


def as_matrix(columns: Sequence[NDArray[Any]]) -> NDArray[Any] | None:
    """Return columns[j] as matrix[row, j] without a copy, when they lie evenly spaced in one array; else
    None.
    """
    first = columns[0]
    if len(columns) < 2 or first.base is None or any(c.base is not first.base for c in columns):
        return None
    places = [c.__array_interface__["data"][0] for c in columns]
    steps = {b - a for a, b in itertools.pairwise(places)}
    if len(steps) != 1 or any(c.strides != first.strides or c.shape != first.shape for c in columns):
        return None
    shape, strides = (len(first), len(columns)), (first.strides[0], steps.pop())
    return np.lib.stride_tricks.as_strided(first, shape, strides, writeable=False)


def by_rows(matrix: NDArray[Any]) -> bool:
    """Say whether the cells of a row are neighbours in memory, and there are enough of them to gain by it."""
    return matrix.dtype == np.float64 and matrix.shape[1] >= 4 and matrix.strides[1] == 8


def scan_rows(matrix: Floats) -> list[tuple[int, float, float, int, int, bool]]:
    """Return per column: missing, low and high (infinities included), cells not whole, neither 0 nor 1, any
    -0.0.
    """
    check.loose("matrix", matrix, "float64", (None, None))
    found: list[tuple[int, float, float, int, int, bool]] = _kernels.scan_rows(matrix)
    return found


def add_row_moments(
    matrix: Floats, classes: NDArray[Any], missing: Counts, sums: Counts, squares: Counts
) -> None:
    """Do what `add_moments` does for rows without weights, several columns at a time; digits are not
    carried.
    """
    n_classes = missing.shape[1]
    for start in range(0, len(matrix), MOST_ROWS):
        rows = slice(start, start + MOST_ROWS)
        for first in range(0, matrix.shape[1], LANES):
            some = slice(first, first + LANES)
            part = matrix[rows, some]
            units = _units(part)
            scratch = np.zeros((n_classes, SLOTS, LANES)), np.zeros((n_classes, LANES, 3, 2), np.uint64)
            tables = missing[some], sums[some], squares[some]
            _kernels.add_row_moments(part, classes[rows], np.ldexp(1.0, -units), units, *scratch, *tables)


def _units(part: Floats) -> Counts:
    """Return the exponent of each column's first slice: by some of its rows, since others go the long way."""
    sample = np.abs(part[:: max(1, len(part) // 512)])
    top = np.fmax.reduce(sample, axis=0, initial=0.0)
    top = np.where(np.isfinite(top) & (top > 0), top, 1.0)
    units: Counts = np.clip(np.frexp(top)[1].astype(np.int64) + 1 - 22, -900, 900)
    return units


def add_matrix_hashes(hashes: NDArray[np.uint64], matrix: Floats, keys: Sequence[tuple[int, int]]) -> None:
    """Do hashes[lane, row] += hash of matrix[row, j] under keys[j][lane], over all j; as `add_double_hashes`
    does.
    """
    check.writable("hashes", hashes, "uint64", (2, len(matrix)))
    check.loose("matrix", matrix, "float64", (None, len(keys)))
    mixed = np.array([[_kernels.mix(key[lane]) for key in keys] for lane in (0, 1)], np.uint64)
    _kernels.add_matrix_hashes(hashes, matrix, mixed)


def small_codes(
    matrix: NDArray[Any], base: Counts, codes: NDArray[np.uint8], start: int, fits: NDArray[np.uint8]
) -> None:
    """Do codes[j, start + row] = matrix[row, j] - base[j]; fits[j] becomes 0 where some of them need more
    than 8 bits.
    """
    check.loose("matrix", matrix, WHOLE, (None, len(codes)))
    check.array("base", base, "int64", (len(codes),))
    check.writable("codes", codes, "uint8", (None, None))
    check.writable("fits", fits, "uint8", (len(codes),))
    if start < 0 or start + len(matrix) > codes.shape[1]:
        raise ValueError(f"rows {start}..{start + len(matrix)} must lie within codes; found {codes.shape[1]}")
    _kernels.small_codes(matrix, base, start, codes, fits)
