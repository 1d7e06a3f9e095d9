"""Arrow arrays from NumPy, Python objects and polars, and back; batches joined to one table; tables on disk.

- Buffers without pyarrow's converters: `from_numbers()`, `from_texts()`, `to_numbers()`, `filled()`.
  `pa.array`, `to_numpy` and others import pandas if it is installed: a quarter of the time from a CSV file to
  a tree.
- One column from NumPy or objects: `numpy_column()`, `objects_column()`. Polars: `plain_polars()`.
- Batches as one table: `one_table()`, `common()`, `alike()`. On disk: `table_on_disk()`, `take_rows()`.

Law: the same arrays as pyarrow's converters give.
"""

from __future__ import annotations

import contextlib
import datetime
import decimal
import sys
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from tallystick import kernels
from tallystick.errors import DataError, shown
from tallystick.io.scratch import ScratchFile, padded
from tallystick.text import OF_PANDAS, YEARS, cell_text, is_missing


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


# ---- one column of a NumPy array, or of Python objects, as Arrow ----
#
# Law: the cells are those of a list of the same objects; a frequent text is decoded once.


SHORT, SAMPLE, FEW = 256, 1024, 64  # bytes of a NumPy text; first rows; distinct texts among them at most
MANY, SHARES = 1_000, 4  # rows, and cells per object, from which each object is decoded once
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
    """Return a column of which some cells are masked: the values there are ignored."""
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


# ---- polars frames to Arrow: differences between its releases since 1.0 ----
#
# Law: a frame gives the same Arrow table with every release of polars.


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


# ---- batches as one table, where files may have a column in different types ----
#
# Law: the cells stay the same; a type changes only where batches differ, or where a dictionary has narrow
# codes that others may exceed. Where no type holds all, cells are texts.


def no_rows(names: Sequence[str]) -> pa.RecordBatch:
    """Return a batch of these columns without a row."""
    return pa.RecordBatch.from_arrays([pa.nulls(0, pa.string())] * len(names), names=list(names))


def one_table(batches: Iterable[pa.RecordBatch], names: Sequence[str], joins: bool = False) -> pa.Table:
    """Return all batches of a source with these columns as one table; joins: see `common`."""
    given = list(batches)
    schema = common([batch.schema for batch in given], names, joins)
    return pa.Table.from_batches([alike(batch, schema) for batch in given], schema)


def common(schemas: Sequence[pa.Schema], names: Sequence[str], joins: bool) -> pa.Schema:
    """Return the one schema that batches of these schemas can have; without any, that of no rows.

    joins: dictionaries will become one, which may have more values than a narrow code can tell apart.
    """
    several = list(dict.fromkeys(schema.remove_metadata() for schema in schemas)) or [no_rows(names).schema]
    types = (dict.fromkeys(own) for own in zip(*(schema.types for schema in several), strict=True))
    return pa.schema([(name, _one_type(own, joins)) for name, own in zip(names, types, strict=True)])


def _one_type(types: Iterable[pa.DataType], joins: bool) -> pa.DataType:
    """Return a type for the cells of all these types."""
    several = list(dict.fromkeys(map(_wide, types) if joins else types))
    if len(several) == 1:
        return several[0]
    try:
        schemas = [pa.schema([("", kind)]) for kind in several]
        return pa.unify_schemas(schemas, promote_options="permissive").field(0).type
    except pa.ArrowException:
        return pa.large_string()


def _wide(kind: pa.DataType) -> pa.DataType:
    """Return a type whose arrays Arrow can join and take rows of: that of the same cells in plain texts, in a
    dictionary with codes for any number of values, or not encoded by runs; another as it is.
    """
    if pa.types.is_run_end_encoded(kind):
        return _wide(kind.value_type)
    if pa.types.is_string_view(kind):
        return pa.large_string()
    if pa.types.is_binary_view(kind):
        return pa.large_binary()
    if pa.types.is_dictionary(kind):
        return pa.dictionary(pa.int32(), _wide(kind.value_type), kind.ordered)
    return kind


def alike(batch: pa.RecordBatch, schema: pa.Schema) -> pa.RecordBatch:
    """Return a batch in this schema."""
    if batch.schema.equals(schema):
        return batch
    cells = [_cast(own, field) for own, field in zip(batch.columns, schema, strict=True)]
    return pa.RecordBatch.from_arrays(cells, schema=schema)


