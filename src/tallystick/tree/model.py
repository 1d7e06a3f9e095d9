"""The fitted decision or regression tree (`Tree`): how node counts become class shares, and rows answers.

In this order: the average over all prunings (`average`) with its log evidence and log Γ; class weights and
priors (`ClassWeights`, `class_weights`); the options of answering (`Answers`); candidate splits that are
sorted only on request (`Unsorted`); the model itself. Entry: `Tree`; the nodes are in `nodes.py`.
share = estimated probability of a class; unit = the integer that a row of weight 1 adds to `nodes.counts`;
stop = the node where a row ends; pruning = a subtree with the same root; keep = prior of keeping a test.
Law: every share follows from the counts beside it: plain, smoothed, or averaged over all prunings.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from tallystick import kernels
from tallystick.contracts import Block
from tallystick.errors import ModelFileError, OptionError, shown
from tallystick.kernels.trees import Walk
from tallystick.model.decision import AnswerDecision, decide, in_force
from tallystick.model.file import ListInParts, plain
from tallystick.predict.columns import as_they_lie, in_blocks
from tallystick.predict.row import RowAnswer, RowCells, RowShares, row_reader
from tallystick.schema import CODED, Schema, Target
from tallystick.tree import nodes as walk
from tallystick.tree.nodes import (
    SPREADS,
    Candidates,
    Nodes,
    prior_of_tests,
    read_candidates,
    read_nodes,
    write_branches,
    write_candidates,
    write_nodes,
)
from tallystick.tree.view import Certificate, show

# ---- the exact average over all prunings of a tree, in one pass up and one pass down ----
#
# A pruning makes some nodes leaves. Its prior: every node with a test keeps it with probability `keep`,
# independently. The evidence of a leaf is the probability of its rows' classes in any order when the shares
# are unknown:
#     E(n) = Γ(a)/Γ(a + N) · Π_c Γ(a_c + n_c)/Γ(a_c),   a_c = a · base_c
# and the posterior shares are (n_c + a_c)/(N + a).
# Then, for the whole set of prunings below a node (a leaf of the grown tree has only the first term):
#     W(node) = (1 - keep) · E(node) + keep · Π_branch W(branch)
# and, given that a pruning reaches the node, it ends there with probability (1 - keep) · E(node) / W(node).
# Law: shares equal the sum over every pruning of (its prior · its evidence / all evidence) · its shares.


Floats = NDArray[np.float64]
AT_ONCE = 1 << 14  # numbers whose log Γ is computed in one call: it needs a dozen arrays of their length


@dataclass(frozen=True, eq=False)
class Average:
    """The posterior over all prunings of a tree, node by node.

    ends[node]: probability that the node is a leaf, given that the pruning contains it. reach[node]:
    probability that the pruning contains it. shares[node, class]: the averaged answer for a row that stops
    here. best[node]: whether the most probable pruning that contains the node ends there. log_best: log of
    the probability of the most probable pruning.
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
    order = np.argsort(nodes.depth, kind="stable")
    layers = np.split(order, np.cumsum(np.bincount(nodes.depth))[:-1])  # the nodes of each depth
    for here in reversed(layers):
        tests = here[inner[here]]
        end, go = log_end[tests] + evidence[tests], log_keep[tests] + below[tests]
        high, low = np.maximum(end, go), np.minimum(end, go)
        total[tests] = high + kernels.log(1 + kernels.exp(low - high))  # log(e^end + e^go)
        end_log[tests] = end - total[tests]
        go_best = log_keep[tests] + below_best[tests]
        cut[tests] = end >= go_best
        best[tests] = np.maximum(end, go_best)
        if here[0]:  # not the root; np.add.at adds in the order given, so every machine rounds alike
            np.add.at(below, nodes.parent[here], total[here])
            np.add.at(below_best, nodes.parent[here], best[here])
    ends = np.where(inner, kernels.exp(end_log), 1.0)
    reach, above = np.ones(len(nodes)), np.zeros_like(own)
    for here in layers[1:]:
        up = nodes.parent[here]
        above[here] = above[up] + (reach[up] * ends[up])[:, None] * own[up]
        reach[here] = reach[up] * (1 - ends[up])
    shares = above + reach[:, None] * own  # of rows that stop at the node
    return Average(ends, reach, shares, cut, float(best[0] - total[0]))


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
    """Return log Γ(x) for x > 0, AT_ONCE numbers at a time."""
    if len(x) <= AT_ONCE:
        return _log_gamma(x)
    return np.concatenate([_log_gamma(x[start : start + AT_ONCE]) for start in range(0, len(x), AT_ONCE)])


