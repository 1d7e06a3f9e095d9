"""Grow one rule: add the condition that tells most, go on from the best few, keep the best rule met.

Knows totals. Never sees a row. Law: the same totals give the same rule; of equals the first offer.
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallystick import kernels
from tallystick.learners.rules.candidates import all_offers
from tallystick.learners.rules.worth import Telling
from tallystick.stats.level_tables import CodedColumn
from tallystick.stats.rule_tables import Pick, Picks, RuleTables

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Tables = list[Ints]  # [column][code, class]
WIDEST, MOST_LOOKED_AT = 8, 200_000  # rules grown beside each other, times rows: fewer on large tables
PATIENCE = 3  # conditions that are added without finding a better rule
LEAST_WORTH = 1.5  # nats that a rule must tell beyond the price of its conditions: less is found in noise


@dataclass(frozen=True)
class FoundRule:
    """A rule that was met. covered[class]: rows it takes. cost: of its conditions, in nats. worth: what it
    tells, less the cost. rank: by what it was compared while it grew.
    """

    picks: Picks
    covered: Ints
    cost: float
    worth: float
    rank: float


@dataclass(frozen=True)
class RuleGrower:
    """What growing needs to know."""

    form: CodedColumn
    telling: Telling
    classes: int
    max_conditions: int | None
    row: int = 1  # what one row weighs in the table

    @property
    def width(self) -> int:
        """How many rules are grown beside each other: on small tables more, where few rows mislead."""
        rows = int(self.telling.totals.sum()) // self.row
        return max(1, min(WIDEST, MOST_LOOKED_AT // max(rows, 1)))

    def best(self, taken: tuple[Picks, ...], tables: Tables) -> Generator[Any, Any, FoundRule | None]:
        """Return the best rule among the rows that no rule takes; None: there is none worth its conditions.
        tables: of those rows.
        """
        left = tables[0].sum(axis=0)
        best: FoundRule | None = None
        least = 0.0 if self.telling.exact else LEAST_WORTH
        beam: list[tuple[FoundRule | None, Tables]] = [(None, tables)]
        patience = PATIENCE
        while beam and patience:
            found = self._extended(beam, left)
            if best is not None or not self.telling.exact:  # a part of a parity tells nothing, the whole all
                patience -= 1
            for rule in found:
                if rule.worth > (least if best is None else best.worth) and self._answers(rule):
                    best, patience = rule, PATIENCE
            open_ = [r for r in found if np.count_nonzero(r.covered) > 1 and self._may_grow(r)]
            beam = []
            if open_ and patience:
                answers = yield RuleTables(self.form, taken, tuple(r.picks for r in open_), self.classes)
                beam = list(zip(open_, answers, strict=True))
        return best

    def _may_grow(self, rule: FoundRule) -> bool:
        return self.max_conditions is None or len(rule.picks) < self.max_conditions

    def _extended(self, beam: list[tuple[FoundRule | None, Tables]], left: Ints) -> list[FoundRule]:
        """Return the best rules with a condition more, the best first, no two of the same rows."""
        columns = float(kernels.log2(np.array([float(len(self.form.codings))]))[0])
        out: list[FoundRule] = []
        for rule, tables in beam:
            offers = all_offers(self.form.codings, tables)
            if not len(offers.bits):
                continue
            costs = (0.0 if rule is None else rule.cost) + self.telling.costs(offers.bits + columns)
            worth = self.telling.gains(offers.covered, left) - costs
            size = self.telling.rows(offers.covered).sum(axis=-1)
            fits = (size > 0) & self._speaks(offers.covered, left) & self._enough(offers.covered)
            if rule is not None:
                fits &= offers.covered.sum(axis=1) < rule.covered.sum()
            ranks = np.where(fits, _rank(worth, size), -np.inf)
            for i in np.argsort(-ranks, kind="stable")[: self.width].tolist():
                if fits[i]:
                    picks = with_pick(() if rule is None else rule.picks, offers.pick(i))
                    made = float(costs[i]), float(worth[i]), float(ranks[i])
                    out.append(FoundRule(picks, offers.covered[i], *made))
        unique: dict[tuple[int, ...], FoundRule] = {}
        for found in sorted(out, key=lambda r: -r.rank):
            unique.setdefault(tuple(found.covered.tolist()), found)
        return list(unique.values())[: self.width]

    def _enough(self, covered: Ints) -> NDArray[np.bool_]:
        """Say which rules have two rows or more: a rule of one row would only name it. In a truth table there
        is one row of each kind.
        """
        return np.asarray(covered.sum(axis=1) > (0 if self.telling.exact else self.row))

    def _speaks(self, covered: Ints, left: Ints) -> NDArray[np.bool_]:
        """Say which rules speak for the class that is to be told, where there is one: it is more frequent
        there than among all rows that are left.
        """
        if self.telling.one is None:
            return np.ones(len(covered), bool)
        rows, whole = self.telling.rows(covered), self.telling.rows(left)
        if self.telling.exact:
            return np.asarray(rows[:, 1] > 0)
        return np.asarray(rows[:, 1] * whole[0] > rows[:, 0] * whole[1])

    def _answers(self, rule: FoundRule) -> bool:
        """Say whether a rule answers the class that is to be told, where there is one."""
        rows = self.telling.rows(rule.covered)
        if self.telling.exact and np.count_nonzero(rows) != 1:
            return False
        return self.telling.one is None or bool(rows[1] > rows[0])


def _rank(worth: Floats, size: Floats) -> Floats:
    """Return by what growing rules are compared: worth over the root of their rows, so that small rules that
    tell much are grown beside large ones that tell a little of each row.
    """
    root = np.sqrt(np.maximum(size, 1e-300))
    return np.where(worth > 0, worth / root, worth * root)


def with_pick(picks: Picks, pick: Pick) -> Picks:
    """Return conditions with one more; a column is named once."""
    for i, (column, allowed) in enumerate(picks):
        if column == pick.column:
            both = Pick(column, tuple(a and b for a, b in zip(allowed, pick.allowed, strict=True)))
            return (*picks[:i], both, *picks[i + 1 :])
    return (*picks, pick)
