"""Fitted rows have the shares that the model answers, whatever they are made of."""

from __future__ import annotations

import numpy as np
import pytest
from loan_tables import loans

import tallystick as ts


@pytest.mark.slow
@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("options", [{}, {"interactions": 2}, {"class_weight": "balanced"}, {"l2": 1.0}])
def test_shares_are_those_of_the_model(classes, options):
    frame, _ = loans(classes=classes)
    frame.loc[frame.index[::7], "age"] = np.nan
    frame.loc[frame.index[::9], "housing"] = None
    model = ts.LogisticRegression(**({"l2": 0} | options)).fit(frame, "paid")
    rows = model.inference(frame).rows
    found = np.concatenate([some.shares for some in rows.each()])
    np.testing.assert_allclose(found, model.predict_proba(frame), rtol=1e-7, atol=1e-10)


def test_the_scores_of_all_rows_add_up_to_nothing():
    frame, _ = loans(classes=3)
    model = ts.LogisticRegression(l2=0).fit(frame, "paid", sample_weight=np.arange(len(frame)) % 4)
    rows = model.inference(frame, sample_weight=np.arange(len(frame)) % 4).rows
    total = sum((rows.scores(some) * some.copies[:, None]).sum(axis=0) for some in rows.each())
    assert np.abs(total).max() < 1e-6
