"""How probable a test is before its rows are seen."""

from __future__ import annotations

import math

import numpy as np
import pytest

import tallystick as ts
from tallystick.tree.nodes import prior_of_tests


def test_a_test_is_the_less_probable_the_more_tests_it_was_chosen_from():
    rng = np.random.default_rng(5)
    X = {
        "number": rng.normal(size=300).tolist(),
        "levels": rng.choice(list("pqrst"), 300).tolist(),
        "lost": rng.choice(np.array(["u", "v", None], object), 300).tolist(),
        "ordered": rng.choice(["low", "middle", "high"], 300).tolist(),
    }
    y = rng.integers(0, 2, 300)
    order = ["low", "middle", "high"]
    tree = ts.DecisionTree(columns=ts.Columns({"ordered": "ordered"}, {"ordered": order})).fit(X, y).model_
    nodes, rows = tree.nodes, tree.counted.sum(axis=1)
    found = prior_of_tests(tree.schema, nodes, rows)
    asked = set()
    for node in np.flatnonzero(nodes.column >= 0).tolist():
        name = tree.schema.used[nodes.column[node]].name
        asked.add(name)
        second = int((nodes.branch_of[nodes.branch_start[node] : nodes.branch_start[node + 1]] == 1).sum())
        m = {"number": rows[node] - 1, "ordered": 2, "lost": 2 * 3 / 2}.get(name)
        if name == "levels":
            m = 4 * math.comb(5, second) / 2
        assert found[node] == pytest.approx(1 / (1 + math.sqrt(4 * m)))
    assert asked == set(X)
