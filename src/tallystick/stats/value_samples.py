"""A sample of the distinct values of numeric columns with their class counts: the values whose hashes are
least.

Knows blocks. Knows nothing of what is judged by it. Laws: which values are in the sample depends on the set
of values alone, so on no order, thread or engine; each has all its rows. There are more than `size` values
within the first quarter of the hashes, or every value is in the sample.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tallystick import kernels
from tallystick.contracts import Block, Table
from tallystick.data.table.block import classes_of
from tallystick.data.table.later import as_it_lies
from tallystick.data.table.picked import (
    ALL,
    MARGIN,
    MOST,
    SIZE,
    Found,
    PickedNumbers,
    first_share,
    limit_of,
    take_picked,
)
from tallystick.data.threads import checkpoint, each_in_order
from tallystick.stats.class_values import ALONE, ClassValues, Counts, ValuesByClass

QUARTER = limit_of(MOST)
TASK = 1 << 18  # rows looked at by one thread at a time
OFTEN = 16  # rows of each value that was picked, by which it is told that there are no others
TOGETHER = 32  # columns that are gone through at once, at most: rows are read fewer times
CELLS = 1 << 17  # counts of a column that are near enough for its values to be met in any order
MOST_CLASSES = CELLS >> 11  # a table of values begins with so many slots
NEAR = 10  # thousandths of the hashes within which the last one of a sample is looked for


class SampledValues(NamedTuple):
    """Values of one column whose hashes are at most the limit."""

    values: ValuesByClass
    limit: int = ALL

    @property
    def whole(self) -> bool:
        """Whether no value was left out."""
        return self.limit == ALL


def sample_of(values: ValuesByClass, limit: int = ALL, size: int = SIZE) -> SampledValues:
    """Return the `size` values with the least hashes of those within a limit; all of them where more than a
    quarter of the hashes would be needed.
    """
    if len(values.values) <= size and limit == ALL:
        return SampledValues(values)
    hashes = kernels.value_hashes(values.values)
    if np.count_nonzero(hashes <= np.uint64(min(limit, QUARTER))) > size:
        limit = _least(hashes, size)
    kept = np.flatnonzero(hashes <= np.uint64(limit))
    counts = values.counts.take(kept, axis=0)
    return SampledValues(ValuesByClass(values.values[kept], counts, values.missing), limit)


def _least(hashes: NDArray[np.uint64], size: int) -> int:
    """Return the highest of the `size` least hashes. They are evenly spread, so it is looked for where it
    must nearly lie; where it does not, among all.
    """
    top, place = int(hashes.max()), 1000 * size // len(hashes)
    low, high = (np.uint64(top * max(min(place + by, 1000), 0) // 1000) for by in (-NEAR, NEAR))
    some = hashes[(low < hashes) & (hashes <= high)]
    before = int(np.count_nonzero(hashes <= low))
    if not before < size <= before + len(some):
        some, before = hashes, 0
    return int(np.partition(some, size - 1 - before)[size - 1 - before])


@dataclass(frozen=True, slots=True)
class ValueSample:
    """Ask for a sample of the values of some columns by class."""

    columns: tuple[str, ...]
    classes: int
    size: int = SIZE

    def zero(self) -> list[SampledValues]:
        """Return the total of no rows."""
        return [SampledValues(values) for values in self._all.zero()]

    def add(self, total: list[SampledValues], block: Block) -> list[SampledValues]:
        """Add the rows of one block."""
        limits = [known.limit for known in total]
        picked = kernels.pick_values([block.values(name) for name in self.columns], limits)
        jobs = zip(limits, picked, strict=True)
        found = [self.sampled(limit, [(0, *own)], classes_of(block), block.weights)[0] for limit, own in jobs]
        return self.merge(total, found)

    def merge(self, total: list[SampledValues], other: list[SampledValues]) -> list[SampledValues]:
        """Add two totals."""
        both = self._all.merge([a.values for a in total], [b.values for b in other])
        limits = (min(a.limit, b.limit) for a, b in zip(total, other, strict=True))
        return [sample_of(v, limit, self.size) for v, limit in zip(both, limits, strict=True)]

    @property
    def _all(self) -> ClassValues:
        return ClassValues(self.columns, self.classes)

    def sampled(
        self, limit: int, picked: list[Found], classes: NDArray[Any], weights: Counts | None
    ) -> tuple[SampledValues, int]:
        """Return the sample of rows whose values lie within the limit or are missing, and how many values
        these have.
        """
        most = sum(len(rows) for _, rows, _ in picked)
        size = self.size if limit <= QUARTER else max(most, 1)
        self._all.refuse_many(min(most, size))
        found = kernels.sample_values(picked, classes, self.classes, limit, size, weights)
        values = ValuesByClass(found.values, found.counts, found.missing)
        return SampledValues(values, found.limit), found.distinct


class ByGuess:
    """The shortcut: a limit is guessed, and the rows within it are looked at; only where a column has few
    values, all rows are; and these are ranked where classes are so many that the table of counts is large.
    """

    row_bytes = 0  # ranks lie where the table says

    def solve(self, question: ValueSample, table: Table, threads: int) -> list[SampledValues]:
        """Return the total."""
        threads = 1 if table.rows * len(question.columns) < ALONE else threads
        share = first_share(question.size, table.rows)
        found: dict[str, SampledValues] = {}
        known = take_picked(table)
        shares = dict.fromkeys(question.columns, share)
        if known is not None and known.limit == limit_of(share):
            guess = partial(self._guess, question, table, known, share)
            shares |= {name: guess(name) for name in shares if name in known.names}
        while some := [name for name, share in shares.items() if share < MOST and name not in found]:
            limits = [limit_of(shares[name]) for name in some]
            picked = _picked(table, known, some, limits, threads)
            given = list(zip(limits, picked, strict=True))
            one = partial(self._one, question, table)
            for name, sample in zip(some, each_in_order(one, given, threads), strict=True):
                if not isinstance(sample, SampledValues):
                    shares[name] *= MARGIN * question.size / max(sample, 1)
                else:
                    found[name] = sample
        found |= self._of_few(question, table, [n for n in question.columns if n not in found], threads)
        return [found[name] for name in question.columns]

    def _guess(
        self, question: ValueSample, table: Table, known: PickedNumbers, share: float, name: str
    ) -> float:
        """Return the share to begin with: that of what was picked, or where its room was too small because
        the values are few, each of many rows, the one that these tell.
        """
        if known.column(name, known.limit) is not None:
            return share
        found = question.sampled(known.limit, known.so_far(name), classes_of(table), table.weights)
        each = found[0].values.counts.sum(axis=1)
        return share * MARGIN * question.size / max(found[1], 1) if (each >= OFTEN).all() else share

    def _one(
        self, question: ValueSample, table: Table, given: tuple[int, list[Found]]
    ) -> SampledValues | int:
        """Return the sample of what is within a limit; how many values there are where these are too few."""
        limit, picked = given
        found, distinct = question.sampled(limit, picked, classes_of(table), table.weights)
        return found if found.limit < limit else distinct

    def _of_few(
        self, question: ValueSample, table: Table, names: Sequence[str], threads: int
    ) -> Iterator[tuple[str, SampledValues]]:
        """Yield the samples of columns that have few values: these are met, some columns at a time."""
        each = 1 if table.budget else min(max(-(-len(names) // threads), 1), TOGETHER)
        groups = [names[start : start + each] for start in range(0, len(names), each)]
        met = each_in_order(partial(self._met, question, table), groups, threads)
        for group, samples in zip(groups, met, strict=True):
            yield from zip(group, samples, strict=True)

    def _met(self, question: ValueSample, table: Table, names: Sequence[str]) -> list[SampledValues]:
        checkpoint()
        if question.classes > MOST_CLASSES:
            return [self._ranked(question, table, name) for name in names]
        columns, most = [as_it_lies(table, name) for name in names], CELLS // question.classes
        met = kernels.meet_values(columns, classes_of(table), question.classes, most, table.weights)
        return [
            self._ranked(question, table, name)
            if values is None
            else sample_of(ValuesByClass(*values).counted(table.weights), size=question.size)
            for name, values in zip(names, met, strict=True)
        ]

    def _ranked(self, question: ValueSample, table: Table, name: str) -> SampledValues:
        codes, distinct = table.ranks(name)
        checkpoint()
        classes = classes_of(table)
        every = ClassValues((name,), question.classes).by_code(codes, distinct, classes, table.weights)
        return sample_of(every, size=question.size)


def _picked(
    table: Table, known: PickedNumbers | None, names: Sequence[str], limits: Sequence[int], threads: int
) -> list[list[Found]]:
    """Return what is within limits of columns, part by part: as it is known from reading the table, or found
    over threads.
    """
    asked = list(zip(names, limits, strict=True))
    near = {} if known is None else {name: known.column(name, limit) for name, limit in asked}
    rest = [(name, limit) for name, limit in asked if near.get(name) is None]

    def one(start: int) -> list[Found]:
        checkpoint()
        some = [table.column(name)[start : start + TASK] for name, _ in rest]
        found = kernels.pick_values(some, [limit for _, limit in rest])
        return [(start, rows, values) for rows, values in found]

    starts = range(0, table.rows if rest else 0, TASK)
    parts = zip(*each_in_order(one, starts, threads), strict=True)
    found = {**near, **{name: list(own) for (name, _), own in zip(rest, parts, strict=True)}}
    return [found[name] or [] for name in names]
