"""The numbers of `ts.describe` column by column: gains, counts, distributions, checks, and very long columns.

Parts: information gain from counts; counts asked of an engine, entry `TableCounts`; views of columns, entry
`views()`; checks of suspicious values; columns of numbers by ranges, entry `ranged()`.
gain = bits by which a split lowers the entropy of the class; left = gain less the bits that describe the
split. Law: the description depends on the multiset of rows, not on their order.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache, reduce
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tallystick import kernels
from tallystick.contracts import Engine, Table
from tallystick.description.changes import Changes
from tallystick.draw.charts import bar_chart
from tallystick.draw.svg import Picture, as_html, framed, html_lines
from tallystick.errors import Argument, Message, shown, some
from tallystick.schema import CODED, Column, Note, Target
from tallystick.stats import one_column_rules
from tallystick.stats.binning import after_price, cut_bits, word_bits
from tallystick.stats.class_counts import Ask, BayesSums, ClassValues, Total, ValuesByClass, key
from tallystick.stats.exact import digits, exact_total, joined, nearest
from tallystick.stats.leakage import DiskRanker, in_hand
from tallystick.stats.values import RankedPiece, RankedValues, ValueRanges, values_at
from tallystick.table.block import Conflicts, classes_of
from tallystick.table.suspicious_values import folded, sentinels
from tallystick.table.table import LocalTable

# Information gain, gain ratio and best cut of columns, from counts alone.
# Law: every number follows from the integer counts by the formulas in the docstrings; equal splits tie
# exactly.
# Missing is a value like another: rows without a value are a branch of their own, in the gain and in the
# entropy of the split itself. Columns are ranked by the gain that is left after its price (`stats.price`: the
# bits that describe which cut, levels or word were chosen, over all rows).

Counts = NDArray[np.int64]
Floats = NDArray[np.float64]
SMALL = 1 << 14
AT_ONCE = 1 << 16  # splits that are priced at once


@dataclass(frozen=True, slots=True)
class Gain:
    """What a split on one column gains, in bits, and what is `left` of it after its price; `at`: the first
    value on the upper side of a cut.
    """

    gain: float
    ratio: float
    left: float
    at: int | None = None


@dataclass(frozen=True)
class Stack:
    """Counts of several columns one below the other, so that thousands of short ones are worked out at once.

    counts[place, class]: the values of column j are the places starts[j] up to starts[j + 1], at least one;
    missing[column, class]: rows without a value.
    """

    counts: Counts
    starts: NDArray[np.intp]
    missing: Counts

    @classmethod
    def of(cls, tables: Sequence[Counts]) -> Stack:
        """Return a stack of counts[code, class], the last code of each being missing."""
        lengths = np.array([len(table) - 1 for table in tables], np.intp)
        counts = tables[0][:-1] if len(tables) == 1 else np.concatenate([table[:-1] for table in tables])
        return cls(counts, np.cumsum(lengths) - lengths, np.stack([table[-1] for table in tables]))

    @cached_property
    def lengths(self) -> NDArray[np.intp]:
        """The number of places of each column."""
        return np.diff(np.append(self.starts, len(self.counts)))

    @cached_property
    def sizes(self) -> Counts:
        """Rows of each place."""
        sizes: Counts = self.counts.sum(axis=1)
        return sizes

    @cached_property
    def total(self) -> Counts:
        """total[column, class]: rows with a value."""
        return np.add.reduceat(self.counts, self.starts, axis=0)

    @cached_property
    def left(self) -> Counts:
        """left[place, class]: rows of the column up to this place and with it."""
        left = np.cumsum(self.counts, axis=0)
        before = left[self.starts] - self.counts[self.starts]
        return left - self.spread(before) if len(self.starts) > 1 else left

    def spread(self, each: NDArray[Any]) -> NDArray[Any]:
        """Return something of each column at all its places."""
        return np.repeat(each, self.lengths, axis=0)


def n_log2_n(counts: Counts) -> NDArray[np.float64]:
    """Return n·log2(n) for each count; 0 where n is 0."""
    try:
        return _small()[counts]
    except IndexError:  # some are not small
        return np.where(counts > 0, counts * kernels.log2(np.maximum(counts, 1).astype(np.float64)), 0.0)


@lru_cache(maxsize=1)
def _small() -> NDArray[np.float64]:
    """Return n·log2(n) of small counts, worked out once."""
    n = np.arange(SMALL)
    return np.where(n > 0, n * kernels.log2(np.maximum(n, 1).astype(np.float64)), 0.0)


def entropy(counts: Counts) -> float:
    """Return the entropy of counts[class] in bits: log2(n) - sum of n_c·log2(n_c) / n."""
    return float(bits(counts[None])[0]) / max(int(counts.sum()), 1)


def bits(counts: Counts) -> NDArray[np.float64]:
    """Return n times the entropy of each row of counts[row, class], n being the row's sum."""
    own: NDArray[np.float64] = n_log2_n(counts.sum(axis=1)) - n_log2_n(counts).sum(axis=1)
    return np.maximum(own, 0.0)


