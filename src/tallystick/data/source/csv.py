"""CSV files: look at the first lines, then let pyarrow cut the text into cells. Every cell leaves as text.

Knows bytes, lines and separators. Knows nothing of numbers or kinds.
Law: the cells do not depend on block sizes, line ends or a byte order mark.
"""

from __future__ import annotations

import gzip
import io
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import IO

import pyarrow as pa
import pyarrow.csv as pacsv

from tallystick.data.schema import Note, Reading
from tallystick.data.source.names import clean_names
from tallystick.errors import DataError, shown

HEAD = 1 << 18  # bytes looked at
SEPARATORS = (",", ";", "\t", "|")
BLOCK = 1 << 22


@dataclass(frozen=True)
class CsvFile:
    """A CSV file and how to read it. Each walk opens the file again."""

    path: str
    name: str
    columns: tuple[str, ...]
    notes: tuple[Note, ...]
    reading: Reading
    skip_lines: int
    typed: bool = field(default=False)

    def batches(self) -> Iterator[pa.RecordBatch]:
        """Yield all rows; every cell is text, as written, quotes removed."""
        names = list(self.columns)
        options = pacsv.ReadOptions(column_names=names, skip_rows=self.skip_lines, block_size=BLOCK)
        parse = pacsv.ParseOptions(delimiter=self.reading.sep or ",", newlines_in_values=True)
        convert = pacsv.ConvertOptions(
            column_types=dict.fromkeys(names, pa.string()),
            strings_can_be_null=False,
            quoted_strings_can_be_null=False,
        )
        with open_text(self.path) as file:
            try:
                yield from pacsv.open_csv(file, options, parse, convert)
            except pa.ArrowInvalid as error:
                raise DataError(f"{self.name} cannot be read: {shown(error, 200)}.") from None


def open_text(path: str) -> IO[bytes]:
    """Open a file for its bytes, gz or plain."""
    with open(path, "rb") as file:
        zipped = file.read(2) == b"\x1f\x8b"
    return gzip.open(path, "rb") if zipped else open(path, "rb")  # type: ignore[return-value]


def open_csv(path: str, reading: Reading, where: str) -> CsvFile:
    """Look at the head of a CSV file and settle separator and header."""
    with open_text(path) as file:
        head = file.read(HEAD)
    text = head.decode("utf-8-sig", "replace")
    sep = reading.sep or sniff_separator(text)
    rows = list(first_rows(text, sep, 2))
    if not rows:
        raise DataError(f"{where} has no lines. Check how it was written.")
    notes: list[Note] = []
    header = reading.header
    if header is None:
        header = not all(_is_number(cell) for cell in rows[0])
        if not header:
            notes.append(
                Note("no-header", "the first row looks like data: columns are called column_1, column_2, ...")
            )
    raw = rows[0] if header else [f"column_{j + 1}" for j in range(len(rows[0]))]
    names, more = clean_names([n.strip() for n in raw], where)
    settled = replace(reading, sep=sep, header=header)
    return CsvFile(path, where, names, (*notes, *more), settled, 1 if header else 0)


def sniff_separator(text: str) -> str:
    """Return the separator that cuts the first lines most evenly into most cells."""
    best, score = ",", 1
    for sep in SEPARATORS:
        counts = [len(row) for row in first_rows(text, sep, 20)][:-1] or [1]
        width = max(set(counts), key=counts.count)
        if width > 1 and counts.count(width) * width > score:
            best, score = sep, counts.count(width) * width
    return best


def first_rows(text: str, sep: str, count: int) -> Iterator[list[str]]:
    """Yield the first rows of the text, by the rules of quoting."""
    import csv as plain
    import itertools

    yield from itertools.islice(
        (r for r in plain.reader(io.StringIO(text, newline=""), delimiter=sep) if r), count
    )


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True
