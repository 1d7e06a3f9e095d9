"""SQL: a DuckDB relation, or a query over files. Each walk runs the query again.

Knows DuckDB, which is an extra. Knows nothing of what the query means.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pyarrow as pa

from tallystick.data.schema import Reading
from tallystick.data.source.frames import Stream
from tallystick.data.source.names import clean_names
from tallystick.errors import DataError, shown

BATCH = 65_536
_QUERY = re.compile(r"\s*(select|with|from)\s", re.IGNORECASE)


def is_query(text: str) -> bool:
    """Does a text begin as an SQL query does?"""
    return _QUERY.match(text) is not None


def open_query(query: str, reading: Reading, name: str | None) -> Stream:
    """Open the rows of a query; files are named in quotes, as in SELECT * FROM 'votes.csv'."""
    try:
        import duckdb
    except ImportError:
        raise DataError("an SQL query needs DuckDB. Install it: pip install 'tallystick[sql]'.") from None
    try:
        return open_relation(duckdb.connect(":memory:").sql(query), reading, name or "the query")
    except duckdb.Error as error:
        raise DataError(
            f"the query cannot be run: {shown(str(error).splitlines()[0], 300)}. Correct it."
        ) from None


def open_relation(relation: Any, reading: Reading, name: str | None) -> Stream:
    """Open a DuckDB relation."""
    where = name or "the relation"
    names, notes = clean_names(list(relation.columns), where)

    def walk() -> Iterator[pa.RecordBatch]:
        yield from relation.to_arrow_reader(BATCH)

    return Stream(where, names, walk, notes, reading)
