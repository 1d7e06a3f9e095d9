"""Folds: which rows train and which rows test, decided by what the rows hold.

Knows classes, weights, cases, and the values of a group or time column. Knows nothing of models.
Law: folds depend on the multiset of rows and the key, not on their order; a whole weight is dealt as its
copies, and copies are dealt like any other rows.
"""

from __future__ import annotations

import hashlib
import heapq
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallystick.contracts import Table
from tallystick.data.schema import Column, Schema
from tallystick.errors import Argument, DataError, OptionError, counted, shown
from tallystick.evaluate import large
from tallystick.evaluate.cases import (
    Cases,
    InParts,
    InShare,
    InTurn,
    case_keys,
    cases_of,
    count_cases,
    distinct_cases,
    keyed,
    one_case,
)

Folds = NDArray[np.int64]
Rows = NDArray[np.int64]
MOST_REPEATS = 10_000  # means over so many differ by hundredths of what one repeat differs by
NEVER = -1  # the fold of a row that trains but never tests


@dataclass(frozen=True)
class FoldPlan:
    """fold[piece] of one repeat. A piece is what of a row's weight lies in one fold: rows[piece] and
    weights[piece], in units of the table; without these each row is one piece.

    Rising: a fold is trained on the folds before it only (time); else by all others. twin[piece]: the piece
    whose answer is this one's too, where one of several copies is left out for all of them.
    """

    fold: Folds
    rising: bool = False
    rows: Rows | None = None
    weights: NDArray[np.int64] | None = None
    twin: Rows | None = None
    large: bool = False  # more rows than memory holds: rows are found a few at a time

    @property
    def numbers(self) -> list[int]:
        """The folds that have test rows."""
        there = np.zeros(int(self.fold.max(initial=NEVER)) - NEVER + 1, bool)
        for s in large.steps(len(self.fold)):
            there[self.fold[s] - NEVER] = True
        found: list[int] = np.flatnonzero(there[-NEVER:]).tolist()
        return found

    def pieces(self, table: Table) -> Table:
        """Return the table whose rows are the pieces: each is in one fold."""
        if self.rows is None or self.weights is None:
            return table
        return table.split(self.rows, self.weights)

    def held(self, table: Table, f: int) -> NDArray[np.int64]:
        """Return the weight of each row in one fold, in units of the table."""
        out = np.zeros(table.rows, np.int64)
        rows = np.flatnonzero(self.fold == f)
        if self.rows is not None and self.weights is not None:
            np.add.at(out, self.rows[rows], self.weights[rows])
        else:
            out[rows] = 1 if table.weights is None else table.weights[rows]
        return out

    def halves(self, table: Table) -> Iterator[tuple[Table, Table]]:
        """Yield (rows to train on, rows to test on) of each fold: the whole table, by weights."""
        weights = table.weights if table.weights is not None else np.ones(table.rows, np.int64)
        for f in self.numbers:
            held = self.held(table, f)
            yield table.with_weights(weights - held), table.with_weights(held)

    def part(self, f: int) -> tuple[Rows, Rows]:
        """Return (training pieces, test pieces) of one fold."""
        if self.large:
            return large.where(lambda s: self.fold[s] != f, len(self.fold)), self.tested(f)
        train = np.flatnonzero(self.fold < f if self.rising else self.fold != f)
        return train, self.tested(f)

    def tested(self, f: int) -> Rows:
        """Return the test pieces of one fold."""
        if self.large:
            return large.where(lambda s: self.fold[s] == f, len(self.fold))
        return np.flatnonzero(self.fold == f)

    def parts(self) -> Iterator[tuple[Rows, Rows]]:
        """Yield (training pieces, test pieces) of each fold that has any, one at a time."""
        return (self.part(f) for f in self.numbers)


@dataclass(frozen=True)
class Dealing:
    """How rows are dealt to folds, for all rows or for some of them, so that inner folds keep the same law.

    groups[row]: rows of one group stay together. times[row]: folds are trained on earlier rows. shares: the
    parts that train, validate (if there are three) and test, once each. None of these: stratified folds.
    """

    groups: NDArray[Any] | None = None
    times: NDArray[Any] | None = None
    shares: tuple[float, ...] = ()

    def plan(self, table: Table, folds: int, key: int = 0, rows: Rows | None = None) -> FoldPlan:
        """Return a plan for a table that holds `rows` of all rows (None: all)."""
        if self.groups is not None:
            groups = self.groups if rows is None else self.groups[rows]
            if rows is not None:
                folds = max(2, min(folds, len(np.unique(groups))))
            return FoldPlan(group_folds(groups, table.weights, folds, key))
        if self.times is not None:
            times = self.times if rows is None else self.times[rows]
            if rows is not None:
                folds = max(1, min(folds, len(np.unique(times)) - 1))
            return FoldPlan(time_folds(times, folds, table.weights), rising=True)
        if rows is not None:
            folds = min(folds, count_cases(table))
            if folds < 2:
                return FoldPlan(np.full(table.rows, NEVER))  # one row: there is nothing to choose on
        return deal(table, folds, key)

    def outer(self, table: Table, folds: int, key: int = 0) -> FoldPlan:
        """Return the plan that judges."""
        if self.shares:
            return hold_out(table, self.shares[-1] / sum(self.shares), key)
        return self.plan(table, folds, key)

    def inner(self, training: Table, folds: int, rows: Rows) -> FoldPlan:
        """Return the plan that chooses among settings, inside the training rows of one fold."""
        if len(self.shares) == 3:
            return hold_out(training, self.shares[1] / sum(self.shares[:2]), 1)
        return self.plan(training, folds, 1, rows)


