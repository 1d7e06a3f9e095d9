"""Arrow cells of any type read as numbers, small whole numbers or coded texts; later code sees no other form.

- Rare Arrow types in terms of common ones: `common()`, `microseconds()`, `refused()`.
- Small whole numbers as bytes: `SmallIntegers`, `small_columns()`, `by_table()`.
- Cells of any type. Entry: `read_cells()`, which returns a `Part`; `condense()`, `distinct_texts()`.

marks = texts that mean missing; code = index of a text; tidy = no missing marks, infinities or -0.0 among
them. Law: the same values in any Arrow type, cut into any chunks, give the same numbers or the same texts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from tallystick import kernels
from tallystick.errors import Argument, DataError, shown
from tallystick.io.frames import filled, from_numbers, from_texts, to_numbers
from tallystick.kernels.numbers import Scan
from tallystick.kernels.text import CellKind
from tallystick.parallel import each_in_order
from tallystick.table import strings
from tallystick.table.block import code_type
from tallystick.table.lazy_columns import LaterColumn
from tallystick.table.strings import Distinct
from tallystick.text import cell_text, moment_text, number_text

# ---- rare Arrow types in terms of common ones; errors for types without cells ----
# Law: a value in a rare type reads as it does in a common one, or as its text in a file.

INSIDE = {  # extension types: how to read their storage
    "pandas.period": "Make dates of it: frame[{0}].dt.to_timestamp()",
    "pandas.interval": "Make columns of its two ends, or text: frame[{0}].astype(str)",
}


def common(chunk: pa.Array, name: str) -> pa.Array | None:
    """Return a chunk of a rare type as one of a common type; None: the type is common, or holds no cells."""
    kind, types = chunk.type, pa.types
    if types.is_decimal(kind) and kind.bit_width < 128:
        return chunk.cast(pa.decimal128(kind.precision, kind.scale))
    if types.is_time(kind):
        return _texts(chunk.cast(pa.time64("us"), safe=False), name)
    if types.is_run_end_encoded(kind):
        return _decoded(chunk)
    if not isinstance(kind, pa.BaseExtensionType) or kind.extension_name in INSIDE:
        return None
    if kind.extension_name == "arrow.uuid":
        return _texts(chunk, name)
    if kind.extension_name == "arrow.bool8":
        return chunk.storage.cast(pa.bool_())
    return chunk.storage


def _texts(chunk: pa.Array, name: str) -> pa.DictionaryArray:
    """Return the canonical texts of values of which each is written out once."""
    storage = chunk.storage if isinstance(chunk.type, pa.BaseExtensionType) else chunk
    coded = storage.dictionary_encode()
    values = coded.dictionary
    if storage is not chunk:
        values = pa.ExtensionArray.from_storage(chunk.type, values)
    texts = [cell_text(value, name) for value in values]
    return pa.DictionaryArray.from_arrays(coded.indices, from_texts(texts))


def _decoded(chunk: pa.Array) -> pa.Array:
    """Return runs written out, whatever they hold."""
    ends = np.asarray(chunk.run_ends)
    runs = np.searchsorted(ends, np.arange(chunk.offset, chunk.offset + len(chunk)), side="right")
    return chunk.values.take(from_numbers(runs))


def microseconds(chunk: pa.Array) -> pa.Array:
    """Return the microseconds of durations; finer units are cut to them, as those of moments are."""
    return chunk.cast(pa.duration("us"), safe=False).cast(pa.int64())


def refused(kind: Any, name: str) -> DataError:
    """Return the error of a type that holds no cells."""
    return DataError(
        f"column {shown(name)} is of type {shown(kind)}, which is neither a number nor text. "
        f"{_cure(kind, name)}, or leave it out: ",
        Argument("kinds", {name: "out"}),
        ".",
    )


def _cure(kind: Any, name: str) -> str:
    """Return what to do about it, with how."""
    types, column = pa.types, shown(name)
    if isinstance(kind, pa.BaseExtensionType):
        return INSIDE[kind.extension_name].format(column)
    if types.is_struct(kind):
        return (
            f"Make columns of its parts (Arrow: table.flatten(); polars: frame.unnest({column}); "
            f"pandas: pd.json_normalize(frame[{column}]))"
        )
    if types.is_nested(kind) and not types.is_union(kind) and not types.is_map(kind):
        return (
            f"Make columns of its parts (Arrow: pyarrow.compute.list_element(table[{column}], 0); "
            f"polars: pl.col({column}).list.get(0); pandas: frame[{column}].str[0])"
        )
    if types.is_map(kind):
        return (
            "Make columns of its parts "
            f"(pyarrow.compute.map_lookup(table[{column}], pa.scalar(...), 'first'))"
        )
    if "binary" in str(kind):
        return (
            "Decode it to text first (Arrow: column.cast('string'); "
            f"polars: pl.col({column}).cast(pl.String); pandas: frame[{column}].str.decode('utf-8'))"
        )
    if types.is_interval(kind):
        return "Make a number of it first: of months, or of days"
    return "Cast it to numbers or text first"


SLICE = 1 << 18  # rows per job of a thread
PLACES, AT_EACH = 128, 8  # places of a matrix, and rows at each, sampled for its least numbers
EXACT = 2**53 - 256  # beyond this a double may hold another number


@dataclass(frozen=True, slots=True)
class SmallIntegers:
    """Cells as small whole numbers: value = base + codes[row]; none is missing. used: the codes there are,
    rising. counts[code]: how many there are of each, where they were counted.
    """

    codes: NDArray[np.uint8]
    base: int
    used: NDArray[np.int64]
    counts: NDArray[np.int64] | None = None

    @property
    def present(self) -> list[int]:
        """The values there are, rising."""
        return [int(v) + self.base for v in self.used]

    def __len__(self) -> int:
        return len(self.codes)

    def values(self) -> NDArray[np.float64]:
        """Return the cells as doubles."""
        out = self.codes.astype(np.float64)
        return out + self.base if self.base else out

    def distinct(self, marks: Sequence[str] = ()) -> Distinct:
        """Return the cells as distinct texts; no mark is among them."""
        texts, table = _as_texts(self.base, self.used.tobytes())
        few = int(self.used[-1]) + 1 if len(self.used) else 1  # the fewer, the sooner they are counted
        counts = kernels.count_classes(self.codes, few) if self.counts is None else self.counts
        counted = np.zeros(len(texts) + 1, np.int64)
        counted[table[self.used]] = counts[self.used]
        return Distinct(texts, by_table(self, table), counted)

    def texts(self) -> pa.DictionaryArray:
        """Return the cells as texts."""
        into = np.zeros(256, np.int16)
        into[self.used] = np.arange(len(self.used))
        names = from_texts([str(v) for v in self.present])
        return pa.DictionaryArray.from_arrays(from_numbers(into[self.codes]), names)


@lru_cache(maxsize=256)
def _as_texts(base: int, used: bytes) -> tuple[pa.LargeStringArray, NDArray[Any]]:
    """Return the texts of base + used[value], sorted, and table[value]: the place of each. Shared: nobody
    writes to it. Fold after fold, fit after fit has the same few labels.
    """
    places = np.frombuffer(used, np.int64)
    written = [str(base + value) for value in places.tolist()]
    texts = sorted(written)
    at = {text: code for code, text in enumerate(texts)}
    table = np.zeros(256, code_type(len(texts)))
    table[places] = [at[text] for text in written]
    return from_texts(texts), table


def small_columns(matrix: NDArray[Any], threads: int | None) -> dict[int, SmallIntegers]:
    """Return the columns of a matrix whose values are within 256 of each other; the memory is read once."""
    rows, width = matrix.shape
    if not rows or not width:
        return {}
    base = _bases(matrix)
    if base is None:
        return {}
    codes = np.empty((width, rows), np.uint8)

    def work(start: int) -> tuple[NDArray[np.uint8], NDArray[np.uint8], Any]:
        fits, seen = np.ones(width, np.uint8), np.zeros((width, 256), np.uint8)
        kernels.small_codes(matrix[start : start + SLICE], base, codes, start, fits, seen)
        return fits, seen, counted(codes[0, start : start + SLICE])

    def counted(column: NDArray[np.uint8]) -> Any:  # one column alone is the target's: its rows are asked for
        return kernels.count_classes(column, 256) if width == 1 else None

    done = each_in_order(work, range(0, rows, SLICE), threads)
    fits = np.bitwise_and.reduce([f for f, _, _ in done])
    fits[np.abs(base) > EXACT] = 0
    used = np.bitwise_or.reduce([s for _, s, _ in done])
    counts = np.add.reduce([c for _, _, c in done]) if width == 1 else None
    return {
        j: SmallIntegers(codes[j], int(base[j]), used[j].nonzero()[0], counts)
        for j in np.flatnonzero(fits).tolist()
    }


def small_column(cells: NDArray[Any], threads: int | None = 1) -> SmallIntegers | None:
    """Return one column the same way, None when it is not small; a short one needs no sample, no thread."""
    if len(cells) > SLICE or not len(cells):
        return small_columns(cells[:, None], threads).get(0)
    seen = kernels.scan(cells)
    low, high = int(seen.low), int(seen.high)
    if high - low > 255 or max(-low, high) > EXACT:
        return None
    base = 0 if low >= 0 and high < 256 else low
    codes = (cells - base if base else cells).astype(np.uint8)
    counts = kernels.count_classes(codes, 256)
    return SmallIntegers(codes, base, counts.nonzero()[0], counts)


def _bases(matrix: NDArray[Any]) -> NDArray[np.int64] | None:
    """Return what to take off each column: 0 where that leaves small numbers, else the least of a sample.

    None when the sample says that no column is small.
    """
    step = max(1, len(matrix) // PLACES)
    runs = matrix[: len(matrix) // step * step].reshape(-1, step, matrix.shape[1])
    sample = runs[:, :AT_EACH].reshape(-1, matrix.shape[1])
    low, high = sample.min(axis=0).astype(object), sample.max(axis=0).astype(object)
    if all(b - a > 255 for a, b in zip(low, high, strict=True)):
        return None
    small = [a >= 0 and b < 256 for a, b in zip(low, high, strict=True)]
    room = [max(0, (255 - (b - a)) // 2) for a, b in zip(low, high, strict=True)]
    base = [0 if s else max(a - r, -(2**62)) for s, a, r in zip(small, low, room, strict=True)]
    return np.array([b if b < 2**62 else 0 for b in base], np.int64)


def fill_table(table: NDArray[Any], places: NDArray[Any], base: int, into: Callable[[str], int]) -> None:
    """Do table[value - base] = the code that the text of a whole number gets, in some places."""
    table[places] = [into(str(base + place)) for place in places.tolist()]


def by_table(part: SmallIntegers, table: NDArray[Any]) -> NDArray[Any]:
    """Return the code of each cell; the cells themselves where the table changes nothing."""
    if table.dtype == np.uint8 and (table[part.used] == part.used).all():
        return part.codes
    return np.take(table, part.codes, mode="clip")  # no code is beyond the table, and so it need not look


def level_code(levels: Sequence[str], other: int) -> Callable[[str], int]:
    """Return what gives the code of a level's text; any other text gets `other`."""
    at = {level: code for code, level in enumerate(levels)}
    return lambda text: at.get(text, other)


