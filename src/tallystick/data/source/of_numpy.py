"""One column of a NumPy array, or of Python objects, as Arrow has it.

Knows arrays and objects. Knows nothing of tables, kinds or codes.
Law: the cells are those of a list of the same objects; a text that comes often is read once.
"""

from __future__ import annotations

import contextlib
import datetime
import decimal
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tallystick import kernels
from tallystick.data.source.arrays import from_numbers
from tallystick.data.text import OF_PANDAS, YEARS, cell_text, is_missing
from tallystick.errors import DataError, shown

if TYPE_CHECKING:
    from numpy.typing import NDArray

SHORT, SAMPLE, FEW = 256, 1024, 64  # bytes of a NumPy text; the first rows, and how many texts among them
MANY, SHARES = 1_000, 4  # rows, and cells for each object, from which it pays to look at each object once
FAILURES = (
    pa.ArrowException,
    OverflowError,
    TypeError,
    ValueError,
    NotImplementedError,
    OSError,
)  # of Arrow
NESTED = (list, tuple, dict, set, frozenset, np.ndarray)
CELLS = (
    *(bool, int, float, str, type(None), np.bool_, np.integer, np.floating),
    *(datetime.date, datetime.timedelta, decimal.Decimal),
)


def numpy_column(cells: NDArray[Any], name: str) -> pa.ChunkedArray:
    """Return a column of an array; masked cells are missing."""
    if isinstance(cells, np.ma.MaskedArray):
        return _unmasked(cells, name)
    if cells.dtype.kind in "iufb":
        return pa.chunked_array([from_numbers(_doubles(cells, name))])
    if cells.dtype.kind in "US":
        return pa.chunked_array([_short_texts(cells, name) or _texts_column(_decoded(cells, name), name)])
    if cells.dtype.kind == "M":
        return pa.chunked_array([pa.array(np.ascontiguousarray(_known_unit(cells, name)))])
    if cells.dtype.kind == "m":
        return pa.chunked_array([pa.array(np.ascontiguousarray(_known_span(cells, name)))])
    return pa.chunked_array([_shared_texts(cells) or objects_column(cells.tolist(), name)])


def _unmasked(cells: Any, name: str) -> pa.ChunkedArray:
    """Return a column of which some cells are masked: whatever lies there is not looked at."""
    masked, kind = np.ma.getmaskarray(cells), cells.dtype.kind
    if not masked.any():
        return numpy_column(np.asarray(cells), name)
    if kind in "fMm":  # which have a value for a missing cell
        known: NDArray[Any] = np.array(cells.data)
        known[masked] = np.nan if kind == "f" else "NaT"
        return numpy_column(known, name)
    if kind in "iub":
        whole = numpy_column(cells.filled(0), name)
        return pc.if_else(from_numbers(masked), pa.scalar(None, whole.type), whole)
    objects = cells.filled(None) if kind == "O" else np.array(_decoded(cells.filled(""), name), object)
    objects[masked] = None
    return numpy_column(objects, name)


