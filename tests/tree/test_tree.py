"""A tree as a picture: boxes apart, a node beside the middle of its branches, bars of true length."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st
from svg import shapes, words

from tallystick.draw.svg import colour
from tallystick.tree.picture import (
    GREY,
    OTHERS,
    PAD,
    WIDE,
    AskedColumn,
    Box,
    bar_parts,
    headed,
    tree_picture,
)

TENNIS = [
    Box(-1, "all rows", ("14 rows",), ((0, 0.4), (1, 0.6)), 1.0, 1),
    Box(0, "Sunny", ("No",), ((0, 1.0),), 0.3, 0, strong=True, lit=True),
    Box(0, "<other>", ("Yes",), ((1, 1.0),), 0.7, 1, strong=True),
]
INSIDE = WIDE - 2 * PAD


def places(svg: str) -> list[tuple[float, float, float]]:
    """Left, top and bottom of every box."""
    boxes = [r for r in shapes(svg, "rect") if r["fill"] == "#ffffff"]
    return [(float(r["x"]), float(r["y"]), float(r["y"]) + float(r["height"])) for r in boxes]


def test_a_node_stands_beside_the_middle_of_its_branches():
    root, upper, lower = places(tree_picture(TENNIS, ["No", "Yes"], "tennis"))
    assert abs((root[1] + root[2]) / 2 - (upper[1] + lower[2]) / 2) < 0.02
    assert upper[2] < lower[1]
    assert root[0] < upper[0] == lower[0]


def test_all_words_stand_there_and_bars_have_the_colours_of_the_legend():
    svg = tree_picture(TENNIS, ["No", "Yes"], "tennis")
    assert {"all rows", "14 rows", "Sunny", "<other>", "No", "Yes"} == set(words(svg))
    bars = [(r["fill"], float(r["width"])) for r in shapes(svg, "rect") if r["height"] == "9"]
    assert [fill for fill, _ in bars] == [colour(0), colour(1), colour(0), colour(1)]
    assert [wide for _, wide in bars] == pytest.approx([0.4 * INSIDE, 0.6 * INSIDE, INSIDE, INSIDE], abs=0.01)


def test_shares_of_many_classes_are_true_and_the_rest_is_grey():
    parts = bar_parts([1 / 26] * 26)
    assert [number for number, _ in parts] == [0, 1, 2, 3, 4, OTHERS]
    assert parts[0][1] == pytest.approx(1 / 26)
    assert sum(share for _, share in parts) == pytest.approx(1)
    svg = tree_picture([Box(-1, "all rows", ("A 3.8 %",), parts)], [str(k) for k in range(26)], "letters")
    bars = [r for r in shapes(svg, "rect") if r["height"] == "9"]
    assert bars[-1]["fill"] == GREY
    assert float(bars[-1]["width"]) == pytest.approx(21 / 26 * INSIDE, abs=0.01)
    assert any("grey" in text for text in words(svg))


def test_eight_classes_all_have_their_part():
    assert bar_parts([0.125] * 8) == tuple((k, 0.125) for k in range(8))
    assert bar_parts([0.0, 1.0]) == ((1, 1.0),)


def test_the_way_of_a_row_is_drawn_stronger():
    ways = [path["opacity"] for path in shapes(tree_picture(TENNIS, [], "tennis"), "path")]
    assert ways == ["0.8", "0.2"]


def test_a_single_leaf_is_a_picture():
    assert words(tree_picture([Box(-1, "", ("Yes",), strong=True)], [], "leaf")) == ["Yes"]


def test_the_rows_of_a_box_lie_on_the_column_it_asks():
    spread = AskedColumn("age", (0, 1), ((2.0, 0.0), (1.0, 3.0), (0.0, 1.0)), (0.5,), ("17", "90"))
    svg = tree_picture([Box(-1, "all rows", ("7 rows",), spread=spread)], ["a", "b"], "ages")
    assert {"asks age", "17", "90"} <= set(words(svg))
    assert (
        len([r for r in shapes(svg, "rect") if r["fill"] in (colour(0), colour(1))]) == 4 + 2
    )  # and a legend
    cut = [line for line in shapes(svg, "line") if line["x1"] == line["x2"]]
    assert [float(line["x1"]) for line in cut] == [pytest.approx(2 * PAD + INSIDE / 2)]


def test_a_branch_has_at_most_two_lines():
    assert headed("short", 27) == ["short"]
    assert headed("", 27) == []
    long = headed("native-country is one of " + "Portugal, " * 20, 27)
    assert len(long) == 2
    assert long[1].endswith("…")
    assert all(len(line) <= 27 for line in long)
    name = headed("Horizontal_Distance_To_Roadways < 2246.5", 27)
    assert name == ["Horizontal_Distance_", "To_Roadways < 2246.5"]  # not in the middle of a word


@pytest.mark.slow
@given(st.lists(st.integers(0, 100), max_size=14), st.integers(1, 40))
def test_boxes_of_one_depth_never_touch(choices, letters):
    parents, depth = [-1], [0]
    for choice in choices:  # preorder: a new box hangs on the last one or on one of those above it
        above, way = len(parents) - 1, []
        while above >= 0:
            way.append(above)
            above = parents[above]
        parents.append(way[choice % len(way)])
        depth.append(depth[parents[-1]] + 1)
    boxes = [Box(p, "b" * letters, ("x",) * (k % 7)) for k, p in enumerate(parents)]
    svg = tree_picture(boxes, [], "t")
    drawn = places(svg)
    for level in set(depth):
        column = [(top, bottom) for (_, top, bottom), d in zip(drawn, depth, strict=True) if d == level]
        assert all(a[1] < b[0] for a, b in itertools.pairwise(column))
    (picture,) = [float(r) for r in [svg.split('height="')[1].split('"')[0]]]
    assert all(top >= 0 and bottom <= picture for _, top, bottom in drawn)
