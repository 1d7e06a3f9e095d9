"""Pruning: the shortest of all prunings, the smallest of equals; and fewer leaves by gain."""

from __future__ import annotations

import numpy as np
import pytest
from density_tables import mixed

import tallystick as ts
from tallystick.density.learner import OpenLeaf, _shortest, pruned
from tallystick.tree.nodes import Nodes


def nodes(n_children):
    k = len(n_children)
    column = np.where(np.array(n_children) > 0, 0, -1).astype(np.int32)
    return Nodes(
        np.ones((k, 1), np.int64),
        column,
        np.where(column >= 0, 1.0, np.nan),
        np.array(n_children, np.int32),
        np.zeros(k + 1, np.int64),
        np.empty(0, np.int32),
        np.zeros(k, np.int32),
        np.zeros(k),
    )


def prunings(tree, node):
    """Yield every pruning below a node as the set of its leaves."""
    yield frozenset({node})
    below = tree.branches(node).tolist()
    if below:
        for one in prunings(tree, below[0]):
            for two in prunings(tree, below[1]):
                yield one | two


@pytest.mark.parametrize("seed", range(20))
def test_no_pruning_is_shorter(seed):
    rng = np.random.default_rng(seed)
    tree = nodes([2, 2, 0, 2, 0, 0, 2, 0, 0])
    buds = [
        OpenLeaf([np.array([1])], [], 0, float(rng.integers(1, 30)), None, test_bits=2.0) for _ in range(9)
    ]
    for bud, column in zip(buds, tree.column, strict=True):
        bud.split = None if column < 0 else object()

    def length(leaves):
        inner, stack = 0.0, [0]
        while stack:
            node = stack.pop()
            inner += 1 + (buds[node].bits if node in leaves else buds[node].test_bits)
            stack += [] if node in leaves else tree.branches(node).tolist()
        return inner

    found, _ = tree.cut_back(_shortest(tree, buds))
    best = min((length(leaves), len(leaves)) for leaves in prunings(tree, 0))
    _, kept = tree.cut_back(_shortest(tree, buds))
    leaves = frozenset(kept[np.flatnonzero(found.leaf)].tolist())
    assert (length(leaves), len(leaves)) == best


@pytest.mark.slow
def test_fewer_leaves_hold_the_same_rows():
    tree = ts.DensityTree(pruning=None, min_samples_leaf=20).fit(mixed())
    for most in (1, 2, 3, 7, 1000):
        model = pruned(tree.model_, most)
        assert len(model.leaves) == min(most, len(tree.leaves_))
        for own, whole in zip(model.counts, tree.model_.counts, strict=True):
            assert own.sum(axis=0).tolist() == whole.sum(axis=0).tolist()
        limited = ts.DensityTree(pruning=None, min_samples_leaf=20, max_leaf_nodes=most).fit(mixed())
        assert [c.tolist() for c in limited.model_.counts] == [c.tolist() for c in model.counts]
