"""The bytes of a text file as UTF-8, in blocks of whole rows.

Knows files, compression, encodings, line ends and quotes. Knows nothing of columns.
Law: the blocks joined are the file (as UTF-8, without a byte order mark); no row lies in two blocks.
"""

from __future__ import annotations

import codecs
import gzip
import itertools
import os
import re
import zlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from io import BytesIO
from itertools import combinations
from math import comb
from typing import IO, TYPE_CHECKING, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tallystick.errors import Argument, DataError, OptionError, counted, read_with, shown
from tallystick.io.source import cannot_read
from tallystick.schema import MISSING_MARKS, Reading

if TYPE_CHECKING:
    from tallystick.io.csv_file import CsvFile
    from tallystick.io.csv_repair import Damage


LONGEST_ROW = 1 << 26  # bytes; less where little memory is given
SWOLLEN, SWOLLEN_BYTES = 200, 1 << 28  # times its size, and bytes: more than a table unpacks to
PIECE = 1 << 20  # bytes read at once
NEAR = 1 << 17  # bytes read and looked at at once where they are to stay in the cache
LINE_END = re.compile(rb"\r\n|\n|\r")
SPACES = 4  # between a separator and an opening quote, at most
OF_NO_FILE = ("idna", "punycode", "unicode-escape", "raw-unicode-escape")  # of names, and of source code
BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)


class Walked(NamedTuple):
    """A block of whole rows: where it begins, in bytes, and the number of its first line. doubtful: quotes
    stand elsewhere than around cells, or any other damage may be in it.
    """

    block: bytes
    at: int
    line: int
    doubtful: bool = False


class DamagedText(DataError):  # noqa: N818  what was found, as NotFitted
    """Quotes or bytes of a text table are out of place: one who mends rows can go on."""


def open_bytes(path: str) -> IO[bytes]:
    """Open a file for its bytes; a gz file is unpacked on the way."""
    return gzip.open(path, "rb") if is_packed(path) else open(path, "rb")  # type: ignore[return-value]


def is_packed(path: str) -> bool:
    """Is this a gz file?"""
    with open(path, "rb") as file:
        return file.read(2) == b"\x1f\x8b"


def lies_bare(path: str, where: str) -> bool:
    """Are the bytes of the file those of its text?"""
    try:
        return not is_packed(path)
    except OSError as error:
        raise cannot_read(where, error) from None


def size_of(path: str) -> int:
    """Return the bytes of a file, unpacked: for a gz file by its end, which counts to 4 GB and for its
    last part, and by how far its beginning unpacks.
    """
    size = os.path.getsize(path)
    with open(path, "rb") as file:
        head = file.read(1 << 18)
        if head[:2] != b"\x1f\x8b" or size < 18:
            return size
        file.seek(-4, os.SEEK_END)
        told = int.from_bytes(file.read(4), "little")
    packer = zlib.decompressobj(31)
    try:
        there = len(packer.decompress(head, 1 << 22))
    except zlib.error:
        return size  # reported when it is read
    used = len(head) - len(packer.unconsumed_tail) - len(packer.unused_data)
    guess = size * there // max(used, 1)
    whole = told + max(round((guess - told) / 2**32), 0) * 2**32
    return whole if whole <= 2 * guess and guess <= 2 * whole else guess


def refuse_swollen(packed: int, whole: int, reading: Reading, where: str) -> None:
    """Refuse, before the work, a file that unpacks to far more than tables do: it may be made to fill a
    disk.
    """
    if whole > max(SWOLLEN * packed, SWOLLEN_BYTES) and not reading.unpack:
        raise DataError(
            f"{where} unpacks to {whole / 2**20:,.0f} MiB, {whole // max(packed, 1):,} times its size; "
            f"tables seldom reach {SWOLLEN} times. If that is meant, pass ",
            read_with("unpack", True),
            ".",
        )


def first_bytes(path: str, where: str, size: int) -> bytes:
    """Return the first bytes of a file, unpacked."""
    try:
        with open_bytes(path) as file:
            return file.read(size)
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise _damaged(where, error) from None
    except OSError as error:
        raise cannot_read(where, error) from None


def _damaged(where: str, error: Exception) -> DataError:
    return DataError(f"{where} is a damaged gz file: {shown(error, 100)}. Copy it again.")


def encoding_of(head: bytes, given: str | None, where: str) -> str:
    """Return the encoding: the given one, that of the byte order mark, else UTF-8. Nothing is guessed."""
    if given is not None:
        try:
            name = codecs.lookup(given).name
            "a".encode(name)  # zlib, base64 and their like are not encodings of text
            if name in OF_NO_FILE:
                raise LookupError
        except (LookupError, ValueError):
            raise OptionError(
                f"encoding {shown(given)} is not a known text encoding. Use for example 'utf-8' or 'cp1252'."
            ) from None
        return name
    for mark, name in BOMS:
        if head.startswith(mark):
            return name
    if len(head) >= 4 and _every_other_is_nul(head):
        likely = "utf-16-le" if head[1] == 0 else "utf-16-be"
        raise DataError(
            f"{where} looks like UTF-16 without a byte order mark. Pass ", read_with("encoding", likely), "."
        )
    return "utf-8"


