"""String columns to sorted values and small codes, and text cells to numbers.

Knows Arrow's string layouts. Knows nothing of kinds, schemas or rules about columns.
Law: the values and the codes depend on the cells alone, not on chunks, Arrow type, dictionary order or unused
entries; surrounding ASCII white space is not part of a cell.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from tallystick import kernels
from tallystick.data.source.arrays import filled, from_numbers, from_texts, to_numbers
from tallystick.data.table.block import code_type
from tallystick.errors import DataError
from tallystick.kernels import CellKind, FewTexts, Parsed

SPACES = " \t\n\v\f\r"  # what is stripped: ASCII white space
FEW = 100  # entries of a dictionary that Python merges sooner than Arrow
SHARED = 4_096  # bytes of texts that many batches share: longer ones would be held when nobody reads any more


@dataclass(frozen=True, slots=True)
class Distinct:
    """The distinct texts of a column, sorted by UTF-8 bytes, and every cell's place among them.

    values[k]: large_string, stripped. codes[row]: 0..k-1, and k = len(values) where the cell is missing;
    8 bits when k + 2 <= 256, 16 when k + 2 <= 65,536, else 32, so that "unseen" (k + 1) fits as well.
    """

    values: pa.LargeStringArray
    codes: NDArray[Any]
    counted: NDArray[np.int64] | None = None
    order: tuple[str, ...] | None = None  # as an ordered dictionary lists them, None without one

    def counts(self) -> NDArray[np.int64]:
        """Return counts[k + 1]: rows of each value, then rows without one."""
        if self.counted is None:
            return kernels.count_classes(self.codes, len(self.values) + 1)
        return self.counted


def is_text(kind: pa.DataType) -> bool:
    """Is this a type of texts?"""
    types = pa.types
    return bool(types.is_string(kind) or types.is_large_string(kind) or types.is_string_view(kind))


def distinct(cells: Any, marks: Sequence[str] = ()) -> Distinct:
    """Return the distinct values and codes of a string or dictionary column; null and the marks are missing.

    cells: a string, large_string, string_view or dictionary Array or ChunkedArray, or a list of such arrays
    of one type or several.
    """
    chunks = (
        cells.chunks if isinstance(cells, pa.ChunkedArray) else cells if isinstance(cells, list) else [cells]
    )
    chunks = [c for c in chunks if len(c)]
    coded = [c if pa.types.is_dictionary(c.type) else _plain(c).dictionary_encode() for c in chunks]
    places = [_places(c) for c in coded]
    counts = [kernels.count_classes(at, len(c.dictionary) + 1) for at, c in zip(places, coded, strict=True)]
    used = [rows[:-1] > 0 for rows in counts]
    if len(coded) == 1 and len(used[0]) <= FEW:
        merged, into = _merge_few(coded[0].dictionary.to_pylist(), used[0], marks)
    else:
        merged, into = _merge([_plain(c.dictionary) for c in coded], used, marks)
    kind = code_type(len(merged))
    if len(coded) == 1 and places[0].dtype == kind and _is_identity(into[0], len(merged)):
        return Distinct(merged, places[0], counts[0])
    codes, counted = np.empty(sum(len(c) for c in coded), kind), np.zeros(len(merged) + 1, np.int64)
    start = 0
    for at, place, rows in zip(places, into, counts, strict=True):
        np.take(place.astype(kind), at, out=codes[start : start + len(at)], mode="clip")
        kernels.count_classes(place, len(counted), rows, counted)
        start += len(at)
    return Distinct(merged, codes, counted)


def distinct_few(few: FewTexts, marks: Sequence[str] = ()) -> Distinct:
    """Return few texts, each known once, as `distinct` would; those of many batches share one array."""
    missing = _marks(tuple(marks))
    values = tuple(sorted(set(few.texts) - missing))
    at = {text: i for i, text in enumerate(values)}
    place = np.array([at.get(text, len(values)) for text in few.texts], code_type(len(values)))
    counted = kernels.count_classes(place, len(values) + 1, few.counts)
    array = _shared(values) if sum(map(len, values)) <= SHARED else _as_array(values)
    return Distinct(array, np.take(place, few.codes, mode="clip"), counted)


@lru_cache(maxsize=64)
def _marks(marks: tuple[str, ...]) -> frozenset[bytes]:
    return frozenset(mark.encode() for mark in marks)


def _as_array(values: tuple[bytes, ...]) -> pa.LargeStringArray:
    return from_texts([value.decode() for value in values])


@lru_cache(maxsize=256)
def _shared(values: tuple[bytes, ...]) -> pa.LargeStringArray:
    """Shared: nobody writes to it."""
    return _as_array(values)


def _places(coded: pa.DictionaryArray) -> NDArray[Any]:
    """Return every cell's place in the dictionary, one beyond where it is null."""
    size = len(coded.dictionary)
    found = np.ascontiguousarray(filled(coded.indices, size))
    places = found.view(f"u{found.dtype.itemsize}")
    if places.max(initial=0) > size:
        raise DataError(
            f"a dictionary of {size:,} entries is asked for entry {int(found[places > size][0]):,}. "
            "The data is damaged: write it again, or pass the texts themselves."
        )
    return places if found.dtype.itemsize < 8 else places.astype(np.uint32)


