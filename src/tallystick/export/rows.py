"""Rows as text: CSV and JSON lines of Arrow tables.

Law: in CSV, text that a spreadsheet would run as a formula gets a leading apostrophe unless `raw`, and
numbers stay numbers; a number reads back as the same double.
"""

from __future__ import annotations

import json
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from tallystick.errors import DataError, shown

NUMBER = r"^ *[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)? *$"  # a tab or a line end is not part of one
# What spreadsheets take for the beginning of a formula: a sign, also a full-width one, after spaces of any
# kind and characters that show nothing; and a cell that a tab or a line end begins.
FORMULA = r"^[\t\r\n]|^[\s\pZ\p{Cc}\p{Cf}]*[=+\-@＝＋－＠]"
SPECIAL = '[,"\r\n]|^ | $'  # what must be quoted


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
    columns = [_named_cells(name, table.column(name), raw) for name in table.column_names]
    if len(columns) == 1:  # an empty line would be no row
        columns = [pc.if_else(pc.equal(columns[0], _text("")), _text('""'), columns[0])]
    lines = pc.binary_join_element_wise(*columns, _text(","))
    return ("\n".join(lines.to_pylist()) + "\n").encode()


def _text(text: str) -> Any:
    return pa.scalar(text, pa.large_string())


def _named_cells(name: str, column: Any, raw: bool) -> Any:
    try:
        return _cells(column, raw)
    except pa.ArrowException as error:
        raise DataError(
            f"column {shown(name)} is of type {shown(column.type)}, which CSV has no text for. Leave it out, "
            "or write Parquet."
        ) from error


def _cells(column: Any, raw: bool) -> Any:
    """Return cells as CSV texts: missing is empty, text quoted where needed, formulas made harmless."""
    if pa.types.is_dictionary(column.type):  # before they are joined: narrow codes may not do for all values
        column = column.cast(column.type.value_type)
    if isinstance(column, pa.ChunkedArray):
        column = pa.concat_arrays(column.chunks) if column.num_chunks else pa.array([], column.type)
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
