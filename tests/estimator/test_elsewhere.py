"""Who is summed where the rows are, and who here."""

from __future__ import annotations

import pytest

import tallystick as ts
from tallystick.estimator.rows import needs_rows, read_elsewhere


@pytest.mark.parametrize(
    ("model", "why"),
    [
        (ts.NaiveBayes(), ""),
        (ts.DecisionTree(max_bins=8), ""),
        (ts.NaiveBayes(calibrate=True), "calibrate=True needs answers to single rows"),
        (ts.DecisionTree(pruning="length"), "pruning needs single rows"),
        (ts.Scorecard(), ""),
        (ts.LogisticRegression(), "LogisticRegression asks for more than a database sums"),
    ],
)
def test_a_method_says_whether_its_questions_have_queries(model, why):
    assert needs_rows(model) == why


def test_rows_that_no_database_is_asked_for_are_read_as_ever():
    assert read_elsewhere(ts.NaiveBayes(), "votes.csv", "y", None) is None
