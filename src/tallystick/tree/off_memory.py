"""Growing a tree whose rows do not fit in memory: best cuts from pieces of a column, small nodes as subtrees.

In this order: the best cut of a numeric column by pieces (`PieceJudge`, `short_table`); growing a node with
few rows to its leaves (`Subtree`); one level of any engine (entry `answer_level()`); rows on disk
(`DiskRows`).
piece = the values of a column in one range, with class counts; short table = the two sides of the best cut;
judge = the compiled scorer of splits; level, open node = as in `tables.py`.
The best cut in a piece needs only the class totals of the other pieces, so each piece is read by itself. Law:
the judge gives the same result for the short table as for the whole one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from tallystick.contracts import Block
from tallystick.io import scratch
from tallystick.kernels.trees import GrowColumn
from tallystick.parallel import checkpoint, in_order
from tallystick.stats.exact import LEFT
from tallystick.stats.values import ValueTable, no_values, sum_of, value_table
from tallystick.table.block import OWN, RowBlock
from tallystick.table.disk import RowsOnDisk
from tallystick.table.subset import take_block
from tallystick.tree.growth import GrowingRoom, holds_tree, make_grower, most_rows, run
from tallystick.tree.tables import (
    DIGITS,
    Arrays,
    Coding,
    Entries,
    Level,
    LevelCounts,
    OpenNodes,
)

if TYPE_CHECKING:
    pass

Ints = NDArray[np.int64]


class PieceSums(NamedTuple):
    """Totals of a piece: known[class] and missing[class] rows, and its first and last value."""

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
    """Return the totals of a piece."""
    values = piece.values
    assert values is not None
    first, last = (float(values[0]), float(values[-1])) if len(values) else (np.nan, np.nan)
    return PieceSums(sum_of(piece.table[:-1]), piece.table[-1], first, last)


def whole_of(pieces: Sequence[PieceSums]) -> PieceSums:
    """Return the totals of pieces, given in the order of their values."""
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
        own: all pieces before it count as one more value, all after it are added to its last value.
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


class LevelRows(Protocol):
    """The rows of the open nodes of a question, wherever an engine keeps them."""

    @property
    def question(self) -> LevelCounts:
        """The question, in the form of these rows."""
        ...

    def fits(self, i: int) -> bool:
        """Say whether there is a place to grow open node i to its leaves."""
        ...

    def grown(self, nodes: list[int]) -> list[Arrays | None]:
        """Return the trees below some open nodes; None of a node without rows."""
        ...

    def total(self, question: LevelCounts) -> Level:
        """Return the total of a question over all rows."""
        ...

    def best_cuts(self, nodes: list[int]) -> dict[tuple[int, int], ValueTable]:
        """Return the short table of each place among the nodes and each column of numbers."""
        ...


def answer_level(rows: LevelRows) -> Level:
    """Return the trees below nodes that fit one place, and the tables of the others: a table of numbers is
    its best cut.
    """
    question = rows.question
    nodes = range(len(question.open))
    small = [i for i in nodes if rows.fits(i)]
    below = dict(zip(small, rows.grown(small), strict=True)) if small else {}
    tables: list[Any] = [[no_values(question.width)] * len(nodes) for _ in question.codings]
    squares = np.zeros((len(nodes), DIGITS), np.int64)
    if large := sorted(set(nodes) - set(small)):
        known = rows.total(replace(question.of_nodes(large), listed=False))
        cuts = rows.best_cuts(large)
        for place, i in enumerate(large):
            own, squares[i] = known.node(place)
            for j, table in enumerate(own):
                tables[j][i] = cuts.get((place, j), table)
    return Level(tables, squares, [below.get(i) for i in nodes])


# ---- rows on disk ----


ENTRY = 176  # bytes per row of a piece of a column in memory: its values, codes and ranks
SHARE = 4  # 1 / SHARE of the budget is for what is brought into memory at once
SCAN = 1 << 17  # rows that are read together
SAMPLE = 4096  # sampled values from which the ranges of the pieces are chosen


@dataclass(frozen=True, eq=False)
class DiskRows:
    """The rows of open nodes where even the node of each row does not fit in memory.

    A node is grown to its leaves where the budget holds its rows without their numbers, which are brought
    together on disk; of a larger one each column is read by itself, in pieces that fit.
    """

    question: LevelCounts
    table: Any
    threads: int

    @property
    def more(self) -> OpenNodes:
        """What is known of the nodes."""
        assert self.question.more is not None
        return self.question.more

    def _blocks(self) -> Iterator[tuple[int, RowBlock]]:
        size = self.table.block_rows
        for start in range(0, self.table.rows, size):
            checkpoint()
            yield start, self.table.slice(start, min(start + size, self.table.rows))

    @cached_property
    def places(self) -> NDArray[np.int32]:
        """The place of each row among the open nodes, -1 of others; on disk."""
        out = scratch.empty(self.table.rows, np.int32)
        tested = {test.column for test in self.question.tests}

        def place(start: int, block: RowBlock) -> None:
            codings = enumerate(self.question.codings)
            cells = [c.codes(block) if j in tested else None for j, c in codings]
            part = np.full(block.rows, -1, np.int32)
            entries = self.question.standing(block, cells)
            part[entries.row] = entries.node
            out[start : start + block.rows] = part

        for _ in in_order((partial(place, *own) for own in self._blocks()), self.threads):
            pass
        return out

    @cached_property
    def sizes(self) -> Ints:
        """How many rows each open node has."""
        out = np.zeros(len(self.question.open) + 1, np.int64)
        for start, block in self._blocks():
            out += np.bincount(self.places[start : start + block.rows] + 1, minlength=len(out))
        return out[1:]

    def _rows(self, nodes: list[int]) -> Ints:
        """Return the numbers of some nodes' rows, node after node, on disk. nodes: rising."""
        sizes = np.zeros_like(self.sizes)
        sizes[nodes] = self.sizes[nodes]
        return _dealt(None, self.places, sizes)

    def fits(self, i: int) -> bool:
        """Say whether there is memory to grow an open node to its leaves."""
        growing, rows = self.more.growing, int(self.sizes[i])
        return not growing.shares_out and holds_tree(growing, rows, self.table.budget, self.more.depth[i])

    def grown(self, nodes: list[int]) -> list[Arrays | None]:
        """Return the trees below some nodes. They are written as soon as they are not few bytes together,
        with those of the questions before.
        """
        below: dict[int, Arrays] = {}
        known = self.more.known
        before = known * self.more.growing.node_bytes
        unwritten, size = list[int](), 0

        def write() -> None:
            written = scratch.all_kept([below[i] for i in unwritten])
            below.update(zip(unwritten, written, strict=True))

        grow = Subtree(self.more, self.question.codings)
        for group in self._groups(nodes):
            ends = np.cumsum(self.sizes[group]).tolist()
            if not ends[-1]:  # no row came here: a leaf of nothing
                continue
            rows = self._fetched(self._rows(group))
            for i, start, end in zip(group, [0, *ends], ends, strict=False):
                own, depth = rows.slice(start, end), self.more.depth[i]
                # the root of this tree is one of the nodes that are known
                below[i] = arrays = grow(own, depth, self.threads, self.table.budget, known - 1)
                known += len(arrays["column"]) - 1
                unwritten.append(i)
                size += scratch.size_of(arrays)
                if size >= scratch.FEW:
                    write()
                    before, unwritten, size = before + size, [], 0
            del rows
        if unwritten and before + size >= scratch.FEW:
            write()
        return [below.get(i) for i in nodes]

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

    def _fetched(self, rows: Ints) -> RowsOnDisk:
        """Return some rows in the form in which trees are grown."""

        def fetch(some: Ints) -> RowBlock:
            checkpoint()
            columns = {c.name: self.table.column(c.name) for c in self.question.codings}
            own = (getattr(self.table, name) for name in OWN)
            return self.question.form(take_block(RowBlock(self.table.rows, columns, *own), some))

        size = self.table.block_rows
        jobs = (partial(fetch, rows[start : start + size]) for start in range(0, len(rows), size))
        out, done = RowsOnDisk(len(rows)), 0
        for part in in_order(jobs, self.threads):
            out.write(part, done)
            done += part.rows
        return out

    def total(self, question: LevelCounts) -> Level:
        """Return the total of a question over all rows."""
        total = question.zero()
        jobs = (partial(question.add, question.zero(), block) for _, block in self._blocks())
        for part in in_order(jobs, self.threads):
            total = question.merge(total, part)
        return total

    def best_cuts(self, nodes: list[int]) -> dict[tuple[int, int], ValueTable]:
        """Return the short table of each large node and column of numbers, column by column."""
        numbers, out = [j for j, c in enumerate(self.question.codings) if c.plain], {}
        for place, i in enumerate(nodes):
            rows = self._rows([i])
            jobs = [partial(self._best_cut, rows, j) for j in numbers]
            for j, table in zip(numbers, in_order(jobs, self.threads), strict=True):
                out[place, j] = table
        return out

    def _best_cut(self, rows: Ints, j: int) -> ValueTable:
        judge = PieceJudge(self.more)
        tables = [self._table(own, j) for own in self._pieces(rows, j)]
        sums = list(map(sums_of, tables))
        found = [judge.best(table, sums, place) for place, table in enumerate(tables)]
        return short_table(whole_of(sums), found)

    def _pieces(self, rows: Ints, j: int) -> list[Ints]:
        """Return the rows of pieces of a column, each about as many as there is memory for; the first has the
        missing ones too.
        """
        free = self.table.budget - LEFT // 2
        most = max(2 * free // SHARE // self.threads // ENTRY, 1)
        pieces = -(-len(rows) // most)
        column = self.table.column(self.question.codings[j].name)
        some = column[rows[:: max(len(rows) // SAMPLE, 1)]]
        known = np.sort(some[~np.isnan(some)])
        ends = np.unique(known[np.arange(1, pieces) * len(known) // pieces]) if len(known) else known
        if not len(ends):
            return [rows]
        piece_of, sizes = scratch.empty(len(rows), np.int32), np.zeros(len(ends) + 1, np.int64)
        for start in range(0, len(rows), SCAN):
            checkpoint()
            cells = column[rows[start : start + SCAN]]
            part = np.searchsorted(ends, cells, side="right")
            part[np.isnan(cells)] = 0
            sizes += np.bincount(part, minlength=len(sizes))
            piece_of[start : start + SCAN] = part
        return np.split(_dealt(rows, piece_of, sizes), np.cumsum(sizes)[:-1])

    def _table(self, rows: Ints, j: int) -> ValueTable:
        """Return the table of the values of a column in some rows, on disk if it is long."""
        column, parts = self.table.column(self.question.codings[j].name), []
        for start in range(0, len(rows), SCAN):
            checkpoint()
            some = rows[start : start + SCAN]
            weights = np.ones(len(some), np.int64) if self.table.weights is None else self.table.weights[some]
            counted = self.question.counted(self.table, Entries(some, some, weights))
            parts.append((np.ascontiguousarray(column[some]), *zip(*counted, strict=True)))
        values, labels, heavy = zip(*parts, strict=True)
        joined = [
            (np.concatenate(label), None if w[0] is None else np.concatenate(w))
            for label, w in zip(zip(*labels, strict=True), zip(*heavy, strict=True), strict=True)
        ]
        table, found, _ = value_table(np.concatenate(values), joined, self.question.width)
        assert found is not None
        kept = scratch.kept({"table": table, "values": found})
        return ValueTable(kept["table"], kept["values"])


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
