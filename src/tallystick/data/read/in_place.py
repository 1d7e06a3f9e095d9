"""Columns of numbers of an Arrow table as they lie: for whoever needs no more than numbers.

Knows Arrow types. Knows nothing of kinds or schemas. Law: the values are those that `cells.py` finds.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from tallystick.data.read.cells import floats
from tallystick.data.source.arrays import to_numbers


def arrays_in_place(table: pa.Table | pa.RecordBatch, names: Sequence[str]) -> list[NDArray[Any]] | None:
    """Return columns of a table or batch, views where they lie in one piece and none is null; None where one
    is not there once, or not of numbers or booleans.
    """
    out = []
    for name in names:
        places = table.schema.get_all_field_indices(name)
        if len(places) != 1:
            return None
        column = table.column(places[0])
        chunks = column.chunks if isinstance(column, pa.ChunkedArray) else [column]
        parts = [part for part in map(_in_place, chunks) if part is not None]
        if not parts or len(parts) < len(chunks):
            return None
        out.append(parts[0] if len(parts) == 1 else np.concatenate(parts))
    return out


def _in_place(chunk: pa.Array) -> NDArray[Any] | None:
    """Return a chunk as an array; None where it has to be read: whole numbers of 64 bits beside nulls might
    not be those that doubles hold.
    """
    kind, types = chunk.type, pa.types
    if types.is_boolean(kind):
        return None if chunk.null_count else to_numbers(chunk.cast(pa.uint8())).view(np.bool_)
    if not (types.is_integer(kind) or types.is_float32(kind) or types.is_float64(kind)):
        return None
    if not chunk.null_count:
        return to_numbers(chunk)
    return None if types.is_integer(kind) and kind.bit_width == 64 else floats(chunk)
