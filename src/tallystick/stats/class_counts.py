"""Counts by class as mergeable statistics: distinct values, distinct rows, and the sums of naive Bayes.

- `ClassValues`: the distinct values of numeric columns with their class counts, for binning.
- `DistinctRows`: the distinct rows with their weights.
- Entry: `BayesSums`, class counts by level, bin or word and exact moments, all columns in one pass.

ask = what to sum of one column; total = the arrays that `add` fills and `merge` adds.
Law: totals are functions of the multiset of rows, so no order and no partition can change them.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tallystick import kernels
from tallystick.contracts import Block, Statistic
from tallystick.model.additive import weighted
from tallystick.parallel import checkpoint, each_in_order
from tallystick.schema import CODED, Schema
from tallystick.stats.exact import refuse_beyond_memory
from tallystick.table.block import classes_of
from tallystick.table.lazy_columns import raw_values

if TYPE_CHECKING:
    from tallystick.engine import Local
    from tallystick.table.table import LocalTable


Floats = NDArray[np.float64]
Counts = NDArray[np.int64]
ALONE = 100_000  # cells below which one thread is faster than several
COPIES = 3  # tables counts[value, class] that are in memory at once when a column is cut


class ValuesByClass(NamedTuple):
    """One column: values[value] rising, counts[value, class], missing[class]."""

    values: Floats
    counts: Counts
    missing: Counts

    def of_classes(self, classes: NDArray[np.intp]) -> ValuesByClass:
        """Return the same for some of the classes."""
        return ValuesByClass(
            self.values, np.ascontiguousarray(self.counts[:, classes]), self.missing[classes]
        )

    def counted(self, weights: Counts | None) -> ValuesByClass:
        """Return the values that count: a row of weight 0 does not."""
        if weights is None:
            return self
        there = self.counts.any(axis=1)
        return self._replace(values=self.values[there], counts=np.ascontiguousarray(self.counts[there]))

    def without(self, counts: Counts, missing: Counts) -> ValuesByClass:
        """Return the rest when some of the counts are taken away; values that no row has are gone."""
        left = self.counts - counts
        there = left.any(axis=1)
        return ValuesByClass(self.values[there], np.ascontiguousarray(left[there]), self.missing - missing)


@dataclass(frozen=True, slots=True)
class ClassValues(Statistic[list[ValuesByClass]]):
    """Ask for the values of some columns by class."""

    columns: tuple[str, ...]
    classes: int

    def zero(self) -> list[ValuesByClass]:
        empty = np.zeros((0, self.classes), np.int64)
        return [ValuesByClass(np.zeros(0), empty, np.zeros(self.classes, np.int64)) for _ in self.columns]

    def add(self, total: list[ValuesByClass], block: Block) -> list[ValuesByClass]:
        return self.merge(total, [self._count(block, name) for name in self.columns])

    def _count(self, block: Block, name: str) -> ValuesByClass:
        ranks = kernels.ranks(block.values(name))
        return self.by_code(ranks.codes, ranks.distinct, classes_of(block), block.weights)

    def by_code(
        self, codes: NDArray[Any], distinct: Floats, classes: NDArray[Any], weights: Any
    ) -> ValuesByClass:
        """Return the counts of a column whose values are codes among distinct ones, missing last."""
        self.refuse_many(len(distinct))
        counts = kernels.count_codes(codes, classes, len(distinct) + 1, self.classes, weights=weights)
        return ValuesByClass(distinct, counts[:-1], counts[-1].copy()).counted(weights)

    def refuse_many(self, values: int) -> None:
        """Refuse counts of so many values of a column that memory has no room for."""
        refuse_beyond_memory(
            COPIES * 8 * (values + 1) * self.classes,
            f"the {values:,} values of a column by {self.classes:,} classes",
            "Join rare classes, or round the numbers.",
        )

    def merge(self, total: list[ValuesByClass], other: list[ValuesByClass]) -> list[ValuesByClass]:
        return [_merged(a, b) for a, b in zip(total, other, strict=True)]

    def solve(self, table: LocalTable, engine: Local) -> list[ValuesByClass]:
        """Sort each column once, not once per block: a table remembers its ranks."""
        classes, weights = classes_of(table), table.weights

        def one(name: str) -> ValuesByClass:
            codes, distinct = table.ranks(name)
            checkpoint()
            return self.by_code(codes, distinct, classes, weights)

        alone = table.rows * len(self.columns) < ALONE
        return each_in_order(one, self.columns, 1 if alone else engine.cores)


def _merged(a: ValuesByClass, b: ValuesByClass) -> ValuesByClass:
    if not len(a.values) or not len(b.values):
        full = a if len(a.values) else b
        return ValuesByClass(full.values, full.counts, a.missing + b.missing)
    values, place = np.unique(np.concatenate([a.values, b.values]), return_inverse=True)
    counts = np.zeros((len(values), a.counts.shape[1]), np.int64)
    counts[place[: len(a.values)]] += a.counts  # values are distinct within each part
    counts[place[len(a.values) :]] += b.counts
    return ValuesByClass(values, counts, a.missing + b.missing)


# ---- the distinct rows of a table with their weights ----
# Law: the total is the multiset of rows in an order of its own; w copies of a row and a row of weight w are
# the same.

Bits = NDArray[np.uint64]
MIX = np.uint64(0x9E3779B97F4A7C15)


class RowCells(NamedTuple):
    """cells[row, column]: the bits of a number, or a code; the last column is the class. weights[row]: in
    units of the table.
    """

    cells: Bits
    weights: NDArray[np.int64]


@dataclass(frozen=True)
class DistinctRows(Statistic[RowCells]):
    """Ask for the distinct rows of some columns, by their positions in `schema.used`, and their classes."""

    schema: Schema
    columns: tuple[int, ...]

    def zero(self) -> RowCells:
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


# ---- the sums of naive Bayes: class counts; counts by code, bin or word; exact sums of doubles ----
# The class is the last axis, except for the digits of exact sums. Asked with the class codes
# fold * classes + class, one pass gives the sums of every fold.

Total = dict[str, Counts]


@dataclass(frozen=True, slots=True)
class Ask:
    """What to sum of one column.

    "codes": counts[size + 1, class], the last code is missing. "bins": the same over the bins between cuts.
    "moments": digits of exact sums of x and x^2, and missing rows. "words": counts[size, class], rows with
    text; "once": the same, a word counts once per row; "tf-idf": weights by idf[word] in fixed point.
    """

    column: str
    how: Literal["codes", "bins", "moments", "words", "once", "tf-idf"]
    size: int = 0
    cuts: tuple[float, ...] = ()
    idf: tuple[int, ...] = ()


@dataclass(frozen=True)
class BayesSums(Statistic[Total]):
    """Ask for all columns in one pass.

    Keys of the total: "" the class counts; key(ask, "counts") a table [value, class]; key(ask, "missing")
    [class] of a text column; "sums" [column, class, digit], "squares" and "missing" [column, class] of all
    moments in their order.
    """

    asks: tuple[Ask, ...]
    classes: int

    def zero(self) -> Total:
        moments = sum(a.how == "moments" for a in self.asks)
        shapes: dict[str, tuple[int, ...]] = {"": (self.classes,)}
        if moments:
            shapes["missing"] = (moments, self.classes)
            shapes["sums"] = (moments, self.classes, kernels.SUM_DIGITS)
            shapes["squares"] = (moments, self.classes, kernels.SQUARE_DIGITS)
        for i, ask in enumerate(self.asks):
            if ask.how == "codes":
                shapes[key(i, "counts")] = (ask.size + 1, self.classes)
            elif ask.how == "bins":
                shapes[key(i, "counts")] = (len(ask.cuts) + 2, self.classes)
            elif ask.how != "moments":
                shapes[key(i, "counts")] = (ask.size, self.classes)
                shapes[key(i, "missing")] = (self.classes,)
        return {name: np.zeros(shape, np.int64) for name, shape in shapes.items()}

    def add(self, total: Total, block: Block) -> Total:
        classes = classes_of(block)
        kernels.count_classes(classes, self.classes, block.weights, total[""])
        self._add_codes(total, block, classes)
        columns = [block.values(a.column) for a in self.asks if a.how == "moments"]
        if columns:
            tables = total["missing"], total["sums"], total["squares"]
            kernels.add_moments(columns, classes, *tables, weights=block.weights)
        for i, ask in enumerate(self.asks):
            if ask.how in ("words", "once", "tf-idf"):
                _add_words(total, i, block, ask, classes)
        return total

    def _add_codes(self, total: Total, block: Block, classes: NDArray[Any]) -> None:
        coded = [i for i, ask in enumerate(self.asks) if ask.how == "codes"]
        if coded:
            out = [total[key(i, "counts")] for i in coded]
            codes, sizes = [block.codes(self.asks[i].column) for i in coded], [len(table) for table in out]
            kernels.count_columns(codes, classes, sizes, self.classes, weights=block.weights, out=out)
        cut = [i for i, ask in enumerate(self.asks) if ask.how == "bins"]
        if cut:
            out = [total[key(i, "counts")] for i in cut]
            values = [raw_values(block, self.asks[i].column) for i in cut]
            kernels.count_bins(values, self._cuts, classes, weights=block.weights, out=out)

    @cached_property
    def _cuts(self) -> list[NDArray[np.float64]]:
        """Cuts of the columns that are asked for in bins; made once, not for every block."""
        return [np.array(ask.cuts, np.float64) for ask in self.asks if ask.how == "bins"]

    def merge(self, total: Total, other: Total) -> Total:
        return plus(total, other, 1)

    def solve(self, table: LocalTable, engine: Local) -> Total | None:
        """Take sums of doubles that are known from reading the table; only the rest is summed."""
        from tallystick.table.table import known_moments  # a model is loaded without tables

        known = known_moments(table)
        moments = [a.column for a in self.asks if a.how == "moments"]
        if known is None or len(known.rows) != self.classes or (self.asks and not moments):
            return None
        total = {"": known.rows.copy()}
        if not moments:
            return total
        names = [c.name for c in table.schema.used]
        some = [names.index(name) for name in moments]
        total |= {name: array[some] for name, array in known._asdict().items() if name != "rows"}
        left = [i for i, a in enumerate(self.asks) if a.how != "moments"]
        if left:
            rest = engine.summed(table, BayesSums(tuple(self.asks[i] for i in left), self.classes))
            for name in filter(None, rest):  # without "", the class counts, which are known
                i, part = name.split()
                total[key(left[int(i)], part)] = rest[name]
        return total


def plus(total: Total, other: Total, sign: int) -> Total:
    """Return total + sign * other, in the memory of the first."""
    for name, array in other.items():
        total[name] += sign * array if sign != 1 else array
        if name in ("sums", "squares"):
            kernels.carry(total[name])
    return total


def key(ask: int, part: str) -> str:
    """Return the name of one array of the total."""
    return f"{ask} {part}"


def _add_words(total: Total, i: int, block: Block, ask: Ask, classes: NDArray[Any]) -> None:
    starts, words, counts = block.words(ask.column)
    given: NDArray[np.uint32] | None = counts
    if ask.how == "once":
        given = None
    elif ask.how == "tf-idf":
        given = weighted(starts, words, counts, np.array([*ask.idf, 0], np.int64))
    out = total[key(i, "counts")]
    kernels.count_entries(starts, words, given, classes, weights=block.weights, out=out)
    empty = np.diff(starts) == 0
    weights = None if block.weights is None else block.weights[empty]
    missing = total[key(i, "missing")]
    kernels.count_classes(classes[empty], len(missing), weights, missing)
