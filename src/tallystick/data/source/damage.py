"""What is wrong with a text table, found by a slow and exact look. Called only when something is.

Knows lines and bytes. Knows nothing of kinds.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from tallystick.data.source import bytes as raw
from tallystick.data.source.cut import cut_rows
from tallystick.errors import DataError, counted, read_with, shown

if TYPE_CHECKING:
    from tallystick.data.source.csv import CsvFile
    from tallystick.data.source.repair import Damage

NAMED = 5  # lines named in a message


class Ragged(NamedTuple):
    """A row of another length: its place among the rows of a block, its line there, its cells, its bytes."""

    row: int
    line: int
    cells: int
    start: int
    end: int


def too_damaged(file: CsvFile, damage: Damage) -> DataError:
    """Return the error for a file with more damaged rows than may be passed over: that of a strict reading,
    and how many there are.
    """
    strict = replace(file, reading=replace(file.reading, bad_rows="error"))
    try:
        for piece in strict.pieces():
            piece()
    except raw.DamagedText as error:
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


def ragged_rows(file: CsvFile) -> DataError:
    """Return the error for rows with too many or too few cells: the first lines, and how many."""
    from tallystick.data.source.csv import cut_cells

    sep, width = file.reading.sep or ",", len(file.columns)
    lines: list[int] = []
    count, line, example = 0, file.skip + 1, 0
    for found in file.blocks():
        block = found.block.decode("utf-8", "replace").encode()  # a later block may have other faults
        _, bad = cut_cells(block, file.columns, sep)
        count += len(bad)
        if bad and len(lines) < NAMED:
            for row in ragged_in(block, width, sep):
                lines.append(line + row.line)
                example = example or row.cells
        line += raw.lines_in(block)
    named = ", ".join(f"{n:,}" for n in lines[:NAMED]) + (", …" if count > NAMED else "")
    return DataError(
        f"{file.name} has {count:,} row{'s' * (count != 1)} that do{'es' * (count == 1)} not have {width} "
        f"cells (line{'s' * (count != 1)} {named}; the first has {example}). "
        "Correct them, or pass ",
        read_with("bad_rows", "repair"),
        " to have them mended where one reading fits, or ",
        read_with("bad_rows", "skip"),
        " to leave them out.",
    )


def ragged_in(block: bytes, width: int, sep: str) -> Iterator[Ragged]:
    """Yield the rows of a block of UTF-8 that are not `width` cells wide."""
    row = line = at = 0
    for cells, lines, end in cut_rows(block.decode("latin-1"), sep):  # so a character is a byte
        if cells and len(cells) != width:
            yield Ragged(row, line, len(cells), at, end)
        row += bool(cells) or width == 1
        line, at = line + lines, end


def bad_bytes(path: str, name: str) -> DataError | None:
    """Return the error for bytes that are not UTF-8, None when all are: offset, line, and the cure."""
    offset, line = 0, 1
    rest = b""
    with raw.open_bytes(path) as stream:
        while piece := stream.read(raw.PIECE):
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
