"""A DataFrame of Spark to batches and surveys; and rows that are read there as they are here."""

from __future__ import annotations

import gc
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any, ClassVar

import pyarrow as pa
import pytest

from tallystick import __version__
from tallystick.errors import OptionError, TargetError
from tallystick.io.open import open_source
from tallystick.spark.read import (
    PART_CELLS,
    Frame,
    Surveying,
    batch_of,
    few,
    full,
    joined,
    merged,
    read_frame,
)
from tallystick.spark.workers import Loaded
from tallystick.table.reader import read_table
from tallystick.table.survey import Survey, SurveyRequest

BATCH = pa.record_batch({"x": [1.0, 2.0, 3.0], "w": ["a", None, "b"]})


def sent(batch):
    return batch.serialize().to_pybytes()


def test_a_batch_comes_back_from_the_bytes_that_spark_wrote():
    assert batch_of(sent(BATCH), BATCH.schema).equals(BATCH)


@pytest.fixture
def unfrozen(monkeypatch):
    """Works of workers run here, and leave nothing out of the search for garbage."""
    monkeypatch.setattr(Loaded, "modules", Loaded.modules)
    yield
    gc.unfreeze()


@pytest.mark.slow
@pytest.mark.usefixtures("unfrozen")
def test_a_partition_tells_one_survey_of_all_its_batches_also_of_none():
    work = Surveying(Survey(SurveyRequest.about(Frame(("x", "w")), None, "w")), BATCH.schema, __version__)
    (found,) = work([sent(BATCH), sent(BATCH)])
    (none,) = work([])
    assert (found.aim.rows, none.aim.rows) == (6, 0)
    assert merged(none, found).decide().rows == found.decide().rows == 4  # of two rows the target is missing
    with pytest.raises(OptionError, match=r"tallystick is '0\.0' here, but"):
        list(Surveying(found, BATCH.schema, "0.0")([]))


@pytest.mark.slow
def test_rows_are_made_by_the_dataframe_once_and_kept(spark):
    made = spark.sparkContext.accumulator(0)

    def count(batches):
        for batch in batches:
            made.add(batch.num_rows)
            yield batch

    frame = spark.range(1_000).mapInArrow(count, "id long").selectExpr("id % 7 as x", "id % 2 as y")
    table = read_frame(frame, None, "y")
    try:
        assert table.weight == 1_000  # asks once more
        assert made.value == 1_000
    finally:
        table.release()


def test_small_batches_are_joined_to_full_ones_and_none_is_lost():
    found = [b.num_rows for b in full([BATCH] * 5, (6, 1 << 30))]
    assert found == [6, 6, 3]
    assert [b.num_rows for b in full([BATCH] * 3, (1 << 30, 1))] == [3, 3, 3]
    assert list(full([], (6, 6))) == []
    assert joined([BATCH, BATCH]).column(1).to_pylist() == ["a", None, "b"] * 2


@dataclass
class Parts:
    """What `few` asks of an RDD, where three tasks run at once."""

    parts: int
    context: ClassVar[Any] = SimpleNamespace(defaultParallelism=3)

    def getNumPartitions(self):  # noqa: N802 (Spark's name)
        return self.parts

    def coalesce(self, parts):
        return Parts(parts)


def test_partitions_are_few_and_as_many_for_each_task_that_runs_at_once():
    many = [(0, 3), (PART_CELLS * 3, 3), (PART_CELLS * 3 + 1, 6), (PART_CELLS * 7, 9)]
    assert [few(Parts(50), cells).parts for cells, _ in many] == [parts for _, parts in many]
    assert few(Parts(2), PART_CELLS * 7).parts == 2


def test_a_frame_is_a_heading_of_typed_text():
    frame = Frame(("x", "w"))
    assert (frame.columns, frame.typed, frame.name) == (("x", "w"), True, "the DataFrame")


@pytest.mark.slow
def test_a_frame_is_read_there_as_it_is_here(spark):
    data = pa.table({"x": [0.5, 1.25, None, 9.0], "w": ["a", "b", "a", None], "y": ["p", "q", "p", "q"]})
    here = read_table(open_source(data), None, "y")
    there = read_frame(spark.createDataFrame(data).repartition(2), None, "y")
    try:
        assert there.schema == here.schema
        assert there.fingerprint == here.fingerprint
        assert there.notes == here.notes
    finally:
        there.release()


@pytest.mark.slow
def test_labels_and_weights_of_rows_without_an_order_are_names_of_columns(spark):
    frame = spark.range(4).selectExpr("id as x", "cast(id % 2 as string) as y")
    with pytest.raises(
        TargetError, match="y of a Spark DataFrame is the name of one of its columns, not list"
    ):
        read_frame(frame, None, ["p", "q"])
    with pytest.raises(OptionError, match="sample_weight of a Spark DataFrame"):
        read_frame(frame, None, "y", [1, 2])
