"""What differs between databases: no name and no text leaves its quotes."""

from __future__ import annotations

import exports as e
import pytest

from tallystick.errors import OptionError
from tallystick.export.sql.dialect import DIALECTS


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
