"""JSON lines, and files that are one JSON array of records.

Knows records as text. Knows nothing of kinds.
Law: a record's keys are its columns, a key that it lacks is a missing cell; no order of records matters.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import partial
from typing import Any

import pyarrow as pa

from tallystick.data.schema import Reading
from tallystick.data.source import bytes as raw
from tallystick.data.source.frames import Columns, Stream, from_records, objects_column, record_keys
from tallystick.data.source.names import clean_names
from tallystick.errors import DataError, shown

BLOCK = 1 << 22  # bytes


def open_json(path: str, reading: Reading, where: str) -> Columns | Stream:
    """Open JSON lines, or a JSON array of records (which is read whole)."""
    encoding = raw.encoding_of(raw.first_bytes(path, where, 4096), reading.encoding, where)
    if raw.first_bytes(path, where, 4096).lstrip(b"\xef\xbb\xbf \t\r\n")[:1] == b"[":
        text = b"".join(raw.utf8_pieces(path, encoding, where))
        records = _load(text, where, 1)
        if not all(isinstance(record, dict) for record in records):
            raise DataError(f"{where} is a JSON array of other things than records. Write a list of objects.")
        return from_records(records, reading, where)

    def walk() -> Iterator[list[dict[str, Any]]]:
        line = 1
        for block in _line_blocks(raw.utf8_pieces(path, encoding, where)):
            lines = block.split(b"\n")
            yield [_record(text, where, line + i) for i, text in enumerate(lines) if text.strip()]
            line += len(lines) - 1

    keys = record_keys(record for records in walk() for record in records)
    names, notes = clean_names(keys, where)

    def batches() -> Iterator[pa.RecordBatch]:
        for records in walk():
            columns = [
                objects_column([record.get(key) for record in records], name)
                for key, name in zip(keys, names, strict=True)
            ]
            yield pa.RecordBatch.from_arrays(columns, names=list(names))

    return Stream(where, names, batches, notes, reading)


def _line_blocks(pieces: Iterator[bytes]) -> Iterator[bytes]:
    """Yield blocks of whole lines; in JSON lines a line end is never inside a record."""
    rest = b""
    for piece in pieces:
        rest += piece
        if len(rest) >= BLOCK and (cut := rest.rfind(b"\n") + 1):
            yield rest[:cut]
            rest = rest[cut:]
    if rest.strip():
        yield rest


def _record(text: bytes, where: str, line: int) -> dict[str, Any]:
    record = _load(text, where, line)
    if not isinstance(record, dict):
        raise DataError(
            f"{where}, line {line:,} is no record: {shown(text.decode(errors='replace'))}. Write objects."
        )
    return record


def _unrepeated(where: str, line: int, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return a record; a key that comes twice has two values, of which none is better."""
    record = dict(pairs)
    if len(record) < len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        raise DataError(
            f"{where}, line {line:,}: a record has the key {shown(twice)} twice. Keep one of them."
        )
    return record


def _load(text: bytes, where: str, line: int) -> Any:
    try:
        return json.loads(text, object_pairs_hook=partial(_unrepeated, where, line))
    except RecursionError:
        raise DataError(f"{where}, line {line:,} is nested too deeply to be a table. Flatten it.") from None
    except UnicodeDecodeError as error:
        raise DataError(
            f"{where}, line {line:,} is not UTF-8: {shown(error, 100)}. Pass encoding=... to ts.read."
        ) from None
    except DataError:
        raise
    except ValueError as error:
        raise DataError(f"{where}, line {line:,} is no JSON: {shown(error, 100)}. Correct it.") from None