# ---- cells of any type ----


SAMPLE = 100  # cells sampled to choose the quicker method; the result is the same
FEW = 12  # distinct values in the sample: up to it, numbers here may be levels with words elsewhere
LONG = 64  # bytes per cell from which texts hardly ever repeat
FAR = {"D": 100_000_000, "s": 9 * 10**12, "ms": 9 * 10**15}  # by unit: counts that microseconds can express
FEW_WHOLES = 256  # rows up to which whole numbers may all differ; more of them within 256 cannot
NEGATIVE_ZERO = np.int64(-(2**63))  # the bits of -0.0
PLAIN_NUMBERS = (CellKind.NUMBER, CellKind.INTEGER)
WRITTEN_NUMBERS = (CellKind.NUMBER, CellKind.INTEGER, CellKind.INFINITE)


@dataclass(frozen=True, slots=True)
class Floats:
    """Cells as numbers: values[row], NaN is missing; given: these, or what becomes them when they are asked
    for. dated: they are days since 1970-01-01. spans: they are seconds that something took. written: they
    were read from text, and the text is forgotten. scan: one look at them, if already taken.
    """

    given: NDArray[np.float64] | LaterColumn
    dated: bool = False
    written: bool = False
    scan: Scan | None = None
    spans: bool = False

    @property
    def values(self) -> NDArray[np.float64]:
        """The numbers."""
        return self.given.made() if isinstance(self.given, LaterColumn) else self.given

    @property
    def lying(self) -> NDArray[Any]:
        """The numbers in their own type."""
        return self.given.lying if isinstance(self.given, LaterColumn) else self.given

    def __len__(self) -> int:
        return len(self.given)


