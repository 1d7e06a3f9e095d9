"""Answers against a column: rows and answers share an axis, and what is not drawn is counted."""

from __future__ import annotations

import math
import re
import xml.etree.ElementTree as ET
from itertools import pairwise

from tallystick.draw.charts import (
    EFFECT_LEFT as LEFT,
)
from tallystick.draw.charts import (
    EFFECT_RIGHT as RIGHT,
)
from tallystick.draw.charts import (
    MOST_LEVELS,
    WIDE,
    EffectMark,
    level_effect,
    number_effect,
)

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


def test_steps_are_drawn_as_steps_to_both_ends_of_the_axis():
    steps = [(-math.inf, 2.0, 0.1), (2.0, 7.5, 0.9), (7.5, 50.0, 0.4), (50.0, math.inf, 0.6)]
    marks = [EffectMark("", start, mean, 0.0, 1.0, 3, start, end) for start, end, mean in steps]
    svg = number_effect("x", "probability", marks, ((3, 5, 2), (0.0, 10.0)), (0.0, 1.0), INK)
    line = next(e for e in ET.fromstring(svg).iter() if e.tag.endswith("polyline"))
    at = [tuple(map(float, p.split(","))) for p in line.attrib["points"].split()]
    assert (at[0][0], at[-1][0]) == (LEFT, WIDE - RIGHT)
    assert len(at) == 6  # the last step lies beyond the axis
    assert all(a[0] == b[0] or a[1] == b[1] for a, b in pairwise(at))


def test_one_value_is_a_point():
    svg = number_effect("x", "probability", marks(1), ((7,), (0.0, 0.0)), (0.0, 1.0), INK)
    assert "polyline" not in svg
    assert svg.count("<circle") == 1


def test_levels_keep_their_order_and_those_left_out_are_counted():
    svg = level_effect("town", "probability", marks(15), (0.0, 1.0), INK)
    assert f"and {15 - MOST_LEVELS} levels of fewer rows" in svg
    names = [int(n) for n in re.findall(r"</title>&lt;b&gt;(\d+)</text>", svg)]
    assert names == list(range(3, 15))
