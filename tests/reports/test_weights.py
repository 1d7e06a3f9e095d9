"""Votes and odds of additive models for the page, the strongest first."""

from __future__ import annotations

import math
from types import SimpleNamespace

import numpy as np
import pytest

import tallystick as ts
from tallystick.reports.weights import _ratio, _spread, bayes_weights, logistic_weights


def test_votes_stand_by_their_strength_with_their_odds(given):
    found = bayes_weights(given("bayes"), given("bayes").model, large=True)
    weights = [abs(float(row["weight"])) for row in found["rows"]]
    assert weights == sorted(weights, reverse=True)
    assert found["rows"][0]["name"] == "wind = weak"
    assert found["words"] == []


def test_odds_have_intervals_and_numbers_their_spread(given):
    found = logistic_weights(given("logistic"), given("logistic").model, large=True)
    assert found["kind"] == "odds"
    assert found["errors"] is True
    assert found["spread"] is True
    assert all(" to " in row["ends"] for row in found["rows"])
    few = logistic_weights(given("logistic"), given("logistic").model, large=False)
    assert len(few["rows"]) + few["left"] == len(found["rows"]) + found["left"]


def test_the_spread_of_a_long_column_is_found_in_parts(monkeypatch):
    values = np.append(np.random.default_rng(0).normal(5, 2, 50), np.nan)
    assert _spread(values) == pytest.approx(np.nanstd(values), rel=1e-14)
    monkeypatch.setattr("tallystick.judge.folds.STEP", 7)
    assert _spread(values) == pytest.approx(np.nanstd(values), rel=1e-14)
    assert _spread(values[-1:]) == 0.0


def test_a_ratio_is_never_told_as_1_unless_it_is():
    assert _ratio(0.0) == "1"
    assert _ratio(0.001) == "1.001"
    assert _ratio(math.log(2)) == "2"
    assert _ratio(math.log(1234)) == "1,234"
    assert _ratio(20.0) == "> 1,000,000"


def test_of_many_classes_a_value_is_told_with_the_class_it_speaks_for_most():
    rows = [{"x": "abcdef"[k], "y": f"class {k}"} for k in range(6) for _ in range(9)]
    rows += [{"x": "abcdef"[k], "y": f"class {5 - k}"} for k in range(6)]
    model = ts.NaiveBayes().fit(rows, "y")
    given = SimpleNamespace(labels=model.model_.schema.predicted.labels, table=model.model_)
    found = bayes_weights(given, model.model_, large=True)
    told = {row["name"]: row["of"] for row in found["rows"]}
    assert told == {f"x = {'abcdef'[k]}": f"class {k}" for k in range(6)}
    assert len(found["rows"]) == 6
    assert found["left"] == 0
