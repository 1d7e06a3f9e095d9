"""The learner of density trees: gain in log-likelihood, growing test by test, pruning by description length.

In this order: bits of a leaf and of a test (`leaf_bits`, `test_bits`); the best test of a node
(`best_split`); a grown tree, pruned, as a model (`as_model`, `pruned`); statistics over rows (`PairTables`,
...); the learner (entry `DensityLearner.learn`).
cell = a level or a piece of the number line; bud (`OpenLeaf`) = a node whose test is still to be chosen;
length = description length in bits. Law: the same totals give the same tree.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import groupby
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallystick import kernels
from tallystick.contracts import Block, Statistic
from tallystick.density.model import (
    LARGEST_WHOLE,
    LENGTH,
    ColumnCells,
    DensityModel,
    DensityOptions,
    halves,
    overall,
    prior_in,
    refined,
)
from tallystick.errors import DataError, shown
from tallystick.kernels.trees import Walk
from tallystick.model.additive import bins_of
from tallystick.schema import Note, Schema
from tallystick.stats.binning import cuts_by_column
from tallystick.stats.class_counts import Ask, BayesSums, key
from tallystick.tree.learner import beyond
from tallystick.tree.model import log_evidence, log_gamma
from tallystick.tree.nodes import NO_CUT, STAYS, Nodes
from tallystick.tree.tables import CodedColumn, Coding, Test, walk_of

# ---- description length: bits of the rows of a leaf, and of a test ----
#
# A leaf codes its rows one after the other, each cell by the share that the model gives it after the rows
# before, (its rows so far + alpha · its share of all rows) / (rows so far + alpha); over all rows that is
#
#     log2 Γ(n + a)/Γ(a) - sum over cells of log2 Γ(n_c + a_c)/Γ(a_c)
#
# with a = alpha and a_c = alpha · the cell's share of all rows that can come there.
#
# A test costs log2(columns) bits for its column, log2(choices) for its cut or level, and the branches of its
# rows as two outcomes of half a row each; a node costs one bit to say whether it has a test. Law: the order
# of rows means nothing.

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
LOG_TWO = 0.6931471805599453


def leaf_bits(
    cells: Sequence[ColumnCells],
    rows: Sequence[Floats],
    whole: Sequence[Floats],
    reach: Sequence[NDArray[np.bool_]],
    alpha: float,
) -> float:
    """Return what the rows of a leaf cost. rows[column][cell, missing last]; whole: shares of all rows."""
    prior, counts = [], []
    for own, known, share, here in zip(cells, rows, whole, reach, strict=True):
        prior.append(alpha * prior_in(own, share, here)[: own.k + 1])
        counts.append(known)
    a, n = np.concatenate(prior), np.concatenate(counts)
    seen = n > 0  # a cell without rows costs nothing
    each = log_gamma(n[seen] + a[seen]) - log_gamma(a[seen])
    total = math.fsum(rows[0])
    ends = log_gamma(np.array([total + alpha, alpha]))
    return (len(cells) * float(ends[0] - ends[1]) - math.fsum(each)) / LOG_TWO


def test_bits(columns: int, choices: int, branches: Floats) -> float:
    """Return the bits of a test: to name it, and to code which rows take which branch."""
    named = kernels.log2(np.array([float(columns), float(choices)]))
    return (
        float(named[0] + named[1])
        - float(log_evidence(branches[None, :], 1.0, np.array([0.5, 0.5]))[0]) / LOG_TWO
    )


# ---- the best test of a node: the gain in log-likelihood if each side has distributions of its own ----
#
# With counts n(cell) of a column among n rows, the log-likelihood of the best distribution is the sum of
# F(n(cell)) less F(n), F(n) = n log2 n. A test divides the rows in two; the distribution of the tested
# column is the same with or without it, so the gain is that of all other columns:
#
#     sum over other columns of [ F(cells of one side) + F(cells of the other) - F(cells of both) ]
#         - (columns - 1) · [ F(one side) + F(other side) - F(both) ]
#
# Law: whole numbers, so equal tests tie exactly; of equals the first by the name of the column, then its
# first cut or level.

Pair = Callable[[int, int], Ints]  # pair(a, b)[code of a, code of b], missing last
ROOM = 1 << 51  # n up to which n log2 n is computed
LISTED = 1 << 20  # n up to which it is looked up in a table


@dataclass(frozen=True)
class Split:
    """A test: its column, the branch of each cell (missing last), its gain in units of the scale, and how
    many tests of this column there were to choose from.
    """

    column: int
    branch: Ints
    gain: int
    choices: int


@dataclass(frozen=True, eq=False)
class SplitScale:
    """n log2 n in whole numbers whose sums over all columns have room. drop: bits of counts left aside."""

    largest: int
    drop: int
    listed: Ints
    bit: float  # what one bit is

    @classmethod
    def of(cls, weight: int, columns: int) -> SplitScale:
        """Return the finest scale for rows of this weight."""
        drop = max((4 * weight * columns).bit_length() - ROOM.bit_length() + 1, 0)
        largest = 4 * (weight >> drop) * columns + 4
        listed = kernels.n_log2_n(np.arange(min(weight >> drop, LISTED) + 1), largest)
        return cls(largest, drop, listed, float(kernels.n_log2_n(np.array([2]), largest)[0]) / 2)

    def of_counts(self, counts: Ints) -> Ints:
        """Return n log2 n of counts, in their shape."""
        counts = counts >> self.drop if self.drop else counts
        if counts.size == 0 or int(counts.max()) < len(self.listed):
            return self.listed[counts]
        return kernels.n_log2_n(np.ascontiguousarray(counts).ravel(), self.largest).reshape(counts.shape)


def best_split(
    cells: Sequence[ColumnCells],
    columns: Sequence[int],
    pair: Pair,
    rows: Sequence[Ints],
    least: int,
    scale: SplitScale,
) -> Split | None:
    """Return the test of some columns that gains most; None where no test has enough rows on both sides or
    none gains. rows[column][cell]: of the node, missing last. least: rows of a side, in table units.
    """
    best: Split | None = None
    for column in sorted(columns, key=lambda j: cells[j].name.encode()):
        others = [j for j in range(len(cells)) if j != column]
        if not others:
            continue
        table = np.concatenate([pair(column, j) for j in others], axis=1)
        found = _of_column(cells[column], column, table, rows[column], len(others), least, scale)
        if found is not None and (best is None or found.gain > best.gain):
            best = found
    return best


def _of_column(
    own: ColumnCells, column: int, table: Ints, rows: Ints, others: int, least: int, scale: SplitScale
) -> Split | None:
    """Return the best test of a column. table[cell, cells of all other columns]."""
    sides = _sides(own, rows)
    first = sides @ rows
    total = int(rows.sum())
    sides = sides[(first >= least) & (total - first >= least)]
    if not len(sides):
        return None
    first, inside, both = sides @ rows, _inside(sides, table, total), table.sum(axis=0)
    gain = scale.of_counts(inside).sum(axis=1) + scale.of_counts(both - inside).sum(axis=1)
    gain -= int(scale.of_counts(both).sum())
    apart = scale.of_counts(first) + scale.of_counts(total - first) - scale.of_counts(np.array([total]))
    gain -= others * apart
    at = int(gain.argmax())
    return Split(column, 1 - sides[at], int(gain[at]), len(sides)) if gain[at] > 0 else None


def _inside(sides: Ints, table: Ints, total: int) -> Ints:
    """Return sides @ table; by doubles where they hold every sum exactly, which is many times faster."""
    if total >= 1 << 53:
        return sides @ table
    out: Ints = (sides.astype(np.float64) @ table.astype(np.float64)).astype(np.int64)
    return out


def _sides(own: ColumnCells, rows: Ints) -> Ints:
    """Return sides[test, cell]: 1 where a cell, missing last, is on the first side.

    Numbers and ordered levels are cut in two; of levels one stands against all others. Where values are
    missing they go to either side, or are parted from the known ones; elsewhere to the side with more rows.
    """
    k = own.k
    one = np.eye(k, dtype=np.int64)
    if own.numeric or own.column.kind == "ordered":
        one = np.tri(k, dtype=np.int64)[:-1]
    elif k == 2:
        one = one[:1]
    if not rows[k]:
        away = (2 * (one @ rows[:k]) >= rows.sum()).astype(np.int64)
        return np.column_stack([one, away])
    known = np.append(np.ones(k, np.int64), 0)
    either = np.hstack([np.repeat(one, 2, axis=0), np.tile(np.array([[0], [1]]), (len(one), 1))])
    return np.vstack([either, known])


# ---- a grown density tree: pruning, and the model of its buds ----
#
# Law: no pruning of the tree is shorter; of equals it is the smallest.


@dataclass
class OpenLeaf:
    """A node in the making. rows[column][cell], missing last, in table units; bits: what its rows cost if it
    is a leaf; gain: of its test in bits a row.
    """

    rows: list[Ints]
    reach: list[NDArray[np.bool_]]
    depth: int
    bits: float
    patience: int | None
    split: Split | None = None
    test_bits: float = 0.0
    gain: float = 0.0
    children: list[int] = field(default_factory=list)

    @property
    def weight(self) -> int:
        """Rows in table units."""
        return int(self.rows[0].sum())


def as_model(
    schema: Schema, cells: Sequence[ColumnCells], buds: Sequence[OpenLeaf], unit: int, options: DensityOptions
) -> DensityModel:
    """Return the model of a grown tree, pruned as the options say."""
    order, stack = list[int](), [0]
    while stack:
        node = stack.pop()
        order.append(node)
        stack += reversed(buds[node].children)
    nodes = _nodes([buds[n] for n in order], cells)
    stop = _shortest(nodes, [buds[n] for n in order]) if options.pruning == LENGTH else nodes.leaf
    nodes, kept = nodes.cut_back(stop)
    own = [buds[order[n]] for n in kept.tolist()]
    if options.max_leaf_nodes is not None:
        nodes, left = nodes.cut_back(beyond(nodes, nodes.weight.astype(float), options.max_leaf_nodes))
        own = [own[n] for n in left.tolist()]
    leaves = [own[n] for n in np.flatnonzero(nodes.leaf).tolist()]
    counts = tuple(np.stack([leaf.rows[j] for leaf in leaves]) for j in range(len(cells)))
    return DensityModel(schema, tuple(cells), nodes, counts, unit, float(options.alpha))


def pruned(model: DensityModel, most: int) -> DensityModel:
    """Return the model with its best `most` leaves, those of the largest gains."""
    nodes, kept = model.nodes.cut_back(beyond(model.nodes, model.nodes.weight.astype(float), most))
    last = model.nodes.end[kept]
    ends = [
        [
            np.searchsorted(model.leaves, [node, end])
            for node, end in zip(kept.tolist(), last.tolist(), strict=True)
        ][n]
        for n in np.flatnonzero(nodes.leaf).tolist()
    ]
    counts = tuple(np.stack([own[a:b].sum(axis=0) for a, b in ends]) for own in model.counts)
    return replace(model, nodes=nodes, counts=counts)


def _nodes(buds: Sequence[OpenLeaf], cells: Sequence[ColumnCells]) -> Nodes:
    """Return buds in preorder as nodes."""
    column = np.array([-1 if b.split is None else b.split.column for b in buds], np.int32)
    cut = np.full(len(buds), np.nan)
    missing = np.full(len(buds), STAYS, np.int32)
    levels, sizes = list[Ints](), np.zeros(len(buds), np.int64)
    for i, bud in enumerate(buds):
        if bud.split is None:
            continue
        own, branch = cells[bud.split.column], bud.split.branch
        missing[i] = branch[-1]
        if own.numeric:
            below = int(np.count_nonzero(branch[:-1] == 0))
            cut[i] = own.cuts[below - 1] if below < own.k else NO_CUT
        else:
            levels.append(branch[:-1])
            sizes[i] = own.k
    return Nodes(
        counts=np.array([[b.weight] for b in buds], np.int64),
        column=column,
        cut=cut,
        n_children=np.where(column >= 0, 2, 0).astype(np.int32),
        branch_start=np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64),
        branch_of=np.concatenate([np.empty(0, np.int64), *levels]).astype(np.int32),
        missing_branch=missing,
        gain=np.array([b.gain for b in buds]),
    )


def _shortest(nodes: Nodes, buds: Sequence[OpenLeaf]) -> NDArray[np.bool_]:
    """Return where the pruning of least length has its leaves."""
    below = np.array([1 + (b.bits if b.split is None else b.test_bits) for b in buds])
    stop = nodes.leaf.copy()
    for node in range(len(nodes) - 1, -1, -1):
        alone = 1 + buds[node].bits
        if nodes.column[node] >= 0 and alone <= below[node]:
            stop[node], below[node] = True, alone
        if node:
            below[nodes.parent[node]] += below[node]
    return stop


# ---- statistics over rows: joint counts of the cells of two columns in each open node; columns of whole
# numbers; the least and largest number of each cell ----
#
# Law: whole numbers and flags only, so the answer does not depend on the order or the cut of the rows.


@dataclass(frozen=True)
class WholeNumbers(Statistic[NDArray[np.bool_]]):
    """Ask which columns hold whole numbers up to a size, and no others."""

    columns: tuple[str, ...]
    largest: float

    def zero(self) -> NDArray[np.bool_]:
        return np.ones(len(self.columns), bool)

    def add(self, total: NDArray[np.bool_], block: Block) -> NDArray[np.bool_]:
        """Add the rows of one block; those of weight 0 do not count."""
        for j, name in enumerate(self.columns):
            values = block.values(name)
            values = values if block.weights is None else values[block.weights > 0]
            known = values[~np.isnan(values)]
            total[j] &= bool(np.all((np.abs(known) <= self.largest) & (np.floor(known) == known)))
        return total

    def merge(self, total: NDArray[np.bool_], other: NDArray[np.bool_]) -> NDArray[np.bool_]:
        return total & other


@dataclass(frozen=True)
class CellEnds(Statistic[list[NDArray[np.float64]]]):
    """Ask for the lowest and the highest number in each cell. cuts[column]: where cells begin, after the
    first.
    """

    columns: tuple[str, ...]
    cuts: tuple[tuple[float, ...], ...]

    def zero(self) -> list[NDArray[np.float64]]:
        """Return the total of no rows: ends[column][low or high negated, cell]."""
        return [np.full((2, len(cuts) + 1), np.inf) for cuts in self.cuts]

    def add(self, total: list[NDArray[np.float64]], block: Block) -> list[NDArray[np.float64]]:
        """Add the rows of one block; those of weight 0 do not count."""
        for name, cuts, ends in zip(self.columns, self.cuts, total, strict=True):
            values = block.values(name)
            known = values[
                ~np.isnan(values) if block.weights is None else (values == values) & (block.weights > 0)
            ]
            cell = bins_of(known, np.array(cuts))
            np.minimum.at(ends[0], cell, known)
            np.minimum.at(ends[1], cell, -known)
        return total

    def merge(
        self, total: list[NDArray[np.float64]], other: list[NDArray[np.float64]]
    ) -> list[NDArray[np.float64]]:
        return [np.minimum(a, b) for a, b in zip(total, other, strict=True)]


@dataclass(frozen=True)
class PairTables(Statistic[list[Ints]]):
    """Ask for tables[pair][open node, code of one column, code of the other]. tests: in an order in which
    parents come before children. pairs: numbers of two columns, those of one first column together.
    """

    form: CodedColumn
    tests: tuple[Test, ...]
    open: tuple[int, ...]
    nodes: int
    pairs: tuple[tuple[int, int], ...]

    def prepared(self) -> tuple[CodedColumn, PairTables]:
        """Return the form of codes, and the same question of blocks in it: lighter to send."""
        return self.form, replace(self, form=self.form.done())

    def zero(self) -> list[Ints]:
        sizes = [c.k + 1 for c in self.form.codings]
        return [np.zeros((len(self.open), sizes[a], sizes[b]), np.int64) for a, b in self.pairs]

    @cached_property
    def _walk(self) -> Walk:
        return walk_of(self.tests, self.nodes)

    def add(self, total: list[Ints], block: Block) -> list[Ints]:
        codes, weights = [c.codes(block) for c in self.form.codings], block.weights
        at: NDArray[Any] = np.zeros(block.rows, np.uint32)
        if self.tests:
            place = np.full(self.nodes, len(self.open), np.uint32)
            place[list(self.open)] = np.arange(len(self.open))
            at = place[self._walk.ends(codes, block.rows)[0]]
            here = np.flatnonzero(at < len(self.open))
            if len(here) < block.rows:
                codes, at = [c[here] for c in codes], at[here]
                weights = None if weights is None else weights[here]
        sizes = [c.k + 1 for c in self.form.codings]
        place_of = {pair: i for i, pair in enumerate(self.pairs)}
        for second, pairs in groupby(sorted(self.pairs, key=lambda pair: pair[::-1]), lambda pair: pair[1]):
            firsts = [first for first, _ in pairs]
            kernels.count_columns(
                [codes[first] for first in firsts],
                codes[second],
                [sizes[first] for first in firsts],
                sizes[second],
                weights=weights,
                nodes=at,
                n_nodes=len(self.open),
                out=[total[place_of[first, second]] for first in firsts],
            )
        return total

    def merge(self, total: list[Ints], other: list[Ints]) -> list[Ints]:
        for table, more in zip(total, other, strict=True):
            table += more
        return total


MOST_CELLS = 1 << 22  # cells of the count tables of one pass; more nodes, or columns, wait for the next
PATIENCE = 1  # tests in a row that may cost more bits than they save: tests below them may save more


@dataclass(frozen=True)
class DensityLearner:
    """The learner of the contracts. unit: the table's unit of weights; weight: of all rows; row_unit: what
    one row weighs where rows are counted. patience: tests in a row that need not pay, None: any number.
    """

    options: DensityOptions
    weight: int
    unit: int = 1
    row_unit: int = 1
    patience: int | None = PATIENCE
    notes: list[Note] | None = None

    def learn(self, schema: Schema) -> Generator[Statistic[Any], Any, DensityModel]:
        """Ask which numbers are whole and where cells end, then which columns go together; make the tree."""
        columns = tuple(replace(c, kind="out", words=()) if c.kind == "text" else c for c in schema.columns)
        for c in schema.used:
            if c.kind == "text" and self.notes is not None:
                text = f"column {shown(c.name)} is text, which a density tree does not read, and is left out."
                self.notes.append(Note("column-left-out", text, c.name))
        schema = replace(schema, columns=columns)
        if not schema.used:
            raise DataError("a density tree needs a column of numbers or levels, and there is none.")
        cells = yield from self._cells(schema)
        form = CodedColumn(
            tuple(
                Coding(c.name, c.column.kind, c.k, np.array(c.cuts) if c.numeric else None, c.numeric)
                for c in cells
            )
        )
        growth = Growth(self, cells, form)
        asks = (Ask(c.name, "bins", cuts=c.cuts) if c.numeric else Ask(c.name, "codes", c.k) for c in cells)
        counts = yield BayesSums(tuple(asks), 1)
        growth.begin([counts[key(j, "counts")][:, 0] for j in range(len(cells))])
        yield from growth.questions()
        return as_model(schema, cells, growth.buds, self.unit, self.options)

    def _cells(self, schema: Schema) -> Generator[Any, Any, tuple[ColumnCells, ...]]:
        """Return the cells of all columns: levels as they are, numbers cut into pieces."""
        numbers = [c for c in schema.used if c.kind == "numeric"]
        cuts: dict[str, tuple[float, ...]] = {}
        whole: dict[str, bool] = {}
        if numbers:
            flags = yield WholeNumbers(tuple(c.name for c in numbers), LARGEST_WHOLE)
            whole = {c.name: bool(flag) for c, flag in zip(numbers, flags, strict=True)}
            rows = self.weight / self.row_unit
            cuts = yield from cuts_by_column(numbers, self.options.pieces, self.weight, rows)
            cuts = {
                c.name: refined(cuts[c.name], c.low or 0.0, c.high or 0.0, self.options.pieces)
                for c in numbers
            }
        if names := tuple(name for name, flag in whole.items() if flag):
            ends = yield CellEnds(names, tuple(cuts[name] for name in names))
            cuts |= {name: halves(low, -high) for name, (low, high) in zip(names, ends, strict=True)}
        return tuple(ColumnCells(c, cuts.get(c.name, ()), whole.get(c.name, False)) for c in schema.used)


@dataclass
class Growth:
    """A tree in the making."""

    learner: DensityLearner
    cells: tuple[ColumnCells, ...]
    form: CodedColumn
    buds: list[OpenLeaf] = field(default_factory=list)
    tests: list[Test] = field(default_factory=list)
    waiting: list[int] = field(default_factory=list)

    def begin(self, counts: list[Ints]) -> None:
        """Plant the root, of counts[column][cell] of all rows."""
        learner = self.learner
        self.scale = SplitScale.of(learner.weight, len(self.cells))
        self.whole = [
            overall(own, rows / learner.unit, learner.options.alpha)
            for own, rows in zip(self.cells, counts, strict=True)
        ]
        reach = [np.ones(own.k + 1, bool) for own in self.cells]
        self._add(counts, reach, 0, learner.patience)

    def _add(self, rows: list[Ints], reach: list[NDArray[np.bool_]], depth: int, patience: int | None) -> int:
        options, unit = self.learner.options, self.learner.unit
        bits = leaf_bits(self.cells, [r / unit for r in rows], self.whole, reach, options.alpha)
        bud = OpenLeaf(rows, reach, depth, bits, patience)
        self.buds.append(bud)
        enough = bud.weight >= 2 * self.least and (options.max_depth is None or depth < options.max_depth)
        if enough and len(self.cells) > 1 and (patience is None or patience >= 0):
            self.waiting.append(len(self.buds) - 1)
        return len(self.buds) - 1

    @property
    def least(self) -> int:
        """Rows of a leaf at least, in table units."""
        return self.learner.options.min_samples_leaf * self.learner.row_unit

    def questions(self) -> Generator[PairTables, list[Ints], None]:
        """Ask for pairs of columns until no node waits, and split the nodes."""

        def rank(split: Split) -> tuple[int, bytes]:
            return -split.gain, self.cells[split.column].name.encode()

        parts = list(self._parts())
        each = sum(self._size(pair) for pair in parts[0][1]) if parts else 1
        while self.waiting:
            take = max(MOST_CELLS // each, 1) if len(parts) == 1 else 1
            nodes, self.waiting = self.waiting[:take], self.waiting[take:]
            found: list[Split | None] = [None] * len(nodes)
            tables: dict[int, dict[int, Ints]] = {}
            for columns, pairs in parts:
                total = yield PairTables(self.form, tuple(self.tests), tuple(nodes), len(self.buds), pairs)
                for i, node in enumerate(nodes):
                    own = {pair: table[i] for pair, table in zip(pairs, total, strict=True)}
                    split, known = self._best(node, columns, own), found[i]
                    if split is None or (known is not None and rank(split) >= rank(known)):
                        continue
                    found[i], j = split, split.column
                    tables[i] = {b: table for (a, b), table in own.items() if a == j}
                    tables[i] |= {a: table.T for (a, b), table in own.items() if b == j}
            for i, node in enumerate(nodes):
                if (best := found[i]) is not None:
                    self._split(node, best, tables[i])

    def _parts(self) -> Iterator[tuple[tuple[int, ...], tuple[tuple[int, int], ...]]]:
        """Yield columns to test and the pairs that tell of them, as many at once as the tables have room."""
        columns: list[int] = []
        pairs: dict[tuple[int, int], None] = {}
        for j in range(len(self.cells)):
            own = [(min(i, j), max(i, j)) for i in range(len(self.cells)) if i != j]
            more = sum(self._size(p) for p in own if p not in pairs)
            if columns and sum(map(self._size, pairs)) + more > MOST_CELLS:
                yield tuple(columns), tuple(pairs)
                columns, pairs = [], {}
            columns.append(j)
            pairs.update(dict.fromkeys(own))
        if pairs:
            yield tuple(columns), tuple(pairs)

    def _size(self, pair: tuple[int, int]) -> int:
        return (self.cells[pair[0]].k + 1) * (self.cells[pair[1]].k + 1)

    def _best(self, node: int, columns: tuple[int, ...], tables: dict[tuple[int, int], Ints]) -> Split | None:
        def pair(a: int, b: int) -> Ints:
            return tables[a, b] if a < b else tables[b, a].T

        return best_split(self.cells, columns, pair, self.buds[node].rows, self.least, self.scale)

    def _split(self, node: int, split: Split, tables: dict[int, Ints]) -> None:
        """Give a node its test and two branches. tables[column][cell of the test, cell of the column]."""
        bud, unit = self.buds[node], self.learner.unit
        own = split.column
        sides = []
        for branch in (0, 1):
            here = split.branch == branch
            rows = [
                np.where(here, bud.rows[j], 0) if j == own else tables[j][here].sum(axis=0)
                for j in range(len(self.cells))
            ]
            reach = list(bud.reach)
            reach[own] = reach[own] & here
            sides.append((rows, reach))
        weights = np.array([rows[own].sum() for rows, _ in sides]) / unit
        bud.split, bud.test_bits = split, test_bits(len(self.cells), split.choices, weights)
        first = len(self.buds)
        for rows, reach in sides:
            bud.children.append(self._add(rows, reach, bud.depth + 1, bud.patience))
        self.tests.append(Test(node, own, first + split.branch))
        bud.gain = split.gain / self.scale.bit * unit / bud.weight
        if bud.patience is not None:
            pays = bud.bits > bud.test_bits + sum(self.buds[child].bits for child in bud.children)
            patience = self.learner.patience if pays else bud.patience - 1
            for child in bud.children:
                self.buds[child].patience = patience
                if patience is not None and patience < 0 and child in self.waiting:
                    self.waiting.remove(child)
