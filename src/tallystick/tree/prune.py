"""Pruning of a fitted tree: four methods, each giving a new tree, and their settings as objects.

In this order: reduced error on held-out rows (`reduced_error`); minimum description length (`shortest`);
C4.5's pessimistic bound with subtree raising (`pessimistic`), with the normal quantile it needs;
cost-complexity (`weakest_links`: the path of nested prunings; `judge`, `validate`: its errors on unseen
rows); the methods as objects for `fit(pruning=...)` and for the model file.
Entry: `Tree` in, `Tree` out; `pruning_of()` reads the parameter, `Pruning.prune()` does the work.
stop[node] = whether the node becomes a leaf; own = the loss of a node as a leaf; below = that of its subtree;
price = cost per leaf (alpha); truth[row] = class code or response; Held = held-out rows and a tree grown
without them.
"""

from __future__ import annotations

import heapq
import math
import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, fields, replace
from typing import Any, ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

from tallystick import kernels
from tallystick.contracts import Block
from tallystick.errors import OptionError, shown
from tallystick.model.file import is_number
from tallystick.schema import CODED, typed
from tallystick.tree.model import Tree, log_evidence
from tallystick.tree.nodes import SPREADS, taken

# ---- reduced-error pruning: a test stays only if it lowers the error on held-out rows ----
#
# Law: no pruning of the tree makes fewer errors on the held-out rows; of equals it is the smallest.


def reduced_error(
    tree: Tree, stops: NDArray[np.int64], truth: NDArray[np.float64], weights: NDArray[np.float64]
) -> Tree:
    """Return the smallest pruning with the fewest errors on held-out rows.

    stops[row]: the node where the row ends in the whole tree; truth[row]: its class code or response.
    """
    nodes, inner = tree.nodes, tree.nodes.n_children > 0
    loss, own = np.zeros(len(nodes)), np.zeros(len(nodes))
    # own[node]: loss of the rows that stop at a test (their level has no branch), which it answers in every
    # pruning that keeps it; loss[node]: loss of all rows that come to the node if it were a leaf
    np.add.at(own, stops, _answer_loss(tree, stops, truth, weights))
    here = stops.copy()
    while len(here):
        np.add.at(loss, here, _answer_loss(tree, here, truth, weights))
        here = nodes.parent[here]
        on = here >= 0
        here, truth, weights = here[on], truth[on], weights[on]
    return _best_pruning(tree, loss, np.where(inner, own, loss))


def _best_pruning(tree: Tree, leaf: NDArray[np.float64], below: NDArray[np.float64]) -> Tree:
    """Return the pruning of least total cost, of equals the smallest. leaf[node]: cost of the node as a
    leaf; below[node] (changed in place): cost as a test without its branches, of a leaf its cost as a leaf.
    """
    nodes, inner = tree.nodes, tree.nodes.n_children > 0
    stop = ~inner
    for node in range(len(nodes) - 1, -1, -1):
        if inner[node] and leaf[node] <= below[node]:
            stop[node], below[node] = True, leaf[node]
        if node:
            below[nodes.parent[node]] += below[node]
    return tree.cut_back(stop)


