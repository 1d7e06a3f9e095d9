"""How nodes of many rows are split where their numbers cannot be had whole, and small ones grown to their
leaves.

The table of a column of numbers is made in pieces, each of the values of a range. The best cut in a piece
needs of the others only what they hold together, so a few numbers of each piece tell the best cut of all, and
how many there were. Knows tables and the judge of splits. Knows nothing of threads, files or engines.
Law: what a judge says of the short table is what it says of the whole one.
"""

from __future__ import annotations

import operator
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from tallystick import kernels
from tallystick.contracts import Block
from tallystick.io import scratch
from tallystick.kernels.trees import GrowColumn, Judge
from tallystick.parallel import checkpoint, in_order
from tallystick.stats.exact import LEFT
from tallystick.stats.values import Counted, ValueTable, sum_of, value_table
from tallystick.table.block import OWN, RowBlock
from tallystick.table.disk import RowsOnDisk
from tallystick.table.subset import take_block
from tallystick.tree.growth import (
    GrowingRoom,
    GrowingTree,
    GrowthScale,
    holds_tree,
    make_grower,
    most_rows,
    run,
)

if TYPE_CHECKING:
    from tallystick.contracts import Table
    from tallystick.tree.tables import CodedColumn, Coding, LevelCounts, Test


Ints = NDArray[np.int64]
Arrays = dict[str, NDArray[Any]]


