"""The fitted density tree: columns as cells, the model, its options, its file, its leaves in sentences.

In this order: `ColumnCells`; the model (entry `DensityModel`); `DensityOptions`; reading and checking a
file; leaves in sentences (`leaves_of()`). A density tree has tests of single columns, and in each leaf the
distribution of every column. cell = a level or a piece of the number line; outcome = a cell, missing, or a
value outside.

    P(row) = rows of its leaf / all rows · Π over columns of the density of its cell in that leaf
    share of an outcome in a leaf = (its rows there + alpha · its share of all rows) / (rows there + alpha)

Outcomes that the tests above send elsewhere have no share, and those that can come there sum to 1; a
number's density is the share of its piece divided by the width of the piece. Shares of all rows are
smoothed in the same way, towards outcomes that are all alike. Law: over all rows that there can be, P sums
(levels) and integrates (numbers) to 1.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallystick import kernels
from tallystick.contracts import Block
from tallystick.errors import Argument, ModelFileError, OptionError, shown
from tallystick.model.additive import bins_of
from tallystick.model.conditions import number, plain_words
from tallystick.model.file import check_whole, is_number, make_plain
from tallystick.model.shapes import (
    Counts,
    FileKind,
    Flag,
    Listed,
    LongList,
    Maybe,
    Number,
    Numbers,
    Record,
    Rows,
    Text,
    Whole,
    wished,
)
from tallystick.predict.row import RowShares, row_reader
from tallystick.schema import CODED, Column, Schema
from tallystick.tree.nodes import NO_CUT, Nodes, read_nodes, stops, taken, write_branches, write_nodes

# ---- columns as cells: levels, or pieces of the number line; and values outside ----
#
# Outcomes of a column, in this order: its k cells, missing, and then for levels one level never seen and
# nothing, for numbers what lies below the lowest piece and what lies above the highest. Law: pieces touch and
# do not overlap, so every number is in exactly one outcome.

Floats = NDArray[np.float64]
BEYOND = 2  # outcomes after the missing one
LEAST_WIDTH = 5e-324
LARGEST_WHOLE = 2.0**51  # whole numbers up to here have halves between them


@dataclass(frozen=True, eq=False)
class ColumnCells:
    """The cells of one column. cuts: where pieces of numbers begin, after the first. whole: all numbers of
    the fit were whole, so a piece goes from one half to another and a whole number's density is its share.
    """

    column: Column
    cuts: tuple[float, ...] = ()
    whole: bool = False

    @property
    def name(self) -> str:
        """The column's name."""
        return self.column.name

    @property
    def numeric(self) -> bool:
        """Whether cells are pieces of a line."""
        return self.column.kind == "numeric"

    @property
    def k(self) -> int:
        """How many cells there are; the code of missing."""
        return len(self.cuts) + 1 if self.numeric else len(self.column.levels)

    @cached_property
    def edges(self) -> Floats:
        """Where pieces begin and the last one ends [k + 1]; around the lowest and the highest value there is
        as much room as half of the narrowest piece.
        """
        low, high = self.column.low or 0.0, self.column.high or 0.0
        cuts = np.array(self.cuts)
        room = 0.5
        if not self.whole and len(cuts):
            rooms = [float(cuts[0]) - low, high - float(cuts[-1]), *(np.diff(cuts / 2)).tolist()]
            room = min((r for r in rooms if r > 0), default=0.0)
        first, last = (
            min(low - room, np.nextafter(low, -np.inf)),
            max(high + room, np.nextafter(high, np.inf)),
        )
        largest = np.finfo(np.float64).max
        out: Floats = np.clip(np.concatenate([[first], cuts, [last]]), -largest, largest)
        return out

    @cached_property
    def log_widths(self) -> Floats:
        """Logarithms of the pieces' widths [k]; of levels 0."""
        if not self.numeric:
            return np.zeros(self.k)
        halves = np.maximum(np.diff(self.edges / 2), LEAST_WIDTH)  # halves first: no overflow
        out: Floats = kernels.log(halves) + kernels.log([2.0])[0]
        return out

    @property
    def half_reach(self) -> float:
        """Half of how far all pieces reach: by it the density falls beyond them."""
        return max(float(self.edges[-1] / 2 - self.edges[0] / 2), LEAST_WIDTH)

    @cached_property
    def log_half_reach(self) -> float:
        """Logarithm of half of how far all pieces reach."""
        return float(kernels.log([self.half_reach])[0])

    @cached_property
    def log_scale(self) -> float:
        """Logarithm of how far all pieces reach."""
        return self.log_half_reach + float(kernels.log([2.0])[0])

    def codes(self, block: Block) -> NDArray[Any]:
        """Return the cell of each row; k is missing, k + 1 a level never seen."""
        if not self.numeric:
            return block.codes(self.name)
        return bins_of(block.values(self.name), np.array(self.cuts))

    def outcomes(self, block: Block) -> tuple[NDArray[Any], NDArray[np.int64], Floats]:
        """Return the outcome of each row; and of the rows beyond the pieces which they are, and how their
        density falls: as s / (s + d)^2 at a distance d, s being how far the pieces reach.
        """
        codes = self.codes(block)
        if not self.numeric:
            return codes, np.empty(0, np.int64), np.empty(0)
        values, edges = block.values(self.name), self.edges
        below, above = np.flatnonzero(values < edges[0]), np.flatnonzero(values >= edges[-1])
        codes = codes.astype(np.int64)
        codes[below], codes[above] = self.k + 1, self.k + 2
        far = np.concatenate([below, above])
        half = np.concatenate([edges[0] / 2 - values[below] / 2, values[above] / 2 - edges[-1] / 2])
        falls = kernels.log(half + self.half_reach) if len(far) else half
        return codes, far, 2 * self.log_half_reach - self.log_scale - 2 * falls

    def reached(self, reach: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Return which outcomes can come to a node, of reach[cell, missing last]."""
        far = (reach[0], reach[self.k - 1]) if self.numeric else (reach[-1], False)
        return np.append(reach, far)

    @cached_property
    def even(self) -> Floats:
        """Every outcome as likely as any other, both ends of a line together as one."""
        out = np.full(self.k + 1 + BEYOND, 1 / (self.k + 2))
        out[-2:] = out[0] / 2 if self.numeric else (out[0], 0.0)
        return out


def refined(cuts: tuple[float, ...], low: float, high: float, pieces: int) -> tuple[float, ...]:
    """Return cuts with which no piece is wider than a `pieces`-th of the range, nearly: one of few rows that
    reaches far, over a gap or along a tail, is cut into equal parts.
    """
    widest, out = (high / 2 - low / 2) / pieces, list[float]()
    for start, end in pairwise([low, *cuts, high]):
        parts = int((end / 2 - start / 2) / widest) if widest > 0 else 1
        step = (end / 2 - start / 2) / max(parts, 1)
        inside = (2 * (start / 2 + step * i) for i in range(1, parts))
        out += [*(cut for cut in inside if start < cut < end), end]
    return tuple(sorted(set(out[:-1])))


def halves(low: Floats, high: Floats) -> tuple[float, ...]:
    """Return cuts between cells of whole numbers, halfway between two that follow each other. low[cell],
    high[cell]: the numbers there; cells without any do not count. A gap that is wider than a cell beside it
    is a cell of its own.
    """
    low, high = low[low <= high], high[low <= high]
    out: list[float] = []
    for i in range(len(low) - 1):
        gap = low[i + 1] - high[i] - 1
        wide = gap > min(high[i] - low[i] + 1, high[i + 1] - low[i + 1] + 1)
        out += [float(high[i]) + 0.5, float(low[i + 1]) - 0.5] if wide else [float(low[i + 1]) - 0.5]
    return tuple(out)


KIND = "density-tree"
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

    @cached_property
    def shares_of_row(self) -> RowShares:
        """Leaves rows given as dicts to a table."""
        return row_reader(self.schema, lambda place: None)

    def of_columns(
        self, columns: Sequence[NDArray[Any]], rows: int, best: bool = False
    ) -> NDArray[Any] | None:
        """Return None: rows given as columns of numbers are read as tables are."""
        return None

    def to_dict(self) -> dict[str, Any]:
        cells = [{"cuts": list(own.cuts), "whole": own.whole} if own.numeric else None for own in self.cells]
        leaves = [[own[i].tolist() for own in self.counts] for i in range(len(self.leaves))]
        every = slice(0, len(self.nodes))
        tests = {"branches": write_branches(self.nodes, every), "nodes": write_nodes(self.nodes, every)}
        return tests | {"cells": cells, "leaves": leaves}


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
        column, reached = int(nodes.column[up]), list(out[up])
        own = cells[column]
        each = np.arange(own.k + 1)
        if own.numeric:  # a value of each cell, and none
            each = np.concatenate([[-np.inf], own.cuts, [np.nan]])
        cut, levels, away = float(nodes.cut[up]), nodes.levels(up), int(nodes.missing_branch[up])
        reached[column] = reached[column] & (taken(cut, levels, away, each) == branch)
        out.append(reached)
    return out


# ---- options, checked ----

LENGTH, HELD_OUT = "length", "held-out"
PRUNINGS = (LENGTH, HELD_OUT)
LARGEST = 2**31 - 1
MOST_PIECES = 1_000
LEAST_ALPHA, MOST_ALPHA = 1e-6, 1e9


@dataclass(frozen=True, slots=True)
class DensityOptions:
    """How a density tree is grown, pruned and smoothed; see `ts.DensityTree`."""

    alpha: float = 8.0
    max_depth: int | None = None
    max_leaf_nodes: int | None = None
    min_samples_leaf: int = 5
    pieces: int = 16
    pruning: str | None = LENGTH

    def __post_init__(self) -> None:
        make_plain(self, tuple(self.__slots__))
        if not is_number(self.alpha) or not LEAST_ALPHA <= self.alpha <= MOST_ALPHA:
            raise OptionError(
                Argument("alpha"),
                f" must be a number from {LEAST_ALPHA:g} to {MOST_ALPHA:g}, not {shown(self.alpha)}.",
            )
        check_whole("min_samples_leaf", self.min_samples_leaf, 1, LARGEST)
        check_whole("pieces", self.pieces, 2, MOST_PIECES)
        for name, low in (("max_depth", 1), ("max_leaf_nodes", 1)):
            if getattr(self, name) is not None:
                check_whole(name, getattr(self, name), low, LARGEST)
        if self.pruning is not None and self.pruning not in PRUNINGS:
            raise OptionError(
                Argument("pruning"), f" must be 'length', 'held-out' or None, not {shown(self.pruning)}."
            )

    def to_dict(self) -> dict[str, Any]:
        """Return the options as plain data for the model file."""
        return {name: getattr(self, name) for name in self.__slots__} | {"alpha": float(self.alpha)}


# ---- a density tree as plain data of a model file: shapes, reading, checks ----
#
#     nodes, branches  as those of trees (`tree/nodes.py`): a leaf is its rows [n], a test has four
#                      entries more
#     cells            for each column: the cuts of its numbers and whether they are whole; null for levels
#     leaves           for each leaf, in node order: for each column the rows of its cells, missing last
#
# Law: `read(model.to_dict())` is the same model; whatever else `read` accepts gives a density that sums to 1.

_CELLS = Maybe(Record({"cuts": Numbers(rising=True), "whole": Flag()}))
MODEL = Record(
    {
        "branches": LongList(),
        "cells": Listed(_CELLS),
        "leaves": Listed(Rows(Counts())),
        "nodes": LongList(),
    }
)
_SMALL = Whole(1, LARGEST)
PARAMETERS = wished(
    {
        "alpha": Number(LEAST_ALPHA, MOST_ALPHA),
        "max_depth": Maybe(_SMALL),
        "max_leaf_nodes": Maybe(_SMALL),
        "min_samples_leaf": _SMALL,
        "pieces": Whole(2, MOST_PIECES),
        "pruning": Maybe(Text(PRUNINGS)),
    }
)


def read(data: Mapping[str, Any], schema: Schema, unit: int, alpha: float) -> DensityModel:
    """Build the model from its `to_dict`, or say in one line what is wrong with it."""
    _demand(len(data["cells"]) == len(schema.used), "the cells are not those of its columns")
    cells = tuple(_cells(given, column) for given, column in zip(data["cells"], schema.used, strict=True))
    nodes = read_nodes(data, schema)
    inner = np.flatnonzero(~nodes.leaf)
    _demand(bool((nodes.n_children[inner] == 2).all()), "a test has not two branches")
    _demand(bool((nodes.missing_branch[inner] >= 0).all()), "a test has no branch for missing values")
    _demand(bool((nodes.branch_of >= 0).all()), "a test has no branch for a level")
    for node in inner.tolist():
        own_cells = cells[int(nodes.column[node])]
        at_an_edge = float(nodes.cut[node]) in (*own_cells.cuts, NO_CUT)
        _demand(not own_cells.numeric or at_an_edge, "a test cuts numbers within a piece")
    leaves = data["leaves"]
    sizes = [own.k + 1 for own in cells]
    _demand(len(leaves) == nodes.leaves, "there are not as many distributions as leaves")
    _demand(
        all([len(c) for c in leaf] == sizes for leaf in leaves), "a leaf has not the cells of its columns"
    )
    counts = tuple(np.array([leaf[j] for leaf in leaves], np.int64) for j in range(len(cells)))
    weight = nodes.counts[nodes.leaf, 0]
    _demand(bool(weight.min() > 0), "a leaf has no rows")
    for own in counts:
        _demand(bool((own.sum(axis=1, dtype=np.float64) < 2.0**62).all()), "the rows of a leaf are too many")
        _demand(bool((own.sum(axis=1) == weight).all()), "the cells of a leaf do not add up to its rows")
    reach = reach_of(nodes, cells)
    for i, leaf in enumerate(np.flatnonzero(nodes.leaf).tolist()):
        for own, here in zip(counts, reach[leaf], strict=True):
            _demand(not own[i][~here].any(), "a leaf has rows that its tests send elsewhere")
    return DensityModel(schema, cells, nodes, counts, unit, alpha)


def _cells(given: Mapping[str, Any] | None, column: Any) -> ColumnCells:
    _demand((given is not None) == (column.kind == "numeric"), "the cells do not suit the kind of a column")
    if given is None:
        _demand(len(column.levels) > 0, "a column has no levels")
        return ColumnCells(column)
    cuts = tuple(map(float, given["cuts"]))
    low, high = column.low or 0.0, column.high or 0.0
    _demand(all(low < cut <= high for cut in cuts), "a number is cut outside its range")
    if given["whole"]:
        small = max(abs(low), abs(high)) <= LARGEST_WHOLE
        _demand(small and all(cut % 1 == 0.5 for cut in cuts), "whole numbers are not cut at halves")
    return ColumnCells(column, cuts, given["whole"])


def check(document: dict[str, Any], schema: Schema) -> None:
    """Raise ModelFileError unless there are columns, and none of text: building the model checks the rest."""
    _demand(bool(schema.used), "it has no columns")
    _demand(all(c.kind != "text" for c in schema.used), "a column is text")


def _demand(holds: bool, what: str) -> None:
    """Raise one line about the tree in the file unless the condition holds."""
    if not holds:
        raise ModelFileError(f"the density tree in the model file is damaged: {what}. Get the file again.")


FILE = FileKind(MODEL, PARAMETERS, check)


# ---- leaves in sentences: which rows they have, and their most common values in each column ----
#
# Law: every share named is that of training rows in the leaf, and every range named ends where pieces end.

MOST = 0.9  # the share of a leaf's rows that a range or a few levels are to contain
LEAST_BITS = 0.05  # bits by which a column must differ from all rows to be named
FEW_LEVELS = 2


@dataclass(frozen=True, slots=True)
class Trait:
    """A column in a leaf: in words, the share of the leaf's rows that this holds of, the same of all rows,
    and how far the column differs there from all rows, in bits a row.
    """

    column: str
    words: str
    share: float
    overall: float
    bits: float

    def __str__(self) -> str:
        return self.words if self.share == 1.0 else f"{self.words} ({percent(self.share)})"

    def to_dict(self) -> dict[str, Any]:
        return {
            "column": self.column,
            "words": self.words,
            "share": self.share,
            "overall": self.overall,
            "bits": self.bits,
        }


@dataclass(frozen=True, slots=True)
class Leaf:
    """A leaf: its number, its rows, their share of all rows, its columns, those that differ most first."""

    number: int
    rows: float
    share: float
    traits: tuple[Trait, ...]

    def unusual(self, most: int) -> tuple[Trait, ...]:
        """Return at most so many columns: those that differ from all rows."""
        differs = tuple(t for t in self.traits if t.bits >= LEAST_BITS)
        return (differs or self.traits)[:most]

    def sentence(self, most: int = 5) -> str:
        """Return `12 % of rows: age 18 to 25 (85 %), home = rents`."""
        return f"{percent(self.share)} of rows: {', '.join(map(str, self.unusual(most)))}"

    def __str__(self) -> str:
        return self.sentence()

    def to_dict(self) -> dict[str, Any]:
        return {
            "leaf": self.number,
            "rows": self.rows,
            "share": self.share,
            "sentence": self.sentence(),
            "columns": [t.to_dict() for t in self.traits],
        }


def percent(share: float) -> str:
    """Return `12 %`; small shares with one digit more, and never 0 % or 100 % of what is neither."""
    if 0 < share < 0.001:
        return "under 0.1 %"
    text = f"{100 * share:.1f}" if share < 0.0995 else f"{100 * share:.0f}"
    return "over 99 %" if text == "100" and share < 1 else f"{text.removesuffix('.0')} %"


def leaves_of(model: DensityModel) -> tuple[Leaf, ...]:
    """Return all leaves, in the order of the tree."""
    rows = model.nodes.counts[:, 0]
    whole = [own.sum(axis=0) for own in model.counts]
    out = []
    for i, node in enumerate(model.leaves.tolist()):
        traits = [
            trait(own, model.counts[j][i], whole[j], model.counts[j][i] > 0)
            for j, own in enumerate(model.cells)
        ]
        order = sorted(range(len(traits)), key=lambda j: (-traits[j].bits, j))
        share = float(rows[node] / rows[0])
        out.append(Leaf(i, float(rows[node] / model.unit), share, tuple(traits[j] for j in order)))
    return tuple(out)


def trait(
    own: ColumnCells, rows: NDArray[np.int64], whole: NDArray[np.int64], there: NDArray[np.bool_]
) -> Trait:
    """Return what a column is like in a leaf. rows[cell, missing last]; whole: of all rows."""
    share, known = rows / rows.sum(), whole / whole.sum()
    logs = kernels.log2(np.where(there, share, 1.0)) - kernels.log2(np.where(there, known, 1.0))
    bits = float(np.add.accumulate(share * logs)[-1])
    cells, words = (np.array([own.k]), "missing") if 2 * rows[-1] > rows.sum() else _known(own, rows)
    held, all_held = (float(part[cells].sum() / part.sum()) for part in (rows, whole))
    return Trait(own.name, f"{plain_words(own.name)} {words}", held, all_held, max(bits, 0.0))


def _known(own: ColumnCells, rows: NDArray[np.int64]) -> tuple[NDArray[np.int64], str]:
    """Return the cells that hold most of the known rows, and their words."""
    counts, total = rows[:-1], int(rows[:-1].sum())
    if own.numeric or own.column.kind == "ordered":
        low, high = _middle(counts, total)
        cells = np.arange(low, high + 1)
        return cells, _range(own, low, high)
    order = np.argsort(-counts, kind="stable")
    enough = [int(counts[order[:n]].sum()) >= MOST * total for n in (1, FEW_LEVELS)]
    few = FEW_LEVELS if own.k > FEW_LEVELS and enough == [False, True] else 1
    cells = order[:few]
    return cells, "= " + " or ".join(plain_words(own.column.levels[c]) for c in cells.tolist())


def _middle(counts: NDArray[np.int64], total: int) -> tuple[int, int]:
    """Return the first and the last of the fewest neighbouring cells that hold most rows; of equals those
    with most rows, then the lowest.
    """
    ends = np.concatenate([[0], np.cumsum(counts)])
    best: tuple[int, int, int] | None = None
    for low in range(len(counts)):
        high = int(np.searchsorted(ends, ends[low] + MOST * total, side="left"))
        if high > len(counts):
            break
        found = high - low, -int(ends[high] - ends[low]), low
        best = found if best is None else min(best, found)
    assert best is not None
    return best[2], best[2] + best[0] - 1


def _range(own: ColumnCells, low: int, high: int) -> str:
    if not own.numeric:
        levels = own.column.levels
        return (
            f"= {plain_words(levels[low])}"
            if low == high
            else f"{plain_words(levels[low])} to {plain_words(levels[high])}"
        )
    column = own.column
    first = own.column.low if low == 0 else float(own.edges[low])
    last = own.column.high if high == own.k - 1 else float(own.edges[high + 1])
    assert first is not None
    assert last is not None
    if own.whole:
        first, last = float(np.ceil(first)), float(np.floor(last))
    one, two = (number(float(f"{end:.4g}") if not own.whole else end, column) for end in (first, last))
    return f"= {one}" if one == two else f"{one} to {two}"
