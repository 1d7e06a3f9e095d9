"""Errors by group where rows and answers stay with Spark: the rates of `groups.error_rates` from sums.

Knows columns beside dealt rows, and questions about answers. Knows nothing of who sums. Law: the rates are
those of the same answers here, bit for bit; what comes here are rows by group, and sums of the groups shown.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tallystick import kernels
from tallystick.contracts import Block, Table
from tallystick.evaluate.far_dealing import Dealer, FarFolds, FarGroups, beside_name
from tallystick.evaluate.groups import (
    QUARTERS,
    Again,
    By,
    Grouping,
    grouped_column,
    rates,
    read_groups,
    shown_groups,
)
from tallystick.evaluate.summed_answers import AnswerRows, answers_in, counted
from tallystick.kernels.check import code_dtype
from tallystick.models.decision import decide
from tallystick.stats.exact import nearest
from tallystick.stats.value_ranges import one_label
from tallystick.stats.value_tables import RankedPiece, RankedValues, values_at

Counts = NDArray[np.int64]
Floats = NDArray[np.float64]


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
class GroupRows:
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
class GroupSums:
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
