"""A Spark DataFrame to a table of packed blocks: rows cross into Python once.

    DataFrame --mapInArrow--> batches as bytes, and one survey per partition, both kept by Spark
    surveys, merged here --> what the columns are --> each kept batch encoded and packed, kept by Spark

Knows DataFrames, Arrow batches and surveys. Knows nothing of learners.
Law: schema, notes and codes are those of `read_table` on the same rows, for any partitions in any order.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import pyarrow as pa

from tallystick.data.encode.cells import condense
from tallystick.data.encode.encoder import Encoder
from tallystick.data.encode.pack import pack
from tallystick.data.encode.survey import Decision, Question, Survey
from tallystick.data.schema import Note, Wishes
from tallystick.data.source.names import clean_names
from tallystick.engines.spark.table import SparkTable, keep
from tallystick.engines.spark.workers import check_version, plain_errors
from tallystick.errors import DataError, OptionError, TargetError, shown

WHERE = "the DataFrame"
BLOCK_ROWS, BLOCK_BYTES = 65_536, 1 << 25  # a block is full at either
PART_CELLS = 1 << 24  # of a partition of packed blocks: 128 MB as doubles, mostly less
KEPT = "survey binary, rows binary"


@dataclass(frozen=True)
class Frame:
    """A DataFrame as a survey knows sources: names, no rows."""

    columns: tuple[str, ...]
    notes: tuple[Note, ...]
    name: str = WHERE

    def batches(self) -> Iterator[pa.RecordBatch]:
        """Rows are walked where they are."""
        raise NotImplementedError


def read_frame(
    frame: Any, wishes: Wishes | None, target: Any, weights: Any = None, regression: bool = False
) -> SparkTable:
    """Return the table of a DataFrame. target, weights: names of columns."""
    refuse_others(frame)
    for what, value, error in (("y", target, TargetError), ("sample_weight", weights, OptionError)):
        if value is not None and not isinstance(value, str):
            raise error(
                f"{what} of a Spark DataFrame is the name of one of its columns, not {type(value).__name__}: "
                f"rows on Spark have no order. Pass {what}='name'."
            )
    names, notes = clean_names(frame.columns, WHERE)
    source = Frame(names, notes)
    question = Question.about(source, wishes, target, weights=weights, regression=regression)
    refuse_types(frame, question)
    with plain_errors():
        raw = first_walk(frame.toDF(*names), question)
        try:
            decision = surveyed(raw, question, notes)
        except BaseException:
            raw.unpersist()
            raise
    cells = decision.rows * len(question.columns)
    packed = keep(few(raw.rdd, cells).mapPartitions(Encoding(decision)))
    unit = decision.unit or 1
    return SparkTable(
        decision.schema, packed, decision.rows, decision.notes, decision.source_notes, unit, raw
    )


def refuse_others(frame: Any) -> None:
    """Refuse what looks like a DataFrame but cannot be walked again and again."""
    if ".connect." in type(frame).__module__:
        raise DataError(
            "the DataFrame belongs to Spark Connect, which keeps no blocks for others. "
            "Use a classic session: SparkSession.builder.master(...)."
        )
    if frame.isStreaming:
        raise DataError(
            "the DataFrame is a stream, which has no end to learn from. "
            "Write it to a table, and pass that: spark.read.table(name)."
        )


def refuse_types(frame: Any, question: Question) -> None:
    """Refuse columns that hold neither numbers nor texts, before any work."""
    from pyspark.sql.pandas.types import to_arrow_type

    for name, field in zip(question.columns, frame.schema.fields, strict=True):
        if question.plan.of(name).kind == "out":
            continue
        try:
            kind = to_arrow_type(field.dataType)
        except Exception:  # pyspark has an error class of its own for each reason
            raise DataError(
                f"column {shown(name)} is of type {shown(field.dataType.simpleString())}, which is no number "
                f"and no text. Cast it, or leave it out: kinds={{{shown(name)}: 'out'}}."
            ) from None
        condense(pa.array([], kind), name, (), ".")


def few(rows: Any, cells: int) -> Any:
    """Return an RDD in no more partitions than there is work for: every question starts a task for each."""
    worth = max(rows.context.defaultParallelism, -(-cells // PART_CELLS))
    return rows.coalesce(worth) if rows.getNumPartitions() > worth else rows


# ---- the walk over the rows ----


def first_walk(frame: Any, question: Question) -> Any:
    """Return the rows as bytes and the surveys of all partitions, kept by Spark."""
    from pyspark import StorageLevel

    from tallystick import __version__

    walked = frame.mapInArrow(Crossing(question, __version__), KEPT)
    return walked.persist(StorageLevel.MEMORY_AND_DISK)


class Crossing:
    """The one walk over raw rows, run by the workers: batches are surveyed and kept as they are."""

    def __init__(self, question: Question, version: str) -> None:
        self.question, self.version = question, version

    def __call__(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Yield kept batches, and at the end what was seen of them."""
        check_version(self.version)
        survey = Survey(self.question)
        for batch in full(batches):
            survey.add(batch)
            yield cell(None, to_bytes(batch))
        yield cell(own_serializer().dumps(survey), None)


