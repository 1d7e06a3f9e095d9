"""A tree as flat arrays: one entry per node, depth first, the root is node 0.

Knows tests, branches and counts. Knows nothing of names, rows, learners, files or words.
Law: a node stands before its branches and its branches stand in order, so `n_children` alone says the shape:
the first branch of node i is i + 1, each next branch begins where the subtree of the one before ends.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

STAYS = -1  # a branch number: the row goes no further and is answered by this node's own counts
SPREADS = -2  # as `missing_branch`: the row goes down all branches, in the proportion of their counts (C4.5)
NO_CUT = float(np.finfo(np.float64).max)  # as `cut`: all numbers go to branch 0, missing rows to branch 1
AT_ONCE = 1 << 16  # nodes that are Python numbers at one time: those take several times the room

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Nodes:
    """Tests and counts of all nodes.

    counts[node, class]: rows in table units (a weight of 1 is `unit` of them); regression: [node, 0] is the
    weight.
    mean[node], deviance[node]: regression only, else empty: mean of the response, sum of its squared
    deviations.
    column[node]: position in `schema.used`, -1 in a leaf. cut[node]: a numeric test sends x < cut to branch
    0 and all others to branch 1; NaN for a test of levels. first[node], n_children[node]: the branches are
    child[first : first + n_children]. branch_of[branch_start[node] : branch_start[node + 1]]: the branch of
    each level code, empty for numeric tests and leaves; STAYS for a level without a branch of its own.
    missing_branch[node]: where a missing or unseen value goes, or STAYS, or SPREADS. gain[node]: of the test.
    """

    counts: Ints
    column: NDArray[np.int32]
    cut: Floats
    n_children: NDArray[np.int32]
    branch_start: Ints
    branch_of: NDArray[np.int32]
    missing_branch: NDArray[np.int32]
    gain: Floats
    mean: Floats = field(default_factory=lambda: np.empty(0))
    deviance: Floats = field(default_factory=lambda: np.empty(0))

    @cached_property
    def shape(self) -> tuple[Ints, Ints, Ints]:
        """First, child and parent, found when somebody asks; ValueError when this is not one tree."""
        return _shape(self.n_children)

    @property
    def first(self) -> Ints:
        """Where the branches of each node begin in child."""
        return self.shape[0]

    @property
    def child(self) -> Ints:
        """The nodes below, node after node, in branch order."""
        return self.shape[1]

    @property
    def parent(self) -> Ints:
        """The node above each; -1 for the root."""
        return self.shape[2]

    @cached_property
    def depth(self) -> Ints:
        """The number of tests above each node."""
        out = array("q", [0])
        for start in range(1, len(self), AT_ONCE):
            for above in self.parent[start : start + AT_ONCE].tolist():
                out.append(out[above] + 1)
        return np.frombuffer(out, np.int64)

    @cached_property
    def end(self) -> Ints:
        """One past the last node of each subtree: it ends where its last branch does."""
        out = array("q", range(1, len(self) + 1))
        for last in range(len(self), 1, -AT_ONCE):
            first = max(last - AT_ONCE, 1)
            above = self.parent[first:last].tolist()
            for node in range(last - 1, first - 1, -1):
                parent = above[node - first]
                if out[node] > out[parent]:
                    out[parent] = out[node]
        return np.frombuffer(out, np.int64)

    def __len__(self) -> int:
        return len(self.column)

    @property
    def leaf(self) -> NDArray[np.bool_]:
        """True for nodes without a test."""
        return self.column < 0

    @property
    def leaves(self) -> int:
        """The number of leaves."""
        return int(np.count_nonzero(self.column < 0))

    @cached_property
    def weight(self) -> Ints:
        """Rows of each node, in table units; pictures ask for it node by node."""
        weight: Ints = self.counts.sum(axis=1)
        weight.flags.writeable = False
        return weight

    def branches(self, node: int) -> Ints:
        """Return the nodes below a node, in branch order."""
        return self.child[self.first[node] : self.first[node] + self.n_children[node]]

    def levels(self, node: int) -> NDArray[np.int32]:
        """Return the branch of each level code of a node that tests levels (empty otherwise)."""
        return self.branch_of[self.branch_start[node] : self.branch_start[node + 1]]

    def cut_back(self, stop: NDArray[np.bool_]) -> tuple[Nodes, Ints]:
        """Return the tree with a leaf at every node where stop[node], and the old number of each node
        kept.
        """
        keep = np.ones(len(self), dtype=bool)
        for node in np.flatnonzero(stop & ~self.leaf):
            if keep[node]:
                keep[node + 1 : self.end[node]] = False
        kept = np.flatnonzero(keep)
        return self.pick(kept, stop[kept] | self.leaf[kept]), kept

    def graft(self, node: int, other: Nodes) -> Nodes:
        """Return the tree with another in the place of a leaf; columns have the same numbers in both."""

        def joined(own: NDArray[Any], new: NDArray[Any]) -> NDArray[Any]:
            return np.concatenate([own[:node], new, own[node + 1 :]]) if len(own) else own

        at = int(self.branch_start[node])
        lengths = joined(np.diff(self.branch_start), np.diff(other.branch_start))
        return Nodes(
            counts=joined(self.counts, other.counts),
            column=joined(self.column, other.column),
            cut=joined(self.cut, other.cut),
            n_children=joined(self.n_children, other.n_children),
            branch_start=np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64),
            branch_of=np.concatenate([self.branch_of[:at], other.branch_of, self.branch_of[at:]]),
            missing_branch=joined(self.missing_branch, other.missing_branch),
            gain=joined(self.gain, other.gain),
            mean=joined(self.mean, other.mean),
            deviance=joined(self.deviance, other.deviance),
        )

    def pick(self, kept: Ints, leaf: NDArray[np.bool_]) -> Nodes:
        """Return a tree of the nodes `kept` (in preorder), where leaf[i] says that kept[i] loses its test."""
        lengths = np.where(leaf, 0, np.diff(self.branch_start)[kept])
        parts = [self.levels(int(n)) for n, size in zip(kept, lengths, strict=True) if size]
        return Nodes(
            counts=self.counts[kept],
            column=np.where(leaf, -1, self.column[kept]).astype(np.int32),
            cut=np.where(leaf, np.nan, self.cut[kept]),
            n_children=np.where(leaf, 0, self.n_children[kept]).astype(np.int32),
            branch_start=np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64),
            branch_of=np.concatenate(parts) if parts else np.empty(0, np.int32),
            missing_branch=np.where(leaf, STAYS, self.missing_branch[kept]).astype(np.int32),
            gain=np.where(leaf, 0.0, self.gain[kept]),
            mean=self.mean[kept] if len(self.mean) else self.mean,
            deviance=self.deviance[kept] if len(self.deviance) else self.deviance,
        )


def _shape(n_children: NDArray[np.int32]) -> tuple[Ints, Ints, Ints]:
    """Return first, child and parent of a preorder; raise ValueError when it is not one tree."""
    # Places are counted in half of the room where they are not too many; what is returned is not.
    kind: Any = np.int32 if n_children.sum(dtype=np.int64) < 2**31 - 1 else np.int64
    open_branches: NDArray[Any] = 1 + np.cumsum(n_children - 1, dtype=kind)  # still to come after each node
    if not len(n_children):
        raise ValueError("no node")
    early = np.flatnonzero(open_branches[:-1] < 1)
    if len(early):
        raise ValueError(f"node {early[0] + 1} has no parent")
    if open_branches[-1]:
        raise ValueError(f"{open_branches[-1]} branches lead nowhere")
    # Read with a stack, a node takes the top place and adds one for each of its branches, the first on top.
    # A place of one height is filled and emptied in turn: its k-th owner is the parent of its k-th taker.
    first: NDArray[Any] = np.cumsum(n_children, dtype=kind) - n_children
    # of each place, in the order of filling
    owner = np.repeat(np.arange(len(n_children), dtype=kind), n_children)
    from_last = np.arange(len(owner), dtype=kind) - first[owner]  # the branch it is for, from the last
    under = np.append(kind(0), open_branches[:-1] - 1)  # places left under each node when it took its own
    filled, taken = _order(under[owner] + from_last).astype(kind), (_order(under[1:]) + 1).astype(kind)
    owner, from_last = owner[filled], from_last[filled]
    parent, child = np.full(len(n_children), -1, np.int64), np.empty(len(owner), np.int64)
    parent[taken] = owner
    child[(first + n_children - 1)[owner] - from_last] = taken
    return first.astype(np.int64), child, parent


def _order(heights: NDArray[Any]) -> Ints:
    """Return the places of heights in rising order, equal ones as they stand; short numbers are quick."""
    short = heights.astype(np.uint16) if not len(heights) or heights.max() < 2**16 else heights
    return np.argsort(short, kind="stable")


@dataclass(frozen=True, eq=False)
class Candidates:
    """The splits that could have been made: all columns of each node in memory, the best five in a file.

    start[node]..start[node + 1] are the candidates of a node, best first (by the score that chose the split).
    column[c], cut[c] as in Nodes. branch_of[branch_start[c] : branch_start[c + 1]]: groups of a test of
    levels.
    gain[c], ratio[c]: information gain (or decrease of impurity or variance) per row, and gain ratio, or NaN.
    counts[count_start[c] : count_start[c + 1], class]: rows of each branch. mean: theirs in regression, else
    empty.
    """

    start: Ints
    column: NDArray[np.int32]
    cut: Floats
    branch_start: Ints
    branch_of: NDArray[np.int32]
    gain: Floats
    ratio: Floats
    count_start: Ints
    counts: Ints
    mean: Floats = field(default_factory=lambda: np.empty(0))

    def groups(self, c: int) -> NDArray[np.int32]:
        """Return the branch of each level in a test of levels; none where it was not kept."""
        return self.branch_of[self.branch_start[c] : self.branch_start[c + 1]]

    def best(self, most: int) -> Candidates:
        """Return at most `most` candidates of each node."""
        sizes = np.minimum(np.diff(self.start), most)
        chosen = [np.arange(s, s + k) for s, k in zip(self.start[:-1], sizes, strict=True)]
        return self._pick(np.concatenate([np.empty(0, np.int64), *chosen]).astype(np.int64), sizes)

    def of_nodes(self, kept: Ints) -> Candidates:
        """Return the candidates of the nodes `kept`, in that order."""
        sizes = np.diff(self.start)[kept]
        chosen = [np.arange(self.start[n], self.start[n + 1]) for n in kept]
        return self._pick(np.concatenate([np.empty(0, np.int64), *chosen]).astype(np.int64), sizes)

    @staticmethod
    def joined(parts: Sequence[Candidates]) -> Candidates:
        """Return the candidates of all nodes of several trees, in that order."""

        def flat(name: str) -> NDArray[Any]:
            return np.concatenate([getattr(part, name) for part in parts])

        def starts(name: str) -> Ints:
            sizes = np.concatenate([np.diff(getattr(part, name)) for part in parts])
            return np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)

        return Candidates(
            start=starts("start"),
            column=flat("column"),
            cut=flat("cut"),
            branch_start=starts("branch_start"),
            branch_of=flat("branch_of"),
            gain=flat("gain"),
            ratio=flat("ratio"),
            count_start=starts("count_start"),
            counts=flat("counts"),
            mean=flat("mean"),
        )

    def _pick(self, chosen: Ints, sizes: Ints) -> Candidates:
        branch_of, branch_start = _slices(self.branch_of, self.branch_start, chosen)
        rows, count_start = _slices(np.arange(len(self.counts)), self.count_start, chosen)
        return Candidates(
            start=np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64),
            column=self.column[chosen],
            cut=self.cut[chosen],
            branch_start=branch_start,
            branch_of=branch_of,
            gain=self.gain[chosen],
            ratio=self.ratio[chosen],
            count_start=count_start,
            counts=self.counts[rows],
            mean=self.mean[rows] if len(self.mean) else self.mean,
        )


def _slices(flat: NDArray[Any], start: Ints, chosen: Sequence[int] | Ints) -> tuple[NDArray[Any], Ints]:
    """Return the slices flat[start[c] : start[c + 1]] of the chosen c, joined, and their new starts."""
    sizes = np.diff(start)[chosen]
    begin = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    index = np.arange(begin[-1]) - np.repeat(begin[:-1] - start[:-1][chosen], sizes)
    return flat[index], begin
