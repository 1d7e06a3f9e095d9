"""Workbooks (Excel, OpenDocument) and zip files as sources: one sheet as a text table; one archived table.

- Zip: `names_inside()`, `unpacked()`, which unpacks the table to a scratch file. Laws: nothing is written
  where others could see it, whatever the names inside; what would unpack to far more than any table is
  refused.
- Sheets. Entry: `open_workbook()`. Laws: a formula is its value; a row without any cell does not count; a
  date is a date, however it is displayed.
"""

from __future__ import annotations

import csv as text_tables
import io
import zipfile
import zlib
from dataclasses import replace
from datetime import timedelta
from typing import Any

from tallystick.contracts import Source
from tallystick.errors import DataError, TallyError, shown
from tallystick.files import Stamp
from tallystick.io import csv_file
from tallystick.io.csv_bytes import refuse_swollen
from tallystick.io.scratch import ScratchFile
from tallystick.io.source import PIECE, ScratchPath, chosen_part
from tallystick.schema import Reading
from tallystick.text import cell_text, number_text

# ---- zip files with a table inside, unpacked to a scratch file ----


MOST = 1 << 38  # bytes that an archive may unpack to
ASIDE = ("__MACOSX/", ".DS_Store", "Thumbs.db")  # files that operating systems add


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
            every = [
                f
                for f in packed.infolist()
                if not f.is_dir()
                and not (f.filename.startswith(ASIDE[0]) or f.filename.rpartition("/")[2] in ASIDE[1:])
            ]
            names = [f.filename for f in every]
            name, _ = chosen_part(reading.table, names, names, where, "file")
            entry = next(f for f in every if f.filename == name)
            if entry.flag_bits & 1:
                raise DataError(f"{where} is locked with a password. Unpack it first.")
            if entry.file_size > MOST:
                raise DataError(f"{where} would unpack to {entry.file_size:,} bytes. Unpack it first.")
            refuse_swollen(entry.compress_size, entry.file_size, reading, where)
            file, left = ScratchFile(), entry.file_size
            with packed.open(entry) as inside:
                while piece := inside.read(min(PIECE, left + 1)):
                    file.append(piece)
                    left -= len(piece)
    except (zipfile.BadZipFile, zlib.error, EOFError, OSError, NotImplementedError, RuntimeError) as error:
        raise DataError(
            f"{where} is a zip file or an Excel workbook that cannot be read: {shown(error, 200)}. "
            "Copy it again, or save the table as CSV."
        ) from error
    return ScratchPath.of(file), f"{shown(name)} in {where}"


ROWS = 4_096  # rows written at once
SECONDS_A_DAY = 86_400


def open_workbook(path: str, reading: Reading, where: str) -> Source:
    """Open a sheet of a workbook: the first that holds anything, or the one that `table` names."""
    try:
        import python_calamine as calamine
    except ImportError:
        raise DataError(
            f"{where} is a workbook, which needs a reader. Install it: pip install 'tallystick[excel]', or "
            "save the sheet as CSV."
        ) from None
    stamp = Stamp.of(path, where)
    try:
        # from its bytes: by a path it would go by the name
        with open(path, "rb") as file, calamine.CalamineWorkbook.from_filelike(file) as book:
            filled = [name for name in book.sheet_names if _is_filled(book, name)]
            sheet, notes = chosen_part(reading.table, book.sheet_names, filled, where, "sheet")
            rows = book.get_sheet_by_name(sheet).iter_rows()
            scratch = ScratchFile()
            buffer = io.StringIO()
            writer = text_tables.writer(buffer, lineterminator="\n")
            begun = False
            for number, row in enumerate(rows, 1):
                cells = [_cell(cell, sheet) for cell in row]
                has_text = [cell for cell in cells if cell]
                begun = begun or len(has_text) > 1
                if has_text:  # above the table, a title that stands alone is a line of its own
                    writer.writerow(cells if begun else has_text)
                if number % ROWS == 0:
                    scratch.append(buffer.getvalue().encode())
                    buffer.seek(0)
                    buffer.truncate()
            scratch.append(buffer.getvalue().encode())
            if not scratch.size:
                raise DataError(f"sheet {shown(sheet)} is empty. Name another, or fill it.")
            text = ScratchPath.of(scratch)
    except TallyError:
        raise
    except BaseException as error:
        # a reader that gives up ends in an exception that is none of Python's usual ones
        if not isinstance(error, Exception) and type(error).__name__ != "PanicException":
            raise
        raise DataError(
            f"{where} is a workbook that cannot be read: {shown(error, 200)}. Save the sheet as CSV."
        ) from error
    settled = replace(reading, sep=",", encoding="utf-8", decimal=".", table=None)
    table = csv_file.open_csv(text, settled, where)
    return replace(table, stamps=(stamp,), files=(path,), said=[*notes, *table.said])


def _is_filled(book: Any, name: str) -> bool:
    """Does a sheet hold any cell? One that is a chart holds none."""
    try:
        return bool(book.get_sheet_by_name(name).height)
    except Exception:  # of a reader that is not ours: sheets of other kinds end in errors of all kinds
        return False


def _cell(cell: Any, sheet: str) -> str:
    """Return a cell as a text table holds it: days and hours that were measured as a number of days."""
    if isinstance(cell, timedelta):
        return number_text(cell.total_seconds() / SECONDS_A_DAY)
    return cell_text(cell, sheet) or ""
