"""All prunings of a small tree, one by one: what the average over them sums up.

Knows the numbers of a fitted tree. Law: the sum over the prunings is the answer that the tree gives.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tallystick.draw.text import Span, clean, plain, table
from tallystick.errors import OptionError
from tallystick.models.tree import Tree
from tallystick.models.tree.average import leaf_shares, log_evidence
from tallystick.models.tree.nodes import Nodes
from tallystick.models.tree.prior import prior_of_tests

if TYPE_CHECKING:
    from tallystick.estimators import DecisionTree


@dataclass(frozen=True)
class WeighedPruning:
    """A pruning: the nodes where it ends, its prior, its evidence, its probability, and its share of a class
    for a row.
    """

    leaves: tuple[int, ...]
    prior: float
    evidence: float
    probability: float
    share: float


def weighed_prunings(tree: Tree, way: list[int], label: int) -> list[WeighedPruning]:
    """Return every pruning of a tree, with what it answers to a row that goes this way down the nodes."""
    a = tree.answers.smoothing
    shares = leaf_shares(tree.counted, a, tree.base)
    evidence = log_evidence(tree.counted, a, tree.base)
    if tree.answers.keep is None:
        keep = prior_of_tests(tree.schema, tree.nodes, tree.counted.sum(axis=1)).tolist()
    else:
        keep = [tree.answers.keep] * len(tree.nodes)
    found = []
    for ends in _prunings(tree.nodes, 0):
        tested = [n for n, end in ends.items() if not end]
        leaves = [n for n, end in ends.items() if end]
        inner = [n for n in leaves if tree.nodes.column[n] >= 0]
        prior = math.prod(keep[n] for n in tested) * math.prod(1 - keep[n] for n in inner)
        likely = math.exp(sum(float(evidence[n]) for n in leaves))
        stop = next(n for n in way if n in leaves)
        found.append((tuple(leaves), prior, likely, float(shares[stop, label])))
    total = sum(prior * likely for _, prior, likely, _ in found)
    return [WeighedPruning(n, p, e, p * e / total, s) for n, p, e, s in found]


def _prunings(nodes: Nodes, node: int) -> list[dict[int, bool]]:
    """Return every pruning below a node as {node: it ends here}."""
    if nodes.column[node] < 0:
        return [{node: True}]
    below = itertools.product(*(_prunings(nodes, int(b)) for b in nodes.branches(node)))
    whole = [{n: end for part in parts for n, end in part.items()} for parts in below]
    return [{node: True}, *({node: False, **part} for part in whole)]


@dataclass(frozen=True)
class AllPrunings:
    """Every pruning of a tree with its weight and its answer to one row, and their sum."""

    label: str
    prunings: tuple[WeighedPruning, ...]
    averaged: float

    @property
    def sum(self) -> float:
        """The sum over the prunings of probability times share."""
        return math.fsum(p.probability * p.share for p in self.prunings)

    def __str__(self) -> str:
        heads = [
            "leaves at nodes",
            "prior",
            "evidence",
            "probability",
            f"share of {clean(self.label)}",
            "product",
        ]
        rows = []
        for p in sorted(self.prunings, key=lambda p: -p.probability):
            numbers = f"{p.prior:.4f}", f"{p.evidence:.4g}", f"{p.probability:.4f}", f"{p.share:.4f}"
            cells = ", ".join(map(str, p.leaves)), *numbers, f"{p.probability * p.share:.4f}"
            rows.append([Span(cell) for cell in cells])
        listed = plain(table(heads, rows, frozenset(range(1, 6)), 10_000))
        return f"{listed}\nsum of the products: {self.sum:.12f}\nthe tree's own answer: {self.averaged:.12f}"

    __repr__ = __str__


def all_prunings(estimator: DecisionTree, row: Mapping[str, Any], label: str) -> AllPrunings:
    """Return every pruning of a fitted tree that averages over them, and what each answers to a row."""
    tree = estimator.model_
    if tree.averaged is None:
        raise OptionError("this tree does not average over its prunings. Fit with average=True.")
    at = int(estimator.apply([row])[0])
    way = [at]
    while way[-1]:
        way.append(int(tree.nodes.parent[way[-1]]))
    number = tree.schema.predicted.labels.index(label)
    found = weighed_prunings(tree, way[::-1], number)
    return AllPrunings(label, tuple(found), float(estimator.predict_proba([row])[0, number]))
