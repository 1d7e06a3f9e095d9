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
from collections.abc import Iterator
from io import BytesIO
from typing import IO, NamedTuple

import numpy as np

from tallystick.data.schema import Reading
from tallystick.data.source.stream import cannot_read
from tallystick.errors import Argument, DataError, OptionError, read_with, shown

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
