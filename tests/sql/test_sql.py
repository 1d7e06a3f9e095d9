"""Models of rows in a database: the bytes of the fit here, and only totals travel."""

from __future__ import annotations

import datetime
import decimal

import numpy as np
import pandas as pd
import pytest
from sql_tables import awkward, put

import tallystick as ts
from tallystick.errors import DataError, OptionError, TargetError

pytestmark = pytest.mark.slow

FRAME = awkward()
LEARNERS = {
    "bayes, gaussian": lambda **given: ts.NaiveBayes(distributions="gaussian", **given),
    "bayes, chosen": lambda **given: ts.NaiveBayes(**given),
    "bayes, bins": lambda **given: ts.NaiveBayes(distributions="binned", **given),
    "tree, bins": lambda **given: ts.DecisionTree(max_bins=8, max_depth=4, **given),
    "tree, all values": lambda **given: ts.DecisionTree(max_depth=3, class_weight="balanced", **given),
    "card": lambda **given: ts.Scorecard(**given),
    "card, few lines, cuts": lambda **given: ts.Scorecard(
        cuts={"x": [2.0, 5.5]}, max_lines=4, max_columns=4, class_weight="balanced", **given
    ),
    "c4.5's cuts": lambda **given: ts.DecisionTree(max_depth=3, cuts="observed", **given),
}


@pytest.fixture(scope="module")
def address(database):
    return put(database, "awkward", FRAME)


@pytest.mark.parametrize("name", LEARNERS)
@pytest.mark.parametrize("weights", [None, "w"])
def test_the_model_is_that_of_the_rows_here_byte_for_byte(address, name, weights):
    frame = FRAME if weights else FRAME.drop(columns="w")
    own = {} if weights else {"kinds": {"w": "out"}}
    here = LEARNERS[name](**own).fit(FRAME, "y", weights)
    there = LEARNERS[name](engine=ts.Sql(), **own).fit(address, "y", weights)
    assert there.to_bytes() == here.to_bytes()
    assert not [note for note in there.source_notes_ if note.code == "rows-fetched"]
    assert there.predict(frame).tolist() == here.predict(frame).tolist()


@pytest.mark.parametrize(
    ("method", "settings", "why"),
    [
        (ts.LogisticRegression, {}, "asks for more than a database sums"),
        (ts.NaiveBayes, {"calibrate": True}, "calibrate=True needs"),
        (ts.DecisionTree, {"pruning": "cost-complexity"}, "pruning needs single rows"),
    ],
)
def test_what_a_database_cannot_sum_is_fetched_and_said(address, method, settings, why):
    there = method(engine=ts.Sql(), **settings).fit(address, "y")
    assert there.to_bytes() == method(**settings).fit(FRAME, "y").to_bytes()
    (note,) = (note for note in there.source_notes_ if note.code == "rows-fetched")
    assert why in note.text


def test_a_tree_that_tells_many_numbers_apart_is_grown_of_fetched_rows(database):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"x": rng.normal(size=2000), "y": rng.integers(0, 2, 2000)})
    address = put(database, "many", frame)
    there = ts.DecisionTree(max_depth=3, engine=ts.Sql()).fit(address, "y")
    assert there.to_bytes() == ts.DecisionTree(max_depth=3).fit(frame, "y").to_bytes()
    assert [note.code for note in there.source_notes_] == ["rows-fetched"]
    binned = ts.DecisionTree(max_depth=3, max_bins=16, engine=ts.Sql()).fit(address, "y")
    assert binned.to_bytes() == ts.DecisionTree(max_depth=3, max_bins=16).fit(frame, "y").to_bytes()
    assert not binned.source_notes_


def test_a_sample_of_values_is_the_same_where_values_are_many(duckdb_file):
    rng = np.random.default_rng(0)
    x = np.where(np.arange(70_000) % 3 == 0, rng.normal(size=70_000), rng.exponential(size=70_000) ** 3)
    frame = pd.DataFrame({"x": x, "y": rng.integers(0, 3, 70_000) + 5})
    address = put(duckdb_file, "sampled", frame)
    there = ts.NaiveBayes(engine=ts.Sql()).fit(address, "y")
    assert there.to_bytes() == ts.NaiveBayes().fit(frame, "y").to_bytes()
    assert not there.source_notes_


@pytest.mark.parametrize("labels", [[1, 2, 1, 2] * 30, [True, False] * 60, ["a", "b", "a", "b'"] * 30])
def test_labels_of_every_type_are_those_of_the_rows_here(database, labels):
    frame = pd.DataFrame({"x": np.arange(120) % 7, "lab el": labels})
    address = put(database, f"labels {type(labels[0]).__name__}", frame)
    there = ts.NaiveBayes(engine=ts.Sql()).fit(address, "lab el")
    assert there.to_bytes() == ts.NaiveBayes().fit(frame, "lab el").to_bytes()
    assert there.classes_.tolist() == sorted(set(labels))


