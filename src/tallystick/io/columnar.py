"""Arrow (Feather), ORC and Parquet files as sources; the unpacked size of Arrow data, known before unpacking.

- Sizes: `in_stream()`, `in_file()`, `in_parts()`; `Held` is what an Arrow message declares.
- Arrow and ORC. Entry: `open_arrow`, `open_orc`. Parquet, a text that repeats held once: `open_parquet()`.

Laws: memory goes with the bytes that a file declares, not with how often a text repeats; files are read,
never mapped, so that one truncated meanwhile is an error and not a crash.
"""

from __future__ import annotations

import contextlib
import os
import struct
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from numpy.typing import NDArray

from tallystick.errors import DataError, shown
from tallystick.files import Stamp
from tallystick.io.containers import BATCH_ROWS, Stream
from tallystick.io.csv_bytes import refuse_swollen
from tallystick.io.frames import filled
from tallystick.io.scratch import needed
from tallystick.io.source import cannot_read, clean_names
from tallystick.schema import Reading

# ---- the unpacked size of Arrow data, before anything is unpacked ----
#
# A few hundred bytes of Arrow may declare 10^12 rows without a byte (type null), may unpack to gigabytes
# (lz4, zstd), or may refer to one long text in every row (dictionaries, views, runs). Law: a size computed
# here is never less than what Arrow will allocate.


LEAST_TEXT = 1 << 20  # bytes of a column below which its size is not computed when a batch is cut
# Message: version, header's type, header; its RecordBatch: length, nodes, buffers, compression; its
# DictionaryBatch: id, data (a RecordBatch). Footer: version, schema, dictionaries, record batches.
_HEADER_TYPE, _HEADER = 1, 2
_LENGTH, _BUFFERS, _COMPRESSION = 0, 2, 3
_DATA, _DICTIONARIES, _BATCHES = 1, 2, 3
_DICTIONARY_BATCH, _RECORD_BATCH = 2, 3  # types of headers
_OLD_COMPRESSION = b"ARROW:experimental_compression"  # metadata key by which Arrow 0.17 declares compression


@dataclass(frozen=True)
class Held:
    """What a message holds: rows of a table or entries of a dictionary, and their bytes unpacked."""

    is_batch: bool
    rows: int
    size: int


def in_stream(data: Any) -> Iterator[Held]:
    """Yield what each message of an Arrow stream holds."""
    for message in pa.ipc.MessageReader.open_stream(data):
        if (found := _held(message)) is not None:
            yield found


def in_file(file: Any) -> Iterator[Held]:
    """Yield what each message of an open Arrow file holds, by the places that its footer gives."""
    size = file.size()
    (length,) = struct.unpack("<i", file.read_at(4, size - 10))  # before the last six bytes, ARROW1
    footer = file.read_at(length, size - 10 - length)
    (root,) = struct.unpack_from("<I", footer)
    for which in (_DICTIONARIES, _BATCHES):
        for at in _vector(footer, root, which, 24):
            (place,) = struct.unpack_from("<q", footer, at)
            file.seek(place)
            if (found := _held(pa.ipc.read_message(file))) is not None:
                yield found


def _held(message: Any) -> Held | None:
    data, body = message.metadata.to_pybytes(), message.body
    (root,) = struct.unpack_from("<I", data)
    kind_at, batch = _field(data, root, _HEADER_TYPE), _table(data, root, _HEADER)
    kind = data[kind_at] if kind_at else 0
    if kind == _DICTIONARY_BATCH:
        batch = _table(data, batch, _DATA)
    elif kind != _RECORD_BATCH:
        return None
    length_at = _field(data, batch, _LENGTH)
    rows = struct.unpack_from("<q", data, length_at)[0] if length_at else 0
    packed = _field(data, batch, _COMPRESSION) or _OLD_COMPRESSION in data
    size = 0
    for at in _vector(data, batch, _BUFFERS, 16):
        place, length = struct.unpack_from("<qq", data, at)
        if packed and length >= 8:  # begins with its size unpacked, -1 where it is as it is
            (unpacked,) = struct.unpack("<q", body[place : place + 8].to_pybytes())
            length = max(length, unpacked)
        size += max(length, 0)
    return Held(kind == _RECORD_BATCH, max(rows, 0), size)


