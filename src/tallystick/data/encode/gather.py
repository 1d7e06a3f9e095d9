"""Rows of a source as whole Arrow columns, or batch by batch.

Knows sources and Arrow.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from tallystick.contracts import Source


def gather(source: Source) -> tuple[int, dict[str, Any]]:
    """Return the number of rows and every column: an Arrow chunked array, or a view of a NumPy matrix."""
    matrix = getattr(source, "matrix", None)
    if matrix is not None and matrix.dtype == np.float64:
        return len(matrix), {name: matrix[:, j] for j, name in enumerate(source.columns)}
    if hasattr(source, "column"):
        return source.rows, {name: source.column(name) for name in source.columns}  # type: ignore[attr-defined]
    batches = list(source.batches())
    if not batches:
        return 0, {name: pa.chunked_array([], pa.string()) for name in source.columns}
    table = pa.Table.from_batches(batches)
    return table.num_rows, {name: table.column(j) for j, name in enumerate(source.columns)}


def batch_columns(source: Source, names: Sequence[str]) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """Yield the rows of each batch and its columns by name."""
    matrix = getattr(source, "matrix", None)
    if matrix is not None and matrix.dtype == np.float64:
        for start in range(0, len(matrix), 65_536):
            part = matrix[start : start + 65_536]
            yield len(part), {n: part[:, j] for j, n in enumerate(source.columns) if n in set(names)}
        return
    for batch in source.batches():
        at = {name: j for j, name in enumerate(source.columns)}
        yield batch.num_rows, {name: pa.chunked_array([batch.column(at[name])]) for name in names}
