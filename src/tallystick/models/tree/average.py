"""The exact average over all prunings of a tree, in one pass up and one pass down.

Knows counts and a prior. Knows nothing of columns, rows or words.

A pruning makes some nodes leaves. Its prior: every node with a test keeps it with probability `keep`,
independently. The evidence of a leaf is the probability of its rows' classes in any order when the shares
are unknown:
    E(n) = Γ(a)/Γ(a + N) · Π_c Γ(a_c + n_c)/Γ(a_c),   a_c = a · base_c,   shares afterwards (n_c + a_c)/(N +
    a).
Then, for the whole set of prunings below a node (a leaf of the grown tree has only the first term):
    W(node) = (1 - keep) · E(node) + keep · Π_branch W(branch)
and, given that a pruning reaches the node, it ends there with probability (1 - keep) · E(node) / W(node).
Law: shares equal the sum over every pruning of (its prior · its evidence / all evidence) · its shares.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tallystick import kernels
from tallystick.models.tree.nodes import Nodes

Floats = NDArray[np.float64]
AT_ONCE = 1 << 14  # numbers


@dataclass(frozen=True, eq=False)
class Average:
    """What the two passes find.

    ends[node]: probability that a pruning ends here, given that it comes here. reach[node]: probability that
    it comes here. shares[node, class]: the averaged answer for a row whose way ends at this node.
    best[node]: True where the most probable pruning ends if it comes here. log_best: log of its probability.
    """

    ends: Floats
    reach: Floats
    shares: Floats
    best: NDArray[np.bool_]
    log_best: float


def leaf_shares(counts: Floats, a: float, base: Floats) -> Floats:
    """Return (n_c + a · base_c) / (N + a) for each node; with a = 0 the plain shares, base where there
    are no rows.
    """
    total = counts.sum(axis=1, keepdims=True)
    with np.errstate(invalid="ignore", divide="ignore"):
        out: Floats = (counts + a * base) / (total + a)
    empty = (total[:, 0] + a) == 0
    out[empty] = base
    return out


def average(nodes: Nodes, own: Floats, evidence: Floats, keep: Floats) -> Average:
    """Return the average over all prunings.

    own[node, class]: the shares a leaf at the node answers; evidence[node]: log E(node); keep[node]: prior
    probability of keeping the test.
    """
    inner = nodes.n_children > 0
    log_keep = kernels.log(np.where(inner, keep, 0.5))
    log_end = np.where(inner, kernels.log(np.where(inner, 1 - keep, 0.5)), 0.0)
    total = evidence.copy()  # log W
    best = evidence.copy()  # log of the largest term of W when it is multiplied out
    below, below_best = np.zeros(len(nodes)), np.zeros(len(nodes))  # sums over the branches
    end_log, cut = np.zeros(len(nodes)), ~inner
    layers = _layers(nodes)
    for here in reversed(layers):
        tests = here[inner[here]]
        end, go = log_end[tests] + evidence[tests], log_keep[tests] + below[tests]
        total[tests] = _log_sum(end, go)
        end_log[tests] = end - total[tests]
        go_best = log_keep[tests] + below_best[tests]
        cut[tests] = end >= go_best
        best[tests] = np.maximum(end, go_best)
        if here[0]:  # not the root; np.add.at adds in the order given, so every machine rounds alike
            np.add.at(below, nodes.parent[here], total[here])
            np.add.at(below_best, nodes.parent[here], best[here])
    ends = np.where(inner, kernels.exp(end_log), 1.0)
    reach, shares = _down(nodes, ends, own, layers)
    return Average(ends, reach, shares, cut, float(best[0] - total[0]))


def _layers(nodes: Nodes) -> list[NDArray[np.int64]]:
    """Return the nodes of each depth, the root first."""
    order = np.argsort(nodes.depth, kind="stable")
    return np.split(order, np.cumsum(np.bincount(nodes.depth))[:-1])


def _down(nodes: Nodes, ends: Floats, own: Floats, layers: list[NDArray[np.int64]]) -> tuple[Floats, Floats]:
    """Return reach[node] and the averaged shares[node, class] of rows that stop at the node."""
    reach, above = np.ones(len(nodes)), np.zeros_like(own)
    for here in layers[1:]:
        up = nodes.parent[here]
        above[here] = above[up] + (reach[up] * ends[up])[:, None] * own[up]
        reach[here] = reach[up] * (1 - ends[up])
    return reach, above + reach[:, None] * own


def _log_sum(x: Floats, y: Floats) -> Floats:
    """Return log(e^x + e^y)."""
    high, low = np.maximum(x, y), np.minimum(x, y)
    out: Floats = high + kernels.log(1 + kernels.exp(low - high))
    return out


def log_evidence(counts: Floats, a: float, base: Floats) -> Floats:
    """Return log E(node) of counts[node, class]."""
    prior = a * base
    used = prior > 0
    own, all_rows = counts[:, used] + prior[used], counts.sum(axis=1) + a
    found = log_gamma(np.concatenate([own.ravel(), all_rows, prior[used], [a]]))  # one call for all
    of_own, of_all, of_prior = np.split(found[:-1], [own.size, own.size + len(all_rows)])
    out: Floats = (of_own.reshape(own.shape) - of_prior).sum(axis=1) + found[-1] - of_all
    return out


def log_gamma(x: Floats) -> Floats:
    """Return log Γ(x) for x > 0, some numbers at a time: it takes a dozen arrays on the way."""
    if len(x) <= AT_ONCE:
        return _log_gamma(x)
    return np.concatenate([_log_gamma(x[start : start + AT_ONCE]) for start in range(0, len(x), AT_ONCE)])


def _log_gamma(x: Floats) -> Floats:
    """Return log Γ(x): raised to x >= 16 by Γ(x + 1) = x Γ(x), then Stirling's series."""
    shift, product = x.copy(), np.ones_like(x)
    few = x < 16  # the others are there already, and they are many
    up, along = shift[few], product[few]
    for _ in range(16):
        small = up < 16
        along = np.where(small, along * up, along)
        up = np.where(small, up + 1, up)
    shift[few], product[few] = up, along
    inverse = 1 / (shift * shift)
    series = inverse * (1 / 1260 - inverse * (1 / 1680 - inverse * (1 / 1188 - inverse * (691 / 360360))))
    tail = (1 / 12 - inverse * (1 / 360) + inverse * series) / shift
    log = kernels.log(np.stack([shift, product]))
    half_log_two_pi = 0.9189385332046727
    out: Floats = (shift - 0.5) * log[0] - shift + half_log_two_pi + tail - log[1]
    return out
