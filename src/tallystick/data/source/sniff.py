"""A first look at a text table: separator, lines before the header, header or none.

Knows the first bytes of a file as text. Knows nothing of the rest.
Law: what is given is never overruled, and whatever is found is said in a note or shown by the reading.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import zip_longest

from tallystick.data.schema import Note, Reading
from tallystick.data.source.bytes import quote_inside
from tallystick.data.source.dialect import TextDialect
from tallystick.data.source.header import First, is_number, judged
from tallystick.data.source.top import Row, joined_header, top_of
from tallystick.data.source.walk import quotes_inside, rows_in
from tallystick.errors import DataError, Message, read_with, shown, some

SEPARATORS = (",", ";", "\t", "|")
RARE = ("::", "||", "~~", "@@", ";;", "\t\t", " ")  # chosen where every row is cut alike
OTHERS = (" ", ":", "^", "~", "\x01")  # never chosen, but named when nothing else fits
ROWS = 100  # looked at
NO_SCORE = (0.0, False, 0)
ENOUGH = 20  # rows that tell
LINE_END = re.compile(r"\r\n|\n|\r")


@dataclass(frozen=True)
class FileLook:
    """What the head of a file tells. names: the header's cells, or none; skip: lines before the first row."""

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
    text, named = _without_sep_line(text)
    mend = reading.bad_rows != "error"
    dialect, said = dialect_of(text, reading.sep or named, mend)
    text, sep = text if dialect.usual else dialect.rewritten(text, True)[0], dialect.out
    rows = first_rows(text, sep)
    if not any(cell.strip() for row in rows for cell in row.cells):
        raise DataError(f"{where} holds only empty lines. Check how it was written.")
    rows = _with_last_name(rows)
    top = top_of(rows, sep, mend, reading.header, where)
    table, width = top.row, len(top.row.cells)
    if width == 1:
        _refuse_one_column(text, sep, SEPARATORS if reading.sep else (*SEPARATORS, *OTHERS), where)
    found = judged(table.cells, [row.cells for row in rows[top.start + 1 :]])
    header = reading.header if reading.header is not None else found is not First.DATA
    if header:
        _refuse_damaged(table, sep, where, mend)
    if header and mend:
        top = joined_header(top, rows)
        table = top.row
    notes = (*said, *top.notes)
    if reading.header is None:
        notes += _header_note(found, table, width)
    skip = table.last if header else table.first - 1
    names = tuple(cell.strip() for cell in table.cells) if header else ()
    line = table.text if header and not LINE_END.search(table.text) else ""
    numbers = _numbers(rows[top.start + top.rows * header :])
    return FileLook(dialect, header, width, names, skip, notes, numbers, line)


def _refuse_damaged(header: Row, sep: str, where: str, mend: bool) -> None:
    """Refuse a header with quotes that do not stand around its names, where nothing is to be mended."""
    inside = next(quotes_inside(header.text.encode("utf-8", "replace"), sep), None)
    if inside is not None and not mend:
        raise quote_inside(where, header.first, inside[1].decode())
    if header.damaged and not mend:
        raise DataError(
            f"{where} has a damaged header, line {header.first:,}: {shown(header.text)}. Correct its quotes."
        )


def _header_note(found: First, table: Row, width: int) -> tuple[Note, ...]:
    """Return what to say about a first row that is data, or may be."""
    if found is First.HEADER:
        return ()
    if found is First.DOUBT:
        said = f"the header may be a row of data: {some(table.cells, 3)}. If so, pass "
        return (Note("header-or-data", Message(said, read_with("header", False), ".")),)
    said = f"the first row looks like data, so the columns are called column_1 to column_{width}. "
    text = Message(said, "If it is a header, pass ", read_with("header", True), ".")
    return (Note("no-header", text),)


def _numbers(rows: Sequence[Row]) -> int:
    """Return in how many columns every filled cell is a number."""
    columns = zip_longest(*(row.cells for row in rows), fillvalue="")
    filled = ([cell for cell in cells if cell.strip()] for cells in columns)
    return sum(1 for cells in filled if cells and all(map(is_number, cells)))


def _without_sep_line(text: str) -> tuple[str, str | None]:
    """Return the text and the separator that a first line such as sep=; names; that line is made empty."""
    found = re.match(r"\"?sep=([^\r\n])\"?[ ,;\t]*(?=\r|\n)", text, re.IGNORECASE)
    return (text[found.end() :], found[1]) if found else (text, None)


def _with_last_name(rows: list[Row]) -> list[Row]:
    """Return the rows with an empty last name in the header, when every row below ends with a separator.

    Not when the first cells count the rows: then it may as well be the first name that the header lacks.
    """
    head, body = rows[0], rows[1:]
    width = len(head.cells) + 1
    ended = all(len(row.cells) == width and not row.cells[-1].strip() for row in body)
    if width > 2 and body and ended and not _count_the_rows(body):
        return [Row([*head.cells, ""], head.first, head.last), *body]
    return rows


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
    rows, line, seen = list[Row](), 1, 0
    for row in rows_in(text, sep, 0, whole):
        line, seen = line + len(LINE_END.findall(text, seen, row.start)), row.start
        if any(cell.strip() for cell in row.cells) or len(row.cells) > 1:
            own = text[row.start : row.end].strip("\r\n")
            rows.append(Row(row.cells, line, line + row.lines - 1, own, bool(row.fault)))
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
    if width == 1 or (way.sep in RARE and (hits < len(rows) or not _tells(rows, way.sep))):
        return 0.0, 0
    every = [row.cells for row in rows if len(row.cells) == width]
    if width > 2 and all(not any(cells[1::2]) for cells in every):  # a separator written twice
        return 0.0, 0
    return round(hits / max(len(rows), 1), 2), -sum(map(_all_quoted, zip(*every[1:], strict=True)))


def _all_quoted(cells: Sequence[str]) -> bool:
    """Does every text of a column stand in single quotes?"""
    filled = [cell for cell in cells if cell]
    return len(filled) > 2 and all(len(c) > 1 and c[0] == "'" == c[-1] for c in filled)


def _tells(rows: Sequence[Row], sep: str) -> bool:
    """Is a seldom separator sure to be one? Spaces are in texts too."""
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
