"""Warnings: a thing that is met again and again is told once."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from sklearn.feature_selection import SequentialFeatureSelector

import tallystick as ts
from tallystick.errors import warn


def test_warnings_that_differ_by_a_number_are_shown_once_at_a_line():
    with warnings.catch_warnings(record=True) as shown:
        warnings.simplefilter("default")
        for i in range(5):
            warn(f"{i} of 30 rows lie outside of 1.{i} to 2. Look at them.")
        warn("something else")
    assert [str(w.message) for w in shown] == [
        "0 of 30 rows lie outside of 1.0 to 2. Look at them.",
        "something else",
    ]
    with warnings.catch_warnings(record=True) as shown:
        warnings.simplefilter("always")
        for i in range(5):
            warn(f"{i} of 30 rows")
    assert len(shown) == 5
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(ts.TallyWarning):
            warn("6 of 30 rows")


@pytest.mark.slow
def test_a_search_for_features_does_not_repeat_its_warnings():
    rng = np.random.default_rng(0)
    X = rng.standard_t(2, size=(90, 4))
    y = (X[:, 0] + rng.normal(size=90) > 0).astype(int)
    with warnings.catch_warnings(record=True) as shown:
        warnings.simplefilter("default")
        SequentialFeatureSelector(ts.NaiveBayes(), n_features_to_select=2, cv=9).fit(X, y)
    assert len(shown) <= 3
