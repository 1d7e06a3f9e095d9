"""One record down the tree, without arrays: what a service asks a thousand times a second.

Knows a fitted tree and plain Python values. A value that needs reading (a number written as text, a level
that is not
known) is not read here: the answer is None, and the caller goes the long way.
Law: where it answers, it answers what the long way answers.
"""

from __future__ import annotations

from collections.abc import Container, Mapping
from typing import Any

from tallystick.data.schema import CODED, Schema
from tallystick.data.text import EXACT, WRITTEN_OUT, cell_text
from tallystick.models.tree.nodes import SPREADS, Nodes

Step = tuple[
    str, float, dict[str, int] | None, int, int, int
]  # column, cut, levels -> node, low, high, missing


LONG_WAY = -1  # not a node: only arrays can answer


def level_text(value: Any, levels: Container[str]) -> str:
    """Return the level a plain value means: 1 is "1", True is "true", or "1" of the levels 0 and 1."""
    kind = type(value)
    if kind is str:
        return value  # type: ignore[no-any-return]
    if kind is not bool and (kind is not int or abs(value) >= WRITTEN_OUT):  # those go the long way
        return ""
    text = cell_text(value, "") or ""
    return text if kind is int or text in levels else str(int(value))


def is_number(mark: str) -> bool:
    """Tell whether a mark for missing values is a number, so that numbers have to be compared with it."""
    try:
        return float(mark) == float(mark)
    except ValueError:
        return False


class RecordWalk:
    """The tests of a tree as plain tuples."""

    def __init__(self, nodes: Nodes, schema: Schema) -> None:
        columns = schema.used
        self._numeric = [c.name for c in columns if c.kind == "numeric"]
        self._coded = [(c.name, frozenset(c.levels)) for c in columns if c.kind in CODED]
        marked = any(is_number(mark) for mark in schema.marks)  # some number means missing
        self._other = marked or any(c.kind == "text" for c in columns)
        self._steps: list[Step | None] = [self._step(nodes, schema, n) for n in range(len(nodes))]

    @staticmethod
    def _step(nodes: Nodes, schema: Schema, node: int) -> Step | None:
        if nodes.column[node] < 0:
            return None
        column = schema.used[nodes.column[node]]
        below = [*nodes.branches(node).tolist(), node]  # -1, the last: stays
        way = int(nodes.missing_branch[node])
        missing = LONG_WAY if way == SPREADS else below[way]
        if column.kind not in CODED:
            return column.name, float(nodes.cut[node]), None, below[0], below[1], missing
        following = {t: below[b] for t, b in zip(column.levels, nodes.levels(node).tolist(), strict=True)}
        return column.name, 0.0, following, node, node, missing

    def end(self, record: Mapping[str, Any]) -> int | None:
        """Return the node where the record's way ends, None when a value has to be read the long way."""
        if self._other or not self._plain(record):
            return None
        node, steps = 0, self._steps
        while (step := steps[node]) is not None:
            name, cut, following, low, high, missing = step
            value = record[name]
            if following is not None:
                to = missing if value is None else following[level_text(value, following)]
            else:
                to = (
                    low
                    if value is not None and value < cut
                    else high
                    if value is not None and value >= cut
                    else missing
                )
            if to == node:
                break
            if to == LONG_WAY:
                return None
            node = to
        return node

    def _plain(self, record: Mapping[str, Any]) -> bool:
        """Tell whether every value is there and can be used as it is."""
        try:
            for name in self._numeric:
                value = record[name]
                kind = type(value)
                if kind is not float and kind is not int and value is not None:
                    return False
                if value is not None and not -1e308 < value < 1e308 and value == value:
                    return False
                if kind is int and not -EXACT <= value <= EXACT:  # a table has the nearest double
                    return False
            for name, levels in self._coded:
                value = record[name]
                if value is not None and level_text(value, levels) not in levels:
                    return False
        except KeyError:
            return False
        return True
