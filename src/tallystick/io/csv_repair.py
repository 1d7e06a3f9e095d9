"""Damaged rows of a text table: found in all of the file before one is mended, then mended or set aside.

Knows files of text, rows and what columns look like. Knows nothing of kinds or models.
Laws: what becomes of a row depends on its text, its place and the whole file, never on blocks, threads or
memory; a row that can be read as it stands is never touched; a file without damage is not looked at here.
"""

from __future__ import annotations

import json
import threading
from array import array
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from tallystick.errors import Message, counted, read_with, warn
from tallystick.io import csv_rows
from tallystick.io.csv_rows import Looks, TextRow, doubtful, mended, rows_in, walked
from tallystick.schema import Note

if TYPE_CHECKING:
    from tallystick.io.csv_file import CsvFile


SHARE, LEAST = 100, 10  # one row of so many may be damaged, or so many rows, before anyone is asked
TABLE, BELOW, ALIKE = 3, 0.9, 0.8  # rows of a second table; shares of them of another width, and of one width
MANY_QUOTES = 100_000  # lines that are counted
NAMED = 5  # lines named in a note
MANY_BAD = 5_000  # damaged rows from which to repair them takes seconds
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
        """Is so little damaged that nobody needs to be asked?"""
        return self.bad <= max(LEAST, self.rows // SHARE) and self.bad < max(self.rows, 1)


@dataclass
class Mending:
    """What was found and done so far in a file, over all walks through it; any thread may tell."""

    damage: Damage | None = None
    repaired: dict[int, str] = field(default_factory=dict)  # by line, what was wrong
    aside: dict[int, str] = field(default_factory=dict)
    headers: set[int] = field(default_factory=set)  # lines that repeat the header
    quotes: set[int] = field(default_factory=set)  # lines with a quote inside a cell that is not quoted
    said: bool = False  # that it takes long
    lock: Any = field(default_factory=threading.Lock)

    def __getstate__(self) -> dict[str, Any]:
        """Return all but the lock, which belongs to a process."""
        return self.__dict__ | {"lock": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Take what was known elsewhere."""
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
    told = [f"line {line:,} {fault}" for line, fault in sorted(faults.items())[:NAMED]]
    return "; ".join(told) + (f"; and {len(faults) - NAMED:,} more" if len(faults) > NAMED else "")


# ---- all of the file ----


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
                rows += _slowly(file, block, before.at, before.line, looks, rows, bad)
            else:
                looks.add(table)
                rows += table.num_rows
        before = found
    start = bad.second_table(rows)
    if start == len(bad.ordinals):
        return Damage(looks, rows, start, 1 << 62, None)
    count, cells = rows - bad.ordinals[start], bad.modal(start)
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

    def modal(self, start: int) -> int:
        return Counter(self.cells[start:]).most_common(1)[0][0]

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


def _slowly(
    file: CsvFile, block: bytes, at: int, line: int, looks: Looks, ordinal: int, bad: _BadRows
) -> int:
    """Look at a block row by row; return how many there are."""
    good, count, seen = list[list[str]](), 0, 0
    for row in rows_in(block.decode("latin-1"), file.sep, len(file.columns)):
        if file.repeats_header(block, row):
            continue
        if row.fault:
            line, seen = line + csv_rows.lines_in(block[seen : row.start]), row.start
            bad.add(ordinal + count, at + row.start, line, len(row.cells))
        elif not doubtful(block[row.start : row.end], file.sep):
            good.append(row.cells)
        count += 1
    if good:
        columns = [[cell.encode("latin-1").decode() for cell in column] for column in zip(*good, strict=True)]
        looks.add(
            pa.table([pa.array(c, pa.string()) for c in columns], names=[str(j) for j in range(len(columns))])
        )
    return count


# ---- some of its rows ----


def mended_block(file: CsvFile, block: bytes, at: int, line: int) -> tuple[bytes, dict[int, str]]:
    """Return a block in which every row can be read; and where each row has its place, why some are empty."""
    damage = file.mending.known(file)
    refuse_much(file, damage)
    file.mending.say_how_long(file.name, damage.bad, file.reading.bad_rows)
    parts, reasons = list[bytes](), dict[int, str]()
    done = seen = count = 0
    for row in rows_in(block.decode("latin-1"), file.sep, len(file.columns)):
        repeated = file.repeats_header(block, row)
        if not row.fault and not repeated:
            row = _doubted(row, block, file.sep, damage.looks)
        if row.fault or repeated:
            line, seen = line + csv_rows.lines_in(block[seen : row.start]), row.start
            new = b"" if repeated else _mended_row(file, damage, block, row, at)
            _tell(file.mending, line, row, repeated, bool(new))
            if not new and file.each:
                reasons[count] = f"line {line:,} {REPEATED if repeated else row.fault}"
                new = (file.sep * (len(file.columns) - 1)).encode() + b"\n"
            parts += [block[done : row.start], new]
            done = row.end
            count += bool(new)
        else:
            count += 1
    return b"".join([*parts, block[done:]]), reasons


def _doubted(row: TextRow, block: bytes, sep: str, looks: Looks) -> TextRow:
    """Return a row of the right width with a fault, if its quotes are strange and its cells do not fit."""
    if not doubtful(block[row.start : row.end], sep):
        return row
    fits = looks.fit([cell.encode("latin-1").decode() for cell in row.cells])
    return row if fits else row._replace(fault="has a quote in the middle of a cell")


def _tell(mending: Mending, line: int, row: TextRow, repeated: bool, done: bool) -> None:
    if repeated:
        mending.headers.add(line)
    else:
        (mending.repaired if done else mending.aside)[line] = row.fault


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
        from tallystick.io.csv_rows import too_damaged

        raise too_damaged(file, damage)


# Rows that cannot be read, in their places: a batch says which of its rows they are, and why.
#
# Knows Arrow batches. Knows nothing of files. Where an answer is wanted for every row, such a row stays,
# with empty cells; the reasons travel with the batch, as metadata of its schema.


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
