"""First look at a text table: separator, quotes, header or none, lines above it; other dialects rewritten.

- `TextDialect`: text with other quotes, backslash escapes or two-character separators is rewritten in the
  usual dialect before anyone cuts it. Law: lines stay lines, and the cells stay the same.
- Is the first row a header? `judged()`, from the rows below it, column by column.
- Where the table begins, headers of several lines, damaged headers: `top_of()`, `joined_header()`.
- Entry: `look_at()`, which uses all of these and returns a `FileLook`.

head = the first lines of a file; fit = how a first cell compares with the cells below it; reading = one way
to cut a damaged header; dialect = separator, quote and escape.
"""

from __future__ import annotations

import codecs
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import Enum, auto
from functools import cached_property
from itertools import pairwise, zip_longest

from tallystick.errors import DataError, Message, counted, read_with, shown, some
from tallystick.io.csv_repair import SEPARATORS_MENDED, form, short_form
from tallystick.io.csv_rows import LINE_END, quote_inside, quoted_text, quotes_inside, rows_in
from tallystick.schema import MISSING_MARKS, Note, Reading

UNIT = "\x1f"  # the separator in rewritten text, where the file's own has several characters
PIECE = 1 << 20  # characters rewritten at once, at least


@dataclass(frozen=True)
class TextDialect:
    """How cells are separated and quoted. escape: what stands before a quote in a cell; "": it is doubled."""

    sep: str = ","
    quote: str = '"'
    escape: str = ""

    @property
    def usual(self) -> bool:
        """Whether this is the dialect of most tables, which needs no rewriting."""
        return len(self.sep) == 1 and self.quote == '"' and not self.escape

    @property
    def out(self) -> str:
        """The separator of the rewritten text."""
        return self.sep if len(self.sep) == 1 else UNIT

    @cached_property
    def _closed(self) -> re.Pattern[str]:
        """The pattern of a quoted cell."""
        quote = re.escape(self.quote)
        return re.compile(f"{quote}((?>{quoted_text(self.quote, self.escape)})){quote}", re.DOTALL)

    @cached_property
    def _cell(self) -> re.Pattern[str]:
        """The pattern of a cell, quoted (1) or plain (2), and of what ends it (3)."""
        sep = re.escape(self.sep)
        plain = f"(?:(?!{sep})[^\r\n])*"
        return re.compile(rf"(?:{self._closed.pattern}|({plain}))({sep}|\r\n|\n|\r|\Z)", re.DOTALL)

    def rewritten(self, text: str, whole: bool) -> tuple[str, int]:
        """Return complete rows rewritten, and where the rest begins; whole: there is no rest."""
        parts, at = list[str](), 0
        while at < len(text):
            row, end = self._row(text, at, whole)
            if not whole and (end >= len(text) or text[end - 1] not in "\r\n"):
                break
            parts.append(row)
            at = end
        return "".join(parts), at

    def _row(self, text: str, at: int, whole: bool) -> tuple[str, int]:
        """Return a row rewritten and where it ends: the text's end where the row may continue beyond it."""
        start, cells = at, list[str]()
        while found := self._cell.match(text, at):
            quoted, plain, end = found.groups()
            if quoted is None and plain.startswith(self.quote):
                closed = self._closed.match(text, at)
                if not whole and (closed is None or closed.end() + len(self.sep) > len(text)):
                    return "", len(text)
                break  # a quote that is never closed, or a cell that goes on behind it
            cells.append(self._written(quoted, plain))
            at = found.end()
            if end != self.sep:
                return self.out.join(cells) + end, at
        line = LINE_END.search(text, start)
        end_at = line.end() if line else len(text)
        return text[start:end_at].replace(self.sep, self.out), end_at

    def _written(self, quoted: str | None, plain: str) -> str:
        if quoted is None and '"' not in plain:
            return plain
        cell = plain if quoted is None else quoted.replace(self.quote * 2, self.quote)
        if self.escape and quoted is not None:
            cell = re.sub(
                re.escape(self.escape) + f"([{re.escape(self.quote + self.escape)}])", r"\1", quoted
            )
        if quoted is not None or cell.startswith('"'):
            return '"' + cell.replace('"', '""') + '"'
        return cell

    def pieces(self, pieces: Iterable[bytes]) -> Iterator[bytes]:
        """Yield pieces of UTF-8 rewritten; invalid bytes are passed on."""
        decoder, held, enough = codecs.getincrementaldecoder("utf-8")("surrogateescape"), "", PIECE
        for piece in pieces:
            held += decoder.decode(piece)
            if len(held) < enough:
                continue
            text, at = self.rewritten(held, False)
            held = held[at:]
            enough = PIECE if at else 2 * len(held)
            yield text.encode("utf-8", "surrogateescape")
        held += decoder.decode(b"", True)
        if held:
            yield self.rewritten(held, True)[0].encode("utf-8", "surrogateescape")


