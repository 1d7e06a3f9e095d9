"""Frames of polars on their way to Arrow: what its releases since 1.0 hand over differently, or not at all.

Knows polars by the names of its types and does not import it. Knows nothing of kinds or codes.
Law: a frame gives the same Arrow table with every release of polars.
"""

from __future__ import annotations

import sys
from typing import Any

import pyarrow as pa

from tallystick.errors import DataError, shown


def plain_polars(frame: Any, where: str) -> Any:
    """Return a frame of polars without types that Arrow lacks: whole numbers of 128 bits become texts."""
    if not hasattr(frame, "get_columns"):
        return frame
    if cut := [
        name for name in frame.columns if "\0" in name
    ]:  # handing it over, polars would end the process
        raise DataError(
            f"{where} has the column name {shown(cut[0])}, with a NUL character in it. Rename it."
        )
    strange = [s.name for s in frame.get_columns() if str(s.dtype).startswith("Object")]
    if strange:
        text = f"pl.col({shown(strange[0])}).map_elements(str, return_dtype=pl.String)"
        raise DataError(
            f"column {shown(strange[0])} holds Python objects, which are not cells. Make texts of them: "
            f"frame.with_columns({text}), or drop it: frame.drop({shown(strange[0])})."
        )
    wide = [s for s in frame.get_columns() if "Int128" in str(s.dtype)]
    frame = frame.with_columns([s.cast(_without_wide(s.dtype)) for s in wide]) if wide else frame
    if hasattr(frame, "__arrow_c_stream__"):
        return frame
    return with_order(frame.to_arrow(), frame)  # polars before 1.3 has no stream


def with_order(table: pa.Table, frame: Any) -> pa.Table:
    """Return the table of a frame with its Enum columns in order: polars 1 does not tell Arrow of it."""
    columns = frame.get_columns() if hasattr(frame, "get_columns") else []
    for j, column in enumerate(columns):
        if type(column.dtype).__name__ == "Enum" and not table.field(j).type.ordered:
            parts = [
                pa.DictionaryArray.from_arrays(part.indices, part.dictionary, ordered=True)
                for part in table.column(j).chunks
            ]
            table = table.set_column(j, column.name, pa.chunked_array(parts)) if parts else table
    return table


def _without_wide(kind: Any) -> Any:
    """Return a type of polars with texts in place of whole numbers of 128 bits, at any depth."""
    polars, form = sys.modules["polars"], type(kind).__name__
    if form == "Struct":
        return polars.Struct({part.name: _without_wide(part.dtype) for part in kind.fields})
    if form == "Array":
        return polars.Array(_without_wide(kind.inner), kind.size)
    if form == "List":
        return polars.List(_without_wide(kind.inner))
    return polars.String if "Int128" in form else kind
