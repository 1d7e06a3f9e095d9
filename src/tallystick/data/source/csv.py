"""CSV files and their kin: pyarrow cuts blocks of rows into cells, in any thread. Every cell leaves as text.

Knows rows and cells as bytes. Knows nothing of numbers or kinds.
Law: the cells do not depend on block sizes, line ends, compression or a byte order mark. No row is lost.
"""

from __future__ import annotations

import csv as plain
import io
import itertools
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import pyarrow as pa
import pyarrow.csv as pacsv

from tallystick.data.schema import Note, Reading
from tallystick.data.source import bytes as raw
from tallystick.data.source.names import clean_names
from tallystick.data.source.size import needed
from tallystick.data.source.sniff import look_at
from tallystick.data.source.stamp import Stamp
from tallystick.errors import DataError, counted, shown

HEAD = 1 << 17  # bytes looked at
BLOCK_ROWS = 8_192  # rows in a block, about
BLOCKS = 32  # of a large file: fewer and larger ones have fewer dictionaries to merge
LARGEST = 1 << 23  # bytes in a block of a large file
LINE_END = re.compile(rb"\r\n|\n|\r")
SEPARATOR_WORDS = {
    ",": "comma-separated",
    ";": "separated by semicolons",
    "\t": "tab-separated",
    "|": "separated by pipes",
}
FOOTER = 5  # lines at most
FOOTER_WORDS = (
    "total",
    "sum",
    "subtotal",
    "grand total",
    "average",
    "mean",
    "count",
    "source",
    "note",
    "end",
)


