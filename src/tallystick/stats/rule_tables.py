"""What a growing rule asks: count tables of the rows that some conditions pick, and what a list of rules
takes.

Knows blocks, codes and conditions as allowed codes. Knows nothing of scores or words.
Law: whole numbers only, so the answer does not depend on the order or the cut of the rows.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tallystick import kernels
from tallystick.contracts import Block
from tallystick.stats.level_tables import CodedColumn

Ints = NDArray[np.int64]


class Pick(NamedTuple):
    """A condition in codes: allowed[code] of one column, missing the last code."""

    column: int
    allowed: tuple[bool, ...]


Picks = tuple[Pick, ...]  # all of them must hold


@dataclass(frozen=True)
class RuleTables:
    """Ask for count tables: of the rows that fulfil `picks` and none of the `taken`, how many of each code
    and class there are, column by column.
    """

    form: CodedColumn
    taken: tuple[Picks, ...]
    picks: tuple[Picks, ...]
    classes: int

    def in_form(self) -> RuleTables:
        """Return the same question of blocks that are in its form already: lighter to send."""
        return replace(self, form=coded(self.form))

    def zero(self) -> list[list[Ints]]:
        """Return tables[picks][column][code, class] of no rows."""
        return [[np.zeros((c.k + 1, self.classes), np.int64) for c in self.form.codings] for _ in self.picks]

    def add(self, total: list[list[Ints]], block: Block) -> list[list[Ints]]:
        """Add the rows of one block."""
        codes = [c.codes(block) for c in self.form.codings]
        left = np.ones(block.rows, bool)
        for picks in self.taken:
            left &= ~holds(picks, codes, block.rows)
        assert block.classes is not None
        for picks, tables in zip(self.picks, total, strict=True):
            here = np.flatnonzero(left & holds(picks, codes, block.rows))
            count(codes, block.classes, block.weights, here, tables)
        return total

    def merge(self, total: list[list[Ints]], other: list[list[Ints]]) -> list[list[Ints]]:
        """Add two totals."""
        for tables, more in zip(total, other, strict=True):
            for table, own in zip(tables, more, strict=True):
                table += own
        return total


class Taken(NamedTuple):
    """What a list of rules takes. held[rule, class]: rows that a rule holds for. first[rule, class]: rows
    whose first rule it is; the last entry has the rows that no rule takes. second[rule, next, class]: of the
    rows that a rule takes, by the next rule that holds for them.
    """

    held: Ints
    first: Ints
    second: Ints


@dataclass(frozen=True)
class ListCounts:
    """Ask what each rule of a list takes, and who would take it instead."""

    form: CodedColumn
    rules: tuple[Picks, ...]
    classes: int

    def in_form(self) -> ListCounts:
        """Return the same question of blocks that are in its form already."""
        return replace(self, form=coded(self.form))

    def zero(self) -> Taken:
        """Return the total of no rows."""
        n = len(self.rules)
        shapes = (n, self.classes), (n + 1, self.classes), (n, n + 1, self.classes)
        return Taken(*(np.zeros(shape, np.int64) for shape in shapes))

    def add(self, total: Taken, block: Block) -> Taken:
        """Add the rows of one block."""
        codes = [c.codes(block) for c in self.form.codings]
        n = len(self.rules)
        first, second = np.full(block.rows, n, np.uint32), np.full(block.rows, n, np.uint32)
        assert block.classes is not None
        classes, weights = np.ascontiguousarray(block.classes), block.weights
        for i, picks in enumerate(self.rules):
            here = np.flatnonzero(holds(picks, codes, block.rows))
            own = None if weights is None else weights[here]
            kernels.count_classes(classes[here], self.classes, own, total.held[i])
            before = first[here]
            second[here[(before < n) & (second[here] == n)]] = i
            first[here[before == n]] = i
        _by_two(first, classes, weights, total.first)
        taken = np.flatnonzero(first < n)
        own = None if weights is None else weights[taken]
        both = first[taken].astype(np.int64) * (n + 1) + second[taken]
        flat = total.second.reshape(n * (n + 1), self.classes)
        _by_two(both.astype(np.uint32), classes[taken], own, flat)
        return total

    def merge(self, total: Taken, other: Taken) -> Taken:
        """Add two totals."""
        for mine, more in zip(total, other, strict=True):
            mine += more
        return total


def _by_two(place: NDArray[np.uint32], classes: NDArray[Any], weights: Ints | None, out: Ints) -> None:
    """Add rows by place and class to out[place, class]."""
    if len(out):
        kernels.count_codes(place, classes, *out.shape, weights=weights, out=out)


def coded(form: CodedColumn) -> CodedColumn:
    """Return the form for blocks that are in it already."""
    return CodedColumn(tuple(replace(c, values=None) for c in form.codings))


def holds(picks: Picks, codes: list[NDArray[Any]], rows: int) -> NDArray[np.bool_]:
    """Return which rows fulfil all conditions."""
    out = np.ones(rows, bool)
    for column, allowed in picks:
        out &= np.array(allowed)[codes[column]]
    return out


def count(
    codes: list[NDArray[Any]],
    classes: NDArray[Any],
    weights: Ints | None,
    here: Ints | None,
    out: list[Ints],
) -> None:
    """Add some rows, or all (None), to the tables of some columns."""
    if here is not None:
        codes, classes = [c[here] for c in codes], classes[here]
        weights = None if weights is None else weights[here]
    each = [np.ascontiguousarray(c) for c in codes]
    kernels.count_columns(each, classes, [len(t) for t in out], out[0].shape[1], weights=weights, out=out)
