"""Batches of a source with their cells read, many columns at a time: Arrow, whole matrices, cut CSV rows.

- Kinds of batches: `View` (all rows in memory), `Plain` (unquoted CSV rows); `loaded()` loads any piece.
- Cells of many columns at once: `parts_together()`. New rows: `batch_columns()`; many short text columns:
  `condense_wide()`.

part = the cells of a column as numbers, small whole numbers or coded texts (`cells.py`).
Law: a batch gives the cells of its rows, however it is cut, and the same as `read_cells` column by column.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, TypeGuard

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from tallystick import kernels
from tallystick.contracts import InMemory, Load, Source
from tallystick.io.csv_repair import unread
from tallystick.io.frames import from_numbers, to_numbers
from tallystick.kernels.numbers import Scan
from tallystick.kernels.text import CellKind
from tallystick.parallel import checkpoint, each_in_order, shared_out
from tallystick.table import strings
from tallystick.table.cells import (
    EXACT,
    FEW,
    WRITTEN_NUMBERS,
    Coded,
    Floats,
    Part,
    among,
    coded,
    condense,
    mark_numbers,
    narrow,
    small_columns,
)
from tallystick.table.lazy_columns import Doubles, LaterColumn
from tallystick.table.strings import Distinct

if TYPE_CHECKING:
    from tallystick.table.survey import FusedPass
    from tallystick.table.wishes import ReadingPlan


BATCH = 65_536
COLUMNS, ROWS = (
    32,
    2_000,
)  # a wide batch: at least so many columns of at most so many rows
# (read together: a third of `describe` of a wide file with quotes, see benchmarks/describe.py)
TOGETHER = 1 << 21  # cells of a wide batch that are read at once

# (names, first row, rows) -> arrays into which the numbers of these rows are written
LastPlaces = Callable[[Sequence[str], int, int], list[NDArray[np.float64]] | None]
Columns = tuple[int, Mapping[str, Any], Mapping[int, str]]  # rows, cells by name, reasons by unread row


@dataclass(frozen=True)
class View:
    """All rows of a source in memory as one batch, without a copy."""

    names: Sequence[str]
    held: InMemory

    @property
    def num_rows(self) -> int:
        """How many rows."""
        return self.held.rows

    @property
    def matrix(self) -> NDArray[Any] | None:
        """The numbers of all columns, if they are one array."""
        return self.held.matrix

    @cached_property
    def numbers(self) -> list[NDArray[Any]] | None:
        """All columns without a copy, if each is one array of numbers; None: some are not, or have missing
        cells.
        """
        if self.matrix is not None:
            plain = is_floats(self.matrix) or is_integer_matrix(self.matrix)
            return list(self.matrix.T) if plain else None
        found = []
        for j in range(len(self.names)):
            cells = self.held.get(j)
            if cells.num_chunks != 1 or cells.null_count or not _is_plain(cells.type):
                return None
            found.append(to_numbers(cells.chunk(0)))
        return found

    def column(self, j: int) -> Any:
        """Return a column: the doubles of a matrix, or Arrow cells."""
        matrix = self.matrix
        return matrix[:, j] if is_doubles(matrix) else self.held.get(j)


class Plain:
    """Rows without quoted cells, cut in place; a column of texts is made when it is asked for."""

    def __init__(
        self,
        block: kernels.Text,
        ends: NDArray[np.uint32],
        names: Sequence[str],
        places: ThreadMemory | None = None,
        row: int | None = None,
    ) -> None:
        self.block, self.ends, self.names, self.places, self.row = block, ends, names, places, row
        self.num_rows = len(ends)

    def column(self, j: int) -> pa.Array:
        """Return a column as Arrow texts."""
        data, offsets = kernels.copy_cells(self.block, self.ends, j)
        return pa.Array.from_buffers(
            pa.string(), self.num_rows, [None, pa.py_buffer(offsets), pa.py_buffer(data)]
        )

    def labels(self, j: int, marks: Sequence[str]) -> Distinct:
        """Return a column as distinct texts."""
        (few,) = kernels.code_columns(self.block, self.ends, [j])
        return self._distinct(j, few, marks)

    def parts(
        self, names: Collection[str], texts: Collection[str], marks: Sequence[str], decimal: str
    ) -> dict[str, Part | Distinct]:
        """Return the parts of some columns; those in `texts` are read as texts."""
        asked = np.array([name not in names or name in texts for name in self.names])
        values, columns, seen, few = kernels.read_columns(
            self.block, self.ends, asked, marks, decimal, None if self.places is None else self._room
        )
        plain = (seen & ~np.uint32(kernels.ALL_NUMBERS)) == 0
        read = np.flatnonzero(plain | ((seen & ~np.uint32(kernels.ALL_DATES)) == 0)).tolist()
        scans = kernels.scan_columns([values[i] for i in read])
        parts: dict[str, Part | Distinct] = {
            self.names[columns[i]]: Floats(values[i], not plain[i], True, scan)
            for i, scan in zip(read, scans, strict=True)
        }
        left = [j for j, name in enumerate(self.names) if name in names and name not in parts]
        late = [j for j in left if j not in few and self.names[j] not in texts]  # like numbers at first
        if late:
            few.update(zip(late, kernels.code_columns(self.block, self.ends, late), strict=True))
        for j in left:
            name = self.names[j]
            if name in texts:
                checkpoint()
                parts[name] = condense(self.column(j), name, marks, decimal, True)
            else:
                parts[name] = self._distinct(j, few[j], marks)
        return {name: parts[name] for name in self.names if name in parts}

    def _room(self, columns: NDArray[np.uint32], rows: int) -> list[NDArray[np.float64]]:
        """Return places for the numbers of some columns."""
        assert self.places is not None
        return self.places.values([self.names[j] for j in columns.tolist()], rows, self.row)

    def _distinct(self, j: int, few: kernels.FewTexts | None, marks: Sequence[str]) -> Distinct:
        """Return a column as distinct texts; few texts were compared without a copy of every cell."""
        return coded(self.column(j)).distinct(marks) if few is None else strings.distinct_few(few, marks)


class ThreadMemory(threading.local):
    """Memory of a thread that looks at batches: for where the cells of a text end, used again for each."""

    def __init__(self, last: LastPlaces | None = None) -> None:
        self.last, self.ends = last, np.empty(0, np.uint32)

    def room(self, text: kernels.Text) -> NDArray[np.uint32]:
        """Return a place for where the cells of a text end."""
        if len(self.ends) < len(text) + kernels.SPARE:
            self.ends = np.empty(len(text) + kernels.SPARE, np.uint32)
        return self.ends

    def values(self, columns: Sequence[str], rows: int, row: int | None = None) -> list[NDArray[np.float64]]:
        """Return places for numbers [row] of columns: where a table will have them, else new ones. row: the
        number of the first, if that is known.
        """
        if self.last is not None and row is not None:
            places = self.last(columns, row, rows)
            if places is not None:
                return places
        return [np.empty(rows) for _ in columns]


def loaded(
    piece: Load, names: Sequence[str], places: ThreadMemory | None = None, row: int | None = None
) -> Any:
    """Return a batch: cut here if its source gives plain rows away, else as the source reads it.

    places: where they may lie, until this thread loads the next; row: the number of the first, if known.
    """
    plain = piece.plain()
    if plain is None:
        return piece()
    block, separator = plain
    ends = kernels.cut_cells(block, len(names), separator, None if places is None else places.room(block))
    return piece() if ends is None else Plain(block, ends, names, places, row)


# ---- cells of many columns at once ----


def parts_together(
    batch: Any,
    names: Collection[str],
    texts: Collection[str],
    plan: ReadingPlan,
    alone: bool,
    threads: int,
    along: FusedPass | None = None,
) -> Mapping[str, Part | Distinct]:
    """Return those columns of a batch that are read quicker together than one by one; perhaps none.

    texts: columns that are read as texts; alone: there is no other batch; along: what goes along with the
    look at a matrix.
    """
    if isinstance(batch, Plain):
        return batch.parts(names, texts, plan.marks, plan.decimal)
    if isinstance(batch, View):
        return _of_matrix(batch, names, texts, plan, threads, along)
    if is_wide(batch):
        parts = condense_wide(batch, plan.marks, plan.decimal, texts, alone)
        return dict(zip(batch.schema.names, parts, strict=True))
    return {}


def _of_matrix(
    view: View,
    names: Collection[str],
    texts: Collection[str],
    plan: ReadingPlan,
    threads: int,
    along: FusedPass | None,
) -> Mapping[str, Part]:
    """Views of a matrix, which is read once for the facts and never copied; of numbers that are not doubles,
    what becomes doubles; where some whole numbers may be levels, small ones as bytes.
    """
    every, names, texts = view.names, set(names), set(texts)  # there may be many: lists are searched through
    matrix = view.matrix
    if along is None and is_integer_matrix(matrix) and not len(mark_numbers(plan.marks)):
        small = small_columns(matrix, threads)
        return {every[j]: part for j, part in small.items() if every[j] in names}
    columns = view.numbers if along is not None or is_floats(matrix) else None
    if columns is None:
        return {}

    def look(rows: slice) -> list[Scan]:
        if along is not None:
            return along.look([column[rows] for column in columns], rows.start)
        assert matrix is not None
        return kernels.scan_matrix(matrix[rows])

    scans = _scan(look, view.num_rows, threads)
    doubles = partial(Doubles, threads=threads, by_columns=plan.by_columns)
    given = _given(columns, scans, matrix, along is not None, doubles)
    return {
        name: Floats(given[j], scan=scans[j])
        for j, name in enumerate(every)
        if name in names and name not in texts and _holds_exactly(columns[j], scans[j])
    }


def _given(
    columns: list[NDArray[Any]],
    scans: list[Scan],
    matrix: NDArray[Any] | None,
    given: bool,
    doubles: Callable[..., Doubles],
) -> list[NDArray[np.float64] | LaterColumn]:
    """Return columns themselves, or what becomes the doubles that a table has: of a matrix all at once, but
    alone where few columns of doubles have -0.0. told: it is known which have some.
    """
    zeros = [_has_zeros(scan) for scan in scans]
    fine = [c.dtype == np.float64 and not (given and zero) for c, zero in zip(columns, zeros, strict=True)]
    together = None if matrix is None or 2 * sum(fine) > len(fine) else doubles(matrix, zeros=any(zeros))

    def one(j: int) -> NDArray[np.float64] | LaterColumn:
        if fine[j]:
            return columns[j]
        if together is not None:
            return LaterColumn(together, j)
        return LaterColumn(doubles(columns[j][:, None], zeros=zeros[j]), 0)

    return list(map(one, range(len(columns))))


def _has_zeros(scan: Scan) -> bool:
    """May some cells of a column be -0.0?"""
    return scan.negative_zero and scan.low <= 0 <= scan.high


def _holds_exactly(column: NDArray[Any], scan: Scan) -> bool:
    """Is every number of a column surely the double that it becomes?"""
    return column.dtype.kind == "f" or column.itemsize < 8 or max(-scan.low, scan.high) <= EXACT


def _is_plain(kind: pa.DataType) -> bool:
    """Are cells of this type numbers as matrices have them?"""
    return bool(pa.types.is_integer(kind) or pa.types.is_float64(kind) or pa.types.is_float32(kind))


def is_doubles(matrix: Any) -> TypeGuard[NDArray[np.float64]]:
    """Is this a matrix of doubles?"""
    return matrix is not None and matrix.dtype == np.float64 and matrix.dtype.isnative


def is_singles(matrix: Any) -> TypeGuard[NDArray[np.float32]]:
    """Is this a matrix of single floats?"""
    return matrix is not None and matrix.dtype == np.float32 and matrix.dtype.isnative


def is_integer_matrix(matrix: Any) -> TypeGuard[NDArray[Any]]:
    """Say whether a source's matrix holds whole numbers."""
    return matrix is not None and matrix.dtype.kind in "iu" and matrix.dtype.isnative


