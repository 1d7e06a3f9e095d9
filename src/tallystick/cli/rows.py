"""Rows out, batch by batch: CSV, JSON lines or Parquet; to a file, whole or not at all, or printed.

Knows Arrow tables and files. Knows nothing of models.
Law: memory does not grow with the rows.
"""

from __future__ import annotations

import itertools
import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from tallystick.cli import options
from tallystick.errors import DataError, OptionError, clean, shown
from tallystick.export.rows import csv_header, csv_lines, json_lines

if TYPE_CHECKING:
    from tallystick.files import Sink


FORMATS = {".csv": "csv", ".parquet": "parquet", ".jsonl": "jsonl", ".ndjson": "jsonl"}


def write_rows(tables: Iterator[pa.Table], output: str | None, raw: bool) -> int:
    """Write every table and return the rows; the format goes by the ending of the output's name."""
    # The first rows are made before anything is written: most errors come with them.
    tables = itertools.chain(list(itertools.islice(tables, 2)), tables)
    if output is None:
        return _to_screen(tables, raw)
    form = FORMATS.get(Path(output).suffix.lower())
    if form is None and os.path.exists(output) and not os.path.isfile(output):
        form = "csv"  # a device or a pipe has no ending
    if form is None:
        known = ", ".join(FORMATS)
        raise OptionError(f"-o {shown(output)} has no known ending. Use one of: {known}.")
    from tallystick.files import whole_file

    with whole_file(output, "file", DataError) as file:
        return _parquet(tables, file) if form == "parquet" else _lines(tables, file.write, form, raw)


def _to_screen(tables: Iterator[pa.Table], raw: bool) -> int:
    """Print CSV; on a terminal nothing may move the cursor."""
    if options.is_terminal(sys.stdout):

        def show(data: bytes) -> None:
            print("\n".join(clean(line) for line in data.decode().split("\n")), end="")

        return _lines(tables, show, "csv", raw)
    sys.stdout.flush()
    with os.fdopen(os.dup(sys.stdout.fileno()), "wb") as out:
        return _lines(tables, out.write, "csv", raw)


def _lines(tables: Iterator[pa.Table], write: Callable[[bytes], Any], form: str, raw: bool) -> int:
    rows = 0
    for i, table in enumerate(tables):
        if form == "jsonl":
            write(json_lines(table))
        else:
            write((csv_header(table.column_names, raw) if i == 0 else b"") + csv_lines(table, raw))
        rows += table.num_rows
    return rows


def _parquet(tables: Iterator[pa.Table], file: Sink) -> int:
    import pyarrow.parquet as pq

    first, rows = next(tables, None), 0
    if first is None:
        return 0
    with pq.ParquetWriter(file, first.schema) as writer:
        for table in itertools.chain([first], tables):
            writer.write_table(_as_before(table, first.schema))
            rows += table.num_rows
    return rows


def _as_before(table: pa.Table, schema: pa.Schema) -> pa.Table:
    """Return a table in the schema of those before it: files may hold a column that is copied in different
    types.
    """
    from tallystick.io.frames import alike, common

    if table.schema.equals(schema):
        return table
    every = common([schema, table.schema], schema.names, joins=False)
    for was, own, one in zip(schema, table.schema, every, strict=True):
        if not one.type.equals(was.type):
            raise DataError(
                f"column {shown(was.name)} is of type {shown(was.type)} in the first rows and "
                f"{shown(own.type)} in later ones; in Parquet it has one. Write CSV (-o out.csv), or give "
                "the column one type in all files."
            )
    return pa.Table.from_batches([alike(batch, schema) for batch in table.to_batches()], schema)