def _gains(stack: Stack, inside: Floats, sizes: Floats) -> tuple[Floats, Floats]:
    """Return gain and gain ratio of each column. inside: bits left within the branches; sizes: the sum of
    n·log2(n) over the branches.
    """
    missing = stack.missing.sum(axis=1)
    rows = np.maximum(stack.total.sum(axis=1) + missing, 1)
    gain = np.maximum(bits(stack.total + stack.missing) - inside - bits(stack.missing), 0.0) / rows
    own = np.maximum(n_log2_n(rows) - sizes - n_log2_n(missing), 0.0) / rows
    return gain, np.divide(gain, own, out=np.zeros_like(gain), where=own > 0)


def gains_by_levels(stack: Stack) -> tuple[Floats, Floats, Floats]:
    """Return gain, gain ratio and what is left of each column, split into one branch per place."""
    inside = np.add.reduceat(bits(stack.counts), stack.starts)
    gain, ratio = _gains(stack, inside, np.add.reduceat(n_log2_n(stack.sizes), stack.starts))
    parts = zip(
        gain.tolist(), np.split(stack.sizes, stack.starts[1:]), stack.missing.sum(axis=1), strict=True
    )
    return gain, ratio, np.array([after_price(g, sizes, int(gone)) for g, sizes, gone in parts])


def gains_by_cut(stack: Stack) -> tuple[Floats, Floats, Floats, NDArray[np.intp]]:
    """Return gain, gain ratio, what is left, and the best cut of each column: `at`, the first place of the
    upper side, counted from the column's own first; 0 where there is nothing to cut. Ties go to the lowest
    cut: costs are whole numbers.
    """
    right = stack.spread(stack.total)
    right -= stack.left
    rows = int((stack.total + stack.missing).sum(axis=1).max())
    cost = cut_costs(stack.left, right, rows)
    ends = stack.starts + stack.lengths - 1
    cost[ends] = np.iinfo(np.int64).max  # all rows on one side
    best = np.flatnonzero(cost == stack.spread(np.minimum.reduceat(cost, stack.starts)))
    at = best[np.searchsorted(best, stack.starts)]
    found = _gains_of_cuts(stack, stack.left[at], right[at], stack.lengths.tolist())
    return *found, np.where(at < ends, at + 1 - stack.starts, 0)


def _gains_of_cuts(
    stack: Stack, low: Counts, high: Counts, values: Sequence[int]
) -> tuple[Floats, Floats, Floats]:
    """Return gain, gain ratio and what is left of each column, by its two sides low and high[column, class];
    values[column]: how many there are.
    """
    sizes = n_log2_n(low.sum(axis=1)) + n_log2_n(high.sum(axis=1))
    gain, ratio = _gains(stack, bits(low) + bits(high), sizes)
    every = np.maximum((stack.total + stack.missing).sum(axis=1), 1)
    return gain, ratio, np.maximum(gain - np.array([cut_bits(n) for n in values]) / every, 0.0)


def by_levels(counts: Counts, missing: Counts) -> Gain:
    """Return the gain of one branch per level: counts[level, class], missing[class]."""
    gain, ratio, left = gains_by_levels(Stack.of([np.vstack([counts, missing])]))
    return Gain(float(gain[0]), float(ratio[0]), float(left[0]))


def by_word(counts: Counts, rows: Counts) -> Gain | None:
    """Return the best split into texts with and without a word: counts[word, class] of rows[class].

    None when there is no word. Ties go to the first word.
    """
    if len(counts) == 0:
        return None
    at = int(np.argmin(cut_costs(counts, rows - counts, int(rows.sum()))))
    branches = np.stack([counts[at], rows - counts[at], np.zeros_like(rows)])
    gain, ratio, _ = gains_by_levels(Stack.of([branches]))
    left = max(float(gain[0]) - word_bits(len(counts)) / max(int(rows.sum()), 1), 0.0)
    return Gain(float(gain[0]), float(ratio[0]), left, at)


def cut_costs(left: Counts, right: Counts, rows: int) -> Counts:
    """Return what each split of at most `rows` rows costs: left, right[split, class].

    n·log2(n) as the whole numbers that trees are grown by: what ties there ties here.
    """
    cost = np.zeros(len(left), np.int64)
    for start in range(0, len(left), AT_ONCE):  # a table on disk has room for little more than the counts
        some = slice(start, start + AT_ONCE)
        for side in (left[some], right[some]):
            cost[some] += _whole_n_log2_n(side.sum(axis=1), rows) - _whole_n_log2_n(side, rows).sum(axis=1)
    return cost


