"""How far each column moves a model: one that says the same of every row pulls 0."""

from __future__ import annotations

import numpy as np
import pytest

import tallystick as ts
from tallystick.reports.context import additive_pulls, card_pulls, pulls, section_of
from tallystick.reports.methods import BAYES, CARD, LOGISTIC, TREE


def test_each_method_has_its_face(given):
    methods = ("tree", "bayes", "logistic", "card")
    assert [section_of(given(m).model) for m in methods] == [TREE, BAYES, LOGISTIC, CARD]


def test_a_column_that_says_the_same_of_every_row_pulls_nothing():
    rows = {"a": ["x", "y"] * 10, "b": ["k", "k", "l", "l"] * 5, "y": ["n", "p"] * 10}
    model = ts.NaiveBayes(alpha=1.0).fit(rows, "y")
    found = additive_pulls(model.model_, model._read(rows, "y"))
    assert found["b"] == pytest.approx(0.0, abs=1e-12)
    log_odds = np.log(11 / 1)  # 10 + 1 of 12 against 0 + 1 of 12
    assert found["a"] == pytest.approx(log_odds / 2)


def test_shares_of_a_trees_gain_sum_to_one(given):
    found = pulls(given("tree").model, given("tree").table)
    assert set(found) == {"wind", "temp", "<b>"}
    assert sum(found.values()) == pytest.approx(1.0)
    assert max(found, key=found.get) == "wind"


def test_a_pair_of_a_card_counts_for_both_of_its_columns():
    rows = [{"a": "xy"[i % 2], "b": "kl"[i // 2 % 2], "y": "pq"[(i % 2) ^ (i // 2 % 2)]} for i in range(80)]
    model = ts.Scorecard().fit(rows, "y")
    assert [part.columns for part in model.model_.parts] == [("a", "b")]
    found = card_pulls(model.model_, model._read(rows, "y"))
    assert found["a"] == found["b"] > 0
