"""What changed between two cards: which lines, from how many points to how many."""

from __future__ import annotations

import copy

from cards import hand_made, three_classes, worded

from tallystick.export.diff import card_changes


def document(model):
    return {"schema": model.schema.to_dict(), "model": model.to_dict()}


def told(before, after):
    return {place: (a, b) for place, a, b in card_changes(before, after)}


def test_equal_cards_have_no_change():
    for model in (hand_made(), three_classes(), worded()):
        assert told(document(model), document(model)) == {}


def test_points_of_a_line_base_and_scale_are_told_by_name():
    before = document(hand_made())
    after = copy.deepcopy(before)
    after["model"]["parts"][0]["points"][0] = [-25]
    after["model"]["parts"][2]["points"][1] = [9]
    after["model"]["base"] = [-10]
    after["model"]["step"] = 40
    assert told(before, after) == {
        "points, column 'age', below 30": (-20, -25),
        "points, pair 'age × sex', below 30, 'm'": (-7, 9),
        "base points": (-12, -10),
        "points that double the odds": (20, 40),
    }


def test_lines_that_came_and_went_are_told_once():
    before = document(hand_made(pair=False))
    after = copy.deepcopy(before)
    age = after["model"]["parts"][0]
    age["cuts"] = [35.0, 60.0]
    age["rows"][2] = [3, 8]
    found = told(before, after)
    assert found["points, column 'age', below 30"] == (-20, None)
    assert found["points, column 'age', below 35"] == (None, -20)
    assert {p: v for p, v in found.items() if p.startswith("training rows")} == {
        "training rows, column 'age', 60 and more, class 'no'": (2, 3)
    }


def test_a_column_that_left_the_card_is_told_line_by_line():
    before = document(hand_made(pair=False))
    after = copy.deepcopy(before)
    for name in ("parts", "errors"):
        del after["model"][name][1]
    after["model"]["left_out"] = ["sex"]
    found = told(before, after)
    assert found["points, column 'sex', 'f'"] == (10, None)
    assert found["columns without points: 'sex'"] == (None, "sex")
    assert not any(place.startswith("standard errors") for place in found)


def test_errors_that_go_together_in_another_way_are_told_in_a_line():
    before = document(hand_made())
    after = copy.deepcopy(before)
    after["model"]["spread"] = {"base": [1.0], "factors": [[]], "units": [1.0]}
    found = told(before, after)
    assert list(found) == ["what they have in common"]
    assert found["what they have in common"][0] == "not kept"


def test_classes_and_words_are_named():
    before = document(three_classes())
    after = copy.deepcopy(before)
    after["model"]["parts"][0]["points"][0][2] = -9
    assert told(before, after) == {"points, column 'sex', 'f', class 'top'": (-6, -9)}
    before = document(worded())
    after = copy.deepcopy(before)
    after["model"]["parts"][0]["points"][1] = [26]
    assert told(before, after) == {"points, column 'note', word 'good'": (25, 26)}
