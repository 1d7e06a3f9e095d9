"""The training rows in the branches of a candidate split, counted where growing did not keep them.

Knows fitted trees and encoded rows. Knows nothing of how candidates are found or shown.
Law: a row without a value of the column is in no branch; a row that arrives in parts counts with its part.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallystick.contracts import Block, Table
from tallystick.data.schema import CODED, Column
from tallystick.models.tree import SPREADS, Tree
from tallystick.models.tree.sentences import missing_alone
from tallystick.models.tree.walk import branches_of, taken

Branches = tuple[tuple[tuple[float, ...], ...], tuple[float, ...]]  # counts of each branch, and its mean


def arriving(tree: Tree, node: int, block: Block, scale: float | None = None) -> NDArray[np.float64]:
    """Return how many rows each row counts for at a node: its weight, or the part of it that comes there.
    scale: what a weight of 1 counts for; None: the block is all rows, and tells it.
    """
    weights = np.ones(block.rows) if block.weights is None else block.weights.astype(np.float64)
    parts: NDArray[np.float64] = weights * (tree.rows[0].sum() / weights.sum() if scale is None else scale)
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


@dataclass(frozen=True)
class BranchTest:
    """A test that a node could make, as candidates have it."""

    column: Column
    cut: float
    groups: NDArray[np.int32]

    @property
    def alone(self) -> bool:
        """Does it part missing rows from all others?"""
        return missing_alone(self.cut, self.groups)

    @property
    def branches(self) -> int:
        """How many there are."""
        return 2 if self.alone or self.cut == self.cut else int(self.groups.max(initial=-1)) + 1

    def sums(self, tree: Tree, block: Block, parts: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the rows of each branch [branch, class]; in regression rows and sum of the response."""
        branch = taken(self.cut, self.groups, 1 if self.alone else -1, _cells(self.column, block))
        every = range(self.branches)
        if block.classes is not None:
            size = len(tree.schema.predicted.labels)
            counts = [np.bincount(block.classes[branch == b], parts[branch == b], size) for b in every]
            return np.array(counts, np.float64).reshape(-1, size)
        response = block.response if block.response is not None else np.zeros(block.rows)
        both = [(parts[branch == b].sum(), (parts * response)[branch == b].sum()) for b in every]
        return np.array(both, np.float64).reshape(-1, 2)


def in_branches(tree: Tree, node: int, tests: Sequence[BranchTest], rows: Table) -> list[Branches]:
    """Return the training rows of each branch of some tests: per class, or all of them and their mean in
    regression. Rows on disk are counted block by block.
    """
    parts: Iterable[Block] = rows.blocks() if rows.place == "disk" else [rows.slice(0, rows.rows)]
    scale = tree.rows[0].sum() / rows.weight
    total: list[Any] = [0.0] * len(tests)
    for block in parts:
        own = arriving(tree, node, block, scale)
        total = [sums + test.sums(tree, block, own) for sums, test in zip(total, tests, strict=True)]
    if not tree.regression:
        return [(tuple(tuple(n) for n in sums.tolist()), ()) for sums in total]
    return [
        (tuple((n,) for n, _ in sums.tolist()), tuple(s / n if n else float("nan") for n, s in sums.tolist()))
        for sums in total
    ]


def _cells(column: Column, block: Block) -> NDArray[np.generic]:
    return block.codes(column.name) if column.kind in CODED else block.values(column.name)
