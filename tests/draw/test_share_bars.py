"""Bars of shares: as long as the share, under the heading of their column."""

from __future__ import annotations

from svg import shapes, words

from tallystick.draw.charts import BARS_LONGEST_NAME as LONG
from tallystick.draw.charts import ShareRow, share_bars
from tallystick.draw.svg import colour


def test_bars_are_as_long_as_their_shares_and_columns_are_named_once():
    rows = [
        ShareRow("sky", "sun", [0.25, 1.0], ["1/4", "1"]),
        ShareRow("sky", "<rain>", [0.75, 0.0], ["3/4", "0"]),
        ShareRow("wind", "weak", [0.5, 0.5], ["1/2", "1/2"]),
    ]
    svg = share_bars(rows, ["no", "yes"], "t", "a note")
    bars = [rect for rect in shapes(svg, "rect") if rect["fill"] in (colour(0), colour(1))][2:]
    assert [float(bar["width"]) for bar in bars] == [s * LONG for s in (0.25, 1, 0.75, 0, 0.5, 0.5)]
    assert [bar["fill"] for bar in bars] == [colour(0), colour(1)] * 3
    texts = words(svg)
    assert texts.count("sky") == texts.count("wind") == 1
    assert {"sun", "<rain>", "weak", "1/4", "3/4", "no", "yes", "a note"} <= set(texts)


def test_no_rows_draw_a_legend():
    assert words(share_bars([], ["no", "yes"], "t")) == ["no", "yes", ""]
