"""Sources beyond the common ones: sparse and odd arrays, rare Arrow types."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from tables import encoded

from tallystick.errors import DataError
from tallystick.io.open import open_source
from tallystick.table.reader import read_table

pytestmark = pytest.mark.slow

RECORDS = [
    {"x": 1.5, "w": "a", "b": True},
    {"x": None, "w": "b", "b": False},
    {"x": 2.5, "w": "a", "b": True},
]


def rows_of(x):
    return [tuple(row.values()) for batch in open_source(x).batches() for row in batch.to_pylist()]


def test_a_sparse_matrix_is_the_matrix_it_stands_for():
    sparse = pytest.importorskip("scipy.sparse")
    dense = np.array([[0, 1.5, 0], [2, 0, 1], [0, 0, 1], [3, 2.5, 0]])
    expected = encoded(dense)
    for form in (sparse.csr_matrix, sparse.csc_array, sparse.coo_array, sparse.lil_matrix):
        assert encoded(form(dense)) == expected
    frame = pd.DataFrame({f"x{j}": pd.arrays.SparseArray(dense[:, j]) for j in range(3)})
    assert encoded(frame) == expected


def test_odd_arrays_are_tables():
    masked = np.ma.masked_array([[1.5, 2.5], [3.5, 4.5]], mask=[[0, 1], [0, 0]])
    assert encoded(masked) == encoded(np.array([[1.5, np.nan], [3.5, 4.5]]))
    numbers = np.array([[1, 200], [3, 4], [5, 7]])
    expected = encoded(numbers.astype(float))
    for kind in (np.int8, np.uint8, np.int16, np.int32, np.uint64, np.float32, object, ">f8", "F"):
        array = np.asfortranarray(numbers, float) if kind == "F" else numbers.astype(np.uint8).astype(kind)
        if kind is not np.int8:
            assert encoded(array) == expected, kind
    assert encoded(np.array([["a", "x"], ["b", "y"]])) == encoded({"x0": ["a", "b"], "x1": ["x", "y"]})


def test_rare_arrow_types_are_the_values_they_hold():
    words = ["a", "b", "b", "c"]
    runs = pa.RunEndEncodedArray.from_arrays([1, 3, 4], pa.array(["a", "b", "c"]))
    assert encoded(pa.table({"w": runs})) == encoded({"w": words})
    half = pa.array(np.array([1.5, 2.5, 3.5], np.float16))
    assert encoded(pa.table({"x": half})) == encoded({"x": [1.5, 2.5, 3.5]})
    empty = pa.table({"x": pa.chunked_array([], pa.float64())})
    with pytest.raises(DataError, match="no rows"):
        read_table(open_source(empty))