@dataclass(frozen=True, eq=False)
class OpenNodes:
    """What an engine that answers in a way of its own must know of the nodes asked for: the tree that they
    are of, how deep they stand, and about how many rows each has. end: they may be grown to their leaves.
    known: how many nodes the tree has so far.
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


class PieceSums(NamedTuple):
    """What a piece holds: known[class] and missing[class] rows, and its first and last value."""

    known: Ints
    missing: Ints
    first: float
    last: float


class PieceCut(NamedTuple):
    """The best cut of a piece: its score, the rows left of it, the values beside it; how many are allowed.
    left: None where none is.
    """

    key: int
    left: Ints | None
    low: float
    high: float
    cuts: int


def sums_of(piece: ValueTable) -> PieceSums:
    """Return what a piece holds."""
    values = piece.values
    assert values is not None
    first, last = (float(values[0]), float(values[-1])) if len(values) else (np.nan, np.nan)
    return PieceSums(sum_of(piece.table[:-1]), piece.table[-1], first, last)


def whole_of(pieces: Sequence[PieceSums]) -> PieceSums:
    """Return what pieces hold together, in the order of their values."""
    filled = [p for p in pieces if p.first == p.first]
    first, last = (filled[0].first, filled[-1].last) if filled else (np.nan, np.nan)
    known, missing = (np.sum(part, axis=0) for part in list(zip(*pieces, strict=True))[:2])
    return PieceSums(known, missing, first, last)


class PieceJudge:
    """Finds the best cut of each piece of a column of numbers in a node."""

    def __init__(self, nodes: OpenNodes) -> None:
        self.nodes, self.judge = nodes, nodes.judge()

    def best(self, piece: ValueTable, all_: Sequence[PieceSums], place: int) -> PieceCut:
        """Return the best cut before a value of the piece. all_: every piece of the column, `place` is its
        own: what lies before it is one value more, what lies behind it goes with its last value.
        """
        values = piece.values
        assert values is not None
        whole, before = whole_of(all_), whole_of(all_[:place]) if place else None
        rows = piece.table[:-1]
        if before is not None and before.first == before.first:
            rows = np.concatenate([before.known[None], rows])
            values = np.append(before.last, values)
        if len(rows) < 2:
            return PieceCut(0, None, np.nan, np.nan, 0)
        rows = np.concatenate([rows, whole.missing[None]])
        rows[-2] += whole.known - sum_of(rows[:-1])
        vectors = self.nodes.scale.weighing.vectors(rows, self.nodes.classes)
        at, key, _, cuts = self.judge.best_cut(sum_of(vectors), vectors)
        if not at:
            return PieceCut(0, None, np.nan, np.nan, cuts)
        return PieceCut(key, sum_of(rows[:at]), float(values[at - 1]), float(values[at]), cuts)


def short_table(whole: PieceSums, found: Sequence[PieceCut]) -> ValueTable:
    """Return the two sides of the best cut as a table; of equals the lowest. found: as values rise."""
    best = None
    for cut in found:
        if cut.left is not None and (best is None or cut.key > best.key):
            best = cut
    cuts = sum(cut.cuts for cut in found)
    if best is not None:
        assert best.left is not None
        sides = np.stack([best.left, whole.known - best.left, whole.missing])
        return ValueTable(sides, np.array([best.low, best.high]), cuts)
    if whole.first != whole.first:
        return ValueTable(whole.missing[None].copy(), np.zeros(0), 0)
    return ValueTable(np.stack([whole.known, whole.missing]), np.array([whole.first]), cuts)


@dataclass
class LevelAnswers:
    """The answer to a question for the nodes of a level, by whatever way each was found."""

    columns: list[list[ValueTable]]  # [open node][column]
    squares: list[Ints]
    below: list[Arrays | None] = field(default_factory=list)  # nodes grown to their leaves

    def counts(self, i: int) -> Ints:
        """Return rows of each class of open node i."""
        total: Ints = self.columns[i][0].table.sum(axis=0)
        return total

    def node(self, i: int) -> tuple[list[ValueTable], Ints]:
        """Return the tables of all columns and the sums of squares of open node i."""
        return self.columns[i], self.squares[i]

    def grown(self, i: int) -> Arrays | None:
        """Return the tree below open node i, None where only its tables are known."""
        return self.below[i]


@dataclass(frozen=True, eq=False)
class Subtree:
    """Grows the rows of a node to their leaves, all at once. codings: how the columns were coded."""

    nodes: OpenNodes
    codings: tuple[Coding, ...]

    def __call__(self, rows: Block, depth: int, threads: int = 1, budget: int = 0, known: int = 0) -> Arrays:
        """Return the kernels' arrays of a tree, candidates included. rows: in the form of the codings. known:
        how many nodes there are before; too many for the budget are an error.
        """
        room = GrowingRoom(rows.rows, sum(c.plain for c in self.codings), budget)
        growing, scale = self.nodes.growing, self.nodes.scale
        grower = make_grower(growing, self._cells(rows), rows, scale, depth, room, known)
        run(grower, threads, room)
        growing.refuse(known + grower.nodes)
        arrays, harvest = grower.arrays(), grower.harvest()
        del grower  # and its rows
        return arrays | harvest.tried()

    def _cells(self, rows: Block) -> list[GrowColumn]:
        return [
            GrowColumn("numeric", rows.values(c.name))
            if c.plain
            else GrowColumn(c.kind, np.ascontiguousarray(rows.codes(c.name)), c.k, self._edges[j], c.binned)
            for j, c in enumerate(self.codings)
        ]

    @cached_property
    def _edges(self) -> list[NDArray[np.float64] | None]:
        return [
            None if c.values is None else np.concatenate([[-np.inf], c.values]) if c.binned else c.values
            for c in self.codings
        ]


# The nodes of a tree whose rows lie on disk, where there is no memory for where all of them stand.
#
# A node is grown to its leaves where the budget holds its rows without their numbers, which are brought
# together on disk; of a larger one each column is read by itself, in pieces that fit. Knows tables on disk
# and budgets. Knows nothing of scores. Law: what a learner makes of the answer is what it makes of
# `Frontier.add` over all blocks.


ENTRY = 176  # bytes that a piece of a column takes for a row: its values, codes and ranks
SHARE = 4  # the part of the budget for what is brought into memory at once
SCAN = 1 << 17  # rows that are looked at together
SAMPLE = 4096  # values that tell where pieces of a column begin and end


class _ThreadJudge(threading.local):
    """The judge of a thread."""

    own: PieceJudge | None = None


@dataclass(frozen=True, eq=False)
class DiskLevel:
    """One question to a table on disk."""

    question: LevelCounts
    table: Any
    threads: int

    def answer(self) -> LevelAnswers:
        """Return the tables of large nodes, and the trees below small ones."""
        nodes = len(self.question.open)
        out = LevelAnswers([[] for _ in range(nodes)], self._squares(), [None] * nodes)
        small = [i for i in range(nodes) if self._holds(i)]
        self._grow(small, out.below)
        for i in sorted(set(range(nodes)) - set(small)):
            out.columns[i] = self._columns(i)
        return out

    def _grow(self, small: list[int], below: list[Arrays | None]) -> None:
        """Grow the trees below some nodes, and write them as soon as they are not few bytes together, with
        those of the questions before.
        """
        known = self.more.known
        before = known * self.more.growing.node_bytes
        held, size = list[int](), 0
        for group in self._groups(small):
            for i, grow in self._growing(group):
                arrays = grow(known=known - 1)  # the root of this tree is one of them
                known += len(arrays["column"]) - 1
                below[i] = arrays
                held.append(i)
                size += scratch.size_of(arrays)
                if size >= scratch.FEW:
                    _write(below, held)
                    before, held, size = before + size, [], 0
        if held and before + size >= scratch.FEW:
            _write(below, held)

    @property
    def more(self) -> OpenNodes:
        """What is known of the nodes."""
        assert self.question.more is not None
        return self.question.more

    def _holds(self, i: int) -> bool:
        """Is there memory to grow an open node to its leaves?"""
        growing, rows = self.more.growing, int(self.sizes[i])
        return not growing.shares_out and holds_tree(growing, rows, self.table.budget, self.more.depth[i])

    def _blocks(self) -> Iterator[tuple[int, RowBlock]]:
        size = self.table.block_rows
        for start in range(0, self.table.rows, size):
            checkpoint()
            yield start, self.table.slice(start, min(start + size, self.table.rows))

    @cached_property
    def places(self) -> NDArray[np.int32]:
        """The place of each row among the open nodes, -1 of others; on disk."""
        out = scratch.empty(self.table.rows, np.int32)
        jobs = (partial(self._place, out, start, block) for start, block in self._blocks())
        for _ in in_order(jobs, self.threads):
            pass
        return out

    def _place(self, out: NDArray[np.int32], start: int, block: RowBlock) -> None:
        tested = {test.column for test in self.question.tests}
        codings = self.question.codings
        cells = [c.codes(block) if j in tested else None for j, c in enumerate(codings)]
        part = np.full(block.rows, -1, np.int32)
        entries = self.question.standing(block, cells)
        part[entries.row] = entries.node
        out[start : start + block.rows] = part

    @cached_property
    def sizes(self) -> Ints:
        """How many rows each open node has."""
        out = np.zeros(len(self.question.open) + 1, np.int64)
        for start, block in self._blocks():
            out += np.bincount(self.places[start : start + block.rows] + 1, minlength=len(out))
        return out[1:]

    def _squares(self) -> list[Ints]:
        from tallystick.tree.tables import DIGITS, carry, squares_of

        squares = np.zeros((len(self.question.open), DIGITS), np.int64)
        for start, block in self._blocks():
            if block.response is None:
                break
            at = self.places[start : start + block.rows]
            y, weights = self.question.scale.whole(block.response), _weights(block)
            for i in np.unique(at[at >= 0]).tolist():
                squares[i] += squares_of(y[at == i], weights[at == i])
            carry(squares)
        return list(squares)

    def _groups(self, small: list[int]) -> Iterator[list[int]]:
        """Yield small nodes whose rows are fetched together: as many rows as one node may have."""
        group: list[int] = []
        rows, most = 0, most_rows(self.table.budget)
        for i in small:
            if group and rows + self.sizes[i] > most:
                yield group
                group, rows = [], 0
            group.append(i)
            rows += int(self.sizes[i])
        if group:
            yield group

    def _growing(self, group: list[int]) -> Iterator[tuple[int, Callable[..., Arrays]]]:
        """Yield who grows the tree below each of some nodes."""
        ends = np.cumsum(self.sizes[group]).tolist()
        if not ends[-1]:  # no row came here: a leaf of nothing
            return
        rows = self._fetched(self._rows(group))
        grow = Subtree(self.more, self.question.codings)
        for i, start, end in zip(group, [0, *ends], ends, strict=False):
            own = rows.slice(start, end)
            yield i, partial(grow, own, self.more.depth[i], self.threads, self.table.budget)

    def _fetched(self, rows: Ints) -> RowsOnDisk:
        """Return some rows in the form in which trees are grown."""
        size = self.table.block_rows
        jobs = (partial(self._fetch, rows[start : start + size]) for start in range(0, len(rows), size))
        out, done = RowsOnDisk(len(rows)), 0
        for part in in_order(jobs, self.threads):
            out.write(part, done)
            done += part.rows
        return out

    def _fetch(self, rows: Ints) -> RowBlock:
        checkpoint()
        columns = {c.name: self.table.column(c.name) for c in self.question.codings}
        own = (getattr(self.table, name) for name in OWN)
        return self.question.form(take_block(RowBlock(self.table.rows, columns, *own), rows))

    # ---- large nodes, column by column ----

    def _columns(self, i: int) -> list[ValueTable]:
        """Return the tables of all columns of a large node."""
        rows = self._rows([i])
        jobs = [partial(self._column, rows, j) for j in range(len(self.question.codings))]
        return list(in_order(jobs, self.threads))

    def _column(self, rows: Ints, j: int) -> ValueTable:
        coding, width = self.question.codings[j], self.question.width
        if not coding.plain:
            table = np.zeros((coding.k + 1, width), np.int64)
            for codes, counted in self._entries(rows, j):
                for label, heavy in counted:
                    kernels.count_columns([codes], label, [coding.k + 1], width, weights=heavy, out=[table])
            return ValueTable(table)
        tables = [self._table(own, j) for own in self._pieces(rows, j)]
        sums = list(map(sums_of, tables))
        found = [self._judge.best(table, sums, place) for place, table in enumerate(tables)]
        return short_table(whole_of(sums), found)

    @property
    def _judge(self) -> PieceJudge:
        """The judge of this thread: it has room of its own for one column."""
        if self._judges.own is None:
            self._judges.own = PieceJudge(self.more)
        return self._judges.own

    @cached_property
    def _judges(self) -> _ThreadJudge:
        return _ThreadJudge()

    def _ends(self, rows: Ints, j: int) -> list[float]:
        """Return where the pieces of a column begin, and infinity: each has about as many rows of the node as
        there is memory for.
        """
        free = self.table.budget - LEFT // 2
        most = max(2 * free // SHARE // self.threads // ENTRY, 1)
        pieces = -(-len(rows) // most)
        some = self.table.column(self.question.codings[j].name)[rows[:: max(len(rows) // SAMPLE, 1)]]
        known = np.sort(some[~np.isnan(some)])
        inner = known[np.arange(1, pieces) * len(known) // pieces] if len(known) else known
        return [-np.inf, *np.unique(inner).tolist(), np.inf]

    def _pieces(self, rows: Ints, j: int) -> list[Ints]:
        """Return the rows of each piece of a column; the first has the missing ones too."""
        ends = self._ends(rows, j)
        if len(ends) == 2:
            return [rows]
        column, pieces = self.table.column(self.question.codings[j].name), scratch.empty(len(rows), np.int32)
        sizes = np.zeros(len(ends) - 1, np.int64)
        for start in range(0, len(rows), SCAN):
            checkpoint()
            cells = column[rows[start : start + SCAN]]
            part = np.searchsorted(ends[1:-1], cells, side="right")
            part[np.isnan(cells)] = 0
            sizes += np.bincount(part, minlength=len(sizes))
            pieces[start : start + SCAN] = part
        dealt = _dealt(rows, pieces, sizes)
        return np.split(dealt, np.cumsum(sizes)[:-1])

    def _table(self, rows: Ints, j: int) -> ValueTable:
        """Return the table of the values of a column in some rows, on disk if it is long."""
        values, labels, weights = list[Any](), list[Any](), list[Any]()
        for cells, counted in self._entries(rows, j):
            values.append(cells)
            labels.append([label for label, _ in counted])
            weights.append([heavy for _, heavy in counted])
        joined = [
            (np.concatenate(label), None if w[0] is None else np.concatenate(w))
            for label, w in zip(zip(*labels, strict=True), zip(*weights, strict=True), strict=True)
        ]
        table, found, _ = value_table(np.concatenate(values), joined, self.question.width)
        assert found is not None
        kept = scratch.kept({"table": table, "values": found})
        return ValueTable(kept["table"], kept["values"])

    def _rows(self, nodes: list[int]) -> Ints:
        """Return the numbers of some nodes' rows, node after node, on disk. nodes: rising."""
        sizes = np.zeros_like(self.sizes)
        sizes[nodes] = self.sizes[nodes]
        return _dealt(None, self.places, sizes)

    def _entries(self, every: Ints, j: int) -> Iterator[tuple[NDArray[Any], Counted]]:
        """Yield cells of a column in some rows, and what is counted of these."""
        from tallystick.tree.tables import Entries

        coding, table = self.question.codings[j], self.table
        column = table.column(coding.name)
        for start in range(0, len(every), SCAN):
            checkpoint()
            rows = every[start : start + SCAN]
            cells = coding.codes(RowBlock(len(rows), {coding.name: column[rows]}))
            weights = np.ones(len(rows), np.int64) if table.weights is None else table.weights[rows]
            yield np.ascontiguousarray(cells), self.question.counted(table, Entries(rows, rows, weights))


