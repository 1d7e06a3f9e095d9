"""Pairs of bars: as long as their shares of the longest, every name escaped."""

from __future__ import annotations

import re

from tallystick.draw.charts import LONG, pair_bars


def test_the_longest_share_fills_the_row_and_both_are_written():
    svg = pair_bars([("a", 0.5, 0.25), ("b", 0.0, 0.1)], "t")
    widths = [float(w) for w in re.findall(r'width="([0-9.]+)"', svg)]
    assert LONG in widths
    assert LONG / 2 in widths
    assert "50.0% → 25.0%" in svg


def test_hostile_names_are_escaped_and_nothing_is_an_empty_picture():
    assert "<script>" not in pair_bars([("<script>x</script>", 1.0, 0.0)], "<b>")
    assert pair_bars([], "t").startswith("<svg")
