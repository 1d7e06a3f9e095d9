"""The terms of additive models in SQL, added by DuckDB itself."""

from __future__ import annotations

import duckdb
import pytest

from tallystick.export.form import Form
from tallystick.export.sql import LONGEST_TERM as LONGEST
from tallystick.export.sql import prior, score
from tallystick.export.sql_dialects import DIALECTS
from tallystick.schema import Column

DUCKDB = DIALECTS["duckdb"]
COLUMNS = (Column("c", "levels", levels=("u", "v")), Column("n", "numeric"))
LEVELS = {"name": "c", "column": 0, "table": [[1.0, -1.0], [2.0, -2.0], [0.25, 0.0], [0.0, 0.0]]}
BINS = {"name": "n", "column": 1, "cuts": [3.0, 5.0], "table": [[1.0], [2.0], [4.0], [0.5]]}
LINE = {"name": "n", "column": 1, "slope": [2.0], "at_zero": [-1.0], "missing": [7.0]}
BELL = {"name": "n", "column": 1, "mean": [4.0], "half": [0.5], "constant": [-1.0]}
PRODUCT = {"name": "n × c", "factors": [[1, None], [0, 1]], "slope": [3.0], "centre": 0.5}


def added(term, c, n, base=(0.5, 0.25), **more):
    form = Form("naive-bayes", "y", ("p", "q"), COLUMNS, (), "", base=base, terms=(term,), **more)
    text = (
        f"SELECT {score(form, 0, DUCKDB)} FROM (SELECT CAST({c} AS VARCHAR) AS c, CAST({n} AS DOUBLE) AS n)"
    )
    return duckdb.sql(text).fetchall()[0][0]


@pytest.mark.parametrize(
    ("term", "c", "n", "part"),
    [
        (LEVELS, "'u'", "0", 1.0),
        (LEVELS, "'v'", "0", 2.0),
        (LEVELS, "NULL", "0", 0.25),
        (LEVELS, "'new'", "0", 0.0),
        (BINS, "'u'", "2.9", 1.0),
        (BINS, "'u'", "3", 2.0),
        (BINS, "'u'", "5", 4.0),
        (BINS, "'u'", "NULL", 0.5),
        (LINE, "'u'", "3", 5.0),
        (LINE, "'u'", "NULL", 7.0),
        (LINE, "'u'", "1.7e308", 1e300),
        (BELL, "'u'", "6", -3.0),
        (BELL, "'u'", "NULL", 0.0),
        (PRODUCT, "'v'", "2", 6.0),
        (PRODUCT, "'u'", "2", 0.0),
        (PRODUCT, "'v'", "NULL", 1.5),
    ],
)
def test_a_term_adds_its_part(term, c, n, part):
    assert added(term, c, n) == 0.5 + part


def test_a_calibrated_score_is_stretched_and_shifted():
    assert added(LEVELS, "'u'", "0", slope=2.0, shift=(0.25, 0.0)) == 2.0 * 1.5 + 0.25
    form = Form(
        "naive-bayes", "y", ("p", "q"), COLUMNS, (), "", base=(0.5, 0.25), slope=2.0, shift=(0.25, 0.0)
    )
    assert prior(form, 0, DUCKDB) == "1.25e0"


@pytest.mark.slow
def test_a_long_sum_is_not_nested_as_deep_as_it_is_long():
    terms = tuple(LEVELS for _ in range(3 * LONGEST))
    form = Form("naive-bayes", "y", ("p", "q"), COLUMNS, (), "", base=(0.0, 0.0), terms=terms)
    found = duckdb.sql(f"SELECT {score(form, 0, DUCKDB)} FROM (SELECT 'u' AS c, 1e0 AS n)").fetchall()
    assert found == [(300.0,)]
