"""Distinct rows: neither order nor copies change the total."""

from __future__ import annotations

import numpy as np

from tallystick.schema import Column, Schema, Target
from tallystick.stats import class_counts as distinct_rows
from tallystick.stats.class_counts import DistinctRows, groups_of
from tallystick.table.block import RowBlock as Block

SCHEMA = Schema((Column("x", "numeric"), Column("a", "levels", ("r", "s"))), Target("y", ("no", "yes")))
ASK = DistinctRows(SCHEMA, (0, 1))


def block(values, codes, classes, weights=None):
    columns = {"x": np.array(values, float), "a": np.array(codes, np.uint8)}
    heavy = None if weights is None else np.array(weights, np.int64)
    return Block(len(values), columns, np.array(classes, np.uint8), None, heavy)


def test_copies_are_weights_and_zero_weight_is_no_row():
    copies = ASK.add(ASK.zero(), block([1, 1, 2, np.nan, np.nan], [0, 0, 1, 2, 2], [0, 0, 1, 1, 1]))
    heavy = ASK.add(ASK.zero(), block([np.nan, 2, 1, 9], [2, 1, 0, 0], [1, 1, 0, 0], [2, 1, 2, 0]))
    assert np.array_equal(copies.cells, heavy.cells)
    assert sorted(copies.weights.tolist()) == [1, 2, 2]
    assert np.array_equal(copies.weights, heavy.weights)


def test_minus_zero_is_zero_and_every_nan_is_missing():
    odd = np.array([0x7FF8000000000001], np.uint64).view(float)[0]
    found = ASK.add(ASK.zero(), block([0.0, -0.0, np.nan, odd], [0] * 4, [0] * 4))
    assert sorted(found.weights.tolist()) == [2, 2]


def test_rows_that_share_a_hash_are_told_apart(monkeypatch):
    monkeypatch.setattr(distinct_rows, "MIX", np.uint64(0))
    rows = block([3, 1, 2, 1, 3], [0, 1, 0, 1, 0], [0, 0, 1, 0, 0])
    found = ASK.add(ASK.zero(), rows)
    assert sorted(found.weights.tolist()) == [1, 2, 2]
    assert groups_of(found.cells).tolist() == [0, 1, 2]


def test_equal_rows_are_one_group():
    cells = np.array([[1, 2], [3, 4], [1, 2]], np.uint64)
    groups = groups_of(cells)
    assert groups[0] == groups[2] != groups[1]
