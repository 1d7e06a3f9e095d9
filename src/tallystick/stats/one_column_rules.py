"""Criteria of target leakage: does one column predict the target nearly perfectly, by itself or by its order?

- By levels, cuts (a small tree), a word, or by being missing: `by_levels()`, `by_cuts()`, `by_word()`, which
  return `Alone`. A column is reported when its best small tree gets at most WRONG of all rows wrong and at
  most MISSED of the majority class's errors, and the bits it saves, less the bits that name the tree among
  all candidates, are at least SURE. Missing is a level like another.
- By order: `in_order()`. Numbers such as document ids order the rows by class in more ranges than a small
  tree has. Reported where nearly every row has a number of its own, and neighbours are of one class far more
  often than two rows on one side of the best cut.
- The same from pieces of the values: `piece_runs()`, `wrong_between()`, `wrong_of_all()`.

run = neighbouring values with one most frequent class; among = number of columns that are searched.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tallystick import kernels
from tallystick.stats.binning import cut_bits, level_bits, word_bits

WRONG = 0.01  # share of all rows that may be predicted wrongly
MISSED = 0.1  # share of the errors of the majority class that may be left
SURE = 10.0  # bits: by chance alone less than one table in a thousand saves as many
CUTS = 3  # cuts of a small tree for two classes; one more for each further class
FEWEST_NUMBERED = 20  # distinct values; fewer are ordered by class by mere chance
NUMBERED = 0.75  # distinct numbers per row; not 1, as two groups of documents may both be numbered from 1
LEFT_OVER = 0.25  # neighbours of different classes, as a share of those after one cut; measurements leave 0.7

Counts = NDArray[np.int64] | NDArray[np.float64]
Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Alone:
    """A column that predicts all but `wrong` of `rows` rows. absence: by being missing or not."""

    wrong: float
    rows: float
    absence: bool = False
    ordered: ClassVar[bool] = False

    @property
    def found(self) -> str:
        """The finding in words, to follow the column's name: `by itself gives ... correctly`."""
        right = f"{self.rows - self.wrong:,.10g} of {self.rows:,.10g} rows"
        how = ", by being missing or not" if self.absence else ""
        return f"by itself gives the target of {right} correctly{how}"


@dataclass(frozen=True, slots=True)
class InOrder:
    """A column whose order predicts the class: the share `alike` of neighbouring numbers are of one class,
    and two rows on one side of the best cut are of one class with the probability `cut`.
    """

    values: int
    rows: float
    alike: float
    cut: float
    ordered: ClassVar[bool] = True

    @property
    def found(self) -> str:
        """The finding in words, to follow the column's name."""
        return (
            f"has {self.values:,} different numbers in {self.rows:,.10g} rows, and their order predicts the "
            f"target: neighbours have the same class in {self.alike:.1%}, two rows on one side of the best "
            f"cut in {self.cut:.1%}"
        )


def in_order(values: int, rows: float, runs: int, cut: float) -> InOrder | None:
    """Return the finding on the order of so many distinct whole numbers; None unless it predicts far more
    than one cut. runs: of neighbours of one class; cut: see `one_cut`.
    """
    if values < FEWEST_NUMBERED or values < NUMBERED * rows:
        return None
    alike = 1 - (runs - 1) / (values - 1)
    return InOrder(values, rows, alike, cut) if 1 - alike <= LEFT_OVER * (1 - cut) else None


def one_cut(counts: Counts, before: Counts, totals: Counts) -> float:
    """Return the probability that two rows on one side of the best cut behind one of counts[value, class] are
    of one class. before[class]: rows of lower values; totals[class]: all rows with a value.
    """
    low = (before + counts.cumsum(axis=0)).astype(np.float64)
    high = totals - low
    alike = np.zeros(len(low))
    for side in (low, high):
        rows = side.sum(axis=1)
        alike += np.divide((side * side).sum(axis=1), rows, out=np.zeros(len(rows)), where=rows > 0)
    return float(alike.max(initial=0.0) / max(totals.sum(), 1))  # there may be no row with a value


