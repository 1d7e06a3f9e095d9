"""Work on single rows in Spark's workers (parts of a table, equal rows), errors of workers, and their set-up.

Parts: some rows by their hashes, entry `some_rows()`; some of several equal rows, entry `shared_keys()`;
errors and merging, entry `plain_errors()`, `merged_there()`; settling a worker.
facts = hash, class and weight of a row; key = the hash of a row.
Law of errors: an error of ours raised in a worker, which Spark reports as the text of a traceback, is raised
on the driver with its own type, in one line.
"""

from __future__ import annotations

import contextlib
import gc
import re
import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from tallystick import errors
from tallystick.errors import DataError, OptionError, shown
from tallystick.io import scratch
from tallystick.schema import Schema, Target
from tallystick.table.block import Hasher, RowBlock, pack, together, unpack
from tallystick.table.subset import recode_block, recode_classes, take_block

# Some of the rows of a table on Spark, identified by the hash of their cells, never by place or order.
# Runs in Spark's workers, but for merging their answers. Law: a part is the rows of `Table.take`, as a
# multiset. Equal rows are taken all or none; the next part takes some of them.

Hashes = NDArray[np.uint64]
Work = Callable[[RowBlock], NDArray[Any]]


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

    def __call__(self, blocks: Iterable[RowBlock]) -> Iterator[Facts]:
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

    def __call__(self, blocks: Iterable[RowBlock]) -> Iterator[tuple[int, Facts]]:
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
    if len(parts) == 1:
        return parts[0]
    joined = [None if c[0] is None else np.concatenate(c) for c in zip(*parts, strict=True)]
    return Facts(*joined) if parts else Facts(np.zeros(0, np.uint64), None, None, None)  # type: ignore[arg-type]


def facts_on_disk(blocks: Any, rows: int) -> list[Facts]:
    """Return the facts of so many rows as one: they come partition by partition, and are kept on disk."""
    out, at = None, 0
    for part in blocks.toLocalIterator():
        if out is None:
            out = Facts(*(None if a is None else scratch.empty(rows, a.dtype) for a in part))  # type: ignore[arg-type]
        for whole, own in zip(out, part, strict=True):
            if whole is not None and own is not None:
                whole[at : at + len(own)] = own
        at += len(part.hashes)
    return [] if out is None else [out]


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

    def __call__(self, blocks: Iterable[RowBlock]) -> Iterator[RowBlock]:
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

    def __call__(self, block: RowBlock) -> RowBlock:
        """Return one block."""
        return recode_block(block, self.old, self.new)


def some_rows(block: RowBlock, rows: NDArray[np.int64], old: Schema, new: Schema) -> RowBlock:
    """Return some rows in the codes of another schema: what that one lacks is unseen."""
    return recode_block(take_block(block, rows), old, new)


@dataclass(frozen=True)
class CellsOf:
    """The cells of one column of codes or numbers."""

    name: str

    def __call__(self, block: RowBlock) -> NDArray[Any]:
        """Return cells[row]."""
        return block.codes(self.name)


@dataclass(frozen=True)
class HashesOf:
    """What rows hold, by a schema."""

    schema: Schema

    def __call__(self, block: RowBlock) -> Hashes:
        """Return hashes[row]."""
        return Hasher(self.schema).rows(block)


@dataclass(frozen=True)
class AnsweredPart:
    """The answers to some rows, with the rows' hashes."""

    chosen: ChosenRows | None
    old: Schema
    new: Schema
    work: Work

    def __call__(self, blocks: Iterable[RowBlock]) -> Iterator[tuple[Hashes, Any]]:
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


def rows_of(blocks: Any, part: AnsweredPart, wanted: Hashes) -> RowBlock:
    """Return the rows with the wanted hashes, in their order; part: its work is `pack`."""
    found = blocks.mapPartitions(part).collect()
    keys = np.concatenate([own for own, _ in found])
    return take_block(together([unpack(data) for _, data in found]), places_of(keys, wanted))


