"""Cross-validation whose rows stay with Spark: the scores given here."""

from __future__ import annotations

import json

import numpy as np
import pyarrow as pa
import pytest
from far_rows import keep_far, mixed_rows, sent

import tallystick as ts
from tallystick.errors import DataError, OptionError


@pytest.fixture
def far(monkeypatch):
    keep_far(monkeypatch)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("model", "classes", "asked"),
    [
        (ts.DecisionTree(max_depth=2), 3, {}),
        (ts.NaiveBayes(distributions="gaussian"), 2, {"cost": [[0, 1.3], [2.7, 0]], "positive": 0}),
    ],
)
def test_scores_of_answers_that_stay_with_spark_are_those_here(spark, far, model, classes, asked):
    table = mixed_rows(90, classes)
    here = ts.cross_validate(model, table, "y", folds=3, **asked)
    there = ts.cross_validate(model, sent(spark, table), "y", folds=3, **asked)
    assert json.dumps(there.to_dict()) == json.dumps(here.to_dict())
    assert str(there) == str(here)
    assert (there.rows, there.most_frequent, there.loss_error) == (
        here.rows,
        here.most_frequent,
        here.loss_error,
    )
    assert sorted(there.shares.tolist()) == sorted(here.shares.tolist())
    if classes == 2:
        assert str(there.scores.thresholds()) == str(here.scores.thresholds())


@pytest.mark.slow
@pytest.mark.parametrize("model", [ts.NaiveBayes(), ts.DecisionTree(max_depth=2)])
def test_groups_that_stay_with_spark_are_in_the_folds_they_have_here(spark, far, model):
    table = mixed_rows(90, 2)
    asked = {"groups": "colour", "folds": 3, "repeats": 2, "threshold": 0.3}  # of a group without a name too
    here = ts.cross_validate(model, table, "y", **asked)
    there = ts.cross_validate(model, sent(spark, table), "y", **asked)
    assert json.dumps(there.to_dict()) == json.dumps(here.to_dict())
    assert str(there) == str(here)


def timed_rows(many):
    """Rows with a time, in numbers and in levels, at which several rows lie and one moment holds many."""
    table = mixed_rows(many)
    moment = np.sort(np.random.default_rng(5).integers(0, 12, table.num_rows))
    moment[10:40] = moment[10]
    days = [f"day {chr(97 + m)}" for m in moment]
    return table.append_column("at", pa.array(moment * 0.5)).append_column("day", pa.array(days))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("asked", "out"),
    [
        ({"time": "at", "folds": 3, "threshold": 0.3, "repeats": 2}, ["day"]),
        ({"time": "day", "folds": 2}, ["at"]),
        ({"folds": (0.7, 0.3), "repeats": 2}, ["at", "day"]),
    ],
)
def test_stretches_of_time_and_shares_that_stay_with_spark_are_those_here(spark, far, asked, out):
    table = timed_rows(60).drop_columns(out)
    model = ts.NaiveBayes(distributions="gaussian")
    here = ts.cross_validate(model, table, "y", **asked)
    there = ts.cross_validate(model, sent(spark, table), "y", **asked)
    assert json.dumps(there.to_dict()) == json.dumps(here.to_dict())
    assert (there.rows, there.most_frequent) == (here.rows, here.most_frequent)
    assert there.rows == table.num_rows > sum(there.repeats[0].sizes(None))  # some are never tested
    assert str(there) == str(here)


@pytest.mark.slow
@pytest.mark.parametrize(("asked", "said"), [("x", "gives no time for 14 rows"), ("words", "it is text")])
def test_a_column_that_gives_no_time_is_refused_there(spark, far, asked, said):
    table = mixed_rows(90)
    table = table.append_column("words", pa.array([f"it is {i} of many" for i in range(table.num_rows)]))
    model = ts.NaiveBayes(kinds={"words": "text"})
    with pytest.raises(OptionError, match=said) as caught:
        ts.cross_validate(model, sent(spark, table), "y", folds=2, time=asked)
    assert "\n" not in str(caught.value)


@pytest.mark.slow
@pytest.mark.parametrize("asked", [{"folds": 9}, {"folds": 2, "groups": "nobody"}])
def test_groups_are_refused_in_the_same_words(spark, far, asked):
    table, said = mixed_rows(30, 2), []
    for data in (table, sent(spark, table)):
        with pytest.raises((DataError, OptionError)) as caught:
            ts.cross_validate(ts.NaiveBayes(), data, "y", **{"groups": "colour"} | asked)
        said.append(str(caught.value))
    assert said[0] == said[1]


@pytest.mark.slow
def test_of_fewer_rows_than_folds_each_is_left_out_in_turn_wherever_they_are(spark, far):
    table = mixed_rows(6, 2)
    here, there = (
        ts.cross_validate(ts.NaiveBayes(), data, "y", folds=50) for data in (table, sent(spark, table))
    )
    assert here.how == there.how == "each row left out in turn"
    assert here.to_dict()["fold_sizes"] == there.to_dict()["fold_sizes"] == [[1] * here.rows]
    assert here.log_loss == there.log_loss
