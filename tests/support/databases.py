"""Real databases for the tests of SQL exports: each takes columns and a SELECT and gives back columns."""

from __future__ import annotations

import contextlib
import csv
import io
import os
import shutil
import signal
import sqlite3
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from datetime import date
from functools import lru_cache
from pathlib import Path
from typing import Any

Table = dict[str, list[Any]]
Run = Callable[[str, Table], Table]

BRIEF_JAVA = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"  # half of a short run compiles what soon ends
POSTGRES = next(iter(sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)), None)


def column_type(cells: list[Any], words: dict[type, Any]) -> Any:
    """Return the SQL type of a column of one Python type."""
    kinds = {type(c) for c in cells if c is not None}
    kind = float if kinds == {int, float} else next(iter(kinds), str)  # a column without values is text
    return words[kind]


def quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def dated(table: Table) -> Table:
    """Return the table with ISO dates as dates, as a typed database holds them."""
    return {
        n: [None if c is None else date.fromisoformat(c) for c in cells] if n == "when" else cells
        for n, cells in table.items()
    }


@contextlib.contextmanager
def sqlite() -> Iterator[Run]:
    """SQLite as Python brings it, in memory."""

    def run(select: str, table: Table) -> Table:
        with contextlib.closing(sqlite3.connect(":memory:")) as base:
            base.execute(f"CREATE TABLE data ({', '.join(map(quoted, table))})")
            marks = ", ".join("?" * len(table))
            base.executemany(f"INSERT INTO data VALUES ({marks})", zip(*table.values(), strict=True))
            found = base.execute(select)
            names = [d[0] for d in found.description]
            return dict(zip(names, map(list, zip(*found.fetchall(), strict=True)), strict=True))

    yield run


@contextlib.contextmanager
def duckdb() -> Iterator[Run]:
    """DuckDB in this process."""
    import duckdb
    import pyarrow as pa

    def run(select: str, table: Table) -> Table:
        with duckdb.connect() as base:
            base.register("data", pa.table(dated(table)))
            found = base.execute(select)
            names = [d[0] for d in found.description]
            return dict(zip(names, map(list, zip(*found.fetchall(), strict=True)), strict=True))

    yield run


@contextlib.contextmanager
def postgres() -> Iterator[Run]:
    """PostgreSQL by its own terminal."""
    with postgres_server() as place:
        yield lambda select, table: _psql(place, select, table)


@contextlib.contextmanager
def postgres_server() -> Iterator[Path]:
    """A PostgreSQL server in a new folder of its own, on a socket there, stopped and removed at the end.

    The folder is not one of pytest's: every test run that begins takes the rights of other users from the
    folder above all of those, and a server that was started by root runs as `nobody`.
    """
    assert POSTGRES is not None
    user: dict[str, Any] = {"user": "nobody"} if os.geteuid() == 0 else {}  # the server refuses to be root
    quiet: dict[str, Any] = {"stdout": subprocess.DEVNULL, "stderr": subprocess.STDOUT, "check": True, **user}
    with tempfile.TemporaryDirectory(prefix="tally-postgres-", ignore_cleanup_errors=True) as folder:
        place, data = Path(folder), Path(folder, "data")
        if user:
            shutil.chown(place, "nobody")
        given = ["-U", "tally", "-E", "UTF8", "--locale=C.UTF-8", "--no-sync"]
        subprocess.run([POSTGRES / "initdb", "-D", data, *given], **quiet)
        options = f"-c listen_addresses= -c unix_socket_directories={place} -c fsync=off"
        begin = ["-D", data, "-w", "-t", "300", "-o", options, "-l", place / "log", "start"]
        subprocess.run([POSTGRES / "pg_ctl", *begin], **quiet)  # returns when the server answers
        try:
            yield place
        finally:
            server = int((data / "postmaster.pid").read_text().split()[0])
            stop = [POSTGRES / "pg_ctl", "-D", data, "-m", "immediate", "stop"]
            if subprocess.run(stop, **quiet | {"check": False}).returncode:  # it gives up after a minute
                os.kill(server, signal.SIGKILL)


