"""A grown tree as a worked solution: the rows of a node counted again, every split compared, in formulas.

In this order: the rows of one node, split by every column and cut (`NodeRows`, `WorkedSplit`); what every
column offers at a node and why it is split or a leaf (`worked_node`, `reason`); the same as parts of a
document, node by node (`grown`); the working of one tree as a whole. Entry: `tree_parts()`.
offer = the best split of one column at a node; price = penalty on the gain of a numeric column with many
cuts.
Laws: a count is a count of rows; gain, price and ratio that follow from the counts are those by which the
tree was grown.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tallystick.contracts import Block
from tallystick.errors import OptionError, shown
from tallystick.export.rules import expression_of
from tallystick.model.conditions import Condition, Disjunction, literal, plain_words, tested
from tallystick.schema import CODED, Column
from tallystick.stats.binning import coverage, group_bits
from tallystick.teach.document import (
    MOST_WHOLE,
    Drawing,
    Formula,
    Headline,
    Line,
    Listing,
    Over,
    Part,
    Piece,
    Quoted,
    Ratio,
    Role,
    Sentence,
    Space,
    Value,
    joined,
    line,
    opening,
    said,
)
from tallystick.teach.learn import entropy, gini
from tallystick.tree.model import Tree
from tallystick.tree.options import CRITERIA, TreeOptions
from tallystick.tree.rules import rules
from tallystick.tree.splits import arriving
from tallystick.tree.view import count, show, test_to

if TYPE_CHECKING:
    from tallystick.contracts import Table
    from tallystick.tree.estimator import DecisionTree


Counts = tuple[float, ...]
SAME = 10  # decimals to which gains are compared, so that the order of summation does not matter
MOST_TRIED = 400  # cuts of a column that are counted one by one; of more, only the best so many
NO_LEVELS = np.empty(0, np.int32)

WRITTEN = {"entropy": "entropy", "gain-ratio": "entropy", "gini": "gini"}  # criterion: its impurity


def impurity_of(options: TreeOptions) -> str:
    """Return the measure by which a tree is grown."""
    found = WRITTEN.get(options.criterion)
    if found is None:
        raise OptionError(
            f"the work of a tree can be written out for {', '.join(WRITTEN)}, not for "
            f"criterion={shown(options.criterion)}. Grow the tree by one of these, or leave the work out."
        )
    return found


IMPURITIES: dict[str, Callable[[Counts], float]] = {"entropy": entropy, "gini": gini}


@dataclass(frozen=True)
class TestedBranch:
    """The rows that one answer of a test takes. missing: some of them have no value there."""

    condition: Condition
    counts: Counts
    missing: bool = False

    @property
    def rows(self) -> float:
        """How many rows."""
        return math.fsum(self.counts)


@dataclass(frozen=True)
class WorkedSplit:
    """One test of a column, counted. lost: the rows without a value, where they are in no branch (C4.5).

    allowed: whether the branches have rows enough. cuts: how many tests of the column were allowed.
    level_rows: rows of each level here. spreads: the tree sends missing rows down all branches.
    """

    column: Column
    branches: tuple[TestedBranch, ...]
    options: TreeOptions
    lost: Counts = ()
    allowed: bool = True
    cuts: int = 1
    level_rows: tuple[float, ...] = ()
    spreads: bool = False

    @property
    def impurity(self) -> str:
        """The measure of a node."""
        return impurity_of(self.options)

    @property
    def known(self) -> float:
        """The rows in the branches."""
        return math.fsum(b.rows for b in self.branches)

    @property
    def all_rows(self) -> float:
        """The rows of the node."""
        return self.known + math.fsum(self.lost)

    @cached_property
    def together(self) -> Counts:
        """The rows of each class in all branches."""
        return tuple(map(math.fsum, zip(*(b.counts for b in self.branches), strict=True)))

    @cached_property
    def before(self) -> float:
        """The impurity of the rows in the branches taken together."""
        return IMPURITIES[self.impurity](self.together)

    @cached_property
    def average(self) -> float:
        """The weighted mean impurity of the branches."""
        of = IMPURITIES[self.impurity]
        return math.fsum(b.rows / self.known * of(b.counts) for b in self.branches)

    @cached_property
    def gain(self) -> float:
        """What knowing the column takes away of the impurity; of known rows, times their share."""
        gain = (self.before - self.average) * self.known / self.all_rows
        return gain if gain > 1e-12 else 0.0

    @cached_property
    def information(self) -> float:
        """The split information: the entropy of the sizes of the branches, missing rows being one."""
        lost = (math.fsum(self.lost),) if self.lost else ()
        return entropy((*(b.rows for b in self.branches), *lost))

    @cached_property
    def price(self) -> float:
        """What is taken off the gain for choosing among many cuts, or for naming groups of levels: their
        bits, and the part of the gain that lies in levels of one row.
        """
        if self.column.kind != "levels":
            priced = self.column.kind == "numeric" or not self.spreads
            each = self.options.cut_price if priced else 0.0
            return each * math.log2(max(self.cuts, 1)) / self.all_rows if each else 0.0
        if self.options.level_splits != "groups":
            return 0.0
        sizes = np.array(self.level_rows)
        lost = self.options.cut_price > 0 and any(b.missing for b in self.branches)
        first = self.branches[0]
        named = sum(sizes[k] > 0 for k in first.condition.levels or ()) + (lost and first.missing)
        bits = group_bits(int((sizes > 0).sum()) + lost, named) / self.all_rows
        if not bits:
            return 0.0
        if self.impurity == "gini":
            bits = self.before * min(bits / entropy(self.together), 1.0)
        return bits + (1 - coverage(sizes)) * self.gain

    @property
    def pays(self) -> bool:
        """Whether groups gain more than it costs to name them; cuts may cost more than they gain."""
        return self.column.kind != "levels" or not self.price or self.gain > self.price

    @property
    def net(self) -> float:
        """The gain less its price; 0 for groups that do not pay."""
        return self.gain - self.price if self.pays else 0.0

    @property
    def ratio(self) -> float:
        """The gain ratio: what is left of the gain over the split information."""
        return self.net / self.information if self.information > 0 else 0.0


@dataclass(frozen=True)
class NodeRows:
    """The rows of one node. parts[row]: how much of each training row is here."""

    tree: Tree
    block: Block
    options: TreeOptions
    parts: NDArray[np.float64]

    @classmethod
    def of(cls, tree: Tree, node: int, block: Block, options: TreeOptions) -> NodeRows:
        """Return the rows that come to a node."""
        return cls(tree, block, options, arriving(tree, node, block))

    @cached_property
    def spreads(self) -> bool:
        """Whether missing rows go down all branches in parts; there must be some in the table."""
        lost = any(c.missing for c in self.tree.schema.used if c.kind != "text")
        return lost and self.options.missing_values == "fractions"

    @cached_property
    def counts(self) -> Counts:
        """The rows of each class."""
        return self._count(np.ones(self.block.rows, bool))

    def _count(self, chosen: NDArray[np.bool_]) -> Counts:
        assert self.block.classes is not None
        size = len(self.tree.schema.predicted.labels)
        found = np.bincount(self.block.classes[chosen], self.parts[chosen], size)
        return tuple(round(x, 9) for x in found.tolist())

    def cells(self, column: Column) -> NDArray[Any]:
        """Return the codes or numbers of a column."""
        cells: NDArray[Any]
        if column.kind in CODED:
            return self.block.codes(column.name)
        cells = self.block.values(column.name)
        return cells

    def _missing(self, column: Column) -> NDArray[np.bool_]:
        cells = self.cells(column)
        return cells >= len(column.levels) if column.kind in CODED else np.isnan(cells)

    def _table(self, column: Column) -> tuple[list[Counts], Counts]:
        """Return the counts of each level, and of the missing rows."""
        cells = self.cells(column)
        return [self._count(cells == k) for k in range(len(column.levels))], self._count(
            self._missing(column)
        )

    def different(self, column: Column) -> int:
        """Return how many different values a column has here, missing being one."""
        cells, gone = self.cells(column), self._missing(column)
        there = self.parts > 0
        return len(np.unique(cells[there & ~gone])) + bool((there & gone).any())

    # -- the tests of a column --

    def each_level(self, column: Column) -> WorkedSplit | None:
        """Return the test with a branch for each level; missing rows go where they serve best, in a branch of
        the others or in one of their own, or nowhere.
        """
        counts, gone = self._table(column)
        codes = np.arange(len(column.levels), dtype=np.int32)
        known = [
            TestedBranch(tested(column, math.nan, codes, k, False), found) for k, found in enumerate(counts)
        ]
        least = self.options.min_samples_leaf
        large = sum(b.rows >= least for b in known)
        split = self._split(column, tuple(known), gone)
        tried = [split] if large >= 2 else []
        if any(gone) and not self.spreads:
            with_rows = [k for k, branch in enumerate(known) if branch.rows] if large >= 2 else []
            tried = [replace(split, branches=_joined(known, k, gone)) for k in with_rows]
            if math.fsum(gone) >= least and large >= 1:
                own = TestedBranch(Condition(column, levels=(), missing=True), gone, True)
                tried.append(replace(split, branches=(*known, own)))
        return max(tried, key=lambda s: round(s.gain, SAME), default=None)

    def two_branches(
        self, column: Column, cut: float, levels: NDArray[np.int32], first: Counts = ()
    ) -> WorkedSplit:
        """Return a test with two branches; missing rows are in the one where they serve best, or where they
        make the first branch what it is known to be.
        """
        cells, gone = self.cells(column), self._missing(column)
        right = levels[np.minimum(cells, len(levels) - 1)] == 1 if column.kind in CODED else cells >= cut
        known = [
            TestedBranch(tested(column, cut, levels, b, False), self._count(~gone & (right == bool(b))))
            for b in (0, 1)
        ]
        lost = self._count(gone)
        split = self._split(column, tuple(known), lost)
        least = self._least(column, split)
        tried = [split]
        if any(lost) and not self.spreads:
            tried = [replace(split, branches=_joined(known, b, lost)) for b in (0, 1)]
        tried = [replace(s, allowed=min(b.rows for b in s.branches) >= least) for s in tried]
        best = [s for s in tried if s.branches[0].counts == first] or [s for s in tried if s.allowed] or tried
        return max(best, key=lambda s: round(s.gain, SAME))

    def alone(self, column: Column) -> WorkedSplit | None:
        """Return the test of whether there is a value at all, where some rows have none."""
        gone = self._missing(column)
        lost, known = self._count(gone), self._count(~gone)
        if not (any(lost) and any(known)) or self.spreads:
            return None
        every = tuple(range(len(column.levels))) if column.kind in CODED else None
        never = Condition(column, math.inf, -math.inf, () if column.kind in CODED else None, True)
        branches = (TestedBranch(Condition(column, levels=every), known), TestedBranch(never, lost, True))
        split = replace(self._split(column, branches, ()), lost=())
        least = self._least(column, split)
        return replace(split, allowed=min(b.rows for b in branches) >= least)

    def every_cut(self, column: Column) -> list[WorkedSplit]:
        """Return a test for each place between two neighbouring values, and for missing rows alone; of very
        many places those whose cuts leave the least impurity of known rows.
        """
        gone = self._missing(column)
        there, lost = (self.parts > 0) & ~gone, self._count(gone)
        values, at = np.unique(self.cells(column)[there], return_inverse=True)
        pairs = kept = list(pairwise(values.tolist()))
        below = np.zeros((len(values), len(self.tree.schema.predicted.labels)))  # rows[place, class]
        if len(pairs) > MOST_TRIED:
            assert self.block.classes is not None
            np.add.at(below, (at, self.block.classes[there]), self.parts[there])
            below = np.cumsum(below, axis=0)
            of = IMPURITIES[impurity_of(self.options)]
            cost = [
                a.sum() * of(tuple(a.tolist())) + b.sum() * of(tuple(b.tolist()))
                for a, b in zip(below[:-1], below[-1] - below[:-1], strict=True)
            ]
            kept = [pairs[k] for k in sorted(np.argsort(cost, kind="stable")[:MOST_TRIED].tolist())]
        found = [self.two_branches(column, *self._cut(column, low, high)) for low, high in kept]
        alone = self.alone(column)
        found += [alone] if alone is not None else []
        sides = 2 if any(lost) and alone is not None else 1  # where rows without a value may go
        many = sum(s.allowed * (1 if s is alone else sides) for s in found)
        if len(kept) < len(pairs):
            left = below.sum(axis=1)
            left, right = left[:-1], left[-1] - left[:-1]
            more = math.fsum(lost) if sides == 2 else 0.0
            least = self._least(column, self.two_branches(column, math.inf, NO_LEVELS))
            both = ((left + more >= least) & (right >= least), (left >= least) & (right + more >= least))
            many = int(sum(each.sum() for each in both[:sides])) + (alone is not None and alone.allowed)
        return [replace(s, cuts=many) for s in found]

    def _cut(self, column: Column, low: Any, high: Any) -> tuple[float, NDArray[np.int32]]:
        """Return the cut between neighbours, or the branch of each level."""
        if column.kind in CODED:
            return math.nan, (np.arange(len(column.levels)) >= high).astype(np.int32)
        cut = 0.5 * low + 0.5 * high  # of neighbours; where it rounds onto the lower, the upper
        cut = cut if cut > low else high
        if self.options.cuts == "observed":  # just above the largest value not above it
            values = self.cells(column)
            cut = float(np.nextafter(values[values <= cut].max(), np.inf))
        return cut, NO_LEVELS

    def _least(self, column: Column, split: WorkedSplit) -> float:
        """Return how many rows each of two branches needs."""
        least = self.options.min_samples_leaf
        if not self.options.cut_rows or column.kind != "numeric":
            return least
        wanted = math.ceil(split.known / (10 * len(self.tree.schema.predicted.labels)))
        return least if wanted <= least else min(wanted, 25)

    def _split(self, column: Column, branches: tuple[TestedBranch, ...], gone: Counts) -> WorkedSplit:
        lost = gone if self.spreads and any(gone) else ()
        levels: Counts = ()
        if column.kind == "levels":
            levels = tuple(math.fsum(counts) for counts in self._table(column)[0])
        return WorkedSplit(column, branches, self.options, lost, level_rows=levels, spreads=self.spreads)


def _joined(known: list[TestedBranch], at: int, gone: Counts) -> tuple[TestedBranch, ...]:
    """Return branches with the missing rows in one of them."""
    out = list(known)
    counts = tuple(a + b for a, b in zip(known[at].counts, gone, strict=True))
    out[at] = TestedBranch(replace(known[at].condition, missing=True), counts, True)
    return tuple(out)


# ---- one node: the best split of every column, and why the node is split so, or is a leaf ----

NEAR = 1e-9  # gains that differ by less are equal up to rounding


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
    asked = int(tree.nodes.column[number])
    if asked < 0 and (ends := _ends(tree, number, rows, options)):
        return WorkedNode(number, rows, (), None, ends)
    offers = []
    for column in tree.schema.used:
        if column.kind == "text":
            continue
        if rows.different(column) < 2:
            offers.append(Offer(column, None, why_not="all rows here have the same value"))
        elif column.kind != "levels":
            every = tuple(rows.every_cut(column))
            best = max((s for s in every if s.allowed), key=lambda s: round(s.gain, SAME), default=None)
            offers.append(
                Offer(column, best, every, "" if best else "no cut leaves rows enough on both sides")
            )
        else:
            each = options.level_splits == "each"
            found = rows.each_level(column) if each else _groups(tree, number, rows, column)
            why_not = "" if found else "fewer than two branches would have rows enough"
            offers.append(Offer(column, found, (), why_not))
    if asked < 0:
        node = WorkedNode(number, rows, tuple(offers), None)
        return replace(node, stop=_why_leaf(tree, node, options))
    winner = next(o for o in offers if o.column.name == tree.schema.used[asked].name)
    return WorkedNode(number, rows, tuple(offers), winner)


def _ends(tree: Tree, number: int, rows: NodeRows, options: TreeOptions) -> LeafReason | None:
    """Return why a node is a leaf before any split is tried; None where splits are tried."""
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
    """Return why a node is a leaf although splits were tried."""
    best = [o.best for o in node.rivals if o.best is not None]
    if not best:
        if any(node.rows.different(o.column) >= 2 for o in node.offers):
            return LeafReason("rows", options.min_samples_leaf)
        above, at = set(), int(tree.nodes.parent[node.number])
        while at >= 0:
            above.add(int(tree.nodes.column[at]))
            at = int(tree.nodes.parent[at])
        return LeafReason("used up" if len(above) == len(node.offers) else "alike")
    if options.stop_at_zero_gain and max(split.net for split in best) <= NEAR:
        return LeafReason("no gain")
    share = math.fsum(node.rows.counts) / float(tree.rows[0].sum())
    least = options.min_impurity_decrease
    if least > 0 and all(split.gain * share < least for split in best):
        return LeafReason("decrease", least)
    if options.max_leaf_nodes is not None:
        return LeafReason("leaves", options.max_leaf_nodes)
    return LeafReason("price")


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


# ---- as parts of a document: impurity, gain and choice at every node; then the tree and its rules ----

MOST_CUTS = 40  # cuts of one column that are listed where only the root is worked out
NAMES = {"entropy": ("H", "entropy"), "gini": ("G", "Gini")}  # of an impurity: its sign and its word
LEAF = {  # why a node is a leaf; {n} is the setting's number
    "pure": "Leaf: all its rows are {label}. It is pure, nothing is left to find out",
    "no rows": "Leaf: no training row comes here, so it answers as the node above it does",
    "alike": "Leaf: its rows are alike in every column, so no test can tell them apart",
    "used up": "Leaf: no column is left, every one was tested on the way here",
    "no gain": "Leaf: no test gains anything here, and growing stops at zero gain",
    "depth": "Leaf: it lies at the largest depth, {n} (max_depth)",
    "split": "Leaf: too few rows to split, fewer than {n} (min_samples_split)",
    "leaf": "Leaf: too few rows, two leaves of at least {n} (min_samples_leaf) need more",
    "rows": "Leaf: no test leaves enough rows in two branches, at least {n} (min_samples_leaf)",
    "decrease": "Leaf: no gain, weighted by the share of rows that come here, reaches {n} "
    "(min_impurity_decrease)",
    "leaves": "Leaf: the tree may have {n} leaves (max_leaf_nodes), and other nodes gain more",
    "entropy": "Leaf: its entropy is below {n} (min_entropy)",
    "price": "Leaf: no test gains more than it costs to name its cut or its groups",
}


def grown(tree: Tree, block: Block, options: TreeOptions, whole: bool) -> list[Part]:
    """Return the working of a tree as it was grown; only of its root where it is not to be told whole."""
    root = worked_node(tree, 0, block, options)
    parts = [*_node(tree, root, options, "always", whole)]
    if whole:
        words = (
            "Which column is tested first? Go on in the same way in each branch that is not pure, until "
            "every branch ends in a leaf. Draw the tree and write down its rules."
        )
        parts += [Sentence((words,), "question"), Space(12)]
        for number in range(1, len(tree.nodes)):
            parts += _node(tree, worked_node(tree, number, block, options), options, "answer", whole)
    return parts


def ended(tree: Tree) -> list[Part]:
    """Return the tree, its rules and its expression."""
    found = rules(tree)
    parts: list[Part] = [
        Headline(("The tree",), role="answer"),
        Drawing(tuple(show(tree).split("\n"))),
        Headline(("The rules",), role="answer"),
        Drawing(tuple(str(found).split("\n"))),
    ]
    if (text := expression_of(found)) is not None:
        label = found.schema.predicted.labels[1]
        order = [c.name for c in found.schema.used]
        whole = tuple(
            tuple(sorted((c for c in r.conditions if not c.always), key=lambda c: order.index(c.column.name)))
            for r in found.rules
            if r.answer == label
        )
        parts.append(Headline(("The expression",), role="answer"))
        if _literals(whole) != _literals(found.disjunction().terms):
            parts.append(Sentence(("Branch by branch, as the tree asks:",), "answer"))
            parts.append(Formula((said(label),), ((Quoted(str(Disjunction(whole, False))),),), role="answer"))
            parts.append(Sentence(("The shortest:",), "answer"))
        parts.append(Formula((said(label),), ((Quoted(text),),), role="answer"))
    return parts


def _literals(terms: tuple[tuple[Condition, ...], ...]) -> set[frozenset[str]]:
    """Return the terms of an expression without their order."""
    return {frozenset(map(literal, term)) for term in terms}


# -- one node --


def _node(tree: Tree, node: WorkedNode, options: TreeOptions, role: Role, whole: bool) -> list[Part]:
    """Return the working of one node."""
    counts, name = node.rows.counts, impurity_of(options)
    labels = tree.schema.predicted.labels
    each = [line(said(label), ": ", number(n)) for label, n in zip(labels, counts, strict=True)]
    value = (Value(IMPURITIES[name](counts)),)
    mixed = sum(n > 0 for n in counts) > 1
    parts: list[Part] = [
        Headline(_place(tree, node.number), role=role),
        Sentence(line(count(math.fsum(counts), "row"), "; ", joined(each, ", "), "."), role),
        Formula(impurity_left(counts, name), (written_out(counts, name), value) if mixed else (value,), role),
    ]
    if node.stop is not None:
        label = plain_words(labels[int(tree.labels[node.number])])
        setting = "" if node.stop.setting is None else f"{node.stop.setting:g}"
        text = f"{LEAF[node.stop.kind].format(n=setting, label=label)}. Answer: {label}."
        return [*parts, *_refused(node), Sentence((Quoted(text),), "answer")]
    for offer in node.rivals:
        parts += _offered(tree, offer, options, role, whole)
    return [*parts, *_refused(node), *_summary(node, options, role), _chosen(node, options)]


def _place(tree: Tree, number: int) -> Line:
    """Return the heading of a node: its number and the tests that lead to it."""
    if number == 0:
        return ("Node 0: all rows",)
    tests, at = [], number
    while (condition := test_to(tree, at)) is not None:
        tests.append(condition.sentence(missing=condition.column.missing > 0))
        at = int(tree.nodes.parent[at])
    return line(f"Node {number}: ", joined([(Quoted(t),) for t in reversed(tests)], " and "))


def impurity_left(counts: Counts, name: str) -> Line:
    """Return H(5/14, 9/14)."""
    total = math.fsum(counts)
    return line(f"{NAMES[name][0]}(", joined([share(n, total) for n in counts], ", "), ")")


def written_out(counts: Counts, name: str) -> Line:
    """Return −(5/14)·log₂(5/14) − (9/14)·log₂(9/14), or 1 − (5/14)² − (9/14)²."""
    total = math.fsum(counts)
    if name == "gini":
        return line("1", *(line(" − ", bracketed(share(n, total, True)), "²") for n in counts if n))
    out: list[Piece | Line] = []
    for n in counts:
        if n:
            each = bracketed(share(n, total, True))
            out += [" − " if out else "−", each, "·log₂", "" if each[0] == "(" else " ", each]
    return line(*out)


def share(n: float, total: float, decimal: bool = False) -> Line:
    """Return a share of rows as the fraction of its counts; decimal: as 0.4 where that is exact."""
    if n == int(n) and total == int(total):
        return (Ratio(int(n), int(total), decimal),)
    return (Over((number(n),), (number(total),)),)


def bracketed(each: Line) -> Line:
    """Return a fraction in brackets, a decimal without."""
    first = each[0]
    return each if isinstance(first, Ratio) and first.short else line("(", each, ")")


def number(n: float) -> Value:
    """Return a number of rows."""
    return Value(int(n)) if n == int(n) else Value(n, 2)


# -- one column --


def _offered(tree: Tree, offer: Offer, options: TreeOptions, role: Role, whole: bool) -> list[Part]:
    """Return the working of one column at a node."""
    assert offer.best is not None
    best = offer.best
    grouped = best.column.kind == "levels" and options.level_splits == "groups"
    own: Role = "answer" if grouped else role
    parts: list[Part] = [Headline(line("Column ", said(offer.column.name)), 3, role)]
    if grouped and role == "always":
        parts += [Sentence(("Find the best way to part the levels into two groups.",), "question"), Space(6)]
    if len(offer.every) > 1:
        parts += _every_cut(tree, offer, options, role, whole)
        own = "answer" if role == "answer" else "always"
    else:
        parts.append(_branches(tree, best, own))
    return [*parts, *_formulas(best, own, len(offer.every) > 1)]


def words_of(branch: TestedBranch) -> Quoted:
    """Return a branch in words."""
    return Quoted(branch.condition.sentence(missing=branch.missing))


def _branches(tree: Tree, split: WorkedSplit, role: Role) -> Listing:
    """Return the branches of a test with their counts and impurities."""
    labels = tree.schema.predicted.labels
    word = NAMES[split.impurity][1]
    rows = []
    for branch in split.branches:
        cells: list[Line] = [(words_of(branch),), (number(branch.rows),)]
        cells += [(number(n),) for n in branch.counts]
        value = IMPURITIES[split.impurity](branch.counts)
        cells.append(
            line(impurity_left(branch.counts, split.impurity), " = ", Value(value)) if branch.rows else ("–",)
        )
        rows.append(tuple(cells))
    head: tuple[Line, ...] = (("branch",), ("rows",), *((said(label),) for label in labels), (word,))
    every = range(1, len(head))
    return Listing(head, tuple(rows), frozenset(every), frozenset(range(1, len(head) - 1)), role=role)


def _every_cut(tree: Tree, offer: Offer, options: TreeOptions, role: Role, whole: bool) -> list[Part]:
    """Return every cut of a column with its counts and its gain; the best ones of a large table."""
    kept, more = list(offer.every), 0
    if not whole and len(kept) > MOST_CUTS:
        ranked = sorted(kept, key=lambda s: -s.gain)[:MOST_CUTS]
        more, kept = len(kept) - MOST_CUTS, [s for s in kept if s in ranked]
    labels = ", ".join(plain_words(label) for label in tree.schema.predicted.labels)
    word = NAMES[impurity_of(options)][1]
    head: tuple[Line, ...] = (
        ("test",),
        line("rows (", Quoted(labels), ") where it holds"),
        ("and where not",),
        (f"average {word}",),
        ("gain",),
    )
    rows: list[tuple[Line, ...]] = []
    for split in kept:
        first, second = (joined([(number(n),) for n in b.counts], ", ") for b in split.branches)
        gain = line(Value(split.gain), "" if split.allowed else " (too few rows)")
        rows.append(((words_of(split.branches[0]),), first, second, (Value(split.average),), gain))
    marked = next((k for k, s in enumerate(kept) if s is offer.best), None)
    parts: list[Part] = [Listing(head, tuple(rows), frozenset({1, 2, 3, 4}), frozenset({3, 4}), marked, role)]
    if more:
        parts.append(Sentence((f"The {MOST_CUTS} best cuts of {offer.every[0].cuts:,} are shown.",), role))
    return parts


def _formulas(split: WorkedSplit, role: Role, cut: bool) -> list[Part]:
    """Return average, gain, price, split information and ratio of a test, written out."""
    of, word = IMPURITIES[split.impurity], NAMES[split.impurity][1]
    there = [b for b in split.branches if b.rows]
    average = joined(
        [line(bracketed(share(b.rows, split.known)), "·", Value(of(b.counts))) for b in there], " + "
    )
    parts: list[Part] = []
    if cut:
        parts.append(Sentence(line("The best is ", words_of(split.branches[0]), "."), "answer"))
        role = "answer"
    parts.append(Formula((f"average {word}",), (average, (Value(split.average),)), role))
    gain = line(Value(split.before), " − ", Value(split.average))
    if split.lost:
        rows = math.fsum(split.lost)
        words = (
            f"{count(rows, 'row')} {'has' if rows == 1 else 'have'} no value: in parts down all branches. "
            "The gain is that of the others, times their share; the entropy of the others is "
        )
        parts.append(Sentence(line(words, Value(split.before), "."), "answer"))
        gain = line(bracketed(share(split.known, split.all_rows)), "·(", gain, ")")
    parts.append(Formula(("gain",), (gain, (Value(split.gain),)), role))
    if split.price:
        words, price = "price of naming the groups", (Value(split.price),)
        steps: tuple[Line, ...] = (price,)
        if split.column.kind != "levels":
            words = f"price of one of {split.cuts:,} cuts"
            each = "" if split.options.cut_price == 1 else f"{split.options.cut_price:g}·"
            steps = (line(f"{each}log₂ {split.cuts}", " / ", number(split.all_rows)), price)
        net = line(Value(split.gain), " − ", Value(split.price))
        parts.append(Formula((words,), steps, role))
        parts.append(Formula(("gain less price",), (net, (Value(split.gain - split.price),)), role))
        if not split.pays:
            words = "The groups do not pay for their names: the column cannot win here."
            parts.append(Sentence((words,), "answer"))
    if split.impurity == "entropy" and split.information:
        sizes = tuple(b.rows for b in split.branches) + ((math.fsum(split.lost),) if split.lost else ())
        information = (written_out(sizes, "entropy"), (Value(split.information),))
        ratio = (line(Value(split.net), " / ", Value(split.information)), (Value(split.ratio),))
        parts.append(Formula(("split information",), information, role))
        parts.append(Formula(("gain ratio",), ratio, role))
    return parts


# -- the choice --


def _refused(node: WorkedNode) -> list[Part]:
    """Return the columns that cannot be tested, by their reason."""
    reasons: dict[str, list[Column]] = {}
    for offer in node.offers:
        if offer.best is None:
            reasons.setdefault(offer.why_not, []).append(offer.column)
    out: list[Part] = []
    for why, columns in reasons.items():
        names = joined([(said(c.name),) for c in columns], ", ")
        out.append(Sentence(line("Not tested: ", names, f" ({why})."), "answer"))
    return out


def _summary(node: WorkedNode, options: TreeOptions, role: Role) -> list[Part]:
    """Return all columns side by side, in the order of the table."""
    _, word = NAMES[impurity_of(options)]
    priced = any(o.best is not None and o.best.price for o in node.rivals)
    entropies = impurity_of(options) == "entropy"
    head: list[Line] = [("column",), (f"average {word}",), ("gain",)]
    head += [("gain less price",)] if priced else []
    head += [("split information",), ("gain ratio",)] if entropies else []
    rows: list[tuple[Line, ...]] = []
    for offer in node.rivals:
        best = offer.best
        assert best is not None
        cells = [best.average, best.gain, *([best.net] if priced else [])]
        cells += [best.information, best.ratio] if entropies else []
        rows.append(((said(offer.column.name),), *((Value(x),) for x in cells)))
    every = frozenset(range(1, len(head)))
    marked = next((k for k, o in enumerate(node.rivals) if o is node.winner), None)
    return [
        Headline(("All columns",), 3, role),
        Listing(tuple(head), tuple(rows), every, every, marked, role),
    ]


def _chosen(node: WorkedNode, options: TreeOptions) -> Sentence:
    """Say why the winner won."""
    winner = node.winner
    assert winner is not None
    assert winner.best is not None
    why, rivals = reason(node, options)
    name, by_ratio = said(winner.column.name), CRITERIA[options.criterion].by_ratio
    if why == "only":
        return Sentence(line(name, " is the only column that can be tested: split on it."), "answer")
    assert rivals[0].best is not None
    measure = "gain ratio" if by_ratio else "gain less price" if winner.worth != winner.best.gain else "gain"
    own = Value(winner.best.ratio if by_ratio else winner.worth)
    next_ = Value(rivals[0].best.ratio if by_ratio else rivals[0].worth)
    among = line(" of the columns with at least average gain (", Value(node.guard), ")") if by_ratio else ()
    if why == "tie":
        tail = line(", as has ", said(rivals[0].column.name), "; of equals the first by name wins")
    elif why == "average":
        larger = sum(o.best is not None and o.best.ratio > winner.best.ratio for o in rivals)
        tail = line(f"; {larger} with a larger ratio gain less than the average")
    else:
        tail = line("; next is ", said(rivals[0].column.name), " with ", next_)
    head = line(name, f" has the largest {measure}, ", own, *((",", among) if among else ()))
    return Sentence(line(head, tail, ": split on ", name, "."), "answer")


# ---- the working of one tree as a whole ----

PLAIN = ("class_weight", "priors", "costs")  # parameters with which no worked solution is made


def tree_parts(
    estimator: DecisionTree, table: Table, title: str, row: tuple[Any, int] | None, whole: bool
) -> list[Part]:
    """Return the working of a fitted tree."""
    for name in PLAIN:
        if getattr(estimator, name) is not None:
            raise OptionError(f"a working counts every row once, and {name}= is given. Leave it out.")
    task = ("Grow the tree by hand: at every node work out the entropy, and for every column what it gains.",)
    parts = opening(title, table, task, (*estimator.source_notes_, *estimator.notes_))
    if not whole:
        words = f"A working of {table.rows:,} rows would fill a book: only the root is worked out"
        parts.append(Sentence((f"{words} (whole up to {MOST_WHOLE} rows).",)))
    tree = estimator.model_
    if estimator.pruning is not None:
        full = type(estimator)(**estimator.get_params(deep=False) | {"pruning": None})
        tree = full._grow(table, full._engine())
    parts += grown(tree, table.local().slice(0, table.rows), estimator._options(), whole)
    if whole:
        model, leaves = estimator.model_, tree.nodes.leaves
        if model.averaged is not None:
            words = (
                f"Answers are averaged over all prunings of this tree of {count(leaves, 'leaf')}; the most "
                "probable one is shown below."
            )
            parts += [Headline(("Averaging",), role="answer"), Sentence((words,), "answer")]
        elif estimator.pruning is not None:
            kept = model.nodes.leaves
            words = f": {count(kept, 'leaf')} of {leaves:,} {'is' if kept == 1 else 'are'} left."
            pruned = line("Pruned by ", said(repr(estimator.pruning)), words)
            parts += [Headline(("Pruning",), role="answer"), Sentence(pruned, "answer")]
        parts += ended(model)
    if row is not None:
        parts += [
            Headline(("A row",)),
            Sentence(("Follow the row down the tree.",), "question"),
            Space(3),
            Drawing(tuple(str(estimator.explain(*row)).split("\n"))),
        ]
    return parts
