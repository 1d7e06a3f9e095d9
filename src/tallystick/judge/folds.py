"""Folds: which rows train and which test, decided by hashes of what the rows hold; also for rows on disk.

1. Arrays of one entry per row, on disk where memory is too small: `steps()`, `in_order()`, `by_key()`.
2. Cases, the rows with every copy counted, ordered by hash: `cases_of()`, `Cases`.
3. Plans: `FoldPlan`; entry: `deal()` (stratified), `Dealing` (groups, times, shares); `hold_out()`.

case = one copy of a row (a whole weight w is w cases); run = equal cases that follow each other;
piece = the cases of one row in one fold; key = a number that selects one of many orders of hashes.
Laws: folds depend on the multiset of rows and the key, not on their order; copies are dealt like any other
rows; sorting on disk gives the order of sorting in memory, but for equal keys.
"""

from __future__ import annotations

import hashlib
import heapq
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, ClassVar

import numpy as np
from numpy.typing import DTypeLike, NDArray

from tallystick import kernels
from tallystick.contracts import Table
from tallystick.engine import Local
from tallystick.errors import Argument, DataError, OptionError, counted, shown
from tallystick.io import scratch
from tallystick.schema import Column, Schema
from tallystick.stats.exact import ColumnPrints

# Arrays of one entry per row, on disk and read in batches where memory is too small.

Rows = NDArray[np.int64]
Keys = NDArray[np.uint64]
Test = Callable[[slice], NDArray[np.bool_]]
ROW_BYTES = 300  # memory per row for dealing and scoring several methods
SORTED_BYTES = 64  # memory per row for sorting
STEP = 1 << 16  # rows of a batch
DIGIT = 16  # bits of a key that one pass of the radix sort counts


def is_large(table: Table) -> bool:
    """Has the table more rows than its budget, or with Spark the memory here, lets us hold arrays of?"""
    return not table.holds(ROW_BYTES)


def room(table: Table) -> int:
    """Return the bytes of memory to work in: the budget, or a part of what this machine has."""
    return table.budget or scratch.memory() // 4


def tidy(table: Table) -> None:
    """Give back the memory that a finished job freed, where a table has a budget."""
    if table.budget:
        scratch.give_back()


def empty(table: Table, shape: int | tuple[int, ...], dtype: DTypeLike) -> NDArray[Any]:
    """Return an array with an entry a row, of zeros: in memory, or on disk where that is too small."""
    return scratch.empty(shape, dtype) if is_large(table) else np.zeros(shape, dtype)


def steps(rows: int, size: int = 0) -> Iterator[slice]:
    """Yield all rows, some at a time: STEP, or so many."""
    size = size or STEP
    return (slice(start, min(start + size, rows)) for start in range(0, rows, size))


def where(test: Test, rows: int) -> Rows:
    """Return the rows that pass a test, as an array on disk."""
    out = scratch.empty(sum(int(np.count_nonzero(test(s))) for s in steps(rows)), np.int64)
    at = 0
    for s in steps(rows):
        found = np.flatnonzero(test(s))
        out[at : at + len(found)] = found + s.start
        at += len(found)
    return out


def in_order(keys: Keys, table: Table) -> Rows:
    """Return the rows of a table in the order of their keys, of equal keys the first rows first."""
    if not is_large(table):
        return np.argsort(keys, kind="stable")
    out, at = scratch.empty(len(keys), np.int64), 0
    for rows in by_key(keys, None, room(table)):
        out[at : at + len(rows)] = rows
        at += len(rows)
    return out


def numbers(table: Table) -> Rows:
    """Return the row numbers 0, 1, ... of all rows."""
    out = empty(table, table.rows, np.int64)
    for s in steps(table.rows):
        out[s] = np.arange(s.start, s.stop)
    return out


def distinct(keys: Keys, table: Table) -> int:
    """Return how many different keys there are."""
    if not is_large(table):
        return len(np.unique(keys))
    found, last = 0, None
    for rows in by_key(keys, None, room(table)):
        if len(rows):
            some = keys[rows]
            found += int(np.count_nonzero(some[1:] != some[:-1])) + int(last is None or some[0] != last)
            last = some[-1]
    return found


def counts(codes: NDArray[Any], size: int) -> Rows:
    """Return how many rows have each code. A part at a time: bincount makes eight bytes of each."""
    out = np.zeros(size, np.int64)
    for s in steps(len(codes)):
        out += np.bincount(codes[s], minlength=size)
    return out


