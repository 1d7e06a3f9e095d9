"""A tree as a picture: boxes apart, a node over the middle of its branches, leaves in their order."""

from __future__ import annotations

import itertools

from hypothesis import given
from hypothesis import strategies as st
from svg import shapes, words

from tallystick.draw.svg import colour
from tallystick.draw.tree import Box, tree_picture

TENNIS = [
    Box(-1, "", ("Outlook", "14 rows"), (0.4, 0.6)),
    Box(0, "Sunny", ("No",), (1.0, 0.0), strong=True, lit=True),
    Box(0, "<other>", ("Yes",), (0.0, 1.0), strong=True),
]


def middles(svg: str) -> list[tuple[float, float, float]]:
    """Left, right and top of every box."""
    boxes = [r for r in shapes(svg, "rect") if r["fill"] == "#ffffff"]
    return [(float(r["x"]), float(r["x"]) + float(r["width"]), float(r["y"])) for r in boxes]


def test_a_node_stands_over_the_middle_of_its_branches():
    top, left, right = middles(tree_picture(TENNIS, ["No", "Yes"], "tennis"))
    assert abs((top[0] + top[1]) / 2 - (left[0] + right[1]) / 2) < 0.02
    assert left[1] < right[0]
    assert top[2] < left[2] == right[2]


def test_all_words_stand_there_and_bars_have_the_colours_of_the_legend():
    svg = tree_picture(TENNIS, ["No", "Yes"], "tennis")
    assert {"Outlook", "14 rows", "Sunny", "<other>", "No", "Yes"} == set(words(svg))
    bars = [r["fill"] for r in shapes(svg, "rect") if r["height"] == "9"]
    assert bars == [colour(0), colour(1), colour(0), colour(1)]  # a share of 0 has no part


def test_the_way_of_a_row_is_drawn_thicker():
    ways = [path["stroke-width"] for path in shapes(tree_picture(TENNIS, [], "tennis"), "path")]
    assert ways == ["2.5", "1"]


def test_a_single_leaf_is_a_picture():
    assert words(tree_picture([Box(-1, "", ("Yes",), strong=True)], [], "leaf")) == ["Yes"]


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
    boxes = [Box(p, "b", ("x" * (letters * (k % 3)),)) for k, p in enumerate(parents)]
    drawn = middles(tree_picture(boxes, [], "t"))
    for level in set(depth):
        row = [(left, right) for (left, right, _), d in zip(drawn, depth, strict=True) if d == level]
        assert all(a[1] < b[0] for a, b in itertools.pairwise(row))
    assert all(left >= 0 for left, _, _ in drawn)