def places_of(keys: Hashes, wanted: Hashes) -> NDArray[np.int64]:
    """Return where each of the wanted keys is found among keys in any order."""
    order = np.argsort(keys, kind="stable")
    return order[np.searchsorted(keys[order], wanted)]


# Some of several equal rows on Spark: one row stands for them, with their weight.
# Runs in Spark's workers, but for reading the facts. Law: nothing depends on which of several equal rows are
# meant, since they cannot be distinguished.

PARTS = 8  # partitions of the rows that stand for others
Weights = NDArray[np.int64]


def weight_by_key(facts: Facts, unit: int) -> tuple[Hashes, Weights]:
    """Return the distinct hashes of some rows, sorted, and the weight of each."""
    keys, at = np.unique(facts.hashes, return_inverse=True)
    out = np.zeros(len(keys), np.int64)
    np.add.at(out, at, unit if facts.weights is None else facts.weights)
    return keys, out


def repeated_keys(facts: Facts, unit: int) -> Hashes:
    """Return the hashes of what may have to be divided."""
    keys, weight = weight_by_key(facts, unit)
    rows = np.unique(facts.hashes, return_counts=True)[1]
    return keys[(rows > 1) | (weight > unit)]


def shared_keys(whole: Facts, taken: Facts, unit: int) -> tuple[Hashes, Hashes, Weights]:
    """Return the hashes of what is taken as it is, and of what is taken with another weight, rising, with
    that weight: once for all copies, or, where weights are not copies, once for each row.
    """
    keys, full = weight_by_key(whole, unit)
    some, mine = weight_by_key(taken, unit)
    part = mine != full[np.searchsorted(keys, some)]
    if unit == 1 or taken.weights is None:
        return some[~part], some[part], mine[part]
    rows = np.flatnonzero(np.isin(taken.hashes, some[part]))
    rows = rows[np.lexsort((taken.weights[rows], taken.hashes[rows]))]
    return some[~part], taken.hashes[rows], taken.weights[rows]


@dataclass(frozen=True)
class OneOfEach:
    """Blocks to (bucket, packed block): the first row of each content that others may have to stand for."""

    schema: Schema
    keys: Any  # Spark's broadcast
    buckets: int

    def __call__(self, blocks: Iterable[RowBlock]) -> Iterator[tuple[int, bytes]]:
        """Yield the rows of each bucket."""
        chosen, hasher = ChosenRows(self.keys, self.schema), Hasher(self.schema)
        for block in blocks:
            hashes = hasher.rows(block)
            rows = chosen.of(hashes)
            rows = rows[np.unique(hashes[rows], return_index=True)[1]]
            bucket = (hashes[rows] % np.uint64(self.buckets)).astype(np.int64)
            for b in np.unique(bucket).tolist():
                yield b, pack(some_rows(block, rows[bucket == b], self.schema, self.schema))


@dataclass(frozen=True)
class Once:
    """Packed rows of a bucket to packed blocks in which every content stands once."""

    schema: Schema

    def __call__(self, pairs: Iterable[tuple[int, bytes]]) -> Iterator[bytes]:
        """Yield the blocks that are left."""
        hasher, seen = Hasher(self.schema), np.zeros(0, np.uint64)
        for _, data in pairs:
            block = unpack(data)
            hashes = hasher.rows(block)
            rows = np.flatnonzero(~np.isin(hashes, seen))
            seen = np.concatenate([seen, hashes[rows]])
            if len(rows):
                yield pack(some_rows(block, rows, self.schema, self.schema))


@dataclass(frozen=True)
class Weighed:
    """Blocks to blocks of the rows that are taken in part, with the weight that is taken."""

    schema: Schema
    amounts: Any  # Spark's broadcast of (hashes, weights)

    def __call__(self, blocks: Iterable[RowBlock]) -> Iterator[RowBlock]:
        """Yield the blocks that are left."""
        keys, amounts = self.amounts.value
        hasher = Hasher(self.schema)
        for block in blocks:
            hashes = hasher.rows(block)
            first, last = (np.searchsorted(keys, hashes, side) for side in ("left", "right"))
            rows = np.repeat(np.arange(len(hashes)), last - first)
            if len(rows):
                some = some_rows(block, rows, self.schema, self.schema)
                again = np.arange(len(rows)) - np.searchsorted(rows, rows)  # which of the key's weights
                yield replace(some, weights=amounts[first[rows] + again])