@dataclass(frozen=True, slots=True)
class Coded:
    """Cells as a dictionary array of texts. written: they came as text, not as numbers or booleans; more: the
    other chunks of a column in several.
    """

    array: pa.DictionaryArray
    written: bool = True
    more: tuple[pa.DictionaryArray, ...] = ()

    @property
    def arrays(self) -> list[pa.DictionaryArray]:
        """All chunks."""
        return [self.array, *self.more]

    def __len__(self) -> int:
        return sum(map(len, self.arrays))

    def distinct(self, marks: Sequence[str] = ()) -> Distinct:
        """Return the cells as distinct texts, with the order of their dictionary if it has one."""
        found = strings.distinct(self.arrays, marks)
        if not all(array.type.ordered for array in self.arrays):
            return found
        listed = (t for array in self.arrays for t in array.dictionary.to_pylist() if t is not None)
        return replace(found, order=tuple(dict.fromkeys(text.strip(strings.SPACES) for text in listed)))


Condensed = Floats | Coded
Part = Condensed | SmallIntegers


@lru_cache(maxsize=256)
def _members(wanted: tuple[int, ...]) -> NDArray[np.bool_]:
    table = np.zeros(256, bool)
    table[list(wanted)] = True
    return table


def among(kinds: NDArray[np.uint8], wanted: Iterable[CellKind]) -> NDArray[np.bool_]:
    """Return which cells are of one of these kinds."""
    return _members(tuple(wanted))[kinds]


