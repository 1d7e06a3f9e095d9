"""Rows of a text table that may be damaged: which are whole, which are not, and what is wrong with those.

Knows bytes, separators, quotes and line ends. Knows nothing of what cells mean.
Law: a row that the strict reader takes is a row here, with the same bytes; a damaged row is one line, from
where it begins, and the line after it begins a row again. Rows do not depend on the sizes of pieces.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import NamedTuple

from tallystick.data.source import bytes as raw
from tallystick.data.source.bytes import Walked

BLOCK = 1 << 20  # bytes of a block, about
_LINE_END = re.compile(r"\r\n|\n|\r")


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
    return b'"' in block and _doubt(sep).search(raw.unspaced(block, sep).decode("latin-1")) is not None


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
            line, at = line + raw.lines_in(block[:cut]), at + cut
        elif size > longest:
            raise raw.endless(where, line, longest)
        held, size = [block[cut:]], size - cut
        enough = BLOCK if cut else 2 * size  # so that a long row is not looked at again with every piece
    if block := b"".join(held):
        yield Walked(block, at, line, True)


def _last_end(block: bytes, sep: str, too_long: bool) -> int:
    """Return where the last whole row ends; 0 where none does."""
    if b'"' not in block:
        return block.rfind(b"\n" if b"\n" in block else b"\r") + 1
    if not too_long and raw.plain_quotes(block, sep) is not None:
        return raw.last_row_end(block, sep)
    end = 0
    for row in rows_in(block.decode("latin-1"), sep, 0, whole=too_long):
        end = row.end
    return end