# ---- is the first row a header? ----
#
# A name over numbers is not a number, and a name over levels is not one of them. So a row whose cells
# resemble those below them, in every column that allows a conclusion, is a row of data.


LEAST = 2  # rows below the first, for a conclusion
NUMBERS = 0.9  # share of cells that are numbers (or dates, or codes) in a column of these
DATE = re.compile(r"\d{4}-\d{2}-\d{2}")


class First(Enum):
    """What the first row is."""

    HEADER = auto()
    DATA = auto()
    DOUBT = auto()  # a header, but it may be data


class HeaderFit(Enum):
    """How a first cell compares with the cells below it."""

    NUMBER = auto()  # a number over numbers
    LEVEL = auto()  # one of the texts below, which repeat, or of their form, as a date over dates
    STRANGE = auto()  # none of the few texts below
    NAME = auto()  # a text over numbers, dates or codes: no row has that
    SILENT = auto()  # nothing can be concluded


def is_number(cell: str) -> bool:
    """Does a cell of the first row read as a number? Names seldom do."""
    try:
        float(cell.strip().replace(",", "."))
    except ValueError:
        return False
    return True


def judged(first: Sequence[str], below: Sequence[Sequence[str]]) -> First:
    """Return what the first row is. A row of numbers only is data; else the fits of the columns decide."""
    if all(map(is_number, first)):
        return First.DATA
    # a header repeated where files were joined would count as a row like the first
    rows = [row for row in below if len(row) == len(first) and list(row) != list(first)]
    if len(rows) < LEAST:
        return First.HEADER
    fits = []
    for j, cell in enumerate(first):
        fits.append(_fit(cell, [row[j] for row in rows]))
        if fits[-1] is HeaderFit.NAME:  # one name decides: other columns, perhaps thousands, are not examined
            return First.HEADER
    numbers, levels, strange = (
        fits.count(fit) for fit in (HeaderFit.NUMBER, HeaderFit.LEVEL, HeaderFit.STRANGE)
    )
    if levels > strange and numbers + levels > 1:
        return First.DATA
    measured = [cell for cell, fit in zip(first, fits, strict=True) if fit is HeaderFit.NUMBER]
    if not levels and not strange and _are_measured(measured):
        return First.DATA
    alike = levels > strange or (not strange and numbers and not _are_steps(measured))
    return First.DOUBT if alike else First.HEADER


def evidence(first: Sequence[str], below: Sequence[Sequence[str]]) -> Counter[HeaderFit]:
    """Return how many cells of a row have each fit with the cells below them."""
    rows = [row for row in below if len(row) == len(first) and list(row) != list(first)]
    return Counter(_fit(cell, [row[j] for row in rows]) for j, cell in enumerate(first))


def _fit(cell: str, below: Sequence[str]) -> HeaderFit:
    cell = cell.strip()
    filled = [text for text in map(str.strip, below) if text not in MISSING_MARKS]
    if not filled or cell in MISSING_MARKS:
        return HeaderFit.SILENT
    if sum(map(is_number, filled)) >= NUMBERS * len(filled):
        return HeaderFit.NUMBER if is_number(cell) else HeaderFit.NAME
    if sum(bool(DATE.match(text)) for text in filled) >= NUMBERS * len(filled):
        return HeaderFit.LEVEL if DATE.match(cell) else HeaderFit.NAME
    top, rows = Counter(short_form(form(text)) for text in filled).most_common(1)[0]
    if "9" in top and rows >= NUMBERS * len(filled):  # codes, times, amounts: one pattern, with digits
        return HeaderFit.LEVEL if short_form(form(cell)) == top else HeaderFit.NAME
    known = set(filled)
    if 2 * len(known) > len(filled):  # mostly distinct texts, such as names of people
        return HeaderFit.SILENT
    return HeaderFit.LEVEL if cell in known else HeaderFit.STRANGE


def _are_measured(cells: Sequence[str]) -> bool:
    """Are these numbers measurements, rather than years or places on a scale, which name columns too?"""
    whole = all(cell.strip().lstrip("+-").isdigit() for cell in cells)
    return len(cells) > 2 and not whole and not _are_steps(cells)


