"""Learn the best tree: ask for the distinct rows, search, and make nodes of the tests that were found.

Knows options, totals, the search's rounds and nodes. Knows nothing of files or words.
Law: the same total gives the same tree, whatever the threads; only a clock or an interrupt can change that.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from tallystick import kernels
from tallystick.contracts import Statistic
from tallystick.data.schema import Schema
from tallystick.data.threads import checkpoint, crew
from tallystick.kernels.optimal import Search, TestFound
from tallystick.learners.optimal.losses import Losses, price_table
from tallystick.learners.optimal.options import OptimalOptions
from tallystick.learners.optimal.points import Points
from tallystick.learners.tree import tested_columns
from tallystick.models.costs import cost_table
from tallystick.models.tree import STAYS, Answers, Nodes, Tree
from tallystick.models.tree.certificate import Certificate
from tallystick.models.tree.nodes import NO_CUT
from tallystick.models.tree.weights import class_weights
from tallystick.stats.distinct_rows import DistinctRows, RowCells

__all__ = ["OptimalDraft", "OptimalLearner", "Running", "rounds"]

Ints = NDArray[np.int64]
Told = Callable[[int, float, float], None]  # work, best, bound


@dataclass(frozen=True)
class Running:
    """How the search is run: no part of what is learnt, unless it is cut off. told: called as it goes on."""

    threads: int = 1
    seconds: float | None = None
    told: Told | None = None


@dataclass(frozen=True)
class OptimalDraft:
    """What is known so far."""

    schema: Schema
    columns: tuple[int, ...]
    tree: Tree | None = None


@dataclass(frozen=True)
class OptimalLearner:
    """The learner of the contracts; unit, row_unit: as a table has them."""

    options: OptimalOptions
    unit: int = 1
    answers: Answers = field(default_factory=Answers)
    row_unit: int = 0
    running: Running = field(default_factory=Running)

    def start(self, schema: Schema) -> OptimalDraft:
        """Take the columns a tree can test."""
        return OptimalDraft(schema, tested_columns(schema))

    def ask(self, draft: OptimalDraft) -> Statistic[RowCells] | None:
        """Ask for all distinct rows."""
        return DistinctRows(draft.schema, draft.columns) if draft.tree is None else None

    def update(self, draft: OptimalDraft, total: RowCells) -> OptimalDraft:
        """Search."""
        points = Points.of(draft.schema, draft.columns, total)
        depth, leaves = self.options.size(len(points.classes))
        target = draft.schema.predicted
        costs = cost_table(self.options.costs, target)
        weights = class_weights(self.options.class_weight, None, target)
        losses = Losses.of(
            points.classes,
            points.weights,
            price_table(weights, costs, points.counts),
            self.options.leaf_price,
            leaves,
            self.unit,
        )
        search = Search(
            points.columns, losses.form, losses.loss, points.floor(losses.loss), losses.worth, losses.leaf
        )
        ended = self._run(search, losses, depth, leaves)
        measure = "cost" if costs else "weighted errors" if weights else "errors"
        nodes = _nodes(points, search.tests)
        certificate = self._certificate(search, losses, nodes.leaves, ended, measure)
        counted = 0 if self.unit == 1 else self.row_unit
        tree = Tree(draft.schema, nodes, self.unit, self.answers, None, counted, certificate)
        return replace(draft, tree=tree)

    def finish(self, draft: OptimalDraft) -> Tree:
        """Return the model."""
        assert draft.tree is not None
        return draft.tree

    def _run(self, search: Search, losses: Losses, depth: int, leaves: int) -> str:
        """Search round by round; return how it ended. An interrupt ends it with the best tree so far."""
        run, began = self.running, time.monotonic()
        search.start(depth, leaves, self.options.max_work, run.seconds)
        try:
            rounds(search, run, lambda: (losses.told(search.key), losses.told(search.bound)))
        except KeyboardInterrupt:
            search.merge()
            return "proven" if search.bound >= search.key else "interrupted"
        if search.bound >= search.key:
            return "proven"
        late = run.seconds is not None and time.monotonic() - began >= run.seconds
        return "seconds" if late else "max_work"

    def _certificate(
        self, search: Search, losses: Losses, leaves: int, ended: str, measure: str
    ) -> Certificate:
        options = self.options
        found = losses.told(search.key)
        return Certificate(
            measure,
            options.max_depth,
            options.max_leaf_nodes,
            float(options.leaf_price),
            losses.told(search.key - leaves * (losses.leaf - 1)),
            leaves,
            found,
            min(losses.told(search.bound), found),
            ended,
            search.work,
        )


def rounds(search: Search, run: Running, reached: Callable[[], tuple[float, float]]) -> None:
    """Do all rounds of a search. They run in threads, also one alone, so that the caller stays free to see an
    interrupt; whatever ends the wait stops them, and none is left behind.
    """
    with crew(run.threads) as every:
        try:
            while cuts := search.plan():
                checkpoint()
                every(search.evaluate, range(cuts))
                search.merge()
                if run.told is not None:
                    run.told(search.work, *reached())
        except BaseException:
            search.stop()
            raise


def _nodes(points: Points, tests: list[TestFound]) -> Nodes:
    """Return the tests as nodes, with the counts of the rows that come to them."""
    size, labels = len(tests), len(points.schema.predicted.labels)
    counts = np.zeros((size, labels), np.int64)
    column, missing = np.full(size, -1, np.int32), np.full(size, STAYS, np.int32)
    cut, gain = np.full(size, np.nan), np.zeros(size)
    children, levels = np.zeros(size, np.int32), [np.empty(0, np.int32)] * size
    waiting = [np.arange(len(points.classes))]
    parents: list[int] = []
    for node, test in enumerate(tests):
        rows = waiting.pop()
        np.add.at(counts[node], points.classes[rows], points.weights[rows])
        if test.column < 0:
            continue
        right = _goes_right(points, test, rows)
        weight = points.weights[rows]
        lost = test.missing if test.missing >= 0 else int(weight[right].sum() > weight[~right].sum())
        column[node], missing[node], children[node] = points.numbers[test.column], lost, 2
        cut[node], levels[node] = _test(points, test, rows, lost)
        waiting += [rows[right], rows[~right]]
        parents.append(node)
    start = np.concatenate([[0], np.cumsum([len(b) for b in levels])]).astype(np.int64)
    nodes = Nodes(counts, column, cut, children, start, np.concatenate(levels), missing, gain)
    for node in parents:
        gain[node] = _gain(counts, node, nodes.branches(node).tolist())
    return nodes


def _goes_right(points: Points, test: TestFound, rows: NDArray[np.int64]) -> NDArray[np.bool_]:
    column = points.columns[test.column]
    codes = column.codes[rows]
    known = codes != test.low if column.levels else codes >= test.high
    if test.high == column.k:
        known = np.zeros(len(rows), bool)
    out: NDArray[np.bool_] = np.where(codes == column.k, test.missing == 1, known)
    return out


def _test(
    points: Points, test: TestFound, rows: NDArray[np.int64], lost: int
) -> tuple[float, NDArray[np.int32]]:
    """Return the cut of a test of numbers, or the branch of each level."""
    column, values = points.columns[test.column], points.values[test.column]
    alone = test.high == column.k
    numeric = points.schema.used[points.numbers[test.column]].kind == "numeric"
    if numeric:
        if alone:
            return NO_CUT, np.empty(0, np.int32)
        low, high = float(values[test.low]), float(values[test.high])
        middle = 0.5 * low + 0.5 * high
        return middle if middle > low else high, np.empty(0, np.int32)
    if alone:
        return np.nan, np.zeros(column.k, np.int32)
    if not column.levels:
        return np.nan, (np.arange(column.k) >= test.high).astype(np.int32)
    branch = np.full(column.k, lost, np.int32)  # a level that no row here has goes where missing ones do
    branch[np.unique(column.codes[rows][column.codes[rows] < column.k])] = 1
    branch[test.low] = 0
    return np.nan, branch


def _gain(counts: Ints, node: int, below: list[int]) -> float:
    """Return the information gain of a test, in bits a row."""

    def bits(n: Ints) -> float:
        there = n[n > 0].astype(np.float64)
        return float((there * kernels.log2(there.sum() / there)).sum()) if len(there) else 0.0

    left = sum(bits(counts[b]) for b in below)
    return max(bits(counts[node]) - left, 0.0) / float(counts[node].sum())
