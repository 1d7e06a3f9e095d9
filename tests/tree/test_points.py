"""Distinct rows as the search takes them."""

from __future__ import annotations

import numpy as np

from tallystick.schema import Column, Schema, Target
from tallystick.stats.class_counts import RowCells
from tallystick.tree.optimal import Points

SCHEMA = Schema((Column("z", "numeric"), Column("b", "levels", ("r", "s"))), Target("y", ("no", "yes")))


def points():
    numbers = np.array([2.5, -1.0, np.nan, 2.5]).view(np.uint64)
    cells = np.column_stack([numbers, np.array([0, 2, 1, 0], np.uint64), np.array([0, 1, 1, 1], np.uint64)])
    return Points.of(SCHEMA, (0, 1), RowCells(cells, np.array([1, 1, 1, 3])))


def test_columns_stand_by_name_and_missing_has_the_last_code():
    found = points()
    assert found.numbers == (1, 0)
    levels, numbers = found.columns
    assert (levels.levels, levels.k, levels.codes.tolist()) == (True, 2, [0, 2, 1, 0])
    assert (numbers.levels, numbers.k, numbers.codes.tolist()) == (False, 2, [1, 0, 2, 1])
    assert found.values[1].tolist() == [-1.0, 2.5]
    assert found.counts.tolist() == [1, 5]


def test_rows_that_differ_in_class_alone_lose_the_lesser():
    loss = np.array([[0, 1], [1, 0], [1, 0], [3, 0]])
    assert points().floor(loss).tolist() == [1, 0, 0, 0]
