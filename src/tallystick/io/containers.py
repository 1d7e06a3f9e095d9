"""Kinds of input: file formats, tables in memory (pandas, polars, Arrow, NumPy, ...), several files as one.

- Files, by their first bytes (`FORMATS`). Entry: `open_path()`.
- Tables in memory: `FrameSource`, `Stream`, `from_pandas()`, `from_arrow()`, `from_numpy()`, ...
- Several files as one table: `Many`, `open_many()`.
- Which reader takes an object (`CONTAINERS`, the first that recognises it). Entry: `container_of()`.

Law: `column(name)` gives the same cells as `batches()`, in the same order.
"""

from __future__ import annotations

import glob
import operator
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from tallystick.contracts import Load, Source
from tallystick.errors import DataError, OptionError, counted, read_with, shown, some
from tallystick.files import Stamp, placed
from tallystick.io import csv_bytes, csv_file
from tallystick.io.csv_repair import carried
from tallystick.io.frames import (
    FAILURES,
    as_texts,
    batch_of,
    from_numbers,
    numpy_column,
    objects_column,
    plain_polars,
    sound,
    with_order,
)
from tallystick.io.open import here
from tallystick.io.source import BaseSource, cannot_read, clean_names, settled, title
from tallystick.schema import Note, Reading
from tallystick.text import EXACT

if TYPE_CHECKING:
    from numpy.typing import NDArray


# ---- files: the format is recognised by the first bytes; one object per format ----


_FOREIGN = {
    b"%PDF": "a PDF document. Save the table as CSV first",
    b"\x89PNG": "a PNG picture. Pass a table",
    b"\xff\xd8\xff": "a JPEG picture. Pass a table",
    b"FEA1": "a Feather file of the first version. Write it again with a newer one",
    b"BZh": "compressed with bzip2. Decompress it first",
    b"\xfd7zXZ": "compressed with xz. Decompress it first",
    b"\x28\xb5\x2f\xfd": "compressed with zstd. Decompress it first",
    b"7z\xbc\xaf": "a 7z archive. Unpack it first",
}


@dataclass(frozen=True)
class Beginning:
    """The first bytes of a file, by which it is known: as they are, and unpacked."""

    path: str
    where: str
    head: bytes

    @cached_property
    def text(self) -> bytes:
        """The beginning of a text, unpacked, without a byte order mark and white space."""
        return csv_bytes.first_bytes(self.path, self.where, 4096).lstrip(b"\xef\xbb\xbf \t\r\n")


@dataclass(frozen=True)
class FileFormat:
    """One format of files: how it is known, and who opens it or says why not."""

    words: str
    knows: Callable[[Beginning], bool]
    open: Callable[[str, Reading, str], Source]
    parts: bool = False  # one file may hold several tables


def _refuse(what: str, path: str, reading: Reading, where: str) -> Source:
    raise DataError(f"{where} is {what}.")


def _foreign(magic: bytes, what: str) -> FileFormat:
    return FileFormat(what, lambda b: b.head.startswith(magic), partial(_refuse, what))


def _is_json(b: Beginning) -> bool:
    inside = b.text[1:].strip()
    return b.text[:1] == b"{" or (b.text[:1] == b"[" and (inside[:1] == b"{" or inside == b"]"))


def _begins(
    words: str, magic: bytes, opens: Callable[[str, Reading, str], Source], parts: bool = False
) -> FileFormat:
    return FileFormat(words, lambda b: b.head.startswith(magic), opens, parts)


# Readers of formats other than text are imported when one is opened.


def _open_parquet(path: str, reading: Reading, where: str) -> Source:
    from tallystick.io.columnar import open_parquet

    return open_parquet(path, reading, where)


def _open_json(path: str, reading: Reading, where: str) -> Source:
    from tallystick.io.json_lines import open_json

    return open_json(path, reading, where)


