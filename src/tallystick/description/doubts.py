"""What a careful reader would ask about a table: levels that are perhaps one, columns that give the target
away, equal rows of different classes.

Knows counts and names. These need a look at all values, so `fit` does not make them; `describe` does.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

import numpy as np

from tallystick.data.encode.conflicts import Conflicts
from tallystick.data.schema import Column, Note
from tallystick.description.gains import Stack, bits, summed
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


def giveaways(
    names: Sequence[str], stack: Stack, whole: float, gains: Sequence[float | None]
) -> list[Note | None]:
    """Return, of each column that alone knows nearly all of a target of `whole` bits, a note.

    gains: of the best cut where the columns are numeric, None where each place is a level.
    """
    numeric = gains[0] is not None
    tables = _binned(stack) if numeric else stack
    there = np.add.reduceat((tables.sizes > 0).astype(np.int64), tables.starts)
    rows = tables.total.sum(axis=1)
    inside = np.add.reduceat(bits(tables.counts), tables.starts)
    known = whole - inside / np.maximum(rows, 1)
    known = np.maximum(known, np.array([gain or 0.0 for gain in gains])) if numeric else known
    told = (whole > 0) & (there >= 2) & (there * ROWS_PER_PART <= rows) & (known >= GIVEN_AWAY * whole)
    return [
        _given_away(name, float(k) / whole, int(n)) if yes else None
        for name, k, n, yes in zip(names, known, rows, told.tolist(), strict=True)
    ]


def _given_away(name: str, share: float, rows: int) -> Note:
    text = (
        f"column {shown(name)} alone knows {share:.0%} of the target. Make sure that it is known "
        f"before the target is; if not, leave it out: kinds={{{shown(name)}: 'out'}}."
    )
    return Note("giveaway", text, name, rows)


def _binned(stack: Stack) -> Stack:
    """Return the counts in about equal bins of neighbouring values."""
    before = stack.left.sum(axis=1) - stack.sizes
    rows = np.maximum(stack.spread(stack.total.sum(axis=1)), 1)
    columns = len(stack.starts)
    place = stack.spread(np.arange(columns) * BINS) + before * BINS // rows
    return Stack(summed(place, stack.counts, columns * BINS), np.arange(columns) * BINS, stack.missing)


def unavoidable(found: Conflicts) -> Iterator[Note]:
    """Yield a note on equal rows of different classes, with the error that no model can avoid."""
    if found.lost > 0:
        text = (
            f"{found.rows:,.10g} rows are equal to others but of another class, so no model of these columns "
            f"gets more than {1 - found.lost / found.total:.2%} of these rows right."
        )
        yield Note("conflicts", text, count=int(found.rows))
