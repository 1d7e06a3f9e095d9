"""Learning curves of rows that stay with Spark: the figures found here, and no row comes here."""

from __future__ import annotations

import json

import numpy as np
import pyarrow as pa
import pytest

import tallystick as ts
from tallystick.data.table.block import Block
from tallystick.engines.spark import table as table_room
from tallystick.errors import DataError
from tallystick.evaluate.cases import InParts
from tallystick.evaluate.far_curve import ClassRows, JudgedSums
from tallystick.evaluate.measures import log_losses
from tallystick.stats.exact import nearest


def rows(many, classes=2, seed=3):
    rng = np.random.default_rng(seed)
    x = np.round(rng.normal(size=many), 1)
    x[::9] = np.nan
    colour = rng.choice(["red", "green", "blue", None], many)
    y = np.clip(np.round(np.nan_to_num(x) + (colour == "red") + rng.normal(size=many)), 0, classes - 1)
    table = pa.table({"x": pa.array(x, from_pandas=True), "colour": colour.tolist(), "y": y.astype(int)})
    return pa.concat_tables([table, table.slice(0, many // 3)])  # some rows come twice


def sent(spark, table):
    order = np.random.default_rng(1).permutation(table.num_rows)
    return spark.createDataFrame(table.take(order)).repartition(2)


@pytest.fixture
def far(monkeypatch):
    """Rows that stay with Spark; to bring anything of each is an error."""

    def facts(table):
        raise AssertionError("every row was brought to the driver")

    monkeypatch.setattr(table_room, "NEAR_CELLS", 0)
    monkeypatch.setattr(table_room.SparkTable, "facts", property(facts))


@pytest.mark.slow
def test_a_curve_of_rows_that_stay_with_spark_is_the_one_here(spark, far):
    table, told = rows(60, 3), []
    asked = {"methods": ["bayes", "tree:max_depth=2"], "sizes": [2, 40], "repeats": 2}  # two: of one class
    here = ts.learning_curve(table, "y", **asked)
    there = ts.learning_curve(sent(spark, table), "y", **asked, progress=lambda *one: told.append(one))
    assert json.dumps(there.to_dict()) == json.dumps(here.to_dict())
    for mine, its in zip(there.curves, here.curves, strict=True):
        assert mine.error.tolist() == its.error.tolist()
        assert mine.loss.tolist() == its.loss.tolist()
    assert told[-1] == (4, 4, "curves")


@pytest.mark.slow
def test_too_few_rows_are_refused_in_the_same_words(spark, far):
    table, said = rows(6), []
    for data in (table, sent(spark, table)):
        with pytest.raises(DataError) as caught:
            ts.learning_curve(data, "y", methods=["bayes"])
        said.append(str(caught.value))
    assert said[0] == said[1]


@pytest.mark.slow
def test_rows_with_weights_are_not_dealt_there(spark, far):
    table = rows(30)
    heavy = table.append_column("w", pa.array(np.arange(table.num_rows) % 3))
    read = ts.NaiveBayes()._read(sent(spark, heavy), "y", "w")
    assert read.dealer() is None
    read.release()


def test_parts_hold_the_cases_that_follow_each_other():
    order = InParts(1, (3, 5))
    assert order.sizes(9) == (3, 2, 4)
    assert order.folds(np.arange(9)).tolist() == [0, 0, 0, 1, 1, 2, 2, 2, 2]


def test_sums_of_tested_rows_are_those_of_all_at_once():
    rng = np.random.default_rng(2)
    shares = rng.dirichlet([1, 2], 90)
    truth = rng.integers(0, 2, 90).astype(np.uint8)
    asked = JudgedSums(lambda block: shares[block.codes("at")], None)
    blocks = [Block(30, {"at": np.arange(s, s + 30)}, truth[s : s + 30]) for s in (0, 30, 60)]
    parts = [asked.add(asked.zero(), block) for block in blocks]
    found = asked.merge(parts[2], asked.merge(parts[0], parts[1]))
    every = asked.add(asked.zero(), Block(90, {"at": np.arange(90)}, truth))
    assert found[:2] == every[:2] == (90, int((shares.argmax(axis=1) != truth).sum()))
    assert nearest(found.loss) == nearest(every.loss)
    assert np.isclose(nearest(found.loss), log_losses(truth.astype(np.int64), shares).sum())
    count = ClassRows(2)
    assert count.add(count.zero(), blocks[0]).tolist() == np.bincount(truth[:30], minlength=2).tolist()