def test_a_table_of_any_type_that_is_not_summed_there_is_fetched(database):
    times = [datetime.time(8, 30), datetime.time(9), datetime.time(12, 5)] * 20
    frame = pd.DataFrame({"at": times, "x": np.arange(60) % 9, "y": ["a", "b", "a", "b"] * 15})
    address = put(database, "times", frame)
    there = ts.NaiveBayes(engine=ts.Sql()).fit(address, "y")
    assert there.to_bytes() == ts.NaiveBayes().fit(address, "y").to_bytes()
    assert "column 'at' holds cells of type time64" in there.source_notes_[0].text


@pytest.mark.parametrize("method", [ts.NaiveBayes, ts.DecisionTree, ts.Scorecard])
def test_decimals_and_moments_are_summed_there_as_the_numbers_they_are_here(database, method):
    n, rng = 400, np.random.default_rng(1)
    cents = rng.integers(-90_000, 90_000, n)
    day = pd.Timestamp("1969-06-01") + pd.to_timedelta(rng.integers(0, 400, n), "D")
    at = day + pd.to_timedelta(rng.integers(0, 86_400_000_000, n), "us")
    frame = pd.DataFrame(
        {
            "price": [
                None if i % 9 == 0 else decimal.Decimal(int(c)).scaleb(-2) for i, c in enumerate(cents)
            ],
            "few": [decimal.Decimal(i % 3) / 2 for i in range(n)],
            "day": day.date,
            "at": at.astype("datetime64[us]").where(rng.random(n) > 0.1),
            "y": np.where(cents + rng.normal(0, 40_000, n) > 0, "up", "down"),
        }
    )
    address = put(database, f"moments {method.__name__}", frame)
    there = method(engine=ts.Sql()).fit(address, "y")
    assert there.to_bytes() == method().fit(address, "y").to_bytes()
    fetched = [note for note in there.source_notes_ if note.code == "rows-fetched"]
    assert not fetched


def test_wishes_for_columns_hold_there_as_here(address):
    wishes = ts.Columns(
        kinds={"v": "levels", "wide": "out"}, missing=["?", "sun"], merge={"sky": {"snow": ["snow", "é"]}}
    )
    there = ts.NaiveBayes(engine=ts.Sql(), columns=wishes).fit(address, "y")
    here = ts.NaiveBayes(columns=wishes).fit(FRAME, "y")
    assert (there.to_bytes(), there.source_notes_) == (here.to_bytes(), here.source_notes_)


def test_an_address_is_a_source_of_rows_everywhere(address):
    here = ts.LogisticRegression().fit(FRAME, "y")
    assert ts.LogisticRegression().fit(address, "y").to_bytes() == here.to_bytes()
    assert here.predict(address).tolist() == here.predict(FRAME).tolist()


def test_a_connection_and_the_name_of_a_table_say_the_same(duckdb_file):
    import duckdb

    with duckdb.connect() as base:
        base.register("rows", FRAME)
        there = ts.NaiveBayes(engine=ts.Sql(base)).fit("rows", "y")
        assert base.execute("SELECT COUNT(*) FROM rows").fetchone() == (len(FRAME),)  # it is still open
    assert there.to_bytes() == ts.NaiveBayes().fit(FRAME, "y").to_bytes()


def test_a_connection_to_postgresql_stays_as_it_was(postgres):
    import adbc_driver_postgresql.dbapi as driver

    put(postgres, "kept", FRAME)
    with driver.connect(postgres) as base:
        there = ts.NaiveBayes(engine=ts.Sql(base)).fit("kept", "y")
        with base.cursor() as cursor:
            cursor.execute("SELECT COUNT(*) FROM kept")
            assert cursor.fetchone() == (len(FRAME),)
    assert there.to_bytes() == ts.NaiveBayes().fit(FRAME, "y").to_bytes()


def test_progress_is_told(address):
    seen = []
    engine = ts.Sql(progress=lambda done, of: seen.append((done, of)))
    ts.NaiveBayes(engine=engine).fit(address, "y")
    assert set(seen) == {(598, 598)}


def test_what_is_wrong_is_said_before_the_work(address, tmp_path):
    with pytest.raises(TargetError, match=r"there is no column 'Y' in table 'awkward' of .*Did you mean 'y'"):
        ts.NaiveBayes(engine=ts.Sql()).fit(address, "Y")
    with pytest.raises(TargetError, match="y of a table in a database is the name of one of its columns"):
        ts.NaiveBayes(engine=ts.Sql()).fit(address, FRAME["y"])
    with pytest.raises(OptionError, match="sums a table of a database, and X is"):
        ts.NaiveBayes(engine=ts.Sql()).fit(FRAME, "y")
    with pytest.raises(OptionError, match="and X is 'mysql://host/base'"):  # nobody sees the password
        ts.NaiveBayes(engine=ts.Sql()).fit("mysql://me:secret@host/base", "y")
    with pytest.raises(DataError, match=r"there is no table 'awkwrd'.*Did you mean 'awkward'"):
        ts.NaiveBayes(engine=ts.Sql()).fit(address.replace("table=awkward", "table=awkwrd"), "y")
