"""The training rows behind the reasons of an explanation."""

from __future__ import annotations

import tallystick as ts
from tallystick.bayes.explain import bayes_counts
from tallystick.explanation.effects import no_counts

ROWS = {"c": ["u", "v", "u", None], "d": ["k", "k", "l", "l"], "y": ["p", "q", "q", "q"]}


def test_each_value_that_was_counted_has_its_rows_by_class():
    model = ts.NaiveBayes().fit(ROWS, "y")
    found = bayes_counts(model.model_, model.explain({"c": "u", "d": "l"}))
    assert found == [("c", "u", {"p": 1, "q": 1}), ("d", "l", {"p": 0, "q": 2})]


def test_missing_and_new_values_have_none():
    model = ts.NaiveBayes().fit(ROWS, "y")
    assert bayes_counts(model.model_, model.explain({"c": None, "d": "new"})) == []


def test_a_model_without_counts_has_none():
    model = ts.LogisticRegression().fit(ROWS, "y")
    assert no_counts(model.model_, model.explain({"c": "u", "d": "l"})) == []
