"""The card as a picture and as a nomogram: the points drawn are those of the card."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from cards import hand_made, three_classes
from svg import words

import tallystick as ts
from tallystick.draw.svg import plain
from tallystick.errors import NotFitted, TallyError
from tallystick.scorecard.card import (
    CardLine,
    CardSection,
    HeatMap,
    Panel,
    axis_ends,
    card_nomogram,
    card_of,
    card_svg,
    first_lines,
    panel_of,
    panel_picture,
    section_text,
)


def panels_of(card, way):
    return [panel_of(card, s, way) for s in sorted(card.sections, key=lambda s: s.kind == "pair")]


def test_every_line_of_the_card_is_a_mark_with_its_points():
    card = card_of(hand_made())
    panels = {p.name: p for p in panels_of(card, (1, 0))}
    assert [m.points for m in panels["age"].marks] == [-20, 5, 30]
    assert panels["age"].cuts == (30.0, 60.0)
    assert panels["age"].missing.points == -4
    assert [(m.words, m.points) for m in panels["sex"].marks] == [("f", 10), ("m", -10)]
    assert isinstance(panels["age × sex"], HeatMap)


def test_of_many_levels_those_of_most_rows_are_drawn_and_printed_first():
    """Of 41 countries 12 were drawn, and the United States, of nine rows in ten, were not."""
    lines = [CardLine(f"c{i:02}", (60 - i,), float(i + 1), (0.5, 0.5), (), (i,)) for i in range(40)]
    lines.insert(20, CardLine("US", (1,), 9_000.0, (0.5, 0.5), (), (40,)))
    axes = ((*(f"c{i:02}" for i in range(40)), "US", "missing", "never seen"),)
    section = CardSection("country", ("country",), "levels", tuple(lines), axes)
    card = replace(card_of(hand_made()), sections=(section,))
    panel = panel_of(card, section, (1, 0))
    assert [m.words for m in panel.marks] == ["US", *(f"c{i:02}" for i in range(39, 28, -1))]
    assert panel.left == 29
    assert "12 of 41 lines" in panel_picture(panel, axis_ends([panel]))
    printed = "\n".join(plain([line]) for line in section_text(section, card, ["y"], 80, 12))
    assert printed.split("\n")[1].split()[0] == "US"
    assert list(first_lines(section, 60)) == lines  # all of them: as they are


def test_the_other_class_turns_every_sign():
    card = card_of(hand_made())
    ours, theirs = panels_of(card, (1, 0)), panels_of(card, (0, 1))
    assert [m.points for p in ours for m in p.every] == [-m.points for p in theirs for m in p.every]


def test_pairs_stand_last_and_have_no_lines_without_rows():
    panels = panels_of(card_of(hand_made()), (1, 0))
    assert [isinstance(p, Panel) for p in panels] == [True, True, False]
    pair = panels[-1]
    assert pair.first == ("< 30", "≥ 30")
    assert pair.second == ("f", "m")
    assert [[m and m.points for m in row] for row in pair.cells] == [[7, -7], [None, 3]]


def test_points_between_two_of_three_classes_are_their_difference():
    card = card_of(three_classes())
    for way in ((0, 1), (2, 0), (1, 2)):
        marks = panels_of(card, way)[0].marks
        assert [m.points for m in marks] == [
            line.points[way[0]] - line.points[way[1]] for line in card.sections[0].lines[:2]
        ]
    assert "of high against low." in re.sub(r"\s+", " ", card_svg(card, (1, 0)))


def test_the_nomogram_is_in_points():
    said = words(card_nomogram(card_of(hand_made()), (1, 0)))
    assert {"points", "sum of points", "y: yes against no", "< 30", "≥ 60", "age"} <= set(said)
    assert "Add the points of a row's values to -12 points; the sum gives the share at the foot." in said


def test_the_estimator_shows_its_card():
    rows = [{"dose": n, "cured": "yes" if n > 4 else "no"} for n in range(10)] * 4
    model = ts.Scorecard().fit(rows, "cured")
    assert "Scorecard for cured" in words(model.picture())
    assert "cured: no against yes" in words(model.nomogram("no"))
    assert "<svg" in model._repr_html_()
    with pytest.raises(TallyError, match="compares two classes, and both are 'yes'"):
        model.picture("yes", "yes")
    with pytest.raises(TallyError, match="there is no class 'yess'"):
        model.picture("yess")
    with pytest.raises(NotFitted):
        ts.Scorecard().picture()
    assert "<svg" not in ts.Scorecard()._repr_html_()
