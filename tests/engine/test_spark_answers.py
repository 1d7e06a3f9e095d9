"""Answers on Spark: transform by Arrow and by SQL, cross-validation and description equal those here."""

from __future__ import annotations

import json

import numpy as np
import pyarrow as pa
import pytest

import tallystick as ts
from tallystick.errors import DataError, NotFitted, OptionError
from tallystick.spark.table import SparkTable

pytestmark = pytest.mark.slow


def table(rows=240, seed=0):
    rng = np.random.default_rng(seed)
    x = np.round(rng.normal(size=rows), 1)
    x[rng.random(rows) < 0.1] = np.nan
    colour = rng.choice(["red", "green", "blue", None], rows)
    y = np.where(np.nan_to_num(x) + (colour == "red") + rng.normal(size=rows) > 0, "yes", "no")
    colour[0], y[0] = "once", "yes"  # a level that one fold alone has
    return pa.table(
        {
            "key": pa.array(np.arange(rows) * 7 % rows),
            "x": pa.array(x, from_pandas=True),
            "colour": colour.tolist(),
            "flag": rng.random(rows) < 0.5,
            "said": [" ".join(rng.choice(["good", "bad", "news", "sun"], 2)) for _ in range(rows)],
            "y": y,
        }
    )


def test_spellings_that_were_merged_are_one_on_spark(spark):
    rows = table().drop_columns(["key", "said"])
    columns = ts.Columns(merge={"red": ["green"], "y": {"no": ["yes!"]}, "flag": {"on": ["true"]}})
    model = ts.DecisionTree(max_depth=3, columns=columns).fit(rows, "y")
    frame = spark.createDataFrame(rows).repartition(3)
    assert ts.DecisionTree(max_depth=3, columns=columns).fit(frame, "y").to_bytes() == model.to_bytes()
    assert model.schema_["colour"].levels == ("blue", "once", "red")
    for how in ("arrow", "sql"):
        answered = model.transform(frame, how).toArrow()
        wanted = model.predict(answered.select(rows.column_names))
        assert answered["prediction"].to_pylist() == wanted.tolist()


def test_parts_of_dates_are_one_on_spark(spark):
    rng = np.random.default_rng(3)
    when = np.datetime64("2019-11-03T00:00", "s") + rng.integers(0, 700 * 86400, 300)
    free = ((when.astype("M8[D]").astype(int) + 3) % 7 >= 5) ^ (rng.random(300) < 0.1)
    rows = pa.table({"at": when.astype("M8[us]"), "y": np.where(free, "free", "work")})
    model = ts.DecisionTree(kinds={"at": "date"}).fit(rows, "y")
    frame = spark.createDataFrame(rows).repartition(3)
    assert ts.DecisionTree(kinds={"at": "date"}).fit(frame, "y").to_bytes() == model.to_bytes()
    for how in ("arrow", "sql"):
        answered = model.transform(frame, how).toArrow()
        wanted = model.predict(answered.select(["at"]))
        assert answered["prediction"].to_pylist() == wanted.tolist()


MODELS = {
    "tree": lambda: ts.DecisionTree(max_depth=3),
    "bayes": lambda: ts.NaiveBayes(distributions="gaussian"),
    "logistic": lambda: ts.LogisticRegression(l2=1.0),
    "card": lambda: ts.Scorecard(),
}


