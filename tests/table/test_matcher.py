"""What cells mean: marks among numbers, one value or nothing, words for yes and no, numbers of rows.

Each rule holds alike for a table in memory, for rows on disk and on Spark, in any order.
"""

from __future__ import annotations

import hashlib
import json

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import tallystick as ts
from tallystick.errors import DataError, TallyWarning
from tallystick.io.open import open_source
from tallystick.schema import ABSENT, TRUTHS, Column, ColumnOptions, meanings
from tallystick.table.reader import read_table
from tallystick.table.survey import Survey, SurveyRequest

LEARNERS = (ts.DecisionTree, ts.NaiveBayes, ts.LogisticRegression, ts.Scorecard)
MARKS = ("N/A", "NULL", "nan", "#N/A", "\\N", "-", "k.A.", "n/a", ".")


def sha(model) -> str:
    return hashlib.sha256(model.to_bytes()).hexdigest()


def table_of(cells, wishes=None):
    rows = len(cells)
    return read_table(
        open_source({"x": cells, "other": [1.5, 2.5] * (rows // 2) + [3.5] * (rows % 2)}), wishes
    )


def surveyed(cells, wishes=None, size=7):
    """Return what a survey of small batches decides of a column, looked at again where it must be."""
    source = open_source({"x": cells, "other": [1.5, 2.5] * (len(cells) // 2) + [3.5] * (len(cells) % 2)})
    batches = [b for whole in source.batches() for b in pa.Table.from_batches([whole]).to_batches(size)]
    survey = Survey.of(SurveyRequest.about(source, wishes))
    for batch in batches:
        survey.add(batch)
    while (more := survey.again()) is not None:
        for batch in batches:
            more.add(batch)
        survey.complete(more)
    return survey.decide()


def learned(rows: int = 240, seed: int = 3) -> pd.DataFrame:
    """Return a table whose columns are of all the kinds that this file is about; `y` follows from each."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=rows).round(3)
    return pd.DataFrame(
        {
            "marked": [MARKS[i % 9] if i % 3 == 0 else str(v) for i, v in enumerate(x)],
            "basket": ["t" if v > 0 else None for v in x],
            "counted": [1.0 if v > 0.2 else np.nan for v in x],
            "agreed": np.where(x > -0.1, "yes", "no"),
            "number": rng.permutation(
                np.delete(np.arange(rows * 5 // 4), np.arange(0, rows * 5 // 4, 5))[:rows]
            ),
            "code": [f"k{i}" if i % 4 == 0 else None for i in range(rows)],
            "y": np.where(x + rng.normal(size=rows) * 0.4 > 0, "up", "down"),
        }
    )


# ---- one table, one model ----


@pytest.mark.slow
@pytest.mark.parametrize("learner", LEARNERS)
def test_all_these_kinds_are_the_same_in_memory_on_disk_and_in_any_order(learner, tmp_path):
    frame = learned()
    path = tmp_path / "t.csv"
    frame.to_csv(path, index=False)
    want = sha(learner().fit(frame, "y"))
    shuffled = frame.sample(frac=1, random_state=5)
    ways = (path, pl.from_pandas(frame), pa.Table.from_pandas(frame, preserve_index=False), shuffled)
    for data in ways:
        assert sha(learner().fit(data, "y")) == want
        assert sha(learner(memory="64MB").fit(data, "y")) == want


@pytest.mark.slow
def test_all_these_kinds_are_the_same_on_spark(spark):
    frame = learned()
    rows = spark.createDataFrame(pa.Table.from_pandas(frame, preserve_index=False)).repartition(3)
    there, here = (ts.NaiveBayes()._read(data, "y") for data in (rows, frame))
    for learner in LEARNERS:
        assert sha(learner()._fit_table(there)) == sha(learner()._fit_table(here))
    there.release()


# ---- marks among numbers ----


@pytest.mark.slow
@pytest.mark.parametrize("share", [2, 3, 10])
@pytest.mark.parametrize("mark", MARKS)
def test_a_mark_among_numbers_is_missing_whatever_its_share(mark, share):
    cells = [mark if i % share == 0 else str(i * 1.5) for i in range(60)]
    table = table_of(cells)
    assert (table.schema["x"].kind, table.schema["x"].missing) == ("numeric", 60 // share)
    (note,) = table.notes
    assert f"'{mark}' ({60 // share})" in note.text.replace("\\\\", "\\")
    assert note.count == 60 // share
    found = surveyed(cells)
    assert (found.schema["x"], found.notes) == (table.schema["x"], table.notes)


@pytest.mark.slow
def test_marks_are_many_but_other_texts_few():
    cells = [str(i * 1.5) for i in range(1000)] + list(MARKS) * 100 + ["oops"] * 5
    assert table_of(cells).schema["x"].kind == "numeric"
    assert table_of([*cells, *["oops"] * 20]).schema["x"].kind == "levels"
    assert surveyed([*cells, *["oops"] * 20]).schema["x"].kind == "levels"


def test_a_mark_among_words_is_a_level():
    assert table_of(["a", "-", "b", "n/a", "a"]).schema["x"].levels == ("-", "a", "b", "n/a")


def test_dates_have_marks_too():
    column = table_of(["2020-01-01", "n/a", "2020-01-05", "n/a", "2021-01-05"]).schema["x"]
    assert (column.unit, column.missing) == ("date", 2)


@pytest.mark.parametrize("learner", LEARNERS)
def test_a_mark_in_a_numeric_column_is_missing_at_predict(learner):
    model = learner().fit({"x": [1.5, 2.5, 3.5, 4.5] * 5, "y": ["a", "a", "b", "b"] * 5}, "y")
    want = model.predict_proba([{"x": None}])
    for mark in (*MARKS, " N/A "):
        assert (model.predict_proba([{"x": mark}]) == want).all()
        assert (model.predict_proba(pa.table({"x": [mark]})) == want).all()
        if hasattr(model, "predict_proba_one"):
            assert model.predict_proba_one({"x": mark}).tolist() == want[0].tolist()
    (matched,) = model._blocks({"x": ["2.5", "N/A", "-"]})
    assert (matched.missing["x"], matched.unreadable["x"]) == (2, 0)
    with pytest.raises(DataError, match="row 2 holds 'oops'"):
        model.predict({"x": ["N/A", "oops"]})


def test_a_mark_in_a_response_is_a_missing_target():
    tree = ts.RegressionTree().fit(
        {"x": [1, 2, 3, 4, 5] * 4, "y": ["1.5", "N/A", "2.5", "3.5", "4"] * 4}, "y"
    )
    assert tree.rows_["count"] == 16


# ---- one value or nothing ----


@pytest.mark.parametrize(
    ("cells", "level"),
    [
        (["t", None, "t", None, "?"], "t"),
        ([1, None, None, 1, 1], "1"),
        ([7.25, np.nan, np.nan, 7.25, np.nan], "7.25"),
        ([True, None, None, True, None], "true"),
        (["TRUE", "", "", "true", ""], "true"),
        (pa.array(["t", None, None, "t", None]).dictionary_encode(), "t"),
    ],
)
def test_one_value_or_nothing_is_a_column_of_two_levels(cells, level):
    table = table_of(cells)
    column = table.schema["x"]
    assert (column.kind, column.levels, column.missing) == ("boolean", (ABSENT, level), 0)
    there = [
        c is not None and c == c and c not in ("", "?") for c in getattr(cells, "to_pylist", lambda: cells)()
    ]
    assert table.column("x").tolist() == [int(t) for t in there]
    assert [n.code for n in table.notes] == ["there-or-missing"]
    found = surveyed(cells, size=2)
    assert (found.schema["x"], found.notes) == (column, table.notes)


def test_one_value_without_missing_cells_is_left_out_still():
    assert table_of(["t"] * 4).schema["x"].kind == "out"
    assert table_of([None] * 4).schema["x"].kind == "out"


@pytest.mark.parametrize("learner", LEARNERS)
def test_a_basket_teaches_every_learner(learner):
    rng = np.random.default_rng(1)
    y = rng.random(400) < 0.5
    bread = np.where(rng.random(400) < np.where(y, 0.9, 0.1), "t", None)
    milk = np.where(rng.random(400) < 0.5, "t", None)
    basket = pd.DataFrame({"bread": bread, "milk": milk, "y": np.where(y, "in", "out")})
    model = learner().fit(basket, "y")
    assert model.score(basket) > 0.85
    there, gone = model.predict([{"bread": "t", "milk": None}, {"bread": None, "milk": "t"}])
    assert (there, gone) == ("in", "out")
    if hasattr(model, "predict_one"):
        assert model.predict_one({"bread": "t", "milk": None}) == "in"
        assert model.predict_one({"bread": "", "milk": None}) == "out"


# ---- words for yes and no ----


@pytest.mark.parametrize("pair", TRUTHS)
def test_each_pair_for_no_and_yes_means_all_others(pair):
    for case in (str.lower, str.upper, str.title):
        column = Column("x", "levels", tuple(map(case, pair)))
        said = meanings(column) | dict(zip(pair, column.levels, strict=True))
        for no, yes in TRUTHS:
            assert (said[no], said[yes]) == column.levels


def test_other_levels_mean_nothing_but_themselves():
    for levels in (
        ("a", "b"),
        ("no", "unknown", "yes"),
        ("n", "no", "y", "yes"),
        ("Yes", "yes"),
        ("n", "yes"),
    ):
        assert meanings(Column("x", "levels", levels)) == {}


def answers_of(model, cells):
    with pytest.warns(TallyWarning, match=r"column 'agreed'.*read by meaning"):
        return model.predict_proba(cells).tolist()


@pytest.mark.parametrize("learner", LEARNERS)
def test_booleans_that_arrive_for_yes_and_no_are_matched_by_meaning(learner):
    frame = learned()[["agreed", "y"]]
    model = learner().fit(frame, "y")
    want = model.predict_proba({"agreed": ["yes", "no", None]}).tolist()
    ways = (
        {"agreed": [True, False, None]},
        {"agreed": ["TRUE", "False", ""]},
        {"agreed": ["t", "F", ""]},
        {"agreed": [1, 0, None]},
        pa.table({"agreed": pa.array([True, False, None])}),
        pd.DataFrame({"agreed": pd.array([True, False, None], dtype="boolean")}),
        pl.DataFrame({"agreed": [True, False, None]}),
        [{"agreed": True}, {"agreed": False}, {"agreed": None}],
    )
    for cells in ways:
        assert answers_of(model, cells) == want
    assert model.predict_proba({"agreed": ["yes", "NO", None]}).tolist() == want  # the same word
    if hasattr(model, "predict_proba_one"):
        for cell, shares in zip((True, "F", None), want, strict=True):
            assert model.predict_proba_one({"agreed": cell}).tolist() == shares


def test_yes_and_no_that_arrive_for_booleans_are_matched_by_meaning():
    model = ts.NaiveBayes().fit({"agreed": [True, False] * 10, "y": ["a", "b", "a", "b", "b"] * 4}, "y")
    want = model.predict_proba({"agreed": [True, False]}).tolist()
    assert answers_of(model, {"agreed": ["Yes", "n"]}) == want
    assert model.predict_proba({"agreed": [1, 0]}).tolist() == want


def test_a_table_that_duckdb_read_is_answered_as_the_file_it_read(tmp_path):
    duckdb = pytest.importorskip("duckdb")
    frame = learned(400)[["agreed", "y"]]
    path = tmp_path / "t.csv"
    frame.to_csv(path, index=False)
    model = ts.DecisionTree().fit(path, "y")
    query = duckdb.sql(f"select * from read_csv('{path}')")
    assert str(query.types[0]) == "BOOLEAN"
    with pytest.warns(TallyWarning, match="read by meaning"):
        assert (model.predict(query.to_arrow_table()) == model.predict(path)).all()


def test_a_column_of_which_no_level_is_known_is_told_loudly():
    model = ts.NaiveBayes().fit(learned()[["agreed", "y"]], "y")
    with pytest.warns(
        TallyWarning, match=r"no cell of column 'agreed' is a level of the model: all 3 are unseen.*'no'"
    ):
        model.predict({"agreed": ["si", "nada", "si", None]})
    model.predict({"agreed": ["si", "no"]})  # one new level is nothing to shout about
    model.predict([{"agreed": "si"}])


@pytest.mark.slow
def test_the_command_line_tells_of_both(tmp_path):
    from command import tally

    frame = learned()[["agreed", "y"]]
    ts.NaiveBayes().fit(frame, "y").save(tmp_path / "m.json")
    (tmp_path / "new.csv").write_text("agreed\ntrue\nfalse\n")
    done = tally("predict", "m.json", "new.csv", cwd=tmp_path)
    assert done.returncode == 0
    assert (
        " ".join(done.stderr.decode().split()).count("is read by meaning: 'false' as 'no', 'true' as 'yes'")
        == 1
    )
    (tmp_path / "new.csv").write_text("agreed\nsi\nnada\n")
    done = tally("predict", "m.json", "new.csv", "--json", cwd=tmp_path)
    (note,) = json.loads(done.stdout)["notes"]
    assert note["code"] == "no-level-known"


@pytest.mark.slow
def test_spark_matches_by_meaning(spark):
    model = ts.NaiveBayes().fit(learned()[["agreed", "y"]], "y")
    rows = spark.createDataFrame(pa.table({"agreed": pa.array([True, False, None])}))
    found = [row["prediction"] for row in model.transform(rows).collect()]
    assert found == model.predict({"agreed": ["yes", "no", None]}).tolist()


def test_exports_answer_by_meaning_and_know_what_is_not_there(tmp_path):
    frame = learned()[["agreed", "basket", "marked", "y"]]
    model = ts.NaiveBayes().fit(frame, "y")
    place: dict = {}
    exec(model.export("python"), place)
    cells = [
        ("yes", "t", "0.5"),
        (True, None, "N/A"),
        ("F", "", "-"),
        (0, True, "0.1"),
        ("si", "u", None),
        (None, "0", "1"),
    ]
    for agreed, basket, marked in cells:
        row = {"agreed": agreed, "basket": basket, "marked": marked}
        want = dict(zip(model.classes_.tolist(), model.predict_proba_one(row).tolist(), strict=True))
        found = place["predict"](row)["probabilities"]
        assert found == pytest.approx(want, abs=1e-12)


# ---- numbers of rows ----


@pytest.mark.slow
@pytest.mark.parametrize(
    "cells",
    [
        [f"id{i}" if i % 3 == 0 else None for i in range(90)],
        list(range(100, 130)),
        [i for i in range(100) if i % 4],
        [None if i % 3 else 1000 + i // 3 for i in range(90)],
        [str(i) for i in range(40) if i % 5],
        ["n/a" if i % 3 else str(i // 3) for i in range(90)],
    ],
)
def test_what_numbers_the_filled_cells_is_an_identifier_unless_kept(cells):
    rng = np.random.default_rng(0)
    for given in (cells, [cells[i] for i in rng.permutation(len(cells))]):
        table = table_of(given)
        assert table.schema["x"].kind == "out"
        assert "columns=ts.Columns(keep=['x']) uses it" in table.notes[-1].text
        found = surveyed(given)
        assert (found.schema["x"].kind, found.notes) == ("out", table.notes)
        assert table_of(given, ColumnOptions(keep=("x",))).schema["x"].kind != "out"
        assert surveyed(given, ColumnOptions(kinds={"x": "levels"})).schema["x"].kind == "levels"


@pytest.mark.parametrize(
    "cells",
    [
        [i + 0.5 for i in range(30)],
        [2 * i for i in range(30)],
        [*range(25), 3, 28, 30],
        [f"id{i}" if i < 19 else None for i in range(90)],
        [None if i % 5 else i for i in range(90)],
    ],
)
def test_a_measurement_and_few_cells_are_none(cells):
    assert table_of(cells).schema["x"].kind in ("numeric", "levels")
    assert surveyed(cells).schema["x"] == table_of(cells).schema["x"]


def test_a_weight_of_two_is_a_number_that_comes_twice():
    rows = {"n": list(range(40)), "x": [1.5, 2.5] * 20, "y": ["a", "b"] * 20}
    tree = ts.DecisionTree().fit(rows, "y", sample_weight=[2, *[1] * 39])
    assert tree.schema_["n"].kind == "numeric"
    assert sha(ts.DecisionTree(memory="64MB").fit(rows, "y", sample_weight=[2, *[1] * 39])) == sha(tree)
