"""Rows on Spark dealt to folds by the workers: what each does with the rows that it has or was sent.

Knows blocks, hashes and an order. Runs in Spark's workers. Law: the folds are those that dealing all rows at
once gives, as a multiset of rows; a whole weight is dealt as its copies, and what of a row's copies lies in
one fold is a row there, with their weight.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from tallystick import kernels
from tallystick.contracts import Block, Statistic
from tallystick.schema import Schema
from tallystick.spark.levels import SAMPLE, SAMPLED, Drawn, cut_table, joined_pieces, narrow_table
from tallystick.spark.table import SparkTable, forget, keep, unpacked, walked
from tallystick.spark.workers import Hashes, Recoded, merged_there, plain_errors
from tallystick.stats.values import RankedPiece, ValueTable, value_table
from tallystick.table.block import Hasher, RowBlock, class_type, pack, together, unpack
from tallystick.table.subset import Within, recode_block, schema_within, take_block
from tallystick.table.table import BLOCK

# columns of blocks: a row's fold, its number among equal cases, and which of equal rows it is
FOLD, NUMBER, ROW = "\0fold", "\0number", "\0row"
Counts = NDArray[np.int64]
Floats = NDArray[np.float64]
Answer = Callable[[RowBlock], Floats]


class Order(Protocol):
    """In which order rows are dealt, and to which folds. by_class: those of a class after each other."""

    @property
    def by_class(self) -> bool: ...

    def alone(self, cases: int, distinct: int) -> int:
        """Return how many copies of a row have a place of their own."""
        ...

    def runs(self, ranked: Hashes, copies: Counts, most: int) -> tuple[Counts, Counts, Counts]:
        """Return runs of the copies of rows in the order of their hashes: of which row, its number among
        equal rows, how many; most: copies of a row that have a place of their own.
        """
        ...

    def places(self, hashes: Hashes, numbers: Counts) -> Hashes:
        """Return the places of rows, by their hashes and their numbers among equal rows."""
        ...

    def folds(self, ranks: Counts) -> Counts:
        """Return the folds of rows that so many rows are before."""
        ...

    def pieces(self, ranks: Counts, sizes: Counts) -> tuple[Counts, Counts, Counts]:
        """Return what of runs of so many copies, that so many copies are before, lies in one fold: of which
        run, its fold, how many.
        """
        ...

    def sizes(self, rows: int) -> tuple[int, ...]:
        """Return how many rows each fold has."""
        ...


@dataclass(frozen=True)
class RowCopies:
    """How many copies rows are: their weights, where all are whole; else one each. unit: of the
    table.
    """

    unit: int

    def of(self, block: Block) -> Counts:
        """Return copies[row]."""
        assert block.weights is not None
        return block.weights if self.unit == 1 else np.ones_like(block.weights)

    def each(self, block: RowBlock) -> Counts:
        """Return what one copy of each row weighs."""
        assert block.weights is not None
        return np.ones_like(block.weights) if self.unit == 1 else block.weights

    def fractions(self, block: RowBlock) -> Counts:
        """Return the weight of each row, 0 where weights are copies: it orders equal rows."""
        assert block.weights is not None
        return np.zeros_like(block.weights) if self.unit == 1 else block.weights


@dataclass(frozen=True)
class CasesHeld(Statistic[Counts]):
    """Ask how many rows each fold has, and how many of them with copies counted."""

    unit: int
    folds: int

    def zero(self) -> Counts:
        """Return the total of no rows."""
        return np.zeros((2, self.folds), np.int64)

    def add(self, total: Counts, block: Block) -> Counts:
        """Add the rows of one block."""
        for counts, copies in zip(total, (None, RowCopies(self.unit).of(block)), strict=True):
            kernels.count_classes(block.codes(FOLD), self.folds, copies, counts)
        return total

    def merge(self, total: Counts, other: Counts) -> Counts:
        """Add two totals."""
        return total + other


@dataclass(frozen=True)
class ByHash:
    """The task of a row, by its hash: equal rows have one."""

    schema: Schema
    tasks: int

    def __call__(self, block: RowBlock) -> Counts:
        """Return task[row]."""
        return (Hasher(self.schema).rows(block) % np.uint64(self.tasks)).astype(np.int64)


@dataclass(frozen=True)
class ByPlace:
    """The task of a row, by its place in an order: each takes a range of places, in their order."""

    schema: Schema
    order: Order
    tasks: int

    def places(self, block: RowBlock) -> Hashes:
        """Return the place of each row."""
        numbers = block.columns[NUMBER] if NUMBER in block.columns else np.zeros(block.rows, np.uint32)
        return self.order.places(Hasher(self.schema).rows(block), numbers.astype(np.int64))

    def __call__(self, block: RowBlock) -> Counts:
        """Return task[row]."""
        half = np.uint64(32)
        return ((self.places(block) >> half) * np.uint64(self.tasks) >> half).astype(np.int64)


def large_blocks(blocks: Iterable[RowBlock]) -> Iterator[RowBlock]:
    """Yield blocks put together: fewer and larger pieces are sent."""
    waiting: list[RowBlock] = []
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

    def __call__(self, blocks: Iterable[RowBlock]) -> Iterator[tuple[int, Hashes]]:
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

    task_of: Callable[[RowBlock], Counts]

    def __call__(self, blocks: Iterable[RowBlock]) -> Iterator[tuple[int, bytes]]:
        """Yield the rows of one partition."""
        for block in large_blocks(blocks):
            task = self.task_of(block)
            for t in np.unique(task).tolist():
                yield t, pack(take_block(block, np.flatnonzero(task == t)))


@dataclass(frozen=True)
class Numbered:
    """Rows that were sent, equal ones to one task, to blocks with each row's number among equal rows: in the
    order of what stands beside them, however they come. copies: how weights are copies; a row is then there
    once for each run of its copies.
    """

    schema: Schema
    order: Order
    most: int
    beside: tuple[str, ...] = ()
    copies: RowCopies | None = None

    def __call__(self, sent: Iterable[tuple[int, bytes]]) -> Iterator[RowBlock]:
        """Yield the rows of one task."""
        parts = [unpack(data) for _, data in sent]
        if not parts:
            return
        rows = together(parts)
        hashes = Hasher(self.schema).rows(rows)
        if self.copies is not None:
            yield self._in_runs(rows, hashes, self.copies)
            return
        order = np.lexsort((*codes_of(rows, self.beside), hashes))
        ranked = hashes[order]
        at = np.arange(len(order))
        first = np.maximum.accumulate(np.where(np.diff(ranked, prepend=~ranked[:1]) != 0, at, 0))
        numbers = np.empty(len(order), np.uint32)
        numbers[order] = np.minimum(at - first, self.most)
        yield replace(rows, columns={**rows.columns, NUMBER: numbers})

    def _in_runs(self, rows: RowBlock, hashes: Hashes, copies: RowCopies) -> RowBlock:
        assert rows.weights is not None
        keys = *codes_of(rows, self.beside), rows.weights, copies.fractions(rows), hashes
        order = np.lexsort(keys)
        at, numbers, sizes = self.order.runs(hashes[order], copies.of(rows)[order], self.most)
        told = take_block(rows, order[at])
        own = at - np.searchsorted(hashes[order], hashes[order][at])
        columns = {**told.columns, NUMBER: numbers.astype(np.uint32), ROW: own.astype(np.uint32)}
        return replace(told, columns=columns, weights=sizes * copies.each(rows)[order[at]])


def codes_of(rows: RowBlock, names: Sequence[str]) -> list[NDArray[Any]]:
    """Return columns of codes as keys of `numpy.lexsort`, which sorts by the last of them first."""
    return [rows.codes(name) for name in reversed(names)]


@dataclass(frozen=True)
class CountsByRange:
    """Blocks to counts[range of places, class] of rows, or of their copies."""

    places: ByPlace
    classes: int
    copies: RowCopies | None = None

    def __call__(self, blocks: Iterable[RowBlock]) -> Iterator[Counts]:
        """Yield the counts of one partition."""
        size = self.places.tasks * self.classes
        out = np.zeros(size, np.int64)
        for block in blocks:
            own: Any = block.classes if self.classes > 1 else 0
            at = self.places(block) * self.classes + own
            if self.copies is None:
                out += np.bincount(at, minlength=size)
            else:
                np.add.at(out, at, self.copies.of(block))
        yield out.reshape(self.places.tasks, self.classes)


@dataclass(frozen=True)
class Dealt:
    """Rows that were sent by their places to packed blocks with each row's fold. before[range, class]: rows
    that are dealt earlier. copies: how weights are copies; a row is then there once for each fold of them.
    """

    places: ByPlace
    before: Counts
    folds: int
    beside: tuple[str, ...] = ()
    copies: RowCopies | None = None

    def __call__(self, sent: Iterable[tuple[int, bytes]]) -> Iterator[bytes]:
        """Yield the rows of each range."""
        parts: dict[int, list[RowBlock]] = {}
        for task, data in sent:
            parts.setdefault(task, []).append(unpack(data))
        while parts:
            task, own = parts.popitem()
            yield from packed(self._dealt(together(own), self.before[task]))

    def _dealt(self, rows: RowBlock, before: Counts) -> RowBlock:
        """Return the rows of a range with their folds."""
        k = len(before)
        classes = np.zeros(rows.rows, np.int64)
        if k > 1 and rows.classes is not None:
            classes += rows.classes
        names = self.beside if self.copies is None else (ROW,)
        order = np.lexsort((*codes_of(rows, names), self.places.places(rows), classes))
        own = classes[order]
        sizes = np.ones(len(order), np.int64) if self.copies is None else self.copies.of(rows)[order]
        ends = np.cumsum(sizes)
        held = np.append(0, ends)[np.searchsorted(own, np.arange(k))]  # of the classes before each
        rank = ends - sizes - held[own] + before[own]
        if self.copies is None:
            fold = np.empty(len(order), np.int64)
            fold[order] = self.places.order.folds(rank)
        else:
            at, fold, amounts = self.places.order.pieces(rank, sizes)
            weights = amounts * self.copies.each(rows)[order[at]]
            rows = replace(take_block(rows, order[at]), weights=weights)
        columns = {name: data for name, data in rows.columns.items() if name != NUMBER}
        return replace(rows, columns={**columns, FOLD: fold.astype(class_type(self.folds))})


@dataclass(frozen=True)
class OncePerFold:
    """Rows that were sent, equal ones to one task, to packed blocks in which a row is there once for each
    fold: a method may round what a row adds, weight and all.
    """

    schema: Schema

    def __call__(self, sent: Iterable[tuple[int, bytes]]) -> Iterator[bytes]:
        """Yield the rows of one task."""
        parts = [unpack(data) for _, data in sent]
        if not parts:
            return
        rows = together(parts)
        assert rows.weights is not None
        keys = rows.codes(FOLD), rows.codes(ROW), Hasher(self.schema).rows(rows)
        order = np.lexsort(keys)
        new = np.any([np.diff(key[order], prepend=~key[order][:1]) != 0 for key in keys], axis=0)
        first = np.flatnonzero(new)
        told = take_block(rows, order[first])
        columns = {name: data for name, data in told.columns.items() if name != ROW}
        rows = replace(told, columns=columns, weights=np.add.reduceat(rows.weights[order], first))
        yield from packed(rows)


def packed(rows: RowBlock) -> Iterator[bytes]:
    """Yield rows in packed blocks of the usual size."""
    for start in range(0, rows.rows, BLOCK):
        yield pack(take_block(rows, np.arange(start, min(start + BLOCK, rows.rows))))


@dataclass(frozen=True)
class Beside:
    """Blocks in another schema, with more columns: those that work(block)[row] gives, by their names."""

    old: Schema
    new: Schema
    works: tuple[tuple[str, Callable[[RowBlock], NDArray[Any]]], ...]

    def __call__(self, block: RowBlock) -> RowBlock:
        """Return one block."""
        lean = recode_block(block, self.old, self.new)
        return replace(lean, columns={**lean.columns, **{name: work(block) for name, work in self.works}})


@dataclass(frozen=True)
class Narrow:
    """Whole numbers work(block)[row] in a narrow type."""

    work: Callable[[RowBlock], Counts]
    type: Any

    def __call__(self, block: RowBlock) -> NDArray[Any]:
        """Return them of one block."""
        return self.work(block).astype(self.type)


@dataclass(frozen=True)
class OfFolds:
    """Blocks to the rows of some folds; marked: with the column of folds."""

    folds: tuple[int, ...]
    marked: bool = True

    def __call__(self, blocks: Iterable[RowBlock]) -> Iterator[RowBlock]:
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

    def __call__(self, blocks: Iterable[RowBlock]) -> Iterator[bytes]:
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
            yield pack(RowBlock(block.rows, columns | own, block.classes, block.response, block.weights))


# The rows of a column of numbers on Spark in the order of their values: in pieces, each a range of values.
#
#     blocks --distinct values with counts, by range--> tables of a piece --a work on each--> driver
#
# Knows RDDs of blocks and tables of values. Knows nothing of what the works find. Law: a value is in one
# piece, and pieces rise; the driver gets a few numbers of each.


PIECE_ROWS = 1 << 20  # of a piece, about
Labels = Callable[[Block], NDArray[Any]]
Found = TypeVar("Found")


@dataclass(frozen=True)
class RankedColumn:
    """A column whose rows lie in pieces. before[piece, label], first[piece]: as in RankedPiece."""

    pieces: Any
    before: Counts
    first: Counts
    totals: Counts
    distinct: int

    def ask(self, work: Callable[[RankedPiece], Found]) -> list[Found]:
        """Return what a work finds in the pieces, in their order."""
        with plain_errors():
            told = self.pieces.mapPartitions(OnPieces(work, self.before, self.first)).collect()
        return [found for _, found in sorted(told, key=lambda one: one[0])]


def ranked(
    blocks: Any, name: str, labels: Labels, width: int, rows: int, weighed: bool = False
) -> RankedColumn:
    """Return the rows of an RDD of blocks by the values of a column; labels(block)[row]: below `width`;
    weighed: counts are weights.
    """
    with plain_errors():
        ends = _ends(blocks, name, -(-rows // PIECE_ROWS))
        tasks = len(ends) + 1
        sent = blocks.mapPartitions(ValuesSent(name, labels, width, ends, weighed)).partitionBy(tasks, int)
        pieces = sent.mapPartitions(joined_pieces)
        told: dict[int, tuple[Counts, int]] = dict(pieces.mapPartitions(held).collect())
    none = np.zeros(width, np.int64), 0
    counts = np.stack([told.get(r, none)[0] for r in range(tasks)])
    many = np.array([told.get(r, none)[1] for r in range(tasks)])
    before, first = np.cumsum(counts, axis=0) - counts, np.cumsum(many) - many
    return RankedColumn(pieces, before, first, counts.sum(axis=0), int(many.sum()))


def _ends(blocks: Any, name: str, pieces: int) -> Floats:
    """Return where all pieces but the first begin: by some values of some partitions, since any will do."""
    if pieces == 1:
        return np.zeros(0)
    parts = blocks.getNumPartitions()
    some = range(0, parts, -(-parts // SAMPLED))
    drawn = blocks.context.runJob(blocks, Drawn([name], SAMPLE), list(some))
    values = np.sort(np.concatenate([part[0] for part in drawn] or [np.zeros(0)]))
    return np.unique(values[np.arange(1, pieces) * len(values) // pieces]) if len(values) else values


# ---- the work of the workers ----


@dataclass(frozen=True)
class ValuesSent:
    """Blocks to (piece, table of its values by label)."""

    name: str
    labels: Labels
    width: int
    ends: Floats
    weighed: bool = False

    def __call__(self, blocks: Iterable[Block]) -> Iterator[tuple[int, ValueTable]]:
        """Yield the pieces of each block."""
        for block in blocks:
            weights = block.weights if self.weighed else None
            table = value_table(block.values(self.name), [(self.labels(block), weights)], self.width)
            table.table[-1] = 0  # rows without a value have no place
            for r, piece in enumerate(cut_table(table, self.ends)):
                if piece.values is not None and len(piece.values):
                    yield r, narrow_table(piece)


def held(pieces: Iterable[tuple[Any, ValueTable]]) -> Iterator[tuple[int, tuple[Counts, int]]]:
    """Yield what each piece holds: rows by label, and how many values."""
    for r, piece in pieces:
        yield r, (piece.table.sum(axis=0), len(piece.table) - 1)


@dataclass(frozen=True)
class OnPieces:
    """A work on each piece."""

    work: Callable[[RankedPiece], Any]
    before: Counts
    first: Counts

    def __call__(self, pieces: Iterable[tuple[Any, ValueTable]]) -> Iterator[tuple[int, Any]]:
        """Yield (piece, what was found)."""
        for r, piece in pieces:
            assert piece.values is not None
            own = RankedPiece(piece.values, piece.table[:-1], self.before[r], int(self.first[r]))
            yield r, self.work(own)


# Rows on Spark dealt to folds where they are: a row's fold follows from its place in an order, among the
# rows of its class or among all, or from what it holds.
#
#     rows --by hash, where some are equal--> number among equal rows --by place in the order--> ranks -->
# folds
#
# Knows RDDs of blocks, hashes and an order. Runs in Spark's workers, but for the counts that tell where
# ranges of places begin. Law: the folds are those that dealing all rows at once gives, as a multiset of
# rows; the driver gets counts by range and class, nothing of a row.


TASK_CELLS = 1 << 24  # of the rows that a task has at once, about


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
        from tallystick.spark.table import Spark

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
    beside: tuple[tuple[str, Callable[[RowBlock], Counts]], ...] = ()
    weighed: bool = False

    def with_beside(self, lean: Schema, works: Mapping[str, Callable[[RowBlock], Counts]]) -> SparkDealer:
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

    def by(self, work: Callable[[RowBlock], Counts], sizes: Sequence[int]) -> DealtRows:
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
