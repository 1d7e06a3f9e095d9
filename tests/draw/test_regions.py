"""Regions: the colour of a place is its answer, and a point that is answered wrongly is ringed."""

from __future__ import annotations

import numpy as np
from svg import shapes, title, words

from tallystick.draw.charts import PANEL_LEFT as LEFT
from tallystick.draw.charts import PANEL_LETTER as LETTER
from tallystick.draw.charts import PANEL_TOP as TOP
from tallystick.draw.charts import SIDE, Axis
from tallystick.draw.planes import HIGH, Region, RegionPoints, regions_picture
from tallystick.draw.planes import REGIONS_WIDTH as WIDE
from tallystick.draw.svg import colour


def picture(shares, wrong=(False, True), names=()):
    axis = Axis("x", -0.5, 1.5, names=names) if names else Axis("x", 0, 1)
    region = Region("<tree>", np.asarray(shares, dtype=float), list(wrong), "1 of 2 rows right")
    points = RegionPoints([0.0, 1.0], [0.0, 1.0], [0, 1])
    return regions_picture([region], axis, Axis("y", 0, 1), ["no", "yes"], points, "t")


HALVES = [[[0.9, 0.1], [0.2, 0.8]]] * 2  # left: no; right: yes


def test_each_half_has_the_colour_of_its_class_and_a_border_between_them():
    svg = picture(HALVES)
    assert [path["fill"] for path in shapes(svg, "path")] == [colour(0), colour(1)]
    (border,) = shapes(svg, "polyline")
    x = {float(point.split(",")[0]) for point in border["points"].split()}
    assert LEFT + WIDE / 4 < min(x) <= max(x) < LEFT + 3 * WIDE / 4


def test_a_surer_answer_has_a_fuller_colour():
    first, second = shapes(picture(HALVES), "path")
    assert float(first["opacity"]) > float(second["opacity"])


def test_points_lie_where_their_values_are_and_wrong_ones_are_ringed():
    right, wrong = shapes(picture(HALVES), "circle")
    assert (float(right["cx"]), float(right["cy"])) == (LEFT, TOP + HIGH)
    assert (float(wrong["cx"]), float(wrong["cy"])) == (LEFT + WIDE, TOP)
    assert (right["stroke"], wrong["stroke"]) == ("#ffffff", "currentColor")
    assert (right["fill"], wrong["fill"]) == (colour(0), colour(1))


def test_levels_are_named_and_have_no_border():
    svg = picture(HALVES, names=("rain", "sun"))
    assert {"rain", "sun", "<tree>", "no", "yes", "1 of 2 rows right"} <= set(words(svg))
    assert shapes(svg, "polyline") == []
    assert title(svg) == "t"


def test_names_of_levels_lie_beside_the_plane_and_do_not_touch():
    names = ("Married-spouse-absent", "Never-married", "Widowed")
    region = Region("r", np.full((3, 3, 2), 0.5), [], "")
    axis = Axis("x", -0.5, 2.5, names=names)
    svg = regions_picture([region], axis, axis, ["no", "yes"], RegionPoints([], [], []), "t")
    assert axis.room > 0
    beside = [t for t in shapes(svg, "text") if t.get("text-anchor") == "end"]
    assert len({t["y"] for t in beside}) == len(names)
    assert not any("rotate" in t.get("transform", "") for t in beside)
    under = [axis.label(k, int(WIDE / 3 / LETTER) - 1) for k in range(3)]
    assert all(f">{name}</text>" in svg and len(name) * LETTER < WIDE / 3 for name in under)
    assert [axis.hint(k) for k in range(3)] == ["Married-spouse-absent", "", ""]
    assert float(svg.split('viewBox="0 0 ')[1].split()[0]) == round(SIDE + axis.room, 2)


def test_a_legend_of_long_names_goes_on_in_the_next_line():
    labels = [f"Iris-versicolor {k}" for k in range(9)]
    region = Region("r", np.full((2, 2, 9), 1 / 9), [], "")
    svg = regions_picture([region], Axis("x", 0, 1), Axis("y", 0, 1), labels, RegionPoints([], [], []), "t")
    boxes = [r for r in shapes(svg, "rect") if r.get("rx") == "2"]
    room = 17 + 6.5 * len(labels[0])
    assert len(boxes) == 8
    assert all(float(box["x"]) + room <= SIDE for box in boxes)
    assert len({box["y"] for box in boxes}) == 8
    assert {*labels[:8], "and 1 more"} <= set(words(svg))
