"""One look at a numeric column; its exact ranks; its codes by given cuts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import isinf
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tallystick import _kernels
from tallystick.kernels import check
from tallystick.kernels.matrix import RowScan, scan_rows

Counts = NDArray[np.int64]
BIN_STEPS: int = _kernels.bin_steps  # from the first cut to the last, for bins found without a search
FLOATS = ("float64", "float32")
PICKED_AT_ONCE = 1 << 14  # rows
FEW_COLUMNS = 4  # below, columns one by one are quicker


class Scan(NamedTuple):
    """What one pass over a numeric column tells. low > high (inf, -inf) when no finite value is present."""

    missing: int
    first_infinity: int  # row, or -1
    low: float | int  # int for whole-number dtypes, so nothing is rounded
    high: float | int
    whole: bool  # every finite value is a whole number
    binary: bool  # every finite value is 0 or 1
    negative_zero: bool = True  # a -0.0 may be there


class Ranks(NamedTuple):
    """Exact ranks of a column: values[row] == distinct[codes[row]], missing rows have code len(distinct)."""

    codes: NDArray[Any]  # [row], the narrowest dtype that holds len(distinct) + 2 codes
    distinct: NDArray[np.float64]  # ascending
    missing: int
    counts: NDArray[np.int64] | None  # rows per distinct value, if asked for
    order: NDArray[np.uint32] | None  # rows by value, then by row, missing rows last, if asked for


def scan(values: NDArray[Any]) -> Scan:
    """Return what type inference needs of a column of any numeric dtype, strided or not."""
    check.loose("values", values, check.NUMBERS, (None,))
    if values.dtype.kind == "f":
        return Scan(*_kernels.scan(values))
    if not len(values):
        return Scan(0, -1, np.inf, -np.inf, True, True)
    low, high = _kernels.scan_whole(values)
    return Scan(0, -1, low, high, True, low >= 0 and high <= 1)


def scan_matrix(matrix: NDArray[Any]) -> list[Scan]:
    """Return `scan` of every column of matrix[row, column], reading the memory once."""
    check.loose("matrix", matrix, FLOATS, (None, None))
    if matrix.dtype == np.float64 and matrix.shape[1] >= FEW_COLUMNS:
        columns = list(matrix.T)
        return scan_columns(columns, _kernels.scan_rows(columns))
    return [Scan(*s) for s in _kernels.scan_matrix(matrix)]


def scan_columns(columns: Sequence[NDArray[np.float64]], found: list[RowScan] | None = None) -> list[Scan]:
    """Return `scan` of columns of one length, several at a time; found: what `scan_rows` tells of them, where
    it is known.
    """
    found = scan_rows(columns) if found is None else found
    return [_scan_of(s, column) for s, column in zip(found, columns, strict=True)]


def _scan_of(seen: RowScan, column: NDArray[Any]) -> Scan:
    missing, low, high, broken, many, negative_zero = seen
    if missing < len(column) and (isinf(low) or isinf(high)):
        return scan(column)  # where infinities are, and what lies between them
    return Scan(missing, -1, low + 0.0, high + 0.0, broken == 0, many == 0, negative_zero)


def ranks(
    values: NDArray[np.float64],
    *,
    counts: bool = False,
    order: bool = False,
    pause: Callable[[], None] = lambda: None,
    room: check.Room = np.empty,
) -> Ranks:
    """Return exact ranks; NaN is missing, -0.0 is 0.0. `pause` is called halfway, and may raise; `room` makes
    long arrays.
    """
    check.loose("values", values, "float64", (None,))
    rows = len(values)
    if rows >= 1 << 32:
        raise ValueError(f"values must have fewer than 2**32 rows; found {rows}")
    scratch = room((2, rows), np.uint64)
    present, n = _kernels.rank_rows(values, scratch)
    pause()
    codes, distinct = room(rows, check.code_dtype(n + 2)), room(n, np.float64)
    _kernels.rank_codes(values, scratch, present, codes, distinct)
    repeats = sequence = None
    if counts:
        repeats = room(n, np.int64)
        _kernels.rank_counts(scratch, present, repeats)
    if order:
        sequence = np.empty(rows, np.uint32)
        _kernels.rank_order(values, scratch, present, sequence)
    return Ranks(codes, distinct, rows - present, repeats, sequence)


def count_cells(
    values: NDArray[np.float64], start: float, scale: float, weights: Counts | None, counts: Counts
) -> None:
    """Do counts[cell] += rows (or weight), cell = (x / 2 - start) * scale within the cells; missing values
    are in none.
    """
    check.loose("values", values, "float64", (None,))
    check.maybe("weights", weights, "int64", values.shape)
    check.array("counts", counts, "int64", (None,))
    check.size("cells", len(counts))
    _kernels.count_cells(values, start, scale, weights, counts)


def pick_cells(
    values: NDArray[np.float64], start: float, scale: float, wanted: NDArray[np.bool_]
) -> NDArray[np.uint32]:
    """Return the rows whose values lie in cells with wanted[cell], see `count_cells`."""
    check.loose("values", values, "float64", (None,))
    check.array("wanted", wanted, "bool", (None,))
    check.size("cells", len(wanted))
    picked = np.empty(len(values) + 1, np.uint32)
    count = int(_kernels.pick_cells(values, start, scale, wanted.view(np.uint8), picked))
    return picked[:count].copy()


def value_hashes(values: NDArray[np.float64]) -> NDArray[np.uint64]:
    """Return a hash of each value, the same on every machine; -0.0 is 0.0."""
    check.array("values", values, "float64", (None,))
    hashes = np.empty(len(values), np.uint64)
    _kernels.value_hashes(values, hashes)
    return hashes


def pick_values(
    columns: Sequence[NDArray[np.float64]], limits: Sequence[int]
) -> list[tuple[NDArray[np.int64], NDArray[np.float64]]]:
    """Return, of each column, the rows whose values have hashes of at most its limit and those without a
    value, and these values.
    """
    rows = len(columns[0]) if columns else 0
    check.columns("columns", columns, "float64", rows)
    most = np.array(limits, np.uint64)
    check.array("limits", most, "uint64", (len(columns),))
    step = min(rows, PICKED_AT_ONCE)  # the same memory again for all steps, as long as few are picked
    where, what = np.empty((len(columns), 2 * step), np.int64), np.empty((len(columns), 2 * step))
    found, full = np.zeros(len(columns), np.int64), list[list[tuple[Any, Any]]]()
    for start in range(0, rows, max(step, 1)):
        if int(found.max()) > step:
            full.append(_picked(where, what, found))
            found[:] = 0
        some = [values[start : start + step] for values in columns]
        _kernels.pick_values(some, most, start, found, where, what)
    full.append(_picked(where, what, found))
    if len(full) == 1:
        return full[0]
    every = [tuple(zip(*own, strict=True)) for own in zip(*full, strict=True)]
    return [(np.concatenate(rows), np.concatenate(values)) for rows, values in every]


def _picked(where: Any, what: Any, found: Counts) -> list[tuple[Any, Any]]:
    return [(where[j, :n].copy(), what[j, :n].copy()) for j, n in enumerate(found.tolist())]


class SampledColumn(NamedTuple):
    """Values with their counts[value, class], missing[class], the highest of their hashes, and how many
    values there were.
    """

    values: NDArray[np.float64]
    counts: Counts
    missing: Counts
    limit: int
    distinct: int


def sample_values(
    found: Sequence[tuple[int, NDArray[np.int64], NDArray[np.float64]]],
    classes: NDArray[Any],
    n_classes: int,
    limit: int,
    size: int,
    weights: Counts | None = None,
) -> SampledColumn:
    """Return those `size` values, of some whose hashes are at most a limit, whose hashes are least; fewer
    where there are no more. found: parts of the rows, each the number of its first row, rows after it and
    their values. A row of weight 0 does not count.
    """
    check.array("classes", classes, check.CODES, (None,))
    check.maybe("weights", weights, "int64", classes.shape)
    for _, rows, values in found:
        check.array("rows", rows, "int64", (None,))
        check.array("values", values, "float64", rows.shape)
    n = sum(len(rows) for _, rows, _ in found)
    if n >= 1 << 32:
        raise ValueError(f"found must have fewer than 2**32 rows; found {n}")
    most = min(n, check.size("size", size))
    to, counts = np.empty(most), np.zeros((most, check.size("n_classes", n_classes)), np.int64)
    missing = np.zeros(n_classes, np.int64)
    where, what = [rows for _, rows, _ in found], [values for _, _, values in found]
    distinct, kept, last = _kernels.sample_values(
        [start for start, _, _ in found], where, what, classes, weights, limit, size, to, counts, missing
    )
    return SampledColumn(to[:kept], counts[:kept], missing, last, distinct)


def meet_values(
    columns: Sequence[NDArray[Any]],
    classes: NDArray[Any],
    n_classes: int,
    most: int,
    weights: Counts | None = None,
) -> list[tuple[NDArray[np.float64], Counts, Counts] | None]:
    """Return, of each column, its distinct values, rising, with their counts[value, class], and
    missing[class]; None of a column that has more than `most`. Columns are read as doubles; -0.0 is 0.0.
    """
    check.array("classes", classes, check.CODES, (None,))
    check.maybe("weights", weights, "int64", classes.shape)
    check.columns("columns", columns, check.NUMBERS, len(classes))
    width, most = len(columns), min(check.size("most", most), len(classes))
    values = np.empty((width, most))
    counts = np.empty((width, most, check.size("n_classes", n_classes)), np.int64)
    missing, met = np.zeros((width, n_classes), np.int64), np.zeros(width, np.int64)
    _kernels.meet_values(list(columns), classes, weights, values, counts, missing, met)
    found = zip(values, counts, missing, met.tolist(), strict=True)
    return [(v[:n].copy(), c[:n].copy(), m) if n <= most else None for v, c, m, n in found]


def bins(values: NDArray[np.float64], cuts: NDArray[np.float64]) -> NDArray[Any]:
    """Return codes[row] = number of cuts <= value (x < cut is left of it); missing is len(cuts) + 1."""
    check.loose("values", values, "float64", (None,))
    check.array("cuts", cuts, "float64", (None,))
    codes = np.empty(len(values), check.code_dtype(len(cuts) + 3))
    _kernels.bin_values(values, cuts, codes)
    return codes
