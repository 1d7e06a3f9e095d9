"""C4.5's pessimistic pruning: collapse, leaf, or the largest branch in place of its parent.

Knows errors and their upper bound, and how rows go down a tree. Knows nothing of how a tree was grown.
Bound: with E errors in N cases the true error may well be U(E, N): the rate at which so few errors have
probability CF. For E = 0 it is 1 - CF^(1/N); above, the normal approximation with continuity correction that
C4.5 uses.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallystick import kernels
from tallystick.data.schema import CODED
from tallystick.errors import OptionError
from tallystick.models.tree import SPREADS, Nodes, Tree
from tallystick.models.tree.walk import taken

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_CENTRE = (
    (
        3.3871328727963666080e0, 1.3314166789178437745e2, 1.9715909503065514427e3, 1.3731693765509461125e4,
        4.5921953931549871457e4, 6.7265770927008700853e4, 3.3430575583588128105e4, 2.5090809287301226727e3,
    ),
    (
        1.0, 4.2313330701600911252e1, 6.8718700749205790830e2, 5.3941960214247511077e3,
        2.1213794301586595867e4, 3.9307895800092710610e4, 2.8729085735721942674e4, 5.2264952788528545610e3,
    ),
)  # fmt: skip
_MIDDLE = (
    (
        1.42343711074968357734e0, 4.63033784615654529590e0, 5.76949722146069140550e0,
        3.64784832476320460504e0, 1.27045825245236838258e0, 2.41780725177450611770e-1,
        2.27238449892691845833e-2, 7.74545014278341407640e-4,
    ),
    (
        1.0, 2.05319162663775882187e0, 1.67638483018380384940e0, 6.89767334985100004550e-1,
        1.48103976427480074590e-1, 1.51986665636164571966e-2, 5.47593808499534494600e-4,
        1.05075007164441684324e-9,
    ),
)  # fmt: skip
_TAIL = (
    (
        6.65790464350110377720e0, 5.46378491116411436990e0, 1.78482653991729133580e0,
        2.96560571828504891230e-1, 2.65321895265761230930e-2, 1.24266094738807843860e-3,
        2.71155556874348757815e-5, 2.01033439929228813265e-7,
    ),
    (
        1.0, 5.99832206555887937690e-1, 1.36929880922735805310e-1, 1.48753612908506148525e-2,
        7.86869131145613259100e-4, 1.84631831751005468180e-5, 1.42151175831644588870e-7,
        2.04426310338993978564e-15,
    ),
)  # fmt: skip


def _ratio(parts: tuple[tuple[float, ...], tuple[float, ...]], x: float) -> float:
    above = below = 0.0
    for a, b in zip(reversed(parts[0]), reversed(parts[1]), strict=True):
        above, below = above * x + a, below * x + b
    return above / below


def normal_quantile(p: float) -> float:
    """Return z with P(Z < z) = p for a standard normal Z: Wichura's algorithm AS 241, to about 1e-15."""
    q = p - 0.5
    if abs(q) <= 0.425:
        return q * _ratio(_CENTRE, 0.180625 - q * q)
    r = float(np.sqrt(-kernels.log([min(p, 1 - p)])[0]))
    z = _ratio(_MIDDLE, r - 1.6) if r <= 5 else _ratio(_TAIL, r - 5)
    return z if q > 0 else -z


@dataclass(frozen=True, slots=True)
class Bound:
    """The upper bound of an error count at confidence CF."""

    confidence: float = 0.25

    def upper(self, errors: Floats, cases: Floats) -> Floats:
        """Return E plus the errors that must be feared beyond it, for each node."""
        none = cases * (1 - kernels.exp(kernels.log([self.confidence])[0] / np.maximum(cases, 1e-300)))
        return np.where(
            cases > 0, errors + np.where(errors < 1e-6, none, self._some(errors, cases, none)), 0.0
        )

    def _some(self, errors: Floats, cases: Floats, none: Floats) -> Floats:
        """Return the extra errors where there is at least some error."""
        few = errors < 0.9999  # between no error and one: a straight line
        start = np.where(few, 1.0, errors)
        half = start + 0.5
        z2 = max(normal_quantile(1 - self.confidence), 0.0) ** 2
        n = np.maximum(cases, 1e-300)
        inner = np.maximum(z2 * (half * (1 - half / n) + z2 / 4), 0.0)
        bound = n * (half + z2 / 2 + np.sqrt(inner)) / (n + z2) - start
        extra = np.where(half >= n, 0.67 * np.maximum(n - start, 0), bound)
        return np.where(few, none + errors * (extra - none), extra)


