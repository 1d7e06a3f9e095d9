"""The verbs of RDDs over DataFrames."""

from __future__ import annotations

import operator
import sys

import pyarrow as pa
import pytest

from tallystick.spark.table import AsBytes, FrameWork, MergedBy, parts_of, rows_of_frame, rows_sent
from tallystick.spark.workers import own_serializer


def test_the_steps_between_two_frames_are_done_in_one_walk():
    batch = pa.record_batch({"data": pa.array([b"1", b"23"], pa.binary())})
    steps = (lambda found: map(int, found), lambda found: (n + 1 for n in found))
    form = own_serializer()
    written = list(FrameWork(steps, AsBytes(), form)([batch]))
    assert [form.loads(b.column(0)[0].as_py()) for b in written] == [2, 24]
    sent = list(
        FrameWork((lambda found: ((int(n), n) for n in found),), AsBytes(), form, lambda k: k % 5)([batch])
    )
    assert [b.column("task")[0].as_py() for b in sent] == [1, 3]


def test_merging_nothing_gives_nothing():
    assert list(MergedBy(operator.add)([])) == []
    assert list(MergedBy(operator.add)([1, 2, 3])) == [6]


@pytest.mark.slow
def test_the_verbs_give_what_those_of_rdds_give(spark):
    from pyspark import cloudpickle

    cloudpickle.register_pickle_by_value(sys.modules[__name__])
    data = [bytes([65 + i]) * (i + 1) for i in range(40)]
    rows = rows_sent(spark, data, 20)
    lengths = rows.map(len)
    assert sorted(lengths.collect()) == list(range(1, 41))
    assert lengths.treeReduce(operator.add) == 820  # of more partitions than are merged at once
    assert sorted(lengths.coalesce(3).toLocalIterator()) == list(range(1, 41))
    assert lengths.union(lengths).treeReduce(operator.add) == 1640
    keyed = lengths.map(pair).partitionBy(4, int)
    found = keyed.mapPartitions(listed).collect()
    for r in range(3):  # all of a key are in one partition, perhaps with those of another
        (own,) = [[n for n in part if n % 3 == r] for part in found if any(n % 3 == r for n in part)]
        assert sorted(own) == [n for n in range(1, 41) if n % 3 == r]
    kept = rows.kept()
    assert (kept.is_cached, kept.parts <= 20, sorted(kept.collect())) == (True, True, sorted(data))
    assert parts_of(spark.range(7).repartition(3)) == 3


@pytest.mark.slow
def test_batches_of_a_frame_are_bytes_that_arrow_reads(spark):
    frame = spark.range(30).repartition(2)
    kinds = pa.schema({"id": pa.int64()})
    found = [pa.ipc.read_record_batch(pa.py_buffer(b), kinds) for b in rows_of_frame(frame).collect()]
    assert sorted(v for batch in found for v in batch.column(0).to_pylist()) == list(range(30))


def pair(n):
    return n % 3, n


def listed(pairs):
    yield [n for _, n in pairs]
