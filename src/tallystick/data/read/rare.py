"""Arrow types that few columns have, in terms of those that many have; and what to do about types without
cells.

Knows Arrow types. Knows nothing of kinds, levels or rules.
Law: a value in a rare type reads as it does in a common one, or as its text in a file.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa

from tallystick.data.source.arrays import from_numbers, from_texts
from tallystick.data.text import cell_text
from tallystick.errors import Argument, DataError, shown

INSIDE = {  # of storages that mean something else than they hold
    "pandas.period": "Make dates of it: frame[{0}].dt.to_timestamp()",
    "pandas.interval": "Make columns of its two ends, or text: frame[{0}].astype(str)",
}


def common(chunk: pa.Array, name: str) -> pa.Array | None:
    """Return a chunk of a rare type as one of a common type; None: the type is common, or holds no cells."""
    kind, types = chunk.type, pa.types
    if types.is_decimal(kind) and kind.bit_width < 128:
        return chunk.cast(pa.decimal128(kind.precision, kind.scale))
    if types.is_time(kind):
        return _texts(chunk.cast(pa.time64("us"), safe=False), name)
    if types.is_run_end_encoded(kind):
        return _decoded(chunk)
    if not isinstance(kind, pa.BaseExtensionType) or kind.extension_name in INSIDE:
        return None
    if kind.extension_name == "arrow.uuid":
        return _texts(chunk, name)
    if kind.extension_name == "arrow.bool8":
        return chunk.storage.cast(pa.bool_())
    return chunk.storage


def _texts(chunk: pa.Array, name: str) -> pa.DictionaryArray:
    """Return the canonical texts of values of which each is written out once."""
    storage = chunk.storage if isinstance(chunk.type, pa.BaseExtensionType) else chunk
    coded = storage.dictionary_encode()
    values = coded.dictionary
    if storage is not chunk:
        values = pa.ExtensionArray.from_storage(chunk.type, values)
    texts = [cell_text(value, name) for value in values]
    return pa.DictionaryArray.from_arrays(coded.indices, from_texts(texts))


def _decoded(chunk: pa.Array) -> pa.Array:
    """Return runs written out, whatever they hold."""
    ends = np.asarray(chunk.run_ends)
    runs = np.searchsorted(ends, np.arange(chunk.offset, chunk.offset + len(chunk)), side="right")
    return chunk.values.take(from_numbers(runs))


def microseconds(chunk: pa.Array) -> pa.Array:
    """Return the microseconds of durations; finer units are cut to them, as those of moments are."""
    return chunk.cast(pa.duration("us"), safe=False).cast(pa.int64())


def refused(kind: Any, name: str) -> DataError:
    """Return the error of a type that holds no cells."""
    return DataError(
        f"column {shown(name)} is of type {shown(kind)}, which is neither a number nor text. "
        f"{_cure(kind, name)}, or leave it out: ",
        Argument("kinds", {name: "out"}),
        ".",
    )


def _cure(kind: Any, name: str) -> str:
    """Return what to do about it, with how."""
    types, column = pa.types, shown(name)
    if isinstance(kind, pa.BaseExtensionType):
        return INSIDE[kind.extension_name].format(column)
    if types.is_struct(kind):
        return (
            f"Make columns of its parts (Arrow: table.flatten(); polars: frame.unnest({column}); "
            f"pandas: pd.json_normalize(frame[{column}]))"
        )
    if types.is_nested(kind) and not types.is_union(kind) and not types.is_map(kind):
        return (
            f"Make columns of its parts (Arrow: pyarrow.compute.list_element(table[{column}], 0); "
            f"polars: pl.col({column}).list.get(0); pandas: frame[{column}].str[0])"
        )
    if types.is_map(kind):
        return (
            "Make columns of its parts "
            f"(pyarrow.compute.map_lookup(table[{column}], pa.scalar(...), 'first'))"
        )
    if "binary" in str(kind):
        return (
            "Decode it to text first (Arrow: column.cast('string'); "
            f"polars: pl.col({column}).cast(pl.String); pandas: frame[{column}].str.decode('utf-8'))"
        )
    if types.is_interval(kind):
        return "Make a number of it first: of months, or of days"
    return "Cast it to numbers or text first"
