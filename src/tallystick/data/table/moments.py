"""Exact sums of the numbers of a table by class, as far as they are known from reading it.

Knows tables in memory. Knows nothing of who asks.
Law: what is known is what a walk over the rows would tell, bit for bit.
"""

from __future__ import annotations

from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from tallystick import kernels

Counts = NDArray[np.int64]


class Moments(NamedTuple):
    """missing[column, class], sums[column, class, digit] and squares[column, class, digit]."""

    missing: Counts
    sums: Counts
    squares: Counts

    def of_classes(self, into: NDArray[Any], classes: int) -> Self:
        """Return the same by class: into[code] of each code there is; each class has at most one."""
        out = no_moments(len(self.missing), classes)
        for table, found in zip(out, self, strict=True):
            table[:, into[: found.shape[1]]] = found
        return type(self)(*out)


def no_moments(columns: int, classes: int) -> Moments:
    """Return the sums of no rows."""
    shape = columns, classes
    return Moments(
        np.zeros(shape, np.int64),
        np.zeros((*shape, kernels.SUM_DIGITS), np.int64),
        np.zeros((*shape, kernels.SQUARE_DIGITS), np.int64),
    )
