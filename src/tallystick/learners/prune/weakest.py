"""Cost-complexity pruning: the whole sequence of weakest links, and its choice by cross-validation.

Knows the errors of nodes. Knows nothing of columns, tables or how a tree was grown.
For a price alpha per leaf the best pruning minimises R(pruning) + alpha · leaves. As alpha grows, the
subtrees that no longer pay are cut: the next to go is the node with the least g = (R(node) - R(subtree)) /
(leaves - 1). Law: each entry of the path is the smallest pruning that is best for its alpha, and the path is
nested.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tallystick.models.tree import Tree

STALE = 2  # entries a node, of which most have changed since: then they are looked through

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Link = tuple[float, int]  # what a leaf of a node's subtree is worth, and the node


def node_errors(tree: Tree) -> Floats:
    """Return R(node): the rows (or cost, or deviance) that a leaf at the node would get wrong."""
    rows = tree.rows
    wrong: Floats
    if tree.regression:
        wrong = tree.nodes.deviance.copy()
    elif tree.answers.costs:
        wrong = (rows[:, :, None] * np.array(tree.answers.costs)[None, :, :]).sum(axis=1).min(axis=1)
    else:
        wrong = rows.sum(axis=1) - rows.max(axis=1)
    return wrong


@dataclass(frozen=True, eq=False)
class LinkPath:
    """The nested prunings of a tree, the root alone first.

    alpha[step]: the least price per leaf at which the pruning is best (R per training row). leaves[step].
    error[step]: R(pruning) per training row. price[node]: the alpha at which a test falls, NaN in leaves.
    """

    alpha: Floats
    leaves: Ints
    error: Floats
    price: Floats

    def stop(self, alpha: float) -> NDArray[np.bool_]:
        """Return where the best pruning for a price ends."""
        # a price divided and multiplied again must still cut its own step; leaves, with NaN, end as well
        return ~(self.price > alpha * (1 + 1e-12))


def weakest_links(tree: Tree) -> LinkPath:
    """Return the whole sequence of prunings."""
    nodes = tree.nodes
    own = node_errors(tree)  # whole rows, so that equal links tie exactly; divided by the rows at the end
    below, leaves = own.copy(), np.ones(len(nodes), np.int64)
    parent = nodes.parent.tolist()
    inner = nodes.n_children > 0
    below[inner] = 0.0
    leaves[inner] = 0
    for node in range(len(nodes) - 1, 0, -1):
        below[parent[node]] += below[node]
        leaves[parent[node]] += leaves[node]
    price = np.full(len(nodes), np.nan)
    waiting = [((own[n] - below[n]) / (leaves[n] - 1), n) for n in np.flatnonzero(inner).tolist()]
    heapq.heapify(waiting)
    steps = [(0.0, int(leaves[0]), float(below[0]))]
    alpha = 0.0
    while waiting:
        g, node = heapq.heappop(waiting)
        if leaves[node] == 1 or g != (own[node] - below[node]) / (leaves[node] - 1):
            continue  # cut already (then its subtree has one leaf), or changed since
        alpha = max(alpha, g)
        gone, saved = int(leaves[node]) - 1, float(own[node] - below[node])
        _cut(node, int(nodes.end[node]), alpha, inner, price, leaves)
        below[node] = own[node]
        up = parent[node]
        while up >= 0:
            leaves[up] -= gone
            below[up] += saved
            if leaves[up] > 1:
                heapq.heappush(waiting, ((own[up] - below[up]) / (leaves[up] - 1), up))
            up = parent[up]
        if len(waiting) > STALE * len(nodes):
            waiting = _current(waiting, own, below, leaves)
        step = (float(alpha), int(leaves[0]), float(below[0]))
        steps = [*steps[:-1], step] if steps[-1][0] == alpha else [*steps, step]
    steps.reverse()
    alphas, sizes, errors = (np.array(part) for part in zip(*steps, strict=True))
    total = tree.rows[0].sum()
    return LinkPath(alphas / total, sizes, errors / total, price / total)


def _current(waiting: list[Link], own: Floats, below: Floats, leaves: Ints) -> list[Link]:
    """Return the heap without the entries that have changed since."""
    out = [(g, n) for g, n in waiting if leaves[n] > 1 and g == (own[n] - below[n]) / (leaves[n] - 1)]
    heapq.heapify(out)
    return out


def _cut(node: int, end: int, alpha: float, inner: NDArray[np.bool_], price: Floats, leaves: Ints) -> None:
    """Make the node a leaf at this price; tests below that still stand fall with it."""
    inside = slice(node, end)
    price[inside] = np.where(inner[inside] & np.isnan(price[inside]), alpha, price[inside])
    leaves[inside] = 1


@dataclass(frozen=True, eq=False)
class Judged:
    """A path with its errors on rows not seen: error ± standard error per row, and the two usual choices."""

    path: LinkPath
    cv_error: Floats
    cv_se: Floats

    @property
    def minimum(self) -> int:
        """The step of least cross-validated error, of equals the smallest pruning."""
        return int(np.argmin(self.cv_error))

    @property
    def one_se(self) -> int:
        """The smallest pruning within one standard error of the least."""
        least = self.minimum
        return int(np.flatnonzero(self.cv_error <= self.cv_error[least] + self.cv_se[least])[0])


@dataclass(frozen=True, eq=False)
class Held:
    """A tree grown without some rows, and those rows: where they stop, their classes (or response) and
    weights. One may stand for all rows of a class that stop at its node.
    """

    tree: Tree
    stops: Ints
    truth: NDArray[np.float64] | Ints
    weights: Floats


def judge(path: LinkPath, folds: Iterable[Held]) -> Judged:
    """Return the cross-validated error of every step.

    Between two steps the price is the geometric mean of their alphas, as Breiman and others do it.
    """
    unit = _unit(path)
    alpha = path.alpha / unit
    inside = np.sqrt(alpha[1:] * alpha[:-1]) * unit
    prices = np.concatenate([[np.inf], inside])
    prices = np.where(prices < path.alpha, path.alpha, prices)
    sums, weight = np.zeros((2, len(prices))), 0.0
    about = path.error / unit
    for held in folds:
        sums += _sums(held, prices, about, unit)
        weight += float(held.weights.sum())
    mean = sums[0] / weight
    spread = np.maximum(sums[1] / weight - (mean - about) ** 2, 0.0)
    return Judged(path, mean * unit, np.sqrt(spread / weight) * unit)


def validate(path: LinkPath, held: Held) -> Judged:
    """Return the error of every step on rows that the tree of this path has not seen."""
    weight, unit = float(held.weights.sum()), _unit(path)
    mean, square = _sums(held, path.alpha, np.zeros(len(path.alpha)), unit) / weight
    return Judged(path, mean * unit, np.sqrt(np.maximum(square - mean * mean, 0.0) / weight) * unit)


def _unit(path: LinkPath) -> float:
    """Return the power of two that losses are counted in: squares of squares of large numbers have no end."""
    return math.ldexp(1.0, math.frexp(float(path.error.max(initial=0.0)))[1])


def _sums(held: Held, prices: Floats, about: Floats, unit: float) -> Floats:
    """Return the losses of the held-out rows in units, and their squared distances from about[price], summed
    at each price: of one price at a time, since prices are many and so are rows.
    """
    tree, own = held.tree, weakest_links(held.tree)
    out = np.empty((2, len(prices)))
    answers = tree.nodes.mean if tree.regression else _labels(tree)
    costs = np.array(tree.answers.costs) if tree.answers.costs else None
    truth = held.truth if tree.regression else held.truth.astype(np.int64)
    for k, price in enumerate(prices):
        answer = answers[ends(tree, own.stop(float(price)))[held.stops]]
        if tree.regression:
            loss = (truth - answer) ** 2
        else:
            loss = costs[truth, answer] if costs is not None else (truth != answer).astype(np.float64)
        loss = loss / unit
        away = loss - about[k]
        out[:, k] = (loss * held.weights).sum(), (away * away * held.weights).sum()
    return out


def _labels(tree: Tree) -> Ints:
    """Return the class each node answers as a leaf of its own counts."""
    return tree.decide(tree.rows)


def ends(tree: Tree, stop: NDArray[np.bool_]) -> Ints:
    """Return for each node the node where a row that stops there ends when stop[node] nodes are leaves."""
    out = np.arange(len(tree.nodes))
    for node in np.flatnonzero(stop & ~tree.nodes.leaf).tolist():
        if out[node] == node:  # not below another one
            out[node : tree.nodes.end[node]] = node
    return out
