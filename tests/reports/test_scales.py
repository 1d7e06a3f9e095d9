"""The nomogram of the page: a stop is a value and what it adds, by the model's own terms."""

from __future__ import annotations

import math

import numpy as np
import pytest

from tallystick.reports.weights import FAR, _inside, _lead, pair, scales_data, sum_ends, usual_column


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


def test_the_scales_of_a_card_are_its_points(given):
    found = given("card")
    data = scales_data(found, found.model, step=found.model.step)
    assert (data["unit"], data["begins"]) == ("points", "before any column spoke")
    assert data["base"] == found.model.base[0]
    parts = {part.name: part.points[:, 0].tolist() for part in found.model.parts}
    for line in data["lines"]:
        assert {stop[2] for stop in line["stops"]} <= set(parts[line["column"]])


def test_a_value_in_a_narrow_bin_lies_inside_it(given):
    column = given("bayes").table.schema["temp"]
    cuts = [1.0000000001, 1.0000000002]
    assert _inside(cuts, column)[1] == cuts[0]


def test_axes_go_from_the_1st_to_the_99th_percentile_at_round_numbers(given):
    found = given("logistic")
    values = np.sort(found.table.column("temp"))
    column = usual_column(found.table, "temp")
    assert column.low <= values[0] + 1
    assert column.high >= values[-2]
    data = scales_data(found, found.model)
    (line,) = [line for line in data["lines"] if line["column"] == "temp"]
    marked = [stop[0] for stop in line["stops"] if stop[1] and stop[0] is not None]
    assert marked == sorted(float(round(v)) for v in marked)
    assert (marked[0], marked[-1]) == (column.low, column.high)
    assert usual_column(found.table, "wind") is found.table.schema["wind"]


def test_sums_reach_as_far_as_most_training_rows(given):
    found = given("bayes")
    ends = sum_ends(found, found.model, 1.0)
    shares = np.concatenate([found.model.shares(block) for block in found.table.blocks()])
    leads = np.log(shares[:, 1] / shares[:, 0])
    inside = (leads >= ends[1, 0][0]) & (leads <= ends[1, 0][1])
    assert inside.mean() >= 0.98
    assert ends[0, 1] == (-ends[1, 0][1], -ends[1, 0][0])
    assert scales_data(found, found.model)["sum_ends"] == ends[1, 0]
