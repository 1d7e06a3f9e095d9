"""New rows that need no reading: columns of floats go to the model as they lie, over threads.

Knows NumPy matrices, those on a GPU, pandas frames and schemas. Whatever needs reading (texts, levels,
integers, numbers that mean missing, infinite ones) is not for here: the answer is None, and the caller goes
the long way.
Law: where it answers, it answers what the long way answers.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallystick.data.read.met import Met
from tallystick.data.schema import Schema
from tallystick.data.source.door import here, lies_on_device
from tallystick.data.threads import in_order, thread_count
from tallystick.models.tree.record import is_number

PIECE = 65_536  # rows of a task, at least
SHARES = 4  # tasks of a thread: fewer of them look up fewer columns, more of them end together
LARGEST = 8 * PIECE  # so that memory does not grow with the rows, and an interrupt need not wait

Columns = Sequence[NDArray[Any]]
Work = Callable[[Columns, int], NDArray[Any] | None]  # of values[column][row] and rows; None: must be read


def from_floats(
    schema: Schema, X: Any, work: Work, threads: int | None, there: Work | None = None
) -> NDArray[Any] | None:
    """Return work(columns of the schema, rows) for all rows, or None when they have to be read. there: who is
    asked first, for all rows at once; None from it is the processor's turn.

    Values outside the range of the fit are warned of, as where rows are read.
    """
    columns = float_columns(schema, X)
    if columns is None:
        return None
    floats = all(c.dtype.kind == "f" for c in columns)
    out = there(columns, len(X)) if floats and there is not None else None
    if out is None:
        columns = [here(c) for c in columns]
        out = in_pieces(columns, len(X), work, threads)
    if out is None:
        return None
    met = Met(schema)
    met.add_floats(columns, len(X))
    met.warn()
    return out


def in_pieces(columns: Columns, rows: int, work: Work, threads: int | None) -> NDArray[Any] | None:
    """Return work(columns, rows) of pieces of the rows, over threads; None when one has to be read."""
    size = min(max(PIECE, rows // (SHARES * thread_count(threads))), LARGEST)
    out: list[NDArray[Any]] = []
    first = Lock()

    def answer(part: slice) -> bool:
        found = work([c[part] for c in columns], part.stop - part.start)
        if found is None:
            return False
        with first:
            if not out:
                out.append(found if len(found) == rows else np.empty((rows, *found.shape[1:]), found.dtype))
        if out[0] is not found:
            out[0][part] = found
        return True

    parts = (slice(start, min(start + size, rows)) for start in range(0, max(rows, 1), size))
    answered = all(in_order((partial(answer, part) for part in parts), threads))
    return out[0] if answered else None


def float_columns(schema: Schema, X: Any) -> list[NDArray[Any]] | None:
    """Return the columns of the schema as float arrays, or None when some are something else."""
    if not hasattr(X, "shape"):
        return None
    names = [c.name for c in schema.used]
    if any(c.kind != "numeric" for c in schema.used) or any(is_number(m) for m in schema.marks):
        return None
    if isinstance(X, np.ndarray) or lies_on_device(X):
        if X.ndim != 2 or not _is_plain(X.dtype):
            return None
        place = {f"x{j}": j for j in range(X.shape[1])}
        return [X[:, place[n]] for n in names] if all(n in place for n in names) else None
    if type(X).__module__.split(".")[0] != "pandas" or not hasattr(X, "columns"):
        return None
    if not X.columns.is_unique or any(n not in X.columns for n in names):
        return None
    if not all(isinstance(t, np.dtype) and _is_plain(t) for t in (X.dtypes[n] for n in names)):
        return None
    return [X[n].to_numpy() for n in names]


def _is_plain(kind: np.dtype[Any]) -> bool:
    """Say whether numbers of a type are what they are in a table: those of 16 bits are rare."""
    return kind.isnative and (kind.kind in "iu" or kind in (np.float32, np.float64))