def _open_arrow(path: str, reading: Reading, where: str) -> Source:
    from tallystick.io.columnar import open_arrow

    return open_arrow(path, reading, where)


def _open_orc(path: str, reading: Reading, where: str) -> Source:
    from tallystick.io.columnar import open_orc

    return open_orc(path, reading, where)


def _open_sqlite(path: str, reading: Reading, where: str) -> Source:
    from tallystick.io.database import open_sqlite

    return open_sqlite(path, reading, where)


def _open_workbook(path: str, reading: Reading, where: str) -> Source:
    from tallystick.io.workbook import open_workbook

    return open_workbook(path, reading, where)


def _is_workbook(b: Beginning) -> bool:
    if not b.head.startswith(ZIP):
        return False
    from tallystick.io import workbook as archive

    return archive.is_workbook(b.path)


def _open_zip(path: str, reading: Reading, where: str) -> Source:
    from tallystick.io import workbook as archive

    inside, title = archive.unpacked(path, reading, where)
    table = open_file(inside, replace(reading, table=None), title)
    return replace(table, files=(path,), stamps=(Stamp.of(path, where),))  # type: ignore[type-var]


ZIP = b"PK\x03\x04"
FORMATS = [  # the first whose `knows` is true opens the file
    _begins("Parquet", b"PAR1", _open_parquet),
    _begins("Arrow", b"ARROW1", _open_arrow),
    _begins("ORC", b"ORC", _open_orc),
    _begins("SQLite", b"SQLite format 3\0", _open_sqlite, parts=True),
    FileFormat("a workbook", _is_workbook, _open_workbook, parts=True),
    _begins("an old workbook", b"\xd0\xcf\x11\xe0", _open_workbook, parts=True),
    _begins("a zip file", ZIP, _open_zip, parts=True),
    *(_foreign(magic, what) for magic, what in _FOREIGN.items()),
    FileFormat(
        "HTML",
        lambda b: b.head.lstrip()[:15].lower().startswith((b"<!doctype html", b"<html")),
        partial(_refuse, "an HTML page. Save the table as CSV first"),
    ),
    FileFormat("JSON", _is_json, _open_json),
    FileFormat("CSV", lambda b: True, csv_file.open_csv),
]


def open_path(path: str, reading: Reading, name: str | None) -> Source:
    """Open a file, or all files that a pattern such as part-*.csv names."""
    if not any(sign in path for sign in "*?[") or os.path.exists(path):
        return open_file(path, reading, name)
    paths = found(path)
    if not paths:
        raise DataError(f"no file matches {shown(path, 300)}. Check the pattern.")
    return open_many([open_file(one, reading, None) for one in paths], name or os.path.basename(path))


def found(path: str) -> list[str]:
    """Return the files that a path or a pattern names."""
    return [path] if os.path.lexists(path) else sorted(glob.glob(path, recursive=True))


def open_file(path: str, reading: Reading, name: str | None) -> Source:
    """Open a file by what it holds, not by what it is called."""
    where = name or title(path)
    if re.match(r"[a-z][a-z0-9+.-]+://", path, re.IGNORECASE) is not None and not os.path.exists(path):
        raise DataError(f"{shown(path, 300)} is an address, and nothing is fetched. Download it first.")
    path = settled(path, where)
    head = first_bytes(path, where)
    path = placed(path)
    begins = Beginning(path, where, head)
    known = next(f for f in FORMATS if f.knows(begins))
    if reading.table is not None and not known.parts:
        wrong = f" names one of several tables, and {where} is one. Leave it out."
        raise OptionError(read_with("table", reading.table), wrong)
    return known.open(path, reading, where)


