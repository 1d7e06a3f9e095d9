"""Cells in SQL, read by DuckDB and SQLite themselves: missing is NULL, a level its text."""

from __future__ import annotations

import sqlite3

import duckdb
import pytest

from tallystick.export.form import Form
from tallystick.export.sql import cell, raw, unseen_count
from tallystick.export.sql_dialects import DIALECTS
from tallystick.schema import Column

NUMBER = Column("n", "numeric")
DAY = Column("d", "numeric", unit="date")
LEVELS = Column("c", "levels", levels=("1", "u", "it's"))
YES = Column("b", "boolean", levels=("no", "yes"))


def asked(dialect, column, literal):
    """Return what a cell is to the model, by the database."""
    form = Form("naive-bayes", "y", ("p", "q"), (column,), ("?", "-999"), "")
    sql = DIALECTS[dialect]
    name = sql.name_of(column.name)
    rows = f"(SELECT {raw(form, column, sql, name)} AS {name} FROM (SELECT {literal} AS {name}))"
    text = f"SELECT {cell(form, column, sql)} FROM {rows}"
    if dialect == "duckdb":
        return duckdb.sql(text).fetchall()[0][0]
    base = sqlite3.connect(":memory:")
    try:
        return base.execute(text).fetchone()[0]
    finally:
        base.close()


@pytest.mark.slow
@pytest.mark.parametrize("dialect", ["duckdb", "sqlite"])
@pytest.mark.parametrize(
    ("column", "literal", "wanted"),
    [
        (NUMBER, "2.5", 2.5),
        (NUMBER, "' 007 '", 7.0),
        (NUMBER, "'?'", None),
        (NUMBER, "'N/A'", None),
        (NUMBER, "NULL", None),
        (NUMBER, "-999", None),
        (DAY, "'1970-01-03'", 2.0),
        (LEVELS, "'u'", "u"),
        (LEVELS, "' it''s '", "it's"),
        (LEVELS, "1.0", "1"),
        (LEVELS, "'?'", None),
        (LEVELS, "'new'", "new"),
        (YES, "'YES'", "yes"),
    ],
)
def test_a_cell_is_what_the_model_takes_it_for(dialect, column, literal, wanted):
    assert asked(dialect, column, literal) == wanted


def test_a_text_that_is_not_a_number_is_the_databases_error():
    with pytest.raises(duckdb.Error, match="column n needs a number, found: old"):
        asked("duckdb", NUMBER, "'old'")


def test_levels_never_seen_are_counted():
    form = Form("naive-bayes", "y", ("p", "q"), (NUMBER, LEVELS, YES), (), "")
    count = unseen_count(form, DIALECTS["duckdb"])
    found = duckdb.sql(f"SELECT {count} FROM (SELECT 1 AS n, 'new' AS c, 'yes' AS b)").fetchall()
    assert found == [(1,)]
    assert unseen_count(Form("naive-bayes", "y", (), (NUMBER,), (), ""), DIALECTS["duckdb"]) == "0"
