"""Rows with weights dealt, answered and scored where they are: the scores given here, and no row comes."""

from __future__ import annotations

import json

import numpy as np
import pyarrow as pa
import pytest
from far_rows import keep_columns_far, mixed_rows, received, sent

import tallystick as ts
from tallystick.engines.spark import table as table_room
from tallystick.errors import OptionError

pytestmark = pytest.mark.slow


def weighed_rows(many, classes=2, whole=True):
    """Rows with a weight; equal ones have the same and other weights."""
    table = mixed_rows(many, classes)
    rng = np.random.default_rng(9)
    weight = rng.choice([1, 2, 3, 5] if whole else [0.1, 0.25, 1, 1.7, 3], table.num_rows)
    again = np.arange(table.num_rows) % many  # equal rows are equal in these columns too
    who = rng.choice(["ann", "bob", "cid", "dan"], many)[again]
    at = rng.integers(0, 15, many)[again] * 0.5
    z = np.nan_to_num(np.asarray(table["x"], dtype=float)) + rng.normal(size=many)[again]
    for name, column in {"who": who, "at": at, "z": z, "w": weight}.items():
        table = table.append_column(name, pa.array(column))
    return table


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
    keep_columns_far(monkeypatch)
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
    keep_columns_far(monkeypatch)
    table = weighed_rows(60).drop_columns(OUT)
    missing = table["x"].null_count
    with pytest.raises(OptionError, match=f"gives no time for {missing} rows"):
        ts.cross_validate(ts.NaiveBayes(), sent(spark, table), "y", folds=2, time="x", sample_weight="w")


@pytest.mark.parametrize("case", ["classes", "numbers"])
def test_what_comes_to_the_driver_does_not_grow_with_the_rows(spark, monkeypatch, case):
    monkeypatch.setattr(table_room, "NEAR_CELLS", 0)
    told = received(monkeypatch)
    model = ts.NaiveBayes(distributions="gaussian") if case == "classes" else ts.LinearRegression()
    largest = []
    for many in (2_000, 16_000):
        rng = np.random.default_rng(4)
        x = rng.normal(size=many)
        y = x + rng.normal(size=many)
        table = pa.table({"x": x, "y": y > 0 if case == "classes" else y, "w": rng.integers(1, 4, many)})
        frame = spark.createDataFrame(table).repartition(2)
        ts.cross_validate(model, frame, "y", folds=2, sample_weight="w")
        largest.append((max(told), sum(told)))
        told.clear()
    assert largest[1][0] <= 1.2 * largest[0][0]
    assert largest[1][1] <= 1.2 * largest[0][1]
