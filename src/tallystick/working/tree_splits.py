"""What every column offers at a node, and why the node is split as it is, or not at all.

Knows counted tests, the options of growing and the model's own choice. Knows nothing of documents.
Law: the test that is called the winner is the model's.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from tallystick.data.schema import Column
from tallystick.learn import entropy
from tallystick.learners.criteria import CRITERIA
from tallystick.working.tree_counts import SAME, NodeRows, WorkedSplit

if TYPE_CHECKING:
    from tallystick.contracts import Block
    from tallystick.learners.tree_options import TreeOptions
    from tallystick.models.tree import Tree

NEAR = 1e-9  # gains that differ by less are equal: sums in another order


@dataclass(frozen=True)
class Offer:
    """What a column offers at a node: its best test, all its tests where values have an order, and why it
    has none if it has none. gain and ratio are the model's own.
    """

    column: Column
    best: WorkedSplit | None
    every: tuple[WorkedSplit, ...] = ()
    why_not: str = ""

    @property
    def worth(self) -> float:
        """What columns are compared by, if not by ratio: the gain, less the price of naming groups."""
        assert self.best is not None
        return self.best.net if self.best.column.kind == "levels" else self.best.gain


@dataclass(frozen=True)
class LeafReason:
    """Why a node is a leaf: a name for the reason, and the number of the setting it comes from."""

    kind: str
    setting: float | None = None


@dataclass(frozen=True)
class WorkedNode:
    """One node: its rows, what the columns offer, the column that won or why it is a leaf."""

    number: int
    rows: NodeRows
    offers: tuple[Offer, ...]
    winner: Offer | None
    stop: LeafReason | None = None

    @property
    def rivals(self) -> list[Offer]:
        """The columns that can be tested here."""
        return [o for o in self.offers if o.best is not None]

    @property
    def guard(self) -> float:
        """The average gain of the columns, less prices: with the gain ratio no column below it can win."""
        nets = [o.best.net for o in self.rivals if o.best is not None and o.best.pays]
        return math.fsum(nets) / len(nets) if nets else 0.0


def worked_node(tree: Tree, number: int, block: Block, options: TreeOptions) -> WorkedNode:
    """Return a node counted by hand."""
    rows = NodeRows.of(tree, number, block, options)
    split = int(tree.nodes.column[number]) >= 0
    if not split and (ends := _ends(tree, number, rows, options)):
        return WorkedNode(number, rows, (), None, ends)
    offers = tuple(_offer(tree, number, rows, c) for c in tree.schema.used if c.kind != "text")
    if split:
        column = tree.schema.used[int(tree.nodes.column[number])]
        winner = next(o for o in offers if o.column.name == column.name)
        return WorkedNode(number, rows, offers, winner)
    node = WorkedNode(number, rows, offers, None)
    return WorkedNode(number, rows, offers, None, _why_leaf(tree, node, options))


def _ends(tree: Tree, number: int, rows: NodeRows, options: TreeOptions) -> LeafReason | None:
    """Return why a node ends whatever its columns say; None where they are asked."""
    total = math.fsum(rows.counts)
    if sum(n > 0 for n in rows.counts) < 2:
        return LeafReason("pure" if total else "no rows")
    if options.max_depth is not None and int(tree.nodes.depth[number]) >= options.max_depth:
        return LeafReason("depth", options.max_depth)
    if total < options.min_samples_split:
        return LeafReason("split", options.min_samples_split)
    if total < 2 * options.min_samples_leaf:
        return LeafReason("leaf", options.min_samples_leaf)
    if options.min_entropy and entropy(rows.counts) < options.min_entropy:
        return LeafReason("entropy", options.min_entropy)
    return None


def _why_leaf(tree: Tree, node: WorkedNode, options: TreeOptions) -> LeafReason:
    """Return why no test was made where the columns were asked."""
    if not node.rivals:
        if all(node.rows.different(o.column) < 2 for o in node.offers):
            return LeafReason("used up" if _used_up(tree, node) else "alike")
        return LeafReason("rows", options.min_samples_leaf)
    if options.stop_at_zero_gain and max(_net(o) for o in node.rivals) <= NEAR:
        return LeafReason("no gain")
    share = math.fsum(node.rows.counts) / float(tree.rows[0].sum())
    if options.min_impurity_decrease > 0 and all(
        o.best is not None and o.best.gain * share < options.min_impurity_decrease for o in node.rivals
    ):
        return LeafReason("decrease", options.min_impurity_decrease)
    if options.max_leaf_nodes is not None:
        return LeafReason("leaves", options.max_leaf_nodes)
    return LeafReason("price")


def _net(offer: Offer) -> float:
    assert offer.best is not None
    return offer.best.net


def _used_up(tree: Tree, node: WorkedNode) -> bool:
    """Tell whether every column was tested above, with a branch for each of its values."""
    above, at = set(), int(tree.nodes.parent[node.number])
    while at >= 0:
        above.add(int(tree.nodes.column[at]))
        at = int(tree.nodes.parent[at])
    return len(above) == len(node.offers)


def _offer(tree: Tree, number: int, rows: NodeRows, column: Column) -> Offer:
    """Return what a column offers."""
    if rows.different(column) < 2:
        return Offer(column, None, why_not="all rows here have the same value")
    if column.kind != "levels":
        every = tuple(rows.every_cut(column))
        allowed = [s for s in every if s.allowed]
        best = max(allowed, key=lambda s: round(s.gain, SAME)) if allowed else None
        return Offer(column, best, every, "" if best else "no cut leaves rows enough on both sides")
    if rows.options.level_splits == "each":
        found = rows.each_level(column)
    else:
        found = _groups(tree, number, rows, column)
    return Offer(column, found, (), "" if found else "fewer than two branches would have rows enough")


def _groups(tree: Tree, number: int, rows: NodeRows, column: Column) -> WorkedSplit | None:
    """Return the best grouping of levels, which the model has found among all."""
    found = tree.candidates_of(np.array([number]))
    assert found is not None
    for c in range(len(found.column)):
        groups = found.groups(c)
        if tree.schema.used[int(found.column[c])].name == column.name and len(groups):
            kept = found.counts[int(found.count_start[c]) : int(found.count_start[c + 1])]
            first = tuple((kept[0] / tree.unit).tolist()) if len(kept) else ()
            return rows.two_branches(column, math.nan, groups, first) if groups.any() else rows.alone(column)
    return None


def reason(node: WorkedNode, options: TreeOptions) -> tuple[str, list[Offer]]:
    """Return why the winner won: "only", "ratio", "tie" or "best", and the rivals in their order."""
    by_ratio = CRITERIA[options.criterion].by_ratio
    ranked = sorted(
        (o for o in node.rivals if o is not node.winner),
        key=lambda o: -(o.best.ratio if by_ratio and o.best else o.worth),
    )
    if not ranked:
        return "only", []
    assert node.winner is not None
    assert node.winner.best is not None
    first = ranked[0].best
    assert first is not None
    own, next_ = (node.winner.best.ratio, first.ratio) if by_ratio else (node.winner.worth, ranked[0].worth)
    if by_ratio and next_ > own + NEAR:
        return "average", ranked
    return ("tie" if np.isclose(own, next_, rtol=0, atol=NEAR) else "best"), ranked
