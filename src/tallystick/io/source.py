"""Base class of all sources, and helpers: chosen columns, column names, parts of a file, standard input.

- `BaseSource`: the defaults. A new source derives from it and joins `tests/io/test_source_contract.py`.
- `ChosenColumns`: some columns of a source, as if it had no others. `clean_names()`: names made text and
  unique.
- `chosen_part()`: a sheet, table or archived file; the only one silently, one of several never silently.
- `settled()`: standard input, pipes and FIFOs copied once to a scratch file that can be read again.
"""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import IO, TYPE_CHECKING, Any, Self

from tallystick.contracts import Source
from tallystick.errors import DataError, OptionError, clean, nearest, read_with, shown, some
from tallystick.files import Stamp, path_of
from tallystick.io.scratch import ScratchFile
from tallystick.schema import Note, Reading

if TYPE_CHECKING:
    import pyarrow as pa

    from tallystick.contracts import InMemory, Load


class BaseSource:
    """A source of the contracts without its name, columns, notes and rows: text is text, nothing is known of
    its size, no file is behind it, and its batches come as they come.
    """

    reading: Reading = Reading()
    typed: bool = True
    needed: int = 0
    stamps: tuple[Stamp, ...] = ()
    files: tuple[str, ...] = ()

    @property
    def form(self) -> str:
        """How a file is read, in words; nothing of anything else."""
        return ""

    @property
    def held(self) -> InMemory | None:
        """The columns in memory; None: rows can only be read batch by batch."""
        return None

    def batches(self) -> Iterator[pa.RecordBatch]:
        """Yield all rows once."""
        raise NotImplementedError

    def pieces(self) -> Iterator[Load]:
        """Yield the batches as pieces that are there already."""
        return map(Given, self.batches())

    def within(self, size: int) -> Self:
        """Return the same source in pieces of at most about so many bytes, where it can be had so."""
        return self

    def streamed(self) -> Self:
        """Return the same source in small pieces, where it can be had so."""
        return self

    def each_row(self) -> Self:
        """Return the same source with a place for every row, also for those that cannot be read."""
        return self


@dataclass(frozen=True, slots=True)
class Given:
    """A batch that is there already, as a piece."""

    batch: Any

    @property
    def counted(self) -> None:
        return

    def __call__(self) -> Any:
        return self.batch

    def plain(self) -> None:
        return


# ---- some columns of a source, in the source's order ----
#
# Law: a table read from it is the one read from the same columns alone.


class ChosenColumns(BaseSource):
    """A source with some of the columns of another."""

    def __init__(self, source: Source, names: Sequence[str]) -> None:
        for name in names:
            if name not in source.columns:
                raise DataError(
                    f"there is no column {shown(name)} in {source.name}.{nearest(name, source.columns)}"
                )
        self.source = source
        self.name, self.notes = source.name, source.notes
        self.columns = tuple(name for name in source.columns if name in set(names))
        self.reading, self.typed, self.needed = source.reading, source.typed, source.needed
        self.stamps, self.files = source.stamps, source.files

    @property
    def form(self) -> str:
        return self.source.form

    def batches(self) -> Iterator[pa.RecordBatch]:
        for batch in self.source.batches():
            yield batch.select(list(self.columns))

    def within(self, size: int) -> ChosenColumns:
        return ChosenColumns(self.source.within(size), self.columns)

    def streamed(self) -> ChosenColumns:
        return ChosenColumns(self.source.streamed(), self.columns)

    def each_row(self) -> ChosenColumns:
        return ChosenColumns(self.source.each_row(), self.columns)


# ---- column names: made text, made unique or refused ----


SPACES = " \t\n\v\f\r"
NAMED = 5  # positions listed in a message


def clean_names(raw: Sequence[Any], where: str) -> tuple[tuple[str, ...], tuple[Note, ...]]:
    """Return the names as unique texts, with notes on names that were made up or are hard to tell apart."""
    names = [_as_text(raw, name, where) for name in raw]
    notes: list[Note] = []
    taken = set(names)
    for j, name in enumerate(names):
        if not name.strip():
            fresh = f"column_{j + 1}"
            while fresh in taken:
                fresh += "_"
            names[j] = fresh
            taken.add(names[j])
            notes.append(
                Note("name-made", f"column {j + 1} has no name; it is called {shown(names[j])}.", names[j])
            )
    places: dict[str, list[int]] = {}
    for j, name in enumerate(names):
        places.setdefault(name, []).append(j + 1)
    twice = {name: at for name, at in places.items() if len(at) > 1}
    if twice:
        name, at = next(iter(twice.items()))
        more = f" ({len(twice) - 1:,} more names repeat)" if len(twice) > 1 else ""
        rest = f" and {len(at) - NAMED:,} more" if len(at) > NAMED else ""
        raise DataError(
            f"{where} has {len(at):,} columns called {shown(name)}, at positions "
            f"{', '.join(map(str, at[:NAMED]))}{rest}{more}. Give each column its own name."
        )
    groups: dict[str, list[str]] = {}
    for name in names:
        groups.setdefault("".join(name.split()).casefold(), []).append(name)
    notes += [
        Note("names-alike", f"column names differ only in letter case or spaces: {some(group)}.", group[0])
        for group in groups.values()
        if len(group) > 1
    ]
    return tuple(names), tuple(notes)


