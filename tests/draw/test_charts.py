"""Charts: points where their numbers lie, intervals around them, names as they are."""

from __future__ import annotations

import math

from svg import shapes, title, words

from tallystick.draw.charts import (
    CHART_LEFT as LEFT,
)
from tallystick.draw.charts import (
    CHART_RIGHT as RIGHT,
)
from tallystick.draw.charts import (
    WIDTH,
    bar_chart,
    dot_chart,
    line_chart,
    thinned,
)


def test_points_of_a_line_go_from_edge_to_edge_and_up_with_their_value():
    line = ("tree", [10, 100, 1000], [0.3, 0.2, 0.1], [0.2, 0.1, 0.0], [0.4, 0.3, 0.2])
    svg = line_chart([line], "rows", "error", ("always yes", 0.5), log_x=True)
    dots = shapes(svg, "circle")
    assert [float(dot["cx"]) for dot in dots] == [LEFT, (LEFT + WIDTH - RIGHT) / 2, WIDTH - RIGHT]
    heights = [float(dot["cy"]) for dot in dots]
    assert heights == sorted(heights)  # less is further down
    assert {"rows", "error", "tree", "always yes", "10", "100", "1,000"} <= set(words(svg))
    assert title(svg) == "error against rows"


def test_a_line_of_one_point_draws():
    assert len(shapes(line_chart([("a", [5], [1.0], [0.5], [1.5])], "x", "y"), "circle")) == 1


def test_the_chosen_dot_is_set_off_and_all_are_named():
    dots = [("tree", 0.9, 0.8, 0.95, "0.900"), ("<b>", 0.7, 0.6, 0.8, "0.700")]
    svg = dot_chart(dots, "accuracy", ("most frequent", 0.5), marked="tree")
    assert [dot["opacity"] for dot in shapes(svg, "circle")] == ["1", "0.45"]
    assert {"tree", "<b>", "0.900", "0.700", "accuracy"} <= set(words(svg))


def test_an_interval_without_end_stops_at_the_edge():
    svg = dot_chart([("a", 0.5, -math.inf, math.inf, ""), ("b", 1.0, 0.9, 1.1, "")], "score")
    ends = [(float(line["x1"]), float(line["x2"])) for line in shapes(svg, "line") if "stroke-width" in line]
    assert ends[0][0] < ends[1][0]
    assert ends[0][1] == WIDTH - RIGHT


def test_bars_go_to_the_left_below_0_and_an_endless_one_to_the_edge():
    svg = bar_chart([("for", 2.0), ("against", -1.0), ("sure", math.inf), ("nothing", 0.0)], "log-odds", "t")
    up, down, sure, none = shapes(svg, "rect")
    zero = float(up["x"])
    assert float(down["x"]) + float(down["width"]) == zero
    assert float(up["width"]) == 2 * float(down["width"]) == float(sure["width"])
    assert float(none["width"]) == 0
    assert {"2", "-1", "∞", "0"} <= set(words(svg))


def test_no_bars_draw_an_axis():
    assert words(bar_chart([], "gain", "t")) == ["gain"]


def test_marks_stand_in_the_picture_with_their_words_and_many_points_are_a_curve():
    at = [k / 100 for k in range(101)]
    svg = line_chart([("p", at, at, at, at)], "x", "y", marks=[(0.5, 2.0, "here"), (0.2, 0.0, "")])
    dots = shapes(svg, "circle")
    assert len(dots) == 2
    assert min(float(dot["cy"]) for dot in dots) > 0
    assert "here" in words(svg)
    assert shapes(svg, "polygon") == []  # a band of no width


def test_a_long_line_is_thinned_and_keeps_its_peaks():
    at = [float(i) for i in range(100_000)]
    values = [1.0] * len(at)
    values[54_321] = 9.0
    _, x, y, low, high = thinned(("a", at, values, values, values))
    assert len(x) == len(y) == len(low) == len(high) <= 901
    assert (54_321.0, 9.0) in set(zip(x, y, strict=True))
    assert (x[0], x[-1]) == (0.0, 99_999.0)
    assert len(line_chart([("a", at, values, values, values)], "x", "y")) < 40_000
    short = ("a", at[:10], values[:10], values[:10], values[:10])
    assert thinned(short) is short
