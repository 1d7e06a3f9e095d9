"""The reasons that a database finds are those of the model."""

from __future__ import annotations

import shutil

import databases
import exports as e
import pytest
import small_cards as s

from tallystick.errors import OptionError
from tallystick.export.sql import refuse_reasons, sql
from tallystick.scorecard.explain import card_form

pytestmark = pytest.mark.slow

KEY = "row number"
CARDS = ["card", "card three", "card crossed"]


def check(run, dialect, name, most=4):
    model, rows = e.fitted(name), {n: cells[:400] for n, cells in e.new_rows(name).items()}
    select = model.export("sql", dialect=dialect, keep=KEY, reasons=most)
    found = run(select, {KEY: list(range(400))} | rows)
    got = {}
    for i, key in enumerate(found[KEY]):
        told = [found[f"reason_{k}"][i] for k in range(1, most + 1)]
        got[int(key)] = [text for text in told if text not in (None, "")]
    assert [got[k] for k in range(400)] == [[c.text for c in r] for r in model.reasons(rows, most)]


@pytest.mark.parametrize("name", CARDS)
@pytest.mark.parametrize("dialect", ["duckdb", "sqlite"])
def test_the_reasons_are_those_of_the_model(dialect, name):
    with getattr(databases, dialect)() as run:
        check(run, dialect, name)


@pytest.mark.parametrize("dialect", ["tsql", "bigquery", "snowflake"])
def test_the_reasons_of_a_translated_select_are_those_of_the_model(dialect):
    pytest.importorskip("sqlglot")
    with databases.translated(dialect) as run:
        for name in CARDS[1:]:
            check(run, dialect, name, 2)


@pytest.mark.skipif(
    shutil.which("pg_ctlcluster") is None or databases.POSTGRES is None, reason="PostgreSQL is not installed"
)
def test_the_reasons_in_postgresql_are_those_of_the_model():
    with databases.postgres() as run:
        for name in CARDS:
            check(run, "postgres", name)


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("java") is None, reason="java is not installed")
def test_the_reasons_in_spark_are_those_of_the_model():
    pytest.importorskip("pyspark")
    with databases.spark() as run:
        for name in CARDS:
            check(run, "spark", name, 2)


def test_reasons_are_refused_for_other_models_and_other_numbers():
    for given in (-1, 51, 1.5, "four", True):
        with pytest.raises(OptionError, match="reasons must be a whole number from 0 to 50"):
            refuse_reasons(card_form(s.three(), ""), given)
    with pytest.raises(OptionError, match="reasons are for a scorecard"):
        e.fitted("bayes").export("sql", reasons=2)
    assert "reason_" not in sql(card_form(s.three(), ""))


def test_a_kept_column_may_not_be_called_as_a_reason():
    with pytest.raises(OptionError, match="two columns called 'reason_1'"):
        sql(card_form(s.three(), ""), keep=["reason_1"], reasons=1)
