"""What a user meets of the package: few names, each with its parameters told as they are."""

from __future__ import annotations

import pytest

import tallystick as ts

ESTIMATORS = {
    "DecisionTree": "apply c45 cart column_use get_depth get_n_leaves id3 predict_log_proba predict_proba "
    "predict_proba_one prune pruning_path rules show splits",
    "RegressionTree": "apply column_use get_depth get_n_leaves prune pruning_path rules show splits",
    "NaiveBayes": "forget independence nomogram partial_fit predict_joint_log_proba predict_log_proba "
    "predict_proba predict_proba_one shares to_logistic update votes",
    "LogisticRegression": "forest nomogram predict_log_proba predict_proba predict_proba_one summary "
    "trace_picture",
}
EVERY = (
    "explain export fit get_params outside_range picture predict predict_one save score set_params to_bytes "
    "to_dict transform"
)


def public(cls: type) -> list[str]:
    """The names of a class that are neither private, nor parameters, nor learned (scikit-learn's word_)."""
    names = [n for n in dir(cls) if not n.startswith("_") and not n.endswith("_")]
    return [n for n in names if n not in cls._names()]


@pytest.mark.parametrize("name", ESTIMATORS)
def test_an_estimator_has_these_public_methods_and_no_others(name):
    assert public(getattr(ts, name)) == sorted((ESTIMATORS[name] + " " + EVERY).split())
