"""Scores of rows: tables added up, the best class, shares. `add_*` write into scores[row, class]."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallystick import _kernels
from tallystick.kernels import check

Floats = NDArray[np.float64]


def add_code_scores(scores: Floats, codes: NDArray[Any], table: Floats) -> None:
    """Do scores[row, class] += table[codes[row], class]."""
    rows, classes = _shape(scores)
    check.array("codes", codes, check.CODES, (rows,))
    check.array("table", table, "float64", (None, classes))
    _kernels.add_code_scores(scores, codes, table)


def add_gaussian_scores(scores: Floats, values: Floats, mean: Floats, half: Floats, constant: Floats) -> None:
    """Do scores[row, class] += constant[class] - half[class] * (x - mean[class])^2; a missing x adds 0."""
    rows, classes = _shape(scores)
    check.loose("values", values, "float64", (rows,))
    for name, array in (("mean", mean), ("half", half), ("constant", constant)):
        check.array(name, array, "float64", (classes,))
    _kernels.add_gaussian_scores(scores, values, mean, half, constant)


def add_linear_scores(scores: Floats, values: Floats, slope: Floats, missing: Floats) -> None:
    """Do scores[row, class] += x * slope[class]; a missing x adds missing[class]."""
    rows, classes = _shape(scores)
    check.loose("values", values, "float64", (rows,))
    check.array("slope", slope, "float64", (classes,))
    check.array("missing", missing, "float64", (classes,))
    _kernels.add_linear_scores(scores, values, slope, missing)


def add_word_scores(
    scores: Floats,
    starts: NDArray[np.int64],
    words: NDArray[np.uint32],
    counts: NDArray[np.uint32],
    table: Floats,
) -> None:
    """Do scores[row, class] += sum over the row's entries of counts[entry] * table[words[entry], class]."""
    rows, classes = _shape(scores)
    check.array("starts", starts, "int64", (rows + 1,))
    check.array("words", words, "uint32", (None,))
    check.array("counts", counts, "uint32", words.shape)
    check.array("table", table, "float64", (None, classes))
    if int(starts[0]) < 0 or int(starts[-1]) > len(words):
        raise ValueError(
            f"starts must lie within words; found {starts[0]}..{starts[-1]} for {len(words)} entries"
        )
    _kernels.add_word_scores(scores, starts, words, counts, table)


def best_class(scores: Floats) -> NDArray[Any]:
    """Return the class with the highest score per row, the first of equals, in the narrowest dtype."""
    check.array("scores", scores, "float64", (None, None))
    rows, classes = scores.shape
    check.size("number of classes", classes)
    best = np.empty(rows, check.code_dtype(classes))
    _kernels.best_class(scores, best)
    return best


def softmax(scores: Floats) -> Floats:
    """Return shares[row, class] = e^score over the row's sum; all 0 in a row where every score is -inf."""
    check.array("scores", scores, "float64", (None, None))
    check.size("number of classes", scores.shape[1])
    shares = np.empty_like(scores)
    _kernels.softmax(scores, shares)
    return shares


def log_sum_exp(scores: Floats) -> Floats:
    """Return ln(sum over classes of e^score) per row."""
    check.array("scores", scores, "float64", (None, None))
    check.size("number of classes", scores.shape[1])
    out = np.empty(len(scores))
    _kernels.log_sum_exp(scores, out)
    return out


def _shape(scores: Floats) -> tuple[int, int]:
    check.writable("scores", scores, "float64", (None, None))
    return scores.shape[0], check.size("number of classes", scores.shape[1])
