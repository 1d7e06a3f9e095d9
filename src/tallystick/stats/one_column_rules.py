"""Whether one column alone tells the target nearly perfectly: by a small tree, by its levels, by a word, or
by nothing but being missing.

A column is named when its best small tree gets at most WRONG of all rows wrong and at most MISSED of those
that always answering the most frequent class gets wrong, and when that is not luck: the bits it saves, less
those that name the tree among all that were looked at, are at least SURE. Missing is a value like another.

A column of numbers may also order the rows by class in more ranges than a small tree has, as do numbers that
documents were given class by class. It is named where nearly every row has a number of its own, and
neighbours in their order are of one class far more often than two rows on one side of the best cut.
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

WRONG = 0.01  # of all rows
MISSED = 0.1  # of the rows that the most frequent class gets wrong
SURE = 10.0  # bits: by chance alone less than one table in a thousand saves as many
CUTS = 3  # of a small tree of two classes; one more for each further class
FEWEST_NUMBERED = 20  # rows: fewer are in some order of their classes by chance
NUMBERED = 0.75  # different numbers of all rows: two groups of documents may be counted from the same number
LEFT_OVER = 0.25  # of the neighbours of different classes after one cut; measured columns leave 0.7 or more

Counts = NDArray[np.int64] | NDArray[np.float64]
Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Alone:
    """What one column tells: `wrong` of `rows` rows are wrong. absence: by being missing or not."""

    wrong: float
    rows: float
    absence: bool = False
    ordered: ClassVar[bool] = False

    @property
    def found(self) -> str:
        """What it tells, without its name: `by itself gives ... correctly`, to follow its name."""
        right = f"{self.rows - self.wrong:,.10g} of {self.rows:,.10g} rows"
        how = ", by being missing or not" if self.absence else ""
        return f"by itself gives the target of {right} correctly{how}"


@dataclass(frozen=True, slots=True)
class InOrder:
    """What the order of a column's numbers tells: `alike` of neighbouring numbers are of one class, and two
    rows on one side of the best cut are of one class with the probability `cut`.
    """

    values: int
    rows: float
    alike: float
    cut: float
    ordered: ClassVar[bool] = True

    @property
    def found(self) -> str:
        """What it tells, to follow its name."""
        return (
            f"has {self.values:,} different numbers in {self.rows:,.10g} rows, and their order predicts the "
            f"target: neighbours have the same class in {self.alike:.1%}, two rows on one side of the best "
            f"cut in {self.cut:.1%}"
        )


def in_order(values: int, rows: float, runs: int, cut: float) -> InOrder | None:
    """Return what the order of so many different whole numbers tells, None unless it is far more than one cut
    does. runs: of neighbours of one class; cut: see `one_cut`.
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
    return float(alike.max(initial=0.0) / max(totals.sum(), 1))  # no row may have a value


def by_levels(counts: Counts, missing: Counts, among: int = 1) -> Alone | None:
    """Return what counts[level, class] and missing[class] tell, None unless it is nearly all.

    among: how many columns are looked at; more give luck more chances.
    """
    there = counts[counts.any(axis=1)]
    if (found := _by_absence(there, missing, among)) is not None:
        return found
    every = np.vstack([there, missing[None]]) if missing.any() else there
    wrong = float((every.sum(axis=1) - every.max(axis=1, initial=0)).sum())
    return _judged(wrong, every.sum(axis=0), level_bits(len(every), every.shape[1]), among)


def by_cuts(counts: Counts, missing: Counts, among: int = 1, unit: int = 1) -> Alone | None:
    """Return what counts[value, class], in `unit`s and in rising order of values, tell by a few cuts; None as
    above.
    """
    runs = runs_of(counts)
    found = RunsFound(counts.sum(axis=0), missing, len(counts), len(runs))
    return by_runs(found, lambda most: fewest_wrong(runs, most), among, unit)


class RunsFound(NamedTuple):
    """What is known of the numbers of a column before any cut: rows with and without one by class, how many
    values differ, and how many runs of neighbouring values have one most frequent class each.
    """

    there: Counts
    missing: Counts
    values: int
    runs: int


def by_runs(
    found: RunsFound, fewest: Callable[[int], list[float]], among: int = 1, unit: int = 1
) -> Alone | None:
    """Return what a few cuts tell; None as above. fewest(most): the fewest wrong rows with 0 to `most` cuts,
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
    """Return how many of rows[class] a word must be in at least to tell nearly all: where it is not, one
    class is answered. A little less, as sums of parts of rows are rounded.
    """
    return (1 - 1e-9) * float(rows.sum() - rows.max(initial=0)) - allowed(rows)


def by_word(
    counts: Counts, rows: Counts, missing: Counts, among: int = 1, words: int | None = None
) -> Alone | None:
    """Return what the presence of one word tells: counts[word, class] of rows[class]; missing[class].

    words: how many were looked at, where those in too few rows (see `fewest_rows`) are not among the counts.
    """
    if (found := _by_absence((rows - missing)[None], missing, among)) is not None or not len(counts):
        return found
    absent = rows - counts
    wrong = counts.sum(axis=1) - counts.max(axis=1) + absent.sum(axis=1) - absent.max(axis=1)
    return _judged(float(wrong.min()), rows, word_bits(words or len(counts)), among)


def _by_absence(counts: Counts, missing: Counts, among: int) -> Alone | None:
    """Return what being missing tells, whatever the value is."""
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
    """Return the same of so many rows, of which so many are of the most frequent class."""
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


# ---- the same where the values lie in pieces ----


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
    """Return the runs of all values, of those of each piece and whether its first goes on with the last."""
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
        for cuts in range(most + 1):  # that were made before
            some = (wrong[cuts][:, None, None] + piece[:, : most + 1 - cuts]).min(axis=0)
            later[cuts:] = np.minimum(later[cuts:], some)
        wrong = later
    return _of_cuts(wrong)
