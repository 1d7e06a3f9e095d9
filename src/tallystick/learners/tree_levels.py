"""Grow a tree level by level from count tables, on whatever engine sums them.

Knows totals and the judge of splits. Knows nothing of rows or engines.
Law: the arrays are those of growing in memory, byte for byte in the model file.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallystick.data.schema import CODED
from tallystick.errors import DataError
from tallystick.kernels.trees import GrowColumn, Judge
from tallystick.stats.level_tables import DIGITS, CodedColumn, Coding, Frontier, Level, Test, sum_of_squares
from tallystick.stats.node_rows import NodeTables
from tallystick.stats.quantiles import ValueCounts
from tallystick.stats.score_weights import ScoreWeights
from tallystick.stats.split_search import (
    GrowingTree,
    Grown,
    NodeLook,
    ValueScale,
    binned_column,
    lift,
    observe,
    spread_missing,
)

MOST_CELLS = 1 << 23  # of the tables of one question: more nodes wait for the next
NODE_ARRAYS = ("column", "cut", "children", "missing", "gain", "deviance", "map", "map_size", "candidates")
TRIED = ("column", "branches", "cut", "gain", "ratio", "left", "map")


@dataclass
class LevelPart:
    """One node: what the judge said, and its counts."""

    said: dict[str, NDArray[Any]]
    counts: NDArray[np.int64]
    children: list[int] = field(default_factory=list)


@dataclass
class Family:
    """Nodes that wait together: those to ask for, and perhaps one whose tables are what is left of its
    parent's.
    """

    asked: list[int]
    rest: int | None = None
    parent: list[NDArray[np.int64]] = field(default_factory=list)  # tables[column][code, class]


@dataclass
class Levels:
    """A tree in the making."""

    question: GrowingTree
    form: CodedColumn
    judge: Judge
    weighing: ScoreWeights
    scale: ValueScale
    parts: list[LevelPart | None] = field(default_factory=lambda: [None])
    depth: list[int] = field(default_factory=lambda: [0])
    tests: list[Test] = field(default_factory=list)
    waiting: list[Family] = field(default_factory=lambda: [Family([0])])
    now: list[Family] = field(default_factory=list)

    @property
    def codings(self) -> tuple[Coding, ...]:
        """How columns become codes."""
        return self.form.codings

    @property
    def open(self) -> bool:
        """Say whether some node still waits for its tables."""
        return bool(self.waiting)

    def ask(self) -> Frontier | None:
        """Return the next question, None when the tree is grown."""
        if not self.waiting:
            return None
        weighing = self.weighing if self.weighing.drop else None
        each = sum(c.k + 1 for c in self.codings) * self.width * (1 if weighing is None else 2)
        self.now, cells = [], 0
        while self.waiting and (cells == 0 or cells + each * len(self.waiting[0].asked) <= MOST_CELLS):
            self.now.append(self.waiting.pop(0))
            cells += each * len(self.now[-1].asked)
        return Frontier(
            self.form,
            tuple(self.tests),
            tuple(node for family in self.now for node in family.asked),
            len(self.parts),
            len(self.question.labels),
            self.scale,
            self.question.parts,
            weighing,
        )

    @property
    def width(self) -> int:
        """How many counts a node has: rows of each class; regression: rows and sum of the response."""
        return len(self.question.labels) or 2

    def update(self, total: Level | NodeTables) -> None:
        """Split the nodes that were asked for by their tables."""
        i = 0
        for family in self.now:
            left = family.parent
            for node in family.asked:
                counts = total.counts(i)[: self.width]
                if self._ends(counts, self.depth[node]):
                    self.parts[node] = LevelPart(self.leaf, counts)
                else:
                    tables, squares = total.node(i)
                    self._split(node, tables, squares)
                    if family.rest is not None:
                        left = [a - b for a, b in zip(left, tables, strict=True)]
                i += 1
            if family.rest is not None:
                self._split(family.rest, left, np.zeros(DIGITS, np.int64))
        self.now = []

    def _ends(self, counts: NDArray[np.int64], depth: int) -> bool:
        """Say of a node that the judge would make a leaf without looking at its columns."""
        rules, classes = self.question.rules, len(self.question.labels)
        few = int(counts.sum()) < max(rules.min_split, 2 * rules.min_leaf) or depth >= rules.max_depth
        return classes > 0 and (few or int(np.count_nonzero(counts)) < 2)

    @cached_property
    def leaf(self) -> dict[str, NDArray[Any]]:
        """What the judge says of a leaf."""
        width = len(self.question.labels) + 1
        nothing = [np.zeros((c.k + 1, width), np.int64) for c in self.codings]
        return self.judge.judge(np.zeros(width, np.int64), nothing, 0, 0.0)

    def _split(self, node: int, tables: list[NDArray[np.int64]], squares: NDArray[np.int64]) -> None:
        counts = tables[0].sum(axis=0)[: self.width]
        deviance = 0.0
        if self.question.labels:
            branches = [self._vectors(t) for t in tables]
        else:
            branches = [np.ascontiguousarray(t[:, ::-1]) for t in tables]
            deviance = _deviance(int(counts[0]), int(counts[1]), sum_of_squares(squares))
        total = branches[0].sum(axis=0)
        said = self.judge.judge(total, branches, self.depth[node], deviance)
        part = self.parts[node] = LevelPart(said, counts)
        if said["children"][0]:
            self._open(node, part, said, tables)

    def _vectors(self, table: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the judge's vectors: what rows of each class weigh in scores, then all rows."""
        classes = self.width
        rows = table[:, :classes]
        out = np.empty((len(table), classes + 1), np.int64)
        if self.weighing.drop:
            out[:, :classes] = table[:, classes:]
        else:
            out[:, :classes] = rows if self.weighing.factors is None else rows * self.weighing.factors
        out[:, classes] = rows[:, 0]
        for c in range(1, classes):  # many codes, few classes: quicker than a sum along the short side
            out[:, classes] += rows[:, c]
        return out

    def _open(
        self, node: int, part: LevelPart, said: dict[str, NDArray[Any]], tables: list[NDArray[np.int64]]
    ) -> None:
        column, children = int(said["column"][0]), int(said["children"][0])
        coding = self.codings[column]
        part.children = list(range(len(self.parts), len(self.parts) + children))
        self.parts += [None] * children
        self.depth += [self.depth[node] + 1] * children
        if coding.kind == "numeric":
            right = (_starts(coding) >= said["cut"][0]).astype(np.int64)
        elif coding.kind == "levels" and not self.question.rules.groups:
            right = np.arange(coding.k)
        else:
            begin = int(said["map"][0])
            right = said["maps"][begin : begin + coding.k].astype(np.int64)
        below = np.asarray(part.children)
        if not self.question.rules.fractions:
            following = below[np.append(right, said["missing"][0])]
            self.tests.append(Test(node, column, following))
            self._await(part.children, following, tables, column)
            return
        self.waiting.append(Family(part.children))
        rows = tables[column][:, : len(self.question.labels) or 1].sum(axis=1)
        shares = np.zeros(children, np.int64)
        np.add.at(shares, right, rows[:-1])
        self.tests.append(Test(node, column, below[right], below, shares))

    def _await(
        self, children: list[int], following: NDArray[np.int64], tables: list[NDArray[np.int64]], column: int
    ) -> None:
        """Make leaves of the branches that must end, and let the others wait; the largest is what the others
        leave of their parent, and is not asked for.
        """
        if not self.question.labels:
            self.waiting.append(Family(children))
            return
        counts = np.zeros((len(children), len(self.question.labels)), np.int64)
        np.add.at(counts, following - children[0], tables[column][:, : self.width])
        more = []
        for child, rows in zip(children, counts, strict=True):
            if self._ends(rows, self.depth[child]):
                self.parts[child] = LevelPart(self.leaf, rows)
            else:
                more.append(child)
        if len(more) < len(children) or len(more) == 1:
            self.waiting += [Family(more)] if more else []
            return
        rest = children[int(counts.sum(axis=1).argmax())]
        self.waiting.append(Family([child for child in more if child != rest], rest, tables))

    def finish(self) -> Grown:
        """Join all nodes, depth first."""
        order, stack = [], [0]
        while stack:
            node = stack.pop()
            part = self.parts[node]
            assert part is not None
            order.append(part)
            stack += reversed(part.children)
        arrays = join(order)
        if self.question.observed:
            self._observe(arrays)
        if self.question.rules.fractions:
            spread_missing(arrays)
        for name in ("column", "tried_column"):
            lift(arrays, self.question.columns, name)
        self.weighing.count_rows(arrays)
        return Grown(arrays, self.scale, lambda: arrays)

    def _observe(self, arrays: dict[str, NDArray[Any]]) -> None:
        for j, coding in enumerate(self.codings):
            if coding.values is not None and not coding.binned:
                observe(arrays, j, coding.values)


