"""Learn naive Bayes: one pass of sums; where a choice depends on all rows (bins, auto, tf-idf), one pass
before it.

Knows totals and options. Knows nothing of rows, threads or files.
Law: the same totals give the same model; and totals of parts of the rows add up to the totals of all.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from tallystick import kernels
from tallystick.contracts import Statistic
from tallystick.data.schema import Column, Note, Schema
from tallystick.models.naive_bayes import BayesOptions, Counted, NaiveBayesModel, Part, Summed, Worded
from tallystick.stats.bayes import Ask, BayesSums, Total, key


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
        parts = parts_of(draft.schema, draft.resolved, draft.asks, total)
        return NaiveBayesModel(draft.schema, self.options, self.unit, total[""], parts)


def ask_for(column: Column, distribution: str) -> Ask:
    """Return what to sum of a column with this distribution."""
    if column.kind == "text":
        return Ask(column.name, "once" if distribution == "bernoulli" else "words", len(column.words))
    if column.kind == "numeric":
        return Ask(column.name, "moments")
    return Ask(column.name, "codes", len(column.levels))


def parts_of(
    schema: Schema, distributions: Mapping[str, str], asks: tuple[Ask, ...], total: Total
) -> tuple[Part, ...]:
    """Return the model's part of each column from the total."""
    out: list[Part] = []
    moment = 0
    for i, (column, ask) in enumerate(zip(schema.used, asks, strict=True)):
        distribution = distributions[column.name]
        if ask.how == "moments":
            out.append(_summed(column.name, distribution, moment, total))
            moment += 1
        elif ask.how in ("codes", "bins"):
            counts = total[key(i, "counts")]
            out.append(Counted(column.name, distribution, counts[:-1], counts[-1], column.levels, ask.cuts))
        else:
            counts, missing = total[key(i, "counts")], total[key(i, "missing")]
            out.append(Worded(column.name, distribution, counts, missing, total[""] - missing, ask.idf))
    return tuple(out)


def _summed(name: str, distribution: str, moment: int, total: Total) -> Summed:
    missing = total["missing"][moment]
    sums = tuple(kernels.whole(digits) for digits in total["sums"][moment])
    squares = tuple(kernels.whole(digits) for digits in total["squares"][moment])
    if distribution == "poisson":
        squares = (0,) * len(squares)
    return Summed(name, distribution, total[""] - missing, missing, sums, squares)
