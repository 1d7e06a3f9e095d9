"""Text cut into rows: blocks of whole rows, the grammar of quoted cells, a tolerant reader of damaged rows.

- Entry: `row_blocks()`, blocks of whole rows from pieces of bytes; `last_row_end()`, `check_quotes()`.
- The grammar: `grammar()`, `quoted_cells()`, `open_quote()`; the tolerant reader: `rows_in()`, `walked()`.

Laws: the blocks joined are the text, and no row is in two. A row that the strict reader accepts is a row
here, with the same bytes; a damaged row is one line, and the line after it begins a new row. Rows do not
depend on the sizes of pieces.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from io import BytesIO
from typing import NamedTuple

import numpy as np

from tallystick.errors import DataError, shown
from tallystick.io.csv_bytes import LONGEST_ROW, DamagedText, endless, is_blank, lines_in, nul_byte

BLOCK = 1 << 20  # bytes of a block, about
LINE_END = re.compile(r"\r\n|\n|\r")
SPACES = 4  # spaces between a separator and an opening quote, at most


class Walked(NamedTuple):
    """A block of whole rows: where it begins, in bytes, and the number of its first line. doubtful: quotes
    stand elsewhere than around cells, or any other damage may be in it.
    """

    block: bytes
    at: int
    line: int
    doubtful: bool = False


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
            enough = 2 * len(left)  # so that a long row is not scanned again with every piece
            continue
        if held:
            yield Walked(held, at, start, not plain)
        at, start, plain = at + len(held), line, quotes
        room = BytesIO()
        room.write(left)
        held, rest, enough, bare = block, room, size, b'"' not in left
        line += lines_in(held)
    last = rest.getvalue()
    _refuse_endless(last, sep, where, line, longest)
    quotes = check_quotes(last, sep, where, line)
    if len(last) < 4096:  # so that a footer is never alone
        held, last, plain = held + last, b"", plain and quotes
    for found in (Walked(held, at, start, not plain), Walked(last, at + len(held), line, not quotes)):
        if not is_blank(found.block):
            yield found


def quote_inside(where: str, line: int, cell: str) -> DataError:
    """Return the error for a quote inside a cell that is not quoted."""
    return DataError(
        f"{where} has a quote inside a cell that is not quoted, in line {line:,}: {shown(cell)}. Quote the "
        "cell and double the quote, or take it out."
    )


def _refuse_endless(rest: bytes, sep: str, where: str, line: int, longest: int) -> None:
    newline = b"\n" if b"\n" in rest else b"\r"
    if len(rest) <= longest or max(map(len, rest.split(newline))) <= longest:
        return
    opened = open_quote(rest, sep)
    if opened is not None:
        raise DamagedText(_unclosed(where, line + rest.count(b"\n", 0, opened)))
    raise endless(where, line, longest)


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


# ---- the grammar of rows and quoted cells ----


def quoted_text(quote: str = '"', escape: str = "") -> str:
    """Return the pattern of what stands between the quotes of a cell, a quote in it doubled or escaped."""
    q, e = re.escape(quote), re.escape(escape)
    again = f"{q}{q}|{e}." if escape else q + q
    return f"[^{q}{e}]*(?:(?:{again})[^{q}{e}]*)*"


class RowGrammar:
    """How a separator, quotes and line ends make cells, as patterns: the one place where it is written down.

    A cell is quoted from where it begins to where it ends, spaces around the quotes apart; a quote anywhere
    else is a letter, in `plain`, or damage, for those who mend rows. Some patterns match texts, a character
    per byte, at a place; those of bytes search a block.
    """

    def __init__(self, sep: str) -> None:
        one, text = re.escape(sep), quoted_text()
        before, blank = ("", "\t") if sep == " " else (" *", " " if sep == "\t" else " \t")
        end = rf"(?={one}|[\r\n]|\Z)"
        closed = rf'{before}"((?>{text}))"([{blank}]*+){end}'
        # A quote that opens a cell is behind the beginning, a separator or a line end, and few spaces. The
        # quote comes first in the pattern: the search jumps from quote to quote.
        opens = [rf'(?<=[{one}\r\n]{" " * count}")' for count in range(SPACES + 1 if sep != " " else 1)]
        start = rf'(?<=\A")|{opens[0]}'

        self.quoted = re.compile(closed)  # groups: what is between the quotes, the blanks behind them
        self.plain = re.compile(rf"[^{one}\r\n]*")
        # A quote in the middle of a plain cell, and one that ends a later cell: a separator may be lost.
        self.doubt = re.compile(rf'"(?<=[^{one}"\r\n]")[^"\r\n]*{one}[^"\r\n]*"{end}')
        # From quote to quote; group 1 is empty where the cell is never closed.
        self.opened = re.compile(rf'"(?:(?<=\A")|{"|".join(opens)}){text}("|\Z)'.encode())
        # A cell as it is, or, as group 1, one with spaces before its quote.
        self.spaced = re.compile(rf'"(?:{start}){text}"|(?<=[{one}\r\n]) +("{text}")'.encode())
        # A quoted cell, or, as `stray`, one that is not quoted and has a quote inside.
        stray = rf'(?P<stray>[^{one}"\r\n]++"[^{one}\r\n]*+)'
        self.inside = re.compile(rf"(?<![^{one}\r\n])(?:{closed}|{stray})".encode())


@lru_cache(maxsize=8)
def grammar(sep: str) -> RowGrammar:
    """Return the grammar of a separator."""
    return RowGrammar(sep)


def quoted_cells(block: bytes, sep: str) -> Iterator[re.Match[bytes]]:
    """Yield each quoted cell, from quote to quote; group 1 is empty when the quote is never closed."""
    yield from grammar(sep).opened.finditer(block)


def unspaced(block: bytes, sep: str) -> bytes:
    """Return rows without the spaces that some write between a separator and an opening quote."""
    if sep == " " or b'"' not in block or b' "' not in block or not _has_spaced(block, sep):
        return block
    return grammar(sep).spaced.sub(lambda found: found[1] or found[0], block)


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


class TextRow(NamedTuple):
    """A row in a text of bytes: where it begins and ends, its lines, its cells or what is wrong with them."""

    start: int
    end: int  # behind its line end
    lines: int
    cells: list[str]  # as far as they can be told
    fault: str = ""  # in words; nothing: it is whole
    line: int = 0  # of the text, in which it begins


def doubtful(block: bytes, sep: str) -> bool:
    """May a row of the right width have lost a separator, before a quoted cell that holds one?"""
    return b'"' in block and grammar(sep).doubt.search(unspaced(block, sep).decode("latin-1")) is not None


def quotes_inside(block: bytes, sep: str) -> Iterator[tuple[int, bytes]]:
    """Yield each cell that is not quoted and has a quote inside: where it begins, and its text."""
    if b'"' in block:
        for found in grammar(sep).inside.finditer(block):
            if found["stray"]:
                yield found.start(), found["stray"]


def rows_in(text: str, sep: str, width: int, whole: bool = True) -> Iterator[TextRow]:
    """Yield the rows of a text, a character per byte, empty lines left out.

    width: cells of a row; 0: any. whole: the text is all there is; else a row that may go on is left out.
    """
    at = line = 0
    while at < len(text):
        found = LINE_END.search(text, at)
        end, after = found.span() if found else (len(text), len(text))
        if not whole and (found is None or (after == len(text) and text[end] == "\r")):
            return
        if text.find('"', at, end) < 0:
            row = TextRow(at, after, 1, text[at:end].split(sep), line=line)
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
            row = row._replace(line=line)
            yield _judged(row, text, width)
        at, line = row.end, line + row.lines


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
    quoted, plain = grammar(sep).quoted, grammar(sep).plain
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
    lines = 1 + len(LINE_END.findall(text, start, at))
    found = LINE_END.match(text, at)
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
        too_long = size > longest
        if b'"' not in block:
            cut = block.rfind(b"\n" if b"\n" in block else b"\r") + 1
        elif not too_long and plain_quotes(block, sep) is not None:
            cut = last_row_end(block, sep)
        else:
            cut = 0
            for row in rows_in(block.decode("latin-1"), sep, 0, whole=too_long):
                cut = row.end
        if cut:
            yield Walked(block[:cut], at, line, True)
            line, at = line + lines_in(block[:cut]), at + cut
        elif size > longest:
            raise endless(where, line, longest)
        held, size = [block[cut:]], size - cut
        enough = BLOCK if cut else 2 * size  # so that a long row is not scanned again with every piece
    if block := b"".join(held):
        yield Walked(block, at, line, True)
