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
from tallystick.data.source.cut import cut_rows
from tallystick.data.source.header import First, is_number, judged
from tallystick.errors import DataError, Message, read_with, shown, some

SEPARATORS = (",", ";", "\t", "|")
OTHERS = (" ", ":", "^", "~", "\x01")  # never chosen, but named when nothing else fits
ROWS = 100  # looked at
NO_SCORE = (0.0, False, 0)
PREAMBLE = 30  # lines at most


@dataclass(frozen=True)
class FileLook:
    """What the head of a file tells. names: the header's cells, or none; skip: lines before the first row."""

    sep: str
    header: bool
    width: int
    names: tuple[str, ...]
    skip: int
    notes: tuple[Note, ...]
    numbers: int  # columns whose cells are numbers here


@dataclass(frozen=True)
class Row:
    """A row of the head: its cells, and the lines it spans (from 1, last included)."""

    cells: list[str]
    first: int
    last: int


def look_at(text: str, reading: Reading, where: str) -> FileLook:
    """Return how to read a file, from its first lines; the last of them may be cut off."""
    text, named = _without_sep_line(text)
    sep = reading.sep or named or best_separator(text)
    rows = first_rows(text, sep)
    if not any(cell.strip() for row in rows for cell in row.cells):
        raise DataError(f"{where} holds only empty lines. Check how it was written.")
    rows = _with_last_name(rows)
    width = _width(rows)
    start = _first_of_table(rows, width)
    if width == 1:
        _refuse_one_column(text, sep, SEPARATORS if reading.sep else (*SEPARATORS, *OTHERS), where)
    table = rows[start]
    found = judged(table.cells, [row.cells for row in rows[start + 1 :]])
    header = reading.header if reading.header is not None else found is not First.DATA
    if reading.header is not False:
        _refuse_short_header(rows, start, where)
    notes = _preamble_note(rows, start)
    if reading.header is None:
        notes += _header_note(found, table, width)
    skip = table.last if header else table.first - 1
    names = tuple(cell.strip() for cell in table.cells) if header else ()
    return FileLook(sep, header, len(table.cells), names, skip, notes, _numbers(rows[start + header :]))


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


def _refuse_short_header(rows: Sequence[Row], start: int, where: str) -> None:
    """Refuse a table whose first line has one name too few: it would pass for a line above the table."""
    head, width = rows[0], len(rows[start].cells)
    if start == 1 and len(head.cells) == width - 1 > 1 and all(cell.strip() for cell in head.cells):
        raise DataError(
            f"{where} has {len(head.cells)} names in line {head.first:,}, but {width} cells in the rows "
            "below. Write a name for each column; row names need one too."
        )


def first_rows(text: str, sep: str, limit: int = ROWS) -> list[Row]:
    """Return the first rows that are not empty, with their lines. A last row without its end is left out."""
    whole = text if len(text) < 1000 else text[: max(text.rfind("\n"), text.rfind("\r")) + 1] or text
    # A space before an opening quote is not part of the cell.
    spaced = sep != " " and re.search(re.escape(sep) + ' +"', whole) is not None
    rows, line = list[Row](), 0
    for cells, lines, _ in cut_rows(whole, sep, spaced):
        if any(cell.strip() for cell in cells) or len(cells) > 1:
            rows.append(Row(cells, line + 1, line + lines))
        line += lines
        if len(rows) >= limit:
            break
    return rows


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


def _width(rows: Sequence[Row]) -> int:
    """Return the number of cells of most rows, lines of one cell above them apart; of equals, the larger."""
    first = next((i for i, row in enumerate(rows) if len(row.cells) > 1), 0)
    counts = Counter(len(row.cells) for row in (rows[first:] if first <= PREAMBLE else rows))
    return max(counts.items(), key=lambda item: (item[1], item[0]))[0]


def _first_of_table(rows: Sequence[Row], width: int) -> int:
    """Return which row begins the table: the first as wide as most, after lines that are narrower."""
    if len(rows[0].cells) >= width and not _is_title(rows[0], width):
        return 0
    for i, row in enumerate(rows[: PREAMBLE + 1]):
        if len(row.cells) == width and not _is_title(row, width):
            return i
        if len(row.cells) > width:
            return 0
    return 0


def _is_title(row: Row, width: int) -> bool:
    """Is this a title over the table, as spreadsheets write it: one cell, the others empty?"""
    filled = sum(1 for cell in row.cells if cell.strip())
    return width >= 3 and len(row.cells) == width and filled <= 1


def _preamble_note(rows: Sequence[Row], start: int) -> tuple[Note, ...]:
    if start == 0:
        return ()
    first, last = rows[0].first, rows[start].first - 1
    lines = f"line {first}" if first == last else f"lines {first} to {last}"
    verb = "is" if first == last else "are"
    text = f"{lines} before the table {verb} left out, e.g. {shown(rows[0].cells[0])}."
    return (Note("lines-before-header", text, count=last - first + 1),)


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
