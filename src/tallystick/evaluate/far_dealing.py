"""How rows that stay with Spark are dealt where they are: in turn, by shares, by groups, by time.

Knows tables on Spark and questions about columns. Knows nothing of methods or answers. Law: the folds are
those of `folds.Dealing` on the same rows here, as a multiset of rows; what comes here are counts of groups,
and where stretches of time begin.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from tallystick.contracts import Block, Table
from tallystick.data.schema import CODED, Schema
from tallystick.data.table.subset import Within
from tallystick.evaluate.cases import InTurn
from tallystick.evaluate.folds import (
    check_folds,
    check_moments,
    check_times,
    group_folds,
    in_share,
    stretches,
    time_column,
)
from tallystick.evaluate.groups import Grouping, level_names
from tallystick.evaluate.summed_answers import AnswerRows
from tallystick.stats.bayes import Ask, BayesSums, key
from tallystick.stats.value_ranges import one_label
from tallystick.stats.value_tables import RankedPiece, RankedValues

Counts = NDArray[np.int64]
Floats = NDArray[np.float64]


class FoldedRows(Protocol):
    """Rows in folds, where they are. sizes[fold]: rows, copies counted; schema: of what is learned from;
    unit: what a row of weight 1 weighs.
    """

    @property
    def sizes(self) -> tuple[int, ...]: ...  # noqa: D102

    @property
    def schema(self) -> Schema: ...  # noqa: D102

    @property
    def unit(self) -> int: ...  # noqa: D102

    def of_folds(self, *folds: int) -> Table:
        """Return the rows of some folds as a table that knows nothing of the others."""
        ...

    def coded(self, *folds: int) -> Table:
        """Return the rows of some folds in the codes of all rows."""
        ...

    def total(self, question: Any, *folds: int) -> Any:
        """Return the total of a question over the rows of some folds."""
        ...

    def answered(self, works: Sequence[Callable[[Block], Floats]], tested: Sequence[int]) -> AnswerRows:
        """Return the answers to the rows of tested folds: those of tested[number] by works[number], which is
        their fold among the answers.
        """
        ...

    def release(self) -> None:
        """Let go what is kept."""
        ...


class Dealer(Protocol):
    """Who deals rows where they are."""

    def in_order(self, order: Any) -> FoldedRows:
        """Return the rows in folds by their ranks in an order."""
        ...

    def by(self, work: Callable[[Block], Counts], sizes: Sequence[int]) -> FoldedRows:
        """Return the rows in the folds that work(block)[row] gives, so many each."""
        ...

    def with_beside(self, lean: Schema, works: Mapping[str, Callable[[Block], NDArray[Any]]]) -> Dealer:
        """Return who deals the rows by another schema, with what works give of each beside it."""
        ...

    @property
    def cases(self) -> int:
        """How many rows there are, copies counted."""
        ...

    def ranked(
        self, name: str, labels: Callable[[Block], NDArray[Any]], width: int, weighed: bool = False
    ) -> RankedValues:
        """Return the rows in the order of a column of numbers; labels(block)[row]: below `width`; weighed:
        counts are weights.
        """
        ...


@dataclass(frozen=True)
class FarGroups:
    """Columns that answers are told by, and a table that has them all."""

    table: Table
    groupings: tuple[Grouping, ...]


@dataclass(frozen=True)
class FarFolds:
    """Rows in folds, where they are, and how these test: the rows of the fold tested[number] are answered by
    a model of the folds trains[number]. groupings: of columns that stand beside the rows.
    """

    rows: FoldedRows
    trains: tuple[tuple[int, ...], ...]
    tested: tuple[int, ...]
    groupings: tuple[Grouping, ...] = ()

    @classmethod
    def in_turn(cls, rows: FoldedRows, folds: int) -> FarFolds:
        """Return so many folds, each of which is tested by the others of them."""
        every = tuple(range(folds))
        return cls(rows, tuple(tuple(f for f in every if f != own) for own in every), every)

    @classmethod
    def rising(cls, rows: FoldedRows, folds: int) -> FarFolds:
        """Return so many folds, each but the first of which is tested by those before it."""
        later = tuple(range(1, folds))
        return cls(rows, tuple(tuple(range(own)) for own in later), later)

    @property
    def schema(self) -> Schema:
        """Of what is learned from."""
        return self.rows.schema

    @property
    def unit(self) -> int:
        """What a row of weight 1 weighs."""
        return self.rows.unit

    @property
    def sizes(self) -> tuple[int, ...]:
        """How many rows each test has."""
        return tuple(self.rows.sizes[f] for f in self.tested)

    def training(self, number: int) -> Table:
        """Return the rows that a test's model learns from, as a table that knows nothing of the others."""
        return self.rows.of_folds(*self.trains[number])

    def answered(self, works: Sequence[Callable[[Block], Floats]]) -> AnswerRows:
        """Return the answers to the rows of each test, by works[number]."""
        return self.rows.answered(works, self.tested)

    def class_rows(self) -> Counts:
        """Return how many rows each class has, those that are never tested among them."""
        question = BayesSums((), len(self.schema.predicted.labels))
        found: Counts = self.rows.total(question, *range(len(self.rows.sizes)))[""]
        return found

    def release(self) -> None:
        """Let go what is kept."""
        self.rows.release()


