"""Tables that are in memory already: pandas, polars, Arrow, NumPy, records. Nothing is copied without need.

Knows containers. Knows nothing of kinds or codes.
Law: `column(name)` gives the same cells as `batches()`, in the same order.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from tallystick.data.schema import Note, Reading
from tallystick.data.source.arrays import batch_of, from_numbers, sound
from tallystick.data.source.base import BaseSource
from tallystick.data.source.door import here
from tallystick.data.source.names import clean_names
from tallystick.data.source.of_numpy import FAILURES, as_texts, numpy_column, objects_column
from tallystick.data.source.of_polars import plain_polars, with_order
from tallystick.data.text import EXACT
from tallystick.errors import DataError, counted, shown
from tallystick.files.stamp import Stamp

if TYPE_CHECKING:
    from numpy.typing import NDArray

BATCH = 65_536  # rows in a batch where we choose


@dataclass(frozen=True)
class FrameSource(BaseSource):
    """A source in memory: its columns can be read one at a time, without a pass over the rows.

    `typed` says that text is text: labels "1" stay text. A CSV is untyped: there "1" is a number.
    """

    name: str
    columns: tuple[str, ...]
    rows: int
    get: Callable[[int], pa.ChunkedArray]  # position -> all cells of a column
    notes: tuple[Note, ...] = ()
    reading: Reading = field(default_factory=Reading)
    matrix: NDArray[Any] | None = None
    typed: bool = True
    form: str = ""
    files: tuple[str, ...] = ()

    @property
    def held(self) -> FrameSource:
        """The columns as they lie."""
        return self

    def batches(self) -> Iterator[pa.RecordBatch]:
        """Yield all rows, column by column converted once."""
        if not self.columns and self.rows:
            yield batch_of((), (), self.rows)
            return
        table = pa.table([self.get(j) for j in range(len(self.columns))], names=list(self.columns))
        yield from table.to_batches(max_chunksize=BATCH)


@dataclass(frozen=True)
class Stream(BaseSource):
    """A source that can only be walked through: a lazy frame, a query. Each walk runs it again."""

    name: str
    columns: tuple[str, ...]
    walk: Callable[[], Iterator[pa.RecordBatch]]
    notes: tuple[Note, ...] = ()
    reading: Reading = field(default_factory=Reading)
    typed: bool = True
    needed: int = 0  # bytes of memory for the whole table, about; 0: not known
    stamps: tuple[Stamp, ...] = ()
    files: tuple[str, ...] = ()
    sized: Callable[[int], Callable[[], Iterator[pa.RecordBatch]]] | None = None  # bytes of a batch -> walk

    def within(self, size: int) -> Stream:
        """Return the same source in batches of at most about so many bytes, where that is possible."""
        return self if self.sized is None else replace(self, walk=self.sized(size))

    def batches(self) -> Iterator[pa.RecordBatch]:
        """Yield all rows; what a walk of the user's own raises stays as it is, what Arrow raises is told."""
        try:
            for given in self.walk():
                for batch in _batches_in(given, self.columns, self.name):
                    cells = [sound(c, name) for c, name in zip(batch.columns, self.columns, strict=True)]
                    yield batch_of(cells, self.columns, batch.num_rows)
        except pa.ArrowException as error:
            raise unread(self.name, error) from error


def _batches_in(given: Any, columns: tuple[str, ...], where: str) -> list[pa.RecordBatch]:
    """Return what a walk gave as batches: one, or those of a table; refuse anything else."""
    if not isinstance(given, pa.RecordBatch | pa.Table):
        raise DataError(
            f"{where} gave {shown(type(given).__name__)} among its batches. Yield pyarrow.RecordBatch alone."
        )
    if given.num_columns != len(columns):
        raise DataError(
            f"{where} gave a batch of {counted(given.num_columns, 'column')}, but has {len(columns):,}. "
            "Yield all columns in every batch."
        )
    return [given] if isinstance(given, pa.RecordBatch) else given.to_batches()


def from_pandas(frame: Any, reading: Reading, name: str | None) -> FrameSource:
    """Open a pandas DataFrame; its index is not a column."""
    where = name or "the DataFrame"
    names, notes = clean_names(list(frame.columns), where)

    series = [column for _, column in frame.items()]

    def get(j: int) -> pa.ChunkedArray:
        return _pandas_column(series[j], names[j])

    return FrameSource(where, names, len(frame), get, notes, reading)


