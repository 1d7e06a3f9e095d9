"""CSV files as sources: blocks of rows cut into cells by pyarrow; total rows and footers recognised.

- `ColumnSums`, `may_be_total()`: is the last row the total of the others? Law: only where every number of it
  is the sum of all others in its column, to the figures that it has; else it is a row like any other.
- `CsvFile`, `CsvRows`. Entry: `open_csv()`. Every cell is a text here; types are inferred in `table/`.
- Lines after the table: `footer_start()`, `looks_like_total()`.

Law: the cells do not depend on block sizes, line ends, compression or a byte order mark. No row is lost.
"""

from __future__ import annotations

import codecs
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from fractions import Fraction
from typing import Any

import pyarrow as pa
import pyarrow.csv as pacsv

from tallystick.errors import DataError, read_with, shown
from tallystick.files import Stamp
from tallystick.io import csv_bytes, csv_rows
from tallystick.io.csv_bytes import BareRows, stretches
from tallystick.io.csv_head import SEPARATORS, TextDialect, look_at
from tallystick.io.csv_repair import Mending, marked, mended_block
from tallystick.io.csv_rows import TextRow, Walked, doubtful, quotes_inside, rows_in, walked
from tallystick.io.frames import no_rows
from tallystick.io.scratch import longest_row, needed
from tallystick.io.source import BaseSource, clean_names
from tallystick.kernels.text import Text
from tallystick.schema import Note, Reading

WORDS = (
    *("total", "totals", "sum", "sums", "subtotal", "grand total", "overall"),
    *("summe", "gesamt", "gesamtsumme", "insgesamt", "zusammen"),
    *("totale", "somme", "suma", "totaal", "summa"),
)
NUMBERS = {  # by the decimal mark
    ".": re.compile(r"[+-]?[0-9]{1,40}(\.[0-9]{1,40})?"),
    ",": re.compile(r"[+-]?([0-9]{1,40}|[0-9]{1,3}(\.[0-9]{3}){1,12})(,[0-9]{1,40})?"),
}


def number(text: str, mark: str) -> Decimal | None:
    """Return the number that a text is, None of another."""
    if not NUMBERS[mark].fullmatch(text):
        return None
    return Decimal(text if mark == "." else text.replace(".", "").replace(",", "."))


def says_sum(cell: str, words: Sequence[str] = WORDS) -> bool:
    """Does a cell say that what follows is a sum?"""
    word = cell.strip().casefold().rstrip(":")
    return any(word == known or word.startswith((known + " ", known + ":")) for known in words)


def may_be_total(cells: Sequence[str], mark: str) -> dict[int, Decimal] | None:
    """Return the numbers of a row, by place, if its first text says that they are sums and it has nothing
    but that text, numbers and empty cells. mark: of decimals.
    """
    texts = [cell.strip() for cell in cells]
    first = next((text for text in texts if text), "")
    if not says_sum(first):
        return None
    left = {i: number(text, mark) for i, text in enumerate(texts) if text and i != texts.index(first)}
    known = {i: found for i, found in left.items() if found is not None}
    return known if known and len(known) == len(left) else None


class ColumnSums:
    """The sums of some columns, exact; none where a cell is not a number."""

    def __init__(self, places: Iterable[int], mark: str) -> None:
        self.mark = mark
        self.sums: dict[int, Fraction] | None = dict.fromkeys(places, Fraction(0))
        self.rows = 0

    def add(self, column: int, cells: Iterable[str | None]) -> None:
        """Add cells of a column; an empty one is nothing."""
        if self.sums is None:
            return
        total = Fraction(0)
        for cell in cells:
            if text := (cell or "").strip():
                found = number(text, self.mark)
                if found is None:
                    self.sums = None
                    return
                total += Fraction(found)
        self.sums[column] += total

    def are(self, numbers: dict[int, Decimal]) -> bool:
        """Are these the sums, to the figures that they have?"""
        if self.sums is None or self.rows < 2:
            return False
        return all(abs(self.sums[i] - Fraction(x)) <= _half(x) for i, x in numbers.items())


def _half(number: Decimal) -> Fraction:
    """Return half of the last figure of a number."""
    exponent = number.as_tuple().exponent
    return Fraction(1, 2) * Fraction(10) ** (exponent if isinstance(exponent, int) else 0)


# ---- CSV files: blocks of whole rows, cut into text cells in any thread ----