def _whole_n_log2_n(counts: Counts, rows: int) -> Counts:
    if rows < SMALL:
        return _whole_small(rows)[counts]
    flat = np.ascontiguousarray(counts).ravel()
    return kernels.n_log2_n(flat, rows).reshape(counts.shape)


@lru_cache(maxsize=1)
def _whole_small(rows: int) -> Counts:
    return kernels.n_log2_n(np.arange(rows + 1), rows)


def summed(place: NDArray[np.int64], counts: Counts, places: int) -> Counts:
    """Return the sums of counts[row, class] over rows of one place. Doubles hold such sums exactly."""
    columns = [np.bincount(place, own, places).astype(np.int64) for own in counts.T]
    return np.stack(columns, axis=1)


def midpoint(low: float, high: float) -> float:
    """Return the cut between two neighbouring values: x < cut is left; never the lower value itself."""
    middle = low / 2 + high / 2 if abs(low) > 1 and abs(high) > 1 else (low + high) / 2
    return high if middle <= low else middle


# The counts of a description: a few statistics, computed by any engine.
# Law: where the rows are stored decides only how many columns are asked for at once, never a count.

TOGETHER = 1 << 18  # values of columns that are computed at once, so that their counts stay in the cache
FAR = 8  # numeric columns of remote rows in one question, however many values they have
MANY = 1 << 20  # remote rows, beyond which numeric columns are described by ranges of their values
MOST_CLASSES = 32  # classes up to which they are


@dataclass(frozen=True)
class Group:
    """Columns of one sort (numeric, ordered, or levels) that have a value each, with all their counts.

    values[column]: the distinct numbers, rising; none of levels.
    """

    columns: list[Column]
    stack: Stack
    values: list[Floats]