def by_key(keys: Keys, test: Test | None, budget: int) -> Iterator[Rows]:
    """Yield the rows that pass a test in the order of their keys, some at a time."""
    most = max(STEP, budget // 8 // SORTED_BYTES)
    waiting: list[tuple[int, int]] = []  # neighbouring ranges of keys that are few enough together
    held = 0
    for low, high, count in _ranges(keys, test, most):
        if waiting and held + count > most:
            yield from _within(keys, test, waiting[0][0], waiting[-1][1], held, most)
            waiting, held = [], 0
        waiting.append((low, high))
        held += count
    if waiting:
        yield from _within(keys, test, waiting[0][0], waiting[-1][1], held, most)


def _ranges(
    keys: Keys, test: Test | None, most: int, prefix: int = 0, known: int = 0
) -> Iterator[tuple[int, int, int]]:
    """Yield (low, high, rows) of rising ranges of keys whose first `known` bits are the prefix; a range of
    more rows than `most` has one key.
    """
    left = 64 - known - DIGIT
    counts = np.zeros(1 << DIGIT, np.int64)
    for s in steps(len(keys)):
        some = keys[s] if test is None else keys[s][test(s)]
        if known:
            some = some[some >> np.uint64(64 - known) == prefix]
        digits = (some >> np.uint64(left)) & np.uint64((1 << DIGIT) - 1)
        counts += np.bincount(digits.astype(np.int64), minlength=1 << DIGIT)
    for digit in np.flatnonzero(counts).tolist():
        whole = prefix << DIGIT | digit
        if counts[digit] > most and left:
            yield from _ranges(keys, test, most, whole, known + DIGIT)
        else:
            yield whole << left, (whole + 1 << left) - 1, int(counts[digit])


def _within(keys: Keys, test: Test | None, low: int, high: int, count: int, most: int) -> Iterator[Rows]:
    """Yield the rows with keys of a range in order; too many of them have one key and need none."""
    found: list[Rows] = []
    for s in steps(len(keys)):
        here = (keys[s] >= np.uint64(low)) & (keys[s] <= np.uint64(high))
        rows = np.flatnonzero(here if test is None else here & test(s)) + s.start
        if count > most:
            yield rows
        else:
            found.append(rows)
    if found:
        rows = np.concatenate(found)
        yield rows[np.argsort(keys[rows], kind="stable")]


# Cases.
# A weight w is w cases where all weights are whole; else each row is one. A case is ordered by the hash of
# what its row holds and of its number among the copies, so that copies separate like other rows.

Hashes = NDArray[np.uint64]
RARE = 20  # rows of a class that a sample keeps at least
WHOLE = 1 << 30  # shares of rows are rounded to multiples of 1 / WHOLE
MOST = 1 << 20  # cases that are hashed one by one; beyond, late copies of a row follow each other


@dataclass(frozen=True)
class Cases:
    """Runs of equal cases that follow each other: those of rows[run] (None: of the row of that number), how
    many (None: one each), and a hash that orders them.
    """

    rows: Rows | None
    sizes: Rows | None
    hashes: Hashes

    def order(self, key: int, classes: NDArray[Any] | None = None) -> Rows:
        """Return the runs in the order of a key, class by class where there are classes[row]."""
        hashes = keyed(self.hashes, key + 1)
        if classes is None:
            return kernels.order_keys(hashes)
        own = classes if self.rows is None else classes[self.rows]
        return kernels.order_keys(hashes, own, int(own.max(initial=0)) + 1)

    def order_within(self, key: int, table: Table) -> Rows:
        """Return the order of all runs, on disk where the budget of their table does not hold it."""
        if not is_large(table):
            return self.order(key)
        keys = empty(table, len(self.hashes), np.uint64)
        for s in steps(len(keys)):
            keys[s] = keyed(self.hashes[s], key + 1)
        return in_order(keys, table)


def cases_of(table: Any) -> Cases:
    """Return the cases of a table."""
    hashes, copies = table.row_hashes(), copies_of(table)
    if copies is None:
        numbers, distinct = kernels.number_copies(hashes)
        np.minimum(numbers, _alone(len(hashes), distinct), out=numbers)
        return Cases(None, None, _coded(hashes, numbers))
    order = np.lexsort((table.weights, _fraction(table), hashes))
    hashes, copies = hashes[order], copies[order]
    place, distinct = _numbers(hashes, copies)
    most = _alone(int(copies.sum()), distinct)
    # runs of copies: the first `most` of a row stand alone, the rest of its copies is one run
    alone = np.clip(most - place, 0, copies)
    at = np.repeat(np.arange(len(place)), alone)
    number = place[at] + np.arange(len(at)) - np.repeat(np.cumsum(alone) - alone, alone)
    rest = np.flatnonzero(copies > alone)
    sizes = np.concatenate([np.ones(len(at), np.int64), (copies - alone)[rest]])
    at, number = np.concatenate([at, rest]), np.concatenate([number, np.full(len(rest), most)])
    return Cases(order[at], sizes, _coded(hashes[at], number))


Pieces = tuple[Rows, Rows, Rows]  # run[piece], fold[piece], number of cases[piece]


@dataclass(frozen=True)
class InTurn:
    """Cases in the order of a key that go to folds in turn, class by class, or all classes together."""

    key: int
    turns: int
    by_class: bool = True

    def pieces(self, ranks: Rows, sizes: Rows) -> Pieces:
        """Return the pieces of runs of so many cases that so many cases are before."""
        reached = np.minimum(sizes, self.turns)  # folds that a run reaches
        at = np.repeat(np.arange(len(sizes)), reached)
        turn = np.arange(len(at)) - np.repeat(np.cumsum(reached) - reached, reached)
        amounts = sizes[at] // self.turns + (turn < (sizes % self.turns)[at])
        return at, (ranks[at] + turn) % self.turns, amounts


@dataclass(frozen=True)
class InParts:
    """Cases that follow each other in the order of a key are in one part. ends[part]: how many cases are in
    it or before it; the last part has the others.
    """

    key: int
    ends: tuple[int, ...]
    by_class: ClassVar[bool] = False

    def pieces(self, ranks: Rows, sizes: Rows) -> Pieces:
        """Return the pieces of runs of so many cases that so many cases are before."""
        first, last = (np.searchsorted(self.ends, at, side="right") for at in (ranks, ranks + sizes - 1))
        ends, reached = ranks + sizes, last - first + 1  # parts that a run reaches
        at = np.repeat(np.arange(len(sizes)), reached)
        part = first[at] + np.arange(len(at)) - np.repeat(np.cumsum(reached) - reached, reached)
        begins, stops = np.array([0, *self.ends]), np.array([*self.ends, np.iinfo(np.int64).max])
        amounts = np.minimum(stops[part], ends[at]) - np.maximum(begins[part], ranks[at])
        return at, part, amounts


@dataclass(frozen=True)
class InShare:
    """About a share of the cases, spread evenly over their order by a key class by class, is in fold 0, the
    others are in fold 1.
    """

    key: int
    share: float
    by_class: ClassVar[bool] = True

    def reached(self, count: Any) -> Any:
        """Return how many of so many first cases are in fold 0."""
        part = round(self.share * WHOLE)
        return count // WHOLE * part + (count % WHOLE * part + WHOLE // 2) // WHOLE

    def pieces(self, ranks: Rows, sizes: Rows) -> Pieces:
        """Return the pieces of runs of so many cases that so many cases are before."""
        inside = self.reached(ranks + sizes) - self.reached(ranks)
        at, amounts = np.tile(np.arange(len(sizes)), 2), np.concatenate([inside, sizes - inside])
        there = amounts > 0
        return at[there], np.repeat([0, 1], len(sizes))[there], amounts[there]


def case_keys(table: Any) -> Hashes:
    """Return the hash that orders the case of each row, of a table without weights that memory does not hold.

    The same hashes as those of `cases_of`.
    """
    hashes: Hashes = table.row_hashes()
    numbers = empty(table, table.rows, np.int64)
    distinct, last, reached = 0, None, 0
    for rows in by_key(hashes, None, room(table)):
        if not len(rows):
            continue
        ranked = hashes[rows]
        place, more = _numbers(ranked, np.ones(len(rows), np.int64))
        again = last is not None and ranked[0] == last  # copies of one row may come in several parts
        place += reached if again else 0  # and then nothing else comes with them
        numbers[rows] = place
        distinct += more - int(again)
        last, reached = ranked[-1], int(place[-1]) + 1
    alone, keys = _alone(table.rows, distinct), empty(table, table.rows, np.uint64)
    for s in steps(table.rows):
        keys[s] = _coded(hashes[s], np.minimum(numbers[s], alone))
    return keys


def copies_of(table: Any) -> Rows | None:
    """Return how many cases each row is: its weight where all are whole, else one; None: one each."""
    if table.weights is None:
        return None
    out: Rows = table.weights if table.unit == 1 else np.ones(table.rows, np.int64)
    return out


def count_cases(table: Any) -> int:
    """Return how many cases a table has."""
    copies = copies_of(table)
    return table.rows if copies is None else int(copies.sum())


def distinct_cases(table: Any) -> tuple[Rows, Rows]:
    """Return the first row of each distinct case, and the distinct case of each row."""
    if table.weights is None:
        _, first, group = np.unique(table.row_hashes(), return_index=True, return_inverse=True)
        return first.astype(np.int64), group.astype(np.int64)
    both = np.empty(table.rows, [("hash", np.uint64), ("fraction", np.int64)])
    both["hash"], both["fraction"] = table.row_hashes(), _fraction(table)
    _, first, group = np.unique(both, return_index=True, return_inverse=True)
    return first.astype(np.int64), group.astype(np.int64)


def one_case(table: Any, rows: Rows) -> Rows:
    """Return the weight of one case of some rows, in units of the table."""
    if table.weights is None or table.unit == 1:
        return np.full(len(rows), table.unit, np.int64)
    out: Rows = table.weights[rows]
    return out


def keyed(hashes: Hashes, key: int) -> Hashes:
    """Return other hashes for another key; 0 changes nothing."""
    return hashes if key == 0 else kernels.key_hashes(hashes, key)


def some_rows(table: Any, most: int) -> Rows:
    """Return about `most` rows of a table without weights, rising, chosen by what they hold; of each class at
    least RARE where it has them. A target of numbers is one class.
    """
    keys = case_keys(table) if is_large(table) else cases_of(table).hashes
    classes = np.zeros(table.rows, np.uint8) if table.classes is None else table.classes
    held = np.zeros(max(len(table.schema.predicted.labels), 1), np.int64)
    for s in steps(table.rows):
        held += np.bincount(classes[s], minlength=len(held))
    share = np.maximum(most / table.rows, RARE / np.maximum(held, 1))
    wanted = np.rint(np.minimum(share, 1.0) * held).astype(np.int64)  # the class shares stay as they are
    limit, all_ = _limits(keys, classes, wanted), wanted >= held
    return where(lambda s: (keys[s] < limit[classes[s]]) | all_[classes[s]], table.rows)


def _limits(keys: Any, classes: Any, wanted: Rows) -> Hashes:
    """Return limit[class]: as many rows of the class as are wanted have keys below it, if no two are equal.
    Found byte by byte, in a few walks over all rows: those of a class may be more than memory holds.
    """
    limit, left = np.zeros(len(wanted), np.uint64), wanted.copy()
    for shift in range(56, -1, -8):
        counts = np.zeros((len(wanted), 256), np.int64)
        for s in steps(len(keys)):
            own, c = keys[s] >> np.uint64(shift), classes[s].astype(np.int64)
            here = (own >> np.uint64(8)) == (limit[c] >> np.uint64(8))
            np.add.at(counts, (c[here], (own[here] & np.uint64(255)).astype(np.int64)), 1)
        upto = np.cumsum(counts, axis=1)
        byte = np.minimum((upto <= left[:, None]).sum(axis=1), 255)
        left -= np.where(byte > 0, np.take_along_axis(upto, np.maximum(byte - 1, 0)[:, None], 1)[:, 0], 0)
        limit += byte.astype(np.uint64)
        if shift:
            limit <<= np.uint64(8)
    return limit


def _fraction(table: Any) -> Rows:
    """Return the weight of each row, 0 where weights are copies: it orders equal rows."""
    weights: Rows = table.weights
    return weights if table.unit > 1 else np.zeros_like(weights)


def _numbers(ranked: Hashes, copies: Rows) -> tuple[Rows, int]:
    """Return the number of each row's first case among the equal ones before it, and how many rows differ."""
    first = np.concatenate([[True], ranked[1:] != ranked[:-1]]) if len(ranked) else np.zeros(0, bool)
    before = np.cumsum(copies) - copies
    return before - np.maximum.accumulate(np.where(first, before, 0)), int(first.sum())


def _alone(cases: int, distinct: int) -> int:
    """Return how many copies of a row have a place of their own."""
    return cases if cases <= MOST else max(1, MOST // distinct)


def _coded(hashes: Hashes, numbers: Rows) -> Hashes:
    """Return the hashes of rows with their numbers among equal rows."""
    out = kernels.key_hashes(numbers.astype(np.uint64), 1)
    out ^= hashes
    return kernels.key_hashes(out, 1, out)


Folds = NDArray[np.int64]
MOST_REPEATS = 10_000  # their mean varies a hundredth as much as one repeat
NEVER = -1  # the fold of a row that trains but never tests


@dataclass(frozen=True)
class FoldPlan:
    """fold[piece] of one repeat. A piece is the part of a row's weight in one fold: rows[piece] and
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
        for s in steps(len(self.fold)):
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
            return where(lambda s: self.fold[s] != f, len(self.fold)), self.tested(f)
        train = np.flatnonzero(self.fold < f if self.rising else self.fold != f)
        return train, self.tested(f)

    def tested(self, f: int) -> Rows:
        """Return the test pieces of one fold."""
        if self.large:
            return where(lambda s: self.fold[s] == f, len(self.fold))
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
    if is_large(table) and table.weights is None:
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
    for s in steps(table.rows):
        keys[s] = keyed(keys[s], key + 1)
    fold, dealt = empty(table, table.rows, np.int64), 0
    for c in range(1 if classes is None else int(classes.max(initial=0)) + 1):
        test = None if classes is None else partial(_of_class, classes, c)
        for rows in by_key(keys, test, room(table)):
            fold[rows] = (dealt + np.arange(len(rows))) % folds
            dealt += len(rows)
    return FoldPlan(fold, large=True)


def _of_class(classes: NDArray[Any], code: int, rows: slice) -> NDArray[np.bool_]:
    return np.asarray(classes[rows] == code)


def halves(table: Table, folds: int) -> Iterator[tuple[Table, Table]]:
    """Yield (rows to train on, rows to test on) of each stratified fold, in the codes of the whole table:
    rows that are here stay in the table, with weight 0 outside their part. The folds do not depend on names
    of columns: what is chosen by them is part of the model.
    """
    return deal(without_names(table), folds).halves(table)


def without_names(table: Table) -> Any:
    """Return the table with columns that hashes of rows know by what they hold, not by their names.

    At first by the cells of a column beside the target, then, where columns are alike, also by the rows that
    these stand in. Columns that are alike still are equal or can be traded for each other: by any names the
    folds then give the same losses. They need names, since rows that differ must differ in their hashes.
    """
    schema = table.schema
    nameless: Any = table.without(())  # with an engine: the same rows in the same order, hashed anew
    used, target = [c.name for c in schema.used], schema.target
    called = [] if target is None else [(target.name, "target")]
    prints = [""] * len(used)
    for _ in range(2):
        found = (table.engine or Local(1)).total(table, ColumnPrints(schema, table.unit)).tolist()
        prints = [f"{before} {print_:016x}" for before, print_ in zip(prints, found, strict=True)]
        order = sorted(range(len(used)), key=lambda i: (prints[i], used[i]))
        schema = replace(schema, keys=(*((used[i], prints[i]) for i in order), *called))
        if len(set(prints)) == len(prints):
            return replace(nameless, schema=schema)
    keys = [(used[i], f"{prints[i]} {place}") for place, i in enumerate(order)]
    return replace(nameless, schema=replace(schema, keys=(*keys, *called)))


def hold_out(table: Table, share: float, key: int = 0) -> FoldPlan:
    """Return the plan of one fold of about `share` of each class, spread evenly over the order of `deal`; the
    others train.
    """
    if not 0 < share < 1:
        raise OptionError(f"the share of rows held out must lie between 0 and 1, not {shown(share)}.")
    dealt, cases = InShare(key, share), count_cases(table)
    if not 0 < dealt.reached(cases) < cases:
        raise DataError(f"{counted(table.rows, 'row')} cannot be divided at {share:g}. Use folds.")
    plan = in_pieces(table, cases_of(table), dealt)
    fold = np.where(plan.fold == 0, 0, NEVER)
    if plan.rows is None or plan.weights is None:
        return FoldPlan(fold)
    order = np.lexsort((fold, plan.rows))
    return FoldPlan(fold[order], rows=plan.rows[order], weights=plan.weights[order])


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
    if table.ranker() is not None:
        raise OptionError(
            f"leave-one-out fits a model for each different row, and these {table.rows:,} rows stay with "
            "Spark. Use folds=10, or collect the rows: frame.toArrow()."
        )
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