def deal(table: Table, folds: int, key: int = 0, by_class: bool = True) -> FoldPlan:
    """Return the plan of stratified folds: the cases of each class, in the order of a keyed hash of what they
    hold, go to the folds in turn; not by_class: the cases of all classes together.
    """
    check_folds(folds, count_cases(table), "rows")
    if large.is_large(table) and table.weights is None:
        return _deal_large(table, folds, key, table.classes if by_class else None)
    cases = cases_of(table)
    if cases.rows is not None:
        return in_pieces(table, cases, InTurn(key, folds, by_class))
    order = cases.order(key, table.classes if by_class else None)
    fold = np.empty(table.rows, np.int64)
    fold[order] = np.arange(table.rows) % folds
    return FoldPlan(fold)


def _deal_large(table: Any, folds: int, key: int, classes: NDArray[Any] | None) -> FoldPlan:
    """Return the plan of `deal` for more rows than memory holds."""
    keys = case_keys(table)
    for s in large.steps(table.rows):
        keys[s] = keyed(keys[s], key + 1)
    fold, dealt = large.empty(table, table.rows, np.int64), 0
    for c in range(1 if classes is None else int(classes.max(initial=0)) + 1):
        test = None if classes is None else partial(_of_class, classes, c)
        for rows in large.by_key(keys, test, table.budget):
            fold[rows] = (dealt + np.arange(len(rows))) % folds
            dealt += len(rows)
    return FoldPlan(fold, large=True)


def _of_class(classes: NDArray[Any], code: int, rows: slice) -> NDArray[np.bool_]:
    return np.asarray(classes[rows] == code)


def hold_out(table: Table, share: float, key: int = 0) -> FoldPlan:
    """Return the plan of one fold of about `share` of each class, spread evenly over the order of `deal`; the
    others train.
    """
    plan = in_pieces(table, cases_of(table), in_share(share, key, count_cases(table), table.rows))
    fold = np.where(plan.fold == 0, 0, NEVER)
    if plan.rows is None or plan.weights is None:
        return FoldPlan(fold)
    order = np.lexsort((fold, plan.rows))
    return FoldPlan(fold[order], rows=plan.rows[order], weights=plan.weights[order])


def in_share(share: float, key: int, cases: int, rows: int) -> InShare:
    """Return the order that puts a share of so many cases, of so many rows, in one fold."""
    if not 0 < share < 1:
        raise OptionError(f"the share of rows held out must lie between 0 and 1, not {shown(share)}.")
    order = InShare(key, share)
    if not 0 < order.reached(cases) < cases:
        raise DataError(f"{counted(rows, 'row')} cannot be divided at {share:g}. Use folds.")
    return order


def in_pieces(
    table: Table, cases: Cases, order: InTurn | InShare | InParts, most: int | None = None
) -> FoldPlan:
    """Return the plan of the cases of a table in the folds of an order, those of a row in a fold together.
    most: of the rows that have the first so many cases; the others are in no piece.
    """
    runs = cases.order(order.key, table.classes if order.by_class else None)
    sizes = np.ones(len(runs), np.int64) if cases.sizes is None else cases.sizes[runs]
    before = np.cumsum(sizes) - sizes
    if most is not None:
        stop = int(np.searchsorted(before, most))
        runs, sizes, before = runs[:stop], sizes[:stop], before[:stop]
    rows = runs if cases.rows is None else cases.rows[runs]
    at, fold, amounts = order.pieces(before, sizes)
    many = int(fold.max(initial=0)) + 1
    pairs, inverse = np.unique(rows[at] * many + fold, return_inverse=True)
    row, fold = pairs // many, pairs % many
    if most is None and len(row) == table.rows:
        return FoldPlan(fold)
    held = np.zeros(len(row), np.int64)
    np.add.at(held, inverse, amounts)
    return FoldPlan(fold, rows=row, weights=held * one_case(table, row))


