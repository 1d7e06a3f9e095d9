"""A scorecard on the page: sentences with the rows behind them, pictures, tables, the points of a row."""

from __future__ import annotations

from types import SimpleNamespace

from cards import hand_made, three_classes, worded

from tallystick.scorecard.card import card_of
from tallystick.scorecard.explain import beside
from tallystick.scorecard.report import (
    _apart,
    _card,
    _tables,
    beside_bayes,
    card_reasons,
    card_section,
    card_small,
)


def test_the_sentence_tells_the_outer_lines_with_their_rows():
    card = card_of(hand_made())
    age = next(s for s in card.sections if s.name == "age")
    assert str(_apart(card, age, (1, 0), (0.5, 0.5))) == (
        "On the card, the points of age go from -20 where it is below 30 (50 training rows, 20.0 % of them "
        "yes) to +30 where it is 60 and more (10 training rows, 80.0 % of them yes); 20 points double the "
        "odds of yes."
    )
    three = card_of(three_classes())
    assert str(_apart(three, three.sections[0], (2, 1), (0.4, 0.3, 0.3))).endswith(
        "20 points double the odds of top against high."
    )


def test_a_plus_beside_a_share_below_that_of_all_rows_is_said_to_be_given_the_other_columns():
    card = card_of(hand_made())
    age = next(s for s in card.sections if s.name == "age")
    said = str(_apart(card, age, (1, 0), (0.1, 0.9)))
    assert "+30 where it is 60 and more (10 training rows, 80.0 % of them yes, of all rows 90.0 %" in said
    assert said.count("given the other columns") == 1  # 20 % is below 90 %, and has a minus
    words = next(s for s in card_of(worded()).sections if s.kind == "words")
    assert "points given the other words" in str(_apart(card_of(worded()), words, (1, 0), (0.0001, 0.9999)))


def test_every_line_of_the_card_stands_in_the_table(given):
    found = given("card")
    card = card_of(found.model)
    tables = card_section(found, found.model)["card"]["tables"]
    assert [t["name"] for t in tables] == [s.name for s in card.sections]
    for table, section in zip(tables, card.sections, strict=True):
        assert [r["text"] for r in table["rows"]] == [line.text for line in section.lines]
        assert [int(r["points"][0]) for r in table["rows"]] == [line.points[0] for line in section.lines]


def test_a_card_that_was_not_chosen_is_drawn_small(given):
    found = given("card")
    small = card_small(found, found.model)
    assert "tables" not in small["card"]
    assert 0 < len(small["card"]["panels"]) <= 6


def test_without_raw_rows_a_line_of_a_single_row_tells_no_class():
    model = hand_made(pair=False)
    model.parts[0].rows[3] = [0, 1]
    for raw, told in ((lambda row: {}, "100 %"), (None, "")):
        given = SimpleNamespace(row=raw)
        missing = next(t for t in _tables(given, card_of(model)) if t["name"] == "age")["rows"][-1]
        assert missing["share"] == told
        drawn = " ".join(p["svg"] for p in _card(given, card_of(model), (1, 0), 9)["panels"])
        assert ("1 training row, 100.0% yes" in drawn) is (raw is not None)


def test_the_reasons_of_a_row_are_its_points_the_heaviest_first(given):
    found = given("card")
    base, *said = card_reasons(found.model, found.table, 0, (1, 0))
    assert base["words"] == "to begin with"
    assert int(base["points"]) == round(found.model.additive.base[1] - found.model.additive.base[0])
    points = [abs(int(r["points"])) for r in said]
    assert points == sorted(points, reverse=True)
    other = card_reasons(found.model, found.table, 0, (0, 1))[1:]
    assert [int(r["points"]) for r in other] == [-int(r["points"]) for r in said]


def test_points_learnt_stand_beside_points_counted_and_other_signs_come_first():
    model = hand_made()
    model.parts[1].points[:2] = -model.parts[1].points[:2]  # against what its rows say
    found, want = beside_bayes(model, (1, 0)), beside(model, (1, 0))
    assert [c["name"] for c in found["columns"]] == ["sex", "age"]
    assert [c["opposite"] for c in found["columns"]] == [True, False]
    assert found["sentence"].startswith("The two differ in sign in sex: ")
    for column in want.columns:
        shown = next(c for c in found["columns"] if c["name"] == column.name)
        assert [(int(x["learnt"]), int(x["counted"])) for x in shown["lines"]] == [
            (x.learnt, x.counted) for x in column.lines
        ]
    assert beside_bayes(worded(), (1, 0)) is None  # words alone do not tell how many rows a class has
