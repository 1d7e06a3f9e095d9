"""Growing a tree in memory: memory budget, row weights in scores, the statistic of a growing tree.

In this order: bytes and threads under a budget (`GrowingRoom`); integer weights of rows in scores
(`ScoreWeights`); fixed-point responses (`ValueScale`), the statistic itself (entry `GrowingTree`) and the
compiled grower.
grower = the compiled object that grows a tree; harvest = its candidate splits; tried = a split that was
compared but not made; judge = the compiled scorer of splits; order = the rows of a column sorted by value.
An order is read and written sequentially, so it may be on disk.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from tallystick import kernels
from tallystick.contracts import Block, Statistic
from tallystick.errors import DataError, OptionError
from tallystick.io import scratch
from tallystick.kernels.trees import ANY_NUMBER, SMALL, GrowColumn, Grower, GrowRules, Harvest
from tallystick.parallel import FEW_ROWS, crew, each_in_order
from tallystick.schema import CODED, Schema
from tallystick.stats.exact import most_nodes, refuse_large_tree
from tallystick.stats.quantiles import (
    FinerCells,
    Grid,
    RefinedGrid,
    Spreads,
    ValueCounts,
    ValuesInCells,
    ValueSpread,
    cells_for,
    cells_of_cuts,
    crowded,
    cuts_of,
)
from tallystick.table.lazy_columns import raw_column
from tallystick.table.ranks import quantile_cuts
from tallystick.tree.model import ClassWeights
from tallystick.tree.nodes import NO_CUT, SPREADS

if TYPE_CHECKING:
    from tallystick.engine import Local
    from tallystick.table.table import LocalTable

GROWING = 40  # bytes per row in two threads, without the orders
PARTING = 4  # more bytes per row for every other thread
SORTING = 32  # more bytes per row for every thread that sorts a column
HALF = 1 << 30  # rows from which an entry of an order takes 8 bytes, about
TRIED_TEST, TRIED_COUNT = 96, 16  # bytes of a candidate split, and of each of its counts
MANY = 1 << 16  # threads: stands for "no limit"


@dataclass(frozen=True)
class GrowingRoom:
    """What a budget of bytes leaves to a tree of some rows; 0: there is none. numbers: columns in order."""

    rows: int
    numbers: int
    budget: int = 0

    @property
    def on_disk(self) -> bool:
        """Whether the orders are on disk."""
        return bool(self.budget) and 2 * self._ordered * self.rows > self.budget

    @property
    def workers(self) -> int:
        """How many threads may grow at once."""
        return max(1, (self._free - SORTING + 2 * PARTING) // PARTING) if self.budget else MANY

    @property
    def sorters(self) -> int:
        """How many of them may put a column in order at once."""
        return max(1, self._free // SORTING) if self.budget else MANY

    @property
    def _ordered(self) -> int:
        """Bytes that a row takes with all its numbers in order."""
        return GROWING + (8 if self.rows >= HALF else 4) * self.numbers

    @property
    def _free(self) -> int:
        """Bytes of the budget that are left for a row."""
        return self.budget // max(self.rows, 1) - (GROWING if self.on_disk else self._ordered)


NO_BUDGET = GrowingRoom(0, 0)


def most_rows(budget: int) -> int:
    """Return how many rows a budget has room for, their numbers being in order on disk."""
    return budget // (2 * GROWING)


def holds_tree(question: GrowingTree, rows: int, budget: int, depth: int = 0) -> bool:
    """Say whether a budget, 0 being none, has room for a tree of some rows that stand at a node of this
    depth, its numbers being in order on disk.

    Tests that were not made take room too, a few for each node that is looked at. Without limits, and where
    numbers tell nothing of two classes, that is one node for 2.0, 2.7, 3.5, 4.4, 5.3 and 6.4 rows of 1, 2, 4,
    8, 15 and 30 columns; with more classes up to twice as many.
    """
    if not budget:
        return True
    tried = 0
    if question.keep_tried:
        columns, classes = len(question.columns), len(question.labels)
        nodes = (1 if classes == 2 else 2) * rows // (1 + columns.bit_length())
        sizes = (len(question.schema.used[j].levels) for j in question.columns)
        widest = 2 if question.rules.groups else max([2, *sizes])
        below = min(max(question.rules.max_depth - depth, 0), 40)  # beyond, rows are the limit
        tried = (TRIED_TEST + TRIED_COUNT * ((classes or 1) + 1)) * columns * min(nodes, int(widest**below))
    return 2 * (GROWING * rows + tried) <= budget


# ---- the weight of a row in split scores: its own weight times its class's ----
#
# Law: the weight of a row depends on nothing else, so that all engines get the same sums, and a class keeps
# its weight however large the row weights are.


Ints = NDArray[np.int64]
CLASS_BITS = 16  # class weights are whole multiples of 2^-16 of the largest
ROOM = 56  # bits that a sum of weights in scores may have
PARTS_ROOM = 60  # the same where rows are shared out in parts; the kernels' scores have room for one more
SCORE_HALF = 32  # bits of a weight in one partial product
AT_ONCE = 1 << 17  # entries that are changed at once in arrays that may be on disk


@dataclass(frozen=True, eq=False)
class ScoreWeights:
    """factors[class]: class weights as whole numbers, None for 1 each. heavy: what all rows weigh together.

    Where that may be beyond `ROOM`, rows are weighed in units of 2^drop: the product of their two weights is
    rounded up, so that no row that counts weighs nothing, and all rows together weigh at most `heavy` and a
    unit a row.
    """

    factors: Ints | None
    heavy: int
    drop: int = 0

    @classmethod
    def of(cls, given: ClassWeights | None, counts: Ints, parts: int = 1) -> ScoreWeights:
        """Return the rule for a table. counts[class]: its rows; a weight of 1 is `parts` in the tree."""
        factors = class_factors(given, counts)
        rows = [parts * n for n in counts.tolist()]  # beyond 64 bits from here
        each = [1] * len(rows) if factors is None else factors.tolist()
        drop = max(0, (sum(rows) * max(each)).bit_length() - (ROOM if parts == 1 else PARTS_ROOM))
        return cls(factors, sum(n * own for n, own in zip(rows, each, strict=True)) >> drop, drop)

    def of_rows(self, classes: NDArray[Any], weights: Ints | None) -> Ints | None:
        """Return what rows weigh in scores, None for 1 each. weights[row]: in counts, None for 1 each."""
        if self.factors is None and weights is None:
            return None
        own: Any = 1 if self.factors is None else self.factors[classes]
        if weights is None:
            weights = np.ones(len(classes), np.int64)
        if not self.drop:
            full: Ints = weights * own
            return full
        # Weights have 63 bits and factors 16, so the whole product has no room; its two halves have.
        high, low = (weights >> SCORE_HALF) * own, (weights & (1 << SCORE_HALF) - 1) * own
        out: Ints = (high << SCORE_HALF - self.drop) + (low + (1 << self.drop) - 1 >> self.drop)
        return out

    def vectors(self, table: Ints, classes: int) -> Ints:
        """Return a table as the judge takes it: what rows of each class weigh in scores, then all rows;
        regression (no classes): the sum of the response, then rows.
        """
        if not classes:
            return np.ascontiguousarray(table[:, ::-1])
        rows = table[:, :classes]
        out = np.empty((len(table), classes + 1), np.int64)
        if self.drop:
            out[:, :classes] = table[:, classes:]
        else:
            out[:, :classes] = rows if self.factors is None else rows * self.factors
        out[:, classes] = rows[:, 0]
        for c in range(1, classes):  # many codes, few classes: quicker than a sum along the short side
            out[:, classes] += rows[:, c]
        return out

    def count_rows(self, arrays: dict[str, NDArray[Any]]) -> None:
        """Turn candidates' first branches, lefts[branch, class then all rows], from weights to rows,
        in place.

        Where rows cannot be distinguished from weights the counts are left out.
        """
        own = np.ones(1, np.int64) if self.factors is None else self.factors
        free = np.flatnonzero(own == 0)
        if self.drop or len(free) > 1:
            arrays["tried_left"][...] = -1
        if self.drop or len(free) > 1 or self.factors is None:
            return
        for start in range(0, len(arrays["lefts"]), AT_ONCE):
            lefts: Ints = arrays["lefts"][start : start + AT_ONCE]
            rows = lefts[:, :-1] // np.maximum(own, 1)  # exact: sums of whole multiples
            if len(free):
                rows[:, free[0]] = lefts[:, -1] - rows.sum(axis=1)
            lefts[:, :-1] = rows


def class_factors(given: ClassWeights | None, counts: Ints | None) -> Ints | None:
    """Return class weights as whole numbers, None when all are equal. counts[class]: rows of the table."""
    if given is None or counts is None:
        return None
    weights = given.of(counts)
    if np.all(weights == np.rint(weights)) and weights.max() < 2**CLASS_BITS:
        return weights.astype(np.int64)
    scaled = np.rint(weights * ((2**CLASS_BITS - 1) / weights.max())).astype(np.int64)
    return np.where(weights > 0, np.maximum(scaled, 1), 0)


# ---- the statistic of a growing tree: the best splits of all its nodes ----
#
# A table in memory grows the whole tree at once from presorted columns; any other engine answers level by
# level with count tables (`tables.py`). Law: both give the same arrays, byte for byte.


T = TypeVar("T")
FEW_VALUES = 1_024  # a numeric column with at most so many distinct values is counted by codes
BINS = 255  # max_bins that the error message advises where memory is short
LEAST_BITS = 8  # of a response in fixed point: with fewer, the means of a tree would be wrong
QUICK = 500_000  # cells up to which one thread grows the tree, in a fraction of a second


@dataclass(frozen=True)
class ValueScale:
    """A numeric response in fixed point: whole numbers round((y - low) * 2^shift)."""

    low: float = 0.0
    shift: int = 0

    @classmethod
    def of(cls, low: float, high: float, weight: int) -> ValueScale:
        """Return the finest scale whose sums over `weight` rows stay below 2^62."""
        room = min(62 - weight.bit_length(), 52)
        spread = high - low
        if not spread > 0:
            return cls(low, 0)
        if room < LEAST_BITS:
            raise DataError(
                f"the sample weights are too heavy to add up the response with ({max(room, 0)} bits are left "
                f"for it, {LEAST_BITS} are needed). "
                f"Divide them all by {2 ** (LEAST_BITS - room):,}: ratios stay."
            )
        return cls(low, room - int(np.frexp(spread)[1]))

    def whole(self, response: NDArray[np.float64]) -> NDArray[np.int64]:
        """Return the response in fixed point."""
        return np.rint(np.ldexp(response - self.low, self.shift)).astype(np.int64)

    def mean(self, total: NDArray[np.int64], rows: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return means from sums in fixed point; 0 rows give 0."""
        return self.low + np.ldexp(total / np.maximum(rows, 1), -self.shift)

    def squared(self, deviance: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return squares in the response's own unit."""
        return np.ldexp(deviance, -2 * self.shift)

    def rules(self, rules: GrowRules) -> GrowRules:
        """Return growing rules with the least decrease in fixed point, as the kernels compare it."""
        if not self.shift or not rules.min_decrease:
            return rules
        return replace(rules, min_decrease=float(np.ldexp(rules.min_decrease, 2 * self.shift)))


@dataclass(frozen=True)
class Grown:
    """A grown tree as the kernels' arrays (depth first), the scale of its response, and a function that sorts
    and returns its candidates.
    """

    arrays: dict[str, NDArray[Any]]
    scale: ValueScale
    tried: Callable[[], dict[str, NDArray[Any]]]


class ColumnSummaries(NamedTuple):
    """The first total of other engines: the spread of numeric columns, rows per class, all rows, range of the
    response.
    """

    values: list[ValueSpread]
    classes: NDArray[np.int64]
    rows: int
    low: float
    high: float


@dataclass(frozen=True)
class GrowingTree(Statistic[ColumnSummaries]):
    """The statistic of a growing tree. `columns` are positions in `schema.used` that a tree can test.

    class_weights[class]: weight of a row in the criterion, None for 1.
    observed: cuts are just above an observed value (C4.5) instead of at midpoints.
    """

    schema: Schema
    columns: tuple[int, ...]
    rules: GrowRules
    class_weights: ClassWeights | None = None
    observed: bool = False
    keep_tried: bool = True
    max_bins: int | None = None
    parts: int = 1  # a weight of 1 in the table is this many in the tree, where missing rows are shared out
    rows: int = 0  # about how many: decides how finely the spread is asked for, and nothing else
    few: int = FEW_VALUES  # decides how columns are asked for, and nothing else
    node_bytes: int = 1  # of memory that a node of the tree takes, where there is a budget
    budget: int = 0  # bytes of memory to work in, where rows lie on disk; decides what is refused, and where
    # the nodes lie

    def zero(self) -> ColumnSummaries:
        """Return the total of no rows: other engines begin with a look at the values, then ask level by
        level.
        """
        classes = np.zeros(len(self.labels), np.int64)
        return ColumnSummaries(self.spreads.zero(), classes, 0, np.inf, -np.inf)

    def add(self, total: ColumnSummaries, block: Block) -> ColumnSummaries:
        weight = block.rows if block.weights is None else int(block.weights.sum())
        low, high, classes = np.inf, -np.inf, total.classes
        if block.classes is not None and len(classes):
            kernels.count_classes(block.classes, len(classes), block.weights, classes)
        elif block.response is not None and block.rows:
            low, high = float(block.response.min()), float(block.response.max())
        values = self.spreads.add(total.values, block)
        return ColumnSummaries(
            values, classes, total.rows + weight, min(total.low, low), max(total.high, high)
        )

    def merge(self, total: ColumnSummaries, other: ColumnSummaries) -> ColumnSummaries:
        values = self.spreads.merge(total.values, other.values)
        low, high = min(total.low, other.low), max(total.high, other.high)
        return ColumnSummaries(values, total.classes + other.classes, total.rows + other.rows, low, high)

    @cached_property
    def spreads(self) -> Spreads:
        """The question for how the values of the columns are spread."""
        used = [self.schema.used[j] for j in self.columns]
        used = [c for c in used if c.kind == "numeric"]
        cells = 1 if self.max_bins is None else cells_for(self.rows, len(used))  # where bins are cut
        grids = tuple(Grid(c.name, c.low or 0.0, c.high or 0.0, cells) for c in used)
        return Spreads(grids, (self.max_bins or self.few,) * len(grids))

    def near(self, look: ColumnSummaries) -> ValuesInCells | None:
        """Return the question for the values among which the cuts of bins lie; None: nothing is binned."""
        if self.max_bins is None:
            return None
        many = [
            (found.grid or grid, cells_of_cuts(found.cells, self.max_bins))
            for grid, found in zip(self.spreads.grids, look.values, strict=True)
            if found.many
        ]
        return ValuesInCells(tuple(g for g, _ in many), tuple(t for _, t in many)) if many else None

    def finer(self, look: ColumnSummaries) -> FinerCells | None:
        """Return the question for the rows in finer cells, of columns of which many rows lie near cuts; None:
        there are no such columns, or no more of them.
        """
        if self.max_bins is None:
            return None
        found = [
            RefinedGrid(grid, there)
            for grid, spread in zip(self.spreads.grids, look.values, strict=True)
            if spread.many and spread.grid is None
            if crowded(grid, spread.cells, there := cells_of_cuts(spread.cells, self.max_bins))
        ]
        return FinerCells(tuple(found)) if found else None

    def zoomed(
        self, look: ColumnSummaries, question: FinerCells, total: list[NDArray[np.int64]]
    ) -> ColumnSummaries:
        """Return the look with the finer cells that were asked for."""
        known = {z.name: (z, fine) for z, fine in zip(question.zoomed, total, strict=True)}
        values = list(look.values)
        for i, (grid, spread) in enumerate(zip(self.spreads.grids, look.values, strict=True)):
            if grid.name in known:
                z, fine = known[grid.name]
                values[i] = spread._replace(cells=z.joined(spread.cells, fine), grid=z)
        return look._replace(values=values)

    def cuts(self, look: ColumnSummaries, near: list[ValueCounts]) -> list[NDArray[np.float64] | None]:
        """Return the cuts of each numeric column; None where all values are distinguished."""
        found = iter(near)
        return [
            cuts_of(spread.grid or grid, spread.cells, next(found), self.max_bins)
            if self.max_bins and spread.many
            else None
            for grid, spread in zip(self.spreads.grids, look.values, strict=True)
        ]

    def refuse(self, nodes: int, growing: int = 0) -> None:
        """Refuse a tree of so many nodes where the budget has no room for them. growing: bytes that a node
        takes until all are grown.
        """
        if self.budget:
            refuse_large_tree(nodes, max(self.node_bytes, growing), self.budget)

    @property
    def shares_out(self) -> bool:
        """Does a test send rows down all its branches, in parts, since their value is missing?"""
        return self.rules.fractions and any(self.schema.used[j].missing for j in self.columns)

    @property
    def labels(self) -> tuple[str, ...]:
        """The classes; none in regression."""
        return self.schema.predicted.labels

    @property
    def by_name(self) -> list[int]:
        """Positions in `columns` in the order of the columns' names."""
        names = [self.schema.used[j].name.encode() for j in self.columns]
        return sorted(range(len(names)), key=names.__getitem__)

    def solve(self, table: LocalTable, engine: Local) -> Grown | None:
        """Grow the whole tree at once; None where rows are to stand in several nodes, or where there is no
        memory for them: tables tell.
        """
        if self.shares_out or not table.holds(GROWING) or not holds_tree(self, table.rows, table.budget):
            return None
        threads, on_disk = engine.cores, bool(table.budget)
        used = self.schema.used
        made = partial(_grow_column, table, max_bins=self.max_bins)
        cells = each_in_order(made, [used[j] for j in self.columns], threads if on_disk else 1)
        if on_disk:
            codes = sum(c.k + 1 for c in cells)
            tables = 8 * codes * (len(self.labels) + 2) * (table.rows // SMALL + 1)
            if 2 * tables > table.budget:
                raise OptionError(
                    f"the count tables of a tree on these columns take about {tables >> 20:,} MB, more than "
                    f"half of memory. Pass max_bins={BINS}, or more memory."
                )
        rows: Any = table
        scale, weight, weighing = ValueScale(), table.weight, ScoreWeights(None, table.weight)
        if self.labels:
            counts = kernels.count_classes(rows.classes, len(self.labels), rows.weights)
            weighing = ScoreWeights.of(self.class_weights, counts)
        else:
            scale = ValueScale.of(float(rows.response.min()), float(rows.response.max()), weight)
        room = GrowingRoom(table.rows, sum(not c.k for c in cells), table.budget)
        grower = make_grower(self, cells, rows, GrowthScale(scale, weighing, weight), room=room)
        run(grower, threads if table.rows >= FEW_ROWS else 1, room)
        self.refuse(grower.nodes)
        arrays, harvest = grower.arrays(), grower.harvest()
        del grower  # and its rows
        if on_disk:
            arrays = scratch.kept(arrays)
        if self.rules.fractions:
            spread_missing(arrays)
        lift(arrays, self.columns, "column")
        tried = partial(_tried, harvest, self.columns, weighing)
        if self.observed:
            kept = tried() if self.keep_tried else {}
            every = {**arrays, **kept}
            tested = [every[name] for name in ("column", "tried_column") if name in every]
            for j in np.unique(np.concatenate(tested)).tolist():
                if j >= 0 and used[j].kind == "numeric":
                    observe(every, j, table.ranks(used[j].name)[1])  # changes the arrays themselves
            tried = partial(dict, kept)
        if self.keep_tried and scratch.on_disk(arrays["column"]):
            tried = partial(dict, scratch.kept(tried()))
        return Grown(arrays, scale, tried)


@dataclass(frozen=True)
class GrowthScale:
    """What all rows of a table together decide for every node: the response in fixed point, what rows weigh
    in scores, and their weight.
    """

    values: ValueScale
    weighing: ScoreWeights
    rows: int


def make_grower(
    question: GrowingTree,
    cells: list[GrowColumn],
    rows: Any,
    scale: GrowthScale,
    depth: int = 0,
    room: GrowingRoom = NO_BUDGET,
    known: int = 0,
) -> Grower:
    """Return the grower of some rows that stand at a node of this depth. rows: a table, or a block. known:
    nodes that the tree has so far; the grower gives up where the budget has no room for all that come.
    """
    rules = scale.values.rules(question.rules)
    if rules.fractions or depth:
        rules = replace(rules, fractions=False, max_depth=max(rules.max_depth - depth, 0))
    classes = bool(question.labels)
    return Grower(
        cells,
        question.by_name,
        rules,
        classes=len(question.labels),
        labels=rows.classes if classes else None,
        response=None if classes else scale.values.whole(rows.response),
        score_weights=scale.weighing.of_rows(rows.classes, rows.weights) if classes else None,
        row_weights=rows.weights,
        heavy=scale.weighing.heavy if classes else None,
        all_rows=scale.rows,
        keep_tried=question.keep_tried,
        room=scratch.empty if room.on_disk else None,
        most_nodes=max(most_nodes(question.node_bytes, question.budget) - known, 0)
        if question.budget
        else ANY_NUMBER,
    )


def cuts_on(
    arrays: dict[str, NDArray[Any]], column: int
) -> Iterator[tuple[NDArray[np.bool_], NDArray[np.float64]]]:
    """Yield where the tests of a tree, and its candidates, cut a column, and the cuts."""
    for cut, tested in (("cut", "column"), ("tried_cut", "tried_column")):
        if tested in arrays:
            here = (arrays[tested] == column) & (arrays[cut] < NO_CUT)
            yield here, arrays[cut][here]


def observe(arrays: dict[str, NDArray[Any]], column: int, values: NDArray[np.float64]) -> None:
    """Move each cut of a column from the midpoint to just above the largest training value not above it."""
    if not len(values):  # all of its values are missing: the cuts lie nowhere
        return
    moved = []
    for here, cuts in cuts_on(arrays, column):
        below = np.searchsorted(values, cuts, side="right") - 1
        moved.append((here, np.where(below >= 0, np.nextafter(values[below], np.inf), cuts)))
    for (here, cuts), name in zip(moved, ("cut", "tried_cut"), strict=False):
        arrays[name][here] = cuts


def spread_missing(arrays: dict[str, NDArray[Any]]) -> None:
    """Let every test send missing rows down all its branches."""
    arrays["missing"][arrays["column"] >= 0] = SPREADS


def _tried(harvest: Harvest, columns: tuple[int, ...], weighing: ScoreWeights) -> dict[str, NDArray[Any]]:
    """Return the candidates of a tree grown in memory as the kernels' arrays, best first in each node."""
    arrays = harvest.tried()
    lift(arrays, columns, "tried_column")
    weighing.count_rows(arrays)
    return arrays


def lift(arrays: dict[str, NDArray[Any]], columns: tuple[int, ...], name: str) -> None:
    """Turn the grower's column numbers into positions in `schema.used`, in place."""
    if columns != tuple(range(len(columns))):
        position, numbers = np.array([*columns, -1], np.int32), arrays[name]
        for start in range(0, len(numbers), AT_ONCE):
            part = numbers[start : start + AT_ONCE]
            part[...] = position[part]  # -1 stays -1


def run(grower: Grower, threads: int, room: GrowingRoom) -> None:
    """Grow with some threads: columns and nodes are shared out level by level, then small subtrees.

    All but small jobs run in threads, also one alone, so that the caller stays free to see an interrupt;
    whatever ends the wait stops them, and none is left behind.
    """
    threads = min(threads, room.workers)
    one = threads == 1 or grower.rows <= grower.small
    if one and grower.rows * grower.columns <= QUICK:
        grower.run()
        return
    with crew(threads) as every:

        def shared(step: Callable[[], T]) -> T:
            return every(lambda _: step(), range(threads))[0]

        def alone(step: Callable[[], T]) -> T:
            return every(lambda _: step(), range(1))[0]

        def columns(first: int) -> None:
            for column in range(first, grower.columns, parts):
                grower.prepare(column)

        # whoever is free takes the next column; where few may sort, or one is alone, each has its own share
        parts = grower.columns if 1 < threads <= room.sorters else min(threads, room.sorters)
        try:
            every(columns, range(parts))
            more = alone(grower.start)
            while more:
                shared(grower.look)
                shared(grower.advance)
                more = alone(grower.choose)
                if more:
                    shared(grower.part)
                    alone(grower.settle)
            shared(grower.work)
        except BaseException:
            grower.stop()
            raise


def _grow_column(table: Any, column: Any, max_bins: int | None) -> GrowColumn:
    """Return a column as the grower takes it."""
    if column.kind in CODED:
        kind = "levels" if column.kind == "levels" else "ordered"
        return GrowColumn(kind, np.ascontiguousarray(table.column(column.name)), len(column.levels))
    if max_bins is not None and table.budget:  # codes of its values, or of bins
        codes, found, binned = table.number_codes(column.name, max_bins, max_bins)
        edges = np.concatenate([[-np.inf], found]) if binned else found
        return GrowColumn("numeric", codes, len(edges), edges, binned=binned)
    if max_bins is not None:
        codes, distinct = table.ranks(column.name)
        if len(distinct) > max_bins:
            counts = kernels.count_classes(codes, len(distinct) + 1, table.weights)[:-1]
            return binned_column(quantile_cuts(distinct, counts, max_bins), table.column(column.name))
    lying = raw_column(table, column.name)  # of single floats no doubles need be made
    return GrowColumn("numeric", lying if lying.dtype == np.float32 else table.column(column.name))


def binned_column(cuts: NDArray[np.float64], values: NDArray[np.float64] | None) -> GrowColumn:
    """Return a numeric column as bins; bin b begins at edges[b]."""
    edges = np.concatenate([[-np.inf], cuts])
    codes = kernels.bins(values, cuts) if values is not None else np.empty(0, np.uint8)
    return GrowColumn("numeric", codes, len(edges), edges, binned=True)
