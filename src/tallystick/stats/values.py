"""Numeric values: hash sample by class, tables of tree nodes, pair counts, leakage from ranges of values.

- The sample of distinct values with the least hashes, by class. Entry: `ValueSample`.
- Tables of one column in one node, table[value, class], and their merging: `value_table()`, `join_tables()`;
  `RankedValues`, `RankedPiece`: all rows of a column by rising value, in pieces.
- Columns reduced to a few values and their pair counts by class: `FewValues`, `PairCounts`.
- Extremes and target leakage of a column from its pieces. Entry: `ValueRanges`.

limit = the highest hash in the sample; piece = a range of a column's distinct values; label = class.
Laws: which values are sampled depends on the set of values alone, and each has all its rows; either there are
more than `size` values within the first quarter of the hashes, or every value is in the sample. All totals
are whole numbers, so no order, partition or engine changes them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from tallystick import kernels
from tallystick.contracts import Block, Statistic
from tallystick.parallel import checkpoint, each_in_order
from tallystick.stats import one_column_rules
from tallystick.stats.class_counts import ALONE, ClassValues, ValuesByClass
from tallystick.stats.class_counts import Counts as ClassCounts
from tallystick.stats.one_column_rules import InOrder
from tallystick.table.block import classes_of
from tallystick.table.hash_sample import (
    ALL,
    MARGIN,
    MOST,
    SIZE,
    Found,
    PickedNumbers,
    first_share,
    limit_of,
    take_picked,
)
from tallystick.table.lazy_columns import raw_column

if TYPE_CHECKING:
    from tallystick.engine import Local
    from tallystick.table.table import LocalTable


QUARTER = limit_of(MOST)
TASK = 1 << 18  # rows per job of a thread
OFTEN = 16  # rows of each picked value, from which it is inferred that values are few
TOGETHER = 32  # columns per pass over the rows, at most
CELLS = 1 << 17  # counts of a column that fit in the cache, so that its values may come in any order
MOST_CLASSES = CELLS >> 11  # beyond, CELLS has fewer than 2048 slots for values
NEAR = 10  # thousandths of the hashes, to each side of where the last of a sample is expected


class SampledValues(NamedTuple):
    """Values of one column whose hashes are at most the limit."""

    values: ValuesByClass
    limit: int = ALL

    @property
    def whole(self) -> bool:
        """Whether no value was left out."""
        return self.limit == ALL


def sample_of(values: ValuesByClass, limit: int = ALL, size: int = SIZE) -> SampledValues:
    """Return the `size` values with the least hashes of those within a limit; all of them where more than a
    quarter of the hashes would be needed.
    """
    if len(values.values) <= size and limit == ALL:
        return SampledValues(values)
    hashes = kernels.value_hashes(values.values)
    if np.count_nonzero(hashes <= np.uint64(min(limit, QUARTER))) > size:
        limit = _least(hashes, size)
    kept = np.flatnonzero(hashes <= np.uint64(limit))
    counts = values.counts.take(kept, axis=0)
    return SampledValues(ValuesByClass(values.values[kept], counts, values.missing), limit)


def _least(hashes: NDArray[np.uint64], size: int) -> int:
    """Return the highest of the `size` least hashes. Hashes are uniform, so it is searched near
    its expected place first; if it is not there, among all.
    """
    top, place = int(hashes.max()), 1000 * size // len(hashes)
    low, high = (np.uint64(top * max(min(place + by, 1000), 0) // 1000) for by in (-NEAR, NEAR))
    some = hashes[(low < hashes) & (hashes <= high)]
    before = int(np.count_nonzero(hashes <= low))
    if not before < size <= before + len(some):
        some, before = hashes, 0
    return int(np.partition(some, size - 1 - before)[size - 1 - before])


@dataclass(frozen=True, slots=True)
class ValueSample(Statistic[list[SampledValues]]):
    """Ask for a sample of the values of some columns by class."""

    columns: tuple[str, ...]
    classes: int
    size: int = SIZE

    def zero(self) -> list[SampledValues]:
        return [SampledValues(values) for values in self._all.zero()]

    def add(self, total: list[SampledValues], block: Block) -> list[SampledValues]:
        limits = [known.limit for known in total]
        picked = kernels.pick_values([block.values(name) for name in self.columns], limits)
        jobs = zip(limits, picked, strict=True)
        found = [self.sampled(limit, [(0, *own)], classes_of(block), block.weights)[0] for limit, own in jobs]
        return self.merge(total, found)

    def merge(self, total: list[SampledValues], other: list[SampledValues]) -> list[SampledValues]:
        both = self._all.merge([a.values for a in total], [b.values for b in other])
        limits = (min(a.limit, b.limit) for a, b in zip(total, other, strict=True))
        return [sample_of(v, limit, self.size) for v, limit in zip(both, limits, strict=True)]

    @property
    def _all(self) -> ClassValues:
        return ClassValues(self.columns, self.classes)

    def sampled(
        self, limit: int, picked: list[Found], classes: NDArray[Any], weights: ClassCounts | None
    ) -> tuple[SampledValues, int]:
        """Return the sample of rows whose values lie within the limit or are missing, and how many values
        these have.
        """
        most = sum(len(rows) for _, rows, _ in picked)
        size = self.size if limit <= QUARTER else max(most, 1)
        self._all.refuse_many(min(most, size))
        found = kernels.sample_values(picked, classes, self.classes, limit, size, weights)
        values = ValuesByClass(found.values, found.counts, found.missing)
        return SampledValues(values, found.limit), found.distinct

    def solve(self, table: LocalTable, engine: Local) -> list[SampledValues]:
        """Guess a limit and count the values within it; all rows only where a column has few values, which
        are ranked where the table of counts is large for its many classes.
        """
        threads = 1 if table.rows * len(self.columns) < ALONE else engine.cores
        share = first_share(self.size, table.rows)
        found: dict[str, SampledValues] = {}
        known = take_picked(table)
        shares = dict.fromkeys(self.columns, share)
        if known is not None and known.limit == limit_of(share):
            guess = partial(self._guess, table, known, share)
            shares |= {name: guess(name) for name in shares if name in known.names}
        while some := [name for name, share in shares.items() if share < MOST and name not in found]:
            limits = [limit_of(shares[name]) for name in some]
            picked = _picked(table, known, some, limits, threads)
            given = list(zip(limits, picked, strict=True))
            one = partial(self._one, table)
            for name, sample in zip(some, each_in_order(one, given, threads), strict=True):
                if not isinstance(sample, SampledValues):
                    shares[name] *= MARGIN * self.size / max(sample, 1)
                else:
                    found[name] = sample
        found |= self._of_few(table, [n for n in self.columns if n not in found], threads)
        return [found[name] for name in self.columns]

    def _guess(self, table: LocalTable, known: PickedNumbers, share: float, name: str) -> float:
        """Return the share of hashes to begin with: that of the picked values, or, where these overflowed
        because values are few and frequent, the one estimated from them.
        """
        if known.column(name, known.limit) is not None:
            return share
        found = self.sampled(known.limit, known.so_far(name), classes_of(table), table.weights)
        each = found[0].values.counts.sum(axis=1)
        return share * MARGIN * self.size / max(found[1], 1) if (each >= OFTEN).all() else share

    def _one(self, table: LocalTable, given: tuple[int, list[Found]]) -> SampledValues | int:
        """Return the sample of what is within a limit; how many values there are where these are too few."""
        limit, picked = given
        found, distinct = self.sampled(limit, picked, classes_of(table), table.weights)
        return found if found.limit < limit else distinct

    def _of_few(
        self, table: LocalTable, names: Sequence[str], threads: int
    ) -> Iterator[tuple[str, SampledValues]]:
        """Yield the samples of columns of few values, counted in hash tables, some columns a pass."""
        each = 1 if table.budget else min(max(-(-len(names) // threads), 1), TOGETHER)
        groups = [names[start : start + each] for start in range(0, len(names), each)]
        met = each_in_order(partial(self._met, table), groups, threads)
        for group, samples in zip(groups, met, strict=True):
            yield from zip(group, samples, strict=True)

    def _met(self, table: LocalTable, names: Sequence[str]) -> list[SampledValues]:
        checkpoint()
        if self.classes > MOST_CLASSES:
            return [self._ranked(table, name) for name in names]
        columns, most = [raw_column(table, name) for name in names], CELLS // self.classes
        met = kernels.meet_values(columns, classes_of(table), self.classes, most, table.weights)
        return [
            self._ranked(table, name)
            if values is None
            else sample_of(ValuesByClass(*values).counted(table.weights), size=self.size)
            for name, values in zip(names, met, strict=True)
        ]

    def _ranked(self, table: LocalTable, name: str) -> SampledValues:
        codes, distinct = table.ranks(name)
        checkpoint()
        classes = classes_of(table)
        every = ClassValues((name,), self.classes).by_code(codes, distinct, classes, table.weights)
        return sample_of(every, size=self.size)


def _picked(
    table: LocalTable, known: PickedNumbers | None, names: Sequence[str], limits: Sequence[int], threads: int
) -> list[list[Found]]:
    """Return the values within each column's limit, part by part: from reading the table if known, else found
    by threads.
    """
    asked = list(zip(names, limits, strict=True))
    near = {} if known is None else {name: known.column(name, limit) for name, limit in asked}
    rest = [(name, limit) for name, limit in asked if near.get(name) is None]

    def one(start: int) -> list[Found]:
        checkpoint()
        some = [table.column(name)[start : start + TASK] for name, _ in rest]
        found = kernels.pick_values(some, [limit for _, limit in rest])
        return [(start, rows, values) for rows, values in found]

    starts = range(0, table.rows if rest else 0, TASK)
    parts = zip(*each_in_order(one, starts, threads), strict=True)
    found = {**near, **{name: list(own) for (name, _), own in zip(rest, parts, strict=True)}}
    return [found[name] or [] for name in names]


# ---- the table of one column in one tree node: table[value, class], values as they are ----

Ints = NDArray[np.int64]
Counted = Sequence[tuple[NDArray[Any], Ints | None]]  # the class of each entry, and its weight: None is 1


class ValueTable(NamedTuple):
    """table[code, class], missing last. values[code]: rising numbers that the codes stand for; None: the
    column has codes of its own. cuts: how many cuts are allowed, where the table has only the two sides of
    the best of them; -1: those of the table.
    """

    table: Ints
    values: NDArray[np.float64] | None = None
    cuts: int = -1


class RankedPiece(NamedTuple):
    """A range of the values of a column: rising, and counts[value, label] of the rows that have each.
    before[label], first: rows, and distinct values, that are lower and not here.
    """

    values: NDArray[np.float64]
    counts: Ints
    before: Ints
    first: int


class RankedValues(Protocol):
    """All rows of a column in the order of its values, in pieces. totals[label]: rows that have a value;
    distinct: different values.
    """

    @property
    def totals(self) -> Ints: ...

    @property
    def distinct(self) -> int: ...

    def ask(self, work: Callable[[RankedPiece], Any]) -> list[Any]:
        """Return work(piece) of all pieces, in their order."""
        ...


def values_at(piece: RankedPiece, ranks: Iterable[int]) -> dict[int, float]:
    """Return the value of the rows of some ranks, of those that are in a piece."""
    own = piece.counts.sum(axis=1)
    upto = int(piece.before.sum()) + np.cumsum(own)
    here = [r for r in ranks if len(own) and upto[0] - own[0] <= r < upto[-1]]
    return {r: float(piece.values[np.searchsorted(upto, r, side="right")]) for r in here}


def column_of(found: Any) -> ValueTable:
    """Return the table of a column of codes or of numbers."""
    return found if isinstance(found, ValueTable) else ValueTable(found)


def no_values(width: int) -> ValueTable:
    """Return the table of no rows."""
    return ValueTable(np.zeros((1, width), np.int64), np.zeros(0))


def value_table(values: NDArray[np.float64], counted: Counted, width: int) -> ValueTable:
    """Return the table of some entries; values that weigh nothing are not there."""
    ranks = kernels.ranks(np.ascontiguousarray(values))
    table = np.zeros((len(ranks.distinct) + 1, width), np.int64)
    for label, weights in counted:
        kernels.count_columns([ranks.codes], label, [len(table)], width, weights=weights, out=[table])
    return _present(table, ranks.distinct)


def merge_tables(one: ValueTable, other: ValueTable) -> ValueTable:
    """Return the table of two sets of rows."""
    return join_tables([one, other])


def join_tables(parts: Sequence[ValueTable]) -> ValueTable:
    """Return the table of several sets of rows. Counts of parts may be of any type that holds them."""
    missing = np.stack([part.table[-1] for part in parts]).sum(axis=0, dtype=np.int64)
    filled = [part for part in parts if len(part.table) > 1]
    if not filled:
        return ValueTable(missing[None], np.zeros(0))
    if len(filled) == 1:
        table = np.concatenate([filled[0].table[:-1], missing[None]]).astype(np.int64, copy=False)
        return ValueTable(table, filled[0].values)
    ranks = kernels.ranks(np.concatenate([part.values for part in filled if part.values is not None]))
    k = len(ranks.distinct)
    table = np.empty((k + 1, len(missing)), np.int64)
    for c in range(len(missing)):
        weights = np.concatenate([part.table[:-1, c] for part in filled]).astype(np.int64, copy=False)
        table[:k, c] = kernels.count_classes(ranks.codes, k, weights)
    table[k] = missing
    return ValueTable(table, ranks.distinct)


def sum_of(table: Ints) -> Ints:
    """Return the sum of the lines of a table: class by class, since they are many and classes are few."""
    return np.array([table[:, c].sum() for c in range(table.shape[1])], np.int64)


def _present(table: Ints, values: NDArray[np.float64]) -> ValueTable:
    here = table[:-1, 0] != 0
    for c in range(1, table.shape[1]):
        here |= table[:-1, c] != 0
    if here.all():
        return ValueTable(table, values)
    return ValueTable(np.ascontiguousarray(table[np.append(here, True)]), values[here])


# ---- columns reduced to a few values, and how often the values of two columns coincide, by class ----

Codes = NDArray[np.uint32]
Counts = NDArray[np.int64]


@dataclass(frozen=True)
class FewValues:
    """A column reduced to `size` values, and missing as one more; gaps: some row is missing.

    into[code]: the value of a level; of numbers starts[i], rising, and into[i] from there on.
    """

    name: str
    size: int
    gaps: bool
    into: Codes
    starts: NDArray[np.float64] | None = None

    @classmethod
    def of_levels(cls, name: str, counts: Counts, most: int) -> FewValues:
        """Return a column of levels: the most frequent, and the others as one. counts[level], then
        missing.
        """
        k = len(counts) - 1
        into = np.zeros(k + 2, np.uint32)
        if k > most:
            into[np.argsort(-counts[:k], kind="stable")] = np.minimum(np.arange(k), most)
        else:
            into[:k] = np.arange(k)
        size = int(into.max()) + 1
        into[k:] = size
        return cls(name, size, bool(counts[k] > 0), into)

    @classmethod
    def of_numbers(cls, name: str, order: RankedValues, rows: int, bins: int) -> FewValues:
        """Return a column of numbers in bins of about equal counts; rows: of the table."""
        known = int(order.totals.sum())
        items = [pair for part in order.ask(BinStarts(known, order.distinct, bins)) for pair in part]
        first: dict[int, float] = {}
        for at, value in items:  # in the order of the values
            first.setdefault(at, value)
        into = np.array(list(first), np.uint32)
        size = int(into.max(initial=0)) + 1
        return cls(name, size, known < rows, into, np.array(list(first.values()), np.float64))

    def codes(self, block: Block) -> Codes:
        """Return the value of each row, missing as the last."""
        if self.starts is None:
            return np.asarray(self.into[block.codes(self.name)])
        values = block.values(self.name)
        place = np.searchsorted(self.starts, values, side="right") - 1
        gone = np.isnan(values)
        out = np.full(len(values), self.size, np.uint32)
        out[~gone] = self.into[place[~gone]]
        return out

    @property
    def many(self) -> int:
        """How many values there are, missing among them where some row has none."""
        return self.size + int(self.gaps)


def bins_of(own: Counts, before: int, first: int, rows: int, distinct: int, bins: int) -> Counts:
    """Return the bin of some of all distinct values, in their order: bins of about equal counts, or one for
    each value where they are few. own[value]: its rows; before, first: rows and values that are lower; rows:
    that have a value.
    """
    if distinct <= bins:
        return first + np.arange(len(own))
    out: Counts = (before + np.cumsum(own) - own) * bins // max(rows, 1)
    return out


@dataclass(frozen=True)
class BinStarts:
    """Ask a piece where bins of equal counts begin in it. rows: that have a value; distinct: values."""

    rows: int
    distinct: int
    bins: int

    def __call__(self, piece: RankedPiece) -> list[tuple[int, float]]:
        """Return (bin, its first value here)."""
        own, before = piece.counts.sum(axis=1), int(piece.before.sum())
        at = bins_of(own, before, piece.first, self.rows, self.distinct, self.bins)
        new = np.flatnonzero(np.diff(at, prepend=-1))
        return list(zip(at[new].tolist(), piece.values[new].tolist(), strict=True))


@dataclass(frozen=True)
class PairCounts(Statistic[list[Counts]]):
    """Ask how often the values of two columns come together: counts[pair][value, value, class]; pairs: places
    among the columns.
    """

    columns: tuple[FewValues, ...]
    pairs: tuple[tuple[int, int], ...]
    classes: int

    def zero(self) -> list[Counts]:
        return [np.zeros(self._shape(pair), np.int64) for pair in self.pairs]

    def add(self, total: list[Counts], block: Block) -> list[Counts]:
        codes = {i: self.columns[i].codes(block) for i in {i for pair in self.pairs for i in pair}}
        own: Any = classes_of(block) if self.classes > 1 else np.zeros(block.rows, np.uint8)
        for pair, counts in zip(self.pairs, total, strict=True):
            a, b, k = self._shape(pair)
            both = codes[pair[0]] * np.uint32(b) + codes[pair[1]]
            kernels.count_codes(both, own, a * b, k, weights=block.weights, out=counts.reshape(a * b, k))
        return total

    def merge(self, total: list[Counts], other: list[Counts]) -> list[Counts]:
        return [a + b for a, b in zip(total, other, strict=True)]

    def _shape(self, pair: tuple[int, int]) -> tuple[int, int, int]:
        return self.columns[pair[0]].many + 1, self.columns[pair[1]].many + 1, self.classes


# ---- extremes, marks of missing values and target leakage of a column, from its pieces ----
# Law: the result is that of all values at once; what a piece returns does not grow with the rows.

Floats = NDArray[np.float64]


def one_label(block: Block) -> NDArray[Any]:
    """Return the same label for each row."""
    return np.zeros(block.rows, np.uint8)


class RangeEnds(NamedTuple):
    """The two lowest and the two highest values of a piece, each with its rows, how many values are lower,
    and the piece's runs.
    """

    low: list[tuple[float, int]]
    high: list[tuple[float, int]]
    first: int
    runs: one_column_rules.PieceRuns


def ends_of(piece: RankedPiece) -> RangeEnds:
    """Return the ends of a piece."""
    pairs = [
        list(zip(piece.values[some].tolist(), piece.counts[some].sum(axis=1).tolist(), strict=True))
        for some in (slice(None, 2), slice(-2, None))
    ]
    return RangeEnds(pairs[0], pairs[1], piece.first, one_column_rules.piece_runs(piece.counts))


def _runs_of(piece: RankedPiece) -> Floats:
    return one_column_rules.runs_of(piece.counts)


def _whole(piece: RankedPiece) -> bool:
    return bool((np.floor(piece.values) == piece.values).all())


@dataclass(frozen=True)
class CutIn:
    """Ask a piece how well its best cut predicts the class. totals[class]: rows of all pieces."""

    totals: Counts

    def __call__(self, piece: RankedPiece) -> float:
        """Return the probability that two rows on one side are of one class."""
        return one_column_rules.one_cut(piece.counts, piece.before, self.totals)


@dataclass(frozen=True)
class WrongIn:
    """Ask a piece how few rows small trees get wrong in it. goes_on[first]: whether its first run goes on
    with the last of the piece before, by how many values are lower.
    """

    most: int
    goes_on: dict[int, bool]

    def __call__(self, piece: RankedPiece) -> Floats:
        """Return wrong[class before, cuts, class in hand]."""
        return one_column_rules.wrong_between(piece.counts, self.most, self.goes_on[piece.first])


@dataclass(frozen=True)
class ValueRanges:
    """A column of numbers in ranges of its values; some row has one. missing[class]: rows without one.

    unit: what a row of weight 1 counts for; near: the ranges are here, and so may be all runs at once.
    """

    order: RankedValues
    missing: Counts
    unit: int = 1
    near: bool = False

    @cached_property
    def ends(self) -> list[RangeEnds]:
        """The ends of all pieces."""
        found: list[RangeEnds] = self.order.ask(ends_of)
        return found

    @cached_property
    def extremes(self) -> list[tuple[float, int]]:
        """The two lowest and the two highest values, each with its rows; a column of fewer than four has the
        same ones twice.
        """
        low = [pair for piece in self.ends[:2] for pair in piece.low]
        high = [pair for piece in self.ends[-2:] for pair in piece.high]
        return [*low[:2], *high[-2:]]

    @property
    def few(self) -> tuple[Floats, Counts]:
        """Values with row counts, enough for `sentinels()`: the two lowest and the two highest, and all other
        rows counted to the second.
        """
        found = dict(self.extremes if self.order.distinct else [])
        values = np.array(sorted(found))
        counts = np.array([found[v] for v in values.tolist()])
        if self.order.distinct > len(values):
            counts[1] += int(self.order.totals.sum()) - int(counts.sum())
        return values, counts

    @cached_property
    def runs(self) -> tuple[int, list[bool]]:
        """How many runs there are, and which pieces go on with one."""
        return one_column_rules.joined_runs([piece.runs for piece in self.ends])

    def alone(self, among: int) -> one_column_rules.Alone | None:
        """Return the finding if the column predicts the class nearly perfectly alone; among: columns
        searched.
        """
        found = one_column_rules.RunsFound(self.order.totals, self.missing, self.order.distinct, self.runs[0])
        return one_column_rules.by_runs(found, self._fewest, among, self.unit)

    def in_order(self) -> InOrder | None:
        """Return the finding if the order of whole numbers predicts the class far better than one cut."""
        rows = float(self.order.totals.sum()) / self.unit
        if self.order.distinct < one_column_rules.NUMBERED * rows or not all(self.order.ask(_whole)):
            return None
        cut = max(self.order.ask(CutIn(self.order.totals)))
        return one_column_rules.in_order(self.order.distinct, rows, self.runs[0], cut)

    def _fewest(self, most: int) -> list[float]:
        """Return the fewest wrong rows with 0 to `most` cuts. Of a remote table each piece returns them for
        every class before it: the cube of the classes, but no runs are sent.
        """
        if self.near:
            own = self.order.ask(_runs_of)
            return one_column_rules.fewest_wrong(one_column_rules.runs_in_hand(own, self.runs[1]), most)
        goes_on = {piece.first: own for piece, own in zip(self.ends, self.runs[1], strict=True)}
        return one_column_rules.wrong_of_all(self.order.ask(WrongIn(most, goes_on)))