HEAD = 1 << 17  # bytes of the first look, at least
HEAD_LINES = 4  # lines of the first look, at least, however long they are
BLOCK_ROWS = 8_192  # rows in a block, about
BLOCKS = 32  # blocks of a large file: few, since each has dictionaries to merge
LARGEST = 1 << 23  # bytes in a block of a large file
SEPARATOR_WORDS = {
    ",": "comma-separated",
    ";": "separated by semicolons",
    "\t": "tab-separated",
    "|": "separated by pipes",
}
FOOTER = 5  # lines of a footer, at most
NAMED = 5  # lines named in a message
FOOTER_WORDS = ("average", "mean", "count", "source", "note", "end")


@dataclass(frozen=True)
class CsvFile(BaseSource):
    """A text table and how to read it. Each walk opens the file again; notes grow with the first walk."""

    path: str
    name: str
    columns: tuple[str, ...]
    reading: Reading = field()  # all settled; given, whatever the base says
    skip: int  # lines before the first row
    block: int  # bytes
    said: list[Note] = field(default_factory=list)
    typed: bool = False
    needed: int = 0  # bytes of memory for the whole table, about
    small: int = 1 << 19  # bytes in a block where each is forgotten before the next
    stamps: tuple[Stamp, ...] = ()
    files: tuple[str, ...] = ()
    each: bool = False  # every row has its place: one that cannot be read has empty cells, and a reason
    header: bytes = b""  # its line, where it is one
    dialect: TextDialect = field(default_factory=TextDialect)
    mending: Mending = field(default_factory=Mending)  # of damaged rows, so far

    def each_row(self) -> CsvFile:
        return replace(self, each=True)

    def within(self, size: int) -> CsvFile:
        reading = replace(self.reading, longest=min(self.reading.longest, longest_row(size)))
        return replace(self, block=min(self.block, size), small=min(self.small, size), reading=reading)

    @property
    def notes(self) -> tuple[Note, ...]:
        return (*self.said, *self.mending.notes(self.each))

    @property
    def sep(self) -> str:
        """What separates cells."""
        return self.reading.sep or ","

    @property
    def strict(self) -> bool:
        """Is every damaged row an error?"""
        return self.reading.bad_rows == "error"

    @property
    def form(self) -> str:
        sep = self.dialect.sep
        cut = SEPARATOR_WORDS.get(sep, f"separated by {shown(sep)}")
        header = f"header in line {self.skip:,}" if self.reading.header else "no header"
        return f"{cut}, {(self.reading.encoding or 'utf-8').upper()}, {header}"

    def streamed(self) -> CsvFile:
        return replace(self, block=min(self.block, self.small))

    def batches(self) -> Iterator[pa.RecordBatch]:
        for load in self.pieces():
            yield load()

    def pieces(self) -> Iterator[CsvRows]:
        before: Walked | None = None
        for found in self.blocks():
            if before is not None:
                yield CsvRows(self, before, False)
            before = None if isinstance(found, BareRows) else found
            if before is None:
                yield CsvRows(self, found, False)  # the end of a file is read by `row_blocks`
        if before is not None:
            yield CsvRows(self, before, True)

    def blocks(self) -> Iterator[Walked | BareRows]:
        """Yield the rows below the header, as UTF-8 bytes in blocks of whole rows; from the first quote that
        is not as it should be on, as damaged rows are found.
        """
        at, line = 0, self.skip + 1
        if self._lies_bare:  # rows that line feeds tell apart, as far as they go
            asked = max(self.header, default=0x22)
            first = csv_bytes.bytes_before(self.path, self.name, self.skip)
            for bare in stretches(self.path, self.name, first, line, self.block, asked):
                yield bare
                at, line = bare.at + len(bare.text), bare.line + bare.lines
        last = Walked(b"", at, line)
        try:
            for found in csv_rows.row_blocks(
                self.below(at), self.sep, self.name, self.block, line, self.reading.longest, at
            ):
                last = found
                yield found
        except csv_bytes.DamagedText:
            if self.strict:
                raise
            at, line = last.at + len(last.block), last.line + csv_bytes.lines_in(last.block)
            yield from walked(self.below(at), self.sep, self.name, at, line, self.reading.longest)

    @property
    def _lies_bare(self) -> bool:
        """Is the text read straight from the file, as UTF-8 and not compressed?"""
        usual = self.reading.encoding == "utf-8" and self.dialect.usual
        return usual and csv_bytes.lies_bare(self.path, self.name)

    def below(self, at: int = 0) -> Iterator[bytes]:
        """Yield the text below the header, from some byte of it on."""
        size = min(self.block, csv_bytes.NEAR)
        if at and self._lies_bare:
            at += csv_bytes.bytes_before(self.path, self.name, self.skip)
            yield from csv_bytes.utf8_pieces(self.path, "utf-8", self.name, size, at)
            return
        pieces = csv_bytes.utf8_pieces(self.path, self.reading.encoding or "utf-8", self.name, size)
        usual = pieces if self.dialect.usual else self.dialect.pieces(pieces)
        for piece in csv_bytes.without_lines(usual, self.skip):
            if at < len(piece):
                yield piece[at:]
            at = max(at - len(piece), 0)

    def checked(self, block: bytes, last: bool) -> bytes:
        """Return a block of valid UTF-8, without the lines below the table if it is the last."""
        if last and not self.each and self.reading.bad_rows != "skip":  # else it is one of the bad rows
            block = self._without_footer(block)
        if not is_utf8(block):
            raise self._explained("invalid UTF-8")
        return block

    def cells(self, block: bytes, found: Walked | BareRows) -> pa.RecordBatch:
        """Return the cells of a checked block as texts; found: the block as it was found."""
        reasons: dict[int, str] = {}
        if found.doubtful and not self.strict:
            self._see_quotes(block, found.line)
        mend = not self.strict and (self.suspicious(block) if found.doubtful else self.has_header(block))
        try:
            if not mend:
                table, bad = cut_cells(csv_rows.unspaced(block, self.sep), self.columns, self.sep)
            if mend or bad:
                if self.strict:
                    raise ragged_rows(self)
                block, reasons = mended_block(self, block, found.at, found.line)
                table, bad = cut_cells(csv_rows.unspaced(block, self.sep), self.columns, self.sep)
        except pa.ArrowInvalid as error:
            raise self._explained(error) from None
        if self.strict:
            line = found.line
            rows = rows_in(block.decode("latin-1"), self.sep, 0) if self.has_header(block) else ()
            for row in rows:
                if self.repeats_header(block, row):
                    line += csv_bytes.lines_in(block[: row.start])
                    raise DataError(f"{self.name} repeats its header in line {line:,}. Delete that line.")
            if found.doubtful:
                self._see_quotes(block, found.line)
        batch = table.combine_chunks().to_batches()[0] if table.num_rows else no_rows(self.columns)
        return marked(batch, reasons) if reasons else batch

    def suspicious(self, block: bytes) -> bool:
        """May a block hold other damage than rows of another length?"""
        if b"\0" in block or self.has_header(block):
            return True
        if b'"' not in block or (
            (quotes := csv_rows.plain_quotes(block, self.sep)) is not None and not len(quotes) % 2
        ):
            return False
        return doubtful(block, self.sep) or any(
            row.fault for row in rows_in(block.decode("latin-1"), self.sep, 0)
        )

    def has_header(self, block: bytes) -> bool:
        """Does the header stand in a block, where rows are?"""
        if not self.header or max(self.header) not in block:  # a letter, where all are numbers
            return False
        return block.startswith(self.header) or b"\n" + self.header in block

    def repeats_header(self, block: bytes, row: TextRow) -> bool:
        """Is this row the header once more?"""
        return bool(self.header) and block[row.start : row.end].strip(b"\r\n") == self.header

    def _see_quotes(self, block: bytes, line: int) -> None:
        """Remember the lines of bare cells with a quote inside; a strict reader refuses them."""
        if self.dialect.quote != '"':
            return
        seen = 0
        for start, cell in quotes_inside(block, self.sep):
            line, seen = line + csv_bytes.lines_in(block[seen:start]), start
            if self.strict:
                raise csv_rows.quote_inside(self.name, line, cell.decode("utf-8", "replace"))
            self.mending.add_quote(line)

    def _explained(self, error: object) -> DataError:
        return csv_bytes.bad_bytes(self.path, self.name) or DataError(
            f"{self.name} cannot be read: {shown(error, 200)}. Check the file."
        )

    def _without_footer(self, block: bytes) -> bytes:
        """Return the last block without the lines below the table, with a note."""
        cut, lines = footer_start(block, len(self.columns), self.sep)
        if lines:
            shown_lines = ", ".join(map(shown, lines))
            text = f"{len(lines)} line{'s' * (len(lines) > 1)} below the table left out: {shown_lines}."
            self._say(Note("lines-after-table", text, count=len(lines)))
        elif not self.strict and (at := self._total(block[:cut])) is not None:
            text = "the last row says that it is a total, and holds the sums of its columns; it is left out."
            self._say(Note("total-left-out", text, count=1))
            return block[:at]
        elif total := looks_like_total(block, len(self.columns), self.sep):
            text = (
                f"the last row may be a total, {shown(total)}; it counts as a row. If it is one, delete it."
            )
            self._say(Note("last-row-total", text, count=1))
        return block[:cut]

    def _total(self, block: bytes) -> int | None:
        """Return where the last row begins, if it is the total of all others."""
        at, line = last_line(block)
        cells = line.split(self.sep)
        if '"' in line or len(cells) != len(self.columns):
            return None
        for mark in ".,":
            numbers = may_be_total(cells, mark)
            if numbers is not None and self._sums(numbers, mark, block[:at]).are(numbers):
                return at
        return None

    def _sums(self, places: Iterable[int], mark: str, last: bytes) -> ColumnSums:
        """Return the sums of some columns: the file is read once more, which is rare. last: its last block,
        as far as it counts.
        """
        sums, before = ColumnSums(places, mark), None
        for found in self.blocks():
            if before is not None:
                self._add_sums(sums, before.block)
            before = found
        self._add_sums(sums, last)
        return sums

    def _add_sums(self, sums: ColumnSums, block: bytes) -> None:
        table, _ = cut_cells(csv_rows.unspaced(block, self.sep), self.columns, self.sep)
        sums.rows += table.num_rows
        for i in list(sums.sums or ()):
            sums.add(i, table.column(i).to_pylist())

    def _say(self, note: Note) -> None:
        if not any(known.code == note.code for known in self.said):
            self.said.append(note)


