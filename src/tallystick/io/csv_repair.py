"""Damaged rows of text tables: found over the whole file, then repaired, marked or set aside.

- Entry: `damage_of()` for the whole file, then `mended_block()` for its blocks; `refuse_much()`.
- `marked()`, `unread()`: rows that cannot be read, kept as empty rows with reasons in the batch's metadata.
- `Looks`: what cells of each column look like over the intact rows, and whether a repaired one fits.
- `mended()`: one damaged row, read in the only way that fits.

mend = read a damaged row as the one row that fits; look, form = texts or patterns of digits and letters met.
Laws: what becomes of a row depends on its text, its place and the whole file, never on blocks, threads or
memory; a row that can be read as it stands is never changed; files without damage are not examined here.
"""

from __future__ import annotations

import json
import re
import threading
from array import array
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, combinations
from math import comb
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc

from tallystick.errors import DataError, Message, counted, read_with, warn
from tallystick.io.csv_bytes import DamagedText, lines_in
from tallystick.io.csv_rows import TextRow, doubtful, rows_in, walked
from tallystick.schema import MISSING_MARKS, Note

if TYPE_CHECKING:
    from tallystick.io.csv_file import CsvFile


SHARE, LEAST = 100, 10  # damaged rows accepted without asking: 1 in 100, or 10
TABLE, BELOW, ALIKE = 3, 0.9, 0.8  # a second table: rows; share of another width; share of one width
MANY_QUOTES = 100_000  # lines in which quotes are counted
NAMED = 5  # lines named in a note
MANY_BAD = 5_000  # damaged rows whose repair takes seconds
REPEATED = "repeats the header"


@dataclass(frozen=True)
class Damage:
    """What is wrong with a file, and what its columns look like."""

    looks: Looks
    rows: int  # of the table, damaged ones among them
    bad: int  # of those
    below: int  # where rows of another table begin, in bytes; behind the end where there is none
    note: Note | None  # on that table

    @property
    def tolerable(self) -> bool:
        """Is the damage so small that the user need not be asked?"""
        return self.bad <= max(LEAST, self.rows // SHARE) and self.bad < max(self.rows, 1)


@dataclass
class Mending:
    """What was found and done so far in a file, over all passes; any thread may report."""

    damage: Damage | None = None
    repaired: dict[int, str] = field(default_factory=dict)  # by line, what was wrong
    aside: dict[int, str] = field(default_factory=dict)
    headers: set[int] = field(default_factory=set)  # lines that repeat the header
    quotes: set[int] = field(default_factory=set)  # lines with a quote inside a cell that is not quoted
    said: bool = False  # that it takes long
    lock: Any = field(default_factory=threading.Lock)

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__ | {"lock": None}  # it belongs to a process

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state | {"lock": threading.Lock()})

    def known(self, file: CsvFile) -> Damage:
        """Return the damage of the whole file; the first who asks looks."""
        with self.lock:
            if self.damage is None:
                self.damage = damage_of(file)
            return self.damage

    def say_how_long(self, name: str, bad: int, wish: str | None) -> None:
        """Say once, before the work, that many damaged rows take long: each is read in all ways there are."""
        with self.lock:
            first, self.said = not self.said, True
        if first and bad >= MANY_BAD and wish != "skip":
            skip = read_with("bad_rows", "skip")
            warn(
                Message(
                    f"{name} has {bad:,} damaged rows; to repair them may take about a second for "
                    "each 1,000. To leave them out, pass ",
                    skip,
                    ".",
                )
            )

    def add_quote(self, line: int) -> None:
        """Remember a line with a quote that stays in its cell, up to MANY_QUOTES of them."""
        if len(self.quotes) < MANY_QUOTES:
            self.quotes.add(line)

    def notes(self, each: bool) -> list[Note]:
        """Return what was done, counted; those that a model keeps name no lines."""
        out = list[Note]()
        if self.damage is not None and self.damage.note is not None:
            out.append(self.damage.note)
        if kept := self.quotes - self.repaired.keys() - self.aside.keys():
            many = len(self.quotes) >= MANY_QUOTES
            lines = f"{MANY_QUOTES:,} lines or more" if many else _lines(sorted(kept))
            text = f"cells that are not quoted have a quote inside, which stays: {lines}."
            out.append(Note("quotes-inside", text, count=len(kept)))
        if self.headers:
            lines = _lines(sorted(self.headers))
            out.append(
                Note(
                    "header-repeated",
                    f"the header is repeated in {lines}; left out.",
                    count=len(self.headers),
                )
            )
        if self.aside and each:
            text = f"not read: {counted(len(self.aside), 'row')} ({_named(self.aside)})."
            out.append(Note("rows-unread", text, count=len(self.aside)))
        elif self.aside:
            text = f"left out: {counted(len(self.aside), 'row')} that could not be read."
            out.append(Note("rows-skipped", text, count=len(self.aside)))
            out.append(Note("lines-skipped", f"left out: {_named(self.aside)}.", count=len(self.aside)))
        if self.repaired:
            rows = counted(len(self.repaired), "damaged row")
            text = f"repaired: {rows}, each in the one way that fits the columns."
            out.append(Note("rows-repaired", text, count=len(self.repaired)))
            out.append(
                Note("lines-repaired", f"repaired: {_named(self.repaired)}.", count=len(self.repaired))
            )
        return out


