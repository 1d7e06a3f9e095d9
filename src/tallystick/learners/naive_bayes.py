"""Learn naive Bayes: one pass of sums; where a choice depends on all rows (bins, auto, tf-idf), one pass
before it.

Knows totals and options. Knows nothing of rows, threads or files.
Law: the same totals give the same model; and totals of parts of the rows add up to the totals of all.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from tallystick.contracts import Statistic
from tallystick.data.schema import Column, Note, Schema
from tallystick.models.naive_bayes import BayesOptions, Counted, NaiveBayesModel, Part, Summed, Worded
from tallystick.stats.bayes import Ask, BayesSums, Total, digits_to_int, key


@dataclass(frozen=True)
class Draft:
    """What is known so far: the distribution of each column, what to sum, and the sums."""

    schema: Schema
    asks: tuple[Ask, ...]
    total: Total | None = None
    notes: tuple[Note, ...] = ()
    resolved: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class NaiveBayesLearner:
    """The learner of the contracts; `unit` is the table's unit of weights."""

    options: BayesOptions
    unit: int = 1

    def start(self, schema: Schema) -> Draft:
        """Give each column the distribution of its kind."""
        self.options.check_columns([c.name for c in schema.used])
        names = {c.name: self.options.distribution(c.name, c.kind) for c in schema.used}
        return Draft(schema, tuple(ask_for(c, names[c.name]) for c in schema.used), resolved=names)

    def ask(self, draft: Draft) -> Statistic[Any] | None:
        """Ask for all sums at once."""
        if draft.total is not None:
            return None
        assert draft.schema.target is not None
        return BayesSums(draft.asks, len(draft.schema.target.labels))

    def update(self, draft: Draft, total: Any) -> Draft:
        """Keep the sums."""
        return replace(draft, total=total)

    def finish(self, draft: Draft) -> NaiveBayesModel:
        """Return the model: the sums, named."""
        assert draft.total is not None
        total = draft.total
        parts = tuple(
            part_of(column, draft.resolved[column.name], ask, i, total)
            for i, (column, ask) in enumerate(zip(draft.schema.used, draft.asks, strict=True))
        )
        return NaiveBayesModel(draft.schema, self.options, self.unit, total[""], parts)


def ask_for(column: Column, distribution: str) -> Ask:
    """Return what to sum of a column with this distribution."""
    if column.kind == "text":
        return Ask(column.name, "once" if distribution == "bernoulli" else "words", len(column.words))
    if column.kind == "numeric":
        return Ask(column.name, "moments")
    return Ask(column.name, "codes", len(column.levels))


def part_of(column: Column, distribution: str, ask: Ask, i: int, total: Total) -> Part:
    """Return the model's part of one column from the total."""
    classes = total[""]
    if ask.how == "moments":
        missing = total[key(i, "missing")]
        sums = tuple(digits_to_int(row) for row in total[key(i, "sum")])
        squares = tuple(digits_to_int(row) for row in total[key(i, "squares")])
        return Summed(column.name, distribution, classes - missing, missing, sums, squares)
    counts = total[key(i, "counts")]
    if ask.how in ("codes", "bins"):
        return Counted(column.name, distribution, counts[:-1], counts[-1], column.levels, ask.cuts)
    missing = total[key(i, "missing")]
    return Worded(column.name, distribution, counts, missing, classes - missing, ask.idf)


def no_rows(part: Part) -> bool:
    """Say whether a column has no value in any row."""
    rows = part.rows if isinstance(part, Summed) else part.counts
    return not bool(np.asarray(rows).any())
