"""The scores: each is what is counted by hand, with its baseline, and lies between its ends."""

from __future__ import annotations

import math

import numpy as np
import pytest

from tallystick.judge.scores import (
    NUMBER_SCORES,
    SCORES,
    Answered,
    Measure,
    Reckoned,
    accuracy,
    delong,
    log_losses,
    precision_recall,
)

TRUTH = np.array([0, 1, 1, 1])
SHARES = np.array([[0.8, 0.2], [0.4, 0.6], [0.6, 0.4], [0.1, 0.9]])
ONE = np.ones(4)


def answered(cost=None):
    answer = np.array([0, 1, 0, 1])
    confusion = np.array([[1.0, 0.0], [1.0, 2.0]])
    return Answered(TRUTH, SHARES, ONE, answer, confusion, 1, np.zeros(4, np.int64), cost)


def found(name, **more):
    return next(s for s in SCORES if s.name == name).of(answered(**more))


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
    hit, value, fold = np.array([True, False, False]), np.array([0.5, 0.5, 0.1]), np.zeros(3, np.int64)
    assert delong(hit, value, np.array([1.0, 1.0, 1.0]), fold)[0] == 0.75
    assert delong(hit, value, np.array([1.0, 1.0, 3.0]), fold)[0] == (0.5 + 3) / 4
    assert delong(hit, value, np.ones(3), np.array([0, 1, 1])) is None  # no fold has a pair


def test_precision_and_recall_fall_and_rise_with_the_threshold():
    at, precision, recall = precision_recall(
        np.array([True, False, True]), np.array([0.9, 0.5, 0.5]), np.ones(3)
    )
    assert (at.tolist(), precision.tolist(), recall.tolist()) == ([0.9, 0.5], [1.0, 2 / 3], [0.5, 1.0])


def test_scores_of_numbers_are_those_counted_by_hand():
    given = Reckoned(np.array([0.0, 4.0]), np.array([1.0, 4.0]), np.array([1.0, 3.0]))
    mse, rmse, mae, r2 = (score.of(given) for score in NUMBER_SCORES)
    assert (mse.value, mse.base) == (1 / 4, 3.0)  # the mean is 3
    assert (rmse.value, rmse.base) == (1 / 2, 3.0**0.5)
    assert (rmse.low, rmse.high) == (mse.low**0.5, mse.high**0.5)
    assert (mae.value, mae.base) == (1 / 4, (3 + 3) / 4)
    assert (r2.value, r2.base) == (1 - 1 / 12, 0.0)


@pytest.mark.parametrize("weight", [1.0, 2.0, 0.5])
@pytest.mark.parametrize("many", [5, 5_000])
def test_errors_too_large_to_cube_have_intervals_without_an_end(weight, many):
    truth = np.arange(many) * 1e60
    given = Reckoned(truth, np.roll(truth, 1), np.full(many, weight))
    for score in NUMBER_SCORES:
        found = score.of(given)
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
