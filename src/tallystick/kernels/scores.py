"""Scores of rows: tables added up, the best class, shares. `add_*` write into scores[row, class]."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

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


class Parabola(NamedTuple):
    """What a number adds: constant[class] - half[class] * (x - mean[class])^2; a missing one nothing."""

    mean: Floats
    half: Floats
    constant: Floats


class Bins(NamedTuple):
    """What a number adds: table[bin, class], bin = cuts at or below it; a missing one the last line."""

    cuts: Floats
    table: Floats


class NumberScores:
    """What columns of numbers add to scores, made ready once for rows that come."""

    def __init__(self, parts: Sequence[Parabola | Bins], classes: int, rows: int = 1 << 20) -> None:
        """Make ready: rows: about how many are to come, of which nothing but the time depends."""
        self._parts, self._classes, self._rows = tuple(parts), classes, rows
        self._scores = _kernels.number_scores(check.size("number of classes", classes))
        for part in self._parts:
            if isinstance(part, Parabola):
                check.arrays("parabola", part, "float64", (classes,))
                self._scores.parabola(*part)
            else:
                check.array("cuts", part.cuts, "float64", (None,))
                check.array("table", part.table, "float64", (len(part.cuts) + 2, classes))
                self._scores.bins(part.cuts, part.table, rows)

    def __reduce__(self) -> tuple[Any, ...]:
        """Return what a pickle keeps: it is made ready again."""
        return NumberScores, (self._parts, self._classes, self._rows)

    def add(self, scores: Floats, columns: Sequence[NDArray[Any]]) -> bool:
        """Do scores[row, class] += the parts of columns[column][row], in the order of the columns, whatever
        their types are. Return False where a number is infinite, or whole and beyond 2^53; scores then hold
        anything.
        """
        rows, _ = _shape(scores)
        check.array("scores", scores, "float64", (rows, self._classes))
        if len(columns) != len(self._parts):
            raise ValueError(f"columns must be {len(self._parts)}; found {len(columns)}")
        check.columns("columns", columns, check.NUMBERS, rows)
        fine: bool = self._scores.add(scores, list(columns))
        return fine


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
