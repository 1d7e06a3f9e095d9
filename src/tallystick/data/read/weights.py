"""Which rows count, and how much: weights as whole multiples of a unit.

Knows rows and weights. Knows nothing of columns.
Laws: a whole weight w is w copies of the row, a row of weight 0 does not count; others are multiples of
2^-32, never rounded to 0; any cut of the rows and any order of merging give the same unit.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from tallystick import kernels
from tallystick.data.read.cells import Coded, Floats, read_cells
from tallystick.data.read.strings import Distinct
from tallystick.errors import DataError

UNIT = 1 << 32  # a weight of 1, where some weight is not whole
LARGEST = 2.0**62  # of a weight that is counted by rows
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


def weights_overflow(total: float, unit: int) -> DataError:
    """Return the error of weights whose sum cannot be counted."""
    return DataError(
        f"the sample weights sum to {total:.3g}, beyond exact counting (2^63 / {unit}). Scale them down."
    )


def no_weight() -> DataError:
    """Return the error of weights that are all 0."""
    return DataError("all sample weights are zero, so no row is left. Give some row a weight above 0.")


# ---- what has been seen so far ----


@dataclass
class WeightSurvey:
    """The weights: sums over the rows that count. heavy: in units of 2^-32; tops: all are 1."""

    given: bool
    rows: int = 0
    copies: int = 0
    heavy: int = 0
    whole: bool = True
    ones: bool = True

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
        floor = np.floor(np.minimum(real, LARGEST))
        rest = np.maximum(np.rint((real - floor) * UNIT), floor == 0).astype(np.int64)
        full = sum(map(int, floor.tolist())) if float(floor.sum()) > 2.0**52 else int(floor.sum())
        self.whole = self.whole and bool((real == floor).all())
        self.ones = self.ones and bool((real == 1).all())
        self.heavy += (full << 32) + int(rest.sum())
        self.copies += full
        copies[:] = np.maximum(floor, 1)

    def merge(self, other: WeightSurvey) -> None:
        """Take in other batches."""
        self.rows, self.copies, self.heavy = (
            self.rows + other.rows,
            self.copies + other.copies,
            self.heavy + other.heavy,
        )
        self.whole, self.ones = self.whole and other.whole, self.ones and other.ones

    def check(self) -> None:
        """Refuse weights that leave no row, or more than can be counted."""
        if self.given and not self.rows:
            raise no_weight()
        if self.given and self.heavy * self.unit >= 2**63 * UNIT:
            raise weights_overflow(self.heavy / UNIT, self.unit)

    @property
    def unit(self) -> int:
        """A weight of 1 is this many."""
        return 1 if self.whole else UNIT

    @property
    def measure(self) -> int:
        """What counts: 0 rows, 1 copies."""
        return 1 if self.given and self.whole else 0

    @property
    def total(self) -> int:
        """Rows that count, copies counted where they are whole."""
        return self.copies if self.measure else self.rows


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
