"""Target leakage: columns that predict the target nearly perfectly alone; ranked columns on disk.

- `DiskRanks`, `DiskRanker`: a numeric column of a table on disk, by rising value, a piece at a time.
- The search. Entry: `likely()` picks suspects from a sample of each class, then `findings()` counts them on
  all rows; `giveaways()` words the findings. The criteria are in `one_column_rules.py`.

missing: a level of its own; piece: a range of the distinct values; label: a class.
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

VALUE, LABEL = 64, 48  # bytes in memory of a distinct value, and of each of its classes: counts, sums, costs
SHARE = 16  # a piece of values may take this part of the memory budget
Counts = NDArray[np.int64]
Found = TypeVar("Found")


def in_hand(table: Table, labels: int, columns: int = 1) -> bool:
    """Say whether a table's memory budget has room for counts[value, label] of all values of columns."""
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


# ---- the search for columns that predict the target alone ----
#
# A sample of each class is checked first, so that a column that predicts little costs next to nothing; a
# column that is reported was counted on all rows.

ADVICE = "Make sure it is known before the target is; leave it out if not."
STAGES = ((32, 1 / 8), (1024, 1 / 14))  # rows sampled of each class, and the share of them that may be wrong
WHOLE = (32, 128, 1024)  # rows sampled of each class where the last stage takes all rows
FEW_CELLS = 2048  # cells of a table so small that the last stage is the only one
LOOKED_AT = 1 << 16  # rows, evenly over the table, from which the sample of each class is drawn
MOST_CLASSES = 16  # sampled, the most frequent first: a column that leaks the target separates these too

Codes = NDArray[np.int64]


def giveaways(table: Table, columns: Iterable[Column]) -> Iterator[tuple[Column, str]]:
    """Yield the columns that predict the target nearly perfectly alone, each with a sentence that says so."""
    for column, found in findings(table, columns):
        if not found.ordered:
            yield column, f"column {shown(column.name)} {found.found}."


def findings(
    table: Table, columns: Iterable[Column]
) -> Iterator[tuple[Column, one_column_rules.Alone | one_column_rules.InOrder]]:
    """Yield the columns that predict the target nearly perfectly alone, or by the order of their numbers,
    each with its finding.
    """
    some = list(columns)
    ranker = table.ranker()
    each = (_alone(table, c) for c in some) if ranker is None else _alone_there(table, ranker, some)
    for column, found in zip(some, each, strict=True):
        if found is not None:
            yield column, found


def likely(table: Table) -> list[Column]:
    """Return the columns that may predict the target nearly perfectly, judged by a sample of each class.

    A sample has no more changes of class and no more wrong rows than all rows: where the last stage takes all
    rows, the bound for all rows holds from the first stage on.
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
    """classes[i] of one row in `step`; the most frequent classes (`kept`) and their rows there (`sizes`)."""

    classes: NDArray[np.integer]
    kept: list[int]
    sizes: list[int]
    step: int

    @classmethod
    def of(cls, classes: NDArray[np.integer], k: int) -> Self:
        """Return the rows of a table, by its k classes."""
        step = max(1, len(classes) // LOOKED_AT)
        some = np.ascontiguousarray(classes[::step])
        counts = kernels.count_classes(some, k)
        kept = np.flatnonzero(counts)
        if len(kept) > MOST_CLASSES:
            kept = np.sort(np.argsort(-counts, kind="stable")[:MOST_CLASSES])
        return cls(some, kept.tolist(), counts[kept].tolist(), step)

    @property
    def whole(self) -> bool:
        """Whether the last stage takes every row."""
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
    """Return the finding on one column of a table: alone or by its order; None if it predicts too little."""
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
    # the code after missing stands for an unseen level, which no row of the table has
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
    """Return the finding on the best word of a text column. Only words in enough rows are counted."""
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
    """Yield the finding on each column of a remote table: counted by its engine, numbers in ranges."""
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
