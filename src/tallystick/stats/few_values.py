"""Columns in a few values each, and how often the values of two columns come together, class by class.

Knows blocks, codes and counts. Knows nothing of what the counts tell. Law: whole numbers only, so the answer
does not depend on the order, the cut or the place of the rows.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallystick import kernels
from tallystick.contracts import Block
from tallystick.data.table.block import classes_of
from tallystick.stats.value_tables import RankedPiece, RankedValues

__all__ = ["FewValues", "PairCounts", "bins_of"]

Codes = NDArray[np.uint32]
Counts = NDArray[np.int64]


@dataclass(frozen=True)
class FewValues:
    """A column in a few values: size of them, and missing as one more; gaps: some row has none.

    into[code of the column]: the value; of numbers starts[place], rising, and into[place] from there on.
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
        told = [pair for part in order.ask(BinStarts(known, order.distinct, bins)) for pair in part]
        first: dict[int, float] = {}
        for at, value in told:  # in the order of the values
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
class PairCounts:
    """Ask how often the values of two columns come together: counts[pair][value, value, class]; pairs: places
    among the columns.
    """

    columns: tuple[FewValues, ...]
    pairs: tuple[tuple[int, int], ...]
    classes: int

    def zero(self) -> list[Counts]:
        """Return the total of no rows."""
        return [np.zeros(self._shape(pair), np.int64) for pair in self.pairs]

    def add(self, total: list[Counts], block: Block) -> list[Counts]:
        """Add the rows of one block."""
        codes = {i: self.columns[i].codes(block) for i in {i for pair in self.pairs for i in pair}}
        own: Any = classes_of(block) if self.classes > 1 else np.zeros(block.rows, np.uint8)
        for pair, counts in zip(self.pairs, total, strict=True):
            a, b, k = self._shape(pair)
            both = codes[pair[0]] * np.uint32(b) + codes[pair[1]]
            kernels.count_codes(both, own, a * b, k, weights=block.weights, out=counts.reshape(a * b, k))
        return total

    def merge(self, total: list[Counts], other: list[Counts]) -> list[Counts]:
        """Add two totals."""
        return [a + b for a, b in zip(total, other, strict=True)]

    def _shape(self, pair: tuple[int, int]) -> tuple[int, int, int]:
        return self.columns[pair[0]].many + 1, self.columns[pair[1]].many + 1, self.classes
