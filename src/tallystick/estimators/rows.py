"""Rows as they are given: one record, a matrix without names, or anything a source opens.

Knows containers by what they say of themselves. Knows nothing of estimators, schemas or cells.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sized
from typing import Any

import numpy as np

from tallystick.errors import DataError, shown


def as_record(X: Any, columns: tuple[str, ...]) -> dict[str, Any] | None:
    """Return one row as a record: a dict of single values, or a pandas Series that has a column of the fit in
    its index (a row of a frame). A dict of columns is a table, and so is a sparse matrix that is a dict.
    """
    if type(X) is dict:
        several = [hasattr(v, "__len__") and not isinstance(v, (str, bytes)) for v in X.values()]
        return None if several and all(several) else X
    if type(X).__name__ != "Series" or not hasattr(X, "to_dict"):
        return None
    record = {str(key): value for key, value in X.to_dict().items()}
    return record if any(name in record for name in columns) else None


def width(X: Any) -> int | None:
    """Return how many columns there are where they have no names; None where they have, or without rows."""
    if is_matrix(X):
        return int(X.shape[1])
    if not isinstance(X, list | tuple) or not X or isinstance(X[0], str | bytes | Mapping | os.PathLike):
        return None
    row, alone = X[0], isinstance(X[0], np.ndarray) and X[0].ndim == 0
    return len(row) if isinstance(row, Sized) and not alone else None


def is_matrix(X: Any) -> bool:
    """Say whether X is an array whose columns have places but no names."""
    shape = getattr(X, "shape", ())  # of a class it is a property
    two = isinstance(shape, tuple) and len(shape) == 2
    return two and not hasattr(X, "columns") and not hasattr(X, "schema")


def as_given(X: Any) -> Any:
    """Return X as it is, or as an array where that is all it says it is; an array without columns is an
    error.
    """
    known = ("columns", "schema", "__arrow_c_stream__", "__arrow_c_array__", "dtype")
    if type(X) is not np.ndarray and hasattr(X, "__array__") and not any(hasattr(X, n) for n in known):
        X = np.asarray(X)
    if is_matrix(X) and X.shape[1] == 0:
        raise DataError(
            f"X has 0 feature(s) (shape={X.shape}) while a minimum of 1 is required. Pass some columns."
        )
    return X


def check_row(row: Any) -> None:
    """Refuse what has no values by column: a row by itself is a dict, or a row of a frame."""
    named = callable(getattr(row, "keys", None)) and not isinstance(row, type)
    if not named or getattr(row, "ndim", 1) != 1:
        raise DataError(
            f"a row is a dict of its values by column, not {shown(type(row).__name__)}. Pass a dict, or use "
            "predict for rows of a table."
        )


def are_floats(X: Any, y: Any) -> bool:
    """Are the labels floats, as an array, a Series or a list has them, or a column of a frame?"""
    if isinstance(y, str):
        library, of = type(X).__module__.partition(".")[0], type(X).__name__
        framed = library in ("pandas", "polars") and of == "DataFrame"
        y = X[y] if framed and y in list(X.columns) else X.get(y) if isinstance(X, dict) else None
    if isinstance(y, list | tuple):
        return bool(y) and all(isinstance(label, float) for label in y)
    kind = getattr(y, "dtype", None)
    return str(kind).lower().startswith(("float", "double"))
