"""Hashes of cells and rows in two lanes of 64 bits: for fingerprints and folds, not for secrets.

A row's hash is mix(sum over columns of its cells' hashes): hashes[lane, row] starts at 0, each column adds,
then `mix_hashes` ends it. A column's key comes from its name, so the order of columns does not matter.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallystick import _kernels
from tallystick.kernels import check
from tallystick.kernels.matrix import RowScan

Hashes = NDArray[np.uint64]


def hash_text(data: bytes, key: tuple[int, int] = (1, 2)) -> tuple[int, int]:
    """Return the two lanes of the hash of some bytes: a column's key from its name, a level's hash."""
    return _kernels.hash_bytes(data, key[0]), _kernels.hash_bytes(data, key[1])


def hash_missing(key: tuple[int, int]) -> tuple[int, int]:
    """Return the two lanes of a missing cell's hash."""
    return _kernels.hash_missing(key[0]), _kernels.hash_missing(key[1])


def add_code_hashes(hashes: Hashes, codes: NDArray[Any], table: Hashes) -> None:
    """Do hashes[lane, row] += table[lane, codes[row]]."""
    rows = _rows(hashes)
    check.array("codes", codes, check.CODES, (rows,))
    check.array("table", table, "uint64", (2, None))
    _kernels.add_code_hashes(hashes, codes, table)


def add_joint_hashes(hashes: Hashes, codes: Sequence[NDArray[np.uint8]], tables: Sequence[Hashes]) -> None:
    """Do `add_code_hashes` for several columns of few codes; tables have at most 2,048 codes."""
    rows = _rows(hashes)
    if len(codes) != len(tables):
        raise ValueError(f"tables must have one entry per column; found {len(tables)} for {len(codes)}")
    for j, (column, table) in enumerate(zip(codes, tables, strict=True)):
        check.array(f"codes[{j}]", column, "uint8", (rows,))
        check.array(f"tables[{j}]", table, "uint64", (2, None))
        if table.shape[1] > _kernels.joint_codes:
            raise ValueError(
                f"tables[{j}] must have at most {_kernels.joint_codes} codes; found {table.shape[1]}"
            )
    _kernels.add_joint_hashes(hashes, list(codes), list(tables))


def add_word_hashes(
    hashes: Hashes,
    starts: NDArray[np.int64],
    words: NDArray[np.uint32],
    counts: NDArray[np.uint32],
    table: Hashes,
) -> None:
    """Do hashes[lane, row] += count * table[lane, word] over the entries starts[row]:starts[row + 1]."""
    rows = _rows(hashes)
    check.array("starts", starts, "int64", (rows + 1,))
    check.array("words", words, "uint32", (None,))
    check.array("counts", counts, "uint32", words.shape)
    check.array("table", table, "uint64", (2, None))
    if int(starts[0]) != 0 or int(starts[-1]) != len(words):
        raise ValueError(f"starts must run from 0 to {len(words)}; found {starts[0]}..{starts[-1]}")
    _kernels.add_word_hashes(hashes, starts, words, counts, table)


def add_double_hashes(hashes: Hashes, values: NDArray[np.float64], key: tuple[int, int]) -> None:
    """Do hashes[lane, row] += hash of values[row] under key[lane]; NaN is missing, -0.0 is 0.0."""
    rows = _rows(hashes)
    check.loose("values", values, "float64", (rows,))
    _kernels.add_double_hashes(hashes, values, key[0], key[1])


def add_text_hashes(
    hashes: Hashes,
    data: NDArray[np.uint8],
    offsets: NDArray[Any],
    validity: NDArray[np.uint8] | None,
    key: tuple[int, int],
    *,
    bit_offset: int = 0,
) -> None:
    """Do hashes[lane, row] += hash of the text data[offsets[row]:offsets[row + 1]] under key[lane].

    Bit (bit_offset + row) of validity is 1 where the cell is there; None: all are.
    """
    rows = _rows(hashes)
    check.array("data", data, "uint8", (None,))
    check.array("offsets", offsets, ("int32", "int64"), (rows + 1,))
    if int(offsets[0]) < 0 or int(offsets[-1]) > len(data):
        raise ValueError(
            f"offsets must lie within data; found {offsets[0]}..{offsets[-1]} for {len(data)} bytes"
        )
    if validity is not None:
        check.array("validity", validity, "uint8", (None,))
        if 8 * len(validity) < bit_offset + rows:
            raise ValueError(f"validity must have {bit_offset + rows} bits; found {8 * len(validity)}")
    call = _kernels.add_text_hashes_64 if offsets.itemsize == 8 else _kernels.add_text_hashes_32
    call(hashes, data, offsets, validity, bit_offset, key[0], key[1])


def mix_hashes(hashes: Hashes) -> None:
    """End the row hashes: each is mixed once more, in place."""
    _rows(hashes)
    _kernels.mix_hashes(hashes)


def key_hashes(hashes: Hashes, key: int, out: Hashes | None = None) -> Hashes:
    """Return out[row], another hash for another key; out may be the hashes themselves."""
    check.array("hashes", hashes, "uint64", (None,))
    out = np.empty_like(hashes) if out is None else check.writable("out", out, "uint64", hashes.shape)
    _kernels.key_hashes(hashes, key, out)
    return out


def number_copies(keys: Hashes) -> tuple[NDArray[np.int64], int]:
    """Return numbers[row], how many rows before it have its key, and how many keys differ."""
    numbers = np.empty(_ordered(keys), np.int64)
    return numbers, int(_kernels.number_copies(keys, numbers))


