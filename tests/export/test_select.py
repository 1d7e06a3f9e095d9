"""SQL exports, run by the databases themselves: no label differs, shares to 1e-9, names stay names."""

from __future__ import annotations

import shutil
import sqlite3
from typing import Any

import databases
import duckdb
import exports as e
import numpy as np
import pytest

import tallystick as ts
from tallystick.errors import DataError, OptionError
from tallystick.export.sql_dialects import DIALECTS

pytestmark = pytest.mark.slow

KEY = "row number"
SQL_MODELS = [name for name in e.MODELS if name != "tree c4.5"]
HERE = {"duckdb": databases.duckdb, "sqlite": databases.sqlite}
FEWER = 4_000  # rows for a server, which is asked of all models at once
ELSEWHERE = ("tsql", "bigquery", "snowflake")  # translated to DuckDB by sqlglot


def with_key(table: dict[str, list[Any]]) -> dict[str, list[Any]]:
    return {KEY: list(range(len(next(iter(table.values()))))), **table}


def answers(found: dict[str, list[Any]], like: Any) -> tuple[list[Any], np.ndarray]:
    """Return labels and shares in the order of the key; a database may give labels as text, or 1 for true."""
    order = np.argsort(np.array(found[KEY], np.int64))
    read = {"t": True, "f": False, True: True, False: False}  # 1 and 0 are found as True and False
    labels = [found["prediction"][i] for i in order]
    labels = [read[v] if isinstance(like, bool) else type(like)(v) for v in labels]
    names = [n for n in found if n.startswith(("P(", "P_"))] or ["prediction"]
    return labels, np.array([[float(found[n][i]) for n in names] for i in order])


def check(run: databases.Run, dialect: str, name: str, rows: int = e.ROWS) -> None:
    select = e.fitted(name).export("sql", dialect=dialect, keep=KEY)
    table, (labels, shares) = e.new_rows(name), e.expected(name)
    found = answers(run(select, with_key({n: cells[:rows] for n, cells in table.items()})), labels[0])
    assert len(found[0]) == rows
    e.same((found[0] + labels[rows:], np.vstack([found[1], shares[rows:]])), name)


@pytest.mark.parametrize("dialect", HERE)
@pytest.mark.parametrize("name", SQL_MODELS)
def test_a_database_in_this_process_answers_what_the_model_answers(name, dialect):
    with HERE[dialect]() as run:
        check(run, dialect, name)


def big_tree() -> Any:
    """A tree of at least 10,000 nodes, deeper than databases nest."""
    r = np.random.default_rng(3)
    columns = {f"x{j}": r.integers(0, 3000, 16_000).astype(float).tolist() for j in range(3)}
    columns["skewed"] = np.exp(r.normal(0, 3, 16_000)).tolist()
    labels = [f"class {c}" for c in r.integers(0, 3, 16_000)]
    model = ts.DecisionTree(criterion="entropy", average=False, smoothing=0.5).fit(columns, np.array(labels))
    assert len(model.model_.nodes) >= 10_000
    assert model.get_depth() > 20
    return model


def check_big(run: databases.Run, dialect: str) -> None:
    model = big_tree()
    r = np.random.default_rng(4)
    rows = {c.name: (r.random(1000) * 3000).tolist() for c in model.schema_.used}
    found = run(model.export("sql", dialect=dialect, keep=KEY), with_key(rows))
    labels, shares = answers(found, "")
    assert labels == model.predict(rows).tolist()
    assert np.abs(shares - model.predict_proba(rows)).max() <= 1e-9


def check_cuts(run: databases.Run, dialect: str) -> None:
    for name in ("tree", "tree observed", "bayes"):
        model, table = e.fitted(name), e.at_cuts(name)
        found = run(model.export("sql", dialect=dialect, keep=KEY), with_key(table))
        assert np.abs(answers(found, model.classes_[0].item())[1] - model.predict_proba(table)).max() <= 1e-9


@pytest.mark.parametrize("dialect", HERE)
def test_a_number_at_a_cut_goes_where_the_model_sends_it(dialect):
    with HERE[dialect]() as run:
        check_cuts(run, dialect)


