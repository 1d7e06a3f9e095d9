"""The question of a growing tree to any engine: count tables of all nodes of one level at once.

Knows blocks, codes and the tests made so far. Knows nothing of scores.
Law: whole numbers only, so the answer does not depend on the order or the cut of the rows.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tallystick import kernels
from tallystick.contracts import Block, Statistic
from tallystick.kernels.check import code_dtype
from tallystick.kernels.trees import Walk
from tallystick.stats.values import ValueTable, column_of, merge_tables, no_values, value_table
from tallystick.table.block import RowBlock as Rows
from tallystick.tree.growth import ScoreWeights, ValueScale
from tallystick.tree.off_memory import (
    ROW_PLACES,
    DiskLevel,
    LevelAnswers,
    NodeTables,
    OpenNodes,
    RowPlaces,
)

if TYPE_CHECKING:
    from tallystick.engine.local import Local
    from tallystick.table.table import LocalTable

Ints = NDArray[np.int64]
DIGIT = 16  # bits of a digit of a sum of squares: before it is carried there is room for 2^29 rows
DIGITS = 8  # of a sum of squares of responses, which is below 2^(62 + 52)


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
    """Rows as a growing tree asks for them: every column that it may test as codes."""

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
    """

    tables: list[Ints | list[ValueTable]]
    squares: Ints

    def counts(self, i: int) -> Ints:
        """Return rows of each class of open node i."""
        total: Ints = column_of(self.tables[0][i]).table.sum(axis=0)
        return total

    def node(self, i: int) -> tuple[list[ValueTable], Ints]:
        """Return the tables of all columns and the sums of squares of open node i."""
        return [column_of(table[i]) for table in self.tables], self.squares[i]

    def grown(self, i: int) -> None:
        """Nothing is known of the tree below open node i."""


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

    def solve(self, table: LocalTable, engine: Local) -> NodeTables | LevelAnswers | None:
        """Answer node by node. Rows are not sent down from the root again for every level: where they stand
        is kept as long as the form of the tree's questions, which is one object from the first level to the
        last, is in use. None: there is no memory for where so many rows stand.
        """
        if table.budget and self.more is not None and self.whole:
            return DiskLevel(self, table, engine.cores).answer()
        if not table.holds(32 + 4 * len(self.codings)):
            return None
        known = ROW_PLACES.get(self.form)
        if known is None or not known.leads_to(self, table):
            known = ROW_PLACES[self.form] = RowPlaces.at_root(self, table)
        return known.answer(self)

    def zero(self) -> Level:
        """Return the total of no rows."""
        nodes = len(self.open)
        tables: list[Ints | list[ValueTable]] = [
            [no_values(self.width)] * nodes if c.plain else np.zeros((nodes, c.k + 1, self.width), np.int64)
            for c in self.codings
        ]
        return Level(tables, np.zeros((nodes, DIGITS), np.int64))

    def add(self, total: Level, block: Block) -> Level:
        """Add the rows of one block."""
        cells = [c.codes(block) for c in self.codings]
        entries = self.standing(block, cells)
        if not self.classes:
            assert block.response is not None
            y = self.scale.whole(block.response[entries.row])
            for i, digit in enumerate(_square_digits(y, entries.weight)):
                np.add.at(total.squares[:, i], entries.node, digit)
            carry(total.squares)
        every = len(entries.row) == block.rows and self.whole  # then each row is there once, in its place
        own = cells if every else [c[entries.row] for c in cells]
        for label, heavy in self.counted(block, entries):
            self._count(total, own, label, heavy, entries.node)
        for j, coding in enumerate(self.codings):
            if coding.plain:
                values = own[j] if self.listed else np.full(len(own[j]), np.nan)
                self._list(total.tables[j], values, block, entries)
        return total

    @property
    def whole(self) -> bool:
        """Is every row at one node, with its own weight?"""
        return self.parts == 1 and all(test.shares is None for test in self.tests)

    def standing(self, block: Block, cells: list[Any]) -> Entries:
        """Return the rows of a block at open nodes; `node` is the place among these."""
        weights = np.ones(block.rows, np.int64) if block.weights is None else block.weights
        place = np.full(self.nodes, -1, np.int64)
        place[list(self.open)] = np.arange(len(self.open))
        if self.whole:
            if not self.tests:
                return Entries(np.arange(block.rows), np.zeros(block.rows, np.int64), weights)
            at = place[self._walk.ends(cells, block.rows)[0]]
            here = np.flatnonzero(at >= 0)
            return Entries(here, at[here], weights[here])
        # A copy of a row is shared out like the row, so parts are of one copy, and weights multiply them
        # at the end; where weights are not whole, copies have no meaning and the weight itself is shared out.
        first = np.full(block.rows, self.parts, np.int64) if self.parts > 1 else weights.copy()
        entries = Entries(np.arange(block.rows), np.zeros(block.rows, np.int64), first)
        for test in self.tests:
            entries = follow(entries, test, cells[test.column])
        at = place[entries.node]
        row, weight, at = entries.row[at >= 0], entries.weight[at >= 0], at[at >= 0]
        return Entries(row, at, weight * weights[row] if self.parts > 1 else weight)

    @cached_property
    def _walk(self) -> Walk:
        return walk_of(self.tests, self.nodes)

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

    def _count(
        self, total: Level, cells: list[Any], label: NDArray[Any], heavy: Ints | None, at: Ints
    ) -> None:
        """Add entries to the tables of columns of codes."""
        coded = [j for j, c in enumerate(self.codings) if not c.plain]
        if not coded:
            return
        codes, sizes = [np.ascontiguousarray(cells[j]) for j in coded], [self.codings[j].k + 1 for j in coded]
        out: list[Any] = [total.tables[j] for j in coded]
        if len(self.open) == 1:
            first = [table[0] for table in out]
            kernels.count_columns(codes, label, sizes, self.width, weights=heavy, out=first)
            return
        nodes = at.astype(np.uint32)
        n = len(self.open)
        kernels.count_columns(codes, label, sizes, self.width, weights=heavy, nodes=nodes, n_nodes=n, out=out)

    def _list(self, tables: Any, values: NDArray[np.float64], block: Block, entries: Entries) -> None:
        """Add entries to the tables of a column of numbers."""
        counted = self.counted(block, entries)
        for i in range(len(self.open)):
            here = slice(None) if len(self.open) == 1 else np.flatnonzero(entries.node == i)
            part = [(label[here], None if w is None else w[here]) for label, w in counted]
            tables[i] = merge_tables(tables[i], value_table(values[here], part, self.width))

    def merge(self, total: Level, other: Level) -> Level:
        """Add two totals."""
        tables: list[Any] = total.tables
        for j, more in enumerate(other.tables):
            if isinstance(more, list):
                tables[j] = [merge_tables(a, b) for a, b in zip(tables[j], more, strict=True)]
            else:
                tables[j] += more
        total.squares[...] += other.squares
        carry(total.squares)
        return total


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


