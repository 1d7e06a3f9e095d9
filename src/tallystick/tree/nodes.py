"""A tree as flat arrays (`Nodes`), its candidate splits, their file formats, prior of tests, row descent.

In this order: `Nodes`; `Candidates`, and their texts in a file; nodes to and from plain data (`write_nodes`,
`read_nodes`); the prior probability of tests (`prior_of_tests`); rows down the tree by arrays (`stops`,
`spread`, `ways`). One entry per node, depth first, the root is node 0.
cut = threshold of a numeric test; stay = be answered at a test, without a branch; spread = go down all
branches in parts; way = the path of a row (or of a part of it) with the branches taken.
Law: a node stands before its branches and its branches stand in order, so `n_children` alone says the
shape: the first branch of node i is i + 1, each next branch begins where the subtree of the one before
ends.
"""

from __future__ import annotations

import json
from array import array
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain, compress
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallystick import kernels
from tallystick.errors import ModelFileError
from tallystick.schema import CODED, Schema

STAYS = -1  # a branch number: the row goes no further and is answered by this node's own counts
SPREADS = -2  # as `missing_branch`: the row goes down all branches, in the proportion of their counts (C4.5)
NO_CUT = float(np.finfo(np.float64).max)  # as `cut`: all numbers go to branch 0, missing rows to branch 1
AT_ONCE = 1 << 16  # nodes converted to Python numbers at one time: those take several times the memory

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
        """First, child and parent, computed on first use; ValueError when this is not one tree."""
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
        """Rows of each node, in table units; cached, since it is read node by node."""
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
    """The splits that were compared at each node: of all columns in memory, the best five in a file.

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
        return self._pick(self.start[:-1], np.minimum(np.diff(self.start), most))

    def of_nodes(self, kept: Ints) -> Candidates:
        """Return the candidates of the nodes `kept`, in that order."""
        return self._pick(self.start[:-1][kept], np.diff(self.start)[kept])

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

    def _pick(self, first: Ints, sizes: Ints) -> Candidates:
        """Return candidates node after node: first[node], and how many follow it."""
        start = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        chosen = np.arange(start[-1]) + np.repeat(first - start[:-1], sizes)
        branch_of, branch_start = _slices(self.branch_of, self.branch_start, chosen)
        rows, count_start = _slices(np.arange(len(self.counts)), self.count_start, chosen)
        return Candidates(
            start=start,
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


# ---- candidate splits as texts of a model file: written and read ----
#
# The shape of one text: [[column, cut, gain, ratio, counts, branch_of, means], ...], best first. Of
# two branches only the counts of the first are written, the second has the rest of the node; parts that are
# empty at the end are left out. It is a text so that it is parsed only on request; then it is checked as
# strictly as nodes. Law: `read(write(candidates))` is the same, up to the five best
# of each node and six digits of gain and ratio.


WHOLE = 2**53  # whole numbers below are doubles, and written without a point
KEPT = 5  # candidates per node in a file


def number(value: float) -> float | int | None:
    """Return a float as JSON shows it best: NaN as null, whole numbers without a point."""
    if value != value:
        return None
    return int(value) if value == int(value) and abs(value) < WHOLE else float(value)


def numbers(values: NDArray[np.float64]) -> list[float | int | None]:
    """Return `number` of each of many."""
    out: list[float | int | None] = values.tolist()
    for i in np.flatnonzero(~((values != np.floor(values)) & (np.abs(values) < WHOLE))).tolist():
        out[i] = number(values[i])
    return out


def short(value: float) -> float | int | None:
    """Return a number in six digits: enough to read, and half the bytes."""
    return number(float(f"{value:.6g}"))


def write_candidates(candidates: Candidates, column: NDArray[np.int32]) -> list[str]:
    """Return one text per test, in node order. column[node]: -1 in a leaf."""
    best = candidates.best(KEPT)
    out = []
    for node in np.flatnonzero(column >= 0):
        rows = [_row(best, c) for c in range(int(best.start[node]), int(best.start[node + 1]))]
        out.append(json.dumps(rows, separators=(",", ":"), allow_nan=False))
    return out


def _row(best: Candidates, c: int) -> list[Any]:
    rows = slice(int(best.count_start[c]), int(best.count_start[c + 1]))
    out = [
        int(best.column[c]),
        number(best.cut[c]),
        short(best.gain[c]),
        short(best.ratio[c]),
        best.counts[rows][0].tolist() if rows.stop - rows.start == 2 else [],
        best.branch_of[best.branch_start[c] : best.branch_start[c + 1]].tolist(),
        [number(m) for m in best.mean[rows]] if len(best.mean) else [],
    ]
    while out[-1] == []:
        out.pop()
    return out


def read_candidates(texts: Sequence[str], nodes: Nodes, schema: Schema) -> Candidates:
    """Build the candidates from `write_candidates`, or say in one line which text is wrong."""
    tests = np.flatnonzero(nodes.column >= 0).tolist()
    sizes = np.zeros(len(nodes), np.int64)
    rows: list[list[Any]] = []
    for node, text in zip(tests, texts, strict=True):
        found = _read_text(text, node, nodes, schema)
        sizes[node] = len(found)
        rows += found
    column, cut, gain, ratio, counts, branch_of, means = zip(*rows, strict=True) if rows else [()] * 7
    return Candidates(
        start=_starts(sizes),
        column=np.array(column, np.int32),
        cut=_floats(cut),
        branch_start=_starts([len(b) for b in branch_of]),
        branch_of=np.array(list(chain.from_iterable(branch_of)), np.int32),
        gain=_floats(gain),
        ratio=_floats(ratio),
        count_start=_starts([len(n) for n in counts]),
        counts=np.array(list(chain.from_iterable(counts)), np.int64).reshape(-1, nodes.counts.shape[1]),
        mean=_floats(list(chain.from_iterable(means))),
    )


def _starts(sizes: Any) -> Any:
    return np.concatenate([[0], np.cumsum(np.asarray(sizes, dtype=np.int64))]).astype(np.int64)


def _floats(values: Sequence[Any]) -> Any:
    return np.array([np.nan if v is None else v for v in values], dtype=np.float64)


def _read_text(text: str, node: int, nodes: Nodes, schema: Schema) -> list[list[Any]]:
    """Return the candidates of one node; every entry is checked for type and range."""
    total = nodes.counts[node].tolist()
    try:
        rows = json.loads(text)
        if json.dumps(rows, separators=(",", ":")) != text:
            raise ValueError
        if type(rows) is not list or len(rows) > KEPT or set(map(type, rows)) - {list}:
            raise ValueError
        rows = [row + [[], [], []][len(row) - 4 :] for row in rows if 4 <= len(row) <= 7 or _refuse()]
        if not all(_good(row, total, bool(len(nodes.mean)), schema) for row in rows):
            raise ValueError
    except (ValueError, RecursionError):
        raise ModelFileError(
            f"the candidate splits of node {node} in the model file cannot be read. Get the file again."
        ) from None
    for row in rows:
        row[4] = [row[4], [n - m for n, m in zip(total, row[4], strict=True)]] if row[4] else []
    return rows


def _refuse() -> bool:
    raise ValueError


def _good(row: list[Any], total: list[int], regression: bool, schema: Schema) -> bool:
    """Tell whether one candidate is what `_row` writes."""
    column, cut, gain, ratio, counts, branch_of, means = row
    if type(column) is not int or not 0 <= column < len(schema.used):
        return False
    levels = len(schema.used[column].levels) if schema.used[column].kind in CODED else 0
    if set(map(type, (counts, branch_of, means))) != {list}:
        return False
    numbers = [v for v in (cut, gain, ratio, *means) if v is not None]
    return (
        set(map(type, numbers)) <= {int, float}
        and all(abs(v) <= NO_CUT for v in numbers)
        and (cut is None) == bool(levels)
        and len(branch_of) == levels
        and all(type(b) is int and -1 <= b < 2**31 - 1 for b in branch_of)
        and len(counts) in (0, len(total))
        and all(type(m) is int and 0 <= m <= n for m, n in zip(counts, total, strict=False))
        and len(means) == (2 if regression and counts else 0)
    )


# ---- nodes as plain data of a model file: written, and read strictly ----
#
# Law: `read(write(tree))` is the same tree; whatever else `read` accepts gives finite shares for every row.
#
#     nodes       a leaf is its counts [n_1 .. n_k] (regression: [weight, mean, deviance]; without a target:
#                 [weight]); a test has four more:
#                 column, cut (null for a test of levels), missing branch (-1 stays, -2 spreads), gain
#     branches    for each test of levels, in node order: the branch of each level, -1 stays
#     candidates  for each test, in node order: a JSON text of its best candidate splits (see above)


LARGEST = 2**62  # a node's rows in table units stay below this, so that no sum overflows


def write_nodes(nodes: Nodes, here: slice) -> list[list[Any]]:
    """Return some nodes as lists."""
    rows: list[list[Any]] = nodes.counts[here].tolist()
    if len(nodes.mean):
        answers = zip(rows, numbers(nodes.mean[here]), numbers(nodes.deviance[here]), strict=True)
        rows = [[*row, mean, deviance] for row, mean, deviance in answers]
    own = np.flatnonzero(nodes.column[here] >= 0)
    tests = own + here.start
    column, missing = nodes.column[tests].tolist(), nodes.missing_branch[tests].tolist()
    cut, gain = numbers(nodes.cut[tests]), numbers(nodes.gain[tests])
    for place, *test in zip(own.tolist(), column, cut, missing, gain, strict=True):
        rows[place] += test
    return rows


def write_branches(nodes: Nodes, here: slice) -> list[list[int]]:
    """Return the branches of the tests of levels among some nodes."""
    sizes = np.diff(nodes.branch_start[here.start : here.stop + 1])
    of_levels = np.flatnonzero((nodes.column[here] >= 0) & (sizes > 0)) + here.start
    return [nodes.levels(node).tolist() for node in of_levels.tolist()]


def read_nodes(data: Mapping[str, Any], schema: Schema) -> Nodes:
    """Build the nodes from what was written, or say in one line what is wrong with them."""
    rows = data["nodes"]
    regression = schema.regression
    width = 3 if regression else len(schema.target.labels) if schema.target else 1
    if not isinstance(rows, list) or not rows:
        raise ModelFileError("the model file holds no tree. Write the file again from the fitted model.")
    _demand(set(map(type, rows)) == {list}, "a node is not a list")
    sizes = np.array(list(map(len, rows)))
    is_test = sizes == width + 4
    odd = np.flatnonzero(~(is_test | (sizes == width)))
    if len(odd):
        have = f"node {odd[0]} has {sizes[odd[0]]} entries, not {width} or {width + 4}"
        _demand(False, have)
    # All entries of a place in one list: nothing is done once per node, of which there may be many.
    tests, leaves = (list(chain.from_iterable(compress(rows, which))) for which in (is_test, ~is_test))
    answers = [(tests[k :: width + 4], leaves[k::width]) for k in range(width)]
    counts, mean, deviance = _answers(answers, is_test, regression)
    column = np.full(len(rows), -1, np.int32)
    cut, gain = np.full(len(rows), np.nan), np.zeros(len(rows))
    missing = np.full(len(rows), STAYS, np.int32)
    if tests:
        columns, cuts, ways, gains = (tests[width + k :: width + 4] for k in range(4))
        column[is_test] = _whole(columns, "column", 0, len(schema.used) - 1)
        cut[is_test] = _real([np.nan if c is None else c for c in cuts], "cut", allow_nan=True)
        missing[is_test] = _whole(ways, "missing branch", SPREADS, 2**31 - 1)
        gain[is_test] = _real(gains, "gain")
    n_children, start, branch_of = _branches(data["branches"], column, cut, missing, schema)
    _demand(
        bool(np.all(missing[is_test] < n_children[is_test])),
        "a missing value is sent to a branch that is not there",
    )
    nodes = Nodes(counts, column, cut, n_children, start, branch_of, missing, gain, mean, deviance)
    try:
        nodes.shape  # noqa: B018  asking is the check
    except ValueError as error:
        raise ModelFileError(
            f"the tree in the model file is not one tree: {error}. Get the file again."
        ) from None
    # the counts of the branches must add up to the counts above them
    _demand(int(nodes.counts[0].max()) > 0, "the root of the tree holds no rows")
    inner = np.flatnonzero(nodes.n_children > 0)
    if len(inner):
        below = np.add.reduceat(nodes.counts[nodes.child], nodes.first[inner], axis=0)
        wrong = np.flatnonzero(np.any(below != nodes.counts[inner], axis=1))
        if len(wrong):
            raise ModelFileError(
                f"the counts below node {int(inner[wrong[0]])} do not add up to its own. "
                "Get the model file again."
            )
    return nodes


def _answers(
    parts: list[tuple[list[Any], list[Any]]], is_test: NDArray[np.bool_], regression: bool
) -> tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.float64]]:
    """Return counts, mean and deviance of all nodes. parts[entry]: of the tests, and of the leaves."""

    def joined(of_tests: NDArray[Any], of_leaves: NDArray[Any]) -> NDArray[Any]:
        out = np.empty(len(is_test), of_tests.dtype)
        out[is_test], out[~is_test] = of_tests, of_leaves
        return out

    none = np.empty(0)
    if regression:
        weight, mean, deviance = parts
        weights = joined(*(_whole(v, "weight", 0, LARGEST) for v in weight))
        means = joined(*(_real(v, "mean") for v in mean))
        deviances = joined(*(_real(v, "deviance") for v in deviance))
        _demand(bool(np.all(deviances >= 0)), "a deviance is negative")
        return weights[:, None], means, deviances
    counts = np.column_stack([joined(*(_whole(v, "count", 0, LARGEST) for v in part)) for part in parts])
    _demand(float(counts[0].sum(dtype=np.float64)) < LARGEST, "the counts of the root are too large")
    return counts, none, none


def _branches(
    lists: Any,
    column: NDArray[np.int32],
    cut: NDArray[np.float64],
    missing: NDArray[np.int32],
    schema: Schema,
) -> tuple[NDArray[np.int32], NDArray[np.int64], NDArray[np.int32]]:
    """Return n_children, branch_start and branch_of; every test must suit the kind of its column."""
    n_levels = np.array([len(c.levels) if c.kind in CODED else 0 for c in schema.used] + [0], np.int64)
    numeric = np.array([c.kind == "numeric" for c in schema.used] + [False])
    has_cut = ~np.isnan(cut)
    _demand(bool(np.all(has_cut == numeric[column])), "a test does not suit the kind of its column")
    levels = np.flatnonzero((column >= 0) & ~has_cut)
    sizes = np.zeros(len(column), np.int64)
    sizes[levels] = n_levels[column[levels]]
    good = (
        isinstance(lists, list)
        and [len(b) if type(b) is list else -1 for b in lists] == sizes[levels].tolist()
    )
    _demand(
        good and bool(np.all(sizes[levels] > 0)),
        "the branches of a test do not match the levels of its column",
    )
    start = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    branch_of = _whole(list(chain.from_iterable(lists)), "branch", STAYS, 2**31 - 2).astype(np.int32)
    n_children = np.where(has_cut, 2, 0).astype(np.int32)
    if len(levels):
        most = np.maximum.reduceat(branch_of, start[levels])
        most += missing[levels] == most + 1  # missing rows may have a branch of their own, the last
        n_children[levels] = most + 1
        _demand(bool(np.all(most >= 1)), "a test of levels has fewer than two branches")
        _demand(int(n_children.sum()) == len(column) - 1, "the branches do not add up to the nodes")
    return n_children, start, branch_of


def _whole(values: Sequence[Any], what: str, low: int, high: int) -> NDArray[np.int64]:
    """Return whole numbers within a range; True, 1.0 and text are not whole numbers."""
    _demand(set(map(type, values)) <= {int}, f"a {what} is not a whole number")
    try:
        out = np.array(values, dtype=np.int64)
    except OverflowError:
        out = np.array([low - 1])
    _demand(not len(out) or bool(low <= out.min() and out.max() <= high), f"a {what} is out of range")
    return out


def _real(values: Sequence[Any], what: str, allow_nan: bool = False) -> NDArray[np.float64]:
    """Return finite numbers."""
    _demand(set(map(type, values)) <= {int, float}, f"a {what} is not a number")
    try:
        out = np.array(values, dtype=np.float64)
    except OverflowError:
        raise ModelFileError(
            f"a {what} in the tree of the model file is too large. Get the file again."
        ) from None
    _demand(not np.isinf(out).any() and (allow_nan or not np.isnan(out).any()), f"a {what} is not finite")
    return out


def _demand(holds: bool, what: str) -> None:
    """Raise one line about the tree in the file unless the condition holds."""
    if not holds:
        raise ModelFileError(f"the tree in the model file is damaged: {what}. Get the file again.")


# ---- prior probability of a test: less, the more candidate tests it was chosen from ----
#
# A test that is the best of m explains the rows it was chosen on better than it explains new ones, so that
# the prior odds of keeping it are 1 to the root of m (neighbouring cuts divide nearly the same rows, so that
# m tests are not m independent ones). m is the number of columns times
#     a number                 rows of the node - 1, the cuts
#     levels in order          levels - 1
#     two groups of levels     2^bits, bits = log2(k - 1) + log2(k over j) - 1, what it takes to name j of k
#     a branch for each level  1
# where missing is one level more in a column that has missing rows.
# Law: a function of what a model file holds.


MOST_BITS = 100.0  # cap of log2(m): any evidence outweighs such a prior
HALF_LOG_2 = 0.34657359027997264


def prior_of_tests(schema: Schema, nodes: Nodes, rows: Floats) -> Floats:
    """Return the prior probability 1 / (1 + sqrt(m)) of keeping the test of each node; of a leaf 1/2.

    rows[node]: how many rows came there.
    """
    used, tests = schema.used, np.flatnonzero(nodes.column >= 0)
    columns, place = np.unique(nodes.column[tests], return_inverse=True)
    tested = [used[j] for j in columns.tolist()]
    lost = np.array([bool(c.missing) for c in tested], bool)[place]
    k = np.array([len(c.levels) for c in tested], np.int64)[place] + lost
    numeric = np.array([c.kind == "numeric" for c in tested], bool)[place]
    levels = np.array([c.kind == "levels" for c in tested], bool)[place]
    groups = levels & (nodes.n_children[tests] == 2)
    cuts = np.where(numeric, rows[tests] - 1, np.where(levels, 1, k - 1))
    bits = kernels.log2(np.maximum(cuts, 1.0) * sum(c.kind != "text" for c in used))  # log2(m)
    second = np.concatenate([[0], np.cumsum(nodes.branch_of == 1)])
    start = nodes.branch_start
    j = second[start[tests + 1]] - second[start[tests]] + (lost & (nodes.missing_branch[tests] == 1))
    bits[groups] += group_bits(k[groups], j[groups])
    out = np.full(len(nodes), 0.5)
    out[tests] = 1 / (1 + kernels.exp(HALF_LOG_2 * np.minimum(bits, MOST_BITS)))
    return out


def group_bits(k: NDArray[np.int64], j: NDArray[np.int64]) -> Floats:
    """Return the bits that name j of k levels."""
    logs = np.cumsum(kernels.log2(np.maximum(np.arange(k.max(initial=0) + 1.0), 1.0)))  # of the factorials
    bits: Floats = kernels.log2(np.maximum(k - 1.0, 1.0)) + (logs[k] - logs[j] - logs[k - j]) - 1
    return np.where((k < 3) | (j == 0) | (j == k), 0.0, bits)


# ---- rows down the tree, by arrays ----
#
# Law: `stops` and `ways` agree on every row, and neither depends on how the rows were cut into blocks.


Read = Callable[[int], NDArray[Any]]  # column number -> values (numeric) or codes of the rows


def branches_of(nodes: Nodes, node: int, cells: NDArray[Any]) -> NDArray[np.int64]:
    """Return the branch each cell takes at a node: STAYS and SPREADS included."""
    return taken(float(nodes.cut[node]), nodes.levels(node), int(nodes.missing_branch[node]), cells)


def taken(cut: float, levels: NDArray[np.int32], away: int, cells: NDArray[Any]) -> NDArray[np.int64]:
    """Return the branch each cell takes at a test: at a cut, or else by the branch of each level."""
    if cut == cut:
        return np.where(np.isnan(cells), away, (cells >= cut).astype(np.int64))
    table = np.full(len(levels) + 2, away, np.int64)  # the last two codes: missing and unseen
    table[: len(levels)] = levels
    branch: NDArray[np.int64] = table[cells]
    return branch


def stops(nodes: Nodes, read: Read, rows: int) -> NDArray[np.int64]:
    """Return the node where each row ends; the tree must not spread missing values."""
    out = np.zeros(rows, np.int64)
    waiting: list[tuple[int, NDArray[np.int64]]] = [(0, np.arange(rows))]
    while waiting:
        node, here = waiting.pop()
        if nodes.column[node] < 0 or not len(here):
            out[here] = node
            continue
        branch = branches_of(nodes, node, read(int(nodes.column[node]))[here])
        out[here[branch == STAYS]] = node
        for k, below in enumerate(nodes.branches(node).tolist()):
            waiting.append((below, here[branch == k]))
    return out


def spread(nodes: Nodes, shares: NDArray[np.float64], read: Read, rows: int) -> NDArray[np.float64]:
    """Return shares[row, class] where rows without a value go down all branches, weighted by their counts."""
    out = np.zeros((rows, shares.shape[1]))
    weight = nodes.weight
    waiting: list[tuple[int, NDArray[np.int64], NDArray[np.float64]]] = [(0, np.arange(rows), np.ones(rows))]
    while waiting:
        node, here, part = waiting.pop()
        if nodes.column[node] < 0 or not len(here):
            out[here] += part[:, None] * shares[node]
            continue
        branch = branches_of(nodes, node, read(int(nodes.column[node]))[here])
        everywhere, stays = branch == SPREADS, branch == STAYS
        out[here[stays]] += part[stays, None] * shares[node]
        for k, below in enumerate(nodes.branches(node).tolist()):
            own = branch == k
            rest = part[everywhere] * (
                weight[below] / weight[node] if weight[node] else 1 / nodes.n_children[node]
            )
            waiting.append(
                (below, np.concatenate([here[own], here[everywhere]]), np.concatenate([part[own], rest]))
            )
    return out


@dataclass(frozen=True, slots=True)
class Way:
    """One way of a row: how much of the row goes it, its steps as (node, branch taken), the last with STAYS.

    spread: the places in `steps` where the row went down all branches for want of a value.
    """

    part: float
    steps: tuple[tuple[int, int], ...]
    spread: tuple[int, ...] = ()


def ways(nodes: Nodes, cell: Callable[[int], Any]) -> list[Way]:
    """Return the ways of one row: one, or as many as it has parts. cell(column) is its value or code."""
    out, weight = [], nodes.weight
    waiting = [(0, Way(1.0, ()))]
    while waiting:
        node, way = waiting.pop()
        column = int(nodes.column[node])
        branch = int(branches_of(nodes, node, np.asarray([cell(column)]))[0]) if column >= 0 else STAYS
        if branch == STAYS:
            out.append(Way(way.part, (*way.steps, (node, STAYS)), way.spread))
            continue
        below = nodes.branches(node).tolist()
        for k, b in enumerate(below):
            steps = (*way.steps, (node, k))
            if branch == SPREADS:
                share = weight[b] / weight[node] if weight[node] else 1 / len(below)
                if share > 0:
                    waiting.append((b, Way(way.part * float(share), steps, (*way.spread, len(way.steps)))))
            elif k == branch:
                waiting.append((b, Way(way.part, steps, way.spread)))
    return out
