"""A forest plot: odds ratios with their intervals, set off where the interval leaves out 1."""

from __future__ import annotations

import math

from svg import shapes, words

from tallystick.draw.charts import Effect, forest


def test_a_row_tells_the_odds_ratio_and_its_interval():
    svg = forest("odds", [Effect("age", math.log(2), math.log(1.5), math.log(4))], "a note")
    assert {"age", "2 (1.5 to 4)", "a note", "odds"} <= set(words(svg))


def test_an_effect_without_an_interval_is_told_without_one():
    assert "2" in words(forest("odds", [Effect("age", math.log(2), math.log(2), math.log(2))]))


def test_only_intervals_that_leave_out_1_are_set_off():
    effects = [Effect("up", 1.0, 0.5, 1.5), Effect("none", 0.1, -0.2, 0.4), Effect("down", -1.0, -2.0, -0.1)]
    dots = shapes(forest("odds", effects), "circle")
    assert [dot["opacity"] for dot in dots] == ["1", "0.45", "1"]
    assert float(dots[2]["cx"]) < float(dots[1]["cx"]) < float(dots[0]["cx"])


def test_an_interval_without_an_end_is_cut_at_the_edge():
    svg = forest("odds", [Effect("separated", 800.0, -math.inf, math.inf)])
    assert "inf (0 to inf)" in words(svg)
    (dot,) = shapes(svg, "circle")
    assert 0 < float(dot["cx"]) < 860


def test_no_effects_and_hostile_names_draw():
    assert "nothing" in words(forest("nothing", []))
    assert "<b>\\x1b" in words(forest("t", [Effect("<b>\x1b", 0.0, -1.0, 1.0)]))