def _are_steps(cells: Sequence[str]) -> bool:
    """Do these numbers go up or down by equal steps, as names of columns do?"""
    values = [float(cell.strip().replace(",", ".")) for cell in cells]
    return len({round(b - a, 9) for a, b in pairwise(values)}) <= 1


# ---- where the table begins: lines above it, a header of one line or several ----
#
# Law: a damaged header is repaired where one reading of it fits, else refused; the line below it is never
# taken for the header.


PREAMBLE = 30  # lines above a table, at most
HEADER_ROWS = 3  # rows of a header, at most
TABLE = 5  # rows of one width that count as a table
TELLING = 10  # rows needed below a second row of names, to distinguish it from data
UNITS = 2  # numeric columns over which a second row of names must have names


@dataclass(frozen=True)
class Row:
    """A row of the head: its cells, the lines it spans (from 1, last included), its text, is it damaged."""

    cells: list[str]
    first: int
    last: int
    text: str = ""
    damaged: bool = False


@dataclass(frozen=True)
class Top:
    """Where a table begins: its first row, and what was found above and in it."""

    start: int  # index among all rows of the head
    row: Row  # as it should be
    rows: int = 1  # of the header, if there is one
    notes: tuple[Note, ...] = ()


def width_of(rows: Sequence[Row]) -> int:
    """Return the number of cells of most rows, without one-cell lines above them; of equally frequent ones
    the larger, or that of the first table of two.
    """
    first = next((i for i, row in enumerate(rows) if len(row.cells) > 1), 0)
    some = [row for row in (rows[first:] if first <= PREAMBLE else rows) if not row.damaged]
    counts = Counter(len(row.cells) for row in some)
    if not counts:
        return len(rows[0].cells)
    most = max(counts.values())
    alike = [width for width, count in counts.items() if count == most]  # the first comes first
    return alike[0] if most >= TABLE else max(alike)


def top_of(rows: Sequence[Row], sep: str, mend: bool, named: bool | None, where: str) -> Top:
    """Return where the table begins. named: whether it has a header; None: not known."""
    width = width_of(rows)
    start = _first_of_table(rows, width)
    if mend and named is not False and (head := _damaged_header(rows, start, width, sep)) is not None:
        found = set(_readings(head.text, sep, width))
        if len(found) != 1:
            raise _names_lacking(head, width, where)
        names = list(found.pop())
        text = f"the header, line {head.first:,}, is damaged; it is read as {some(names)}."
        note = Note("header-repaired", text, count=1)
        return Top(0, Row(names, head.first, head.first), 1, (note,))
    if named is not False:
        # a first line with one name too few would pass for a line above the table
        first, wide = rows[0], len(rows[start].cells)
        if start == 1 and len(first.cells) == wide - 1 > 1 and all(cell.strip() for cell in first.cells):
            raise _names_lacking(first, wide, where)
    notes: tuple[Note, ...] = ()
    if start:
        begin, end = rows[0].first, rows[start].first - 1
        lines = f"line {begin}" if begin == end else f"lines {begin} to {end}"
        verb = "is" if begin == end else "are"
        text = f"{lines} before the table {verb} left out, e.g. {shown(rows[0].cells[0])}."
        notes = (Note("lines-before-header", text, count=end - begin + 1),)
    return Top(start, rows[start], 1, notes)


def joined_header(top: Top, rows: Sequence[Row]) -> Top:
    """Return the top with the rows of names below the first one joined to it."""
    row, end, repeated = top.row, top.start + 1, False
    while end < min(len(rows), top.start + HEADER_ROWS):
        more = rows[end]
        if len(more.cells) != len(row.cells) or more.damaged:
            break
        if more.cells == rows[top.start].cells:
            repeated = True
        elif _are_names(more, rows[end + 1 :]):
            names = [f"{a.strip()} {b.strip()}".strip() for a, b in zip(row.cells, more.cells, strict=True)]
            row = replace(row, cells=names)
        else:
            break
        end += 1
    if end == top.start + 1:
        return top
    first, last = top.row.first, rows[end - 1].last
    what = (
        "they are alike" if repeated and row.cells == top.row.cells else f"joined, e.g. {shown(row.cells[0])}"
    )
    note = Note("header-rows", f"lines {first} to {last} are rows of names; {what}.", count=end - top.start)
    return replace(top, row=replace(row, last=last), rows=end - top.start, notes=(*top.notes, note))