def order_keys(keys: Hashes, classes: NDArray[Any] | None = None, n_classes: int = 0) -> NDArray[np.int64]:
    """Return the rows in the order of their keys, class by class where there are classes; equal ones in the
    order they have.
    """
    order = np.empty(_ordered(keys), np.int64)
    if classes is not None:
        check.array("classes", classes, check.CODES, keys.shape)
        check.size("n_classes", n_classes)
    _kernels.order_keys(keys, classes, n_classes, order)
    return order


def _ordered(keys: Hashes) -> int:
    """Return how many rows there are, few enough for the kernels' numbers of rows."""
    rows = len(check.array("keys", keys, "uint64", (None,)))
    if rows >= 1 << 32:
        raise ValueError(f"at most {(1 << 32) - 1} rows; found {rows}")
    return rows


def sum_hashes(hashes: Hashes, weights: NDArray[np.int64] | None = None) -> int:
    """Return the sum over rows of weight times the 128-bit hash (lane 1 is the high half), modulo 2^128."""
    rows = _rows(hashes)
    check.maybe("weights", weights, "int64", (rows,))
    low, high = _kernels.sum_hashes(hashes, weights)
    return int((high << 64) + low)


def hash_total(
    rows: int,
    codes: Sequence[NDArray[np.uint8]],
    tables: Sequence[Hashes],
    doubles: Sequence[NDArray[np.float64]],
    keys: Sequence[tuple[int, int]],
    more: Hashes | None = None,
    weights: NDArray[np.int64] | None = None,
) -> int:
    """Return `sum_hashes` of rows whose hashes are those of their codes, by tables, the prints of their
    doubles, by keys, and `more`; some rows at a time, so that no array of hashes is made.
    """
    if len(codes) != len(tables) or len(doubles) != len(keys):
        raise ValueError(f"one table per code column, one key per other; found {len(tables)} and {len(keys)}")
    for j, (column, table) in enumerate(zip(codes, tables, strict=True)):
        check.array(f"codes[{j}]", column, "uint8", (rows,))
        check.array(f"tables[{j}]", table, "uint64", (2, None))
        if table.shape[1] > _kernels.joint_codes:
            raise ValueError(f"tables[{j}] must have at most {_kernels.joint_codes} codes")
    check.columns("doubles", doubles, "float64", rows)
    check.maybe("more", more, "uint64", (2, rows))
    check.maybe("weights", weights, "int64", (rows,))
    by_lane = _by_lane(tuple(keys))
    low, high = _kernels.hash_total(rows, list(codes), list(tables), list(doubles), by_lane, more, weights)
    return int((high << 64) + low)


def walk_rows(
    columns: Sequence[NDArray[Any]],
    keys: Sequence[tuple[int, int]],
    classes: NDArray[np.uint8],
    labels: Hashes,
    moments: tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]] | None = None,
    picks: Sequence[NDArray[Any]] | None = None,
) -> tuple[int, list[RowScan]]:
    """Return `hash_total` of rows of numbers, as doubles, by keys, and of their classes, by labels[lane,
    class]; and what `scan_rows` tells of the columns. moments: tables to which rows are added as
    `add_moments` does, but that digits are not carried. picks: limits[column], found[column], and rows and
    values [column, place], to which is added what `pick_values` finds, as far as there is room. All of it
    while some rows after the others are near: memory is walked through once.
    """
    rows = len(classes)
    if len(columns) != len(keys):
        raise ValueError(f"keys must have one entry per column; found {len(keys)} for {len(columns)}")
    check.columns("columns", columns, check.NUMBERS, rows)
    check.array("classes", classes, "uint8", (None,))
    check.array("labels", labels, "uint64", (2, None))
    if labels.shape[1] > _kernels.joint_codes:
        raise ValueError(f"labels must have at most {_kernels.joint_codes} codes; found {labels.shape[1]}")
    n_classes = labels.shape[1]
    if moments is not None:
        missing, sums, squares = moments
        if rows > _kernels.most_rows:
            raise ValueError(f"at most {_kernels.most_rows} rows; found {rows}")
        check.writable("missing", missing, "int64", (len(columns), None))
        check.writable("sums", sums, "int64", (*missing.shape, _kernels.sum_digits))
        check.writable("squares", squares, "int64", (*missing.shape, _kernels.square_digits))
        n_classes = missing.shape[1]
    by_lane, to = _by_lane(tuple(keys)), _to_pick(len(columns), picks)
    low, high, seen = _kernels.walk_rows(list(columns), by_lane, classes, labels, n_classes, moments, to)
    return int((high << 64) + low), seen


def _to_pick(
    width: int, picks: Sequence[NDArray[Any]] | None
) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any], NDArray[Any]] | None:
    if picks is None:
        return None
    limits, found, rows, values = picks
    check.array("limits", limits, "uint64", (width,))
    check.writable("found", found, "int64", (width,))
    check.writable("rows", rows, "int64", (width, None))
    check.writable("values", values, "float64", rows.shape)
    return limits, found, rows, values


@lru_cache(maxsize=256)
def _by_lane(keys: tuple[tuple[int, int], ...]) -> Hashes:
    """Return keys[lane, column]: fit after fit has the same columns. Shared: nobody writes to it."""
    return np.array([[key[lane] for key in keys] for lane in (0, 1)], np.uint64)


def _rows(hashes: Hashes) -> int:
    check.writable("hashes", hashes, "uint64", (2, None))
    return int(hashes.shape[1])