T = TypeVar("T")
FEW = 8  # totals that the driver merges at once
LEFT = 8  # blocks that are read in less time than a new worker takes to start
OURS = re.compile(r"^(?:tallystick\.errors\.)(\w+): (.*)$", re.MULTILINE)
PYTHON = re.compile(r"^\w*(?:Error|Exception): .+$", re.MULTILINE)
ABSENT = re.compile(r"ModuleNotFoundError: No module named '(tallystick|numpy|pyarrow)")


@contextlib.contextmanager
def plain_errors() -> Iterator[None]:
    """Raise the errors of workers with their own type, without Spark's traceback."""
    try:
        yield
    except Exception as error:
        if not type(error).__module__.startswith(("py4j", "pyspark")):
            raise
        found = plain_error(str(error))
        if found is None:  # of the DataFrame, or of Spark itself: one line, with the whole as its cause
            raise DataError(
                f"Spark failed while it worked on the DataFrame: {reason(str(error))} "
                "Run frame.count() to see whether Spark can make its rows."
            ) from error
        raise found from None


def plain_error(text: str) -> errors.TallyError | None:
    """Return the error of ours in a worker's traceback; None when there is none."""
    ours = OURS.search(text)
    kind = vars(errors).get(ours[1]) if ours is not None else None
    if ours is not None and isinstance(kind, type) and issubclass(kind, errors.TallyError):
        return kind(ours[2])
    absent = ABSENT.search(text)
    if absent is not None:
        return OptionError(
            f"Spark's workers have no {absent[1]}: their Python cannot import it. "
            "Install tallystick, the same version as here, where the executors run."
        )
    return None


def reason(text: str) -> str:
    """Return the one line of an error of Spark's that says most: the last error of Python, or the first
    line.
    """
    python = PYTHON.findall(text)
    line = python[-1] if python else text.strip().split("\n")[0]
    return shown(line, 200) + "."


def own_serializer() -> Any:
    """Return the serializer by which Spark itself sends objects between our driver and its workers."""
    from pyspark.serializers import CPickleSerializer

    return CPickleSerializer()


def merged_there(totals: Any, merge: Callable[[T, T], T]) -> T:
    """Return all totals of an RDD as one. They are merged by the workers in a tree until few are left: that
    many of the largest there are, 64 MB each, come here together without passing what Spark lets a driver
    take (`spark.driver.maxResultSize`, 1 GB unless set).
    """
    depth = 1
    while FEW**depth < totals.getNumPartitions():
        depth += 1
    found: T = totals.treeReduce(merge, depth)
    return found


def is_connect(x: Any) -> bool:
    """Say whether a DataFrame or a session is one of Spark Connect: its Spark is behind a server."""
    return ".connect." in type(x).__module__


class Loaded:
    """How many modules a worker had at the last call of `settle`."""

    modules = 0


def settle() -> None:
    """Take what a worker has loaded out of its search for garbage, where it has loaded more than before:
    Spark asks for a whole search after every task, which costs more than a small task itself.
    """
    if len(sys.modules) > Loaded.modules:
        gc.collect()
        gc.freeze()
        Loaded.modules = len(sys.modules)


def read_out(rest: Iterable[Any]) -> None:
    """Read what is left of a partition, where it is little: Spark ends a worker that leaves some unread, and
    the next has to load all modules again.
    """
    deque(islice(rest, LEFT + 1), maxlen=0)  # one more, to come to the end behind that many


def check_version(here: str) -> None:
    """Refuse to work with a driver of another version: its blocks and questions may mean something else."""
    from tallystick import __version__

    if __version__ != here:
        raise OptionError(
            f"tallystick is {shown(here)} here, but {shown(__version__)} where Spark's workers run. "
            "Install the same version on both."
        )
