"""Statistics of a growing tree for any engine: count tables of all open nodes of one level at once.

In this order: columns as codes (`Coding`, `CodedColumn`); the total of one level (`Level`, `OpenNodes`);
the statistic (entry `LevelCounts`); rows down the tests made so far (`walk_of`, `follow`); missing rows
shared out in parts; the largest value below a cut (`LargestBelow`).
open node = a node whose test is still to be chosen; entry = a row, or a part of it, at a node; digit = 16
bits of a sum of squares, kept apart so that no sum overflows.
Law: whole numbers only, so the answer does not depend on the order or the cut of the rows.
"""

from __future__ import annotations

import operator
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise, starmap
from typing import TYPE_CHECKING, Any, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from tallystick import kernels
from tallystick.contracts import Block, Statistic
from tallystick.kernels.check import code_dtype
from tallystick.kernels.trees import GrowColumn, Judge, Walk
from tallystick.stats.values import ValueTable, column_of, merge_tables, no_values, value_table
from tallystick.table.block import RowBlock as Rows
from tallystick.tree.growth import GrowingTree, GrowthScale, ScoreWeights, ValueScale

if TYPE_CHECKING:
    from tallystick.engine import Local
    from tallystick.table.table import LocalTable

Arrays = dict[str, NDArray[Any]]
Ints = NDArray[np.int64]
DIGIT = 16  # bits of a digit of a sum of squares: up to 2^29 rows can be added before carrying
DIGITS = 8  # digits of a sum of squares of responses, which is below 2^(62 + 52)


@dataclass(frozen=True)
class Coding:
    """How a column's cells become codes 0..k-1, k is missing. values: distinct ones, or cuts of bins, or
    None. A numeric column without codes (k = 0) is told by its numbers as they are.
    """

    name: str
    kind: str
    k: int
    values: NDArray[np.float64] | None = None
    binned: bool = False

    @property
    def plain(self) -> bool:
        """Are cells the numbers themselves?"""
        return self.kind == "numeric" and self.k == 0

    def codes(self, block: Block) -> NDArray[Any]:
        """Return the codes of a block's rows, or its numbers."""
        if self.plain:
            return block.values(self.name)
        if self.values is None:
            return block.codes(self.name)
        cells = block.values(self.name)
        if self.binned:
            return kernels.bins(cells, self.values)
        found = np.searchsorted(self.values, cells)
        return np.where(np.isnan(cells), self.k, found).astype(np.uint32)


@dataclass(frozen=True, eq=False)
class CodedColumn:
    """The form of rows for growing: every column that may be tested as codes."""

    codings: tuple[Coding, ...]

    def __call__(self, block: Block) -> Rows:
        """Return a block in this form."""
        columns = {
            c.name: c.codes(block).astype(np.float64 if c.plain else code_dtype(c.k + 2), copy=False)
            for c in self.codings
        }
        return Rows(block.rows, columns, block.classes, block.response, block.weights)

    def done(self) -> CodedColumn:
        """Return the form of rows that are in it already: their codes as they are."""
        return CodedColumn(tuple(replace(c, values=None) for c in self.codings))


class Test(NamedTuple):
    """A test made: the node it stands at, its column, and the next node of each code, missing included.

    With shares, a missing row goes to all `branches` in parts: shares[branch] are rows whose value was known.
    With a cut, numbers below it have the code 0, the others 1.
    """

    node: int
    column: int
    following: Ints
    branches: Ints | None = None
    shares: Ints | None = None
    cut: float | None = None

    def codes(self, cells: NDArray[Any]) -> NDArray[Any]:
        """Return the codes of a column's cells as this test knows them."""
        return cells if self.cut is None else np.where(np.isnan(cells), 2, cells >= self.cut)


class Entries(NamedTuple):
    """Rows and parts of rows: which row, at which node, how much of it."""

    row: Ints
    node: Ints
    weight: Ints