def _starts(coding: Coding) -> NDArray[np.float64]:
    """Return a value of each code that lies on the right side of every cut before it."""
    assert coding.values is not None
    return np.concatenate([[-np.inf], coding.values]) if coding.binned else coding.values


def _deviance(rows: int, total: int, squares: int) -> float:
    """Return the sum of squared deviations in fixed point, as the kernels round it."""
    if not rows:
        return 0.0
    middle = total // rows  # responses in fixed point are never negative
    rest = float(total - rows * middle)
    return max(float(squares - 2 * middle * total + rows * middle * middle) - rest * rest / float(rows), 0.0)


def join(parts: list[LevelPart]) -> dict[str, NDArray[Any]]:
    """Return the arrays of many nodes from those of one node each."""
    said = [p.said for p in parts]
    out = {name: np.concatenate([s[name] for s in said]) for name in NODE_ARRAYS}
    out |= {f"tried_{n}": np.concatenate([s[f"tried_{n}"] for s in said]) for n in TRIED}
    out |= {n: np.concatenate([s[n] for s in said]) for n in ("maps", "tried_maps", "lefts")}
    out["counts"] = np.stack([p.counts for p in parts])
    maps = np.cumsum([0] + [len(s["maps"]) for s in said])
    tried_maps = np.cumsum([0] + [len(s["tried_maps"]) for s in said])
    lefts = np.cumsum([0] + [s["lefts"].size for s in said])
    out["map"] = out["map"] + maps[:-1]
    tried = np.array([len(s["tried_column"]) for s in said])
    for name, start in (("tried_map", tried_maps), ("tried_left", lefts)):
        shifted = out[name] + np.repeat(start[:-1], tried)
        out[name] = np.where(out[name] >= 0, shifted, -1)
    searched = out["candidates"] >= 0
    out["candidates"] = np.where(searched, np.cumsum(searched) - 1, -1)
    return out


