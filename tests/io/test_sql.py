"""Queries and relations as tables."""

from __future__ import annotations

import pytest

from tallystick.errors import DataError
from tallystick.io.open import open_source, read
from tallystick.table.reader import read_table

RECORDS = [
    {"x": 1.5, "w": "a", "b": True},
    {"x": None, "w": "b", "b": False},
    {"x": 2.5, "w": "a", "b": True},
]


def rows_of(x):
    return [tuple(row.values()) for batch in open_source(x).batches() for row in batch.to_pylist()]


@pytest.mark.slow
def test_queries_and_relations_are_tables(tmp_path):
    duckdb = pytest.importorskip("duckdb")
    path = tmp_path / "t.csv"
    path.write_text("x,w,y\n1.5,a,p\n2.5,b,q\n3.5,a,p\n")
    plain = read_table(open_source(path), target="y")
    for x in (f"SELECT * FROM '{path}'", f"from '{path}'", duckdb.sql(f"SELECT * FROM '{path}'")):
        source = open_source(x)
        assert rows_of(source) == rows_of(source)
        table = read_table(source, target="y")
        assert (table.schema, table.fingerprint) == (plain.schema, plain.fingerprint)
    with pytest.raises(DataError, match=r"the query cannot be run: .*nowhere"):
        open_source("select nope from 'nowhere.csv'")


@pytest.mark.parametrize("query", ["SELECT '\ud800' AS x", 5, b"SELECT 1", ["SELECT 1"]], ids=ascii)
def test_what_is_no_text_is_no_query(query):
    with pytest.raises(DataError, match="is not a query"):
        read(sql=query)
