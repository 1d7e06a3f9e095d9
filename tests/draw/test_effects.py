"""Answers against a column: rows and answers share an axis, and what is not drawn is counted."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET

from tallystick.draw.effects import LEFT, MOST_LEVELS, RIGHT, WIDE, EffectMark, level_effect, number_effect

INK = "#e69f00"


def marks(many, step=1.0):
    return [EffectMark(f"<b>{k}", k * step, k / many, 0.0, 1.0, k + 1) for k in range(many)]


def test_the_curve_stays_within_the_axis_of_its_rows():
    svg = number_effect("x", "probability", marks(30), ((3, 5, 2), (5.0, 20.0)), (0.0, 1.0), INK)
    root = ET.fromstring(svg)
    line = next(e for e in root.iter() if e.tag.endswith("polyline"))
    across = [float(p.split(",")[0]) for p in line.attrib["points"].split()]
    assert (across[0], across[-1]) == (LEFT, WIDE - RIGHT)
    assert "the rows: 10" in svg
    assert "<b>" not in svg


def test_one_value_is_a_point():
    svg = number_effect("x", "probability", marks(1), ((7,), (0.0, 0.0)), (0.0, 1.0), INK)
    assert "polyline" not in svg
    assert svg.count("<circle") == 1


def test_levels_keep_their_order_and_those_left_out_are_counted():
    svg = level_effect("town", "probability", marks(15), (0.0, 1.0), INK)
    assert f"and {15 - MOST_LEVELS} levels of fewer rows" in svg
    names = [int(n) for n in re.findall(r"</title>&lt;b&gt;(\d+)</text>", svg)]
    assert names == list(range(3, 15))
