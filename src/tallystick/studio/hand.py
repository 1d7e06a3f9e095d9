"""A tree by hand: tests chosen from their gains, changed, cut back, taken back; errors on rows held out.

Knows `ts.grow`. Knows nothing of pages. Laws: the script that it tells makes the same tree; a step that was
taken back leaves no trace.
"""

from __future__ import annotations

from typing import Any

import tallystick as ts
from tallystick.errors import OptionError
from tallystick.studio.asked import TableWishes

METHOD = "tree"  # how tests are measured and levels parted
MOST = 30  # tests shown of a node

Tests = list[tuple[int, str]]  # node and column of each test, by the number of the node


class ByHand:
    """A tree that a person grows."""

    def __init__(self, asked: TableWishes) -> None:
        self.asked = asked
        self.tree: Any = ts.grow(str(asked.path), asked.target, method=METHOD, **asked.shared)
        self.before: list[Tests] = []

    # -- steps --

    def do(self, what: str, node: int, column: str) -> None:
        """Take one step: ask, back, finish or undo."""
        if what == "undo":
            if not self.before:
                raise OptionError("there is no step to take back.")
            self._replay(self.before.pop())
            return
        now = self._tests()
        try:
            self._step(what, node, column)
        except OptionError:
            self._replay(now)
            raise
        if self._tests() != now:
            self.before.append(now)

    def _step(self, what: str, node: int, column: str) -> None:
        if what == "finish":
            self.tree.finish(node)
            return
        nodes = self.tree.tree_.nodes
        if not 0 <= node < len(nodes):
            raise OptionError(f"there is no group {node} in the tree.")
        if not nodes.leaf[node]:  # what hangs below goes; the numbers after it move up
            gone = int(nodes.end[node]) - node - 1
            kept = [(n, c) for n, c in self._tests() if n < node]
            self._replay([*kept, *((n - gone, c) for n, c in self._tests() if n > node + gone)])
        if what == "ask":
            self.tree.split(node, column)
        elif what != "back":
            raise OptionError("a step is: ask, back, finish or undo.")

    def _tests(self) -> Tests:
        tree = self.tree.tree_
        used = tree.schema.used
        return [(n, used[int(c)].name) for n, c in enumerate(tree.nodes.column) if c >= 0]

    def _replay(self, tests: Tests) -> None:
        """Grow these tests and no others. In the order of their numbers each finds its node in its place."""
        while self._tests():
            self.tree.undo()
        for node, column in tests:
            self.tree.split(node, column)

    # -- looking --

    def told(self) -> dict[str, Any]:
        """Return the errors of the tree, and whether a step can be taken back."""
        found = self.tree.errors()
        return {
            "leaves": found.leaves,
            "wrong": found.wrong,
            "rows": found.rows,
            "held_out_wrong": found.held_out_wrong,
            "held_out_rows": found.held_out_rows,
            "undo": bool(self.before),
        }

    def tests(self, node: int) -> dict[str, Any]:
        """Return the tests that a group could be given, the best first."""
        if not 0 <= node < len(self.tree.tree_.nodes):
            raise OptionError(f"there is no group {node} in the tree.")
        leaf = bool(self.tree.tree_.nodes.leaf[node])
        each = [
            [
                c.column,
                " | ".join(c.tests[:2]),
                round(float(c.gain), 4),
                None if c.ratio != c.ratio else round(float(c.ratio), 4),
                bool(c.chosen) and not leaf,
            ]
            for c in self.tree.best(node).candidates[:MOST]
        ]
        return {"leaf": leaf, "tests": each}

    def making(self) -> list[str]:
        """Return the lines of Python that grow the tree."""
        known = ", columns=columns" if self.asked.shared else ""
        begin = f"tree = ts.grow({self.asked.name!r}, {self.asked.target!r}, method={METHOD!r}{known})"
        return [begin, *(f"tree.split({n}, {c!r})" for n, c in self._tests()), "model = tree.model()"]
