"""scikit-learn's own checks of estimators, for both trees. What is expected to fail is said with its
reason.
"""

from __future__ import annotations

import warnings

import pytest
from sklearn.utils.estimator_checks import estimator_checks_generator

import tallystick as ts

EXPECTED = {
    "check_dataframe_column_names_consistency": "columns are matched by name: another order is no error",
}


def checks():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # no BaseEstimator: scikit-learn is not imported at run time
        for estimator in (ts.DecisionTree(), ts.RegressionTree()):
            for one, check in estimator_checks_generator(estimator):
                name = check.func.__name__
                marks = [pytest.mark.xfail(reason=EXPECTED[name], strict=True)] if name in EXPECTED else []
                yield pytest.param(one, check, id=f"{type(one).__name__}-{name}", marks=marks)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("estimator", "check"), list(checks()))
def test_estimator_checks_of_scikit_learn_pass(estimator, check):
    check(estimator)