def by_levels(counts: Counts, missing: Counts, among: int = 1) -> Alone | None:
    """Return the finding on counts[level, class] and missing[class]; None unless nearly perfect.

    among: how many columns are searched; with more, a fit by chance is likelier.
    """
    there = counts[counts.any(axis=1)]
    if (found := _by_absence(there, missing, among)) is not None:
        return found
    every = np.vstack([there, missing[None]]) if missing.any() else there
    wrong = float((every.sum(axis=1) - every.max(axis=1, initial=0)).sum())
    return _judged(wrong, every.sum(axis=0), level_bits(len(every), every.shape[1]), among)


def by_cuts(counts: Counts, missing: Counts, among: int = 1, unit: int = 1) -> Alone | None:
    """Return the finding on a few cuts of counts[value, class], in `unit`s and by rising value; None unless
    nearly perfect.
    """
    runs = runs_of(counts)
    found = RunsFound(counts.sum(axis=0), missing, len(counts), len(runs))
    return by_runs(found, lambda most: fewest_wrong(runs, most), among, unit)


class RunsFound(NamedTuple):
    """A numeric column before any cut. there, missing [class]: rows with and without a value; values:
    distinct ones; runs: see the head of this file.
    """

    there: Counts
    missing: Counts
    values: int
    runs: int


def by_runs(
    found: RunsFound, fewest: Callable[[int], list[float]], among: int = 1, unit: int = 1
) -> Alone | None:
    """Return the finding on a few cuts, or None. fewest(most): the fewest wrong rows with 0 to `most` cuts,
    asked for only where the runs are few enough; unit: what a row of weight 1 counts for.
    """
    there, missing = found.there / unit, found.missing / unit
    if (absent := _by_absence(there[None], missing, among)) is not None:
        return absent
    total = there + missing
    most = CUTS + max(int(np.count_nonzero(total)) - 2, 0)
    lost = float(missing.sum() - missing.max(initial=0))
    # each wrong row can break a run in two places; more runs than that are not a small tree
    if found.runs < 2 or found.runs > most + 1 + 2 * allowed(total):
        return None
    for cuts, wrong in enumerate(fewest(most)):
        named = _judged(wrong / unit + lost, total, cut_bits(found.values, cuts) + bool(lost), among)
        if cuts and named is not None:
            return named
    return None


def fewest_rows(rows: Counts) -> float:
    """Return in how many of rows[class] a word must be to predict nearly all: rows without it all get one
    class. A little less, as sums of parts of rows are rounded.
    """
    return (1 - 1e-9) * float(rows.sum() - rows.max(initial=0)) - allowed(rows)


def by_word(
    counts: Counts, rows: Counts, missing: Counts, among: int = 1, words: int | None = None
) -> Alone | None:
    """Return the finding on the best single word: counts[word, class] of rows[class]; missing[class].

    words: how many were searched, where those in too few rows (see `fewest_rows`) are not among the counts.
    """
    if (found := _by_absence((rows - missing)[None], missing, among)) is not None or not len(counts):
        return found
    absent = rows - counts
    wrong = counts.sum(axis=1) - counts.max(axis=1) + absent.sum(axis=1) - absent.max(axis=1)
    return _judged(float(wrong.min()), rows, word_bits(words or len(counts)), among)


def _by_absence(counts: Counts, missing: Counts, among: int) -> Alone | None:
    """Return the finding on missing or not, whatever the value is."""
    there = counts.sum(axis=0)
    if not missing.any() or not there.any():
        return None
    wrong = float(there.sum() - there.max() + missing.sum() - missing.max())
    return _judged(wrong, there + missing, 1.0, among, absence=True)


def _judged(wrong: float, total: Counts, price: float, among: int, absence: bool = False) -> Alone | None:
    """Return the column if it gets so few rows of total[class] wrong, and not by luck."""
    rows = float(total.sum())
    if wrong > allowed(total) or not rows:
        return None
    each = total[total > 0].astype(np.float64)
    whole = float((each * kernels.log2(rows / each)).sum())
    shares = np.array([n for n in (wrong, rows - wrong) if n > 0])
    left = float((shares * kernels.log2(rows / shares)).sum())  # which rows are answered wrongly
    left += wrong * word_bits(len(each) - 1)  # and of which other class they are
    return Alone(wrong, rows, absence) if whole - left - price - word_bits(among) >= SURE else None


