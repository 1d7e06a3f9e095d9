"""Zip files with a table inside: the table is unpacked to a scratch file and opened as what it is.

Knows zip. Knows nothing of tables.
Laws: nothing is written where anybody could see it, whatever the names inside say; what would unpack to far
more than any table does is refused before it is unpacked.
"""

from __future__ import annotations

import zipfile
import zlib

from tallystick.data.schema import Reading
from tallystick.data.source.bytes import refuse_swollen
from tallystick.data.source.parts import chosen_part
from tallystick.data.source.scratch import ScratchFile
from tallystick.data.source.stream import PIECE, ScratchPath
from tallystick.errors import DataError, shown

MOST = 1 << 38  # bytes that may be in it
ASIDE = ("__MACOSX/", ".DS_Store", "Thumbs.db")  # what systems add by themselves


def names_inside(path: str) -> list[str]:
    """Return the files in a zip file; none of one that is damaged, which is said when it is opened."""
    try:
        with zipfile.ZipFile(path) as packed:
            return [f.filename for f in packed.infolist() if not f.is_dir()]
    except (zipfile.BadZipFile, OSError, NotImplementedError, UnicodeError):
        return []


def is_workbook(path: str) -> bool:
    """Is a zip file a workbook of Excel or OpenDocument?"""
    names = names_inside(path)
    return any(n.startswith("xl/") for n in names) or {"mimetype", "content.xml"} <= set(names)


def unpacked(path: str, reading: Reading, where: str) -> tuple[ScratchPath, str]:
    """Return the table in a zip file, as a scratch file, and what to call it."""
    try:
        with zipfile.ZipFile(path) as packed:
            every = [f for f in packed.infolist() if not f.is_dir() and not _is_aside(f.filename)]
            names = [f.filename for f in every]
            name, _ = chosen_part(reading.table, names, names, where, "file")
            told = next(f for f in every if f.filename == name)
            if told.flag_bits & 1:
                raise DataError(f"{where} is locked with a password. Unpack it first.")
            if told.file_size > MOST:
                raise DataError(f"{where} would unpack to {told.file_size:,} bytes. Unpack it first.")
            refuse_swollen(told.compress_size, told.file_size, reading, where)
            file, left = ScratchFile(), told.file_size
            with packed.open(told) as inside:
                while piece := inside.read(min(PIECE, left + 1)):
                    file.append(piece)
                    left -= len(piece)
    except (zipfile.BadZipFile, zlib.error, EOFError, OSError, NotImplementedError, RuntimeError) as error:
        raise DataError(
            f"{where} is a zip file or an Excel workbook that cannot be read: {shown(error, 200)}. "
            "Copy it again, or save the table as CSV."
        ) from error
    return ScratchPath.of(file), f"{shown(name)} in {where}"


def _is_aside(name: str) -> bool:
    return name.startswith(ASIDE[0]) or name.rpartition("/")[2] in ASIDE[1:]