@dataclass(frozen=True)
class FarDealing:
    """How rows that stay far are dealt where they are: as `folds.Dealing` deals rows here. groups, time: the
    name of a column; shares: of rows that train, validate (if there are three) and test; groupings: by which
    answers are to be told.
    """

    table: Table
    dealer: Dealer
    groups: str | None = None
    time: str | None = None
    shares: tuple[float, ...] = ()
    groupings: tuple[Grouping, ...] = ()

    @classmethod
    def of(
        cls,
        table: Table,
        groups: str | None = None,
        time: str | None = None,
        shares: tuple[float, ...] = (),
        beside: FarGroups | None = None,
    ) -> FarDealing | None:
        """Return how to deal a table; None: it does not stay far, or cannot be dealt there. beside: by which
        answers are to be told.
        """
        schema, table = table.schema, table if beside is None else beside.table
        dealer: Dealer | None = table.dealer()
        if dealer is None:
            return None
        if groups is not None:
            column = table.schema[groups]
            if column not in table.schema.used or column.kind not in CODED or table.engine is None:
                return None
        if time is not None:
            time_column(table.schema, time)
        groupings = () if beside is None else beside.groupings
        if groups is not None or time is not None or groupings:
            lean = replace(schema, columns=tuple(c for c in schema.columns if c.name not in (groups, time)))
            dealer = dealer.with_beside(lean, {beside_name(g): g.work for g in groupings})
        return cls(table, dealer, groups, time, shares, groupings)

    def outer(self, folds: int, key: int = 0) -> FarFolds:
        """Return the rows in the folds that judge; those of key 0, the first repeat, are told by groups."""
        return replace(self._outer(folds, key), groupings=self.groupings if key == 0 else ())

    def _outer(self, folds: int, key: int) -> FarFolds:
        if self.groups is not None:
            fold = self._fold_of_code(folds, key, self._held[1] > 0)
            return FarFolds.in_turn(self._by_code(fold, folds), folds)
        if self.time is not None:
            begins = self._stretches(folds)
            return FarFolds.rising(self._by_moment(begins), len(begins))
        if self.shares:
            return self._shared(self.dealer, self.shares[-1] / sum(self.shares), key, self.table.rows)
        check_folds(folds, self.dealer.cases, "rows")
        return self._in_turn(self.dealer, InTurn(key, folds, not self.table.schema.regression))

    def inner(self, training: Table, folds: int, outer: tuple[int, int] | None = None) -> FarFolds:
        """Return rows in the folds that choose among settings: training is all rows, or those that train for
        one test of those of `outer(folds)`, outer = (that test, folds). Rows that are not among them are in
        no such fold.
        """
        if self.groups is not None:
            every = self._held[1] > 0
            there = every if outer is None else every & (self._fold_of_code(outer[1], 0, every) != outer[0])
            folds = max(2, min(folds, int(there.sum())))
            fold = self._fold_of_code(folds, 1, there)
            return FarFolds.in_turn(self._by_code(np.where(there, fold, folds), folds + 1), folds)
        if self.time is not None:
            end = self._end
            if outer is not None:
                end = self._stretches(outer[1])[outer[0] + 1]
            begins = self._stretches(max(1, min(folds, end.moments - 1)), end)
            ends = [] if outer is None else [end]
            return FarFolds.rising(self._by_moment([*begins, *ends]), len(begins))
        dealer: Dealer = training.dealer()
        if len(self.shares) == 3:
            return self._shared(dealer, self.shares[1] / sum(self.shares[:2]), 1, training.rows)
        folds = min(folds, dealer.cases)
        check_folds(folds, dealer.cases, "rows")
        return self._in_turn(dealer, InTurn(1, folds))

    @staticmethod
    def _in_turn(dealer: Dealer, order: InTurn) -> FarFolds:
        return FarFolds.in_turn(dealer.in_order(order), order.turns)

    @staticmethod
    def _shared(dealer: Dealer, share: float, key: int, rows: int) -> FarFolds:
        """Return the rows in two folds, of which the first is tested."""
        return FarFolds(dealer.in_order(in_share(share, key, dealer.cases, rows)), ((1,),), (0,))

    # -- by groups --

    @cached_property
    def _held(self) -> tuple[NDArray[Any], Counts]:
        """The names of the groups, and rows[code] of each."""
        assert self.groups is not None
        return level_names(self.table.schema[self.groups]), self._code_rows(self.groups)

    def _code_rows(self, name: str) -> Counts:
        """Return rows[code] of a column."""
        assert self.table.engine is not None
        asked = Ask(name, "codes", len(self.table.schema[name].levels) + 1)
        question = BayesSums((asked,), max(len(self.table.schema.predicted.labels), 1))
        found: Counts = self.table.engine.total(self.table, question)[key(0, "counts")].sum(axis=1)
        return found

    def _fold_of_code(self, folds: int, key: int, there: NDArray[np.bool_]) -> Counts:
        """Return fold[code] of the groups that are there."""
        names, rows = self._held
        fold = np.zeros(len(names), np.int64)
        fold[there] = group_folds(names[there], rows[there], folds, key)
        return fold

    def _by_code(self, fold: Counts, folds: int) -> FoldedRows:
        assert self.groups is not None
        sizes = np.bincount(fold, self._held[1], folds).astype(np.int64).tolist()
        return self.dealer.by(FoldOfCode(self.groups, fold), sizes)

    # -- by time --

    @cached_property
    def _moments(self) -> RankedValues:
        """The rows in the order of time."""
        assert self.time is not None
        column = self.table.schema[self.time]
        if column.kind == "numeric":
            found = self.dealer.ranked(self.time, one_label, 1, weighed=True)
            if found.totals.sum() < self.table.weight:
                self._refuse_times()
            return found
        rows = self._code_rows(self.time)
        if rows[len(column.levels) :].any():
            self._refuse_times()
        return CountedCodes(rows[: len(column.levels)])

    def _refuse_times(self) -> None:
        """Refuse rows without a time: so many, whatever they weigh."""
        assert self.table.engine is not None
        assert self.time is not None
        question: Any = Within(self.table.schema, False)
        found = self.table.engine.total(self.table, question)
        told = found[self.table.schema.used.index(self.table.schema[self.time])]
        check_times(self.time, int(told[0] if isinstance(told, tuple) else told[-1]))

    @property
    def _end(self) -> Begin:
        """What all moments are before."""
        return Begin(np.inf, self.table.weight, self._moments.distinct)

    def _stretches(self, folds: int, end: Begin | None = None) -> list[Begin]:
        """Return where stretches of time begin; end: of the rows before one moment only."""
        moments = self._moments
        end = end or self._end
        check_moments(folds, end.moments)
        found: dict[int, Begin] = {}
        for part in moments.ask(StretchBegins(folds, end)):
            for stretch, begin in part:
                found.setdefault(stretch, begin)
        return list(found.values())

    def _by_moment(self, begins: list[Begin]) -> FoldedRows:
        assert self.time is not None
        numeric = self.table.schema[self.time].kind == "numeric"
        sizes = [b - a for a, b in pairwise((*(begin.rows for begin in begins), self.table.weight))]
        work = StretchOf(self.time, numeric, np.array([begin.moment for begin in begins]))
        return self.dealer.by(work, sizes)