def _lines(lines: Sequence[int]) -> str:
    named = ", ".join(f"{line:,}" for line in lines[:NAMED]) + ", …" * (len(lines) > NAMED)
    return f"line{'s' * (len(lines) > 1)} {named}"


def _named(faults: dict[int, str]) -> str:
    named = [f"line {line:,} {fault}" for line, fault in sorted(faults.items())[:NAMED]]
    return "; ".join(named) + (f"; and {len(faults) - NAMED:,} more" if len(faults) > NAMED else "")


# ---- the damage in a whole file ----


def damage_of(file: CsvFile) -> Damage:
    """Return what is wrong with a file, by one walk through all of it."""
    from tallystick.io.csv_file import cut_cells

    width = len(file.columns)
    looks, rows, bad = Looks(width), 0, _BadRows()
    before = None
    for found in chain(
        walked(file.below(), file.sep, file.name, 0, file.skip + 1, file.reading.longest), (None,)
    ):
        if before is not None:
            block = file.checked(before.block, last=found is None)
            table, wrong = (None, [0]) if file.suspicious(block) else cut_cells(block, file.columns, file.sep)
            if wrong or table is None:
                # row by row; line: of the last damaged row, which begins at `seen`
                line, good, seen_rows, seen = before.line, list[list[str]](), 0, 0
                for row in rows_in(block.decode("latin-1"), file.sep, len(file.columns)):
                    if file.repeats_header(block, row):
                        continue
                    if row.fault:
                        line, seen = line + lines_in(block[seen : row.start]), row.start
                        bad.add(rows + seen_rows, before.at + row.start, line, len(row.cells))
                    elif not doubtful(block[row.start : row.end], file.sep):
                        good.append(row.cells)
                    seen_rows += 1
                if good:
                    columns = (
                        [c.encode("latin-1").decode() for c in cells] for cells in zip(*good, strict=True)
                    )
                    looks.add(pa.table({str(j): pa.array(c, pa.string()) for j, c in enumerate(columns)}))
                rows += seen_rows
            else:
                looks.add(table)
                rows += table.num_rows
        before = found
    start = bad.second_table(rows)
    if start == len(bad.ordinals):
        return Damage(looks, rows, start, 1 << 62, None)
    count, cells = rows - bad.ordinals[start], Counter(bad.cells[start:]).most_common(1)[0][0]
    text = (
        f"another table begins in line {bad.lines[start]:,} ({counted(count, 'row')} of "
        f"{counted(cells, 'cell')}, not {width}); it is left out."
    )
    return Damage(
        looks, bad.ordinals[start], start, bad.places[start], Note("second-table", text, count=count)
    )


class _BadRows:
    """Where the damaged rows of a file are, and how many cells they have."""

    def __init__(self) -> None:
        self.ordinals, self.places, self.lines, self.cells = array("q"), array("q"), array("q"), array("q")

    def add(self, ordinal: int, place: int, line: int, cells: int) -> None:
        self.ordinals.append(ordinal)
        self.places.append(place)
        self.lines.append(line)
        self.cells.append(cells)

    def second_table(self, rows: int) -> int:
        """Return the first damaged row from which on nearly all are so, and of one width; else how many."""
        count = len(self.ordinals)
        if count < TABLE:
            return count
        width = Counter(self.cells[-1000:]).most_common(1)[0][0]
        alike, best = 0, count
        for i in range(count - 1, -1, -1):
            alike += self.cells[i] == width
            there = count - i
            if there >= TABLE and there >= BELOW * (rows - self.ordinals[i]) and alike >= ALIKE * there:
                best = i
        return best if width > 1 else count


# ---- repair of one block ----


def mended_block(file: CsvFile, block: bytes, at: int, line: int) -> tuple[bytes, dict[int, str]]:
    """Return a block in which every row can be read; and where each row has its place, why some are empty."""
    damage = file.mending.known(file)
    refuse_much(file, damage)
    file.mending.say_how_long(file.name, damage.bad, file.reading.bad_rows)
    parts, reasons = list[bytes](), dict[int, str]()
    done = seen = count = 0
    for row in rows_in(block.decode("latin-1"), file.sep, len(file.columns)):
        repeated = file.repeats_header(block, row)
        if not row.fault and not repeated and doubtful(block[row.start : row.end], file.sep):
            cells = [cell.encode("latin-1").decode() for cell in row.cells]
            if not damage.looks.fit(cells):
                row = row._replace(fault="has a quote in the middle of a cell")
        if row.fault or repeated:
            line, seen = line + lines_in(block[seen : row.start]), row.start
            new = b"" if repeated else _mended_row(file, damage, block, row, at)
            if repeated:
                file.mending.headers.add(line)
            else:
                (file.mending.repaired if new else file.mending.aside)[line] = row.fault
            if not new and file.each:
                reasons[count] = f"line {line:,} {REPEATED if repeated else row.fault}"
                new = (file.sep * (len(file.columns) - 1)).encode() + b"\n"
            parts += [block[done : row.start], new]
            done = row.end
            count += bool(new)
        else:
            count += 1
    return b"".join([*parts, block[done:]]), reasons


