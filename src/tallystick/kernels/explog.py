"""exp, log and their kin with the same bits on every machine. Any shape in, the same shape out."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tallystick import _kernels
from tallystick.kernels import check

Floats = NDArray[np.float64]


def _each(kernel: Callable[[Any, Any], None], values: ArrayLike) -> Floats:
    given = np.asarray(values, np.float64, order="C")
    out = np.empty_like(given)
    kernel(given.reshape(-1), out.reshape(-1))
    return out


def exp(values: ArrayLike) -> Floats:
    """Return e^x, within 1 unit in the last place."""
    return _each(_kernels.exp, values)


def log(values: ArrayLike) -> Floats:
    """Return ln x, within 1 unit in the last place; -inf at 0, NaN below."""
    return _each(_kernels.log, values)


def log2(values: ArrayLike) -> Floats:
    """Return log2 x, within 2 units in the last place; exact at powers of two."""
    return _each(_kernels.log2, values)


def log1p(values: ArrayLike) -> Floats:
    """Return ln(1 + x), within 2 units in the last place."""
    return _each(_kernels.log1p, values)


def sigmoid(values: ArrayLike) -> Floats:
    """Return 1 / (1 + e^-x), within 2 units in the last place."""
    return _each(_kernels.sigmoid, values)


def n_log2_n(numbers: NDArray[np.int64], shift: int) -> NDArray[np.int64]:
    """Return round(n log2(n) 2^shift), 0 at n = 0, in whole numbers throughout; n log2(n) 2^shift < 2^62."""
    given = check.array("numbers", numbers, "int64", (None,))
    out = np.empty_like(given)
    _kernels.n_log2_n(given, check.size("shift", shift, 0), out)
    return out


def n_log2_n_table(top: int, shift: int) -> NDArray[np.int64]:
    """Return table[n] = round(n log2(n) 2^shift) for n in 0..top."""
    if top * max(top.bit_length(), 1) << check.size("shift", shift, 0) >= 1 << 62:
        raise ValueError(f"shift must keep top log2(top) 2^shift below 2^62; found {shift} for top {top}")
    table = np.empty(check.size("top", top, 0) + 1, np.int64)
    _kernels.n_log2_n_table(0, shift, table)
    return table


def n_log2_n_shift(top: int) -> int:
    """Return the largest shift, at most 32, that n_log2_n takes for all n up to top."""
    return min(32, 62 - (top * max(top.bit_length(), 1)).bit_length())
