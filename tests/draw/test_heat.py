"""A heat map: a cell is as dark as the share of its truth, and the names are its user's."""

from __future__ import annotations

from svg import shapes, words

from tallystick.draw.charts import heat_map


def test_a_cell_is_as_dark_as_the_share_of_its_truth():
    svg = heat_map([[8, 2], [0, 5]], ["a", "<b>"], "truth and answer")
    cells = [r for r in shapes(svg, "rect") if r["fill"] == "currentColor"]
    assert [float(c["opacity"]) for c in cells] == [0.8, 0.2, 1.0]
    assert "&lt;b&gt;" in svg
    assert "a answered as &lt;b&gt;: 2 rows, 20.0%" in svg


def test_names_that_would_touch_are_left_out():
    labels = [f"class {k}" for k in range(60)]
    few, many = (words(heat_map([[0] * n] * n, labels[:n], "t")) for n in (20, 60))
    assert sum(w.startswith("class") for w in few) == 40  # beside and over
    assert sum(w.startswith("class") for w in many) == 120 / round(11 / (560 / 60))