def _are_names(row: Row, below: Sequence[Row]) -> bool:
    """Is this a second row of names, such as units? Over some columns of numbers, and nowhere like data."""
    if len(below) < TELLING or any(char.isdecimal() for cell in row.cells for char in cell):
        return False
    fits = evidence(row.cells, [r.cells for r in below])
    return fits[HeaderFit.NAME] >= UNITS and not fits[HeaderFit.NUMBER] and not fits[HeaderFit.LEVEL]


# ---- a damaged header ----


def _damaged_header(rows: Sequence[Row], start: int, width: int, sep: str) -> Row | None:
    """Return the first row if it is a header that is damaged: the first row of the table is data."""
    head = rows[0]
    if width == 1 or (len(head.cells) == width and not head.damaged):
        return None
    body = [row.cells for row in rows[1:] if len(row.cells) == width and not row.damaged]
    if not body:
        return None
    fits = evidence(body[0], body[1:])
    alone = len(head.cells) == 1 and not any(_readings(head.text, sep, width))
    if fits[HeaderFit.NAME] or fits[HeaderFit.STRANGE] > fits[HeaderFit.LEVEL] or alone:
        return None
    near = head.damaged or abs(len(head.cells) - width) == 1
    return head if near or fits[HeaderFit.NUMBER] or fits[HeaderFit.LEVEL] else None


def _readings(line: str, sep: str, width: int) -> Iterator[tuple[str, ...]]:
    """Yield the ways to read a line as so many different names."""
    bare = line.replace("\0", "")
    for names in _cut_ways(bare, sep, width):
        clean = tuple(name.replace('"', "").strip() for name in names)
        if len(clean) == width == len(set(clean)) and all(clean) and not any(map(is_number, clean)):
            yield clean


def _cut_ways(line: str, sep: str, width: int) -> Iterator[list[str]]:
    cells = line.split(sep)
    if len(cells) > width:
        yield [cell for cell in cells if cell.strip(' "')]
    yield cells
    for at in (i + 1 for i in range(len(line) - 1) if line[i : i + 2] == '""'):
        yield (line[:at] + sep + line[at:]).split(sep)
    for other in SEPARATORS_MENDED:
        if other != sep:
            yield [cell for row in rows_in(line, other, 0) for cell in row.cells]


def _names_lacking(head: Row, width: int, where: str) -> DataError:
    if len(head.cells) > width:
        return DataError(
            f"{where} has {counted(len(head.cells), 'name')} in line {head.first:,}, but "
            f"{counted(width, 'cell')} in the rows below. Write a cell for each name."
        )
    return DataError(
        f"{where} has {counted(len(head.cells), 'name')} in line {head.first:,}, but {width} cells in the "
        "rows below. Write a name for each column; row names need one too."
    )


# ---- lines before the table ----


def _first_of_table(rows: Sequence[Row], width: int) -> int:
    """Return which row begins the table: the first as wide as most, after lines that are narrower."""
    if len(rows[0].cells) >= width and not _is_title(rows, 0, width):
        return 0
    for i, row in enumerate(rows[: PREAMBLE + 1]):
        if len(row.cells) == width and not _is_title(rows, i, width):
            return i
        if len(row.cells) > width:
            return 0
    return 0


def _is_title(rows: Sequence[Row], i: int, width: int) -> bool:
    """Is this a title over the table, as spreadsheets write it: one cell, the others empty? Of two cells,
    where an empty row is below it.
    """
    if len(rows[i].cells) != width or width < 2:
        return False
    filled = sum(1 for cell in rows[i].cells if cell.strip())
    apart = i + 1 < len(rows) and not any(cell.strip() for cell in rows[i + 1].cells)
    return filled == 0 or (filled == 1 and (width >= 3 or apart))


# ---- the first look: separator, lines above the header, header or none ----
#
# Law: a setting of the user is never overruled, and what is guessed is noted or visible in the result.


SEPARATORS = (",", ";", "\t", "|")
RARE = ("::", "||", "~~", "@@", ";;", "\t\t", " ")  # chosen only if every row gets the same number of cells
OTHERS = (" ", ":", "^", "~", "\x01")  # never chosen, but suggested in an error when nothing else fits
ROWS = 100  # rows of the first look
NO_SCORE = (0.0, False, 0)
ENOUGH = 20  # rows that suffice for a conclusion


@dataclass(frozen=True)
class FileLook:
    """What the first look found. names: the header's cells, or none; skip: lines before the first row."""

    dialect: TextDialect
    header: bool
    width: int
    names: tuple[str, ...]
    skip: int
    notes: tuple[Note, ...]
    numbers: int  # columns whose cells are numbers here
    line: str = ""  # the header as it stands, where it is one line


