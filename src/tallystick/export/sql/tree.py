"""A tree in SQL: nested CASE of a few levels at a time, then a small table of the nodes where ways end.

Knows forms of trees. Law: no expression is nested deeper than DEEP tests however deep the tree is, because
databases limit it: each further stage goes on from the nodes where the one before stopped. Ends are numbered
from 1 on, nodes that wait for the next stage are negative.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tallystick.data.schema import Column
from tallystick.export.form import Form
from tallystick.export.sql.dialect import Dialect
from tallystick.models.tree.sentences import bound

DEEP = 6  # tests in one expression


class Tests:
    """The tests of a tree as CASE expressions."""

    def __init__(self, form: Form, sql: Dialect) -> None:
        self.form, self.sql = form, sql
        self.ends = {node: number for number, node in enumerate(ends(form), 1)}

    def stages(self, at: Callable[[int], str]) -> list[str]:
        """Return the expressions of all stages; at(i) is the column that holds where stage i has come to."""
        out: list[str] = []
        roots = [0]
        while roots:
            after: list[int] = []
            pieces = {root: self._case(root, DEEP, after, 1 if root else 0) for root in roots}
            if not out:
                out.append(pieces[0])
            else:
                arms = "".join(f"\n      WHEN -{root} THEN {text}" for root, text in pieces.items())
                before = at(len(out) - 1)
                out.append(f"CASE {before}{arms}\n      ELSE {before} END")
            roots = after
        return out

    def _case(self, node: int, deep: int, after: list[int], indent: int) -> str:
        """Return the expression below a node; nodes that are left for the next stage are added to `after`."""
        test = self.form.nodes[node]
        if len(test) == 1:
            return str(self.ends[node])
        if deep == 0:
            after.append(node)
            return str(-node)
        column = self.form.columns[test[0]]
        inside = "\n" + "  " * (DEEP - deep + 3 + indent)

        def to(below: int) -> str:
            return str(self.ends[node]) if below == node else self._case(below, deep - 1, after, indent)

        arms = self._levels(column, test, to) if test[1] is None else self._cut(column, test, to)
        lines = [
            f"{inside}WHEN {when} THEN {then}" if when else f"{inside}ELSE {then}" for when, then in arms
        ]
        return "CASE" + "".join(lines) + f"{inside[:-2]}END"

    def _cut(self, column: Column, test: list[Any], to: Callable[[int], str]) -> list[tuple[str, str]]:
        _, cut, (low, high), missing, _ = test
        name = self.sql.name_of(column.name)
        under, over = below(cut, self.sql)
        if missing == high:
            return [(f"{name} {under}", to(low)), ("", to(high))]
        if missing == low:
            return [(f"{name} {over}", to(high)), ("", to(low))]
        return [(f"{name} {under}", to(low)), (f"{name} {over}", to(high)), ("", to(missing))]

    def _levels(self, column: Column, test: list[Any], to: Callable[[int], str]) -> list[tuple[str, str]]:
        _, _, ways, missing, _ = test
        name = self.sql.name_of(column.name)
        arms = []
        for below in dict.fromkeys(ways):
            levels = [column.levels[code] for code, way in enumerate(ways) if way == below]
            if below != missing:
                single = len(levels) == 1
                among = f"= {self.sql.literal(levels[0])}" if single else f"IN {self.sql.texts(levels)}"
                arms.append((f"{name} {among}", to(below)))
        return [*arms, ("", to(missing))]


def below(cut: float, sql: Dialect) -> tuple[str, str]:
    """Return the comparisons of values below a cut and of the others: x < cut, or x <= the double before."""
    if bound(cut)[0] == "≤":
        before = sql.number(float(np.nextafter(cut, -np.inf)))
        return f"<= {before}", f"> {before}"
    return f"< {sql.number(cut)}", f">= {sql.number(cut)}"


def ends(form: Form) -> list[int]:
    """Return the nodes where ways end: leaves, and tests where some value stays."""
    return [node for node, test in enumerate(form.nodes) if test[-1] is not None]