def one_out(table: Table) -> FoldPlan:
    """Return the plan that leaves out each distinct case once, for all its copies."""
    first, group = distinct_cases(table)
    fold = np.full(table.rows, NEVER, np.int64)
    fold[first] = np.arange(len(first))
    if table.weights is None:
        return FoldPlan(fold, twin=first[group])
    one = one_case(table, first)
    rest = np.flatnonzero(table.weights[first] > one)
    weights = table.weights.copy()
    weights[first] = one
    rows = np.concatenate([np.arange(table.rows), first[rest]])
    weights = np.concatenate([weights, table.weights[first[rest]] - one[rest]])
    return FoldPlan(
        np.concatenate([fold, np.full(len(rest), NEVER)]), rows=rows, weights=weights, twin=first[group[rows]]
    )


def group_folds(groups: NDArray[Any], weights: NDArray[np.int64] | None, folds: int, key: int = 0) -> Folds:
    """Return fold[row]: rows of one group stay together; groups in the order of a keyed hash of their
    name.
    """
    names, inverse = np.unique(groups.astype(str), return_inverse=True)
    check_folds(folds, len(names), "groups")
    hashes = keyed(hash_texts([str(n) for n in names.tolist()]), key)
    order = np.argsort(hashes, kind="stable")
    dealt = np.empty(len(names), np.int64)
    dealt[order] = _lightest(_loads(inverse, weights)[order], folds)
    return dealt[inverse]


def time_folds(times: NDArray[Any], folds: int, weights: NDArray[np.int64] | None = None) -> Folds:
    """Return fold[row]: folds + 1 stretches of time of about equal size, the first for training only.

    Rows of one moment are never parted.
    """
    moments, inverse = np.unique(times, return_inverse=True)
    check_moments(folds, len(moments))
    full = _loads(inverse, weights)
    stretch = stretches(np.cumsum(full), full, int(full.sum()), folds)
    _, stretch = np.unique(stretch, return_inverse=True)  # a heavy moment may leave a stretch empty
    return (stretch - 1)[inverse].astype(np.int64)


def stretches(reached: Rows, full: Rows, rows: int, folds: int) -> Folds:
    """Return stretch[moment] of moments that hold full[moment] rows, the last of which is in the place
    reached[moment] of so many rows.
    """
    middle = (reached - full / 2) / rows
    return np.minimum((middle * (folds + 1)).astype(np.int64), folds)


def check_moments(folds: int, moments: int) -> None:
    """Refuse more stretches of time than there are moments."""
    if folds > 1 or moments < 2:
        check_folds(folds, moments - 1, "later moments")


def time_column(schema: Schema, name: str) -> Column:
    """Return a column that gives times: numbers and dates by value, levels by their order."""
    column = schema[name]
    if column not in schema.used or column.kind == "text":
        raise OptionError(f"column {shown(name)} gives no time: it is {column.kind}. Pass numbers or dates.")
    return column


def check_times(name: str, gone: int, first: str = "") -> None:
    """Refuse rows without a time. first: which is the first, in words."""
    if gone:
        raise OptionError(
            f"column {shown(name)} gives no time for {counted(gone, 'row')}{first}. Fill or drop them."
        )


def hash_texts(texts: list[str]) -> NDArray[np.uint64]:
    """Return a hash of each text's UTF-8 bytes."""
    digests = b"".join(hashlib.blake2b(text.encode(), digest_size=8).digest() for text in texts)
    return np.frombuffer(digests, "<u8").astype(np.uint64)


def _lightest(loads: NDArray[np.int64], folds: int) -> Folds:
    """Return fold[item]: each item goes to the lightest fold so far, of equals to the first."""
    out = np.empty(len(loads), np.int64)
    lightest = [(0, f) for f in range(folds)]
    for i, load in enumerate(loads.tolist()):
        full, f = lightest[0]
        out[i] = f
        heapq.heapreplace(lightest, (full + load, f))
    return out


def _loads(inverse: NDArray[np.int64], weights: NDArray[np.int64] | None) -> NDArray[np.int64]:
    loads = np.zeros(int(inverse.max(initial=-1)) + 1, np.int64)
    np.add.at(loads, inverse, 1 if weights is None else weights)
    return loads


def check_repeats(repeats: Any, least: int = 1) -> None:
    """Refuse repeats that are not a whole number from `least` to MOST_REPEATS."""
    whole = isinstance(repeats, int | np.integer) and not isinstance(repeats, bool)
    if not whole or not least <= repeats <= MOST_REPEATS:
        raise OptionError(
            Argument("repeats"),
            f" must be a whole number from {least} to {MOST_REPEATS:,}, not {shown(repeats)}.",
        )


def check_folds(folds: Any, most: int, what: str) -> None:
    """Refuse a number of folds that is none, or larger than `most`."""
    if isinstance(folds, bool) or not isinstance(folds, int | np.integer) or folds < 2:
        raise OptionError(
            f"folds must be a whole number of at least 2, or 'leave-one-out', not {shown(folds)}."
        )
    if folds > most:
        raise DataError(f"folds={folds} needs at least {folds} {what}, found {most:,}. Use fewer folds.")
