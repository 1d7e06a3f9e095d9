"""New rows that need no reading: columns of floats go down a tree, or into a sum, as they lie, over threads.

Knows NumPy matrices, pandas frames and fitted models. Whatever needs reading (texts, levels, integers,
numbers that mean
missing, infinite ones) is not for here: the answer is None, and the caller goes the long way.
Law: where it answers, it answers what the long way answers.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tallystick.data.schema import Schema
from tallystick.engines.local import thread_count
from tallystick.kernels import Answer
from tallystick.models.tree import SPREADS, Tree
from tallystick.models.tree.record import is_number

if TYPE_CHECKING:
    from tallystick.models.logistic.model import LogisticModel

PIECE = 65_536  # rows of a task
SUMMED = 131_072  # rows of a task that only sums: it is done sooner


def plain_ends(tree: Tree, X: Any, threads: int | None) -> NDArray[np.int32] | None:
    """Return the node where each row ends, or None when the rows have to be read."""
    columns = plain_columns(tree.schema, X)
    if columns is None or bool((tree.nodes.missing_branch == SPREADS).any()):
        return None
    return ends(tree, columns, len(X), thread_count(threads))


def plain_columns(schema: Schema, X: Any) -> list[NDArray[Any]] | None:
    """Return the columns of the schema as float arrays, or None when some are something else."""
    names = [c.name for c in schema.used]
    if any(c.kind != "numeric" for c in schema.used) or any(is_number(m) for m in schema.marks):
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

    infinite = any(over_pieces(piece, rows, threads))
    return None if infinite else out


def plain_answers(
    model: LogisticModel, X: Any, answer: Answer, labels: NDArray[Any] | None, threads: int | None
) -> NDArray[Any] | None:
    """Return shares[row, class], or labels[best class of the row], or None when the rows have to be read."""
    if not model.plain or not hasattr(X, "shape"):
        return None
    columns = plain_columns(model.schema, X)
    if columns is None or any(c.dtype != np.float64 for c in columns):
        return None
    rows, classes = len(X), len(model.labels)
    out = np.empty((rows, classes)) if labels is None else np.empty(rows, labels.dtype)

    def piece(start: int) -> bool:
        part = slice(start, min(start + SUMMED, rows))
        found, finite = model.plain_answers([c[part] for c in columns], part.stop - start, answer)
        if labels is None:
            out[part] = found
        else:
            np.take(labels, found, out=out[part], mode="clip")  # 'clip' writes without a copy
        return finite

    return out if all(over_pieces(piece, rows, thread_count(threads), SUMMED)) else None


def over_pieces(piece: Callable[[int], bool], rows: int, threads: int, size: int = PIECE) -> list[bool]:
    """Run a task for each piece of the rows, over threads when there are several."""
    starts = range(0, rows, size)
    if len(starts) > 1 and threads > 1:
        with ThreadPoolExecutor(threads) as pool:
            return list(pool.map(piece, starts))
    return list(map(piece, starts))