def is_floats(matrix: Any) -> TypeGuard[NDArray[Any]]:
    """Is this a matrix of floats that doubles hold?"""
    return is_doubles(matrix) or is_singles(matrix)


def _scan(look: Callable[[slice], list[Scan]], rows: int, threads: int) -> list[Scan]:
    """Return one look at every column, by slices of rows: over threads, and an interrupt is noticed."""
    slices = shared_out(rows, threads, 2)
    parts = each_in_order(look, slices, threads, on_cores=True)
    if len(parts) == 1:
        return parts[0]
    return [_joined(own, [s.start for s in slices]) for own in zip(*parts, strict=True)]


def _joined(parts: Sequence[Scan], starts: Sequence[int]) -> Scan:
    """Return the scan of rows looked at in parts, which begin at these rows."""
    infinite = (s + p.first_infinity for s, p in zip(starts, parts, strict=True) if p.first_infinity >= 0)
    missing, _, low, high, whole, binary, negative_zero = zip(*parts, strict=True)
    return Scan(
        sum(missing), next(infinite, -1), min(low), max(high), all(whole), all(binary), any(negative_zero)
    )


# ---- columns of new rows, batch by batch ----


def batch_columns(source: Source, names: Sequence[str]) -> Iterator[Callable[[], Columns]]:
    """Yield callables that each return the rows of a batch, its columns by name (Arrow or matrix views), and
    which of its rows could not be read.
    """
    at = {name: j for j, name in enumerate(source.columns)}
    matrix = None if source.held is None else source.held.matrix
    if is_doubles(matrix) or is_integer_matrix(matrix):
        columns = _matrix_columns if is_doubles(matrix) else _whole_columns
        for start in range(0, len(matrix), BATCH):
            yield partial(columns, matrix[start : start + BATCH], names, at)
        return
    for piece in source.pieces():
        yield partial(_columns_of, piece, names, at)


