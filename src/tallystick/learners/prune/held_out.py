"""Reduced-error pruning: a test stays only when it helps on rows the tree has not seen.

Knows where held-out rows stop. Knows nothing of how a tree was grown.
Law: no pruning of the tree makes fewer errors on the held-out rows; of equals it is the smallest.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tallystick.models.tree import Tree


def reduced_error(
    tree: Tree, stops: NDArray[np.int64], truth: NDArray[np.float64], weights: NDArray[np.float64]
) -> Tree:
    """Return the smallest pruning with the fewest errors on held-out rows.

    stops[row]: the node where the row ends in the whole tree; truth[row]: its class code or response.
    """
    nodes = tree.nodes
    loss = _losses(tree, stops, truth, weights)
    below = loss.copy()
    inner = nodes.n_children > 0
    # a row that stays at a test (its level has no branch) is answered there in every pruning that keeps the
    # test
    below[inner] = _staying(tree, stops, truth, weights)[inner]
    stop = ~inner
    for node in range(len(nodes) - 1, -1, -1):
        if inner[node] and loss[node] <= below[node]:
            stop[node], below[node] = True, loss[node]
        if node:
            below[nodes.parent[node]] += below[node]
    return tree.cut_back(stop)


def _answer_loss(
    tree: Tree, node: NDArray[np.int64], truth: NDArray[np.float64], weights: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return the weighted loss of each row answered by a node's own counts."""
    out: NDArray[np.float64]
    if tree.regression:
        out = weights * (truth - tree.nodes.mean[node]) ** 2
        return out
    answer, code = tree.decide(tree.rows)[node], truth.astype(np.int64)
    if tree.answers.costs:
        out = weights * np.array(tree.answers.costs)[code, answer]
        return out
    out = weights * (answer != code)
    return out


def _staying(
    tree: Tree, stops: NDArray[np.int64], truth: NDArray[np.float64], weights: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return the loss of the rows that end at each node itself."""
    out = np.zeros(len(tree.nodes))
    np.add.at(out, stops, _answer_loss(tree, stops, truth, weights))
    return out


def _losses(
    tree: Tree, stops: NDArray[np.int64], truth: NDArray[np.float64], weights: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return the loss of all held-out rows that come to a node if it were a leaf."""
    out = np.zeros(len(tree.nodes))
    here = stops.copy()
    while len(here):
        np.add.at(out, here, _answer_loss(tree, here, truth, weights))
        here = tree.nodes.parent[here]
        on = here >= 0
        here, truth, weights = here[on], truth[on], weights[on]
    return out
