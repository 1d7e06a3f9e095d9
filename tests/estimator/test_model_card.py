"""A model's card says what the file and the rows say, in Markdown and as data, for every method."""

from __future__ import annotations

import json

import pytest
from model_files import models

import tallystick as ts
from tallystick.errors import OptionError
from tallystick.estimator.base import from_data
from tallystick.estimator.model_card import escaped

ROWS = [
    {"x": i % 9, "<b>|": "fm"[i % 2], "y": "ab"[(i % 9 > 4) ^ (i % 11 == 0)], "z": "pq"[i % 3 > 1]}
    for i in range(120)
]
SECTIONS = ["data", "groups", "limits", "method", "model", "notes", "scores", "verify"]


@pytest.mark.slow
def test_every_kind_of_model_has_a_card():
    for model in models().values():
        card = from_data(model.to_bytes()).card()
        assert sorted(card.to_dict()) == SECTIONS
        assert json.loads(card.to_json()) == json.loads(json.dumps(card.to_dict()))
        assert card.to_markdown().startswith("# Model card: ")
        assert card.to_dict()["model"]["bytes"] == len(model.to_bytes())


def test_training_rows_are_cross_validated_and_others_answered():
    model = ts.NaiveBayes().fit(ROWS, "y")
    again = model.card(ROWS[::-1], folds=3).to_dict()["scores"]
    wanted = ts.cross_validate(ts.NaiveBayes(), ROWS, "y", folds=3).measure("accuracy")
    assert again["same_rows"]
    assert again["measures"]["accuracy"]["value"] == wanted.value
    other = model.card(ROWS[:50]).to_dict()["scores"]
    right = sum(a == r["y"] for a, r in zip(model.predict(ROWS[:50]), ROWS, strict=False))
    assert not other["same_rows"]
    assert other["measures"]["accuracy"]["value"] == right / 50
    assert "50 rows" in other["how"]


def test_groups_of_a_column_that_the_model_does_not_use():
    model = ts.NaiveBayes(kinds={"z": "out"}).fit(ROWS, "y")
    (table,) = model.card(ROWS, by="z", folds=3).to_dict()["groups"]
    assert {g["group"] for g in table["groups"]} == {"p", "q"}
    assert "comparisons" in table["said"]
    (other,) = model.card(ROWS[:60], by=["z"]).to_dict()["groups"]
    assert {g["group"] for g in other["groups"]} == {"p", "q"}
    with pytest.raises(OptionError, match="Give the rows"):
        model.card(by="z")


def test_a_regression_has_scores_of_numbers():
    rows = [{"x": i % 9, "y": float(i % 9) ** 2} for i in range(90)]
    model = ts.RegressionTree(min_samples_leaf=3).fit(rows, "y")
    assert "r2" in model.card(rows, folds=3).to_dict()["scores"]["measures"]
    assert "r2" in model.card(rows[:40]).to_dict()["scores"]["measures"]


def test_names_of_the_user_are_escaped_and_limits_are_told():
    model = ts.NaiveBayes().fit(ROWS[:40], "y")
    text = model.card().to_markdown()
    assert escaped("<b>|") in text
    assert "<b>" not in text
    assert "Classes of fewer than 30 training rows" in text
    assert "no scores" in text
    assert "keeps no profile" in from_data(model.to_bytes(profile=False)).card().to_markdown()


def test_the_same_model_and_rows_give_the_same_card():
    model = ts.DecisionTree().fit(ROWS, "y")
    assert model.card(ROWS, folds=3).to_json() == model.card(ROWS[::-1], folds=3).to_json()
