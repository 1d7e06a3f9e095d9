"""The rows of one node counted by hand: every column, every branch, every cut.

Knows a fitted tree, its options and the training rows. Knows nothing of words, documents or formats.
Laws: a count is a count of rows; gain, price and ratio that follow from the counts are those by which the
tree was grown.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallystick.contracts import Block
from tallystick.data.schema import CODED, Column
from tallystick.explain.tree_rows import arriving
from tallystick.learn import entropy, gini
from tallystick.learners.tree_options import TreeOptions
from tallystick.models.tree import Tree
from tallystick.models.tree.sentences import Condition, tested
from tallystick.stats.price import coverage, group_bits

Counts = tuple[float, ...]
SAME = 10  # decimals in which equal gains agree, whatever the order of their sums
MOST_TRIED = 400  # cuts of a column that are counted one by one; of more only so many, the best
NO_LEVELS = np.empty(0, np.int32)


def impurity_of(options: TreeOptions) -> str:
    """Return the measure by which a tree is grown."""
    return "gini" if options.criterion == "gini" else "entropy"


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
        """What is taken off the gain for choosing among many cuts, or for naming groups of levels."""
        if self.column.kind != "levels":
            priced = self.column.kind == "numeric" or not self.spreads
            each = self.options.cut_price if priced else 0.0
            return each * math.log2(max(self.cuts, 1)) / self.all_rows if each else 0.0
        return self._group_price if self.options.level_splits == "groups" else 0.0

    @property
    def _group_price(self) -> float:
        """What naming a group costs: its bits, and the part of the gain that lies in levels of one row."""
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
        """Return the test with a branch for each level; missing rows go where they serve best, or nowhere."""
        counts, gone = self._table(column)
        codes = np.arange(len(column.levels), dtype=np.int32)
        known = [
            TestedBranch(tested(column, math.nan, codes, k, False), found) for k, found in enumerate(counts)
        ]
        split = self._split(column, tuple(known), gone)
        tried = list(self._with_missing(split, known, gone, len(counts)))
        allowed = [s for s in tried if s.allowed]
        return max(allowed, key=lambda s: round(s.gain, SAME)) if allowed else None

    def _with_missing(
        self, split: WorkedSplit, known: list[TestedBranch], gone: Counts, every: int
    ) -> Iterator[WorkedSplit]:
        """Yield the test with its missing rows in each branch that has rows, and in one of their own."""
        least = self.options.min_samples_leaf
        large = sum(b.rows >= least for b in known)
        if not any(gone) or self.spreads:
            yield replace(split, allowed=large >= 2)
            return
        for k, branch in enumerate(known):
            if branch.rows and every:
                yield replace(split, branches=_joined(known, k, gone), allowed=large >= 2)
        own = TestedBranch(Condition(split.column, levels=(), missing=True), gone, True)
        enough = math.fsum(gone) >= least
        yield replace(split, branches=(*known, own), allowed=enough and large + 1 >= 2)

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
        many places the best.
        """
        pairs = list(pairwise(self._values(column).tolist()))
        kept = pairs if len(pairs) <= MOST_TRIED else [pairs[k] for k in self._promising(column)]
        found = [self.two_branches(column, cut, levels) for cut, levels in self._cuts(column, kept)]
        alone = self.alone(column)
        found += [alone] if alone is not None else []
        sides = 2 if any(self._count(self._missing(column))) and alone is not None else 1
        many = sum(s.allowed * (1 if s is alone else sides) for s in found)
        if len(kept) < len(pairs):
            many = self._allowed(column, sides) + (alone is not None and alone.allowed)
        return [replace(s, cuts=many) for s in found]

    def _values(self, column: Column) -> NDArray[Any]:
        """Return the different values of a column here, rising."""
        return np.unique(self.cells(column)[(self.parts > 0) & ~self._missing(column)])

    def _below(self, column: Column) -> NDArray[np.float64]:
        """Return rows[place, class] below each place between two neighbouring values, and last all rows."""
        assert self.block.classes is not None
        there = (self.parts > 0) & ~self._missing(column)
        values, at = np.unique(self.cells(column)[there], return_inverse=True)
        counts = np.zeros((len(values), len(self.tree.schema.predicted.labels)))
        np.add.at(counts, (at, self.block.classes[there]), self.parts[there])
        return np.cumsum(counts, axis=0)

    def _promising(self, column: Column) -> list[int]:
        """Return the places whose cuts leave the least impurity, in their order, by known rows."""
        below = self._below(column)
        left, right = below[:-1], below[-1] - below[:-1]
        of = IMPURITIES[impurity_of(self.options)]
        cost = [
            a.sum() * of(tuple(a.tolist())) + b.sum() * of(tuple(b.tolist()))
            for a, b in zip(left, right, strict=True)
        ]
        return sorted(np.argsort(cost, kind="stable")[:MOST_TRIED].tolist())

    def _allowed(self, column: Column, sides: int) -> int:
        """Return how many cuts leave rows enough on both sides; sides: where rows without a value may go."""
        below = self._below(column).sum(axis=1)
        left, right = below[:-1], below[-1] - below[:-1]
        gone = math.fsum(self._count(self._missing(column))) if sides == 2 else 0.0
        least = self._least(column, self.two_branches(column, math.inf, NO_LEVELS))
        both = ((left + gone >= least) & (right >= least), (left >= least) & (right + gone >= least))
        return int(sum(each.sum() for each in both[:sides]))

    def _cuts(
        self, column: Column, pairs: list[tuple[Any, Any]]
    ) -> Iterator[tuple[float, NDArray[np.int32]]]:
        """Yield the cut between neighbours, or the branch of each level."""
        for low, high in pairs:
            if column.kind in CODED:
                yield math.nan, (np.arange(len(column.levels)) >= high).astype(np.int32)
                continue
            middle = 0.5 * low + 0.5 * high  # of neighbours; where it rounds onto the lower, the upper
            yield self._placed(column, middle if middle > low else high), NO_LEVELS

    def _placed(self, column: Column, cut: float) -> float:
        """Return the cut as the options want it: as it is, or just above the largest value not above it."""
        if self.options.cuts != "observed":
            return cut
        values = self.cells(column)
        return float(np.nextafter(values[values <= cut].max(), np.inf))

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