class Level(NamedTuple):
    """tables[column][open node] of rows: [code, class] of a column of codes, ValueTable of one of numbers;
    regression: rows and sum of the response as two classes. Where scores take less than the weights
    (`ScoreWeights.drop`), twice the classes: rows of each, then what they weigh in scores.

    squares[open node, digit]: sums of squares of the response, lowest digit first, regression only.
    below[open node]: the tree of a node that was grown to its leaves, which needs no tables.
    """

    tables: list[Ints | list[ValueTable]]
    squares: Ints
    below: list[Arrays | None] = []  # noqa: RUF012  nobody adds to it

    def counts(self, i: int) -> Ints:
        """Return rows of each class of open node i."""
        total: Ints = column_of(self.tables[0][i]).table.sum(axis=0)
        return total

    def node(self, i: int) -> tuple[list[ValueTable], Ints]:
        """Return the tables of all columns and the sums of squares of open node i."""
        return [column_of(table[i]) for table in self.tables], self.squares[i]

    def grown(self, i: int) -> Arrays | None:
        """Return the tree below open node i, None where only its tables are known."""
        return self.below[i] if self.below else None


@dataclass(frozen=True, eq=False)
class OpenNodes:
    """The open nodes for an engine that does not add up count tables: the tree, the depth of each node and
    about how many rows it has. end: they may be grown to their leaves. known: nodes of the tree so far.
    """

    growing: GrowingTree
    scale: GrowthScale
    depth: tuple[int, ...]
    rows: tuple[int, ...]
    end: bool = False
    known: int = 0

    @property
    def classes(self) -> int:
        """How many; 0 in regression."""
        return len(self.growing.labels)

    def judge(self) -> Judge:
        """Return who finds the best cut of a column of numbers."""
        rules = self.scale.values.rules(self.growing.rules)
        column = GrowColumn("numeric", np.empty(0, np.uint8))
        return Judge([column], [0], rules, self.classes, self.scale.weighing.heavy, self.scale.rows)


