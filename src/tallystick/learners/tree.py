"""Learn a tree: ask for the best splits, make nodes of them, keep the best leaves when their number is
limited.

Knows options, totals and nodes. Knows nothing of rows, threads, files or words.
Law: the same totals give the same tree.
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallystick.contracts import Statistic
from tallystick.data.schema import CODED, Schema
from tallystick.data.source import scratch
from tallystick.errors import DataError, counted
from tallystick.learners.tree_levels import Levels, begin
from tallystick.learners.tree_options import TreeOptions
from tallystick.models.tree import Answers, Candidates, Nodes, Tree
from tallystick.stats.room import refuse_beyond_memory
from tallystick.stats.split_search import FEW_VALUES, GrowingTree, Grown, NodeLook

TABLES = 16  # by class, for each leaf: two nodes in counts, rows, shares and what the average is made of
NODE, NODE_CLASS = 104, 24  # bytes that a node takes where rows are on disk, and for each class
AVERAGED, AVERAGED_CLASS = 230, 40  # the same for averaging over all prunings
MANY_CLASSES = 1000  # from here on the counts of classes decide how much memory a tree takes


@dataclass(frozen=True)
class TreeDraft:
    """What is known so far."""

    schema: Schema
    columns: tuple[int, ...]
    grown: Grown | None = None
    levels: Levels | None = None
    look: NodeLook | None = None  # at the values, where the cuts of bins are still to be found


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

    def start(self, schema: Schema) -> TreeDraft:
        """Take the columns a tree can test: all but texts."""
        columns = tested_columns(schema)
        self._refuse_classes(schema, columns)
        return TreeDraft(schema, columns)

    def _refuse_classes(self, schema: Schema, columns: tuple[int, ...]) -> None:
        """Refuse so many classes that the counts of nodes and candidates cannot be kept.

        A tree that is grown out has a leaf for each class at least, where its rows and tests allow it.
        """
        classes = len(schema.predicted.labels)
        if classes < MANY_CLASSES:
            return
        leaves = min(classes, self.rows or classes, 2 ** min(self.options.max_depth or 63, 63))
        leaves = min(leaves, cells_of(schema, columns, leaves))
        tables = TABLES + len(columns) * self.keep_candidates
        refuse_beyond_memory(
            8 * classes * leaves * tables,
            f"the counts of {classes:,} classes in a tree of {leaves:,} leaves",
            "Join rare classes, or set max_depth.",
        )

    def ask(self, draft: TreeDraft) -> Statistic[Any] | None:
        """Ask for all splits at once; an engine that cannot is asked level by level."""
        if draft.grown is not None:
            return None
        if draft.levels is not None:
            return draft.levels.ask()
        question = self.question(draft)
        return question if draft.look is None else question.finer(draft.look) or question.near(draft.look)

    def question(self, draft: TreeDraft) -> GrowingTree:
        """Return the first question, which holds all there is to know."""
        options, parts = self.options, self.options.parts(draft.schema, self.unit)
        return GrowingTree(
            draft.schema,
            draft.columns,
            options.rules(
                self.unit * parts,
                bool(draft.schema.predicted.labels),
                None if self.unit == 1 else self.row_unit,
            ),
            options.weights_of(draft.schema.predicted),
            options.cuts == "observed",
            self.keep_candidates,
            options.max_bins,
            parts,
            self.rows,
            FEW_VALUES,
            self._node_bytes(len(draft.schema.predicted.labels)),
            self.budget,
        )

    def _node_bytes(self, classes: int) -> int:
        """Return how much memory a node takes while the tree answers, is shown and written."""
        averaged = AVERAGED + AVERAGED_CLASS * classes if self.answers.average else 0
        return NODE + NODE_CLASS * classes + averaged

    def update(self, draft: TreeDraft, total: Any) -> TreeDraft:
        """Keep the grown tree, or split the nodes of one level."""
        if isinstance(total, Grown):
            return replace(draft, grown=total)
        if draft.levels is None:
            question = self.question(draft)
            if draft.look is not None and (finer := question.finer(draft.look)) is not None:
                return replace(draft, look=question.zoomed(draft.look, finer, total))
            if draft.look is not None:
                return replace(draft, look=None, levels=begin(question, draft.look, total))
            if question.near(total) is not None:
                return replace(draft, look=total)
            return replace(draft, levels=begin(question, total, []))
        draft.levels.update(total)
        return draft if draft.levels.open else replace(draft, grown=draft.levels.finish())

    def finish(self, draft: TreeDraft) -> Tree:
        """Return the model."""
        assert draft.grown is not None
        grown = draft.grown
        each = self.options.level_splits == "each"
        unit = self.unit * self.options.parts(draft.schema, self.unit)
        nodes = nodes_of(grown, draft.schema, unit, each)
        tried = Tried(grown, draft.schema, len(draft.columns), each) if self.keep_candidates else None
        counted = 0 if self.unit == 1 else self.row_unit or 0
        tree = Tree(draft.schema, nodes, unit, self.answers, tried, counted)
        if self.options.max_leaf_nodes is not None:
            tree = limited(tree, self.options.max_leaf_nodes)
        return tree


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
        if nodes.column[node] < 0:
            continue
        more = int(nodes.n_children[node]) - 1
        if leaves + more > most:
            continue
        leaves += more
        stop[node] = False
        for child in nodes.branches(node).tolist():
            heapq.heappush(queue, (-worth[child], child))
    return stop


def cells_of(schema: Schema, columns: tuple[int, ...], most: int) -> int:
    """Return into how many cells tests can part all rows, `most` where there may be more."""
    cells = 1
    for j in columns:
        column = schema.used[j]
        cells *= len(column.levels) + 1 if column.kind in CODED else most
        if cells >= most:
            return most
    return cells


def limited(tree: Tree, most: int) -> Tree:
    """Return the tree with its best `most` leaves. A limit is where growing stops, so it answers as the
    grown tree does: averaged trees average over the prunings of what is left.
    """
    return replace(tree.cut_back(beyond(tree.nodes, tree.heavy, most)), answers=tree.answers)


class Tried:
    """The candidates of a grown tree, put in order when somebody asks."""

    def __init__(self, grown: Grown, schema: Schema, columns: int, each: bool) -> None:
        self._grown, self._schema, self._columns, self._each = grown, schema, columns, each

    @property
    def on_disk(self) -> bool:
        """Whether they lie on disk."""
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
        first = a["lefts"][left[kept] // a["lefts"].shape[1]]
        both = _both(first, nodes["counts"][np.repeat(of, sizes)[kept]], regression)
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


def _both(first: NDArray[np.int64], counts: NDArray[np.int64], regression: bool) -> NDArray[np.int64]:
    """Return rows of both branches of two-branch candidates, one after the other."""
    own = first[:, [1, 0]] if regression else first[:, :-1]
    out: NDArray[np.int64] = np.stack([own, counts - own], axis=1).reshape(-1, counts.shape[1])
    return out