def first_bytes(path: str, where: str) -> bytes:
    """Return the first bytes of a readable, non-empty file; else an error that says what the path is."""
    if os.path.isdir(path):
        raise DataError(f"{shown(path, 300)} is a directory. Pass a file.")
    try:
        with open(path, "rb") as file:
            head = file.read(64)
    except FileNotFoundError:
        raise DataError(f"there is no file {shown(path, 300)}.{_neighbour(path)}") from None
    except PermissionError:
        raise DataError(
            f"no permission to read {shown(path, 300)}. Change its permissions, or copy it."
        ) from None
    except OSError as error:
        raise cannot_read(where, error) from None
    if not head:
        raise DataError(f"{where} is empty (0 bytes). Check how it was written.")
    return head


def _neighbour(path: str) -> str:
    from tallystick.errors import nearest

    folder = os.path.dirname(path) or "."
    try:
        return nearest(os.path.basename(path), os.listdir(folder)) or " Check the path."
    except OSError:
        return " Check the path."


# ---- tables in memory: pandas, polars, Arrow, NumPy, records; copied only where needed ----


BATCH_ROWS = 65_536  # rows of a batch, where the container has none of its own


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
        return self

    def batches(self) -> Iterator[pa.RecordBatch]:
        if not self.columns and self.rows:
            yield batch_of((), (), self.rows)
            return
        table = pa.table([self.get(j) for j in range(len(self.columns))], names=list(self.columns))
        yield from table.to_batches(max_chunksize=BATCH_ROWS)


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
        return self if self.sized is None else replace(self, walk=self.sized(size))

    def batches(self) -> Iterator[pa.RecordBatch]:
        try:
            for given in self.walk():
                if not isinstance(given, pa.RecordBatch | pa.Table):
                    raise DataError(
                        f"{self.name} gave {shown(type(given).__name__)} among its batches. "
                        "Yield pyarrow.RecordBatch alone."
                    )
                if given.num_columns != len(self.columns):
                    raise DataError(
                        f"{self.name} gave a batch of {counted(given.num_columns, 'column')}, but has "
                        f"{len(self.columns):,}. Yield all columns in every batch."
                    )
                for batch in [given] if isinstance(given, pa.RecordBatch) else given.to_batches():
                    cells = [sound(c, name) for c, name in zip(batch.columns, self.columns, strict=True)]
                    yield batch_of(cells, self.columns, batch.num_rows)
        except pa.ArrowException as error:
            raise unread(self.name, error) from error


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
        try:
            array = np.array(records)
        except ValueError:
            raise DataError(
                f"{where} has rows of different lengths. Pass a list of dicts or rows of one length."
            ) from None
        if array.dtype.kind in "US":  # numbers beside text: keep each cell's own type
            array = np.array(records, dtype=object)
        return from_numpy(array, reading, where)
    # the keys of all records: in their own order when all agree, else sorted
    first: list[Any] = []
    every: set[Any] = set()
    agree = True
    for i, one in enumerate(records):
        own_keys = list(one)
        first = own_keys if i == 0 else first
        if i == 0 or own_keys != first:
            agree = agree and i == 0
            every.update(own_keys)
    keys = first if agree else sorted(every, key=str)
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


# ---- several files as one table: a list of paths, or a pattern such as part-*.csv ----
#
# Law: the order of the files does not matter; columns are matched by name.