def own_serializer() -> Any:
    """Return the serializer by which Spark itself sends objects between our driver and its workers."""
    from pyspark.serializers import CPickleSerializer

    return CPickleSerializer()


def full(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Join small batches to blocks that are worth a question."""
    waiting: list[pa.RecordBatch] = []
    rows = size = 0
    for batch in batches:
        waiting.append(batch)
        rows, size = rows + batch.num_rows, size + batch.nbytes
        if rows >= BLOCK_ROWS or size >= BLOCK_BYTES:
            yield joined(waiting)
            waiting, rows, size = [], 0, 0
    if rows:
        yield joined(waiting)


def joined(batches: list[pa.RecordBatch]) -> pa.RecordBatch:
    """Return batches as one."""
    return batches[0] if len(batches) == 1 else pa.concat_batches(batches)


def to_bytes(batch: pa.RecordBatch) -> bytes:
    """Return an Arrow batch as a stream of its own."""
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, batch.schema) as writer:
        writer.write_batch(batch)
    return sink.getvalue().to_pybytes()  # type: ignore[no-any-return]


def from_bytes(data: bytes) -> pa.RecordBatch:
    """Return the batch whose stream this is."""
    with pa.ipc.open_stream(pa.py_buffer(data)) as reader:
        return reader.read_next_batch()


def cell(survey: bytes | None, rows: bytes | None) -> pa.RecordBatch:
    """Return one row of what the walk keeps."""
    arrays = [pa.array([survey], pa.binary()), pa.array([rows], pa.binary())]
    return pa.RecordBatch.from_arrays(arrays, names=["survey", "rows"])


def kept_batches(rows: Iterable[Any]) -> Iterator[pa.RecordBatch]:
    """Yield the batches among what was kept."""
    for row in rows:
        if row[1] is not None:
            yield from_bytes(bytes(row[1]))


# ---- what the rows are ----


def surveyed(raw: Any, question: Question, notes: tuple[Note, ...]) -> Decision:
    """Return what the columns are, from the surveys of all partitions."""
    read = own_serializer().loads
    survey = Survey(question)
    for row in raw.where("survey is not null").select("survey").collect():
        survey.merge(read(bytes(row[0])))
    if survey.aim.rows == 0:
        raise DataError(f"{WHERE} has {len(question.columns)} columns but no rows.")
    while (more := survey.again()) is not None:
        survey.complete(raw.rdd.mapPartitions(Again(more)).treeReduce(merged))
    decision = survey.decide(notes)
    return replace(decision, question=survey.question)


def merged(one: Survey, other: Survey) -> Survey:
    """Return one survey of two."""
    return one.merge(other)


class Again:
    """A second look at some columns: texts that some partitions took for numbers."""

    def __init__(self, survey: Survey) -> None:
        self.survey = survey

    def __call__(self, rows: Iterable[Any]) -> Iterator[Survey]:
        """Yield what one partition holds."""
        survey = self.survey.zero()
        for batch in kept_batches(rows):
            survey.add(batch)
        yield survey


class Encoding:
    """Kept batches to packed blocks."""

    def __init__(self, decision: Decision) -> None:
        self.decision = decision

    def __call__(self, rows: Iterable[Any]) -> Iterator[bytes]:
        """Yield the blocks of one partition."""
        encoder = Encoder(self.decision)
        for batch in full(kept_batches(rows)):
            yield pack(encoder.block(batch))
