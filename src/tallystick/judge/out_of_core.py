"""How rows that stay with Spark are dealt where they are: in turn, by shares, by groups, by time.

Knows tables on Spark and questions about columns. Knows nothing of methods or answers. Law: the folds are
those of `folds.Dealing` on the same rows here, as a multiset of rows; what comes here are counts of groups,
and where stretches of time begin.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from tallystick import kernels
from tallystick.contracts import Block, Statistic, Table
from tallystick.engine.local import Local
from tallystick.judge.answers import (
    AnswerRows,
    JudgedSums,
    JudgedTotals,
    SummedAnswers,
    SummedNumbers,
    answers_in,
    class_rows,
    counted,
    largest_share,
    numbers_in,
)
from tallystick.judge.costs import named, own_costs
from tallystick.judge.folds import (
    InParts,
    InTurn,
    check_folds,
    check_moments,
    check_times,
    deal,
    group_folds,
    in_share,
    stretches,
    time_column,
)
from tallystick.judge.groups import (
    QUARTERS,
    Again,
    By,
    Grouping,
    grouped_column,
    level_names,
    rates,
    read_groups,
    shown_groups,
)
from tallystick.judge.number_groups import sizes_of
from tallystick.judge.result import NumberRepeat, RepeatScores
from tallystick.judge.run import (
    Answering,
    Fits,
    Progress,
    Steps,
    fresh,
    one_class,
    run_folds,
    spread,
    together,
    workers,
)
from tallystick.kernels.check import code_dtype
from tallystick.model.decision import decide
from tallystick.schema import CODED, Schema
from tallystick.stats.class_counts import Ask, BayesSums, key
from tallystick.stats.exact import ColumnPrints, nearest
from tallystick.stats.values import RankedPiece, RankedValues, one_label, values_at
from tallystick.table.subset import Within, recode_block

Counts = NDArray[np.int64]
Floats = NDArray[np.float64]


class FoldedRows(Protocol):
    """Rows in folds, where they are. sizes[fold]: rows, copies counted; schema: of what is learned from;
    unit: what a row of weight 1 weighs.
    """

    @property
    def sizes(self) -> tuple[int, ...]: ...

    @property
    def schema(self) -> Schema: ...

    @property
    def unit(self) -> int: ...

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


# Errors by group where rows and answers stay with Spark: the rates of `groups.error_rates` from sums.
#
# Knows columns beside dealt rows, and questions about answers. Knows nothing of who sums. Law: the rates
# are those of the same answers here, bit for bit; what comes here are rows by group, and sums of the groups
# shown.


def groups_far(reader: Any, read: Again, table: Table, by: By) -> FarGroups | None:
    """Return the columns that a table's answers are to be told by; None: they cannot stand beside its rows,
    since these are not read alike with them.
    """
    found = read_groups(reader, read, table, by, ordered=False)
    again = {c.name: (c.kind, c.levels, c.words) for c in found.table.schema.used}
    dealer: Dealer | None = found.table.dealer()
    if dealer is None or any(again.get(c.name) != (c.kind, c.levels, c.words) for c in table.schema.used):
        return None
    groupings = []
    for name, cuts in found.cuts.items():
        column = grouped_column(found.table, name)
        if column.kind == "numeric" and not cuts:
            cuts = quartiles(dealer.ranked(name, one_label, 1))
        groupings.append(Grouping.of(column, cuts or ()))
    return FarGroups(found.table, tuple(groupings))


def quartiles(order: RankedValues) -> tuple[float, ...]:
    """Return the quartiles of rows in the order of their numbers, each once: those of `numpy.quantile`."""
    rows = int(order.totals.sum())
    if not rows:
        return ()
    places = [divmod((rows - 1) * share, 1.0) for share in QUARTERS]
    wanted = {min(int(at) + step, rows - 1) for at, _ in places for step in (0, 1)}
    at = {rank: value for part in order.ask(AtRanks(tuple(sorted(wanted)))) for rank, value in part.items()}
    found = [np.quantile([at[int(p)], at[min(int(p) + 1, rows - 1)]], rest) for p, rest in places]
    return tuple(np.unique(found).tolist())


@dataclass(frozen=True)
class AtRanks:
    """Ask a piece for the values at some ranks."""

    ranks: tuple[int, ...]

    def __call__(self, piece: RankedPiece) -> dict[int, float]:
        """Return the value of each rank in the piece."""
        return values_at(piece, self.ranks)


def rates_far(
    parts: FarFolds, answers: AnswerRows, grouping: Grouping, rule: Floats | None
) -> list[dict[str, Any]]:
    """Return what `groups.error_rates` returns."""
    name, k = beside_name(grouping), len(parts.schema.predicted.labels)
    into, names = into_shown(parts, answers, grouping)
    found: GroupTotals = answers.total(GroupSums(name, into, len(names), k, rule))
    counts = found.counts / parts.unit
    return [
        rates(text, counts[at], [nearest(one) / parts.unit for one in found.shares[:, at]])
        for at, text in enumerate(names)
    ]


def into_shown(parts: FarFolds, answers: AnswerRows, grouping: Grouping) -> tuple[Counts, list[str]]:
    """Return the shown group of each group of a column, and what those shown are called."""
    asked = GroupRows(beside_name(grouping), len(grouping.names))
    every: Counts = parts.rows.total(asked, *range(len(parts.rows.sizes)))
    tested: Counts = answers.total(asked) if sum(parts.sizes) < sum(parts.rows.sizes) else every
    there = np.flatnonzero(every)
    shown = shown_groups([grouping.names[g] for g in there.tolist()], tested[there])
    into = np.zeros(len(every), np.int64)
    for at, (_, some) in enumerate(shown):
        into[there[some]] = at
    return into, [text for text, _ in shown]


@dataclass(frozen=True)
class GroupRows(Statistic[Counts]):
    """Ask what the rows of each group of a column weigh, in units of the table."""

    name: str
    size: int

    def zero(self) -> Counts:
        """Return the total of no rows."""
        return np.zeros(self.size, np.int64)

    def add(self, total: Counts, block: Block) -> Counts:
        """Add the rows of one block."""
        return total + counted(block.codes(self.name), block.weights, self.size)

    def merge(self, total: Counts, other: Counts) -> Counts:
        """Add two totals."""
        return total + other


class GroupTotals(NamedTuple):
    """counts[group, truth, answer], and the sums of the shares given, in shares[class, group, digit]."""

    counts: Counts
    shares: Counts


@dataclass(frozen=True)
class GroupSums(Statistic[GroupTotals]):
    """Ask how the rows of groups are answered. into[group of the column]: the group that is shown, of `size`;
    rule: costs that decide.
    """

    name: str
    into: Counts
    size: int
    classes: int
    rule: Floats | None

    def zero(self) -> GroupTotals:
        """Return the total of no rows."""
        k = self.classes
        shares = np.zeros((k, self.size, kernels.SUM_DIGITS), np.int64)
        return GroupTotals(np.zeros((self.size, k, k), np.int64), shares)

    def add(self, total: GroupTotals, block: Block) -> GroupTotals:
        """Add the rows of one block."""
        k, own = self.classes, self.zero()
        truth, shares = answers_in(block, k)
        group = self.into[block.codes(self.name)]
        pairs = (group * k + truth) * k + decide(shares, self.rule)
        none = np.zeros((k, self.size), np.int64)
        squares = np.zeros((k, self.size, kernels.SQUARE_DIGITS), np.int64)
        columns = [np.ascontiguousarray(shares[:, c]) for c in range(k)]
        codes = group.astype(code_dtype(self.size))
        kernels.add_moments(columns, codes, none, own.shares, squares, block.weights)
        counts = counted(pairs, block.weights, self.size * k * k)
        return self.merge(total, GroupTotals(counts.reshape(self.size, k, k), own.shares))

    def merge(self, total: GroupTotals, other: GroupTotals) -> GroupTotals:
        """Add two totals."""
        return GroupTotals(total.counts + other.counts, kernels.carry(total.shares + other.shares))


# Errors of numbers by group where rows and answers stay with Spark: those of `number_groups` from sums.
#
# Knows columns beside dealt rows, and questions about answers. Knows nothing of who sums. Law: what is told
# is that of the same answers here, bit for bit; what comes here are rows by group, and sums of the groups
# shown.


def sizes_far(parts: FarFolds, answers: AnswerRows, grouping: Grouping) -> list[dict[str, Any]]:
    """Return what `number_groups.error_sizes` returns."""
    into, names = into_shown(parts, answers, grouping)
    asked = GroupNumbers(beside_name(grouping), into, len(names))
    found: NumbersByGroup = answers.total(asked)
    rows = found.rows / parts.unit
    sums = np.array([[nearest(one) for one in each] for each in found.sums]) / parts.unit
    means = sums / rows
    away = answers.total(GroupAway(asked, means[2:]))
    told = np.array([[[nearest(d) for d in one] for one in each] for each in away]) / parts.unit
    return [
        sizes_of(name, float(rows[g]), means[:, g].tolist(), [tuple(one) for one in told[:, :, g].tolist()])
        for g, name in enumerate(names)
    ]


class NumbersByGroup(NamedTuple):
    """rows[group], in units of the table, and sums[truth, answer, size of the error or answer less truth,
    group, digit].
    """

    rows: Counts
    sums: Counts


@dataclass(frozen=True)
class GroupNumbers(Statistic[NumbersByGroup]):
    """Ask for sums of the rows of groups. into[group of the column]: the group that is shown, of `size`."""

    name: str
    into: Counts
    size: int

    def zero(self) -> NumbersByGroup:
        """Return the total of no rows."""
        sums = np.zeros((4, self.size, kernels.SUM_DIGITS), np.int64)
        return NumbersByGroup(np.zeros(self.size, np.int64), sums)

    def group(self, block: Block) -> NDArray[Any]:
        """Return group[row] of those shown."""
        return np.asarray(self.into[block.codes(self.name)].astype(code_dtype(self.size)))

    def add(self, total: NumbersByGroup, block: Block) -> NumbersByGroup:
        """Add the rows of one block."""
        own, group = self.zero(), self.group(block)
        truth, answer = numbers_in(block)
        summed([truth, answer, np.abs(answer - truth), answer - truth], group, own.sums, block.weights)
        kernels.count_classes(group, self.size, block.weights, own.rows)
        return self.merge(total, own)

    def merge(self, total: NumbersByGroup, other: NumbersByGroup) -> NumbersByGroup:
        """Add two totals."""
        return NumbersByGroup(total.rows + other.rows, kernels.carry(total.sums + other.sums))


@dataclass(frozen=True)
class GroupAway(Statistic[Counts]):
    """Ask how errors lie about means[size of the error or answer less truth, group]: sums[which, power,
    group, digit] of the squares and cubes of what is away.
    """

    of: GroupNumbers
    means: Floats

    def zero(self) -> Counts:
        """Return the total of no rows."""
        return np.zeros((2, 2, self.of.size, kernels.SUM_DIGITS), np.int64)

    def add(self, total: Counts, block: Block) -> Counts:
        """Add the rows of one block."""
        own, group = self.zero(), self.of.group(block)
        truth, answer = numbers_in(block)
        for at, values in enumerate((np.abs(answer - truth), answer - truth)):
            away = values - self.means[at, group]
            summed([away**2, away**3], group, own[at], block.weights)
        return self.merge(total, own)

    def merge(self, total: Counts, other: Counts) -> Counts:
        """Add two totals."""
        return kernels.carry(total + other)


def summed(columns: list[Floats], group: NDArray[Any], sums: Counts, weights: Counts | None) -> None:
    """Add columns[which][row] to sums[which, group, digit]."""
    none = np.zeros(sums.shape[:2], np.int64)
    squares = np.zeros((*sums.shape[:2], kernels.SQUARE_DIGITS), np.int64)
    kernels.add_moments([np.ascontiguousarray(c) for c in columns], group, none, sums, squares, weights)


# Cross-validation of rows that stay with Spark: folds are dealt, answered and scored there.
#
# Knows tables on Spark, methods and questions about answers. Law: scores are those of the same rows here,
# bit for bit; what comes here are fitted models and sums, nothing that grows with the rows.


@dataclass(frozen=True)
class FarJudging:
    """How answers are judged: see `scores.score`."""

    rule: Floats | None = None
    cost: Floats | None = None
    positive: int | None = None


@dataclass(frozen=True)
class FoldModel:
    """How the rows of a fold are answered, in the codes of the whole table."""

    model: Answering
    whole: Schema
    training: Schema

    def __call__(self, block: Block) -> Floats:
        """Return shares[row, class of the whole table]."""
        own = recode_block(block, self.whole, self.training)  # type: ignore[arg-type]
        labels = self.training.predicted.labels
        return spread(self.model.shares(own), labels, self.whole.predicted.labels)


@dataclass(frozen=True)
class OnlyClass:
    """The answer where all training rows are of one class."""

    shares: Floats

    def __call__(self, block: Block) -> Floats:
        """Return shares[row, class]."""
        return np.tile(self.shares, (block.rows, 1))


def judged_far(
    model: Fits, parts: FarFolds, table: Table, how: FarJudging, progress: Progress | None = None
) -> RepeatScores | NumberRepeat:
    """Return what follows from the out-of-fold answers to the rows of a table in folds."""
    try:
        return judged_answers(parts, fold_models(model, table, parts, progress), how)
    finally:
        parts.release()


def halves(table: Table, folds: int) -> Iterator[tuple[Table, Table]]:
    """Yield (rows to train on, rows to test on) of each stratified fold, in the codes of the whole table.
    Rows that are here stay in the table, with weight 0 outside their part; rows far away are taken out. The
    folds do not depend on names of columns: what is chosen by them is part of the model.
    """
    nameless = without_names(table)
    dealing = FarDealing.of(nameless)
    if dealing is None:
        yield from deal(nameless, folds).halves(table)
        return
    rows = dealing.outer(folds).rows
    try:
        for f in range(folds):
            parts = rows.coded(*(other for other in range(folds) if other != f)), rows.coded(f)
            try:
                yield parts
            finally:
                for part in parts:
                    part.release()
    finally:
        rows.release()


def without_names(table: Any) -> Any:
    """Return the table with columns that hashes of rows know by what they hold, not by their names.

    At first by the cells of a column beside the target, then, where columns are alike, also by the rows that
    these stand in. Columns that are alike still are equal or can be traded for each other: by any names the
    folds then give the same losses. They need names, since rows that differ must differ in their hashes.
    """
    schema = table.schema
    used, target = [c.name for c in schema.used], schema.target
    called = [] if target is None else [(target.name, "target")]
    prints = [""] * len(used)
    for _ in range(2):
        found = (table.engine or Local(1)).total(table, ColumnPrints(schema, table.unit)).tolist()
        prints = [f"{before} {print_:016x}" for before, print_ in zip(prints, found, strict=True)]
        order = sorted(range(len(used)), key=lambda i: (prints[i], used[i]))
        schema = replace(schema, keys=(*((used[i], prints[i]) for i in order), *called))
        if len(set(prints)) == len(prints):
            return replace(table, schema=schema)
    keys = [(used[i], f"{prints[i]} {place}") for place, i in enumerate(order)]
    return replace(table, schema=replace(schema, keys=(*keys, *called)))


def fold_models(model: Fits, table: Table, parts: FarFolds, progress: Progress | None) -> list[Any]:
    """Return how the rows of each test are answered: by the model of those that train for it."""
    works: list[Any] = [None] * len(parts.tested)
    steps = Steps(len(works), progress)

    def one(fold: int) -> int:
        training = parts.training(fold)
        try:
            works[fold] = setting_works([model], training, parts.schema)[0]
        finally:
            training.release()
        steps.one()
        return fold

    everything = len(works)
    if run_folds(one, everything, lambda fold: None, enough=everything, at_once=workers(table)):
        raise KeyboardInterrupt  # answers come when all folds are done
    return works


def setting_works(
    settings: Sequence[Any], training: Table, whole: Schema, roughly: bool = False
) -> list[FoldModel | OnlyClass]:
    """Return how rows coded by the whole table are answered by each setting, fitted to the training part;
    roughly: see `running.answer_settings`.
    """
    only = one_class(training, whole.predicted.labels)
    if only is not None:
        return [OnlyClass(only)] * len(settings)
    models = together(settings, training, roughly)
    if models is None:
        models = [fresh(setting, threads=1)._fit_to_answer(training).model_ for setting in settings]
    made = {id(model): FoldModel(model, whole, training.schema) for model in models}
    return [made[id(model)] for model in models]


def judged_answers(parts: FarFolds, works: list[Any], how: FarJudging) -> RepeatScores | NumberRepeat:
    """Return what follows from the answers to all tested rows."""
    answers = parts.answered(works)
    try:
        return _numbers(parts, answers) if parts.schema.regression else _classes(parts, answers, how)
    finally:
        answers.release()


def _numbers(parts: FarFolds, answers: AnswerRows) -> NumberRepeat:
    given = SummedNumbers.of(answers, len(parts.tested), parts.unit)
    return NumberRepeat(
        given.measures(),
        parts.sizes,
        sum(parts.rows.sizes),
        given.fold_means,
        given.loss_error,
        {one.name: sizes_far(parts, answers, one) for one in parts.groupings},
    )


def _classes(parts: FarFolds, answers: AnswerRows, how: FarJudging) -> RepeatScores:
    labels = parts.schema.predicted.labels
    asked = how.rule, how.cost, how.positive, parts.unit
    given = SummedAnswers.of(answers, len(labels), len(parts.tested), *asked)
    held = given.totals.confusion.sum(axis=1)
    if sum(parts.sizes) < sum(parts.rows.sizes):
        held = parts.class_rows()
    return RepeatScores(
        given.scores(labels),
        parts.sizes,
        sum(parts.rows.sizes),
        tuple(held.tolist()),
        given.fold_means,
        given.loss_error,
        {one.name: rates_far(parts, answers, one, how.rule) for one in parts.groupings},
    )


# Learning curves of rows that stay with Spark: subsets are taken, learned from and tested there.
#
# Knows tables on Spark, methods and questions about answers. Law: the subsets and figures are those of the
# same rows here, bit for bit; what comes here are fitted models and sums, or a subset that is small enough
# to be learned from here.


@dataclass(frozen=True)
class FarSubsets:
    """The subsets of a learning curve, where the rows are. tested: how many rows test; sizes: of subsets;
    copies of a row are counted.
    """

    table: Table
    dealer: Dealer
    tested: int
    sizes: Sequence[int]

    def base(self) -> float:
        """Return the share of the most frequent class."""
        return largest_share(self.table)

    def curves(self, repeat: int, models: Iterable[Fits], told: Steps) -> tuple[Floats, Floats]:
        """Return error[model, size] and loss[model, size] of one repeat."""
        methods = list(models)
        error, loss = (np.empty((len(methods), len(self.sizes))) for _ in range(2))
        rows = self.dealer.in_order(InParts(repeat + 1, parts_end(self.tested, self.sizes)))
        schema = rows.schema
        try:
            for at in range(len(self.sizes)):
                training = rows.of_folds(*range(1, at + 2))
                for m, model in enumerate(methods):
                    rule = own_costs(model, schema.predicted, schema.predicted.labels)
                    asked = JudgedSums(_learned(named(model, schema.predicted), training, schema), rule)
                    found: JudgedTotals = rows.total(asked, 0)
                    error[m, at], loss[m, at] = found.error, found.mean_loss
                training.release()
        finally:
            rows.release()
        for _ in methods:
            told.one()
        return error, loss


def parts_end(tested: int, sizes: Sequence[int]) -> tuple[int, ...]:
    """Return where the cases end that test, and those of each subset, which come after them."""
    return tested, *(tested + size for size in sizes)


def _learned(model: Fits, training: Table, whole: Schema) -> Any:
    """Return how rows are answered by what a subset tells; one of one class, or without a usable column, by
    its class shares.
    """
    labels = whole.predicted.labels
    if len(training.schema.predicted.labels) < 2 or not training.schema.used:
        full = class_rows(training)
        return OnlyClass(spread((full / full.sum())[None], training.schema.predicted.labels, labels)[0])
    fitted = fresh(model, threads=1)._fit_to_answer(training.near())
    return FoldModel(fitted.model_, whole, training.schema)
