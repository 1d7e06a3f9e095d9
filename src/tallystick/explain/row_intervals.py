"""How sure a model is of each row: intervals of probabilities, or of the mean of a regression tree's leaf.

Knows fitted trees and rules, and blocks. Law: an interval holds the probability that the model answers, and
that of the answered class is the one `explain` shows.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallystick import methods
from tallystick.contracts import Block, Model
from tallystick.data.schema import CODED
from tallystick.errors import OptionError
from tallystick.explain.rules import interval_of
from tallystick.explain.tree_way import of_mean, of_share, steps_of
from tallystick.models.rules.model import RuleModel
from tallystick.models.tree import Tree
from tallystick.models.tree.walk import ways

Array = NDArray[np.float64]


def no_interval(model: Model, block: Block) -> Array:
    """Refuse: the plain face."""
    words = methods.of_kind(model.kind).words
    raise OptionError(
        f"a model of {words} has no intervals of its answers. Use a tree, rules or a scorecard."
    )


def bayes_interval(model: Model, block: Block) -> Array:
    """Refuse: counts column by column do not tell how columns go together."""
    raise OptionError(
        "the model file of naive Bayes counts each column by itself, and an interval needs how they go "
        "together. Use model.inference(training rows).predict_interval(X)."
    )


def logistic_interval(model: Model, block: Block) -> Array:
    """Refuse: the model file has the errors of the weights, not how they go together."""
    raise OptionError(
        "the model file of a logistic regression has standard errors, but not how they go together. Use "
        "model.inference(training rows).predict_interval(X)."
    )


def tree_interval(tree: Tree, block: Block) -> Array:
    """Return low and high ends [row, class, 2] of 95 %; of a regression tree [row, 0, 2], NaN where the leaf
    cannot tell. Rows that come to the same end are asked once.
    """
    shares = tree.shares(block)
    out = np.full((*shares.shape, 2), np.nan)
    stops = tree.stops(block)
    known: dict[tuple[int, bytes], Array] = {}
    for row in range(block.rows):
        key = int(stops[row]), shares[row].tobytes()
        if key not in known:
            known[key] = _of_row(tree, block, row, shares[row])
        out[row] = known[key]
    return out


def _of_row(tree: Tree, block: Block, row: int, shares: Array) -> Array:
    columns = tree.schema.used

    def cell(j: int) -> Any:
        column = columns[j]
        return (block.codes if column.kind in CODED else block.values)(column.name)[row]

    found = ways(tree.nodes, cell)
    if tree.regression:
        way = max(found, key=lambda one: one.part)
        between, _ = of_mean(tree, [node for node, _ in way.steps], len(found) > 1)
        return np.array([between or (np.nan, np.nan)])
    told = [(way.part, steps_of(tree, way, cell)) for way in found]
    ends = [of_share(tree, told, c, float(share))[0] for c, share in enumerate(shares.tolist())]
    return np.array([end or (np.nan, np.nan) for end in ends])


def rule_interval(model: RuleModel, block: Block) -> Array:
    """Return low and high ends [row, class, 2] of 95 %: those of the rule that answers."""
    classes = range(len(model.labels))
    table = np.array([[interval_of(model, i, c) for c in classes] for i in range(len(model.all_rules))])
    out: Array = table[model.first(block)]
    return out
