"""Entry of the reading layer: decide what an input is (path, pattern, query, address, object) and open it.

`read()` is the user's function; `open_source()` opens any input, `_open_path()` paths, `_open_object()` the
rest.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal

from tallystick.errors import DataError, OptionError, counted, shown
from tallystick.files import as_path, files_of
from tallystick.io.source import BaseSource
from tallystick.schema import Reading, listed

if TYPE_CHECKING:
    from tallystick.contracts import Source


def read(
    path: str | os.PathLike[str] | None = None,
    *,
    sql: str | None = None,
    table: str | None = None,
    encoding: str | None = None,
    sep: str | None = None,
    header: bool | None = None,
    decimal: str | None = None,
    day_first: bool | None = None,
    missing: tuple[str, ...] | list[str] | None = None,
    bad_rows: Literal["error", "skip", "repair"] | None = None,
    strict: bool = False,
    inf: Literal["error", "missing"] = "error",
    memory: Any = None,
    unpack: bool = False,
) -> Source:
    """Open a file with your own settings for reading it; what is not given is found by looking at the file.

    Parameters
    ----------
    path : str or path, default None
        A file (CSV and its kin, JSON, Parquet, Arrow, ORC, a workbook, SQLite, or one of these in a zip
        file), a pattern such as "part-*.csv", the address of a table in a database such as
        "duckdb:///votes.db?table=votes" or "postgresql://user@host/base?table=votes", or "-" for standard
        input, which is read once, into a scratch file.
    sql : str, default None
        A query instead of a path, such as "SELECT * FROM 'votes.csv'": one statement that only reads, and
        only files whose names, or patterns, it holds.
    table : str, default None
        Which table of a file that may hold several: a sheet of a workbook, a table of an SQLite file or of a
        database, a file in a zip file.
    encoding : str, default None
        The character encoding, e.g. "cp1252"; None is UTF-8, or what the file's first bytes say.
    sep : str, default None
        What separates cells; None: found by looking.
    header : bool, default None
        Whether the first line holds the names of the columns; None: found by looking.
    decimal : {".", ","}, default None
        The decimal mark of numbers; None: found by looking, column by column.
    day_first : bool, default None
        Whether 3/4/2012 is a day in April; None: found by looking, column by column.
    missing : list of str, default None
        What stands for missing, instead of the usual marks.
    bad_rows : {"error", "skip", "repair"}, default None
        What to do with damaged rows: more or fewer cells than the others, stray quotes, another separator.
        "repair": each is mended where exactly one reading fits the columns, else left out; "skip": all are
        left out; "error": they are an error. None: "repair", up to 1 % of the rows (at least 10), else
        "error".
    strict : bool, default False
        Nothing is mended and no damage passed over: the same as bad_rows="error".
    inf : {"error", "missing"}, default "error"
        What to do with infinite numbers.
    memory : int or str, default None
        The memory that `fit` or `predict` will be given; lines too long for it are refused.
    unpack : bool, default False
        Whether a gz, zip or packed Arrow file may unpack to more than 200 times its size, and 256 MiB.

    Returns
    -------
    Source
        Anything that takes rows takes it: `fit`, `predict`, `ts.describe`, `ts.compare` and others.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> import tallystick as ts
    >>> path = pathlib.Path(tempfile.mkdtemp(), "games.txt")
    >>> _ = path.write_text("sky;play\\nsun;no\\nrain;yes\\nsun;no\\n")
    >>> ts.read(path, sep=";").columns
    ('sky', 'play')
    """
    if strict and bad_rows not in (None, "error"):
        raise OptionError(
            f"strict=True and bad_rows={shown(bad_rows)} contradict each other. Pass one of them."
        )
    bad_rows = "error" if strict else bad_rows
    marks = None if missing is None else tuple(map(str, listed("missing", missing)))
    given = Reading(encoding, sep, header, decimal, bad_rows, inf, marks, day_first=day_first, table=table)
    given = replace(given, unpack=bool(unpack))
    if given.sep is not None and any(char in given.sep for char in '"\r\n\0'):
        raise OptionError(f"sep is {shown(sep)}, which cannot separate cells. Use for example ';' or '||'.")
    reading = _within(memory, given)
    if (path is None) == (sql is None):
        raise OptionError("read takes a path or sql='SELECT ...'. Pass one of them.")
    if sql is not None:
        from tallystick.io.database import open_query

        return open_query(sql, reading, None)
    return open_source(path, reading)


def opened(x: Any) -> Any:
    """Return a path as a source, so that what is used twice is opened once; anything else as it is."""
    return open_source(x) if isinstance(x, str | os.PathLike) else x


def with_each_row(x: Any) -> Any:
    """Return what was brought with a place for every row: a path or a source may hold some that cannot be
    read; anything else as it is.
    """
    x = opened(x)
    return x.streamed().each_row() if isinstance(x, BaseSource) else x


def _within(memory: Any, reading: Reading) -> Reading:
    """Return how to read where so much memory is given."""
    if memory is None:
        return reading
    from tallystick.io.scratch import longest_within

    return replace(reading, longest=min(reading.longest, longest_within(memory)))


def open_source(
    x: Any, reading: Reading | None = None, name: str | None = None, memory: Any = None
) -> Source:
    """Return a source for anything tabular: path, frame, Arrow, matrix, records, or a source itself."""
    if isinstance(x, BaseSource):
        return x  # type: ignore[return-value]  # with its name, columns and notes it is one
    reading = _within(memory, reading or BaseSource.reading)
    if all(hasattr(x, name) for name in ("name", "columns", "notes", "batches")):  # written by a user
        from tallystick.io.containers import Stream

        return Stream(name or x.name, tuple(x.columns), x.batches, tuple(x.notes), reading)
    if isinstance(x, str | os.PathLike):
        return _open_path(as_path(x), reading, name)
    return _open_object(here(x), reading, name)


def files_behind(x: Any) -> list[str]:
    """Return the files behind what was brought, as far as they can be known without opening it."""
    return list(x.files) if isinstance(x, BaseSource) else files_of(x)


def is_spark(x: Any) -> bool:
    """Say whether x is a DataFrame of Spark, without loading Spark."""
    return type(x).__module__.startswith("pyspark.") and type(x).__name__ == "DataFrame"


def lies_on_device(x: Any) -> bool:
    """Is x an array in the memory of a GPU, such as CuPy's?"""
    return hasattr(x, "__cuda_array_interface__")