def _shared_texts(cells: NDArray[Any]) -> pa.DictionaryArray | None:
    """Return texts, missing ones among them, of which few are different objects: each is looked at once, and
    threads need not wait for each other. None of other cells.
    """
    plain = type(cells) is np.ndarray and len(cells) >= MANY and cells.flags.aligned
    found = kernels.code_objects(cells, len(cells) // SHARES) if plain else None
    if found is None:
        return None
    codes, first = found
    some = cells[first].tolist()
    if not all(type(cell) is str or is_missing(cell) for cell in some):
        return None
    try:
        texts = pa.array(some, from_pandas=True)
    except FAILURES:
        return None
    if not pa.types.is_string(texts.type):
        return None
    coded = texts.dictionary_encode()  # equal texts may be different objects
    into = coded.indices.cast(pa.int8() if len(coded.dictionary) < 1 << 7 else pa.int16())
    return pa.DictionaryArray.from_arrays(into.take(from_numbers(codes)), coded.dictionary, safe=False)


def _doubles(cells: NDArray[Any], name: str) -> NDArray[Any]:
    """Return numbers wider than doubles as doubles, where they are some; others as they are."""
    if cells.dtype.itemsize <= 8:
        return cells
    with np.errstate(over="ignore"):
        doubles = cells.astype(np.float64)
    if len(other := np.flatnonzero((doubles != cells) & ~np.isnan(cells))):
        raise DataError(
            f"column {shown(name)} holds {shown(cells[other[0]])} in row {other[0] + 1:,}, a longdouble that "
            "no double equals. Round the column: .astype('float64')."
        )
    return doubles


def _short_texts(cells: NDArray[Any], name: str) -> pa.DictionaryArray | None:
    """Return few short texts, as labels and levels are, by the bytes of their cells; None of any others.

    NumPy pads all texts of an array to one width, so equal texts are equal bytes, and only the different
    ones are read.
    """
    plain = type(cells) is np.ndarray and 0 < cells.itemsize <= SHORT
    if not plain or len(set(cells[:SAMPLE].tolist())) > FEW:
        return None
    whole = np.ascontiguousarray(cells)
    buffers = [None, pa.py_buffer(whole.view(np.uint8))]
    coded = pa.Array.from_buffers(pa.binary(whole.itemsize), len(whole), buffers).dictionary_encode()
    several = np.frombuffer(coded.dictionary.buffers()[1], whole.dtype, len(coded.dictionary))
    texts = _texts_column(_decoded(several, name), name)
    return pa.DictionaryArray.from_arrays(coded.indices, texts, safe=False)


def _decoded(cells: NDArray[Any], name: str) -> list[str]:
    try:
        found: list[str] = cells.astype(str).tolist()
        return found
    except UnicodeDecodeError:
        raise DataError(
            f"column {shown(name)} holds bytes beyond ASCII. Decode them first: np.strings.decode(array)."
        ) from None


def _known_unit(cells: NDArray[Any], name: str) -> NDArray[Any]:
    """Return dates and times in a unit that Arrow has."""
    unit = np.datetime_data(cells.dtype)[0]
    if unit in ("s", "ms", "us", "ns", "D"):
        return cells
    if unit == "generic":  # no value can be there without a unit
        return cells.astype("M8[s]")
    if unit in ("ps", "fs", "as"):  # they reach some days, at most
        return cells.astype("M8[us]")
    years = cells[~np.isnat(cells)].astype("M8[Y]").astype(np.int64)
    if len(years) and np.abs(years).max() > YEARS:
        raise DataError(f"column {shown(name)} holds dates beyond the year 9999. Correct them.")
    return cells.astype("M8[s]")


def _known_span(cells: NDArray[Any], name: str) -> NDArray[Any]:
    """Return durations in a unit that Arrow has."""
    unit = np.datetime_data(cells.dtype)[0]
    if unit in ("s", "ms", "us", "ns"):
        return cells
    if unit in ("Y", "M", "generic"):
        raise DataError(
            f"column {shown(name)} holds durations in {shown(cells.dtype)}, whose length in seconds is not "
            "fixed. Pass them as numbers: .astype('int64')."
        )
    return cells.astype("m8[us]" if unit in ("ps", "fs", "as") else "m8[s]")


def objects_column(cells: Sequence[Any], name: str) -> pa.Array:
    """Return Python objects as an Arrow array: of their type when they share one, else as canonical texts.

    Arrow sees only what cells can be: a list that holds itself would end the process there.
    """
    types = set(map(type, cells))
    if types - {type(None)} and all(issubclass(kind, (*NESTED, type(None))) for kind in types):
        parts = pa.struct([]) if dict in types else pa.list_(pa.null())
        return pa.nulls(len(cells), parts)  # no cells: refused, unless the column is left out
    if all(issubclass(kind, CELLS) or kind.__name__ in OF_PANDAS for kind in types):
        with contextlib.suppress(*FAILURES):
            return pa.array(cells, from_pandas=True)
    return as_texts(cells, name)


def as_texts(cells: Any, name: str) -> pa.Array:
    """Return mixed Python objects as canonical texts; the same as a CSV would hold."""
    return _texts_column([cell_text(cell, name) for cell in cells], name)


def _texts_column(texts: list[Any], name: str) -> pa.Array:
    """Return texts, None where there is none, as an Arrow array."""
    try:
        return pa.array(texts, type=pa.large_string())
    except UnicodeEncodeError as error:
        raise DataError(
            f"column {shown(name)} holds {shown(error.object)}, with half of a character (a lone surrogate). "
            "Correct it, or write it again as UTF-8."
        ) from None
