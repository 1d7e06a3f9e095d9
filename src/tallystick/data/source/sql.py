"""SQL: a DuckDB relation, or a query over files.

Knows DuckDB, which is an extra. Knows nothing of what the query means.
Laws: a query is one statement that only reads: DuckDB itself says so before it runs; it opens no file but
those whose names stand in it, so that nobody writes over one unawares; it runs once, and its rows wait in a
scratch file, so that every walk gives the same. A relation runs again with each walk.
"""

from __future__ import annotations

import glob
import json
import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pyarrow as pa

from tallystick.data.schema import Reading
from tallystick.data.source.frames import Stream, unread
from tallystick.data.source.names import clean_names
from tallystick.data.source.scratch import ScratchFile
from tallystick.data.source.stream import is_stream, settled, title
from tallystick.errors import DataError, shown
from tallystick.files.apart import files_of, names_in, placed

BATCH = 65_536
_QUERY = re.compile(r"\s*(select\s.*\bfrom\b|with\s.*\bas\b|from\s)", re.IGNORECASE | re.DOTALL)
# Files can be read, and nothing else: no extension from elsewhere, no variable of Python, no other settings.
_SAFE = {
    "allow_community_extensions": "false",
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
    "python_enable_replacements": "false",
}


def is_query(text: str) -> bool:
    """Does a text read as an SQL query: select ... from ..., with ... as ..., from ...?"""
    return _QUERY.match(text) is not None


def open_query(query: str, reading: Reading, name: str | None) -> Stream:
    """Open the rows of a query; files are named in quotes, as in SELECT * FROM 'votes.csv'."""
    try:
        import duckdb
    except ImportError:
        raise DataError("an SQL query needs DuckDB. Install it: pip install 'tallystick[sql]'.") from None
    if not isinstance(query, str) or any("\ud800" <= c <= "\udfff" for c in query):
        raise DataError(f"{shown(query)} is not a query: no text, or with half of a character. Correct it.")
    files = [file for text in names_in(query) for file in files_of(text)]
    patterns = [text for text in names_in(query) if glob.has_magic(text)]
    query, streams = _settled(query)
    try:
        with duckdb.connect(":memory:", config=_SAFE) as connection:
            _refuse_other_statements(connection, query)
            connection.execute("SET allowed_paths = ?", [[*files, *patterns, *streams.values()]])
            connection.execute("SET enable_external_access = false")
            connection.execute("SET lock_configuration = true")
            connection.execute("BEGIN TRANSACTION READ ONLY")
            rows = _kept(connection.sql(query).to_arrow_reader(BATCH), reading, name or "the query")
            return replace(rows, files=tuple(map(placed, files)))
    except duckdb.Error as error:
        said = str(error).splitlines()[0]
        why = f"{shown(said, 300)}. Correct it."
        if denied := re.search('Cannot access file "(.*)" - ', said):
            why = f"{shown(denied[1], 300)} is not a file that it names. "
            why += "Give each file its name in quotes: FROM 'votes.csv' or 'part-*.csv'."
        raise DataError(f"the query cannot be run: {why}") from None
    finally:
        del streams  # scratch files are there as long as their paths


def _settled(query: str) -> tuple[str, dict[str, str]]:
    """Return a query in which pipes are scratch files, and those: DuckDB opens a file several times."""
    paths = dict.fromkeys(re.findall("'([^']+)'", query))
    streams = {path: settled(path, title(path)) for path in paths if is_stream(path)}
    for path, copy in streams.items():
        query = query.replace(f"'{path}'", f"'{copy}'")
    return query, streams


def _refuse_other_statements(connection: Any, query: str) -> None:
    """Refuse anything but one statement that reads; of a WITH that writes only the plan tells."""
    found = connection.extract_statements(query)
    if len(found) != 1:
        raise DataError(f"the query has {len(found)} statements; only one can be run. Pass one SELECT.")
    kind = found[0].type.name
    if kind == "SELECT":
        (_, plan), *_ = connection.execute(f"EXPLAIN (FORMAT json) {found[0].query}").fetchall()
        kind = next((name for name in _operators(json.loads(plan)) if "COPY" in name), kind)
    if kind != "SELECT":
        raise DataError(
            f"the query holds a statement of another kind, {kind}; only a query that reads is run. "
            "Pass a single SELECT."
        )


def _operators(plan: list[dict[str, Any]]) -> Iterator[str]:
    """Yield the names of the steps of a plan."""
    for step in plan:
        yield step["name"]
        yield from _operators(step["children"])


def _kept(reader: pa.RecordBatchReader, reading: Reading, where: str) -> Stream:
    """Return rows that are read here, once, into a scratch file."""
    names, notes = clean_names(reader.schema.names, where)
    file, places = ScratchFile(), list[tuple[int, int]]()
    for batch in reader:
        sink = pa.BufferOutputStream()
        with pa.ipc.new_stream(sink, reader.schema) as writer:
            writer.write_batch(batch)
        places.append((file.size, sink.tell()))
        file.append(sink.getvalue())

    def walk() -> Iterator[pa.RecordBatch]:
        for at, size in places:
            yield from pa.ipc.open_stream(file.read(at, size))

    return Stream(where, names, walk, notes, reading)


def open_relation(relation: Any, reading: Reading, name: str | None) -> Stream:
    """Open a DuckDB relation."""
    import duckdb

    where = name or "the relation"
    names, notes = clean_names(list(relation.columns), where)

    def walk() -> Iterator[pa.RecordBatch]:
        try:
            yield from relation.to_arrow_reader(BATCH)
        except duckdb.Error as error:
            raise unread(where, error) from error

    return Stream(where, names, walk, notes, reading)