def _mended_row(file: CsvFile, damage: Damage, block: bytes, row: TextRow, at: int) -> bytes:
    """Return a damaged row as it should be, or nothing."""
    if file.reading.bad_rows == "skip" or at + row.start >= damage.below:
        return b""
    text = block[row.start : row.end]
    line = text.decode().rstrip("\r\n")
    cells = mended(line, file.sep, damage.looks, ended=text.endswith((b"\n", b"\r")))
    if cells is None:
        return b""
    return file.sep.join(_written(cell, file.sep) for cell in cells).encode() + b"\n"


def _written(cell: str, sep: str) -> str:
    """Return a cell as it stands in a file."""
    if any(char in cell for char in (sep, '"', "\n", "\r")):
        return '"' + cell.replace('"', '""') + '"'
    return cell


def refuse_much(file: CsvFile, damage: Damage) -> None:
    """Refuse a file of which more is damaged than may be passed over without a word."""
    if file.reading.bad_rows is None and not file.each and not damage.tolerable:
        raise too_damaged(file, damage)


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


# ---- rows that cannot be read, kept in their places ----
#
# Where an answer is wanted for every row, such a row stays, with empty cells; the reasons are in the metadata
# of the batch's schema.


_KEY = b"tallystick: rows that cannot be read"


def marked(batch: pa.RecordBatch, reasons: Mapping[int, str]) -> pa.RecordBatch:
    """Return the batch with the reasons why rows of it, by their places, cannot be read."""
    return batch.replace_schema_metadata({_KEY: json.dumps(list(reasons.items())).encode()})


def unread(batch: pa.RecordBatch) -> dict[int, str]:
    """Return the rows of a batch that could not be read, each with its reason."""
    metadata = batch.schema.metadata or {}
    return dict(json.loads(metadata[_KEY])) if _KEY in metadata else {}


def carried(batch: pa.RecordBatch, source: pa.RecordBatch) -> pa.RecordBatch:
    """Return a batch made of another's rows, with what was said of them."""
    reasons = unread(source)
    return marked(batch, reasons) if reasons else batch


# ---- what cells of each column look like, over the rows that can be read ----
#
# Law: the result does not depend on blocks nor, up to LOOKED rows, on their order.


LOOKED = 20_000  # rows from which looks are learned: the first that can be read
MOST = 64  # distinct texts or forms kept of a column; with more, any cell fits
OFTEN_TEXTS, OFTEN_FORMS = 8, 4  # rows per text, or form, from which the set counts as complete
LONG = 200  # characters beyond which the form of a text is not computed
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


# ---- one damaged row, read in the one way that fits the columns; or not at all ----
#
# Law: a row is repaired only where exactly one reading fits. First come readings that keep every character of
# a cell (cells split by a separator are joined around it, a quote is text); where none fits, those that drop
# a stray separator or quote.


SEPARATORS_MENDED = (",", ";", "\t", "|", " ", ":")  # tried where a damaged row has another separator
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
        # without some of its empty cells: separators too many
        empty = [i for i, cell in enumerate(row.cells) if not cell.strip()]
        more = len(row.cells) - width
        if len(empty) >= more and comb(len(empty), more) <= DROPS:
            for left in combinations(empty, more):
                yield [cell for i, cell in enumerate(row.cells) if i not in left]
        elif len(empty) >= more and empty[-more:] == list(range(width, len(row.cells))):
            yield list(row.cells[:width])
        yield from _joined(row.cells, sep, looks)
    else:
        if ended:
            yield [*row.cells, *[""] * (width - len(row.cells))]
        yield from _divided(row.cells, looks)
    # a separator more before or behind a quote, where one may be lost
    places = {i + side for i, char in enumerate(line) if char == '"' for side in (0, 1)}
    if len(places) <= 2 * QUOTES:
        for at in sorted(places - {0, len(line)}):
            if (cells := _cut(line[:at] + sep + line[at:], sep, looks)) is not None:
                yield cells
    for other in SEPARATORS_MENDED:  # the line cut by another separator
        if other == sep or other not in line:
            continue
        cells = _cut_marked(line, other)
        if cells is None:
            continue
        if len(cells) > len(looks.columns):
            yield from _joined(cells, other, looks)
        else:
            yield cells


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


# ---- too many cells ----


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
