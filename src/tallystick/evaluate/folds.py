"""Folds: which rows teach and which rows test, decided by what the rows hold.

Knows classes, weights, row hashes, and the values of a group or time column. Knows nothing of models.
Law: folds depend on the multiset of rows and the key, not on their order; copies of a row stay together.
"""

from __future__ import annotations

import hashlib
import heapq
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallystick.data.encode import Table
from tallystick.errors import DataError, OptionError, shown

Folds = NDArray[np.int64]
Rows = NDArray[np.int64]
NEVER = -1  # the fold of a row that teaches but never tests


@dataclass(frozen=True)
class Plan:
    """fold[row] of one repeat. Rising: a fold is taught by the folds before it only (time); else by all
    others.

    One out: every fold is one distinct row.
    """

    fold: Folds
    rising: bool = False
    one_out: bool = False

    @property
    def sizes(self) -> tuple[int, ...]:
        """The number of test rows of each fold."""
        return tuple(np.bincount(self.fold[self.fold >= 0]).tolist())

    @property
    def numbers(self) -> list[int]:
        """The folds that have test rows."""
        return [int(f) for f in np.unique(self.fold[self.fold >= 0])]

    def part(self, f: int) -> tuple[Rows, Rows]:
        """Return (teaching rows, test rows) of one fold."""
        teach = np.flatnonzero(self.fold < f if self.rising else self.fold != f)
        return teach, np.flatnonzero(self.fold == f)

    def parts(self) -> Iterator[tuple[Rows, Rows]]:
        """Yield (teaching rows, test rows) of each fold that has any, one at a time."""
        return (self.part(f) for f in self.numbers)


@dataclass(frozen=True)
class Dealing:
    """How rows are dealt to folds, for all rows or for some of them, so that inner folds keep the same law.

    groups[row]: rows of one group stay together. times[row]: folds are taught by earlier rows. shares: the
    parts that teach, validate (if there are three) and test, once each. None of these: stratified folds.
    """

    groups: NDArray[Any] | None = None
    times: NDArray[Any] | None = None
    shares: tuple[float, ...] = ()

    def plan(self, table: Table, folds: int, key: int = 0, rows: Rows | None = None) -> Plan:
        """Return a plan for a table that holds `rows` of all rows (None: all)."""
        if self.groups is not None:
            groups = self.groups if rows is None else self.groups[rows]
            if rows is not None:
                folds = max(2, min(folds, len(np.unique(groups))))
            return Plan(group_folds(groups, table.weights, folds, key))
        if self.times is not None:
            times = self.times if rows is None else self.times[rows]
            if rows is not None:
                folds = max(1, min(folds, len(np.unique(times)) - 1))
            return Plan(time_folds(times, folds), rising=True)
        return Plan(deal_folds(table, folds, key))

    def outer(self, table: Table, folds: int, key: int = 0) -> Plan:
        """Return the plan that judges."""
        if self.shares:
            return Plan(hold_out(table, self.shares[-1] / sum(self.shares), key))
        return self.plan(table, folds, key)

    def inner(self, training: Table, folds: int, rows: Rows) -> Plan:
        """Return the plan that chooses among settings, inside the teaching rows of one fold."""
        if len(self.shares) == 3:
            return Plan(hold_out(training, self.shares[1] / sum(self.shares[:2]), 1))
        return self.plan(training, folds, 1, rows)


def deal_folds(table: Table, folds: int | str, key: int = 0) -> Folds:
    """Return fold[row]: per class, distinct rows in the order of a keyed hash, each to the lightest fold.

    Copies of a row are one: they stay together and weigh together.
    """
    hashes = keyed(table.row_hashes(), key)
    _check(folds, table.rows, "rows")
    assert isinstance(folds, int)
    out = np.empty(table.rows, np.int64)
    load = np.zeros(folds, np.int64)
    for rows in _by_class(table):
        _, inverse = np.unique(hashes[rows], return_inverse=True)
        loads = _loads(inverse, None if table.weights is None else table.weights[rows])
        dealt, load = deal(loads, load)
        out[rows] = dealt[inverse]
    return out


def one_out(table: Table) -> Folds:
    """Return fold[row]: every distinct row is a fold of its own, copies together."""
    return np.unique(table.row_hashes(), return_inverse=True)[1].astype(np.int64)