@dataclass(frozen=True)
class LevelCounts(Statistic[Level]):
    """Ask for the count tables of the open nodes. tests: in an order in which parents come before
    children.
    """

    form: CodedColumn
    tests: tuple[Test, ...]
    open: tuple[int, ...]
    nodes: int
    classes: int  # 0: regression
    scale: ValueScale
    parts: int = 1  # a weight of 1 in the table is this many here
    weighing: ScoreWeights | None = None  # asked for what rows weigh in scores too
    more: OpenNodes | None = None  # for engines that answer in a way of their own
    listed: bool = True  # else columns of numbers tell how much there is of each class, and no value

    @property
    def codings(self) -> tuple[Coding, ...]:
        """How columns become codes."""
        return self.form.codings

    @property
    def width(self) -> int:
        """Classes of the tables; see `Level`."""
        return self.classes * (1 if self.weighing is None else 2) or 2

    def measures(
        self, classes: NDArray[Any], weights: Ints | None
    ) -> Iterator[tuple[NDArray[Any], Ints | None]]:
        """Yield what is counted of rows: their classes and weights; then as further classes what they weigh
        in scores, where that is asked for.
        """
        yield classes, weights
        if self.weighing is not None:
            further = (classes.astype(np.int64) + self.classes).astype(code_dtype(self.width))
            yield further, self.weighing.of_rows(classes, weights)

    def prepared(self) -> tuple[CodedColumn, LevelCounts]:
        """Return the form of codes, and the same question of blocks in it: lighter to send."""
        return self.form, replace(self, form=self.form.done())

    def solve(self, table: LocalTable, engine: Local) -> Level | None:
        """Do not send rows down from the root again for every level: where they stand is kept as long as the
        form of the tree's questions, which is one object from the first level to the last, is in use. None:
        there is no memory for where so many rows stand.
        """
        from tallystick.tree.off_memory import DiskRows, answer_level  # it imports this module

        if table.budget and self.more is not None and self.whole:
            return answer_level(DiskRows(self, table, engine.cores))
        if not table.holds(32 + 4 * len(self.codings)):
            return None
        block = table.slice(0, table.rows)
        known = ROW_PLACES.get(self.form)
        if known is None or known[0] is not table or not _goes_on(self.tests, known[2]):
            cells = [np.ascontiguousarray(c.codes(block)) for c in self.codings]
            known = table, cells, (), self.begin(block)
        _, cells, made, entries = known
        entries = follow(entries, self.tests[len(made) :], cells, self.nodes)
        ROW_PLACES[self.form] = table, cells, self.tests, entries
        return self.count(self.zero(), block, cells, self.at_open(block, entries), every=True)

    def of_nodes(self, nodes: list[int]) -> LevelCounts:
        """Return the question about some of the open nodes, by their places."""
        if len(nodes) == len(self.open):
            return self
        more = self.more
        if more is not None:
            depth, rows = (tuple(own[i] for i in nodes) for own in (more.depth, more.rows))
            more = replace(more, depth=depth, rows=rows)
        return replace(self, open=tuple(self.open[i] for i in nodes), more=more)

    def zero(self) -> Level:
        nodes = len(self.open)
        tables: list[Ints | list[ValueTable]] = [
            [no_values(self.width)] * nodes if c.plain else np.zeros((nodes, c.k + 1, self.width), np.int64)
            for c in self.codings
        ]
        return Level(tables, np.zeros((nodes, DIGITS), np.int64))

    def add(self, total: Level, block: Block) -> Level:
        cells = [c.codes(block) for c in self.codings]
        return self.count(total, block, cells, self.standing(block, cells))

    def count(
        self, total: Level, block: Block, cells: list[Any], entries: Entries, every: bool = False
    ) -> Level:
        """Add entries of a block that stand at open nodes. every: there are no others, so that a node of one
        class is a leaf, and nobody asks for its values.
        """
        if not self.classes:
            assert block.response is not None
            y = self.scale.whole(block.response[entries.row])
            for i, digit in enumerate(_square_digits(y, entries.weight)):
                np.add.at(total.squares[:, i], entries.node, digit)
            carry(total.squares)
        coded = [j for j, c in enumerate(self.codings) if not c.plain]
        plain = [j for j, c in enumerate(self.codings) if c.plain]
        n = len(self.open)
        # with one open node each row may be there once, in its place
        own = cells if n == 1 and self.whole and len(entries.row) == block.rows else None
        if plain and n > 1:  # the entries of a node lie together
            order = np.argsort(entries.node, kind="stable")
            entries = Entries(*(array[order] for array in entries))
        own = [c[entries.row] for c in cells] if own is None else own
        counted = self.counted(block, entries)
        if coded:
            out: list[Any] = [total.tables[j] if n > 1 else total.tables[j][0] for j in coded]
            sizes, nodes = [self.codings[j].k + 1 for j in coded], entries.node.astype(np.uint32)
            codes = [np.ascontiguousarray(own[j]) for j in coded]
            for label, heavy in counted:
                kernels.count_columns(
                    codes,
                    label,
                    sizes,
                    self.width,
                    weights=heavy,
                    nodes=nodes if n > 1 else None,
                    n_nodes=n,
                    out=out,
                )
        ends = np.searchsorted(entries.node, range(n + 1)).tolist() if plain else []
        for i, here in enumerate(starmap(slice, pairwise(ends))):
            part = [(label[here], None if w is None else w[here]) for label, w in counted]
            label = part[0][0]
            listed = self.listed and not (every and self.classes and len(label) and (label == label[0]).all())
            for j in plain:
                values = own[j][here] if listed else np.full(len(part[0][0]), np.nan)
                tables: Any = total.tables[j]
                found, known = value_table(values, part, self.width), tables[i]
                tables[i] = merge_tables(known, found) if known.table.any() else found
        return total

    @property
    def whole(self) -> bool:
        """Is every row at one node, with its own weight?"""
        return self.parts == 1 and all(test.shares is None for test in self.tests)

    def standing(self, block: Block, cells: list[Any]) -> Entries:
        """Return the rows of a block at open nodes; `node` is the place among these."""
        if not self.whole or not self.tests:
            return self.at_open(block, follow(self.begin(block), self.tests, cells, self.nodes))
        at = self._places[walk_of(self.tests, self.nodes).ends(cells, block.rows)[0]]
        here = np.flatnonzero(at >= 0)
        weights = np.ones(len(here), np.int64) if block.weights is None else block.weights[here]
        return Entries(here, at[here], weights)

    def begin(self, block: Block) -> Entries:
        """Return all rows of a block at the root.

        A copy of a row is shared out like the row, so parts are of one copy, and `at_open` multiplies them by
        the weights; where weights are not whole, copies have no meaning and the weight itself is shared out.
        """
        first = np.full(block.rows, self.parts, np.int64)
        if self.parts == 1 and block.weights is not None:
            first = block.weights
        return Entries(np.arange(block.rows), np.zeros(block.rows, np.int64), first)

    def at_open(self, block: Block, entries: Entries) -> Entries:
        """Return the entries at open nodes by their place among these, with all that they weigh."""
        at = self._places[entries.node]
        here = np.flatnonzero(at >= 0)
        row, weight = entries.row[here], entries.weight[here]
        if self.parts > 1 and block.weights is not None:
            weight = weight * block.weights[row]
        return Entries(row, at[here], weight)

    @property
    def _places(self) -> Ints:
        place = np.full(self.nodes, -1, np.int64)
        place[list(self.open)] = np.arange(len(self.open))
        return place

    def counted(self, block: Block, entries: Entries) -> list[tuple[NDArray[Any], Ints | None]]:
        """Return what is counted of entries: the class of each in the tables, and what it weighs there, None
        for 1 each.
        """
        one = block.weights is None and self.whole
        if self.classes:
            assert block.classes is not None
            return list(self.measures(block.classes[entries.row], None if one else entries.weight))
        assert block.response is not None
        none = np.zeros(len(entries.row), np.uint8)
        y = self.scale.whole(block.response[entries.row])
        return [(none, None if one else entries.weight), (none + np.uint8(1), entries.weight * y)]

    def merge(self, total: Level, other: Level) -> Level:
        tables: list[Any] = total.tables
        for j, more in enumerate(other.tables):
            if isinstance(more, list):
                tables[j] = [merge_tables(a, b) for a, b in zip(tables[j], more, strict=True)]
            else:
                tables[j] += more
        total.squares[...] += other.squares
        carry(total.squares)
        return total