def _answer_loss(
    tree: Tree, node: NDArray[np.int64], truth: NDArray[np.float64], weights: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return the weighted loss of each row answered by a node's own counts."""
    out: NDArray[np.float64]
    if tree.regression:
        out = weights * (truth - tree.nodes.mean[node]) ** 2
        return out
    answer, code = tree.decide(tree.rows)[node], truth.astype(np.int64)
    if tree.answers.costs:
        out = weights * np.array(tree.answers.costs)[code, answer]
        return out
    out = weights * (answer != code)
    return out


# ---- minimum description length: the pruning with the fewest bits for tree and classes together ----
#
# A node costs one bit to say whether it has a test; a test costs log2(columns) bits for its column and
# log2(choices) for its cut or groups; the classes in a leaf cost -log2 of their Krichevsky-Trofimov
# probability Γ(k/2)/Γ(N + k/2) · Π Γ(n_c + 1/2)/Γ(1/2), a code that needs no shares in advance.


def shortest(tree: Tree) -> Tree:
    """Return the pruning of least description length, of equals the smallest."""
    nodes = tree.nodes
    if tree.regression:
        raise OptionError("prune('mdl') needs classes, this is a regression tree. Use 'cost-complexity'.")
    classes = nodes.counts.shape[1]
    base = np.full(classes, 1 / classes)
    leaf = 1 - log_evidence(tree.counted, classes / 2, base) / kernels.log([2.0])[0]
    return _best_pruning(tree, leaf, np.where(nodes.n_children > 0, 1 + bits_of_tests(tree), leaf))


def bits_of_tests(tree: Tree) -> NDArray[np.float64]:
    """Return the bits that name the test of each node, 0 in leaves.

    A numeric column could be cut between any two of the node's rows; k levels fall into two groups in
    2^(k-1) - 1 ways, counted here as 2^(k-1); one branch per level is a single way.
    """
    nodes = tree.nodes
    cuts = np.maximum(nodes.weight / tree.row - 1, 1)
    numeric = ~np.isnan(nodes.cut)
    levels = np.diff(nodes.branch_start)
    groups = np.where((nodes.n_children == 2) & (levels > 2), levels - 1.0, 0.0)
    bits = kernels.log2([float(len(tree.schema.used))])[0] + np.where(numeric, kernels.log2(cuts), groups)
    return np.where(nodes.leaf, 0.0, bits)


# ---- C4.5's pessimistic pruning: collapse; then test, leaf, or largest branch, by least bound ----
#
# Bound: for E errors in N cases, U(E, N) is the error rate at which E or fewer errors have probability CF.
# For E = 0 it is 1 - CF^(1/N); above, the normal approximation with continuity correction that C4.5 uses. The
# three tables are the coefficients of Wichura's AS 241 (`normal_quantile`): numerator, denominator.


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
        """Return N · U(E, N), the upper bound of the error count, for each node."""
        none = cases * (1 - kernels.exp(kernels.log([self.confidence])[0] / np.maximum(cases, 1e-300)))
        few = errors < 0.9999  # linear interpolation between no error and one
        start = np.where(few, 1.0, errors)
        half = start + 0.5
        z2 = max(normal_quantile(1 - self.confidence), 0.0) ** 2
        n = np.maximum(cases, 1e-300)
        inner = np.maximum(z2 * (half * (1 - half / n) + z2 / 4), 0.0)
        bound = n * (half + z2 / 2 + np.sqrt(inner)) / (n + z2) - start
        extra = np.where(half >= n, 0.67 * np.maximum(n - start, 0), bound)
        some = np.where(few, none + errors * (extra - none), extra)
        return np.where(cases > 0, errors + np.where(errors < 1e-6, none, some), 0.0)


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


REAL = 2**32  # the unit of tables with fractional weights


class _Pruner:
    """Pessimistic pruning of one tree; block: training rows for subtree raising, or None."""

    def __init__(self, tree: Tree, bound: Bound, block: Any) -> None:
        self.tree, self.bound, self.block = tree, bound, block
        self.copies: Ints | None = None
        # cache of bounds, by count of rows and of rows in the largest class
        self.known: dict[tuple[int, int], float] = {}

    def run(self) -> Tree:
        """Return the pruned tree."""
        nodes = self.tree.nodes
        made = [
            _Node(
                int(nodes.column[n]), float(nodes.cut[n]), nodes.levels(n), int(nodes.missing_branch[n]),
                float(nodes.gain[n]), n, nodes.counts[n], [],
            )
            for n in range(len(nodes))
        ]  # fmt: skip
        for n in range(1, len(nodes)):
            made[int(nodes.parent[n])].branches.append(made[n])
        rows = None
        if self.block is not None:
            # all training rows with the weight of one copy of each: an integer weight is a number of copies,
            # which are shared out between branches like one row; a fractional weight is shared out itself
            each, weights = np.full(self.block.rows, self.tree.unit, np.int64), self.block.weights
            if weights is not None and self.tree.unit == REAL:
                each = weights
            else:
                self.copies = weights
            rows = np.arange(self.block.rows), each
        before = sys.getrecursionlimit()
        deep = 1000 + 8 * int(nodes.depth.max())  # a tree may be a long chain
        sys.setrecursionlimit(max(before, deep))
        try:
            root = self.prune(_collapse(made[0], self.tree.row), rows)
        finally:
            sys.setrecursionlimit(before)
        # in preorder; candidates stay with the tests they were for
        order: list[_Node] = []
        waiting = [root]
        while waiting:
            node = waiting.pop()
            order.append(node)
            waiting += reversed(node.branches)
        leaf = np.array([not n.branches for n in order])
        origin = np.array([n.origin for n in order], dtype=np.int64)
        counts = np.array([n.counts for n in order], dtype=np.int64)
        return self.tree.with_nodes(replace(nodes.pick(origin, leaf), counts=counts), origin)

    def prune(self, node: _Node, rows: tuple[Ints, Ints] | None) -> _Node:
        """Return the node, a leaf or its largest branch in its place, once its branches have been pruned."""
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
            as_raised = sum(self.leaf_errors(leaf.counts) for leaf in _leaves(raised))
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

    def split(self, node: _Node, rows: tuple[Ints, Ints]) -> list[tuple[Ints, Ints]]:
        """Return the rows of each branch with their weights. Rows with a missing value are shared out in
        proportion to the given rows that have one (a raised branch has other rows than those its test was
        made for); the integer parts sum exactly, as in growing.
        """
        from tallystick.tree.tables import share_out  # who predicts does not load growing

        here, weights = rows
        column = self.tree.schema.used[node.column]
        cells = self.block.codes(column.name) if column.kind in CODED else self.block.values(column.name)
        branch = taken(node.cut, node.levels, node.missing, cells[here])
        spread = np.flatnonzero(branch == SPREADS)
        if not len(spread):
            each = [np.flatnonzero(branch == k) for k in range(len(node.branches))]
            return [(here[own], weights[own]) for own in each]
        heavy = weights if self.copies is None else weights * self.copies[here]
        sizes = [int(heavy[branch == k].sum()) for k in range(len(node.branches))]
        sizes = sizes if any(sizes) else [1] * len(sizes)
        shares = share_out(weights[spread], np.array(sizes, np.int64))  # as growing does
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


# ---- cost-complexity pruning: the sequence of weakest links, and cross-validation to choose from it ----
#
# For a price alpha per leaf the best pruning minimises R(pruning) + alpha · leaves. As alpha grows, the
# subtrees that no longer pay are cut: the next to go is the node with the least g = (R(node) - R(subtree)) /
# (leaves - 1). Law: each entry of the path is the smallest pruning that is best for its alpha, and the path
# is nested.


STALE = 2  # heap entries per node from which outdated entries are removed from the heap


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
        inside = slice(node, int(nodes.end[node]))  # tests below that still stand fall with it
        price[inside] = np.where(inner[inside] & np.isnan(price[inside]), alpha, price[inside])
        leaves[inside] = 1
        below[node] = own[node]
        up = parent[node]
        while up >= 0:
            leaves[up] -= gone
            below[up] += saved
            if leaves[up] > 1:
                heapq.heappush(waiting, ((own[up] - below[up]) / (leaves[up] - 1), up))
            up = parent[up]
        if len(waiting) > STALE * len(nodes):
            now = ((own[n] - below[n]) / (leaves[n] - 1) if leaves[n] > 1 else np.nan for _, n in waiting)
            waiting = [link for link, g in zip(waiting, now, strict=True) if link[0] == g]
            heapq.heapify(waiting)
        step = (float(alpha), int(leaves[0]), float(below[0]))
        steps = [*steps[:-1], step] if steps[-1][0] == alpha else [*steps, step]
    steps.reverse()
    alphas, sizes, errors = (np.array(part) for part in zip(*steps, strict=True))
    total = tree.rows[0].sum()
    return LinkPath(alphas / total, sizes, errors / total, price / total)


@dataclass(frozen=True, eq=False)
class Judged:
    """A path with its error on unseen rows (per row, with standard error), and the two usual choices."""

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
    """A tree grown without some rows, and those rows: the node where each stops, its class (or response)
    and weight. One entry may stand for all rows of a class that stop at the same node.
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
    """Return a power of two that losses are divided by, so that their squares do not overflow."""
    return math.ldexp(1.0, math.frexp(float(path.error.max(initial=0.0)))[1])


def _sums(held: Held, prices: Floats, about: Floats, unit: float) -> Floats:
    """Return, for each price, the sum of the losses of the held-out rows (divided by unit) and of their
    squared distances from about[price]. One price at a time: a matrix of rows by prices would be too large.
    """
    tree, own = held.tree, weakest_links(held.tree)
    out = np.empty((2, len(prices)))
    answers: Any = tree.nodes.mean if tree.regression else tree.decide(tree.rows)
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


def ends(tree: Tree, stop: NDArray[np.bool_]) -> Ints:
    """Return for each node the node where its rows end once every node with stop[node] is a leaf."""
    out = np.arange(len(tree.nodes))
    for node in np.flatnonzero(stop & ~tree.nodes.leaf).tolist():
        if out[node] == node:  # not below another one
            out[node : tree.nodes.end[node]] = node
    return out


# ---- pruning methods as objects: settings, names, model file ----

LEAST = 1e-9  # the least distance of `confidence` from 0 and 1 that a model file accepts


def between(value: Any) -> bool:
    """Return whether it is a number above 0 and below 1."""
    return is_number(value) and LEAST <= value <= 1 - LEAST


class Pruning(Protocol):
    """One pruning method: a frozen dataclass of its settings; name: its name as a parameter and in files."""

    name: ClassVar[str]

    def prune(self, tree: Tree, rows: Block | None, held: Callable[[], Iterator[Held]]) -> Tree:
        """Return a smaller tree. rows: those of the fit, None for a loaded tree; held(): trees without a
        fold, and its rows.
        """
        ...


@dataclass(frozen=True, repr=False)
class CostComplexity:
    """Keep a test where it lowers the training error by at least a price per leaf (CART).

    Parameters
    ----------
    cp : float, default None
        The price of a leaf as a share of the root's error; more prunes more. None chooses it by 10-fold
        cross-validation.

    Examples
    --------
    >>> import tallystick as ts
    >>> ts.DecisionTree(pruning=ts.CostComplexity(cp=0.01))
    DecisionTree(pruning=CostComplexity(cp=0.01))
    """

    name: ClassVar[str] = "cost-complexity"
    cp: float | None = None

    def __post_init__(self) -> None:
        if self.cp is not None and not (is_number(self.cp) and 0 <= self.cp < float("inf")):
            raise OptionError(f"cp must be a number from 0 up, not {shown(self.cp)}.")

    __repr__ = typed

    def prune(self, tree: Tree, rows: Block | None, held: Callable[[], Iterator[Held]]) -> Tree:
        """Return a smaller tree. held(): trees without a fold, and its rows."""
        path = weakest_links(tree)
        if self.cp is not None:
            return tree.cut_back(path.stop(self.cp * float(path.error[0])))
        return tree.cut_back(path.stop(float(path.alpha[judge(path, held()).minimum])))


@dataclass(frozen=True, repr=False)
class Pessimistic:
    """Keep a test where it lowers an upper bound of the error, with subtree raising (C4.5).

    Parameters
    ----------
    confidence : float, default 0.25
        How far the bound lies above the error that was seen; above 0 and below 1, less prunes more.

    Examples
    --------
    >>> import tallystick as ts
    >>> ts.DecisionTree(pruning=ts.Pessimistic(confidence=0.1))
    DecisionTree(pruning=Pessimistic(confidence=0.1))
    """

    name: ClassVar[str] = "pessimistic"
    confidence: float = 0.25

    def __post_init__(self) -> None:
        if not between(self.confidence):
            raise OptionError(
                f"confidence must be a number above 0 and below 1 (less prunes more), "
                f"not {shown(self.confidence)}."
            )

    __repr__ = typed

    def prune(self, tree: Tree, rows: Block | None, held: Callable[[], Iterator[Held]]) -> Tree:
        """Return a smaller tree. rows: those of the fit."""
        return pessimistic(tree, self.confidence, rows, True)


@dataclass(frozen=True, repr=False)
class DescriptionLength:
    """Keep a test where tree and classes together take fewer bits with it (minimum description length).

    Examples
    --------
    >>> import tallystick as ts
    >>> ts.DecisionTree(pruning=ts.DescriptionLength())
    DecisionTree(pruning=DescriptionLength())
    """

    name: ClassVar[str] = "mdl"

    __repr__ = typed

    def prune(self, tree: Tree, rows: Block | None, held: Callable[[], Iterator[Held]]) -> Tree:
        """Return a smaller tree."""
        return shortest(tree)


METHODS: dict[str, type[Pruning]] = {m.name: m for m in (CostComplexity, Pessimistic, DescriptionLength)}
HELD_OUT = "reduced-error"  # needs held-out rows, so it is a method of a fitted tree only


class FileNames(Collection[str]):
    """The names of pruning that a model file may contain: those of METHODS and HELD_OUT."""

    def __iter__(self) -> Iterator[str]:
        return iter((*METHODS, HELD_OUT))

    def __len__(self) -> int:
        return len(METHODS) + 1

    def __contains__(self, name: object) -> bool:
        return name in METHODS or name == HELD_OUT


FILE_NAMES = FileNames()


def is_pruning(given: Any) -> bool:
    """Return whether it is a pruning method as an object."""
    return type(given) in METHODS.values()


def pruning_of(given: Any) -> Pruning | None:
    """Return the pruning method of a parameter: an object, a name (with default settings), or None."""
    if given is None or is_pruning(given):
        found: Pruning | None = given
        return found
    if isinstance(given, str) and given in METHODS:
        return METHODS[given]()
    names = ", ".join(f"ts.{m.__name__}()" for m in METHODS.values())
    raise OptionError(
        f"pruning must be None, {names} or one of {', '.join(METHODS)}, not {shown(given)}. "
        "For held-out rows use prune()."
    )


def settings_of(way: Pruning) -> dict[str, Any]:
    """Return the settings of a pruning method."""
    return {f.name: getattr(way, f.name) for f in fields(way)}  # type: ignore[arg-type]


def to_file(way: Pruning | None) -> dict[str, Any]:
    """Return the entries of the model file: the name of the method, and the settings of every method."""
    # written out, not read from METHODS: files keep one shape when a method with other settings is added
    settings = {"confidence": Pessimistic.confidence, "cp": CostComplexity.cp}
    if way is None:
        return {"pruning": None} | settings
    return {"pruning": way.name} | settings | settings_of(way)


def from_file(name: str | None, settings: Mapping[str, Any]) -> Pruning | None:
    """Return the pruning method that a model file names, with its settings."""
    way = None if name is None else METHODS[name]
    return None if way is None else way(**{f.name: settings[f.name] for f in fields(way)})  # type: ignore[arg-type]