def read_cells(
    cells: Any, name: str, marks: Sequence[str], decimal: str, as_text: bool = False, threads: int = 1
) -> Part:
    """Return a column of a batch: Arrow cells in one chunk or several, or the doubles of a matrix."""
    if isinstance(cells, np.ndarray):
        if not as_text:
            return Floats(cells)
        cells = from_numbers(cells)
    chunks = cells.chunks if isinstance(cells, pa.ChunkedArray) else [cells]
    if len(chunks) == 1:
        whole = pa.types.is_integer(chunks[0].type)
        small = _small(chunks[0], marks, as_text, threads) if whole else None
        return small or condense(chunks[0], name, marks, decimal, as_text)
    parts = [condense(chunk, name, marks, decimal, as_text) for chunk in chunks or [pa.array([], cells.type)]]
    if len({(type(part), isinstance(part, Floats) and part.dated) for part in parts}) > 1:
        parts = [condense(chunk, name, marks, decimal, True) for chunk in chunks]
    coded = [part for part in parts if isinstance(part, Coded)]
    if coded:
        return Coded(coded[0].array, any(c.written for c in coded), tuple(c.array for c in coded[1:]))
    numbers = [part for part in parts if isinstance(part, Floats)]
    return replace(numbers[0], given=np.concatenate([part.values for part in numbers]), scan=None)


