"""The distinct values of a column by class: added, merged, taken away, and by ranks."""

from __future__ import annotations

import numpy as np

from tallystick.engine import Local
from tallystick.io.open import open_source
from tallystick.schema import ColumnOptions
from tallystick.stats.class_counts import ClassValues
from tallystick.table.block import RowBlock as Block
from tallystick.table.reader import read_table

ASK = ClassValues(("x",), 2)


def one(values, classes, weights=None):
    block = Block(len(values), {"x": np.array(values, float)}, np.array(classes, np.uint8), weights=weights)
    return ASK.add(ASK.zero(), block)


def told(total):
    return [part.tolist() for part in total[0]]


def test_values_rise_and_have_their_counts_by_class():
    found = one([2.0, 1.0, 2.0, np.nan], [0, 1, 1, 1])
    assert told(found) == [[1.0, 2.0], [[0, 1], [1, 1]], [0, 1]]


def test_equal_values_of_two_parts_are_one_value():
    both = ASK.merge(one([1.0, 3.0], [0, 0]), one([2.0, 3.0], [1, 1]))
    assert told(both) == [[1.0, 2.0, 3.0], [[1, 0], [0, 1], [1, 1]], [0, 0]]


def test_a_part_of_missing_values_alone_keeps_its_rows():
    assert told(ASK.merge(one([np.nan], [1]), one([1.0], [0]))) == [[1.0], [[1, 0]], [0, 1]]
    assert told(ASK.merge(ASK.zero(), one([], []))) == [[], [], [0, 0]]


def test_a_value_that_no_row_has_any_more_is_gone():
    (found,) = one([1.0, 2.0], [0, 1])
    left = found.without(np.array([[1, 0], [0, 0]]), np.zeros(2, np.int64))
    assert (left.values.tolist(), left.counts.tolist()) == ([2.0], [[0, 1]])
    assert found.of_classes(np.array([1])).counts.tolist() == [[0], [1]]


def test_ranks_of_whole_columns_give_the_sum_over_blocks():
    x, y = [0.5, -1.5, 0.5, 2.25, None, 7.125], list("abbaab")
    table = read_table(open_source({"x": x, "y": y}), ColumnOptions(kinds={"x": "numeric"}), "y")
    (block,) = table.blocks()
    assert told(ASK.solve(table, Local(1))) == told(ASK.add(ASK.zero(), block))