def _write(below: list[Arrays | None], which: list[int]) -> None:
    """Bring some trees to disk, all into one file."""
    here = [arrays for i in which if (arrays := below[i]) is not None]
    for i, arrays in zip(which, scratch.all_kept(here), strict=True):
        below[i] = arrays


def _dealt(rows: Ints | None, keys: NDArray[np.int32], sizes: Ints) -> Ints:
    """Return some rows by key, on disk: key after key, each with its rows in their order. rows: None is all;
    sizes[key]: how many there are, 0 of a key that is not wanted. A key below 0 never is.
    """
    ends = np.cumsum(sizes)
    out, at, wanted = scratch.empty(int(ends[-1]), np.int64), ends - sizes, np.append(sizes > 0, False)
    for start in range(0, len(keys), SCAN):
        checkpoint()
        part = keys[start : start + SCAN]
        here = np.flatnonzero(wanted[part])
        own_keys = part[here].astype(np.min_scalar_type(len(sizes)))  # those of two bytes are sorted quickly
        here = here[np.argsort(own_keys, kind="stable")]
        found, counts = np.unique(own_keys, return_counts=True)
        for key, own in zip(found.tolist(), np.split(here, np.cumsum(counts)[:-1]), strict=True):
            out[at[key] : at[key] + len(own)] = own + start if rows is None else rows[own + start]
            at[key] += len(own)
    return out


