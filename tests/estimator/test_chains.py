"""An estimator is read in few classes, and has no method that cannot work."""

from __future__ import annotations

import pytest

import tallystick as ts
from tallystick import methods
from tallystick.errors import OptionError

ESTIMATORS = [method.load("estimator") for method in (*methods.METHODS, *methods.DENSITIES)]


@pytest.mark.parametrize("kind", ESTIMATORS, ids=lambda kind: kind.__name__)
def test_an_estimator_is_at_most_five_classes_of_ours(kind):
    assert sum(c.__module__.startswith("tallystick") for c in kind.__mro__) <= 5


@pytest.mark.parametrize(
    ("kind", "name", "cure"),
    [
        (ts.OptimalTree, "prune", "Fit it again with leaf_price="),
        (ts.OptimalTree, "pruning_path", "Fit it again with leaf_price="),
        (ts.OptimalTree, "splits", "Print certificate_"),
        (ts.LinearRegression, "picture", "a model of linear regression has no picture. Print it"),
    ],
)
def test_a_method_that_cannot_work_is_not_there_and_says_what_to_do(kind, name, cure):
    assert not hasattr(kind(), name)
    assert hasattr(ts.DecisionTree(), name)
    for error in (AttributeError, OptionError):
        with pytest.raises(error, match=cure):
            getattr(kind(), name)
