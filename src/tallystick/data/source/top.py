"""The top of a text table: lines before it, its header of one line or several, a header that is damaged.

Knows the first rows of a file. Knows nothing of the rest.
Law: a damaged header is mended where one reading of it fits, else refused; the line below it is never taken
for one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from tallystick.data.schema import Note
from tallystick.data.source.header import HeaderFit, evidence, is_number
from tallystick.data.source.mend import SEPARATORS
from tallystick.data.source.walk import rows_in
from tallystick.errors import DataError, counted, shown, some

PREAMBLE = 30  # lines at most
HEADER_ROWS = 3  # at most
TABLE = 5  # rows of one width that make a table
TELLING = 10  # rows below a second row of names that tell it from data
UNITS = 2  # columns of numbers that a second row of names must have names for


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

    start: int  # of all rows
    row: Row  # as it should be
    rows: int = 1  # that are its header, if it has one
    notes: tuple[Note, ...] = ()


def width_of(rows: Sequence[Row]) -> int:
    """Return the number of cells of most rows, lines of one cell above them apart; of equals, the larger, or
    that of the first table of two.
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
        return _mended(head, sep, width, where)
    if named is not False:
        _refuse_short_header(rows, start, where)
    return Top(start, rows[start], 1, _preamble_note(rows, start))


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
    told = evidence(row.cells, [r.cells for r in below])
    return told[HeaderFit.NAME] >= UNITS and not told[HeaderFit.NUMBER] and not told[HeaderFit.LEVEL]


# ---- a damaged header ----


def _damaged_header(rows: Sequence[Row], start: int, width: int, sep: str) -> Row | None:
    """Return the first row if it is a header that is damaged: the first row of the table is data."""
    head = rows[0]
    if width == 1 or (len(head.cells) == width and not head.damaged):
        return None
    body = [row.cells for row in rows[1:] if len(row.cells) == width and not row.damaged]
    if not body:
        return None
    told = evidence(body[0], body[1:])
    alone = len(head.cells) == 1 and not any(_readings(head.text, sep, width))
    if told[HeaderFit.NAME] or told[HeaderFit.STRANGE] > told[HeaderFit.LEVEL] or alone:
        return None
    near = head.damaged or abs(len(head.cells) - width) == 1
    return head if near or told[HeaderFit.NUMBER] or told[HeaderFit.LEVEL] else None


def _mended(head: Row, sep: str, width: int, where: str) -> Top:
    found = set(_readings(head.text, sep, width))
    if len(found) != 1:
        raise _names_lacking(head, width, where)
    names = list(found.pop())
    text = f"the header, line {head.first:,}, is damaged; it is read as {some(names)}."
    note = Note("header-repaired", text, count=1)
    return Top(0, Row(names, head.first, head.first), 1, (note,))


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
    for other in SEPARATORS:
        if other != sep:
            yield [cell for row in rows_in(line, other, 0) for cell in row.cells]


def _refuse_short_header(rows: Sequence[Row], start: int, where: str) -> None:
    """Refuse a table whose first line has one name too few: it would pass for a line above the table."""
    head, width = rows[0], len(rows[start].cells)
    if start == 1 and len(head.cells) == width - 1 > 1 and all(cell.strip() for cell in head.cells):
        raise _names_lacking(head, width, where)


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


def _preamble_note(rows: Sequence[Row], start: int) -> tuple[Note, ...]:
    if start == 0:
        return ()
    first, last = rows[0].first, rows[start].first - 1
    lines = f"line {first}" if first == last else f"lines {first} to {last}"
    verb = "is" if first == last else "are"
    text = f"{lines} before the table {verb} left out, e.g. {shown(rows[0].cells[0])}."
    return (Note("lines-before-header", text, count=last - first + 1),)
