"""Arrow arrays made from NumPy and Python, and read as NumPy, by their buffers.

pyarrow's own converters (`pa.array`, `pa.scalar`, `to_numpy`, `fill_null` with a number) load pandas wherever
it is installed, to see whether they were given some of it: a quarter of the time from a CSV file to a tree.
Knows Arrow's layouts. Knows nothing of cells or kinds.
Law: the same array as pyarrow's converters give.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from tallystick.errors import DataError, shown


def from_numbers(values: NDArray[Any]) -> pa.Array:
    """Return numbers as an Arrow array over the same memory, none missing; booleans are packed into bits, and
    what does not lie where numbers may is copied.
    """
    if values.dtype == np.bool_:
        bits = np.packbits(values, bitorder="little")
        return pa.Array.from_buffers(pa.bool_(), len(values), [None, pa.py_buffer(bits)])
    if not values.dtype.isnative:
        values = values.astype(values.dtype.newbyteorder("="))
    if not values.flags.aligned:
        values = values.copy()
    kind = pa.from_numpy_dtype(values.dtype)
    return pa.Array.from_buffers(kind, len(values), [None, pa.py_buffer(np.ascontiguousarray(values))])


def from_texts(texts: Sequence[str | None]) -> pa.LargeStringArray:
    """Return texts as an Arrow array; None is missing."""
    there, known = None, texts
    if None in texts:
        there = pa.py_buffer(np.packbits([text is not None for text in texts], bitorder="little"))
        known = [text or "" for text in texts]
    joined = "".join(known)  # type: ignore[arg-type]
    sizes = map(len, known if joined.isascii() else map(str.encode, known))  # type: ignore[arg-type]
    starts = np.zeros(len(texts) + 1, np.int64)
    np.cumsum(np.fromiter(sizes, np.int64, len(texts)), out=starts[1:])
    buffers = [there, pa.py_buffer(starts), pa.py_buffer(joined.encode())]
    return pa.Array.from_buffers(pa.large_string(), len(texts), buffers)


def sound(column: Any, name: str) -> Any:
    """Return an Arrow column that others made; refuse one whose texts lie beyond its own memory.

    Numbers cannot: Arrow checks the sizes of buffers when an array is made, but not where each text begins.
    """
    for chunk in column.chunks if isinstance(column, pa.ChunkedArray) else [column]:
        if not _is_sound(chunk):
            raise DataError(
                f"column {shown(name)} says that its texts lie where none are. "
                "The data is damaged: write it again, or pass the texts themselves."
            )
    return column


def _is_sound(array: pa.Array) -> bool:
    kind, types = array.type, pa.types
    if types.is_dictionary(kind):
        return _is_sound(array.dictionary)
    if types.is_string_view(kind) or types.is_run_end_encoded(kind) or isinstance(kind, pa.BaseExtensionType):
        try:
            array.validate(full=True)
        except (pa.ArrowException, IndexError, UnicodeDecodeError) as error:
            return "UTF8" in str(error)  # which is told where the texts are read, with an example
        return True
    wide = types.is_large_string(kind)
    if not len(array) or not (wide or types.is_string(kind)):
        return True
    _, places, texts = array.buffers()
    starts: NDArray[Any] = np.frombuffer(places, np.int64 if wide else np.int32)[
        array.offset : array.offset + len(array) + 1
    ]
    end = 0 if texts is None else texts.size
    return bool(starts[0] >= 0 and starts[-1] <= end and (starts[1:] >= starts[:-1]).all())


def to_numbers(array: pa.Array) -> NDArray[Any]:
    """Return an array of numbers without nulls as a view that cannot be written to; a copy where it does not
    lie where numbers may.
    """
    view = np.from_dlpack(array)
    return view if view.flags.aligned else view.copy()


def filled(array: pa.Array, missing: float) -> NDArray[Any]:
    """Return numbers as NumPy, with `missing` where they are null."""
    if array.null_count == 0:
        return to_numbers(array)
    there, data = array.buffers()
    bare = pa.Array.from_buffers(array.type, len(array), [None, data], offset=array.offset)
    plain = to_numbers(bare)
    values = plain.astype(np.promote_types(plain.dtype, np.min_scalar_type(missing)))
    bits = np.unpackbits(np.frombuffer(there, np.uint8), bitorder="little")
    values[bits[array.offset : array.offset + len(array)] == 0] = missing
    return values


def batch_of(cells: Sequence[Any], names: Sequence[str], rows: int) -> pa.RecordBatch:
    """Return a batch of these columns; of rows without any it is their number that counts."""
    if not names:
        return pa.record_batch([pa.nulls(rows)], names=["none"]).select([])
    return pa.RecordBatch.from_arrays(list(cells), names=list(names))
