"""One record down the tree: what plain values mean, and which go the long way."""

from __future__ import annotations

import math

import pytest
from trees import SCHEMA, one_test

from tallystick.predict.row import RecordWalk, is_number, level_text
from tallystick.schema import Schema
from tallystick.tree.nodes import SPREADS, STAYS

ROW = {"x": 1.0, "colour": "a", "size": "low", "wet": False}


def end(missing=1, schema=SCHEMA, **changed):
    return RecordWalk(one_test(missing), schema).end(ROW | changed)


def test_a_number_goes_left_below_the_cut_and_right_at_it():
    assert [end(x=x) for x in (4.99, 5.0, 5)] == [1, 2, 2]


def test_a_missing_number_goes_where_the_tree_says():
    assert end(x=None) == end(x=math.nan) == 2
    assert end(STAYS, x=None) == 0
    assert end(SPREADS, x=None) is None  # parts of a row need arrays


@pytest.mark.parametrize(
    "odd", [{"x": "1"}, {"x": math.inf}, {"x": 2**60}, {"colour": "z"}, {"x": True}, {"wet": "yes"}]
)
def test_a_value_that_must_be_read_goes_the_long_way(odd):
    assert end(**odd) is None


def test_a_record_that_lacks_a_column_goes_the_long_way():
    assert RecordWalk(one_test(1), SCHEMA).end({"x": 1.0}) is None


def test_a_number_that_marks_missing_cells_makes_all_records_go_the_long_way():
    assert end(schema=Schema(SCHEMA.columns, SCHEMA.target, ("-999",))) is None
    assert (is_number("-999"), is_number("NA"), is_number("nan")) == (True, False, False)


def test_plain_values_mean_levels():
    assert level_text(1, ("0", "1")) == "1"
    assert level_text(True, ("false", "true")) == "true"
    assert level_text(True, ("0", "1")) == "1"
    assert level_text(1.0, ("1",)) == ""
