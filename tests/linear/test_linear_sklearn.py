"""scikit-learn's own checks of estimators, for linear regression; none is expected to fail."""

from __future__ import annotations

import warnings

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

import tallystick as ts

pytestmark = pytest.mark.slow

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # no BaseEstimator: scikit-learn is not imported at run time
    checks = parametrize_with_checks([ts.LinearRegression()])


@pytest.mark.filterwarnings("ignore")
@checks
def test_estimator_checks_of_scikit_learn_pass(estimator, check):
    check(estimator)
