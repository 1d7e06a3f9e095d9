"""The counts of a description for a table whose rows are elsewhere: a few questions to its engine.

Knows tables and questions. Knows nothing of who sums. Law: the counts are those of the same rows here.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallystick.data.schema import CODED, Column, Note, Schema
from tallystick.data.table.conflicts import Conflicts, conflicts_of
from tallystick.description.gains import Counts
from tallystick.stats.bayes import Ask, BayesSums, Total, key
from tallystick.stats.class_values import ClassValues, ValuesByClass

GROUP = 8  # numeric columns whose values come here at once


@dataclass(frozen=True)
class OneClass:
    """A question about rows without a target: all are of one class."""

    question: Any

    def zero(self) -> Any:
        """Return the total of no rows."""
        return self.question.zero()

    def add(self, total: Any, block: Any) -> Any:
        """Add the rows of one block."""
        return self.question.add(total, replace(block, classes=np.zeros(block.rows, np.uint8)))

    def merge(self, total: Any, other: Any) -> Any:
        """Add two totals."""
        return self.question.merge(total, other)


@dataclass
class Told:
    """What a description asks of a table, answered by its engine: see encode.Table for the names."""

    table: Any
    values: dict[str, ValuesByClass] = field(default_factory=dict)
    sums: Total = field(init=False)

    def __post_init__(self) -> None:
        self.coded = [c for c in self.schema.used if c.kind != "numeric"]
        asks = tuple(
            Ask(c.name, "codes", len(c.levels)) if c.kind in CODED else Ask(c.name, "once", len(c.words))
            for c in self.coded
        )
        self.sums = self._total(BayesSums(asks, self.n_classes))
        names = [c.name for c in self.schema.used if c.kind == "numeric"]
        for start in range(0, len(names), GROUP):
            group = tuple(names[start : start + GROUP])
            found = self._total(ClassValues(group, self.n_classes))
            self.values.update(zip(group, found, strict=True))

    def _total(self, question: Any) -> Any:
        known = self.schema.target is not None
        return self.table.engine.total(self.table, question if known else OneClass(question))

    @property
    def schema(self) -> Schema:
        """What the columns mean."""
        return self.table.schema  # type: ignore[no-any-return]

    @property
    def n_classes(self) -> int:
        """How many classes; 1 without a target."""
        return 1 if self.schema.target is None else len(self.schema.target.labels)

    @property
    def rows(self) -> int:
        """How many rows."""
        return int(self.table.rows)

    @property
    def notes(self) -> tuple[Note, ...]:
        """What was done to the rows."""
        return self.table.notes  # type: ignore[no-any-return]

    @property
    def source_notes(self) -> tuple[Note, ...]:
        """How they were read."""
        return self.table.source_notes  # type: ignore[no-any-return]

    def ranks(self, name: str) -> tuple[None, NDArray[np.float64]]:
        """Return the distinct values of a numeric column, in the place that they have in a table here."""
        return None, self.values[name].values

    def class_counts(self) -> Counts:
        """Return the rows of each class."""
        return self.sums[""]

    def counts_of(self, column: Column) -> Counts:
        """Return counts[code, class], missing last; of a text counts[word, class], then the rows without any
        word, and all rows.
        """
        if column.kind == "numeric":
            found = self.values[column.name]
            return np.vstack([found.counts, found.missing[None]])
        at = self.coded.index(column)
        counts = self.sums[key(at, "counts")]
        if column.kind != "text":
            return counts
        return np.vstack([counts, self.sums[key(at, "missing")][None], self.sums[""][None]])

    def conflicts(self) -> Conflicts:
        """Return how many rows are equal but for their class."""
        hashes, classes = self.table.unlabelled()
        return conflicts_of(hashes, classes, np.ones(len(hashes)), self.n_classes)
