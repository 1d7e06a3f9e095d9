"""Sums of doubles that are right to the last bit: of the exact sum the nearest double.

Knows arrays. Law: no order of the values and no cut into parts can change a sum, so that scores are the same
wherever rows lie.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from itertools import starmap

import numpy as np
from numpy.typing import NDArray

from tallystick import kernels

Floats = NDArray[np.float64]
Digits = NDArray[np.int64]
Weights = NDArray[np.int64]
PARTS = 1 << 32  # of a weight of 1, where weights are not whole
FEW = 1 << 12  # values up to which Python's own exact sum is the quicker


def exact_total(values: Floats) -> float:
    """Return the sum of finite values."""
    if len(values) <= FEW:
        try:
            return math.fsum(values.tolist())
        except OverflowError:  # on the way, or in the end
            pass
    return nearest(digits(values))


def weighted_total(values: Floats, weights: Floats) -> float:
    """Return the sum of finite values, each counted as often as its weight says: no product is rounded, so a
    row of weight w adds what w rows add. Weights are whole multiples of 1/PARTS.
    """
    if (weights == 1.0).all():
        return exact_total(values)
    unit = 1 if (weights == np.floor(weights)).all() else PARTS
    return nearest(digits(values, np.rint(weights * unit).astype(np.int64))) / unit


def exact_total_of(parts: Iterable[tuple[Floats, Weights | None]]) -> float:
    """Return the sum of finite values that come in parts, which are not held together, each counted as often
    as its weight says; None: once.
    """
    each = iter(parts)
    first, second = next(each, (np.empty(0), None)), next(each, None)
    if second is None and first[1] is None:
        return exact_total(first[0])
    more = () if second is None else (digits(*second),)
    return nearest(joined(digits(*first), *more, *starmap(digits, each)))


def digits(values: Floats, weights: Weights | None = None) -> Digits:
    """Return the sum of finite values, each counted as often as its weight says, in digits that may be added
    (`joined`).
    """
    none, sums = np.zeros((1, 1), np.int64), np.zeros((1, 1, kernels.SUM_DIGITS), np.int64)
    squares = np.zeros((1, 1, kernels.SQUARE_DIGITS), np.int64)
    classes = np.zeros(len(values), np.uint8)
    kernels.add_moments([np.ascontiguousarray(values)], classes, none, sums, squares, weights)
    out: Digits = sums[0, 0]
    return out


def joined(*parts: Digits) -> Digits:
    """Return the sum of sums."""
    total = parts[0]
    for part in parts[1:]:
        total = kernels.carry(total + part)
    return total


def nearest(sums: Digits) -> float:
    """Return the double that is nearest to a sum in digits; infinity beyond all doubles."""
    exact = kernels.exact_sum(sums)
    try:
        return float(exact)
    except OverflowError:
        return math.inf if exact > 0 else -math.inf
