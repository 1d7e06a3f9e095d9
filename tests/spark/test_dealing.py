"""Rows with weights dealt, answered and scored where they are: the scores given here, bit for bit."""

from __future__ import annotations

import json

import numpy as np
import pyarrow as pa
import pytest
from far_rows import keep_far, sent, telling_rows, weighed_rows

import tallystick as ts
from tallystick.bayes.explain import dependence
from tallystick.errors import OptionError
from tallystick.judge import compare as trials
from tallystick.judge.api import compare_read
from tallystick.judge.checks import check_columns, check_table
from tallystick.judge.compare import Candidate
from tallystick.judge.crossval import FoldOptions
from tallystick.linear import path
from tallystick.scorecard import estimator as scorecard
from tallystick.spark import table as table_room

pytestmark = pytest.mark.slow


OUT = ["who", "at", "z"]
CASES = {
    "folds": (ts.NaiveBayes(), {"folds": 3, "repeats": 2}, OUT),
    "shares": (ts.NaiveBayes(distributions="gaussian"), {"folds": (0.7, 0.3)}, OUT),
    "groups": (ts.DecisionTree(max_depth=2), {"folds": 2, "groups": "who"}, ["at", "z"]),
    "time": (ts.DecisionTree(max_depth=2), {"folds": 3, "time": "at"}, ["who", "z"]),
    "by": (ts.NaiveBayes(), {"folds": 2, "by": ["colour", "x"], "cost": [[0, 1.3], [2.7, 0]]}, OUT),
    "logistic": (ts.LogisticRegression(), {"folds": 2}, OUT),
    "numbers": (ts.LinearRegression(), {"folds": 3, "by": ["colour"]}, ["who", "at", "y"]),
}


@pytest.mark.parametrize("whole", [True, False])
@pytest.mark.parametrize("case", CASES)
def test_scores_of_rows_with_weights_that_stay_with_spark_are_those_here(spark, monkeypatch, case, whole):
    keep_far(monkeypatch)
    model, asked, out = CASES[case]
    table = weighed_rows(60, whole=whole).drop_columns(out)
    target = "z" if case == "numbers" else "y"
    here = ts.cross_validate(model, table, target, sample_weight="w", **asked)
    there = ts.cross_validate(model, sent(spark, table), target, sample_weight="w", **asked)
    assert json.dumps(there.to_dict()) == json.dumps(here.to_dict())
    assert str(there) == str(here)
    assert (there.rows, there.loss_error) == (here.rows, here.loss_error)
    assert here.rows > table.num_rows or not whole
    if case != "numbers":
        assert there.most_frequent == here.most_frequent


def test_rows_without_a_time_are_counted_whatever_they_weigh(spark, monkeypatch):
    keep_far(monkeypatch)
    table = weighed_rows(60).drop_columns(OUT)
    missing = table["x"].null_count
    with pytest.raises(OptionError, match=f"gives no time for {missing} rows"):
        ts.cross_validate(ts.NaiveBayes(), sent(spark, table), "y", folds=2, time="x", sample_weight="w")


DEALT = {
    "folds": ((2, None, None), OUT),
    "groups": ((2, "who", None), ["at", "z"]),
    "time": ((2, None, "at"), ["who", "z"]),
    "shares": (((2, 1, 1), None, None), OUT),
}


@pytest.mark.parametrize(
    ("dealt", "whole"),
    [("folds", True), ("folds", False), ("groups", False), ("time", True), ("shares", False)],
)
def test_settings_of_rows_with_weights_that_stay_with_spark_are_chosen_as_here(
    spark, monkeypatch, dealt, whole
):
    keep_far(monkeypatch)
    monkeypatch.setattr(trials, "INNER", 2)
    each = tuple((f"{a:g}", ts.NaiveBayes(distributions="gaussian", alpha=a)) for a in (0.01, 1.0, 100.0))
    made = [Candidate("bayes", "bayes", each[:1]), Candidate("bayes, tuned", "bayes", each)]
    (folds, out), found = DEALT[dealt], []
    table, way = weighed_rows(60, whole=whole).drop_columns(out), FoldOptions.of(*folds)
    for data in (table, sent(spark, table)):
        read = way.read(ts.NaiveBayes(), data, "y", "w")
        found.append(compare_read(read, way, made))
    assert json.dumps(found[1].to_dict()) == json.dumps(found[0].to_dict())
    assert found[1]["bayes, tuned"].setting == found[0]["bayes, tuned"].setting != ""


