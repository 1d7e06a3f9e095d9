"""The learner of trees: growing level by level from count tables of any engine, and the fitted `Tree`.

In this order: `Levels`, a tree in the making (ask for tables, split, go on below); `join`, its parts as
arrays; the learner (entry `TreeLearner.learn`), with limits of size and memory; unsorted candidates
(`Tried`).
part = the result for one node or for a whole subtree; family = siblings that are counted together, one of
them by subtraction from the parent; said = arrays of the judge (the compiled scorer of splits) for a node.
Law: the arrays are those of growing in memory, byte for byte in the model file.
"""

from __future__ import annotations

import heapq
from collections.abc import Generator
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallystick.contracts import Statistic
from tallystick.errors import DataError, counted
from tallystick.io import scratch
from tallystick.kernels.trees import GrowColumn, Judge
from tallystick.schema import CODED, Schema
from tallystick.stats.exact import refuse_beyond_memory
from tallystick.stats.quantiles import ValueCounts
from tallystick.stats.values import ValueTable
from tallystick.tree.growth import (
    FEW_VALUES,
    ColumnSummaries,
    GrowingTree,
    Grown,
    GrowthScale,
    ScoreWeights,
    ValueScale,
    binned_column,
    cuts_on,
    lift,
    observe,
    spread_missing,
)
from tallystick.tree.model import Answers, Tree
from tallystick.tree.nodes import Candidates, Nodes
from tallystick.tree.options import TreeOptions
from tallystick.tree.tables import (
    DIGITS,
    CodedColumn,
    Coding,
    LargestBelow,
    Level,
    LevelCounts,
    OpenNodes,
    Test,
    sum_of_squares,
)

MOST_CELLS = 1 << 23  # cells of the count tables of one pass over the rows; more nodes wait for the next
SUBTREE_CELLS = 1 << 24  # cells (rows by columns) of a node below which its subtree is grown at once
PART_BYTES = 6_000  # bytes of a node that was split by its tables, until the tree is finished
NODE_ARRAYS = ("column", "cut", "children", "missing", "gain", "deviance", "map", "map_size", "candidates")
TEST_ARRAYS = ("column", "branches", "cut", "gain", "ratio", "left", "map")
JOINED = ("counts", *NODE_ARRAYS, *(f"tried_{n}" for n in TEST_ARRAYS), "maps", "tried_maps", "lefts")


@dataclass
class LevelPart:
    """One node: the arrays of the judge, and its counts [class]; or all nodes of a subtree, and their counts
    [node, class].
    """

    said: dict[str, NDArray[Any]]
    counts: NDArray[np.int64]
    children: list[int] = field(default_factory=list)


@dataclass
class Family:
    """Siblings that wait together: those to be counted, and perhaps one (`rest`) whose tables are those of
    its parent less those of the others.
    """

    asked: list[int]
    rest: int | None = None
    parent: list[ValueTable] = field(default_factory=list)  # tables[column]


