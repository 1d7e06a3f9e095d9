"""A nomogram: values where their weight lies, and the sum read off as a share."""

from __future__ import annotations

import math

from svg import shapes, title, words

from tallystick.draw.planes import Scale, nomogram, ticks
from tallystick.draw.svg import PALETTE


def test_values_stand_at_their_weights_and_no_colour_of_a_class_takes_sides():
    svg = nomogram("play", [Scale("Wind", (("weak", 1.0), ("strong", -1.0)))], 0.25, ("no", "yes"))
    left, right = shapes(svg, "circle")
    assert not any(colour in svg for colour in PALETTE)
    assert (left["cx"], right["cx"]) == ("250.0", "850.0")
    assert {"Wind", "weak", "strong", "← no", "yes →", "share of yes"} <= set(words(svg))
    assert any("to +0.25;" in text for text in words(svg))


def test_a_weight_without_end_stands_at_the_edge():
    svg = nomogram("play", [Scale("a", (("x", math.inf), ("y", 0.0), ("z", 2.0)))], 0.0)
    assert sorted(float(dot["cx"]) for dot in shapes(svg, "circle")) == [250.0, 850.0, 850.0]


def test_ticks_are_round_and_within():
    assert ticks(-1.0, 1.0) == [-1.0, -0.5, 0.0, 0.5, 1.0]
    assert ticks(0.0, 0.0) == [0.0]


def test_no_column_leaves_the_scale_of_sums():
    shown = words(nomogram("<title>", [], -1.0))
    assert {"<title>", "0.1 %", "50 %", "99.9 %", "sum of log-odds", "share"} <= set(shown)
    assert title(nomogram("\u202eab", [], 0.0)) == "\\u202eab"
