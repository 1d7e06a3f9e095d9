"""Which rows count, and how much: weights as whole multiples of a unit.

Knows rows and weights. Knows nothing of columns.
Law: a whole weight w is w copies of the row, 0 is no row; others are multiples of 2^-32, never rounded to 0.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallystick import kernels
from tallystick.data.encode.cells import Floats, condense
from tallystick.data.source.frames import as_column
from tallystick.errors import DataError, counted

UNIT = 1 << 32  # a weight of 1, where some weight is not whole


@dataclass(frozen=True)
class Scale:
    """Which rows count, and how much. keep[row]: None means all. weights[kept row]: None means 1 each."""

    rows: int
    total: int  # rows by weight where all weights are whole, else rows
    keep: NDArray[np.int64] | None = None
    weights: NDArray[np.int64] | None = None
    unit: int = 1

    def cut(self, array: Any) -> Any:
        """Return the kept rows of an array."""
        return array if array is None or self.keep is None else array[self.keep]

    def row_numbers(self, kept: NDArray[np.int64]) -> list[int]:
        """Return positions among kept rows as positions in the source."""
        return [int(row) for row in (kept if self.keep is None else self.keep[kept])]

    def count(self, chosen: NDArray[np.bool_]) -> int:
        """Return how many rows are chosen, copies counted."""
        if self.weights is None or self.unit != 1:
            return int(np.count_nonzero(chosen))
        return int(self.weights[chosen].sum())

    def counts(self, codes: NDArray[Any], size: int) -> NDArray[np.int64]:
        """Return counts[code] of rows, copies counted."""
        weights = self.weights if self.unit == 1 else None
        return kernels.count_classes(np.ascontiguousarray(codes), size, weights)


@dataclass(frozen=True)
class Chosen:
    """The rows of one batch that count, where not all rows are known yet and so not the unit of weights.

    keep[row]: as in Scale. copies[kept row]: whole weights, None means 1 each. Counts have two measures where
    there are weights: rows, and copies of rows; which of them counts is known at the end. start: the number
    of the first row, None where rows have no numbers.
    """

    rows: int
    keep: NDArray[np.int64] | None = None
    copies: NDArray[np.int64] | None = None
    start: int | None = None

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

    def weights(self, chosen: NDArray[np.bool_] | None) -> NDArray[np.int64] | None:
        """Return counts[kept row, measure] of chosen rows; None: 1 each."""
        if self.copies is None:
            return None
        copies = self.copies if chosen is None else self.copies[chosen]
        return np.stack([np.ones_like(copies), copies], axis=1)

    def counts(self, codes: NDArray[Any], size: int) -> NDArray[np.int64]:
        """Return counts[code, measure] of the kept rows."""
        codes = np.ascontiguousarray(self.cut(codes))
        weights = [None] if self.copies is None else [None, self.copies]
        return np.stack([kernels.count_classes(codes, size, w) for w in weights], axis=1)


def kept_rows(absent: NDArray[np.bool_] | None, real: NDArray[np.float64] | None) -> NDArray[np.int64] | None:
    """Return the rows that count; None: all."""
    gone = absent
    if real is not None:
        gone = real == 0 if absent is None else (real == 0) | absent
    return None if gone is None or not gone.any() else np.flatnonzero(~gone)


def read_weights(weights: Any, rows: int, absent: NDArray[np.bool_] | None) -> Scale:
    """Return the scale of the rows: weights checked; rows of weight 0 and `absent` rows are dropped."""
    if weights is None:
        if absent is None:
            return Scale(rows, rows)
        keep = np.flatnonzero(~absent)
        return Scale(len(keep), len(keep), keep)
    real = _checked(weights, rows)
    dropped = real == 0 if absent is None else (real == 0) | absent
    kept = np.flatnonzero(~dropped) if dropped.any() else None
    real = real if kept is None else real[kept]
    if len(real) == 0:
        raise no_weight()
    whole = bool((real == np.floor(real)).all())
    _refuse_overflow(real, 1 if whole else UNIT)
    if not whole:
        exact = np.maximum(np.rint(real * UNIT), 1).astype(np.int64)
        return Scale(len(real), len(real), kept, exact, UNIT)
    exact = real.astype(np.int64)
    if (exact == 1).all():
        return Scale(len(real), len(real), kept)
    return Scale(len(real), int(exact.sum()), kept, exact)


def _checked(weights: Any, rows: int) -> NDArray[np.float64]:
    real = weight_numbers(as_column(weights, "sample_weight").chunks)
    if len(real) != rows:
        raise DataError(
            f"sample_weight has {counted(len(real), 'weight')} for {counted(rows, 'row')}. Pass one per row."
        )
    refuse_no_weights(real)
    return real


def rows_counted(weights: NDArray[np.int64] | None, rows: int, unit: int) -> int:
    """Return how many rows there are where rows are counted: a whole weight w is w copies of a row, any other
    weight is one row.
    """
    if weights is None:
        return rows
    return int(np.where(weights % unit == 0, weights // unit, 1).sum())


def row_unit(weight: int, counted: int, unit: int) -> int:
    """Return what one row weighs where rows are counted, in units of the table: 1 where weights are copies;
    else the mean weight, because weights that are not whole only say how rows compare.
    """
    return unit if unit == 1 else max(weight // max(counted, 1), 1)


def weight_numbers(chunks: Any) -> NDArray[np.float64]:
    """Return weights as numbers, not yet checked."""
    parts = [condense(chunk, "sample_weight", (), ".") for chunk in chunks]
    if not all(isinstance(part, Floats) for part in parts):
        raise DataError("sample_weight holds something that is no number. Pass one number per row.")
    return np.concatenate([part.values for part in parts if isinstance(part, Floats)] or [np.empty(0)])


def refuse_no_weights(real: NDArray[np.float64], start: int | None = 0) -> None:
    """Refuse numbers that are no weights. start: the number of the first row, None where rows have none."""
    for bad, what in ((np.isnan(real), "missing"), (np.isinf(real), "infinite"), (real < 0, "negative")):
        if bad.any():
            at = int(bad.argmax())
            count = int(bad.sum())
            where = "" if start is None else f", first in row {start + at + 1:,}"
            raise DataError(
                f"sample_weight is {what} in {count:,} row{'s' * (count > 1)}{where} "
                f"({real[at]}). Weights are numbers from 0 up."
            )


def _refuse_overflow(real: NDArray[np.float64], unit: int) -> None:
    if float(real.sum()) * unit > 2.0**62 and sum(map(Fraction, real.tolist())) * unit >= 2**63:
        raise weights_overflow(float(real.sum()), unit)


def weights_overflow(total: float, unit: int) -> DataError:
    """Return the error of weights whose sum cannot be counted."""
    return DataError(
        f"the sample weights sum to {total:.3g}, beyond exact counting (2^63 / {unit}). Scale them down."
    )


def no_weight() -> DataError:
    """Return the error of weights that are all 0."""
    return DataError("all sample weights are zero, so no row is left. Give some row a weight above 0.")