def _weights(block: RowBlock) -> Ints:
    return np.ones(block.rows, np.int64) if block.weights is None else block.weights


# The count tables of `level_tables.py` for a table in memory: where rows stand is kept from level to level.
#
# Knows a table's codes and the tests made so far. Knows nothing of scores. Law: the tables are those of
# `Frontier.add` over all blocks; they are made node by node, when asked for.


@dataclass
class RowPlaces:
    """rows[entry] and weight[entry] of every node that waits; a row may stand at several nodes in parts."""

    table: Table
    codes: list[NDArray[Any]] = field(default_factory=list)
    at: dict[int, tuple[Ints, Ints]] = field(default_factory=dict)
    followed: tuple[Test, ...] = ()

    @classmethod
    def at_root(cls, question: LevelCounts, table: Table) -> RowPlaces:
        """Return all rows where they begin."""
        whole = table.slice(0, table.rows)
        codes = [np.ascontiguousarray(c.codes(whole)) for c in question.codings]
        first = np.full(table.rows, question.parts, np.int64)
        if question.parts == 1 and table.weights is not None:
            first = table.weights
        return cls(table, codes, {0: (np.arange(table.rows), first)})

    def leads_to(self, question: LevelCounts, table: Table) -> bool:
        """Say whether the question goes on from here: it is of the same rows, and has made the same tests."""
        here = len(self.followed)
        same = table is self.table and len(question.tests) >= here
        return same and all(map(operator.is_, self.followed, question.tests[:here]))

    def answer(self, question: LevelCounts) -> NodeTables:
        """Follow the tests that are new, and return the tables of the open nodes."""
        for test in question.tests[len(self.followed) :]:
            self._follow(test)
        self.followed = question.tests
        # an answer keeps the rows of its own nodes: the next question sends them on from here
        return NodeTables(question, self.table, self.codes, tuple(self.at[node] for node in question.open))

    def _follow(self, test: Test) -> None:
        """Send the rows at a test's node to its branches, missing ones to all of them in parts."""
        from tallystick.tree.tables import share_out

        rows, weight = self.at.pop(test.node)
        code = test.codes(self.codes[test.column][rows])
        if test.shares is None or test.branches is None:
            to = test.following[code]
            for branch in np.unique(test.following).tolist():
                self.at[branch] = rows[to == branch], weight[to == branch]
            return
        known = code < len(test.following)
        to = test.following[code[known]]
        lost = rows[~known]
        parts = share_out(weight[~known], test.shares)
        for b, branch in enumerate(test.branches.tolist()):
            here, some = to == branch, parts[:, b] > 0
            self.at[branch] = (
                np.concatenate([rows[known][here], lost[some]]),
                np.concatenate([weight[known][here], parts[some, b]]),
            )


