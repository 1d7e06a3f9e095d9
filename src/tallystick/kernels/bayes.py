"""Words met by class, and how a number is read: cuts by the MDL rule, or a Gaussian."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tallystick import _kernels
from tallystick.kernels import check
from tallystick.kernels.explog import log2

Counts = NDArray[np.int64]
MOST_TABLE = 1 << 16  # the kernels take logarithms beyond it, the same bits; it stays, 1 MB


def count_entries(
    starts: NDArray[np.int64],
    words: NDArray[np.uint32],
    counts: NDArray[np.uint32] | None,
    classes: NDArray[Any],
    *,
    weights: Counts | None = None,
    out: Counts,
) -> Counts:
    """Add the words of each row to out[word, class], a word's count (None: 1) times the row's weight.

    A word beyond the table is not counted.
    """
    rows = len(classes)
    check.array("starts", starts, "int64", (rows + 1,))
    check.array("words", words, "uint32", (None,))
    check.maybe("counts", counts, "uint32", words.shape)
    check.array("classes", classes, check.CODES, (rows,))
    check.maybe("weights", weights, "int64", (rows,))
    check.writable("out", out, "int64", (None, None))
    if int(starts[0]) < 0 or int(starts[-1]) > len(words):
        raise ValueError(
            f"starts must lie within words; found {starts[0]}..{starts[-1]} for {len(words)} entries"
        )
    _kernels.count_entries(starts, words, counts, classes, weights, out)
    return out


def add_level_scores(
    scores: NDArray[np.float64], codes: Sequence[NDArray[np.uint8]], tables: Sequence[NDArray[np.float64]]
) -> None:
    """Do scores[row, class] += tables[j][codes[j][row], class] for all columns j, in their order."""
    check.writable("scores", scores, "float64", (None, None))
    rows, classes = scores.shape
    if len(codes) != len(tables):
        raise ValueError(f"there must be a table for each column; found {len(tables)} for {len(codes)}")
    check.arrays("codes", codes, "uint8", (rows,))
    check.arrays("tables", tables, "float64", (None, classes))
    _kernels.add_level_scores(scores, list(codes), list(tables))


def mdl_cuts(counts: Counts, unit: int = 1) -> NDArray[np.int64]:
    """Return the values before which Fayyad and Irani's rule cuts; counts[value, class] of rising values."""
    check.array("counts", counts, "int64", (None, None))
    check.size("number of classes", counts.shape[1])
    cuts = _kernels.mdl_cuts(counts, float(unit), _n_log_n(int(counts.sum())))
    return np.array(cuts, np.int64)


class Readings(NamedTuple):
    """What test cases say of two ways to read a column, summed over them."""

    gaussian: float  # log-likelihood of the classes
    binned: float
    squares: float  # of the differences
    cases: float


def judge_readings(
    values: NDArray[np.float64], counts: Counts, unit: int, folds: int, tried: int
) -> Readings:
    """Read a column of rising values as a Gaussian and in bins of the MDL rule, without the cases of a fold,
    and judge both by these; for the first `tried` of the folds. counts[value, class].
    """
    check.array("values", values, "float64", (None,))
    check.array("counts", counts, "int64", (len(values), None))
    check.size("number of classes", counts.shape[1])
    check.size("unit", unit)
    check.size("folds", folds)
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


_tables = np.zeros(1)  # grows to MOST_TABLE at most and stays: every column of a table asks for it
