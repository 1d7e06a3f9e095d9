"""The count tables of `level_tables.py` for a table in memory: where rows stand is kept from level to level.

Knows a table's codes and the tests made so far. Knows nothing of scores.
Law: the tables are those of `Frontier.add` over all blocks; they are made node by node, when asked for.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tallystick import kernels

if TYPE_CHECKING:
    from tallystick.stats.level_tables import Frontier, Test

Ints = NDArray[np.int64]


@dataclass
class Standing:
    """rows[entry] and weight[entry] of every node that waits; a row may stand at several nodes in parts."""

    codes: list[NDArray[Any]] = field(default_factory=list)
    at: dict[int, tuple[Ints, Ints]] = field(default_factory=dict)
    followed: int = 0

    def answer(self, question: Frontier, table: Any) -> Stood:
        """Follow the tests that are new, and return the tables of the open nodes."""
        if not self.codes:
            whole = table.slice(0, table.rows)
            self.codes = [np.ascontiguousarray(c.codes(whole)) for c in question.codings]
            first = np.full(table.rows, question.parts, np.int64)
            if question.parts == 1 and table.weights is not None:
                first = table.weights
            self.at[0] = np.arange(table.rows), first
        for test in question.tests[self.followed :]:
            self._follow(test)
        self.followed = len(question.tests)
        return Stood(question, table, self)

    def _follow(self, test: Test) -> None:
        """Send the rows at a test's node to its branches, missing ones to all of them in parts."""
        from tallystick.stats.level_tables import share_out

        rows, weight = self.at.pop(test.node)
        code = self.codes[test.column][rows]
        if test.shares is None or test.branches is None:
            to = test.following[code]
            for branch in np.unique(test.following).tolist():
                self.at[branch] = rows[to == branch], weight[to == branch]
            return
        known = code < len(test.following)
        to = test.following[code[known]]
        lost = rows[~known]
        parts = share_out(weight[~known], test.shares)
        for b, branch in enumerate(test.branches.tolist()):
            here, some = to == branch, parts[:, b] > 0
            self.at[branch] = (
                np.concatenate([rows[known][here], lost[some]]),
                np.concatenate([weight[known][here], parts[some, b]]),
            )


@dataclass(frozen=True)
class Stood:
    """The answer to one question, node by node."""

    question: Frontier
    table: Any
    standing: Standing

    def _entries(self, i: int) -> tuple[Ints, Ints]:
        rows, weight = self.standing.at[self.question.open[i]]
        if self.question.parts > 1 and self.table.weights is not None:
            weight = weight * self.table.weights[rows]
        return rows, np.ascontiguousarray(weight)

    def counts(self, i: int) -> Ints:
        """Return rows of each class of open node i; regression: rows and sum of the response."""
        rows, weight = self._entries(i)
        if self.question.classes:
            return kernels.count_classes(self.table.classes[rows], self.question.classes, weight)
        y = self.question.scale.whole(self.table.response[rows])
        return np.array([weight.sum(), (weight * y).sum()], np.int64)

    def node(self, i: int) -> tuple[list[Ints], Ints]:
        """Return tables[column][code, class] and the sums of squares of open node i."""
        from tallystick.stats.level_tables import squares_of

        rows, weight = self._entries(i)
        sizes = [c.k + 1 for c in self.question.codings]
        codes = [column[rows] for column in self.standing.codes]
        if self.question.classes:
            label = self.table.classes[rows]
            tables = kernels.count_columns(codes, label, sizes, self.question.classes, weights=weight)
            return tables, np.zeros(6, np.int64)
        y = self.question.scale.whole(self.table.response[rows])
        one = np.zeros(len(rows), np.uint8)
        both = [kernels.count_columns(codes, one, sizes, 1, weights=w) for w in (weight, weight * y)]
        tables = [np.concatenate(pair, axis=1) for pair in zip(*both, strict=True)]
        return tables, squares_of(y, weight)
