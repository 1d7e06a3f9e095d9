"""Files: find out what a path is, and open it.

Knows the disk and first bytes. Knows nothing of cells.
"""

from __future__ import annotations

import glob
import os
from collections.abc import Callable, Iterator
from functools import partial

import pyarrow as pa

from tallystick.contracts import Source
from tallystick.data.schema import Reading
from tallystick.data.source import bytes as raw
from tallystick.data.source import csv, json, many
from tallystick.data.source.frames import Stream
from tallystick.data.source.names import clean_names
from tallystick.data.source.size import needed
from tallystick.data.source.stamp import Stamp
from tallystick.errors import DataError, shown

_FOREIGN = {
    b"PK\x03\x04": "a zip archive or an Excel workbook (.xlsx). Save it as CSV first",
    b"\xd0\xcf\x11\xe0": "an old Excel workbook (.xls). Save it as CSV first",
    b"%PDF": "a PDF document. Save the table as CSV first",
    b"\x89PNG": "a PNG picture. Pass a table",
    b"\xff\xd8\xff": "a JPEG picture. Pass a table",
    b"ARROW1": "an Arrow file. Write it as Parquet or CSV first",
    b"SQLite format 3": "an SQLite database. Query it, and pass the answer",
    b"BZh": "packed by bzip2. Unpack it first",
    b"\xfd7zXZ": "packed by xz. Unpack it first",
    b"\x28\xb5\x2f\xfd": "packed by zstd. Unpack it first",
    b"7z\xbc\xaf": "a 7z archive. Unpack it first",
}


def open_path(path: str, reading: Reading, name: str | None) -> Source:
    """Open a file, or all files that a pattern such as part-*.csv names."""
    if not any(sign in path for sign in "*?[") or os.path.exists(path):
        return open_file(path, reading, name)
    found = sorted(glob.glob(path, recursive=True))
    if not found:
        raise DataError(f"no file is called {shown(path, 300)}. Check the pattern.")
    return many.open_many([open_file(one, reading, None) for one in found], name or os.path.basename(path))


def open_file(path: str, reading: Reading, name: str | None) -> Source:
    """Open a file by what it holds, not by what it is called."""
    where = name or os.path.basename(path)
    head = first_bytes(path, where)
    if head[:4] == b"PAR1":
        return _open_parquet(path, reading, where)
    for magic, what in _FOREIGN.items():
        if head.startswith(magic):
            raise DataError(f"{where} is {what}.")
    if head.lstrip()[:15].lower().startswith((b"<!doctype html", b"<html")):
        raise DataError(f"{where} is an HTML page. Save the table as CSV first.")
    start = raw.first_bytes(path, where, 4096).lstrip(b"\xef\xbb\xbf \t\r\n")
    if start[:1] == b"{" or (start[:1] == b"[" and start[1:].lstrip()[:1] == b"{"):
        return json.open_json(path, reading, where)
    return csv.open_csv(path, reading, where)


def first_bytes(path: str, where: str) -> bytes:
    """Return the first bytes of a readable, non-empty file; else an error that says what the path is."""
    if os.path.isdir(path):
        raise DataError(f"{shown(path, 300)} is a directory. Pass a file.")
    try:
        with open(path, "rb") as file:
            head = file.read(64)
    except FileNotFoundError:
        raise DataError(f"there is no file {shown(path, 300)}.{_neighbour(path)}") from None
    except PermissionError:
        raise DataError(
            f"no permission to read {shown(path, 300)}. Change its permissions, or copy it."
        ) from None
    if not head:
        raise DataError(f"{where} is empty (0 bytes). Check how it was written.")
    return head


def _neighbour(path: str) -> str:
    from tallystick.errors import nearest

    folder = os.path.dirname(path) or "."
    try:
        return nearest(os.path.basename(path), os.listdir(folder)) or " Check the path."
    except OSError:
        return " Check the path."


def _open_parquet(path: str, reading: Reading, where: str) -> Source:
    import pyarrow.parquet as pq

    stamp = Stamp.of(path, where)
    try:
        file = pq.ParquetFile(path)
        names, notes = clean_names(file.schema_arrow.names, where)
    except pa.ArrowInvalid as error:
        raise DataError(f"{where} is a damaged Parquet file: {shown(error, 120)}. Write it again.") from None

    types = [field.type for field in file.schema_arrow]
    numbers = sum(1 for t in types if pa.types.is_primitive(t) and not pa.types.is_boolean(t))
    size = needed(file.metadata.num_rows, numbers, len(types) - numbers)

    def walk() -> Iterator[pa.RecordBatch]:
        yield from pq.ParquetFile(path).iter_batches(65_536)

    def slim(rows: int) -> Iterator[pa.RecordBatch]:
        yield from pq.ParquetFile(path, memory_map=True).iter_batches(rows, use_threads=False)

    def sized(size: int) -> Callable[[], Iterator[pa.RecordBatch]]:
        return partial(slim, max(64, min(65_536, size // (8 * len(types)))))

    return Stream(where, names, walk, notes, reading, needed=size, stamps=(stamp,), sized=sized)