# cache by form: the table, its cells in this form, the tests made, and the node of each row after them
ROW_PLACES: WeakKeyDictionary[
    CodedColumn, tuple[LocalTable, list[NDArray[Any]], tuple[Test, ...], Entries]
] = WeakKeyDictionary()


def _goes_on(tests: tuple[Test, ...], made: tuple[Test, ...]) -> bool:
    """Whether tests begin with those that were made: the very same objects."""
    return len(tests) >= len(made) and all(map(operator.is_, made, tests))


def walk_of(tests: tuple[Test, ...], nodes: int) -> Walk:
    """Return the tests as a walk over codes; the branches of a test are nodes one after the other."""
    column, missing = np.full(nodes, -1, np.int32), np.zeros(nodes, np.int32)
    cut = np.zeros(nodes)
    first, sizes = np.zeros(nodes, np.int64), np.zeros(nodes, np.int64)
    branches: dict[int, Ints] = {}
    for test in tests:
        low = int(test.following.min())
        column[test.node], first[test.node] = test.column, low - 1
        missing[test.node] = test.following[-1] - low
        if test.cut is not None:
            cut[test.node] = test.cut
            continue
        branches[test.node] = test.following[:-1] - low
        sizes[test.node] = len(test.following) - 1
    flat = [branches[node] for node in sorted(branches)]
    branch_of = np.concatenate(flat).astype(np.int32) if flat else np.empty(0, np.int32)
    start = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    return Walk(column, cut, first, np.arange(1, nodes), start, branch_of, missing)


