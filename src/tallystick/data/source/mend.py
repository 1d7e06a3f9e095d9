"""One damaged row, read in the one way that fits the columns; or not at all.

Knows a line of text, its separator, and what the columns look like. Knows nothing of files.
Law: a row is mended only where exactly one reading of it fits. First come readings that keep every character
of a cell (cells that a separator divides are joined around it, a quote is text); where none of them fits,
those that take a stray separator or quote away.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations
from math import comb

from tallystick.data.source.shapes import Looks
from tallystick.data.source.walk import rows_in

SEPARATORS = (",", ";", "\t", "|", " ", ":")  # that a row may have instead of its own
QUOTES, PAIRS, DROPS = 100, 16, 500  # quotes tried alone, in pairs; ways to leave out empty cells
LONG, MANY = 2_000, 200  # characters of a cell that is cut in two; cells of a row that are joined
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
        for at in range(1, len(cell) if len(cell) <= LONG else 0):
            for skip in (0, 1) if cell[at] in SEPARATORS else (0,):
                parts = cell[:at], cell[at + skip :]
                if columns[j].fits(parts[0], True) and columns[j + 1].fits(parts[1], True):
                    yield [*cells[:j], *parts, *cells[j + 1 :]]


def _other_separators(line: str, sep: str, looks: Looks) -> Iterator[Sequence[str]]:
    """Yield the line cut by another separator."""
    for other in SEPARATORS:
        if other == sep or other not in line:
            continue
        cells = _cut_marked(line, other)
        if cells is None:
            continue
        if len(cells) > len(looks.columns):
            yield from _joined(cells, other, looks)
        else:
            yield cells
