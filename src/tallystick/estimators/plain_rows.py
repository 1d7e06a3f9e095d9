"""New rows that need no reading: columns of floats go down a tree as they lie, over threads.

Knows NumPy matrices, pandas frames and fitted trees. Whatever needs reading (texts, levels, integers,
numbers that mean
missing, infinite ones) is not for here: the answer is None, and the caller goes the long way.
Law: where it answers, it answers what the long way answers.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallystick.engines.local import thread_count
from tallystick.models.tree import SPREADS, Tree
from tallystick.models.tree.record import is_number

PIECE = 65_536  # rows of a task


def plain_ends(tree: Tree, X: Any, threads: int | None) -> NDArray[np.int32] | None:
    """Return the node where each row ends, or None when the rows have to be read."""
    columns = plain_columns(tree, X)
    if columns is None or bool((tree.nodes.missing_branch == SPREADS).any()):
        return None
    return ends(tree, columns, len(X), thread_count(threads))


def plain_columns(tree: Tree, X: Any) -> list[NDArray[Any]] | None:
    """Return the columns of the schema as float arrays, or None when some are something else."""
    names = [c.name for c in tree.schema.used]
    if any(c.kind != "numeric" for c in tree.schema.used) or any(is_number(m) for m in tree.schema.marks):
        return None
    if isinstance(X, np.ndarray):
        if X.ndim != 2 or X.dtype not in (np.float32, np.float64) or not X.dtype.isnative:
            return None
        place = {f"x{j}": j for j in range(X.shape[1])}
        return [X[:, place[n]] for n in names] if all(n in place for n in names) else None
    if type(X).__module__.split(".")[0] != "pandas" or not hasattr(X, "columns"):
        return None
    if not X.columns.is_unique or any(n not in X.columns for n in names):
        return None
    if any(str(X.dtypes[n]) not in ("float32", "float64") for n in names):
        return None
    return [X[n].to_numpy() for n in names]


def ends(tree: Tree, columns: Sequence[NDArray[Any]], rows: int, threads: int) -> NDArray[np.int32] | None:
    """Send rows down in pieces; None when an infinite number is met."""
    out = np.empty(rows, np.int32)
    tested = [c if j in tree.tested else None for j, c in enumerate(columns)]

    def piece(start: int) -> bool:
        part = slice(start, min(start + PIECE, rows))
        cells = [None if c is None else c[part] for c in tested]
        return tree.descent.ends(cells, part.stop - start, out[part])[1]

    starts = range(0, rows, PIECE)
    if len(starts) > 1 and threads > 1:
        with ThreadPoolExecutor(threads) as pool:
            infinite = any(list(pool.map(piece, starts)))
    else:
        infinite = any(list(map(piece, starts)))
    return None if infinite else out
