"""Threshold and costs, on answers to rows not seen."""

from __future__ import annotations

import numpy as np
import pytest
from pages import people

import tallystick as ts
from tallystick.errors import OptionError
from tallystick.studio.deciding import by_costs, deciding


@pytest.fixture(scope="module")
def judged():
    return ts.cross_validate(ts.NaiveBayes(), people(200), "income", folds=4)


def labels(result):
    return list(result.classes)


def test_in_the_middle_stand_the_answers_of_the_model(judged):
    told = deciding(judged, labels(judged))
    positive, half = told["positive"], told["steps"] // 2
    confusion = judged.scores.confusion
    assert told["found"][half] == confusion[positive][positive]
    assert told["alarms"][half] == confusion[1 - positive][positive]
    assert told["of"] == [confusion[positive].sum(), confusion[1 - positive].sum()]


def test_a_higher_threshold_answers_fewer_rows(judged):
    told = deciding(judged, labels(judged))
    assert told["found"] == sorted(told["found"], reverse=True)
    assert told["alarms"] == sorted(told["alarms"], reverse=True)
    assert told["found"][0] == told["of"][0]


def test_costs_are_never_dearer_than_the_answers_of_the_model(judged):
    told = by_costs(judged, labels(judged), [[0, 1], [10, 0]])
    assert np.sum(told["confusion"]) == 200
    assert told["cost"] == pytest.approx(np.sum(np.array(told["confusion"]) * [[0, 1], [10, 0]]))
    same = by_costs(judged, labels(judged), [[0, 1], [1, 0]])
    assert same["cost"] == same["own"]


@pytest.mark.parametrize("costs", [None, [[1]], "x", [[0, 1], [float("nan"), 0]], [["a", 1], [1, 0]]])
def test_costs_that_are_none_are_refused(judged, costs):
    with pytest.raises(OptionError, match="costs must be"):
        by_costs(judged, labels(judged), costs)
