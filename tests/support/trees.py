"""Small trees for the tests: random ones, and a hand-made one."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import Any

import numpy as np

from tallystick.schema import Column, Schema, Target
from tallystick.tree.model import Answers, Tree
from tallystick.tree.nodes import STAYS, Nodes

LEVELS = ("a", "b", "c", "d")
SCHEMA = Schema(
    (
        Column("x", "numeric", low=0.0, high=10.0),
        Column("colour", "levels", levels=LEVELS),
        Column("size", "ordered", levels=("low", "medium", "high")),
        Column("wet", "boolean", levels=("false", "true")),
    ),
    Target("y", ("no", "perhaps", "yes")),
)
REGRESSION = Schema(SCHEMA.columns, Target("y", (), "number"))


@dataclass
class Rows:
    """A block of encoded rows."""

    columns: dict[str, Any]
    rows: int
    classes: Any = None
    response: Any = None
    weights: Any = None

    def codes(self, column: str) -> Any:
        return self.columns[column]

    def values(self, column: str) -> Any:
        return self.columns[column]


def random_rows(seed: int, rows: int) -> Rows:
    """Rows with missing and unseen values."""
    rng = np.random.default_rng(seed)
    x = np.round(rng.uniform(0, 10, rows), 1)
    x[rng.random(rows) < 0.2] = np.nan
    codes = {c.name: rng.integers(0, len(c.levels) + 2, rows).astype(np.uint8) for c in SCHEMA.columns[1:]}
    return Rows({"x": x, **codes}, rows, rng.integers(0, 3, rows).astype(np.uint8))


def random_nodes(
    seed: int, most: int = 9, regression: bool = False, ways: tuple[int, ...] = (0, 1, STAYS)
) -> Nodes:
    """A random tree of at most about `most` tests, its counts adding up; a few leaves are empty."""
    rng = np.random.default_rng(seed)
    column, cut, branches, missing, counts = [], [], [], [], []
    left = int(rng.integers(0, most + 1))

    def grow() -> Any:
        nonlocal left
        here = len(column)
        for part in (column, cut, branches, missing, counts):
            part.append(None)
        column[here], cut[here], branches[here], missing[here] = -1, np.nan, [], STAYS
        if left and rng.random() < 0.8:
            left -= 1
            column[here] = int(rng.integers(0, 4))
            size = len(SCHEMA.columns[column[here]].levels)
            parts = 2 if not size else int(rng.integers(2, size + 1))
            if size:
                branches[here] = [*range(parts), *rng.integers(STAYS, parts, size - parts).tolist()]
                rng.shuffle(branches[here])
            else:
                cut[here] = float(np.round(rng.uniform(0.5, 9.5), 2))
            missing[here] = int(rng.choice(ways))
            counts[here] = sum(grow() for _ in range(parts))
        else:
            counts[here] = rng.integers(0, 6, 3) * (rng.random() < 0.9)
        return counts[here]

    grow()
    total = np.array(counts, np.int64).reshape(-1, 3)
    total[0] += 1 if len(total) == 1 else 0
    if total[0].sum() == 0:  # a table has rows
        return random_nodes(seed + 1_000_003, most, regression, ways)
    sizes = [len(b) for b in branches]
    n_children = [0 if c < 0 else (2 if not b else max(b) + 1) for c, b in zip(column, branches, strict=True)]
    means = np.array([]) if not regression else rng.normal(size=len(total)).round(3)
    return Nodes(
        counts=total.sum(axis=1, keepdims=True) if regression else total,
        column=np.array(column, np.int32),
        cut=np.array(cut, np.float64),
        n_children=np.array(n_children, np.int32),
        branch_start=np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64),
        branch_of=np.array([b for part in branches for b in part], np.int32),
        missing_branch=np.array(missing, np.int32),
        gain=np.array([0.0 if c < 0 else 0.25 for c in column]),
        mean=means,
        deviance=np.abs(means),
    )


def random_tree(seed: int, most: int = 9, **answers: Any) -> Tree:
    """A random tree over SCHEMA."""
    return Tree(SCHEMA, random_nodes(seed, most), answers=Answers(**answers))


def prunings(nodes: Nodes, node: int = 0) -> list[dict[int, bool]]:
    """Every pruning as {node: it ends here}."""
    if nodes.column[node] < 0:
        return [{node: True}]
    below = itertools.product(*(prunings(nodes, int(b)) for b in nodes.branches(node)))
    return [{node: True}] + [
        {node: False} | {k: v for part in parts for k, v in part.items()} for parts in below
    ]


def refilled(tree, block):
    """The nodes of a tree with the counts that the rows give; every row must reach a leaf."""
    nodes = tree.nodes
    object.__setattr__(nodes, "missing_branch", np.where(nodes.leaf, -1, 0).astype(np.int32))
    object.__setattr__(nodes, "branch_of", np.maximum(nodes.branch_of, 0))
    counts = np.zeros_like(nodes.counts)
    np.add.at(counts, (tree.stops(block), block.classes.astype(int)), 1)
    for node in range(len(nodes) - 1, 0, -1):
        counts[nodes.parent[node]] += counts[node]
    object.__setattr__(nodes, "counts", counts)
    return nodes


def one_test(missing: int) -> Nodes:
    """Six rows: x < 5 is no, others are perhaps or yes."""
    return Nodes(
        counts=np.array([[3, 1, 2], [3, 0, 0], [0, 1, 2]]),
        column=np.array([0, -1, -1], np.int32),
        cut=np.array([5.0, np.nan, np.nan]),
        n_children=np.array([2, 0, 0], np.int32),
        branch_start=np.zeros(4, np.int64),
        branch_of=np.empty(0, np.int32),
        missing_branch=np.array([missing, STAYS, STAYS], np.int32),
        gain=np.array([0.5, 0, 0]),
    )
