"""Tests of a tree as sentences, with the names of columns and levels.

Knows the schema and one test at a time. Knows nothing of shares, rows or layout.
Law: a sentence says exactly which values take a branch, missing and unseen ones included; of a column that
had no missing value in training a footnote says it once for all tests.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from tallystick.data.schema import ABSENT, Column, Schema
from tallystick.data.text import quantity
from tallystick.errors import shown
from tallystick.models.tree.nodes import NO_CUT, SPREADS, Nodes


def plain(text: object) -> str:
    """Return a name with control and direction characters escaped."""
    return shown(text, limit=1_000_000)[1:-1]


@dataclass(frozen=True, slots=True)
class Condition:
    """What a value of one column must be: low <= x < high, or one of some levels; perhaps missing as well.

    levels: the codes allowed, None for a numeric column. missing: whether a missing or unseen value is
    allowed.
    """

    column: Column
    low: float = -np.inf
    high: float = np.inf
    levels: tuple[int, ...] | None = None
    missing: bool = False

    def and_(self, other: Condition) -> Condition:
        """Return the condition that both hold."""
        levels = None
        if self.levels is not None and other.levels is not None:
            levels = tuple(sorted(set(self.levels) & set(other.levels)))
        return replace(
            self,
            low=max(self.low, other.low),
            high=min(self.high, other.high),
            levels=levels,
            missing=self.missing and other.missing,
        )

    def or_(self, other: Condition) -> Condition | None:
        """Return the condition that one of the two holds, or None when no single condition says it."""
        missing = self.missing or other.missing
        if self.levels is not None and other.levels is not None:
            return replace(self, levels=tuple(sorted({*self.levels, *other.levels})), missing=missing)
        if self.never or other.never:
            return replace(other if self.never else self, missing=missing)
        first, second = sorted([self, other], key=lambda c: c.low)
        if first.high < second.low:
            return None
        return replace(self, low=first.low, high=max(first.high, second.high), missing=missing)

    @property
    def never(self) -> bool:
        """Whether no known value is allowed."""
        return not self.levels if self.levels is not None else self.low >= self.high

    @property
    def always(self) -> bool:
        """Whether every known value is allowed."""
        if self.levels is not None:
            return len(self.levels) == len(self.column.levels)
        return bool(np.isneginf(self.low) and np.isposinf(self.high))

    @property
    def tells_missing(self) -> bool:
        """Whether the sentence speaks of missing values: not where training had none (`footnote`), nor where
        missing is a level, and told as one.
        """
        return self.missing and self.column.missing > 0 and ABSENT not in self.column.levels

    @property
    def bracketed(self) -> str:
        """The sentence as it stands beside others."""
        return f"({self.sentence()})" if self.tells_missing and not self.never else self.sentence()

    def sentence(
        self, widest: int = 0, missing: bool | None = None, name: str | None = None, equals: str = "= "
    ) -> str:
        """Return the condition in words; `widest` > 0 shortens long lists of levels to about that length.

        missing: whether missing values are told of where they are allowed; None: as `tells_missing` says.
        name: what to call the column, if not by its own name. equals: what stands before a single level.
        """
        told = self.tells_missing if missing is None else missing and self.missing
        tail = " or missing" if told else ""
        name = plain(self.column.name) if name is None else name
        if self.never:
            return f"{name} is missing" if self.missing else f"{name} is impossible"
        if self.always and not self.missing:
            return f"{name} is known"
        if self.levels is not None:
            return name + _levels(self.column, self.levels, widest, equals) + tail
        low, high = bound(self.low, self.column), bound(self.high, self.column)
        if np.isneginf(self.low):
            return (f"{name} is known" if np.isposinf(self.high) else f"{name} {high[0]} {high[1]}") + tail
        if np.isposinf(self.high):
            return f"{name} {'≥' if low[0] == '<' else '>'} {low[1]}{tail}"
        return f"{low[1]} {'≤' if low[0] == '<' else '<'} {name} {high[0]} {high[1]}{tail}"

    def to_dict(self) -> dict[str, object]:
        """Return the condition as plain data."""
        out: dict[str, object] = {"column": self.column.name, "missing": self.missing}
        if self.levels is not None:
            return out | {"levels": [self.column.levels[k] for k in self.levels]}
        if self.never:  # no number: there is no range to tell
            return out | {"known": False}
        low = None if np.isneginf(self.low) else self.low
        return out | {"low": low, "high": None if np.isposinf(self.high) else self.high}


def _levels(column: Column, codes: Sequence[int], widest: int, equals: str) -> str:
    """Return ` = a`, ` in {a, b}` or, for ordered levels in one run, ` ≤ b`, ` > b`."""
    names = [plain(column.levels[k]) for k in codes]
    if len(names) == 1:
        return f" {equals}{names[0]}"
    if _one_side(column, codes):
        return f" ≤ {names[-1]}" if codes[0] == 0 else f" > {plain(column.levels[codes[0] - 1])}"
    text, used = "", 0
    for name in names:
        if widest and text and len(text) + len(name) > widest:
            return f" in {{{text}, … {len(names) - used} more}}"
        text, used = (f"{text}, {name}" if text else name), used + 1
    return f" in {{{text}}}"


def _one_side(column: Column, codes: Sequence[int]) -> bool:
    """Tell whether these are all ordered levels up to one, or all above one, but not all there are."""
    run = bool(codes) and list(codes) == list(range(codes[0], codes[-1] + 1))
    last = len(column.levels) - 1
    return column.kind == "ordered" and run and (codes[0] == 0) != (codes[-1] == last)


def bound(cut: float, column: Column | None = None) -> tuple[str, str]:
    """Return how the values below a cut are written: ("<", cut), or ("≤", the double before it) if that is
    shorter.

    Cuts at observed values (C4.5) are stored as the next double, so that one test, x < cut, serves both.
    """
    before = float(np.nextafter(cut, -np.inf)) if np.isfinite(cut) else cut
    if before == 0 or len(repr(before)) + 4 < len(repr(float(cut))):
        return "≤", number(before, column)
    return "<", number(cut, column)


def number(value: float, column: Column | None = None) -> str:
    """Return a number in at most 12 digits, or a date for a column of dates."""
    return quantity(value, "" if column is None else column.unit, 12)


def condition(schema: Schema, nodes: Nodes, node: int, branch: int) -> Condition:
    """Return what a value must be to take a branch of a node's test."""
    column = schema.used[int(nodes.column[node])]
    missing = int(nodes.missing_branch[node]) == branch
    return tested(column, float(nodes.cut[node]), nodes.levels(node), branch, missing)