def _as_text(raw: Sequence[Any], name: Any, where: str) -> str:
    if isinstance(name, str):
        try:
            name.encode()
        except UnicodeEncodeError:
            raise DataError(
                f"{where} has the column name {shown(name)}, with half of a character in it. Rename it."
            ) from None
        return name.strip(SPACES)
    if isinstance(name, bool) or not hasattr(name, "__index__"):
        raise DataError(
            f"{where} has a column name that is not text: {shown(name)}. "
            "Make them all text: df.columns = df.columns.map(str)."
        )
    if any(isinstance(other, str) for other in raw):
        raise DataError(
            f"{where} mixes text and numbers as column names, e.g. {shown(name)}. "
            "Make them all text: df.columns = df.columns.map(str)."
        )
    return str(name.__index__())


# ---- which part of a file is the table: a sheet, a table of a database, a file in an archive ----


def chosen_part(
    wanted: str | None, every: Sequence[str], filled: Sequence[str], where: str, what: str
) -> tuple[str, tuple[Note, ...]]:
    """Return the part that is wanted, else the only one that holds anything; of several sheets the first,
    with a note: a workbook shows that one when it is opened.
    """
    if wanted is not None:
        if wanted not in every:
            raise OptionError(
                f"{where} has no {what} {shown(wanted)}.{nearest(wanted, every)} It has {some(every)}."
            )
        return wanted, ()
    if not filled:
        raise DataError(f"{where} has no {what} that holds anything. Check how it was written.")
    if len(filled) == 1:
        return filled[0], ()
    if what != "sheet":
        raise DataError(
            f"{where} has {len(filled):,} {what}s: {some(filled)}. Name one: ",
            read_with("table", filled[0]),
            ".",
        )
    text = f"{where} has {len(filled):,} sheets; {shown(filled[0])} is read, not {some(filled[1:])}."
    return filled[0], (Note("first-sheet", text),)


# ---- standard input, pipes and FIFOs: read once into a scratch file that can be read again ----
#
# Law: no byte of a stream is lost or read twice, however many passes there are.


STANDARD_INPUT = ("-", "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0")
PIECE = 1 << 20  # bytes read at once
LONGEST_NAME = 255  # bytes of a file name, on most disks


class ScratchPath(str):
    """The path of a scratch file, which is there as long as this text is."""

    __slots__ = ("file",)
    file: ScratchFile

    @classmethod
    def of(cls, file: ScratchFile) -> ScratchPath:
        """Return the path by which this process can open the file, as often as it likes."""
        if (place := path_of(file.fileno())) is None:
            raise DataError("this system cannot read a stream twice. Save it to a file first, and read that.")
        path = cls(place)
        path.file = file
        return path


def title(path: str) -> str:
    """Return what to call a path in messages: a file by its name, a stream by what it is."""
    if path in STANDARD_INPUT:
        return "standard input"
    name = path if path.startswith(("/dev/fd/", "/proc/self/fd/")) else os.path.basename(path)
    return clean(name if len(name) <= LONGEST_NAME else name[: LONGEST_NAME - 1] + "…")


def is_stream(path: str) -> bool:
    """Does a path lead to something that can be read only once?"""
    try:
        return path in STANDARD_INPUT[1:] or stat.S_ISFIFO(os.stat(path).st_mode)
    except (OSError, ValueError):
        return False


def settled(path: str, where: str) -> str:
    """Return a path that can be opened again and again: a stream is read here, whole, to a scratch file."""
    if path in STANDARD_INPUT:
        if sys.stdin is None or sys.stdin.closed:
            raise DataError("standard input is closed. Pass a file.")
        try:
            known = sys.stdin.fileno() == 0 and stat.S_ISREG(os.fstat(0).st_mode)
            if known and os.lseek(0, 0, os.SEEK_CUR) == 0 and os.access("/dev/stdin", os.R_OK):
                return "/dev/stdin"  # a file, from its beginning: no need of a copy
        except (OSError, ValueError):
            pass  # no file at all: whatever stands there is read
        return _copied(sys.stdin.buffer, where)
    try:
        mode = os.stat(path).st_mode
    except OSError:
        return path  # reported when it is opened
    if stat.S_ISFIFO(mode):
        with open(path, "rb", buffering=0) as stream:
            return _copied(stream, where)
    if stat.S_ISSOCK(mode) or stat.S_ISBLK(mode) or (stat.S_ISCHR(mode) and path != os.devnull):
        raise DataError(f"{shown(path, 300)} is a device or a socket. Pass a file, a pipe, or - for input.")
    return path


def _copied(stream: IO[bytes], where: str) -> ScratchPath:
    file = ScratchFile()
    while True:
        try:
            piece = stream.read(PIECE)
        except OSError as error:
            raise cannot_read(where, error) from None
        if not piece:
            return ScratchPath.of(file)
        file.append(piece)


def cannot_read(where: str, error: OSError) -> DataError:
    """Return the error for a file that the system fails to give."""
    return DataError(f"{where} cannot be read: {shown(error.strerror or error, 120)}. Check the disk.")


def scratch_path(data: bytes) -> ScratchPath:
    """Return the path of a scratch file that holds these bytes."""
    file = ScratchFile()
    file.append(data)
    return ScratchPath.of(file)