@dataclass(frozen=True)
class CsvRows:
    """Some rows of a file, not yet cut into cells; any thread may call for them."""

    file: CsvFile
    found: Walked | BareRows
    last: bool

    def __call__(self) -> pa.RecordBatch:
        return self.file.cells(self.file.checked(self.found.block, self.last), self.found)

    @property
    def counted(self) -> tuple[int, int] | None:
        found = self.found
        return (found.lines, found.about) if isinstance(found, BareRows) else None

    def plain(self) -> tuple[Text, str] | None:
        """Return the rows as bytes, and the separator, if no cell is quoted, so that separators and line ends
        tell all.
        """
        found, file = self.found, self.file
        if len(file.columns) == 1 or found.doubtful:
            return None
        if isinstance(found, BareRows) and found.easy and not self.last:
            return found.text, file.sep
        block = found.block
        if b'"' in block or file.has_header(block):
            return None
        return file.checked(block, self.last), file.sep


def ragged_rows(file: CsvFile) -> DataError:
    """Return the error for rows with too many or too few cells: the first lines, and how many."""
    sep, width = file.reading.sep or ",", len(file.columns)
    lines: list[int] = []
    count, line, example = 0, file.skip + 1, 0
    for found in file.blocks():
        text = found.block.decode("utf-8", "replace").encode()  # a later block may have other faults
        block = csv_rows.unspaced(text, sep)
        _, bad = cut_cells(block, file.columns, sep)
        count += len(bad)
        at = 0
        for row in bad[: NAMED - len(lines)]:  # Arrow gives their texts, from the first one on
            own = re.compile(rb"(?:\A|(?<=[\r\n]))" + re.escape(row.text.encode()) + rb"(?=[\r\n]|\Z)")
            if place := own.search(block, at):
                at = place.end()
                lines.append(line + len(csv_bytes.LINE_END.findall(block, 0, place.start())))
                example = example or row.actual_columns
        line += csv_bytes.lines_in(block)
    named = ", ".join(f"{n:,}" for n in lines[:NAMED]) + (", …" if count > NAMED else "")
    return DataError(
        f"{file.name} has {count:,} row{'s' * (count != 1)} that do{'es' * (count == 1)} not have {width} "
        f"cells (line{'s' * (count != 1)} {named}; the first has {example}). "
        "Correct them, or pass ",
        read_with("bad_rows", "repair"),
        " to have them mended where one reading fits, or ",
        read_with("bad_rows", "skip"),
        " to leave them out.",
    )


