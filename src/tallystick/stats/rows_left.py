"""The count tables of `rule_tables.py` for a table in memory: which rows are left is kept from rule to rule.

Knows a table's codes and the rules made so far. Knows nothing of scores.
Law: the tables are those of `RuleTables.add` over all blocks.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from operator import gt
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from tallystick.data.threads import FEW_ROWS, in_order
from tallystick.kernels.check import code_dtype
from tallystick.stats.rule_tables import Picks, RuleTables, count, holds

if TYPE_CHECKING:
    from tallystick.contracts import Table
    from tallystick.stats.level_tables import CodedColumn

Ints = NDArray[np.int64]


@dataclass
class RowsLeft:
    """rows: those that no rule of `taken` takes; picked: those of them that fulfil conditions asked for last.
    """

    table: Table
    codes: list[NDArray[Any]]
    rows: Ints
    taken: tuple[Picks, ...] = ()
    picked: dict[Picks, Ints] = field(default_factory=dict)

    @classmethod
    def of(cls, form: CodedColumn, table: Table) -> RowsLeft:
        """Return all rows, as codes."""
        whole = table.slice(0, table.rows)
        codes = [
            np.ascontiguousarray(c.codes(whole).astype(code_dtype(c.k + 2), copy=False)) for c in form.codings
        ]
        return cls(table, codes, np.arange(table.rows))

    def answer(self, question: RuleTables, threads: int) -> list[list[Ints]]:
        """Leave out the rows that new rules take, and return the tables asked for."""
        if question.taken[: len(self.taken)] != self.taken:
            self.rows, self.taken, self.picked = np.arange(self.table.rows), (), {}
        for picks in question.taken[len(self.taken) :]:
            self.rows = self.rows[~self._holds(picks, self.rows)]
            self.picked = {}
        self.taken = question.taken
        before, self.picked = self.picked, {(): self.rows}
        for picks in question.picks:
            self.picked[picks] = self._narrowed(picks, before)
        return [self._tables(question, self.picked[picks], threads) for picks in question.picks]

    def _narrowed(self, picks: Picks, before: dict[Picks, Ints]) -> Ints:
        """Return the rows of some conditions, from the fewest rows that are known to hold them all."""
        allowed = dict(picks)
        start: Picks = ()
        rows = self.rows
        for known, own in before.items():
            wider = all(c in allowed and not any(map(gt, allowed[c], every)) for c, every in known)
            if wider and len(own) < len(rows):
                start, rows = known, own
        left = tuple(pick for pick in picks if pick not in start)
        return rows[self._holds(left, rows)] if left else rows

    def _holds(self, picks: Picks, rows: Ints) -> NDArray[np.bool_]:
        used = {column for column, _ in picks}
        codes = [c[rows] if j in used else c for j, c in enumerate(self.codes)]
        return holds(picks, codes, len(rows))

    def _tables(self, question: RuleTables, rows: Ints, threads: int) -> list[Ints]:
        classes, weights = self.table.classes, self.table.weights
        assert classes is not None
        own = np.ascontiguousarray(classes[rows])
        heavy = None if weights is None else weights[rows]
        sizes = [(c.k + 1, question.classes) for c in question.form.codings]
        out = [np.zeros(size, np.int64) for size in sizes]
        every = len(rows) == self.table.rows

        def part(columns: range) -> None:
            codes = [self.codes[j] if every else self.codes[j][rows] for j in columns]
            count(codes, own, heavy, None, [out[j] for j in columns])

        if threads == 1 or len(rows) * len(out) < FEW_ROWS * 20:
            part(range(len(out)))
            return out
        step = -(-len(out) // threads)
        jobs = [range(j, min(j + step, len(out))) for j in range(0, len(out), step)]
        for _ in in_order([partial(part, columns) for columns in jobs], threads):
            pass
        return out


class WhichRowsAreLeft:
    """The shortcut: rows that rules take are not looked at again, as long as the form of the questions, which
    is one object from the first rule to the last, is in use.
    """

    row_bytes = 0  # it depends on the columns: see `solve`

    def __init__(self) -> None:
        self._left: WeakKeyDictionary[CodedColumn, RowsLeft] = WeakKeyDictionary()

    def solve(self, question: RuleTables, table: Table, threads: int) -> list[list[Ints]] | None:
        """Return the tables; None: there is no memory for the codes of so many rows."""
        if not table.holds(24 + 4 * len(question.form.codings)):
            return None
        known = self._left.get(question.form)
        if known is None or known.table is not table:
            known = self._left[question.form] = RowsLeft.of(question.form, table)
        return known.answer(question, threads)