def _is_pandas_column(cells: Any) -> bool:
    """Is this one value per row, and not groups of rows, windows over them, or an index of several levels?"""
    import pandas as pd  # it made the cells

    own = pd.Series | pd.Index | pd.api.extensions.ExtensionArray
    return isinstance(cells, own) and not isinstance(cells, pd.MultiIndex)


def _pandas_column(series: Any, name: str) -> pa.ChunkedArray:
    values = getattr(series, "array", series)  # of a Series or an Index; an array of pandas' own is one
    numpy_kind = getattr(series.dtype, "kind", "O")
    if isinstance(series.dtype, np.dtype) and numpy_kind in "iufb":
        return numpy_column(np.asarray(values), name)  # no copy; NaN stays NaN
    if type(values).__name__ == "SparseArray":
        return numpy_column(np.asarray(values), name)
    if numpy_kind == "O" and isinstance(series.dtype, np.dtype):
        return numpy_column(np.asarray(values), name)
    values = _plain_pandas(values)
    try:
        array = _full_categories(values) or pa.array(values, from_pandas=True)
    except FAILURES:
        array = objects_column(series.tolist(), name)
    return array if isinstance(array, pa.ChunkedArray) else pa.chunked_array([array])


def _plain_pandas(values: Any) -> Any:
    """Return periods as the moments in which they begin and intervals as texts, as categories too."""
    kind = str(values.dtype)
    if kind.startswith("period["):
        return values.to_timestamp()
    if kind.startswith("interval["):
        return as_texts(list(values), "")
    if kind == "category" and str(values.categories.dtype).startswith(("period[", "interval[")):
        return values.rename_categories(_plain_pandas(values.categories).tolist())
    return values


def _full_categories(values: Any) -> pa.DictionaryArray | None:
    """Return pandas categories without missing rows over the same memory, None of anything else."""
    if type(values).__name__ != "Categorical" or not len(values) or values.codes.min() < 0:
        return None
    texts = pa.array(values.categories, from_pandas=True)
    return pa.DictionaryArray.from_arrays(
        from_numbers(values.codes), texts, ordered=values.ordered, safe=False
    )


def from_lazy(frame: Any, reading: Reading, name: str | None) -> FrameSource:
    """Open a polars LazyFrame: collected once, as polars itself would."""
    try:
        rows = frame.collect()
    except Exception as error:
        raise DataError(f"the LazyFrame cannot be collected: {_reason(error)}.") from error
    return from_arrow(rows, reading, name or "the LazyFrame")


def from_arrow(x: Any, reading: Reading, name: str | None) -> FrameSource:
    """Open anything with the Arrow stream interface. A stream that reads only once is kept in memory."""
    where = name or ("the DataFrame" if type(x).__module__.startswith("polars") else "the Arrow table")
    if not isinstance(x, pa.Table):
        x = plain_polars(x, where)
    try:
        table = x if isinstance(x, pa.Table) else with_order(pa.table(x), x)
    except UnicodeDecodeError as error:
        raise DataError(
            f"{where} has a column name that is not UTF-8: {shown(error.object[:40])}. Rename it."
        ) from None
    except FAILURES as error:
        raise unread(where, error) from error
    names, notes = clean_names(table.column_names, where)
    return FrameSource(
        where, names, table.num_rows, lambda j: sound(table.column(j), names[j]), notes, reading
    )


def from_dataset(x: Any, reading: Reading, name: str | None) -> FrameSource | Stream:
    """Open an Arrow dataset, walked through as often as needed, or a scanner of one, read once."""
    where = name or "the dataset"
    form = type(x).__name__
    if form in ("Scanner", "InMemoryDataset"):
        return from_arrow((x if form == "Scanner" else x.scanner()).to_reader(), reading, where)
    files = tuple(x.files) if form == "FileSystemDataset" else ()
    names, notes = clean_names(x.schema.names, where)

    def walk() -> Iterator[pa.RecordBatch]:
        try:
            yield from x.to_batches()
        except OSError as error:
            raise unread(where, error) from error

    return Stream(where, names, walk, notes, reading, files=files)


def unread(where: str, error: Exception) -> DataError:
    """Return the error of rows that another library cannot give to their end, after what it says."""
    if "KeyboardInterrupt" in str(error):  # Arrow holds it for an error of the stream
        raise KeyboardInterrupt from error
    return DataError(f"{where} cannot be read to its end: {_reason(error)}. Check what it reads from.")


