"""Tables of databases: by an address such as "duckdb:///votes.db?table=votes", or by a connection.

Knows DuckDB, and ADBC for PostgreSQL; their drivers are extras, loaded when they are asked for. Knows nothing
of what a table means.
Laws: a database is only read, and all that is read through one `Database` is one snapshot of it, so that
every answer speaks of the same rows; through a DuckDB connection of the user's it is what the user would read
there. A password is shown to nobody.
"""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qsl, unquote, urlencode

import pyarrow as pa

from tallystick.data.schema import Note, Reading
from tallystick.data.source.frames import Stream
from tallystick.data.source.names import clean_names
from tallystick.data.source.sql import _SAFE, BATCH
from tallystick.errors import DataError, OptionError, nearest, shown, some
from tallystick.files.apart import placed

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
            self._forget()
            raise QueryError(f"{self.name} cannot answer: {_said(error)}. Check the table.") from error

    def _forget(self) -> None:
        """End a snapshot that an error has spoilt."""
        if self.kind == "postgresql":
            self.connection.rollback()
            self.begun = False

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
        address, own = _parted(given)
        if own is not None and table is not None and own != table:
            raise OptionError(
                f"the address names table {shown(own)}, and {shown(table)} is asked for. Pass one."
            )
        base, table = _connected(address), own or table
    else:
        base = _wrapped(given)
    try:
        return _found(base, table)
    except BaseException:
        base.close()
        raise


def quoted(name: str) -> str:
    """Return a name as SQL writes it."""
    return '"' + name.replace('"', '""') + '"'


def _parted(address: str) -> tuple[str, str | None]:
    """Return an address without the name of a table, and that."""
    if not is_address(address):
        raise DataError(f"{shown(address)} is not the address of a database. {HOW}")
    base, _, query = address.partition("?")
    pairs = parse_qsl(query, keep_blank_values=True)
    names = [value for key, value in pairs if key == "table"]
    rest = urlencode([(key, value) for key, value in pairs if key != "table"])
    return base + (f"?{rest}" if rest else ""), names[-1] if names else None


def _connected(address: str) -> Database:
    """Open the database of an address."""
    scheme, _, rest = address.partition("://")
    return _open_duckdb(rest) if scheme.lower() == "duckdb" else _open_postgresql(f"postgresql://{rest}")


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


def _found(base: Database, table: str | None) -> DatabaseTable:
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
