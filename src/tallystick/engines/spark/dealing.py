"""Rows on Spark dealt to folds where they are: a row's fold follows from its place in an order, among the
rows of its class or among all, or from what it holds.

    rows --by hash, where some are equal--> number among equal rows --by place in the order--> ranks --> folds

Knows RDDs of blocks, hashes and an order. Runs in Spark's workers, but for the counts that tell where ranges
of places begin. Law: the folds are those that dealing all rows at once gives, as a multiset of rows; the
driver gets counts by range and class, nothing of a row.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from tallystick.data.schema import Schema
from tallystick.data.table.block import Block, class_type, pack, together, unpack
from tallystick.data.table.hashes import Hasher
from tallystick.data.table.subset import Within, recode_block, schema_within, take_block
from tallystick.data.table.table import BLOCK
from tallystick.engines.spark.parts import Hashes, Recoded
from tallystick.engines.spark.ranked import Labels, RankedColumn, ranked
from tallystick.engines.spark.table import SparkTable, forget, keep, unpacked, walked
from tallystick.engines.spark.workers import merged_there, plain_errors

FOLD, NUMBER = "\0fold", "\0number"  # columns of blocks: a row's fold, its number among equal rows
TASK_CELLS = 1 << 24  # of the rows that a task has at once, about
Counts = NDArray[np.int64]
Floats = NDArray[np.float64]
Answer = Callable[[Block], Floats]


class Order(Protocol):
    """In which order rows are dealt, and to which folds. by_class: those of a class after each other."""

    @property
    def by_class(self) -> bool: ...  # noqa: D102

    def alone(self, cases: int, distinct: int) -> int:
        """Return how many copies of a row have a place of their own."""
        ...

    def places(self, hashes: Hashes, numbers: Counts) -> Hashes:
        """Return the places of rows, by their hashes and their numbers among equal rows."""
        ...

    def folds(self, ranks: Counts) -> Counts:
        """Return the folds of rows that so many rows are before."""
        ...

    def sizes(self, rows: int) -> tuple[int, ...]:
        """Return how many rows each fold has."""
        ...


@dataclass(frozen=True)
class DealtRows:
    """The rows of a table, each with its fold. stored: packed blocks that Spark keeps, by this schema;
    sizes[fold]: rows; beside: columns that are not learned from, and stand beside the answers.
    """

    table: SparkTable
    schema: Schema
    stored: Any
    sizes: tuple[int, ...]
    beside: tuple[str, ...] = ()

    def of_folds(self, *folds: int) -> SparkTable:
        """Return the rows of some folds as a table that knows nothing of the others."""
        table = self.table
        with plain_errors():
            picked = self.stored.mapPartitions(unpacked).mapPartitions(OfFolds(folds))
            schema = schema_within(self.schema, table.engine.sum(picked, Within(self.schema, True)))
            kept = keep(picked.map(Recoded(self.schema, schema)).map(pack))
        blocks, rows = kept.mapPartitions(unpacked), sum(self.sizes[f] for f in folds)
        return SparkTable(schema, blocks, rows, table.notes, table.source_notes, table.unit, kept)

    def coded(self, *folds: int) -> SparkTable:
        """Return the rows of some folds in the codes of all rows."""
        table = self.table
        kept = keep(self.stored.mapPartitions(unpacked).mapPartitions(OfFolds(folds, False)).map(pack))
        blocks, rows = kept.mapPartitions(unpacked), sum(self.sizes[f] for f in folds)
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
        return KeptAnswers(kept, sum(self.sizes[f] for f in tested))

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
        return ranked(self.kept.mapPartitions(unpacked), name, labels, width, self.rows)

    def by_share(self, order: RankedColumn) -> None:
        """The shares of single rows stay here."""

    def release(self) -> None:
        """Let Spark forget the answers."""
        forget(self.kept)


@dataclass(frozen=True)
class SparkDealer:
    """Who deals and ranks the rows of a table without weights. lean: the schema of what is learned from and
    deals rows, None: the table's; beside: columns of dealt rows that work(block)[row] gives, by their names.
    """

    table: SparkTable
    lean: Schema | None = None
    beside: tuple[tuple[str, Callable[[Block], Counts]], ...] = ()

    def with_beside(self, lean: Schema, works: Mapping[str, Callable[[Block], Counts]]) -> SparkDealer:
        """Return who deals the rows by another schema, with what works give of each beside it."""
        return SparkDealer(self.table, lean, tuple(works.items()))

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

    def ranked(self, name: str, labels: Labels, width: int) -> RankedColumn:
        """Return the rows in the order of a column of numbers; labels(block)[row]: below `width`."""
        return ranked(self.table.opened, name, labels, width, self.table.rows)

    def in_order(self, order: Order) -> DealtRows:
        """Return the rows in folds by their ranks in an order."""
        table, tasks, schema, blocks = self.table, self.tasks, self.schema, self.blocks
        with plain_errors():
            if self.distinct < table.rows:
                alone = order.alone(table.rows, self.distinct)
                sent = blocks.mapPartitions(RowsSent(ByHash(schema, tasks))).partitionBy(tasks, int)
                blocks = sent.mapPartitions(Numbered(schema, alone, self.names))
            places = ByPlace(schema, order, tasks)
            k = len(schema.predicted.labels) if order.by_class else 1
            counts: Counts = merged_there(blocks.mapPartitions(CountsByRange(places, k)), np.add)
            first = counts.sum(axis=0)
            before = np.cumsum(counts, axis=0) - counts + (np.cumsum(first) - first)  # [range, class]
            sent = blocks.mapPartitions(RowsSent(places)).partitionBy(tasks, int)
            sizes = order.sizes(table.rows)
            stored = keep(sent.mapPartitions(Dealt(places, before, len(sizes), self.names)))
            walked(stored)
        return self._dealt(stored, sizes)

    def by(self, work: Callable[[Block], Counts], sizes: Sequence[int]) -> DealtRows:
        """Return the rows in the folds that work(block)[row] gives, so many each."""
        folds = Narrow(work, class_type(len(sizes)))
        more = Beside(self.table.schema, self.schema, (*self.beside, (FOLD, folds)))
        with plain_errors():
            stored = keep(self.table.opened.map(more).map(pack))
        return self._dealt(stored, sizes)

    def _dealt(self, stored: Any, sizes: Sequence[int]) -> DealtRows:
        return DealtRows(self.table, self.schema, stored, tuple(sizes), self.names)


# ---- the work of the workers ----


@dataclass(frozen=True)
class ByHash:
    """The task of a row, by its hash: equal rows have one."""

    schema: Schema
    tasks: int

    def __call__(self, block: Block) -> Counts:
        """Return task[row]."""
        return (Hasher(self.schema).rows(block) % np.uint64(self.tasks)).astype(np.int64)


@dataclass(frozen=True)
class ByPlace:
    """The task of a row, by its place in an order: each takes a range of places, in their order."""

    schema: Schema
    order: Order
    tasks: int

    def places(self, block: Block) -> Hashes:
        """Return the place of each row."""
        numbers = block.columns[NUMBER] if NUMBER in block.columns else np.zeros(block.rows, np.uint32)
        return self.order.places(Hasher(self.schema).rows(block), numbers.astype(np.int64))

    def __call__(self, block: Block) -> Counts:
        """Return task[row]."""
        half = np.uint64(32)
        return ((self.places(block) >> half) * np.uint64(self.tasks) >> half).astype(np.int64)


def large_blocks(blocks: Iterable[Block]) -> Iterator[Block]:
    """Yield blocks put together: fewer and larger pieces are sent."""
    waiting: list[Block] = []
    for block in blocks:
        waiting.append(block)
        if sum(b.rows for b in waiting) >= 4 * BLOCK:
            yield together(waiting)
            waiting = []
    if waiting:
        yield together(waiting)


@dataclass(frozen=True)
class HashesSent:
    """Blocks to (task, hashes), equal ones once."""

    schema: Schema
    tasks: int

    def __call__(self, blocks: Iterable[Block]) -> Iterator[tuple[int, Hashes]]:
        """Yield the hashes of one partition."""
        hasher = Hasher(self.schema)
        for block in large_blocks(blocks):
            hashes = np.unique(hasher.rows(block))
            task = (hashes % np.uint64(self.tasks)).astype(np.int64)
            for t in np.unique(task).tolist():
                yield t, hashes[task == t]


def count_distinct(sent: Iterable[tuple[int, Hashes]]) -> Iterator[int]:
    """Yield how many hashes differ."""
    every = [hashes for _, hashes in sent]
    yield len(np.unique(np.concatenate(every))) if every else 0


@dataclass(frozen=True)
class RowsSent:
    """Blocks to (task, packed rows)."""

    task_of: Callable[[Block], Counts]

    def __call__(self, blocks: Iterable[Block]) -> Iterator[tuple[int, bytes]]:
        """Yield the rows of one partition."""
        for block in large_blocks(blocks):
            task = self.task_of(block)
            for t in np.unique(task).tolist():
                yield t, pack(take_block(block, np.flatnonzero(task == t)))


@dataclass(frozen=True)
class Numbered:
    """Rows that were sent, equal ones to one task, to blocks with each row's number among equal rows: in the
    order of what stands beside them, however they come.
    """

    schema: Schema
    most: int
    beside: tuple[str, ...] = ()

    def __call__(self, sent: Iterable[tuple[int, bytes]]) -> Iterator[Block]:
        """Yield the rows of one task."""
        parts = [unpack(data) for _, data in sent]
        if not parts:
            return
        rows = together(parts)
        hashes = Hasher(self.schema).rows(rows)
        order = np.lexsort((*codes_of(rows, self.beside), hashes))
        ranked = hashes[order]
        at = np.arange(len(order))
        first = np.maximum.accumulate(np.where(np.diff(ranked, prepend=~ranked[:1]) != 0, at, 0))
        numbers = np.empty(len(order), np.uint32)
        numbers[order] = np.minimum(at - first, self.most)
        yield replace(rows, columns={**rows.columns, NUMBER: numbers})


def codes_of(rows: Block, names: Sequence[str]) -> list[NDArray[Any]]:
    """Return columns of codes as keys of `numpy.lexsort`, which sorts by the last of them first."""
    return [rows.codes(name) for name in reversed(names)]


@dataclass(frozen=True)
class CountsByRange:
    """Blocks to counts[range of places, class]."""

    places: ByPlace
    classes: int

    def __call__(self, blocks: Iterable[Block]) -> Iterator[Counts]:
        """Yield the counts of one partition."""
        size = self.places.tasks * self.classes
        out = np.zeros(size, np.int64)
        for block in blocks:
            own: Any = block.classes if self.classes > 1 else 0
            out += np.bincount(self.places(block) * self.classes + own, minlength=size)
        yield out.reshape(self.places.tasks, self.classes)


@dataclass(frozen=True)
class Dealt:
    """Rows that were sent by their places to packed blocks with each row's fold. before[range, class]: rows
    that are dealt earlier.
    """

    places: ByPlace
    before: Counts
    folds: int
    beside: tuple[str, ...] = ()

    def __call__(self, sent: Iterable[tuple[int, bytes]]) -> Iterator[bytes]:
        """Yield the rows of each range."""
        parts: dict[int, list[Block]] = {}
        for task, data in sent:
            parts.setdefault(task, []).append(unpack(data))
        while parts:
            task, own = parts.popitem()
            rows = together(own)
            k = self.before.shape[1]
            classes = np.zeros(rows.rows, np.int64)
            if k > 1 and rows.classes is not None:
                classes += rows.classes
            order = np.lexsort((*codes_of(rows, self.beside), self.places.places(rows), classes))
            held = np.bincount(classes, minlength=k)
            rank = np.arange(len(order)) - (np.cumsum(held) - held)[classes[order]]
            fold = np.empty(len(order), class_type(self.folds))
            fold[order] = self.places.order.folds(rank + self.before[task][classes[order]])
            columns = {name: data for name, data in rows.columns.items() if name != NUMBER}
            rows = replace(rows, columns={**columns, FOLD: fold})
            for start in range(0, rows.rows, BLOCK):
                yield pack(take_block(rows, np.arange(start, min(start + BLOCK, rows.rows))))


@dataclass(frozen=True)
class Beside:
    """Blocks in another schema, with more columns: those that work(block)[row] gives, by their names."""

    old: Schema
    new: Schema
    works: tuple[tuple[str, Callable[[Block], NDArray[Any]]], ...]

    def __call__(self, block: Block) -> Block:
        """Return one block."""
        lean = recode_block(block, self.old, self.new)
        return replace(lean, columns={**lean.columns, **{name: work(block) for name, work in self.works}})


@dataclass(frozen=True)
class Narrow:
    """Whole numbers work(block)[row] in a narrow type."""

    work: Callable[[Block], Counts]
    type: Any

    def __call__(self, block: Block) -> NDArray[Any]:
        """Return them of one block."""
        return self.work(block).astype(self.type)


@dataclass(frozen=True)
class OfFolds:
    """Blocks to the rows of some folds; marked: with the column of folds."""

    folds: tuple[int, ...]
    marked: bool = True

    def __call__(self, blocks: Iterable[Block]) -> Iterator[Block]:
        """Yield the blocks that are left."""
        for block in blocks:
            rows = np.flatnonzero(np.isin(block.codes(FOLD), self.folds))
            if len(rows):
                own = block.columns
                if not self.marked:
                    own = {name: data for name, data in own.items() if name != FOLD}
                yield take_block(replace(block, columns=own), rows)


@dataclass(frozen=True)
class AnsweredFolds:
    """Blocks with folds to packed blocks of answers. works[number]: shares of a block, in the codes it has,
    whose rows are of the fold tested[number]; beside: columns that stand beside the answers too.
    """

    works: tuple[Answer, ...]
    tested: tuple[int, ...]
    beside: tuple[str, ...] = ()

    def __call__(self, blocks: Iterable[Block]) -> Iterator[bytes]:
        """Yield the answers to the tested rows of each block."""
        for block in OfFolds(self.tested)(blocks):
            fold, number, shares = block.codes(FOLD), np.zeros(block.rows, np.int64), np.zeros((0, 0))
            for n, f in enumerate(self.tested):
                rows = np.flatnonzero(fold == f)
                if not len(rows):
                    continue
                found = self.works[n](take_block(block, rows))
                if not shares.size:
                    shares = np.zeros((block.rows, found.shape[1]))
                shares[rows], number[rows] = found, n
            columns: dict[str, Any] = {str(c): shares[:, c] for c in range(shares.shape[1])}
            own: dict[str, Any] = {name: block.columns[name] for name in self.beside}
            own[FOLD] = number.astype(class_type(len(self.tested)))
            yield pack(Block(block.rows, columns | own, block.classes))
