"""Rows that are sent to Spark and stay there: to bring anything of each row to the driver is an error."""

from __future__ import annotations

import pickle

import numpy as np
import pyarrow as pa

from tallystick.engines.spark import ranked as ranked_room
from tallystick.engines.spark import table as table_room


def mixed_rows(many, classes=2, seed=3):
    """Return a number, a level, and classes that follow from both; some rows come twice."""
    rng = np.random.default_rng(seed)
    x = np.round(rng.normal(size=many), 1)
    x[::9] = np.nan
    colour = rng.choice(["red", "green", "blue", None], many)
    colour[0] = "once"  # a level that one fold alone has
    y = np.clip(np.round(np.nan_to_num(x) + (colour == "red") + rng.normal(size=many)), 0, classes - 1)
    table = pa.table({"x": pa.array(x, from_pandas=True), "colour": colour.tolist(), "y": y.astype(int)})
    return pa.concat_tables([table, table.slice(0, many // 3)])


def sent(spark, table):
    """Return the rows as a DataFrame, in another order and two partitions."""
    order = np.random.default_rng(1).permutation(table.num_rows)
    return spark.createDataFrame(table.take(order)).repartition(2)


def received(monkeypatch):
    """Return a list that the bytes of each thing the driver receives are added to."""
    from pyspark import RDD, SparkContext

    told = []

    def counted(ask):
        def asked(*given, **more):
            found = ask(*given, **more)
            told.append(len(pickle.dumps(found)))
            return found

        return asked

    monkeypatch.setattr(RDD, "collect", counted(RDD.collect))
    monkeypatch.setattr(SparkContext, "runJob", counted(SparkContext.runJob))
    return told


def keep_far(monkeypatch):
    """Let the fewest rows stay with Spark, ranked in several pieces."""

    def facts(table):
        raise AssertionError("every row was brought to the driver")

    monkeypatch.setattr(table_room, "NEAR_CELLS", 0)
    monkeypatch.setattr(ranked_room, "PIECE_ROWS", 30)
    monkeypatch.setattr(table_room.SparkTable, "facts", property(facts))


def keep_columns_far(monkeypatch):
    """Let rows stay with Spark, and no column come to the driver."""
    keep_far(monkeypatch)

    def no_column(table, name):
        raise AssertionError(f"the column {name} was brought to the driver")

    monkeypatch.setattr(table_room.SparkTable, "column", no_column)
