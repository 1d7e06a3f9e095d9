"""A card as a picture: one axis of points for all columns, rows under them, pairs as heat maps."""

from __future__ import annotations

import re

from svg import shapes, title, words

from tallystick.scorecard.card import (
    AGAINST,
    FOR,
    HeatMap,
    Mark,
    Panel,
    axis_ends,
    card_picture,
    panel_picture,
    short,
    two_lines,
)

AGE = Panel(
    "age",
    (Mark("below 30", -20, 50.0), Mark("30 to below 60", 5, 80.0), Mark("60 and more", 30, 10.0)),
    (30.0, 60.0),
    Mark("missing", -4, 3.0, "missing: -4 points"),
)
SEX = Panel("sex", (Mark("f", 10, 70.0, "f: +10 points"), Mark("m", -10, 73.0)))
PAIR = HeatMap(
    "age × sex",
    ("young", "old"),
    ("f", "m"),
    ((Mark("a", 40, 1.0), None), (Mark("b", -3, 2.0), Mark("c", 0, 9.0))),
)


def drawn(panels=(AGE, SEX, PAIR)):
    return card_picture("Scorecard for y", "Begin with +5 points", panels, 20, ("no", "yes"))


def test_all_panels_share_one_axis_of_points():
    ends = axis_ends([AGE, SEX, PAIR])
    assert ends[0] < -20
    assert ends[1] > 40
    said = [[w for w in words(panel_picture(p, ends)) if re.fullmatch(r"[+-]?\d+", w)] for p in (AGE, SEX)]
    assert {"0", "+20"} <= set(said[0]) & set(said[1])


def test_a_step_curve_goes_up_and_down_with_the_points():
    curve = shapes(panel_picture(AGE, axis_ends([AGE])), "polyline")[0]["points"]
    heights = [float(p.split(",")[1]) for p in curve.split()]
    assert heights[0] == heights[1] > heights[2] == heights[3] > heights[4] == heights[5]
    along = [float(p.split(",")[0]) for p in curve.split()]
    assert along == sorted(along)


def test_rows_are_as_high_as_they_are_many_and_missing_stands_apart():
    svg = panel_picture(AGE, axis_ends([AGE]))
    rows = [float(r["height"]) for r in shapes(svg, "rect") if r["fill"] == "currentColor"]
    assert rows[1] > rows[0] > rows[2] > rows[3] > 0
    assert "missing" in words(svg)
    last = [r for r in shapes(svg, "rect") if r["fill"] == "currentColor"][-1]
    curve = shapes(svg, "polyline")[0]["points"].split()
    assert float(last["x"]) > float(curve[-1].split(",")[0])


def test_cells_of_a_pair_have_their_points_in_them():
    svg = panel_picture(PAIR, axis_ends([PAIR]))
    assert {"+40", "-3", "0"} <= set(words(svg))
    strong = [float(r["fill-opacity"]) for r in shapes(svg, "rect") if r.get("fill") == FOR]
    assert max(strong) == 0.6


def test_as_many_points_for_and_against_are_two_colours():
    cells = (Mark("p", 12, 5.0, "for"), Mark("q", -12, 5.0, "against"))
    both = HeatMap("a × b", ("x",), ("p", "q"), (cells,))
    cells = [r for r in shapes(panel_picture(both, axis_ends([both])), "rect") if "fill-opacity" in r]
    assert [r["fill"] for r in cells] == [FOR, AGAINST]
    assert len({r["fill-opacity"] for r in cells}) == 1


def test_the_whole_card_tells_the_rule_and_the_shares():
    svg = drawn()
    assert {"Scorecard for y", "Begin with +5 points", "sum of points", "share of yes", "50 %"} <= set(
        words(svg)
    )
    assert title(svg).startswith("Scorecard for y")


def test_an_empty_card_and_one_of_a_single_line_draw():
    assert "sum of points" in words(drawn(()))
    alone = Panel("x", (Mark("any number", 0, 0.0),), ())
    assert "any number" in words(drawn((alone,)))


def test_names_are_escaped_and_long_ones_are_aslant():
    evil = Panel(
        '<script>alert("x")</script>\x1b',
        (Mark("<b>a very long level</b>", 1, 1.0), Mark("z" * 90, -1, 1.0)),
        left=3,
    )
    svg = drawn((evil,))
    assert "<script>" not in svg
    assert "\x1b" not in svg
    assert "rotate(-45" in svg
    assert "2 of 5 lines" in words(svg)


def test_ranges_too_thin_to_see_are_drawn_equally_wide():
    cuts = (*range(30), 1e9)
    panel = Panel("x", tuple(Mark(str(i), i, 1.0) for i in range(32)), tuple(map(float, cuts)))
    curve = shapes(panel_picture(panel, (0.0, 40.0)), "polyline")[0]["points"].split()
    wide = [
        float(b.split(",")[0]) - float(a.split(",")[0]) for a, b in zip(curve[::2], curve[1::2], strict=True)
    ]
    assert max(wide) - min(wide) < 0.1


def test_numbers_are_short():
    assert [short(v) for v in (0.14449, 133512.5, 30.0, 2.5e12)] == ["0.1445", "133,500", "30", "2.5e+12"]


def test_long_names_over_a_heat_map_have_two_lines():
    names = ("40.5 to 44.5", "Machine-op-inspct", "sun", "z" * 40)
    assert [two_lines(n, 9) for n in names] == [
        ("40.5 to", "44.5"),
        ("Machine-", "op-inspct"),
        ("sun",),
        ("z" * 9, "z" * 8 + "…"),
    ]
    mark = Mark("m", 1, 1.0)
    heat = HeatMap("a × b", ("r",), names, ((mark,) * 4,))
    said = [(t["x"], t["y"]) for t in shapes(panel_picture(heat, (0.0, 1.0)), "text")]
    assert len(said) == len(set(said)) == 1 + 7 + 1 + 4
