"""Rows on Spark dealt to folds where they are: a row's fold follows from its place in an order, among the
rows of its class or among all, or from what it holds.

    rows --by hash, where some are equal--> number among equal rows --by place in the order--> ranks --> folds

Knows RDDs of blocks, hashes and an order. Runs in Spark's workers, but for the counts that tell where ranges
of places begin. Law: the folds are those that dealing all rows at once gives, as a multiset of rows; the
driver gets counts by range and class, nothing of a row.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallystick.data.schema import Schema
from tallystick.data.table.block import Block, class_type, pack
from tallystick.data.table.subset import Within, schema_within
from tallystick.engines.spark.dealt import (
    FOLD,
    Answer,
    AnsweredFolds,
    Beside,
    ByHash,
    ByPlace,
    CasesHeld,
    CountsByRange,
    Dealt,
    HashesSent,
    Narrow,
    Numbered,
    OfFolds,
    OncePerFold,
    Order,
    RowCopies,
    RowsSent,
    count_distinct,
)
from tallystick.engines.spark.parts import Recoded
from tallystick.engines.spark.ranked import Labels, RankedColumn, ranked
from tallystick.engines.spark.table import SparkTable, forget, keep, unpacked, walked
from tallystick.engines.spark.workers import merged_there, plain_errors

TASK_CELLS = 1 << 24  # of the rows that a task has at once, about
Counts = NDArray[np.int64]


@dataclass(frozen=True)
class DealtRows:
    """The rows of a table, each with its fold. stored: packed blocks that Spark keeps, by this schema;
    sizes[fold]: rows, copies counted; there[fold]: rows; beside: columns that are not learned from, and stand
    beside the answers. Where copies of a row are in several folds, it is there once for each, with their
    weight.
    """

    table: SparkTable
    schema: Schema
    stored: Any
    sizes: tuple[int, ...]
    there: tuple[int, ...]
    beside: tuple[str, ...] = ()

    @property
    def unit(self) -> int:
        """What a row of weight 1 weighs."""
        return self.table.unit

    def of_folds(self, *folds: int) -> SparkTable:
        """Return the rows of some folds as a table that knows nothing of the others."""
        table = self.table
        with plain_errors():
            picked = self.stored.mapPartitions(unpacked).mapPartitions(OfFolds(folds))
            found = table.engine.sum(picked, Within(self.schema, self.unit == 1))
            schema = schema_within(self.schema, found)
            kept = keep(picked.map(Recoded(self.schema, schema)).map(pack))
        blocks, rows = kept.mapPartitions(unpacked), sum(self.there[f] for f in folds)
        return SparkTable(schema, blocks, rows, table.notes, table.source_notes, table.unit, kept)

    def coded(self, *folds: int) -> SparkTable:
        """Return the rows of some folds in the codes of all rows."""
        table = self.table
        kept = keep(self.stored.mapPartitions(unpacked).mapPartitions(OfFolds(folds, False)).map(pack))
        blocks, rows = kept.mapPartitions(unpacked), sum(self.there[f] for f in folds)
        return SparkTable(self.schema, blocks, rows, table.notes, table.source_notes, table.unit, kept)

    def total(self, question: Any, *folds: int) -> Any:
        """Return the total of a question over the rows of some folds."""
        with plain_errors():
            picked = self.stored.mapPartitions(unpacked).mapPartitions(OfFolds(folds))
            return self.table.engine.sum(picked, question)

    def answered(self, works: Sequence[Answer], tested: Sequence[int]) -> KeptAnswers:
        """Return the answers to the rows of tested folds: the shares of a row, of class c in the column c, by
        the work of its fold, with its class, the number of that work, and what stands beside.
        """
        asked = AnsweredFolds(tuple(works), tuple(tested), self.beside)
        with plain_errors():
            kept = keep(self.stored.mapPartitions(unpacked).mapPartitions(asked))
        return KeptAnswers(kept, sum(self.there[f] for f in tested))

    def release(self) -> None:
        """Let Spark forget the rows."""
        forget(self.stored)


@dataclass(frozen=True)
class KeptAnswers:
    """Answers to rows, in packed blocks that Spark keeps."""

    kept: Any
    rows: int
    fold: str = FOLD

    def total(self, question: Any) -> Any:
        """Return the total of a question over all blocks."""
        from tallystick.engines.spark import Spark

        with plain_errors():
            return Spark.sum(self.kept.mapPartitions(unpacked), question)

    def ranked(self, name: str, labels: Labels, width: int) -> RankedColumn:
        """Return the rows in the order of a column of shares; labels(block)[row]: below `width`."""
        return ranked(self.kept.mapPartitions(unpacked), name, labels, width, self.rows, weighed=True)

    def by_share(self, order: RankedColumn) -> None:
        """The shares of single rows stay here."""

    def release(self) -> None:
        """Let Spark forget the answers."""
        forget(self.kept)


@dataclass(frozen=True)
class SparkDealer:
    """Who deals and ranks the rows of a table. lean: the schema of what is learned from and deals rows, None:
    the table's; beside: columns of dealt rows that work(block)[row] gives, by their names; weighed: some rows
    weigh more than others.
    """

    table: SparkTable
    lean: Schema | None = None
    beside: tuple[tuple[str, Callable[[Block], Counts]], ...] = ()
    weighed: bool = False

    def with_beside(self, lean: Schema, works: Mapping[str, Callable[[Block], Counts]]) -> SparkDealer:
        """Return who deals the rows by another schema, with what works give of each beside it."""
        return SparkDealer(self.table, lean, tuple(works.items()), self.weighed)

    @property
    def schema(self) -> Schema:
        """Of what deals rows and is learned from."""
        return self.table.schema if self.lean is None else self.lean

    @property
    def names(self) -> tuple[str, ...]:
        """Of the columns beside."""
        return tuple(name for name, _ in self.beside)

    @cached_property
    def blocks(self) -> Any:
        """RDD of the blocks that are dealt."""
        if self.lean is None:
            return self.table.opened
        return self.table.opened.map(Beside(self.table.schema, self.schema, self.beside))

    @cached_property
    def tasks(self) -> int:
        """How many tasks rows are sent to."""
        cells = self.table.rows * (len(self.table.schema.used) + 1)
        return max(2 * int(self.table.opened.context.defaultParallelism), -(-cells // TASK_CELLS))

    @cached_property
    def distinct(self) -> int:
        """How many rows differ."""
        with plain_errors():
            told = self.blocks.mapPartitions(HashesSent(self.schema, self.tasks))
            return int(sum(told.partitionBy(self.tasks, int).mapPartitions(count_distinct).collect()))

    @property
    def cases(self) -> int:
        """How many rows there are, copies counted."""
        return self.table.printed.counted if self.weighed else self.table.rows

    @property
    def copies(self) -> RowCopies | None:
        """How weights are copies; None: each row is one."""
        return RowCopies(self.table.unit) if self.weighed else None

    def ranked(self, name: str, labels: Labels, width: int, weighed: bool = False) -> RankedColumn:
        """Return the rows in the order of a column of numbers; labels(block)[row]: below `width`; weighed:
        counts are weights, in units of the table.
        """
        return ranked(self.table.opened, name, labels, width, self.table.rows, weighed)

    def in_order(self, order: Order) -> DealtRows:
        """Return the rows in folds by their ranks in an order."""
        tasks, schema, blocks = self.tasks, self.schema, self.blocks
        copies, sizes = self.copies, order.sizes(self.cases)
        with plain_errors():
            if self.weighed or self.distinct < self.table.rows:
                alone = order.alone(self.cases, self.distinct)
                sent = blocks.mapPartitions(RowsSent(ByHash(schema, tasks))).partitionBy(tasks, int)
                blocks = sent.mapPartitions(Numbered(schema, order, alone, self.names, copies))
            places = ByPlace(schema, order, tasks)
            k = max(len(schema.predicted.labels), 1) if order.by_class else 1
            counts: Counts = merged_there(blocks.mapPartitions(CountsByRange(places, k, copies)), np.add)
            first = counts.sum(axis=0)
            before = np.cumsum(counts, axis=0) - counts + (np.cumsum(first) - first)  # [range, class]
            sent = blocks.mapPartitions(RowsSent(places)).partitionBy(tasks, int)
            dealt = sent.mapPartitions(Dealt(places, before, len(sizes), self.names, copies))
            if self.weighed:
                sent = dealt.mapPartitions(unpacked).mapPartitions(RowsSent(ByHash(schema, tasks)))
                dealt = sent.partitionBy(tasks, int).mapPartitions(OncePerFold(schema))
            stored = keep(dealt)
            if not self.weighed:  # else they are counted, which makes them too
                walked(stored)
            return self._dealt(stored, sizes)

    def by(self, work: Callable[[Block], Counts], sizes: Sequence[int]) -> DealtRows:
        """Return the rows in the folds that work(block)[row] gives, so many each."""
        folds = Narrow(work, class_type(len(sizes)))
        more = Beside(self.table.schema, self.schema, (*self.beside, (FOLD, folds)))
        with plain_errors():
            return self._dealt(keep(self.table.opened.map(more).map(pack)), sizes)

    def _dealt(self, stored: Any, sizes: Sequence[int]) -> DealtRows:
        """Return the rows that Spark is to keep. sizes[fold]: how many there are; with weights, of which one
        that is not whole is one row, they are counted.
        """
        if not self.weighed:
            return DealtRows(self.table, self.schema, stored, tuple(sizes), tuple(sizes), self.names)
        asked = CasesHeld(self.table.unit, len(sizes))
        there, cases = self.table.engine.sum(stored.mapPartitions(unpacked), asked).tolist()
        return DealtRows(self.table, self.schema, stored, tuple(cases), tuple(there), self.names)
