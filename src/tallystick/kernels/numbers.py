"""Numeric kernels: exp and log, MDL cuts, scans, exact sums, ranks and hash samples of numeric columns.

- `exp()`, `log()`, ...: the same bits on every machine, any shape. `mdl_cuts()`, `judge_readings()`.
- Many columns of any numeric type in one pass: `joined_scans()`, `AnyNumbers`.
- Exact sums as digits: `add_moments()`, `exact_sum()`. One column: `scan()`, `ranks()`, `pick_values()`.

digit i of a sum is worth 2^(32 i) units of 2^-1074 (of squares: 2^-2148).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from math import isinf
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tallystick import _kernels
from tallystick.kernels import check

Counts = NDArray[np.int64]


# ---- exp, log, ...: the same bits on every machine; any shape in, the same shape out ----


Floats = NDArray[np.float64]


def _each(kernel: Callable[[Any, Any], None], values: ArrayLike) -> Floats:
    given = np.asarray(values, np.float64, order="C")
    out = np.empty_like(given)
    kernel(given.reshape(-1), out.reshape(-1))
    return out


def exp(values: ArrayLike) -> Floats:
    """Return e^x, within 1 unit in the last place."""
    return _each(_kernels.exp, values)


def log(values: ArrayLike) -> Floats:
    """Return ln x, within 1 unit in the last place; -inf at 0, NaN below."""
    return _each(_kernels.log, values)


def log2(values: ArrayLike) -> Floats:
    """Return log2 x, within 2 units in the last place; exact at powers of two."""
    return _each(_kernels.log2, values)


def log1p(values: ArrayLike) -> Floats:
    """Return ln(1 + x), within 2 units in the last place."""
    return _each(_kernels.log1p, values)


def sigmoid(values: ArrayLike) -> Floats:
    """Return 1 / (1 + e^-x), within 2 units in the last place."""
    return _each(_kernels.sigmoid, values)


# ---- cuts by the MDL rule; a column read as bins or as a Gaussian ----


MOST_TABLE = 1 << 16  # n up to which n log2(n) is cached, 1 MB; beyond, kernels get the same bits


def mdl_cuts(counts: Counts, unit: int = 1) -> NDArray[np.int64]:
    """Return the values before which Fayyad and Irani's rule cuts; counts[value, class] of rising values."""
    cuts = _kernels.mdl_cuts(counts, float(unit), _n_log_n(int(counts.sum())))
    return np.array(cuts, np.int64)


class Readings(NamedTuple):
    """Losses of two models of a column on held-out rows, summed over them."""

    gaussian: float  # log-likelihood of the classes
    binned: float
    squares: float  # of the differences
    cases: float


def judge_readings(
    values: NDArray[np.float64], counts: Counts, unit: int, folds: int, tried: int
) -> Readings:
    """Fit a column of rising values as a Gaussian and in bins of the MDL rule without the rows of a fold, and
    evaluate both on these; for the first `tried` of the folds. counts[value, class].
    """
    return Readings(*_kernels.judge_readings(values, counts, unit, folds, tried, _n_log_n(int(counts.sum()))))


def _n_log_n(most: int) -> NDArray[np.float64]:
    """Return n log2(n) for n up to the most, or as far as the table goes."""
    size = 1 << min(most, MOST_TABLE).bit_length()
    return _tables[:size] if len(_tables) >= size else _grown(size)


def _grown(size: int) -> NDArray[np.float64]:
    global _tables
    n = np.arange(size, dtype=np.float64)
    n[1:] *= log2(n[1:])
    _tables = n  # threads that grow it at once write the same
    return n


_tables = np.zeros(1)  # a cache: every column of a table needs it


# ---- many columns in one pass ----


RowScan = tuple[int, float, float, int, int, bool]


