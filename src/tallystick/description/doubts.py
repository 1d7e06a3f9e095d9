"""What a careful reader would ask about a table: levels that are perhaps one, columns that give the target
away, equal rows of different classes.

Knows counts and names. These need a look at all values, so `fit` does not make them; `describe` does.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from itertools import pairwise

import numpy as np

from tallystick.data.read.slips import folded
from tallystick.data.schema import Column, Note
from tallystick.data.table.hashes import Conflicts
from tallystick.description.gains import Stack
from tallystick.errors import Argument, Message, shown, some
from tallystick.stats import alone

MANY_LEVELS = 5_000  # beyond this, names are not compared
CHANGES = 20  # of counts from value to value: so many are not the same in two columns by chance
SHORT, MORE = 4, 2  # letters that two near-equal levels share at least, and that one has more at most


def alike(column: Column, rows: Sequence[int]) -> Iterator[Note]:
    """Yield notes on levels that differ only in letter case or spaces, or by a letter or two at the end.

    rows[level]: how many have it.
    """
    if len(column.levels) > MANY_LEVELS or column.kind == "boolean":
        return
    groups: dict[str, list[str]] = {}  # the levels of each spelling, the most frequent first
    for _, level in sorted(zip((-int(n) for n in rows), column.levels, strict=True)):
        groups.setdefault(folded(level), []).append(level)
    same = [level for group in groups.values() if len(group) > 1 for level in group]
    if same:
        what = "has levels that differ only in letter case or spaces"
        several = {group[0]: group[1:] for group in groups.values() if len(group) > 1}
        cure = Argument("merge", {text: sorted(several[text]) for text in sorted(several)})
        text = Message(
            f"column {shown(column.name)} {what}: {some(same, 6)}. To read them as one pass ", cure, "."
        )
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
        cure = Argument("merge", {near[0][1]: [near[0][0]]})
        text = Message(
            f"column {shown(column.name)} has levels that may mean the same: {listed}{more}. If so, pass ",
            cure,
            ".",
        )
        yield Note("levels-alike", text, column.name, len(near))


def prints(columns: Sequence[Column], stack: Stack) -> Iterator[tuple[str, bytes]]:
    """Yield of each column of numbers by what it is known again in another unit: how many rows of each class
    each of its values has, from the lowest value on or from the highest, whichever is less. A column where
    these hardly change is known by nothing.
    """
    ends = (stack.starts + stack.lengths).tolist()
    for column, start, end, missing in zip(columns, stack.starts.tolist(), ends, stack.missing, strict=True):
        counts = stack.counts[start:end]
        if np.count_nonzero((counts[1:] != counts[:-1]).any(axis=1)) >= CHANGES:
            ways = min(np.ascontiguousarray(way).tobytes() for way in (counts, counts[::-1]))
            yield column.name, hashlib.sha256(missing.tobytes() + ways).digest()


def repeated(known: Sequence[tuple[str, bytes]]) -> Iterator[Note]:
    """Yield notes on columns that repeat an earlier one in another unit."""
    first: dict[bytes, str] = {}
    for name, mark in known:
        if (of := first.setdefault(mark, name)) != name:
            text = (
                f"column {shown(name)} repeats {shown(of)}, perhaps in another unit: value by value they lie "
                "in as many rows of each class. One of the two is enough."
            )
            yield Note("repeats", text, name)


def giveaways(names: Sequence[str], stack: Stack, levels: bool, among: int) -> list[Note | None]:
    """Return, of each column that alone tells the target nearly perfectly, a note.

    levels: whether each place is a level, or a number among others in their order. among: columns in all.
    """
    tell = alone.by_levels if levels else alone.by_cuts
    ends = (stack.starts + stack.lengths).tolist()
    out: list[Note | None] = []
    for name, start, end, missing in zip(names, stack.starts.tolist(), ends, stack.missing, strict=True):
        found = tell(stack.counts[start:end], missing, among)
        out.append(None if found is None else given_away(name, found))
    return out


def given_away(name: str, found: alone.Alone) -> Note:
    """Return the note on a column that tells nearly everything."""
    text = Message(
        f"column {shown(name)} {found.found}. Make sure that it is known before the target is; "
        "if not, leave it out: ",
        Argument("kinds", {name: "out"}),
        ".",
    )
    return Note("giveaway", text, name, int(found.rows - found.wrong))


def unavoidable(found: Conflicts) -> Iterator[Note]:
    """Yield a note on equal rows of different classes, with the error that no model can avoid."""
    if found.lost > 0:
        text = (
            f"{found.rows:,.10g} rows are equal to others but of another class, so no model of these columns "
            f"gets more than {1 - found.lost / found.total:.2%} of these rows right."
        )
        yield Note("conflicts", text, count=int(found.rows))
