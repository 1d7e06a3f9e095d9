"""Which rows count, and how much: weights as whole multiples of a unit.

Knows rows and weights. Knows nothing of columns.
Laws: where all weights are whole, a weight w is w copies of the row; a row of weight 0 does not count.
Where some are not, weights only say how rows compare: all are scaled to sum to the number of rows, in
multiples of 2^-32 that are never 0, so the unit that they were given in means nothing. Any cut of the rows
and any order of merging give the same weights.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from tallystick import kernels
from tallystick.data.read.cells import Coded, Floats, read_cells
from tallystick.data.read.strings import Distinct
from tallystick.data.schema import Note
from tallystick.errors import DataError

UNIT = 1 << 32  # a weight of 1, where some weight is not whole
LARGEST = 2.0**62  # of a weight that is counted by rows
SCALED, PARTS = "weights-relative", "weights-not-whole"  # notes on weights that are not whole
NEAR = 1 << 14  # weights looked at together: what is found of them on the way stays in a near cache


@dataclass(frozen=True)
class Chosen:
    """The rows of one batch that count, where not all rows are known yet and so not the unit of weights.

    keep: the numbers of the rows, None means all. copies[kept row]: whole weights, None means 1 each. Counts
    have two measures where there are weights: rows, and copies of rows; which of them counts is known at the
    end. start: the number of the first row, None where rows have no numbers. whole: all weights so far are
    whole; once some are not, copies will not count, so they need not be looked for.
    """

    rows: int
    keep: NDArray[np.int64] | None = None
    copies: NDArray[np.int64] | None = None
    start: int | None = None
    whole: bool = True

    @cached_property
    def every(self) -> NDArray[np.int64]:
        """counts[measure] of all kept rows; shared, nobody writes to it."""
        return self.count(None)

    def cut(self, array: Any) -> Any:
        """Return the kept rows of an array."""
        return array if self.keep is None else array[self.keep]

    @property
    def kept(self) -> int:
        """How many rows count."""
        return self.rows if self.keep is None else len(self.keep)

    def row_numbers(self, kept: NDArray[np.int64]) -> list[int]:
        """Return positions among kept rows as rows of the source; none where those have no numbers."""
        if self.start is None:
            return []
        return [self.start + int(row) for row in (kept if self.keep is None else self.keep[kept])]

    def count(self, chosen: NDArray[np.bool_] | None) -> NDArray[np.int64]:
        """Return counts[measure] of chosen kept rows; None: all."""
        rows = self.kept if chosen is None else int(np.count_nonzero(chosen))
        if self.copies is None:
            return np.array([rows])
        return np.array([rows, int((self.copies if chosen is None else self.copies[chosen]).sum())])

    def filled(self, values: NDArray[np.float64], missing: int) -> NDArray[np.int64]:
        """Return counts[measure] of kept rows that have a value; missing: rows that have none."""
        if missing == 0:
            return self.every
        if self.copies is None:
            return np.array([len(values) - missing])
        gone = int(self.copies[np.isnan(values)].sum()) if self.whole else missing  # mostly few
        rest: NDArray[np.int64] = self.every - np.array([missing, gone])
        return rest

    def weights(self, chosen: NDArray[np.bool_] | None) -> NDArray[np.int64] | None:
        """Return counts[kept row, measure] of chosen rows; None: 1 each."""
        if self.copies is None:
            return None
        copies = self.copies if chosen is None else self.copies[chosen]
        return np.stack([np.ones_like(copies), copies], axis=1)

    def counts(self, found: Distinct) -> NDArray[np.int64]:
        """Return counts[text, measure] of the kept rows, those without a text last."""
        if self.keep is None and self.copies is None:
            return found.counts()[:, None]
        codes, size = np.ascontiguousarray(self.cut(found.codes)), len(found.values) + 1
        weights = [None] if self.copies is None else [None, self.copies]
        return np.stack([kernels.count_classes(codes, size, w) for w in weights], axis=1)


def kept_rows(absent: NDArray[np.bool_] | None, real: NDArray[np.float64] | None) -> NDArray[np.int64] | None:
    """Return the rows that count; None: all."""
    gone = absent
    if real is not None:
        gone = real == 0 if absent is None else (real == 0) | absent
    return None if gone is None or not gone.any() else np.flatnonzero(~gone)


def weight_numbers(cells: Any) -> NDArray[np.float64]:
    """Return weights as numbers, not yet checked."""
    part = read_cells(cells, "sample_weight", (), ".")
    if isinstance(part, Coded) and pa.types.is_integer(cells.type):
        raise DataError(
            "sample_weight holds whole numbers beyond 2^53, not all of which are exact as numbers here. "
            "Pass smaller ones."
        )
    if isinstance(part, Coded) or (isinstance(part, Floats) and (part.dated or part.spans)):
        raise DataError("sample_weight holds something that is not a number. Pass one number per row.")
    return part.values if isinstance(part, Floats) else part.values()


def refuse_no_weights(real: NDArray[np.float64], start: int | None = 0) -> None:
    """Refuse numbers that are not weights. start: the number of the first row, None where rows have none."""
    for bad, what in ((np.isnan(real), "missing"), (np.isinf(real), "infinite"), (real < 0, "negative")):
        if bad.any():
            at = int(bad.argmax())
            count = int(bad.sum())
            where = "" if start is None else f", first in row {start + at + 1:,}"
            raise DataError(
                f"sample_weight is {what} in {count:,} row{'s' * (count > 1)}{where} "
                f"({real[at]}). Weights are numbers from 0 up."
            )


class WeightScale(NamedTuple):
    """How weights that are not whole become units of a table: times 2^-power, then times `factor`. In two
    steps neither very large nor very small weights leave what doubles can hold.
    """

    power: int = 0
    factor: float = float(UNIT)

    def units(self, real: NDArray[np.float64]) -> NDArray[np.int64]:
        """Return weights[row] in units of the table."""
        units = np.ldexp(real, -self.power) if self.power else real
        units = units * self.factor
        return np.maximum(np.rint(units, out=units), 1, out=units).astype(np.int64)


AS_GIVEN = WeightScale()


def exact_sum(real: NDArray[np.float64]) -> Fraction:
    """Return the sum of numbers, exactly: no cut of the rows may change it."""
    none, sums = np.zeros((1, 1), np.int64), np.zeros((1, 1, kernels.SUM_DIGITS), np.int64)
    squares = np.zeros((1, 1, kernels.SQUARE_DIGITS), np.int64)
    kernels.add_moments([np.ascontiguousarray(real)], np.zeros(len(real), np.uint8), none, sums, squares)
    return kernels.exact_sum(sums[0, 0])


def weights_overflow(total: Fraction, unit: int) -> DataError:
    """Return the error of weights whose sum cannot be counted."""
    return DataError(
        f"the sample weights sum to {Decimal(int(total)):.3g}, beyond exact counting (2^63 / {unit}). "
        "Whole weights are copies of rows: divide all of them by one number."
    )


def no_weight() -> DataError:
    """Return the error of weights that are all 0."""
    return DataError("all sample weights are zero, so no row is left. Give some row a weight above 0.")


# ---- what has been seen so far ----


@dataclass
class WeightSurvey:
    """The weights: sums over the rows that count. fixed: rows were learned before, so 1 is one row, whole or
    not. total: their exact sum; least, most: the ends.
    """

    given: bool
    fixed: bool = False
    rows: int = 0
    total_weight: Fraction = Fraction(0)
    whole: bool = True
    least: float = math.inf
    most: float = 0.0

    def add(self, real: NDArray[np.float64] | None, rows: int) -> NDArray[np.int64] | None:
        """Add the weights of kept rows, None: 1 each; return them as copies."""
        self.rows += rows
        if real is None:
            return None
        copies = np.empty(len(real), np.int64)
        for start in range(0, len(real), NEAR):
            self._add(real[start : start + NEAR], copies[start : start + NEAR])
        return copies

    def _add(self, real: NDArray[np.float64], copies: NDArray[np.int64]) -> None:
        """Add some weights, and say how many copies they are."""
        if not len(real):
            return
        floor, most = np.floor(real), float(real.max())
        whole = bool((real == floor).all())
        if whole and most * len(real) < 2.0**53:
            self.total_weight += int(real.sum())
        else:
            self.total_weight += exact_sum(real)
        self.whole = self.whole and whole
        self.least, self.most = min(self.least, float(real.min())), max(self.most, most)
        copies[:] = np.clip(floor, 1, LARGEST)

    def merge(self, other: WeightSurvey) -> None:
        """Take in other batches."""
        self.rows, self.total_weight = self.rows + other.rows, self.total_weight + other.total_weight
        self.whole = self.whole and other.whole
        self.least, self.most = min(self.least, other.least), max(self.most, other.most)

    def check(self) -> None:
        """Refuse weights that leave no row, or more than can be counted."""
        if self.given and not self.rows:
            raise no_weight()
        total = Fraction(self.rows) if self.scaled else self.total_weight
        if self.given and total * self.unit >= 2**63:
            raise weights_overflow(total, self.unit)

    @property
    def unit(self) -> int:
        """A weight of 1 is this many."""
        return 1 if self.whole else UNIT

    @property
    def plain(self) -> bool:
        """Do all rows weigh one row each?"""
        return not self.given or (self.least == self.most and (self.scaled or self.least == 1))

    @property
    def scaled(self) -> bool:
        """Do weights only say how rows compare?"""
        return not (self.whole or self.fixed)

    @property
    def scale(self) -> WeightScale:
        """What brings weights that are not whole to as much as there are rows."""
        if not self.scaled:
            return AS_GIVEN
        top = self.total_weight
        power = top.numerator.bit_length() - top.denominator.bit_length()
        return WeightScale(power, float(self.rows * UNIT / (top / Fraction(2) ** power)))

    @property
    def notes(self) -> tuple[Note, ...]:
        """Say what weights that are not whole mean."""
        if not self.given or self.whole:
            return ()
        rows = f"{self.rows:,} row{'s' * (self.rows != 1)}"
        if self.fixed:
            text = "some sample weights are not whole: here a weight of 1 is one row."
            return (Note(PARTS, text),)
        text = (
            "some sample weights are not whole, so weights say how rows compare, not how many copies there "
            f"are: they were scaled to sum to {rows}, and a row of the mean weight counts as one."
        )
        return (Note(SCALED, text, count=self.rows),)

    @property
    def measure(self) -> int:
        """What counts: 0 rows, 1 copies."""
        return 1 if self.given and self.whole else 0

    @property
    def total(self) -> int:
        """Rows that count, copies counted where they are whole."""
        return int(self.total_weight) if self.measure else self.rows


def choose(
    keep: NDArray[np.int64] | None,
    real: NDArray[np.float64] | None,
    rows: int,
    start: int | None,
    weighed: WeightSurvey,
) -> Chosen:
    """Return how much the rows of a batch count; their weights are added to what was weighed before."""
    if real is not None:
        refuse_no_weights(real, start)
    counted = real if real is None or keep is None else real[keep]
    copies = weighed.add(counted, rows if keep is None else len(keep))
    return Chosen(rows, keep, copies, start, weighed.whole)
