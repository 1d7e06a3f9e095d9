"""The card as data: what its lines are called, and what they hold."""

from __future__ import annotations

from dataclasses import replace

import small_cards as s

from tallystick.scorecard.card import card_of, line_names, range_names


def test_ranges_have_every_digit_and_dates_are_dates():
    assert line_names(s.AGE, s.ages) == ["below 25", "25 to below 40.5", "40.5 and more", "missing"]
    assert line_names(s.SINCE, s.dates)[:2] == ["below 2000-01-01", "2000-01-01 to below 2000-01-01 12:00:00"]
    assert line_names(s.AGE, replace(s.ages, cuts=(0.1 + 0.2,)))[0] == "below 0.30000000000000004"
    assert range_names([]) == ["any number"]


def test_levels_on_one_line_stand_together_and_many_are_counted():
    assert line_names(s.HOME, s.homes) == ["free or rent", "own", "missing", "a new level"]
    assert line_names(s.HOME, s.homes, 1) == ["free or 1 others", "own", "missing", "a new level"]


def test_sections_are_ranked_by_what_lies_between_their_lines():
    card = card_of(s.card())
    assert [section.reach for section in card.sections] == sorted(
        (x.reach for x in card.sections), reverse=True
    )
    assert card.sections[0].name == "age"
    assert card.to_dict()["base"] == [11]
    assert card.left_out == ("shoe size",)


def test_the_card_adds_up_to_the_points_of_the_model():
    model = s.card()
    block = s.rows([20.0], [11000.0], [1], [[1]])
    own = {"age": "below 25", "since": "2000-01-01 12:00:00 and more", "home": "own", "note": "contains late"}
    own["age × home"] = "below 30, own"
    total = model.base[0] + sum(
        line.points[0]
        for section in card_of(model).sections
        for line in section.lines
        if own[section.name] == line.text
    )
    assert total == model.points(block)[0, 1]


def test_the_panel_of_words_has_those_for_and_those_against_without_saying_contains_each_time():
    from tallystick.scorecard.card import MOST_BARS, Card, CardLine, CardSection, panel_of

    def drawn(count):
        lines = tuple(CardLine(f"contains w{k}", (40 - k,), 1.0, (0.5, 0.5)) for k in range(count))
        section = CardSection("t", ("t",), "words", lines)
        return panel_of(Card("y", ("no", "yes"), ("yes",), 20, (0,), (section,)), section, (1, 0)).marks

    found = drawn(80)
    assert len(found) == MOST_BARS
    assert [m.points for m in found] == sorted((m.points for m in found), reverse=True)
    assert sum(m.points < 0 for m in found) == MOST_BARS // 2
    assert found[0].words == "w0"
    assert len(drawn(20)) == MOST_BARS
    assert len(drawn(3)) == 3