def joined_scans(parts: Sequence[list[RowScan]]) -> list[RowScan]:
    """Return the scans of columns from those of some of their rows each."""
    if len(parts) == 1:
        return parts[0]
    out = []
    for column in zip(*parts, strict=True):
        missing, low, high, broken, many, zero = zip(*column, strict=True)
        out.append((sum(missing), min(low), max(high), sum(broken), sum(many), any(zero)))
    return out


class AnyNumbers:
    """Columns of numbers of any type, as they lie: laid out as doubles some rows at a time, for kernels that
    read these alone.
    """

    def __init__(self, columns: Sequence[NDArray[Any]], rows: int) -> None:
        self._kept = columns  # the kernel has addresses alone
        self._numbers = _kernels.any_numbers(columns, rows)

    def doubles(self, first: int, out: Floats, by_rows: bool) -> bool:
        """Fill out[row, column] where by_rows, else out[column, row], with the rows from `first` on. Return
        False where one is infinite, or whole and beyond 2^53; out then holds anything.
        """
        return self._numbers.doubles(first, by_rows, out)

    def codes(self, first: int, numbers: tuple[float, float], out: NDArray[np.uint8]) -> bool:
        """Fill out[column, row] with the codes 0 and 1 of two numbers, and 2 of missing ones, from the row
        `first` on. Return False where there is another number; out then holds anything.
        """
        return self._numbers.codes(first, *numbers, out)


# ---- exact sums of doubles as digits, and digits as Python's whole numbers ----
#
# Carried digits are the one form of a number: all but the last are in [0, 2^32), the last has the sign.


Digits = NDArray[np.int64]
SUM_DIGITS: int = _kernels.sum_digits
SQUARE_DIGITS: int = _kernels.square_digits
SUM_UNIT = 1074  # a sum of 1 is 2^-1074
SQUARE_UNIT = 2148
FEW_COLUMNS = 4  # below, separate passes are faster than a joint one
MOST_CLASSES = 32  # beyond, the tables of all columns no longer fit in the cache


def add_moments(
    columns: Sequence[NDArray[np.float64]],
    classes: NDArray[Any],
    missing: Digits,
    sums: Digits,
    squares: Digits,
    weights: NDArray[np.int64] | None = None,
) -> None:
    """Add columns[j][row] to the three tables, exactly; columns may be strided.

    No weight is below 0. missing[column, class]: rows (or weight) without a finite value;
    sums[column, class, digit]; squares[column, class, digit]. Digits come out carried.
    """
    n_classes, step = missing.shape[1], _kernels.most_rows
    for begin in range(0, len(classes), step):
        rows = slice(begin, begin + step)
        part = None if weights is None else weights[rows]
        bits = 0 if part is None or not len(part) else int(part.max()).bit_length()
        if n_classes <= MOST_CLASSES and len(columns) >= FEW_COLUMNS and bits <= _kernels.most_weight_bits:
            some = [c[rows] for c in columns]
            _kernels.add_row_moments(some, classes[rows], part, bits, missing, sums, squares)
            carry(sums)
            carry(squares)
            continue
        scratch = np.zeros(_kernels.bucket_words(1, n_classes, weights is not None), np.uint64)
        for j, column in enumerate(columns):
            tables = (table[j : j + 1] for table in (missing, sums, squares))
            _kernels.add_moments(column[rows][:, None], classes[rows], part, scratch, *tables)


def carry(digits: Digits) -> Digits:
    """Bring digits[..., digit] into canonical form, in place, and return them; a sum of two needs it."""
    _kernels.carry(digits.reshape(-1, digits.shape[-1]))
    return digits


def whole(digits: Digits) -> int:
    """Return the whole number that carried digits[digit] are."""
    return wholes(digits[None])[0]