@dataclass
class Levels:
    """A tree while it is grown level by level."""

    question: GrowingTree
    form: CodedColumn
    judge: Judge
    scale: GrowthScale
    parts: list[LevelPart | None] = field(default_factory=lambda: [None])
    depth: list[int] = field(default_factory=lambda: [0])
    rows: list[int] = field(default_factory=lambda: [0])  # about how many each node has
    tests: list[Test] = field(default_factory=list)
    waiting: list[Family] = field(default_factory=lambda: [Family([0])])
    now: list[Family] = field(default_factory=list)
    below: int = 0  # nodes of subtrees that were grown to their leaves

    @property
    def codings(self) -> tuple[Coding, ...]:
        """How columns become codes."""
        return self.form.codings

    def ask(self) -> LevelCounts:
        """Return the statistic for the waiting nodes: large ones first, up to MOST_CELLS."""
        weighing = self.scale.weighing if self.scale.weighing.drop else None
        each = sum(c.k + 1 for c in self.codings) * self.width * (1 if weighing is None else 2)
        most = SUBTREE_CELLS // len(self.codings) if self.in_numbers else max(self.rows)
        large = [f for f in self.waiting if any(self.rows[n] > most for n in f.asked)]
        wanted, cells, end = large or self.waiting, 0, not large and not self.question.shares_out
        self.now = []
        while wanted and (cells == 0 or cells + each * len(wanted[0].asked) <= MOST_CELLS):
            self.now.append(wanted.pop(0))
            cells += each * len(self.now[-1].asked)
        taken = set(map(id, self.now))
        self.waiting = [f for f in self.waiting if id(f) not in taken]
        asked = tuple(node for family in self.now for node in family.asked)
        depth, rows = tuple(self.depth[n] for n in asked), tuple(self.rows[n] for n in asked)
        return LevelCounts(
            self.form,
            tuple(self.tests),
            asked,
            len(self.parts),
            len(self.question.labels),
            self.scale.values,
            self.question.parts,
            weighing,
            OpenNodes(self.question, self.scale, depth, rows, end, len(self.parts) + self.below)
            if self.in_numbers
            else None,
        )

    @property
    def in_numbers(self) -> bool:
        """Whether some column has no codes but its numbers."""
        return any(c.plain for c in self.codings)

    @property
    def width(self) -> int:
        """How many counts a node has: rows of each class; regression: rows and sum of the response."""
        return len(self.question.labels) or 2

    def update(self, total: Level) -> None:
        """Split the nodes that were counted, by their tables."""
        i = 0
        for family in self.now:
            left = family.parent
            for node in family.asked:
                below = total.grown(i)
                if below is not None:
                    self.parts[node] = LevelPart(below, below["counts"])
                    self.below += len(below["column"]) - 1
                    i += 1
                    continue
                counts = total.counts(i)[: self.width]
                if self._ends(counts, self.depth[node]):
                    self.parts[node] = LevelPart(self.leaf, counts)
                else:
                    tables, squares = total.node(i)
                    self._split(node, tables, squares)
                    if family.rest is not None:
                        left = [ValueTable(a.table - b.table) for a, b in zip(left, tables, strict=True)]
                i += 1
            if family.rest is not None:
                self._split(family.rest, left, np.zeros(DIGITS, np.int64))
            by_tables = self.question.shares_out or not self.in_numbers
            self.question.refuse(len(self.parts) + self.below, PART_BYTES if by_tables else 0)
        self.now = []

    def _ends(self, counts: NDArray[np.int64], depth: int) -> bool:
        """Say of a node that the judge would make a leaf without looking at its columns."""
        rules, classes = self.question.rules, len(self.question.labels)
        few = int(counts.sum()) < max(rules.min_split, 2 * rules.min_leaf) or depth >= rules.max_depth
        return classes > 0 and (few or int(np.count_nonzero(counts)) < 2)

    @cached_property
    def leaf(self) -> dict[str, NDArray[Any]]:
        """The arrays of the judge for a leaf."""
        width = len(self.question.labels) + 1
        width = width if self.question.labels else 2
        nothing = [np.zeros((c.k + 1, width), np.int64) for c in self.codings]
        return self.judge.judge(np.zeros(width, np.int64), nothing, 0, 0.0)

    def _split(self, node: int, tables: list[ValueTable], squares: NDArray[np.int64]) -> None:
        counts = tables[0].table.sum(axis=0)[: self.width]
        deviance = 0.0
        if not self.question.labels:
            rows, total_response = int(counts[0]), int(counts[1])
            middle = total_response // max(rows, 1)  # responses in fixed point are never negative
            rest = float(total_response - rows * middle)
            whole = float(sum_of_squares(squares) - 2 * middle * total_response + rows * middle * middle)
            deviance = max(whole - rest * rest / float(max(rows, 1)), 0.0)  # as the kernels round it
        branches = [self.scale.weighing.vectors(t.table, len(self.question.labels)) for t in tables]
        total = branches[0].sum(axis=0)
        values, cuts = [t.values for t in tables], [t.cuts for t in tables]
        said = self.judge.judge(total, branches, self.depth[node], deviance, values, cuts)
        part = self.parts[node] = LevelPart(said, counts)
        if said["children"][0]:
            self._open(node, part, said, tables)

    def _open(
        self, node: int, part: LevelPart, said: dict[str, NDArray[Any]], tables: list[ValueTable]
    ) -> None:
        column, children = int(said["column"][0]), int(said["children"][0])
        coding = self.codings[column]
        part.children = list(range(len(self.parts), len(self.parts) + children))
        self.parts += [None] * children
        self.depth += [self.depth[node] + 1] * children
        cut = float(said["cut"][0]) if coding.plain else None
        own = tables[column]
        if coding.kind == "numeric":
            values = coding.values if own.values is None else own.values  # a value of each code
            assert values is not None
            if coding.binned:
                values = np.concatenate([[-np.inf], values])
            right = (values >= said["cut"][0]).astype(np.int64)
        elif coding.kind == "levels" and not self.question.rules.groups:
            right = np.arange(coding.k)
        else:
            begin = int(said["map"][0])
            right = said["maps"][begin : begin + coding.k].astype(np.int64)
        below = np.asarray(part.children)
        codes = right if cut is None else np.arange(2)  # of a test by its cut: below it, and not
        if not self.question.rules.fractions:
            following = below[np.append(codes, said["missing"][0])]
            self.tests.append(Test(node, column, following, cut=cut))
            counts = np.zeros((children, self.width), np.int64)
            np.add.at(counts, np.append(right, said["missing"][0]), own.table[:, : self.width])
            rows = counts.sum(axis=1) if self.question.labels else counts[:, 0]
            self.rows += self._shared(node, rows)
            if not self.question.labels:
                self.waiting += [Family([child]) for child in part.children]
                return
            more = []
            for child, own_counts in zip(part.children, counts, strict=True):
                if self._ends(own_counts, self.depth[child]):
                    self.parts[child] = LevelPart(self.leaf, own_counts)
                else:
                    more.append(child)
            if len(more) < children or len(more) == 1 or self.in_numbers:
                self.waiting += [Family([child]) for child in more]
                return
            # the largest is what the others leave of their parent, and is not asked for
            rest = part.children[int(counts.sum(axis=1).argmax())]
            self.waiting.append(Family([child for child in more if child != rest], rest, tables))
            return
        self.waiting.append(Family(part.children))
        rows = own.table[:, : len(self.question.labels) or 1].sum(axis=1)
        shares = np.zeros(children, np.int64)
        np.add.at(shares, right, rows[:-1])
        self.rows += self._shared(node, shares)
        self.tests.append(Test(node, column, below[codes], below, shares, cut))

    def _shared(self, node: int, weight: NDArray[np.int64]) -> list[int]:
        """Return about how many of a node's rows each branch has. weight[branch]."""
        return [-(-self.rows[node] * own // max(int(weight.sum()), 1)) for own in weight.tolist()]

    def joined(self) -> dict[str, NDArray[Any]]:
        """Return all nodes as one, depth first; the parts are given up."""
        order, stack = [], [0]
        while stack:
            node = stack.pop()
            part = self.parts[node]
            assert part is not None
            order.append(part)
            stack += reversed(part.children)
        self.parts = []
        return join(order, self.question.budget > 0)

    def finish(self, arrays: dict[str, NDArray[Any]]) -> Grown:
        """Return the grown tree."""
        if self.question.rules.fractions:
            spread_missing(arrays)
        for name in ("column", "tried_column"):
            lift(arrays, self.question.columns, name)
        self.scale.weighing.count_rows(arrays)
        return Grown(arrays, self.scale.values, partial(dict, arrays))


def join(parts: list[LevelPart], disk: bool = False) -> dict[str, NDArray[Any]]:
    """Return the arrays of many nodes from those of one node each, which are given up one by one; disk: in
    one file there, where they are not few bytes.
    """
    said = [{**p.said, "counts": np.atleast_2d(p.counts)} for p in parts]
    parts.clear()
    starts: dict[str, list[int]] = {}  # what the numbers in the arrays of each node are raised by
    for name, into in (("map", "maps"), ("tried_map", "tried_maps"), ("tried_left", "lefts")):
        starts[name] = np.cumsum([0] + [s[into].size for s in said]).tolist()
    starts["candidates"] = [0, *np.cumsum([np.count_nonzero(s["candidates"] >= 0) for s in said]).tolist()]
    forms = {}
    for name in JOINED:
        each = [s[name] for s in said]
        shape = (sum(map(len, each)), *each[0].shape[1:])
        forms[name] = scratch.ArrayForm(shape, np.result_type(*{a.dtype for a in each}))
    if disk and sum(form.bytes for form in forms.values()) >= scratch.FEW:
        out = dict(zip(forms, scratch.empties(list(forms.values())), strict=True))
    else:
        out = {name: np.empty(*form) for name, form in forms.items()}
    for name, whole in out.items():
        at = 0
        for i, s in enumerate(said):
            array = s.pop(name)
            here = whole[at : at + len(array)]
            here[...] = array
            if name in starts:  # an entry below 0 says that nothing is there
                np.add(here, starts[name][i], out=here, where=True if name == "map" else here >= 0)
            at += len(array)
    return out


def begin(question: GrowingTree, look: ColumnSummaries, near: list[ValueCounts]) -> Levels:
    """Return the empty tree: codes for the columns, the judge, and the root as the open node."""
    codings, values = [], iter(zip(look.values, question.cuts(look, near), strict=True))
    for j in question.columns:
        column = question.schema.used[j]
        if column.kind in CODED:
            kind = "levels" if column.kind == "levels" else "ordered"
            codings.append(Coding(column.name, kind, len(column.levels)))
            continue
        found, cuts = next(values)
        if cuts is not None:
            codings.append(Coding(column.name, "numeric", len(cuts) + 1, cuts, True))
        elif found.many:
            codings.append(Coding(column.name, "numeric", 0))
        else:
            codings.append(Coding(column.name, "numeric", len(found.few.values), found.few.values))
    rows = look.rows * question.parts
    if rows >= 2**63:
        raise DataError(
            f"the sample weights sum to {look.rows:.3g}, and missing_values='fractions' counts rows in parts "
            f"of 1/{question.parts:,}, which leaves room for {2**63 // question.parts:.3g}. Scale them down."
        )
    if question.labels:
        weighing, scale = ScoreWeights.of(question.class_weights, look.classes, question.parts), ValueScale()
    else:
        weighing, scale = ScoreWeights(None, rows), ValueScale.of(look.low, look.high, rows)
    columns = [
        binned_column(c.values, None)
        if c.binned and c.values is not None
        else GrowColumn(c.kind, np.empty(0, np.uint8), c.k, c.values)
        for c in codings
    ]
    rules, classes = scale.rules(question.rules), len(question.labels)
    judge = Judge(columns, question.by_name, rules, classes, weighing.heavy, rows)
    whole = GrowthScale(scale, weighing, rows)
    return Levels(question, CodedColumn(tuple(codings)), judge, whole, rows=[question.rows])


# ---- the learner ----

TABLES = 16  # numbers per class and leaf: two nodes in counts, rows, shares and averages
NODE, NODE_CLASS = 104, 24  # bytes per node where rows are on disk, and more per class
AVERAGED, AVERAGED_CLASS = 230, 40  # the same for averaging over all prunings
MANY_CLASSES = 1000  # classes from which their counts decide how much memory a tree takes


@dataclass(frozen=True)
class TreeLearner:
    """The learner of the contracts; `unit` is the table's unit of weights, `row_unit` what one row weighs
    where rows are counted (None: the unit).
    """

    options: TreeOptions
    unit: int = 1
    answers: Answers = field(default_factory=Answers)
    keep_candidates: bool = True
    rows: int = 0  # about how many there are; decides nothing but how questions are put
    row_unit: int | None = None
    budget: int = 0  # bytes of memory to work in, where rows lie on disk; decides nothing but what is refused

    def learn(self, schema: Schema) -> Generator[Statistic[Any], Any, Tree]:
        """Ask for all splits at once; an engine that cannot is asked level by level."""
        columns = tested_columns(schema)
        self._refuse_classes(schema, columns)
        question = self.question(schema, columns)
        total = yield question
        if not isinstance(total, Grown):
            look, found = total, []
            while (finer := question.finer(look)) is not None:  # values are many, and lie close together
                look = question.zoomed(look, finer, (yield finer))
            if (near := question.near(look)) is not None:
                found = yield near
            levels = begin(question, look, found)
            del total, look, found
            while levels.waiting:
                levels.update((yield levels.ask()))
            arrays = levels.joined()
            if question.observed:  # cuts lie just above the largest value below them
                numeric = [j for j, coding in enumerate(levels.codings) if coding.kind == "numeric"]
                cuts = [np.unique(np.concatenate([cuts for _, cuts in cuts_on(arrays, j)])) for j in numeric]
                below = yield LargestBelow(tuple(levels.codings[j].name for j in numeric), tuple(cuts))
                for j, values in zip(numeric, below, strict=True):
                    observe(arrays, j, np.unique(values[values > -np.inf]))
            total = levels.finish(arrays)
        each = self.options.level_splits == "each"
        unit = self.unit * self.options.parts(schema, self.unit)
        nodes = nodes_of(total, schema, unit, each)
        tried = Tried(total, schema, len(columns), each) if self.keep_candidates else None
        counted = 0 if self.unit == 1 else self.row_unit or 0
        tree = Tree(schema, nodes, unit, self.answers, tried, counted)
        most = self.options.max_leaf_nodes
        return tree if most is None else limited(tree, most)

    def _refuse_classes(self, schema: Schema, columns: tuple[int, ...]) -> None:
        """Refuse so many classes that the counts of nodes and candidates cannot be kept.

        A tree that is grown out has a leaf for each class at least, where its rows and tests allow it.
        """
        classes = len(schema.predicted.labels)
        if classes < MANY_CLASSES:
            return
        leaves = min(classes, self.rows or classes, 2 ** min(self.options.max_depth or 63, 63))
        cells = 1  # into which tests can part all rows
        for j in columns:
            column = schema.used[j]
            cells = min(cells * (len(column.levels) + 1 if column.kind in CODED else leaves), leaves)
        leaves = cells
        tables = TABLES + len(columns) * self.keep_candidates
        refuse_beyond_memory(
            8 * classes * leaves * tables,
            f"the counts of {classes:,} classes in a tree of {leaves:,} leaves",
            "Join rare classes, or set max_depth.",
        )

    def question(self, schema: Schema, columns: tuple[int, ...]) -> GrowingTree:
        """Return the first question, which holds all there is to know."""
        options, parts = self.options, self.options.parts(schema, self.unit)
        # what a node takes while the tree answers, is shown and written
        classes = len(schema.predicted.labels)
        averaged = AVERAGED + AVERAGED_CLASS * classes if self.answers.average else 0
        node_bytes = NODE + NODE_CLASS * classes + averaged
        return GrowingTree(
            schema,
            columns,
            options.rules(
                self.unit * parts,
                bool(schema.predicted.labels),
                None if self.unit == 1 else self.row_unit,
            ),
            options.weights_of(schema.predicted),
            options.cuts == "observed",
            self.keep_candidates,
            options.max_bins,
            parts,
            self.rows,
            FEW_VALUES,
            node_bytes,
            self.budget,
        )


def tested_columns(schema: Schema) -> tuple[int, ...]:
    """Return the positions in `schema.used` of what a tree can test: all but texts."""
    columns = tuple(j for j, c in enumerate(schema.used) if c.kind != "text")
    if not columns:
        raise DataError(
            "a tree needs columns of numbers or levels, and there is none besides "
            f"{counted(len(schema.used), 'column')} of text. "
            "Use NaiveBayes for text."
        )
    return columns


def nodes_of(grown: Grown, schema: Schema, unit: int, each: bool) -> Nodes:
    """Return the kernels' arrays as nodes."""
    a = grown.arrays
    regression = schema.regression
    counts = a["counts"]
    mean = grown.scale.mean(counts[:, 1], counts[:, 0]) if regression else np.empty(0)
    deviance = grown.scale.squared(a["deviance"]) / unit if regression else np.empty(0)
    start, branch_of = branches_of(a["column"], a["map"], a["maps"], schema, each)
    return Nodes(
        counts=np.ascontiguousarray(counts[:, :1]) if regression else counts,
        column=a["column"],
        cut=a["cut"],
        n_children=a["children"],
        branch_start=start,
        branch_of=branch_of,
        missing_branch=a["missing"],
        gain=grown.scale.squared(a["gain"]) if regression else a["gain"],
        mean=mean,
        deviance=deviance,
    )


def branches_of(
    column: NDArray[np.int32], at: NDArray[np.int64], maps: NDArray[np.uint8], schema: Schema, each: bool
) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """Return starts and the branch of each level of tests.

    column[test]: -1 is not a test. at[test]: where its levels begin in maps; -1 when they were not kept.
    each: levels have a branch of their own, so the branch is the code, kept or not.
    """
    if not any(c.kind in CODED for c in schema.used):
        return np.zeros(len(at) + 1, np.int64), np.empty(0, np.int32)
    levels = np.array([len(c.levels) if c.kind in CODED else 0 for c in schema.used] + [0], np.int64)
    own = np.array([each and c.kind == "levels" for c in schema.used] + [False])
    sizes = np.where((at >= 0) | own[column], levels[column], 0)
    start = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    code = np.arange(start[-1]) - np.repeat(start[:-1], sizes)
    if not len(maps):
        return start, code.astype(np.int32)
    source = np.minimum(np.repeat(at, sizes) + code, len(maps) - 1)
    return start, np.where(np.repeat(own[column], sizes), code, maps[source]).astype(np.int32)


def beyond(nodes: Nodes, heavy: NDArray[np.float64], most: int) -> NDArray[np.bool_]:
    """Return the nodes that become leaves when only the best `most` leaves are kept, best first.

    The next test made is the one whose gain times rows is largest; of equals the first in the tree.
    heavy[node]: what its rows weigh in the criterion.
    """
    stop = np.ones(len(nodes), dtype=bool)
    worth = nodes.gain * heavy
    queue = [(-worth[0], 0)]
    leaves = 1
    while queue and leaves < most:
        _, node = heapq.heappop(queue)
        more = int(nodes.n_children[node]) - 1
        if nodes.column[node] < 0 or leaves + more > most:
            continue
        leaves += more
        stop[node] = False
        for child in nodes.branches(node).tolist():
            heapq.heappush(queue, (-worth[child], child))
    return stop


def limited(tree: Tree, most: int) -> Tree:
    """Return the tree with its best `most` leaves. A limit is where growing stops, so it answers as the
    grown tree does: averaged trees average over the prunings of what is left.
    """
    return replace(tree.cut_back(beyond(tree.nodes, tree.heavy, most)), answers=tree.answers)


class Tried:
    """The candidates of a grown tree, sorted on request."""

    def __init__(self, grown: Grown, schema: Schema, columns: int, each: bool) -> None:
        self._grown, self._schema, self._columns, self._each = grown, schema, columns, each

    @property
    def on_disk(self) -> bool:
        """Whether they are on disk."""
        return scratch.on_disk(self._grown.arrays["column"])

    def candidates(self, of: NDArray[np.int64] | None = None) -> Candidates:
        """Return the candidates of some nodes, best first in each; None: of all."""
        nodes, a = self._grown.arrays, self._grown.tried()
        regression = self._schema.regression
        of = np.arange(len(nodes["candidates"])) if of is None else of
        place = nodes["candidates"][of]
        searched = place >= 0
        every = (place[searched, None] * self._columns + np.arange(self._columns)).reshape(-1)
        found = a["tried_branches"][every] > 0
        sizes = np.zeros(len(searched), np.int64)
        sizes[searched] = found.reshape(-1, self._columns).sum(axis=1)
        every = every[found]
        column = a["tried_column"][every]
        start, branch_of = branches_of(
            column, a["tried_map"][every], a["tried_maps"], self._schema, self._each
        )
        left = a["tried_left"][every]
        kept = left >= 0
        first, whole = (
            a["lefts"][left[kept] // a["lefts"].shape[1]],
            nodes["counts"][np.repeat(of, sizes)[kept]],
        )
        own = first[:, [1, 0]] if regression else first[:, :-1]
        both = np.stack([own, whole - own], axis=1).reshape(-1, whole.shape[1])  # of both branches in turn
        numeric = np.array([c.kind == "numeric" for c in self._schema.used])[column]
        mean = np.empty(0)
        if regression:
            mean = self._grown.scale.mean(both[:, 1], both[:, 0])
            both = np.ascontiguousarray(both[:, :1])
        return Candidates(
            start=np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64),
            column=column,
            cut=np.where(numeric, a["tried_cut"][every], np.nan),
            branch_start=start,
            branch_of=branch_of,
            gain=self._grown.scale.squared(a["tried_gain"][every]) if regression else a["tried_gain"][every],
            ratio=np.where(regression, np.nan, a["tried_ratio"][every]),
            count_start=np.concatenate([[0], np.cumsum(np.where(kept, 2, 0))]).astype(np.int64),
            counts=both,
            mean=mean,
        )
