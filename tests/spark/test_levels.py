"""Trees of numbers as they are, on Spark: the bytes of the tree in memory, however nodes are asked for."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import tallystick as ts
from tallystick.io import scratch
from tallystick.spark import levels, workers
from tallystick.spark.levels import (
    PLACE,
    Drawn,
    Ends,
    RowsByNode,
    TaskOf,
    cut_table,
    joined_pieces,
    narrow_table,
)
from tallystick.stats.values import ValueTable, value_table
from tallystick.table.block import RowBlock as Block
from tallystick.table.block import pack


def rows(n=1_500):
    rng = np.random.default_rng(4)
    frame = pd.DataFrame(rng.normal(size=(n, 2)), columns=["a", "b"])
    frame["b"] = frame["b"].astype(np.float32).astype(float)
    frame.loc[rng.random(n) < 0.05, "a"] = np.nan
    frame["g"] = rng.choice(["u", "v", "w"], n)
    signal = np.nan_to_num(frame["a"]) + frame["b"] ** 2 + rng.normal(size=n)
    frame["y"] = np.where(signal > 0.5, "yes", "no")
    frame["w"] = rng.integers(0, 3, n)
    return frame


FRAME = rows()
TREES = {
    "default": lambda: ts.DecisionTree(),
    "c45": lambda: ts.DecisionTree.c45(pruning=None, max_depth=2),
}


@pytest.mark.slow
@pytest.mark.parametrize("cells", [None, 0, 4_000, 1 << 27])
def test_a_tree_on_spark_is_the_tree_in_memory(spark, cells, monkeypatch):
    """Small nodes are grown where their rows are brought together; of large ones pieces are searched, or they
    are grown by one task.
    """
    monkeypatch.setattr("tallystick.tree.learner.FEW_VALUES", 50)
    if cells is not None:
        monkeypatch.setattr("tallystick.tree.learner.SUBTREE_CELLS", 1_500)
        monkeypatch.setattr(levels, "NODE_CELLS", cells)
        monkeypatch.setattr(levels, "PIECE_ROWS", 600)
    frame = spark.createDataFrame(FRAME).repartition(3)
    there = ts.DecisionTree()._read(frame, "y", "w")
    try:
        found = {name: make()._fit_table(there).to_bytes() for name, make in TREES.items()}
    finally:
        there.release()
    here = ts.DecisionTree()._read(FRAME.drop(columns="w"), "y", FRAME["w"].to_numpy())
    assert found == {name: make()._fit_table(here).to_bytes() for name, make in TREES.items()}


@pytest.mark.slow
def test_a_regression_on_spark_is_the_one_in_memory(spark, monkeypatch):
    monkeypatch.setattr("tallystick.tree.learner.SUBTREE_CELLS", 1_500)
    monkeypatch.setattr(levels, "NODE_CELLS", 4_000)
    data = FRAME.drop(columns=["y", "w"])
    there = ts.RegressionTree(max_depth=3).fit(spark.createDataFrame(data).repartition(2), "b")
    assert there.to_bytes() == ts.RegressionTree(max_depth=3).fit(data, "b").to_bytes()


def test_the_pieces_of_a_table_join_to_the_table():
    whole = value_table(np.array([3.0, np.nan, 1.0, 2.5]), [(np.array([0, 1, 1, 0], np.uint8), None)], 2)
    pieces = [narrow_table(p) for p in cut_table(whole, np.array([1.0, 2.5]))]
    assert [p.values.tolist() for p in pieces] == [[], [1.0], [2.5, 3.0]]
    assert pieces[0].table.dtype == np.uint8
    (found,) = joined_pieces([((0, 0, 0), p) for p in pieces])
    assert (found[1].values.tolist(), found[1].table.tolist()) == (
        whole.values.tolist(),
        whole.table.tolist(),
    )


def test_rows_that_come_in_any_order_are_had_again_node_by_node(monkeypatch):
    monkeypatch.setattr(scratch, "FEW", 100)
    rng = np.random.default_rng(4)
    x, node = rng.normal(size=40), rng.integers(0, 4, 40).astype(np.uint32) * 2
    classes, weights = rng.integers(0, 2, 40).astype(np.uint8), rng.integers(1, 9, 40)
    rows = RowsByNode(8)
    for some in np.array_split(rng.permutation(40), 3):
        columns = {"x": x[some], PLACE: node[some]}
        rows.add(pack(Block(len(some), columns, classes[some], None, weights[some])))
    found = dict(rows.dealt())
    assert list(found) == [0, 2, 4, 6]
    for i, block in found.items():
        assert scratch.on_disk(block.columns["x"])
        assert list(block.columns) == ["x"]
        assert block.response is None
        own = zip(block.columns["x"], block.classes, block.weights, strict=True)
        here = node == i
        assert sorted(own) == sorted(zip(x[here], classes[here], weights[here], strict=True))
    assert list(RowsByNode(3).dealt()) == []


def test_numbers_lie_in_the_narrowest_type_that_holds_all_parts():
    """Of a part it may be narrower than of all: what is known of the others decides."""
    small, half, third = [3.0, -4.0], [0.5, np.nan], [1 / 3, 1e300]
    sent = {"a": (small, small, small), "b": (small, half, small), "c": (half, third, small)}
    rows = RowsByNode(1)
    for i in range(3):
        columns = {name: np.array(parts[i]) for name, parts in sent.items()}
        rows.add(pack(Block(2, {**columns, PLACE: np.zeros(2, np.uint32)}, np.zeros(2, np.uint8))))
    ((_, found),) = rows.dealt()
    assert [found.columns[name].dtype for name in sent] == [np.float32, np.float32, np.float64]
    for name, parts in sent.items():
        np.testing.assert_array_equal(found.columns[name], np.concatenate(parts))


def test_smaller_nodes_are_cut_into_fewer_pieces():
    ends = Ends((np.arange(9.0), None), (10, 3, 1))
    assert [len(ends.of(i, 0)) + 1 for i in range(3)] == [10, 3, 1]
    assert ends.of(1, 0).tolist() == [3.0, 6.0]
    keys = ends.keys()
    assert len(keys) == len(set(keys)) == 14
    assert {TaskOf(keys, 4)(key) for key in keys} == {0, 1, 2, 3}


class Few:
    """A block of one column."""

    def __init__(self, values):
        self.x, self.rows = np.array(values, float), len(values)

    def values(self, name):
        return self.x


def test_some_values_of_the_first_block_that_has_rows_are_drawn():
    assert [v.tolist() for v in Drawn(["x"], 2)([Few([]), Few([1, 2, np.nan, 4])])[0]] == [[1.0]]
    assert Drawn(["x"], 2)([]) == []


def test_a_table_without_values_is_sent_and_joined():
    none = ValueTable(np.array([[3, 4]]), np.zeros(0))
    (found,) = joined_pieces([((0, 0, 0), narrow_table(none))] * 2)
    assert found[1].table.tolist() == [[6, 8]]


def test_who_draws_leaves_little_unread():
    """Spark ends a worker that leaves a part of its partition."""
    for blocks, left in ((4, 0), (1 + workers.LEFT, 0), (100, 100 - 2 - workers.LEFT)):
        rest = iter([Few([1.0])] * blocks)
        Drawn(["x"], 2)(rest)
        assert len(list(rest)) == left
