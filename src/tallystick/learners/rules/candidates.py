"""Every condition that a column offers to a rule, and the rows that fulfil it, from one count table.

Knows count tables and codes. Knows nothing of scores, names or rows.
Law: offers stand in one order, by column and code, so that ties are broken alike everywhere.

A number, or levels in order, offers all that is below a code and all from it on, either with the missing rows
or without. Levels offer the groups that are best for a class: levels by the class's share among them, from
the highest down. Missing is a level there. A column with missing rows also offers "is missing" and "is
known".
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tallystick import kernels
from tallystick.models.tree.prior import group_bits
from tallystick.stats.level_tables import Coding
from tallystick.stats.rule_tables import Pick

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Allowed = Callable[[int], NDArray[np.bool_]]  # number of an offer -> the codes that it allows


class Offers(NamedTuple):
    """What columns offer: covered[offer, class] rows and bits[offer] that name it among those of its column;
    pick(offer) is the condition itself.
    """

    covered: Ints
    bits: Floats
    pick: Callable[[int], Pick]


def all_offers(codings: tuple[Coding, ...], tables: list[Ints]) -> Offers:
    """Return the offers of all columns together, one column after the other."""
    each = [_offers(coding.kind, table) for coding, table in zip(codings, tables, strict=True)]
    start = np.cumsum([0] + [len(covered) for covered, _, _ in each])

    def pick(offer: int) -> Pick:
        column = int(np.searchsorted(start, offer, side="right")) - 1
        return Pick(column, tuple(each[column][2](offer - int(start[column])).tolist()))

    return Offers(np.concatenate([e[0] for e in each]), np.concatenate([e[1] for e in each]), pick)


def _offers(kind: str, table: Ints) -> tuple[Ints, Floats, Allowed]:
    """Return what one column offers. table[code, class]: rows, missing the last code."""
    return _groups(table) if kind == "levels" else _sides(table)


def _sides(table: Ints) -> tuple[Ints, Floats, Allowed]:
    """Return the offers of a number, or of levels in order: below a code that has rows, and from it on."""
    k, lost = len(table) - 1, table[-1]
    full = np.flatnonzero(table[:-1].any(axis=1))
    cuts = full[1:]
    low = np.cumsum(table[full], axis=0)[:-1]
    known = table[:-1].sum(axis=0)
    sides = np.concatenate([low, known - low])
    gone = bool(lost.any())
    out = [sides, sides + lost, known[None] * bool(len(full)), lost[None]] if gone else [sides]
    covered = np.concatenate(out)
    some = len(covered) if len(full) or not gone else 0  # where all is missing there is nothing to offer
    bits = np.full(some, float(kernels.log2(np.array([max(some, 1.0)]))[0]))

    def allowed(offer: int) -> NDArray[np.bool_]:
        made = np.zeros(k + 1, bool)
        if offer >= 2 * len(sides):
            made[:k], made[k] = offer == 2 * len(sides), offer > 2 * len(sides)
            return made
        made[k], offer = offer >= len(sides), offer % max(len(sides), 1)
        below = np.arange(k) < cuts[offer % len(cuts)]
        made[:k] = below if offer < len(cuts) else ~below
        return made

    return covered[:some], bits, allowed


def _groups(table: Ints) -> tuple[Ints, Floats, Allowed]:
    """Return the groups of levels, missing among them: for each class the levels in which its share is
    highest. Levels without rows go with the larger group.
    """
    size = table.sum(axis=1)
    there = np.flatnonzero(size)
    classes = table.shape[1]
    if len(there) < 2:
        return np.zeros((0, classes), np.int64), np.zeros(0), lambda offer: np.zeros(len(table), bool)
    orders = [there[np.argsort(-(table[there, c] / size[there]), kind="stable")] for c in range(classes)]
    covered = np.concatenate([np.cumsum(table[order], axis=0)[:-1] for order in orders])
    each = len(there) - 1
    chosen = np.tile(np.arange(1, len(there)), classes)
    bits = group_bits(np.full(len(chosen), len(there)), chosen) + 1.0

    def allowed(offer: int) -> NDArray[np.bool_]:
        made = np.zeros(len(table), bool)
        order, j = orders[offer // each], offer % each + 1
        made[order[:j]] = True
        if 2 * j > len(order):
            made[:-1] |= size[:-1] == 0
        return made

    return covered, bits, allowed
