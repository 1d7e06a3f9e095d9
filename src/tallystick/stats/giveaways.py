"""The columns of a table that alone tell the target nearly perfectly, by value or by being missing.

Knows tables; `alone` judges their counts. `fit` looks at a sample of each class first, so that a column that
tells little costs next to nothing; a column that is named was counted on all rows.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np
from numpy.typing import NDArray

from tallystick import kernels
from tallystick.contracts import Table
from tallystick.data.schema import CODED, Column
from tallystick.errors import shown
from tallystick.stats import alone

__all__ = ["ADVICE", "giveaways", "likely"]

ADVICE = "Make sure it is known before the target is; leave it out if not."
STAGES = ((32, 1 / 8), (1024, 1 / 14))  # rows of each class, and the share that may be wrong
FEW_CELLS = 2048  # of a table that is looked at whole at once
LOOKED_AT = 1 << 16  # rows, evenly over the table, among which those of each class are looked for
MOST_CLASSES = 16  # the most frequent ones: a column that tells nearly all tells these

Codes = NDArray[np.int64]


def giveaways(table: Table, columns: Iterable[Column]) -> Iterator[tuple[Column, str]]:
    """Yield those of some columns that alone tell the target nearly perfectly, and how much each tells."""
    for column in columns:
        found = _alone(table, column)
        if found is not None:
            yield column, f"column {shown(column.name)} {found.found}."


def likely(table: Table) -> list[Column]:
    """Return the columns that may tell nearly everything, going by some rows of each class."""
    assert table.classes is not None
    left = list(table.schema.used)
    few = len(table.classes) * len(left) <= FEW_CELLS
    for each, share in STAGES[few:]:
        rows, classes = _sample(table.classes, each)
        whole = len(rows) == len(table.classes) and table.weights is None
        wrong = alone.allowed(np.bincount(classes)) if whole else share * len(rows)
        most = alone.CUTS + max(int(classes[-1]) - 1, 0) + 2 * wrong  # a wrong row breaks a run twice
        numeric = [c for c in left if c.kind == "numeric"]
        near = [c for c, n in zip(numeric, _changes(table, numeric, rows, classes), strict=True) if n <= most]
        coded = [c for c in left if c.kind in CODED and _wrong(table.column(c.name)[rows], classes) <= wrong]
        left = near + coded + [c for c in left if c.kind == "text"]
        if whole:
            break
    return left


def _sample(classes: NDArray[np.integer], each: int) -> tuple[Codes, Codes]:
    """Return row numbers, up to `each` of a class, and the class of each, counted from 0 and rising."""
    step = max(1, len(classes) // LOOKED_AT)
    some = np.asarray(classes[::step])
    order = np.argsort(some, kind="stable")
    counts = np.bincount(some)
    starts = np.cumsum(counts) - counts
    frequent = np.sort(np.argsort(-counts, kind="stable")[:MOST_CLASSES])
    kept = [
        order[start + np.arange(min(each, n)) * n // min(each, n)]  # evenly
        for start, n in zip(starts[frequent].tolist(), counts[frequent].tolist(), strict=True)
        if n
    ]
    return np.concatenate(kept) * step, np.repeat(np.arange(len(kept)), [len(rows) for rows in kept])


def _changes(table: Table, columns: list[Column], rows: Codes, classes: Codes) -> list[int]:
    """Return how often the class changes along the rising values of each column, missing last."""
    if not columns:
        return []
    values = np.stack([table.column(c.name)[rows] for c in columns])
    along = classes[np.argsort(values, axis=1, kind="stable")]  # equal values by class
    changes: list[int] = np.count_nonzero(along[:, 1:] != along[:, :-1], axis=1).tolist()
    return changes


def _wrong(codes: NDArray[np.integer], classes: Codes) -> int:
    """Return how many rows are not of the most frequent class of their level."""
    levels, at = np.unique(codes, return_inverse=True)
    k = int(classes[-1]) + 1
    counts = np.bincount(at * k + classes, minlength=len(levels) * k).reshape(-1, k)
    return len(codes) - int(counts.max(axis=1).sum())


def _alone(table: Table, column: Column) -> alone.Alone | None:
    """Return what one column of a table tells alone, None unless it is nearly all."""
    classes, weights, among = table.classes, table.weights, len(table.schema.used)
    assert classes is not None
    k = len(table.schema.predicted.labels)
    if column.kind == "text":
        starts, words, _ = table.column(column.name)
        have = np.zeros((len(column.words) + 1, k), np.int64)
        kernels.count_entries(starts, words, None, classes, weights=weights, out=have)
        rows = kernels.count_classes(classes, k, weights)
        empty = np.diff(starts) == 0
        missing = kernels.count_classes(classes[empty], k, None if weights is None else weights[empty])
        return alone.by_word(have[:-1] / table.unit, rows / table.unit, missing / table.unit, among)
    if column.kind == "numeric":
        codes, distinct = table.ranks(column.name)
        size = len(distinct)
    else:
        codes, size = table.column(column.name), len(column.levels)
    # a level never seen has a code too, behind that of missing, which no row of the table has
    counts = kernels.count_codes(codes, classes, size + 2, k, weights=weights) / table.unit
    tell = alone.by_levels if column.kind in CODED else alone.by_cuts
    return tell(counts[:size], counts[size], among)