def _reason(error: Exception) -> str:
    """Return what another library says, without the traceback that Arrow adds where a stream raises."""
    said = str(error).partition("\n\n")[0].partition(". Detail: ")[0]
    return shown(said.removeprefix("Unknown error: ").strip(), 200)


def from_numpy(array: NDArray[Any], reading: Reading, name: str | None) -> FrameSource:
    """Open a 2-D array; columns are called x0, x1, ... Numbers are not copied."""
    where = name or "the array"
    array = _in_place(array)
    if array.dtype.names:
        columns = {str(n): array[n] for n in array.dtype.names}
        return from_columns(columns, reading, where)
    _refuse_shape(array, where)
    names = tuple(f"x{j}" for j in range(array.shape[1]))
    plain = array.dtype.kind in "iufb" and not isinstance(array, np.ma.MaskedArray)

    def get(j: int) -> pa.ChunkedArray:
        return numpy_column(array[:, j], names[j])

    return FrameSource(where, names, len(array), get, (), reading, array if plain else None)


def _in_place(array: NDArray[Any]) -> NDArray[Any]:
    """Return an array as kernels read it, in the order of bytes of this machine and aligned, a copy where it
    is not; fields, and masked cells that no NaN can stand for, are seen to column by column.
    """
    if isinstance(array, np.ma.MaskedArray):
        if array.dtype.names or (np.ma.is_masked(array) and array.dtype.kind != "f"):
            return array
        array = array.filled(np.nan) if np.ma.is_masked(array) else array.data
    array = np.asarray(array)
    if array.dtype.names:
        return array
    if not array.dtype.isnative:
        array = array.astype(array.dtype.newbyteorder("="))
    return array if array.flags.aligned else array.copy()


def _refuse_shape(array: Any, where: str) -> None:
    """Refuse an array, dense or sparse, that is not a table of real numbers or texts."""
    if array.ndim != 2:
        raise DataError(
            f"{where} has {array.ndim} dimension{'s' * (array.ndim != 1)}, but a table has two. "
            "Reshape your data: array.reshape(-1, 1) for one column, array.reshape(1, -1) for one row."
        )
    if array.dtype.kind == "c":
        raise DataError(f"Complex data not supported: {where} holds {array.dtype}. Pass array.real.")


def from_sparse(matrix: Any, reading: Reading, name: str | None) -> FrameSource:
    """Open a scipy sparse matrix, one column at a time; what is not stored is 0."""
    where = name or "the sparse matrix"
    _refuse_shape(matrix, where)
    by_column = matrix.tocsc()
    rows, width = by_column.shape
    names = tuple(f"x{j}" for j in range(width))

    def get(j: int) -> pa.ChunkedArray:
        start, stop = by_column.indptr[j], by_column.indptr[j + 1]
        stored = by_column.data[start:stop]
        cells = np.zeros(rows, np.float64 if _are_doubles(stored) else stored.dtype)
        np.add.at(cells, by_column.indices[start:stop], stored)  # repeated entries add up
        return pa.chunked_array([from_numbers(cells)])

    return FrameSource(where, names, rows, get, (), reading)


def _are_doubles(numbers: NDArray[Any]) -> bool:
    """Is every number also a double?"""
    if numbers.dtype.kind not in "iu" or numbers.itemsize < 8 or not len(numbers):
        return True
    return max(-int(numbers.min()), int(numbers.max())) <= EXACT


def from_columns(columns: Mapping[Any, Any], reading: Reading, name: str | None) -> FrameSource:
    """Open a dict of columns; all must be of one length."""
    where = name or "the dict of columns"
    names, notes = clean_names(list(columns), where)
    arrays = [_any_column(column, n) for column, n in zip(columns.values(), names, strict=True)]
    lengths = {len(array) for array in arrays}
    if len(lengths) > 1:
        raise DataError(
            f"{where} has columns of different lengths: {sorted(lengths)}. Give all columns the same length."
        )
    return FrameSource(where, names, lengths.pop() if lengths else 0, arrays.__getitem__, notes, reading)


