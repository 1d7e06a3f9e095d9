"""Exact sums of the numbers of a table by class, as far as they are known from reading it.

Knows tables in memory. Knows nothing of who asks.
Law: what is known is what a walk over the rows would tell, bit for bit.
"""

from __future__ import annotations

from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from tallystick import kernels
from tallystick.contracts import Table as Tabular
from tallystick.data.table.table import Table

Counts = NDArray[np.int64]


class ClassSums(NamedTuple):
    """rows[class], missing[column, class], sums[column, class, digit] and squares[column, class, digit]."""

    rows: Counts
    missing: Counts
    sums: Counts
    squares: Counts

    def of_classes(self, into: NDArray[Any], classes: int) -> Self:
        """Return the same by class: into[code] of each code there is; each class has at most one."""
        out = no_moments(len(self.missing), classes)
        codes = into[: len(self.rows)]
        out.rows[codes] = self.rows
        for table, found in zip(out[1:], self[1:], strict=True):
            table[:, codes] = found
        return type(self)(*out)


def no_moments(columns: int, classes: int) -> ClassSums:
    """Return the sums of no rows."""
    shape = columns, classes
    return ClassSums(
        np.zeros(classes, np.int64),
        np.zeros(shape, np.int64),
        np.zeros((*shape, kernels.SUM_DIGITS), np.int64),
        np.zeros((*shape, kernels.SQUARE_DIGITS), np.int64),
    )


def known_moments(table: Tabular) -> ClassSums | None:
    """Return the sums of all numbers by class that are known from reading a table; None: nobody knows."""
    return table._moments if isinstance(table, Table) else None
