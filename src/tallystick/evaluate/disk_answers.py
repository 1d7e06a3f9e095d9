"""Answers to more rows than memory holds, as `summed_answers.py` asks for them: in blocks, and in the order
of the shares of a class.

Knows class codes, shares, folds, blocks and a budget. Knows nothing of models, scores or pictures.
Law: what is held in memory does not depend on the rows; rows have no weights.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import reduce
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from tallystick.data.source import scratch
from tallystick.data.table.block import Block
from tallystick.evaluate import large
from tallystick.evaluate.thresholds import RankedRows
from tallystick.kernels.check import code_dtype
from tallystick.stats.value_tables import RankedPiece, value_table

FOLD = "fold"
PIECE = 1 << 13  # rows of a piece of an order, about
Counts = NDArray[np.int64]
Floats = NDArray[np.float64]
Found = TypeVar("Found")


@dataclass(frozen=True)
class DiskAnswers:
    """truth[row], shares[row, class], and the fold that each row was tested in, negative where it was not;
    budget: bytes of memory to work in.
    """

    truth: NDArray[Any]
    shares: Floats
    tested: Counts
    budget: int
    fold: str = FOLD

    @property
    def folds(self) -> int:
        """How many folds there are."""
        return 1 + max((int(self.tested[s].max()) for s in large.steps(len(self.tested))), default=-1)

    def _blocks(self) -> Iterator[tuple[Counts, Block]]:
        """Yield the tested rows, some at a time: their numbers, and what was answered."""
        kind = code_dtype(self.folds)
        for s in large.steps(len(self.tested)):
            here = np.flatnonzero(self.tested[s] >= 0)
            own = self.shares[s][here]
            columns: dict[str, Any] = {str(c): np.ascontiguousarray(own[:, c]) for c in range(own.shape[1])}
            columns[FOLD] = self.tested[s][here].astype(kind)
            yield here + s.start, Block(len(here), columns, self.truth[s][here])

    def total(self, question: Any) -> Any:
        """Return the total of a question over all blocks."""
        return reduce(question.add, (block for _, block in self._blocks()), question.zero())

    def ranked(self, name: str, labels: Callable[[Block], NDArray[Any]], width: int) -> DiskOrder:
        """Return the rows in the order of a column of shares; labels(block)[row]: below `width`."""
        values = scratch.empty(len(self.tested), np.float64)
        own = scratch.empty(len(self.tested), code_dtype(width))
        for rows, block in self._blocks():
            values[rows], own[rows] = block.values(name) + 0.0, labels(block)  # 0.0 has one form
        return DiskOrder.of(values, own, width, lambda s: np.asarray(self.tested[s] >= 0), self.budget)

    def by_share(self, order: DiskOrder) -> RankedRows:
        """Return the rows of two classes in the order of the second one's shares, as thresholds ask."""
        shares, hits = (scratch.empty((order.distinct, 2), np.float64) for _ in range(2))
        at, last = 0, -1.0
        for s in large.steps(len(order.rows)):
            value = order.values[s]
            new = order.rows[s][np.diff(value, prepend=last) != 0]
            shares[at : at + len(new)] = self.shares[new]
            at, last = at + len(new), float(value[-1])
        for piece in order.pieces():
            some = slice(piece.first, piece.first + len(piece.values))
            hits[some, 0], hits[some, 1] = (piece.counts[:, side::2].sum(axis=1) for side in (0, 1))
        return RankedRows(shares, hits)

    def release(self) -> None:
        """Nothing is kept but the answers."""


@dataclass(frozen=True)
class DiskOrder:
    """Rows in the order of the shares of a class: rows[place] with values[place], rising, and labels[place].
    totals[label]: rows; distinct: different shares.
    """

    rows: Counts
    values: Floats
    labels: NDArray[Any]
    totals: Counts
    distinct: int

    @classmethod
    def of(
        cls, values: Floats, labels: NDArray[Any], width: int, tested: large.Test, budget: int
    ) -> DiskOrder:
        """Put the tested rows in order."""
        many = sum(int(np.count_nonzero(tested(s))) for s in large.steps(len(values)))
        kept = tuple(scratch.empty(many, kind) for kind in (np.int64, np.float64, labels.dtype))
        totals, distinct, at, last = np.zeros(width, np.int64), 0, 0, -1.0
        for rows in large.by_key(values.view(np.uint64), tested, budget):
            if not len(rows):
                continue
            value, label = values[rows], labels[rows]
            for out, some in zip(kept, (rows, value, label), strict=True):
                out[at : at + len(rows)] = some
            totals += np.bincount(label, minlength=width)
            distinct += int(np.count_nonzero(np.diff(value, prepend=last)))
            at, last = at + len(rows), float(value[-1])
        return cls(kept[0], kept[1], kept[2], totals, distinct)

    def pieces(self) -> Iterator[RankedPiece]:
        """Yield the order in pieces; a share is in one of them."""
        before, first = np.zeros_like(self.totals), 0
        values, counts = np.zeros(0), np.zeros((0, len(before)), np.int64)  # the last share: more may come
        for s in large.steps(len(self.rows), PIECE):
            found = value_table(self.values[s], [(self.labels[s], None)], len(before))
            assert found.values is not None
            own = found.table[:-1]
            if len(values) and values[0] == found.values[0]:
                own[0] += counts[0]
                values, counts = values[:0], counts[:0]
            values, counts = np.concatenate([values, found.values]), np.concatenate([counts, own])
            yield RankedPiece(values[:-1], counts[:-1], before, first)
            before, first = before + counts[:-1].sum(axis=0), first + len(values) - 1
            values, counts = values[-1:], counts[-1:]
        yield RankedPiece(values, counts, before, first)

    def ask(self, work: Callable[[RankedPiece], Found]) -> list[Found]:
        """Return work(piece) of all pieces."""
        return [work(piece) for piece in self.pieces()]
