"""JSON lines, and files that are one JSON array of records, as sources: read record by record, in blocks.

Entry: `open_json()`. A record's keys are its columns, a key that it lacks is a missing cell. An object in a
record is columns too: {"home": {"town": ...}} is the column home.town.

Laws: no order of records matters. Time and memory go with the bytes of the file: a line or record has the
limit of a line of CSV, or a sixth of the memory budget, and a table of far more empty cells than filled ones
is refused before it is made.
"""

from __future__ import annotations

import json
import os
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import pyarrow as pa

from tallystick.errors import DataError, read_with, shown
from tallystick.files import Stamp
from tallystick.io import csv_bytes
from tallystick.io.containers import Stream
from tallystick.io.frames import batch_of, objects_column
from tallystick.io.scratch import longest_row
from tallystick.io.source import clean_names
from tallystick.schema import Reading

BLOCK = 1 << 22  # bytes of records in a batch
CELLS = 1 << 20  # cells of a batch, about
FEW_CELLS = 10_000_000  # cells of a table up to which any share may be empty
SPARSE = 100  # cells per filled cell in a larger table, at most
_SPACES = " \t\r\n"
_SPACE = re.compile(f"[{_SPACES}]*")


class RepeatedKey(Exception):  # noqa: N818  worded where it is caught
    """A key that comes twice in a record has two values, of which none is better."""