@dataclass(eq=False)
class _Node:
    """A node that can be replaced while the tree is being pruned."""

    column: int
    cut: float
    levels: NDArray[np.int32]
    missing: int
    gain: float
    origin: int  # its number in the grown tree
    counts: Ints
    branches: list[_Node]
    errors: float = 0.0  # the bound on the errors of its leaves, once it is pruned


def pessimistic(tree: Tree, confidence: float = 0.25, block: Any = None, raising: bool = False) -> Tree:
    """Return the tree after collapse and pessimistic pruning; subtree raising needs the training rows
    (`block`).
    """
    if tree.regression:
        raise OptionError(
            "prune('pessimistic') needs classes, this is a regression tree. Use 'cost-complexity'."
        )
    return _Pruner(tree, Bound(confidence), block if raising else None).run()


REAL = 2**32  # the unit of tables whose weights are not whole


class _Pruner:
    def __init__(self, tree: Tree, bound: Bound, block: Any) -> None:
        self.tree, self.bound, self.block = tree, bound, block
        self.copies: Ints | None = None
        self.known: dict[
            tuple[int, int], float
        ] = {}  # bounds found before, by rows and rows of the largest class

    def run(self) -> Tree:
        """Return the pruned tree."""
        root = _tree_of(self.tree.nodes)
        before = sys.getrecursionlimit()
        sys.setrecursionlimit(
            max(before, 1000 + 8 * int(self.tree.nodes.depth.max()))
        )  # a tree may be a long chain
        try:
            return _flat(self.prune(_collapse(root, self.tree.row), self.rows()), self.tree)
        finally:
            sys.setrecursionlimit(before)

    def rows(self) -> tuple[Ints, Ints] | None:
        """Return all training rows with what one copy of each weighs, or None when there are no rows.

        A copy is shared out like the row, so a whole weight counts copies; other weights are shared out
        themselves.
        """
        if self.block is None:
            return None
        rows, weights = np.arange(self.block.rows), self.block.weights
        if weights is not None and self.tree.unit == REAL:
            return rows, weights
        self.copies = weights
        return rows, np.full(self.block.rows, self.tree.unit, np.int64)

    def prune(self, node: _Node, rows: tuple[Ints, Ints] | None) -> _Node:
        """Return what stands in the place of a node, after its branches have been pruned."""
        if not node.branches:
            node.errors = self.leaf_errors(node.counts)
            return node
        parts = self.split(node, rows) if rows is not None else [None] * len(node.branches)
        node.branches = [self.prune(b, part) for b, part in zip(node.branches, parts, strict=True)]
        as_leaf, as_tree = self.leaf_errors(node.counts), sum(b.errors for b in node.branches)
        largest = max(range(len(node.branches)), key=lambda b: (int(node.branches[b].counts.sum()), b))
        raised, as_raised = None, np.inf
        if rows is not None and node.branches[largest].branches:
            raised = self.refill(node.branches[largest], rows)
            as_raised = self.tree_errors(raised)
        if as_leaf <= as_tree + 0.1 and as_leaf <= as_raised + 0.1:
            node.branches, node.errors = [], as_leaf
            return node
        if raised is not None and as_raised <= as_tree + 0.1:
            return self.prune(raised, rows)
        node.errors = as_tree
        return node

    def leaf_errors(self, counts: Ints) -> float:
        """Return the bound on the errors of a leaf with these counts."""
        cases, most = int(counts.sum()), int(counts.max())
        known = self.known.get((cases, most))
        if known is None:
            unit = self.tree.row
            known = float(self.bound.upper(np.array([(cases - most) / unit]), np.array([cases / unit]))[0])
            self.known[cases, most] = known
        return known

    def tree_errors(self, node: _Node) -> float:
        """Return the bound on the errors of all leaves of a subtree."""
        return sum(self.leaf_errors(leaf.counts) for leaf in _leaves(node))

    def split(self, node: _Node, rows: tuple[Ints, Ints]) -> list[tuple[Ints, Ints]]:
        """Return the rows of each branch with their weights. Rows without a value go to all branches in
        proportion to these rows with one, and not to those that the test was made for: a raised branch
        has others. Their parts sum exactly, and are those of growing.
        """
        here, weights = rows
        column = self.tree.schema.used[node.column]
        cells = self.block.codes(column.name) if column.kind in CODED else self.block.values(column.name)
        branch = taken(node.cut, node.levels, node.missing, cells[here])
        spread = np.flatnonzero(branch == SPREADS)
        if not len(spread):
            each = [np.flatnonzero(branch == k) for k in range(len(node.branches))]
            return [(here[own], weights[own]) for own in each]
        heavy = weights if self.copies is None else weights * self.copies[here]
        shares = _parts(weights[spread], [int(heavy[branch == k].sum()) for k in range(len(node.branches))])
        out = []
        for k in range(len(node.branches)):
            own = np.flatnonzero(branch == k)
            some = np.flatnonzero(shares[:, k] > 0)
            out.append(
                (
                    np.concatenate([here[own], here[spread[some]]]),
                    np.concatenate([weights[own], shares[some, k]]),
                )
            )
        return out

    def refill(self, node: _Node, rows: tuple[Ints, Ints]) -> _Node:
        """Return a copy of a subtree with the counts that these rows give it."""
        counts = np.zeros_like(node.counts)
        weights = rows[1] if self.copies is None else rows[1] * self.copies[rows[0]]
        np.add.at(counts, self.block.classes[rows[0]].astype(np.int64), weights)
        parts = self.split(node, rows) if node.branches else []
        branches = [self.refill(b, part) for b, part in zip(node.branches, parts, strict=True)]
        return _Node(
            node.column, node.cut, node.levels, node.missing, node.gain, node.origin, counts, branches
        )


