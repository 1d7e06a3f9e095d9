"""Scores of numbers: the same bits in blocks, in any order, from copies, and on Spark."""

from __future__ import annotations

import json

import numpy as np
import pyarrow as pa
import pytest
from far_rows import keep_far, mixed_rows, sent

import tallystick as ts
from tallystick.judge.result import FoldAnswers, RegressionValidation

FOLDS = 3


def answered(rows, seed=0):
    rng = np.random.default_rng(seed)
    truth = rng.normal(size=rows) * 10.0 ** rng.integers(-3, 4, rows)
    return truth, truth + rng.normal(size=rows), rng.integers(0, FOLDS, rows)


@pytest.mark.parametrize("unit", [None, 1, 1 << 32])
def test_answers_in_blocks_are_measured_as_all_at_once(monkeypatch, unit):
    monkeypatch.setattr("tallystick.judge.folds.STEP", 60)
    truth, answer, fold = answered(700)
    weights = None if unit is None else np.random.default_rng(1).integers(1, 4 * unit, 700) / unit
    one, other = (
        RegressionValidation(truth, (FoldAnswers(answer[:, None], fold, budget=budget),), weights)
        for budget in (0, 1 << 25)
    )
    assert json.dumps(one.to_dict()) == json.dumps(other.to_dict())
    assert one.loss_error == other.loss_error


def test_a_weight_counts_as_so_many_rows_to_the_last_bit():
    truth, answer, fold = answered(300)
    many = np.random.default_rng(2).integers(1, 5, 300)
    part = FoldAnswers(answer[:, None], fold)
    weighed = RegressionValidation(truth, (part,), many.astype(float))
    copies = FoldAnswers(np.repeat(answer, many)[:, None], np.repeat(fold, many))
    written_out = RegressionValidation(np.repeat(truth, many), (copies,))
    assert json.dumps(weighed.to_dict()) == json.dumps(written_out.to_dict())


def test_the_order_of_rows_changes_no_bit():
    truth, answer, fold = answered(5000)
    order = np.random.default_rng(3).permutation(5000)
    one, other = (
        RegressionValidation(truth[some], (FoldAnswers(answer[some, None], fold[some]),)).to_dict()
        for some in (np.arange(5000), order)
    )
    assert json.dumps(one) == json.dumps(other)


@pytest.mark.filterwarnings("ignore:overflow")
def test_an_error_too_large_to_be_squared_is_not_lost():
    truth, answer = np.array([1e200, 1.0]), np.zeros(2)
    here = RegressionValidation(truth, (FoldAnswers(answer[:, None], np.zeros(2, int)),))
    assert here.fold_means().tolist() == [np.inf]
    assert here.mse == np.inf


def numbers(many=80):
    """Rows whose target is a number, some of which come twice."""
    table = mixed_rows(many)
    rng = np.random.default_rng(7)
    x = np.nan_to_num(np.asarray(table["x"], dtype=float))
    noise = np.tile(rng.normal(size=many), 2)[: table.num_rows]
    who = np.tile(rng.choice(["ann", "bob", "cid", "dan"], many), 2)[: table.num_rows]
    time = np.tile(rng.integers(0, 20, many), 2)[: table.num_rows] * 0.5
    columns = {"who": pa.array(who), "time": pa.array(time), "z": pa.array(3 * x + noise)}
    for name, column in columns.items():
        table = table.append_column(name, column)
    return table.drop_columns(["y"])


@pytest.mark.slow
@pytest.mark.parametrize(
    ("model", "asked", "out"),
    [
        (ts.RegressionTree(max_depth=2), {"folds": 3, "repeats": 2}, ["who", "time"]),
        (ts.LinearRegression(), {"folds": 2, "by": ["colour", "x", "who"]}, ["time"]),
        (ts.RegressionTree(max_depth=1), {"folds": 2, "groups": "who"}, ["time"]),
        (ts.RegressionTree(max_depth=1), {"folds": 3, "time": "time", "by": "colour"}, ["who"]),
        (ts.LinearRegression(), {"folds": (0.7, 0.3)}, ["who", "time"]),
    ],
)
def test_scores_of_numbers_that_stay_with_spark_are_those_here(spark, monkeypatch, model, asked, out):
    keep_far(monkeypatch)
    table = numbers().drop_columns(out)
    here = ts.cross_validate(model, table, "z", **asked)
    there = ts.cross_validate(model, sent(spark, table), "z", **asked)
    assert json.dumps(there.to_dict()) == json.dumps(here.to_dict())
    assert str(there) == str(here)
    assert (there.rows, there.loss_error) == (here.rows, here.loss_error)
    assert sorted(there.answers.tolist()) == sorted(here.answers.tolist())


@pytest.mark.slow
def test_a_comparison_of_numbers_far_away_has_the_json_of_the_one_here(spark, monkeypatch):
    keep_far(monkeypatch)
    table = numbers(40).drop_columns(["who", "time"])
    asked = {"regression": True, "methods": ["linear"], "folds": 2, "tuned": False}
    here, there = ts.compare(table, "z", **asked), ts.compare(sent(spark, table), "z", **asked)
    assert json.dumps(there.to_dict()) == json.dumps(here.to_dict())
