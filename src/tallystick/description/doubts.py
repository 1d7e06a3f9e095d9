"""What a careful reader would ask about a table: levels that are perhaps one, columns that give the target
away, equal rows of different classes.

Knows counts and names. These need a look at all values, so `fit` does not make them; `describe` does.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import numpy as np

from tallystick.data.encode.conflicts import Conflicts
from tallystick.data.schema import Column, Note
from tallystick.description.gains import Counts, entropy
from tallystick.errors import shown, some

GIVEN_AWAY = 0.98  # of the target's entropy known from one column
BINS = 10  # of a numeric column, for the same
ROWS_PER_PART = 5  # rows that each level or bin has on average, for the same
MANY_LEVELS = 5_000  # beyond this, names are not compared
SHORT, MORE = 4, 2  # letters that two near-equal levels share at least, and that one has more at most


def alike(column: Column) -> Iterator[Note]:
    """Yield notes on levels that differ only in letter case or spaces, or by a letter or two at the end."""
    if len(column.levels) > MANY_LEVELS or column.kind == "boolean":
        return
    groups: dict[str, list[str]] = {}
    for level in column.levels:
        groups.setdefault("".join(level.split()).casefold(), []).append(level)
    same = [level for group in groups.values() if len(group) > 1 for level in group]
    if same:
        what = "has levels that differ only in letter case or spaces"
        text = f"column {shown(column.name)} {what}: {some(same, 6)}."
        yield Note("levels-alike", text, column.name, len(same))
    names = sorted(groups)
    near = [
        (groups[a][0], groups[b][0])
        for a, b in pairwise(names)
        if b.startswith(a) and len(a) >= SHORT and 0 < len(b) - len(a) <= MORE and b.isalpha()
    ]
    if near:
        listed = " and ".join(map(shown, near[0]))
        more = f" ({len(near):,} such pairs)" if len(near) > 1 else ""
        text = f"column {shown(column.name)} has levels that may mean the same: {listed}{more}."
        yield Note("levels-alike", text, column.name, len(near))


def giveaway(name: str, counts: Counts, whole: float, cut_gain: float | None) -> Iterator[Note]:
    """Yield a note on a column that alone knows nearly all of a target of `whole` bits: counts[value, class].

    cut_gain: of the best cut of a numeric column, None for levels.
    """
    numeric = cut_gain is not None
    parts = _binned(counts) if numeric else counts[counts.sum(axis=1) > 0]
    rows = int(parts.sum())
    if whole <= 0 or len(parts) < 2 or len(parts) * ROWS_PER_PART > rows:
        return
    known = whole - sum(int(part.sum()) * entropy(part) for part in parts) / rows
    known = max(known, cut_gain or 0.0)
    if known >= GIVEN_AWAY * whole:
        text = (
            f"column {shown(name)} alone knows {known / whole:.0%} of the target. Make sure that it is known "
            f"before the target is; if not, leave it out: kinds={{{shown(name)}: 'out'}}."
        )
        yield Note("giveaway", text, name, rows)


def _binned(counts: Counts) -> Counts:
    """Return counts[bin, class] of about equal bins of neighbouring values."""
    sizes = counts.sum(axis=1)
    before = np.cumsum(sizes) - sizes
    starts = np.unique(np.searchsorted(before, np.arange(BINS) * max(int(sizes.sum()), 1) / BINS))
    starts = starts[starts < len(counts)]
    return np.add.reduceat(counts, starts, axis=0) if len(starts) else counts


def unavoidable(found: Conflicts) -> Iterator[Note]:
    """Yield a note on equal rows of different classes, with the error that no model can avoid."""
    if found.lost > 0:
        text = (
            f"{found.rows:,.10g} rows are equal to others but of another class, so no model of these columns "
            f"gets more than {1 - found.lost / found.total:.2%} of these rows right."
        )
        yield Note("conflicts", text, count=int(found.rows))
