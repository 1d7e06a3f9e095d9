"""Reading a Spark DataFrame into a table of packed blocks: rows cross into Python once.

    DataFrame --Arrow--> batches as Spark wrote them, kept by Spark --> one survey per partition
    surveys, merged --> what the columns are --> each kept batch encoded and packed, kept by Spark

Entry: `read_frame()`. survey = the counts from which kinds and levels are decided.
Law: schema, notes and codes are those of `read_table` on the same rows, for any partitions in any order.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import pyarrow as pa

from tallystick.errors import Argument, DataError, OptionError, TargetError, counted, shown
from tallystick.io.source import clean_names
from tallystick.schema import ColumnOptions, Note, Reading
from tallystick.spark.table import Along, SparkTable, forget, keep, rows_of_frame, unpacked
from tallystick.spark.workers import check_version, is_connect, merged_there, plain_errors, settle
from tallystick.table.block import RowBlock, pack
from tallystick.table.cells import condense
from tallystick.table.encode import Encoder
from tallystick.table.survey import Decision, Survey, SurveyRequest

WHERE = "the DataFrame"
FULL = 65_536, 1 << 23  # rows, bytes: a block that is made once and read by many questions is full at either
LIGHT = 8_192, 1 << 20  # blocks made for every question: their cells stay in the processor's cache
PART_CELLS = 1 << 25  # cells of a partition of blocks: at most 256 MB as doubles


@dataclass(frozen=True)
class Frame:
    """A DataFrame as a survey knows sources before any row: a heading of the contracts."""

    columns: tuple[str, ...]
    name: str = WHERE
    reading: Reading = field(default_factory=Reading)
    typed: bool = True


def read_frame(
    frame: Any,
    wishes: ColumnOptions | None,
    target: Any,
    weights: Any = None,
    regression: bool = False,
    profiled: bool = False,
) -> SparkTable:
    """Return the table of a DataFrame. target, weights: names of columns; profiled: somebody will ask for the
    profile of the rows.
    """
    refuse_others(frame)
    for what, value, error in (("y", target, TargetError), ("sample_weight", weights, OptionError)):
        if value is not None and not isinstance(value, str):
            raise error(
                f"{what} of a Spark DataFrame is the name of one of its columns, not {type(value).__name__}: "
                f"rows on Spark have no order. Pass {what}='name'."
            )
    names, notes = clean_names(frame.columns, WHERE)
    question = SurveyRequest.about(Frame(names), wishes, target, weights=weights, regression=regression)
    refuse_types(frame, question)
    with plain_errors():
        rows = kept_rows(without_out(frame.toDF(*names), question))
        try:
            decision = surveyed(rows, question, notes)
        except BaseException:
            forget(rows.kept)
            raise
    unit, items = decision.unit or 1, (decision.notes, decision.source_notes)
    along = Along(decision.schema, decision.rows) if profiled else None
    batches = few(rows.kept, decision.rows * len(question.columns))
    if is_plain(decision, rows.kinds):
        blocks = batches.mapPartitions(Opening(decision, rows.kinds))
        return SparkTable(decision.schema, blocks, decision.rows, *items, unit, rows.kept, along=along)
    kept = keep(batches.mapPartitions(Encoding(decision, rows.kinds)))
    blocks = kept.mapPartitions(unpacked)
    return SparkTable(decision.schema, blocks, decision.rows, *items, unit, kept, rows.kept, along)


def refuse_others(frame: Any) -> None:
    """Refuse what looks like a DataFrame but cannot be read repeatedly."""
    if frame.isStreaming:
        raise DataError(
            "the DataFrame is a stream, which has no end to learn from. "
            "Write it to a table, and pass that: spark.read.table(name)."
        )


def refuse_types(frame: Any, question: SurveyRequest) -> None:
    """Refuse columns that hold neither numbers nor texts, before any work."""
    for name, one in zip(question.columns, frame.schema.fields, strict=True):
        if question.plan.of(name).kind != "out":
            condense(pa.array([], arrow_kind(name, one.dataType)), name, (), ".")


def arrow_kind(name: str, kind: Any) -> pa.DataType:
    """Return the Arrow type of a column of Spark's."""
    from pyspark.sql.pandas.types import to_arrow_type

    try:
        return in_utc(to_arrow_type, kind)
    except Exception:  # pyspark has an error class of its own for each reason
        raise DataError(
            f"column {shown(name)} is of type {shown(kind.simpleString())}, which is neither a number "
            "nor text. Cast it, or leave it out: ",
            Argument("kinds", {name: "out"}),
            ".",
        ) from None


