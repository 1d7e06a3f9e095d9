"""Models of all rows but some, from one pass: the total of all rows minus the part that is left out.

Knows totals of naive Bayes. Knows nothing of rows: parts come in as totals.
Law: a model from the rest of a total is the model fitted on the rest of the rows, but for the ranges of
numeric columns, which are not sums: its answers are the same bits.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallystick import kernels
from tallystick.data.schema import Column, Schema
from tallystick.learners.naive_bayes.learner import BayesDraft, Choice, NaiveBayesLearner, ask_for
from tallystick.models.naive_bayes import NaiveBayesModel
from tallystick.stats.bayes import Ask, BayesSums, Total, key
from tallystick.stats.class_values import ClassValues, ValuesByClass

Counts = NDArray[np.int64]
Known = dict[tuple[Any, ...], Choice]


@dataclass(frozen=True)
class WholeTable:
    """The totals of some rows: sums of every column that may be summed, values of those that may be cut."""

    sums: Total
    values: dict[str, ValuesByClass]


@dataclass(frozen=True)
class FoldQuestion:
    """What to ask so that any part of the rows can be taken away later."""

    learner: NaiveBayesLearner
    draft: BayesDraft
    asks: tuple[Ask, ...]
    cut: tuple[str, ...]  # columns whose values are needed

    def statistics(self, classes: int) -> tuple[BayesSums, ClassValues]:
        """Return the two questions, for so many class codes."""
        return BayesSums(self.asks, classes), ClassValues(self.cut, classes)

    def rest(self, whole: WholeTable, part: WholeTable, known: Known | None = None) -> NaiveBayesModel:
        """Return the model of the whole without the part. known: choices by what was taken away, where many
        parts take away the same.
        """
        sums = {name: array - part.sums[name] for name, array in whole.sums.items()}
        for name in ("sums", "squares"):
            if name in sums:
                kernels.carry(sums[name])
        values = {n: _less(v, part.values[n]) for n, v in whole.values.items()}
        there = np.flatnonzero(sums[""])
        choices = {}
        for name, left in values.items():
            away = part.values[name]
            key = (name, there.tobytes(), *(a.tobytes() for a in (away.values, away.counts, away.missing)))
            if known is None or key not in known:
                choices[name] = self.learner.choose(name, self.draft.wished[name], left.of_classes(there))
            else:
                choices[name] = known[key]
            if known is not None:
                known[key] = choices[name]
        return self.model(sums, choices)

    def model(self, sums: Total, choices: dict[str, Choice]) -> NaiveBayesModel:
        """Return the model of a total: levels, words and labels that no row has are dropped, as a fit would
        not know.
        """
        schema = self.draft.schema
        there = np.flatnonzero(sums[""])
        place = {a.column: i for i, a in enumerate(self.asks)}
        moments = [a.column for a in self.asks if a.how == "moments"]
        columns: list[Column] = []
        asks: list[Ask] = []
        total: Total = {"": sums[""][there]}
        rows: list[int] = []  # of the moments that stay
        for column in schema.columns:
            if column.kind == "out" or (column.name in choices and choices[column.name].bins is not None):
                columns.append(column)
                continue
            known, counts = _known(column, place[column.name], sums)
            columns.append(known)
            if column.kind == "numeric":
                rows.append(moments.index(column.name))
            else:
                total[key(len(asks), "counts")] = np.ascontiguousarray(counts[:, there])
                if column.kind == "text":
                    missing = sums[key(place[column.name], "missing")]
                    total[key(len(asks), "missing")] = missing[there]
            asks.append(ask_for(known, self.draft.wished[column.name]))
        for name in ("missing", "sums", "squares") if rows else ():
            total[name] = np.ascontiguousarray(sums[name][np.array(rows)][:, there])
        labels = tuple(schema.predicted.labels[i] for i in there)
        left = Schema(tuple(columns), replace(schema.predicted, labels=labels), schema.marks)
        return self.learner.finish(BayesDraft(left, self.draft.wished, choices, None, total))


def question(learner: NaiveBayesLearner, schema: Schema) -> FoldQuestion | None:
    """Return what to ask for a table of this schema; None where a choice needs rows again (tf-idf,
    which words).
    """
    draft = learner.start(schema)
    chosen = learner.options.words == "tf-idf" or learner.options.min_count > 1
    if chosen and any(c.kind == "text" for c in schema.used):
        return None
    cut = tuple(n for n, way in draft.wished.items() if way in ("auto", "binned"))
    summed = [c for c in schema.used if draft.wished[c.name] != "binned"]
    return FoldQuestion(learner, draft, tuple(ask_for(c, draft.wished[c.name]) for c in summed), cut)


def added(a: WholeTable, b: WholeTable) -> WholeTable:
    """Return the totals of both parts of one whole."""
    sums = {name: array + b.sums[name] for name, array in a.sums.items()}
    values = {}
    for name, mine in a.values.items():
        other = b.values[name]
        values[name] = ValuesByClass(mine.values, mine.counts + other.counts, mine.missing + other.missing)
    return WholeTable(sums, values)


def part_of(sums: Total, values: dict[str, ValuesByClass], fold: int, folds: int) -> WholeTable:
    """Return the totals of one fold from those whose class codes are fold * classes + class."""
    out: Total = {}
    for name, array in sums.items():
        axis = 1 if name in ("sums", "squares") else array.ndim - 1
        size = array.shape[axis] // folds
        out[name] = np.take(array, range(fold * size, (fold + 1) * size), axis=axis)
    cut = {}
    for name, v in values.items():
        size = v.counts.shape[1] // folds
        own = slice(fold * size, (fold + 1) * size)
        cut[name] = ValuesByClass(v.values, v.counts[:, own], v.missing[own])
    return WholeTable(out, cut)


def sum_of(sums: Total, values: dict[str, ValuesByClass], folds: int) -> WholeTable:
    """Return the totals of all folds together."""
    first = part_of(sums, values, 0, folds)
    for fold in range(1, folds):
        first = added(first, part_of(sums, values, fold, folds))
    for name in ("sums", "squares"):
        if name in first.sums:
            kernels.carry(first.sums[name])
    return first


def _less(whole: ValuesByClass, part: ValuesByClass) -> ValuesByClass:
    """Return the rest; the part may hold fewer values than the whole."""
    if len(part.values) == len(whole.values):
        return whole.without(part.counts, part.missing)
    counts = np.zeros_like(whole.counts)
    counts[np.searchsorted(whole.values, part.values)] = part.counts
    return whole.without(counts, part.missing)


def _known(column: Column, place: int, sums: Total) -> tuple[Column, Counts]:
    """Return the column with the levels or words that rows have, and their counts, missing last for
    levels.
    """
    if column.kind == "numeric":
        return column, np.zeros((0, 0), np.int64)
    counts = sums[key(place, "counts")]
    used = np.asarray(counts.any(axis=1))
    if column.kind == "text":
        words = tuple(w for w, there in zip(column.words, used.tolist(), strict=True) if there)
        return replace(column, words=words), counts[used]
    if column.declared or column.kind == "boolean":
        return column, counts
    levels = tuple(v for v, there in zip(column.levels, used[:-1].tolist(), strict=True) if there)
    used[-1] = True
    return replace(column, levels=levels), counts[used]
