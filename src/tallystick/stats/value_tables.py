"""The table of one column in one node, by its numbers as they are: which values, and how much of each class.

Knows arrays. Knows nothing of rows, nodes or scores. Law: whole numbers by value, so that tables of parts of
the rows merge to the table of all, in any order.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from tallystick import kernels

Ints = NDArray[np.int64]
Counted = Sequence[tuple[NDArray[Any], Ints | None]]  # the class of each entry, and its weight: None is 1


class ValueTable(NamedTuple):
    """table[code, class], missing last. values[code]: rising numbers that the codes stand for; None: the
    column has codes of its own. cuts: how many cuts are allowed, where the table has only the two sides of
    the best of them; -1: those of the table.
    """

    table: Ints
    values: NDArray[np.float64] | None = None
    cuts: int = -1


class RankedPiece(NamedTuple):
    """A range of the values of a column: rising, and counts[value, label] of the rows that have each.
    before[label], first: rows, and distinct values, that are lower and not here.
    """

    values: NDArray[np.float64]
    counts: Ints
    before: Ints
    first: int


class RankedValues(Protocol):
    """All rows of a column in the order of its values, in pieces. totals[label]: rows that have a value;
    distinct: different values.
    """

    @property
    def totals(self) -> Ints: ...  # noqa: D102

    @property
    def distinct(self) -> int: ...  # noqa: D102

    def ask(self, work: Callable[[RankedPiece], Any]) -> list[Any]:
        """Return work(piece) of all pieces, in their order."""
        ...


def values_at(piece: RankedPiece, ranks: Iterable[int]) -> dict[int, float]:
    """Return the value of the rows of some ranks, of those that are in a piece."""
    own = piece.counts.sum(axis=1)
    upto = int(piece.before.sum()) + np.cumsum(own)
    here = [r for r in ranks if len(own) and upto[0] - own[0] <= r < upto[-1]]
    return {r: float(piece.values[np.searchsorted(upto, r, side="right")]) for r in here}


def column_of(found: Any) -> ValueTable:
    """Return the table of a column of codes or of numbers."""
    return found if isinstance(found, ValueTable) else ValueTable(found)


def no_values(width: int) -> ValueTable:
    """Return the table of no rows."""
    return ValueTable(np.zeros((1, width), np.int64), np.zeros(0))


def value_table(values: NDArray[np.float64], counted: Counted, width: int) -> ValueTable:
    """Return the table of some entries; values that weigh nothing are not there."""
    ranks = kernels.ranks(np.ascontiguousarray(values))
    table = np.zeros((len(ranks.distinct) + 1, width), np.int64)
    for label, weights in counted:
        kernels.count_columns([ranks.codes], label, [len(table)], width, weights=weights, out=[table])
    return _present(table, ranks.distinct)


def merge_tables(one: ValueTable, other: ValueTable) -> ValueTable:
    """Return the table of two sets of rows."""
    return join_tables([one, other])


def join_tables(parts: Sequence[ValueTable]) -> ValueTable:
    """Return the table of several sets of rows. Counts of parts may be of any type that holds them."""
    missing = np.stack([part.table[-1] for part in parts]).sum(axis=0, dtype=np.int64)
    filled = [part for part in parts if len(part.table) > 1]
    if not filled:
        return ValueTable(missing[None], np.zeros(0))
    if len(filled) == 1:
        table = np.concatenate([filled[0].table[:-1], missing[None]]).astype(np.int64, copy=False)
        return ValueTable(table, filled[0].values)
    ranks = kernels.ranks(np.concatenate([part.values for part in filled if part.values is not None]))
    k = len(ranks.distinct)
    table = np.empty((k + 1, len(missing)), np.int64)
    for c in range(len(missing)):
        weights = np.concatenate([part.table[:-1, c] for part in filled]).astype(np.int64, copy=False)
        table[:k, c] = kernels.count_classes(ranks.codes, k, weights)
    table[k] = missing
    return ValueTable(table, ranks.distinct)


def sum_of(table: Ints) -> Ints:
    """Return the sum of the lines of a table: class by class, since they are many and classes are few."""
    return np.array([table[:, c].sum() for c in range(table.shape[1])], np.int64)


def _present(table: Ints, values: NDArray[np.float64]) -> ValueTable:
    here = table[:-1, 0] != 0
    for c in range(1, table.shape[1]):
        here |= table[:-1, c] != 0
    if here.all():
        return ValueTable(table, values)
    return ValueTable(np.ascontiguousarray(table[np.append(here, True)]), values[here])