@pytest.mark.parametrize("kind", MODELS)
def test_transform_answers_by_arrow_and_by_sql_what_predict_answers(spark, kind):
    rows = table()
    model = MODELS[kind]().fit(rows.drop_columns(["key", "said"]), "y")
    frame = spark.createDataFrame(rows).repartition(3)
    wanted, shares = model.predict(rows), model.predict_proba(rows)
    views = spark.sql("SHOW TABLES").collect()
    for how in ("arrow", "sql"):
        answered = model.transform(frame, how).toArrow().sort_by("key")
        assert answered.column_names == [*rows.column_names, "prediction", "P(no)", "P(yes)"]
        order = np.argsort(rows["key"].to_numpy())
        assert answered["prediction"].to_pylist() == wanted[order].tolist()
        found = np.column_stack([answered["P(no)"].to_numpy(), answered["P(yes)"].to_numpy()])
        if how == "arrow":
            assert found.tobytes() == np.ascontiguousarray(shares[order]).tobytes()
        else:
            np.testing.assert_allclose(found, shares[order], rtol=1e-12, atol=1e-15)
    assert spark.sql("SHOW TABLES").collect() == views


def test_labels_keep_their_type_and_a_regression_has_no_shares(spark):
    rows = table().select(["x", "colour", "flag"]).drop_null()
    numbered = rows.append_column("y", pa.array(rows["flag"].cast(pa.int64())))
    model = ts.DecisionTree(max_depth=2).fit(numbered.drop_columns(["flag"]), "y")
    frame = spark.createDataFrame(numbered)
    for how in ("arrow", "sql"):
        assert dict(model.transform(frame, how).dtypes)["prediction"] == "bigint"
    tree = ts.RegressionTree(max_depth=2).fit(rows, "x")
    found = tree.transform(spark.createDataFrame(rows)).toArrow()
    assert found.column_names == ["x", "colour", "flag", "prediction"]
    assert sorted(found["prediction"].to_pylist()) == sorted(tree.predict(rows).tolist())


def test_a_frame_that_cannot_be_answered_is_refused_in_one_line(spark):
    rows = table()
    model = ts.NaiveBayes(kinds={"said": "text"}).fit(rows, "y")
    frame = spark.createDataFrame(rows)
    for work, said in (
        (lambda: model.transform(frame.drop("x")), "lacks 1 column"),
        (lambda: model.transform(frame.withColumnRenamed("key", "Prediction")), "has a column 'prediction'"),
        (lambda: model.predict(frame), "transform"),
    ):
        with pytest.raises((DataError, OptionError), match=said) as caught:
            work()
        assert "\n" not in str(caught.value)
    with pytest.raises(OptionError, match="Use 'arrow' or 'sql'"):
        model.transform(frame, "fast")
    with pytest.raises(OptionError, match="words of text"):
        model.transform(frame, "sql")
    with pytest.raises(NotFitted):
        _ = ts.NaiveBayes().transform
    assert not hasattr(ts.NaiveBayes(), "transform")


@pytest.mark.parametrize("kind", ["tree", "bayes"])
def test_cross_validation_on_spark_gives_the_json_bytes_of_the_one_here(spark, kind):
    rows = table(rows=120)
    frame = spark.createDataFrame(rows).repartition(2)
    here = ts.cross_validate(MODELS[kind](), rows, "y", folds=2)
    there = ts.cross_validate(MODELS[kind](), frame, "y", folds=2)
    assert json.dumps(there.to_dict()) == json.dumps(here.to_dict())


@pytest.mark.parametrize("target", ["y", None])
def test_a_description_on_spark_has_the_json_bytes_of_the_one_here(spark, target):
    rows = table()
    here = ts.describe(rows, target).to_dict() | {"name": ""}
    there = ts.describe(spark.createDataFrame(rows).repartition(3), target).to_dict()
    assert there["name"] == "the DataFrame"
    assert json.dumps(there | {"name": ""}) == json.dumps(here)


def test_equal_rows_of_different_classes_are_counted_where_they_are(spark, monkeypatch):
    def facts(table):
        raise AssertionError("every row was brought to the driver")

    monkeypatch.setattr(SparkTable, "facts", property(facts))
    rows = table().select(["colour", "flag", "y"])
    here = ts.describe(rows, "y").notes
    assert "conflicts" in [note.code for note in here]
    assert ts.describe(spark.createDataFrame(rows).repartition(3), "y").notes == here
