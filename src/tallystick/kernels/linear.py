"""Objective, gradient and curvature of a linear predictor, summed over rows in fixed point."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tallystick import _kernels
from tallystick.kernels import check

Wide = NDArray[np.uint64]  # [..., 2]: low and high word of a signed 128-bit number
FINE = 40  # terms are whole multiples of 2^-40


class LinearColumn(NamedTuple):
    """One column of the predictor: values (one parameter) or uint32 codes (one parameter per level)."""

    data: NDArray[Any]  # float64 [row], any stride; or uint32 codes [row]
    first: int  # its first parameter; parameter 0 is the constant
    levels: int  # codes below have a parameter, others add nothing; 0 for values
    bound: float  # a power of two, at least every |value|; 1 for codes


def add_linear_sums(
    columns: Sequence[LinearColumn],
    beta: NDArray[np.float64],
    classes: NDArray[Any],
    objective: Wide,
    gradient: Wide,
    curvature: Wide | None = None,
    weights: NDArray[np.int64] | None = None,
) -> None:
    """Add rows to objective[2], gradient[parameter, free, 2], curvature[parameter, free, parameter, free, 2].

    beta[parameter, free]: free classes are all but the last. Units: 2^-40 times the bound of each column that
    takes part. Only curvature with the second parameter <= the first is filled.
    """
    check.array("beta", beta, "float64", (None, None))
    check.array("classes", classes, check.CODES, (None,))
    check.maybe("weights", weights, "int64", classes.shape)
    check.writable("objective", objective, "uint64", (2,))
    check.writable("gradient", gradient, "uint64", (*beta.shape, 2))
    if curvature is not None:
        check.writable("curvature", curvature, "uint64", (*beta.shape, *beta.shape, 2))
    for j, column in enumerate(columns):
        _column(f"columns[{j}]", column, len(classes), beta.shape[0])
    values = [c.data if c.data.dtype.kind == "f" else None for c in columns]
    codes = [c.data if c.data.dtype.kind == "u" else None for c in columns]
    places = [(c.first, c.levels, c.bound) for c in columns]
    scratch = np.empty(2 * (len(columns) + 1) + beta.shape[1])
    _kernels.add_linear_sums(
        values, codes, places, beta, classes, weights, scratch, objective, gradient, curvature
    )


def _column(name: str, column: LinearColumn, rows: int, parameters: int) -> None:
    check.loose(name, column.data, ("float64", "uint32"), (rows,))
    if column.data.dtype.kind == "u":
        check.array(name, column.data, "uint32", (rows,))
    last = column.first + (column.levels if column.data.dtype.kind == "u" else 1)
    if column.first < 1 or last > parameters:
        raise ValueError(
            f"{name} must lie within parameters 1..{parameters - 1}; found {column.first}..{last - 1}"
        )
    if not column.bound > 0 or np.frexp(column.bound)[0] != 0.5:
        raise ValueError(f"{name} must have a power of two as its bound; found {column.bound!r}")


def add_wide(total: Wide, other: Wide) -> Wide:
    """Add other[..., 2] into total[..., 2] as signed 128-bit numbers and return it."""
    low = total[..., 0] + other[..., 0]
    total[..., 1] += other[..., 1] + (low < other[..., 0])
    total[..., 0] = low
    return total


def wide_ints(wide: Wide) -> NDArray[Any]:
    """Return the Python whole numbers of wide[..., 2], as an object array."""
    high = wide[..., 1].astype(np.int64)  # wraps: the words above 2^63 are the negative ones
    numbers: NDArray[Any] = (high.astype(object) << 64) + wide[..., 0].astype(object)
    return numbers
