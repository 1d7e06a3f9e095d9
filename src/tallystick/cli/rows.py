"""Rows out, batch by batch: CSV, JSON lines or Parquet; to a file, whole or not at all, or printed.

Knows Arrow tables and files. Knows nothing of models.
Laws: memory does not grow with the rows; in CSV, text that a spreadsheet would run as a formula gets a
leading apostrophe unless `raw`, and numbers stay numbers.
"""

from __future__ import annotations

import itertools
import json
import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc

from tallystick.cli import screen
from tallystick.draw.text import clean
from tallystick.errors import DataError, OptionError, shown

if TYPE_CHECKING:
    from tallystick.files.whole import Sink

NUMBER = r"^\s*[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?\s*$"
# What spreadsheets take for the beginning of a formula: a sign, also a full-width one, after spaces of any
# kind and characters that show nothing; and a cell that a tab or a line end begins.
FORMULA = r"^[\t\r\n]|^[\s\pZ\p{Cc}\p{Cf}]*[=+\-@＝＋－＠]"
SPECIAL = '[,"\r\n]|^ | $'  # what must be quoted
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
    from tallystick.files.whole import whole_file

    with whole_file(output, "file", DataError) as file:
        return _parquet(tables, file) if form == "parquet" else _lines(tables, file.write, form, raw)


def _to_screen(tables: Iterator[pa.Table], raw: bool) -> int:
    """Print CSV; on a terminal nothing may move the cursor."""
    if screen.is_terminal(sys.stdout):

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

    writer, rows = None, 0
    for table in tables:
        writer = writer or pq.ParquetWriter(file, table.schema)
        writer.write_table(table)
        rows += table.num_rows
    if writer is not None:
        writer.close()
    return rows


def json_lines(table: pa.Table) -> bytes:
    """Return one JSON object per row; NaN becomes null."""
    rows = table.to_pylist()
    return "".join(json.dumps(row, ensure_ascii=False, default=str) + "\n" for row in rows).encode()


def csv_header(names: list[str], raw: bool) -> bytes:
    """Return the names as one line of CSV."""
    texts = _cells(pa.array(names, pa.large_string()), raw)
    return (",".join(texts.to_pylist()) + "\n").encode()


def csv_lines(table: pa.Table, raw: bool) -> bytes:
    """Return the rows as lines of CSV, quoted where needed."""
    if table.num_rows == 0:
        return b""
    columns = [_cells(column.combine_chunks(), raw) for column in table.columns]
    if len(columns) == 1:  # an empty line would be no row
        columns = [pc.if_else(pc.equal(columns[0], _text("")), _text('""'), columns[0])]
    lines = pc.binary_join_element_wise(*columns, _text(","))
    return ("\n".join(lines.to_pylist()) + "\n").encode()


def _text(text: str) -> Any:
    return pa.scalar(text, pa.large_string())


def _cells(column: Any, raw: bool) -> Any:
    """Return cells as CSV texts: missing is empty, text quoted where needed, formulas made harmless."""
    if isinstance(column, pa.ChunkedArray):
        column = pa.concat_arrays(column.chunks) if column.num_chunks else pa.array([], column.type)
    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    written = pa.types.is_string(column.type) or pa.types.is_large_string(column.type)
    texts = pc.fill_null(column.cast(pa.large_string()), "")
    if not written:
        return texts
    if not raw:
        harmful = pc.and_not(
            pc.match_substring_regex(texts, FORMULA), pc.match_substring_regex(texts, NUMBER)
        )
        texts = pc.if_else(harmful, pc.binary_join_element_wise(_text("'"), texts, _text("")), texts)
    doubled = pc.replace_substring(texts, '"', '""')
    quoted = pc.binary_join_element_wise(_text('"'), doubled, _text('"'), _text(""))
    return pc.if_else(pc.match_substring_regex(texts, SPECIAL), quoted, texts)
