"""The answer where the target is a number: what moves it, in true sentences."""

from __future__ import annotations

import numpy as np

import tallystick as ts
from tallystick.reports.columns import (
    additive_number_sentences,
    median_error,
    tree_number_sentences,
)
from tallystick.reports.context import additive_pulls

ROWS = [
    {"x": float(i % 10), "c": "uv"[i % 3 > 0], "y": 3.0 * (i % 10) + 5.0 * (i % 3 > 0)} for i in range(90)
]
KINDS = {"x": "numeric", "c": "levels"}


def test_a_tree_tells_the_means_of_its_first_question():
    tree = ts.RegressionTree(kinds=KINDS, max_leaf_nodes=4).fit(ROWS, "y")
    told = [str(s) for s in tree_number_sentences(tree.model_, tree._read(ROWS, "y"))]
    low = [row["y"] for row in ROWS if row["x"] < 4.5]
    assert told[0] == (
        f"The tree first asks for x. Where x < 4.5, y is {np.mean(low):.4g} on average ({len(low)} rows)."
    )
    assert len(told) == 4


def test_a_linear_regression_tells_by_how_much_a_column_moves_the_answer():
    model = ts.LinearRegression(kinds=KINDS).fit(ROWS, "y")
    table = model._read(ROWS, "y")
    pulls = additive_pulls(model.model_, table)
    assert pulls["x"] > pulls["c"] > 0
    first = str(additive_number_sentences(model.model_, table)[0])
    assert first.startswith("With the other columns unchanged, y is ")
    assert " higher where x is " in first


def test_the_median_is_a_baseline_too():
    table = ts.RegressionTree()._read([{"x": i, "y": float(v)} for i, v in enumerate([0, 1, 2, 9, 10])], "y")
    assert median_error(table) == (2 + 1 + 0 + 7 + 8) / 5
