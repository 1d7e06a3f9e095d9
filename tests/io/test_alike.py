"""Batches as one table: the cells that were given, whatever their types."""

from __future__ import annotations

import datetime

import pyarrow as pa
import pyarrow.compute as pc
import pytest

from tallystick.errors import DataError
from tallystick.io.frames import alike, common, no_rows, one_table

NARROW = pa.dictionary(pa.int8(), pa.string())
DAY, MOMENT = datetime.date(2012, 3, 4), datetime.datetime(2012, 3, 4, 5)


def batch(cells, kind=None):
    return pa.record_batch({"c": pa.array(cells, kind)})


def cells_of(*batches, joins=True):
    column = one_table(batches, ["c"], joins).column("c")
    return column.type, column.to_pylist()


@pytest.mark.parametrize(
    ("one", "other", "kind", "cells"),
    [
        (batch([1, None]), batch([0.5]), pa.float64(), [1.0, None, 0.5]),
        (batch([1], pa.int8()), batch([1 << 40]), pa.int64(), [1, 1 << 40]),
        (batch(["a"]), batch(["b"], pa.large_string()), pa.large_string(), ["a", "b"]),
        (batch(["a"]), batch(["b"], pa.string_view()), pa.large_string(), ["a", "b"]),
        (batch([None]), batch(["b"], NARROW), pa.dictionary(pa.int32(), pa.string()), [None, "b"]),
        (batch(["a"], NARROW), batch(["b"]), pa.large_string(), ["a", "b"]),
        (batch(["a"]), batch([1.0, None]), pa.large_string(), ["a", "1", None]),
        (batch([True]), batch([2]), pa.large_string(), ["true", "2"]),
        (batch([DAY]), batch([MOMENT]), pa.large_string(), ["2012-03-04", "2012-03-04 05:00:00"]),
    ],
)
def test_cells_of_two_types_get_one_that_holds_both(one, other, kind, cells):
    assert cells_of(one, other) == (kind, cells)


def test_batches_of_one_type_are_not_touched():
    given = batch(["a", "b"], NARROW)
    assert alike(given, common([given.schema], ["c"], joins=False)) is given


def test_what_arrow_cannot_join_becomes_what_it_can():
    runs = pa.record_batch({"c": pc.run_end_encode(pa.array(["a", "a", None]))})
    assert cells_of(runs) == (pa.string(), ["a", "a", None])
    assert cells_of(batch(["a"], pa.string_view())) == (pa.large_string(), ["a"])
    kind, _ = cells_of(batch(["a"], NARROW))
    assert kind.index_type == pa.int32()


def test_no_batch_is_a_table_without_rows():
    table = one_table([], ["a", "b"])
    assert (table.num_rows, table.column_names) == (0, ["a", "b"])
    assert table.schema == no_rows(["a", "b"]).schema


def test_a_number_that_the_common_type_cannot_hold_is_an_error_and_not_rounded():
    with pytest.raises(
        DataError, match=r"column 'c' is of type 'int64' in some rows, 'double'.*one type in all"
    ):
        one_table([batch([(1 << 53) + 1]), batch([0.5])], ["c"])
