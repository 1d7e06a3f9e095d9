"""Methods that are not ours: the baselines, and any scikit-learn estimator on the rows as they were read."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.dummy import DummyRegressor
from sklearn.linear_model import LogisticRegression, Perceptron
from sklearn.tree import DecisionTreeClassifier

import tallystick as ts
from tallystick.errors import DataError, OptionError
from tallystick.judge.api import Foreign, Majority, Mean, raw_frame

FRAME = pd.DataFrame({"a": [0.0, 1.0, 2.0, 3.0], "y": ["p", "p", "p", "q"]})


def table(weights=None):
    return ts.NaiveBayes(kinds={"a": "numeric"})._read(FRAME, "y", weights)


def test_the_baselines_answer_every_row_alike():
    rows = table()
    found = Majority()._fit_table(rows)
    assert found.model_.shares(rows.slice(0, 2)).tolist() == [[0.75, 0.25]] * 2
    assert found._numbers() == 1
    assert Majority()._fit_table(table([1, 1, 1, 3])).model_.answer.tolist() == [0.5, 0.5]
    line = ts.RegressionTree()._read({"a": [1.0, 2.0], "y": [3.0, 5.0]}, "y", [3, 1])
    assert Mean()._fit_table(line).model_.answer.tolist() == [3.5]


def test_an_estimator_of_scikit_learn_sees_the_rows_and_answers_by_our_classes():
    rows = table()
    found = Foreign(DecisionTreeClassifier(random_state=0), FRAME)._fit_table(rows)
    assert found._predict_table(rows).tolist() == [[1, 0], [1, 0], [1, 0], [0, 1]]
    assert found._numbers() == 3
    part = rows.take(np.array([3, 0]))
    assert found._predict_table(part).tolist() == [[0, 1], [1, 0]]


def test_one_without_shares_gives_1_to_its_answer():
    found = Foreign(Perceptron(), FRAME)._fit_table(table())
    assert set(found._predict_table(table()).ravel().tolist()) == {0.0, 1.0}


def test_numbers_of_a_linear_model_are_its_weights_and_others_do_not_say():
    assert Foreign(LogisticRegression(), FRAME)._fit_table(table())._numbers() == 2
    line = ts.RegressionTree(kinds={"a": "numeric"})._read({"a": [1.0, 2.0], "y": [3.0, 5.0]}, "y")
    mean = Foreign(DummyRegressor(), pd.DataFrame({"a": [1.0, 2.0]}))._fit_table(line)
    assert mean._predict_table(line).tolist() == [[4.0], [4.0]]
    assert mean._numbers() is None


def test_what_has_no_fit_is_refused_and_frames_are_passed_on():
    with pytest.raises(OptionError, match="'str' cannot be compared: it has no fit and predict"):
        Foreign("tree", FRAME)
    assert raw_frame(FRAME) is FRAME
    assert raw_frame({"a": [1, 2]})["a"].tolist() == [1, 2]


class Given(DecisionTreeClassifier):
    """Gives what it is told to, for every row."""

    def __init__(self, shares=None):
        super().__init__()
        self.shares = shares

    def predict_proba(self, X):
        return self.shares(len(X))


@pytest.mark.parametrize(
    ("shares", "says"),
    [
        (lambda n: np.full((n, 2), np.nan), r"gave NaN or infinity in 8 rows of 8"),
        (lambda n: np.full((n, 2), 1.0), r"gave 1.0, 1.0 for a row \(8 rows of 8\)"),
        (lambda n: np.tile([1.5, -0.5], (n, 1)), r"gave 1.5, -0.5 for a row"),
        (lambda n: np.full(n, 0.5), r"gave numbers of shape \(8,\)\. It must give numbers of shape \(8, 2\)"),
        (lambda n: np.full((n - 1, 2), 0.5), r"gave numbers of shape \(7, 2\)"),
        (lambda n: None, r"gave numbers of shape \(\)"),
        (lambda n: [["a", "b"]] * n, r"gave something that is not a number"),
    ],
)
def test_shares_that_are_none_are_refused_and_not_scored(shares, says):
    frame = pd.DataFrame({"x": [1.0, 2.0] * 4})
    table = ts.NaiveBayes()._read(frame, np.array(["p", "q"] * 4))
    made = Foreign(Given(shares), frame)._fit_table(table)
    with pytest.raises(DataError, match=rf"predict_proba of 'Given' {says}"):
        made._predict_table(table)


def test_shares_of_single_floats_are_taken():
    frame = pd.DataFrame({"x": [1.0, 2.0] * 4})
    table = ts.NaiveBayes()._read(frame, np.array(["p", "q"] * 4))
    third = Given(lambda n: np.tile(np.array([1 / 3, 2 / 3], np.float32), (n, 1)))
    found = Foreign(third, frame)._fit_table(table)._predict_table(table)
    assert (found.dtype, found.shape) == (np.float64, (8, 2))


def test_an_answer_that_is_no_class_is_named():
    class Other(Perceptron):
        def predict(self, X):
            return np.array(["other"] * len(X))

    frame = pd.DataFrame({"x": [1.0, 2.0] * 4})
    table = ts.NaiveBayes()._read(frame, np.array(["p", "q"] * 4))
    with pytest.raises(DataError, match=r"predict of 'Other' names 'other', which is not a class: 'p', 'q'"):
        Foreign(Other(), frame)._fit_table(table)._predict_table(table)
