"""Comparing, learning curves, groups and folds inside a fit: on Spark what they are here, brought or not."""

from __future__ import annotations

import json

import numpy as np
import pyarrow as pa
import pytest
from far_rows import keep_far

import tallystick as ts
from tallystick.errors import OptionError
from tallystick.io import scratch
from tallystick.spark import table as table_room
from tallystick.table.table import LocalTable

pytestmark = pytest.mark.slow


def rows(many=80, seed=3):
    rng = np.random.default_rng(seed)
    x = np.round(rng.normal(size=many), 1)
    x[::9] = np.nan
    colour = rng.choice(["red", "green", "blue", None], many)
    y = np.where(np.nan_to_num(x) + (colour == "red") + 0.7 * rng.normal(size=many) > 0, "yes", "no")
    who = rng.choice(["ann", "bob", "cid", "dan", "eve", "fay"], many)
    data = {"x": pa.array(x, from_pandas=True), "colour": colour.tolist(), "n": rng.integers(0, 4, many)}
    whole = pa.table(data | {"who": who, "time": np.arange(many) * 1.5, "y": y})
    return pa.concat_tables([whole, whole.slice(0, 6)])  # some rows come twice


@pytest.fixture(params=["brought", "far"])
def place(request, monkeypatch):
    """Rows that are few enough to be brought, and the same as if they were too many."""
    if request.param == "far":
        monkeypatch.setattr(table_room, "NEAR_CELLS", 0)
    return request.param


def test_what_comes_of_more_rows_than_memory_holds_lies_on_disk(spark, monkeypatch):
    monkeypatch.setattr(table_room, "NEAR_CELLS", 0)
    table = rows(40).select(["x", "colour", "y"])
    model = ts.NaiveBayes(distributions="gaussian")
    here = ts.cross_validate(model, table, "y", folds=2)
    monkeypatch.setattr(table_room, "memory", lambda: 0)
    there = ts.cross_validate(model, sent(spark, table), "y", folds=2)
    assert scratch.on_disk(there.shares)
    assert there.repeats[0].large
    assert text(there) == text(here)
    assert str(there) == str(here)


def sent(spark, table):
    order = np.random.default_rng(1).permutation(table.num_rows)
    return spark.createDataFrame(table.take(order)).repartition(2)


def text(found):
    return json.dumps(found.to_dict())


def test_a_comparison_on_spark_has_the_json_of_the_one_here(spark, place, monkeypatch):
    far = place == "far"  # where every question is a job
    if far:
        keep_far(monkeypatch)
    table = rows(30).select(["x", "colour", "y"]) if far else rows().drop_columns(["who", "time"])
    methods = ["bayes-gaussian"] if far else ["bayes", "tree:max_depth=2"]
    asked = {"methods": methods, "folds": 2, "tuned": not far}
    here = ts.compare(table, "y", **asked)
    there = ts.compare(sent(spark, table), "y", **asked)
    assert text(there) == text(here)
    if not far:  # else it is the most frequent class, which has no file
        assert there.model.to_bytes() == here.model.to_bytes()


def test_methods_for_numbers_are_compared_on_rows_held_out_as_here(spark, monkeypatch):
    monkeypatch.setattr(table_room, "NEAR_CELLS", 0)
    x = np.random.default_rng(0).normal(size=60).round(2)
    table = pa.table({"x": x, "y": 2 * x + np.arange(60) % 3})
    asked = {"methods": ["linear"], "tuned": False, "regression": True, "held_out": table.slice(0, 20)}
    here, there = (ts.compare(each, "y", **asked) for each in (table, sent(spark, table)))
    assert text(there) == text(here)


@pytest.mark.night
@pytest.mark.parametrize("kind", ["logistic", "card"])
def test_a_strength_chosen_in_folds_far_away_is_the_one_chosen_here(spark, monkeypatch, kind):
    keep_far(monkeypatch)
    table = rows(30).select(["x", "colour", "y"])
    assert FITTED[kind]().fit(sent(spark, table), "y").to_bytes() == FITTED[kind]().fit(table, "y").to_bytes()


