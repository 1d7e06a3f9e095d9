"""The form of a card: whole points, and what reasons need."""

from __future__ import annotations

import small_cards as s

from tallystick.scorecard.explain import card_form


def test_points_are_whole_and_parts_are_points():
    form = card_form(s.card(), "")
    assert form.base == (0, 11)
    assert form.terms[0]["table"] == [[0, -20], [0, 4], [0, 14], [0, 3]]
    assert form.terms[2]["table"] == [[0, -7], [0, 1], [0, -7], [0, -2], [0, 0]]  # a row a code
    for term in form.terms:
        assert "average" not in term
        assert all(type(p) is int for row in term.get("table", term.get("words")) for p in row)
    assert form.has_reasons
    assert form.slope == s.card().slope


def test_terms_know_the_best_line_the_average_row_and_the_words():
    age, since, home, note, pair = card_form(s.card(), "").terms
    assert age["best"] == [20, 14]
    assert age["said"] == ["below 25", "25 to below 40.5", "40.5 and more", "is missing"]
    assert since["said"][0] == "below 2000-01-01"
    assert "said" not in home
    assert "best" not in note
    assert [side.get("said") for side in pair["pair"]] == [["below 30", "30 and more", "is missing"], None]
    assert [round(p, 9) for p in age["usual"]] == [0.2, -0.2]


def test_of_more_classes_each_has_its_best():
    (age,) = card_form(s.three(), "").terms
    assert age["best"] == [14, 4, 7]
    assert age["table"][0] == [-20, 4, 0]
