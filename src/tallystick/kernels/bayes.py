"""Words met by class, and cuts of a number by the MDL rule."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallystick import _kernels
from tallystick.kernels import check
from tallystick.kernels.explog import log2

Counts = NDArray[np.int64]
MOST_TABLE = 1 << 20


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
    for j, (code, table) in enumerate(zip(codes, tables, strict=True)):
        check.array(f"codes[{j}]", code, "uint8", (rows,))
        check.array(f"tables[{j}]", table, "float64", (None, classes))
    _kernels.add_level_scores(scores, list(codes), list(tables))


def mdl_cuts(counts: Counts, unit: int = 1) -> NDArray[np.int64]:
    """Return the values before which Fayyad and Irani's rule cuts; counts[value, class] of rising values."""
    check.array("counts", counts, "int64", (None, None))
    values, classes = counts.shape
    check.size("number of classes", classes)
    sums = np.zeros((values + 1, classes), np.int64)
    np.cumsum(counts, axis=0, out=sums[1:])
    size = min(int(sums[-1].sum()) + 1, MOST_TABLE) if values else 1
    n = np.arange(size, dtype=np.float64)
    n[1:] *= log2(n[1:])
    stack, cut = np.zeros(2 * values + 4, np.int64), np.zeros(values, np.uint8)
    _kernels.mdl_cuts(sums, float(unit), n, stack, cut)
    return np.flatnonzero(cut)