def wholes(digits: Digits) -> list[int]:
    """Return the whole numbers that carried digits[number, digit] are. Bytes of 0 at either end are most of
    them, and dear to turn into a number.
    """
    size = 4 * (digits.shape[1] - 1)
    low, high, out = digits[:, :-1].astype("<u4").tobytes(), digits[:, -1].tolist(), []
    for at, top in enumerate(high):
        ending = low[at * size : (at + 1) * size].lstrip(b"\0")
        number = int.from_bytes(ending.rstrip(b"\0"), "little") << 8 * (size - len(ending))
        out.append(number + (top << 8 * size))
    return out


def digits_of(number: int, length: int) -> Digits:
    """Return the carried digits of a whole number: the inverse of `whole`."""
    low = number & ((1 << 32 * (length - 1)) - 1)
    out = np.empty(length, np.int64)
    out[:-1] = np.frombuffer(low.to_bytes(4 * (length - 1), "little"), "<u4")
    out[-1] = number >> 32 * (length - 1)
    return out


def exact_sum(digits: Digits) -> Fraction:
    """Return the sum that sums[column, class] stand for; `float()` of it is correctly rounded."""
    return Fraction(whole(digits), 1 << SUM_UNIT)


def exact_squares(digits: Digits) -> Fraction:
    """Return the sum of squares that squares[column, class] stand for."""
    return Fraction(whole(digits), 1 << SQUARE_UNIT)


# ---- one numeric column: scan, exact ranks, values of least hashes ----


BIN_STEPS: int = _kernels.bin_steps  # from the first cut to the last, for bins found without a search
PICKED_AT_ONCE = 1 << 14  # rows of one kernel call


class Scan(NamedTuple):
    """What one pass over a numeric column finds. low > high (inf, -inf) when no finite value is present."""

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
    if values.dtype.kind == "f":
        return Scan(*_kernels.scan(values))
    if not len(values):
        return Scan(0, -1, np.inf, -np.inf, True, True)
    low, high = _kernels.scan_whole(values)
    return Scan(0, -1, low, high, True, low >= 0 and high <= 1)


def scan_matrix(matrix: NDArray[Any]) -> list[Scan]:
    """Return `scan` of every column of matrix[row, column], reading the memory once."""
    if matrix.dtype == np.float64 and matrix.shape[1] >= FEW_COLUMNS:
        columns = list(matrix.T)
        return scan_columns(columns, _kernels.scan_rows(columns))
    return [Scan(*s) for s in _kernels.scan_matrix(matrix)]


def scan_columns(columns: Sequence[NDArray[np.float64]], found: list[RowScan] | None = None) -> list[Scan]:
    """Return `scan` of columns of one length, several at a time; found: what `scan_rows` finds in them, where
    it is known.
    """
    found = _kernels.scan_rows(columns) if found is None else found
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
    rows = len(values)
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


def pick_values(
    columns: Sequence[NDArray[np.float64]], limits: Sequence[int]
) -> list[tuple[NDArray[np.int64], NDArray[np.float64]]]:
    """Return, of each column, the rows whose values have hashes of at most its limit and those without a
    value, and these values.
    """
    rows = len(columns[0]) if columns else 0
    most = np.array(limits, np.uint64)
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
    n = sum(len(rows) for _, rows, _ in found)
    if n >= 1 << 32:
        raise ValueError(f"found must have fewer than 2**32 rows; found {n}")
    most = min(n, check.check_size("size", size))
    to, counts = np.empty(most), np.zeros((most, check.check_size("n_classes", n_classes)), np.int64)
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
    width, most = len(columns), min(check.check_size("most", most), len(classes))
    values = np.empty((width, most))
    counts = np.empty((width, most, check.check_size("n_classes", n_classes)), np.int64)
    missing, met = np.zeros((width, n_classes), np.int64), np.zeros(width, np.int64)
    _kernels.meet_values(list(columns), classes, weights, values, counts, missing, met)
    found = zip(values, counts, missing, met.tolist(), strict=True)
    return [(v[:n].copy(), c[:n].copy(), m) if n <= most else None for v, c, m, n in found]
