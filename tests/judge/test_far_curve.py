"""Learning curves of rows that stay with Spark: the figures found here, and no row comes here."""

from __future__ import annotations

import json

import pytest
from far_rows import keep_far, mixed_rows, sent

import tallystick as ts
from tallystick.errors import DataError


@pytest.fixture
def far(monkeypatch):
    keep_far(monkeypatch)


@pytest.mark.slow
def test_a_curve_of_rows_that_stay_with_spark_is_the_one_here(spark, far):
    table, told = mixed_rows(60, 3), []
    asked = {"methods": ["bayes", "tree:max_depth=2"], "sizes": [2, 40], "repeats": 2}  # two: of one class
    here = ts.learning_curve(table, "y", **asked)
    there = ts.learning_curve(sent(spark, table), "y", **asked, progress=lambda *one: told.append(one))
    assert json.dumps(there.to_dict()) == json.dumps(here.to_dict())
    for mine, its in zip(there.curves, here.curves, strict=True):
        assert mine.error.tolist() == its.error.tolist()
        assert mine.loss.tolist() == its.loss.tolist()
    assert told[-1] == (4, 4, "curves")


@pytest.mark.slow
def test_too_few_rows_are_refused_in_the_same_words(spark, far):
    table, said = mixed_rows(6), []
    for data in (table, sent(spark, table)):
        with pytest.raises(DataError) as caught:
            ts.learning_curve(data, "y", methods=["bayes"])
        said.append(str(caught.value))
    assert said[0] == said[1]