def _psql(place: Path, select: str, table: Table) -> Table:
    words = {float: "double precision", int: "bigint", bool: "boolean", str: "text", date: "date"}
    table = dated(table)
    columns = ", ".join(f"{quoted(n)} {column_type(c, words)}" for n, c in table.items())
    lines = io.StringIO()
    writer = csv.writer(lines, lineterminator="\n")
    for row in zip(*table.values(), strict=True):
        writer.writerow(["\\N" if c is None else c for c in row])
    script = (
        f"CREATE TEMP TABLE data ({columns});\nCOPY data FROM STDIN WITH (FORMAT csv, NULL '\\N');\n"
        f"{lines.getvalue()}\\.\n{select.rstrip()};\n"
    )
    command = [POSTGRES / "psql", "-h", place, "-U", "tally", "-d", "postgres", "-X", "-q", "--csv"]
    done = subprocess.run(
        [*command, "-v", "ON_ERROR_STOP=1"], input=script, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr[-2000:]
    names, *rows = csv.reader(io.StringIO(done.stdout))
    return dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))


def spark_session(master: str = "local[2,4]", **more: str) -> Any:
    """Spark in this process and one Java beside it, bound to this machine alone; a task may fail thrice."""
    os.environ["SPARK_LOCAL_IP"] = "127.0.0.1"
    from pyspark.sql import SparkSession

    settings = {
        "spark.ui.enabled": "false",
        "spark.sql.shuffle.partitions": "2",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.host": "127.0.0.1",
        "spark.log.level": "OFF",
        "spark.ui.showConsoleProgress": "false",
        "spark.sql.codegen.wholeStage": "false",  # compiling what runs once takes longer than running it
        "spark.sql.codegen.factoryMode": "NO_CODEGEN",
        "spark.sql.execution.arrow.localRelationThreshold": "0",  # rows that are sent are read by tasks
        "spark.driver.extraJavaOptions": BRIEF_JAVA,
        "spark.executor.extraJavaOptions": BRIEF_JAVA,
        **more,
    }
    builder = SparkSession.builder.master(master).appName("tallystick tests")
    for key, value in settings.items():
        builder = builder.config(key, value)
    return builder.getOrCreate()


@contextlib.contextmanager
def spark() -> Iterator[Run]:
    """What Spark answers to a query; a session that is there already is used and left."""
    import pyarrow as pa
    from pyspark.sql import SparkSession

    before = SparkSession.getActiveSession()
    session = spark_session()
    kinds = {float: pa.float64(), int: pa.int64(), bool: pa.bool_(), str: pa.string(), date: pa.date32()}

    def run(select: str, table: Table) -> Table:
        table = dated(table)
        schema = pa.schema({n: column_type(c, kinds) for n, c in table.items()})
        session.createDataFrame(pa.table(table, schema)).createOrReplaceTempView("data")
        return session.sql(select).toArrow().to_pydict()

    try:
        yield run
    finally:
        if before is None:
            session.stop()


@contextlib.contextmanager
def translated(dialect: str) -> Iterator[Run]:
    """What DuckDB answers to SQL of a database that does not run here, translated by sqlglot."""
    with duckdb() as run:
        yield lambda select, table: run(to_duckdb(select, dialect), table)


@lru_cache(maxsize=4)
def to_duckdb(select: str, dialect: str) -> str:
    """Return the SQL of another database as DuckDB's; what is no SQL of that database is an error."""
    import sqlglot

    tree = sqlglot.parse_one(select, read=dialect, error_level=sqlglot.ErrorLevel.RAISE)
    return tree.transform(_plain).transform(_plain_pattern).sql("duckdb", comments=False)


def _plain(node: Any) -> Any:
    """Return a part of a query without what sqlglot leaves as it is and DuckDB does not know."""
    from sqlglot import exp

    if isinstance(node, exp.National):  # N'text'
        return exp.Literal.string(node.this)
    if isinstance(node, exp.Cast) and node.to.is_type("bit"):
        return exp.cast(node.this, "boolean")
    return node.this if isinstance(node, exp.ToVariant | exp.Collate) else node  # it compares bytes anyway


def _plain_pattern(node: Any) -> Any:
    """Return LIKE with classes of characters, [0-9], as a regular expression."""
    from sqlglot import exp

    if not isinstance(node, exp.Like) or "[" not in node.expression.name:
        return node
    pattern = node.expression.name.replace("%", ".*")
    found = exp.RegexpLike(this=node.this, expression=exp.Literal.string(f"^{pattern}$"))
    return exp.Not(this=found) if node.args.get("negate") else found
