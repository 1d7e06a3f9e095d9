"""Comparisons whose rows stay with Spark: choices, scores and checks are those made here."""

from __future__ import annotations

import json

import numpy as np
import pyarrow as pa
import pytest
from far_rows import keep_far, mixed_rows, sent, telling_rows

import tallystick as ts
from tallystick.bayes.explain import dependence
from tallystick.judge import compare as trials
from tallystick.judge.api import compare_read
from tallystick.judge.checks import check_columns, check_table
from tallystick.judge.compare import Candidate
from tallystick.judge.crossval import FoldOptions
from tallystick.judge.run import hold, judged_cost

pytestmark = pytest.mark.slow


@pytest.fixture
def far(monkeypatch):
    keep_far(monkeypatch)


@pytest.mark.night
def test_a_comparison_of_rows_that_stay_with_spark_is_the_one_here(spark, far):
    table = mixed_rows(90, 3)
    asked = {"methods": ["bayes-gaussian", "tree:max_depth=1"], "tuned": False, "folds": 2}
    here, there = (ts.compare(data, "y", **asked) for data in (table, sent(spark, table)))
    assert json.dumps(there.to_dict()) == json.dumps(here.to_dict())
    assert str(there) == str(here)
    assert {check.code for check in there.checks} >= {"repeated-rows", "conflicts"}
    for entry in here.entries:
        if entry.family != "majority":
            assert there[entry.name].model.to_bytes() == entry.model.to_bytes()


@pytest.mark.parametrize(
    "dealt", [(2, None, None), (2, "colour", None), (2, None, "at"), ((2, 1, 1), None, None)]
)
def test_settings_of_rows_that_stay_with_spark_are_chosen_as_here(spark, far, monkeypatch, dealt):
    monkeypatch.setattr(trials, "INNER", 2)
    each = tuple((f"{a:g}", ts.NaiveBayes(distributions="gaussian", alpha=a)) for a in (0.01, 1.0, 100.0))
    made = [Candidate("bayes", "bayes", each[:1]), Candidate("bayes, tuned", "bayes", each)]
    table, way, found = mixed_rows(60), FoldOptions.of(*dealt), []
    if dealt[2] is not None:
        table = table.append_column("at", pa.array(np.arange(table.num_rows) // 3 * 0.5))
    for data in (table, sent(spark, table)):
        read = way.read(ts.NaiveBayes(), data, "y", None)
        cost = judged_cost(None, 0.3, read)
        found.append(compare_read(read, way, made, cost=cost, ignore=["dependence"]))
    here, there = found
    assert json.dumps(there.to_dict()) == json.dumps(here.to_dict())
    assert there["bayes, tuned"].setting == here["bayes, tuned"].setting != ""
    assert there.entries[0].result.rule is not None


def held_rows():
    """Rows that are held out: some are training rows, one is of a class that training rows lack."""
    held = mixed_rows(24, seed=8).drop_columns(["y"]).append_column("y", pa.array([0, 1] * 15 + [7, None]))
    return pa.concat_tables([mixed_rows(60).slice(0, 5), held])


def test_rows_held_out_judge_rows_that_stay_with_spark_as_those_here(spark, far, monkeypatch):
    monkeypatch.setattr(trials, "INNER", 2)
    table, held = mixed_rows(60), held_rows()
    model = ts.NaiveBayes(distributions="gaussian")
    each = tuple((f"{a:g}", ts.NaiveBayes(distributions="gaussian", alpha=a)) for a in (0.01, 100.0))
    made = [Candidate("bayes, tuned", "bayes", each)]
    found, alone, way = [], [], FoldOptions.of(2, None, None)
    for data in (table, sent(spark, table)):
        alone.append(ts.cross_validate(model, data, "y", held_out=held, threshold=0.3))
        read = way.read(ts.NaiveBayes(), data, "y", None)
        once = hold(held, read, ts.NaiveBayes())
        found.append(compare_read(read, way, made, held=once, ignore=["dependence"]))
    assert json.dumps(alone[1].to_dict()) == json.dumps(alone[0].to_dict())
    assert alone[1].how == alone[0].how
    assert "of the held-out rows among them" in alone[0].how
    assert json.dumps(found[1].to_dict()) == json.dumps(found[0].to_dict())
    assert found[1].entries[0].setting == found[0].entries[0].setting != ""


def test_checks_of_rows_that_stay_with_spark_are_those_here(spark, far):
    table, found = telling_rows(150), []
    for data in (table, sent(spark, table)):
        read = ts.NaiveBayes(kinds={"words": "text", "told": "levels"})._read(data, "y")
        every = [*check_table(read), *check_columns(read), *dependence(read)]
        found.append([check.to_dict() for check in every])
    assert found[0] == found[1]
    assert {check["code"] for check in found[0]} >= {"sentinel", "giveaway", "dependence"}
    assert {check["column"] for check in found[0] if check["code"] == "giveaway"} >= {"near", "told", "words"}


@pytest.mark.night
def test_tuned_methods_of_rows_that_stay_with_spark_are_those_here(spark, far):
    table = mixed_rows(45)
    here, there = (ts.compare(data, "y", methods=["bayes"], folds=2) for data in (table, sent(spark, table)))
    assert json.dumps(there.to_dict()) == json.dumps(here.to_dict())
