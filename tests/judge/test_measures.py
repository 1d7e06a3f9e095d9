"""The scores: each is what is counted by hand, with its baseline, and lies between its ends."""

from __future__ import annotations

import math

import numpy as np
import pytest

from tallystick.judge.answers import Answers, ShareOrder, log_losses
from tallystick.judge.scores import (
    NUMBER_SCORES,
    SCORES,
    Answered,
    AnsweredNumbers,
    Measure,
    accuracy,
)

TRUTH = np.array([0, 1, 1, 1])
SHARES = np.array([[0.8, 0.2], [0.4, 0.6], [0.6, 0.4], [0.1, 0.9]])


def answers(truth, shares, weights=None, fold=0):
    return Answers.of(np.array(truth), np.array(shares), np.zeros(len(truth), int) + fold, weights)


def found(name, cost=None):
    given = Answered(answers(TRUTH, SHARES), 2, cost=cost, positive=1)
    return given.measure(next(s for s in SCORES if s.name == name))


@pytest.mark.parametrize(
    ("name", "value", "base"),
    [
        ("accuracy", 3 / 4, 3 / 4),
        ("balanced accuracy", (1 + 2 / 3) / 2, 1 / 2),
        ("brier", (0.04 + 0.16 + 0.36 + 0.01) / 4, (1 - (1 + 9) / 16) / 2),
        ("auc", 1.0, 0.5),
        ("average precision", 1.0, 3 / 4),
    ],
)
def test_a_score_is_what_is_counted_by_hand(name, value, base):
    measure = found(name)
    assert (measure.value, measure.base) == pytest.approx((value, base))
    assert measure.low <= value <= measure.high


def test_the_log_loss_beside_that_of_the_class_shares():
    measure = found("log-loss")
    assert measure.value == pytest.approx(-np.log([0.8, 0.6, 0.4, 0.9]).mean())
    assert measure.base == pytest.approx(-(0.25 * math.log(0.25) + 0.75 * math.log(0.75)))
    assert log_losses(np.array([0]), np.array([[0.0, 1.0]])).tolist() == pytest.approx([-math.log(1e-15)])


def test_cost_is_measured_where_errors_have_prices():
    assert found("cost") is None
    measure = found("cost", cost=np.array([[0.0, 1.0], [8.0, 0.0]]))
    assert (measure.value, measure.base) == (8 / 4, 1 / 4)


def test_a_weight_counts_as_copies_and_ties_as_one_half():
    value = np.array([0.5, 0.5, 0.1])

    def area(weights, fold=0):
        shares = np.stack([1 - value, value], axis=1)
        return ShareOrder(answers([1, 0, 0], shares, weights, fold), 1).area()

    assert area(None)[0] == 0.75
    assert area(np.array([1.0, 1.0, 3.0]))[0] == (0.5 + 3) / 4
    assert area(None, np.array([0, 1, 1])) is None  # no fold has a pair


def test_precision_and_recall_fall_and_rise_with_the_threshold():
    shares = np.stack([1 - np.array([0.9, 0.5, 0.5]), np.array([0.9, 0.5, 0.5])], axis=1)
    curves, area = ShareOrder(answers([1, 0, 1], shares), 1).curves()
    assert curves["pr"] == [[0.5, 1.0], [1.0, 2 / 3]]
    assert area == pytest.approx(0.5 + 0.5 * 2 / 3)


def test_scores_of_numbers_are_those_counted_by_hand():
    given = AnsweredNumbers(answers([0.0, 4.0], [[1.0], [4.0]], np.array([1.0, 3.0])))
    mse, rmse, mae, r2 = (given.measure(score) for score in NUMBER_SCORES)
    assert (mse.value, mse.base) == (1 / 4, 3.0)  # the mean is 3
    assert (rmse.value, rmse.base) == (1 / 2, 3.0**0.5)
    assert (rmse.low, rmse.high) == (mse.low**0.5, mse.high**0.5)
    assert (mae.value, mae.base) == (1 / 4, (3 + 3) / 4)
    assert (r2.value, r2.base) == (1 - 1 / 12, 0.0)


@pytest.mark.parametrize("weight", [1.0, 2.0, 0.5])
@pytest.mark.parametrize("many", [5, 5_000])
def test_errors_too_large_to_cube_have_intervals_without_an_end(weight, many):
    truth = np.arange(many) * 1e60
    given = AnsweredNumbers(answers(truth, np.roll(truth, 1)[:, None], np.full(many, weight)))
    for score in NUMBER_SCORES:
        found = given.measure(score)
        assert np.isfinite(found.value)
        assert found.name == "mae" or np.isinf([found.low, found.high]).any()


def test_folds_widen_an_interval_within_its_ends():
    measure = Measure("accuracy", 0.9, 0.8, 0.98, "wilson", 0.5)
    wide = measure.over_folds(4.0)
    assert (wide.low, wide.high) == pytest.approx((0.7, 1.0))
    assert "widened 2.00 times for the folds" in wide.to_dict()["method"]
    assert measure.over_folds(1.0) is measure
    assert accuracy(np.array([[2.0, 0.0], [0.0, 2.0]]))[0] == 1.0


def test_every_score_is_listed_once():
    names = [score.name for score in [*SCORES, *NUMBER_SCORES]]
    assert len(names) == len(set(names))
