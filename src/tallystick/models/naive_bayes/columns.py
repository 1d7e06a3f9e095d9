"""What naive Bayes keeps of one column: sums per class, and the term of the score that follows from them.

Knows counts, exact sums and the formulas of each distribution. Knows nothing of rows, files or other columns.
Laws: parts with the same shape add and subtract (`plus`), and the sum is the part of the rows of both;
nothing but whole numbers is kept, every probability is derived.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallystick import kernels
from tallystick.models import exact
from tallystick.models.additive import IDF_ONE, BinTerm, LevelTerm, NormalTerm, Term, WordTerm
from tallystick.models.naive_bayes.distributions import of_part
from tallystick.models.naive_bayes.options import BayesOptions

Counts = NDArray[np.int64]
Array = NDArray[np.float64]
LOG_TWO_PI = 1.8378770664093453


@dataclass(frozen=True)
class Counted:
    """Levels, booleans and bins. counts[value, class]; missing[class]; values: level names, or cuts between
    bins.
    """

    name: str
    distribution: str
    counts: Counts
    missing: Counts
    levels: tuple[str, ...] = ()
    cuts: tuple[float, ...] = ()

    def shares(self, options: BayesOptions, unit: int) -> Array:
        """Return R[value, class] = (count + m p) / (rows + m); without rows and smoothing, p."""
        return _shares(self.counts, *options.smoothing(self.name, self.levels or len(self.counts)), unit)

    def unseen(self, options: BayesOptions, unit: int) -> Array | None:
        """Return the share[class] of a level never seen; None when there is no smoothing: the column is left
        out.
        """
        return _unseen(self.counts, *options.unseen(self.name, len(self.counts)), unit)

    def term(self, options: BayesOptions, unit: int) -> Term:
        """Return the logarithms of the shares as a table by code."""
        if self.distribution != "binned":
            return level_terms([self], options, unit)[0]
        shares = self.shares(options, unit)
        table = np.zeros((len(shares) + 1, shares.shape[1]))
        table[:-1] = kernels.log(shares)
        return BinTerm(self.name, np.asarray(self.cuts, float), table)

    def plus(self, other: Counted, sign: int) -> Counted:
        """Return the counts of both, or of the rest."""
        return replace(
            self, counts=self.counts + sign * other.counts, missing=self.missing + sign * other.missing
        )

    def least(self) -> int:
        """Return the smallest count: negative means rows were forgotten that never were there."""
        return int(min(self.counts.min(initial=0), self.missing.min(initial=0)))

    def to_dict(self) -> dict[str, Any]:
        """Return plain data."""
        out = {
            "counts": self.counts.tolist(),
            "distribution": self.distribution,
            "missing": self.missing.tolist(),
        }
        return (
            {"name": self.name} | out | ({"cuts": list(self.cuts)} if self.distribution == "binned" else {})
        )


def level_terms(parts: Sequence[Counted], options: BayesOptions, unit: int) -> list[LevelTerm]:
    """Return the terms of columns of levels that have as many levels each, and are smoothed alike."""
    first, counts = parts[0], np.stack([part.counts for part in parts])
    columns, k, classes = counts.shape
    table = np.ones((columns, k + 2, classes))  # of which the logarithm is 0
    table[:, :k] = _shares(counts, *options.smoothing(first.name, first.levels or k), unit)
    unseen = _unseen(counts, *options.unseen(first.name, k), unit)
    if unseen is not None:
        table[:, -1] = unseen
    tables = kernels.log(table)
    return [LevelTerm(part.name, tables[j]) for j, part in enumerate(parts)]


def _shares(counts: Counts, m: float, p: Any, unit: int) -> Array:
    """Return R[..., value, class] = (count + m p) / (rows + m); without rows and smoothing, p."""
    p = np.asarray(p, float).reshape(-1, 1)
    below = (counts.sum(-2) + m * unit)[..., None, :]
    out: Array
    if m * unit > 0:
        out = (counts + m * p * unit) / below
        return out
    with np.errstate(invalid="ignore", divide="ignore"):
        out = np.where(below == 0, p, (counts + m * p * unit) / below)
    return out


def _unseen(counts: Counts, m: float, p: float, unit: int) -> Array | None:
    """Return the share[..., class] of a level never seen; None without smoothing."""
    if m * p == 0:
        return None
    out: Array = m * p * unit / (counts.sum(-2) + m * unit)
    return out


def _distances(rows: int, sums: int, squares: int) -> exact.Unreduced:
    """Return the exact sum of squared distances from the mean. Powers of two are taken off: numbers of 2,000
    bits take most of the time of a small model.
    """
    rows = rows or 1  # without rows there are no sums
    whole = squares * rows - sums * sums
    even = min((whole & -whole).bit_length() - 1, exact.SQUARE_UNIT) if whole else exact.SQUARE_UNIT
    return exact.Unreduced(whole >> even, rows << (exact.SQUARE_UNIT - even))


@dataclass(frozen=True)
class Summed:
    """Columns of which sums are kept: Gaussian, Poisson. sums[class] in units of 2^-1074, squares[class] of
    2^-2148; both exact.
    """

    name: str
    distribution: str
    rows: Counts
    missing: Counts
    sums: tuple[int, ...]
    squares: tuple[int, ...]
    variance: str = "ml"  # how it is reckoned, where squares are kept

    def spread(self) -> list[exact.Unreduced]:
        """Return the exact sum of squared distances from the mean, per class."""
        return [*map(_distances, self.rows.tolist(), self.sums, self.squares)]

    def means(self) -> list[Fraction]:
        """Return the exact mean per class; a class without values takes the mean of all."""
        pairs = list(zip(self.rows.tolist(), self.sums, strict=True))
        n, s = sum(a for a, _ in pairs), sum(b for _, b in pairs)
        every = Fraction(s, n << exact.SUM_UNIT) if n else Fraction(0)
        return [Fraction(b, a << exact.SUM_UNIT) if a else every for a, b in pairs]

    @cached_property
    def whole_variance(self) -> exact.Unreduced:
        """The exact mean of squared distances from the mean of all classes together; 0 without rows."""
        rows = int(self.rows.sum())
        return _distances(rows, sum(self.sums), sum(self.squares)).times(1, max(rows, 1))

    def plus(self, other: Summed, sign: int) -> Summed:
        """Return the sums of both, or of the rest."""
        return replace(
            self,
            rows=self.rows + sign * other.rows,
            missing=self.missing + sign * other.missing,
            sums=tuple(a + sign * b for a, b in zip(self.sums, other.sums, strict=True)),
            squares=tuple(a + sign * b for a, b in zip(self.squares, other.squares, strict=True)),
        )

    def least(self) -> int:
        """Return a negative number when some count, or a sum of squares, is impossible."""
        pairs = zip(self.rows.tolist(), self.sums, self.squares, strict=True)
        impossible = any(n == 0 and (s or q) for n, s, q in pairs)
        way = of_part(self)
        impossible |= way.counts and any(s < 0 for s in self.sums)
        impossible |= way.squares and any(f.over < 0 for f in self.spread())
        return -1 if impossible else int(min(self.rows.min(initial=0), self.missing.min(initial=0)))

    def to_dict(self) -> dict[str, Any]:
        """Return plain data: exact sums as decimal text."""
        out: dict[str, Any] = {
            "distribution": self.distribution,
            "missing": self.missing.tolist(),
            "name": self.name,
        }
        out["sums"] = [exact.write(s, exact.SUM_UNIT) for s in self.sums]
        if of_part(self).squares:
            out["squares"] = [exact.write(q, exact.SQUARE_UNIT) for q in self.squares]
            out["variance"] = self.variance
        return out

    def normal_term(self, variances: Sequence[float]) -> Term:
        """Return the Gaussian log density with these variances per class."""
        variance = np.asarray(variances, float)
        means = np.array([float(f) for f in self.means()])
        return NormalTerm(self.name, means, 0.5 / variance, -0.5 * (LOG_TWO_PI + kernels.log(variance)))


@dataclass(frozen=True)
class Worded:
    """Text columns. counts[word, class]; missing[class]: rows without text; documents[class]: rows with text.

    counts are words ("multinomial", "complement"), documents with the word ("bernoulli"), or tf-idf weights
    in units of 2^-20 when idf[word] (units of 2^-16) is there.
    """

    name: str
    distribution: str
    counts: Counts
    missing: Counts
    documents: Counts
    idf: tuple[int, ...] = ()

    def shares(self, options: BayesOptions, unit: int) -> Array:
        """Return the share of each word among the words (or documents) of a class, smoothed."""
        scale = unit * (2**20 if self.idf else 1)
        counts = self.counts / scale
        if self.distribution == "bernoulli":
            m, p = options.smoothing(self.name, 2)
            out: Array = (counts + m * p) / np.where((total := self.documents / unit + m) == 0, 1, total)
            return out
        m, p = options.smoothing(self.name, max(len(counts), 1))
        if self.distribution == "complement":
            counts = counts.sum(1, keepdims=True) - counts
        total = counts.sum(0) + m
        out = (counts + m * p) / np.where(total == 0, 1, total)
        return out

    def term(self, options: BayesOptions, unit: int) -> Term:
        """Return a part per word, and for Bernoulli words the part of all words being absent."""
        shares = self.shares(options, unit)
        present = np.zeros(shares.shape[1])
        if self.distribution == "bernoulli":
            absent = kernels.log(1.0 - shares)
            present = np.array([sum_in_order(absent[:, c]) for c in range(shares.shape[1])])
            table = kernels.log(shares) - absent
        else:
            table = kernels.log(shares)
            if self.distribution == "complement":
                table = -table
        table = np.vstack([table, np.zeros((1, shares.shape[1]))])
        idf = np.array([*self.idf, 0], np.int64) if self.idf else None
        return WordTerm(self.name, table, present, "once" if self.distribution == "bernoulli" else "all", idf)

    def plus(self, other: Worded, sign: int) -> Worded:
        """Return the counts of both, or of the rest."""
        return replace(
            self,
            counts=self.counts + sign * other.counts,
            missing=self.missing + sign * other.missing,
            documents=self.documents + sign * other.documents,
        )

    def least(self) -> int:
        """Return the smallest count."""
        return int(min(a.min(initial=0) for a in (self.counts, self.missing, self.documents)))

    def to_dict(self) -> dict[str, Any]:
        """Return plain data."""
        out = {
            "counts": self.counts.tolist(),
            "distribution": self.distribution,
            "missing": self.missing.tolist(),
        }
        return {"name": self.name} | out | ({"idf": list(self.idf)} if self.idf else {})


Part = Counted | Summed | Worded


def sum_in_order(values: Array) -> float:
    """Return the sum of doubles in their order: the same bits on every machine."""
    return float(np.add.accumulate(values)[-1]) if len(values) else 0.0


def idf_of(documents: Counts, rows: int) -> tuple[int, ...]:
    """Return 1 + ln((1 + rows) / (1 + documents[word])) in units of 2^-16, rounded."""
    logs = 1.0 + kernels.log((1.0 + rows) / (1.0 + documents.astype(float)))
    return tuple(np.rint(logs * IDF_ONE).astype(np.int64).tolist())
