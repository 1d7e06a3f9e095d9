"""scikit-learn's own checks of a scorecard, and its tools around one."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.model_selection import GridSearchCV
from sklearn.utils.estimator_checks import parametrize_with_checks

import tallystick as ts

pytestmark = pytest.mark.slow

with warnings.catch_warnings():  # not derived from BaseEstimator: scikit-learn is not loaded at run time
    warnings.simplefilter("ignore")
    every_check = parametrize_with_checks([ts.Scorecard()])


@pytest.mark.filterwarnings("ignore")
@every_check
def test_scikit_learn_accepts_the_estimator(estimator, check):
    check(estimator)


def test_a_clone_has_the_wishes_and_no_model():
    card = ts.Scorecard(cuts={"x": [1.0]}, monotone={"x": "rising"}, pairs=0)
    again = clone(card)
    assert again.get_params() == card.get_params()
    assert not hasattr(again, "model_")
    assert repr(again) == repr(card)


@pytest.mark.filterwarnings("ignore")
def test_a_search_chooses_among_wishes():
    X, y = load_iris(return_X_y=True)
    rng = np.random.default_rng(0)
    X = np.column_stack([X, rng.normal(size=len(X))])
    found = GridSearchCV(ts.Scorecard(pairs=0), {"max_columns": [1, 4]}, cv=3).fit(X, y)
    assert found.best_params_["max_columns"] in (1, 4)
    assert found.best_score_ > 0.9
