"""Answers to new rows are counted as those to the training rows were."""

from __future__ import annotations

import numpy as np

import tallystick as ts
from tallystick.description.changes import AnswerTally, in_bins, of_profile

ROWS = [{"a": i % 5, "b": "uvw"[i % 3], "y": "ab"[i % 7 > 3]} for i in range(60)]


def counted(model, rows):
    told = AnswerTally.of(model)
    for part in model._blocks(rows):
        told.add(part.block)
    return told


def test_the_training_rows_give_the_counts_of_the_profile():
    model = ts.NaiveBayes().fit(ROWS, "y")
    told = counted(model, ROWS)
    assert told.given.tolist() == model.profile_.answers.given.tolist()
    assert told.seen.tolist() == model.profile_.answers.shares.tolist()


def test_numbers_answered_are_counted_in_the_bins_of_the_profile():
    rows = [r | {"y": float(r["a"])} for r in ROWS]
    model = ts.RegressionTree(min_samples_leaf=2).fit(rows, "y")
    told = counted(model, rows)
    assert told.given.tolist() == told.known.counts.tolist()


def test_every_number_has_a_bin_below_between_at_or_above():
    values = np.repeat([1.0, 2.0, 3.0], [10, 1, 10])
    model = ts.DecisionTree(kinds={"x0": "numeric"}).fit(values[:, None], np.arange(21) % 2 > 0)
    known = of_profile(model.profile_.columns[0], "numeric", (), 21)
    assert known.labels == ("below 1", "1", "1 to 2", "2 to 3", "3", "above 3")
    assert known.counts.tolist() == [0, 10, 0, 1, 10, 0]
    assert in_bins(known, np.array([0.5, 1, 1.5, 2, 2.5, 3, 3.5])).tolist() == [1, 1, 1, 2, 1, 1]


def test_a_model_without_answers_says_why():
    model = ts.NaiveBayes().fit(ROWS, "y")
    model.profile_ = None
    assert "keeps no answers" in AnswerTally.of(model).untold


def test_a_decision_is_no_drift_of_the_answers():
    rows = [{"x": k % 7, "y": "yes" if k % 7 > 4 else "no"} for k in range(210)]
    model = ts.NaiveBayes().fit(rows, "y")
    before = ts.describe(rows, against=model).to_dict()
    assert ts.describe(rows, against=model.set_decision(threshold=0.01, of="yes")).to_dict() == before