def _every_other_is_nul(head: bytes) -> bool:
    sample = np.frombuffer(head[: len(head) // 2 * 2][:4096], np.uint8).reshape(-1, 2) == 0
    share = sample.mean(axis=0)
    return bool(share.max() > 0.6 and share.min() < 0.2)


def utf8_pieces(path: str, encoding: str, where: str, size: int = PIECE, start: int = 0) -> Iterator[bytes]:
    """Yield the file's text as UTF-8 bytes, the byte order mark left out. start: a byte of a file in UTF-8
    that is not packed.
    """
    decoder = None if encoding == "utf-8" else codecs.getincrementaldecoder(encoding)("strict")
    first, done = not start, start
    size = max(size, len(codecs.BOM_UTF8))  # so that a byte order mark is never cut in two
    try:
        with open_bytes(path) as file:
            file.seek(start)
            while piece := file.read(size):
                raw = len(piece)
                if decoder is not None:
                    piece = _decoded(decoder, piece, done, encoding, where)
                if first and piece.startswith(codecs.BOM_UTF8):
                    piece = piece[3:]
                first, done = False, done + raw
                yield piece
            if decoder is not None and (rest := _decoded(decoder, b"", done, encoding, where, final=True)):
                yield rest
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise _damaged(where, error) from None
    except OSError as error:
        raise cannot_read(where, error) from None


def _decoded(
    decoder: codecs.IncrementalDecoder,
    piece: bytes,
    done: int,
    encoding: str,
    where: str,
    final: bool = False,
) -> bytes:
    try:
        return decoder.decode(piece, final).encode()
    except UnicodeError as error:
        at = done + getattr(error, "start", 0)
        raise DataError(
            f"{where} is not {encoding}: it cannot be read near byte {at:,}. Pass another encoding."
        ) from None


def row_blocks(
    pieces: Iterator[bytes],
    sep: str,
    where: str,
    size: int,
    line: int = 1,
    longest: int = LONGEST_ROW,
    at: int = 0,
) -> Iterator[Walked]:
    """Yield blocks of whole rows of about `size` bytes; the last one holds at least the last few rows.

    line: the number of the first line. longest: bytes of a line, at most. at: where they begin, in bytes.
    """
    held, rest = b"", BytesIO()  # held: whole rows not yet given away; rest: rows of which the last may go on
    enough, start, plain, bare = size, line, True, True  # bare: there is no quote in the rest
    for piece in pieces:
        if (nul := piece.find(b"\0")) >= 0:
            raise nul_byte(where, line + lines_in(rest.getvalue()) + piece.count(b"\n", 0, nul))
        bare = bare and b'"' not in piece
        end = piece.rfind(b"\n") + 1 if bare and rest.tell() + len(piece) >= enough else 0
        rest.write(piece[:end] if end else piece)
        if rest.tell() < enough and not end:
            continue
        block, left, quotes = rest.getvalue(), piece[end:], True
        if not end:
            cut, quotes = _row_end(block, sep, where, line)
            block, left = block[:cut], block[cut:]
        if not block:
            _refuse_endless(left, sep, where, line, longest)
            enough = 2 * len(left)  # so that a long row is not looked at again with every piece
            continue
        if held:
            yield Walked(held, at, start, not plain)
        at, start, plain = at + len(held), line, quotes
        held, rest, enough, bare = block, _holding(left), size, b'"' not in left
        line += lines_in(held)
    last = rest.getvalue()
    _refuse_endless(last, sep, where, line, longest)
    quotes = check_quotes(last, sep, where, line)
    if len(last) < 4096:  # so that a footer is never alone
        held, last, plain = held + last, b"", plain and quotes
    for found in (Walked(held, at, start, not plain), Walked(last, at + len(held), line, not quotes)):
        if not is_blank(found.block):
            yield found


def _holding(first: bytes) -> BytesIO:
    """Return room that grows, with its first bytes."""
    room = BytesIO()
    room.write(first)
    return room


def quote_inside(where: str, line: int, cell: str) -> DataError:
    """Return the error for a quote inside a cell that is not quoted."""
    return DataError(
        f"{where} has a quote inside a cell that is not quoted, in line {line:,}: {shown(cell)}. Quote the "
        "cell and double the quote, or take it out."
    )


def lines_in(block: bytes) -> int:
    """Return how many lines end in a block, by LF, or by CR where there is none; bytes.count takes thrice
    the time, and so does NumPy where the answers for all bytes do not stay near.
    """
    return _bytes_in(block, 0x0A) or _bytes_in(block, 0x0D)


def _bytes_in(block: bytes, byte: int) -> int:
    data = np.frombuffer(block, np.uint8)
    return sum(int(np.count_nonzero(data[at : at + NEAR] == byte)) for at in range(0, len(data), NEAR))


def nul_byte(where: str, line: int) -> DataError:
    """Return the error for a file with a NUL byte."""
    return DamagedText(
        f"{where} holds a NUL byte in line {line:,}. It is not a text file, or it is damaged; clean it first."
    )


def _refuse_endless(rest: bytes, sep: str, where: str, line: int, longest: int) -> None:
    newline = b"\n" if b"\n" in rest else b"\r"
    if len(rest) <= longest or max(map(len, rest.split(newline))) <= longest:
        return
    opened = open_quote(rest, sep)
    if opened is not None:
        raise DamagedText(_unclosed(where, line + rest.count(b"\n", 0, opened)))
    raise endless(where, line, longest)


def endless(where: str, line: int, longest: int) -> DataError:
    """Return the error for a line beyond the limit."""
    if longest < LONGEST_ROW:
        return DataError(
            f"{where} has a line of more than {longest / 2**20:.3g} MB, line {line:,}, too long for the "
            "memory given. Pass ",
            Argument("memory", "512MB"),
            ", in which any line fits, or shorten it.",
        )
    return DataError(
        f"{where} has a line of more than 64 MiB, line {line:,}. Check the line ends, or clean it first."
    )


def _unclosed(where: str, line: int) -> str:
    return f"{where} has a quote opened in line {line:,} that is never closed. Close or double it."


def last_row_end(block: bytes, sep: str, where: str = "", line: int = 1) -> int:
    """Return the end of the last whole row in a block that begins a row; 0 when no row ends."""
    return _row_end(block, sep, where, line)[0]


def _row_end(block: bytes, sep: str, where: str, line: int) -> tuple[int, bool]:
    """As last_row_end, and whether quotes stand around cells only."""
    newline = b"\n" if b"\n" in block else b"\r"
    if b'"' not in block:
        return block.rfind(newline) + 1, True
    quotes = plain_quotes(block, sep)
    if quotes is None:
        return _slow_row_end(block, sep, newline, where, line), False
    end = block.rfind(newline)
    while end >= 0 and np.searchsorted(quotes, end) % 2:  # inside a quoted cell: from before its quote on
        end = block.rfind(newline, 0, int(quotes[np.searchsorted(quotes, end) - 1]))
    return end + 1, True


def check_quotes(block: bytes, sep: str, where: str, line: int) -> bool:
    """Refuse a last block of rows whose quotes are stray or never closed; are they all around cells?"""
    if b'"' not in block:
        return True
    quotes = plain_quotes(block, sep)
    if quotes is None or len(quotes) % 2:
        _slow_row_end(block, sep, b"\n", where, line)
        opened = open_quote(block, sep)
        if opened is not None:
            raise DamagedText(_unclosed(where, line + block.count(b"\n", 0, opened)))
    return quotes is not None


def plain_quotes(block: bytes, sep: str) -> np.ndarray[tuple[int], np.dtype[np.int64]] | None:
    """Return the positions of quotes when each opens or closes a cell or is doubled, else None."""
    data = np.frombuffer(block, np.uint8)
    quotes = np.flatnonzero(data == 0x22)
    near = np.zeros(256, bool)
    near[[0x22, 0x0A, 0x0D, *sep.encode()]] = True
    opening, closing = quotes[0::2], quotes[1::2]
    before = near[data[np.maximum(opening - 1, 0)]] | (opening == 0)
    after = near[data[np.minimum(closing + 1, len(data) - 1)]] | (closing == len(data) - 1)
    return quotes.astype(np.int64) if before.all() and after.all() else None


def quoted_cells(block: bytes, sep: str) -> Iterator[re.Match[bytes]]:
    """Yield each quoted cell, from quote to quote; group 1 is empty when the quote is never closed."""
    # The quote comes first in the pattern: the search jumps from quote to quote.
    yield from re.finditer(b'"(?:' + b"|".join(_before(sep, SPACES)) + rb')[^"]*(?:""[^"]*)*("|\Z)', block)


def _before(sep: str, spaces: int) -> Iterator[bytes]:
    """Yield patterns of what stands before a quote that opens a cell: a separator or line end, few spaces."""
    yield rb'(?<=\A")'
    for count in range(spaces + 1 if sep != " " else 1):
        yield b"(?<=[" + re.escape(sep.encode()) + rb"\r\n]" + b" " * count + b'")'


def unspaced(block: bytes, sep: str) -> bytes:
    """Return rows without the spaces that some write between a separator and an opening quote."""
    if sep == " " or b'"' not in block or b' "' not in block or not _has_spaced(block, sep):
        return block
    cell = b'[^"]*(?:""[^"]*)*"'
    plain = b'"(?:' + b"|".join(_before(sep, 0)) + b")" + cell
    spaced = b"(?<=[" + re.escape(sep.encode()) + rb'\r\n]) +("' + cell + b")"
    return re.sub(plain + b"|" + spaced, lambda found: found[1] or found[0], block)


def _has_spaced(block: bytes, sep: str) -> bool:
    """Do spaces stand between a separator and a quote? Looked at from the quotes, which are few."""
    data, mark = np.frombuffer(block, np.uint8), sep.encode()
    before = np.flatnonzero(data == 0x22) - 1
    for _ in range(SPACES):
        before = before[before > 0]  # what stands at the beginning has no separator before it
        before = before[data[before] == 0x20] - 1
        if (data[before] == mark[-1]).any() or not len(before):
            break
    return bool(len(before)) and re.search(re.escape(mark) + b' +"', block) is not None


def is_blank(block: bytes) -> bool:
    """Is there nothing but line ends? The first bytes tell it of most blocks; to strip is to copy."""
    return not block[:NEAR].strip(b"\r\n") and not block.strip(b"\r\n")


def open_quote(block: bytes, sep: str) -> int | None:
    """Return where a quote is opened that the block does not close."""
    for cell in quoted_cells(block, sep):
        if not cell[1]:
            return cell.start()
    return None


def _slow_row_end(block: bytes, sep: str, newline: bytes, where: str, line: int) -> int:
    """As last_row_end, for blocks with quotes inside cells. A quote closed in mid-cell is a stray quote."""
    end, last = 0, 0
    allowed, blank = (sep.encode(), b"\r", b"\n", b""), b" \t".replace(sep.encode(), b"")
    for cell in quoted_cells(block, sep):
        last = max(last, block.rfind(newline, end, cell.start()) + 1)
        if not cell[1]:
            return last
        end = cell.end()
        after = block[end : end + 80].lstrip(blank)
        if after[:1] not in allowed and end < len(block):
            at = line + block.count(b"\n", 0, cell.start())
            raise DamagedText(
                f"{where} has a stray quote: the cell opened in line {at:,} goes on after its closing quote "
                f"({shown(cell[0][-20:].decode(errors='replace') + after[:10].decode(errors='replace'))}). "
                "Double the quotes inside cells."
            )
    return max(last, block.rfind(newline, end) + 1)


def bytes_before(path: str, name: str, lines: int) -> int:
    """Return how many bytes of a file in UTF-8 come before what follows its first lines."""
    read = 0

    def pieces() -> Iterator[bytes]:
        nonlocal read
        for piece in utf8_pieces(path, "utf-8", name, NEAR):
            read += len(piece)
            yield piece

    left = len(next(without_lines(pieces(), lines), b""))
    marked = first_bytes(path, name, 3).startswith(codecs.BOM_UTF8)
    return read - left + len(codecs.BOM_UTF8) * marked


def without_lines(pieces: Iterator[bytes], skip: int) -> Iterator[bytes]:
    """Yield the pieces without the first `skip` lines; a line ends with LF, CRLF or CR."""
    held, ends = list[bytes](), 0
    for piece in pieces:
        if skip:
            held.append(piece)
            ends += max(piece.count(b"\n"), piece.count(b"\r"))
            if ends < skip:  # a long line is not joined with every piece
                continue
            whole = b"".join(held)
            found = list(itertools.islice(LINE_END.finditer(whole), skip))
            if len(found) < skip or found[-1].end() == len(whole):  # a CR there may be half of a CRLF
                held = [whole]
                continue
            piece, skip = whole[found[-1].end() :], 0
        yield piece


# Text cut into rows and cells in Python: exact, slow, and for cells of any length. For heads and for
# damage.
#
# Knows separators, quotes and line ends. Knows nothing of files or columns. Law: the cells are those of
# Python's csv module, which takes none of more than 131,072 characters, unless the limit of the whole
# process is changed; that is not ours to change.


_LINE_END = re.compile(r"\r\n|\n|\r")


def cut_rows(text: str, sep: str, spaced: bool = False) -> Iterator[tuple[list[str], int, int]]:
    """Yield the cells of each row, how many lines it takes, and where the next one begins.

    An empty line is a row without cells. spaced: spaces before an opening quote are not part of the cell.
    """
    quoted = _quoted_cell(sep, spaced)
    plain = re.compile(f"[^{re.escape(sep)}\r\n]*")
    at = 0
    while at < len(text):
        found = _LINE_END.search(text, at)
        end, after = found.span() if found else (len(text), len(text))
        if text.find('"', at, end) < 0:
            yield (text[at:end].split(sep) if end > at else []), 1, after
            at = after
            continue
        cells, start, going = list[str](), at, True
        while going:
            cell, at = _one_cell(text, at, quoted, plain)
            cells.append(cell)
            going = text.startswith(sep, at)
            at += going
        end = at
        found = _LINE_END.match(text, at)
        at = found.end() if found else at
        yield cells, 1 + len(_LINE_END.findall(text, start, end)), at


def _quoted_cell(sep: str, spaced: bool) -> re.Pattern[str]:
    """Return the pattern of a quoted cell and what may follow its closing quote, or of one never closed."""
    before = " *" if spaced else ""
    return re.compile(rf'{before}"([^"]*(?:""[^"]*)*+)(?:"([^{re.escape(sep)}\r\n]*)|\Z)')


def _one_cell(text: str, at: int, quoted: re.Pattern[str], plain: re.Pattern[str]) -> tuple[str, int]:
    """Return the cell that begins here, and where it ends."""
    if found := quoted.match(text, at):
        return found[1].replace('""', '"') + (found[2] or ""), found.end()
    bare = plain.match(text, at)
    assert bare is not None  # it may be empty
    return bare[0], bare.end()


# What is wrong with a text table, found by a slow and exact look. Called only when something is.
#
# Knows lines and bytes. Knows nothing of kinds.


NAMED = 5  # lines named in a message


class Ragged(NamedTuple):
    """A row of another length: its place among the rows of a block, its line there, its cells, its bytes."""

    row: int
    line: int
    cells: int
    start: int
    end: int


def too_damaged(file: CsvFile, damage: Damage) -> DataError:
    """Return the error for a file with more damaged rows than may be passed over: that of a strict reading,
    and how many there are.
    """
    strict = replace(file, reading=replace(file.reading, bad_rows="error"))
    try:
        for piece in strict.pieces():
            piece()
    except DamagedText as error:
        rows = f" {counted(damage.bad, 'row')} of {damage.rows:,} are damaged; to have them mended where "
        return DataError(
            error.message,
            rows,
            "one reading fits, and left out where none does, pass ",
            read_with("bad_rows", "repair"),
            ".",
        )
    except DataError as error:
        return error
    return DataError(f"{file.name} has {counted(damage.bad, 'damaged row')}. Correct them.")


def ragged_rows(file: CsvFile) -> DataError:
    """Return the error for rows with too many or too few cells: the first lines, and how many."""
    from tallystick.io.csv_file import cut_cells

    sep, width = file.reading.sep or ",", len(file.columns)
    lines: list[int] = []
    count, line, example = 0, file.skip + 1, 0
    for found in file.blocks():
        block = found.block.decode("utf-8", "replace").encode()  # a later block may have other faults
        _, bad = cut_cells(block, file.columns, sep)
        count += len(bad)
        if bad and len(lines) < NAMED:
            for row in ragged_in(block, width, sep):
                lines.append(line + row.line)
                example = example or row.cells
        line += lines_in(block)
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


def ragged_in(block: bytes, width: int, sep: str) -> Iterator[Ragged]:
    """Yield the rows of a block of UTF-8 that are not `width` cells wide."""
    row = line = at = 0
    for cells, lines, end in cut_rows(block.decode("latin-1"), sep):  # so a character is a byte
        if cells and len(cells) != width:
            yield Ragged(row, line, len(cells), at, end)
        row += bool(cells) or width == 1
        line, at = line + lines, end


def bad_bytes(path: str, name: str) -> DataError | None:
    """Return the error for bytes that are not UTF-8, None when all are: offset, line, and the cure."""
    offset, line = 0, 1
    rest = b""
    with open_bytes(path) as stream:
        while piece := stream.read(PIECE):
            data = rest + piece
            try:
                data.decode("utf-8")
                rest = b""
            except UnicodeDecodeError as error:
                if error.reason == "unexpected end of data" and len(data) - error.start < 4:
                    rest = data[error.start :]
                    data = data[: error.start]
                else:
                    return _not_utf8(name, data, error.start, offset, line)
            offset += len(data)
            line += data.count(b"\n")
    return _not_utf8(name, rest, 0, offset, line) if rest else None


def _not_utf8(name: str, data: bytes, at: int, offset: int, line: int) -> DataError:
    near = data[max(at - 10, 0) : at + 10].decode("cp1252", "replace")
    line += data.count(b"\n", 0, at)
    return DataError(
        f"{name} is not UTF-8: byte {offset + at:,} (line {line:,}) is 0x{data[at]:02X}, "
        f"near {shown(near)}. If it is Western European, pass ",
        read_with("encoding", "cp1252"),
        ".",
    )


# What the cells of each column look like, over the rows that can be read: whether a damaged one fits.
#
# Knows texts in columns. Knows nothing of files, kinds or levels as a model has them. Law: what is known
# does not depend on how the rows come in blocks, nor, up to LOOKED of them, on their order.


LOOKED = 20_000  # rows that are looked at: the first that can be read
MOST = 64  # different texts or forms that are remembered of a column; of more, it may hold any
OFTEN_TEXTS, OFTEN_FORMS = 8, 4  # rows per text, or form, where they are all that a column holds
LONG = 200  # characters of a text whose form is not asked for
RUNS = re.compile(r"9+|A+|a+")


def _kind(char: str) -> str:
    """Return the kind of a character: 9, A, a, or itself."""
    if char.isdecimal():
        return "9"
    return ("A" if char.isupper() else "a") if char.isalpha() else char


ASCII = {code: _kind(chr(code)) for code in range(128)}


def form(text: str) -> str:
    """Return the form of a text: 28/01/2018 is 99/99/9999, MG-8769 is AA-9999."""
    return text.translate(ASCII) if text.isascii() else "".join(map(_kind, text))


def short_form(form: str) -> str:
    """Return a form without the lengths of its runs: 9/9/9, A-9."""
    return RUNS.sub(lambda run: run[0][0], form)


def is_number(text: str) -> bool:
    """Is this a number, with a point or a comma?"""
    if not text or text[-1] not in "0123456789." or "_" in text:  # neither inf nor nan
        return False
    try:
        float(text.replace(",", ".", 1))
    except ValueError:
        return False
    return True


class KnownTexts:
    """A set of texts that gives up when there are too many: then it is open, whatever came first."""

    def __init__(self) -> None:
        self.texts: set[str] | None = set()

    def add(self, texts: Sequence[str]) -> None:
        """Take some more."""
        if self.texts is not None:
            self.texts.update(texts)
            if len(self.texts) > MOST:
                self.texts = None

    def closed(self, rows: int, often: int) -> set[str] | None:
        """Return all texts where each is frequent, so that another one would be strange; else None."""
        return self.texts if self.texts is not None and len(self.texts) * often <= rows else None


@dataclass
class ColumnLooks:
    """What is known of one column's cells."""

    filled: int = 0
    empty: int = 0
    numbers: bool = True
    commas: bool = False
    texts: KnownTexts = field(default_factory=KnownTexts)
    forms: KnownTexts = field(default_factory=KnownTexts)
    short: KnownTexts = field(default_factory=KnownTexts)
    firsts: set[str] = field(default_factory=set)  # kinds of the first characters, and of the last
    lasts: set[str] = field(default_factory=set)
    spaced: bool = False  # a cell has space around it
    worded: bool = False  # a cell has several words: its form tells nothing

    def add(self, cells: pa.Array) -> None:
        """Take some more cells."""
        counts = pc.value_counts(cells)
        for text, count in zip(counts.field(0).to_pylist(), counts.field(1).to_pylist(), strict=True):
            self._take(text, count)

    def _take(self, text: str, count: int) -> None:
        bare = text.strip()
        if bare in MISSING_MARKS:
            self.empty += count
            if not bare:
                return
        else:
            self.filled += count
            self.numbers = self.numbers and is_number(bare)
            self.commas = self.commas or "," in bare
        self.spaced = self.spaced or text != bare
        self.worded = self.worded or (" " in bare and any(map(str.isalpha, bare)))
        self.texts.add((bare,))
        self.firsts.add(_kind(bare[0]))
        self.lasts.add(_kind(bare[-1]))
        if self.short.texts is not None and not self.worded:
            made = form(bare) if len(bare) <= LONG else "…"
            self.forms.add((made,))
            self.short.add((short_form(made),))

    def fits(self, cell: str, exactly: bool = False) -> bool:
        """Could this be a cell of the column? exactly: a number of any other form than the others is none."""
        bare = cell.strip()
        if not bare:
            return self.empty > 0
        if bare in MISSING_MARKS and self.empty:
            return True
        if cell != bare and not self.spaced:
            return False
        rows = self.filled + self.empty
        number = is_number(bare) and (self.commas or "," not in bare)
        if self.filled and self.numbers and not (exactly and number):
            return number
        if (texts := self.texts.closed(rows, OFTEN_TEXTS)) is not None:
            return bare in texts
        if not self.worded and (forms := self.forms.closed(rows, OFTEN_FORMS)) is not None:
            return form(bare) in forms
        if not self.worded and (short := self.short.closed(rows, OFTEN_FORMS)) is not None:
            return short_form(form(bare)) in short
        return _kind(bare[0]) in self.firsts and _kind(bare[-1]) in self.lasts


class Looks:
    """What is known of all columns of a table."""

    def __init__(self, width: int) -> None:
        self.columns = [ColumnLooks() for _ in range(width)]
        self.rows = 0

    def add(self, table: pa.Table) -> None:
        """Take the rows of a table of texts."""
        table = table.slice(0, max(LOOKED - self.rows, 0))
        self.rows += table.num_rows
        for looks, cells in zip(self.columns, table.columns, strict=True):
            looks.add(cells)

    def fit(self, cells: Sequence[str]) -> bool:
        """Could this be a row?"""
        return len(cells) == len(self.columns) and all(
            c.fits(cell) for c, cell in zip(self.columns, cells, strict=True)
        )


# Rows of a text table that may be damaged: which are whole, which are not, and what is wrong with those.
#
# Knows bytes, separators, quotes and line ends. Knows nothing of what cells mean. Law: a row that the
# strict reader takes is a row here, with the same bytes; a damaged row is one line, from where it begins,
# and the line after it begins a row again. Rows do not depend on the sizes of pieces.


BLOCK = 1 << 20  # bytes of a block, about


class TextRow(NamedTuple):
    """A row in a text of bytes: where it begins and ends, its lines, its cells or what is wrong with them."""

    start: int
    end: int  # behind its line end
    lines: int
    cells: list[str]  # as far as they can be told
    fault: str = ""  # in words; nothing: it is whole


@lru_cache(maxsize=8)
def _patterns(sep: str) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Return the pattern of a quoted cell that is closed, and of a plain one."""
    before, blank = ("", "\t") if sep == " " else (" *", " " if sep == "\t" else " \t")
    end = rf"(?={re.escape(sep)}|\r|\n|\Z)"
    quoted = re.compile(rf'{before}"([^"]*(?:""[^"]*)*+)"([{blank}]*){end}')
    return quoted, re.compile(rf"[^{re.escape(sep)}\r\n]*")


@lru_cache(maxsize=8)
def _doubt(sep: str) -> re.Pattern[str]:
    """Return the pattern of a quote in the middle of a plain cell, and of one that ends a later cell."""
    one = re.escape(sep)
    return re.compile(rf'"(?<=[^{one}"\r\n]")[^"\r\n]*{one}[^"\r\n]*"(?={one}|[\r\n]|\Z)')


def doubtful(block: bytes, sep: str) -> bool:
    """May a row of the right width have lost a separator, before a quoted cell that holds one?"""
    return b'"' in block and _doubt(sep).search(unspaced(block, sep).decode("latin-1")) is not None


@lru_cache(maxsize=8)
def _quote_inside(sep: str) -> re.Pattern[bytes]:
    """Return the pattern of a quoted cell, or, as group 1, of one that is not and has a quote inside."""
    one = re.escape(sep)
    before, blank = ("", "\t") if sep == " " else (" *", " " if sep == "\t" else " \t")
    quoted = rf'{before}"[^"]*+(?:""[^"]*+)*+"[{blank}]*+(?={one}|[\r\n]|\Z)'
    return re.compile(rf'(?<![^{one}\r\n])(?:{quoted}|([^{one}"\r\n]++"[^{one}\r\n]*+))'.encode())


def quotes_inside(block: bytes, sep: str) -> Iterator[re.Match[bytes]]:
    """Yield each cell that is not quoted and has a quote inside, as group 1."""
    if b'"' in block:
        yield from (found for found in _quote_inside(sep).finditer(block) if found[1])


def rows_in(text: str, sep: str, width: int, whole: bool = True) -> Iterator[TextRow]:
    """Yield the rows of a text, a character per byte, empty lines left out.

    width: cells of a row; 0: any. whole: the text is all there is; else a row that may go on is left out.
    """
    at = 0
    while at < len(text):
        found = _LINE_END.search(text, at)
        end, after = found.span() if found else (len(text), len(text))
        if not whole and (found is None or (after == len(text) and text[end] == "\r")):
            return
        if text.find('"', at, end) < 0:
            row = TextRow(at, after, 1, text[at:end].split(sep))
            if end > at or width == 1:
                yield _judged(row, text, width)
        else:
            row = _quoted_row(text, at, sep)
            if row.end < 0 or (not whole and row.end == len(text)):
                if not whole:
                    return
                row = row._replace(end=after)
            if row.fault:
                row = row._replace(end=after, lines=1, cells=text[at:end].split(sep))
            yield _judged(row, text, width)
        at = row.end


def _judged(row: TextRow, text: str, width: int) -> TextRow:
    if row.fault or (not width and "\0" not in text[row.start : row.end]):
        return row
    if "\0" in text[row.start : row.end]:
        return row._replace(fault="holds a NUL byte")
    if len(row.cells) != width:
        cells = f"{len(row.cells):,} cell{'s' * (len(row.cells) != 1)}"
        return row._replace(fault=f"has {cells}, not {width:,}")
    return row


def _quoted_row(text: str, start: int, sep: str) -> TextRow:
    """Return a row with quotes; its end is -1 where a quote is never closed."""
    quoted, plain = _patterns(sep)
    cells, at = list[str](), start
    while True:
        if found := quoted.match(text, at):
            cells.append(found[1].replace('""', '"') + found[2])
        else:
            found = plain.match(text, at)
            assert found is not None  # it may be empty
            if found[0].lstrip(" " if sep != " " else "").startswith('"'):
                closed = _closes(text, text.index('"', at) + 1)
                fault = "has a stray quote" if closed else "has a quote that is never closed"
                return TextRow(start, at if closed else -1, 1, cells, fault)
            cells.append(found[0])
        at = found.end()
        if not text.startswith(sep, at):
            break
        at += len(sep)
    lines = 1 + len(_LINE_END.findall(text, start, at))
    found = _LINE_END.match(text, at)
    return TextRow(start, found.end() if found else at, lines, cells)


def _closes(text: str, at: int) -> bool:
    """Is a cell whose quote was opened before here closed anywhere?"""
    while (at := text.find('"', at)) >= 0:
        if not text.startswith('""', at):
            return True
        at += 2
    return False


def walked(
    pieces: Iterable[bytes], sep: str, where: str, at: int, line: int, longest: int
) -> Iterator[Walked]:
    """Yield blocks of whole rows from pieces, damaged rows among them; at: where they begin, in bytes."""
    held, enough = list[bytes](), BLOCK
    size = 0
    for piece in pieces:
        held.append(piece)
        size += len(piece)
        if size < enough:
            continue
        block = b"".join(held)
        cut = _last_end(block, sep, size > longest)
        if cut:
            yield Walked(block[:cut], at, line, True)
            line, at = line + lines_in(block[:cut]), at + cut
        elif size > longest:
            raise endless(where, line, longest)
        held, size = [block[cut:]], size - cut
        enough = BLOCK if cut else 2 * size  # so that a long row is not looked at again with every piece
    if block := b"".join(held):
        yield Walked(block, at, line, True)


def _last_end(block: bytes, sep: str, too_long: bool) -> int:
    """Return where the last whole row ends; 0 where none does."""
    if b'"' not in block:
        return block.rfind(b"\n" if b"\n" in block else b"\r") + 1
    if not too_long and plain_quotes(block, sep) is not None:
        return last_row_end(block, sep)
    end = 0
    for row in rows_in(block.decode("latin-1"), sep, 0, whole=too_long):
        end = row.end
    return end


# One damaged row, read in the one way that fits the columns; or not at all.
#
# Knows a line of text, its separator, and what the columns look like. Knows nothing of files. Law: a row is
# mended only where exactly one reading of it fits. First come readings that keep every character of a cell
# (cells that a separator divides are joined around it, a quote is text); where none of them fits, those
# that take a stray separator or quote away.


SEPARATORS_MENDED = (",", ";", "\t", "|", " ", ":")  # that a row may have instead of its own
QUOTES, PAIRS, DROPS = 100, 16, 500  # quotes tried alone, in pairs; ways to leave out empty cells
LONGEST_MENDED, MANY = 2_000, 200  # characters of a cell that is cut in two; cells of a row that are joined
_TEXT = "\ud800"  # stands for a quote that is text: half a character, which no text holds

Cells = tuple[str, ...]


def mended(line: str, sep: str, looks: Looks, ended: bool = True) -> Cells | None:
    """Return the cells of a damaged line, or None where no reading fits or several do.

    ended: a line end is behind it, so that nothing can be lost at its end.
    """
    clean = line.replace("\0", "")
    if clean != line and (cells := _cut(clean, sep, looks)) is not None:
        return cells
    line = clean
    for readings in (_kept(line, sep, looks, ended), _taken(line, sep, looks), _without_quotes(line, sep)):
        fitting = dict[Cells, Cells]()  # by what is left of them without outer spaces
        for reading in readings:
            if looks.fit(reading):
                fitting.setdefault(tuple(cell.strip() for cell in reading), tuple(reading))
            if len(fitting) > 1:
                return None
        for cells in fitting.values():
            return cells
    return None


def _cut(line: str, sep: str, looks: Looks) -> Cells | None:
    """Return the cells of a line that is one whole row, else None."""
    rows = list(rows_in(line, sep, len(looks.columns)))
    return tuple(rows[0].cells) if len(rows) == 1 and not rows[0].fault else None


def _kept(line: str, sep: str, looks: Looks, ended: bool) -> Iterator[Sequence[str]]:
    """Yield readings that keep what the cells hold."""
    width = len(looks.columns)
    row = next(rows_in(line, sep, 0), None)
    if row is None:
        return
    if row.fault:
        yield from (_as_text(cells, '"') for cells in _quotes_as_text(line, sep, 1))
    elif len(row.cells) > width:
        yield from _without_empty(row.cells, width)
        yield from _joined(row.cells, sep, looks)
    else:
        if ended:
            yield [*row.cells, *[""] * (width - len(row.cells))]
        yield from _divided(row.cells, looks)
    yield from _at_quotes(line, sep, looks)
    yield from _other_separators(line, sep, looks)


def _taken(line: str, sep: str, looks: Looks) -> Iterator[Sequence[str]]:
    """Yield readings that take a quote or a separator away, or two quotes as text."""
    row = next(rows_in(line, sep, 0), None)
    if row is None:
        return
    if row.fault:
        yield from (_as_text(cells, "") for cells in _quotes_as_text(line, sep, 1))
        yield from (_as_text(cells, '"') for cells in _quotes_as_text(line, sep, 2))
    elif len(row.cells) > len(looks.columns):
        yield from _joined(row.cells, "", looks)


def _without_quotes(line: str, sep: str) -> Iterator[Sequence[str]]:
    """Yield the reading that takes two quotes away, in all ways."""
    yield from (_as_text(cells, "") for cells in _quotes_as_text(line, sep, 2))


# ---- quotes ----


def _quotes_as_text(line: str, sep: str, count: int) -> Iterator[Cells]:
    """Yield the line cut with so many of its quotes as text, in all ways."""
    quotes = [i for i, char in enumerate(line) if char == '"']
    if len(quotes) > (QUOTES if count == 1 else PAIRS):
        return
    for places in combinations(quotes, count):
        chars = list(line)
        for i in places:
            chars[i] = _TEXT
        if (cells := _cut_marked("".join(chars), sep)) is not None:
            yield cells


def _cut_marked(line: str, sep: str) -> Cells | None:
    rows = list(rows_in(line, sep, 0))
    return tuple(rows[0].cells) if len(rows) == 1 and not rows[0].fault else None


def _as_text(cells: Cells, quote: str) -> list[str]:
    return [cell.replace(_TEXT, quote) for cell in cells]


def _at_quotes(line: str, sep: str, looks: Looks) -> Iterator[Cells]:
    """Yield the line with a separator more before or behind a quote, where one may be lost."""
    places = {i + side for i, char in enumerate(line) if char == '"' for side in (0, 1)}
    if len(places) <= 2 * QUOTES:
        for at in sorted(places - {0, len(line)}):
            if (cells := _cut(line[:at] + sep + line[at:], sep, looks)) is not None:
                yield cells


# ---- too many cells ----


def _without_empty(cells: Sequence[str], width: int) -> Iterator[list[str]]:
    """Yield the row without some of its empty cells: separators too many."""
    empty = [i for i, cell in enumerate(cells) if not cell.strip()]
    more = len(cells) - width
    if len(empty) >= more and comb(len(empty), more) <= DROPS:
        for left in combinations(empty, more):
            yield [cell for i, cell in enumerate(cells) if i not in left]
    elif len(empty) >= more and empty[-more:] == list(range(width, len(cells))):
        yield list(cells[:width])


def _joined(cells: Sequence[str], by: str, looks: Looks) -> Iterator[list[str]]:
    """Yield up to two fitting rows in which neighbours that hold something are joined to one cell."""
    n, width = len(cells), len(looks.columns)
    more = n - width
    if not more > 0 or n > MANY:
        return
    groups: list[list[tuple[int, str]]] = [[] for _ in range(n)]  # [start]: how many cells, and their text
    for start in range(n):
        for size in range(1, min(more + 1, n - start) + 1):
            part = cells[start : start + size]
            if size == 1 or all(cell.strip() for cell in part):
                groups[start].append((size, by.join(part)))
    ways: dict[tuple[int, int], list[list[str]]] = {(width, n): [[]]}  # [column, cell]: at most two
    for column in range(width - 1, -1, -1):
        for start in range(column, min(column + more, n - 1) + 1):
            found = list[list[str]]()
            for size, text in groups[start]:
                rest = ways.get((column + 1, start + size))
                if rest and looks.columns[column].fits(text, exactly=not by and size > 1):
                    found += [[text, *others] for others in rest]
                if len(found) > 1:
                    break
            ways[column, start] = found[:2]
    yield from ways[0, 0]


# ---- too few cells ----


def _divided(cells: Sequence[str], looks: Looks) -> Iterator[list[str]]:
    """Yield the row with one cell cut in two: a separator is lost, or another character stands for it."""
    columns = looks.columns
    if len(cells) != len(columns) - 1:
        return
    last = len(cells) - 1
    fit_left = next((j for j in range(last + 1) if not columns[j].fits(cells[j])), last)
    fit_right = next((j for j in range(last, -1, -1) if not columns[j + 1].fits(cells[j])), 0)
    for j in range(fit_right, fit_left + 1):
        cell = cells[j]
        for at in range(1, len(cell) if len(cell) <= LONGEST_MENDED else 0):
            for skip in (0, 1) if cell[at] in SEPARATORS_MENDED else (0,):
                parts = cell[:at], cell[at + skip :]
                if columns[j].fits(parts[0], True) and columns[j + 1].fits(parts[1], True):
                    yield [*cells[:j], *parts, *cells[j + 1 :]]


def _other_separators(line: str, sep: str, looks: Looks) -> Iterator[Sequence[str]]:
    """Yield the line cut by another separator."""
    for other in SEPARATORS_MENDED:
        if other == sep or other not in line:
            continue
        cells = _cut_marked(line, other)
        if cells is None:
            continue
        if len(cells) > len(looks.columns):
            yield from _joined(cells, other, looks)
        else:
            yield cells