def tested(column: Column, cut: float, levels: NDArray[np.int32], branch: int, missing: bool) -> Condition:
    """Return what a value must be to take a branch of a test, at a cut or else by the branch of its level."""
    if cut == NO_CUT:  # every number goes to the first branch
        return Condition(column, missing=missing) if branch == 0 else replace(_lost(column), missing=missing)
    if cut == cut:
        low, high = (-np.inf, cut) if branch == 0 else (cut, np.inf)
        return Condition(column, low, high, missing=missing)
    return Condition(column, levels=tuple(np.flatnonzero(levels == branch).tolist()), missing=missing)


def missing_alone(cut: float, levels: NDArray[np.int32]) -> bool:
    """Say of a test whether its first branch has all known values and its second the missing ones."""
    return cut == NO_CUT or (len(levels) > 0 and not levels.any())


def _lost(column: Column) -> Condition:
    """Return the condition that no number fulfils."""
    return Condition(column, low=np.inf, high=-np.inf)


def reachable(schema: Schema, nodes: Nodes, node: int, branch: int) -> Condition:
    """Return `condition` without the levels, and the missing values, that tests above send elsewhere.

    Cuts, and ordered levels on one side of a level, stay as they are: they list nothing.
    """
    test = condition(schema, nodes, node, branch)
    levels, missing = test.levels, test.missing
    at, up = node, int(nodes.parent[node])
    while up >= 0:
        if nodes.column[up] == nodes.column[node]:
            above = condition(schema, nodes, up, nodes.branches(up).tolist().index(at))
            missing = missing and above.missing
            if levels is not None and above.levels is not None:
                levels = tuple(sorted({*levels} & {*above.levels}))
        at, up = up, int(nodes.parent[up])
    if test.levels is not None and (_one_side(test.column, test.levels) or not (levels or missing)):
        levels = test.levels
    return replace(test, levels=levels, missing=missing)


def away(nodes: Nodes, node: int) -> str:
    """Return what happens to a value that no branch names, when that is not a branch."""
    if nodes.missing_branch[node] == SPREADS:
        return "missing values go down all branches in proportion"
    return "missing values stop here"


def footnote(schema: Schema, nodes: Nodes) -> str:
    """Return where missing values go at tests of columns that had none in training; "" without such tests."""
    tests = [n for n in np.flatnonzero(nodes.column >= 0).tolist() if nodes.missing_branch[n] >= 0]
    silent = [n for n in tests if not schema.used[int(nodes.column[n])].missing]
    if not silent:
        return ""
    way = "the branch of most rows"
    if any(nodes.missing_branch[n] != np.argmax(nodes.weight[nodes.branches(n)]) for n in silent):
        way = "the branch that had most rows before the tree was pruned"  # subtrees were raised
    if len(silent) == len(tests):
        return f"No tested value was missing in training; a missing or new one takes {way}."
    return f"Where a column had no missing value in training, a missing or new one takes {way}."


def fitted(test: Condition, cells: int) -> str:
    """Return a test in at most so many letters: of a long list of levels fewer are named and the others
    counted; then the column's name gives way, for the rest tells branches apart.
    """
    for widest in (60, 40, 20, 1):
        sentence = test.sentence(widest)
        if len(sentence) <= cells:
            return sentence
    rest = test.sentence(1, name="")
    counted = test.levels is not None and len(test.levels) > 1 and len(rest) + 6 > cells
    if counted and test.levels is not None:
        rest = f" in {len(test.levels):,} levels{' or missing' if test.tells_missing else ''}"
    name = plain(test.column.name)
    name = name if len(name) + len(rest) <= cells else name[: max(cells - len(rest) - 1, 5)] + "…"
    sentence = name + rest if counted else test.sentence(1, name=name)
    return sentence if len(sentence) <= cells else sentence[: cells - 1] + "…"


def rows(units: float, unit: int) -> str:
    """Return a number of rows: whole when it is, else with at most two decimals."""
    value = units / unit
    return f"{int(value):,}" if value == int(value) else f"{value:,.2f}"
