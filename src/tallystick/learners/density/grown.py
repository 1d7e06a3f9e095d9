"""A grown density tree: its buds, which of them are cut off, and the model that they make.

Knows counts and lengths. Knows nothing of totals or rows.
Law: no pruning of the tree is shorter; of equals it is the smallest.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from tallystick.data.schema import Schema
from tallystick.learners.density.splits import Split
from tallystick.learners.tree import beyond
from tallystick.models.density.cells import ColumnCells
from tallystick.models.density.model import DensityModel
from tallystick.models.density.options import LENGTH, DensityOptions
from tallystick.models.tree.nodes import NO_CUT, STAYS, Nodes

Ints = NDArray[np.int64]


@dataclass
class Bud:
    """A node in the making. rows[column][cell], missing last, in table units; bits: what its rows cost if it
    is a leaf; gain: of its test in bits a row.
    """

    rows: list[Ints]
    reach: list[NDArray[np.bool_]]
    depth: int
    bits: float
    patience: int | None
    split: Split | None = None
    test_bits: float = 0.0
    gain: float = 0.0
    children: list[int] = field(default_factory=list)

    @property
    def weight(self) -> int:
        """Rows in table units."""
        return int(self.rows[0].sum())


def as_model(
    schema: Schema, cells: Sequence[ColumnCells], buds: Sequence[Bud], unit: int, options: DensityOptions
) -> DensityModel:
    """Return the model of a grown tree, pruned as the options say."""
    order, stack = list[int](), [0]
    while stack:
        node = stack.pop()
        order.append(node)
        stack += reversed(buds[node].children)
    nodes = _nodes([buds[n] for n in order], cells)
    stop = _shortest(nodes, [buds[n] for n in order]) if options.pruning == LENGTH else nodes.leaf
    nodes, kept = nodes.cut_back(stop)
    own = [buds[order[n]] for n in kept.tolist()]
    if options.max_leaf_nodes is not None:
        nodes, left = nodes.cut_back(beyond(nodes, nodes.weight.astype(float), options.max_leaf_nodes))
        own = [own[n] for n in left.tolist()]
    leaves = [own[n] for n in np.flatnonzero(nodes.leaf).tolist()]
    counts = tuple(np.stack([leaf.rows[j] for leaf in leaves]) for j in range(len(cells)))
    return DensityModel(schema, tuple(cells), nodes, counts, unit, float(options.alpha))


def pruned(model: DensityModel, most: int) -> DensityModel:
    """Return the model with its best `most` leaves, those of the largest gains."""
    nodes, kept = model.nodes.cut_back(beyond(model.nodes, model.nodes.weight.astype(float), most))
    last = model.nodes.end[kept]
    ends = [
        [
            np.searchsorted(model.leaves, [node, end])
            for node, end in zip(kept.tolist(), last.tolist(), strict=True)
        ][n]
        for n in np.flatnonzero(nodes.leaf).tolist()
    ]
    counts = tuple(np.stack([own[a:b].sum(axis=0) for a, b in ends]) for own in model.counts)
    return replace(model, nodes=nodes, counts=counts)


def _nodes(buds: Sequence[Bud], cells: Sequence[ColumnCells]) -> Nodes:
    """Return buds in preorder as nodes."""
    column = np.array([-1 if b.split is None else b.split.column for b in buds], np.int32)
    cut = np.full(len(buds), np.nan)
    missing = np.full(len(buds), STAYS, np.int32)
    levels, sizes = list[Ints](), np.zeros(len(buds), np.int64)
    for i, bud in enumerate(buds):
        if bud.split is None:
            continue
        own, branch = cells[bud.split.column], bud.split.branch
        missing[i] = branch[-1]
        if own.numeric:
            below = int(np.count_nonzero(branch[:-1] == 0))
            cut[i] = own.cuts[below - 1] if below < own.k else NO_CUT
        else:
            levels.append(branch[:-1])
            sizes[i] = own.k
    return Nodes(
        counts=np.array([[b.weight] for b in buds], np.int64),
        column=column,
        cut=cut,
        n_children=np.where(column >= 0, 2, 0).astype(np.int32),
        branch_start=np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64),
        branch_of=np.concatenate([np.empty(0, np.int64), *levels]).astype(np.int32),
        missing_branch=missing,
        gain=np.array([b.gain for b in buds]),
    )


def _shortest(nodes: Nodes, buds: Sequence[Bud]) -> NDArray[np.bool_]:
    """Return where the pruning of least length has its leaves."""
    below = np.array([1 + (b.bits if b.split is None else b.test_bits) for b in buds])
    stop = nodes.leaf.copy()
    for node in range(len(nodes) - 1, -1, -1):
        alone = 1 + buds[node].bits
        if nodes.column[node] >= 0 and alone <= below[node]:
            stop[node], below[node] = True, alone
        if node:
            below[nodes.parent[node]] += below[node]
    return stop
