"""The question of a growing tree to any engine: count tables of all nodes of one level at once.

Knows blocks, codes and the tests made so far. Knows nothing of scores.
Law: whole numbers only, so the answer does not depend on the order or the cut of the rows.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tallystick import kernels
from tallystick.contracts import Block
from tallystick.data.table.block import Block as Rows
from tallystick.kernels.check import code_dtype
from tallystick.kernels.trees import Walk
from tallystick.stats.score_weights import ScoreWeights
from tallystick.stats.split_search import ValueScale

Ints = NDArray[np.int64]
DIGIT = 16  # bits of a digit of a sum of squares: before it is carried there is room for 2^29 rows
DIGITS = 8  # of a sum of squares of responses, which is below 2^(62 + 52)


@dataclass(frozen=True)
class Coding:
    """How a column's cells become codes 0..k-1, k is missing. values: distinct ones, or cuts of bins, or
    None.
    """

    name: str
    kind: str
    k: int
    values: NDArray[np.float64] | None = None
    binned: bool = False

    def codes(self, block: Block) -> NDArray[Any]:
        """Return the codes of a block's rows."""
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
        columns = {c.name: c.codes(block).astype(code_dtype(c.k + 2), copy=False) for c in self.codings}
        return Rows(block.rows, columns, block.classes, block.response, block.weights)

    def done(self) -> CodedColumn:
        """Return the form of rows that are in it already: their codes as they are."""
        return CodedColumn(tuple(replace(c, values=None) for c in self.codings))


class Test(NamedTuple):
    """A test made: the node it stands at, its column, and the next node of each code, missing included.

    With shares, a missing row goes to all `branches` in parts: shares[branch] are rows whose value was known.
    """

    node: int
    column: int
    following: Ints
    branches: Ints | None = None
    shares: Ints | None = None


class Entries(NamedTuple):
    """Rows and parts of rows: which row, at which node, how much of it."""

    row: Ints
    node: Ints
    weight: Ints


class Level(NamedTuple):
    """tables[column][open node, code, class] of rows; regression: rows and sum of the response as two
    classes. Where scores take less than the weights (`ScoreWeights.drop`), twice the classes: rows of each,
    then what they weigh in scores.

    squares[open node, digit]: sums of squares of the response, lowest digit first, regression only.
    """

    tables: list[Ints]
    squares: Ints

    def counts(self, i: int) -> Ints:
        """Return rows of each class of open node i."""
        total: Ints = self.tables[0][i].sum(axis=0)
        return total

    def node(self, i: int) -> tuple[list[Ints], Ints]:
        """Return tables[column][code, class] and the sums of squares of open node i."""
        return [table[i] for table in self.tables], self.squares[i]


@dataclass(frozen=True)
class Frontier:
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

    def in_form(self) -> Frontier:
        """Return the same question of blocks that are in its form already: lighter to send."""
        return replace(self, form=self.form.done())

    def zero(self) -> Level:
        """Return the total of no rows."""
        tables = [np.zeros((len(self.open), c.k + 1, self.width), np.int64) for c in self.codings]
        return Level(tables, np.zeros((len(self.open), DIGITS), np.int64))

    def add(self, total: Level, block: Block) -> Level:
        """Add the rows of one block."""
        codes = [c.codes(block) for c in self.codings]
        if self.classes and self.parts == 1 and all(test.shares is None for test in self.tests):
            return self._add_whole(total, block, codes)
        # A copy of a row is shared out like the row, so parts are of one copy, and weights multiply them
        # at the end; where weights are not whole, copies have no meaning and the weight itself is shared out.
        weights = np.ones(block.rows, np.int64) if block.weights is None else block.weights
        first = np.full(block.rows, self.parts, np.int64) if self.parts > 1 else weights.copy()
        entries = Entries(np.arange(block.rows), np.zeros(block.rows, np.int64), first)
        for test in self.tests:
            entries = follow(entries, test, codes[test.column])
        place = np.full(self.nodes, -1, np.int64)
        place[list(self.open)] = np.arange(len(self.open))
        at = place[entries.node]
        row, weight, at = entries.row[at >= 0], entries.weight[at >= 0], at[at >= 0]
        if self.parts > 1:
            weight = weight * weights[row]
        if not self.classes:
            return self._add_response(total, block, codes, Entries(row, at, weight))
        assert block.classes is not None
        for label, heavy in self.measures(block.classes[row], weight):
            assert heavy is not None
            for table, column in zip(total.tables, codes, strict=True):
                np.add.at(table, (at, column[row].astype(np.int64), label.astype(np.int64)), heavy)
        return total

    @cached_property
    def _walk(self) -> Walk:
        return walk_of(self.tests, self.nodes)

    def _add_whole(self, total: Level, block: Block, codes: list[Any]) -> Level:
        """Add rows that are each at one node."""
        classes, weights, sizes = block.classes, block.weights, [c.k + 1 for c in self.codings]
        assert classes is not None
        if not self.tests:
            out = [table[0] for table in total.tables]
            for label, heavy in self.measures(classes, weights):
                kernels.count_columns(codes, label, sizes, self.width, weights=heavy, out=out)
            return total
        place = np.full(self.nodes, len(self.open), np.uint32)
        place[list(self.open)] = np.arange(len(self.open))
        at = place[self._walk.ends(codes, block.rows)[0]]
        here = np.flatnonzero(at < len(self.open))
        if len(here) < block.rows:
            codes, at, classes = [c[here] for c in codes], at[here], classes[here]
            weights = None if weights is None else weights[here]
        for label, heavy in self.measures(classes, weights):
            kernels.count_columns(
                codes,
                label,
                sizes,
                self.width,
                weights=heavy,
                nodes=at,
                n_nodes=len(self.open),
                out=total.tables,
            )
        return total

    def _add_response(self, total: Level, block: Block, codes: list[Any], entries: Entries) -> Level:
        assert block.response is not None
        row, at, weight = entries
        y = self.scale.whole(block.response[row])
        for table, column in zip(total.tables, codes, strict=True):
            code = column[row].astype(np.int64)
            np.add.at(table[:, :, 0], (at, code), weight)
            np.add.at(table[:, :, 1], (at, code), weight * y)
        for i, digit in enumerate(_square_digits(y, weight)):
            np.add.at(total.squares[:, i], at, digit)
        carry(total.squares)
        return total

    def merge(self, total: Level, other: Level) -> Level:
        """Add two totals."""
        for table, more in zip(total.tables, other.tables, strict=True):
            table += more
        total.squares[...] += other.squares
        carry(total.squares)
        return total


def walk_of(tests: tuple[Test, ...], nodes: int) -> Walk:
    """Return the tests as a walk over codes; the branches of a test are nodes one after the other."""
    column, missing = np.full(nodes, -1, np.int32), np.zeros(nodes, np.int32)
    first, sizes = np.zeros(nodes, np.int64), np.zeros(nodes, np.int64)
    branches: dict[int, Ints] = {}
    for test in tests:
        low = int(test.following.min())
        column[test.node], first[test.node] = test.column, low - 1
        missing[test.node] = test.following[-1] - low
        branches[test.node] = test.following[:-1] - low
        sizes[test.node] = len(test.following) - 1
    flat = [branches[node] for node in sorted(branches)]
    branch_of = np.concatenate(flat).astype(np.int32) if flat else np.empty(0, np.int32)
    start = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    return Walk(column, np.zeros(nodes), first, np.arange(1, nodes), start, branch_of, missing)


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
    code = codes[entries.row[here]]
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
