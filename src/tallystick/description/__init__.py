"""What a table is taken for: kinds and why, distributions, missing counts, gains.

Data first (`columns`, from counts by `gains`), lines for a terminal apart from it (`show`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from tallystick import kernels
from tallystick.data.encode import Table, read_table
from tallystick.data.encode.conflicts import conflicts
from tallystick.data.encode.sentinel import sentinel
from tallystick.data.schema import CODED, Column, Note, Wishes
from tallystick.data.source import open_source
from tallystick.description import doubts
from tallystick.description.against import Changes, ColumnChange, Shift, changes
from tallystick.description.columns import ColumnView, Description, Part, class_parts, view
from tallystick.description.gains import Counts

__all__ = ["Changes", "ColumnChange", "ColumnView", "Description", "Part", "Shift", "describe"]


def describe(
    data: Any,
    target: str | None = None,
    *,
    kinds: Mapping[str, str] | None = None,
    levels: Mapping[str, Iterable[Any]] | None = None,
    missing: Iterable[str] | None = None,
    keep: Iterable[str] | None = None,
    threads: int | None = None,
    progress: Callable[..., None] | None = None,
    against: Any = None,
) -> Description:
    """Say what the columns of a table are taken for, what lies in them, and what they tell of a target.

    data: anything `fit` takes. The other parameters are those every estimator has, so that what is described
    is what would be fitted. With a target: information gain and gain ratio of each column in bits, and the
    best cut of a numeric or ordered one. With `against`, a fitted model: `changes` says what changed in each
    column since its training.
    """
    source = open_source(data)
    wishes = Wishes(kinds or {}, levels or {}, tuple(keep or ()), None if missing is None else tuple(missing))
    table = read_table(source, wishes, target, threads=threads, progress=progress)
    table.rank_all(threads)
    found = replace(_described(source.name, table), form=getattr(source, "form", ""))
    return found if against is None else replace(found, changes=changes(source, against, threads))


def _described(name: str, table: Table) -> Description:
    """Count every column against the classes, and keep only the counts."""
    target = table.schema.target
    classes = np.zeros(table.rows, np.uint8) if table.classes is None else table.classes
    n_classes = 1 if target is None else len(target.labels)
    parts, bits = class_parts(table, kernels.count_classes(classes, n_classes)) if target else ((), None)
    views, notes = list[ColumnView](), [*table.source_notes, *table.notes]
    for column in table.schema.columns:
        counts = _counts(table, column, classes, n_classes)
        views.append(view(table, column, counts))
        if counts is not None:
            notes += _doubts(table, column, counts, bits, views[-1].gain)
    if target is None:
        return Description(name, table.rows, tuple(views), tuple(notes))
    notes += doubts.unavoidable(conflicts(table))
    return Description(name, table.rows, tuple(views), tuple(notes), target.name, parts, bits)


def _doubts(
    table: Table, column: Column, counts: Counts, bits: float | None, gain: float | None
) -> Iterator[Note]:
    """Yield what a careful reader would ask about one column."""
    if column.kind == "text":
        return
    if column.kind in CODED:
        yield from doubts.alike(column)
    elif not column.unit:
        yield from sentinel(column.name, table.ranks(column.name)[1], counts[:-1].sum(axis=1))
    if bits is not None:
        yield from doubts.giveaway(column.name, counts[:-1], bits, gain if column.kind == "numeric" else None)


def _counts(table: Table, column: Column, classes: Any, n_classes: int) -> Counts | None:
    """Return counts[code, class] of a column, the last code being missing; None for out.

    Text: counts[word, class] of rows that have the word, and in the last place all rows.
    """
    if column.kind in CODED:
        k = len(column.levels)
        return kernels.count_codes(table.column(column.name), classes, k + 2, n_classes)[: k + 1]
    if column.kind == "numeric":
        codes, distinct = table.ranks(column.name)
        return kernels.count_codes(codes, classes, len(distinct) + 1, n_classes)
    if column.kind == "text":
        starts, words, _ = table.column(column.name)
        lengths = np.diff(starts)
        of_entry = np.repeat(classes, lengths)
        have = kernels.count_codes(words, of_entry, len(column.words) + 1, n_classes)[:-1]
        return np.vstack([have, kernels.count_classes(classes, n_classes)])
    return None