@dataclass(frozen=True)
class CsvFile:
    """A text table and how to read it. Each walk opens the file again; notes grow with the first walk."""

    path: str
    name: str
    columns: tuple[str, ...]
    reading: Reading  # all settled
    skip: int  # lines before the first row
    block: int  # bytes
    said: list[Note] = field(default_factory=list)
    typed: bool = False
    needed: int = 0  # bytes of memory for the whole table, about
    small: int = 1 << 19  # bytes in a block where each is forgotten before the next
    stamps: tuple[Stamp, ...] = ()

    def within(self, size: int) -> CsvFile:
        """Return the same file, read in blocks of at most about so many bytes."""
        return replace(self, block=min(self.block, size), small=min(self.small, size))

    @property
    def notes(self) -> tuple[Note, ...]:
        """What was done while reading, so far."""
        return tuple(self.said)

    @property
    def form(self) -> str:
        """How the file is read, in words."""
        sep = self.reading.sep or ","
        cut = SEPARATOR_WORDS.get(sep, f"separated by {shown(sep)}")
        header = f"header in line {self.skip:,}" if self.reading.header else "no header"
        return f"{cut}, {(self.reading.encoding or 'utf-8').upper()}, {header}"

    def streamed(self) -> CsvFile:
        """Return the same file in small blocks, for a walk that keeps nothing of them."""
        return replace(self, block=min(self.block, self.small))

    def batches(self) -> Iterator[pa.RecordBatch]:
        """Yield all rows; every cell is text, as written, quotes removed."""
        for load in self.pieces():
            yield load()

    def pieces(self) -> Iterator[Callable[[], pa.RecordBatch]]:
        """Yield callables that each give some rows; any thread may call them."""
        before = None
        for block in self.blocks():
            if before is not None:
                yield Rows(self, before, False)
            before = block
        if before is not None:
            yield Rows(self, before, True)

    def blocks(self) -> Iterator[bytes]:
        """Yield the rows below the header, as UTF-8 bytes in blocks of whole rows."""
        size = max(min(self.block, raw.PIECE), self.block // 4)  # a quarter, as more may be held at once
        pieces = raw.utf8_pieces(self.path, self.reading.encoding or "utf-8", self.name, size)
        below = _without_lines(pieces, self.skip)
        sep = self.reading.sep or ","
        for block in raw.row_blocks(below, sep, self.name, self.block, self.skip + 1):
            yield raw.unspaced(block, sep)

    def checked(self, block: bytes, last: bool) -> bytes:
        """Return a block of valid UTF-8, without the lines below the table if it is the last."""
        if last:
            block = self._without_footer(block)
        if not is_utf8(block):
            raise self._explained("invalid UTF-8")
        return block

    def cells(self, block: bytes) -> pa.RecordBatch:
        """Return the cells of a block as texts."""
        try:
            table, bad = cut_cells(block, self.columns, self.reading.sep or ",")
        except pa.ArrowInvalid as error:
            raise self._explained(error) from None
        if bad:
            self._ragged(len(bad))
        return table.combine_chunks().to_batches()[0] if table.num_rows else _no_rows(self.columns)

    def _ragged(self, count: int) -> None:
        from tallystick.data.source.damage import ragged_rows

        if self.reading.bad_rows != "skip":
            raise ragged_rows(self)
        known = [note for note in self.said if note.code == "rows-skipped"]
        total = count + sum(note.count for note in known)
        for note in known:
            self.said.remove(note)
        text = f"left out: {counted(total, 'row')} with more or fewer than {len(self.columns)} cells."
        self.said.append(Note("rows-skipped", text, count=total))

    def _explained(self, error: object) -> DataError:
        from tallystick.data.source.damage import bad_bytes

        return bad_bytes(self.path, self.name) or DataError(
            f"{self.name} cannot be read: {shown(error, 200)}. Check the file."
        )

    def _without_footer(self, block: bytes) -> bytes:
        """Return the last block without the lines below the table, with a note."""
        cut, lines = footer_start(block, len(self.columns), self.reading.sep or ",")
        if lines and not any(note.code == "lines-after-table" for note in self.said):
            shown_lines = ", ".join(map(shown, lines))
            text = f"{len(lines)} line{'s' * (len(lines) > 1)} below the table left out: {shown_lines}."
            self.said.append(Note("lines-after-table", text, count=len(lines)))
        return block[:cut]


@dataclass(frozen=True)
class Rows:
    """Some rows of a file, not yet cut into cells; any thread may call for them."""

    file: CsvFile
    block: bytes
    last: bool

    @property
    def separator(self) -> str:
        """What stands between cells."""
        return self.file.reading.sep or ","

    def __call__(self) -> pa.RecordBatch:
        """Return the rows as texts."""
        return self.file.cells(self.file.checked(self.block, self.last))

    def plain(self) -> bytes | None:
        """Return the rows as bytes if no cell is quoted, so that separators and line ends tell all."""
        if b'"' in self.block or len(self.file.columns) == 1:
            return None
        return self.file.checked(self.block, self.last)


def open_csv(path: str, reading: Reading, where: str) -> CsvFile:
    """Look at the head of a text file and settle how to read it."""
    stamp = Stamp.of(path, where)
    encoding = raw.encoding_of(raw.first_bytes(path, where, 4096), reading.encoding, where)
    head = b""
    for piece in raw.utf8_pieces(path, encoding, where, HEAD):
        head += piece
        if len(head) >= HEAD:
            break
    if (nul := head.find(b"\0")) >= 0:
        raise raw.nul_byte(where, head.count(b"\n", 0, nul) + 1)
    look = look_at(_head_text(head, path, where), reading, where)
    names, notes = clean_names(look.names or [f"column_{j + 1}" for j in range(look.width)], where)
    settled = replace(reading, encoding=encoding, sep=look.sep, header=look.header)
    per_row = len(head) // max(head.count(b"\n"), 1)
    whole = raw.size_of(path)
    large = min(whole // BLOCKS, LARGEST)
    small = min(max(per_row * BLOCK_ROWS, 1 << 19), 1 << 25)
    block = min(max(small, large), 1 << 25)
    size = needed(whole // max(per_row, 1), look.numbers, look.width - look.numbers)
    said = [*look.notes, *notes]
    return CsvFile(
        path, where, names, settled, look.skip, block, said, needed=size, small=small, stamps=(stamp,)
    )


def _head_text(head: bytes, path: str, where: str) -> str:
    """Return the head as text; bytes that are no UTF-8 would change names in silence."""
    try:
        return head.decode("utf-8")
    except UnicodeDecodeError as error:
        if error.start < len(head) - 4:  # else a character that the head cuts off
            from tallystick.data.source.damage import bad_bytes

            raise bad_bytes(path, where) or DataError(
                f"{where} is not UTF-8. Pass encoding=... to ts.read."
            ) from None
    return head.decode("utf-8", "ignore")


def is_utf8(block: bytes) -> bool:
    """Is this text? Most blocks are ASCII, which is seen at once."""
    if block.isascii():
        return True
    try:
        block.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def cut_cells(block: bytes, names: tuple[str, ...], sep: str) -> tuple[pa.Table, list[Any]]:
    """Return the cells of a block of valid UTF-8 as text, and the rows that have too many or too few."""
    bad: list[Any] = []

    def keep(row: Any) -> str:
        bad.append(row)
        return "skip"

    read = pacsv.ReadOptions(column_names=list(names), use_threads=False, block_size=len(block) + 1)
    quoted = b'"' in block  # without quotes cells are cut faster
    parse = pacsv.ParseOptions(
        delimiter=sep,
        quote_char='"' if quoted else False,
        newlines_in_values=quoted,
        ignore_empty_lines=len(names) > 1,
        invalid_row_handler=keep,
    )
    convert = pacsv.ConvertOptions(
        column_types=dict.fromkeys(names, pa.string()),
        check_utf8=False,
        strings_can_be_null=False,
        quoted_strings_can_be_null=False,
    )
    if not block.strip(b"\r\n"):
        return pa.table({name: pa.nulls(0, pa.string()) for name in names}), bad
    return pacsv.read_csv(pa.BufferReader(block), read, parse, convert), bad


def _no_rows(names: tuple[str, ...]) -> pa.RecordBatch:
    return pa.RecordBatch.from_arrays([pa.nulls(0, pa.string())] * len(names), names=list(names))


def _without_lines(pieces: Iterator[bytes], skip: int) -> Iterator[bytes]:
    """Yield the pieces without the first `skip` lines; a line ends with LF, CRLF or CR."""
    held = b""
    for piece in pieces:
        if skip:
            held += piece
            ends = list(itertools.islice(LINE_END.finditer(held), skip))
            if len(ends) < skip or ends[-1].end() == len(held):  # a CR there may be half of a CRLF
                continue
            piece, skip = held[ends[-1].end() :], 0
        yield piece


def footer_start(block: bytes, width: int, sep: str) -> tuple[int, list[str]]:
    """Return where the lines below the table begin, and those lines: few, and narrower than the table."""
    if width == 1 or b'"' in block[-4096:]:
        return len(block), []
    lines = block[-4096:].rstrip(b"\r\n").splitlines(keepends=True)[-FOOTER - 1 :]
    cut, found = len(block), list[str]()
    tail = sum(len(line) for line in lines) + len(block[-4096:]) - len(block[-4096:].rstrip(b"\r\n"))
    starts = len(block) - tail
    places = [starts + sum(len(line) for line in lines[:i]) for i in range(len(lines))]
    for at, line in zip(reversed(places), reversed(lines), strict=True):
        text = line.decode("utf-8", "replace").strip("\r\n")
        if not _is_footer(text, width, sep) or (len(found) == FOOTER):
            break
        cut = at
        if text.strip(sep + " "):
            found.insert(0, text)
    return cut, found


def _is_footer(line: str, width: int, sep: str) -> bool:
    cells = next(plain.reader(io.StringIO(line), delimiter=sep), [])
    filled = [cell for cell in cells if cell.strip()]
    if not filled:
        return len(cells) < width
    word = cells[0].strip().casefold().rstrip(":")
    said = any(word == known or word.startswith((known + " ", known + ":")) for known in FOOTER_WORDS)
    if len(cells) < width:
        return said or len(cells) == 1
    return said and len(cells) == width and 2 * len(filled) <= width
