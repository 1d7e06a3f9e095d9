"""The questions of a growing density tree: how often the cells of two columns come together, in each of its
open nodes; which columns hold whole numbers only, and where the numbers of a cell begin and end.

Knows blocks, codes and the tests made so far. Knows nothing of gains.
Law: whole numbers and flags only, so the answer does not depend on the order or the cut of the rows.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from itertools import groupby
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallystick import kernels
from tallystick.contracts import Block
from tallystick.kernels.trees import Walk
from tallystick.models.additive import bins_of
from tallystick.stats.level_tables import CodedColumn, Test, walk_of

Ints = NDArray[np.int64]


@dataclass(frozen=True)
class WholeNumbers:
    """Ask which columns hold whole numbers up to a size, and no others."""

    columns: tuple[str, ...]
    largest: float

    def zero(self) -> NDArray[np.bool_]:
        """Return the total of no rows."""
        return np.ones(len(self.columns), bool)

    def add(self, total: NDArray[np.bool_], block: Block) -> NDArray[np.bool_]:
        """Add the rows of one block; those of weight 0 do not count."""
        for j, name in enumerate(self.columns):
            values = block.values(name)
            values = values if block.weights is None else values[block.weights > 0]
            known = values[~np.isnan(values)]
            total[j] &= bool(np.all((np.abs(known) <= self.largest) & (np.floor(known) == known)))
        return total

    def merge(self, total: NDArray[np.bool_], other: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Add two totals."""
        return total & other


@dataclass(frozen=True)
class CellEnds:
    """Ask for the lowest and the highest number in each cell. cuts[column]: where cells begin, after the
    first.
    """

    columns: tuple[str, ...]
    cuts: tuple[tuple[float, ...], ...]

    def zero(self) -> list[NDArray[np.float64]]:
        """Return the total of no rows: ends[column][low or high negated, cell]."""
        return [np.full((2, len(cuts) + 1), np.inf) for cuts in self.cuts]

    def add(self, total: list[NDArray[np.float64]], block: Block) -> list[NDArray[np.float64]]:
        """Add the rows of one block; those of weight 0 do not count."""
        for name, cuts, ends in zip(self.columns, self.cuts, total, strict=True):
            values = block.values(name)
            known = values[
                ~np.isnan(values) if block.weights is None else (values == values) & (block.weights > 0)
            ]
            cell = bins_of(known, np.array(cuts))
            np.minimum.at(ends[0], cell, known)
            np.minimum.at(ends[1], cell, -known)
        return total

    def merge(
        self, total: list[NDArray[np.float64]], other: list[NDArray[np.float64]]
    ) -> list[NDArray[np.float64]]:
        """Add two totals."""
        return [np.minimum(a, b) for a, b in zip(total, other, strict=True)]


@dataclass(frozen=True)
class PairTables:
    """Ask for tables[pair][open node, code of one column, code of the other]. tests: in an order in which
    parents come before children. pairs: numbers of two columns, those of one first column together.
    """

    form: CodedColumn
    tests: tuple[Test, ...]
    open: tuple[int, ...]
    nodes: int
    pairs: tuple[tuple[int, int], ...]

    def in_form(self) -> PairTables:
        """Return the same question of blocks that are in its form already: lighter to send."""
        return replace(self, form=self.form.done())

    def zero(self) -> list[Ints]:
        """Return the total of no rows."""
        sizes = [c.k + 1 for c in self.form.codings]
        return [np.zeros((len(self.open), sizes[a], sizes[b]), np.int64) for a, b in self.pairs]

    @cached_property
    def _walk(self) -> Walk:
        return walk_of(self.tests, self.nodes)

    def add(self, total: list[Ints], block: Block) -> list[Ints]:
        """Add the rows of one block."""
        codes, weights = [c.codes(block) for c in self.form.codings], block.weights
        at: NDArray[Any] = np.zeros(block.rows, np.uint32)
        if self.tests:
            place = np.full(self.nodes, len(self.open), np.uint32)
            place[list(self.open)] = np.arange(len(self.open))
            at = place[self._walk.ends(codes, block.rows)[0]]
            here = np.flatnonzero(at < len(self.open))
            if len(here) < block.rows:
                codes, at = [c[here] for c in codes], at[here]
                weights = None if weights is None else weights[here]
        sizes = [c.k + 1 for c in self.form.codings]
        place_of = {pair: i for i, pair in enumerate(self.pairs)}
        for second, pairs in groupby(sorted(self.pairs, key=lambda pair: pair[::-1]), lambda pair: pair[1]):
            firsts = [first for first, _ in pairs]
            kernels.count_columns(
                [codes[first] for first in firsts],
                codes[second],
                [sizes[first] for first in firsts],
                sizes[second],
                weights=weights,
                nodes=at,
                n_nodes=len(self.open),
                out=[total[place_of[first, second]] for first in firsts],
            )
        return total

    def merge(self, total: list[Ints], other: list[Ints]) -> list[Ints]:
        """Add two totals."""
        for table, more in zip(total, other, strict=True):
            table += more
        return total
