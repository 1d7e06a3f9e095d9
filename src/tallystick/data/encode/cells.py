"""One column of Arrow cells, seen as numbers or as distinct texts. The container's type ends here.

Knows Arrow types and what a written cell looks like. Knows nothing of kinds, levels or rules.
Law: the same values in any Arrow type give the same numbers or the same texts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from tallystick import kernels
from tallystick.errors import DataError, shown

if TYPE_CHECKING:
    import pyarrow as pa
    from numpy.typing import NDArray

SPACE = " \t\n\v\f\r"  # what is stripped around a cell


@dataclass(frozen=True)
class Numbers:
    """A column of numbers: values[row] float64, NaN is missing. `dated`: days since 1970-01-01."""

    values: NDArray[np.float64]
    dated: bool = False


@dataclass(frozen=True)
class Texts:
    """A column of texts: codes[row] int32 into texts, -1 is missing. `order`: the texts have an order of their own."""

    codes: NDArray[np.int32]
    texts: tuple[str, ...]
    order: tuple[str, ...] | None = None


def look_at(column: pa.ChunkedArray, name: str) -> Numbers | Texts:
    """Return the cells of an Arrow column as numbers or texts; other types are refused with a cure."""
    import pyarrow as pa
    import pyarrow.compute as pc

    kind = column.type
    types = pa.types
    if types.is_dictionary(kind):
        return _from_dictionary(column, name)
    if types.is_boolean(kind):
        codes = column.cast(pa.int8()).combine_chunks().fill_null(-1)
        return Texts(_numpy(codes).astype(np.int32), ("false", "true"))
    if types.is_string(kind) or types.is_large_string(kind) or types.is_string_view(kind):
        return _from_strings(column)
    if types.is_integer(kind):
        return _from_integers(column)
    if types.is_floating(kind):
        return Numbers(_floats(column))
    if types.is_decimal(kind):
        return _from_strings(pc.cast(column, pa.string()))
    if types.is_timestamp(kind) or types.is_date(kind):
        micros = column.cast(pa.timestamp("us", getattr(kind, "tz", None)), safe=False).cast(pa.int64())
        return Numbers(_floats(micros) / 86400e6, dated=True)
    if types.is_null(kind):
        return Numbers(np.full(len(column), np.nan))
    raise DataError(
        f"column {shown(name)} is of type {shown(kind)}, which is no number and no text. "
        f"Turn it into numbers or text first, or leave it out: kinds={{{shown(name)}: 'out'}}."
    )


def _numpy(array: Any) -> NDArray[Any]:
    return array.to_numpy(zero_copy_only=False)  # type: ignore[no-any-return]


def _floats(column: pa.ChunkedArray) -> NDArray[np.float64]:
    """Return float64 with NaN for null; a view when nothing has to change."""
    import pyarrow as pa

    if column.num_chunks == 1 and column.null_count == 0 and pa.types.is_float64(column.type):
        return column.chunk(0).to_numpy(zero_copy_only=True)  # type: ignore[no-any-return]
    return column.cast(pa.float64(), safe=False).to_numpy().astype(np.float64, copy=False)  # type: ignore[no-any-return]


def _from_integers(column: pa.ChunkedArray) -> Numbers | Texts:
    import pyarrow as pa
    import pyarrow.compute as pc

    ends = pc.min_max(column)
    if ends["min"].is_valid and max(abs(ends["min"].as_py()), abs(ends["max"].as_py())) > 2**53:
        texts = column.cast(pa.string())
        if any(int(t) != float(t) for t in pc.unique(texts).to_pylist() if t is not None):
            return _from_strings(texts)
    return Numbers(_floats(column))


def _from_strings(column: pa.ChunkedArray) -> Texts:
    import pyarrow as pa

    array = column.cast(pa.large_string()).combine_chunks() if column.num_chunks != 1 else column.chunk(0)
    if isinstance(array, pa.ChunkedArray):
        array = pa.concat_arrays(array.chunks)
    coded = array.dictionary_encode()
    codes = _numpy(coded.indices.fill_null(-1)).astype(np.int32, copy=False)
    return merged(codes, coded.dictionary.to_pylist())


def merged(codes: NDArray[np.int32], texts: Sequence[str | None], order: bool = False) -> Texts:
    """Return the texts with outer space stripped, equal ones made one."""
    stripped = [None if t is None else t.strip(SPACE) for t in texts]
    known = {t: i for i, t in enumerate(dict.fromkeys(t for t in stripped if t is not None))}
    into = np.array([-1 if t is None else known[t] for t in stripped] + [-1], dtype=np.int32)
    ordered = tuple(known) if order else None
    if len(known) == len(texts) and None not in stripped:
        return Texts(codes, tuple(known), ordered)
    return Texts(into[codes], tuple(known), ordered)


def _from_dictionary(column: pa.ChunkedArray, name: str) -> Numbers | Texts:
    import pyarrow as pa

    unified = column.unify_dictionaries().combine_chunks()
    if isinstance(unified, pa.ChunkedArray):
        unified = pa.concat_arrays(unified.chunks) if unified.num_chunks else pa.array([], column.type)
    inner = look_at(pa.chunked_array([unified.dictionary]), name)
    codes = _numpy(unified.indices.cast(pa.int32(), safe=False).fill_null(-1)).astype(np.int32)
    if isinstance(inner, Numbers):
        if column.type.ordered:
            texts = [None if np.isnan(v) else number_text(v) for v in inner.values.tolist()]
            return merged(codes, texts, order=True)
        return Numbers(np.append(inner.values, np.nan)[codes], inner.dated)
    return merged(np.append(inner.codes, -1).astype(np.int32)[codes], inner.texts, column.type.ordered)


def number_text(value: float) -> str:
    """Return the shortest text that reads back as the number; whole numbers without a point."""
    whole = abs(value) < 1e16 and value == int(value)
    return str(int(value)) if whole else repr(float(value))


def parse(texts: Sequence[str], marks: Sequence[str], point: str) -> tuple[NDArray[np.float64], NDArray[np.uint8]]:
    """Return values[text] and kinds[text] of written cells; what is no number has the value NaN."""
    data, offsets = kernels.join_texts(texts)
    parsed = kernels.parse_numbers(data, offsets, None, marks, point, dates=True)
    return parsed.values, parsed.kinds