@dataclass(frozen=True)
class Many(BaseSource):
    """Sources of the same columns, one after the other; see `open_many`."""

    name: str
    sources: tuple[Source, ...]
    reading: Reading = field(default_factory=Reading)
    typed: bool = True  # text in every file is text for sure
    needed: int = 0
    stamps: tuple[Stamp, ...] = ()
    files: tuple[str, ...] = ()

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns, in an order that some file has and that the order of files does not change."""
        return min(source.columns for source in self.sources)

    def within(self, size: int) -> Many:
        return replace(self, sources=tuple(source.within(size) for source in self.sources))

    @property
    def notes(self) -> tuple[Note, ...]:
        return tuple(dict.fromkeys(note for source in self.sources for note in source.notes))

    def streamed(self) -> Many:
        return replace(self, sources=tuple(source.streamed() for source in self.sources))

    def each_row(self) -> Many:
        return replace(self, sources=tuple(source.each_row() for source in self.sources))

    def pieces(self) -> Iterator[Load]:
        for source in self.sources:
            order = [source.columns.index(name) for name in self.columns]
            if order == list(range(len(order))):
                yield from source.pieces()
            else:
                yield from (_Turned(piece, order, self.columns) for piece in source.pieces())

    def batches(self) -> Iterator[pa.RecordBatch]:
        for load in self.pieces():
            yield load()


@dataclass(frozen=True, slots=True)
class _Turned:
    """A piece whose columns stand in another order."""

    piece: Load
    order: list[int]
    names: Sequence[str]

    def __call__(self) -> pa.RecordBatch:
        batch = self.piece()
        columns = [batch.column(j) for j in self.order]
        return carried(batch_of(columns, self.names, batch.num_rows), batch)

    @property
    def counted(self) -> None:
        return

    def plain(self) -> None:
        return


def open_many(sources: Sequence[Source], name: str) -> Source:
    """Return several sources as one; all must have the same columns."""
    first = sources[0]
    for other in sources[1:]:
        lacking = sorted(set(first.columns) - set(other.columns))
        more = sorted(set(other.columns) - set(first.columns))
        if lacking or more:
            what = f"lacks {some(lacking)}" if lacking else f"has {some(more)} too"
            raise DataError(f"{other.name} {what}, unlike {first.name}. Give all files the same columns.")
    if len(sources) == 1:
        return first
    return Many(
        name,
        tuple(sources),
        first.reading,
        typed=all(source.typed for source in sources),
        needed=sum(source.needed for source in sources),
        stamps=tuple(stamp for source in sources for stamp in source.stamps),
        files=tuple(file for source in sources for file in source.files),
    )


# ---- which reader takes an object in memory ----


@dataclass(frozen=True)
class Container:
    """One kind of table in memory. knows: (library, type's name, x) -> whether x is one; open: (x, reading,
    name) -> its source.
    """

    words: str
    knows: Callable[[str, str, Any], bool]
    open: Callable[[Any, Reading, str | None], Source]


def _relation(x: Any, reading: Reading, name: str | None) -> Source:
    from tallystick.io import database as sql

    return sql.open_relation(x, reading, name)


CONTAINERS = [
    Container("a pandas DataFrame", lambda lib, of, x: (lib, of) == ("pandas", "DataFrame"), from_pandas),
    Container("a polars LazyFrame", lambda lib, of, x: (lib, of) == ("polars", "LazyFrame"), from_lazy),
    Container("a NumPy array", lambda lib, of, x: lib == "numpy" and hasattr(x, "ndim"), from_numpy),
    Container(
        "a DuckDB relation",
        lambda lib, of, x: lib in ("duckdb", "_duckdb") and hasattr(x, "to_arrow_reader"),
        _relation,
    ),
    Container(
        "a SciPy sparse matrix",
        lambda lib, of, x: lib == "scipy" and hasattr(x, "tocsc"),
        from_sparse,
    ),
    Container(
        "an Arrow dataset",
        lambda lib, of, x: lib == "pyarrow" and of.endswith(("Dataset", "Scanner")),
        from_dataset,
    ),
    Container(
        "Arrow, polars and kin",
        lambda lib, of, x: hasattr(x, "__arrow_c_stream__") or (lib, of) == ("polars", "DataFrame"),
        from_arrow,
    ),
    Container("a dict of columns", lambda lib, of, x: isinstance(x, dict), from_columns),
    Container("a list of rows", lambda lib, of, x: isinstance(x, list | tuple), from_records),
]


def container_of(x: Any) -> Container | None:
    """Return the container of an object; None if none recognises it."""
    library, of = type(x).__module__.partition(".")[0], type(x).__name__
    return next((c for c in CONTAINERS if c.knows(library, of, x)), None)
