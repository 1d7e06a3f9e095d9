"""Methods that are not ours: the baselines, and any scikit-learn estimator on the rows as they were read."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.dummy import DummyRegressor
from sklearn.linear_model import LogisticRegression, Perceptron
from sklearn.tree import DecisionTreeClassifier

import tallystick as ts
from tallystick.errors import OptionError
from tallystick.estimators.peers import Foreign, Majority, Mean, raw_frame

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
