"""Cases: the rows of a table with every copy counted, in an order that depends on what they hold.

Knows row hashes, weights and keys. Knows nothing of folds, models or where rows stand.
Laws: a weight w is w cases where all are whole, and any row is one where some are not; a case's place in the
order is that of a hash of what the row holds and of its number among its copies, so copies separate like any
other rows, and it means nothing which of them is which.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tallystick import kernels
from tallystick.contracts import Table
from tallystick.evaluate import large

Rows = NDArray[np.int64]
Hashes = NDArray[np.uint64]
RARE = 20  # rows of a class that a part of a table has at least
WHOLE = 1 << 30  # shares of rows are whole multiples of one such part
MOST = 1 << 20  # cases with a place of their own each; where there are more, late copies follow each other


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
        if not large.is_large(table):
            return self.order(key)
        keys = large.empty(table, len(self.hashes), np.uint64)
        for s in large.steps(len(keys)):
            keys[s] = keyed(self.hashes[s], key + 1)
        return large.in_order(keys, table)


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
    runs = _runs(place, copies, most)
    return Cases(order[runs.at], runs.sizes, _coded(hashes[runs.at], runs.numbers))


class Runs(NamedTuple):
    """Runs of cases: of the row at[run], with its number among equal cases, and how many cases."""

    at: Rows
    numbers: Rows
    sizes: Rows


class Pieces(NamedTuple):
    """What of a run of cases lies in one fold: at[piece], its fold, and how many cases."""

    at: Rows
    folds: Rows
    sizes: Rows


@dataclass(frozen=True)
class CaseOrder:
    """How cases are ordered by a key, where rows are known by their hashes: see `Cases`. It can be sent to
    where the rows are.
    """

    key: int

    def alone(self, cases: int, distinct: int) -> int:
        """Return how many copies of a row have a place of their own."""
        return _alone(cases, distinct)

    def runs(self, ranked: Hashes, copies: Rows, most: int) -> Runs:
        """Return the runs of rows in the order of their hashes that are so many cases each; most: cases of a
        row that have a place of their own.
        """
        return _runs(_numbers(ranked, copies)[0], copies, most)

    def places(self, hashes: Hashes, numbers: Rows) -> Hashes:
        """Return the place in the order of rows with these hashes, by their number among equal rows."""
        return keyed(_coded(hashes, numbers), self.key + 1)


@dataclass(frozen=True)
class InTurn(CaseOrder):
    """Cases that go to folds in turn, class by class, or all classes together."""

    turns: int
    by_class: bool = True

    def folds(self, ranks: Rows) -> Rows:
        """Return the folds of rows that so many rows are before."""
        return ranks % self.turns

    def pieces(self, ranks: Rows, sizes: Rows) -> Pieces:
        """Return the pieces of runs of so many cases that so many cases are before."""
        reached = np.minimum(sizes, self.turns)  # folds that a run reaches
        at = np.repeat(np.arange(len(sizes)), reached)
        turn = np.arange(len(at)) - np.repeat(np.cumsum(reached) - reached, reached)
        amounts = sizes[at] // self.turns + (turn < (sizes % self.turns)[at])
        return Pieces(at, (ranks[at] + turn) % self.turns, amounts)

    def sizes(self, rows: int) -> tuple[int, ...]:
        """Return how many rows each fold has."""
        return tuple((rows - f - 1) // self.turns + 1 for f in range(self.turns))


@dataclass(frozen=True)
class InParts(CaseOrder):
    """Cases that follow each other are in one part. ends[part]: how many cases are in it or before it; the
    last part has the others.
    """

    ends: tuple[int, ...]
    by_class: ClassVar[bool] = False

    def folds(self, ranks: Rows) -> Rows:
        """Return the parts of rows that so many rows are before."""
        return np.searchsorted(np.array(self.ends), ranks, side="right").astype(np.int64)

    def pieces(self, ranks: Rows, sizes: Rows) -> Pieces:
        """Return the pieces of runs of so many cases that so many cases are before."""
        first, ends = self.folds(ranks), ranks + sizes
        reached = self.folds(ends - 1) - first + 1  # parts that a run reaches
        at = np.repeat(np.arange(len(sizes)), reached)
        part = first[at] + np.arange(len(at)) - np.repeat(np.cumsum(reached) - reached, reached)
        begins, stops = np.array([0, *self.ends]), np.array([*self.ends, np.iinfo(np.int64).max])
        amounts = np.minimum(stops[part], ends[at]) - np.maximum(begins[part], ranks[at])
        return Pieces(at, part, amounts)

    def sizes(self, rows: int) -> tuple[int, ...]:
        """Return how many rows each part has."""
        return tuple(b - a for a, b in pairwise((0, *self.ends, rows)))


@dataclass(frozen=True)
class InShare(CaseOrder):
    """About a share of the cases, spread evenly over their order class by class, is in fold 0, the others are
    in fold 1.
    """

    share: float
    by_class: ClassVar[bool] = True

    def reached(self, count: Any) -> Any:
        """Return how many of so many first cases are in fold 0."""
        part = round(self.share * WHOLE)
        return count // WHOLE * part + (count % WHOLE * part + WHOLE // 2) // WHOLE

    def folds(self, ranks: Rows) -> Rows:
        """Return the folds of rows that so many rows are before."""
        return np.asarray(1 - (self.reached(ranks + 1) - self.reached(ranks)))

    def pieces(self, ranks: Rows, sizes: Rows) -> Pieces:
        """Return the pieces of runs of so many cases that so many cases are before."""
        inside = self.reached(ranks + sizes) - self.reached(ranks)
        at, amounts = np.tile(np.arange(len(sizes)), 2), np.concatenate([inside, sizes - inside])
        there = amounts > 0
        return Pieces(at[there], np.repeat([0, 1], len(sizes))[there], amounts[there])

    def sizes(self, rows: int) -> tuple[int, ...]:
        """Return how many rows each fold has."""
        inside = self.reached(rows)
        return inside, rows - inside


def case_keys(table: Any) -> Hashes:
    """Return the hash that orders the case of each row, of a table without weights that memory does not hold.

    The same hashes as those of `cases_of`.
    """
    hashes: Hashes = table.row_hashes()
    numbers = large.empty(table, table.rows, np.int64)
    distinct, last, reached = 0, None, 0
    for rows in large.by_key(hashes, None, table.budget):
        if not len(rows):
            continue
        ranked = hashes[rows]
        place, more = _numbers(ranked, np.ones(len(rows), np.int64))
        again = last is not None and ranked[0] == last  # copies of one row may come in several parts
        place += reached if again else 0  # and then nothing else comes with them
        numbers[rows] = place
        distinct += more - int(again)
        last, reached = ranked[-1], int(place[-1]) + 1
    alone = _alone(table.rows, distinct)
    for s in large.steps(table.rows):
        hashes[s] = _coded(hashes[s], np.minimum(numbers[s], alone))
    return hashes


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
    keys = case_keys(table) if large.is_large(table) else cases_of(table).hashes
    classes = np.zeros(table.rows, np.uint8) if table.classes is None else table.classes
    held = np.zeros(max(len(table.schema.predicted.labels), 1), np.int64)
    for s in large.steps(table.rows):
        held += np.bincount(classes[s], minlength=len(held))
    share = np.maximum(most / table.rows, RARE / np.maximum(held, 1))
    wanted = np.rint(np.minimum(share, 1.0) * held).astype(np.int64)  # the class shares stay as they are
    limit, all_ = _limits(keys, classes, wanted), wanted >= held
    return large.where(lambda s: (keys[s] < limit[classes[s]]) | all_[classes[s]], table.rows)


def _limits(keys: Any, classes: Any, wanted: Rows) -> Hashes:
    """Return limit[class]: as many rows of the class as are wanted have keys below it, if no two are equal.
    Found byte by byte, in a few walks over all rows: those of a class may be more than memory holds.
    """
    limit, left = np.zeros(len(wanted), np.uint64), wanted.copy()
    for shift in range(56, -1, -8):
        counts = np.zeros((len(wanted), 256), np.int64)
        for s in large.steps(len(keys)):
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


def _runs(place: Rows, copies: Rows, most: int) -> Runs:
    """Return the runs of rows that are so many cases each, the first of which has place[row] among equal
    ones.
    """
    alone = np.clip(most - place, 0, copies)  # of each row; the rest of its copies is one run
    at = np.repeat(np.arange(len(place)), alone)
    number = place[at] + np.arange(len(at)) - np.repeat(np.cumsum(alone) - alone, alone)
    rest = np.flatnonzero(copies > alone)
    at, number = np.concatenate([at, rest]), np.concatenate([number, np.full(len(rest), most)])
    sizes = np.concatenate([np.ones(len(at) - len(rest), np.int64), (copies - alone)[rest]])
    return Runs(at, number, sizes)


def _alone(cases: int, distinct: int) -> int:
    """Return how many copies of a row have a place of their own."""
    return cases if cases <= MOST else max(1, MOST // distinct)


def _coded(hashes: Hashes, numbers: Rows) -> Hashes:
    """Return the hashes of rows with their numbers among equal rows."""
    out = kernels.key_hashes(numbers.astype(np.uint64), 1)
    out ^= hashes
    return kernels.key_hashes(out, 1, out)
