"""What has been seen of the numbers of one column so far: counts, a range, and whether they number the rows.

Knows numbers and the rows that count. Knows nothing of texts, files or other columns.
Law: any cut of the rows and any order of merging give the same facts.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from tallystick import kernels
from tallystick.data.read.cells import Floats, SmallIntegers, mark_numbers
from tallystick.data.read.judge import (
    FEW_VALUES,
    MANY_ROWS,
    NumberFacts,
    fills_its_range,
    is_row_index,
    names_an_index,
)
from tallystick.data.read.plan import Asked
from tallystick.data.read.weights import Chosen

Counts = NDArray[np.int64]
LISTED = 5  # rows that an error names
LOOKED = 64  # first values, which tell of most columns that their values are not few
KEY = kernels.hash_text(b"run")  # of the prints that tell a run of whole numbers
RANGE = 1 << 18  # whole numbers whose prints are summed at once
ALL = 1 << 128
NONE = [np.zeros(m, np.int64) for m in range(3)]  # rows of each measure; shared, nobody writes to them


@dataclass
class Places:
    """A bit for each whole number from low to high: 1 where some value is that number."""

    low: float
    high: float
    bits: NDArray[np.uint8] = field(init=False)

    def __post_init__(self) -> None:
        self.bits = np.zeros(int(self.high - self.low) // 8 + 1, np.uint8)

    def add(self, values: NDArray[np.float64]) -> Self:
        """Take in whole numbers of the range."""
        at = (values - self.low).astype(np.int64)
        np.bitwise_or.at(self.bits, at >> 3, np.left_shift(1, at & 7).astype(np.uint8))
        return self

    def merge(self, other: Places) -> Self:
        """Take in the numbers that others saw of the same range."""
        self.bits |= other.bits
        return self

    def count(self) -> int:
        """Return how many different numbers there are."""
        return int(np.bitwise_count(self.bits).sum())


@dataclass
class NumbersSeen:
    """Cells read as numbers. Arrays are [measure], see weights.Chosen.

    rows: all cells of such parts, counted or not. Those with a value are marked (they mean missing), infinite
    or finite. first: the first rows that are infinite. prints: sums that tell whether every whole
    number from low to high is there once; None when some is there twice. places: which whole numbers there
    are, kept in a second look only, when the range is known.
    """

    measures: int
    places: Places | None = None
    distinct: int | None = None  # how many different numbers there are, where all are known
    rows: int = 0
    marked: Counts = field(init=False)
    finite: Counts = field(init=False)
    infinite: Counts = field(init=False)
    low: float = np.inf
    high: float = -np.inf
    whole: bool = True
    binary: bool = True
    first: tuple[int, ...] = ()
    spans: bool = False  # some are durations
    few: frozenset[float] | None = frozenset()  # all different values, if they are whole and few
    prints: list[int] | None = field(init=False)

    def __post_init__(self) -> None:
        self.marked = self.finite = self.infinite = NONE[self.measures]
        self.prints = [0] * self.measures

    @property
    def present(self) -> Counts:
        """Cells with a value."""
        return self.marked + self.infinite + self.finite

    def add(self, part: Floats, marks: tuple[str, ...], chosen: Chosen) -> None:
        """Add the cells of a batch."""
        self.rows += len(part)
        self.spans = self.spans or part.spans
        sentinels, scan = mark_numbers(marks), part.scan
        if scan is None or scan.first_infinity >= 0 or chosen.keep is not None or len(sentinels):
            values, scan = self._finite(part, sentinels, chosen)
            part = Floats(values)
        missing = scan.missing
        more = chosen.filled(part.values, missing) if missing else chosen.every
        self.finite = more if self.finite is NONE[self.measures] else self.finite + more
        if self._range(scan, len(part) - missing, part.lying):
            good = None if missing == 0 else ~np.isnan(part.values)
            self._tell(part.values if good is None else part.values[good], chosen.weights(good))

    def _finite(
        self, part: Floats, sentinels: NDArray[np.float64], chosen: Chosen
    ) -> tuple[NDArray[np.float64], kernels.Scan]:
        """Return the cells that count, without those that mean missing or are infinite, which are noted, and
        one look at them.
        """
        values = chosen.cut(part.values)
        scan = kernels.scan(values) if part.scan is None or chosen.keep is not None else part.scan
        if len(sentinels) and (hit := np.isin(values, sentinels)).any():
            self.marked = self.marked + chosen.count(hit)
            values = np.where(hit, np.nan, values)
            scan = kernels.scan(values)
        if scan.first_infinity >= 0:
            infinite = np.isinf(values)
            self.infinite = self.infinite + chosen.count(infinite)
            self.first = first_rows(self.first, chosen.row_numbers(np.flatnonzero(infinite)[:LISTED]))
            values = np.where(infinite, np.nan, values)
            scan = kernels.scan(values)
        return values, scan

    def add_small(self, part: SmallIntegers, chosen: Chosen) -> None:
        """Add small whole numbers, more than can differ, of which all rows count."""
        low, high = part.present[0], part.present[-1]
        self.rows += len(part)
        self.finite = self.finite + chosen.count(None)
        present = np.array(part.present, np.float64)
        if self._range(kernels.Scan(0, -1, low, high, True, low >= 0 and high <= 1), len(part), present):
            self._tell(present, None)

    def add_counted(self, values: NDArray[np.float64], counts: Counts, asked: Asked) -> None:
        """Add values[value] that occur counts[value, measure] times; NaN does not count."""
        here = ~np.isnan(values) & (counts[:, 0] > 0)
        values, counts = values[here], counts[here]
        marked = np.isin(values, mark_numbers(asked.marks))
        self.marked = self.marked + counts[marked].sum(axis=0)
        self.infinite = self.infinite + counts[np.isinf(values) & ~marked].sum(axis=0)
        good = good_numbers(values, asked)
        self.finite = self.finite + counts[good].sum(axis=0)
        if self._range(kernels.scan(values[good]), int(good.sum()), values[good]):
            self._tell(values[good], counts[good])

    def _range(self, scan: Any, count: int, values: NDArray[Any]) -> bool:
        """Take in the range of so many finite values, and which there are if these are few; say whether the
        values themselves are wanted.
        """
        if not count:
            return False
        low, high = float(scan.low) + 0.0, float(scan.high) + 0.0
        self.low, self.high = min(self.low, low), max(self.high, high)
        self.whole, self.binary = self.whole and scan.whole, self.binary and scan.binary
        if not self.whole or has_repeats(scan, count):
            self.prints = None
        if self.few is not None:
            many = not self.whole or few_values(values[:LOOKED]) is None
            self.few = None if many else few_values(values, self.few)
        return self.places is not None or self.prints is not None

    def _tell(self, values: NDArray[np.float64], counts: Counts | None) -> None:
        """Take in finite values; counts[value, measure], None means 1 each."""
        if self.places is not None:
            self.places.add(values)
        if self.prints is not None:
            hashes = np.zeros((2, len(values)), np.uint64)
            kernels.add_double_hashes(hashes, values, KEY)
            for m in range(self.measures):
                weights = None if counts is None else np.ascontiguousarray(counts[:, m])
                self.prints[m] = (self.prints[m] + kernels.sum_hashes(hashes, weights)) % ALL

    def merge(self, other: NumbersSeen) -> None:
        """Take in the cells of other batches."""
        self.rows += other.rows
        self.spans = self.spans or other.spans
        self.marked = self.marked + other.marked
        self.finite = self.finite + other.finite
        self.infinite = self.infinite + other.infinite
        self.low, self.high = min(self.low, other.low), max(self.high, other.high)
        self.whole, self.binary = self.whole and other.whole, self.binary and other.binary
        self.first = first_rows(self.first, other.first)
        if self.places is not None and other.places is not None:
            self.places.merge(other.places)
        both = None if self.few is None or other.few is None else self.few | other.few
        self.few = None if both is None or not self.whole or len(both) > FEW_VALUES else both
        if not self.whole or self.prints is None or other.prints is None:
            self.prints = None
        else:
            self.prints = [(a + b) % ALL for a, b in zip(self.prints, other.prints, strict=True)]

    def facts(self, total: int, m: int, dated: bool) -> NumberFacts:
        """Return what the judge wants to know."""
        finite = int(self.finite[m])
        if not finite:
            return NumberFacts(total, total, dated=dated, spans=self.spans)
        low, high = self.low + 0.0, self.high + 0.0
        run = self.whole and finite == high - low + 1 and self._all_there(m)
        distinct = self.distinct if self.places is None else self.places.count()
        if distinct is not None:
            run = self.whole and fills_its_range(finite, low, high) and distinct == finite
        binary = self.binary and low < high
        few = 0 if self.few is None or not self.whole else len(self.few)
        return NumberFacts(total, total - finite, low, high, self.whole, binary, run, dated, self.spans, few)

    def may_number_rows(self, name: str, facts: NumberFacts) -> bool:
        """Must it be known which whole numbers are there, to tell whether they number the rows?"""
        known = facts.run or self.places is not None or self.distinct is not None
        if known or facts.measured or not facts.whole or facts.missing == facts.total:
            return False
        present = facts.total - facts.missing
        matters = present >= MANY_ROWS or is_row_index(name, facts) or names_an_index(name)
        return matters and fills_its_range(present, facts.low, facts.high)

    def _all_there(self, m: int) -> bool:
        if self.prints is None:
            return False
        wanted, low, size = 0, self.low, int(self.high - self.low) + 1
        for start in range(0, size, RANGE):
            values = low + np.arange(start, min(start + RANGE, size), dtype=np.float64)
            hashes = np.zeros((2, len(values)), np.uint64)
            kernels.add_double_hashes(hashes, values, KEY)
            wanted = (wanted + kernels.sum_hashes(hashes)) % ALL
        return wanted == self.prints[m]


def few_values(values: NDArray[Any], known: frozenset[float] = frozenset()) -> frozenset[float] | None:
    """Return the different numbers among known ones and values, but NaN; None: they are more than a few."""
    found, values = set(known), values[values == values]
    for number in known:
        values = values[values != number]
    while len(values):
        found.add(float(values[0]) + 0.0)
        if len(found) > FEW_VALUES:
            return None
        values = values[values != values[0]]
    return frozenset(found)


def has_repeats(scan: Any, count: int) -> bool:
    """Are so many whole numbers of a range too many to be there once each?"""
    return bool(count > scan.high - scan.low + 1)


def good_numbers(values: NDArray[np.float64], asked: Asked) -> NDArray[np.bool_]:
    """Return which values are finite and no mark."""
    return np.isfinite(values) & ~np.isin(values, mark_numbers(asked.marks))


def first_rows(a: tuple[int, ...], b: Any) -> tuple[int, ...]:
    """Return the first few of two lists of row numbers."""
    return tuple(sorted({*a, *b}))[:LISTED]
