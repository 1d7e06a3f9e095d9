"""A tree that answers with numbers: means of leaves, and the share of the variance it explains."""

from __future__ import annotations

import numpy as np
import pytest

import tallystick as ts
from tallystick.errors import TallyError

ROWS = {"a": [0.0] * 10 + [1.0] * 10, "y": [1.0, 3.0] * 5 + [10.0, 12.0] * 5}


@pytest.fixture(scope="module")
def tree():
    return ts.RegressionTree(max_depth=1, kinds={"a": "numeric"}).fit(ROWS, "y")


def test_a_row_is_answered_with_the_mean_of_its_leaf(tree):
    assert tree.predict({"a": [0.0, 1.0, 0.4]}).tolist() == [2.0, 11.0, 2.0]
    assert tree.predict_one({"a": 1.0}) == 11.0
    assert tree.predict({"a": []}).tolist() == []


def test_the_score_is_the_share_of_the_variance_that_is_explained(tree):
    spread = np.var(ROWS["y"])
    assert tree.score(ROWS, "y") == pytest.approx(1 - 1 / spread)
    assert tree.score({"a": [0.0, 1.0]}, [2.0, 11.0]) == 1.0


def test_texts_are_not_numbers_to_predict():
    with pytest.raises(TallyError, match="y"):
        ts.RegressionTree().fit({"a": [1.0, 2.0, 3.0], "y": ["low", "high", "low"]}, "y")


def test_a_regression_has_no_classes_and_no_shares(tree):
    assert not hasattr(tree, "classes_")
    assert not hasattr(tree, "predict_proba")
