"""scikit-learn's own checks of rules, and its tools around them."""

from __future__ import annotations

import warnings

import pytest
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.model_selection import GridSearchCV
from sklearn.utils.estimator_checks import parametrize_with_checks

import tallystick as ts

pytestmark = pytest.mark.slow

with warnings.catch_warnings():  # not derived from BaseEstimator: scikit-learn is not loaded at run time
    warnings.simplefilter("ignore")
    every_check = parametrize_with_checks([ts.RuleList(), ts.RuleSet()])


@pytest.mark.filterwarnings("ignore")
@every_check
def test_scikit_learn_accepts_the_estimator(estimator, check):
    check(estimator)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("method", [ts.RuleList, ts.RuleSet])
def test_a_search_chooses_how_many_rules(method):
    X, y = load_iris(return_X_y=True)
    found = GridSearchCV(method(), {"max_rules": [1, None]}, cv=3).fit(X, y)
    assert found.best_params_["max_rules"] is None
    assert found.best_score_ > 0.9


def test_a_clone_has_the_wishes_and_no_model():
    rules = ts.RuleSet(max_rules=3, costs=[[0, 1], [2, 0]])
    again = clone(rules)
    assert again.get_params() == rules.get_params()
    assert not hasattr(again, "model_")
    assert repr(again) == repr(rules)