def _log_gamma(x: Floats) -> Floats:
    """Return log Γ(x): raised to x >= 16 by Γ(x + 1) = x Γ(x), then Stirling's series."""
    shift, product = x.copy(), np.ones_like(x)
    few = x < 16  # most are not, and need no raising
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


# ---- class weights and priors: the weight of a row by its class, in growing and in answering ----


@dataclass(frozen=True, slots=True)
class ClassWeights:
    """weights[class]: the weight of a row; with by_share, of all rows of the class together (priors,
    "balanced").
    """

    weights: tuple[float, ...]
    by_share: bool = False

    def of(self, counts: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return the weight of one row of each class; counts[class]: rows of the training table."""
        own = np.array(self.weights, np.float64)
        if not self.by_share:
            return own
        out: NDArray[np.float64] = np.where(counts > 0, own / np.maximum(counts, 1), 0.0)
        return out

    def of_mean_one(self, counts: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return the weight of an error in a row of each class: weights by share are scaled to have mean 1
        over all rows, so that an error is still one error.
        """
        own = self.of(counts)
        if not self.by_share:
            return own
        out: NDArray[np.float64] = own * (counts.sum() / max(float((own * counts).sum()), 1e-300))
        return out

    def times(self, factors: Sequence[float]) -> ClassWeights:
        """Return the weights, each times a factor."""
        return ClassWeights(tuple(w * f for w, f in zip(self.weights, factors, strict=True)), self.by_share)


def class_weights(class_weight: Any, priors: Any, target: Target) -> ClassWeights | None:
    """Return the weights that the parameters class_weight and priors give; None: every row has weight 1."""
    if class_weight is None and priors is None:
        return None
    class_weight, priors = plain(class_weight), plain(priors)
    ones = ClassWeights((1.0,) * len(target.labels), class_weight == "balanced" or priors is not None)
    if class_weight is not None and class_weight != "balanced":
        ones = ones.times(by_label("class_weight", class_weight, target))
    return ones if priors is None else ones.times(by_label("priors", priors, target))


def criterion_weights(weights: ClassWeights | None, costs: Sequence[Sequence[float]]) -> ClassWeights | None:
    """Return the weight of a row of each class in the split criterion, None for 1 each: with costs, the
    sum of what the errors in that class cost.
    """
    if not costs:
        return weights
    return (weights or ClassWeights((1.0,) * len(costs))).times([sum(row) for row in costs])


def by_label(name: str, given: Any, target: Target) -> tuple[float, ...]:
    """Return one number per class from a mapping by label (classes not named: 1) or a sequence."""
    if isinstance(given, Mapping):
        known = {target.label_of(k): _real(name, v) for k, v in given.items()}
        own = [known.get(label, 1.0) for label in target.labels]
    elif isinstance(given, Sequence) and not isinstance(given, str) and len(given) == len(target.labels):
        own = [_real(name, v) for v in given]
    else:
        raise OptionError(
            f"{name} must give a number for each of {len(target.labels)} classes, not {shown(given)}."
        )
    if any(not 0 <= v < float("inf") for v in own) or not any(own):
        raise OptionError(f"{name} must be numbers from 0 up, not all 0; found {shown(given)}.")
    return tuple(own)


def _real(name: str, value: Any) -> float:
    try:
        return float(value)
    except (TypeError, ValueError):
        raise OptionError(f"{name} must be numbers from 0 up, not {shown(value)}.") from None


# ---- the tree itself: options of answering, candidate splits, the model ----

WRITTEN, TESTS_WRITTEN = 1 << 14, 1 << 16  # nodes, and candidate splits, that are written to a file at once
KINDS = ("decision-tree", "regression-tree", "optimal-tree")


@dataclass(frozen=True, slots=True)
class Answers:
    """How the counts of a node become shares.

    smoothing: so many pseudo-rows with the class shares of the root are added to every node.
    average: answer by the sum over all prunings, where a test is kept with prior probability `keep`
    (None: by the number of tests it was chosen from, `prior_of_tests` in `nodes.py`).
    costs: costs[class][answer] of a wrong answer; the answer is then the cheapest, not the most frequent.
    weights: what a row of each class counts; shares are those of the weighted rows.
    """

    average: bool = False
    smoothing: float = 0.0
    keep: float | None = None
    costs: tuple[tuple[float, ...], ...] = ()
    weights: ClassWeights | None = None

    def __post_init__(self) -> None:
        if not (0 <= self.smoothing < 1e9):
            raise OptionError(f"smoothing must be a number of rows from 0 up, not {self.smoothing}.")
        if self.keep is not None and not 0 < self.keep < 1:
            raise OptionError(f"keep is a probability between 0 and 1, not {self.keep}.")
        if self.average and self.smoothing < 1e-6:
            raise OptionError(f"average=True needs smoothing above 0, not {self.smoothing}; 2 is usual.")


class Unsorted(Protocol):
    """Candidate splits in the order in which growing left them, sorted by node on request."""

    @property
    def on_disk(self) -> bool:
        """Whether they are on disk, because they do not fit in memory."""
        ...

    def candidates(self, of: NDArray[np.int64] | None = None) -> Candidates:
        """Return those of some nodes; None: of all."""
        ...


@dataclass(frozen=True)
class OfNodes:
    """Unsorted candidates of some nodes: node i was node origin[i]. Sorting takes as much memory again, so
    it is left until the candidates are read.
    """

    every: Unsorted
    origin: NDArray[np.int64]

    @property
    def on_disk(self) -> bool:
        """Whether they are on disk."""
        return self.every.on_disk

    def candidates(self, of: NDArray[np.int64] | None = None) -> Candidates:
        """Return those of some nodes; None: of all."""
        return self.every.candidates(self.origin if of is None else self.origin[of])


@dataclass(frozen=True, eq=False)
class Tree:
    """A tree that can answer, be printed and be written.

    unit: the integer that weight 1 adds to `nodes.counts`. row_unit: the integer that counts as one row in
    evidence, smoothing and pruning (0: the unit). candidates: the best splits of each node that were
    compared, or their texts from a file (parsed on request), or None when they were not kept. certificate:
    the proven bound of a tree from the optimal search.
    """

    schema: Schema
    nodes: Nodes
    unit: int = 1
    answers: Answers = field(default_factory=Answers)
    candidates: Candidates | Unsorted | Sequence[str] | None = None
    row_unit: int = 0
    certificate: Certificate | None = None
    decision: AnswerDecision | None = None

    @property
    def regression(self) -> bool:
        """Whether leaves hold means instead of class counts."""
        return self.schema.regression

    @property
    def kind(self) -> str:
        """The kind of model in a file."""
        return KINDS[2 if self.certificate is not None else self.regression]

    @cached_property
    def rows(self) -> NDArray[np.float64]:
        """counts[node, class] as sums of row weights, for display."""
        return self.nodes.counts / self.unit

    @property
    def row(self) -> int:
        """The integer that counts as one row in `nodes.counts`."""
        return self.row_unit or self.unit

    @cached_property
    def counted(self) -> NDArray[np.float64]:
        """counts[node, class] as numbers of rows, for evidence, smoothing and pruning: equal to `rows` unless
        weights are fractional.
        """
        return self.rows if self.row == self.unit else self.nodes.counts / self.row

    @cached_property
    def heavy(self) -> NDArray[np.float64]:
        """The weight of each node in the split criterion: gains are means over it."""
        weights = criterion_weights(self.answers.weights, self.answers.costs)
        if weights is None or self.regression:
            return self.nodes.weight.astype(np.float64)
        each = weights.of(self.nodes.counts[0])
        total = np.zeros(len(self.nodes))
        for c in range(len(each)):  # class by class: a sum whose bits are fixed
            total += self.nodes.counts[:, c] * each[c]
        return total

    @cached_property
    def base(self) -> NDArray[np.float64]:
        """The class shares of the pseudo-rows: those of the root, every class with half a row more. In a
        tree with a certificate, or of a truth table, they have the same weight in every class, so that they
        change no answer.
        """
        root = self.counted[0] + 0.5
        if self.certificate is not None or self.of_truth_table:
            weights = self.answers.weights
            heavy = np.ones(len(root)) if weights is None else weights.of(self.nodes.counts[0])
            root = np.where(heavy > 0, 1 / np.where(heavy > 0, heavy, 1.0), 0.0)
        out: NDArray[np.float64] = root / root.sum()
        return out

    @cached_property
    def of_truth_table(self) -> bool:
        """Whether the rows are a complete table without noise, which averaging would only blur: there are at
        least as many of them as the columns have combinations of levels, and every leaf has one class. (With
        noise, so many rows would repeat combinations with different classes.)
        """
        if not self.answers.average or self.regression or self.spreads:
            return False
        columns = [c for c in self.schema.used if c.kind != "text"]
        if any(c.kind not in CODED for c in columns):
            return False
        combinations = math.prod(len(c.levels) + bool(c.missing) for c in columns)
        if combinations > self.counted[0].sum():
            return False
        return bool((np.count_nonzero(self.nodes.counts[self.nodes.n_children == 0], axis=1) == 1).all())

    @cached_property
    def averaged(self) -> Average | None:
        """The average over all prunings, when it answers."""
        if not self.answers.average or self.regression or self.of_truth_table:
            return None
        own = leaf_shares(self.counted, self.answers.smoothing, self.base)
        evidence = log_evidence(self.counted, self.answers.smoothing, self.base)
        if self.answers.keep is None:
            keep = prior_of_tests(self.schema, self.nodes, self.counted.sum(axis=1))
        else:
            keep = np.full(len(self.nodes), self.answers.keep)
        return average(self.nodes, own, evidence, keep)

    @cached_property
    def node_shares(self) -> NDArray[np.float64]:
        """shares[node, class] that answer a row that stops at the node; regression: [node, 0] is the mean.
        Class weights are applied; where all of them are 0, the unweighted shares answer.
        """
        if self.regression:
            return self.nodes.mean[:, None]
        shares = self.unweighted
        if self.answers.weights is None:
            return shares
        heavy = shares * self.answers.weights.of(self.nodes.counts[0])
        total = heavy.sum(axis=1, keepdims=True)
        out: NDArray[np.float64] = np.where(total > 0, heavy / np.where(total > 0, total, 1.0), shares)
        return out

    @cached_property
    def unweighted(self) -> NDArray[np.float64]:
        """shares[node, class] before class weights are applied."""
        if self.averaged is not None:
            return self.averaged.shares
        rows = self.counted.copy()
        for node in np.flatnonzero(self.nodes.weight == 0):  # they answer as the nearest node above with rows
            rows[node] = rows[self.nodes.parent[node]]  # the root has rows, and parents stand before branches
        return leaf_shares(rows, self.answers.smoothing, self.base)

    @cached_property
    def labels(self) -> NDArray[np.int64]:
        """The class each node answers."""
        return self.decide(self.node_shares)

    def decide(self, shares: NDArray[np.float64]) -> NDArray[np.int64]:
        """Return the class answered for shares[row, class]: the largest share, or the smallest expected
        cost.
        """
        return decide(shares, in_force(self.decision, self.answers.costs))

    @cached_property
    def shown(self) -> Tree:
        """The tree to look at: itself, or where the answers are averaged a pruning; see `shown_as`."""
        if self.averaged is None:
            return self
        return self.cut_back(self._shown[0])

    @property
    def shown_as(self) -> str:
        """What an averaged tree shows: the most "probable" pruning; where that is the root alone, though the
        tree has tests, the smallest pruning that gives the averaged "answers"; where that is the root alone
        too, or there is none, the tree as it was "grown".
        """
        return self._shown[1]

    @cached_property
    def _shown(self) -> tuple[NDArray[np.bool_], str]:
        """Return where the tree that is shown ends, and the word for it in `shown_as`."""
        assert self.averaged is not None
        nodes, best = self.nodes, self.averaged.best
        if not best[0] or nodes.leaves == 1:
            return best, "probable"
        grown = nodes.n_children == 0
        answer, own = self.decide(self.averaged.shares), self.cut_back(grown).labels
        stop = grown.copy()
        for node in range(len(nodes) - 1, -1, -1):
            below = nodes.branches(node)
            if len(below) and stop[below].all() and (answer[below] == own[node]).all():
                stop[node], answer[node] = True, own[node]
        ends = nodes.cut_back(stop)[1]
        ends = ends[stop[ends]]
        is_known = not stop[0] and bool((answer[ends] == own[ends]).all())
        return (stop, "answers") if is_known else (grown, "grown")

    @property
    def shown_numbers(self) -> NDArray[np.int64]:
        """The number that each node of `shown` has in this tree: the only numbers that users meet."""
        if self.averaged is None:
            return np.arange(len(self.nodes))
        return self.nodes.cut_back(self._shown[0])[1]

    def cut_back(self, stop: NDArray[np.bool_]) -> Tree:
        """Return the tree with a leaf at every node where stop[node]; it answers by its own leaves."""
        return self.with_nodes(*self.nodes.cut_back(stop))

    def with_nodes(self, nodes: Nodes, origin: NDArray[np.int64]) -> Tree:
        """Return a tree of other nodes, node i was node origin[i] here; it answers by its own leaves."""
        candidates: Candidates | Unsorted | None
        if self.candidates is None or isinstance(self.candidates, Candidates | Sequence):
            candidates = None if self.all_candidates is None else self.all_candidates.of_nodes(origin)
        else:
            candidates = OfNodes(self.candidates, origin)
        answers = replace(self.answers, average=False)
        return replace(self, nodes=nodes, answers=answers, candidates=candidates)

    @cached_property
    def all_candidates(self) -> Candidates | None:
        """The candidate splits of every node, read from their texts when the tree came from a file."""
        if self.candidates is None or isinstance(self.candidates, Candidates):
            return self.candidates
        if isinstance(self.candidates, Sequence):
            return read_candidates(self.candidates, self.nodes, self.schema)
        return self.candidates.candidates()

    def candidates_of(self, nodes: NDArray[np.int64]) -> Candidates | None:
        """Return the candidate splits of some nodes, None where none were kept; the others stay on disk."""
        if isinstance(self.candidates, Candidates | Sequence | None) or not self.candidates.on_disk:
            every = self.all_candidates
            return None if every is None else every.of_nodes(nodes)
        return self.candidates.candidates(nodes)

    # -- predicting rows --

    def stops(self, block: Block) -> NDArray[np.int64]:
        """Return the node where each row stops."""
        return self._ends(block)[0].astype(np.int64)

    def _ends(self, block: Block) -> tuple[NDArray[np.int32], bool]:
        """Return the node where each row stops, and whether an infinite number was met."""
        read = self._reader(block)
        columns = [read(j) if j in self.tested else None for j in range(len(self.schema.used))]
        return self.descent.ends(columns, block.rows)

    @cached_property
    def tested(self) -> frozenset[int]:
        """The numbers of the columns that some test reads (and -1, of leaves)."""
        return frozenset(self.nodes.column.tolist())

    @cached_property
    def asked(self) -> Schema:
        """The schema of the columns that some test reads: those that rows must have. The tree keeps the
        others too, because its candidate splits name them.
        """
        used = self.schema.used
        return self.schema.only({used[j].name for j in self.tested if j >= 0})

    @cached_property
    def descent(self) -> Walk:
        """The compiled descent of many rows, given as columns."""
        n = self.nodes
        return Walk(n.column, n.cut, n.first, n.child, n.branch_start, n.branch_of, n.missing_branch)

    def shares(self, block: Block) -> NDArray[np.float64]:
        """Return P(class | row) [row, class]; regression: the mean as [row, 0]."""
        if self.spreads:
            return walk.spread(self.nodes, self.node_shares, self._reader(block), block.rows)
        return self.node_shares[self.stops(block)]

    @cached_property
    def shares_of_row(self) -> RowShares:
        """The function that answers one row given as a dict."""
        return row_reader(self.asked, self._row_answer)

    def _row_answer(self, place: Mapping[str, int]) -> RowAnswer:
        """Return the function that takes one row down the tests; place: where each column is in its cells."""
        nodes, shares, parts = self.nodes, self.node_shares, dict[int, list[tuple[int, float]]]()
        # tests[node]: the place of its column, its cut (NaN: levels), and the next node by code (for a
        # number: below the cut, at or above it, missing); None at a leaf
        tests: list[tuple[int, float, list[int]] | None] = []
        for node, column in enumerate(nodes.column.tolist()):
            if column < 0:
                tests.append(None)
                continue
            own, children, away = (
                self.schema.used[column],
                nodes.branches(node),
                int(nodes.missing_branch[node]),
            )
            to = [*children.tolist(), SPREADS, node]  # by the number of a branch: STAYS is -1, SPREADS -2
            branches = nodes.levels(node).tolist() if own.kind in CODED else [0, 1]
            below = [to[branch] for branch in (*branches, away, away)]  # of levels: missing, unseen
            tests.append((place[own.name], float(nodes.cut[node]), below))
            if away == SPREADS:
                weight = nodes.weight[children]
                own_parts = (
                    weight / nodes.weight[node] if nodes.weight[node] else np.ones(len(to) - 2) / len(weight)
                )
                parts[node] = list(zip(to, own_parts.tolist(), strict=False))

        def answer(cells: RowCells) -> NDArray[np.float64]:
            waiting, out = [(0, 1.0)], np.zeros(shares.shape[1])
            while waiting:  # for one part of the row, until it stays; added in the order of `walk.spread`
                node, part = waiting.pop()
                while (test := tests[node]) is not None:
                    at, cut, below = test
                    x = cells[at]
                    to = below[x] if cut != cut else below[2 if x != x else x >= cut]
                    if to == SPREADS:
                        waiting += [(child, part * share) for child, share in parts[node]]
                        break
                    if to == node:
                        break
                    node = to
                if test is None or to == node:
                    if not parts:
                        return np.array(shares[node])
                    out += part * shares[node]
            return out

        return answer

    def of_columns(
        self, columns: Sequence[NDArray[Any]], rows: int, best: bool = False
    ) -> NDArray[Any] | None:
        """Return the shares of rows given as columns of numbers; best: their classes instead, decided once
        per node, not per row. None: the columns must go through the reader.
        """
        ends = self.ends_of_floats(columns, rows)
        if ends is None:
            return None
        return self.labels.take(ends) if best else self.node_shares.take(ends, 0)

    def ends_of_floats(self, columns: Sequence[NDArray[Any]], rows: int) -> NDArray[np.int32] | None:
        """Return the node where each row stops; None: columns must go through the reader, or rows spread."""
        if self.spreads:
            return None
        plain = all(c.kind == "numeric" for c in self.schema.used)
        if not plain or any(c.dtype.kind != "f" for c in columns):
            return in_blocks(self.schema, columns, rows, lambda block: self._ends(block)[0], by_rows=True)
        ends, infinite = self._ends(as_they_lie(self.schema, columns, rows))
        return None if infinite else ends

    @cached_property
    def spreads(self) -> bool:
        """Whether some test sends a missing value down all its branches."""
        return bool((self.nodes.missing_branch == SPREADS).any())

    def log_shares(self, block: Block) -> NDArray[np.float64]:
        """Return log P(class | row) [row, class]."""
        return kernels.log(self.shares(block))

    def _reader(self, block: Block) -> walk.Read:
        columns = self.schema.used

        def read(number: int) -> NDArray[Any]:
            column = columns[number]
            return block.codes(column.name) if column.kind in CODED else block.values(column.name)

        return read

    # -- training error, text, model file --

    def training_error(self) -> float:
        """Return the weight of the training rows that the tree answers wrongly (or their cost); regression:
        the deviance.
        """
        leaf = self.nodes.leaf
        if self.regression:
            return float(self.nodes.deviance[leaf].sum())
        rows, answers = self.rows[leaf], self.labels[leaf]
        if self.answers.costs:
            return float((rows * np.array(self.answers.costs).T[answers]).sum())
        return float(rows.sum() - rows[np.arange(len(rows)), answers].sum())

    def __str__(self) -> str:
        return show(self)

    def to_dict(self) -> dict[str, Any]:
        """Return the model file's own part."""
        return {k: v.whole() if isinstance(v, ListInParts) else v for k, v in self.in_parts().items()}

    def in_parts(self) -> dict[str, Any]:
        """Return `to_dict()` with its long lists in parts, of which one at a time is in memory."""
        every = self._stretches(WRITTEN)
        few = self._stretches(-(-TESTS_WRITTEN // max(len(self.schema.used), 1)))
        proof = {} if self.certificate is None else {"certificate": self.certificate.to_dict()}
        return proof | {
            "branches": ListInParts(lambda: (write_branches(self.nodes, here) for here in every)),
            "candidates": ListInParts(lambda: (self._texts(here) for here in few)),
            "nodes": ListInParts(lambda: (write_nodes(self.nodes, here) for here in every)),
        }

    def _stretches(self, size: int) -> list[slice]:
        """Return slices of `size` nodes that cover all of them."""
        return [slice(at, min(at + size, len(self.nodes))) for at in range(0, len(self.nodes), size)]

    def _texts(self, here: slice) -> list[str]:
        """Return the candidates of some nodes as texts, none where they were not kept."""
        if self.candidates is None or isinstance(self.candidates, Sequence):
            return list(self.candidates or ()) if here.start == 0 else []
        found = self.candidates_of(np.arange(here.start, here.stop))
        assert found is not None
        return write_candidates(found, self.nodes.column[here])

    @classmethod
    def from_dict(
        cls, data: Mapping[str, Any], schema: Schema, unit: int, answers: Answers, row_unit: int = 0
    ) -> Tree:
        """Build the tree from `to_dict()`; strict."""
        nodes = read_nodes(data, schema)
        texts = data["candidates"]
        tests = int(np.count_nonzero(nodes.column >= 0))
        if not isinstance(texts, list) or len(texts) not in (0, tests) or set(map(type, texts)) - {str}:
            raise ModelFileError(
                f"the tree in the model file is damaged: {tests:,} tests need as many texts of candidates. "
                "Get the file again."
            )
        proof = Certificate.from_dict(data["certificate"]) if "certificate" in data else None
        return cls(schema, nodes, unit, answers, tuple(texts) if texts else None, row_unit, proof)
