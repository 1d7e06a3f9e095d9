"""SQLite files: one table or view, read in batches.

Knows Python's own SQLite. Knows nothing of kinds.
Laws: the file is opened to be read, and nothing in it is run but the view that was asked for.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from typing import Any
from urllib.parse import quote

import pyarrow as pa

from tallystick.data.schema import Reading
from tallystick.data.source.frames import BATCH, Stream
from tallystick.data.source.names import clean_names
from tallystick.data.source.of_numpy import objects_column
from tallystick.data.source.parts import chosen_part
from tallystick.errors import DataError, shown
from tallystick.files.stamp import Stamp

CELLS = 1 << 20  # of a batch, at most


def open_sqlite(path: str, reading: Reading, where: str) -> Stream:
    """Open a table of an SQLite file: the only one, or the one that `table` names."""
    stamp = Stamp.of(path, where)
    with _read_of(where), closing(_connected(path)) as connection:
        found = connection.execute(
            "SELECT name FROM sqlite_schema WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite\\_%' "
            "ESCAPE '\\' ORDER BY name"
        )
        every = [name for (name,) in found]
        table, notes = chosen_part(reading.table, every, every, where, "table")
        query = 'SELECT * FROM "' + table.replace('"', '""') + '"'
        columns = [told[0] for told in connection.execute(f"{query} LIMIT 0").description]
    names, more = clean_names(columns, where)

    def walk() -> Iterator[pa.RecordBatch]:
        with _read_of(where), closing(_connected(path)) as connection:
            cursor = connection.execute(query)
            while rows := cursor.fetchmany(max(min(BATCH, CELLS // len(names)), 1)):
                cells = zip(*rows, strict=True)
                arrays = [objects_column(list(c), n) for c, n in zip(cells, names, strict=True)]
                yield pa.RecordBatch.from_arrays(arrays, names=list(names))

    return Stream(where, names, walk, (*notes, *more), reading, stamps=(stamp,), files=(path,))


def _connected(path: str) -> sqlite3.Connection:
    """Open a file that nobody writes to meanwhile: a change is found by its stamp."""
    connection = sqlite3.connect(f"file:{quote(path)}?mode=ro&immutable=1", uri=True)
    connection.execute("PRAGMA trusted_schema = OFF")
    return connection


class _read_of:  # noqa: N801  reads as what it does
    """Say of which file SQLite speaks."""

    def __init__(self, where: str) -> None:
        self.where = where

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
        if kind is not None and issubclass(kind, sqlite3.Error):
            raise DataError(
                f"{self.where} is an SQLite file that cannot be read: {shown(error, 200)}. "
                "Check how it was written, or export the table as CSV."
            ) from error
