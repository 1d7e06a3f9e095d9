"""A numeric column on Spark sorted by value: rows in pieces, each a range of values, and work on each piece.

    blocks --distinct values with counts, by range--> tables of a piece --a work on each--> driver

Entry: `ranked()`. Law: a value is in one piece, and pieces rise; the driver receives a few numbers of each.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from tallystick.contracts import Block
from tallystick.spark.levels import SAMPLE, SAMPLED, Drawn, cut_table, joined_pieces, narrow_table
from tallystick.spark.workers import plain_errors
from tallystick.stats.values import RankedPiece, ValueTable, value_table

PIECE_ROWS = 1 << 20  # rows of a piece, about
Counts = NDArray[np.int64]
Floats = NDArray[np.float64]
Labels = Callable[[Block], NDArray[Any]]
Found = TypeVar("Found")


@dataclass(frozen=True)
class RankedColumn:
    """A column whose rows are in pieces. before[piece, label], first[piece]: as in RankedPiece."""

    pieces: Any
    before: Counts
    first: Counts
    totals: Counts
    distinct: int

    def ask(self, work: Callable[[RankedPiece], Found]) -> list[Found]:
        """Return what a work finds in the pieces, in their order."""
        with plain_errors():
            parts = self.pieces.mapPartitions(OnPieces(work, self.before, self.first)).collect()
        return [found for _, found in sorted(parts, key=lambda one: one[0])]


def ranked(
    blocks: Any, name: str, labels: Labels, width: int, rows: int, weighed: bool = False
) -> RankedColumn:
    """Return the rows of an RDD of blocks by the values of a column; labels(block)[row]: below `width`;
    weighed: counts are weights.
    """
    with plain_errors():
        ends = _ends(blocks, name, -(-rows // PIECE_ROWS))
        tasks = len(ends) + 1
        sent = blocks.mapPartitions(ValuesSent(name, labels, width, ends, weighed)).partitionBy(tasks, int)
        pieces = sent.mapPartitions(joined_pieces)
        sizes: dict[int, tuple[Counts, int]] = dict(pieces.mapPartitions(piece_sizes).collect())
    none = np.zeros(width, np.int64), 0
    counts = np.stack([sizes.get(r, none)[0] for r in range(tasks)])
    many = np.array([sizes.get(r, none)[1] for r in range(tasks)])
    before, first = np.cumsum(counts, axis=0) - counts, np.cumsum(many) - many
    return RankedColumn(pieces, before, first, counts.sum(axis=0), int(many.sum()))


def _ends(blocks: Any, name: str, pieces: int) -> Floats:
    """Return where all pieces but the first begin: by some values of some partitions, since any will do."""
    if pieces == 1:
        return np.zeros(0)
    parts = blocks.getNumPartitions()
    some = range(0, parts, -(-parts // SAMPLED))
    drawn = blocks.context.runJob(blocks, Drawn([name], SAMPLE), list(some))
    values = np.sort(np.concatenate([part[0] for part in drawn] or [np.zeros(0)]))
    return np.unique(values[np.arange(1, pieces) * len(values) // pieces]) if len(values) else values


# ---- the work of the workers ----


@dataclass(frozen=True)
class ValuesSent:
    """Blocks to (piece, table of its values by label)."""

    name: str
    labels: Labels
    width: int
    ends: Floats
    weighed: bool = False

    def __call__(self, blocks: Iterable[Block]) -> Iterator[tuple[int, ValueTable]]:
        """Yield the pieces of each block."""
        for block in blocks:
            weights = block.weights if self.weighed else None
            table = value_table(block.values(self.name), [(self.labels(block), weights)], self.width)
            table.table[-1] = 0  # rows without a value have no place
            for r, piece in enumerate(cut_table(table, self.ends)):
                if piece.values is not None and len(piece.values):
                    yield r, narrow_table(piece)


def piece_sizes(pieces: Iterable[tuple[Any, ValueTable]]) -> Iterator[tuple[int, tuple[Counts, int]]]:
    """Yield (piece, (rows by label, number of values))."""
    for r, piece in pieces:
        yield r, (piece.table.sum(axis=0), len(piece.table) - 1)


@dataclass(frozen=True)
class OnPieces:
    """A work on each piece."""

    work: Callable[[RankedPiece], Any]
    before: Counts
    first: Counts

    def __call__(self, pieces: Iterable[tuple[Any, ValueTable]]) -> Iterator[tuple[int, Any]]:
        """Yield (piece, what was found)."""
        for r, piece in pieces:
            assert piece.values is not None
            own = RankedPiece(piece.values, piece.table[:-1], self.before[r], int(self.first[r]))
            yield r, self.work(own)
