"""Files: find out what a path is, and open it. The formats are one small object each, listed once.

Knows the disk and first bytes. Knows nothing of cells.
"""

from __future__ import annotations

import glob
import os
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, partial

from tallystick.contracts import Source
from tallystick.data.schema import Reading
from tallystick.data.source import bytes as raw
from tallystick.data.source import csv, json, many, parquet
from tallystick.data.source.stream import cannot_read, settled, title
from tallystick.errors import DataError, shown
from tallystick.files.apart import placed

_FOREIGN = {
    b"PK\x03\x04": "a zip archive or an Excel workbook (.xlsx). Save it as CSV first",
    b"\xd0\xcf\x11\xe0": "an old Excel workbook (.xls). Save it as CSV first",
    b"%PDF": "a PDF document. Save the table as CSV first",
    b"\x89PNG": "a PNG picture. Pass a table",
    b"\xff\xd8\xff": "a JPEG picture. Pass a table",
    b"ARROW1": "an Arrow file. Write it as Parquet or CSV first",
    b"SQLite format 3": "an SQLite database. Query it, and pass the result",
    b"BZh": "compressed with bzip2. Decompress it first",
    b"\xfd7zXZ": "compressed with xz. Decompress it first",
    b"\x28\xb5\x2f\xfd": "compressed with zstd. Decompress it first",
    b"7z\xbc\xaf": "a 7z archive. Unpack it first",
}


@dataclass(frozen=True)
class Beginning:
    """The first bytes of a file, by which it is known: as they are, and unpacked."""

    path: str
    where: str
    head: bytes

    @cached_property
    def text(self) -> bytes:
        """The beginning of a text, unpacked, without a byte order mark and white space."""
        return raw.first_bytes(self.path, self.where, 4096).lstrip(b"\xef\xbb\xbf \t\r\n")


@dataclass(frozen=True)
class FileFormat:
    """One format of files: how it is known, and who opens it or says why not."""

    words: str
    knows: Callable[[Beginning], bool]
    open: Callable[[str, Reading, str], Source]


def _refuse(what: str, path: str, reading: Reading, where: str) -> Source:
    raise DataError(f"{where} is {what}.")


def _foreign(magic: bytes, what: str) -> FileFormat:
    return FileFormat(what, lambda b: b.head.startswith(magic), partial(_refuse, what))


def _is_html(b: Beginning) -> bool:
    return b.head.lstrip()[:15].lower().startswith((b"<!doctype html", b"<html"))


def _is_json(b: Beginning) -> bool:
    return b.text[:1] == b"{" or (b.text[:1] == b"[" and b.text[1:].lstrip()[:1] == b"{")


FORMATS = [  # the first that knows a file opens it
    FileFormat("Parquet", lambda b: b.head[:4] == b"PAR1", parquet.open_parquet),
    *(_foreign(magic, what) for magic, what in _FOREIGN.items()),
    FileFormat("HTML", _is_html, partial(_refuse, "an HTML page. Save the table as CSV first")),
    FileFormat("JSON", _is_json, json.open_json),
    FileFormat("CSV", lambda b: True, csv.open_csv),
]


def open_path(path: str, reading: Reading, name: str | None) -> Source:
    """Open a file, or all files that a pattern such as part-*.csv names."""
    if not any(sign in path for sign in "*?[") or os.path.exists(path):
        return open_file(path, reading, name)
    paths = found(path)
    if not paths:
        raise DataError(f"no file matches {shown(path, 300)}. Check the pattern.")
    return many.open_many([open_file(one, reading, None) for one in paths], name or os.path.basename(path))


def found(path: str) -> list[str]:
    """Return the files that a path or a pattern names."""
    return [path] if os.path.lexists(path) else sorted(glob.glob(path, recursive=True))


def open_file(path: str, reading: Reading, name: str | None) -> Source:
    """Open a file by what it holds, not by what it is called."""
    where = name or title(path)
    path = settled(path, where)
    head = first_bytes(path, where)
    path = placed(path)
    begins = Beginning(path, where, head)
    return next(f for f in FORMATS if f.knows(begins)).open(path, reading, where)


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
    except OSError as error:
        raise cannot_read(where, error) from None
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
