"""Every classifier answers `predict_interval` by the face of its method, over files and frames."""

from __future__ import annotations

import numpy as np
import pytest
import statsmodels.api as sm
from loan_tables import as_numbers, loans

import tallystick as ts


@pytest.mark.slow
def test_rows_come_as_they_come(tmp_path):
    frame, _ = loans()
    frame.to_csv(tmp_path / "rows.csv", index=False)
    for model in (ts.DecisionTree(max_depth=2), ts.Scorecard()):
        model.fit(frame, "paid")
        np.testing.assert_array_equal(
            model.predict_interval(frame), model.predict_interval(tmp_path / "rows.csv")
        )
        assert model.predict_interval(frame.head(0)).shape == (0, 2, 2)


def test_the_interval_of_a_logistic_share_is_that_of_statsmodels():
    frame, branch = loans()
    model = ts.LogisticRegression(l2=0).fit(frame, "paid")
    x, y = as_numbers(frame)
    for options, fit in (
        ({}, {}),
        ({"groups": branch}, {"cov_type": "cluster", "cov_kwds": {"groups": branch}}),
    ):
        peer = sm.GLM(y, x, family=sm.families.Binomial()).fit(tol=1e-14, maxiter=100, **fit)
        wanted = peer.get_prediction(x.head(50)).summary_frame(alpha=0.1)
        found = model.inference(frame, level=0.9, **options).predict_interval(frame.head(50))
        np.testing.assert_allclose(found[:, 1, 0], wanted["mean_ci_lower"], rtol=1e-6)
        np.testing.assert_allclose(found[:, 1, 1], wanted["mean_ci_upper"], rtol=1e-6)
        np.testing.assert_allclose(found[:, 0, 0], 1 - found[:, 1, 1], rtol=1e-9)


def test_several_classes_have_intervals_that_hold_their_shares():
    frame, _ = loans(classes=3)
    model = ts.LogisticRegression(l2=1.0).fit(frame, "paid")
    found = model.inference(frame).predict_interval(frame)
    shares = model.predict_proba(frame)
    assert (found[..., 0] < shares).all()
    assert (shares < found[..., 1]).all()
