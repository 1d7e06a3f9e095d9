"""All prunings, one by one: their sum is what the recursion finds."""

from __future__ import annotations

import math
import random

import pytest

import tallystick as ts
from tallystick.teach.lessons import all_prunings


@pytest.mark.parametrize("seed", range(6))
def test_the_sum_over_every_pruning_is_the_answer_of_the_tree(seed):
    luck = random.Random(seed)
    rows = [{"a": luck.choice("xyz"), "b": luck.choice("uv"), "y": luck.choice("np")} for _ in range(20)]
    tree = ts.DecisionTree(max_depth=3).fit(rows, "y")
    found = all_prunings(tree, {"a": "x", "b": "v"}, "n")
    assert found.sum == pytest.approx(found.averaged, abs=1e-12)
    assert math.fsum(p.probability for p in found.prunings) == pytest.approx(1, abs=1e-12)
    assert f"{found.averaged:.12f}" in str(found)


def test_a_tree_that_does_not_average_is_refused():
    tree = ts.DecisionTree.id3().fit([{"a": i % 2, "y": i % 2} for i in range(8)], "y")
    with pytest.raises(ts.TallyError, match="does not average over its prunings"):
        all_prunings(tree, {"a": 1}, "1")