def _is_identity(place: NDArray[np.uint32], values: int) -> bool:
    """Say whether the entries of a dictionary are its values already: sorted, stripped, used."""
    return len(place) == values + 1 and bool((place == np.arange(values + 1)).all())


def _plain(array: pa.Array) -> pa.LargeStringArray:
    """Return any string array as large_string (no copy when it is one)."""
    if pa.types.is_dictionary(array.type):
        array = array.dictionary_decode()
    return array if pa.types.is_large_string(array.type) else array.cast(pa.large_string())


def _merge_few(
    entries: list[str | None], used: NDArray[np.bool_], marks: Sequence[str]
) -> tuple[pa.LargeStringArray, list[NDArray[np.uint32]]]:
    """As _merge, for one small dictionary: Python is done before Arrow's functions are set up."""
    texts = [None if t is None else t.strip(SPACES) for t in entries]
    there = {text for text, some in zip(texts, used.tolist(), strict=True) if some and text is not None}
    values = sorted(there.difference(marks))
    at: dict[str | None, int] = {text: i for i, text in enumerate(values)}
    place = np.array([*(at.get(t, len(values)) for t in texts), len(values)], np.uint32)
    return from_texts(values), [place]


def _merge(
    texts: list[pa.LargeStringArray], used: list[NDArray[np.bool_]], marks: Sequence[str]
) -> tuple[pa.LargeStringArray, list[NDArray[np.uint32]]]:
    """Return the sorted values over all dictionaries and place[entry] of each; its last number is "missing".

    Only entries that some row uses make a value: a category nobody has is not there.
    """
    stripped = [pc.ascii_trim(t, SPACES) for t in texts]
    there = [
        t if some.all() else t.filter(from_numbers(some)) for t, some in zip(stripped, used, strict=True)
    ]
    everything = pc.unique(pa.chunked_array(there, pa.large_string())).drop_null()
    if marks:
        marked = pc.is_in(everything, from_texts(marks))
        everything = everything.filter(pc.invert(marked)) if pc.any(marked).as_py() else everything
    order = pc.sort_indices(everything)
    values, missing = everything.take(order), len(order)
    if len(texts) == 1 and len(texts[0]) == missing:  # each entry is a value, so that they need not be found
        place = np.full(missing + 1, missing, np.uint32)
        place[to_numbers(order)] = np.arange(missing)
        return values, [place]
    places = []
    for text in stripped:
        place = np.full(len(text) + 1, missing, np.uint32)
        place[:-1] = filled(pc.index_in(text, values), missing)
        places.append(place)
    return values, places


def numbers(
    cells: pa.Array | pa.ChunkedArray, marks: Sequence[str], decimal: str = ".", *, dates: bool = False
) -> Parsed:
    """Read a string column as numbers: see kernels.parse_numbers. Rows run through all chunks."""
    chunks = cells.chunks if isinstance(cells, pa.ChunkedArray) else [cells]
    parts = [
        kernels.parse_numbers(data, offsets, validity, marks, decimal, bit_offset=bit, dates=dates)
        for data, offsets, validity, bit in map(layout, chunks)
    ]
    if len(parts) == 1:
        return parts[0]
    counts = np.zeros(len(kernels.CellKind), np.int64)
    first = np.full(len(counts), -1, np.int64)
    start = 0
    for part in parts:
        first = np.where((first < 0) & (part.first >= 0), part.first + start, first)
        counts += part.counts
        start += len(part.values)
    values = np.concatenate([p.values for p in parts] or [np.empty(0)])
    kinds = np.concatenate([p.kinds for p in parts] or [np.empty(0, np.uint8)])
    return Parsed(values, kinds, counts, first)


def numbers_of(texts: pa.LargeStringArray, decimal: str) -> Parsed:
    """Read distinct texts as numbers. Wide tables have the same few levels in many columns: read once."""
    if len(texts) > FEW:
        return numbers(texts, (), decimal, dates=True)
    return _few_numbers(tuple(texts.to_pylist()), decimal)


def reads_as_number(text: str) -> bool:
    """Is this text a number or a date, plainly written?"""
    plain = (CellKind.NUMBER, CellKind.INTEGER, CellKind.INFINITE, CellKind.DATE)
    return int(_few_numbers((text,), ".").kinds[0]) in plain


@lru_cache(maxsize=256)
def _few_numbers(texts: tuple[str, ...], decimal: str) -> Parsed:
    """Shared: nobody writes to it."""
    data, offsets = kernels.join_texts(texts)
    return kernels.parse_numbers(data, offsets, None, (), decimal, dates=True)


def layout(array: pa.Array) -> tuple[NDArray[np.uint8], NDArray[Any], NDArray[np.uint8] | None, int]:
    """Return (data, offsets[row + 1], validity or None, bit offset) of a string array, without copying.

    A dictionary or string_view array is first written out as large_string.
    """
    if not (pa.types.is_string(array.type) or pa.types.is_large_string(array.type)):
        array = _plain(array)
    validity, offsets, data = array.buffers()
    kind: type[np.signedinteger[Any]] = np.int32 if pa.types.is_string(array.type) else np.int64
    rows = np.zeros(1, kind)
    if len(array):
        rows = np.frombuffer(offsets, kind, len(array) + 1, array.offset * np.dtype(kind).itemsize)
    present = None if validity is None or array.null_count == 0 else np.frombuffer(validity, np.uint8)
    return np.frombuffer(data or b"", np.uint8), rows, present, array.offset
