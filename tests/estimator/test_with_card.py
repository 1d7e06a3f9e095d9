"""`card` belongs to every estimator, and to fitted ones only."""

from __future__ import annotations

import pytest

import tallystick as ts


def test_a_model_that_is_not_fitted_has_no_card():
    with pytest.raises(ts.errors.NotFitted):
        ts.DecisionTree().card()
