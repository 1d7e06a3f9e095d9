"""Numbers that stand for missing and say so only by lying far out: -999 among ages.

Knows the values of one column and how often each comes. Law: the answer depends on the multiset of values.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from tallystick.data.schema import Note
from tallystick.errors import counted, shown

SENTINEL_ROWS, SENTINEL_SHARE = 5, 0.01  # a mark for missing is met at least so often
FEW_VALUES = 3  # other values that a column with such a mark has, at least


def sentinel(name: str, distinct: NDArray[np.float64], counts: NDArray[np.int64]) -> Iterator[Note]:
    """Yield a note on a lowest or highest number that is frequent and far from all others, such as -999.

    counts[value] of rows, distinct[value] ascending.
    """
    if len(distinct) <= FEW_VALUES:
        return
    least = max(SENTINEL_ROWS, SENTINEL_SHARE * float(counts.sum()))
    for value, count, near, far in (
        (distinct[0], counts[0], distinct[1], distinct[-1]),
        (distinct[-1], counts[-1], distinct[-2], distinct[0]),
    ):
        if count >= least and abs(near - value) > abs(far - near):
            text = (
                f"column {shown(name)} is {value:.10g} in {counted(count, 'row')}, far from all other values "
                f"({min(near, far):.6g} to {max(near, far):.6g}). If it stands for missing, "
                f"pass missing=['{value:.10g}']."
            )
            yield Note("sentinel", text, name, int(count))
