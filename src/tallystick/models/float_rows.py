"""Rows given as columns of numbers, answered without being read: as blocks of doubles, some rows at a time.

Knows blocks and schemas. Knows nothing of any method. Law: the shares of a row are those it has in a table.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallystick import kernels
from tallystick.data.schema import Schema
from tallystick.data.table.block import Block

CELLS = 1 << 17  # doubles of a stretch of rows: they are read again while they are in a near cache
LEAST = 256  # rows of a stretch, however many columns there are

Columns = Sequence[NDArray[Any]]
Shares = NDArray[np.float64]


def are_doubles(columns: Columns) -> bool:
    """Say whether kernels can read all columns as they lie."""
    return all(column.dtype == np.float64 for column in columns)


def in_doubles(
    columns: Columns, rows: int, work: Callable[[Columns, int], NDArray[Any] | None], by_rows: bool
) -> NDArray[Any] | None:
    """Return work(columns as doubles, rows) for stretches of the rows, one after the other; None where work
    says so, where a number is infinite, which a table has a word for, or where a double may not hold it.

    by_rows: a row's cells become neighbours; else a column's.
    """
    size = max(LEAST, CELLS // max(len(columns), 1))
    numbers, out, found = kernels.AnyNumbers(columns, rows), None, None
    for start in range(0, max(rows, 1), size):
        n = min(size, rows - start)
        if start == 0 or n < size:
            laid = np.empty((n, len(columns)) if by_rows else (len(columns), n))
            doubles = list(laid.T if by_rows else laid)
        found = work(doubles, n) if numbers.doubles(start, laid, by_rows) else None
        if found is None or n == rows:
            return found
        if out is None:
            out = np.empty((rows, *found.shape[1:]), found.dtype)
        out[start : start + n] = found
    return out


def lies_by_rows(columns: Columns) -> bool:
    """Say whether the cells of a column are apart, so that those of a row may be neighbours."""
    return any(column.strides[0] != column.itemsize for column in columns)


def shares_of_floats(
    schema: Schema, columns: Columns, rows: int, shares: Callable[[Block], Shares]
) -> Shares | None:
    """Return the shares [row, class] of rows given as columns of numbers, all of the schema in its order;
    None where they must be read.
    """
    names = [c.name for c in schema.used]

    def of_doubles(doubles: Columns, n: int) -> Shares:
        return shares(Block(n, dict(zip(names, doubles, strict=True))))

    return in_doubles(columns, rows, of_doubles, by_rows=False)
