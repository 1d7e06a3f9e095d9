"""One line of a nomogram: marks at their weights, labels that do not touch."""

from __future__ import annotations

import pytest
from svg import shapes, title, words

from tallystick.draw.svg import place, scale_line


@pytest.mark.parametrize(
    ("weight", "at"), [(-2.0, 3.0), (0.0, 50.0), (2.0, 97.0), (-9.0, 3.0), (float("inf"), 97.0)]
)
def test_a_weight_lies_between_the_margins(weight, at):
    assert place(weight, (-2.0, 2.0)) == at


def test_ends_that_are_one_point_divide_by_nothing():
    assert place(1.0, (1.0, 1.0)) == 3.0


def test_a_mark_for_each_value_from_the_least_to_the_greatest():
    svg = scale_line("Outlook", [("rain", 1.0), ("sun", -1.0), ("fog", 0.0)], (-1.0, 1.0))
    rule, *marks = shapes(svg, "line")
    assert (rule["x1"], rule["x2"]) == ("3.0%", "97.0%")
    assert [mark["x1"] for mark in marks] == ["3.0%", "50.0%", "97.0%"]
    assert sorted(words(svg)) == ["fog", "rain", "sun"]


def test_labels_that_would_touch_are_left_out_but_never_the_ends():
    marks = [(f"value number {k}", float(k)) for k in range(40)]
    shown = words(scale_line("crowded", marks, (0.0, 39.0)))
    assert {"value number 0", "value number 39"} <= set(shown)
    assert len(shown) < 40


def test_names_are_escaped_and_without_marks_there_is_no_line():
    svg = scale_line("<b>", [("</svg>", 0.0)], (0.0, 1.0))
    assert (title(svg), words(svg)) == ("<b>", ["</svg>"])
    assert shapes(scale_line("empty", [], (0.0, 1.0)), "line") == []
