"""Some of the rows of a table on Spark: known by the hash of what they hold, so by no place or order.

Knows blocks, schemas and hashes. Runs in Spark's workers, but for what joins their answers.
Law: a part is the rows of `encode.Table.take`, as a multiset. Equal rows are picked all or none; see
pieces.py for some of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tallystick.data.schema import Schema, Target
from tallystick.data.table.block import Block, together, unpack
from tallystick.data.table.hashes import Hasher
from tallystick.data.table.subset import recode_block, recode_classes, take_block

Hashes = NDArray[np.uint64]
Work = Callable[[Block], NDArray[Any]]


class Facts(NamedTuple):
    """hashes[row], and classes, response and weights [row] where the table has them."""

    hashes: Hashes
    classes: NDArray[Any] | None
    response: NDArray[np.float64] | None
    weights: NDArray[np.int64] | None

    def take(self, rows: NDArray[np.int64]) -> Facts:
        """Return the facts of some rows."""
        return Facts(*(None if a is None else a[rows] for a in self))  # type: ignore[arg-type]

    def recoded(self, old: Target | None, new: Target | None) -> Facts:
        """Return the facts with classes in the codes of another target."""
        return self._replace(classes=recode_classes(self.classes, old, new))


@dataclass(frozen=True)
class FactsOf:
    """The work of finding them."""

    schema: Schema
    labelled: bool = True  # the target is part of what a row holds

    def __call__(self, blocks: Iterable[Block]) -> Iterator[Facts]:
        """Yield the facts of each block."""
        hasher = Hasher(self.schema if self.labelled else replace(self.schema, target=None))
        for block in blocks:
            hashed = block if self.labelled else replace(block, classes=None, response=None)
            yield Facts(hasher.rows(hashed), block.classes, block.response, block.weights)


@dataclass(frozen=True)
class FactsSent:
    """Blocks to (task, facts) of their rows without the target: equal rows to one task."""

    schema: Schema
    tasks: int

    def __call__(self, blocks: Iterable[Block]) -> Iterator[tuple[int, Facts]]:
        """Yield the facts of each block and task."""
        for facts in FactsOf(self.schema, False)(blocks):
            task = (facts.hashes % np.uint64(self.tasks)).astype(np.int64)
            for t in np.unique(task).tolist():
                yield t, facts.take(np.flatnonzero(task == t))


@dataclass(frozen=True)
class OnFacts:
    """A work on the facts that a task was sent."""

    work: Callable[..., Any]

    def __call__(self, sent: Iterable[tuple[int, Facts]]) -> Iterator[Any]:
        """Yield what was found."""
        parts = [facts for _, facts in sent]
        if parts:
            every = joined_facts(parts)
            yield self.work(every.hashes, every.classes, every.weights)


def joined_facts(parts: list[Facts]) -> Facts:
    """Return the facts of all blocks."""
    joined = [None if c[0] is None else np.concatenate(c) for c in zip(*parts, strict=True)]
    return Facts(*joined) if parts else Facts(np.zeros(0, np.uint64), None, None, None)  # type: ignore[arg-type]


@dataclass(frozen=True)
class ChosenRows:
    """Which rows: keys is Spark's broadcast of their hashes, sorted, by this schema."""

    keys: Any
    schema: Schema

    def of(self, hashes: Hashes) -> NDArray[np.int64]:
        """Return the places of the chosen among some rows."""
        keys = self.keys.value
        if not len(keys):
            return np.zeros(0, np.int64)
        return np.flatnonzero(keys[np.minimum(np.searchsorted(keys, hashes), len(keys) - 1)] == hashes)


@dataclass(frozen=True)
class Picked:
    """Blocks to blocks of the chosen rows alone, in the codes they have; weighed: each with its weight."""

    chosen: ChosenRows
    weighed: bool = False

    def __call__(self, blocks: Iterable[Block]) -> Iterator[Block]:
        """Yield the blocks that are left."""
        schema = self.chosen.schema
        hasher = Hasher(schema)
        for block in blocks:
            rows = self.chosen.of(hasher.rows(block))
            if len(rows):
                picked = some_rows(block, rows, schema, schema)
                if self.weighed and picked.weights is None:
                    picked = replace(picked, weights=np.ones(len(rows), np.int64))
                yield picked


@dataclass(frozen=True)
class Recoded:
    """Blocks in the codes of another schema."""

    old: Schema
    new: Schema

    def __call__(self, block: Block) -> Block:
        """Return one block."""
        return recode_block(block, self.old, self.new)


def some_rows(block: Block, rows: NDArray[np.int64], old: Schema, new: Schema) -> Block:
    """Return some rows in the codes of another schema: what that one lacks is unseen."""
    return recode_block(take_block(block, rows), old, new)


@dataclass(frozen=True)
class CellsOf:
    """The cells of one column of codes or numbers."""

    name: str

    def __call__(self, block: Block) -> NDArray[Any]:
        """Return cells[row]."""
        return block.codes(self.name)


@dataclass(frozen=True)
class HashesOf:
    """What rows hold, by a schema."""

    schema: Schema

    def __call__(self, block: Block) -> Hashes:
        """Return hashes[row]."""
        return Hasher(self.schema).rows(block)


@dataclass(frozen=True)
class AnsweredPart:
    """The answers to some rows, with the rows' hashes."""

    chosen: ChosenRows | None
    old: Schema
    new: Schema
    work: Work

    def __call__(self, blocks: Iterable[Block]) -> Iterator[tuple[Hashes, Any]]:
        """Yield hashes and answers of each block, equal rows once."""
        hasher = Hasher(self.old)
        for block in blocks:
            hashes = hasher.rows(block)
            rows = np.arange(block.rows) if self.chosen is None else self.chosen.of(hashes)
            keys, first = np.unique(hashes[rows], return_index=True)
            if len(keys):
                yield keys, self.work(some_rows(block, rows[first], self.old, self.new))


def answers_of(blocks: Any, part: AnsweredPart, wanted: Hashes) -> NDArray[Any]:
    """Return the answers to the rows with the wanted hashes, in their order."""
    keys, answers = (np.concatenate(own) for own in zip(*blocks.mapPartitions(part).collect(), strict=True))
    return answers[places_of(keys, wanted)]


def rows_of(blocks: Any, part: AnsweredPart, wanted: Hashes) -> Block:
    """Return the rows with the wanted hashes, in their order; part: its work is `pack`."""
    found = blocks.mapPartitions(part).collect()
    keys = np.concatenate([own for own, _ in found])
    return take_block(together([unpack(data) for _, data in found]), places_of(keys, wanted))


def places_of(keys: Hashes, wanted: Hashes) -> NDArray[np.int64]:
    """Return where each of the wanted keys is found among keys in any order."""
    order = np.argsort(keys, kind="stable")
    return order[np.searchsorted(keys[order], wanted)]
