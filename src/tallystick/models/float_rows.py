"""Rows given as columns of floats, answered as blocks: numbers that need no reading.

Knows blocks and schemas. Knows nothing of any method. Law: the shares of a row are those it has in a table.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallystick.data.schema import Schema
from tallystick.data.table.block import Block

ROWS = 16_384  # so that the lines of a matrix are still in the cache for its next column

Shares = NDArray[np.float64]


def shares_of_floats(
    schema: Schema, columns: Sequence[NDArray[Any]], rows: int, shares: Callable[[Block], Shares]
) -> Shares | None:
    """Return the shares [row, class] of rows given as float columns, all of the schema in its order; None for
    infinite numbers, which a table has a word for.
    """
    names, parts = [c.name for c in schema.used], []
    for start in range(0, max(rows, 1), ROWS):
        own = [np.ascontiguousarray(column[start : start + ROWS], np.float64) for column in columns]
        if any(np.isinf(values).any() for values in own):
            return None
        parts.append(shares(Block(min(ROWS, rows - start), dict(zip(names, own, strict=True)))))
    return parts[0] if len(parts) == 1 else np.concatenate(parts)
