"""How probable labelled rows are: sums of logarithms, in words where some row is impossible."""

from __future__ import annotations

import math
from importlib.resources import files

import numpy as np
import pytest

import tallystick as ts
from tallystick.bayes.explain import Likelihood

TENNIS = files("tallystick") / "examples" / "play-tennis.csv"


def test_naive_bayes_tells_the_likelihood_of_rows_and_of_classes_alone():
    model = ts.NaiveBayes().fit(TENNIS, "Play")
    found = model.likelihood(TENNIS)
    joint, shares = model.predict_joint_log_proba(TENNIS), model.predict_log_proba(TENNIS)
    lines = TENNIS.read_text().split()[1:]
    at = [model.classes_.tolist().index(line.split(",")[-1]) for line in lines]
    assert found.rows == 14
    assert found.data == pytest.approx(joint[np.arange(14), at].sum())
    assert found.conditional == pytest.approx(shares[np.arange(14), at].sum())
    assert found.data < found.conditional < 0
    other = ts.LogisticRegression(l2=0.01).fit(TENNIS, "Play").predict_log_proba(TENNIS)
    assert other[np.arange(14), at].sum() > found.conditional  # which is what it makes large


def test_an_impossible_row_is_said_in_words():
    found = Likelihood(2, -math.inf, -1.5)
    assert "none: some row has probability 0" in str(found)
    assert found.to_dict() == {"rows": 2, "data": None, "conditional": -1.5}
    assert "-0.7500 a row" in str(found)