def _matrix_columns(part: Any, names: Sequence[str], at: Mapping[str, int]) -> Columns:
    return len(part), {n: part[:, at[n]] for n in names}, {}


def _whole_columns(part: Any, names: Sequence[str], at: Mapping[str, int]) -> Columns:
    small = small_columns(part, 1)
    cells = {n: small[at[n]] if at[n] in small else from_numbers(part[:, at[n]]) for n in names}
    return len(part), cells, {}


def _columns_of(piece: Load, names: Sequence[str], at: Mapping[str, int]) -> Columns:
    batch = piece()
    return batch.num_rows, {name: batch.column(at[name]) for name in names}, unread(batch)


# ---- many short columns of text ----


def is_wide(batch: pa.RecordBatch) -> bool:
    """Are these many short columns of text?"""
    return (
        batch.num_columns >= COLUMNS
        and 0 < batch.num_rows <= ROWS
        and all(pa.types.is_string(kind) for kind in batch.schema.types)
    )


def condense_wide(
    batch: pa.RecordBatch, marks: Sequence[str], decimal: str, texts: Collection[str], alone: bool
) -> list[Part]:
    """Return the parts of all columns; those in `texts` stay texts. alone: there is no other batch, so
    numbers of few values will not turn out to be levels elsewhere.
    """
    parts: list[Part] = []
    columns, names = batch.columns, batch.schema.names
    step = max(1, TOGETHER // batch.num_rows)
    for start in range(0, len(columns), step):
        some = range(start, min(start + step, len(columns)))
        numbers = _numbers([columns[j] for j in some], marks, decimal, alone)
        for j, number in zip(some, numbers, strict=True):
            checkpoint()
            if names[j] in texts:
                parts.append(condense(columns[j], names[j], marks, decimal, True))
            elif number is not None:
                parts.append(number)
            else:
                coded = columns[j].dictionary_encode()
                parts.append(Coded(coded if alone else narrow(coded)))
    return parts


def _numbers(columns: list[Any], marks: Sequence[str], decimal: str, alone: bool) -> list[Floats | None]:
    """Return the columns whose every cell is a number, a date or missing; None for others."""
    rows = len(columns[0])
    parsed = strings.numbers(pa.concat_arrays(columns), marks, decimal, dates=True)
    values, kinds = parsed.values.reshape(-1, rows), parsed.kinds.reshape(-1, rows)
    missing = kinds == CellKind.MISSING
    plain, dated = (
        (missing | among(kinds, family)).all(axis=1) for family in (WRITTEN_NUMBERS, (CellKind.DATE,))
    )
    if not alone:
        found = np.sort(values, axis=1)
        many = (found[:, 1:] > found[:, :-1]).sum(axis=1) >= FEW
        plain, dated = plain & many, dated & many
    scans = kernels.scan_matrix(values.T)
    return [
        Floats(values[j], bool(dates and not numbers), True, scans[j]) if numbers or dates else None
        for j, (numbers, dates) in enumerate(zip(plain.tolist(), dated.tolist(), strict=True))
    ]
