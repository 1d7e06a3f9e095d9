"""What a table is taken for: kinds and why, distributions, missing counts, gains.

Data first (`columns`, from counts by `gains`), lines for a terminal apart from it (`show`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from tallystick import kernels
from tallystick.contracts import Engine
from tallystick.data.read.reader import read_table
from tallystick.data.read.slips import sentinels
from tallystick.data.schema import Column, Columns, Note, Wishes
from tallystick.data.source import open_source
from tallystick.data.source.door import is_spark
from tallystick.data.table.conflicts import conflicts
from tallystick.description import doubts
from tallystick.description.against import Changes, ColumnChange, Shift, changes
from tallystick.description.columns import (
    ColumnView,
    Description,
    Part,
    bare_view,
    class_parts,
    text_view,
    views,
)
from tallystick.description.elsewhere import Told
from tallystick.description.gains import Counts, Stack
from tallystick.engines.choice import choose_local
from tallystick.engines.local import Local
from tallystick.stats import alone

__all__ = [
    "Changes",
    "ColumnChange",
    "ColumnView",
    "Description",
    "Part",
    "Shift",
    "describe",
    "describe_table",
]

TOGETHER = 1 << 18  # values of columns that are worked out at once


def describe(
    data: Any,
    target: str | None = None,
    *,
    against: Any = None,
    progress: Callable[..., None] | None = None,
    columns: Columns | None = None,
    kinds: Mapping[str, str] | None = None,
    engine: Engine | None = None,
    threads: int | None = None,
    memory: int | str | None = None,
) -> Description:
    """Say what the columns of a table are taken for, what lies in them, and what they tell of a target.

    data: anything `fit` takes. The other parameters are those every estimator has, so that what is described
    is what would be fitted. With a target: information gain and gain ratio of each column in bits, and the
    best cut of a numeric or ordered one. With `against`, a fitted model: `changes` says what changed in each
    column since its training. With memory ("1GB") the rows are kept on disk.
    """
    known, work = Columns.of(columns, kinds), choose_local(engine, threads, memory)
    wishes = Wishes(known.kinds, known.levels, known.missing, known.keep)
    if is_spark(data) and against is None:
        return _on_spark(data, wishes, target)
    source = open_source(data, memory=work.memory)
    table = _read(source, wishes, target, work, progress)
    found = describe_table(source.name, table, work.threads, source.form)
    return found if against is None else replace(found, changes=changes(source, against, work.threads))


def describe_table(name: str, table: Any, threads: int | None = None, form: str = "") -> Description:
    """Describe a table that was read before; name, form: what its source is called and how it was read."""
    table.rank_all(threads)
    return replace(_described(name, table), form=form)


def _on_spark(frame: Any, wishes: Wishes, target: str | None) -> Description:
    """Return the description of a Spark DataFrame: the rows stay there, counts come here."""
    from tallystick.engines.spark.read import WHERE, read_frame

    table = read_frame(frame, wishes, target)
    try:
        return _described(WHERE, Told(table))
    finally:
        table.release()


def _read(source: Any, wishes: Wishes, target: Any, work: Local, progress: Any) -> Any:
    if work.memory is None:
        return read_table(source, wishes, target, threads=work.threads, progress=progress)
    from tallystick.data.read.reader import read_to_disk
    from tallystick.data.source.size import budget

    return read_to_disk(source, budget(work.memory), wishes, target, threads=work.threads)


def _described(name: str, table: Any) -> Description:
    """Count every column against the classes, and keep only the counts."""
    target, there = table.schema.target, isinstance(table, Told)
    known = None if there else table.classes
    classes = np.zeros(0 if there else table.rows, np.uint8) if known is None else known
    n_classes = 1 if target is None else len(target.labels)
    sizes = table.class_counts() if there else kernels.count_classes(classes, n_classes)
    parts, whole = class_parts(table, sizes) if target else ((), None)
    found: dict[str, ColumnView] = {}
    doubted: dict[str, list[Note]] = {}
    for group in _groups(table):
        stack = Stack.of(_counts(table, group, classes, n_classes))
        some = views(table, group, stack)
        found.update((view.name, view) for view in some)
        doubted.update(_doubts(table, group, stack, target is not None))
    for column in table.schema.columns:
        if column.kind == "text":
            counts = _word_counts(table, column, classes, n_classes)
            found[column.name] = text_view(table, column, counts)
            told = alone.by_word(counts[:-2], counts[-1], counts[-2], len(table.schema.used))
            if told is not None and target is not None:
                doubted[column.name] = [doubts.given_away(column.name, told)]
        elif column.name not in found:
            found[column.name] = bare_view(column)
    notes = [*table.source_notes, *table.notes]
    notes += [note for column in table.schema.columns for note in doubted.get(column.name, ())]
    every = tuple(found[column.name] for column in table.schema.columns)
    if target is None:
        return Description(name, table.rows, every, tuple(notes))
    notes += doubts.unavoidable(table.conflicts() if there else conflicts(table))
    return Description(name, table.rows, every, tuple(notes), target.name, parts, whole)


def _groups(table: Any) -> Iterator[list[Column]]:
    """Yield columns of one sort and of at least one value, so many that their counts lie in the cache."""
    waiting: dict[str, list[Column]] = {}
    held: dict[str, int] = {}
    for column in table.schema.used:
        if column.kind == "text" or not (size := _places(table, column)):
            continue
        sort = "levels" if column.kind == "boolean" else column.kind
        if waiting.get(sort) and held[sort] + size > TOGETHER:
            yield waiting.pop(sort)
            held[sort] = 0
        waiting.setdefault(sort, []).append(column)
        held[sort] = held.get(sort, 0) + size
    yield from waiting.values()


def _places(table: Any, column: Column) -> int:
    return len(table.ranks(column.name)[1]) if column.kind == "numeric" else len(column.levels)


def _counts(table: Any, group: list[Column], classes: Any, n_classes: int) -> list[Counts]:
    """Return counts[code, class] of each column, the last code being missing."""
    numeric = group[0].kind == "numeric"
    if isinstance(table, Told):
        return [table.counts_of(column) for column in group]
    codes = [table.ranks(c.name)[0] if numeric else table.column(c.name) for c in group]
    sizes = [_places(table, c) + (1 if numeric else 2) for c in group]  # levels never seen have a code too
    tables = kernels.count_columns(codes, classes, sizes, n_classes)
    return tables if numeric else [counts[:-1] for counts in tables]


def _word_counts(table: Any, column: Column, classes: Any, n_classes: int) -> Counts:
    """Return counts[word, class] of rows that have the word, then the rows without any, and all rows."""
    if isinstance(table, Told):
        return table.counts_of(column)
    starts, words, _ = table.column(column.name)
    of_entry = np.repeat(classes, np.diff(starts))
    have = kernels.count_codes(words, of_entry, len(column.words) + 1, n_classes)[:-1]
    empty = np.diff(starts) == 0
    every = kernels.count_classes(classes, n_classes)
    return np.vstack([have, kernels.count_classes(classes[empty], n_classes), every])


def _doubts(table: Any, group: list[Column], stack: Stack, known: bool) -> Iterator[tuple[str, list[Note]]]:
    """Yield what a careful reader would ask about each column."""
    numeric = group[0].kind == "numeric"
    given: list[Note | None] = [None] * len(group)
    if known:
        given = doubts.giveaways([c.name for c in group], stack, not numeric, len(table.schema.used))
    for j, column in enumerate(group):
        notes: list[Note] = []
        if not numeric:
            notes += doubts.alike(column)
        elif not column.unit:
            distinct = table.ranks(column.name)[1]
            start = int(stack.starts[j])
            sizes = stack.sizes[start : start + len(distinct)]
            notes += [mark.note(column.name) for mark in sentinels(column.name, distinct, sizes)]
        if (last := given[j]) is not None:
            notes.append(last)
        if notes:
            yield column.name, notes
