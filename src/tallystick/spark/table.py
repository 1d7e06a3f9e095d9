"""Tables on Spark: questions that share a pass, rows without RDDs (Spark Connect), the table, and the engine.

Parts: `Along`, questions of the model file that share a pass with others; `FrameRows`, the verbs of an RDD by
DataFrames alone; `SparkTable`, packed blocks in a cached RDD; `Spark`, the engine. Entry: `Spark.total()`.
walk = a pass over all rows; question = a `Statistic`, its total the answer; facts = hash, class and weight of
each row.
Laws of the table: a block that is lost is made again from the DataFrame, in whatever order its rows come
then, and nothing depends on that order: rows are identified by their hashes. Rows come to the driver only
where `blocks` is asked for, and of each its hash, class and weight where `facts` is.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, reduce
from typing import Any, ClassVar, NoReturn, Protocol, TypeVar

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from tallystick.contracts import Block, Statistic, Table
from tallystick.engine import check_progress
from tallystick.errors import OptionError
from tallystick.io.scratch import memory
from tallystick.schema import Note, Schema, typed
from tallystick.spark.levels import SparkRows
from tallystick.spark.ranks import Labels, RankedColumn, ranked
from tallystick.spark.workers import (
    FEW,
    PARTS,
    AnsweredPart,
    CellsOf,
    ChosenRows,
    Facts,
    FactsOf,
    FactsSent,
    Hashes,
    HashesOf,
    Once,
    OneOfEach,
    OnFacts,
    Picked,
    Recoded,
    Weighed,
    Work,
    answers_of,
    facts_on_disk,
    is_connect,
    joined_facts,
    merged_there,
    own_serializer,
    plain_errors,
    repeated_keys,
    rows_of,
    settle,
    shared_keys,
)
from tallystick.stats.exact import Printed, Prints, TwoStatistics, in_two
from tallystick.stats.profile import numbers_together, spreads_of, wanted_cells
from tallystick.stats.quantiles import (
    Spreads,
    ValuesInCells,
    among,
    determines,
    merge_queries,
    same_question,
    summed,
    to_divide,
)
from tallystick.table.block import RowBlock, pack, row_unit, together, unpack
from tallystick.table.subset import Within, schema_within
from tallystick.table.table import BLOCK
from tallystick.table.table import LocalTable as TableHere
from tallystick.tree.growth import GrowingTree
from tallystick.tree.off_memory import answer_level
from tallystick.tree.tables import LevelCounts

# Questions that share a walk: those of the model file are added to others and cost no walk of their own.
#
#     1st walk    a learner's question    and the fingerprint, and how the numbers of each column are spread
#     2nd walk    a learner's question    and the values at the wanted ranks
#
# Where a tree asks for the same in finer cells, both totals come from its answer. Law: a total is the one
# that a walk for that question alone would give.

Parted = Callable[[Any], tuple[Any, Any]]  # splits the total of a shared walk into those of its two questions


@dataclass
class Along:
    """The questions that share the next walks over the rows of a table, and their totals so far."""

    schema: Schema
    rows: int
    totals: list[tuple[Any, Any]] = field(default_factory=list)  # question, total

    def next(self) -> Spreads | ValuesInCells | None:
        """Return the question to add to the next walk, or None; of very many columns for the first ones."""
        if not self.totals:
            together = numbers_together(self.schema)
            return spreads_of(together[0], self.rows) if together else None
        if len(self.totals) > 1:
            return None
        spreads, total = self.totals[0]
        cells = [spread.cells for spread in total]
        there = [wanted_cells(own) for own in cells]
        crowded = to_divide(spreads.grids, cells, there)  # asked for in finer cells first
        return None if crowded else ValuesInCells(spreads.grids, tuple(there))

    def take(self, question: Statistic[Any], total: Any) -> None:
        """Keep the total of a question that shared a walk."""
        self.totals.append((question, total))

    def known(self, question: Statistic[Any]) -> Any:
        """Return the total of a question that shared an earlier walk; None: it did not."""
        return next((total for asked, total in self.totals if same_question(asked, question)), None)


def in_one_walk(question: Any, more: Spreads | ValuesInCells) -> tuple[Any, Parted]:
    """Return one question in place of two that share a walk, and what splits its total."""
    spreads = question.spreads if isinstance(question, GrowingTree) else None  # in its total: `values`
    if isinstance(more, Spreads) and spreads is not None and determines(spreads, more):
        return question, lambda total: (total, summed(spreads, more, total.values))
    if (
        isinstance(more, ValuesInCells)
        and isinstance(question, ValuesInCells)
        and (one := merge_queries(question, more)) is not None
    ):
        return one, lambda total: (among(question, one, total), among(more, one, total))
    return TwoStatistics(question, more), tuple


# Rows kept by Spark through its public DataFrames alone: for sessions of Spark Connect, which have no JVM on
# this side, and for sessions whose JVM is closed to Python.
#
#     elements --pickled--> a DataFrame of one column of bytes --mapInArrow--> another
#
# `FrameRows` has the verbs of an RDD that this engine uses, by the same names; the work between two
# DataFrames is done in one walk. Law: every verb gives what an RDD's gives, as a multiset of elements.

DATA, TASK = "data", "task"
KINDS = pa.schema({DATA: pa.binary()})
SENT = pa.schema({TASK: pa.int64(), DATA: pa.binary()})

Steps = tuple[Callable[[Iterable[Any]], Iterable[Any]], ...]


class ElementForm(Protocol):
    """The serialized form of elements in the column of bytes."""

    def dumps(self, element: Any) -> bytes:
        """Return an element as bytes."""
        ...

    def loads(self, data: bytes) -> Any:
        """Return the element of some bytes."""
        ...


class AsBytes:
    """Elements that are bytes already."""

    def dumps(self, element: Any) -> bytes:
        """Return the bytes."""
        return bytes(element)

    def loads(self, data: bytes) -> Any:
        """Return the bytes."""
        return data


@dataclass(frozen=True)
class Sent:
    """A value that goes to the workers with the question, as Spark's broadcasts do."""

    value: Any

    def unpersist(self) -> None:
        """Nothing is kept."""


