"""Growing a tree on Spark: large nodes are searched where their rows are, small ones grown in one task.

    rows --by node and column, in pieces of a range--> tables of a piece --best cut of each--> driver
    rows --by node--> a worker that has all rows of a node --grown to its leaves--> driver

Entry: `SparkRows`. piece = a range of the values of one column at one node, with its rows.
The work runs in Spark's workers; merging the answers does not. Law: the split found is the one that
`LevelCounts.add` over all blocks would give; the driver receives a few numbers of each piece, and trees.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tallystick.contracts import Block
from tallystick.io.scratch import ScratchFile
from tallystick.spark.workers import read_out
from tallystick.stats.values import ValueTable, join_tables, value_table
from tallystick.table.block import RowBlock as Rows
from tallystick.table.block import narrow, pack, together, unpack, wide
from tallystick.table.disk import RowsOnDisk
from tallystick.table.subset import take_block
from tallystick.tree.off_memory import (
    PieceCut,
    PieceJudge,
    PieceSums,
    Subtree,
    short_table,
    sums_of,
    whole_of,
)
from tallystick.tree.tables import Arrays, Coding, Entries, Level, LevelCounts, OpenNodes

PIECE_ROWS = 1 << 23  # rows of a piece, about
TASK_CELLS = 1 << 24  # cells that a task has at once, about
NODE_CELLS = 1 << 27  # cells of a node that one task grows, with its numbers on disk
TASK_BYTES = 1 << 29  # bytes of memory of a task that grows nodes
CHUNK = 1 << 18  # rows that are sorted at once before they are sent
SAMPLED, SAMPLE = 256, 1_024  # partitions, and values of each, from which the ends of pieces are chosen
PLACE = "\0place"  # the column with the node of each row

Floats = NDArray[np.float64]
Key = tuple[int, int, int]  # open node, column, piece


class Ends(NamedTuple):
    """Where the pieces of columns of numbers begin: inner[column], rising, of all but the first; None of
    other columns. pieces[node]: into how many its columns are cut.
    """

    inner: tuple[Floats | None, ...]
    pieces: tuple[int, ...]

    def of(self, i: int, j: int) -> Floats:
        """Return where the pieces of a column of a node begin, all but the first."""
        inner = self.inner[j]
        assert inner is not None
        n = min(self.pieces[i] - 1, len(inner))
        return inner[(np.arange(n) + 1) * len(inner) // (n + 1)] if n < len(inner) else inner

    def keys(self) -> list[Key]:
        """Return all pieces of all nodes and columns."""
        columns = [j for j, inner in enumerate(self.inner) if inner is not None]
        return [
            (i, j, r) for i in range(len(self.pieces)) for j in columns for r in range(len(self.of(i, j)) + 1)
        ]


@dataclass(frozen=True, eq=False)
class SparkRows:
    """The rows of the nodes of a tree. blocks: an RDD, in the form of `question`; ask: how a question is
    summed over it; codings: how the columns of these blocks were coded.
    """

    question: LevelCounts
    codings: tuple[Coding, ...]
    blocks: Any
    ask: Callable[[Any, Any], Any]

    @property
    def more(self) -> OpenNodes:
        """What is known of the nodes."""
        assert self.question.more is not None
        return self.question.more

    def fits(self, i: int) -> bool:
        """Say whether one task may grow a node to its leaves: not where others would have nothing to do."""
        if self.more.end:
            return True
        growing, columns = self.more.growing, len(self.codings)
        most = 2 * growing.rows * columns // max(int(self.blocks.context.defaultParallelism), 1)
        return not growing.shares_out and self.more.rows[i] * columns <= min(most, NODE_CELLS)

    def total(self, question: LevelCounts) -> Level:
        """Return the total of a question over all rows."""
        found: Level = self.ask(self.blocks, question)
        return found

    # ---- large nodes ----

    def best_cuts(self, nodes: list[int]) -> dict[tuple[int, int], ValueTable]:
        """Return the short table of each large node and column of numbers."""
        question = self.question.of_nodes(nodes)
        assert question.more is not None
        ends = self._ends(question.more.rows)
        keys = ends.keys()
        cells = sum(question.more.rows) * sum(inner is not None for inner in ends.inner)
        tasks = self._tasks(len(keys), cells)
        sent = self.blocks.mapPartitions(Sorted(question, ends))
        pieces = sent.partitionBy(tasks, TaskOf(keys, tasks)).mapPartitions(joined_pieces)
        if max(ends.pieces) == 1:
            found = dict(pieces.mapPartitions(BestCuts(question.more)).collect())
        else:  # the best cut of a piece depends on what the others hold; Spark keeps what was sent
            sums = dict(pieces.mapPartitions(piece_sums).collect())
            found = dict(pieces.mapPartitions(BestCuts(question.more, sums)).collect())
        out: dict[tuple[int, int], list[tuple[PieceSums, PieceCut]]] = {}
        for i, j, r in keys:
            if (i, j, r) in found:
                out.setdefault((i, j), []).append(found[i, j, r])
        return {
            key: short_table(whole_of([s for s, _ in parts]), [cut for _, cut in parts])
            for key, parts in out.items()
        }

    def _ends(self, rows: tuple[int, ...]) -> Ends:
        """Return where pieces begin: by some values of some partitions, since any will do. rows[node]."""
        plain = [c.plain for c in self.codings]
        pieces = tuple(-(-n // PIECE_ROWS) for n in rows)
        most = max(*pieces, 1)
        if most == 1:
            return Ends(tuple(np.zeros(0) if own else None for own in plain), tuple(1 for _ in pieces))
        parts = self.blocks.getNumPartitions()
        some = range(0, parts, -(-parts // SAMPLED))
        names = [c.name for c in self.codings if c.plain]
        drawn = self.blocks.context.runJob(self.blocks, Drawn(names, SAMPLE), list(some))
        inner: list[Floats | None] = [None] * len(plain)
        for at, j in enumerate(np.flatnonzero(plain).tolist()):
            values = np.sort(np.concatenate([part[at] for part in drawn] or [np.zeros(0)]))
            inner[j] = np.unique(values[np.arange(1, most) * len(values) // most]) if len(values) else values
        return Ends(tuple(inner), tuple(max(p, 1) for p in pieces))

    def _tasks(self, most: int, cells: int) -> int:
        """Return among how many tasks so many cells are shared out, where there is work for `most`."""
        return min(most, max(2 * int(self.blocks.context.defaultParallelism), -(-cells // TASK_CELLS)))

    # ---- small nodes ----

    def grown(self, nodes: list[int]) -> list[Arrays | None]:
        """Return the tree below each node; None: it has no rows."""
        question = self.question.of_nodes(nodes)
        assert question.more is not None
        rows = np.array(question.more.rows)
        tasks = self._tasks(len(rows), int(rows.sum()) * len(self.codings))
        load, task_of = np.zeros(tasks, np.int64), np.zeros(len(rows), np.int64)
        for i in np.argsort(-rows, kind="stable").tolist():
            task_of[i] = int(load.argmin())
            load[task_of[i]] += rows[i] + 1
        sent = self.blocks.mapPartitions(Brought(question, task_of))
        whole = not question.tests  # all rows go to the one task: by no files of Spark's
        sent = sent.coalesce(1) if whole else sent.partitionBy(tasks, int)
        grow = Subtree(question.more, self.codings)
        found = dict(sent.mapPartitions(GrownBelow(grow)).collect())
        return [found.get(i) for i in range(len(rows))]


# ---- the work of the workers ----


class TaskOf:
    """Which task takes a piece."""

    def __init__(self, keys: list[Key], tasks: int) -> None:
        self.numbers = {key: at % tasks for at, key in enumerate(keys)}

    def __call__(self, key: Key) -> int:
        """Return its number."""
        return self.numbers[key]


def chunks(blocks: Iterable[Block], question: LevelCounts) -> Iterator[Rows]:
    """Yield blocks in the form of a question, put together to as many rows as are worth sorting."""
    waiting: list[Rows] = []
    for block in blocks:
        waiting.append(question.form(block))
        if sum(b.rows for b in waiting) >= CHUNK:
            yield together(waiting)
            waiting = []
    if waiting:
        yield together(waiting)


def standing(question: LevelCounts, block: Rows) -> tuple[list[NDArray[Any]], Entries]:
    """Return the cells of a block, and which rows stand at which of the nodes."""
    cells = [c.codes(block) for c in question.codings]
    return cells, question.standing(block, cells)


class Sorted:
    """Blocks to pieces: (key, values and table) of the columns of numbers of each node."""

    def __init__(self, question: LevelCounts, ends: Ends) -> None:
        self.question, self.ends = question, ends

    def __call__(self, blocks: Iterable[Block]) -> Iterator[tuple[Key, ValueTable]]:
        """Yield the pieces of one partition."""
        for block in chunks(blocks, self.question):
            cells, entries = standing(self.question, block)
            counted = self.question.counted(block, entries)
            for i in range(len(self.question.open)):
                here = np.flatnonzero(entries.node == i)
                part = [(label[here], None if w is None else w[here]) for label, w in counted]
                for j, inner in enumerate(self.ends.inner):
                    if inner is not None and len(here):
                        table = value_table(cells[j][entries.row[here]], part, self.question.width)
                        for r, piece in enumerate(cut_table(table, self.ends.of(i, j))):
                            yield (i, j, r), narrow_table(piece)


def cut_table(whole: ValueTable, inner: Floats) -> Iterator[ValueTable]:
    """Yield the pieces of a table; the first has the missing rows."""
    values, missing = whole.values, whole.table[-1:]
    assert values is not None
    at = [0, *np.searchsorted(values, inner).tolist(), len(values)]
    for low, high in pairwise(at):
        yield ValueTable(np.concatenate([whole.table[low:high], missing]), values[low:high])
        missing = np.zeros_like(missing)


def narrow_table(piece: ValueTable) -> ValueTable:
    """Return a table in the narrowest types that hold it, to be sent."""
    assert piece.values is not None
    kind = np.min_scalar_type(int(piece.table.max(initial=0)))
    return ValueTable(piece.table.astype(kind), narrow(piece.values))


def joined_pieces(sent: Iterable[tuple[Key, ValueTable]]) -> Iterator[tuple[Key, ValueTable]]:
    """Yield each piece once."""
    parts: dict[Key, list[ValueTable]] = {}
    for key, piece in sent:
        parts.setdefault(key, []).append(piece)
    while parts:
        key, own = parts.popitem()
        yield key, join_tables([ValueTable(p.table, wide(p.values)) for p in own if p.values is not None])


def piece_sums(pieces: Iterable[tuple[Key, ValueTable]]) -> Iterator[tuple[Key, PieceSums]]:
    """Yield what each piece holds."""
    return ((key, sums_of(piece)) for key, piece in pieces)


class BestCuts:
    """Pieces to what they hold and their best cuts. sums: what each piece holds; None: each is a whole
    column.
    """

    def __init__(self, nodes: OpenNodes, sums: dict[Key, PieceSums] | None = None) -> None:
        self.nodes, self.sums = nodes, sums

    def __call__(
        self, pieces: Iterable[tuple[Key, ValueTable]]
    ) -> Iterator[tuple[Key, tuple[PieceSums, PieceCut]]]:
        """Yield the answer of each piece."""
        judge = PieceJudge(self.nodes)
        for key, piece in pieces:
            own = sums_of(piece)
            every, place = [own], 0
            if self.sums is not None:
                kin = sorted(k for k in self.sums if k[:2] == key[:2])
                every, place = [self.sums[k] for k in kin], kin.index(key)
            yield key, (own, judge.best(piece, every, place))


class Drawn:
    """Some values of columns of the first block of a partition."""

    def __init__(self, names: list[str], most: int) -> None:
        self.names, self.most = names, most

    def __call__(self, blocks: Iterable[Block]) -> list[list[Floats]]:
        """Return values[column] of the first block that has rows."""
        for block in blocks:
            if block.rows:
                step = -(-block.rows // self.most)
                some = [block.values(name)[::step] for name in self.names]
                drawn = [values[~np.isnan(values)] for values in some]
                del block, some  # before others are read
                read_out(blocks)
                return [drawn]
        return []


class Brought:
    """Blocks to (task, packed block): the rows of the nodes that a task grows, and their nodes."""

    def __init__(self, question: LevelCounts, task_of: NDArray[np.int64]) -> None:
        self.question, self.task_of = question, task_of

    def __call__(self, blocks: Iterable[Block]) -> Iterator[tuple[int, bytes]]:
        """Yield the rows of one partition."""
        for block in chunks(blocks, self.question):
            _, entries = standing(self.question, block)
            task = self.task_of[entries.node]
            for t in np.unique(task).tolist():
                here = np.flatnonzero(task == t)  # a row stands at one node: all of them are all in order
                rows = block if len(here) == block.rows else take_block(block, entries.row[here])
                place = {PLACE: entries.node[here].astype(np.uint32)}
                yield t, pack(replace(rows, columns={**rows.columns, **place}))


class GrownBelow:
    """Packed rows of nodes to the trees below them."""

    def __init__(self, grow: Subtree) -> None:
        self.grow = grow

    def __call__(self, sent: Iterable[tuple[int, bytes]]) -> Iterator[tuple[int, Arrays]]:
        """Yield the tree of each node."""
        nodes = self.grow.nodes
        rows = RowsByNode(len(nodes.rows))
        for _, data in sent:
            rows.add(data)
        for i, own in rows.dealt():
            yield i, self.grow(own, nodes.depth[i], budget=TASK_BYTES)


class RowsByNode:
    """Packed rows that come in any order, and are had again node by node. They lie on disk, numbers in the
    narrowest type of a tree's that holds them all.
    """

    def __init__(self, nodes: int) -> None:
        self.file, self.ends = ScratchFile(), [0]
        self.sizes = np.zeros(nodes, np.int64)
        self.kinds: dict[str, np.dtype[Any]] = {}

    def add(self, data: bytes) -> None:
        """Add a packed block."""
        self.file.append(data)
        self.ends.append(self.file.size)
        block = unpack(data, as_sent=True)
        self.sizes += np.bincount(block.codes(PLACE), minlength=len(self.sizes))
        for name, cells in block.columns.items():
            if cells.dtype.kind != "u":
                self.kinds[name] = np.result_type(self.kinds.get(name, np.float32), cells.dtype)

    def dealt(self) -> Iterator[tuple[int, Rows]]:
        """Yield each node that has rows, and these."""
        ends = np.cumsum(self.sizes)
        out, at = RowsOnDisk(int(ends[-1])), ends - self.sizes
        for start, end in pairwise(self.ends):
            for i, block in self._by_node(unpack(self.file.read(start, end - start), as_sent=True)):
                out.write(block, int(at[i]))
                at[i] += block.rows
        for i, (low, high) in enumerate(pairwise([0, *ends.tolist()])):
            if low < high:
                yield i, out.slice(low, high)

    def _by_node(self, packed: Rows) -> Iterator[tuple[int, Rows]]:
        """Yield the rows of each node in a block."""
        places = packed.codes(PLACE)
        columns = {
            name: cells.astype(self.kinds.get(name, cells.dtype), copy=False)
            for name, cells in packed.columns.items()
            if name != PLACE
        }
        block = replace(packed, columns=columns)
        if places.min() == places.max():
            yield int(places[0]), block
            return
        order = np.argsort(places, kind="stable")
        nodes, first = np.unique(places[order], return_index=True)
        for i, own in zip(nodes.tolist(), np.split(order, first[1:]), strict=True):
            yield i, take_block(block, own)
