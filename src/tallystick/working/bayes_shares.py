"""The shares that naive Bayes multiplies, as exact fractions: with and without the correction.

Knows fitted models of naive Bayes. Knows nothing of documents. Law: a corrected share is the model's own.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from tallystick.models.naive_bayes import Counted, NaiveBayesModel, Worded
from tallystick.models.naive_bayes.options import BayesOptions
from tallystick.working.pieces import Line, Over, Ratio, Value

ONE = Fraction(1)


@dataclass(frozen=True)
class CountedShare:
    """A share (count + added) / (rows + more), which is written as it was counted."""

    count: int
    rows: int
    added: Fraction = Fraction(0)
    more: Fraction = Fraction(0)
    empty: Fraction = Fraction(0)  # the share of a class without rows and correction

    @property
    def value(self) -> Fraction:
        """The exact share."""
        below = self.rows + self.more
        return (self.count + self.added) / below if below else self.empty

    @property
    def rest(self) -> CountedShare:
        """What is left of 1: the share of the rows without it, counted likewise."""
        return CountedShare(
            self.rows - self.count, self.rows, self.more - self.added, self.more, ONE - self.empty
        )

    @property
    def written(self) -> Line:
        """The share as a fraction of counts, never reduced."""
        top, bottom = self.count + self.added, self.rows + self.more
        if not bottom:
            return (Value(self.empty),)
        if top.denominator == bottom.denominator == 1:
            return (Ratio(int(top), int(bottom)),)
        return (Over((Value(top, 3, 4),), (Value(bottom, 3, 4),)),)


@dataclass(frozen=True)
class ColumnShares:
    """R[value][class] of a column. corrected: with m rows added, of which each value has its part."""

    raw: tuple[tuple[CountedShare, ...], ...]
    corrected: tuple[tuple[CountedShare, ...], ...]
    m: Fraction
    parts: tuple[Fraction, ...]  # p of each value

    @property
    def plain(self) -> bool:
        """Whether the model itself has no correction."""
        return self.m == 0


def shares_of(part: Counted | Worded, options: BayesOptions) -> ColumnShares:
    """Return the shares of levels, bins or words; where a word counts once, of documents."""
    counts = part.counts.tolist()
    if isinstance(part, Worded):
        once = part.distribution == "bernoulli"
        rows = (part.documents if once else part.counts.sum(0)).tolist()
        m, parts = correction(options, part.name, 2 if once else max(len(counts), 1), len(counts))
    else:
        rows = part.counts.sum(0).tolist()
        m, parts = correction(options, part.name, part.levels or len(counts), len(counts))
    return ColumnShares(
        tuple(
            tuple(CountedShare(n, r, empty=p) for n, r in zip(row, rows, strict=True))
            for row, p in zip(counts, parts, strict=True)
        ),
        tuple(
            tuple(CountedShare(n, r, m * p, m, p) for n, r in zip(row, rows, strict=True))
            for row, p in zip(counts, parts, strict=True)
        ),
        m,
        parts,
    )


def correction(
    options: BayesOptions, column: str, levels: tuple[str, ...] | int, values: int
) -> tuple[Fraction, tuple[Fraction, ...]]:
    """Return the rows that are added to each class, and the part of them that each value has."""
    m, p = options.smoothing(column, levels)
    k = levels if isinstance(levels, int) else len(levels)
    given = p if isinstance(p, list) else [p] * values
    return exact(m), tuple(Fraction(1, k) if k and x == 1.0 / k else exact(x) for x in given)


def laplace(found: ColumnShares) -> ColumnShares:
    """Return the shares with one case added for each value, for a model that adds none."""
    k = round(1 / found.parts[0]) if found.parts and found.parts[0] else len(found.raw)
    corrected = tuple(
        tuple(CountedShare(s.count, s.rows, ONE, Fraction(k)) for s in row) for row in found.raw
    )
    return ColumnShares(found.raw, corrected, Fraction(k), found.parts)


def exact(x: float) -> Fraction:
    """Return the decimal that a person typed, exactly."""
    return Fraction(repr(float(x)))


def priors_of(model: NaiveBayesModel) -> list[CountedShare | Fraction] | None:
    """Return the prior of each class: counted, given, or None where there is none."""
    priors, rows = model.options.priors, model.classes.tolist()
    if isinstance(priors, str):
        if priors == "uniform":
            return [Fraction(1, len(rows))] * len(rows)
        alone = bool(model.parts) and all(p.distribution == "complement" for p in model.parts)
        if priors == "none" or alone:
            return None
        return [CountedShare(n, sum(rows)) for n in rows]
    from tallystick.models.naive_bayes.model import given_priors

    return [exact(x) for x in given_priors(priors, model.schema.predicted).tolist()]
