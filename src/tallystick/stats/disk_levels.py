"""The nodes of a tree whose rows lie on disk, where there is no memory for where all of them stand.

A node whose rows fit the budget is brought into memory and grown to its leaves; of a larger one each column
is read by itself, in pieces that fit. Knows tables on disk and budgets. Knows nothing of scores.
Law: what a learner makes of the answer is what it makes of `Frontier.add` over all blocks.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tallystick import kernels
from tallystick.data.source import scratch
from tallystick.data.table.block import Block, together
from tallystick.data.table.subset import take_block
from tallystick.data.threads import checkpoint, in_order
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
CELL, ROW = 16, 40  # bytes that growing takes for a number and for a row
KEPT_TEST = 20  # the same for what is kept of tests that were not made, where a node has seven rows
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
        small = [i for i in range(nodes) if self.more.end and self.sizes[i] <= self._most_rows]
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
            for i, arrays in self._grown(group):
                known += len(arrays["column"])
                self.more.growing.refuse(known)
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

    @property
    def _most_rows(self) -> int:
        """Rows that there is memory to grow at once."""
        cell = CELL + KEPT_TEST * self.more.growing.keep_tried
        return int(self.table.budget // SHARE // (ROW + cell * len(self.question.codings)))

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
        """Yield small nodes, as many at a time as there is memory for."""
        group: list[int] = []
        rows = 0
        for i in small:
            if group and rows + self.sizes[i] > self._most_rows:
                yield group
                group, rows = [], 0
            group.append(i)
            rows += int(self.sizes[i])
        if group:
            yield group

    def _grown(self, group: list[int]) -> Iterator[tuple[int, Arrays]]:
        """Yield the trees below some nodes."""
        wanted = np.zeros(len(self.question.open) + 1, bool)
        wanted[np.array(group) + 1] = True
        names = [c.name for c in self.question.codings]
        parts, places = [], []
        for start, block in self._blocks():
            at = self.places[start : start + block.rows]
            here = np.flatnonzero(wanted[at + 1])
            if len(here):
                own = replace(block, columns={name: block.columns[name] for name in names})
                parts.append(self.question.form(take_block(own, here)))
                places.append(at[here])
        if not parts:  # no row came here: a leaf of nothing
            return
        rows, at = together(parts), np.concatenate(places)
        del parts
        grow = Subtree(self.more, self.question.codings)
        for i in group:
            yield i, grow(take_block(rows, np.flatnonzero(at == i)), self.more.depth[i], self.threads)

    # ---- large nodes, column by column ----

    def _columns(self, i: int) -> list[ValueTable]:
        """Return the tables of all columns of a large node."""
        rows = self._rows(i)
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
        ends = self._ends(rows, j)
        judge = self._judge
        if len(ends) == 2:
            piece = self._piece(rows, j, *ends)
            sums = [sums_of(piece)]
            return short_table(sums[0], [judge.best(piece, sums, 0)])
        ranges = list(pairwise(ends))
        sums = [sums_of(self._piece(rows, j, *ends)) for ends in ranges]
        found = [judge.best(self._piece(rows, j, *ends), sums, r) for r, ends in enumerate(ranges)]
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

    def _piece(self, rows: Ints, j: int, low: float, high: float) -> ValueTable:
        """Return the table of the values of a column from `low` on that are below `high`; the first piece has
        the missing ones.
        """
        values, labels, weights = list[Any](), list[Any](), list[Any]()
        for cells, counted in self._entries(rows, j):
            inside: Any = slice(None)
            if low > -np.inf or high < np.inf:
                inside = (cells >= low) & (cells < high)
                if low == -np.inf:
                    inside |= np.isnan(cells)
            values.append(cells[inside])
            labels.append([label[inside] for label, _ in counted])
            weights.append([None if w is None else w[inside] for _, w in counted])
        joined = [
            (np.concatenate(label), None if w[0] is None else np.concatenate(w))
            for label, w in zip(zip(*labels, strict=True), zip(*weights, strict=True), strict=True)
        ]
        return value_table(np.concatenate(values), joined, self.question.width)

    def _rows(self, i: int) -> Ints:
        """Return the numbers of a node's rows, on disk."""
        out, done = scratch.empty(int(self.sizes[i]), np.int64), 0
        for start in range(0, self.table.rows, SCAN):
            checkpoint()
            here = np.flatnonzero(self.places[start : start + SCAN] == i)
            out[done : done + len(here)] = here + start
            done += len(here)
        return out

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


def _weights(block: Block) -> Ints:
    return np.ones(block.rows, np.int64) if block.weights is None else block.weights
