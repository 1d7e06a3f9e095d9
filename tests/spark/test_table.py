"""A table whose rows stay with Spark."""

from __future__ import annotations

import numpy as np
import pytest
from tables import of_every_kind as table

import tallystick as ts
from tallystick.io.open import open_source
from tallystick.spark.read import read_frame
from tallystick.spark.table import Formed, unpacked
from tallystick.table.block import RowBlock as Block
from tallystick.table.block import together
from tallystick.table.reader import read_table

pytestmark = pytest.mark.slow


def test_nothing_of_ours_stays_in_the_cache_of_spark_after_a_fit(spark):
    frame = spark.createDataFrame(table()).repartition(2)
    before = spark.sparkContext._jsc.getPersistentRDDs().size()
    ts.DecisionTree(max_depth=2).fit(frame, "y")
    assert spark.sparkContext._jsc.getPersistentRDDs().size() == before


def test_a_table_on_spark_gives_its_rows_block_by_block(spark):
    there = read_frame(spark.createDataFrame(table()).repartition(3), None, "y")
    try:
        blocks = list(there.blocks())
        assert all(isinstance(b, Block) for b in blocks)
        assert sum(b.rows for b in blocks) == there.rows == there.weight == 900
    finally:
        there.release()


def test_some_rows_are_the_rows_taken_here(spark):
    data = table(rows=60)
    here = read_table(open_source(data), None, "y")
    there = read_frame(spark.createDataFrame(data), None, "y")
    try:
        wanted = np.sort(there.row_hashes())[:20]
        of_there = np.flatnonzero(np.isin(there.row_hashes(), wanted))
        of_here = np.flatnonzero(np.isin(here.row_hashes(), wanted))
        assert there.take(of_there).fingerprint == here.take(of_here).fingerprint
    finally:
        there.release()


def test_blocks_are_put_together_in_their_order():
    one = Block(2, {"x": np.array([1.0, 2.0])}, np.array([0, 1], np.uint8))
    other = Block(1, {"x": np.array([3.0])}, np.array([1], np.uint8))
    both = together([one, other])
    assert (both.rows, both.values("x").tolist(), both.classes.tolist()) == (3, [1, 2, 3], [0, 1, 1])
    assert both.weights is None
    assert together([one]) is one
    (packed,) = Formed(lambda block: block)([one, other])
    assert next(iter(unpacked([packed]))).values("x").tolist() == [1, 2, 3]
