"""Databases as sources: SQLite files, DuckDB relations, queries over files, tables by address or connection.

- SQLite: one table or view. Entry: `open_sqlite()`.
- SQL: `open_query()`, `open_relation()`. DuckDB itself confirms that a query is one statement that only
  reads; it opens only files that are named in it; it runs once, into a scratch file, so every pass gives the
  same. A relation runs again with each pass.
- Tables of DuckDB and PostgreSQL. Entry: `open_table()`; all reads through one `Database` see one snapshot.

Laws: databases are only read; through a user's DuckDB connection one reads what the user would read there; a
password is shown to nobody.
"""

from __future__ import annotations

import contextlib
import glob
import json
import os
import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, field, replace
from typing import Any
from urllib.parse import parse_qsl, quote, unquote, urlencode

import pyarrow as pa

from tallystick.errors import DataError, OptionError, nearest, shown, some
from tallystick.files import Stamp, files_of, names_in, placed
from tallystick.io.containers import BATCH_ROWS, Stream, unread
from tallystick.io.frames import objects_column
from tallystick.io.scratch import ScratchFile
from tallystick.io.source import chosen_part, clean_names, is_stream, settled, title
from tallystick.schema import Note, Reading

CELLS = 1 << 20  # cells of a batch, at most


def open_sqlite(path: str, reading: Reading, where: str) -> Stream:
    """Open a table of an SQLite file: the only one, or the one that `table` names."""
    stamp = Stamp.of(path, where)
    with _sqlite_errors(where), closing(_connected(path)) as connection:
        found = connection.execute(
            "SELECT name FROM sqlite_schema WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite\\_%' "
            "ESCAPE '\\' ORDER BY name"
        )
        every = [name for (name,) in found]
        table, notes = chosen_part(reading.table, every, every, where, "table")
        query = 'SELECT * FROM "' + table.replace('"', '""') + '"'
        columns = [column[0] for column in connection.execute(f"{query} LIMIT 0").description]
    names, more = clean_names(columns, where)

    def walk() -> Iterator[pa.RecordBatch]:
        with _sqlite_errors(where), closing(_connected(path)) as connection:
            cursor = connection.execute(query)
            while rows := cursor.fetchmany(max(min(BATCH_ROWS, CELLS // len(names)), 1)):
                cells = zip(*rows, strict=True)
                arrays = [objects_column(list(c), n) for c, n in zip(cells, names, strict=True)]
                yield pa.RecordBatch.from_arrays(arrays, names=list(names))

    return Stream(where, names, walk, (*notes, *more), reading, stamps=(stamp,), files=(path,))


def _connected(path: str) -> sqlite3.Connection:
    """Open a file as unchanging, without locks: a change is found by its stamp."""
    connection = sqlite3.connect(f"file:{quote(path)}?mode=ro&immutable=1", uri=True)
    connection.execute("PRAGMA trusted_schema = OFF")
    return connection


@contextlib.contextmanager
def _sqlite_errors(where: str) -> Iterator[None]:
    """What SQLite fails at in this block becomes one line."""
    try:
        yield
    except sqlite3.Error as error:
        raise DataError(
            f"{where} is an SQLite file that cannot be read: {shown(error, 200)}. "
            "Check how it was written, or export the table as CSV."
        ) from error


# ---- SQL: a DuckDB relation, or a query over files ----


BATCH = 65_536
_QUERY = re.compile(r"\s*(select\s.*\bfrom\b|with\s.*\bas\b|from\s)", re.IGNORECASE | re.DOTALL)
# DuckDB settings: files can be read, and nothing else (no extensions, Python variables, other settings).
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
            # one statement that reads, and nothing else; of a WITH that writes only the plan tells
            found = connection.extract_statements(query)
            if len(found) != 1:
                raise DataError(
                    f"the query has {len(found)} statements; only one can be run. Pass one SELECT."
                )
            kind = found[0].type.name
            if kind == "SELECT":
                (_, plan), *_ = connection.execute(f"EXPLAIN (FORMAT json) {found[0].query}").fetchall()
                kind = next((name for name in _operators(json.loads(plan)) if "COPY" in name), kind)
            if kind != "SELECT":
                raise DataError(
                    f"the query holds a statement of another kind, {kind}; only a query that reads is run. "
                    "Pass a single SELECT."
                )
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


# ---- tables by an address such as "duckdb:///votes.db?table=votes", or by a connection ----


_ADDRESS = re.compile(r"(duckdb|postgres|postgresql)://", re.IGNORECASE)
HOW = "Write for example 'duckdb:///votes.db?table=votes' or 'postgresql://user@host/base?table=votes'."
_EVERY = (
    "SELECT table_schema, table_name FROM information_schema.tables "
    "WHERE table_schema NOT IN ('information_schema', 'pg_catalog') ORDER BY table_name"
)


class QueryError(DataError):
    """A database could not compute what it was asked for."""


@dataclass(eq=False)
class Database:
    """One snapshot of a database. kind: whose SQL it speaks; received: bytes of Arrow that came from it."""

    kind: str
    name: str
    connection: Any
    own: bool = True  # opened here, and closed here
    files: tuple[str, ...] = ()
    received: int = 0
    begun: bool = field(default=False, repr=False)

    def query(self, sql: str) -> pa.Table:
        """Return all rows of a query."""
        with self._answered(sql) as reader:
            found = reader.read_all()
        self.received += found.nbytes
        return found

    def stream(self, sql: str) -> Iterator[pa.RecordBatch]:
        """Yield the rows of a query in batches."""
        with self._answered(sql) as reader:
            for batch in reader:
                self.received += batch.nbytes
                yield batch

    @contextlib.contextmanager
    def _answered(self, sql: str) -> Iterator[pa.RecordBatchReader]:
        """Run a query; what a driver says of it is said in one line."""
        try:
            if self.kind == "duckdb":
                if self.own and not self.begun:
                    self.connection.execute("BEGIN TRANSACTION READ ONLY")
                    self.begun = True
                yield self.connection.sql(sql).to_arrow_reader(BATCH)
                return
            with self.connection.cursor() as cursor:
                if not self.begun:
                    cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
                    self.begun = True
                cursor.execute(sql)
                yield cursor.fetch_record_batch()
        except (*_errors(self.kind), pa.ArrowException, OSError) as error:
            if self.kind == "postgresql":  # the error has spoilt the snapshot
                self.connection.rollback()
                self.begun = False
            raise QueryError(f"{self.name} cannot answer: {_said(error)}. Check the table.") from error

    def close(self) -> None:
        """End the snapshot; a connection of the user's stays open."""
        if self.kind == "duckdb" and self.begun:
            self.connection.execute("COMMIT")
        self.begun = False
        if self.own:
            self.own = False
            self.connection.close()

    def __del__(self) -> None:
        with contextlib.suppress(Exception):  # the driver may be gone
            self.close()


@dataclass(frozen=True)
class DatabaseTable:
    """One table of a database. sql: its name as queries write it; kinds: names and Arrow types of its
    columns, in their order.
    """

    database: Database
    name: str
    sql: str
    kinds: pa.Schema

    @property
    def where(self) -> str:
        """What messages call it."""
        return f"table {shown(self.name)} of {self.database.name}"

    def source(self, reading: Reading | None = None, notes: tuple[Note, ...] = ()) -> Stream:
        """Return its rows, fetched through Arrow."""
        names, more = clean_names(self.kinds.names, self.where)
        cells = [
            f"CAST({quoted(f.name)} AS FLOAT8) AS {quoted(f.name)}" if is_opaque(f.type) else quoted(f.name)
            for f in self.kinds
        ]
        query = f"SELECT {', '.join(cells)} FROM {self.sql}"

        def walk() -> Iterator[pa.RecordBatch]:
            yield from self.database.stream(query)

        return Stream(
            self.where, names, walk, (*notes, *more), reading or Reading(), files=self.database.files
        )


def is_address(text: Any) -> bool:
    """Is this the address of a database?"""
    return isinstance(text, str) and _ADDRESS.match(text) is not None


def without_user(address: str) -> str:
    """Return an address as it may be shown: without the user and the password."""
    return re.sub(r"//[^/@]*@", "//", address)


def open_table(given: Any, table: str | None = None) -> DatabaseTable:
    """Return a table. given: an address, or a connection; table: its name, where an address does not say."""
    if isinstance(given, str):
        if not is_address(given):
            raise DataError(f"{shown(given)} is not the address of a database. {HOW}")
        whole, _, query = given.partition("?")
        pairs = parse_qsl(query, keep_blank_values=True)
        own_names = [value for key, value in pairs if key == "table"]
        other = urlencode([(key, value) for key, value in pairs if key != "table"])
        address, own = whole + (f"?{other}" if other else ""), own_names[-1] if own_names else None
        if own is not None and table is not None and own != table:
            raise OptionError(
                f"the address names table {shown(own)}, and {shown(table)} is asked for. Pass one."
            )
        scheme, _, rest = address.partition("://")
        base = _open_duckdb(rest) if scheme.lower() == "duckdb" else _open_postgresql(f"postgresql://{rest}")
        table = own or table
    else:
        base = _wrapped(given)
    try:
        every = base.query(_EVERY).to_pylist()
        names = [row["table_name"] for row in every]
        if table is None and len(names) == 1:
            table = names[0]
        if table is None:
            raise DataError(f"{base.name} holds {some(names, 10)}: which? Say ?table=name in the address.")
        sql = ".".join(map(quoted, table.split(".")))
        try:
            kinds = base.query(f"SELECT * FROM {sql} LIMIT 0").schema
        except QueryError:
            close = nearest(table, names)
            held = f"Tables: {some(names, 10)}." if names else "It has none."
            raise DataError(f"there is no table {shown(table)} in {base.name}.{close} {held}") from None
        return DatabaseTable(base, table, sql, kinds)
    except BaseException:
        base.close()
        raise


def quoted(name: str) -> str:
    """Return a name as SQL writes it."""
    return '"' + name.replace('"', '""') + '"'


def _open_duckdb(rest: str) -> Database:
    try:
        import duckdb
    except ImportError:
        raise DataError("a DuckDB file needs DuckDB. Install it: pip install 'tallystick[sql]'.") from None
    path = unquote(rest.partition("?")[0]).removeprefix("/")
    if not path:
        raise DataError(f"the address names no file. {HOW}")
    if not os.path.isfile(path):
        raise DataError(
            f"there is no file {shown(path, 300)}. Three slashes and the path: duckdb:///votes.db."
        )
    try:
        connection = duckdb.connect(path, read_only=True, config=_SAFE)
    except duckdb.Error as error:
        raise DataError(f"{shown(path, 300)} cannot be opened: {_said(error)}. Check the file.") from error
    return Database("duckdb", os.path.basename(path), connection, files=(placed(path),))


def _open_postgresql(address: str) -> Database:
    try:
        import adbc_driver_postgresql.dbapi as driver
    except ImportError:
        raise DataError(
            "PostgreSQL is read by its ADBC driver. Install it: pip install 'tallystick[postgresql]'."
        ) from None
    name = without_user(address.partition("?")[0])
    try:
        return Database("postgresql", name, driver.connect(address))
    except driver.Error as error:
        raise DataError(
            f"cannot connect to {shown(name, 300)}: {_said(error)}. Check the address."
        ) from error


def _wrapped(connection: Any) -> Database:
    """Return the database of a user's connection."""
    library = type(connection).__module__.partition(".")[0]
    if library in ("duckdb", "_duckdb"):
        return Database("duckdb", "the connection", connection, own=False)
    if library == "adbc_driver_manager":
        vendor = str(connection.adbc_get_info().get("vendor_name", ""))
        if vendor.lower() == "postgresql":
            return Database("postgresql", "the connection", connection.adbc_clone())
        raise DataError(f"the connection leads to {shown(vendor)}; DuckDB and PostgreSQL are asked to sum.")
    raise DataError(
        f"{shown(type(connection).__name__)} is not a connection. "
        "Pass an address, a DuckDB connection, or an ADBC connection to PostgreSQL."
    )


def is_opaque(kind: pa.DataType) -> bool:
    """Is it PostgreSQL's numeric, which Arrow knows as text?"""
    return isinstance(kind, pa.BaseExtensionType) and "type_name=numeric" in str(kind)


def _errors(kind: str) -> tuple[type[Exception], ...]:
    """Return what a driver raises."""
    if kind == "duckdb":
        import duckdb

        return (duckdb.Error,)
    import adbc_driver_manager

    return (adbc_driver_manager.Error,)


def _said(error: Exception) -> str:
    """Return the one line of a driver's error that says most."""
    line = next((line for line in str(error).splitlines() if line.strip()), type(error).__name__)
    return shown(line.strip().rstrip("."), 200)
