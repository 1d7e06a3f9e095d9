"""New rows that need no reading: columns of numbers go to the model as they lie, over threads.

Knows NumPy matrices, those on a GPU, pandas frames, Arrow tables and schemas. Whatever needs reading (texts,
levels, numbers that mean missing, infinite ones) is not for here: the answer is None, and the caller goes the
long way.
Law: where it answers, it answers what the long way answers.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallystick.data.read.met import Met
from tallystick.data.schema import Schema
from tallystick.data.source.door import here, lies_on_device
from tallystick.data.threads import each_in_order, shared_out


class _NotPlain(Exception):  # noqa: N818  it is not an error: these rows have to be read
    pass


Columns = Sequence[NDArray[Any]]
Work = Callable[[Columns, int], NDArray[Any] | None]  # of values[column][row] and rows; None: must be read


def from_floats(
    schema: Schema, X: Any, work: Work, threads: int | None, asked: Schema | None = None
) -> NDArray[Any] | None:
    """Return work(columns of the schema, rows) for all rows, or None when they have to be read.

    Values outside the range of the fit are warned of, as where rows are read; asked: of which columns, None
    all of them.
    """
    columns = plain_columns(schema, X)
    if columns is None:
        return None
    columns = [here(c) for c in columns]
    out = in_stretches(columns, len(X), work, threads)
    if out is None:
        return None
    watched = schema if asked is None else asked
    met = Met(watched)
    seen = {c.name for c in watched.used}
    met.add_floats([v for c, v in zip(schema.used, columns, strict=True) if c.name in seen], len(X))
    met.warn()
    return out


def in_stretches(columns: Columns, rows: int, work: Work, threads: int | None) -> NDArray[Any] | None:
    """Return work(columns, rows) of stretches of the rows, over threads; None when one has to be read."""
    out: list[NDArray[Any]] = []
    first = Lock()

    def answer(part: slice) -> None:
        found = work([c[part] for c in columns], part.stop - part.start)
        if found is None:
            raise _NotPlain
        with first:
            if not out:
                out.append(found if len(found) == rows else np.empty((rows, *found.shape[1:]), found.dtype))
        if out[0] is not found:
            out[0][part] = found

    try:
        each_in_order(answer, shared_out(rows, threads), threads, on_cores=True)
    except _NotPlain:
        return None
    return out[0]


def plain_columns(schema: Schema, X: Any) -> list[NDArray[Any]] | None:
    """Return the columns of the schema as arrays, or None when some cells have to be read."""
    from tallystick.models.float_rows import needs_no_reading
    from tallystick.models.tree.record import is_number

    if not hasattr(X, "shape") or any(is_number(m) for m in schema.marks):
        return None
    found = _found(X, [c.name for c in schema.used])
    if found is None or len(found) != len(schema.used):
        return None
    plain = all(needs_no_reading(c, values.dtype) for c, values in zip(schema.used, found, strict=True))
    return found if plain and all(_lies_well(values) for values in found) else None


def _lies_well(values: Any) -> bool:
    """Does a column lie where kernels may read numbers?"""
    return not isinstance(values, np.ndarray) or values.flags.aligned


def _found(X: Any, names: list[str]) -> list[NDArray[Any]] | None:
    """Return the columns of these names as they lie; None where X has no such columns, or none that lie."""
    if isinstance(X, np.ma.MaskedArray | np.matrix):  # cells that are not there; columns that are matrices
        return None
    if isinstance(X, np.ndarray) or lies_on_device(X):
        place = {f"x{j}": j for j in range(X.shape[1])} if X.ndim == 2 else {}
        return [X[:, place[n]] for n in names] if all(n in place for n in names) else None
    library, of = type(X).__module__.partition(".")[0], type(X).__name__
    if library == "pyarrow" and of in ("Table", "RecordBatch"):
        from tallystick.data.read.in_place import arrays_in_place

        return arrays_in_place(X, names)
    if library != "pandas" or of != "DataFrame" or not X.columns.is_unique:
        return None
    if not all(n in X.columns and isinstance(X.dtypes[n], np.dtype) for n in names):
        return None
    return [X[n].to_numpy() for n in names]
