"""Small pictures: lengths are shares, and nothing is drawn outside its place."""

from __future__ import annotations

import itertools
import math

import pytest
from svg import shapes, title, words

from tallystick.draw.charts import (
    HEAD,
    SIDE,
    Axis,
    Chart,
    ChartCurve,
    chart,
    charts,
    length_bar,
    signed_bar,
    split_bars,
    strip,
    strip_axis,
)
from tallystick.draw.charts import (
    PANEL_LEFT as LEFT,
)
from tallystick.draw.charts import (
    PANEL_LETTER as LETTER,
)
from tallystick.draw.svg import PALETTE, colour


def test_bars_are_split_by_class_and_the_highest_is_the_largest_part():
    svg = split_bars([[2, 2], [1, 0]], "rows", ["four", "one"], ["yes", "no"])
    rects = [rect for rect in shapes(svg, "rect") if rect["fill"] != "#000"]
    assert [rect["fill"] for rect in rects] == [colour(0), colour(1), colour(0)]
    first, second, other = (float(rect["height"]) for rect in rects)
    assert first == second == 2 * other
    assert words(svg) == ["yes", "no"]


def test_two_names_of_many_bars_stand_at_the_ends():
    anchors = [text["text-anchor"] for text in shapes(split_bars([[1]] * 5, "t", [], ["0", "9"]), "text")]
    assert anchors == ["start", "end"]


@pytest.mark.parametrize("parts", [[], [[0, 0]]])
def test_without_rows_there_are_no_bars(parts):
    assert shapes(split_bars(parts, "t", []), "rect") == []


@pytest.mark.parametrize(("share", "length"), [(0.0, 0), (0.5, 45), (1.0, 90), (1.5, 90), (1e-9, 1)])
def test_a_bar_is_as_long_as_its_share_and_never_invisible(share, length):
    assert float(shapes(length_bar(share, "t"), "rect")[1]["width"]) == length


@pytest.mark.parametrize(
    ("value", "left", "length"),
    [(2.0, 80, 39), (-2.0, 41, 39), (9.0, 80, 78), (-math.inf, 2, 78), (0.0, 80, 0)],
)
def test_a_signed_bar_goes_to_its_side(value, left, length):
    (bar,) = shapes(signed_bar(value, 4.0, "t"), "rect")
    assert (float(bar["x"]), float(bar["width"])) == (left, length)


def test_a_number_that_is_none_has_no_bar():
    (bar,) = shapes(signed_bar(math.nan, 4.0, "t"), "rect")
    assert float(bar["width"]) == 0


def test_a_dot_with_its_interval_stays_on_the_scale():
    svg = strip(0.5, (-1.0, 3.0), (0.0, 1.0), "<accuracy>", strong=True)
    _, interval = shapes(svg, "line")
    assert (interval["x1"], interval["x2"], shapes(svg, "circle")[0]["cx"]) == ("12", "168", "90")
    assert title(svg) == "<accuracy>"


def test_strips_of_one_scale_stand_under_one_axis_of_round_numbers():
    axis = strip_axis((0.0, 0.36), "error", "%")
    assert words(axis) == ["0 %", "20 %"]
    second = strip(0.2, (0.2, 0.2), (0.0, 0.36), "error")
    assert shapes(axis, "text")[1]["x"] == shapes(second, "circle")[0]["cx"]


def test_what_is_no_class_has_no_colour_of_one():
    for svg in (length_bar(0.5, "t"), signed_bar(-1.0, 2.0, "t"), strip(0.5, (0, 1), (0, 1), "t")):
        assert not any(one in svg for one in PALETTE)


def test_bands_lie_under_every_line_and_one_point_is_a_dot():
    band = {"low": [0, 0], "high": [1, 1]}
    svg = chart([ChartCurve(n, [0, 1], [0, 1], **band) for n in "ab"], Axis("x"), Axis("y"), "t")
    assert svg.rindex("<polygon") < svg.index("<polyline")
    alone = chart([ChartCurve("a", [0.5], [0.5])], Axis("x"), Axis("y"), "t")
    assert len(shapes(alone, "circle")) == 1
    assert shapes(alone, "polyline") == []


def test_the_title_of_an_axis_does_not_stand_on_its_numbers():
    svg = chart([ChartCurve("a", [0, 1], [0, 0.0125])], Axis("x"), Axis("y", 0.0, 0.0125), "t")
    wide = max(len(w) for w in words(svg) if w.startswith("0.")) * LETTER
    assert LEFT - 6 - wide > 10 + 2  # where the upright title stands


def test_numbers_of_an_axis_that_would_touch_are_left_out():
    svg = chart([ChartCurve("a", [1, 6e5], [0, 1])], Axis("x", 90_000, 600_000, log=True), Axis("y"), "t")
    at = [(float(s["x"]), w) for s, w in zip(shapes(svg, "text"), words(svg), strict=True) if "00,0" in w]
    assert all(b - a >= LETTER * (len(v) + len(w)) / 2 for (a, v), (b, w) in itertools.pairwise(at))
    assert at


def test_axes_place_values_and_name_round_numbers():
    assert [Axis("rows", 1, 100, log=True).place(v) for v in (1, 10, 100)] == [0.0, 0.5, 1.0]
    assert Axis("rows", 1, 100, log=True).ticks() == [1.0, 10.0, 100.0]
    assert Axis("share").ticks() == [0.0, 0.2, 0.4, 0.6, 0.8, 1.0]
    assert Axis("one", 2.0, 2.0).place(2.0) == 0.0


def test_curves_are_named_when_there_are_two():
    one = ChartCurve("tree", [0, 1], [0, 1], dots=True)
    two = ChartCurve("bayes", [0, 1], [1, 0], low=[0, 0], high=[1, 1])
    axes = Axis("x"), Axis("y")
    assert "tree" not in words(chart([one], *axes, "t"))
    svg = chart([one, two], *axes, "t", ("base", 0.5), diagonal=True)
    assert {"tree", "bayes", "base"} <= set(words(svg))
    assert len(shapes(svg, "circle")) == 2
    assert len(shapes(svg, "polygon")) == 1


def test_charts_stand_side_by_side_under_their_headings():
    line = ChartCurve("a", [0, 1], [0, 1])
    one = Chart([line], Axis("x"), Axis("y"), head="first", upright=("here", 0.5))
    two = Chart([line, line], Axis("x"), Axis("y"), head="second")
    svg = charts([one, two], "t")
    groups = [group["transform"] for group in shapes(svg, "g") if "transform" in group]
    assert groups == [f"translate({k * SIDE:.0f} {HEAD:.0f})" for k in (0, 1)]
    assert {"first", "second", "here"} <= set(words(svg))
    assert len(shapes(svg, "polyline")) == 3


def test_an_axis_of_levels_or_dates_is_told_in_their_words():
    assert [Axis("sky", -0.5, 1.5, names=("rain", "sun")).label(t) for t in (0, 1)] == ["rain", "sun"]
    assert Axis("day", 0, 400, unit="date").label(31) == "1970-02-01"