@pytest.mark.parametrize("dialect", HERE)
def test_a_tree_of_ten_thousand_nodes_fits_a_database_in_this_process(dialect):
    with HERE[dialect]() as run:
        check_big(run, dialect)


@pytest.mark.skipif(
    shutil.which("pg_ctlcluster") is None or databases.POSTGRES is None, reason="PostgreSQL is not installed"
)
def test_postgresql_answers_what_the_models_answer():
    with databases.postgres() as run:
        for name in SQL_MODELS:
            check(run, "postgres", name, FEWER)
        check_big(run, "postgres")
        check_cuts(run, "postgres")
        check_texts(run, "postgres")
        check_names(run, "postgres")
        check_hidden(run, "postgres", ["ctid", "xmin", "tableoid", "count", "row_to_json"])
        check_wrong_texts(run, "postgres")
        check_case(run, "postgres", ["P(Had)", "P(had)"])
        check_long_names(run)
        check_truths(run, "postgres", PAIRS[:2])


@pytest.mark.parametrize("dialect", ELSEWHERE)
def test_what_is_translated_for_a_database_that_is_elsewhere_answers_what_the_models_answer(dialect):
    pytest.importorskip("sqlglot")
    with databases.translated(dialect) as run:
        for name in ("tree costs", "card"):
            check(run, dialect, name)
        check_texts(run, dialect)
        check_names(run, dialect)
        check_wrong_texts(run, dialect)
        check_truths(run, dialect, PAIRS[:1])


JAVA = pytest.mark.skipif(shutil.which("java") is None, reason="java is not installed")


@pytest.mark.slow
@JAVA
def test_spark_answers_what_a_model_of_each_kind_answers():
    pytest.importorskip("pyspark")
    with databases.spark() as run:
        for name in ("tree costs", "regression tree", "bayes", "logistic three"):
            check(run, "spark", name, FEWER)
        check_texts(run, "spark")
        check_names(run, "spark")
        check_wrong_texts(run, "spark")


@pytest.mark.night
@JAVA
def test_spark_answers_what_all_models_answer():
    pytest.importorskip("pyspark")
    with databases.spark() as run:
        for name in SQL_MODELS:
            check(run, "spark", name)
        check_big(run, "spark")
        check_cuts(run, "spark")


TEXTS: dict[str, list[Any]] = {
    e.EVIL: ["0.25", "1e-1", None, "-3", ".5", "+1"],
    "income (€)": [None] * 5 + ["7"],
    "count": ["3", "4", "2.0", None, "7.", "1e3"],
    "when": ["2020-02-29", "2021-12-31", None, "2020-06-01", "2019-01-01", "2022-02-02"],
    "name": [" O'Brien\t", "?", "o'brien", None, "NaN", "back\\slash"],
    "size": ["high", "low ", "huge", "", "medium", "high"],
    "grade": ["1.0", "10", "1e1", "01", "3.00", "2"],
    "flag": ["TRUE", "1", "0", "false", "maybe", "True"],
}


def check_texts(run: databases.Run, dialect: str) -> None:
    """Columns of text, as a CSV loaded without types gives them."""
    table = TEXTS
    for name in ("tree costs", "tree id3", "bayes", "logistic"):
        model = e.fitted(name)
        found = answers(
            run(model.export("sql", dialect=dialect, keep=KEY), with_key(table)), model.classes_[0].item()
        )
        assert found[0] == model.predict(e.records(table)).tolist()
        assert np.abs(found[1] - model.predict_proba(e.records(table))).max() <= 1e-9


@pytest.mark.parametrize("dialect", HERE)
def test_numbers_dates_and_levels_may_be_text(dialect):
    with HERE[dialect]() as run:
        check_texts(run, dialect)


NO_NUMBERS = [
    "abc",
    "1_000",
    "0x10",
    "1d",
    "1,5",
    "true",
    "[1]",
    '"5"',
    "inf",
    "1e",
    "٣",
    "++2",
    "+",
    "1.2.3",
]
NO_DATES = [
    *("2020-02-30", "2020-13-01", "2020-1-5", "2020", "today", "01/02/2020", "2020-01-01 24:00", "1"),
    *("2020-01-01T10:00:61", "20200101", "abc"),
]
ZONED = "2020-01-01 10:00+02:00"  # predict reads it; databases differ, so the SQL refuses it


