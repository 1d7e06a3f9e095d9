"""Tables by value: any cut of the rows merges to the table of all."""

from __future__ import annotations

import numpy as np
import pytest

from tallystick.stats.values import ValueTable, column_of, join_tables, merge_tables, no_values, value_table

VALUES = np.array([2.0, np.nan, 1.0, 2.0, 7.0])
CLASSES = np.array([0, 1, 1, 1, 0], np.uint8)


def told(found):
    return found.values.tolist(), found.table.tolist()


def test_values_rise_and_missing_rows_are_last():
    assert told(value_table(VALUES, [(CLASSES, None)], 2)) == (
        [1.0, 2.0, 7.0],
        [[0, 1], [1, 1], [1, 0], [0, 1]],
    )


def test_a_value_that_weighs_nothing_is_not_there():
    weights = np.array([1, 1, 0, 2, 1])
    assert told(value_table(VALUES, [(CLASSES, weights)], 2)) == ([2.0, 7.0], [[1, 2], [1, 0], [0, 1]])


@pytest.mark.parametrize("cut", range(6))
def test_the_parts_of_rows_merge_to_the_table_of_all(cut):
    whole = value_table(VALUES, [(CLASSES, None)], 2)
    parts = [value_table(VALUES[s], [(CLASSES[s], None)], 2) for s in (slice(0, cut), slice(cut, 5))]
    assert told(merge_tables(*parts)) == told(merge_tables(*parts[::-1])) == told(whole)
    assert told(join_tables([no_values(2), *parts, no_values(2)])) == told(whole)


def test_counts_that_were_sent_in_a_narrow_type_are_added_as_whole_numbers():
    one = ValueTable(np.array([[200], [0]], np.uint8), np.array([1.0]))
    assert told(join_tables([one, one])) == ([1.0], [[400], [0]])
    assert join_tables([one]).table.dtype == np.int64


def test_a_column_of_codes_has_no_values_of_its_own():
    table = np.zeros((3, 2), np.int64)
    assert column_of(table).values is None
    assert column_of(no_values(2)).values.tolist() == []
