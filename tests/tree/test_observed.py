"""The largest value up to a cut, whoever looks and in whatever order."""

from __future__ import annotations

import numpy as np

from tallystick.table.block import RowBlock as Block
from tallystick.tree.tables import LargestBelow

QUESTION = LargestBelow(("x",), (np.array([0.5, 2.0, 9.0]),))


def found(*parts):
    totals = [QUESTION.add(QUESTION.zero(), Block(len(x), {"x": np.array(x, float)})) for x in parts]
    total = QUESTION.zero()
    for one in totals:
        total = QUESTION.merge(total, one)
    return total[0].tolist()


def test_a_value_on_the_cut_is_not_above_it_and_missing_is_no_value():
    assert found([1.0, 2.0, 3.0, np.nan]) == [-np.inf, 2.0, 3.0]


def test_the_parts_of_rows_say_what_all_say():
    assert found([3.0, np.nan], [1.0], [], [2.0]) == found([1.0, 2.0, 3.0, np.nan])