def begin(question: GrowingTree, look: NodeLook, near: list[ValueCounts]) -> Levels:
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
        else:
            codings.append(Coding(column.name, "numeric", len(found.few.values), found.few.values))
    rows = look.rows * question.parts
    if rows >= 2**63:
        raise parts_overflow(look.rows, question.parts)
    if question.labels:
        weighing, scale = ScoreWeights.of(question.class_weights, look.classes, question.parts), ValueScale()
    else:
        weighing, scale = ScoreWeights(None, rows), ValueScale.of(look.low, look.high, rows)
    columns = [_grow_column(c) for c in codings]
    rules, classes = scale.rules(question.rules), len(question.labels)
    judge = Judge(columns, question.by_name, rules, classes, weighing.heavy, rows)
    return Levels(question, CodedColumn(tuple(codings)), judge, weighing, scale)


def parts_overflow(weight: int, parts: int) -> DataError:
    """Return the error of weights whose parts cannot be counted."""
    return DataError(
        f"the sample weights sum to {weight:.3g}, and missing_values='fractions' counts rows in parts of "
        f"1/{parts:,}, which leaves room for {2**63 // parts:.3g}. Scale them down."
    )


def _grow_column(coding: Coding) -> GrowColumn:
    if coding.binned:
        assert coding.values is not None
        return binned_column(coding.values, None)
    return GrowColumn(coding.kind, np.empty(0, np.uint8), coding.k, coding.values)
