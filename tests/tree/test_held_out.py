"""Reduced-error pruning: the fewest errors on rows that were held out."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from trees import prunings, random_rows, random_tree

from tallystick.tree.model import Tree
from tallystick.tree.prune import ends, reduced_error

pytestmark = pytest.mark.slow

seeds = st.integers(0, 10_000)


def stops_of(tree: Tree, pruning: dict[int, bool]) -> np.ndarray:
    return np.array([pruning.get(node, True) for node in range(len(tree.nodes))])


@settings(max_examples=80, deadline=None)
@given(seeds)
def test_reduced_error_is_the_smallest_pruning_with_the_fewest_errors(seed):
    tree, block = random_tree(seed, most=5), random_rows(seed, 40)
    stops, truth, weights = tree.stops(block), block.classes.astype(float), np.ones(40)
    labels = tree.decide(tree.rows)
    results = []
    for pruning in prunings(tree.nodes):
        at = ends(tree, stops_of(tree, pruning))[stops]
        results.append((int((labels[at] != block.classes).sum()), sum(pruning.values())))
    pruned = reduced_error(tree, stops, truth, weights)
    wrong = int((pruned.decide(pruned.rows)[pruned.stops(block)] != block.classes).sum())
    assert wrong == min(results)[0]
    assert pruned.nodes.leaves <= min(results)[1]