def here(x: Any) -> Any:
    """Return x in the memory of this machine."""
    return x.get() if lies_on_device(x) else x


def _open_path(path: str, reading: Reading, name: str | None) -> Source:
    from tallystick.io import containers as files

    if "://" in path:  # else no address, and without a space no query: not loaded for plain paths
        from tallystick.io import database as databases

        if databases.is_address(path):
            return databases.open_table(path, reading.table).source(reading)
    if any(map(str.isspace, path)):
        from tallystick.io import database as sql

        if sql.is_query(path) and not files.found(path):
            try:
                return sql.open_query(path, reading, name)
            except DataError as error:
                raise DataError("there is no such file, and ", error.message) from None
    return files.open_path(path, reading, name)


def _open_object(x: Any, reading: Reading, name: str | None) -> Source:
    from tallystick.io.containers import container_of, open_many

    if isinstance(x, type):
        raise DataError(f"{shown(x.__name__)} is a type, not a table. Pass a table.")
    if type(x).__module__.partition(".")[0] in ("pandas", "polars") and type(x).__name__ == "Series":
        raise DataError(
            "a Series is one column or one row, not a table. Pass a DataFrame: series.to_frame()."
        )
    if isinstance(x, list | tuple) and x and all(isinstance(path, str | os.PathLike) for path in x):
        return open_many([_open_path(as_path(p), reading, None) for p in x], name or counted(len(x), "file"))
    if (container := container_of(x)) is not None:
        return container.open(x, reading, name)
    if is_spark(x):
        raise DataError(
            "the rows of a Spark DataFrame are on Spark. fit, cross_validate, compare, learning_curve, "
            "describe and transform go there; for anything else collect them: frame.toArrow()."
        )
    if isinstance(x, Iterator):
        raise DataError(
            f"cannot read a table from {shown(type(x).__name__)}: rows may be needed more than once. Pass "
            "list(rows), or batches as pyarrow.RecordBatchReader.from_batches(schema, batches)."
        )
    raise DataError(
        f"cannot read a table from {shown(type(x).__name__)}. "
        "Pass a path, a pandas or polars DataFrame, Arrow, a 2-D NumPy array, or a list of dicts."
    )
