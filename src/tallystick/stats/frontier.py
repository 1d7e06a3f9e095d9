"""The question of a growing tree to any engine: count tables of all nodes of one level at once.

Knows blocks, codes and the tests made so far. Knows nothing of scores.
Law: whole numbers only, so the answer does not depend on the order or the cut of the rows.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tallystick import kernels
from tallystick.contracts import Block
from tallystick.stats.growth import Scale

Ints = NDArray[np.int64]
LIMB = 18  # bits of a limb of the response: products of limbs leave room for 2^26 rows


@dataclass(frozen=True)
class Coding:
    """How a column's cells become codes 0..k-1, k is missing. values: distinct ones, or cuts of bins, or None."""

    name: str
    kind: str
    k: int
    values: NDArray[np.float64] | None = None
    binned: bool = False

    def codes(self, block: Block) -> NDArray[Any]:
        """Return the codes of a block's rows."""
        if self.values is None:
            return block.codes(self.name)
        cells = block.values(self.name)
        if self.binned:
            return kernels.bins(cells, self.values)
        found = np.searchsorted(self.values, cells)
        return np.where(np.isnan(cells), self.k, found).astype(np.uint32)


class Test(NamedTuple):
    """A test made: the node it stands at, its column, and the next node of each code, missing included."""

    node: int
    column: int
    following: Ints


class Level(NamedTuple):
    """tables[column][open node, code, class] of rows; regression: rows and sum of the response as two classes.

    squares[open node, 6]: sums of products of the response's limbs, regression only.
    """

    tables: list[Ints]
    squares: Ints


@dataclass(frozen=True)
class Frontier:
    """Ask for the count tables of the open nodes. tests: in an order in which parents come before children."""

    codings: tuple[Coding, ...]
    tests: tuple[Test, ...]
    open: tuple[int, ...]
    nodes: int
    classes: int  # 0: regression
    scale: Scale

    def zero(self) -> Level:
        """Return the total of no rows."""
        width = self.classes or 2
        tables = [np.zeros((len(self.open), c.k + 1, width), np.int64) for c in self.codings]
        return Level(tables, np.zeros((len(self.open), 6), np.int64))

    def add(self, total: Level, block: Block) -> Level:
        """Add the rows of one block."""
        codes = [c.codes(block) for c in self.codings]
        node = np.zeros(block.rows, np.int64)
        for test in self.tests:
            here = node == test.node
            node[here] = test.following[codes[test.column][here]]
        place = np.full(self.nodes, -1, np.int64)
        place[list(self.open)] = np.arange(len(self.open))
        at = place[node]
        rows = np.flatnonzero(at >= 0)
        weights = np.ones(len(rows), np.int64) if block.weights is None else block.weights[rows]
        if self.classes:
            assert block.classes is not None
            label = block.classes[rows].astype(np.int64)
            for table, column in zip(total.tables, codes, strict=True):
                np.add.at(table, (at[rows], column[rows].astype(np.int64), label), weights)
            return total
        return self._add_response(total, block, codes, at, rows, weights)

    def _add_response(
        self, total: Level, block: Block, codes: list[Any], at: Ints, rows: Ints, weights: Ints
    ) -> Level:
        assert block.response is not None
        y = self.scale.whole(block.response[rows])
        for table, column in zip(total.tables, codes, strict=True):
            code = column[rows].astype(np.int64)
            np.add.at(table, (at[rows], code, 0), weights)
            np.add.at(table, (at[rows], code, 1), weights * y)
        limbs = [y >> 2 * LIMB, y >> LIMB & (2**LIMB - 1), y & (2**LIMB - 1)]
        pairs = [(0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2)]
        for i, (a, b) in enumerate(pairs):
            np.add.at(total.squares, (at[rows], i), weights * limbs[a] * limbs[b])
        return total

    def merge(self, total: Level, other: Level) -> Level:
        """Add two totals."""
        for table, more in zip(total.tables, other.tables, strict=True):
            table += more
        total.squares[...] += other.squares
        return total


def sum_of_squares(limbs: Ints) -> int:
    """Return the exact sum of squares of the response in fixed point from its six sums of products."""
    hh, hm, hl, mm, ml, ll = (int(v) for v in limbs)
    return (
        (hh << 4 * LIMB) + (hm << 3 * LIMB + 1) + (hl << 2 * LIMB + 1) + (mm << 2 * LIMB) + (ml << LIMB + 1) + ll
    )
