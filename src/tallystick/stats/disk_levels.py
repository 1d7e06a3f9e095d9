"""The nodes of a tree whose rows lie on disk, where there is no memory for where all of them stand.

A node is grown to its leaves where the budget holds its rows without their numbers, which are brought
together on disk; of a larger one each column is read by itself, in pieces that fit. Knows tables on disk and
budgets. Knows nothing of scores.
Law: what a learner makes of the answer is what it makes of `Frontier.add` over all blocks.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tallystick import kernels
from tallystick.data.source import scratch
from tallystick.data.table.block import OWN, Block
from tallystick.data.table.rows_on_disk import RowsOnDisk
from tallystick.data.table.subset import take_block
from tallystick.data.threads import checkpoint, in_order
from tallystick.stats.growing_room import holds_tree, most_rows
from tallystick.stats.room import LEFT
from tallystick.stats.split_pieces import (
    Arrays,
    LevelAnswers,
    OpenNodes,
    PieceJudge,
    Subtree,
    short_table,
    sums_of,
    whole_of,
)
from tallystick.stats.value_tables import Counted, ValueTable, value_table

if TYPE_CHECKING:
    from tallystick.stats.level_tables import Frontier

Ints = NDArray[np.int64]
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

    question: Frontier
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

    def _blocks(self) -> Iterator[tuple[int, Block]]:
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

    def _place(self, out: NDArray[np.int32], start: int, block: Block) -> None:
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
        from tallystick.stats.level_tables import DIGITS, carry, squares_of

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

    def _fetch(self, rows: Ints) -> Block:
        checkpoint()
        columns = {c.name: self.table.column(c.name) for c in self.question.codings}
        own = (getattr(self.table, name) for name in OWN)
        return self.question.form(take_block(Block(self.table.rows, columns, *own), rows))

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
        from tallystick.stats.level_tables import Entries

        coding, table = self.question.codings[j], self.table
        column = table.column(coding.name)
        for start in range(0, len(every), SCAN):
            checkpoint()
            rows = every[start : start + SCAN]
            cells = coding.codes(Block(len(rows), {coding.name: column[rows]}))
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


def _weights(block: Block) -> Ints:
    return np.ones(block.rows, np.int64) if block.weights is None else block.weights