def _unrepeated(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    record = dict(pairs)
    if len(record) < len(pairs):
        left = Counter(key for key, _ in pairs)
        raise RepeatedKey(next(key for key, count in left.items() if count > 1))
    return record


def _whole(digits: str) -> int | str:
    """Return a whole number; as text, as a CSV holds it, where Python would not read so many digits."""
    try:
        return int(digits)
    except ValueError:
        return digits


_DECODER = json.JSONDecoder(object_pairs_hook=_unrepeated)
_LONG = json.JSONDecoder(object_pairs_hook=_unrepeated, parse_int=_whole)  # integers of any length; slower


def _value(text: str, at: int) -> tuple[Any, int]:
    """Return the value that begins in a place, and where it ends."""
    try:
        return _DECODER.raw_decode(text, at)
    except json.JSONDecodeError:
        raise
    except ValueError:  # a number of thousands of digits
        return _LONG.raw_decode(text, at)


def open_json(path: str, reading: Reading, where: str) -> Stream:
    """Open JSON lines, or a JSON array of records."""
    stamp = Stamp.of(path, where)
    start = csv_bytes.first_bytes(path, where, 4096)
    csv_bytes.refuse_swollen(os.path.getsize(path), csv_bytes.size_of(path), reading, where)
    encoding = csv_bytes.encoding_of(start, reading.encoding, where)
    file = JsonFile(path, where, encoding, start.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] == b"[", reading.longest)
    keys = file.keys()
    names, notes = clean_names(keys, where)

    def sized(size: int) -> Callable[[], Iterator[pa.RecordBatch]]:
        short = replace(file, longest=min(file.longest, longest_row(size)))
        return partial(short.batches, keys, names, min(BLOCK, max(size // 8, 1 << 12)))

    walk = partial(file.batches, keys, names, BLOCK)
    return Stream(where, names, walk, notes, reading, stamps=(stamp,), files=(path,), sized=sized)


@dataclass(frozen=True)
class JsonFile:
    """A file of records, and how to read it."""

    path: str
    where: str
    encoding: str
    array: bool
    longest: int  # bytes of a line or record

    def keys(self) -> list[str]:
        """Return the keys of all records: in their own order when all agree, else sorted. Few are shared by
        none: the table would be all but empty.
        """
        first: list[str] | None = None
        every: dict[str, None] = {}
        agree, rows, filled = True, 0, 0
        for record, _ in self.records():
            names = list(record)
            first = names if first is None else first
            agree = agree and names == first
            every.update(dict.fromkeys(names))
            rows, filled = rows + 1, filled + len(names)
        if rows * len(every) > max(FEW_CELLS, SPARSE * filled):
            raise DataError(
                f"{self.where} has {len(every):,} different keys in {rows:,} records, which share few: "
                f"of {rows * len(every):,} cells {filled:,} would be filled. Write records that share keys."
            )
        return (first or []) if agree else sorted(every)

    def batches(self, keys: Sequence[str], names: Sequence[str], block: int) -> Iterator[pa.RecordBatch]:
        most = max(CELLS // max(len(keys), 1), 1)
        held, size = list[dict[str, Any]](), 0
        for record, more in self.records():
            held.append(record)
            size += more
            if size >= block or len(held) >= most:
                yield _batch(held, keys, names)
                held, size = [], 0
        if held:
            yield _batch(held, keys, names)

    def records(self) -> Iterator[tuple[dict[str, Any], int]]:
        """Yield each record and the bytes it takes."""
        pieces = csv_bytes.utf8_pieces(self.path, self.encoding, self.where)
        for record, size in self._of_array(pieces) if self.array else self._of_lines(pieces):
            yield self._flat(record) if dict in map(type, record.values()) else record, size

    def _flat(self, record: dict[str, Any]) -> dict[str, Any]:
        """Return a record with the cells of its objects beside its own."""
        flat: dict[str, Any] = {}
        for key, cell in record.items():
            cells = {f"{key}.{inner}": c for inner, c in cell.items()} if type(cell) is dict else {key: cell}
            if twice := flat.keys() & cells.keys() or (record.keys() & cells.keys()) - {key}:
                raise DataError(
                    f"{self.where} has a record with {shown(min(twice))} twice: as a key, and as a key in an "
                    "object. Rename one of them."
                )
            flat |= cells
        return flat

    def _of_lines(self, pieces: Iterator[bytes]) -> Iterator[tuple[dict[str, Any], int]]:
        for number, line in enumerate(_lines(pieces, self.where, self.longest), 1):
            if len(line) > self.longest:
                raise csv_bytes.endless(self.where, number, self.longest)
            if line.strip():
                record = self._loaded(line, number)
                if not isinstance(record, dict):
                    text = shown(line.decode(errors="replace"))
                    raise DataError(f"{self.where}, line {number:,} is not a record: {text}. Write objects.")
                yield record, len(line)

    def _loaded(self, text: bytes, line: int) -> Any:
        try:
            written = text.decode().strip(_SPACES)
            value, end = _value(written, 0)
            if end < len(written):
                raise ValueError("Extra data")
            return value
        except UnicodeDecodeError as error:
            raise DataError(
                f"{self.where}, line {line:,} is not UTF-8: {shown(error)}. Pass ",
                read_with("encoding", ...),
                ".",
            ) from None
        except (ValueError, RecursionError, RepeatedKey) as error:
            raise self._wrong(line, error) from None

    def _wrong(self, line: int, error: Exception) -> DataError:
        """Return what to say of a text that the decoder does not take."""
        place = f"{self.where}, line {line:,}"
        if isinstance(error, RecursionError):
            return DataError(f"{place} is nested too deeply to be a table. Flatten it.")
        if isinstance(error, RepeatedKey):
            return DataError(f"{place}: a record has the key {shown(error)} twice. Keep one of them.")
        return DataError(f"{place} is not JSON: {shown(getattr(error, 'msg', error), 100)}. Correct it.")

    def _of_array(self, pieces: Iterator[bytes]) -> Iterator[tuple[dict[str, Any], int]]:
        """Yield the records of an array, one after the other: text is read until one is whole."""
        text = _Ahead(pieces, self.where, self.longest)
        text.skip("[")
        while not text.skips("]"):
            record, size = self._next_of(text)
            if not isinstance(record, dict):
                raise DataError(
                    f"{self.where} is a JSON array whose items are not records. Write a list of objects."
                )
            yield record, size
            if not text.skips(","):
                if not text.skips("]"):
                    raise self._wrong(text.line, ValueError("Expecting ',' delimiter"))
                break
        if text.peek():
            raise self._wrong(text.line, ValueError("Extra data"))

    def _next_of(self, text: _Ahead) -> tuple[Any, int]:
        while True:
            try:
                value, end = _value(text.held, text.at)
                if end < len(text.held) or not text.more():
                    size, text.at = end - text.at, end
                    return value, size
            except (ValueError, RecursionError, RepeatedKey) as error:
                if not isinstance(error, ValueError) or not text.more():
                    raise self._wrong(text.line, error) from None


def _batch(records: Sequence[dict[str, Any]], keys: Sequence[str], names: Sequence[str]) -> pa.RecordBatch:
    columns = [
        objects_column([record.get(key) for record in records], name)
        for key, name in zip(keys, names, strict=True)
    ]
    return batch_of(columns, names, len(records))


def _lines(pieces: Iterator[bytes], where: str, longest: int) -> Iterator[bytes]:
    """Yield lines; in JSON lines a line end is never inside a record. A long line is joined once."""
    rest, size, number = list[bytes](), 0, 1
    for piece in pieces:
        whole, end, after = piece.rpartition(b"\n")
        size += len(after) if end else len(piece)
        if end:
            lines = b"".join([*rest, whole]).split(b"\n")
            yield from lines
            rest, size, number = [], len(after), number + len(lines)
        rest.append(after)
        if size > longest:
            raise csv_bytes.endless(where, number, longest)
    yield b"".join(rest)


class _Ahead:
    """The text of an array, as far as it is read: `at` is where the next value begins."""

    def __init__(self, pieces: Iterator[bytes], where: str, longest: int) -> None:
        self.pieces, self.where, self.longest = pieces, where, longest
        self.held, self.at, self.rest, self.before = "", 0, b"", 1

    @property
    def line(self) -> int:
        """The line of the next value."""
        return self.before + self.held.count("\n", 0, self.at)

    def more(self) -> bool:
        """Read on, twice as far as what is held, and say whether there was anything."""
        self.before, self.held, self.at = self.line, self.held[self.at :], 0
        if len(self.held) > self.longest:
            raise csv_bytes.endless(self.where, self.before, self.longest)
        parts, size = [self.rest], 0
        for piece in self.pieces:
            parts.append(piece)
            size += len(piece)
            if size >= len(self.held):
                break
        data = b"".join(parts)
        try:
            text, self.rest = data.decode(), b""
        except UnicodeDecodeError as error:
            if not size or len(data) - error.start > 3:  # else a character cut in two
                raise DataError(
                    f"{self.where} is not UTF-8: {shown(error)}. Pass ", read_with("encoding", ...), "."
                ) from None
            text, self.rest = data[: error.start].decode(), data[error.start :]
        self.held += text
        return bool(size)

    def peek(self) -> str:
        """Return the next character that is not a space; nothing at the end."""
        while True:
            space = _SPACE.match(self.held, self.at)
            self.at = space.end() if space else self.at
            if self.at < len(self.held) or not self.more():
                return self.held[self.at : self.at + 1]

    def skip(self, sign: str) -> None:
        """Pass over a sign that is there."""
        found = self.skips(sign)
        assert found

    def skips(self, sign: str) -> bool:
        """Pass over a sign if it is the next."""
        found = self.peek() == sign
        self.at += found
        return found
