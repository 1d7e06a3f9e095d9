"""The count tables of `level_tables.py` for a table in memory: where rows stand is kept from level to level.

Knows a table's codes and the tests made so far. Knows nothing of scores.
Law: the tables are those of `Frontier.add` over all blocks; they are made node by node, when asked for.
"""

from __future__ import annotations

import operator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from tallystick import kernels
from tallystick.stats.split_pieces import LevelAnswers
from tallystick.stats.value_tables import ValueTable, value_table

if TYPE_CHECKING:
    from tallystick.contracts import Table
    from tallystick.stats.level_tables import CodedColumn, Frontier, Test

Ints = NDArray[np.int64]


@dataclass
class RowPlaces:
    """rows[entry] and weight[entry] of every node that waits; a row may stand at several nodes in parts."""

    table: Table
    codes: list[NDArray[Any]] = field(default_factory=list)
    at: dict[int, tuple[Ints, Ints]] = field(default_factory=dict)
    followed: tuple[Test, ...] = ()

    @classmethod
    def at_root(cls, question: Frontier, table: Table) -> RowPlaces:
        """Return all rows where they begin."""
        whole = table.slice(0, table.rows)
        codes = [np.ascontiguousarray(c.codes(whole)) for c in question.codings]
        first = np.full(table.rows, question.parts, np.int64)
        if question.parts == 1 and table.weights is not None:
            first = table.weights
        return cls(table, codes, {0: (np.arange(table.rows), first)})

    def leads_to(self, question: Frontier, table: Table) -> bool:
        """Say whether the question goes on from here: it is of the same rows, and has made the same tests."""
        here = len(self.followed)
        same = table is self.table and len(question.tests) >= here
        return same and all(map(operator.is_, self.followed, question.tests[:here]))

    def answer(self, question: Frontier) -> NodeTables:
        """Follow the tests that are new, and return the tables of the open nodes."""
        for test in question.tests[len(self.followed) :]:
            self._follow(test)
        self.followed = question.tests
        # an answer keeps the rows of its own nodes: the next question sends them on from here
        return NodeTables(question, self.table, self.codes, tuple(self.at[node] for node in question.open))

    def _follow(self, test: Test) -> None:
        """Send the rows at a test's node to its branches, missing ones to all of them in parts."""
        from tallystick.stats.level_tables import share_out

        rows, weight = self.at.pop(test.node)
        code = test.codes(self.codes[test.column][rows])
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


class WhereRowsStand:
    """The shortcut: rows are not sent down from the root again for every level.

    Where they stand is kept here as long as the form of the tree's questions, which is one object from the
    first level to the last, is in use; a question that does not go on from there begins at the root.
    """

    row_bytes = 0  # it depends on the columns: see `solve`

    def __init__(self) -> None:
        self._places: WeakKeyDictionary[CodedColumn, RowPlaces] = WeakKeyDictionary()

    def solve(self, question: Frontier, table: Table, threads: int) -> NodeTables | LevelAnswers | None:
        """Return the tables node by node; None: there is no memory for where so many rows stand."""
        if table.place == "disk" and question.more is not None and question.whole:
            from tallystick.stats.disk_levels import DiskLevel  # loads Arrow: not before there are rows

            return DiskLevel(question, table, threads).answer()
        if not table.holds(32 + 4 * len(question.codings)):
            return None
        known = self._places.get(question.form)
        if known is None or not known.leads_to(question, table):
            known = self._places[question.form] = RowPlaces.at_root(question, table)
        return known.answer(question)


@dataclass(frozen=True)
class NodeTables:
    """The answer to one question, node by node: it stays true whatever is asked after it."""

    question: Frontier
    table: Table
    codes: list[NDArray[Any]]  # codes[column][row]
    at: tuple[tuple[Ints, Ints], ...]  # rows[entry] and weight[entry] of each open node

    @property
    def _classes(self) -> NDArray[Any]:
        assert self.table.classes is not None
        return self.table.classes

    @property
    def _response(self) -> NDArray[np.float64]:
        assert self.table.response is not None
        return self.table.response

    def _entries(self, i: int) -> tuple[Ints, Ints]:
        rows, weight = self.at[i]
        if self.question.parts > 1 and self.table.weights is not None:
            weight = weight * self.table.weights[rows]
        return rows, np.ascontiguousarray(weight)

    def counts(self, i: int) -> Ints:
        """Return rows of each class of open node i; regression: rows and sum of the response."""
        rows, weight = self._entries(i)
        if self.question.classes:
            out = np.zeros(self.question.width, np.int64)
            for label, heavy in self.question.measures(self._classes[rows], weight):
                kernels.count_classes(label, self.question.width, heavy, out)
            return out
        y = self.question.scale.whole(self._response[rows])
        return np.array([weight.sum(), (weight * y).sum()], np.int64)

    def node(self, i: int) -> tuple[list[ValueTable], Ints]:
        """Return the tables of all columns and the sums of squares of open node i."""
        from tallystick.stats.level_tables import DIGITS, squares_of

        rows, weight = self._entries(i)
        squares = np.zeros(DIGITS, np.int64)
        if self.question.classes:
            counted = list(self.question.measures(self._classes[rows], weight))
        else:
            y, none = self.question.scale.whole(self._response[rows]), np.zeros(len(rows), np.uint8)
            counted = [(none, weight), (none + np.uint8(1), weight * y)]
            squares = squares_of(y, weight)
        return [self._table(j, rows, counted) for j in range(len(self.codes))], squares

    def grown(self, i: int) -> None:
        """Nothing is known of the tree below open node i."""

    def _table(self, j: int, rows: Ints, counted: list[tuple[NDArray[Any], Ints | None]]) -> ValueTable:
        coding, cells, width = self.question.codings[j], self.codes[j][rows], self.question.width
        if coding.plain:
            return value_table(cells, counted, width)
        table = np.zeros((coding.k + 1, width), np.int64)
        for label, heavy in counted:
            kernels.count_columns([cells], label, [coding.k + 1], width, weights=heavy, out=[table])
        return ValueTable(table)
