"""The nodes of a growing tree on a device: rows in the order of every column of numbers, node after node.

    columns --sorted once--> entries by value --scored along the way--> best cut of each node and column
            --parted by the tests made--> entries by node and value, in another buffer

Nodes of few rows are grown to their leaves on the processor. Knows the questions of trees and the kernels of
device/tree.hpp. Law: what a learner makes of the answer is what it makes of `Frontier.add` over all blocks.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tallystick import kernels
from tallystick.data.table.block import Block
from tallystick.data.threads import in_order
from tallystick.engines.gpu.device import KINDS, Device
from tallystick.engines.gpu.rows import DevicePart, DeviceRows
from tallystick.engines.gpu.sums import bayes_sums
from tallystick.engines.local import Local
from tallystick.stats.bayes import BayesSums
from tallystick.stats.distribution import NONE, Spreads, ValueSpread
from tallystick.stats.level_tables import DIGITS, CodedColumn, Frontier, Level, Test
from tallystick.stats.split_pieces import LevelAnswers, PieceCut, PieceSums, Subtree, short_table
from tallystick.stats.split_search import GrowingTree, NodeLook
from tallystick.stats.value_tables import ValueTable

TILE = 4096  # entries of a piece of work
STAGED = 5 * (TILE + TILE // 16 + 8)  # bytes that its entries take in a block's memory, four and one each
MOST_CLASSES, MOST_BRANCHES, MOST_ROWS = 16, 16, 1 << 28  # as device/tree.hpp
ENTRY = 17  # bytes of a row and column of numbers: order and rank in two buffers, and its branch
SOME = 65_536  # as `Logs::some`: logarithms up to it are not computed one by one
LOOK = 8_192  # values that mostly tell whether a column has many
NUMBERS = ("entropy", "ratio")  # criteria whose scores are sums of logarithms
Ints = NDArray[np.int64]


class NodeStretch(NamedTuple):
    """Where the entries of a node lie: the same stretch in every column, in one of two buffers."""

    begin: int
    end: int
    side: int


# ---- the first look ----


def look(rows: DeviceRows, question: GrowingTree) -> NodeLook | None:
    """Return the look that growing level by level begins with; None where the tree is grown at once on the
    processor: few rows, weights, responses, or more than the device has room for.
    """
    table = rows.table
    plain = question.labels and question.class_weights is None and not question.shares_out
    if not plain or not rows.unweighted or question.rules.criterion not in NUMBERS:
        return None
    numbers = sum(question.schema.used[j].kind == "numeric" for j in question.columns)
    size = table.rows * (ENTRY * max(numbers, 1) + 9)
    fits = table.rows < MOST_ROWS and len(question.labels) <= MOST_CLASSES and size < rows.room
    if not fits or table.rows < rows.device.least_rows or not question.rules.groups:
        return None
    classes = bayes_sums(rows, BayesSums((), len(question.labels)))[""]
    return NodeLook(_spreads(rows, question.spreads), classes, table.rows, np.inf, -np.inf)


def _spreads(rows: DeviceRows, question: Spreads) -> list[ValueSpread]:
    """Return the spread of columns; of one with many values nothing is listed, as some rows mostly tell."""
    found: list[ValueSpread | None] = []
    for grid, most in zip(question.grids, question.most, strict=True):
        some = rows.table.column(grid.name)[:LOOK]
        many = grid.cells == 1 and len(np.unique(some[~np.isnan(some)])) > most
        found.append(ValueSpread(np.zeros(1, np.int64), NONE, True) if many else None)
    left = [i for i, spread in enumerate(found) if spread is None]
    if left:
        some_grids = Spreads(tuple(question.grids[i] for i in left), tuple(question.most[i] for i in left))
        told: list[ValueSpread] = Local(rows.threads).total(rows.table, some_grids)
        for i, spread in zip(left, told, strict=True):
            found[i] = spread
    return [spread for spread in found if spread is not None]


# ---- level by level ----


class _Growing(threading.local):
    """The tree that this thread grows."""

    now: TreeGrowth | None = None


_growing = _Growing()


def frontier(rows: DeviceRows, question: Frontier) -> LevelAnswers | Level | None:
    """Return the tables of open nodes."""
    if not question.classes or not question.whole or question.weighing is not None or not rows.unweighted:
        return None
    if any(len(set(t.following.tolist())) > MOST_BRANCHES for t in question.tests):
        return None
    growth = _growing.now
    if growth is None or not growth.goes_on(question, rows):
        growth = TreeGrowth.of(rows, question)
        _growing.now = growth
    return None if growth is None else growth.answer(question)


@dataclass(eq=False)
class TreeGrowth:
    """A tree that grows on a device. plain: the places of columns of numbers as they are."""

    rows: DeviceRows
    form: CodedColumn
    part: DevicePart
    classes: int
    plain: list[int]
    order: Any  # [max(plain, 1), 2, rows]
    rank: Any
    coded: dict[int, Any]  # codes of the other columns
    logs: Any
    segments: dict[int, NodeStretch]
    tests: int = 0  # of those made, how many the entries are parted by
    branch: Any = None  # of each row, and of each entry
    way: Any = None

    @classmethod
    def of(cls, rows: DeviceRows, question: Frontier) -> TreeGrowth | None:
        """Return the tree before its first test; None where there is no room."""
        part = rows.whole([c.name for c in question.codings])
        if part is None:
            return None
        device, plain = rows.device, [j for j, c in enumerate(question.codings) if c.plain]
        shape = max(len(plain), 1), 2, part.rows
        order, rank = device.empty(shape, np.uint32), device.empty(shape, np.uint32)
        for p, j in enumerate(plain):
            order[p, 0], rank[p, 0] = device.ranked(part.columns[question.codings[j].name])
        if not plain:
            order[0, 0] = device.put(np.arange(part.rows, dtype=np.uint32))
            rank[0, 0] = 0
        for p in range(len(order)):
            device.launch("label_entries", device.processors * 8, part.rows, order[p, 0], *part.classes)
        segments = {0: NodeStretch(0, part.rows, 0)}
        coded = {j: _codes(device, part, c) for j, c in enumerate(question.codings) if not c.plain}
        logs = _logs(device, part.rows)
        growth = cls(rows, question.form, part, question.classes, plain, order, rank, coded, logs, segments)
        growth.branch = device.empty(part.rows, np.uint8)
        growth.way = device.empty((len(order), part.rows), np.uint8)
        rows.table.on_release.append(partial(growth.let_go))
        return growth

    def let_go(self) -> None:
        """Give the memory back."""
        if _growing.now is self:
            _growing.now = None
        self.order = self.rank = self.logs = self.branch = self.way = None
        self.coded.clear()

    def goes_on(self, question: Frontier, rows: DeviceRows) -> bool:
        """Is this the next question of the same tree?"""
        same = self.form is question.form and self.rows.table is rows.table and self.order is not None
        return same and len(question.tests) >= self.tests

    @property
    def device(self) -> Device:
        """Who works."""
        return self.rows.device

    def answer(self, question: Frontier) -> LevelAnswers | Level:
        """Return the tables of the open nodes, or the trees below small ones."""
        self._part(question, question.tests[self.tests :])
        self.tests = len(question.tests)
        nodes, more = len(question.open), question.more
        sizes = [self.segments[n].end - self.segments[n].begin for n in question.open]
        small: list[int] = []
        if more is not None and more.end:
            small = [i for i in range(nodes) if sizes[i] <= self.device.small_rows]
        large = [i for i in range(nodes) if i not in set(small)]
        tables = self._tables(question, [question.open[i] for i in large])
        if more is None:
            by_column = [np.stack([t[j].table for t in tables]) for j in range(len(question.codings))]
            return Level(list(by_column), _none(nodes))
        out = LevelAnswers([[] for _ in range(nodes)], list(_none(nodes)), [None] * nodes)
        for i, found in zip(large, tables, strict=True):
            out.columns[i] = found
        jobs = [partial(self._below, question, i) for i in small]
        for i, arrays in zip(small, in_order(jobs, self.rows.threads), strict=True):
            out.below[i] = arrays
        return out

    # ---- small nodes ----

    def _below(self, question: Frontier, i: int) -> dict[str, NDArray[Any]]:
        """Return the tree below a node of few rows, grown on the processor."""
        segment, table = self.segments[question.open[i]], self.rows.table
        with self.device.use():
            own = self.device.get(self.order[0, segment.side, segment.begin : segment.end]) % MOST_ROWS
        columns = {c.name: table.column(c.name)[own] for c in question.codings}
        block = question.form(Block(len(own), columns, table.classes[own]))
        assert question.more is not None
        return Subtree(question.more, question.codings)(block, question.more.depth[i])

    # ---- tables of large nodes ----

    def _tables(self, question: Frontier, nodes: Sequence[int]) -> list[list[ValueTable]]:
        if not nodes:
            return []
        tiles = NodeTiles.of(self.device, [self.segments[n] for n in nodes])
        found: dict[int, list[ValueTable]] = {}
        for j, coding in enumerate(question.codings):
            if not coding.plain:
                counted = self._counted(tiles, len(nodes), self.coded[j], coding.k + 1)
                found[j] = [ValueTable(table) for table in counted]
        if self.plain:
            assert question.more is not None
            least = [self._least(question, self.segments[n]) for n in nodes]
            for j, short in zip(self.plain, CutSearch(self, tiles, least).tables(), strict=True):
                found[j] = short
        return [[found[j][i] for j in range(len(question.codings))] for i in range(len(nodes))]

    def _least(self, question: Frontier, segment: NodeStretch) -> int:
        """Return the rows that a cut leaves on either side, as `least_rows` of the kernels has it."""
        assert question.more is not None
        rules = question.more.growing.rules
        if not rules.cut_rows:
            return int(rules.min_leaf)
        wanted = -(-(segment.end - segment.begin) // (10 * self.classes))
        return int(rules.min_leaf) if wanted <= rules.min_leaf else min(wanted, 25 * int(rules.unit))

    def _counted(self, tiles: NodeTiles, nodes: int, codes: Any, k: int) -> Ints:
        out = self.device.zeros((nodes, k, self.classes), np.int64)
        small = 4 * k * self.classes <= self.device.block_memory
        self.device.launch(
            "node_counts", tiles.count, tiles.count, *tiles.arrays, self.part.rows, self.order, codes,
            KINDS[str(codes.dtype)], k, self.classes, int(small), out,
            memory=4 * k * self.classes if small else 0,
        )  # fmt: skip
        return self.device.get(out)

    # ---- entries follow the tests ----

    def _part(self, question: Frontier, tests: Sequence[Test]) -> None:
        """Part the entries of the nodes that were tested since; parents come before their children."""
        waiting = list(tests)
        while waiting:
            now = [test for test in waiting if test.node in self.segments]
            waiting = [test for test in waiting if test.node not in self.segments]
            self._part_level(question, now)

    def _part_level(self, question: Frontier, tests: list[Test]) -> None:
        device, codings = self.device, question.codings
        segments = [self.segments.pop(test.node) for test in tests]
        tiles = NodeTiles.of(device, segments)
        cells = [self.coded.get(j, self.part.columns[c.name]) for j, c in enumerate(codings)]
        addresses = device.put(np.array([device.address(c) for c in cells], np.int64))
        kinds = device.put(np.array([KINDS[str(c.dtype)] for c in cells], np.int64))
        maps = [(test.following - test.following.min()).astype(np.uint8) for test in tests]
        starts = np.concatenate([[0], np.cumsum([len(m) for m in maps])[:-1]]).astype(np.int64)
        column = device.put(np.array([test.column for test in tests], np.int64))
        cut = device.put(np.array([np.nan if t.cut is None else t.cut for t in tests], np.float64))
        device.launch(
            "find_branches", tiles.count, tiles.count, *tiles.arrays, self.part.rows, self.order, addresses,
            kinds, column, cut, device.put(starts), device.put(np.concatenate(maps)), self.branch,
        )  # fmt: skip
        branches = max(int(m.max()) + 1 for m in maps)
        sizes = self._moved(tiles, segments, branches)
        for test, segment, own in zip(tests, segments, sizes.tolist(), strict=True):
            begin, first = segment.begin, int(test.following.min())
            for b, size in enumerate(own):
                self.segments[first + b] = NodeStretch(begin, begin + size, 1 - segment.side)
                begin += size

    def _moved(self, tiles: NodeTiles, segments: list[NodeStretch], branches: int) -> Ints:
        """Move the entries of all columns; return sizes[node, branch]."""
        device, columns, rows = self.device, self.order.shape[0], self.part.rows
        counts = device.empty((columns, tiles.count, branches), np.uint32)
        sizes = device.empty((len(segments), branches), np.int64)
        begin = device.put(np.array([s.begin for s in segments], np.int64))
        given = tiles.count, *tiles.arrays, rows, self.order
        device.launch(
            "branch_counts", columns * tiles.count, *given, self.branch, branches, self.way, counts,
            memory=4 * branches,
        )  # fmt: skip
        jobs = -(-columns * len(segments) // device.threads)
        nodes = columns, len(segments), tiles.first, begin
        device.launch("branch_places", jobs, tiles.count, *nodes, branches, counts, sizes)
        part, told = f"part_entries_{2 if branches == 2 else MOST_BRANCHES}", (self.way, branches, counts)
        memory = 4 * device.threads + STAGED
        device.launch(part, columns * tiles.count, *given, self.rank, *told, memory=memory)
        return device.get(sizes)


@dataclass(frozen=True, eq=False)
class NodeTiles:
    """Nodes in pieces of work. arrays: node, begin, end and side of each; first[node]: its first piece."""

    count: int
    arrays: tuple[Any, ...]
    first: Any
    starts: Ints  # as `first`, here
    segments: list[NodeStretch]

    @classmethod
    def of(cls, device: Device, segments: list[NodeStretch]) -> NodeTiles:
        """Return the pieces of some nodes; a node without rows has one, of no entries."""
        sizes = np.array([max(-(-(s.end - s.begin) // TILE), 1) for s in segments])
        starts = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        node = np.repeat(np.arange(len(segments)), sizes)
        first = np.array([s.begin for s in segments])[node]
        begin = first + TILE * (np.arange(starts[-1]) - starts[:-1][node])
        end = np.minimum(begin + TILE, np.array([s.end for s in segments])[node])
        side = np.array([s.side for s in segments])[node]
        arrays = tuple(device.put(a.astype(np.int64)) for a in (node, begin, end, side))
        return cls(int(starts[-1]), arrays, device.put(starts), starts, segments)


@dataclass(frozen=True, eq=False)
class CutSearch:
    """The best cuts of all columns of numbers in some nodes."""

    growth: TreeGrowth
    tiles: NodeTiles
    least: list[int]

    @property
    def nodes(self) -> int:
        """How many."""
        return len(self.tiles.segments)

    def tables(self) -> list[list[ValueTable]]:
        """Return the short table of each column and node."""
        all_, found = self._searched()
        known, missing = all_[..., : self.growth.classes], all_[..., self.growth.classes :]
        best, cuts = found
        values = self._values(best, known.sum(axis=-1))
        out = []
        for p in range(len(self.growth.plain)):
            left = np.stack([cut[2] for cut in best[p]])
            sides = np.stack([left, known[p] - left, missing[p]], axis=1)  # [node, side, class]
            short = []
            for i, (key, at, _) in enumerate(best[p]):
                if at:
                    short.append(ValueTable(sides[i], values[p, i, :2], cuts[p][i]))
                    continue
                low, high, first = values[p, i].tolist()
                own = PieceSums(known[p, i], missing[p, i], first, first)
                short.append(short_table(own, [PieceCut(key, None, low, high, cuts[p][i])]))
            out.append(short)
        return out

    def _searched(self) -> tuple[Ints, tuple[list[list[tuple[int, int, Ints]]], list[list[int]]]]:
        g, tiles, device, classes = self.growth, self.tiles, self.growth.device, self.growth.classes
        columns, count = len(g.plain), self.tiles.count
        counts = device.empty((columns, count, 2 * classes), np.uint32)
        before = device.empty((columns, count, classes), np.uint32)
        all_ = device.empty((columns, self.nodes, 2 * classes), np.int64)
        given = count, *tiles.arrays, g.part.rows, g.order, g.rank, classes
        device.launch("tile_counts", columns * count, *given, counts, memory=8 * classes)
        jobs = -(-columns * self.nodes * 2 * classes // device.threads)
        every = columns, self.nodes, tiles.first, classes
        device.launch("tile_sums", jobs, count, *every, counts, before, all_)
        score, at, cuts = (device.empty((columns, count), np.int64) for _ in range(3))
        left = device.zeros((columns, count, classes), np.int64)
        bound = device.zeros((columns, self.nodes), np.uint64)
        told = before, all_, device.put(np.array(self.least, np.int64)), g.logs, bound
        most = next(n for n in (2, 4, MOST_CLASSES) if classes <= n)
        device.launch(
            f"tile_best_{most}", columns * count, *given, self.nodes, *told, score, at, cuts, left,
            memory=32 + 4 * device.threads + STAGED,
        )  # fmt: skip
        return device.get(all_), self._best(*(device.get(a) for a in (score, at, cuts, left)))

    def _best(
        self, score: Ints, at: Ints, cuts: Ints, left: Ints
    ) -> tuple[list[list[tuple[int, int, Ints]]], list[list[int]]]:
        """Return the best of the tiles of each column and node, of equals the first, and how many."""
        starts = self.tiles.starts[:-1]
        own = np.where(at > 0, score, np.iinfo(np.int64).min)
        top = np.maximum.reduceat(own, starts, axis=1)
        size = np.diff(self.tiles.starts)
        hit = (own == np.repeat(top, size, axis=1)) & (at > 0)
        place = np.where(hit, np.arange(own.shape[1]), own.shape[1])
        first = np.minimum.reduceat(place, starts, axis=1)
        every = np.add.reduceat(cuts, starts, axis=1).tolist()
        best = [
            [
                (int(score[p, t]), int(at[p, t]), left[p, t]) if t < own.shape[1] else (0, 0, left[p, 0])
                for t in first[p].tolist()
            ]
            for p in range(len(own))
        ]
        return best, every

    def _values(self, best: list[list[tuple[int, int, Ints]]], known: Ints) -> NDArray[np.float64]:
        """Return values[column, node, 3]: beside the best cut, and the first; NaN where there is none."""
        g, device, segments = self.growth, self.growth.device, self.tiles.segments
        at = np.array([[cut[1] for cut in own] for own in best], np.int64)
        begin = np.array([s.begin for s in segments], np.int64)
        filled = np.array([s.end > s.begin for s in segments])
        last = int(g.part.rows) - 1
        places = np.stack([begin + np.maximum(at - 1, 0), begin + at, begin + 0 * at], axis=-1)
        column, side, _ = np.broadcast_arrays(
            np.arange(len(best))[:, None, None], np.array([s.side for s in segments])[None, :, None], places
        )
        cells = [g.part.columns[g.form.codings[j].name] for j in g.plain]
        addresses = device.put(np.array([device.address(c) for c in cells], np.int64))
        kinds = device.put(np.array([KINDS[str(c.dtype)] for c in cells], np.int64))
        out = device.empty(places.shape, np.float64)
        given = (np.ascontiguousarray(a, np.int64) for a in (column, np.minimum(places, last), side))
        device.launch(
            "values_at", -(-places.size // device.threads), places.size, *map(device.put, given), g.part.rows,
            g.order, addresses, kinds, out,
        )  # fmt: skip
        there = filled[None, :] & (known > 0)
        return np.where(there[..., None], device.get(out), np.nan)


# ---- what a tree needs once ----


def _codes(device: Device, part: DevicePart, coding: Any) -> Any:
    """Return the codes of a column, on the device."""
    cells = part.columns[coding.name]
    if coding.values is None:
        return cells
    codes, numbers = device.empty(part.rows, np.uint32), device.put(coding.values)
    device.launch(
        "code_numbers", device.processors * 8, part.rows, cells, part.kind(coding.name), numbers,
        len(coding.values), int(coding.binned), coding.k, codes,
    )  # fmt: skip
    return codes


def _logs(device: Device, rows: int) -> Any:
    """Return n log2(n) of 0..rows as whole numbers, on the device."""
    known = min(rows, SOME) + 1
    out = device.empty(rows + 1, np.int64)
    device.put(kernels.n_log2_n(np.arange(known, dtype=np.int64), rows), out[:known])
    bits = rows.bit_length()
    factor = float(np.ldexp(1.0, 59 - bits - bits.bit_length()))
    device.launch("fill_logs", device.processors * 8, known, rows + 1, factor, out)
    return out


def _none(nodes: int) -> Ints:
    """Return the sums of squares of nodes that have no response."""
    return np.zeros((nodes, DIGITS), np.int64)