@pytest.mark.night
def test_a_tuned_comparison_far_away_chooses_the_settings_chosen_here(spark, monkeypatch):
    monkeypatch.setattr(table_room, "NEAR_CELLS", 0)
    table = rows(30).select(["x", "colour", "y"])
    asked = {"methods": ["logistic"], "folds": 2}
    assert text(ts.compare(sent(spark, table), "y", **asked)) == text(ts.compare(table, "y", **asked))


def test_estimators_of_others_are_not_fitted_on_spark(spark):
    from sklearn.naive_bayes import GaussianNB

    with pytest.raises(OptionError, match="others= need the rows in one place") as caught:
        ts.compare(sent(spark, rows()), "y", others=[GaussianNB()])
    assert "\n" not in str(caught.value)


def test_a_learning_curve_on_spark_has_the_json_of_the_one_here(spark, place):
    table = rows(60).select(["x", "colour", "y"])
    asked = {"methods": ["bayes"], "sizes": [10, 30], "repeats": 1}
    assert text(ts.learning_curve(sent(spark, table), "y", **asked)) == text(
        ts.learning_curve(table, "y", **asked)
    )


@pytest.mark.parametrize("asked", [{"groups": "who"}, {"time": "time"}, {"by": ["colour", "who"]}])
def test_folds_by_group_and_time_and_errors_by_group_on_spark_are_those_here(spark, place, asked):
    kinds = {"who": "out"} if "by" in asked else None
    table = rows(40).drop_columns(["time"] if "groups" in asked else [])  # equal rows are of one group
    model = ts.NaiveBayes(distributions="gaussian", kinds=kinds)
    here = ts.cross_validate(model, table, "y", folds=2, **asked)
    there = ts.cross_validate(model, sent(spark, table), "y", folds=2, **asked)
    assert text(there) == text(here)
    for name in here.groups:
        assert there.by(name) == here.by(name)


FITTED = {
    "calibrated": lambda: ts.NaiveBayes(distributions="gaussian", calibrate=True),
    "logistic": lambda: ts.LogisticRegression(l2="cv"),
    "card": lambda: ts.Scorecard(l2="cv", ranges=4),
    "linear": lambda: ts.LinearRegression(l2="cv"),
}


@pytest.mark.parametrize("kind", FITTED)
def test_folds_inside_a_fit_on_spark_give_the_bytes_of_the_fit_here(spark, place, kind, monkeypatch):
    if place == "far":
        keep_far(monkeypatch)  # nothing of a row comes here
    if place == "far" and kind in ("card", "logistic"):
        pytest.skip("a job for each question of each strength in each fold takes minutes there")
    table = rows(40).select(["x", "colour", "y"])
    target = "x" if kind == "linear" else "y"
    if kind == "linear":
        table = table.drop_null()
    here = FITTED[kind]().fit(table, target)
    there = FITTED[kind]().fit(sent(spark, table), target)
    assert there.to_bytes() == here.to_bytes()
    assert there.notes_ == here.notes_


def test_words_and_whole_columns_come_in_the_order_of_the_rows(spark):
    said = [["sun and sun", "rain"][i % 2] + f" w{i % 5}" for i in range(40)]
    table = pa.table({"said": said, "x": np.arange(40) * 0.5, "y": ["a", "b"] * 20})
    there = ts.NaiveBayes(kinds={"said": "text"})._read(sent(spark, table), "y")
    near = there.near()
    assert isinstance(near, LocalTable)
    assert near.row_hashes().tolist() == there.row_hashes().tolist()
    assert near.fingerprint == there.fingerprint
    assert near.column("x").tolist() == there.column("x").tolist()
    for mine, its in zip(near.column("said"), there.column("said"), strict=True):
        assert mine.tolist() == its.tolist()
    part = there.take(np.array([3, 5, 8]))
    assert part.near().column("x").tolist() == near.column("x")[[3, 5, 8]].tolist()
    there.release()
