"""Files: find out what a path is, and open it. The formats are one small object each, listed once.

Knows the disk and first bytes. Knows nothing of cells.
"""

from __future__ import annotations

import glob
import os
import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property, partial

from tallystick.contracts import Source
from tallystick.data.schema import Reading
from tallystick.data.source import bytes as raw
from tallystick.data.source import csv
from tallystick.data.source.stream import cannot_read, settled, title
from tallystick.errors import DataError, OptionError, read_with, shown
from tallystick.files.apart import placed
from tallystick.files.stamp import Stamp

_FOREIGN = {
    b"%PDF": "a PDF document. Save the table as CSV first",
    b"\x89PNG": "a PNG picture. Pass a table",
    b"\xff\xd8\xff": "a JPEG picture. Pass a table",
    b"FEA1": "a Feather file of the first version. Write it again with a newer one",
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
    parts: bool = False  # one file may hold several tables


def _refuse(what: str, path: str, reading: Reading, where: str) -> Source:
    raise DataError(f"{where} is {what}.")


def _foreign(magic: bytes, what: str) -> FileFormat:
    return FileFormat(what, lambda b: b.head.startswith(magic), partial(_refuse, what))


def _is_html(b: Beginning) -> bool:
    return b.head.lstrip()[:15].lower().startswith((b"<!doctype html", b"<html"))


def _is_json(b: Beginning) -> bool:
    inside = b.text[1:].strip()
    return b.text[:1] == b"{" or (b.text[:1] == b"[" and (inside[:1] == b"{" or inside == b"]"))


def _begins(
    words: str, magic: bytes, opens: Callable[[str, Reading, str], Source], parts: bool = False
) -> FileFormat:
    return FileFormat(words, lambda b: b.head.startswith(magic), opens, parts)


# The readers of formats other than text are loaded when one comes.


def _open_parquet(path: str, reading: Reading, where: str) -> Source:
    from tallystick.data.source.parquet import open_parquet

    return open_parquet(path, reading, where)


def _open_json(path: str, reading: Reading, where: str) -> Source:
    from tallystick.data.source.json import open_json

    return open_json(path, reading, where)


def _open_arrow(path: str, reading: Reading, where: str) -> Source:
    from tallystick.data.source.columnar import open_arrow

    return open_arrow(path, reading, where)


def _open_orc(path: str, reading: Reading, where: str) -> Source:
    from tallystick.data.source.columnar import open_orc

    return open_orc(path, reading, where)


def _open_sqlite(path: str, reading: Reading, where: str) -> Source:
    from tallystick.data.source.database import open_sqlite

    return open_sqlite(path, reading, where)


def _open_workbook(path: str, reading: Reading, where: str) -> Source:
    from tallystick.data.source.workbook import open_workbook

    return open_workbook(path, reading, where)


def _is_workbook(b: Beginning) -> bool:
    if not b.head.startswith(ZIP):
        return False
    from tallystick.data.source import archive

    return archive.is_workbook(b.path)


def _open_zip(path: str, reading: Reading, where: str) -> Source:
    from tallystick.data.source import archive

    inside, title = archive.unpacked(path, reading, where)
    table = open_file(inside, replace(reading, table=None), title)
    return replace(table, files=(path,), stamps=(Stamp.of(path, where),))  # type: ignore[type-var]


ZIP = b"PK\x03\x04"
FORMATS = [  # the first that knows a file opens it
    _begins("Parquet", b"PAR1", _open_parquet),
    _begins("Arrow", b"ARROW1", _open_arrow),
    _begins("ORC", b"ORC", _open_orc),
    _begins("SQLite", b"SQLite format 3\0", _open_sqlite, parts=True),
    FileFormat("a workbook", _is_workbook, _open_workbook, parts=True),
    _begins("an old workbook", b"\xd0\xcf\x11\xe0", _open_workbook, parts=True),
    _begins("a zip file", ZIP, _open_zip, parts=True),
    *(_foreign(magic, what) for magic, what in _FOREIGN.items()),
    FileFormat("HTML", _is_html, partial(_refuse, "an HTML page. Save the table as CSV first")),
    FileFormat("JSON", _is_json, _open_json),
    FileFormat("CSV", lambda b: True, csv.open_csv),
]


def open_path(path: str, reading: Reading, name: str | None) -> Source:
    """Open a file, or all files that a pattern such as part-*.csv names."""
    if not any(sign in path for sign in "*?[") or os.path.exists(path):
        return open_file(path, reading, name)
    paths = found(path)
    if not paths:
        raise DataError(f"no file matches {shown(path, 300)}. Check the pattern.")
    from tallystick.data.source import many

    return many.open_many([open_file(one, reading, None) for one in paths], name or os.path.basename(path))


def found(path: str) -> list[str]:
    """Return the files that a path or a pattern names."""
    return [path] if os.path.lexists(path) else sorted(glob.glob(path, recursive=True))


def open_file(path: str, reading: Reading, name: str | None) -> Source:
    """Open a file by what it holds, not by what it is called."""
    where = name or title(path)
    if _is_remote(path):
        raise DataError(f"{shown(path, 300)} is an address, and nothing is fetched. Download it first.")
    path = settled(path, where)
    head = first_bytes(path, where)
    path = placed(path)
    begins = Beginning(path, where, head)
    known = next(f for f in FORMATS if f.knows(begins))
    if reading.table is not None and not known.parts:
        told = f" names one of several tables, and {where} is one. Leave it out."
        raise OptionError(read_with("table", reading.table), told)
    return known.open(path, reading, where)


def _is_remote(path: str) -> bool:
    """Does a path lead to another machine?"""
    return re.match(r"[a-z][a-z0-9+.-]+://", path, re.IGNORECASE) is not None and not os.path.exists(path)


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