@dataclass(frozen=True)
class FrameContext:
    """What an RDD's context is asked for."""

    session: Any

    @property
    def defaultParallelism(self) -> int:  # noqa: N802 (Spark's name)
        """How many tasks run at once, as Spark counts them: the partitions of a plain range."""
        return parts_of(self.session.range(1_000))

    def broadcast(self, value: Any) -> Sent:
        """Return a value to be used by the workers."""
        return Sent(value)

    def runJob(self, rows: FrameRows, work: Any, some: list[int]) -> list[Any]:  # noqa: N802 (Spark's name)
        """Return what the work finds in the partitions: in all of them, since none can be named."""
        return rows.mapPartitions(work).collect()


@dataclass
class FrameRows:
    """Elements in partitions: those of `frame`, in their form, after the steps. parts: how many partitions
    there are; as_batches: the frame is the user's own, and elements are Arrow batches as bytes.
    """

    frame: Any
    parts: int
    form: ElementForm = field(default_factory=AsBytes)
    steps: Steps = ()
    as_batches: bool = False
    is_cached: bool = False

    @property
    def context(self) -> FrameContext:
        """What is known of the session."""
        return FrameContext(self.frame.sparkSession)

    def mapPartitions(self, work: Callable[[Iterable[Any]], Iterable[Any]]) -> FrameRows:  # noqa: N802
        """Return work(elements) of each partition."""
        return replace(self, steps=(*self.steps, work), is_cached=False)

    def map(self, work: Callable[[Any], Any]) -> FrameRows:
        """Return work(element) of each."""
        return self.mapPartitions(Each(work))

    def getNumPartitions(self) -> int:  # noqa: N802
        """Return how many partitions there are."""
        return self.parts

    def coalesce(self, parts: int) -> FrameRows:
        """Return the elements in fewer partitions."""
        return replace(self, frame=self.frame.coalesce(parts), parts=min(parts, self.parts), is_cached=False)

    def made(self, form: ElementForm | None = None) -> FrameRows:
        """Return the elements without steps left to do, pickled or in another form."""
        form = form or own_serializer()
        work = FrameWork(self.steps, None if self.as_batches else self.form, form)
        return FrameRows(self.frame.mapInArrow(work, f"{DATA} binary"), self.parts, form)

    def union(self, other: FrameRows) -> FrameRows:
        """Return the elements of both."""
        one, two = self.made(), other.made()
        return replace(one, frame=one.frame.union(two.frame), parts=one.parts + two.parts)

    def partitionBy(self, parts: int, task: Callable[[Any], int] = hash) -> FrameRows:  # noqa: N802
        """Return (key, value) so that those of one task are in one partition."""
        form = own_serializer()
        work = FrameWork(self.steps, None if self.as_batches else self.form, form, task)
        sent = self.frame.mapInArrow(work, f"{TASK} bigint, {DATA} binary").repartition(parts, TASK)
        return FrameRows(sent.select(DATA), parts, form)

    def collect(self) -> list[Any]:
        """Return all elements."""
        made = self.made()
        found = made.frame.toArrow()[DATA]
        return [made.form.loads(data.as_py()) for data in found]

    def toLocalIterator(self) -> Iterator[Any]:  # noqa: N802
        """Yield all elements, brought one after the other."""
        made = self.made()
        for row in made.frame.toLocalIterator():
            yield made.form.loads(bytes(row[0]))

    def treeReduce(self, merge: Callable[[Any, Any], Any], depth: int = 2) -> Any:  # noqa: N802
        """Return all elements merged: by workers until few are left, then here."""
        rows = self.mapPartitions(MergedBy(merge)).made()
        while rows.parts > FEW:
            few = -(-rows.parts // FEW)
            fewer = replace(rows, frame=rows.frame.repartition(few), parts=few)
            rows = fewer.mapPartitions(MergedBy(merge)).made()
        return reduce(merge, rows.collect())

    def kept(self) -> FrameRows:
        """Return the elements, which are bytes, kept by Spark."""
        made = self.made(AsBytes())
        kept = made.frame.localCheckpoint()
        return FrameRows(kept, parts_of(kept), AsBytes(), is_cached=True)

    def unpersist(self) -> None:
        """Let go what is kept: Spark forgets it with the last who knows it."""
        self.is_cached = False


def parts_of(frame: Any) -> int:
    """Return how many partitions of a DataFrame have rows, at least one."""
    return max(int(frame.selectExpr("spark_partition_id() as p").distinct().count()), 1)


def rows_of_frame(frame: Any) -> FrameRows:
    """Return the Arrow batches of a user's DataFrame, as bytes."""
    return FrameRows(frame, 1, as_batches=True)


def rows_sent(session: Any, elements: list[bytes], parts: int) -> FrameRows:
    """Return bytes of the driver, sent to Spark."""
    sent = session.createDataFrame(pa.table({DATA: pa.array(elements, pa.binary())}))
    return FrameRows(sent.repartition(parts), parts)


# ---- the work of the workers ----


@dataclass(frozen=True)
class FrameWork:
    """The steps between two DataFrames. read: the form of what comes, None: batches of a user's own frame;
    task: which task takes a (key, value).
    """

    steps: Steps
    read: ElementForm | None
    write: ElementForm
    task: Callable[[Any], int] | None = None

    def __call__(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Yield a batch for each element: two large ones may be too long for one."""
        elements: Iterable[Any] = self.elements(batches)
        for step in self.steps:
            elements = step(elements)
        for element in elements:
            data = pa.array([self.write.dumps(element)], pa.binary())
            if self.task is None:
                yield pa.RecordBatch.from_arrays([data], schema=KINDS)
            else:
                task = pa.array([self.task(element[0])], pa.int64())
                yield pa.RecordBatch.from_arrays([task, data], schema=SENT)

    def elements(self, batches: Iterable[pa.RecordBatch]) -> Iterator[Any]:
        """Yield the elements that came."""
        for batch in batches:
            if self.read is None:
                yield batch.serialize().to_pybytes()
            else:
                for data in batch.column(0):
                    yield self.read.loads(data.as_py())


@dataclass(frozen=True)
class Each:
    """A work on each element."""

    work: Callable[[Any], Any]

    def __call__(self, elements: Iterable[Any]) -> Iterator[Any]:
        """Yield the work's result for each."""
        return map(self.work, elements)


@dataclass(frozen=True)
class MergedBy:
    """The elements of a partition merged to one; none of none."""

    merge: Callable[[Any, Any], Any]

    def __call__(self, elements: Iterable[Any]) -> Iterator[Any]:
        """Yield the one."""
        found = iter(elements)
        for first in found:
            yield reduce(self.merge, found, first)


Ask = Callable[[Any, Any], Any]  # (RDD of blocks, question) -> total
T = TypeVar("T")
PART_ROWS = 1 << 22  # rows whose hashes and classes a worker has at once
ROW_BYTES = 100  # bytes of memory for the facts of a row while they are joined and sorted
NEAR_CELLS = 1 << 24  # cells of a table that is fetched to the driver for many questions: 128 MB as doubles
TEXT_CELLS = 128  # cells that a text counts as


@dataclass
class SparkTable:
    """Rows on Spark; see contracts.Table. stored: what Spark keeps; raw: what it is made of, until then."""

    budget: ClassVar[int] = 0  # what comes here is little
    files: ClassVar[tuple[str, ...]] = ()  # only Spark knows them

    schema: Schema
    opened: Any  # RDD of blocks, made of what Spark keeps whenever they are asked for
    rows: int
    notes: tuple[Note, ...] = ()
    source_notes: tuple[Note, ...] = ()
    unit: int = 1
    stored: Any = None  # RDD of bytes
    raw: Any = None
    along: Along | None = None  # questions that share the first walks; None: the fingerprint alone
    origin: SparkTable | None = field(default=None, repr=False)  # the table this is a part of
    chosen: ChosenRows | None = field(default=None, repr=False)
    keys: Hashes | None = field(default=None, repr=False)  # by which its origin knows each row
    _facts: Facts | None = field(default=None, repr=False)
    _printed: Printed | None = field(default=None, repr=False)
    _form: Any = field(default=None, repr=False)
    _formed: Any = field(default=None, repr=False)
    _single: Any = field(default=None, repr=False)

    def blocks(self) -> Iterator[RowBlock]:
        """Yield all rows, brought here block by block."""
        for data in self.opened.map(pack).toLocalIterator():
            yield unpack(data)

    def asked(self, question: Statistic[Any], ask: Ask) -> Any:
        """Return a total; one that shared an earlier walk is known and costs none."""
        if (known := self._known_along(question)) is not None:
            return known
        if (two := in_two(question)) is not None and self._known_along(two.first) is not None:
            return self.asked(two.first, ask), self.asked(two.second, ask)
        if isinstance(question, LevelCounts) and question.more is not None:
            return self._searched(question, ask)
        if (prepared := question.prepared()) is not None:
            form, again = prepared
            return ask(self._in_form(form), again)
        return self._walked(question, ask)

    def _known_along(self, question: Any) -> Any:
        return None if self.along is None else self.along.known(question)

    def _walked(self, question: Statistic[Any], ask: Ask) -> Any:
        """Return a total of a walk over all blocks; the first takes the fingerprint along, and the first two
        take what a profile asks for.
        """
        prints = Prints(self.schema, self.unit) if self._printed is None else None
        more = None if self.along is None else self.along.next()
        asked, parted = (question, None) if more is None else in_one_walk(question, more)
        total = ask(self.opened, asked if prints is None else TwoStatistics(asked, prints))
        if prints is not None:
            total, printed = total
            self._know(printed)
        if self.along is not None and more is not None and parted is not None:
            total, own = parted(total)
            self.along.take(more, own)
        return total

    def _searched(self, question: LevelCounts, ask: Ask) -> Any:
        """Return what is asked of the nodes of a tree that tests numbers as they are."""
        asked, blocks = question, self.opened
        if any(c.values is not None for c in question.codings):
            form, asked = question.prepared()
            blocks = self._in_form(form)
        return answer_level(SparkRows(asked, question.codings, blocks, ask))

    def _know(self, printed: Printed) -> None:
        self._printed = printed
        forget(self.raw)  # the blocks are made: what they were made of may go

    def _in_form(self, form: Any) -> Any:
        """Return the blocks in a question's form, kept until another form is asked for."""
        if self._formed is None or self._form != form:
            self._drop_form()
            self._form, self._formed = form, keep(self.opened.mapPartitions(Formed(form)))
        return self._formed.mapPartitions(unpacked)

    def _drop_form(self) -> None:
        forget(self._formed)
        self._form = self._formed = None

    @property
    def engine(self) -> Any:
        """Who sums over this table."""

        return Spark()

    @property
    def printed(self) -> Printed:
        """Rows, weight and fingerprint."""
        if self._printed is None:
            with plain_errors():
                self._know(self.engine.sum(self.opened, Prints(self.schema, self.unit)))
        assert self._printed is not None
        return self._printed

    @property
    def fingerprint(self) -> str:
        """128 bits of the multiset of rows, in hex: the same for any order, container or cut."""
        return self.printed.fingerprint

    @property
    def weight(self) -> int:
        """The weights of all rows together, in units of the table."""
        return self.printed.weight

    @property
    def row_unit(self) -> int:
        """What one row weighs where rows are counted, in units of the table."""
        return self.unit if self.unit == 1 else row_unit(self.weight, self.printed.counted, self.unit)

    # -- rows by what they hold --

    @cached_property
    def facts(self) -> Facts:
        """What dealing and judging need of every row, brought here: some 10 to 20 bytes a row."""
        if self._facts is not None:
            return self._facts
        if self.origin is not None:  # some of its columns
            return self.origin.facts._replace(hashes=self._asked(HashesOf(self.schema)))
        parts = self.opened.mapPartitions(FactsOf(self.schema))
        return joined_facts(parts.collect() if self.holds(ROW_BYTES) else facts_on_disk(parts, self.rows))

    def unlabelled(self, work: Callable[..., T]) -> list[T]:
        """Return work(hashes[row] of the rows without their target, classes[row], weights[row]) of parts: by
        the workers, each with the rows of a range of hashes.
        """
        tasks = max(2 * int(self.opened.context.defaultParallelism), -(-self.rows // PART_ROWS))
        with plain_errors():
            sent = self.opened.mapPartitions(FactsSent(self.schema, tasks)).partitionBy(tasks, int)
            return sent.mapPartitions(OnFacts(work)).collect()  # type: ignore[no-any-return]

    def row_hashes(self) -> NDArray[np.uint64]:
        """Return hashes[row] of the rows' content, target included, weights not."""
        return self.facts.hashes

    @property
    def classes(self) -> NDArray[Any] | None:
        """The target's codes."""
        return self.facts.classes

    @property
    def response(self) -> NDArray[np.float64] | None:
        """The numeric target of a regression."""
        return self.facts.response

    @property
    def weights(self) -> NDArray[np.int64] | None:
        """The rows' weights in units of the table."""
        return self.facts.weights

    def take(self, rows: NDArray[np.int64], schema: Schema | None = None) -> SparkTable:
        """Return some rows as a table that knows nothing of the others: see contracts.Table. Rows are known
        by what they hold: where only some of several equal rows are taken, one row stands for them, with
        their weight.
        """
        return self._part(self.facts.take(rows), schema)

    def with_weights(self, weights: NDArray[np.int64]) -> SparkTable:
        """Return the rows with a weight, each with the weight given for it."""
        rows = np.flatnonzero(weights)
        return self._part(self.facts.take(rows)._replace(weights=weights[rows]), self.schema)

    def _part(self, facts: Facts, schema: Schema | None) -> SparkTable:
        """Return the table of some rows, known by their facts."""
        pieces = self.origin is not None and self.opened is self.origin.opened  # of rows that lie there whole
        lying = self.origin.facts if pieces and self.origin is not None else self.facts
        whole, some, amounts = shared_keys(lying, facts, self.unit)
        chosen = ChosenRows(self.opened.context.broadcast(np.union1d(whole, some)), self.schema)
        picked = self.opened.mapPartitions(Picked(replace(chosen, keys=self._sent(whole)), len(some) > 0))
        if len(some):
            weighed = Weighed(self.schema, self._sent((some, amounts)))
            picked = picked.union(self._one_of(some).mapPartitions(unpacked).mapPartitions(weighed))
        own = schema is None
        if schema is None:
            schema = schema_within(self.schema, self.engine.sum(picked, Within(self.schema, self.unit == 1)))
        kept = keep(picked.map(Recoded(self.schema, schema)).map(pack))
        opened = kept.mapPartitions(unpacked)
        part = self._bare(schema, opened, facts.recoded(self.schema.target, schema.target))
        part.stored, part.origin, part.chosen, part.keys = kept, self, chosen, facts.hashes
        if own and any(c.words != schema[c.name].words for c in self.schema.used):  # rare words are unseen
            part._facts = part.facts._replace(hashes=part._asked(HashesOf(schema)))
        return part

    def _bare(self, schema: Schema, opened: Any, facts: Facts) -> SparkTable:
        """Return a table of rows that are known here."""
        notes, found = self.notes, self.source_notes
        return SparkTable(schema, opened, len(facts.hashes), notes, found, self.unit, _facts=facts)

    def split(self, rows: NDArray[np.int64], weights: NDArray[np.int64]) -> SparkTable:
        """Return rows in pieces, see contracts.Table: Spark keeps what it keeps, and pieces are known
        here.
        """
        part = self._bare(self.schema, self.opened, self.facts.take(rows)._replace(weights=weights))
        part.origin, part._single, part.keys = self, self._one_of_each(), part.facts.hashes
        return part

    def without(self, names: Sequence[str]) -> SparkTable:
        """Return the table as if some columns were not there, its rows in the same order."""
        left = tuple(c for c in self.schema.columns if c.name not in names)
        schema = replace(self.schema, columns=left)
        blocks = self.opened.map(Recoded(self.schema, schema))
        notes, found = self.notes, self.source_notes
        return SparkTable(schema, blocks, self.rows, notes, found, self.unit, origin=self)

    def _sent(self, values: Any) -> Any:
        return self.opened.context.broadcast(values)

    def _one_of_each(self) -> Any:
        """Return packed blocks with one row of each content that stands for several, kept by Spark."""
        if self._single is None:
            self._single = keep(self._singled(repeated_keys(self.facts, self.unit)))
        return self._single

    def _one_of(self, keys: Hashes) -> Any:
        """Return packed blocks with one row of each of some contents, and perhaps of others."""
        if np.isin(keys, repeated_keys(self.facts, self.unit)).all():
            return self._one_of_each()
        return self._singled(keys)  # rows that get heavier than they are

    def _singled(self, keys: Hashes) -> Any:
        there = self.opened.mapPartitions(OneOfEach(self.schema, self._sent(keys), PARTS))
        return there.partitionBy(PARTS).mapPartitions(Once(self.schema))

    def holds(self, row_bytes: int) -> bool:
        """Say whether a part of the memory here has room for so many bytes a row."""
        return row_bytes * self.rows <= memory() // 4

    def answers(self, work: Callable[[RowBlock], NDArray[np.float64]]) -> Iterator[NDArray[np.float64]]:
        """Yield work(block) of all rows, in the order of `facts`: equal rows have equal answers."""
        yield self._asked(work)

    def _asked(self, work: Work) -> NDArray[Any]:
        """Return work(block) of all rows, in the order of `facts`."""
        blocks, part, keys = self._known(work)
        return answers_of(blocks, part, keys)

    def _known(self, work: Any) -> tuple[Any, AnsweredPart, Hashes]:
        """Return where the rows are, what is asked of them, and the hash by which each is known there."""
        origin = self.origin or self
        keys = origin.facts.hashes if self.keys is None else self.keys
        return origin.opened, AnsweredPart(self.chosen, origin.schema, self.schema, work), keys

    def near(self) -> Any:
        """Return the same rows in memory where they are few, in the order of `facts`; else this table."""
        each = sum(TEXT_CELLS if c.kind == "text" else 1 for c in self.schema.used) + 1
        if self.rows * each > NEAR_CELLS:
            return self
        block, facts = rows_of(*self._known(pack)), self.facts
        own = facts.classes, facts.response, facts.weights
        notes, found = self.notes, self.source_notes
        return TableHere(self.schema, block.columns, self.rows, notes, found, *own, self.unit)

    def ranker(self) -> SparkTable:
        """Return this table: rows are put in the order of a column by the workers."""
        return self

    def ranked(self, name: str, labels: Labels, width: int, weighed: bool = False) -> RankedColumn:
        """Return the rows in the order of a column of numbers; labels(block)[row]: below `width`; weighed:
        counts are weights, in units of the table.
        """
        return ranked(self.opened, name, labels, width, self.rows, weighed)

    def column(self, name: str) -> Any:
        """Return a whole column, brought here in the order of `facts`: 1 to 8 bytes a row, or its words."""
        if self.schema[name].kind == "text":
            return rows_of(*self._known(pack)).columns[name]
        return self._asked(CellsOf(name))

    def local(self) -> NoReturn:
        """Rows have no numbers."""
        raise OptionError(
            "this needs all rows in one place, and they are on Spark. Collect them: frame.toArrow()."
        )

    def __del__(self) -> None:
        with contextlib.suppress(Exception):  # the session may be gone
            self.release()

    def release(self) -> None:
        """Let Spark forget the blocks; who asks again waits until they are made again."""
        self._drop_form()
        if self.chosen is not None:
            self.chosen.keys.unpersist()
        if self.origin is None or self._single is not self.origin._single:
            forget(self._single)
        forget(self.stored)
        forget(self.raw)


def keep(rdd: Any) -> Any:
    """Let Spark keep elements of bytes: in memory, and on disk where that is full. As they are: to pickle and
    compress them would cost more in every pass than it spares.
    """
    if isinstance(rdd, FrameRows):
        return rdd.kept()
    from pyspark import StorageLevel
    from pyspark.serializers import NoOpSerializer

    return rdd._reserialize(NoOpSerializer()).persist(StorageLevel.MEMORY_AND_DISK_DESER)


def walked(kept: Any) -> None:
    """Let Spark make all that it is to keep: then no second worker waits for it."""
    if not isinstance(kept, FrameRows):  # of those all is made
        kept._jrdd.count()


def forget(rdd: Any) -> None:
    """Let Spark forget what it keeps, once: a second time it would look for what is being removed."""
    if rdd is not None and rdd.is_cached:
        rdd.unpersist()


def unpacked(kept: Iterable[bytes]) -> Iterator[RowBlock]:
    """Yield the blocks whose bytes were kept."""
    return map(unpack, kept)


class Formed:
    """Blocks in another form, packed; small ones are put together, since that form is asked for often."""

    def __init__(self, form: Callable[[Any], RowBlock]) -> None:
        self.form = form

    def __call__(self, blocks: Iterable[RowBlock]) -> Iterator[bytes]:
        """Yield the blocks in the form."""
        waiting: list[RowBlock] = []
        for block in blocks:
            waiting.append(self.form(block))
            if sum(b.rows for b in waiting) >= BLOCK:
                yield pack(together(waiting))
                waiting = []
        if waiting:
            yield pack(together(waiting))


# The engine: each question is a walk over the packed blocks that Spark keeps.
#
#     DataFrame --read.py--> packed blocks, kept by Spark --Spark.total--> a total per partition --tree--> sum
#
# Every partition gives one total, and totals are merged in a tree without an accumulator, so a task that is
# retried or run twice counts once. Questions and totals are sent by Spark's own serializer. Law: the answer
# is the sum, whatever the partitions, their order, and what failed on the way.

Progress = Callable[[int, int], None]


@dataclass(frozen=True, repr=False)
class Spark:
    """Let Spark sum rows that lie here. Rows in a Spark DataFrame are summed where they are without this.

    Parameters
    ----------
    session : SparkSession, default None
        Who sums; None is the session that is active.
    progress : callable, default None
        progress(rows done, rows in all) is called after each pass over the rows.

    Examples
    --------
    >>> import tallystick as ts
    >>> ts.NaiveBayes(engine=ts.Spark())
    NaiveBayes(engine=Spark())
    """

    session: Any = None
    progress: Progress | None = None

    def __post_init__(self) -> None:
        check_progress(self.progress)

    __repr__ = typed

    def __deepcopy__(self, memo: Any) -> Spark:
        return self  # a session cannot be copied

    def total(self, table: Table, question: Statistic[T]) -> T:
        """Return the question's total over the whole table."""
        with plain_errors():
            if isinstance(table, SparkTable):
                found = table.asked(question, self.sum)
            else:
                found = self.sum(self._sent(table), question)
        if self.progress is not None:
            self.progress(table.rows, table.rows)
        return found  # type: ignore[no-any-return]

    def _sent(self, table: Table) -> Any:
        """Return the blocks of a local table, sent to the workers."""
        session = self.session
        if session is None:
            from pyspark.sql import SparkSession

            session = SparkSession.builder.getOrCreate()
        packed = [pack(block) for block in table.blocks()]  # type: ignore[arg-type]
        parts = max(min(len(packed), 8), 1)
        if is_connect(session):
            return rows_sent(session, packed, parts).map(unpack)
        return session.sparkContext.parallelize(packed, parts).map(unpack)

    @staticmethod
    def sum(blocks: Any, question: Statistic[T]) -> T:
        """Return the sum over an RDD of blocks."""
        if blocks.getNumPartitions() == 0:
            return question.zero()
        return merged_there(blocks.mapPartitions(Sum(question)), question.merge)


class Sum:
    """The work of one partition: its blocks, one after the other, to one total."""

    def __init__(self, question: Statistic[Any]) -> None:
        self.question = question

    def __call__(self, blocks: Iterable[Block]) -> Iterator[Any]:
        """Yield the total."""
        settle()
        total = self.question.zero()
        for block in blocks:
            total = self.question.add(total, block)
        yield total