def _field(data: bytes, table: int, number: int) -> int:
    """Return the position of a field of a flatbuffers table; 0 if it is absent."""
    (back,) = struct.unpack_from("<i", data, table)
    entry = table - back + 4 + 2 * number
    (size,) = struct.unpack_from("<H", data, table - back)
    if entry + 2 > table - back + size:
        return 0
    (offset,) = struct.unpack_from("<H", data, entry)
    return table + offset if offset else 0


def _table(data: bytes, table: int, number: int) -> int:
    at = _field(data, table, number)
    return at + int(struct.unpack_from("<I", data, at)[0])


def _vector(data: bytes, table: int, number: int, width: int) -> range:
    """Return where each structure of a vector begins."""
    if not (at := _field(data, table, number)):
        return range(0)
    start = at + struct.unpack_from("<I", data, at)[0]
    (count,) = struct.unpack_from("<I", data, start)
    return range(start + 4, start + 4 + count * width, width)


def in_parts(batch: pa.RecordBatch, limit: int) -> Iterator[pa.RecordBatch]:
    """Yield a batch in parts whose texts, written out, take so many bytes at most, where rows are smaller."""
    size = sum(written(column, LEAST_TEXT) for column in batch.columns)
    rows = batch.num_rows if size <= limit else max(batch.num_rows * limit // size, 1)
    for start in range(0, batch.num_rows, max(rows, 1)):
        yield batch.slice(start, rows)


def written(column: pa.Array, least: int = 0) -> int:
    """Return the bytes of texts that several rows may share, written out; 0 of other columns, and of those
    that cannot reach the least that counts.
    """
    kind, types = column.type, pa.types
    shared = types.is_dictionary(kind) or types.is_run_end_encoded(kind)
    if not shared and not types.is_string_view(kind) and not types.is_binary_view(kind):
        return 0
    texts = column.dictionary if types.is_dictionary(kind) else column.values if shared else column
    lengths = _lengths(texts)
    most = 0 if lengths is None or not len(lengths) else len(column) * int(lengths.max())
    if lengths is None or most < least:  # as most are
        return 0
    if types.is_run_end_encoded(kind):
        return most
    if shared:
        lengths = np.append(lengths, 0)[filled(column.indices, len(lengths))]
    return int(lengths.sum())


def _lengths(texts: pa.Array) -> NDArray[np.int64] | None:
    """Return the bytes of each text, 0 where it is missing; None where there are no texts."""
    kind, types = texts.type, pa.types
    if types.is_dictionary(kind):
        inside = _lengths(texts.dictionary)
        return None if inside is None else np.append(inside, 0)[filled(texts.indices, len(inside))]
    if types.is_string_view(kind) or types.is_binary_view(kind):  # which Arrow does not measure
        count = texts.offset + len(texts)
        words = np.frombuffer(texts.buffers()[1] or b"", np.int32, 4 * count)  # of each text: its length, ...
        return words[4 * texts.offset :: 4].astype(np.int64)
    plain = (types.is_string, types.is_large_string, types.is_binary, types.is_large_binary)
    return filled(pc.binary_length(texts), 0).astype(np.int64) if any(one(kind) for one in plain) else None


BYTES = 1 << 26  # of the texts of a batch, at most


def _arrow_batches(path: str) -> Iterator[pa.RecordBatch]:
    with pa.OSFile(path) as file, pa.ipc.open_file(file) as reader:
        for number in range(reader.num_record_batches):
            yield reader.get_batch(number)


def _arrow_schema(path: str) -> tuple[pa.Schema, int]:
    """Return the schema, and what the file holds unpacked: bytes, or rows where those take none."""
    with pa.OSFile(path) as file, pa.ipc.open_file(file) as reader:
        return reader.schema, sum(max(held.size, held.rows) for held in in_file(file))


def _orc_batches(path: str) -> Iterator[pa.RecordBatch]:
    from pyarrow import orc

    with pa.OSFile(path) as file:
        reader = orc.ORCFile(file)
        for number in range(reader.nstripes):
            yield reader.read_stripe(number)


def _orc_schema(path: str) -> tuple[pa.Schema, int]:
    from pyarrow import orc

    with pa.OSFile(path) as file:
        reader = orc.ORCFile(file)
        return reader.schema, reader.nrows


def _opened(
    what: str,
    schema_of: Callable[[str], tuple[pa.Schema, int]],
    batches_of: Callable[[str], Iterator[pa.RecordBatch]],
    path: str,
    reading: Reading,
    where: str,
) -> Stream:
    def wrong(error: Exception) -> DataError:
        return DataError(f"{where} is a damaged {what} file: {shown(error, 200)}. Write it again.")

    def walk() -> Iterator[pa.RecordBatch]:
        try:
            for batch in batches_of(path):
                batch.validate()  # that its text offsets are inside its buffers
                for start in range(0, batch.num_rows, BATCH_ROWS):
                    yield from in_parts(batch.slice(start, BATCH_ROWS), BYTES)
        except (pa.ArrowException, OSError) as error:
            raise wrong(error) from error

    stamp = Stamp.of(path, where)
    try:
        schema, size = schema_of(path)
        given = schema.names
    except (pa.ArrowException, OSError, struct.error, IndexError, UnicodeDecodeError) as error:
        raise wrong(error) from error
    refuse_swollen(os.path.getsize(path), size, reading, where)
    names, notes = clean_names(given, where)
    return Stream(where, names, walk, notes, reading, stamps=(stamp,), files=(path,))


open_arrow = partial(_opened, "Arrow", _arrow_schema, _arrow_batches)
open_orc = partial(_opened, "ORC", _orc_schema, _orc_batches)


# ---- Parquet files: a batch of rows at a time, a repeated text held once ----


BATCH = 65_536  # rows of a batch, at most


def open_parquet(path: str, reading: Reading, where: str) -> Stream:
    """Open a Parquet file."""
    stamp = Stamp.of(path, where)
    with _parquet_errors(where):
        file = pq.ParquetFile(path)
        schema, count = file.schema_arrow, file.metadata.num_rows
        # columns of texts that the file holds once and names by number are read so
        wanted = {f.name for f in schema if pa.types.is_string(f.type) or pa.types.is_large_string(f.type)}
        found, per_row = (
            set[str](),
            0,
        )  # bytes of a row, as the file declares them; a text that repeats counts once
        for i in range(file.metadata.num_row_groups):
            group = file.metadata.row_group(i)
            per_row = max(per_row, group.total_byte_size // max(group.num_rows, 1))
            for j in range(group.num_columns):
                column = group.column(j)
                if column.path_in_schema in wanted and column.has_dictionary_page:
                    found.add(column.path_in_schema)
        file.close()
    names, notes = clean_names(schema.names, where)
    numbers = sum(1 for t in schema.types if pa.types.is_primitive(t) and not pa.types.is_boolean(t))
    size = needed(count, numbers, len(names) - numbers)

    def walk(rows: int, limit: int, threads: bool) -> Iterator[pa.RecordBatch]:
        more: dict[str, Any] = {} if threads else {"pre_buffer": False, "buffer_size": 1 << 16}
        seen = 0
        with _parquet_errors(where), pq.ParquetFile(path, read_dictionary=sorted(found), **more) as file:
            for batch in file.iter_batches(rows, use_threads=threads):
                seen += batch.num_rows
                yield from in_parts(batch, limit)
        if seen != count:  # of a file cut short meanwhile, the reader may say nothing
            raise DataError(f"{where} gave {seen:,} of its {count:,} rows. Write it again.")

    def sized(size: int) -> Callable[[], Iterator[pa.RecordBatch]]:
        return partial(walk, _rows(size, max(per_row, 8 * len(names))), 8 * size, False)

    whole = partial(walk, _rows(BYTES, per_row), BYTES, True)
    return Stream(
        where, names, whole, notes, reading, needed=size, stamps=(stamp,), files=(path,), sized=sized
    )


def _rows(size: int, per_row: int) -> int:
    """Return how many rows make a batch of about so many bytes."""
    return max(64, min(BATCH, size // max(per_row, 1)))


@contextlib.contextmanager
def _parquet_errors(where: str) -> Iterator[None]:
    """What the reader fails at in this block becomes one line."""
    try:
        yield
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
        raise DataError(f"{where} is a damaged Parquet file: {shown(error, 120)}. Write it again.") from None
    except OSError as error:
        raise cannot_read(where, error) from None
