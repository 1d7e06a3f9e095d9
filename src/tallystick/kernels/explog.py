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


def n_log2_n(numbers: NDArray[np.int64], largest: int) -> NDArray[np.int64]:
    """Return F(n) = n log2(n) 2^s as whole numbers below 2^60, with one s for all n in 0..largest.

    They are those that trees are grown by: F(ab) = b F(a) + a F(b) to the last unit for ab up to 2^16.
    """
    given = check.array("numbers", numbers, "int64", (None,))
    if not 0 <= largest < 1 << 52 or (len(given) and not 0 <= given.min() <= given.max() <= largest):
        raise ValueError(f"numbers must be in 0..largest, and largest below 2^52; found {largest}")
    out = np.empty_like(given)
    _kernels.n_log2_n(given, largest, out)
    return out
