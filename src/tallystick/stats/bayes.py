"""The sums of naive Bayes: class counts, and per column counts by code, bin or word, or exact sums of
doubles.

Knows blocks and classes. Knows nothing of distributions, smoothing or models: a column is asked for by what
to add up. Law: a total is a set of int64 arrays that add, so any order and any cut of the rows gives the same
bits. The class is the last axis but for the digits of exact sums; asking with class codes fold * classes +
class gives the sums of every fold at once.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from tallystick import kernels
from tallystick.contracts import Block
from tallystick.models.additive import bins_of, weighted

Counts = NDArray[np.int64]
Total = dict[str, Counts]


@dataclass(frozen=True, slots=True)
class Ask:
    """What to sum of one column.

    "codes": counts[size + 1, class], the last code is missing. "bins": the same over the bins between cuts.
    "moments": digits of exact sums of x and x^2, and missing rows. "words": counts[size, class], rows with
    text; "once": the same, a word counts once per row; "tf-idf": weights by idf[word] in fixed point.
    """

    column: str
    how: Literal["codes", "bins", "moments", "words", "once", "tf-idf"]
    size: int = 0
    cuts: tuple[float, ...] = ()
    idf: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class BayesSums:
    """Ask for all columns in one pass.

    Keys of the total: "" the class counts; key(ask, "counts") a table; key(ask, "sum"), "squares", "missing"
    of moments.
    """

    asks: tuple[Ask, ...]
    classes: int

    def zero(self) -> Total:
        """Return the total of no rows."""
        total = {"": np.zeros(self.classes, np.int64)}
        for i, ask in enumerate(self.asks):
            for part, shape in _shapes(ask, self.classes).items():
                total[key(i, part)] = np.zeros(shape, np.int64)
        return total

    def add(self, total: Total, block: Block) -> Total:
        """Add the rows of one block."""
        assert block.classes is not None
        kernels.count_classes(block.classes, self.classes, block.weights, total[""])
        coded = [(i, a) for i, a in enumerate(self.asks) if a.how == "codes"]
        if coded:
            kernels.count_columns(
                [block.codes(a.column) for _, a in coded],
                block.classes,
                [a.size + 1 for _, a in coded],
                self.classes,
                weights=block.weights,
                out=[total[key(i, "counts")] for i, _ in coded],
            )
        for i, ask in enumerate(self.asks):
            if ask.how == "bins":
                bins = bins_of(block.values(ask.column), np.asarray(ask.cuts, float))
                out = total[key(i, "counts")]
                kernels.count_codes(
                    bins, block.classes, len(out), self.classes, weights=block.weights, out=out
                )
            elif ask.how == "moments":
                _add_moments(total, i, block, ask.column, self.classes)
            elif ask.how != "codes":
                _add_words(total, i, block, ask, self.classes)
        return total

    def merge(self, total: Total, other: Total) -> Total:
        """Add two totals."""
        for name, array in other.items():
            total[name] += array
        return total


def key(column: int, part: str) -> str:
    """Return the name of one array of the total."""
    return f"{column} {part}"


def _shapes(ask: Ask, classes: int) -> dict[str, tuple[int, ...]]:
    if ask.how == "codes":
        return {"counts": (ask.size + 1, classes)}
    if ask.how == "bins":
        return {"counts": (len(ask.cuts) + 2, classes)}
    if ask.how == "moments":
        return {"sum": (classes, SUM_DIGITS), "squares": (classes, SQUARE_DIGITS), "missing": (classes,)}
    return {"counts": (ask.size, classes), "missing": (classes,)}


SUM_DIGITS, SQUARE_DIGITS = 66, 132


def _add_moments(total: Total, i: int, block: Block, column: str, classes: int) -> None:
    raise NotImplementedError


def _add_words(total: Total, i: int, block: Block, ask: Ask, classes: int) -> None:
    assert block.classes is not None
    starts, words, counts = block.words(ask.column)
    if ask.how == "once":
        counts = np.ones_like(counts)
    elif ask.how == "tf-idf":
        counts = weighted(starts, words, counts, np.array([*ask.idf, 0], np.int64))
    kernels.count_words(
        starts, words, counts, block.classes, weights=block.weights, out=total[key(i, "counts")]
    )
    empty = np.diff(starts) == 0
    weights = None if block.weights is None else block.weights[empty]
    kernels.count_classes(
        np.ascontiguousarray(block.classes[empty]), classes, weights, total[key(i, "missing")]
    )


def digits_to_int(digits: NDArray[np.int64]) -> int:
    """Return the integer that 32-bit digits, lowest first, stand for."""
    out = 0
    for digit in digits.tolist()[::-1]:
        out = (out << 32) + digit
    return out
