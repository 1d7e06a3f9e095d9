"""What a model answers to the rows it was learnt from, where its own counts tell: no row is looked at again.

Knows models. Law: the sums are those of `AnswerCounts.add` over these rows.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallystick.contracts import Block
from tallystick.data.table.block import Block as Rows
from tallystick.models.tree import Tree
from tallystick.stats.profile import AnswerCounts, AnswerSums


def told_by_nodes(tree: Tree, unit: int) -> AnswerSums | None:
    """Return what a tree answers to the rows it was grown from, in units of their table: rows that reach a
    node and none below it end there. None: some row ends at several nodes, in parts.
    """
    nodes = tree.nodes
    if tree.spreads or tree.unit != unit:
        return None
    ending = nodes.counts.copy()
    np.subtract.at(ending, nodes.parent[1:], nodes.counts[1:])
    at, classes = np.nonzero(ending)
    return answers_at_nodes(tree, at, classes.astype(np.uint32), ending[at, classes])


def answers_at_nodes(
    tree: Tree, at: NDArray[np.int64], classes: NDArray[Any], weights: NDArray[np.int64]
) -> AnswerSums:
    """Return what a tree answers to rows that end at nodes. at, classes and weights [group of rows]."""
    told = AnswerCounts(_AtNodes(tree), len(tree.schema.predicted.labels))  # type: ignore[arg-type]
    return told.add(told.zero(), Rows(len(at), {"node": at}, classes, None, weights))


@dataclass(frozen=True)
class _AtNodes:
    """A tree that is told at which node each row ends."""

    tree: Tree

    def shares(self, block: Block) -> NDArray[np.float64]:
        """Return the shares of the nodes."""
        return self.tree.node_shares[block.codes("node")]  # type: ignore[no-any-return]

    def decide(self, shares: NDArray[np.float64]) -> NDArray[np.int64]:
        """Return the answers of the tree."""
        return self.tree.decide(shares)
