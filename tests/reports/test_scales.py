"""The nomogram of the page: a stop is a value and what it adds, by the model's own terms."""

from __future__ import annotations

import math

import pytest

from tallystick.reports.scales import FAR, _inside, _lead, pair, scales_data


def test_two_classes_stand_second_against_first(given):
    assert pair(given("bayes")) == (1, 0)


def test_stops_add_up_to_the_log_odds_of_the_model(given):
    found = given("bayes")
    data = scales_data(found, found.model)
    lines = {line["column"]: {stop[0]: stop[2] for stop in line["stops"]} for line in data["lines"]}
    row = {"wind": "weak", "temp": None, "<b>": "p"}
    p = found.chosen.model.predict_proba([row])[0]
    parts = lines["wind"]["weak"] + lines.get("<b>", {}).get("p", 0.0)
    assert data["base"] + parts == pytest.approx(math.log(p[1] / p[0]), abs=1e-3)


def test_a_reason_without_scales_leaves_no_lines(given):
    found = given("logistic")
    data = scales_data(found, found.model, "words have none")
    assert (data["lines"], data["why"]) == ([], "words have none")
    assert scales_data(found, found.model)["begins"] == "on the average training row"


def test_an_impossible_value_is_drawn_far_away_but_drawn():
    assert _lead([-math.inf, 0.0], 0, 1) == -FAR
    assert _lead([0.0, -math.inf], 0, 1) == FAR
    assert _lead([-math.inf, -math.inf], 0, 1) == 0.0
    assert _lead([2.0, 0.5], 0, 1) == 1.5


def test_a_value_inside_each_bin_is_found(given):
    column = given("bayes").table.schema["temp"]
    assert _inside([2.0, 6.0], column) == [1.0, 4.0, 7.0]
