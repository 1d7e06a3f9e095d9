"""A column of numbers whose rows lie on disk, in the order of its values: some of them at a time.

Law: the pieces together are all values with their counts, and one of them is in memory at a time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from tallystick import kernels
from tallystick.contracts import Table
from tallystick.errors import shown
from tallystick.io import scratch
from tallystick.parallel import checkpoint
from tallystick.schema import CODED, Column
from tallystick.stats import one_column_rules
from tallystick.stats.class_counts import Ask, BayesSums, key
from tallystick.stats.values import RankedPiece, ValueRanges, sum_of
from tallystick.table.block import classes_of
from tallystick.table.lazy_columns import raw_column

VALUE, LABEL = 64, 48  # bytes that a value in hand takes, and more for each label: counts, sums, costs
SHARE = 16  # the part of the budget for the values in hand
Counts = NDArray[np.int64]
Found = TypeVar("Found")


def in_hand(table: Table, labels: int, columns: int = 1) -> bool:
    """Say whether the budget of a table has room for all values of columns with counts[value, label]."""
    return table.holds(columns * (VALUE + LABEL * labels))


@dataclass(frozen=True)
class DiskRanks:
    """values[value], rising, and counts[value, label] of their rows, missing last. size: values of a piece;
    totals[label]: rows that have a value.
    """

    values: NDArray[np.float64]
    counts: Counts
    size: int
    totals: Counts

    @classmethod
    def of(cls, table: Table, name: str, labels: NDArray[Any], width: int) -> DiskRanks:
        """Count the values of a column. labels[row]: below `width`."""
        codes, values = table.local().ranks(name)
        counts = scratch.empty((len(values) + 1, width), np.int64)
        kernels.count_codes(codes, labels, len(counts), width, weights=table.weights, out=counts)
        size = max(1, table.budget // SHARE // (VALUE + LABEL * width))
        return cls(values, counts, size, sum_of(counts[:-1]))

    @property
    def distinct(self) -> int:
        """How many values there are."""
        return len(self.values)

    @property
    def missing(self) -> Counts:
        """Rows without a value, by label."""
        return np.asarray(self.counts[-1])

    def pieces(self) -> Iterator[RankedPiece]:
        """Yield all values, some at a time."""
        before = np.zeros_like(self.totals)
        for start in range(0, self.distinct, self.size):
            checkpoint()
            some = slice(start, min(start + self.size, self.distinct))
            counts = self.counts[some]
            yield RankedPiece(self.values[some], counts, before, start)
            before = before + counts.sum(axis=0)

    def ask(self, work: Callable[[RankedPiece], Found]) -> list[Found]:
        """Return work(piece) of all pieces, in their order."""
        return [work(piece) for piece in self.pieces()]


@dataclass(frozen=True)
class DiskRanker:
    """Puts the columns of a table on disk in the order of their values."""

    table: Table

    def ranked(self, name: str, labels: Callable[[Any], NDArray[Any]], width: int) -> DiskRanks:
        """Return a column. labels(table)[row]: below `width`."""
        return DiskRanks.of(self.table, name, labels(self.table), width)


# The columns of a table that alone tell the target nearly perfectly, by value or by being missing, and the
# numbers whose order tells it.
# `fit` looks at a sample of each class first, so that a column that tells little costs next to nothing; a
# column that is named was counted on all rows.

ADVICE = "Make sure it is known before the target is; leave it out if not."
STAGES = ((32, 1 / 8), (1024, 1 / 14))  # rows of each class, and the share that may be wrong
WHOLE = (32, 128, 1024)  # rows of each class of a table that is looked at whole in the end
FEW_CELLS = 2048  # of a table that is looked at whole at once
LOOKED_AT = 1 << 16  # rows, evenly over the table, among which those of each class are looked for
MOST_CLASSES = 16  # the most frequent ones: a column that tells nearly all tells these

Codes = NDArray[np.int64]


def giveaways(table: Table, columns: Iterable[Column]) -> Iterator[tuple[Column, str]]:
    """Yield those of some columns that alone tell the target nearly perfectly, and how much each tells."""
    for column, found in findings(table, columns):
        if not found.ordered:
            yield column, f"column {shown(column.name)} {found.found}."


def findings(
    table: Table, columns: Iterable[Column]
) -> Iterator[tuple[Column, one_column_rules.Alone | one_column_rules.InOrder]]:
    """Yield those of some columns that alone tell the target nearly perfectly, or by the order of their
    numbers, and what each tells.
    """
    some = list(columns)
    ranker = table.ranker()
    each = (_alone(table, c) for c in some) if ranker is None else _alone_there(table, ranker, some)
    for column, found in zip(some, each, strict=True):
        if found is not None:
            yield column, found


def likely(table: Table) -> list[Column]:
    """Return the columns that may tell nearly everything, going by some rows of each class.

    No part of the rows has more changes or more wrong rows than all of them: where all will be looked at,
    what they allow decides from the start.
    """
    assert table.classes is not None
    left = list(table.schema.used)
    dealt = _Dealt.of(table.classes, len(table.schema.predicted.labels))
    whole = dealt.whole and table.weights is None
    wrong = one_column_rules.allowed_of(sum(dealt.sizes), max(dealt.sizes)) if whole else None
    stages = STAGES if wrong is None else tuple((each, 0.0) for each in WHOLE)
    few = len(table.classes) * len(left) <= FEW_CELLS
    for each, share in stages[-1:] if few else stages:
        rows, classes = dealt.some(each)
        bound = share * len(rows) if wrong is None else wrong
        most = (
            one_column_rules.CUTS + max(len(dealt.sizes) - 2, 0) + 2 * bound
        )  # a wrong row breaks a run twice
        numeric = [c for c in left if c.kind == "numeric"]
        near = list[Column]()
        if numeric:  # how often the class changes along the rising values of each, missing last
            lying, order = [raw_column(table, c.name) for c in numeric], rows
            if any(column.dtype != np.float64 for column in lying):
                lying, order = [column[rows].astype(np.float64) for column in lying], np.arange(len(rows))
            changes = kernels.class_changes(lying, order, classes)
            near = [c for c, n in zip(numeric, changes, strict=True) if n <= most]
        coded = [c for c in left if c.kind in CODED and _wrong(table, c, rows, classes) <= bound]
        left = near + coded + [c for c in left if c.kind == "text"]
        if not left or (wrong is not None and len(rows) == len(table.classes)):
            break
    return left


@dataclass(frozen=True, slots=True)
class _Dealt:
    """Rows by class, one row in `step`, of the most frequent classes, which `kept` names."""

    classes: NDArray[np.integer]
    kept: list[int]
    sizes: list[int]
    step: int

    @classmethod
    def of(cls, classes: NDArray[np.integer], k: int) -> Self:
        """Return the rows of a table by class, of which there are k."""
        step = max(1, len(classes) // LOOKED_AT)
        some = np.ascontiguousarray(classes[::step])
        counts = kernels.count_classes(some, k)
        kept = np.flatnonzero(counts)
        if len(kept) > MOST_CLASSES:
            kept = np.sort(np.argsort(-counts, kind="stable")[:MOST_CLASSES])
        return cls(some, kept.tolist(), counts[kept].tolist(), step)

    @property
    def whole(self) -> bool:
        """Will every row be looked at in the end?"""
        return self.step == 1 and sum(self.sizes) == len(self.classes) and max(self.sizes) <= WHOLE[-1]

    def some(self, each: int) -> tuple[Codes, Codes]:
        """Return row numbers, up to `each` of a class, and the class of each."""
        if max(self.sizes) <= each and sum(self.sizes) == len(self.classes):  # all, and so in any order
            return np.arange(len(self.classes)) * self.step, self.classes.astype(np.int64)
        taken = [min(each, n) for n in self.sizes]
        classes = np.arange(len(taken)).repeat(taken)
        kept = [
            np.flatnonzero(self.classes == c)[np.arange(few) * n // few]  # evenly
            for c, n, few in zip(self.kept, self.sizes, taken, strict=True)
        ]
        return np.concatenate(kept) * self.step, classes


def _wrong(table: Table, column: Column, rows: Codes, classes: Codes) -> int:
    """Return how many of some rows are not of the most frequent class of their level."""
    codes, k = table.column(column.name)[rows], int(classes.max()) + 1
    sizes = (len(column.levels) + 2) * k  # missing and unseen have codes too
    counts = np.bincount(codes * np.int64(k) + classes, minlength=sizes).reshape(-1, k)
    return len(codes) - int(counts.max(axis=1).sum())


def _alone(table: Table, column: Column) -> one_column_rules.Alone | one_column_rules.InOrder | None:
    """Return what one column of a table tells alone, None unless it is nearly all, or in its order."""
    classes, weights, among = table.classes, table.weights, len(table.schema.used)
    assert classes is not None
    k = len(table.schema.predicted.labels)
    if column.kind == "text":
        return _by_word(table, column, k)
    if column.kind == "numeric" and not in_hand(table, k):
        order = DiskRanks.of(table, column.name, classes, k)
        ranges = ValueRanges(order, order.missing, table.unit, near=True)
        return (ranges.alone(among) or ranges.in_order()) if order.distinct else None
    if column.kind == "numeric":
        codes, distinct = table.local().ranks(column.name)
        size = len(distinct)
    else:
        codes, size = table.column(column.name), len(column.levels)
    # a level never seen has a code too, behind that of missing, which no row of the table has
    counts = kernels.count_codes(codes, classes, size + 2, k, weights=weights)
    if column.kind not in CODED:
        found = one_column_rules.by_cuts(counts[:size], counts[size], among, table.unit)
        if found is not None or not (np.floor(distinct) == distinct).all():
            return found
        there = counts[:size]
        totals = there.sum(axis=0)
        return one_column_rules.in_order(
            size,
            float(totals.sum()) / table.unit,
            len(one_column_rules.runs_of(there)),
            one_column_rules.one_cut(there, np.zeros_like(totals), totals),
        )
    return one_column_rules.by_levels(counts[:size] / table.unit, counts[size] / table.unit, among)


def _by_word(table: Table, column: Column, k: int) -> one_column_rules.Alone | None:
    """Return what one word of a text column tells. Classes are counted of words in enough rows alone."""
    size, unit = len(column.words), table.unit
    rows, missing, found = (np.zeros(n, np.int64) for n in (k, k, size + 1))
    for block in table.blocks():
        starts, words, _ = block.words(column.name)
        classes, weights, empty = classes_of(block), block.weights, np.diff(starts) == 0
        kernels.count_classes(classes, k, weights, rows)
        kernels.count_classes(classes[empty], k, None if weights is None else weights[empty], missing)
        copies = None if weights is None else np.repeat(weights, np.diff(starts))
        kernels.count_classes(words, size + 1, copies, found)
    some = np.flatnonzero(found[:size] / unit >= one_column_rules.fewest_rows(rows / unit))
    have = np.zeros((len(some), k), np.int64)
    number = np.full(size + 1, len(some), np.uint32)
    number[some] = np.arange(len(some), dtype=np.uint32)
    for block in table.blocks() if len(some) else ():
        starts, words, _ = block.words(column.name)
        kernels.count_entries(starts, number[words], None, classes_of(block), weights=block.weights, out=have)
    return one_column_rules.by_word(have / unit, rows / unit, missing / unit, len(table.schema.used), size)


def _alone_there(
    table: Table, ranker: Any, columns: list[Column]
) -> Iterator[one_column_rules.Alone | one_column_rules.InOrder | None]:
    """Yield what each column of rows that stay far tells alone: counted there, and numbers in ranges."""
    assert table.engine is not None
    k, among = len(table.schema.predicted.labels), len(table.schema.used)
    asks = {
        c.name: Ask(c.name, "codes", len(c.levels)) if c.kind in CODED else Ask(c.name, "once", len(c.words))
        for c in columns
        if c.kind != "numeric"
    }
    sums = table.engine.total(table, BayesSums(tuple(asks.values()), k))
    for column in columns:
        if column.kind == "numeric":
            order = ranker.ranked(column.name, classes_of, k, weighed=True)
            ranges = ValueRanges(order, sums[""] - order.totals, table.unit)
            yield (ranges.alone(among) or ranges.in_order()) if order.distinct else None
            continue
        at = list(asks).index(column.name)
        counts = sums[key(at, "counts")]
        if column.kind in CODED:
            yield one_column_rules.by_levels(counts[:-1] / table.unit, counts[-1] / table.unit, among)
        else:
            rows, missing = sums[""] / table.unit, sums[key(at, "missing")] / table.unit
            yield one_column_rules.by_word(counts / table.unit, rows, missing, among)
