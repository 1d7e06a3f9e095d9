"""Reason codes on a card made by hand: what cost a row most points, in order and in words."""

from __future__ import annotations

import numpy as np
import pytest
import small_cards as s

from tallystick.errors import OptionError
from tallystick.scorecard.explain import (
    ReasonCode,
    average_reference,
    best_points,
    best_reference,
    costs,
    own_points,
    rounded,
    row_reference,
    towards,
    usual_points,
)
from tallystick.scorecard.explain import (
    card_reasons as reasons,
)

NAN = float("nan")


def said(found: list[tuple[ReasonCode, ...]]) -> list[list[str]]:
    return [[code.text for code in row] for row in found]


def test_the_costliest_sections_come_first_and_in_words():
    block = s.rows([20.0], [11000.0], [2], [[1]])
    assert said(reasons(s.card(), block, best_reference(s.card()))) == [
        [
            "age below 25: 34 points less than the best",
            "note contains late: 12 points less than without",
            "age below 30, home = rent: 11 points less than the best",
            "home = rent: 8 points less than the best",
        ]
    ]
    two = reasons(s.card(), block, best_reference(s.card()), 2)[0]
    assert [(c.section, c.columns, c.points) for c in two] == [("age", ("age",), 34), ("note", ("note",), 12)]
    assert two[0].to_dict() == {
        "against": "the best",
        "columns": ["age"],
        "line": "age below 25",
        "points": 34,
        "section": "age",
        "text": "age below 25: 34 points less than the best",
    }


def test_a_row_on_the_best_line_of_every_section_has_no_reasons():
    block = s.rows([50.0], [11000.0], [1], [[2]])
    assert reasons(s.card(), block, best_reference(s.card())) == [()]


def test_dates_missing_cells_and_new_levels_are_told():
    block = s.rows([NAN, 41.0], [10957.25, NAN], [3, 4], [[], []])
    first, second = said(reasons(s.card(), block, best_reference(s.card()), 9))
    assert "age is missing: 11 points less than the best" in first
    assert "since 2000-01-01 to below 2000-01-01 12:00:00: 6 points less than the best" in first
    assert "age is missing, home is missing: 2 points less than the best" in first
    assert "home is a new level: 1 point less than the best" in second
    assert "since is missing: 6 points less than the best" in second


def test_towards_the_first_of_two_classes_points_turn_round():
    block = s.rows([50.0], [11000.0], [1], [[2]])
    found = said(reasons(s.card(), block, best_reference(s.card()), 2, label=0))
    assert found == [
        [
            "age 40.5 and more: 34 points less than the best",
            "since 2000-01-01 12:00:00 and more: 11 points less than the best",
        ]
    ]


def test_of_more_classes_the_answered_one_counts():
    model = s.three()
    block = s.rows([20.0, 50.0], [0.0, 0.0], [0, 0], [[], []])
    assert model.decide(model.shares(block)).tolist() == [1, 0]
    found = said(reasons(model, block, best_reference(model)))
    assert found == [[], []]
    assert said(reasons(model, block, best_reference(model), label=2)) == [
        ["age below 25: 7 points less than the best"],
        ["age 40.5 and more: 6 points less than the best"],
    ]


def test_the_average_row_is_the_mean_of_the_training_rows():
    model = s.card()
    assert usual_points(model, model.parts[0])[1] == (3 * -20 + 4 * 4 + 3 * 14) / 10
    block = s.rows([20.0], [10957.0], [0], [[]])
    found = reasons(model, block, average_reference(model))[0]
    assert found[0].text == "age below 25: 19.8 points less than the average row"
    assert found[0].points == -0.2 + 20
    assert all(code.against == "the average row" for code in found)


def test_a_given_row_holds_where_it_has_all_columns_of_a_section():
    model, given = s.card(), s.rows([30.0], [NAN], [1], [[]])
    block = s.rows([20.0], [11000.0], [1], [[]])
    found = reasons(model, block, row_reference(model, given, {"age"}), 9)[0]
    assert [(c.section, c.points, c.against) for c in found] == [
        ("age", 24, "the given row"),
        ("age × home", 2, "the best"),
    ]


def test_the_best_line_is_one_that_the_card_shows():
    part = s.LinePoints(s.homes, s.whole(-7, -1, -2, 0), s.HOME_ROWS)
    assert best_points(part, towards(s.card(), part.points)).tolist() == [
        7.0,
        -1.0,
    ]  # no row was on a new level


def test_lost_points_and_own_points_add_up_to_what_is_held_against():
    model = s.card()
    block = s.rows([20.0, 30.0, NAN], [0.0, 10957.2, 1.0], [0, 1, 4], [[0, 1], [], [2]])
    reference = average_reference(model)
    lost = costs(model, block, reference, np.ones(3, np.int64))
    for i, held in enumerate(reference.points):
        np.testing.assert_allclose(lost[:, i] + own_points(model, block)[:, i, 1], held[1])


def test_rounding_is_half_upwards():
    assert [rounded(p) for p in (0.25, 0.35, 2.0, 0.04)] == [0.3, 0.4, 2.0, 0.0]


def test_hostile_names_are_shown_harmlessly():
    assert "\x1b" not in str(ReasonCode("a", ("a",), "a = \x1b[31m", 3, "the best"))


def test_the_estimator_takes_rows_references_and_labels():
    model = s.estimator(s.card())
    row = {"age": 20, "since": "2001-05-05", "home": "rent", "note": "Late again"}
    assert model.reasons(row, 1)[0][0].text == "age below 25: 34 points less than the best"
    assert model.reasons([row, row], 1, label="bad")[1][0].section == "since"
    assert model.reasons(row, 1, {"age": 30})[0][0].text == "age below 25: 24 points less than the given row"
    for wrong, says in (
        ({"most": 0}, "most must be a whole number of at least 1, not 0"),
        ({"against": "worst"}, "against must be 'best', 'average' or a dict of values, not 'worst'"),
        ({"against": {"agee": 1}}, "the card has no column 'agee'. Did you mean 'age'"),
        ({"label": "god"}, "there is no class 'god'. Did you mean 'good'"),
    ):
        with pytest.raises(OptionError, match=says):
            model.reasons(row, **wrong)
