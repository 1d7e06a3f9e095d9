"""Rows become lines: ranges, levels, words and two columns at once."""

from __future__ import annotations

import math

import numpy as np
import pytest

from tallystick.scorecard.model import LevelAxis, PairAxis, RangeAxis, WordAxis, narrow
from tallystick.table.block import RowBlock as Block
from tallystick.table.block import WordCounts

NAN = math.nan


def block(**columns):
    rows = len(next(iter(columns.values())))
    return Block(rows, {name: np.asarray(values) for name, values in columns.items()})


def test_a_value_on_a_cut_is_in_the_range_above_it_and_missing_is_last():
    axis = RangeAxis("x", (1.5, 3.0))
    given = block(x=[-1e308, 1.4999999999999998, 1.5, 2.9, 3.0, 1e308, NAN])
    assert axis.codes(given).tolist() == [0, 0, 1, 1, 2, 2, 3]
    assert (axis.known, axis.size, axis.columns) == (3, 4, ("x",))


def test_the_lines_of_a_finer_axis_tell_those_of_one_with_some_of_its_cuts():
    finer, given = RangeAxis("x", (0.0, 1.5, 3.0)), block(x=[-1.0, 0.0, 1.4, 1.5, 3.0, 9.0, NAN])
    for cuts in ((), (-0.0,), (1.5,), (0.0, 3.0), finer.cuts):
        axis = RangeAxis("x", cuts)
        assert axis.within(finer)[finer.codes(given)].tolist() == axis.codes(given).tolist()
    assert RangeAxis("x", (1.0,)).within(finer) is None
    assert RangeAxis("z", (1.5,)).within(finer) is None


def test_a_number_without_cuts_has_a_line_and_missing():
    axis = RangeAxis("x", ())
    assert axis.codes(block(x=[-0.0, 5.0, NAN])).tolist() == [0, 0, 1]
    assert (axis.known, axis.size) == (1, 2)


def test_levels_share_lines_and_missing_and_unseen_follow():
    axis = LevelAxis("a", (0, 1, 0))
    assert axis.codes(block(a=np.arange(5, dtype=np.uint8))).tolist() == [0, 1, 0, 2, 3]
    assert (axis.known, axis.size) == (2, 4)


def test_a_column_of_no_levels_has_missing_and_unseen():
    axis = LevelAxis("a", ())
    assert axis.codes(block(a=np.array([0, 1], np.uint8))).tolist() == [0, 1]
    assert (axis.known, axis.size) == (0, 2)


def test_a_word_is_there_or_not_however_often():
    starts = np.array([0, 2, 2, 3], np.int64)
    text = WordCounts(starts, np.array([0, 4, 4], np.uint32), np.array([1, 9, 1], np.uint32))
    given = Block(3, {"t": text})
    assert WordAxis("t", 4).codes(given).tolist() == [1, 0, 1]
    assert WordAxis("t", 0).codes(given).tolist() == [1, 0, 0]
    assert WordAxis("t", 7).codes(given).tolist() == [0, 0, 0]
    assert WordAxis("t", 7).size == 2


def test_two_columns_have_a_line_for_both_of_their_lines():
    first, second = RangeAxis("x", (2.0,)), LevelAxis("a", (0, 1))
    pair = PairAxis(first, second)
    assert pair.size == 3 * 4
    assert pair.columns == ("x", "a")
    x, a = np.meshgrid([1.0, 2.0, NAN], np.arange(4, dtype=np.uint8), indexing="ij")
    assert pair.codes(block(x=x.ravel(), a=a.ravel())).tolist() == list(range(12))


@pytest.mark.parametrize(("size", "kind"), [(256, np.uint8), (257, np.uint16), (65_537, np.uint32)])
def test_lines_are_held_in_as_few_bytes_as_they_need(size, kind):
    codes = narrow(np.array([0, size - 1]), size)
    assert codes.dtype == kind
    assert codes.tolist() == [0, size - 1]


def test_axes_alike_are_one_key():
    assert {RangeAxis("x", (1.0,)): 1}[RangeAxis("x", (1.0,))] == 1
    assert RangeAxis("x", (1.0,)) != RangeAxis("x", (2.0,))
    assert LevelAxis("x", (0,)) != RangeAxis("x", (0.0,))
