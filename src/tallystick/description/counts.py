"""The counts of a description: a few questions to an engine, the same wherever the rows lie.

Knows tables and questions. Knows nothing of who sums, nor of what the counts say.
Law: the counts are those of the rows; a table's place decides only how many columns are asked for at once.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from tallystick.contracts import Engine, Table
from tallystick.data.schema import CODED, Column
from tallystick.description.gains import Counts, Floats, Stack
from tallystick.stats.bayes import Ask, BayesSums, Total, key
from tallystick.stats.class_values import ClassValues, ValuesByClass
from tallystick.stats.disk_ranks import DiskRanker, in_hand

TOGETHER = 1 << 18  # values of columns that are worked out at once, so that their counts lie in the cache
FAR = 8  # numeric columns of rows far away that are asked for at once, however many values they have
MANY = 1 << 20  # rows far away beyond which columns of numbers are looked at in ranges of their values
MOST_CLASSES = 32  # with which they are


@dataclass(frozen=True)
class Group:
    """Columns of one sort (numeric, ordered, or levels) that have a value each, with all their counts.

    values[column]: the distinct numbers, rising; none of levels.
    """

    columns: list[Column]
    stack: Stack
    values: list[Floats]


@dataclass
class TableCounts:
    """What a description asks of a table."""

    table: Table
    engine: Engine
    sums: Total = field(init=False)

    def __post_init__(self) -> None:
        target = self.table.schema.target
        self.n_classes = 1 if target is None else len(target.labels)
        self.coded = [c for c in self.table.schema.used if c.kind != "numeric"]
        asks = tuple(
            Ask(c.name, "codes", len(c.levels)) if c.kind in CODED else Ask(c.name, "once", len(c.words))
            for c in self.coded
        )
        self.sums = self.engine.total(self.table, BayesSums(asks, self.n_classes))

    @property
    def numeric(self) -> list[Column]:
        """The columns of numbers."""
        return [c for c in self.table.schema.used if c.kind == "numeric"]

    @cached_property
    def dealer(self) -> Any:
        """Who ranks rows that are far away, or on disk, and many; None: their values come here."""
        if self.n_classes > MOST_CLASSES:
            return None
        if self.table.place == "far":
            return None if self.table.rows <= MANY else self.table.dealer()
        return None if in_hand(self.table, self.n_classes) else DiskRanker(self.table)

    @property
    def classes(self) -> Counts:
        """The rows of each class; without a target all are of one."""
        return self.sums[""]

    def groups(self) -> Iterator[Group]:
        """Yield all columns of numbers and levels that have a value."""
        numeric = [] if self.dealer is not None else self.numeric
        size = max(FAR if self.table.place == "far" else 1, TOGETHER // max(self.table.rows, 1))
        while size > 1 and not in_hand(self.table, self.n_classes, min(size, len(numeric))):
            size -= 1
        for start in range(0, len(numeric), size):
            some = numeric[start : start + size]
            question = ClassValues(tuple(c.name for c in some), self.n_classes)
            found: list[ValuesByClass] = self.engine.total(self.table, question)
            there = [(c, told) for c, told in zip(some, found, strict=True) if len(told.values)]
            if there:
                counts = [np.vstack([told.counts, told.missing[None]]) for _, told in there]
                yield Group([c for c, _ in there], Stack.of(counts), [told.values for _, told in there])
        for sort in (("levels", "boolean"), ("ordered",)):
            yield from self._levels([i for i, c in enumerate(self.coded) if c.kind in sort and c.levels])

    def _levels(self, places: list[int]) -> Iterator[Group]:
        held, some = 0, list[int]()
        for at in (*places, None):
            size = 0 if at is None else len(self.coded[at].levels)
            if some and (at is None or held + size > TOGETHER):
                counts = [self.sums[key(i, "counts")] for i in some]
                yield Group([self.coded[i] for i in some], Stack.of(counts), [])
                held, some = 0, []
            if at is not None:
                held, some = held + size, [*some, at]

    def texts(self) -> Iterator[tuple[Column, Any]]:
        """Yield each text column with counts[word, class] of the rows that have the word, then of the rows
        without any, and of all rows.
        """
        for i, column in enumerate(self.coded):
            if column.kind == "text":
                counts, none = self.sums[key(i, "counts")], self.sums[key(i, "missing")]
                yield column, np.vstack([counts, none[None], self.classes[None]])
