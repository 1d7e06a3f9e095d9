"""What differs between groups is said with both figures, and chance alone is not called a difference."""

from __future__ import annotations

import numpy as np
import pytest

import tallystick as ts
from tallystick.judge.groups import differences, error_rates, sentence
from tallystick.judge.result import FoldAnswers


def rates(groups, truth, answer):
    shares = np.eye(2)[answer] * 0.8 + 0.1
    part = FoldAnswers(shares, np.zeros(len(truth), np.int64))
    return error_rates(np.array(groups), np.array(truth), part, None, None)


def test_a_group_that_is_missed_more_often_is_told_with_both_figures():
    groups = ["f"] * 200 + ["m"] * 200
    truth = np.tile([0, 1], 200)
    answer = truth.copy()
    answer[1:80:2] = 0  # 40 of 100 of group f are missed
    answer[201:211:2] = 0  # 5 of 100 of group m
    made, found = differences(rates(groups, truth, answer), ("no", "yes"))
    assert made == 4  # errors, answers, misses, false alarms: of two groups each would be told twice
    assert {d.what for d in found} >= {"misses of 'yes'", "errors"}
    text = sentence(rates(groups, truth, answer), ("no", "yes"))
    assert "misses of 'yes' 5.0% where it is 'm', 40.0% elsewhere" in text
    assert "Holm" in text
    assert "fair" not in text


@pytest.mark.slow
def test_groups_of_one_kind_rarely_differ():
    rng = np.random.default_rng(0)
    called = 0
    for _ in range(200):
        truth = rng.integers(0, 2, 300)
        answer = np.where(rng.random(300) < 0.2, 1 - truth, truth)
        called += bool(differences(rates(rng.integers(0, 3, 300).astype(str), truth, answer), ("n", "y"))[1])
    assert called <= 20  # 5 % are promised at most


def test_small_groups_are_not_compared():
    assert "too small" in sentence(rates(["a", "b"] * 4, [0, 1] * 4, [0, 1] * 4), ("n", "y"))


def test_rates_are_those_of_the_rows():
    groups, truth, answer = ["a"] * 4 + ["b"] * 4, [0, 0, 1, 1, 0, 1, 1, 1], [0, 1, 1, 0, 0, 1, 1, 0]
    one, two = sorted(rates(groups, truth, answer), key=lambda g: g["group"])
    assert (one["misses"][1]["share"], one["false_alarms"][1]["share"]) == (0.5, 0.5)
    assert two["misses"][1]["share"] == pytest.approx(1 / 3)
    assert two["calibration"][1]["given"] == pytest.approx((0.1 + 0.9 + 0.9 + 0.1) / 4)
    low, high = two["calibration"][1]["low"], two["calibration"][1]["high"]
    assert low < 0.75 < high


def test_cross_validation_tells_rates_by_a_column_outside_the_model():
    rows = [{"x": i % 9, "sex": "fm"[i % 2], "y": "ab"[(i % 9 > 4) ^ (i % 11 == 0)]} for i in range(120)]
    found = ts.cross_validate(ts.NaiveBayes(kinds={"sex": "out"}), rows, "y", folds=3, by="sex")
    assert {g["group"] for g in found.by("sex")} == {"f", "m"}
    assert "misses" in found.by("sex")[0]
