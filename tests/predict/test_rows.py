"""Rows as they are given: one record, a matrix without names, or a table."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import tallystick as ts
from tallystick.errors import DataError
from tallystick.predict.row import as_given, as_record, is_matrix, width


def test_a_dict_of_values_is_a_row_and_a_dict_of_columns_a_table():
    assert as_record({"a": 1, "b": "long text"}, ("a",)) == {"a": 1, "b": "long text"}
    assert as_record({"a": [1, 2], "b": ["x", "y"]}, ("a",)) is None
    assert as_record({"a": [1], "b": 2}, ("a",)) == {
        "a": [1],
        "b": 2,
    }  # one value: a row, to be refused later
    assert as_record({}, ("a",)) == {}


def test_a_row_of_a_frame_is_a_record_and_a_column_is_not():
    frame = pd.DataFrame({"a": [1, 2], "b": ["x", "y"]})
    assert as_record(frame.iloc[0], ("a", "b")) == {"a": 1, "b": "x"}
    assert as_record(frame["a"], ("a", "b")) is None


@pytest.mark.parametrize(
    ("X", "columns"),
    [
        (np.zeros((3, 2)), 2),
        ([[1, 2, 3], [4, 5, 6]], 3),
        ((), None),
        ([{"a": 1}], None),
        (["a.csv"], None),
        (pd.DataFrame({"a": [1]}), None),
        ([1, 2], None),
    ],
)
def test_columns_without_names_are_counted(X, columns):
    assert width(X) == columns


def test_what_only_says_it_is_an_array_is_one():
    class Wrapped:
        def __array__(self, dtype=None, copy=None):
            return np.ones((2, 2))

    assert is_matrix(as_given(Wrapped()))
    assert as_given("file.csv") == "file.csv"
    with pytest.raises(DataError, match=r"X has 0 feature\(s\) \(shape=\(3, 0\)\)"):
        as_given(np.zeros((3, 0)))


class OnDevice:
    """An array in the memory of a GPU: NumPy must not be given it in passing."""

    def __init__(self, array):
        self.array, self.shape, self.ndim, self.dtype = array, array.shape, array.ndim, array.dtype
        self.__cuda_array_interface__ = {"version": 3}

    def __len__(self):
        return len(self.array)

    def __getitem__(self, which):
        return OnDevice(self.array[which])

    def __array__(self, *given, **more):
        raise TypeError("implicit conversion to a NumPy array is not allowed")

    def get(self):
        return self.array.copy()


def test_rows_on_a_device_are_learned_from():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 3))
    y, w = (X[:, 0] > 0).astype(int), rng.integers(1, 3, 200)
    there = ts.DecisionTree().fit(OnDevice(X), OnDevice(y), OnDevice(w))
    assert there.to_bytes() == ts.DecisionTree().fit(X, y, w).to_bytes()
    assert there.score(OnDevice(X), OnDevice(y)) == there.score(X, y)
