"""Whether one column alone tells the target nearly perfectly: by a small tree, by its levels, by a word, or
by nothing but being missing.

Knows counts by value and class. Knows nothing of rows, files or learners, nor of what a column means: a
column that tells everything may be a leak (known only after the target is) or simply the answer; a reader
is to look.

A column is named when its best small tree gets at most WRONG of all rows wrong and at most MISSED of those
that always answering the most frequent class gets wrong, and when that is not luck: the bits it saves, less
those that name the tree among all that were looked at, are at least SURE. Missing is a value like another.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tallystick import kernels
from tallystick.stats.price import cut_bits, level_bits, word_bits

__all__ = ["Alone", "allowed", "by_cuts", "by_levels", "by_word"]

WRONG = 0.01  # of all rows
MISSED = 0.1  # of the rows that the most frequent class gets wrong
SURE = 10.0  # bits: by chance alone less than one table in a thousand saves as many
CUTS = 3  # of a small tree of two classes; one more for each further class

Counts = NDArray[np.int64] | NDArray[np.float64]
Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Alone:
    """What one column tells: `wrong` of `rows` rows are wrong. absence: by being missing or not."""

    wrong: float
    rows: float
    absence: bool = False

    @property
    def found(self) -> str:
        """What it tells, without its name: `by itself gives ... correctly`, to follow its name."""
        right = f"{self.rows - self.wrong:,.10g} of {self.rows:,.10g} rows"
        how = ", by being missing or not" if self.absence else ""
        return f"by itself gives the target of {right} correctly{how}"


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


def by_cuts(counts: Counts, missing: Counts, among: int = 1) -> Alone | None:
    """Return what counts[value, class] in rising order of values tell by a few cuts; None as above."""
    if (found := _by_absence(counts, missing, among)) is not None:
        return found
    total = counts.sum(axis=0) + missing
    most = CUTS + max(int(np.count_nonzero(total)) - 2, 0)
    lost = float(missing.sum() - missing.max(initial=0))
    few = allowed(total)
    runs = _runs(counts)
    # each wrong row can break a run in two places; more runs than that are not a small tree
    if len(runs) < 2 or len(runs) > most + 1 + 2 * few:
        return None
    for cuts, wrong in enumerate(_fewest_wrong(runs, most)):
        named = _judged(wrong + lost, total, cut_bits(len(counts), cuts) + bool(lost), among)
        if cuts and named is not None:
            return named
    return None


def by_word(counts: Counts, rows: Counts, missing: Counts, among: int = 1) -> Alone | None:
    """Return what the presence of one word tells: counts[word, class] of rows[class]; missing[class]."""
    if (found := _by_absence((rows - missing)[None], missing, among)) is not None or not len(counts):
        return found
    absent = rows - counts
    wrong = counts.sum(axis=1) - counts.max(axis=1) + absent.sum(axis=1) - absent.max(axis=1)
    return _judged(float(wrong.min()), rows, word_bits(len(counts)), among)


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
    rows = float(total.sum())
    return min(WRONG * rows, MISSED * (rows - float(total.max(initial=0))))


def _runs(counts: Counts) -> Floats:
    """Return counts[run, class] of neighbouring values with one most frequent class."""
    best = counts.argmax(axis=1)
    starts = np.flatnonzero(np.r_[True, best[1:] != best[:-1]]) if len(best) else np.zeros(0, np.intp)
    return np.add.reduceat(counts, starts, axis=0).astype(np.float64) if len(starts) else np.zeros((0, 1))


def _fewest_wrong(runs: Floats, most: int) -> list[float]:
    """Return the fewest wrong rows with 0, 1, ... cuts: each interval answers one class.

    wrong[cuts, class]: so far, the interval in hand answering the class.
    """
    wrong = np.full((most + 1, runs.shape[1]), np.inf)
    wrong[0] = 0.0
    for others in runs.sum(axis=1)[:, None] - runs:
        wrong[1:] = np.minimum(wrong[1:], wrong[:-1].min(axis=1)[:, None])
        wrong += others
    return [float(v) for v in np.minimum.accumulate(wrong.min(axis=1))]  # a cut need not be made
