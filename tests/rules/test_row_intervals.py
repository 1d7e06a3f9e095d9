"""Intervals of rows hold the answers, are those of `explain`, and are refused where none is honest."""

from __future__ import annotations

import numpy as np
import pytest
from loan_tables import loans

import tallystick as ts
from tallystick.errors import OptionError


@pytest.mark.slow
@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize(
    "model",
    [
        ts.DecisionTree(max_depth=3),
        ts.DecisionTree(max_depth=3, average=True),
        ts.DecisionTree(max_depth=3, missing_values="fractions", average=False),
        ts.RuleList(max_rules=3),
    ],
    ids=["tree", "average", "fractions", "rules"],
)
def test_an_interval_holds_the_share_and_is_the_one_that_explain_shows(model, classes):
    frame, _ = loans(classes=classes)
    frame.loc[frame.index[::11], "age"] = np.nan
    model = model.__class__(**model.get_params(deep=False)).fit(frame, "paid")
    new = frame.head(40)
    found, shares = model.predict_interval(new), model.predict_proba(new)
    assert found.shape == (40, classes, 2)
    assert (found[..., 0] <= shares + 1e-12).all()
    assert (found[..., 1] >= shares - 1e-12).all()
    for row in range(0, 40, 7):
        told = model.explain(new, row=row)
        best = int(np.flatnonzero(model.classes_ == model.predict(new.iloc[[row]])[0])[0])
        assert found[row, best] == pytest.approx(told.interval)


def test_a_regression_tree_has_an_interval_of_its_mean():
    frame, _ = loans()
    model = ts.RegressionTree(max_depth=3, min_samples_leaf=5).fit(frame, "income")
    found = model.predict_interval(frame.head(20))
    assert found.shape == (20, 2)
    assert (found[:, 0] <= model.predict(frame.head(20))).all()
    assert found[3] == pytest.approx(model.explain(frame, row=3).interval)


def test_who_has_no_interval_says_where_to_look():
    frame, _ = loans()
    with pytest.raises(OptionError, match="counts each column by itself"):
        ts.NaiveBayes().fit(frame, "paid").predict_interval(frame)
    with pytest.raises(OptionError, match=r"Use model\.inference\(training rows\)\.predict_interval"):
        ts.LogisticRegression().fit(frame, "paid").predict_interval(frame)