def _square_digits(y: Ints, weight: Ints) -> Iterator[Ints]:
    """Yield digits[row] of weight * y * y, lowest first, not carried: sums of four products of two digits."""
    ones = (1 << DIGIT) - 1
    first, second = ([n >> DIGIT * i & ones for i in range(4)] for n in (weight * y, y))
    for i in range(DIGITS - 1):
        pairs = [first[a] * second[i - a] for a in range(4) if 0 <= i - a < 4]
        yield np.sum(pairs, axis=0)


def carry(digits: Ints) -> None:
    """Leave in each of digits[..., digit] what it holds, and add the rest to the next."""
    for i in range(DIGITS - 1):
        digits[..., i + 1] += digits[..., i] >> DIGIT
        digits[..., i] &= (1 << DIGIT) - 1


def follow(entries: Entries, tests: Sequence[Test], cells: list[Any], nodes: int) -> Entries:
    """Send the entries at the nodes of tests to their branches, and on to theirs; nodes: how many there are.
    A missing row goes to all branches in parts where a test has shares.
    """
    test_of = np.full(nodes, -1, np.int64)
    test_of[[test.node for test in tests]] = np.arange(len(tests))
    while True:
        at = test_of[entries.node]
        moving = np.flatnonzero(at >= 0)
        if not len(moving):
            return entries
        order = moving[np.argsort(at[moving], kind="stable")]
        found, starts = np.unique(at[order], return_index=True)
        node, stays, parted = entries.node.copy(), np.ones(len(entries.row), bool), list[Entries]()
        for number, here in zip(found.tolist(), np.split(order, starts[1:]), strict=True):
            test = tests[number]
            code = test.codes(cells[test.column][entries.row[here]])
            if test.shares is None or test.branches is None:
                node[here] = test.following[code]
                continue
            known = code < len(test.following)
            node[here[known]] = test.following[code[known]]
            lost = here[~known]
            parts = share_out(entries.weight[lost], test.shares)
            rows, branch = np.nonzero(parts)
            stays[lost] = False
            parted.append(Entries(entries.row[lost][rows], test.branches[branch], parts[rows, branch]))
        own: Any = (entries.row, node, entries.weight)
        if parted:
            own = (np.concatenate([a[stays], *more]) for a, *more in zip(own, *parted, strict=True))
        entries = Entries(*own)


def share_out(weights: Ints, shares: Ints) -> Ints:
    """Return parts[entry, branch] of weights in proportion to shares, whole, summing to the weights exactly.

    Each part is rounded down; what is left goes to the branch with the largest share, the first of equals.
    """
    fraction = shares / shares.sum()
    parts: Ints = np.floor(weights[:, None] * fraction).astype(np.int64)
    parts[:, int(shares.argmax())] += weights - parts.sum(axis=1)
    return parts


def sum_of_squares(digits: Ints) -> int:
    """Return the exact sum of squares of the response in fixed point."""
    return sum(int(digit) << DIGIT * i for i, digit in enumerate(digits))


# ---- the largest value of a column that is not above a cut: where C4.5 puts its cuts ----
#
# Law: a largest value does not depend on the order or the cut of rows.

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class LargestBelow(Statistic[list[Floats]]):
    """Ask for the largest value up to each of some cuts. cuts[column]: rising; -inf where there is none."""

    names: tuple[str, ...]
    cuts: tuple[Floats, ...]

    def zero(self) -> list[Floats]:
        """Return the total of no rows: found[column][cut]."""
        return [np.full(len(cuts), -np.inf) for cuts in self.cuts]

    def add(self, total: list[Floats], block: Block) -> list[Floats]:
        for name, cuts, found in zip(self.names, self.cuts, total, strict=True):
            values = np.sort(block.values(name))  # missing ones are last
            places = np.searchsorted(values, cuts, side="right")
            known = np.where(places > 0, values[np.maximum(places, 1) - 1] if len(values) else 0.0, -np.inf)
            np.maximum(found, known, out=found)
        return total

    def merge(self, total: list[Floats], other: list[Floats]) -> list[Floats]:
        return [np.maximum(a, b) for a, b in zip(total, other, strict=True)]
