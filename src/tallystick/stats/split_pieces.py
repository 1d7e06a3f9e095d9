"""How nodes of many rows are split where their numbers cannot be had whole, and small ones grown to their
leaves.

The table of a column of numbers is made in pieces, each of the values of a range. The best cut in a piece
needs of the others only what they hold together, so a few numbers of each piece tell the best cut of all, and
how many there were. Knows tables and the judge of splits. Knows nothing of threads, files or engines.
Law: what a judge says of the short table is what it says of the whole one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tallystick.contracts import Block
from tallystick.kernels.trees import GrowColumn, Judge
from tallystick.stats.growing_room import GrowingRoom
from tallystick.stats.split_search import GrowingTree, GrowthScale, make_grower, run
from tallystick.stats.value_tables import ValueTable, sum_of

if TYPE_CHECKING:
    from tallystick.stats.level_tables import Coding

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