def check_wrong_texts(run: databases.Run, dialect: str) -> None:
    """What `predict` cannot read is an error of the database; what it takes for missing is missing."""
    rows = {"x": [1.5, 2.5] * 20, "day": ["2020-01-01", "2021-05-05"] * 20, "y": ["n", "p"] * 20}
    model = ts.NaiveBayes(columns=ts.Columns(missing=["", "?", "NA"])).fit(rows, "y")
    select = model.export("sql", dialect=dialect, keep=KEY)
    for name, texts in (("x", NO_NUMBERS), ("day", [*NO_DATES, ZONED])):
        other = {"x": "day", "day": "x"}[name]
        for text in texts:
            if (text, dialect) == ("inf", "bigquery"):
                continue  # there it may be a number, and is missing
            table = with_key({name: [text, None], other: [None, None]})
            with pytest.raises(Exception, match=r"(?i)malformed|needs a|out of range|cannot be cast"):
                run(select, table)
            if text != ZONED:
                with pytest.raises(DataError):
                    model.predict({name: [text], other: [None]})
    table = with_key(
        {
            "x": ["?", " NA ", "", "007", "N/A", "-", "\\N"],
            "day": ["NA", "2020-02-29 23:59:59.25", "?", *[None] * 3, "n/a"],
        }
    )
    found = answers(run(select, table), "")
    assert np.abs(found[1] - model.predict_proba(table)).max() <= 1e-12


@pytest.mark.parametrize("dialect", HERE)
def test_text_that_is_not_a_number_or_date_is_the_databases_error_and_never_a_value(dialect):
    with HERE[dialect]() as run:
        check_wrong_texts(run, dialect)


STRANGE = [
    "true",
    "false",
    "null",
    "select",
    "rowid",
    "current_date",
    "prediction",
    "order by 1",
    "a.b",
    "P(n)",
]


def check_names(run: databases.Run, dialect: str) -> None:
    """Columns that are called as words of SQL are columns; SQLite's word for its row number is refused."""
    r = np.random.default_rng(7)
    names = [n for n in STRANGE if (n, dialect) != ("rowid", "sqlite")]
    if dialect == "bigquery":
        names = [n for n in names if n.isidentifier()]  # its tables have no others
    rows: dict[str, list[Any]] = {n: r.choice(["x", "y", "z"], 60).tolist() for n in names}
    rows["target"] = [f"{a}{b}" for a, b in zip(rows["true"], rows["false"], strict=True)]
    for method in (ts.NaiveBayes, ts.DecisionTree):
        model = method().fit(rows, "target")
        table = with_key({n: rows[n] for n in names})
        found = answers(run(model.export("sql", dialect=dialect, keep=KEY), table), "")
        assert found[0] == model.predict(rows).tolist()
        assert np.abs(found[1] - model.predict_proba(rows)).max() <= 1e-9


@pytest.mark.parametrize("dialect", HERE)
def test_columns_called_as_words_of_sql_are_columns(dialect):
    with HERE[dialect]() as run:
        check_names(run, dialect)


@pytest.mark.parametrize("dialect", HERE)
@pytest.mark.parametrize("method", [ts.NaiveBayes, ts.DecisionTree])
def test_a_column_that_the_table_lacks_is_the_databases_error(method, dialect):
    model = method().fit({"a": ["x", "y"] * 20, "b": ["u", "u", "v", "w"] * 10, "y": ["n", "p"] * 20}, "y")
    select = model.export("sql", dialect=dialect, keep=KEY)
    lacking = next(c for c in ("a", "b") if f'tally_data."{c}"' in select)
    table = with_key({n: ["x"] for n in ("a", "b") if n != lacking})
    with HERE[dialect]() as run, pytest.raises(Exception, match=r"(?i)no such column|does not have a column"):
        run(select, table)


