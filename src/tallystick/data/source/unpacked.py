"""How much Arrow data holds when unpacked, seen before anything is unpacked.

A few hundred bytes of Arrow may say that they hold 10^12 rows without a byte (type null), may unpack to
gigabytes (lz4, zstd), or may name one long text in every row (dictionaries, views, runs). Knows the headers
of Arrow messages (flatbuffers: tables of offsets) and the layouts of texts. Knows nothing of limits.
Law: a size seen here is never less than what Arrow will make.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from tallystick.data.source.arrays import filled

LEAST_TEXT = 1 << 20  # bytes of a column that are not worth adding up when a batch is cut
# Message: version, header's type, header; its RecordBatch: length, nodes, buffers, compression; its
# DictionaryBatch: id, data (a RecordBatch). Footer: version, schema, dictionaries, record batches.
_HEADER_TYPE, _HEADER = 1, 2
_LENGTH, _BUFFERS, _COMPRESSION = 0, 2, 3
_DATA, _DICTIONARIES, _BATCHES = 1, 2, 3
_DICTIONARY_BATCH, _RECORD_BATCH = 2, 3  # types of headers
_OLD_COMPRESSION = b"ARROW:experimental_compression"  # where Arrow 0.17 said that it packs


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
            (told,) = struct.unpack("<q", body[place : place + 8].to_pybytes())
            length = max(length, told)
        size += max(length, 0)
    return Held(kind == _RECORD_BATCH, max(rows, 0), size)


def _field(data: bytes, table: int, number: int) -> int:
    """Return where a field of a flatbuffers table lies; 0 where it is not there."""
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
