"""Rows kept by Spark through its public DataFrames alone: sessions of Spark Connect, which have no Java here,
and any session whose Java is closed to Python.

    elements --pickled--> a DataFrame of one column of bytes --mapInArrow--> another

`FrameRows` has the verbs of an RDD that this engine uses, by the same names; the work between two DataFrames
is done in one walk. Knows DataFrames and Arrow. Knows nothing of blocks, columns or models.
Law: every verb gives what an RDD's gives, as a multiset of elements.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import reduce
from typing import Any, Protocol

import pyarrow as pa

from tallystick.engines.spark.workers import FEW, own_serializer

DATA, TASK = "data", "task"
KINDS = pa.schema({DATA: pa.binary()})
SENT = pa.schema({TASK: pa.int64(), DATA: pa.binary()})

Steps = tuple[Callable[[Iterable[Any]], Iterable[Any]], ...]


class ElementForm(Protocol):
    """How elements lie in the column of bytes."""

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
    """Return bytes that lie here, sent to Spark."""
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