def leaning_on(*names: str) -> Any:
    """Return a model of which each named column decides."""
    rows = {n: [f"{(i >> k) % 2}" for i in range(64)] for k, n in enumerate(names)}
    rows["y"] = [str(sum(int(rows[n][i]) for n in names)) for i in range(64)]
    return ts.NaiveBayes(kinds=dict.fromkeys(names, "levels")).fit(rows, "y")


def check_hidden(run: databases.Run, dialect: str, names: list[str]) -> None:
    """A column that every table has unseen, or a function that takes a row, is not a column of the model."""
    for name in names:
        for model in (leaning_on(name), leaning_on(name, "a")):
            select = model.export("sql", dialect=dialect)
            with pytest.raises(
                (Exception, AssertionError), match=r"(?i)does not (have a column|exist)|UNRESOLVED"
            ):
                run(select, {"a": ["0", "1"], "b": ["1", "1"]})


def test_duckdbs_hidden_columns_are_not_columns_of_a_model(tmp_path, monkeypatch):
    duckdb = pytest.importorskip("duckdb")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "rows.csv").write_text("a,b\n0,1\n1,1\n")
    with duckdb.connect() as base:
        base.execute("CREATE TABLE data (a TEXT, b TEXT)")
        for name, table in (
            ("rowid", "data"),
            ("ROWID", "data"),
            ("filename", "rows.csv"),
            ("file_index", "rows.csv"),
        ):
            for model in (leaning_on(name), leaning_on(name, "a")):
                select = model.export("sql", table=table)
                with pytest.raises(duckdb.BinderException, match="does not have a column"):
                    base.execute(select)


@pytest.mark.parametrize("name", ["rowid", "ROWID", "oid", "_rowid_"])
def test_sqlites_words_for_the_number_of_a_row_are_refused(name):
    with pytest.raises(OptionError, match=f"^SQLite takes the column '{name}' for the number of a row where"):
        leaning_on(name, "a").export("sql", dialect="sqlite")
    assert leaning_on("a").export("sql", dialect="sqlite", keep=[name])  # kept, it is what it says


def test_names_that_a_database_cannot_tell_apart_are_refused():
    rows = {"A": ["x", "y"] * 20, "a": ["u", "u", "v", "w"] * 10, "y": ["n", "p"] * 20}
    model = ts.NaiveBayes().fit(rows, "y")
    for dialect, title in (("duckdb", "DuckDB"), ("sqlite", "SQLite"), ("spark", "Spark SQL")):
        with pytest.raises(OptionError, match=f"^{title} cannot tell the columns 'A' and 'a' apart. Rename"):
            model.export("sql", dialect=dialect)
    assert '"A" AS tally_kept_0' in model.export("sql", dialect="postgres")
    long = {"n" * 70 + "1": ["x", "y"] * 20, "n" * 70 + "2": ["u", "u", "v", "w"] * 10, "y": ["n", "p"] * 20}
    with pytest.raises(OptionError, match=r"^PostgreSQL cannot tell the columns"):
        ts.NaiveBayes().fit(long, "y").export("sql", dialect="postgres")


@pytest.mark.parametrize("name", ["prediction", "P(n)", "p(N)", "unseen", "Unseen"])
def test_a_kept_column_never_shares_its_name_with_an_answer(name):
    model = ts.NaiveBayes().fit({"a": ["x", "y"] * 20, "y": ["n", "p"] * 20}, "y")
    with pytest.raises(OptionError, match=r"^the answer would have two columns called"):
        model.export("sql", keep=["id", name])
    if name.lower() == "unseen":
        assert f'AS "{name}"' in model.export("sql", keep=["id", name], unseen=False)


def check_case(run: databases.Run, dialect: str, names: list[str]) -> None:
    """Classes that differ in letter case alone have columns of their own."""
    rows = {"a": ["x", "y", "z"] * 20, "y": ["Had", "had", "has"] * 20}
    model = ts.NaiveBayes().fit(rows, "y")
    found = run(model.export("sql", dialect=dialect, keep=KEY), with_key({"a": ["x", "y", "z"]}))
    assert list(found) == [KEY, "prediction", *names, "P(has)", "unseen"]
    labels, shares = answers(found, "")
    assert labels == ["Had", "had", "has"]
    assert np.abs(shares - model.predict_proba({"a": ["x", "y", "z"]})).max() <= 1e-9