def _small(chunk: pa.Array, marks: Sequence[str], as_text: bool, threads: int) -> SmallIntegers | None:
    """Return whole numbers within 256 of each other, none of them missing, as bytes; None of others."""
    if (len(chunk) <= FEW_WHOLES and not as_text) or chunk.null_count or len(mark_numbers(tuple(marks))):
        return None
    return small_column(to_numbers(chunk), threads)


@lru_cache(maxsize=64)
def mark_numbers(marks: tuple[str, ...]) -> NDArray[np.float64]:
    """Return the missing marks that are numbers. Cached, so never written to."""
    data, offsets = kernels.join_texts(marks)
    parsed = kernels.parse_numbers(data, offsets, None, ())
    return parsed.values[among(parsed.kinds, PLAIN_NUMBERS)]


def tidied(
    values: NDArray[np.float64], sentinels: NDArray[np.float64], scan: Scan | None = None
) -> NDArray[np.float64]:
    """Return values with marks and infinities missing and without -0.0; the same array if it is fine."""
    scan = scan or kernels.scan(values)
    fine = scan.first_infinity < 0 and not (
        scan.negative_zero and scan.low <= 0 <= scan.high and (values.view(np.int64) == NEGATIVE_ZERO).any()
    )
    if fine and not len(sentinels):
        return values
    values = values + 0.0
    values[np.isinf(values) | np.isin(values, sentinels)] = np.nan
    return values


def text_cells(coded: pa.DictionaryArray, marks: tuple[str, ...]) -> pa.LargeStringArray:
    """Return the texts themselves, null where missing."""
    texts = coded.dictionary.cast(pa.large_string())
    marked = strings.numbers(texts, marks).kinds == CellKind.MISSING  # without a copy of the texts
    cells = pc.if_else(from_numbers(marked), None, texts) if marked.sum() > texts.null_count else texts
    every = np.arange(len(texts))
    if coded.indices.null_count == 0 and np.array_equal(to_numbers(coded.indices), every):
        return cells  # texts that were not looked at for copies
    return cells.take(coded.indices)


def condense(
    chunk: pa.Array, name: str, marks: Sequence[str], decimal: str, as_text: bool = False
) -> Condensed:
    """Return a chunk of any Arrow type in one of the two forms; as_text asks for texts even of numbers."""
    kind, types = chunk.type, pa.types
    if types.is_dictionary(kind):
        return _from_dictionary(chunk, name, marks, decimal, as_text)
    if types.is_boolean(kind):
        return Coded(pa.DictionaryArray.from_arrays(chunk.cast(pa.int8()), ["false", "true"]), written=False)
    if types.is_string(kind) or types.is_large_string(kind) or types.is_string_view(kind):
        return _from_strings(chunk, marks, decimal, as_text)
    if types.is_integer(kind):
        return _from_integers(chunk, as_text)
    if types.is_floating(kind):
        return _texts_of(floats(chunk)) if as_text else Floats(floats(chunk))
    if types.is_decimal128(kind) or types.is_decimal256(kind):
        return _from_decimals(chunk, name, as_text)
    if types.is_timestamp(kind) or types.is_date(kind):
        return _from_moments(chunk, name, as_text)
    if types.is_duration(kind):
        seconds = floats(microseconds(chunk)) / 1e6
        return _texts_of(seconds) if as_text else Floats(seconds, spans=True)
    if types.is_null(kind):
        empty = np.full(len(chunk), np.nan)
        return _texts_of(empty) if as_text else Floats(empty)
    if (plain := common(chunk, name)) is not None:
        return condense(plain, name, marks, decimal, as_text)
    raise refused(kind, name)


