"""The sums of naive Bayes: class counts, and per column counts by code, bin or word, or exact sums of
doubles.

Knows blocks and classes. Knows nothing of distributions, smoothing or models: a column is asked for by what
to add up. Law: a total is a set of int64 arrays that add, so any order and any cut of the rows gives the same
bits. The class is the last axis but for the digits of exact sums; asking with class codes fold * classes +
class gives the sums of every fold at once.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from tallystick import kernels
from tallystick.contracts import Block, Table
from tallystick.data.table.block import classes_of
from tallystick.data.table.later import values_as_they_lie
from tallystick.models.additive import weighted
from tallystick.stats.rest import Rest

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


@dataclass(frozen=True)
class BayesSums:
    """Ask for all columns in one pass.

    Keys of the total: "" the class counts; key(ask, "counts") a table [value, class]; key(ask, "missing")
    [class] of a text column; "sums" [column, class, digit], "squares" and "missing" [column, class] of all
    moments in their order.
    """

    asks: tuple[Ask, ...]
    classes: int

    def zero(self) -> Total:
        """Return the total of no rows."""
        moments = sum(a.how == "moments" for a in self.asks)
        shapes: dict[str, tuple[int, ...]] = {"": (self.classes,)}
        if moments:
            shapes["missing"] = (moments, self.classes)
            shapes["sums"] = (moments, self.classes, kernels.SUM_DIGITS)
            shapes["squares"] = (moments, self.classes, kernels.SQUARE_DIGITS)
        for i, ask in enumerate(self.asks):
            if ask.how == "codes":
                shapes[key(i, "counts")] = (ask.size + 1, self.classes)
            elif ask.how == "bins":
                shapes[key(i, "counts")] = (len(ask.cuts) + 2, self.classes)
            elif ask.how != "moments":
                shapes[key(i, "counts")] = (ask.size, self.classes)
                shapes[key(i, "missing")] = (self.classes,)
        return {name: np.zeros(shape, np.int64) for name, shape in shapes.items()}

    def add(self, total: Total, block: Block) -> Total:
        """Add the rows of one block."""
        classes = classes_of(block)
        kernels.count_classes(classes, self.classes, block.weights, total[""])
        self._add_codes(total, block, classes)
        columns = [block.values(a.column) for a in self.asks if a.how == "moments"]
        if columns:
            tables = total["missing"], total["sums"], total["squares"]
            kernels.add_moments(columns, classes, *tables, weights=block.weights)
        for i, ask in enumerate(self.asks):
            if ask.how in ("words", "once", "tf-idf"):
                _add_words(total, i, block, ask, classes)
        return total

    def _add_codes(self, total: Total, block: Block, classes: NDArray[Any]) -> None:
        coded = [i for i, ask in enumerate(self.asks) if ask.how == "codes"]
        if coded:
            out = [total[key(i, "counts")] for i in coded]
            codes, sizes = [block.codes(self.asks[i].column) for i in coded], [len(table) for table in out]
            kernels.count_columns(codes, classes, sizes, self.classes, weights=block.weights, out=out)
        cut = [i for i, ask in enumerate(self.asks) if ask.how == "bins"]
        if cut:
            out = [total[key(i, "counts")] for i in cut]
            values = [values_as_they_lie(block, self.asks[i].column) for i in cut]
            kernels.count_bins(values, self._cuts, classes, weights=block.weights, out=out)

    @cached_property
    def _cuts(self) -> list[NDArray[np.float64]]:
        """Cuts of the columns that are asked for in bins; made once, not for every block."""
        return [np.array(ask.cuts, np.float64) for ask in self.asks if ask.how == "bins"]

    def merge(self, total: Total, other: Total) -> Total:
        """Add two totals."""
        return plus(total, other, 1)


class KnownSums:
    """The shortcut to sums of doubles that are known from reading the table; only the rest is summed."""

    row_bytes = 0

    def solve(self, question: BayesSums, table: Table, threads: int) -> Total | Rest[Total] | None:
        """Return the total, or what is left to be summed; None: nothing of it is known."""
        from tallystick.data.table.moments import known_moments  # a model is loaded without tables

        known = known_moments(table)
        moments = [a.column for a in question.asks if a.how == "moments"]
        if known is None or len(known.rows) != question.classes or (question.asks and not moments):
            return None
        if not moments:
            return {"": known.rows.copy()}
        names = [c.name for c in table.schema.used]
        some = [names.index(name) for name in moments]
        total = {"": known.rows.copy()}
        total |= {name: array[some] for name, array in known._asdict().items() if name != "rows"}
        left = [i for i, a in enumerate(question.asks) if a.how != "moments"]
        if not left:
            return total

        def whole(rest: Total) -> Total:
            for name in filter(None, rest):  # but the rows of each class
                i, part = name.split()
                total[key(left[int(i)], part)] = rest[name]
            return total

        return Rest(BayesSums(tuple(question.asks[i] for i in left), question.classes), whole)


def plus(total: Total, other: Total, sign: int) -> Total:
    """Return total + sign * other, in the memory of the first."""
    for name, array in other.items():
        total[name] += sign * array if sign != 1 else array
        if name in ("sums", "squares"):
            kernels.carry(total[name])
    return total


def key(ask: int, part: str) -> str:
    """Return the name of one array of the total."""
    return f"{ask} {part}"


def _add_words(total: Total, i: int, block: Block, ask: Ask, classes: NDArray[Any]) -> None:
    starts, words, counts = block.words(ask.column)
    given: NDArray[np.uint32] | None = counts
    if ask.how == "once":
        given = None
    elif ask.how == "tf-idf":
        given = weighted(starts, words, counts, np.array([*ask.idf, 0], np.int64))
    out = total[key(i, "counts")]
    kernels.count_entries(starts, words, given, classes, weights=block.weights, out=out)
    empty = np.diff(starts) == 0
    weights = None if block.weights is None else block.weights[empty]
    missing = total[key(i, "missing")]
    kernels.count_classes(classes[empty], len(missing), weights, missing)
