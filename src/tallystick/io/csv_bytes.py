"""Bytes of a text file decoded to UTF-8 in pieces; byte ranges of unquoted rows read without a copy.

- Entry: `utf8_pieces()`; `encoding_of()`, `size_of()`, `refuse_swollen()` (decompression bombs),
  `bad_bytes()`.
- `stretches()`: ranges of whole rows without quotes, which line feeds alone separate.

Law: the pieces joined are the file, as UTF-8 and without a byte order mark.
"""

from __future__ import annotations

import codecs
import gzip
import itertools
import os
import re
import zlib
from collections.abc import Iterator
from typing import IO, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tallystick import kernels
from tallystick.errors import Argument, DataError, OptionError, read_with, shown
from tallystick.io.source import cannot_read
from tallystick.schema import Reading

LONGEST_ROW = 1 << 26  # bytes of a row, at most; less with a small memory budget
SWOLLEN, SWOLLEN_BYTES = 200, 1 << 28  # a file may unpack to 200 times its size, or to these bytes
PIECE = 1 << 20  # bytes read at once
NEAR = 1 << 17  # bytes read at once where they are to stay in the cache
LINE_END = re.compile(rb"\r\n|\n|\r")
OF_NO_FILE = ("idna", "punycode", "unicode-escape", "raw-unicode-escape")  # no encodings of files
BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)


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
        written = int.from_bytes(file.read(4), "little")
    packer = zlib.decompressobj(31)
    try:
        there = len(packer.decompress(head, 1 << 22))
    except zlib.error:
        return size  # reported when it is read
    used = len(head) - len(packer.unconsumed_tail) - len(packer.unused_data)
    guess = size * there // max(used, 1)
    whole = written + max(round((guess - written) / 2**32), 0) * 2**32
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
    pairs = np.frombuffer(head[: len(head) // 2 * 2][:4096], np.uint8).reshape(-1, 2) == 0
    nul = pairs.mean(axis=0) if len(head) >= 4 else np.zeros(2)
    if nul.max() > 0.6 and nul.min() < 0.2:  # every other byte
        likely = "utf-16-le" if head[1] == 0 else "utf-16-be"
        raise DataError(
            f"{where} looks like UTF-16 without a byte order mark. Pass ", read_with("encoding", likely), "."
        )
    return "utf-8"


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


def is_blank(block: bytes) -> bool:
    """Is there nothing but line ends? The first bytes decide in most blocks, without a copy."""
    return not block[:NEAR].strip(b"\r\n") and not block.strip(b"\r\n")


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


# ---- stretches: whole rows without a quote or a NUL byte, read once and not copied ----
#
# Law: anything else, and the end of the file, is left to `csv_rows.row_blocks`.


TAIL = 1 << 14  # bytes at the end of a file that may be totals and footers


class BareRows(NamedTuple):
    """Whole rows of a file, as `bytes.Walked` has them.

    text: their bytes; at: their first byte below the header. easy: all is ASCII, and
    without the byte that was asked for. about: lines of the whole file, if all are as long as these.
    """

    text: NDArray[np.uint8]
    at: int
    line: int
    lines: int
    easy: bool
    about: int
    doubtful: bool = False

    @property
    def block(self) -> bytes:
        """The rows."""
        return self.text.tobytes()


def stretches(path: str, where: str, start: int, line: int, size: int, asked: int) -> Iterator[BareRows]:
    """Yield stretches of at most `size` bytes from a byte of a file on, as far as they go; its last bytes,
    at least TAIL, are left, and a file of few stretches is left whole. line: the number of the first one;
    asked: see BareRows.
    """
    begin, rest = start, np.empty(0, np.uint8)
    try:
        with open(path, "rb", buffering=0) as file:
            whole = os.fstat(file.fileno()).st_size
            file.seek(begin)
            while whole > 2 * size and (left := whole - TAIL - begin) > 0:
                text = np.empty(min(size, left), np.uint8)
                found = None if len(rest) > len(text) else _next(file, text, rest, asked)
                if found is None:
                    return
                end, lines, easy = found
                about = lines * (whole - start) // end + 1
                yield BareRows(text[:end], begin - start, line, lines, easy, about)
                begin, line, rest = begin + end, line + lines, text[end:].copy()
    except OSError as error:
        raise cannot_read(where, error) from None


def _next(
    file: IO[bytes], text: NDArray[np.uint8], rest: NDArray[np.uint8], asked: int
) -> tuple[int, int, bool] | None:
    """Read the next bytes behind those that are there, the rest of a row; return where the last row ends, how
    many lines there are, and whether they are easy; None where they are not plain rows.
    """
    text[: len(rest)] = rest
    seen, full, end, lines, easy = 0, len(rest), 0, 0, True
    while seen < len(text):
        done = file.readinto(text[full : full + NEAR].data)  # type: ignore[attr-defined]
        if not done and full < len(text):
            return None
        full += done
        look = kernels.look_at_text(text[seen:full], asked)
        if look.odd:
            return None
        end = seen + look.end if look.end else end
        lines, easy, seen = lines + look.lines, easy and not look.beyond and not look.holds, full
    return (end, lines, easy) if end else None
