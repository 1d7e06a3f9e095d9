"""A surface: higher is fuller, lines lie at their heights, and the path goes from its start to its end."""

from __future__ import annotations

import numpy as np
from svg import shapes, words

from tallystick.draw.planes import SIZE, TOP, Surface, surface_picture
from tallystick.draw.planes import SURFACE_LEFT as LEFT


def test_the_path_goes_through_its_points_and_the_top_is_the_fullest():
    at = np.linspace(-1, 1, 41)
    hill = Surface(-(at[:, None] ** 2) - at[None, :] ** 2, ("a", -1, 1), ("b", -1, 1), [-0.5, -0.1])
    svg = surface_picture(hill, [(-1, -1), (0, -0.5), (0, 0)], ["two steps"], "hill")
    line = shapes(svg, "polyline")[-1]
    half = SIZE / 2
    start, middle, end = (tuple(map(float, p.split(","))) for p in line["points"].split())
    assert start == (LEFT, TOP + SIZE)
    assert middle == (LEFT + half, TOP + SIZE - half / 2)
    assert end == (LEFT + half, TOP + half)
    shades = [float(path["opacity"]) for path in shapes(svg, "path")]
    assert shades == sorted(shades)
    assert len(shades) == 3
    assert {"a", "b", "two steps"} <= set(words(svg))


def test_levels_stand_by_their_names():
    flat = Surface(
        np.zeros((2, 2)), ("a", -0.5, 1.5), ("b", -0.5, 1.5), [0.5], (("usa", "japan"), ("x", "y"))
    )
    assert {"usa", "japan", "x", "y"} <= set(words(surface_picture(flat, [], [], "t")))
    assert not {"0", "1"} & set(words(surface_picture(flat, [], [], "t")))
