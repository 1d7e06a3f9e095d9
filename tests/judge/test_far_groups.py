"""Errors by group from sums over blocks of answers: the rates of all answers at once."""

from __future__ import annotations

import json

import numpy as np
import pyarrow as pa
import pytest
from far_rows import keep_far, mixed_rows, sent

import tallystick as ts
from tallystick.schema import Schema, Target

SCHEMA = Schema((), Target("y", ("a", "b", "c")))


@pytest.mark.slow
def test_errors_by_group_of_rows_that_stay_with_spark_are_those_here(spark, monkeypatch):
    keep_far(monkeypatch)
    rng = np.random.default_rng(7)
    table = mixed_rows(60).slice(0, 60).drop_columns(["x"])
    table = table.append_column("x", pa.array(rng.normal(size=60)))  # no two rows are equal
    table = table.append_column("n", pa.array(np.where(rng.random(60) < 0.2, np.nan, rng.normal(size=60))))
    table = table.append_column("who", pa.array(rng.choice(["ann", "bob"], 60)))
    model = ts.NaiveBayes(distributions="gaussian", kinds={"n": "out", "who": "out"})
    asked = {"folds": (0.5, 0.5), "by": ["who", "n", "colour"], "threshold": 0.3}
    here = ts.cross_validate(model, table, "y", **asked)
    there = ts.cross_validate(model, sent(spark, table), "y", **asked)
    assert json.dumps(there.to_dict()) == json.dumps(here.to_dict())
    assert str(there) == str(here)
    assert list(there.groups) == ["who", "n", "colour"]
    assert there.said_by("who") == here.said_by("who")


@pytest.mark.slow
def test_equal_rows_of_a_dataframe_are_told_by_their_groups_alike_brought_here_or_not(spark, monkeypatch):
    rng = np.random.default_rng(2)
    table = pa.table({"x": np.repeat([1.0, 2.0, 3.0], 20), "y": rng.choice(["p", "q"], 60)})
    table = table.append_column("who", pa.array(rng.choice(["ann", "bob", "cy"], 60)))
    table = table.append_column("n", pa.array(rng.normal(size=60)))
    model = ts.NaiveBayes(distributions="gaussian", kinds={"n": "out", "who": "out"})
    asked = {"folds": 2, "by": ["who", "n"]}
    brought = ts.cross_validate(model, sent(spark, table), "y", **asked)
    keep_far(monkeypatch)
    there = ts.cross_validate(model, sent(spark, table.take(rng.permutation(60))), "y", **asked)
    assert json.dumps(there.to_dict()) == json.dumps(brought.to_dict())