def squares_of(y: Ints, weight: Ints) -> Ints:
    """Return the digits of the sum of squares of a response."""
    out = np.array([int(digit.sum()) for digit in _square_digits(y, weight)] + [0], np.int64)
    carry(out)
    return out


def follow(entries: Entries, test: Test, codes: NDArray[Any]) -> Entries:
    """Send the entries at a test's node to its branches."""
    here = np.flatnonzero(entries.node == test.node)
    code = test.codes(codes[entries.row[here]])
    if test.shares is None or test.branches is None:
        entries.node[here] = test.following[code]
        return entries
    known = code < len(test.following)
    entries.node[here[known]] = test.following[code[known]]
    lost = here[~known]
    if not len(lost):
        return entries
    parts = share_out(entries.weight[lost], test.shares)
    keep = np.ones(len(entries.row), dtype=bool)
    keep[lost] = False
    rows, branch = np.nonzero(parts)
    return Entries(
        np.concatenate([entries.row[keep], entries.row[lost][rows]]),
        np.concatenate([entries.node[keep], test.branches[branch]]),
        np.concatenate([entries.weight[keep], parts[rows, branch]]),
    )


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


# The largest value of a column that is not above a cut: where C4.5 puts its cuts.
#
# Knows blocks. Knows nothing of trees. Law: a largest value does not depend on the order or the cut of
# rows.


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
        """Add the rows of one block."""
        for name, cuts, found in zip(self.names, self.cuts, total, strict=True):
            values = np.sort(block.values(name))  # missing ones are last
            places = np.searchsorted(values, cuts, side="right")
            known = np.where(places > 0, values[np.maximum(places, 1) - 1] if len(values) else 0.0, -np.inf)
            np.maximum(found, known, out=found)
        return total

    def merge(self, total: list[Floats], other: list[Floats]) -> list[Floats]:
        """Add two totals."""
        return [np.maximum(a, b) for a, b in zip(total, other, strict=True)]