def _cast(cells: pa.Array, field: pa.Field) -> pa.Array:
    own, wanted = cells.type, field.type
    if own.equals(wanted):
        return cells
    try:
        if pa.types.is_dictionary(own) and pa.types.is_dictionary(wanted):
            codes, values = cells.indices.cast(wanted.index_type), cells.dictionary.cast(wanted.value_type)
            return pa.DictionaryArray.from_arrays(codes, values, ordered=wanted.ordered)
        if pa.types.is_dictionary(cells.type):
            plain = cells.dictionary_decode()
        else:
            plain = pc.run_end_decode(cells) if pa.types.is_run_end_encoded(cells.type) else cells
        if wanted.equals(pa.large_string()) and "string" not in str(plain.type):
            return as_texts(plain.to_pylist(), field.name)
        return plain.cast(wanted)
    except DataError:  # it is among FAILURES, and says what is wrong
        raise
    except FAILURES as error:
        raise DataError(
            f"column {shown(field.name)} is of type {shown(own)} in some rows, {shown(wanted)} would be that "
            "of all, and not every cell is the same in it. Give the column one type in all files."
        ) from error


# ---- a table on disk: the same cells in the same order, a few megabytes in memory at a time ----


JOINED = 4 << 20  # bytes: smaller batches are joined, as an array has a kilobyte of overhead


def table_on_disk(batches: Iterable[pa.RecordBatch], names: Sequence[str]) -> pa.Table:
    """Return batches of these columns as a table whose cells the system fetches from a scratch file as they
    are looked at.
    """
    schemas, kept = _kept(batches)
    schema = common(schemas, names, joins=True)
    _, rows = _kept(_joined(alike(batch, schema) for batch in kept))
    return pa.Table.from_batches(rows, schema)


def _kept(batches: Iterable[pa.RecordBatch]) -> tuple[list[pa.Schema], Iterator[pa.RecordBatch]]:
    """Write all batches into a scratch file; return their schemas, and the batches mapped from it."""
    file, places, schemas = ScratchFile(), list[tuple[int, int]](), dict[pa.Schema, None]()
    for batch in batches:  # none is held: what a batch shows may be a small part of what it holds on to
        sink = pa.BufferOutputStream()
        with pa.ipc.new_stream(sink, batch.schema) as writer:
            writer.write_batch(batch)
        places.append((padded(file.size), sink.tell()))
        file.append(bytes(places[-1][0] - file.size), sink.getvalue())
        schemas[batch.schema] = None
    whole = pa.py_buffer(file.view())
    file.close()
    lying = (pa.ipc.open_stream(whole.slice(at, size)).read_next_batch() for at, size in places)
    return list(schemas), lying


def _joined(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Yield the same rows in fewer batches."""
    waiting, size = list[pa.RecordBatch](), 0
    for batch in batches:
        waiting.append(batch)
        size += batch.nbytes
        if size >= JOINED:
            yield from _one(waiting).to_batches()
            waiting, size = [], 0
    if waiting:
        yield from _one(waiting).to_batches() or waiting[:1]  # without rows there is the schema


def _one(batches: list[pa.RecordBatch]) -> pa.Table:
    return pa.Table.from_batches(batches).unify_dictionaries().combine_chunks()


def take_rows(cells: pa.Table, parts: Iterable[NDArray[np.int64]]) -> Iterator[pa.RecordBatch]:
    """Yield the rows with the numbers of each part, in their order.

    Taken batch by batch: Arrow's own way to take rows of a table puts all its batches together first.
    """
    batches = cells.to_batches()
    starts = np.cumsum([0, *(batch.num_rows for batch in batches)])[:-1]
    for rows in parts:
        if not len(rows):
            continue
        at = np.searchsorted(starts, rows, "right") - 1
        order = np.argsort(at, kind="stable")
        own, first = np.unique(at[order], return_index=True)
        found = [
            batches[b].take(pa.array(rows[some] - starts[b]))
            for b, some in zip(own.tolist(), np.split(order, first[1:]), strict=True)
        ]
        back = np.empty(len(rows), np.int64)
        back[order] = np.arange(len(rows))
        yield from _one(found).take(pa.array(back)).to_batches()