def distinct_texts(cells: pa.Array, name: str, marks: Sequence[str]) -> Distinct:
    """Return the cells of an array of any type as distinct texts."""
    found = condense(cells, name, (), ".", as_text=True)
    assert isinstance(found, Coded)  # texts were asked for
    with as_utf8(name):
        return found.distinct(marks)


class as_utf8:  # noqa: N801  reads as what it does: with as_utf8(name)
    """Say in which column there are texts whose bytes are not UTF-8, where they are read."""

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = name

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
        if kind is not None and issubclass(kind, UnicodeDecodeError):
            raise DataError(
                f"column {shown(self.name)} holds bytes that are not UTF-8: {shown(error.object[:40])}. "
                "The data is damaged, or in another encoding: write it again as UTF-8."
            ) from None


def floats(chunk: pa.Array) -> NDArray[np.float64]:
    """Return a numeric chunk as float64 with NaN for null; a view when nothing has to change."""
    if chunk.null_count == 0 and pa.types.is_float64(chunk.type):
        return to_numbers(chunk)
    if chunk.null_count == 0:
        return to_numbers(chunk).astype(np.float64)
    return filled(chunk.cast(pa.float64(), safe=False), np.nan)


def _texts_of(values: NDArray[np.float64]) -> Coded:
    """Return numbers as their canonical texts."""
    distinct, codes = np.unique(values, return_inverse=True)
    texts = [None if np.isnan(v) else number_text(v) for v in distinct.tolist()]
    return Coded(pa.DictionaryArray.from_arrays(codes.astype(np.int32), from_texts(texts)), False)


def _from_integers(chunk: pa.Array, as_text: bool) -> Condensed:
    """Whole numbers that a double cannot hold stay texts, so that none are merged by rounding."""
    if not as_text and chunk.type.bit_width < 64:
        return Floats(floats(chunk))
    ends = pc.min_max(chunk)
    low, high = ends["min"].as_py(), ends["max"].as_py()
    if not as_text and (low is None or max(-low, high) <= 1 << 53):
        if low is None or chunk.null_count:
            return Floats(floats(chunk))
        return Floats(floats(chunk), scan=Scan(0, -1, low, high, True, 0 <= low <= high <= 1, False))
    coded = chunk.dictionary_encode()
    wholes = coded.dictionary.to_pylist()
    if not as_text and all(int(float(n)) == n for n in wholes):
        return Floats(floats(chunk))
    texts = from_texts([str(n) for n in wholes])
    return Coded(pa.DictionaryArray.from_arrays(coded.indices, texts), written=False)


def _from_decimals(chunk: pa.Array, name: str, as_text: bool) -> Condensed:
    coded = chunk.dictionary_encode()
    texts = [cell_text(d, name) for d in coded.dictionary.to_pylist()]
    array = pa.DictionaryArray.from_arrays(coded.indices, from_texts(texts))
    return (
        Coded(array, written=False) if as_text else _from_dictionary(array, "", (), ".", False, written=False)
    )


def _refuse_far(chunk: pa.Array, name: str) -> None:
    """Refuse dates and times that microseconds do not reach: they would come out as others."""
    kind = chunk.type
    unit = "D" if pa.types.is_date32(kind) else "ms" if pa.types.is_date(kind) else kind.unit
    if unit not in FAR:
        return
    ends = pc.min_max(chunk.cast(pa.int32() if unit == "D" else pa.int64()))
    if ends["min"].is_valid and max(-ends["min"].as_py(), ends["max"].as_py()) > FAR[unit]:
        raise DataError(f"column {shown(name)} holds dates more than 280,000 years from now. Correct them.")