def few(rows: Any, cells: int) -> Any:
    """Return an RDD in no more partitions than there is work for: every question starts a task for each. They
    are so many for each task that runs at once: none waits for the last.
    """
    at_once = rows.context.defaultParallelism
    worth = at_once * max(-(-cells // (PART_CELLS * at_once)), 1)
    return rows.coalesce(worth) if rows.getNumPartitions() > worth else rows


def without_out(frame: Any, question: SurveyRequest) -> Any:
    """Return the DataFrame with nothing in the columns that are out, of whatever type they are."""
    out = {name for name in question.looked if question.plan.of(name).kind == "out"}
    if not out:
        return frame
    numbered = frame.toDF(
        *(f"c{i}" for i in range(len(question.columns)))
    )  # Spark takes x and X for one name
    cells = [
        f"cast(null as boolean) as c{i}" if name in out else f"c{i}"
        for i, name in enumerate(question.columns)
    ]
    return numbered.selectExpr(*cells).toDF(*question.columns)


# ---- the rows ----


class KeptRows(NamedTuple):
    """What is kept of a DataFrame: an RDD of batches as bytes, and the types of its columns."""

    kept: Any
    kinds: pa.Schema


def kept_rows(frame: Any) -> KeptRows:
    """Return the rows as Arrow batches, kept by Spark when they are first read.

    Spark hands out the batches that it makes for `toArrow`, but partition by partition: the bytes are kept as
    they are, and go to the workers in half the time of `mapInArrow`. No public call does that; where it is
    not to be had, `mapInArrow` it is.
    """
    batches = rows_of_frame(frame) if is_connect(frame) else arrow_batches(frame)
    return KeptRows(keep(batches), arrow_kinds(frame))


def arrow_batches(frame: Any) -> Any:
    """Return the Arrow batches of a DataFrame as bytes, by the shortest way that its session has."""
    from pyspark import RDD
    from pyspark.serializers import NoOpSerializer

    try:
        batches = frame._jdf.toArrowBatchRdd().toJavaRDD()
        return RDD(batches, frame.sparkSession.sparkContext, NoOpSerializer())
    except Exception:  # another Spark, or one whose Java is closed to Python
        return rows_of_frame(frame)


def arrow_kinds(frame: Any) -> pa.Schema:
    """Return the Arrow types in which Spark hands out a DataFrame."""
    from pyspark.sql.pandas.types import to_arrow_schema

    large = frame.sparkSession.conf.get("spark.sql.execution.arrow.useLargeVarTypes") == "true"
    return in_utc(to_arrow_schema, frame.schema, prefers_large_types=large)


def in_utc(convert: Callable[..., Any], kind: Any, **more: Any) -> Any:
    """Return Spark's types as Arrow's; times are in UTC, the default of older releases."""
    try:
        return convert(kind, timezone="UTC", **more)
    except TypeError:
        return convert(kind, **more)


def batch_of(data: bytes, kinds: pa.Schema) -> pa.RecordBatch:
    """Return the batch that Spark wrote."""
    return pa.ipc.read_record_batch(pa.py_buffer(data), kinds)


def full(batches: Iterable[pa.RecordBatch], most: tuple[int, int]) -> Iterator[pa.RecordBatch]:
    """Join small batches to blocks that are worth a question: of so many rows or bytes."""
    waiting: list[pa.RecordBatch] = []
    rows = size = 0
    for batch in batches:
        waiting.append(batch)
        rows, size = rows + batch.num_rows, size + batch.nbytes
        if rows >= most[0] or size >= most[1]:
            yield joined(waiting)
            waiting, rows, size = [], 0, 0
    if rows:
        yield joined(waiting)


def joined(batches: list[pa.RecordBatch]) -> pa.RecordBatch:
    """Return batches as one."""
    return batches[0] if len(batches) == 1 else pa.concat_batches(batches)


# ---- what the rows are ----


def surveyed(rows: KeptRows, question: SurveyRequest, notes: tuple[Note, ...]) -> Decision:
    """Return what the columns are, from the surveys of all partitions."""
    from tallystick import __version__

    def looked(survey: Survey) -> Survey:
        work = Surveying(survey, rows.kinds, __version__)
        return merged_there(rows.kept.mapPartitions(work), merged)

    survey = Survey(question)
    if rows.kept.getNumPartitions():
        survey.merge(looked(survey))
    if (again := survey.without_total()) is not None:
        return surveyed(rows, again, notes)
    if survey.aim.rows == 0:
        raise DataError(f"{WHERE} has {counted(len(question.columns), 'column')} but no rows.")
    while (more := survey.again()) is not None:
        survey.complete(looked(more))
    decision = survey.decide(notes)
    return replace(decision, question=survey.question)


def merged(one: Survey, other: Survey) -> Survey:
    """Return one survey of two."""
    return one.merge(other)


class Surveying:
    """A look at kept batches, run by the workers. survey: of no rows; it says which columns are looked at."""

    def __init__(self, survey: Survey, kinds: pa.Schema, version: str) -> None:
        self.survey, self.kinds, self.version = survey, kinds, version

    def __call__(self, kept: Iterable[bytes]) -> Iterator[Survey]:
        """Yield what one partition holds."""
        check_version(self.version)
        settle()
        survey = self.survey.zero()
        for data in kept:
            survey.add(batch_of(data, self.kinds))
        yield survey


def is_plain(decision: Decision, kinds: pa.Schema) -> bool:
    """Say of a table that it has numbers only, and as numbers: its batches need no other form."""
    types = dict(zip(decision.question.columns, kinds.types, strict=True))
    number = {n for n, kind in types.items() if pa.types.is_integer(kind) or pa.types.is_floating(kind)}
    return all(c.kind == "numeric" and c.name in number for c in decision.schema.used)


class Opening:
    """Kept batches to blocks."""

    def __init__(self, decision: Decision, kinds: pa.Schema) -> None:
        self.decision, self.kinds = decision, kinds

    def __call__(self, kept: Iterable[bytes]) -> Iterator[RowBlock]:
        """Yield the blocks of one partition."""
        return self.blocks(kept, LIGHT)

    def blocks(self, kept: Iterable[bytes], most: tuple[int, int]) -> Iterator[RowBlock]:
        """Yield the blocks of one partition, of so many rows or bytes."""
        encoder = Encoder(self.decision)
        for batch in full((batch_of(data, self.kinds) for data in kept), most):
            yield encoder.block(batch)


class Encoding(Opening):
    """Kept batches to packed blocks."""

    def __call__(self, kept: Iterable[bytes]) -> Iterator[bytes]:  # type: ignore[override]
        """Yield the packed blocks of one partition."""
        return map(pack, self.blocks(kept, FULL))
