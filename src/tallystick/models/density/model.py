"""A density tree: tests of single columns, and in each leaf the distribution of every column.

    P(row) = rows of its leaf / all rows · Π over columns of the density of its cell in that leaf
    share of an outcome in a leaf = (its rows there + alpha · its share of all rows) / (rows there + alpha)

Outcomes that the tests above send elsewhere have no share, and those that can come there sum to 1; a number's
density is the share of its piece divided by the width of the piece. Shares of all rows are smoothed in the
same way, towards outcomes that are all alike. Knows a schema, nodes and counts. Knows nothing of rows,
learners or files. Law: over all rows that there can be, P sums (levels) and integrates (numbers) to 1.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallystick import kernels
from tallystick.contracts import Block
from tallystick.data.schema import CODED, Schema
from tallystick.models.density.cells import ColumnCells
from tallystick.models.tree.nodes import Nodes
from tallystick.models.tree.walk import stops, taken

KIND = "density-tree"
Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class DensityModel:
    """The fitted tree. counts[column][leaf, cell]: rows of the leaves in table units, missing last; leaves
    in the order of their nodes. nodes.counts[node, 0]: rows.
    """

    schema: Schema
    cells: tuple[ColumnCells, ...]
    nodes: Nodes
    counts: tuple[Ints, ...]
    unit: int
    alpha: float

    decision = None  # it predicts nothing

    @property
    def kind(self) -> str:
        """The kind the model file names."""
        return KIND

    @cached_property
    def leaves(self) -> Ints:
        """The nodes that are leaves."""
        return np.flatnonzero(self.nodes.leaf)

    @cached_property
    def reach(self) -> list[list[NDArray[np.bool_]]]:
        """reach[leaf][column][cell]: whether a cell, missing last, can come to a leaf."""
        found = reach_of(self.nodes, self.cells)
        return [found[leaf] for leaf in self.leaves.tolist()]

    @cached_property
    def overall(self) -> list[Floats]:
        """overall[column][outcome]: shares of all rows."""
        return [
            overall(own, self.counts[j].sum(axis=0) / self.unit, self.alpha)
            for j, own in enumerate(self.cells)
        ]

    @cached_property
    def leaf_shares(self) -> list[Floats]:
        """leaf_shares[column][leaf, outcome]."""
        out = []
        for j, own in enumerate(self.cells):
            rows = self.counts[j] / self.unit
            each = [
                shares_in(own, rows[i], self.overall[j], self.reach[i][j], self.alpha)
                for i in range(len(self.leaves))
            ]
            out.append(np.stack(each))
        return out

    @cached_property
    def log_leaf(self) -> Floats:
        """log_leaf[leaf]: of the share of all rows that comes to it."""
        rows = self.nodes.counts[:, 0].astype(np.float64)
        return kernels.log(rows[self.leaves] / rows[0])

    @cached_property
    def log_tables(self) -> list[Floats]:
        """log_tables[column][leaf, outcome]: of the share, of a piece of its share divided by its width."""
        out = []
        for own, shares in zip(self.cells, self.leaf_shares, strict=True):
            there = shares > 0
            logs = np.where(there, kernels.log(np.where(there, shares, 1.0)), -np.inf)
            logs[:, : own.k] -= own.log_widths
            out.append(logs)
        return out

    def leaf_of(self, block: Block) -> Ints:
        """Return the leaf that each row comes to, counted from 0."""

        def read(column: int) -> NDArray[Any]:
            own = self.schema.used[column]
            return block.codes(own.name) if own.kind in CODED else block.values(own.name)

        place = np.full(len(self.nodes), -1, np.int64)
        place[self.leaves] = np.arange(len(self.leaves))
        out: Ints = place[stops(self.nodes, read, block.rows)]
        return out

    def terms(self, block: Block) -> tuple[Ints, list[Floats]]:
        """Return the leaf of each row, and terms[column][row]: the log density of its cell there."""
        leaf, out = self.leaf_of(block), []
        for own, logs in zip(self.cells, self.log_tables, strict=True):
            codes, far, falls = own.outcomes(block)
            term = logs[leaf, codes]
            term[far] += falls
            out.append(term)
        return leaf, out

    def log_shares(self, block: Block) -> Floats:
        """Return log P(row) [row, 0]."""
        leaf, terms = self.terms(block)
        out = self.log_leaf[leaf]
        for term in terms:
            out = out + term
        return out[:, None]

    def shares(self, block: Block) -> Floats:
        """Return P(row) [row, 0]."""
        return kernels.exp(self.log_shares(block))

    def decide(self, shares: Floats) -> Ints:
        """Return 0 for each row: there is nothing to choose between."""
        return np.zeros(len(shares), np.int64)

    def record(self, row: Mapping[str, Any]) -> Floats | None:
        """Return None: a table reads the row."""
        return None

    def floats(self, columns: Sequence[NDArray[Any]], rows: int) -> Floats | None:
        """Return None: they are read as tables are."""
        return None

    def best_of_floats(self, columns: Sequence[NDArray[Any]], rows: int) -> NDArray[Any] | None:
        """Return None, as `floats`."""
        return None

    def to_dict(self) -> dict[str, Any]:
        """Return the part of the model file that is this model's own."""
        from tallystick.models.density.file import write

        return write(self)


def overall(own: ColumnCells, rows: Floats, alpha: float) -> Floats:
    """Return the share of each outcome among all rows, of rows[cell, missing last]."""
    counts = np.append(rows, [0.0, 0.0])
    out: Floats = (counts + alpha * own.even) / (math.fsum(rows) + alpha)
    return out


def shares_in(
    own: ColumnCells, rows: Floats, whole: Floats, reach: NDArray[np.bool_], alpha: float
) -> Floats:
    """Return the share of each outcome in a node, of rows[cell, missing last] there. whole: of all rows."""
    prior = prior_in(own, whole, reach)
    out: Floats = (np.append(rows, [0.0, 0.0]) + alpha * prior) / (math.fsum(rows) + alpha)
    return out


def prior_in(own: ColumnCells, whole: Floats, reach: NDArray[np.bool_]) -> Floats:
    """Return the shares of all rows among the outcomes that can come to a node."""
    here = np.where(own.reached(reach), whole, 0.0)
    out: Floats = here / math.fsum(here)
    return out


def reach_of(nodes: Nodes, cells: Sequence[ColumnCells]) -> list[list[NDArray[np.bool_]]]:
    """Return reach[node][column][cell]: which cells, missing last, can come to a node."""
    out: list[list[NDArray[np.bool_]]] = [[np.ones(own.k + 1, bool) for own in cells]]
    for node in range(1, len(nodes)):
        up = int(nodes.parent[node])
        branch = int(nodes.branches(up).tolist().index(node))
        column, own = int(nodes.column[up]), list(out[up])
        own[column] = own[column] & (branches_of_cells(nodes, up, cells[column]) == branch)
        out.append(own)
    return out


def branches_of_cells(nodes: Nodes, node: int, own: ColumnCells) -> Ints:
    """Return the branch that each cell takes at a test, missing last."""
    cut, levels, away = float(nodes.cut[node]), nodes.levels(node), int(nodes.missing_branch[node])
    if own.numeric:
        starts = np.concatenate([[-np.inf], own.cuts, [np.nan]])  # a value of each cell, and none
        return taken(cut, levels, away, starts)
    return taken(cut, levels, away, np.arange(own.k + 1))