@dataclass
class TableCounts:
    """What a description asks of a table."""

    table: Table
    engine: Engine
    sums: Total = field(init=False)

    def __post_init__(self) -> None:
        target = self.table.schema.target
        self.n_classes = 1 if target is None else len(target.labels)
        self.coded = [c for c in self.table.schema.used if c.kind != "numeric"]
        asks = tuple(
            Ask(c.name, "codes", len(c.levels)) if c.kind in CODED else Ask(c.name, "once", len(c.words))
            for c in self.coded
        )
        self.sums = self.engine.total(self.table, BayesSums(asks, self.n_classes))

    @property
    def numeric(self) -> list[Column]:
        """The columns of numbers."""
        return [c for c in self.table.schema.used if c.kind == "numeric"]

    @cached_property
    def ranker(self) -> Any:
        """Who ranks rows that are far away, or on disk, and many; None: their values come here."""
        if self.n_classes > MOST_CLASSES:
            return None
        if not isinstance(self.table, LocalTable):
            return None if self.table.rows <= MANY else self.table.ranker()
        return None if in_hand(self.table, self.n_classes) else DiskRanker(self.table)

    @property
    def classes(self) -> Counts:
        """The rows of each class; without a target all are of one."""
        return self.sums[""]

    def groups(self) -> Iterator[Group]:
        """Yield all columns of numbers and levels that have a value."""
        numeric = [] if self.ranker is not None else self.numeric
        size = max(1 if isinstance(self.table, LocalTable) else FAR, TOGETHER // max(self.table.rows, 1))
        while size > 1 and not in_hand(self.table, self.n_classes, min(size, len(numeric))):
            size -= 1
        for start in range(0, len(numeric), size):
            some = numeric[start : start + size]
            question = ClassValues(tuple(c.name for c in some), self.n_classes)
            found: list[ValuesByClass] = self.engine.total(self.table, question)
            there = [(c, one) for c, one in zip(some, found, strict=True) if len(one.values)]
            if there:
                counts = [np.vstack([one.counts, one.missing[None]]) for _, one in there]
                yield Group([c for c, _ in there], Stack.of(counts), [one.values for _, one in there])
        for sort in (("levels", "boolean"), ("ordered",)):
            yield from self._levels([i for i, c in enumerate(self.coded) if c.kind in sort and c.levels])

    def _levels(self, places: list[int]) -> Iterator[Group]:
        held, some = 0, list[int]()
        for at in (*places, None):
            size = 0 if at is None else len(self.coded[at].levels)
            if some and (at is None or held + size > TOGETHER):
                counts = [self.sums[key(i, "counts")] for i in some]
                yield Group([self.coded[i] for i in some], Stack.of(counts), [])
                held, some = 0, []
            if at is not None:
                held, some = held + size, [*some, at]

    def texts(self) -> Iterator[tuple[Column, Any]]:
        """Yield each text column with counts[word, class] of the rows that have the word, then of the rows
        without any, and of all rows.
        """
        for i, column in enumerate(self.coded):
            if column.kind == "text":
                counts, none = self.sums[key(i, "counts")], self.sums[key(i, "missing")]
                yield column, np.vstack([counts, none[None], self.classes[None]])


QUANTILES = (5, 25, 75, 95)  # percent, beside the median
LARGE = 1e280  # magnitude up to which any number of rows can be summed in doubles
BINS = 12  # bins in the small distribution of a numeric column
SHOWN_LEVELS = 50  # levels listed in a description; the rest is one sum


@dataclass(frozen=True, slots=True)
class Part:
    """One part of a distribution: a level, or the numbers from `low` up to the next part.

    by_class: its rows in each class, where there is a target.
    """

    label: str
    rows: int
    low: float | None = None
    by_class: tuple[int, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return the part as plain data."""
        out: dict[str, Any] = {"rows": self.rows}
        out |= {"low": self.low} if self.low is not None else {"level": self.label}
        return out | ({"by_class": list(self.by_class)} if self.by_class else {})


@dataclass(frozen=True, slots=True)
class NumberSummary:
    """The numbers of a column in brief: ends, mean, median, and quantiles by the share of rows below them.

    A quantile between two neighbouring values lies between them in proportion, as in NumPy and pandas.
    """

    low: float
    high: float
    mean: float
    median: float
    quantiles: tuple[tuple[float, float], ...]  # (share, value)

    def to_dict(self) -> dict[str, Any]:
        """Return the summary as plain data."""
        quantiles = {f"{share:g}": value for share, value in self.quantiles}
        ends = {"min": self.low, "max": self.high}
        return ends | {"mean": self.mean, "median": self.median, "quantiles": quantiles}


@dataclass(frozen=True, slots=True)
class ColumnView:
    """One column: what it is taken for and why, what lies in it, and what it says of the class.

    `gain`, `gain_ratio`: in bits, None without a target or for a kind that has none. `left`: what is left of
    the gain after its price, by which columns are ranked; 0 where the price is more than the gain.
    `cut`: numeric: the exact cut of the best split, x < cut on one side; ordered: the first level of the
    upper side; text: the word whose presence says most.
    """

    name: str
    kind: str
    why: str
    missing: int
    distinct: int
    distribution: tuple[Part, ...]
    gain: float | None = None
    gain_ratio: float | None = None
    cut: float | str | None = None
    left: float | None = None
    unit: str = ""  # "date": cut, distribution and numbers are days since 1970-01-01
    numbers: NumberSummary | None = None  # of a numeric column

    @property
    def rank(self) -> tuple[bool, float]:
        """What sorts columns, the most telling first: used before left out, then by what is left."""
        return self.kind == "out", 1.0 if self.left is None else -self.left

    def to_dict(self) -> dict[str, Any]:
        """Return the column as plain data."""
        return {
            "name": self.name,
            "kind": self.kind,
            "why": self.why,
            "missing": self.missing,
            "distinct": self.distinct,
            "distribution": [p.to_dict() for p in self.distribution],
            "numbers": None if self.numbers is None else self.numbers.to_dict(),
            "gain": self.gain,
            "gain_ratio": self.gain_ratio,
            "left": self.left,
            "cut": self.cut,
        } | ({"unit": self.unit} if self.unit else {})


@dataclass(frozen=True, slots=True)
class Description:
    """What a table is taken for. Prints as a page; `to_dict()` has every number."""

    name: str
    rows: int
    columns: tuple[ColumnView, ...]
    notes: tuple[Note, ...]
    target: str = ""
    classes: tuple[Part, ...] = ()
    entropy: float | None = None
    form: str = ""  # how a file was read
    changes: Changes | None = None  # since the training of a model

    def __getitem__(self, name: str) -> ColumnView:
        for column in self.columns:
            if column.name == name:
                return column
        raise KeyError(name)

    def to_dict(self) -> dict[str, Any]:
        """Return the description as plain data."""
        target = {
            "name": self.target,
            "classes": [{"label": p.label, "rows": p.rows} for p in self.classes],
            "entropy": self.entropy,
        }
        return {
            "name": self.name,
            "form": self.form,
            "rows": self.rows,
            "target": target if self.target else None,
            "columns": [c.to_dict() for c in self.columns],
            "notes": [n.to_dict() for n in self.notes],
        } | ({} if self.changes is None else {"against": self.changes.to_dict()})

    def picture(self, most: int = 30) -> Picture:
        """Return the information gain of the columns as bars, in the order of what is left after its price;
        without a target their missing rows.
        """
        if not self.target:
            missing = [(c.name, float(c.missing)) for c in self.columns[:most]]
            return Picture(bar_chart(missing, "rows without a value", f"columns of {self.name}"))
        ranked = sorted(self.columns, key=lambda c: c.rank)
        bars = [(c.name, c.gain) for c in ranked[:most] if c.gain is not None]
        words = f"information gain about {self.target}, bits; in the order of what is left after its price"
        return Picture(bar_chart(bars, words, "gains"))

    def _repr_html_(self) -> str:
        from tallystick.description.text import page

        if self.changes is not None:
            return as_html(self)
        return framed(html_lines(page(self)), self.picture())

    def __str__(self) -> str:
        from tallystick.description.text import page
        from tallystick.draw.svg import plain

        return plain(page(self)) if self.changes is None else str(self.changes)

    __repr__ = __str__


def level_parts(labels: tuple[str, ...], counts: Counts) -> tuple[Part, ...]:
    """Return the most frequent levels, in schema order when all fit, and the rest as one part.

    counts[level, class]; without a target there is one class, and parts do not name it.
    """
    if len(labels) <= SHOWN_LEVELS:
        return tuple(_part(t, n) for t, n in zip(labels, counts.tolist(), strict=True))
    first = np.argsort(-counts.sum(axis=1), kind="stable")[:SHOWN_LEVELS]
    rest = counts.sum(axis=0) - counts[first].sum(axis=0)
    return (
        *(_part(labels[i], counts[i].tolist()) for i in first),
        _part(f"{len(labels) - SHOWN_LEVELS:,} more levels", rest.tolist()),
    )


def number_parts(distinct: Sequence[Floats], stack: Stack) -> list[tuple[Part, ...]]:
    """Return, of each column, the rows in BINS equal intervals from lowest to highest, or per value when
    there are few. distinct[column][value]: the places of the stack.
    """
    values = distinct[0] if len(distinct) == 1 else np.concatenate(distinct)
    low, high = values[stack.starts], values[stack.starts + stack.lengths - 1]
    step = bin_step(low, high)
    rows = _bin_rows(values, low, step, stack).tolist()
    many = stack.lengths > BINS
    edges = iter(bin_edges(low[many][:, None], step[many][:, None]).tolist())
    out = []
    for j, own in enumerate(distinct):
        if len(own) <= BINS:
            counts = stack.counts[stack.starts[j] : stack.starts[j] + len(own)].tolist()
            out.append(_parts(own.tolist(), counts))
        else:
            out.append(_parts(next(edges), rows[j]))
    return out


def _bin_rows(values: Floats, low: Floats, step: Floats, stack: Stack) -> Counts:
    """Return counts[column, bin, class]. The values of a column rise, and so do their bins: where each bin
    ends is found by halving, without a look at most values.
    """
    starts = np.repeat(stack.starts, BINS - 1)
    below, above = starts, starts + np.repeat(stack.lengths, BINS - 1)
    first, width = np.repeat(low, BINS - 1), np.repeat(step, BINS - 1)
    wanted = np.tile(np.arange(1, BINS), len(low))
    while (unsure := below < above).any():
        middle = np.where(unsure, (below + above) // 2, starts)
        under = bin_places(values[middle], first, width) < wanted
        below = np.where(unsure & under, middle + 1, below)
        above = np.where(unsure & ~under, middle, above)
    ends = np.where((below > starts)[:, None], stack.left[below - 1], 0).reshape(len(low), BINS - 1, -1)
    return np.diff(ends, axis=1, prepend=0, append=stack.total[:, None])


def bin_step(low: Any, high: Any) -> Any:
    """Return the width of the bins between two numbers."""
    step = high / BINS - low / BINS
    return np.where(step > 0, step, np.nextafter(0.0, 1.0))  # the range may be below what a double can divide


def bin_places(values: Floats, low: Any, step: Any) -> Counts:
    """Return the bin of each value."""
    place = (values / BINS - low / BINS) / step * BINS
    return np.asarray(np.clip(place.astype(np.int64), 0, BINS - 1))


def bin_edges(low: Any, step: Any) -> Floats:
    """Return where each bin begins."""
    return np.asarray(low + np.arange(BINS) * step)


def _summary(values: Floats, counts: Counts) -> NumberSummary:
    """Return the numbers of a column in brief; the sums are exact, so that no order of rows is in them."""
    ends = np.cumsum(counts)
    rows, low, high = int(ends[-1]), float(values[0]), float(values[-1])
    total = exact_total(terms_of_mean(values, counts, rows, is_small(low, high)))
    ranks = ranks_wanted(rows)
    at = values[np.searchsorted(ends, ranks, side="right")].tolist()
    return summary_of(low, high, total, rows, dict(zip(ranks, at, strict=True)))


def is_small(low: float, high: float) -> bool:
    """Say whether numbers up to these can be summed; else the sum may be beyond the largest double, which no
    mean is.
    """
    return max(-low, high) < LARGE


def terms_of_mean(values: Floats, counts: Counts, rows: int, small: bool) -> Floats:
    """Return what is summed for the mean: the sum of all rows, or of numbers that are not small the mean."""
    return np.asarray(values * counts if small else values * (counts / rows))


@lru_cache(maxsize=256)
def ranks_wanted(rows: int) -> tuple[int, ...]:
    """Return the ranks of the rows that quantiles lie between."""
    places = [divmod((rows - 1) * share, 100) for share in (*QUANTILES, 50)]
    return tuple(sorted({at + step for at, rest in places for step in (0, int(rest > 0))}))


def summary_of(low: float, high: float, total: float, rows: int, at: Mapping[int, float]) -> NumberSummary:
    """Return numbers in brief. total: the sum of `terms_of_mean`; at[rank]: the value of a row."""

    def quantile(share: int) -> float:
        """Return what so many percent of the rows lie below."""
        rank, rest = divmod((rows - 1) * share, 100)
        below, above = at[rank], at[rank + int(rest > 0)]
        return below if below == above else below * ((100 - rest) / 100) + above * (rest / 100)

    mean = total / rows if is_small(low, high) else total
    quantiles = tuple((share / 100, quantile(share)) for share in QUANTILES)
    return NumberSummary(low, high, mean, quantile(50), quantiles)


def _part(label: str, counts: list[int], low: float | None = None) -> Part:
    return Part(label, sum(counts), low, tuple(counts) if len(counts) > 1 else ())


def _parts(lows: list[float], counts: list[list[int]]) -> tuple[Part, ...]:
    """Return the numbers from each low one on, by counts[part][class]."""
    if len(counts[0]) == 1:
        return tuple([Part("", rows, low) for low, (rows,) in zip(lows, counts, strict=True)])
    return tuple([_part("", some, low) for low, some in zip(lows, counts, strict=True)])


def views(group: Group, known: bool) -> list[ColumnView]:
    """Return the columns of a group. known: there is a target; else there is one class, and no gain."""
    columns, stack, distinct = group.columns, group.stack, group.values
    kind = columns[0].kind
    cuts: list[float | str | None] = [None] * len(columns)
    gains: list[tuple[float | None, float | None, float | None]] = [(None, None, None)] * len(columns)
    if known and kind in ("numeric", "ordered"):
        gain, ratio, left, at = (each.tolist() for each in gains_by_cut(stack))
        found = zip(gain, ratio, left, at, strict=True)
        gains = [(g, r, rest) if a else (None, None, None) for g, r, rest, a in found]
        if kind == "numeric":
            cuts = [
                midpoint(float(v[a - 1]), float(v[a])) if a else None
                for v, a in zip(distinct, at, strict=True)
            ]
        else:
            cuts = [c.levels[a] if a else None for c, a in zip(columns, at, strict=True)]
    elif known:
        gains = list(zip(*(each.tolist() for each in gains_by_levels(stack)), strict=True))
    starts, ends = stack.starts.tolist(), (stack.starts + stack.lengths).tolist()
    numbers: list[NumberSummary | None] = [None] * len(columns)
    if kind == "numeric":
        parts = number_parts(distinct, stack)
        numbers = [
            _summary(values, stack.sizes[start : start + len(values)])
            for values, start in zip(distinct, starts, strict=True)
        ]
    else:
        parts = [
            level_parts(c.levels, stack.counts[start:end])
            for c, start, end in zip(columns, starts, ends, strict=True)
        ]
    filled = np.add.reduceat((stack.sizes > 0).astype(np.int64), stack.starts).tolist()
    missing = stack.missing.sum(axis=1).tolist()
    return [
        ColumnView(
            c.name,
            c.kind,
            c.why,
            missing[j],
            filled[j],
            parts[j],
            *gains[j][:2],
            cuts[j],
            gains[j][2],
            c.unit,
            numbers[j],
        )
        for j, c in enumerate(columns)
    ]


def bare_view(column: Column) -> ColumnView:
    """Return a column of which nothing is counted: left out, or without any value."""
    return ColumnView(column.name, column.kind, column.why, column.missing, 0, ())


def text_view(column: Column, counts: Counts, known: bool) -> ColumnView:
    """Return a text column by counts[word, class], then the rows without any word, and all rows."""
    best = by_word(counts[:-2], counts[-1]) if known else None
    base = (column.name, column.kind, column.why, column.missing, len(column.words), ())
    if best is None or best.at is None:
        return ColumnView(*base)
    return ColumnView(*base, best.gain, best.ratio, column.words[best.at], best.left)


def class_parts(target: Target, sizes: Counts) -> tuple[tuple[Part, ...], float]:
    """Return the classes with their rows, and the entropy of the class in bits."""
    parts = tuple(Part(t, int(n)) for t, n in zip(target.labels, sizes, strict=True))
    return parts, entropy(sizes)


# Checks of suspicious values: levels that are perhaps one, columns that give the target away, equal rows of
# different classes. They need all values, so `describe` makes them and `fit` does not.

MANY_LEVELS = 5_000  # levels, beyond which names are not compared
CHANGES = 20  # changes of counts from value to value that two columns do not share by chance
SHORT, MORE = 4, 2  # letters that two near-equal levels share at least, and that one has more at most


def alike(column: Column, rows: Sequence[int]) -> Iterator[Note]:
    """Yield notes on levels that differ only in letter case or spaces, or by a letter or two at the end.

    rows[level]: how many have it.
    """
    if len(column.levels) > MANY_LEVELS or column.kind == "boolean":
        return
    groups: dict[str, list[str]] = {}  # the levels of each spelling, the most frequent first
    for _, level in sorted(zip((-int(n) for n in rows), column.levels, strict=True)):
        groups.setdefault(folded(level), []).append(level)
    same = [level for group in groups.values() if len(group) > 1 for level in group]
    if same:
        what = "has levels that differ only in letter case or spaces"
        several = {group[0]: group[1:] for group in groups.values() if len(group) > 1}
        cure = Argument("merge", {text: sorted(several[text]) for text in sorted(several)})
        text = Message(
            f"column {shown(column.name)} {what}: {some(same, 6)}. To read them as one pass ", cure, "."
        )
        yield Note("levels-alike", text, column.name, len(same))
    names = sorted(groups)
    near = [
        (groups[a][0], groups[b][0])
        for a, b in pairwise(names)
        if b.startswith(a) and len(a) >= SHORT and 0 < len(b) - len(a) <= MORE and b.isalpha()
    ]
    if near:
        listed = " and ".join(map(shown, near[0]))
        more = f" ({len(near):,} such pairs)" if len(near) > 1 else ""
        cure = Argument("merge", {near[0][1]: [near[0][0]]})
        text = Message(
            f"column {shown(column.name)} has levels that may mean the same: {listed}{more}. If so, pass ",
            cure,
            ".",
        )
        yield Note("levels-alike", text, column.name, len(near))


def prints(columns: Sequence[Column], stack: Stack) -> Iterator[tuple[str, bytes]]:
    """Yield of each column of numbers by what it is known again in another unit: how many rows of each class
    each of its values has, from the lowest value on or from the highest, whichever is less. A column where
    these hardly change is known by nothing.
    """
    ends = (stack.starts + stack.lengths).tolist()
    for column, start, end, missing in zip(columns, stack.starts.tolist(), ends, stack.missing, strict=True):
        counts = stack.counts[start:end]
        if np.count_nonzero((counts[1:] != counts[:-1]).any(axis=1)) >= CHANGES:
            ways = min(np.ascontiguousarray(way).tobytes() for way in (counts, counts[::-1]))
            yield column.name, hashlib.sha256(missing.tobytes() + ways).digest()


def repeated(known: Sequence[tuple[str, bytes]]) -> Iterator[Note]:
    """Yield notes on columns that repeat an earlier one in another unit."""
    first: dict[bytes, str] = {}
    for name, mark in known:
        if (of := first.setdefault(mark, name)) != name:
            text = (
                f"column {shown(name)} repeats {shown(of)}, perhaps in another unit: value by value they lie "
                "in as many rows of each class. One of the two is enough."
            )
            yield Note("repeats", text, name)


def giveaways(names: Sequence[str], stack: Stack, levels: bool, among: int) -> list[Note | None]:
    """Return, of each column that alone gives the target nearly perfectly, a note.

    levels: whether each place is a level, or a number among others in their order. among: columns in all.
    """
    find_rule = one_column_rules.by_levels if levels else one_column_rules.by_cuts
    ends = (stack.starts + stack.lengths).tolist()
    out: list[Note | None] = []
    for name, start, end, missing in zip(names, stack.starts.tolist(), ends, stack.missing, strict=True):
        found = find_rule(stack.counts[start:end], missing, among)
        out.append(None if found is None else given_away(name, found))
    return out


def given_away(name: str, found: one_column_rules.Alone) -> Note:
    """Return the note on a column that gives nearly everything away."""
    text = Message(
        f"column {shown(name)} {found.found}. Make sure that it is known before the target is; "
        "if not, leave it out: ",
        Argument("kinds", {name: "out"}),
        ".",
    )
    return Note("giveaway", text, name, int(found.rows - found.wrong))


def unavoidable(found: Conflicts) -> Iterator[Note]:
    """Yield a note on equal rows of different classes, with the error that no model can avoid."""
    if found.lost > 0:
        text = (
            f"{found.rows:,.10g} rows are equal to others but of another class, so no model of these columns "
            f"gets more than {1 - found.lost / found.total:.2%} of these rows right."
        )
        yield Note("conflicts", text, count=int(found.rows))


# Numeric columns on Spark or on disk, described by ranges of their values.
# Law: the description is that of all values at once, number for number; the memory needed here does not grow
# with the rows.

FEW = 1 << 10  # different numbers of a column that may come here


def whole(piece: RankedPiece) -> tuple[Floats, Counts]:
    """Return all values of a piece with their counts."""
    return piece.values, piece.counts


class BestCut(NamedTuple):
    """The best cut of a piece: what it costs, the place of the value below it, that value and the one above
    (None: it is in the next piece), and left[class]: the rows below.
    """

    cost: int
    place: int
    value: float
    above: float | None
    left: Counts


class RangeSums(NamedTuple):
    """counts[bin, class], what is summed for the mean in digits, the values at ranks, and the best cut."""

    bins: Counts
    mean: Counts
    at: dict[int, float]
    cut: BestCut | None


@dataclass(frozen=True)
class SumsOf:
    """Ask a piece for its part of a description. ends: the lowest and the highest value; totals[class]: rows
    with a value; distinct: values; rows: with and without one.
    """

    ends: tuple[float, float]
    totals: Counts
    distinct: int
    rows: int

    def __call__(self, piece: RankedPiece) -> RangeSums:
        """Return the part of a piece."""
        low, high = self.ends
        known, own = int(self.totals.sum()), piece.counts.sum(axis=1)
        place = bin_places(piece.values, low, bin_step(low, high))
        terms = terms_of_mean(piece.values, own, known, is_small(low, high))
        at = values_at(piece, ranks_wanted(known))
        return RangeSums(summed(place, piece.counts, BINS), digits(terms), at, self._cut(piece))

    def _cut(self, piece: RankedPiece) -> BestCut | None:
        left = piece.before + np.cumsum(piece.counts, axis=0)
        if piece.first + len(left) == self.distinct:
            left = left[:-1]  # no value is above the last
        if not len(left):
            return None
        cost = cut_costs(left, self.totals - left, self.rows)
        at = int(np.argmin(cost))
        above = float(piece.values[at + 1]) if at + 1 < len(piece.values) else None
        return BestCut(int(cost[at]), piece.first + at, float(piece.values[at]), above, left[at])


@dataclass(frozen=True)
class RangedNumbers:
    """A column of many different numbers. missing[class]: rows without one."""

    column: Column
    order: RankedValues
    missing: Counts

    @cached_property
    def ranges(self) -> ValueRanges:
        """The counts of ranges of its values."""
        return ValueRanges(self.order, self.missing)

    def view(self, known: bool) -> ColumnView:
        """Return the column; known: there is a target."""
        order, c = self.order, self.column
        low, high = self.ranges.extremes[0][0], self.ranges.extremes[-1][0]
        rows = int(order.totals.sum())
        asked = SumsOf((low, high), order.totals, order.distinct, rows + int(self.missing.sum()))
        found: list[RangeSums] = order.ask(asked)
        total = nearest(reduce(joined, [part.mean for part in found]))
        at = {rank: value for part in found for rank, value in part.at.items()}
        bins = np.sum([part.bins for part in found], axis=0)
        parts = _parts(bin_edges(low, float(bin_step(low, high))).tolist(), bins.tolist())
        numbers = summary_of(low, high, total, rows, at)
        base = (c.name, c.kind, c.why, int(self.missing.sum()), order.distinct, parts)
        if not known:
            return ColumnView(*base, unit=c.unit, numbers=numbers)
        cut = min((p.cut for p in found if p.cut is not None), key=lambda one: (one.cost, one.place))
        above = order.totals - cut.left
        stack = Stack.of([np.stack([cut.left, above, self.missing])])
        gain, ratio, left = _gains_of_cuts(stack, cut.left[None], above[None], [order.distinct])
        later = (p.low[0][0] for p in self.ranges.ends if p.first > cut.place)
        where = midpoint(cut.value, next(later) if cut.above is None else cut.above)
        return ColumnView(*base, float(gain[0]), float(ratio[0]), where, float(left[0]), c.unit, numbers)

    def notes(self, known: bool, among: int) -> Iterator[Note]:
        """Yield what a careful reader would ask; among: columns of the table."""
        if not self.column.unit:
            for mark in sentinels(self.column.name, *self.ranges.few):
                yield mark.note(self.column.name)
        rule = self.ranges.alone(among) if known else None
        if rule is not None:
            yield given_away(self.column.name, rule)


def ranged(counts: TableCounts) -> Iterator[Group | RangedNumbers]:
    """Yield the columns of numbers of many rows, far away or on disk, that have a value, each by itself."""
    for column in counts.numeric if counts.ranker is not None else ():
        order: RankedValues = counts.ranker.ranked(column.name, classes_of, counts.n_classes)
        missing = counts.classes - order.totals
        if order.distinct > FEW:
            yield RangedNumbers(column, order, missing)
        elif order.distinct:
            values, own = (np.concatenate(part) for part in zip(*order.ask(whole), strict=True))
            yield Group([column], Stack.of([np.vstack([own, missing[None]])]), [values])
