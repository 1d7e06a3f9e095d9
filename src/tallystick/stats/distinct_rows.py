"""The distinct rows of a table with their weights: for whoever must look at rows as a whole, all of them at
once.

Knows blocks. Knows nothing of trees. Law: the total is the multiset of rows in an order of its own, so
neither the order of rows nor copies instead of weights can change it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tallystick.contracts import Block
from tallystick.data.schema import CODED, Schema
from tallystick.data.table.block import classes_of

__all__ = ["DistinctRows", "RowCells", "groups_of"]

Bits = NDArray[np.uint64]
MIX = np.uint64(0x9E3779B97F4A7C15)


class RowCells(NamedTuple):
    """cells[row, column]: the bits of a number, or a code; the last column is the class. weights[row]: in
    units of the table.
    """

    cells: Bits
    weights: NDArray[np.int64]


@dataclass(frozen=True)
class DistinctRows:
    """Ask for the distinct rows of some columns, by their positions in `schema.used`, and their classes."""

    schema: Schema
    columns: tuple[int, ...]

    def zero(self) -> RowCells:
        """Return the total of no rows."""
        return RowCells(np.zeros((0, len(self.columns) + 1), np.uint64), np.zeros(0, np.int64))

    def add(self, total: RowCells, block: Block) -> RowCells:
        """Add the rows of one block; a row of weight 0 does not count."""
        cells = np.empty((block.rows, len(self.columns) + 1), np.uint64)
        for at, j in enumerate(self.columns):
            cells[:, at] = self._bits(block, j)
        cells[:, -1] = classes_of(block)
        weights = np.ones(block.rows, np.int64) if block.weights is None else block.weights
        if block.weights is not None:
            cells, weights = cells[weights > 0], weights[weights > 0]
        return self.merge(total, RowCells(cells, weights))

    def _bits(self, block: Block, j: int) -> NDArray[Any]:
        column = self.schema.used[j]
        if column.kind in CODED:
            return block.codes(column.name)
        values = block.values(column.name) + 0.0  # -0.0 is 0.0
        return np.where(np.isnan(values), np.nan, values).view(np.uint64)

    def merge(self, total: RowCells, other: RowCells) -> RowCells:
        """Add two totals."""
        cells = np.concatenate([total.cells, other.cells])
        if not len(cells):
            return total
        weights = np.concatenate([total.weights, other.weights])
        order, first = _sorted(cells)
        return RowCells(cells[order[first]], np.add.reduceat(weights[order], first))


def groups_of(cells: Bits) -> NDArray[np.int64]:
    """Return the number of a group for each row; rows of one group are equal."""
    order, first = _sorted(cells)
    out = np.empty(len(cells), np.int64)
    starts = np.zeros(len(cells), np.int64)
    starts[first] = 1
    out[order] = np.cumsum(starts) - 1
    return out


def _sorted(cells: Bits) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return an order in which equal rows stand together, and where each distinct row begins in it.

    Rows are sorted by a hash; where two different rows share one, by their cells.
    """
    hashes = np.zeros(len(cells), np.uint64)
    for j in range(cells.shape[1]):
        hashes = (hashes ^ cells[:, j]) * MIX
        hashes ^= hashes >> np.uint64(29)
    order = np.argsort(hashes, kind="stable")
    new = np.ones(len(cells), bool)
    ordered = cells[order]
    new[1:] = (ordered[1:] != ordered[:-1]).any(axis=1)
    if int(np.count_nonzero(new)) != 1 + int(np.count_nonzero(np.diff(hashes[order]))):
        order = np.lexsort((*cells.T, hashes))
        ordered = cells[order]
        new[1:] = (ordered[1:] != ordered[:-1]).any(axis=1)
    return order, np.flatnonzero(new)
