"""The counts of a description are those of the rows, counted by hand, wherever the rows lie."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import tallystick as ts
from tallystick.description import columns as counts
from tallystick.description.columns import TableCounts
from tallystick.engine import Local
from tallystick.io.open import open_source
from tallystick.schema import ColumnOptions
from tallystick.stats import leakage as disk_ranks
from tallystick.table.reader import read_table, read_to_disk

ROWS = {
    "c": ["u", "v", None, "u"],
    "n": [1.5, 2.5, None, 1.5],
    "t": ["red sun", "blue sun", "red", ""],
    "y": ["p", "q", "p", "q"],
}
KINDS = {"c": "levels", "n": "numeric", "t": "text"}


def check(table, engine):
    """Compare with the counts of ROWS: missing is the last row of a column."""
    told = TableCounts(table, engine)
    assert told.classes.tolist() == [2, 2]
    groups = {group.columns[0].name: group for group in told.groups()}
    assert groups["n"].values[0].tolist() == [1.5, 2.5]
    for name in ("n", "c"):
        assert groups[name].stack.counts.tolist() == [[1, 1], [0, 1]]
        assert groups[name].stack.missing.tolist() == [[1, 0]]
    ((column, words),) = told.texts()
    assert column.words == ("blue", "red", "sun")
    assert words.tolist() == [[0, 1], [2, 0], [1, 1], [0, 1], [2, 2]]


def test_counts_of_rows_here_are_those_counted_by_hand():
    check(ts.NaiveBayes(kinds=KINDS)._read(ROWS, "y"), Local())


def test_rows_without_a_target_are_of_one_class():
    told = TableCounts(read_table(open_source(ROWS), ColumnOptions(kinds=KINDS), None), Local())
    assert told.classes.tolist() == [4]
    group = next(g for g in told.groups() if g.columns[0].name == "c")
    assert (group.stack.counts.tolist(), group.stack.missing.tolist()) == (
        [[2], [1], [2], [2]],
        [[1], [0]],
    )  # of c, and of y, which is a column like another


def test_columns_asked_for_one_by_one_have_the_counts_of_all_at_once(monkeypatch):
    rng = np.random.default_rng(0)
    rows = {f"x{i}": rng.normal(size=40).round(1) for i in range(5)} | {"y": ["p", "q"] * 20}
    rows |= {f"c{i}": rng.choice(["a", "b", "c"], 40).tolist() for i in range(5)}
    table = ts.NaiveBayes(kinds={f"x{i}": "numeric" for i in range(5)})._read(rows, "y")

    def every():
        groups = list(TableCounts(table, Local()).groups())
        names = [c.name for g in groups for c in g.columns]
        return len(groups), dict(zip(names, [t for g in groups for t in g.stack.total.tolist()], strict=True))

    few, together = every()
    monkeypatch.setattr(counts, "TOGETHER", 1)
    many, alone = every()
    assert (few, many) == (2, 10)
    assert alone == together


def test_a_budget_decides_how_many_columns_are_worked_out_at_once(monkeypatch):
    frame = pd.DataFrame({f"x{i}": np.arange(40) * 1.5 for i in range(5)} | {"y": ["p", "q"] * 20})
    table = read_to_disk(open_source(frame), 32 << 20, None, "y")
    assert len(list(TableCounts(table, Local()).groups())) == 1
    monkeypatch.setattr(disk_ranks, "VALUE", (32 << 20) // 2 // 100)  # room for 99 values
    assert len(list(TableCounts(table, Local()).groups())) == 3


@pytest.mark.slow
def test_counts_of_rows_on_spark_are_those_counted_by_hand(spark):
    from tallystick.spark.read import read_frame

    rows = list(zip(*ROWS.values(), strict=True))
    table = read_frame(
        spark.createDataFrame(rows, "c string, n double, t string, y string"), ColumnOptions(kinds=KINDS), "y"
    )
    try:
        check(table, table.engine)
    finally:
        table.release()