def look_at(text: str, reading: Reading, where: str) -> FileLook:
    """Return how to read a file, from its first lines; the last of them may be cut off."""
    # a first line such as sep=; names the separator; it is made empty
    named_line = re.match(r"\"?sep=([^\r\n])\"?[ ,;\t]*(?=\r|\n)", text, re.IGNORECASE)
    text, named = (text[named_line.end() :], named_line[1]) if named_line else (text, None)
    mend = reading.bad_rows != "error"
    dialect, said = dialect_of(text, reading.sep or named, mend)
    text, sep = text if dialect.usual else dialect.rewritten(text, True)[0], dialect.out
    rows = first_rows(text, sep)
    if not any(cell.strip() for row in rows for cell in row.cells):
        raise DataError(f"{where} holds only empty lines. Check how it was written.")
    # Every row below ends with a separator: the last name is empty. Not when the first cells count the rows:
    # then it may as well be the first name that the header lacks.
    head, body = rows[0], rows[1:]
    more = len(head.cells) + 1
    ended = all(len(row.cells) == more and not row.cells[-1].strip() for row in body)
    if more > 2 and body and ended and not _count_the_rows(body):
        rows = [Row([*head.cells, ""], head.first, head.last), *body]
    top = top_of(rows, sep, mend, reading.header, where)
    table, width = top.row, len(top.row.cells)
    if width == 1:
        _refuse_one_column(text, sep, SEPARATORS if reading.sep else (*SEPARATORS, *OTHERS), where)
    found = judged(table.cells, [row.cells for row in rows[top.start + 1 :]])
    header = reading.header if reading.header is not None else found is not First.DATA
    if header:
        inside = next(quotes_inside(table.text.encode("utf-8", "replace"), sep), None)
        if inside is not None and not mend:
            raise quote_inside(where, table.first, inside[1].decode())
        if table.damaged and not mend:
            raise DataError(
                f"{where} has a damaged header, line {table.first:,}: {shown(table.text)}. "
                "Correct its quotes."
            )
    if header and mend:
        top = joined_header(top, rows)
        table = top.row
    notes = (*said, *top.notes)
    if reading.header is None:
        if found is First.DOUBT:
            words = f"the header may be a row of data: {some(table.cells, 3)}. If so, pass "
            notes += (Note("header-or-data", Message(words, read_with("header", False), ".")),)
        elif found is not First.HEADER:
            words = f"the first row looks like data, so the columns are called column_1 to column_{width}. "
            message = Message(words, "If it is a header, pass ", read_with("header", True), ".")
            notes += (Note("no-header", message),)
    skip = table.last if header else table.first - 1
    names = tuple(cell.strip() for cell in table.cells) if header else ()
    line = table.text if header and not LINE_END.search(table.text) else ""
    numbers = _numbers(rows[top.start + top.rows * header :])
    return FileLook(dialect, header, width, names, skip, notes, numbers, line)


def _numbers(rows: Sequence[Row]) -> int:
    """Return in how many columns every filled cell is a number."""
    columns = zip_longest(*(row.cells for row in rows), fillvalue="")
    filled = ([cell for cell in cells if cell.strip()] for cells in columns)
    return sum(1 for cells in filled if cells and all(map(is_number, cells)))


def _count_the_rows(rows: Sequence[Row]) -> bool:
    """Are the first cells 0, 1, 2, ... or 1, 2, 3, ...: row names, as programs write them without a name?"""
    first = [row.cells[0].strip() for row in rows]
    return any(first == [str(start + i) for i in range(len(first))] for start in (0, 1))


def first_rows(text: str, sep: str, limit: int = ROWS) -> list[Row]:
    """Return the first rows that are not empty, with their lines. A last row without its end is left out."""
    whole = text if len(text) < 1000 else text[: max(text.rfind("\n"), text.rfind("\r")) + 1] or text
    rows = _rows(whole, sep, limit, False)
    # a quote that is never closed would leave nothing to look at
    return rows if len(rows) >= min(ENOUGH, limit) else _rows(whole, sep, limit, True)


def _rows(text: str, sep: str, limit: int, whole: bool) -> list[Row]:
    rows = list[Row]()
    for row in rows_in(text, sep, 0, whole):
        if any(cell.strip() for cell in row.cells) or len(row.cells) > 1:
            own = text[row.start : row.end].strip("\r\n")
            first = row.line + 1
            rows.append(Row(row.cells, first, row.line + row.lines, own, bool(row.fault)))
        if len(rows) >= limit:
            break
    return rows


