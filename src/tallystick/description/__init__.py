"""What a table is taken for: kinds and why, distributions, missing counts, gains.

Data first (`columns`, from counts by `gains`), lines for a terminal apart from it (`text`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from itertools import chain
from typing import Any

from tallystick.contracts import Engine
from tallystick.data.read.reader import read_table
from tallystick.data.read.slips import sentinels
from tallystick.data.schema import Columns, Note, Wishes
from tallystick.data.source import open_source
from tallystick.data.source.door import is_spark
from tallystick.data.table.hashes import conflicts
from tallystick.data.threads import FEW_ROWS, in_order
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
from tallystick.description.counts import Group, TableCounts
from tallystick.description.far_numbers import RangedNumbers, ranged
from tallystick.engines.choice import choose_local
from tallystick.engines.local import STEPS_DONE, Local, check_progress
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
    """Say what the columns of a table are taken for, what they hold, and what they tell about a target.

    What is described is what would be fitted: the parameters are those that every estimator has.

    Parameters
    ----------
    data : path, frame, Arrow table, matrix or records
        The rows, as `fit` takes them.
    target : str, default None
        The column to predict. With it each column has its information gain and gain ratio in bits, and its
        best cut.
    against : path or fitted model, default None
        A model: `changes` then says what changed in each column since its training.
    progress : function, default None
        Called as progress(done, total, what) while the work goes on.
    columns : ts.Columns, default None
        What you know of the columns: kinds, levels, marks of missing values, columns to keep.
    kinds : dict, default None
        Short for `columns=ts.Columns(kinds=...)`.
    engine : ts.Local, ts.Spark or ts.Sql, default None
        Who sums the rows; None is this machine. It changes no model.
    threads, memory : int; int or str, default None
        Short for `engine=ts.Local(threads=..., memory=...)`: all cores, and all rows in memory.

    Returns
    -------
    Description
        Prints as a page, draws in a notebook, and has all of it as data.

    Examples
    --------
    >>> import tallystick as ts
    >>> rows = [{"sky": "sun", "play": "no"}, {"sky": "rain", "play": "yes"}] * 10
    >>> ts.describe(rows, "play")["sky"].gain
    1.0
    """
    known, work = Columns.of(columns, kinds), choose_local(engine, threads, memory)
    check_progress(progress, STEPS_DONE)
    wishes = Wishes(known.kinds, known.levels, known.missing, known.keep, known.merge, trivial=True)
    if is_spark(data) and against is None:
        return _on_spark(data, wishes, target)
    source = open_source(data, memory=work.memory)
    table = _read(source, wishes, target, work, progress)
    found = describe_table(source.name, table, work.threads, source.form)
    return found if against is None else replace(found, changes=changes(source, against, work.threads))


def describe_table(name: str, table: Any, threads: int | None = None, form: str = "") -> Description:
    """Describe a table that was read before; name, form: what its source is called and how it was read."""
    table.rank_all(threads)
    one = table.place != "memory" or table.rows < FEW_ROWS  # elsewhere memory may have no room for more
    return replace(_described(name, table, table.engine or Local(threads), 1 if one else threads), form=form)


def _on_spark(frame: Any, wishes: Wishes, target: str | None) -> Description:
    """Return the description of a Spark DataFrame: the rows stay there, counts come here."""
    from tallystick.engines.spark.read import WHERE, read_frame

    table = read_frame(frame, wishes, target)
    try:
        return describe_table(WHERE, table)
    finally:
        table.release()


def _read(source: Any, wishes: Wishes, target: Any, work: Local, progress: Any) -> Any:
    if work.memory is None:
        return read_table(source, wishes, target, threads=work.threads, progress=progress)
    from tallystick.data.read.reader import read_to_disk
    from tallystick.data.source.size import budget

    return read_to_disk(source, budget(work.memory), wishes, target, threads=work.threads)


def _described(name: str, table: Any, engine: Engine, threads: int | None) -> Description:
    """Count every column against the classes, and keep only the counts."""
    target, counts = table.schema.target, TableCounts(table, engine)
    parts, whole = class_parts(target, counts.classes) if target else ((), None)
    found: dict[str, ColumnView] = {}
    doubted: dict[str, list[Note]] = {}
    prints: dict[str, bytes] = {}
    told_of = partial(_told, known=target is not None, used=len(table.schema.used))
    jobs = (partial(told_of, group) for group in chain(counts.groups(), ranged(counts)))
    for seen, notes_on, own in in_order(jobs, threads):
        found.update((view.name, view) for view in seen)
        doubted.update(notes_on)
        prints.update(own)
    for note in doubts.repeated([(c.name, prints[c.name]) for c in table.schema.columns if c.name in prints]):
        doubted.setdefault(note.column, []).append(note)
    for column, words in counts.texts():
        found[column.name] = text_view(column, words, target is not None)
        told = alone.by_word(words[:-2], words[-1], words[-2], len(table.schema.used))
        if told is not None and target is not None:
            doubted[column.name] = [doubts.given_away(column.name, told)]
    notes = [*table.source_notes, *table.notes]
    notes += [note for column in table.schema.columns for note in doubted.get(column.name, ())]
    every = tuple(found.get(column.name) or bare_view(column) for column in table.schema.columns)
    if target is None:
        return Description(name, table.rows, every, tuple(notes))
    notes += doubts.unavoidable(conflicts(table))
    return Description(name, table.rows, every, tuple(notes), target.name, parts, whole)


def _told(
    group: Group | RangedNumbers, known: bool, used: int
) -> tuple[list[ColumnView], dict[str, list[Note]], dict[str, bytes]]:
    """Return the columns of a group, what to ask about them, and by what numbers are known again; known:
    there is a target; used: columns of the table.
    """
    if isinstance(group, RangedNumbers):
        return [group.view(known)], {group.column.name: list(group.notes(known, used))}, {}
    prints = dict(doubts.prints(group.columns, group.stack)) if group.values else {}
    return views(group, known), dict(_doubts(group, known, used)), prints


def _doubts(group: Group, known: bool, used: int) -> Iterator[tuple[str, list[Note]]]:
    """Yield what a careful reader would ask about each column; used: columns of the table."""
    columns, stack = group.columns, group.stack
    given: list[Note | None] = [None] * len(columns)
    if known:
        given = doubts.giveaways([c.name for c in columns], stack, not group.values, used)
    for j, column in enumerate(columns):
        notes: list[Note] = []
        if not group.values:
            start = int(stack.starts[j])
            notes += doubts.alike(column, stack.sizes[start : start + len(column.levels)].tolist())
        elif not column.unit:
            distinct, start = group.values[j], int(stack.starts[j])
            sizes = stack.sizes[start : start + len(distinct)]
            notes += [mark.note(column.name) for mark in sentinels(column.name, distinct, sizes)]
        if (last := given[j]) is not None:
            notes.append(last)
        if notes:
            yield column.name, notes
