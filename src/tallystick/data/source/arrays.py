"""Arrow arrays made from NumPy and Python, and read as NumPy, by their buffers.

pyarrow's own converters (`pa.array`, `pa.scalar`, `to_numpy`, `fill_null` with a number) load pandas wherever
it is installed, to see whether they were given some of it: a quarter of the time from a CSV file to a tree.
Knows Arrow's layouts. Knows nothing of cells, kinds or columns.
Law: the same array as pyarrow's converters give.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray


def from_numbers(values: NDArray[Any]) -> pa.Array:
    """Return numbers as an Arrow array over the same memory, none missing; booleans are packed into bits."""
    if values.dtype == np.bool_:
        bits = np.packbits(values, bitorder="little")
        return pa.Array.from_buffers(pa.bool_(), len(values), [None, pa.py_buffer(bits)])
    if not values.dtype.isnative:
        values = values.astype(values.dtype.newbyteorder("="))
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


def to_numbers(array: pa.Array) -> NDArray[Any]:
    """Return an array of numbers without nulls as a view that cannot be written to."""
    return np.from_dlpack(array)


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