def group_folds(groups: NDArray[Any], weights: NDArray[np.int64] | None, folds: int, key: int = 0) -> Folds:
    """Return fold[row]: rows of one group stay together; groups in the order of a keyed hash of their
    name.
    """
    names, inverse = np.unique(groups.astype(str), return_inverse=True)
    _check(folds, len(names), "groups")
    hashes = keyed(hash_texts([str(n) for n in names.tolist()]), key)
    order = np.argsort(hashes, kind="stable")
    dealt = np.empty(len(names), np.int64)
    dealt[order], _ = deal(_loads(inverse, weights)[order], np.zeros(folds, np.int64))
    return dealt[inverse]


def time_folds(times: NDArray[Any], folds: int) -> Folds:
    """Return fold[row]: folds + 1 stretches of time of about equal size, the first of which only teaches.

    Rows of one moment are never parted.
    """
    moments, inverse = np.unique(times, return_inverse=True)
    if folds > 1 or len(moments) < 2:
        _check(folds, len(moments) - 1, "later moments")
    full = np.bincount(inverse)
    middle = (np.cumsum(full) - full / 2) / len(times)
    stretch = np.minimum((middle * (folds + 1)).astype(np.int64), folds)
    _, stretch = np.unique(stretch, return_inverse=True)  # a heavy moment may leave a stretch empty
    return (stretch - 1)[inverse].astype(np.int64)


def hold_out(table: Table, share: float, key: int = 0) -> Folds:
    """Return fold[row]: 0 for about `share` of the rows of each class, which test; NEVER for the rest."""
    if not 0 < share < 1:
        raise OptionError(f"the share of rows held out must lie between 0 and 1, not {shown(share)}.")
    hashes = keyed(table.row_hashes(), key)
    out = np.full(table.rows, NEVER, np.int64)
    for rows in _by_class(table):
        _, inverse = np.unique(hashes[rows], return_inverse=True)
        loads = _loads(inverse, None if table.weights is None else table.weights[rows])
        middle = np.cumsum(loads) - loads / 2
        out[rows[(middle < share * loads.sum())[inverse]]] = 0
    if (out == 0).all() or (out == NEVER).all():
        raise DataError(f"{table.rows:,} rows cannot be parted at {share:g}. Use folds.")
    return out


def _by_class(table: Table) -> Iterator[Rows]:
    """Yield the rows of each class; of a regression all rows."""
    if table.classes is None:
        yield np.arange(table.rows)
        return
    for c in range(int(table.classes.max(initial=0)) + 1):
        yield np.flatnonzero(table.classes == c)


def keyed(hashes: NDArray[np.uint64], key: int) -> NDArray[np.uint64]:
    """Return other hashes for another key, so that repeats deal anew."""
    if key == 0:
        return hashes
    with np.errstate(over="ignore"):
        x = hashes ^ (np.uint64(key) * np.uint64(0x9E3779B97F4A7C15))
        x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return np.asarray(x ^ (x >> np.uint64(31)))


def hash_texts(texts: list[str]) -> NDArray[np.uint64]:
    """Return a hash of each text's UTF-8 bytes."""
    digests = b"".join(hashlib.blake2b(text.encode(), digest_size=8).digest() for text in texts)
    return np.frombuffer(digests, "<u8").astype(np.uint64)


def deal(loads: NDArray[np.int64], before: NDArray[np.int64]) -> tuple[Folds, NDArray[np.int64]]:
    """Return fold[item] and the new loads: each item to the fold lightest in this class, then lightest in
    all.
    """
    folds = len(before)
    out = np.empty(len(loads), np.int64)
    mine = np.zeros(folds, np.int64)
    order = np.lexsort((np.arange(folds), before))
    if len(loads) and (loads == loads[0]).all():  # equal items go round
        out[:] = order[np.arange(len(loads)) % folds]
        np.add.at(mine, out, loads)
        return out, before + mine
    lightest = [(0, earlier, f) for f, earlier in enumerate(before.tolist())]
    heapq.heapify(lightest)
    for i, load in enumerate(loads.tolist()):
        full, earlier, f = lightest[0]
        out[i] = f
        heapq.heapreplace(lightest, (full + load, earlier, f))
    np.add.at(mine, out, loads)
    return out, before + mine


def _loads(inverse: NDArray[np.int64], weights: NDArray[np.int64] | None) -> NDArray[np.int64]:
    loads = np.zeros(int(inverse.max(initial=-1)) + 1, np.int64)
    np.add.at(loads, inverse, 1 if weights is None else weights)
    return loads


def _check(folds: Any, most: int, what: str) -> None:
    if isinstance(folds, bool) or not isinstance(folds, int | np.integer) or folds < 2:
        raise OptionError(
            f"folds must be a whole number of at least 2, or 'leave-one-out', not {shown(folds)}."
        )
    if folds > most:
        raise DataError(f"folds={folds} needs at least {folds} {what}, found {most:,}. Use fewer folds.")
