"""Which pairs of columns depend on each other although the class is known: what naive Bayes assumes away.

Knows encoded tables. Numbers are cut into a few bins of equal counts. Law: independent columns have
information 0, and the figure does not depend on the order of rows.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallystick import kernels
from tallystick.contracts import Table
from tallystick.data.source import scratch
from tallystick.data.table.subset import Within
from tallystick.draw.svg import as_html
from tallystick.draw.text import clean, cut, padded
from tallystick.errors import page_limit
from tallystick.stats.few_values import FewValues, PairCounts, bins_of
from tallystick.stats.value_ranges import one_label

BINS = 6  # of a number
STEP = 1 << 16  # rows looked at at once
MOST_LEVELS = 64  # a column of more levels keeps its most frequent ones; the others are one
MOST_CELLS = 1 << 22  # of the pairs that are counted at once


@dataclass(frozen=True)
class Pair:
    """Two columns: bits they tell about each other given the class, and what chance alone would give.

    Missing counts as a level, as it does to naive Bayes; `both_there` is of the rows that have a value in
    both, None where all rows do.
    """

    first: str
    second: str
    bits: float
    by_chance: float
    both_there: float | None = None

    @property
    def excess(self) -> float:
        """Bits beyond chance; about 0 where the assumption holds."""
        return self.bits - self.by_chance


@dataclass(frozen=True)
class Independence:
    """Pairs of columns, the most dependent first."""

    target: str
    pairs: tuple[Pair, ...]

    def __iter__(self) -> Any:
        return iter(self.pairs)

    def to_dict(self) -> dict[str, Any]:
        """Return plain data."""
        rows = [
            {
                "first": p.first,
                "second": p.second,
                "bits": p.bits,
                "by_chance": p.by_chance,
                "both_there": p.bits if p.both_there is None else p.both_there,
            }
            for p in self.pairs
        ]
        return {"target": self.target, "pairs": rows}

    _repr_html_ = as_html

    def __str__(self) -> str:
        given = f" given {clean(self.target)}" if self.target else ""
        gaps = any(p.both_there is not None for p in self.pairs)
        more = ", found in rows with both values; missing counts as a level but there" if gaps else ""
        lines = [f"bits two columns tell about each other{given}: found, by chance alone{more}"]
        for p in self.pairs[: page_limit(20)]:
            name = padded(cut(clean(f"{p.first} and {p.second}"), 52), 54)
            there = f" {p.bits if p.both_there is None else p.both_there:8.4f}" if gaps else ""
            verdict = "  dependent" if p.excess > p.by_chance else ""
            lines.append(f"{name}{p.bits:8.4f} {p.by_chance:8.4f}{there}{verdict}")
        if (left := len(self.pairs) - page_limit(20)) > 0:
            lines.append(f"and {left:,} more pairs")
        return "\n".join(lines)

    __repr__ = __str__


def independence(table: Table) -> Independence:
    """Return the conditional mutual information of every pair of columns, given the class if there is one."""
    target = table.schema.target
    labels = len(target.labels) if target is not None and target.labels else 1
    dealer = table.dealer() if table.place == "far" else None
    pairs = list(_pairs(table, labels) if dealer is None else _pairs_there(table, labels, dealer))
    pairs.sort(key=lambda p: (-p.excess, p.first, p.second))
    return Independence(target.name if target is not None and labels > 1 else "", tuple(pairs))


def _pairs(table: Table, labels: int) -> Iterator[Pair]:
    """Yield every pair of columns."""
    columns = {c.name: coded(table, c.name) for c in table.schema.used if c.kind != "text"}
    classes = table.classes if table.classes is not None and labels > 1 else None
    for a, b in combinations(columns, 2):
        x, y = columns[a], columns[b]
        yield _told((a, b), _cells(x, y, classes, labels, table), (x[2], y[2]), table.unit)


def _pairs_there(table: Table, labels: int, dealer: Any) -> Iterator[Pair]:
    """Yield every pair of columns of rows that stay far: counted there."""
    assert table.engine is not None
    columns = tuple(few_values(table, dealer))
    for some in _at_once(columns, labels):
        found = table.engine.total(table, PairCounts(columns, some, labels))
        for (i, j), counts in zip(some, found, strict=True):
            a, b = columns[i], columns[j]
            yield _told((a.name, b.name), counts.astype(float), (a.size, b.size), table.unit)


def few_values(table: Table, dealer: Any) -> Iterator[FewValues]:
    """Yield the columns of levels and numbers in a few values each, as `coded` has them: by rows, whatever
    they weigh.
    """
    assert table.engine is not None
    columns = [c for c in table.schema.used if c.kind != "text"]
    levels = tuple(c for c in columns if c.kind != "numeric")
    question: Any = Within(replace(table.schema, columns=levels), False)
    held = table.engine.total(table, question)
    for c in columns:
        if c.kind == "numeric":
            order = dealer.ranked(c.name, one_label, 1)
            yield FewValues.of_numbers(c.name, order, table.rows, BINS)
        else:
            yield FewValues.of_levels(c.name, held[levels.index(c)], MOST_LEVELS)


def _at_once(columns: Sequence[FewValues], labels: int) -> Iterator[tuple[tuple[int, int], ...]]:
    """Yield all pairs of columns, as many at once as a total has room for."""
    some, cells = list[tuple[int, int]](), 0
    for i, j in combinations(range(len(columns)), 2):
        own = (columns[i].many + 1) * (columns[j].many + 1) * labels
        if some and cells + own > MOST_CELLS:
            yield tuple(some)
            some, cells = [], 0
        some.append((i, j))
        cells += own
    if some:
        yield tuple(some)


def coded(table: Table, name: str, as_they_are: int = 0) -> tuple[NDArray[np.uint32], int, int]:
    """Return code[row] of a column in a few values, missing as the last, how many there are, and how many
    without missing. as_they_are: so many different numbers are not cut into bins.
    """
    column, room = table.schema[name], np.empty if table.place == "memory" else scratch.empty
    if column.kind == "numeric":
        codes, distinct = table.ranks(name)
        k = len(distinct)
    else:
        codes, k = table.column(name), len(column.levels)
    counts = room(k + 2, np.int64)
    counts[:] = 0
    kernels.count_classes(np.ascontiguousarray(codes), k + 2, None, counts)
    if column.kind == "numeric" and k <= as_they_are:
        into, size = np.arange(k + 2, dtype=np.uint32), k
        into[k:] = k
    elif column.kind == "numeric":
        into, total, before = room(k + 2, np.uint32), int(counts[:k].sum()), 0
        for some in _steps(k):
            own = counts[:k][some]
            into[:k][some] = bins_of(own, before, some.start, total, k, BINS)
            before += int(own.sum())
        size = int(into[:k].max(initial=0)) + 1
        into[k:] = size
    else:
        few = FewValues.of_levels(name, counts[: k + 1], MOST_LEVELS)
        into, size = few.into, few.size
    out = room(table.rows, into.dtype)
    for some in _steps(table.rows):
        out[some] = into[codes[some]]
    return out, size + int(counts[k] > 0), size


def _steps(rows: int) -> Iterator[slice]:
    """Yield all rows, some at a time."""
    return (slice(start, start + STEP) for start in range(0, rows, STEP))


def _cells(x: Any, y: Any, classes: NDArray[Any] | None, labels: int, table: Table) -> NDArray[np.float64]:
    """Return counts[value, value, class] of two columns."""
    size = (x[1] + 1) * (y[1] + 1)
    counts = np.zeros((size, labels), np.int64)
    for some in _steps(table.rows):
        both = x[0][some] * np.uint32(y[1] + 1) + y[0][some]
        own = np.zeros(len(both), np.uint8) if classes is None else classes[some]
        weights = None if table.weights is None else table.weights[some]
        kernels.count_codes(both, own, size, labels, weights=weights, out=counts)
    return counts.reshape(x[1] + 1, y[1] + 1, labels).astype(float)


def _told(names: tuple[str, str], cells: NDArray[np.float64], sizes: tuple[int, int], unit: int) -> Pair:
    """Return what counts[value, value, class] tell; sizes: of the values without missing."""
    bits, free = conditional_information(cells)
    rows = max(float(cells.sum()) / unit, 1.0)
    whole = cells.shape[0] - 1 == sizes[0] and cells.shape[1] - 1 == sizes[1]
    there = None if whole else conditional_information(cells[: sizes[0], : sizes[1]])[0]
    return Pair(*names, bits, free / (2 * rows * float(np.log(2.0))), there)


def conditional_information(cells: NDArray[np.float64]) -> tuple[float, int]:
    """Return I(a; b | class) in bits from counts[a, b, class], and its degrees of freedom."""
    total = float(cells.sum()) or 1.0
    bits, free = 0.0, 0
    for c in range(cells.shape[2]):
        table = cells[:, :, c]
        table = table[table.any(axis=1)][:, table.any(axis=0)]
        if not table.size:
            continue
        n = float(table.sum())
        mean = np.outer(table.sum(1), table.sum(0)) / n
        here = table > 0
        bits += float((table[here] * kernels.log2(table[here] / mean[here])).sum()) / total
        free += (table.shape[0] - 1) * (table.shape[1] - 1)
    return max(bits, 0.0), free