def _from_moments(chunk: pa.Array, name: str, as_text: bool) -> Condensed:
    """Dates and times are days: double(microseconds) / 86,400,000,000, the same bits as from ISO text."""
    _refuse_far(chunk, name)
    zone = chunk.type.tz if pa.types.is_timestamp(chunk.type) else None
    micros = chunk.cast(pa.timestamp("us", zone), safe=False).cast(pa.int64())
    if not as_text:
        return Floats(floats(micros) / 86400e6, dated=True)
    coded = micros.dictionary_encode()
    texts = from_texts([moment_text(m, zone is not None) for m in coded.dictionary.to_pylist()])
    return Coded(pa.DictionaryArray.from_arrays(coded.indices, texts), written=False)


def _from_strings(chunk: pa.Array, marks: Sequence[str], decimal: str, as_text: bool) -> Condensed:
    """Cells that take many values and read as numbers are read at once; others are coded first."""
    if pa.types.is_string_view(chunk.type):
        chunk = chunk.cast(pa.large_string())
    if not as_text and _looks_numeric(chunk, marks, decimal):
        parsed = strings.numbers(chunk, marks, decimal, dates=True)
        for family, dated in ((WRITTEN_NUMBERS, False), ((CellKind.DATE,), True)):
            if parsed.count(CellKind.MISSING, *family) == len(chunk):
                return Floats(parsed.values, dated, written=True)
    wide = pa.types.is_string(chunk.type) or pa.types.is_large_string(chunk.type)
    if as_text and wide and len(chunk):
        _, offsets, _, _ = strings.layout(chunk)
        if int(offsets[-1] - offsets[0]) >= LONG * len(chunk):
            # hardly one long text comes twice: to find out would cost more than it saves
            every = np.arange(len(chunk), dtype=np.int32)
            return Coded(pa.DictionaryArray.from_arrays(from_numbers(every), chunk, safe=False))
    return coded(chunk)


def coded(chunk: pa.Array) -> Coded:
    """Return texts as codes."""
    return Coded(narrow(chunk.dictionary_encode()))


def _looks_numeric(chunk: pa.Array, marks: Sequence[str], decimal: str) -> bool:
    sample = chunk.slice(0, SAMPLE)
    parsed = strings.numbers(sample, marks, decimal, dates=True)
    plain = parsed.count(CellKind.MISSING, CellKind.DATE, *WRITTEN_NUMBERS)
    return plain == len(sample) and len(pc.unique(pc.ascii_trim(sample, strings.SPACES))) > FEW


def narrow(array: pa.DictionaryArray) -> pa.DictionaryArray:
    """Return the same array with indices as narrow as its dictionary allows: chunks may wait for others."""
    size = len(array.dictionary)
    kind = np.int8 if size < 1 << 7 else np.int16 if size < 1 << 15 else np.int32
    if array.indices.null_count:
        return pa.DictionaryArray.from_arrays(array.indices.cast(pa.from_numpy_dtype(kind)), array.dictionary)
    narrow = to_numbers(array.indices).astype(kind)
    return pa.DictionaryArray.from_arrays(from_numbers(narrow), array.dictionary, safe=False)


def _from_dictionary(
    chunk: pa.DictionaryArray,
    name: str,
    marks: Sequence[str],
    decimal: str,
    as_text: bool,
    written: bool = True,
) -> Condensed:
    """A dictionary is its values, taken by index; an order among them is kept for the judge."""
    values = chunk.dictionary
    if pa.types.is_string(values.type) or pa.types.is_large_string(values.type):
        return Coded(chunk, written)
    inner = condense(values, name, marks, decimal, as_text or chunk.type.ordered)
    indices = filled(chunk.indices, len(values))
    if isinstance(inner, Floats):
        return replace(inner, given=np.append(inner.values, np.nan)[indices], scan=None)
    texts = inner.array.cast(pa.large_string())
    plain = pa.DictionaryArray.from_arrays(chunk.indices, texts, ordered=chunk.type.ordered)
    return Coded(plain, inner.written)