ROW_PLACES: WeakKeyDictionary[CodedColumn, RowPlaces] = WeakKeyDictionary()


@dataclass(frozen=True)
class NodeTables:
    """The answer to one question, node by node: it stays true whatever is asked after it."""

    question: LevelCounts
    table: Table
    codes: list[NDArray[Any]]  # codes[column][row]
    at: tuple[tuple[Ints, Ints], ...]  # rows[entry] and weight[entry] of each open node

    @property
    def _classes(self) -> NDArray[Any]:
        assert self.table.classes is not None
        return self.table.classes

    @property
    def _response(self) -> NDArray[np.float64]:
        assert self.table.response is not None
        return self.table.response

    def _entries(self, i: int) -> tuple[Ints, Ints]:
        rows, weight = self.at[i]
        if self.question.parts > 1 and self.table.weights is not None:
            weight = weight * self.table.weights[rows]
        return rows, np.ascontiguousarray(weight)

    def counts(self, i: int) -> Ints:
        """Return rows of each class of open node i; regression: rows and sum of the response."""
        rows, weight = self._entries(i)
        if self.question.classes:
            out = np.zeros(self.question.width, np.int64)
            for label, heavy in self.question.measures(self._classes[rows], weight):
                kernels.count_classes(label, self.question.width, heavy, out)
            return out
        y = self.question.scale.whole(self._response[rows])
        return np.array([weight.sum(), (weight * y).sum()], np.int64)

    def node(self, i: int) -> tuple[list[ValueTable], Ints]:
        """Return the tables of all columns and the sums of squares of open node i."""
        from tallystick.tree.tables import DIGITS, squares_of

        rows, weight = self._entries(i)
        squares = np.zeros(DIGITS, np.int64)
        if self.question.classes:
            counted = list(self.question.measures(self._classes[rows], weight))
        else:
            y, none = self.question.scale.whole(self._response[rows]), np.zeros(len(rows), np.uint8)
            counted = [(none, weight), (none + np.uint8(1), weight * y)]
            squares = squares_of(y, weight)
        return [self._table(j, rows, counted) for j in range(len(self.codes))], squares

    def grown(self, i: int) -> None:
        """Nothing is known of the tree below open node i."""

    def _table(self, j: int, rows: Ints, counted: list[tuple[NDArray[Any], Ints | None]]) -> ValueTable:
        coding, cells, width = self.question.codings[j], self.codes[j][rows], self.question.width
        if coding.plain:
            return value_table(cells, counted, width)
        table = np.zeros((coding.k + 1, width), np.int64)
        for label, heavy in counted:
            kernels.count_columns([cells], label, [coding.k + 1], width, weights=heavy, out=[table])
        return ValueTable(table)
