"""The training rows in the branches of a candidate split, counted where growing did not keep them.

Knows fitted trees and encoded rows. Knows nothing of how candidates are found or shown.
Law: a row without a value of the column is in no branch; a row that arrives in parts counts with its part.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tallystick.contracts import Block
from tallystick.data.schema import CODED, Column
from tallystick.models.tree import SPREADS, Tree
from tallystick.models.tree.sentences import missing_alone
from tallystick.models.tree.walk import branches_of, taken

Branches = tuple[tuple[tuple[float, ...], ...], tuple[float, ...]]  # counts of each branch, and its mean


def arriving(tree: Tree, node: int, block: Block) -> NDArray[np.float64]:
    """Return how many rows each row counts for at a node: its weight, or the part of it that comes there."""
    weights = np.ones(block.rows) if block.weights is None else block.weights.astype(np.float64)
    parts: NDArray[np.float64] = weights * (tree.rows[0].sum() / weights.sum())
    nodes = tree.nodes
    while node > 0:
        above = int(nodes.parent[node])
        below = nodes.branches(above)
        column = tree.schema.used[int(nodes.column[above])]
        branch = branches_of(nodes, above, _cells(column, block))
        share = nodes.weight[node] / max(nodes.weight[above], 1)
        parts = parts * np.where(branch == SPREADS, share, (branch >= 0) & (below[branch] == node))
        node = above
    return parts


def in_branches(
    tree: Tree,
    column: Column,
    cut: float,
    groups: NDArray[np.int32],
    block: Block,
    parts: NDArray[np.float64],
) -> Branches:
    """Return the rows of each branch of a test: per class, or all of them and their mean in regression."""
    alone = missing_alone(cut, groups)
    branch = taken(cut, groups, 1 if alone else -1, _cells(column, block))
    every = range(2 if alone or cut == cut else int(groups.max(initial=-1)) + 1)
    if block.classes is None:
        rows = [float(parts[branch == b].sum()) for b in every]
        response = block.response if block.response is not None else np.zeros(block.rows)
        sums = [float((parts * response)[branch == b].sum()) for b in every]
        means = [s / n if n else float("nan") for s, n in zip(sums, rows, strict=True)]
        return tuple((n,) for n in rows), tuple(means)
    size = len(tree.schema.predicted.labels)
    counts = [np.bincount(block.classes[branch == b], parts[branch == b], size) for b in every]
    return tuple(tuple(n.tolist()) for n in counts), ()


def _cells(column: Column, block: Block) -> NDArray[np.generic]:
    return block.codes(column.name) if column.kind in CODED else block.values(column.name)