def allowed(total: Counts) -> float:
    """Return how many rows may be answered wrongly."""
    return allowed_of(float(total.sum()), float(total.max(initial=0)))


def allowed_of(rows: float, largest: float) -> float:
    """Return the same for `rows` rows, `largest` of them of the most frequent class."""
    return min(WRONG * rows, MISSED * (rows - largest))


def runs_of(counts: Counts) -> Floats:
    """Return counts[run, class] of neighbouring values with one most frequent class."""
    best = counts.argmax(axis=1)
    starts = np.flatnonzero(np.r_[True, best[1:] != best[:-1]]) if len(best) else np.zeros(0, np.intp)
    return np.add.reduceat(counts, starts, axis=0).astype(np.float64) if len(starts) else np.zeros((0, 1))


def fewest_wrong(runs: Floats, most: int) -> list[float]:
    """Return the fewest wrong rows with 0, 1, ... cuts: each interval answers one class.

    wrong[cuts, class]: so far, the interval in hand answering the class.
    """
    wrong = np.full((most + 1, runs.shape[1]), np.inf)
    wrong[0] = 0.0
    for others in runs.sum(axis=1)[:, None] - runs:
        wrong[1:] = np.minimum(wrong[1:], wrong[:-1].min(axis=1)[:, None])
        wrong += others
    return _of_cuts(wrong)


def _of_cuts(wrong: Floats) -> list[float]:
    """Return the fewest wrong rows by cuts; one need not be made."""
    return [float(v) for v in np.minimum.accumulate(wrong.min(axis=1))]


# ---- the same from pieces of the values, which are not in memory together ----


class PieceRuns(NamedTuple):
    """The runs of a piece of the values: how many, and the most frequent class of the first and the last."""

    many: int
    first: int
    last: int


def piece_runs(counts: Counts) -> PieceRuns:
    """Return the runs of a piece that has a value."""
    best = counts.argmax(axis=1)
    return PieceRuns(1 + int(np.count_nonzero(best[1:] != best[:-1])), int(best[0]), int(best[-1]))


def joined_runs(pieces: Sequence[PieceRuns]) -> tuple[int, list[bool]]:
    """Return how many runs all pieces have, and whether the first of each goes on with the last before it."""
    goes_on = [False, *(a.last == b.first for a, b in pairwise(pieces))][: len(pieces)]
    return sum(p.many for p in pieces) - sum(goes_on), goes_on


def runs_in_hand(pieces: Sequence[Floats], goes_on: Sequence[bool]) -> Floats:
    """Return the runs of all values. pieces[i]: runs of a piece; goes_on[i]: its first continues the last
    one.
    """
    out: list[Floats] = []
    for own, on in zip(pieces, goes_on, strict=True):
        if on:
            out[-1][-1] += own[0]
        if len(own) > on:
            out.append(own[int(on) :])
    return np.concatenate(out)


def wrong_between(counts: Counts, most: int, goes_on: bool) -> Floats:
    """Return wrong[class before, cuts, class in hand] of a piece: the fewest wrong rows in it with so many
    cuts there, none before its first run where that goes on with the last.
    """
    runs = runs_of(counts)
    k = runs.shape[1]
    wrong = np.full((k, most + 1, k), np.inf)
    wrong[np.arange(k), 0, np.arange(k)] = 0.0
    for at, others in enumerate(runs.sum(axis=1)[:, None] - runs):
        if at or not goes_on:
            wrong[:, 1:] = np.minimum(wrong[:, 1:], wrong[:, :-1].min(axis=2)[..., None])
        wrong += others
    return wrong


def wrong_of_all(pieces: Sequence[Floats]) -> list[float]:
    """Return the fewest wrong rows with 0, 1, ... cuts, of the pieces' own."""
    most, k = pieces[0].shape[1] - 1, pieces[0].shape[2]
    wrong = np.full((most + 1, k), np.inf)
    wrong[0] = 0.0
    for piece in pieces:
        later = np.full_like(wrong, np.inf)
        for cuts in range(most + 1):  # made in earlier pieces
            some = (wrong[cuts][:, None, None] + piece[:, : most + 1 - cuts]).min(axis=0)
            later[cuts:] = np.minimum(later[cuts:], some)
        wrong = later
    return _of_cuts(wrong)