@dataclass(frozen=True)
class FoldOfCode:
    """The fold of a row by its code in a column. fold[code]."""

    name: str
    fold: Counts

    def __call__(self, block: Block) -> Counts:
        """Return fold[row]."""
        return np.asarray(self.fold[block.codes(self.name)])


# ---- stretches of time ----


class Begin(NamedTuple):
    """A moment at which a stretch begins, what rows before it weigh, and how many moments are before it."""

    moment: float
    rows: int
    moments: int


@dataclass(frozen=True)
class StretchBegins:
    """Find where stretches of time begin, of the rows before `end`."""

    folds: int
    end: Begin

    def __call__(self, piece: RankedPiece) -> list[tuple[int, Begin]]:
        """Return each stretch of a piece and where it begins there."""
        values = piece.values[piece.values < self.end.moment]
        full = piece.counts[: len(values)].sum(axis=1)
        reached = int(piece.before.sum()) + np.cumsum(full)
        stretch = stretches(reached, full, self.end.rows, self.folds)
        return [
            (int(stretch[i]), Begin(float(values[i]), int(reached[i] - full[i]), piece.first + i))
            for i in np.flatnonzero(np.diff(stretch, prepend=-1)).tolist()
        ]


@dataclass(frozen=True)
class StretchOf:
    """The stretch of a row by its time: begins[stretch], rising. numeric: the column holds numbers."""

    name: str
    numeric: bool
    begins: Floats

    def __call__(self, block: Block) -> Counts:
        """Return stretch[row]."""
        times = block.values(self.name) if self.numeric else block.codes(self.name)
        return np.searchsorted(self.begins, times, side="right") - 1


class CountedCodes:
    """Rows in the order of their codes, of which rows[code] are counted: all in one piece."""

    def __init__(self, rows: Counts) -> None:
        there = np.flatnonzero(rows)
        self.totals, self.distinct = np.array([rows.sum()]), len(there)
        self.piece = RankedPiece(there.astype(float), rows[there][:, None], np.zeros(1, np.int64), 0)

    def ask(self, work: Callable[[RankedPiece], Any]) -> list[Any]:
        """Return work(piece)."""
        return [work(self.piece)]


def beside_name(grouping: Grouping) -> str:
    """Return the name of the column of groups that stands beside dealt rows."""
    return f"\0by {grouping.name}"