def open_csv(path: str, reading: Reading, where: str) -> CsvFile:
    """Look at the head of a text file and settle how to read it."""
    stamp = Stamp.of(path, where)
    encoding = csv_bytes.encoding_of(csv_bytes.first_bytes(path, where, 4096), reading.encoding, where)
    pieces = csv_bytes.utf8_pieces(path, encoding, where, HEAD)
    parts, length, ends, longest = list[bytes](), 0, 0, 0
    for piece in pieces:
        parts.append(piece)
        length, more = length + len(piece), max(piece.count(b"\n"), piece.count(b"\r"))
        ends, longest = ends + more, 0 if more else longest + len(piece)
        if longest > csv_bytes.LONGEST_ROW:
            raise csv_bytes.endless(where, ends + 1, csv_bytes.LONGEST_ROW)
        if length >= HEAD and (ends >= HEAD_LINES or length > csv_bytes.LONGEST_ROW):
            break
    head = b"".join(parts)
    if (nul := head.find(b"\0")) >= 0 and reading.bad_rows == "error":
        raise csv_bytes.nul_byte(where, head.count(b"\n", 0, nul) + 1)
    holed, head = head, head.replace(b"\0", b"")
    look = look_at(_head_text(head, path, where), reading, where)
    names, notes = clean_names(look.names or [f"column_{j + 1}" for j in range(look.width)], where)
    settled = replace(reading, encoding=encoding, sep=look.dialect.out, header=look.header)
    per_row = len(head) // max(head.count(b"\n"), 1)
    whole = csv_bytes.size_of(path)
    csv_bytes.refuse_swollen(os.path.getsize(path), whole, reading, where)
    large = min(whole // BLOCKS, LARGEST)
    small = min(max(per_row * BLOCK_ROWS, 1 << 19), 1 << 25)
    block = min(max(small, large), 1 << 25)
    size = needed(whole // max(per_row, 1), look.numbers, look.width - look.numbers)
    said = [*look.notes, *notes]
    if b"\0" in b"".join(holed.splitlines()[: look.skip]):
        said.append(Note("header-repaired", "the lines above the rows hold NUL bytes; taken out.", count=1))
    return CsvFile(
        path,
        where,
        names,
        settled,
        look.skip,
        block,
        said,
        needed=size,
        small=small,
        stamps=(stamp,),
        files=(path,),
        header=look.line.encode(),
        dialect=look.dialect,
    )


def _head_text(head: bytes, path: str, where: str) -> str:
    """Return the head as text; bytes that are not UTF-8 would change names in silence."""
    try:
        return head.decode("utf-8")
    except UnicodeDecodeError as error:
        if error.start < len(head) - 4:  # else a character that the head cuts off
            raise csv_bytes.bad_bytes(path, where) or DataError(
                f"{where} is not UTF-8. Pass ", read_with("encoding", ...), "."
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

    read = pacsv.ReadOptions(column_names=list(names), use_threads=False, block_size=len(block) + 4)
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
    if block.startswith(codecs.BOM_UTF8):  # a cell's own: Arrow takes one away
        block = codecs.BOM_UTF8 + block
    if csv_bytes.is_blank(block):
        return pa.table({name: pa.nulls(0, pa.string()) for name in names}), bad
    return pacsv.read_csv(pa.BufferReader(block), read, parse, convert), bad


def footer_start(block: bytes, width: int, sep: str) -> tuple[int, list[str]]:
    """Return where the lines below the table begin, and those lines: few, and narrower than the table."""
    if width == 1:
        return len(block), []
    lines = block[-4096:].rstrip(b"\r\n").splitlines(keepends=True)[-FOOTER - 1 :]
    cut, found = len(block), list[str]()
    tail = sum(len(line) for line in lines) + len(block[-4096:]) - len(block[-4096:].rstrip(b"\r\n"))
    starts = len(block) - tail
    places = [starts + sum(len(line) for line in lines[:i]) for i in range(len(lines))]
    for at, line in zip(reversed(places), reversed(lines), strict=True):
        text = line.decode("utf-8", "replace").strip("\r\n")
        if '"' in text or not _is_footer(text, width, sep) or len(found) == FOOTER:
            break
        cut = at
        if text.strip(sep + " "):
            found.insert(0, text)
    return cut, found


def _is_footer(line: str, width: int, sep: str) -> bool:
    """Can this be no row of the table? A line of its width is one, whatever it says, wherever it stands."""
    cells = line.split(sep) if line else []
    if len(cells) >= width or any(
        len(line.split(other)) == width for other in (*SEPARATORS, *" "[: width > 2])
    ):
        return False
    return len(cells) <= 1 or _says_total(cells[0]) or not any(cell.strip() for cell in cells)


def _says_total(cell: str) -> bool:
    return says_sum(cell, (*WORDS, *FOOTER_WORDS))


def last_line(block: bytes) -> tuple[int, str]:
    """Return where the last line of a block begins, and its text; nothing of a very long one."""
    last = block[-4096:].rstrip(b"\r\n").splitlines()[-1:] or [b""]
    return block.rindex(last[0]) if last[0] else len(block), last[0].decode("utf-8", "replace")


def looks_like_total(block: bytes, width: int, sep: str) -> str:
    """Return the last row if it begins as a footer does and is half empty, else nothing."""
    if width == 1:
        return ""
    _, line = last_line(block)
    if '"' in line:
        return ""
    cells = line.split(sep)
    half = 2 * sum(1 for cell in cells if cell.strip()) <= width
    return line if len(cells) == width and half and _says_total(cells[0]) else ""
