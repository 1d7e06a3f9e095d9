"""Regions of models: axis-parallel, bent and straight borders, over the rows that were read."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from svg import shapes, words

import tallystick as ts
from tallystick.draw.charts import PANEL_LEFT as LEFT
from tallystick.draw.charts import PANEL_TOP as TOP
from tallystick.draw.charts import SIDE

RANDOM = np.random.default_rng(7)
POINTS = np.concatenate([RANDOM.normal(0, 1, (40, 2)), RANDOM.normal(2.5, 2, (40, 2))])
ROWS = [
    {"a": float(x), "b": float(y), "c": "text", "y": "in" if i < 40 else "out"}
    for i, (x, y) in enumerate(POINTS)
]


def borders(svg):
    """The points of the borders, by panel."""
    found = {}
    for line in shapes(svg, "polyline"):
        at = [tuple(map(float, p.split(","))) for p in line["points"].split()]
        found.setdefault(line["points"], at)
    return list(found.values())


def bend(points):
    """How far the middle of a line lies from the straight line between its ends, in pixels."""
    (x1, y1), (x2, y2), (x, y) = points[0], points[-1], points[len(points) // 2]
    return abs((x2 - x1) * (y1 - y) - (x1 - x) * (y2 - y1)) / np.hypot(x2 - x1, y2 - y1)


def test_logistic_regression_is_straight_gaussian_bayes_is_bent_and_a_tree_has_right_angles():
    straight = borders(ts.pictures.regions(ROWS, "y", methods=["logistic"], draw=["a", "b"]))
    bent = borders(ts.pictures.regions(ROWS, "y", methods=["bayes-gaussian"], draw=["a", "b"]))
    steps = borders(ts.pictures.regions(ROWS, "y", methods=["tree:max_depth=2"], draw=["a", "b"]))
    assert bend(straight[0]) < 1.5
    assert bend(max(bent, key=len)) > 5
    for line in steps:
        level = [abs(a[0] - b[0]) < 0.5 or abs(a[1] - b[1]) < 0.5 for a, b in itertools.pairwise(line)]
        assert sum(not straight for straight in level) <= 4  # corners


def test_models_side_by_side_are_named_with_the_rows_they_have_right():
    models = {"mine": ts.DecisionTree.id3(), "other": ts.NaiveBayes()}
    texts = words(ts.pictures.regions(ROWS, "y", methods=models, draw=["a", "b"]))
    assert {"mine", "other", "in", "out", "a", "b", "80 of 80 rows right"} <= set(texts)


def test_rows_that_the_model_answers_wrongly_are_ringed():
    model = ts.LogisticRegression().fit([{k: r[k] for k in "aby"} for r in ROWS], "y")
    wrong = int((model.predict(ROWS) != [r["y"] for r in ROWS]).sum())
    svg = ts.pictures.regions(ROWS, "y", methods=["logistic"], draw=["a", "b"])
    circles = shapes(svg, "circle")
    assert len(circles) == 80
    assert sum(c["stroke"] == "currentColor" for c in circles) == wrong > 0
    assert all(LEFT <= float(c["cx"]) <= SIDE and float(c["cy"]) >= TOP for c in circles)


def test_columns_of_levels_are_a_plane_of_boxes():
    rows = [
        {"sky": s, "wind": w, "play": s == "sun" and w == "weak"}
        for s in ("sun", "rain")
        for w in ("weak", "strong")
    ]
    svg = ts.pictures.regions(rows * 3, "play", methods=["id3"])
    assert {"sun", "rain", "weak", "strong", "12 of 12 rows right"} <= set(words(svg))


def test_no_method_and_an_unknown_one_are_one_line():
    with pytest.raises(ts.TallyError, match="no method to draw"):
        ts.pictures.regions(ROWS, "y", methods=[])
    with pytest.raises(ts.TallyError, match="there is no method 'tre'"):
        ts.pictures.regions(ROWS, "y", methods=["tre"])


@pytest.mark.filterwarnings("error")
def test_a_plane_beyond_the_rows_warns_of_nothing():
    ts.pictures.regions(ROWS, "y", methods=["logistic"], draw=["a", "b"])
