"""Rows that are brought together part by part: what was written is read, wherever it lies."""

from __future__ import annotations

import numpy as np
import pytest

from tallystick.io import scratch
from tallystick.table.block import RowBlock as Block
from tallystick.table.disk import RowsOnDisk


def part(*numbers, weights=None):
    x = np.array(numbers, np.float64)
    weights = None if weights is None else np.array(weights, np.int64)
    return Block(len(x), {"x": x, "g": (x > 2).astype(np.uint8)}, (x % 2).astype(np.uint8), None, weights)


@pytest.mark.parametrize("few", [0, 1 << 18])
def test_parts_are_read_as_they_were_written_in_any_order(few, monkeypatch):
    monkeypatch.setattr(scratch, "FEW", few)
    rows = RowsOnDisk(5)
    rows.write(part(4, 5, weights=[7, 8]), 3)
    rows.write(part(1, 2, 3, weights=[9, 1, 2]), 0)
    found = rows.slice(1, 4)
    assert found.rows == 3
    assert found.columns["x"].tolist() == [2, 3, 4]
    assert found.columns["g"].tolist() == [0, 1, 1]
    assert found.classes.tolist() == [0, 1, 0]
    assert found.weights.tolist() == [1, 2, 7]
    assert found.response is None
    assert scratch.on_disk(found.columns["x"]) == (few == 0)


def test_a_column_may_have_the_name_of_what_else_a_row_has():
    rows = RowsOnDisk(2)
    rows.write(Block(2, {"classes": np.array([1.5, 2.5])}, np.array([0, 1], np.uint8)), 0)
    found = rows.slice(0, 2)
    assert (found.columns["classes"].tolist(), found.classes.tolist()) == ([1.5, 2.5], [0, 1])
