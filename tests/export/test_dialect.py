"""What differs between databases: no name and no text leaves its quotes."""

from __future__ import annotations

import re

import exports as e
import pytest

from tallystick.errors import OptionError
from tallystick.export.sql_dialects import DIALECTS


@pytest.mark.slow
@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"dialect": "duckdbb"}, "there is no SQL dialect 'duckdbb'. Did you mean 'duckdb'"),
        ({"table": ""}, "table='' is not a table name"),
        (
            {"format": "text"},
            "the export to sql has no option 'format'. It takes dialect, table, keep, unseen, reasons.",
        ),
    ],
)
def test_wrong_options_are_named(options, words):
    with pytest.raises(OptionError, match="^" + words.replace(".", r"\.")):
        e.fitted("bayes").export("sql", **options)


def test_no_name_and_no_text_leaves_its_quotes():
    duckdb, spark = DIALECTS["duckdb"], DIALECTS["spark"]
    assert duckdb.name_of('a"; DROP TABLE x; --') == '"a""; DROP TABLE x; --"'
    assert duckdb.literal("it's") == "'it''s'"
    assert spark.name_of("a`b") == "`a``b`"
    assert spark.literal("it's \\ ${x}") == "'it\\'s \\\\ \\u0024{x}'"
    with pytest.raises(OptionError, match="holds the character NUL"):
        duckdb.literal("a\0b")


def test_numbers_read_back_as_the_same_double():
    duckdb = DIALECTS["duckdb"]
    assert [duckdb.number(v) for v in (3.0, 0.5, -2.25)] == ["3", "0.5", "-2.25"]
    assert duckdb.number(0.1 + 0.2) == "0.30000000000000004e0"
    assert (duckdb.double(1.0), duckdb.double(1e300)) == ("1.0e0", "1e+300")
    assert duckdb.double(None) == "CAST('-Infinity' AS DOUBLE)"
    assert DIALECTS["sqlite"].double(None) == "-9e999"
    assert (duckdb.literal(True), duckdb.literal(7), duckdb.literal(0.5)) == ("TRUE", "7", "0.5e0")


def test_names_are_folded_and_cut_as_the_database_does():
    assert DIALECTS["duckdb"].fold("ÄA") == DIALECTS["duckdb"].fold("Äa") != DIALECTS["duckdb"].fold("äa")
    assert DIALECTS["postgres"].fold("A") != DIALECTS["postgres"].fold("a")
    long = DIALECTS["postgres"]
    assert long.fold("n" * 70 + "1") == long.fold("n" * 70 + "2")
    assert len((long.cut("é" * 60, "_12") + "_12").encode()) <= long.longest


def test_the_greatest_of_many_is_nested_and_of_one_is_itself():
    duckdb = DIALECTS["duckdb"]
    assert duckdb.top(["a"]) == "a"
    assert duckdb.top(["a", "b"]) == "greatest(a, b)"
    many = duckdb.top([str(i) for i in range(120)])
    assert many.count("greatest(") == 4
    assert many.startswith("greatest(greatest(0, 1,")


def test_texts_and_names_of_databases_elsewhere_stay_inside_their_quotes():
    tsql, bigquery, snowflake = (DIALECTS[name] for name in ("tsql", "bigquery", "snowflake"))
    assert tsql.name_of("a]b") == "[a]]b]"
    assert tsql.literal("it's \\ é") == "N'it''s \\ é'"
    assert bigquery.name_of("a`b\\") == "`a\\`b\\\\`"
    assert bigquery.literal("it's\n\\") == "'it\\'s\\n\\\\'"
    assert snowflake.name_of('a"b') == '"a""b"'
    assert snowflake.literal("it's \\") == "'it''s \\\\'"


def test_numbers_of_databases_elsewhere():
    tsql, bigquery, snowflake = (DIALECTS[name] for name in ("tsql", "bigquery", "snowflake"))
    assert [d.double(None) for d in (tsql, bigquery)] == ["-1e290", "CAST('-Infinity' AS FLOAT64)"]
    assert snowflake.double(None) == "'-inf'::DOUBLE"
    assert [snowflake.double(v) for v in (0.5, 1e-30)] == ["0.5::DOUBLE", "'1e-30'::DOUBLE"]
    assert [tsql.number(0.5), bigquery.number(0.5)] == ["0.5e0", "0.5"]
    assert tsql.literal(True) == "CAST(1 AS BIT)"
    assert tsql.top(["a", "b"]) == "(SELECT MAX(v) FROM (VALUES (a), (b)) AS o (v))"
    assert [d.joined("a", "b") for d in (tsql, bigquery)] == ["CONCAT(a, b)", "a || b"]


def deepest(select: str) -> int:
    """Return how deep CASE is nested; COALESCE is a CASE to SQL Server."""
    most = deep = 0
    for word in re.findall(r"'(?:[^']|'')*'|\[(?:[^\]]|\]\])*\]|\bCASE\b|\bEND\b|coalesce\(|\(|\)", select):
        if word in ("CASE", "END"):
            deep += 1 if word == "CASE" else -1
        most = max(most, deep)
    return most + ("coalesce(" in select)


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", ["tree", "tree observed", "bayes", "logistic products", "card crossed", "rules"]
)
def test_sql_server_nests_ten_cases_at_most(name):
    select = e.fitted(name).export("sql", dialect="tsql", reasons=3 if name.startswith("card") else 0)
    body = "\n".join(line for line in select.splitlines() if not line.startswith("--"))
    assert 1 < deepest(body) <= 10
