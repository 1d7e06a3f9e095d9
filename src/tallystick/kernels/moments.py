"""Exact sums of doubles as digits, and back: digits to Python's whole numbers.

sums count 2^-1074, squares count 2^-2148; digit i is worth 2^(32 i). Carried digits are the one form of
their number: all but the last lie in [0, 2^32), the last has the sign.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallystick import _kernels
from tallystick.kernels import check

Digits = NDArray[np.int64]
SUM_DIGITS: int = _kernels.sum_digits
SQUARE_DIGITS: int = _kernels.square_digits
SUM_UNIT = 1074  # a sum of 1 is 2^-1074
SQUARE_UNIT = 2148
FEW_COLUMNS = 4  # below, walking them together costs more than it gives
MOST_CLASSES = 32  # beyond, the tables of all columns at once no longer stay near


def add_moments(
    columns: Sequence[NDArray[np.float64]],
    classes: NDArray[Any],
    missing: Digits,
    sums: Digits,
    squares: Digits,
    weights: NDArray[np.int64] | None = None,
) -> None:
    """Add columns[j][row] to the three tables, exactly; columns may be strided.

    No weight is below 0. missing[column, class]: rows (or weight) without a finite value;
    sums[column, class, digit]; squares[column, class, digit]. Digits come out carried.
    """
    check.array("classes", classes, check.CODES, (None,))
    check.columns("columns", columns, "float64", len(classes))
    check.maybe("weights", weights, "int64", classes.shape)
    check.writable("missing", missing, "int64", (len(columns), None))
    check.writable("sums", sums, "int64", (*missing.shape, SUM_DIGITS))
    check.writable("squares", squares, "int64", (*missing.shape, SQUARE_DIGITS))
    n_classes, step = missing.shape[1], _kernels.most_rows
    for begin in range(0, len(classes), step):
        rows = slice(begin, begin + step)
        part = None if weights is None else weights[rows]
        bits = 0 if part is None or not len(part) else int(part.max()).bit_length()
        if n_classes <= MOST_CLASSES and len(columns) >= FEW_COLUMNS and bits <= _kernels.most_weight_bits:
            some = [c[rows] for c in columns]
            _kernels.add_row_moments(some, classes[rows], part, bits, missing, sums, squares)
            carry(sums)
            carry(squares)
            continue
        scratch = np.zeros(_kernels.bucket_words(1, n_classes, weights is not None), np.uint64)
        for j, column in enumerate(columns):
            tables = (table[j : j + 1] for table in (missing, sums, squares))
            _kernels.add_moments(column[rows][:, None], classes[rows], part, scratch, *tables)


def carry(digits: Digits) -> Digits:
    """Bring digits[..., digit] into canonical form, in place, and return them; a sum of two needs it."""
    check.writable("digits", digits.reshape(-1, digits.shape[-1]), "int64", (None, digits.shape[-1]))
    _kernels.carry(digits.reshape(-1, digits.shape[-1]))
    return digits


def whole(digits: Digits) -> int:
    """Return the whole number that carried digits[digit] are."""
    check.array("digits", digits, "int64", (None,))
    return wholes(digits[None])[0]


def wholes(digits: Digits) -> list[int]:
    """Return the whole numbers that carried digits[number, digit] are. Bytes of 0 at either end are most of
    them, and dear to turn into a number.
    """
    check.array("digits", digits, "int64", (None, None))
    size = 4 * (digits.shape[1] - 1)
    low, high, out = digits[:, :-1].astype("<u4").tobytes(), digits[:, -1].tolist(), []
    for at, top in enumerate(high):
        ending = low[at * size : (at + 1) * size].lstrip(b"\0")
        number = int.from_bytes(ending.rstrip(b"\0"), "little") << 8 * (size - len(ending))
        out.append(number + (top << 8 * size))
    return out


def digits_of(number: int, length: int) -> Digits:
    """Return the carried digits of a whole number: the inverse of `whole`."""
    low = number & ((1 << 32 * (length - 1)) - 1)
    out = np.empty(length, np.int64)
    out[:-1] = np.frombuffer(low.to_bytes(4 * (length - 1), "little"), "<u4")
    out[-1] = number >> 32 * (length - 1)
    return out


def exact_sum(digits: Digits) -> Fraction:
    """Return the sum that sums[column, class] stand for; `float()` of it is correctly rounded."""
    return Fraction(whole(digits), 1 << SUM_UNIT)


def exact_squares(digits: Digits) -> Fraction:
    """Return the sum of squares that squares[column, class] stand for."""
    return Fraction(whole(digits), 1 << SQUARE_UNIT)
