"""Rows given as columns of numbers, answered without being read: as blocks, a stretch of rows at a time.

Knows blocks and schemas. Knows nothing of any method. Law: a row's block is the one it has in a table.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallystick import kernels
from tallystick.schema import Column, Schema
from tallystick.table.block import RowBlock
from tallystick.text import number_text

CELLS = 1 << 17  # of a stretch of rows, or of its answers: they are read again while they are in a near cache
NUMBERS = "dfbBhHiIlLqQ"  # of NumPy's types: doubles, single floats, whole numbers
LEAST = 256  # rows of a stretch, however many columns there are


class OddNumber(Exception):  # noqa: N818  it is not an error: the rows must be read
    """Raised where a number is infinite, or one that doubles may not hold."""


Columns = Sequence[NDArray[Any]]
Pair = tuple[float, float]


def needs_no_reading(column: Column, kind: np.dtype[Any]) -> bool:
    """Say whether cells of a type are what a table would make of them: numbers of a numeric column, or the
    two values of a boolean one, while there is no other. Floats of 16 bits are rare, and read.
    """
    if column.kind == "numeric":
        return kind.char in NUMBERS and kind.isnative
    return column.kind == "boolean" and kind.isnative and pair_of(column, kind) is not None


def pair_of(column: Column, kind: np.dtype[Any]) -> Pair | None:
    """Return the numbers whose codes are 0 and 1 in a boolean column, None where cells must be read."""
    if kind == np.bool_:
        return (0.0, 1.0) if column.levels == ("false", "true") else None
    if kind.char not in NUMBERS or len(column.levels) != 2:
        return None
    try:
        low, high = map(float, column.levels)
    except ValueError:
        return None
    return (low, high) if (number_text(low), number_text(high)) == column.levels else None


def are_doubles(schema: Schema, columns: Columns) -> bool:
    """Say whether kernels can read all columns as they lie."""
    every = zip(schema.used, columns, strict=True)
    return all(values.dtype.char == "d" and column.kind == "numeric" for column, values in every)


def as_they_lie(schema: Schema, columns: Columns, rows: int) -> RowBlock:
    """Return all rows as a block without copying any."""
    return RowBlock(rows, dict(zip((c.name for c in schema.used), columns, strict=True)))


def in_blocks(
    schema: Schema,
    columns: Columns,
    rows: int,
    work: Callable[[RowBlock], NDArray[Any] | None],
    by_rows: bool = False,
    lie: Collection[str] = (),
) -> NDArray[Any] | None:
    """Return work(block) for stretches of rows given as columns, all of the schema in its order; None where
    work says so or rows must be read: infinite numbers, those that doubles may not hold, a third value.

    by_rows: the numbers of a row become neighbours where those of a column are not; else those of a column.
    lie: columns of numbers that a block has as they lie, of any type: what must be read of them work tells,
    by `OddNumber` or by None.
    """
    if not all(needs_no_reading(c, values.dtype) for c, values in zip(schema.used, columns, strict=True)):
        return None
    laid, out = _Laid(schema, columns, rows, by_rows, lie), None
    size = max(LEAST, CELLS // max(laid.cells, 1 if schema.target is None else len(schema.target.labels), 1))
    for start in range(0, max(rows, 1), size):
        n = min(size, rows - start)
        try:
            block = laid.block(start, n)
            found = None if block is None else work(block)
        except OddNumber:
            return None
        if found is None or n == rows:
            return found
        if out is None:
            out = np.empty((rows, *found.shape[1:]), found.dtype)
        out[start : start + n] = found
    return out


class _Laid:
    """Columns as they lie, and room for a stretch of the rows of those that are laid out; cells: of a row."""

    def __init__(
        self, schema: Schema, columns: Columns, rows: int, by_rows: bool, lie: Collection[str]
    ) -> None:
        pairs: dict[Pair, list[int]] = {}
        numeric = []
        self.lying: dict[int, NDArray[Any]] = {}
        for j, (column, values) in enumerate(zip(schema.used, columns, strict=True)):
            if column.name in lie:
                self.lying[j] = values
            elif column.kind == "numeric":
                numeric.append(j)
            elif (pair := pair_of(column, values.dtype)) is not None:
                pairs.setdefault(pair, []).append(j)
        self.names, self.cells = [c.name for c in schema.used], len(columns) - len(self.lying)
        self.by_rows = by_rows and any(columns[j].strides[0] != columns[j].itemsize for j in numeric)
        self.numeric = numeric, kernels.AnyNumbers([columns[j] for j in numeric], rows)
        self.pairs = [(p, at, kernels.AnyNumbers([columns[j] for j in at], rows)) for p, at in pairs.items()]
        self.room: list[NDArray[Any]] = []
        self.views: dict[int, NDArray[Any]] = {}
        self.rows = -1

    def block(self, start: int, n: int) -> RowBlock | None:
        """Return n rows from one on, in the place of those before; None where they must be read."""
        if n != self.rows:
            self._make_room(n)
        fine = self.numeric[1].doubles(start, self.room[0], self.by_rows)
        for room, (pair, _, numbers) in zip(self.room[1:], self.pairs, strict=True):
            fine = fine and numbers.codes(start, pair, room)
        views = self.views | {j: values[start : start + n] for j, values in self.lying.items()}
        return RowBlock(n, {name: views[j] for j, name in enumerate(self.names)}) if fine else None

    def _make_room(self, n: int) -> None:
        at, _ = self.numeric
        numbers = np.empty((n, len(at)) if self.by_rows else (len(at), n))
        codes = [np.empty((len(places), n), np.uint8) for _, places, _ in self.pairs]
        self.rows, self.room = n, [numbers, *codes]
        self.views = dict(zip(at, numbers.T if self.by_rows else numbers, strict=True))
        for room, (_, places, _) in zip(codes, self.pairs, strict=True):
            self.views |= zip(places, room, strict=True)
