"""Minimum description length: the pruning that tells tree and classes in the fewest bits.

Knows counts and kinds of tests. Knows nothing of rows or how a tree was grown.
A node costs one bit to say whether it has a test; a test costs log2(columns) bits for its column and
log2(choices) for its cut or groups; the classes in a leaf cost -log2 of their Krichevsky-Trofimov probability
Γ(k/2)/Γ(N + k/2) · Π Γ(n_c + 1/2)/Γ(1/2), the code that need not know the shares beforehand.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tallystick import kernels
from tallystick.errors import OptionError
from tallystick.models.tree import Tree
from tallystick.models.tree.average import log_evidence


def shortest(tree: Tree) -> Tree:
    """Return the pruning of least description length, of equals the smallest."""
    nodes = tree.nodes
    if tree.regression:
        raise OptionError("prune('mdl') needs classes, this is a regression tree. Use 'cost-complexity'.")
    classes = nodes.counts.shape[1]
    base = np.full(classes, 1 / classes)
    leaf = 1 - log_evidence(tree.counted, classes / 2, base) / kernels.log([2.0])[0]
    below = 1 + bits_of_tests(tree)
    inner = nodes.n_children > 0
    stop = ~inner
    below[~inner] = leaf[~inner]
    for node in range(len(nodes) - 1, -1, -1):
        if inner[node] and leaf[node] <= below[node]:
            stop[node], below[node] = True, leaf[node]
        if node:
            below[nodes.parent[node]] += below[node]
    return tree.cut_back(stop)


def bits_of_tests(tree: Tree) -> NDArray[np.float64]:
    """Return the bits that name the test of each node, 0 in leaves.

    A numeric column could be cut between any two of the node's rows; k levels fall into two groups in
    2^(k-1) - 1 ways, counted here as 2^(k-1); one branch per level is a single way.
    """
    nodes = tree.nodes
    cuts = np.maximum(nodes.weight / tree.row - 1, 1)
    numeric = ~np.isnan(nodes.cut)
    levels = np.diff(nodes.branch_start)
    groups = np.where((nodes.n_children == 2) & (levels > 2), levels - 1.0, 0.0)
    bits = kernels.log2([float(len(tree.schema.used))])[0] + np.where(numeric, kernels.log2(cuts), groups)
    return np.where(nodes.leaf, 0.0, bits)
