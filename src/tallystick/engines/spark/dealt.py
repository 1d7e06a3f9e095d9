"""Rows on Spark dealt to folds by the workers: what each does with the rows that it has or was sent.

Knows blocks, hashes and an order. Runs in Spark's workers. Law: the folds are those that dealing all rows at
once gives, as a multiset of rows; a whole weight is dealt as its copies, and what of a row's copies lies in
one fold is a row there, with their weight.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from tallystick import kernels
from tallystick.data.schema import Schema
from tallystick.data.table.block import Block, class_type, pack, together, unpack
from tallystick.data.table.hashes import Hasher
from tallystick.data.table.subset import recode_block, take_block
from tallystick.data.table.table import BLOCK
from tallystick.engines.spark.parts import Hashes

# columns of blocks: a row's fold, its number among equal cases, and which of equal rows it is
FOLD, NUMBER, ROW = "\0fold", "\0number", "\0row"
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

    def each(self, block: Block) -> Counts:
        """Return what one copy of each row weighs."""
        assert block.weights is not None
        return np.ones_like(block.weights) if self.unit == 1 else block.weights

    def fractions(self, block: Block) -> Counts:
        """Return the weight of each row, 0 where weights are copies: it orders equal rows."""
        assert block.weights is not None
        return np.zeros_like(block.weights) if self.unit == 1 else block.weights


@dataclass(frozen=True)
class CasesHeld:
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
    order of what stands beside them, however they come. copies: how weights are copies; a row is then there
    once for each run of its copies.
    """

    schema: Schema
    order: Order
    most: int
    beside: tuple[str, ...] = ()
    copies: RowCopies | None = None

    def __call__(self, sent: Iterable[tuple[int, bytes]]) -> Iterator[Block]:
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

    def _in_runs(self, rows: Block, hashes: Hashes, copies: RowCopies) -> Block:
        assert rows.weights is not None
        keys = *codes_of(rows, self.beside), rows.weights, copies.fractions(rows), hashes
        order = np.lexsort(keys)
        at, numbers, sizes = self.order.runs(hashes[order], copies.of(rows)[order], self.most)
        told = take_block(rows, order[at])
        own = at - np.searchsorted(hashes[order], hashes[order][at])
        columns = {**told.columns, NUMBER: numbers.astype(np.uint32), ROW: own.astype(np.uint32)}
        return replace(told, columns=columns, weights=sizes * copies.each(rows)[order[at]])


def codes_of(rows: Block, names: Sequence[str]) -> list[NDArray[Any]]:
    """Return columns of codes as keys of `numpy.lexsort`, which sorts by the last of them first."""
    return [rows.codes(name) for name in reversed(names)]


@dataclass(frozen=True)
class CountsByRange:
    """Blocks to counts[range of places, class] of rows, or of their copies."""

    places: ByPlace
    classes: int
    copies: RowCopies | None = None

    def __call__(self, blocks: Iterable[Block]) -> Iterator[Counts]:
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
        parts: dict[int, list[Block]] = {}
        for task, data in sent:
            parts.setdefault(task, []).append(unpack(data))
        while parts:
            task, own = parts.popitem()
            yield from packed(self._dealt(together(own), self.before[task]))

    def _dealt(self, rows: Block, before: Counts) -> Block:
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


def packed(rows: Block) -> Iterator[bytes]:
    """Yield rows in packed blocks of the usual size."""
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
            yield pack(Block(block.rows, columns | own, block.classes, block.response, block.weights))