def _any_column(cells: Any, name: str) -> pa.ChunkedArray:
    if isinstance(cells, pa.ChunkedArray):
        return sound(cells, name)
    if isinstance(cells, pa.Array):
        return sound(pa.chunked_array([cells]), name)
    module = type(cells).__module__.partition(".")[0]
    if module == "pandas" and _is_pandas_column(cells):
        return _pandas_column(cells, name)
    if module == "polars" and type(cells).__name__ == "Series":
        return from_arrow(cells.to_frame("x"), Reading(), None).get(0)
    framed = module in ("pandas", "polars")  # what a frame has besides columns: groups, windows
    dimensions = getattr(cells, "ndim", 1)
    if not framed and isinstance(dimensions, int) and dimensions > 1:
        raise DataError(
            f"column {shown(name)} has {dimensions} dimensions, but a column has one. Flatten it."
        )
    unordered = isinstance(cells, str | bytes | Mapping | set | frozenset | type)
    if unordered or framed or dimensions == 0:
        raise _no_column(cells, name)
    if isinstance(cells, np.ndarray):
        return numpy_column(cells, name)
    try:
        if hasattr(cells, "__arrow_c_stream__"):
            return sound(pa.chunked_array(cells), name)
        if hasattr(cells, "__arrow_c_array__"):
            return sound(pa.chunked_array([pa.array(cells)]), name)
    except FAILURES as error:
        raise DataError(f"column {shown(name)} cannot be read by Arrow: {_reason(error)}.") from error
    if not isinstance(cells, Iterable):
        raise _no_column(cells, name)
    return pa.chunked_array([objects_column(list(cells), name)])


def _no_column(cells: Any, name: str) -> DataError:
    kind = cells if isinstance(cells, type) else type(cells)
    return DataError(
        f"column {shown(name)} is given as {shown(kind.__name__)}, but needs one value per row. "
        "Pass a list, an array or a Series."
    )


def as_column(cells: Any, name: str) -> pa.ChunkedArray:
    """Return any one-dimensional thing as an Arrow column: list, Series, array, on a device too."""
    cells = here(cells)
    known = ("__iter__", "__arrow_c_stream__", "__arrow_c_array__")
    lazy = type(cells).__name__ == "LazyFrame"  # which collects when it is asked whether it has columns
    if lazy or hasattr(cells, "columns") or not any(hasattr(cells, way) for way in known):
        raise DataError(
            f"{shown(name)} is given as {shown(type(cells).__name__)}, but needs one value per row. "
            "Pass a list, an array or a Series, or the name of a column."
        )
    return _any_column(cells, name)


def from_records(records: Sequence[Any], reading: Reading, name: str | None) -> FrameSource:
    """Open a list of dicts; a key that a record lacks is a missing cell. A list of lists is a matrix."""
    where = name or "the list"
    if records and all(isinstance(record, pa.RecordBatch) for record in records):
        return from_arrow(_one_table(records, where), reading, where)
    if records and not all(type(record) is dict or isinstance(record, Mapping) for record in records):
        return from_numpy(_matrix_of(records, where), reading, where)
    keys = record_keys(records)
    if len(keys) > 1 and all(len(record) == len(keys) for record in records):  # none lacks a key
        cells = zip(*map(operator.itemgetter(*keys), records), strict=True)
        return from_columns(dict(zip(keys, cells, strict=True)), reading, where)
    found = from_columns({key: [record.get(key) for record in records] for key in keys}, reading, where)
    return replace(found, rows=len(records))


def _one_table(batches: Sequence[pa.RecordBatch], where: str) -> pa.Table:
    try:
        return pa.Table.from_batches(batches)
    except FAILURES as error:
        raise DataError(f"{where} has batches of different columns. Give all the same ones.") from error


def record_keys(records: Iterable[Mapping[Any, Any]]) -> list[Any]:
    """Return the keys of all records: in their own order when all agree, else sorted."""
    first: list[Any] = []
    every: set[Any] = set()
    agree = True
    for i, record in enumerate(records):
        keys = list(record)
        first = keys if i == 0 else first
        if i == 0 or keys != first:
            agree = agree and i == 0
            every.update(keys)
    return first if agree else sorted(every, key=str)


def _matrix_of(records: Sequence[Any], where: str) -> NDArray[Any]:
    try:
        array = np.array(records)
    except ValueError:
        raise DataError(
            f"{where} has rows of different lengths. Pass a list of dicts or rows of one length."
        ) from None
    if array.dtype.kind in "US":  # numbers beside text: keep each cell's own type
        array = np.array(records, dtype=object)
    return array
