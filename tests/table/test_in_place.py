"""Columns of numbers of an Arrow table as they lie have the values that reading finds."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from tallystick.table.cells import Floats, read_cells
from tallystick.table.matrix import arrays_in_place

KINDS = [pa.float64(), pa.float32(), pa.int64(), pa.uint64(), pa.int32(), pa.int16(), pa.uint8(), pa.int8()]


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_values_are_those_that_reading_finds_and_views_where_none_is_null(kind):
    whole = pa.array([3, 0, 100, 7], kind)
    gaps = pa.array([3, None, 100, 7], kind)
    wide = pa.types.is_integer(kind) and kind.bit_width == 64
    for column in (whole, whole.slice(1), pa.chunked_array([whole, whole.slice(2)])):
        (found,) = arrays_in_place(pa.table({"x": column}), ["x"])
        read = read_cells(column, "x", (), ".")
        assert isinstance(read, Floats)
        assert found.astype(np.float64).tolist() == read.values.tolist()
    (view,) = arrays_in_place(pa.table({"x": whole}), ["x"])
    assert view.__array_interface__["data"][0] == whole.buffers()[1].address
    found = arrays_in_place(pa.table({"x": gaps}), ["x"])
    assert (found is None) == wide
    if found is not None:
        np.testing.assert_array_equal(found[0].astype(float), read_cells(gaps, "x", (), ".").values)


def test_booleans_lie_as_booleans():
    (found,) = arrays_in_place(pa.record_batch({"x": pa.array([True, False, True])}), ["x"])
    assert found.dtype == np.bool_
    assert found.tolist() == [True, False, True]


@pytest.mark.parametrize(
    "column",
    [
        pa.array(["1"]),
        pa.array([1]).dictionary_encode(),
        pa.array([True, None]),
        pa.array([1], pa.timestamp("s")),
        pa.array(np.array([1.0], np.float16)),
        pa.chunked_array([], pa.float64()),
    ],
)
def test_other_cells_are_left_to_reading(column):
    assert arrays_in_place(pa.table({"x": column}), ["x"]) is None


def test_columns_that_are_not_there_once_are_left_to_reading():
    table = pa.table([pa.array([1.0]), pa.array([2.0])], names=["x", "x"])
    assert arrays_in_place(table, ["x"]) is None
    assert arrays_in_place(table, ["y"]) is None
