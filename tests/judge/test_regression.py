"""Answers of a regression: squared errors, their interval, and the mean as the baseline."""

from __future__ import annotations

import numpy as np
import pytest

import tallystick as ts
from tallystick.judge.result import FoldAnswers, RegressionValidation


@pytest.mark.slow
def test_a_regression_has_a_mean_squared_error_with_its_interval():
    rng = np.random.default_rng(3)
    x = rng.uniform(size=400)
    data = {"x": x, "y": np.floor(4 * x) + rng.normal(scale=0.3, size=400)}
    found = ts.cross_validate(ts.RegressionTree(max_leaf_nodes=4), data, "y", folds=5)
    assert found.mse == pytest.approx(((data["y"] - found.answers) ** 2).mean())
    measure = found.measure("mse")
    assert measure.low < 0.09 < measure.high  # the noise no model can avoid
    assert measure.base == pytest.approx(data["y"].var())
    assert found.measure("r2").value == pytest.approx(1 - found.mse / data["y"].var())
    assert sum(found.to_dict()["fold_sizes"][0]) == 400
    assert "mse" in str(found)
    copy = ts.cross_validate(
        ts.RegressionTree(max_leaf_nodes=4), {k: v[::-1] for k, v in data.items()}, "y", folds=5
    )
    assert copy.mse == pytest.approx(found.mse, rel=1e-12)


def judged(weights=None):
    """Four rows in two folds: errors 1, 1 in the first, 2, 0 in the second."""
    answers = np.array([[1.0], [3.0], [2.0], [6.0]])
    part = FoldAnswers(answers, np.array([0, 0, 1, 1]))
    return RegressionValidation(np.array([0.0, 4.0, 4.0, 6.0]), (part,), weights)


def test_errors_are_those_counted_by_hand():
    found = judged()
    assert found.mse == 6 / 4
    assert found.measure("mae").value == 4 / 4
    assert found.measure("mse").base == 19 / 4  # the mean is 3.5
    assert found.measure("r2").value == pytest.approx(1 - 6 / 19)
    assert found.fold_means().tolist() == [1.0, 2.0]
    assert found.answers.tolist() == [1.0, 3.0, 2.0, 6.0]


def test_a_weight_counts_as_so_many_rows():
    found = judged(np.array([1.0, 1.0, 3.0, 1.0]))
    assert found.mse == (1 + 1 + 3 * 4) / 6
    assert found.to_dict()["rows"] == 6
    assert found.to_dict()["fold_sizes"] == [[2, 4]]


def test_a_target_of_one_value_has_no_division_by_nothing():
    part = FoldAnswers(np.array([[1.0], [1.0]]), np.array([0, 1]))
    found = RegressionValidation(np.array([1.0, 1.0]), (part,))
    assert (found.mse, found.measure("r2").value) == (0.0, 1.0)