def dialect_of(text: str, given: str | None, mend: bool) -> tuple[TextDialect, tuple[Note, ...]]:
    """Return how cells are separated and quoted, with a note where that is rare. given: the separator."""
    usual = TextDialect(given or best_separator(text))
    if not mend or len(usual.sep) > 1:
        return usual, ()
    ways = [TextDialect(usual.sep, "'")] if "'" in text else []
    ways += [TextDialect(usual.sep, '"', "\\")] if '\\"' in text else []
    if given is None:
        ways += [TextDialect(2 * usual.sep)] if 2 * usual.sep in text else []
        ways += [TextDialect(sep) for sep in RARE if sep in text]
    if not ways:
        return usual, ()
    best = max((usual, *ways), key=lambda way: _evenness(text, way))  # of equals, the first
    if best is usual:
        return usual, ()
    if best.quote != usual.quote:
        return best, (Note("other-quotes", "texts are quoted by ' in this file."),)
    if best.escape:
        return best, (Note("other-escapes", 'quotes inside texts are written as \\" in this file.'),)
    return best, (Note("other-separator", f"cells are separated by {shown(best.sep)} in this file."),)


def _evenness(text: str, way: TextDialect) -> tuple[float, int]:
    """Return how well a way to cut fits: the share of rows that are whole and of one width, wider than a cell
    and not empty in every other column; then how few columns it leaves in quotes.
    """
    cut = text if way.usual else way.rewritten(text, True)[0]
    rows = first_rows(cut, way.out)
    counts = Counter(len(row.cells) for row in rows if not row.damaged)
    width, hits = max(counts.items(), key=lambda item: item[1], default=(1, 0))
    if width == 1 or (way.sep in RARE and (hits < len(rows) or not _is_sure(rows, way.sep))):
        return 0.0, 0
    every = [row.cells for row in rows if len(row.cells) == width]
    if width > 2 and all(not any(cells[1::2]) for cells in every):  # a separator written twice
        return 0.0, 0
    return round(hits / max(len(rows), 1), 2), -sum(map(_all_quoted, zip(*every[1:], strict=True)))


def _all_quoted(cells: Sequence[str]) -> bool:
    """Does every text of a column stand in single quotes?"""
    filled = [cell for cell in cells if cell]
    return len(filled) > 2 and all(len(c) > 1 and c[0] == "'" == c[-1] for c in filled)


def _is_sure(rows: Sequence[Row], sep: str) -> bool:
    """Is a rare separator beyond doubt? Spaces are in texts too."""
    width = len(rows[0].cells)
    return sep != " " or (width > 2 and len(rows) > 2 and (len(rows) >= ENOUGH or _numbers(rows[1:]) > 0))


def best_separator(text: str) -> str:
    """Return the separator that cuts most rows into the same number of cells, more cells first."""
    scores = {sep: _score(first_rows(text, sep)) for sep in SEPARATORS}
    best = max(SEPARATORS, key=lambda sep: scores[sep])
    return best if scores[best] > NO_SCORE else ","


def _score(rows: Sequence[Row]) -> tuple[float, bool, int]:
    """Return how well a separator fits: the share of rows it cuts into equally many cells, whether the first
    is one, the width.

    A separator that gives nearly every row the same number of cells beats one that merely occurs in texts;
    decimal commas do so too, but not in the header.
    """
    counts = Counter(len(row.cells) for row in rows)
    if not counts or max(counts) == 1:
        return NO_SCORE
    width, hits = max(counts.items(), key=lambda item: (item[0] > 1, item[1], item[0]))
    if hits == 1 and len(rows) > 1:  # no two rows alike: it merely occurs
        return NO_SCORE
    return (round(min(hits / len(rows), 0.9), 1), len(rows[0].cells) == width, width)


def _refuse_one_column(text: str, sep: str, others: Sequence[str], where: str) -> None:
    """One column is fine, unless another separator would give every row the same number of cells."""
    for other in others:
        rows = first_rows(text, other) if other != sep else []
        widths = {len(row.cells) for row in rows}
        if len(rows) > 1 and len(widths) == 1 and widths.pop() > 1:
            raise DataError(
                f"{where} has one column when separated by {shown(sep)}, but {shown(other)} would give every "
                "line the same number of cells. Pass ",
                read_with("sep", other),
                ".",
            )