def _parts(weights: Ints, sizes: list[int]) -> Ints:
    """Return whole parts[row, branch] of each weight in proportion to the sizes, as growing shares out."""
    from tallystick.stats.level_tables import (
        share_out,  # not before there are rows: loading a model needs none
    )

    return share_out(weights, np.array(sizes if sum(sizes) else [1] * len(sizes), np.int64))


def _tree_of(nodes: Nodes) -> _Node:
    made = [
        _Node(
            int(nodes.column[n]), float(nodes.cut[n]), nodes.levels(n), int(nodes.missing_branch[n]),
            float(nodes.gain[n]), n, nodes.counts[n], [],
        )
        for n in range(len(nodes))
    ]  # fmt: skip
    for n in range(1, len(nodes)):
        made[int(nodes.parent[n])].branches.append(made[n])
    return made[0]


def _leaves(node: _Node) -> list[_Node]:
    waiting, out = [node], []
    while waiting:
        here = waiting.pop()
        waiting += here.branches
        if not here.branches:
            out.append(here)
    return out


def _collapse(node: _Node, unit: int) -> _Node:
    """Return the node with a leaf in place of every test whose subtree gets no fewer training rows wrong."""
    below = sum(int(leaf.counts.sum() - leaf.counts.max()) for leaf in _leaves(node))
    if node.branches and below >= int(node.counts.sum() - node.counts.max()) - unit * 1e-3:
        node.branches = []
    node.branches = [_collapse(branch, unit) for branch in node.branches]
    return node


def _flat(root: _Node, tree: Tree) -> Tree:
    """Return the pruned nodes as a tree in preorder; candidates stay with the tests they were for."""
    order: list[_Node] = []
    waiting = [root]
    while waiting:
        node = waiting.pop()
        order.append(node)
        waiting += reversed(node.branches)
    leaf = np.array([not n.branches for n in order])
    origin = np.array([n.origin for n in order], dtype=np.int64)
    counts = np.array([n.counts for n in order], dtype=np.int64)
    return tree.with_nodes(replace(tree.nodes.pick(origin, leaf), counts=counts), origin)