@pytest.mark.night
@pytest.mark.parametrize("whole", [True, False])
def test_a_comparison_of_rows_with_weights_that_stay_with_spark_is_the_one_here(spark, monkeypatch, whole):
    keep_far(monkeypatch)
    table = weighed_rows(45, whole=whole).drop_columns(OUT)
    asked = {"methods": ["bayes-gaussian", "logistic"], "tuned": False, "folds": 2, "sample_weight": "w"}
    here, there = (ts.compare(data, "y", **asked) for data in (table, sent(spark, table)))
    assert json.dumps(there.to_dict()) == json.dumps(here.to_dict())
    for entry in here.entries:
        if entry.family != "majority":
            assert there[entry.name].model.to_bytes() == entry.model.to_bytes()


def test_checks_of_rows_with_weights_that_stay_with_spark_are_those_here(spark, monkeypatch):
    keep_far(monkeypatch)
    table, found = telling_rows(150), []
    weights = np.random.default_rng(6).choice([0.5, 1, 2], table.num_rows)
    for whole in (True, False):
        heavy = table.append_column("w", pa.array(weights * 2 if whole else weights))
        for data in (heavy, sent(spark, heavy)):
            read = ts.NaiveBayes(kinds={"words": "text", "told": "levels"})._read(data, "y", "w")
            every = [*check_table(read), *check_columns(read), *dependence(read)]
            found.append([check.to_dict() for check in every])
    assert found[0] == found[1]
    assert found[2] == found[3]
    assert {check["code"] for check in found[0]} >= {"sentinel", "giveaway", "dependence"}


@pytest.mark.parametrize("whole", [True, False])
def test_a_curve_of_rows_with_weights_that_stay_with_spark_is_the_one_here(spark, monkeypatch, whole):
    keep_far(monkeypatch)
    table = weighed_rows(60, 3, whole=whole).drop_columns(OUT)
    asked = {"methods": ["bayes", "logistic"], "sizes": [2, 40], "repeats": 2, "sample_weight": "w"}
    here, there = (ts.learning_curve(data, "y", **asked) for data in (table, sent(spark, table)))
    assert json.dumps(there.to_dict()) == json.dumps(here.to_dict())
    for mine, its in zip(there.curves, here.curves, strict=True):
        assert mine.error.tolist() == its.error.tolist()
        assert mine.loss.tolist() == its.loss.tolist()


def test_subsets_of_rows_with_weights_that_are_brought_give_the_same_curve(spark, monkeypatch):
    table = weighed_rows(60).drop_columns(OUT)
    asked = {"methods": ["bayes"], "sizes": [70], "repeats": 1, "sample_weight": "w"}
    here = ts.learning_curve(table, "y", **asked)
    monkeypatch.setattr(table_room, "NEAR_CELLS", 220)  # 70 copies are brought, 80 rows are not
    there = ts.learning_curve(sent(spark, table), "y", **asked)
    assert json.dumps(there.to_dict()) == json.dumps(here.to_dict())


FITTED = {
    "calibrated": lambda: ts.NaiveBayes(calibrate=True),
    "linear": lambda: ts.LinearRegression(l2="cv"),
    "logistic": lambda: ts.LogisticRegression(l2="cv"),
    "card": lambda: ts.Scorecard(l2="cv", ranges=4),
}


@pytest.mark.parametrize(
    ("kind", "whole"),
    [
        ("calibrated", True),
        ("calibrated", False),
        ("linear", True),
        ("linear", False),
        ("logistic", True),
        pytest.param("logistic", False, marks=pytest.mark.night),
        pytest.param("card", True, marks=pytest.mark.night),
        pytest.param("card", False, marks=pytest.mark.night),
    ],
)
def test_folds_inside_a_fit_of_rows_with_weights_that_stay_with_spark_give_the_bytes_of_the_fit_here(
    spark, monkeypatch, kind, whole
):
    keep_far(monkeypatch)
    for room in (path, scorecard):
        monkeypatch.setattr(room, "STRENGTHS", (100.0, 1.0))  # each question of each of them is a job
    target, out = ("z", ["x", "y"]) if kind == "linear" else ("y", ["z"])
    table = weighed_rows(40, whole=whole).drop_columns(["who", "at", *out])
    here, there = (FITTED[kind]().fit(data, target, "w") for data in (table, sent(spark, table)))
    assert there.to_bytes() == here.to_bytes()
    assert there.notes_ == here.notes_
    if kind in ("linear", "logistic") and whole:
        assert there.path_.losses == here.path_.losses