@pytest.mark.parametrize("dialect", HERE)
def test_classes_that_differ_in_letter_case_have_columns_of_their_own(dialect):
    with HERE[dialect]() as run:
        check_case(run, dialect, ["P(Had)", "P(had)_2"])


def check_long_names(run: databases.Run) -> None:
    """PostgreSQL cuts names after 63 bytes; columns and classes stay apart."""
    labels = ["ä" * 40 + "1", "ä" * 40 + "2"]
    rows = {"x" * 80: ["x", "y"] * 20, "y": labels * 20}
    model = ts.DecisionTree().fit(rows, "y")
    found = run(model.export("sql", dialect="postgres", keep=KEY), with_key({"x" * 80: ["x", "y"]}))
    assert len(found) == 5
    assert answers(found, "")[0] == labels


PAIRS = [("no", "yes"), ("n", "y"), ("F", "T"), ("False", "True"), ("0", "1"), ("No", "Yes")]


def truths(pair: tuple[str, str]) -> tuple[Any, dict[str, list[Any]]]:
    """A model of a column of two words, and rows in which a truth value stands for them."""
    r = np.random.default_rng(5)
    flag, size = r.random(1000) < 0.4, r.choice(["low", "high"], 1000)
    rows = {"flag": [pair[int(f)] for f in flag], "size": size.tolist()}
    rows["y"] = np.where((flag & (size == "low")) ^ (r.random(1000) < 0.05), "bad", "good").tolist()
    return rows, {
        "flag": [None if i % 97 == 0 else bool(f) for i, f in enumerate(flag)],
        "size": size.tolist(),
    }


def check_truths(run: databases.Run, dialect: str, pairs: Any = PAIRS) -> None:
    for pair in pairs:
        rows, table = truths(pair)
        expected = {**table, "flag": [None if f is None else pair[f] for f in table["flag"]]}
        for method in (ts.NaiveBayes, ts.DecisionTree):
            model = method().fit(rows, "y")
            found = run(model.export("sql", dialect=dialect, keep=KEY), with_key(table))
            labels, shares = answers(found, "")
            assert labels == model.predict(expected).tolist()
            assert np.abs(shares - model.predict_proba(expected)).max() <= 1e-9
            assert sum(map(int, found["unseen"])) == 0


@pytest.mark.parametrize("dialect", HERE)
def test_a_truth_value_is_the_level_that_means_it(dialect):
    with HERE[dialect]() as run:
        check_truths(run, dialect)


def test_rows_that_duckdb_reads_from_a_csv_are_answered_as_predict_answers_the_file(tmp_path):
    duckdb = pytest.importorskip("duckdb")
    rows, _ = truths(("no", "yes"))
    path = tmp_path / "rows.csv"
    lines = [f"{i},{f},{s}" for i, (f, s) in enumerate(zip(rows["flag"], rows["size"], strict=True))]
    path.write_text("row number,flag,size\n" + "\n".join(lines) + "\n")
    model = ts.DecisionTree().fit({n: rows[n] for n in ("flag", "size", "y")}, "y")
    with duckdb.connect() as base:
        base.execute(f"CREATE TABLE data AS SELECT * FROM read_csv('{path}')")
        assert base.execute("SELECT typeof(flag) FROM data LIMIT 1").fetchone() == ("BOOLEAN",)
        found = base.execute(model.export("sql", keep=KEY) + ' ORDER BY "row number"').fetchall()
    assert [row[1] for row in found] == model.predict(str(path)).tolist()
    assert sum(row[-1] for row in found) == 0


@pytest.mark.parametrize("dialect", HERE)
def test_levels_never_seen_are_counted_beside_the_answer(dialect):
    model, table = e.fitted("bayes"), with_key(e.new_rows("bayes"))
    with HERE[dialect]() as run:
        found = run(model.export("sql", dialect=dialect, keep=KEY), table)
    met = sum(sum(m.unseen.values()) for m in model._blocks(table))
    assert met > 100
    assert sum(found["unseen"]) == met


