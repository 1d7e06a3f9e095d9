"""Predicting from columns of numbers without parsing cells: blocks made of a stretch of rows at a time.

Entry: `in_blocks()`, and `from_floats()` for work on the arrays themselves.
NumPy matrices, those on a GPU, pandas frames and Arrow tables. Rows with cells that need parsing (texts,
levels, numbers that mean missing, infinite ones) are refused with None.
Law: a row's block is the one it has in a table.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallystick import kernels
from tallystick.io.open import here, lies_on_device
from tallystick.parallel import each_in_order, shared_out
from tallystick.schema import Column, Schema
from tallystick.table.block import RowBlock
from tallystick.table.new_data_warnings import Met
from tallystick.text import number_text

CELLS = 1 << 17  # cells of a stretch of rows, or of its answers, so that they stay in the processor's cache
NUMBERS = "dfbBhHiIlLqQ"  # NumPy type codes of doubles, single floats and whole numbers
LEAST = 256  # rows that a stretch has at least, however many columns there are


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


# -- whole containers, over threads --


class _NotPlain(Exception):  # noqa: N818  it is not an error: these rows have to be read
    pass


Work = Callable[[Columns, int], NDArray[Any] | None]  # of values[column][row] and rows; None: must be read


def from_floats(
    schema: Schema, X: Any, work: Work, threads: int | None, asked: Schema | None = None
) -> NDArray[Any] | None:
    """Return work(columns of the schema, rows) for all rows, or None when they have to be read.

    Values outside the range of the fit are warned of, as where rows are read; asked: of which columns, None
    all of them.
    """
    columns = plain_columns(schema, X)
    if columns is None:
        return None
    columns = [here(c) for c in columns]
    out = in_stretches(columns, len(X), work, threads)
    if out is None:
        return None
    watched = schema if asked is None else asked
    met = Met(watched)
    seen = {c.name for c in watched.used}
    met.add_floats([v for c, v in zip(schema.used, columns, strict=True) if c.name in seen], len(X))
    met.warn()
    return out


def in_stretches(columns: Columns, rows: int, work: Work, threads: int | None) -> NDArray[Any] | None:
    """Return work(columns, rows) of stretches of the rows, over threads; None when one has to be read."""
    out: list[NDArray[Any]] = []
    first = Lock()

    def answer(part: slice) -> None:
        found = work([c[part] for c in columns], part.stop - part.start)
        if found is None:
            raise _NotPlain
        with first:
            if not out:
                out.append(found if len(found) == rows else np.empty((rows, *found.shape[1:]), found.dtype))
        if out[0] is not found:
            out[0][part] = found

    try:
        each_in_order(answer, shared_out(rows, threads), threads, on_cores=True)
    except _NotPlain:
        return None
    return out[0]


def plain_columns(schema: Schema, X: Any) -> list[NDArray[Any]] | None:
    """Return the columns of the schema as arrays, or None when some cells have to be read."""
    if not hasattr(X, "shape") or any(is_number(m) for m in schema.marks):
        return None
    found = _found(X, [c.name for c in schema.used])
    if found is None or len(found) != len(schema.used):
        return None
    plain = all(needs_no_reading(c, values.dtype) for c, values in zip(schema.used, found, strict=True))
    return found if plain and all(_lies_well(values) for values in found) else None


def _lies_well(values: Any) -> bool:
    """Say whether a column's memory can be read by kernels as numbers."""
    return not isinstance(values, np.ndarray) or values.flags.aligned


def _found(X: Any, names: list[str]) -> list[NDArray[Any]] | None:
    """Return the columns of these names as they lie; None where X has no such columns, or none that lie."""
    if isinstance(X, np.ma.MaskedArray | np.matrix):  # cells that are not there; columns that are matrices
        return None
    if isinstance(X, np.ndarray) or lies_on_device(X):
        place = {f"x{j}": j for j in range(X.shape[1])} if X.ndim == 2 else {}
        return [X[:, place[n]] for n in names] if all(n in place for n in names) else None
    library, of = type(X).__module__.partition(".")[0], type(X).__name__
    if library == "pyarrow" and of in ("Table", "RecordBatch"):
        from tallystick.table.matrix import arrays_in_place

        return arrays_in_place(X, names)
    if library != "pandas" or of != "DataFrame" or not X.columns.is_unique:
        return None
    if not all(n in X.columns and isinstance(X.dtypes[n], np.dtype) for n in names):
        return None
    return [X[n].to_numpy() for n in names]


def is_number(mark: str) -> bool:
    """Tell whether a mark for missing values is a number, so that numbers have to be compared with it."""
    try:
        return float(mark) == float(mark)
    except ValueError:
        return False
