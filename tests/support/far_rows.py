"""Rows that are sent to Spark and stay there, however few."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from tallystick.spark import ranks as ranks_room
from tallystick.spark import table as table_room


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


def weighed_rows(many, classes=2, whole=True):
    """Return rows with a weight, three more columns; equal ones have the same and other weights."""
    table = mixed_rows(many, classes)
    rng = np.random.default_rng(9)
    weight = rng.choice([1, 2, 3, 5] if whole else [0.1, 0.25, 1, 1.7, 3], table.num_rows)
    again = np.arange(table.num_rows) % many  # equal rows are equal in these columns too
    who = rng.choice(["ann", "bob", "cid", "dan"], many)[again]
    at = rng.integers(0, 15, many)[again] * 0.5
    z = np.nan_to_num(np.asarray(table["x"], dtype=float)) + rng.normal(size=many)[again]
    for name, column in {"who": who, "at": at, "z": z, "w": weight}.items():
        table = table.append_column(name, pa.array(column))
    return table


def telling_rows(many):
    """Return rows whose class a number, a level and a text tell; some numbers stand for missing."""
    rng = np.random.default_rng(2)
    y = rng.choice(["no", "yes"], many)
    told = np.where(y == "no", "a", "b")
    x = np.where(rng.random(many) < 0.1, -999.0, rng.normal(size=many))
    near = np.where(y == "no", 0.0, 2.0) + rng.random(many)
    words = [f"it is {'so' if v == 'no' else 'not'} {rng.integers(3)}" for v in y]
    return pa.table({"x": x, "near": near, "z": 2 * near, "told": told, "words": words, "y": y})


def sent(spark, table):
    """Return the rows as a DataFrame, in another order and two partitions."""
    order = np.random.default_rng(1).permutation(table.num_rows)
    return spark.createDataFrame(table.take(order)).repartition(2)


def keep_far(monkeypatch):
    """Let the fewest rows stay with Spark, ranked in several pieces."""
    monkeypatch.setattr(table_room, "NEAR_CELLS", 0)
    monkeypatch.setattr(ranks_room, "PIECE_ROWS", 30)