@pytest.mark.parametrize("dialect", HERE)
def test_infinite_and_marked_numbers_are_missing(dialect):
    rows = {"x": [1.0, -999.0, 2.0, 3.0] * 20, "y": ["a", "b", "a", "c"] * 20}
    model = ts.NaiveBayes(columns=ts.Columns(missing=["-999"]), distributions="gaussian").fit(rows, "y")
    table = with_key({"x": [float("inf"), -999.0, float("nan"), None]})
    with HERE[dialect]() as run:
        found = answers(run(model.export("sql", dialect=dialect, keep=KEY), table), "")
    assert np.abs(found[1] - model.predict_proba({"x": [None]})).max() < 1e-12


def test_names_of_ours_give_way_to_names_of_the_table():
    rows = {"tally_kept_0": [1.0, 2.0] * 20, "Tally_cells": ["a", "b"] * 20, "y": ["n", "p"] * 20}
    model = ts.NaiveBayes().fit(rows, "y")
    with databases.duckdb() as run:
        found = run(model.export("sql"), {n: c for n, c in rows.items() if n != "y"})
    assert list(found) == ["tally_kept_0", "Tally_cells", "prediction", "P(n)", "P(p)", "unseen"]
    assert sorted(found["prediction"]) == ["n"] * 20 + ["p"] * 20


def test_table_and_kept_columns_are_quoted_names():
    model = ts.DecisionTree().fit({"a": ["x", "y"] * 9, "y": [0, 1] * 9}, "y")
    text = model.export("sql", table='my.t"; DROP TABLE x; --', keep=["id"])
    assert 'FROM "my"."t""; DROP TABLE x; --" AS tally_data\n' in text
    assert 'tally_data."id" AS tally_kept_0' in text


@pytest.mark.parametrize("dialect", DIALECTS)
def test_sql_begins_with_what_it_is(dialect):
    head = e.fitted("bayes").export("sql", dialect=dialect).split("WITH")[0]
    assert all(line.startswith("-- ") for line in head.splitlines())
    for part in ("a naive Bayes model for 'class'", "sha256", "income (€)", "A missing value", "DROP TABLE"):
        assert part in head


@pytest.mark.parametrize("method", ["gaussian", "logistic"])
def test_values_whose_squares_overflow_get_the_answer_of_the_model(method):
    x = np.linspace(-1, 1, 60)
    y = np.where((x > 0) ^ (np.arange(60) % 5 == 0), "a", "b")
    model = ts.LogisticRegression() if method == "logistic" else ts.NaiveBayes(distributions=method)
    model.fit({"num": x * 10}, y)
    values = [0.5, 1e150, 1e155, -1e155, 1.7e308, -1.7e308]
    want = model.predict_proba({"num": values})
    for connect, dialect in ((duckdb.connect, "duckdb"), (sqlite3.connect, "sqlite")):
        base = connect(":memory:")
        base.execute("CREATE TABLE data (id INTEGER, num DOUBLE)")
        base.executemany("INSERT INTO data VALUES (?, ?)", list(enumerate(values)))
        found = sorted(base.execute(model.export("sql", dialect=dialect, keep=["id"])).fetchall())
        assert np.allclose([row[2:4] for row in found], want, rtol=1e-9, atol=1e-12)


@pytest.mark.slow
def test_postgresql_finds_the_parts_of_dates():
    r = np.random.default_rng(1)
    minutes = r.integers(-365 * 1440, 20_000 * 1440, 300)
    cells = [str(np.datetime64("1970-01-01", "m") + int(m)).replace("T", " ") for m in minutes]
    labels = np.where(((minutes // 1440 + 3) % 7 >= 5) ^ (r.random(300) < 0.05), "a", "b").tolist()
    model = ts.LogisticRegression(kinds={"at": "date"}).fit({"at": cells, "y": labels}, "y")
    with databases.postgres() as run:
        sql = model.export("sql", dialect="postgres", keep="key")
        found = run(sql, {"key": list(range(300)), "at": cells})
    order = np.argsort(np.array(found["key"], np.int64))
    want = model.predict_proba({"at": cells})
    np.testing.assert_allclose([float(found["P(a)"][i]) for i in order], want[:, 0], atol=1e-9)
