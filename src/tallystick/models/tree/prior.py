"""How probable a test of a grown tree is before its rows are seen: less, the more tests it was chosen from.

Knows columns, levels and numbers of rows. Knows nothing of classes, names or words.

A test that is the best of m explains the rows it was chosen on better than it explains new ones, so that the
odds of keeping it are 1 to the root of m: neighbouring cuts part nearly the same rows, and m tests are not m
chances. m is the number of columns times
    a number                 rows of the node - 1, the cuts
    levels in order          levels - 1
    two groups of levels     2^bits, bits = log2(k - 1) + log2(k over j) - 1, what it takes to name j of k
    a branch for each level  1
where missing is one level more in a column that has missing rows.
Law: a function of what a model file holds.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tallystick import kernels
from tallystick.data.schema import Schema
from tallystick.models.tree.nodes import Nodes

Floats = NDArray[np.float64]

MOST_BITS = 100.0  # beyond this a prior is nothing beside any evidence
HALF_LOG_2 = 0.34657359027997264


def prior_of_tests(schema: Schema, nodes: Nodes, rows: Floats) -> Floats:
    """Return the prior probability 1 / (1 + sqrt(m)) of keeping the test of each node; of a leaf 1/2.

    rows[node]: how many rows came there.
    """
    tests = np.flatnonzero(nodes.column >= 0)
    bits = np.minimum(_bits(schema, nodes, rows, tests), MOST_BITS)
    out = np.full(len(nodes), 0.5)
    out[tests] = 1 / (1 + kernels.exp(HALF_LOG_2 * bits))
    return out


def _bits(schema: Schema, nodes: Nodes, rows: Floats, tests: NDArray[np.int64]) -> Floats:
    """Return log2(m) of every test."""
    used = schema.used
    met, place = np.unique(nodes.column[tests], return_inverse=True)
    tested = [used[j] for j in met.tolist()]
    lost = np.array([bool(c.missing) for c in tested], bool)[place]
    k = np.array([len(c.levels) for c in tested], np.int64)[place] + lost
    numeric = np.array([c.kind == "numeric" for c in tested], bool)[place]
    levels = np.array([c.kind == "levels" for c in tested], bool)[place]
    groups = levels & (nodes.n_children[tests] == 2)
    cuts = np.where(numeric, rows[tests] - 1, np.where(levels, 1, k - 1))
    out = kernels.log2(np.maximum(cuts, 1.0) * sum(c.kind != "text" for c in used))
    second = np.concatenate([[0], np.cumsum(nodes.branch_of == 1)])
    start = nodes.branch_start
    j = second[start[tests + 1]] - second[start[tests]] + (lost & (nodes.missing_branch[tests] == 1))
    out[groups] += group_bits(k[groups], j[groups])
    return out


def group_bits(k: NDArray[np.int64], j: NDArray[np.int64]) -> Floats:
    """Return the bits that name j of k levels."""
    logs = np.cumsum(kernels.log2(np.maximum(np.arange(k.max(initial=0) + 1.0), 1.0)))  # of the factorials
    bits: Floats = kernels.log2(np.maximum(k - 1.0, 1.0)) + (logs[k] - logs[j] - logs[k - j]) - 1
    return np.where((k < 3) | (j == 0) | (j == k), 0.0, bits)
