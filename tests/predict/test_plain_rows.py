"""Columns of floats go to the model as they lie, and whatever needs reading does not."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from tallystick import parallel as threads_room
from tallystick.predict.columns import from_floats, is_number, plain_columns
from tallystick.schema import Column, Schema

NUMBERS = Schema((Column("x0", "numeric"), Column("x1", "numeric")), None, ())


def test_columns_of_a_matrix_are_found_by_their_place():
    X = np.array([[1.0, 2.0, 9.0], [3.0, 4.0, 9.0]])
    assert [c.tolist() for c in plain_columns(NUMBERS, X)] == [[1.0, 3.0], [2.0, 4.0]]
    frame = pd.DataFrame({"x1": [2.0], "x0": [1.0]})
    assert [c.tolist() for c in plain_columns(NUMBERS, frame)] == [[1.0], [2.0]]


@pytest.mark.parametrize(
    "X",
    [
        np.array([[True, False]]),
        np.array([[1.0, 2.0]], np.float16),
        np.array([[1.0]]),
        np.array([1.0, 2.0]),
        np.array([[1.0, 2.0]]).astype(">f8"),
        pd.DataFrame({"x0": [1.0], "x1": ["2"]}),
        pd.DataFrame({"x0": [1.0]}),
        [[1.0, 2.0]],
        "file.csv",
    ],
)
def test_what_needs_reading_is_not_for_here(X):
    assert plain_columns(NUMBERS, X) is None
    assert from_floats(NUMBERS, X, lambda columns, rows: columns[0], 1) is None


def test_levels_and_marks_that_are_numbers_need_reading():
    X = np.array([[1.0, 2.0]])
    levels = Schema((Column("x0", "levels", levels=("1",)), Column("x1", "numeric")), None, ())
    assert plain_columns(levels, X) is None
    marked = Schema((Column("x0", "numeric"), Column("x1", "numeric")), None, ("-999",))
    assert plain_columns(marked, X) is None


@pytest.mark.parametrize("threads", [1, 2])
def test_stretches_stand_in_the_order_of_the_rows(monkeypatch, threads):
    monkeypatch.setattr(threads_room, "STRETCH", 3)
    X = np.arange(20.0).reshape(10, 2)
    found = from_floats(NUMBERS, X, lambda columns, rows: columns[0] + columns[1], threads)
    assert found.tolist() == X.sum(axis=1).tolist()
    assert (
        from_floats(NUMBERS, X, lambda columns, rows: None if columns[0][0] > 5 else columns[0], threads)
        is None
    )
    assert from_floats(NUMBERS, X[:0], lambda columns, rows: columns[0], threads).tolist() == []


def test_a_mark_that_is_a_number_is_known_as_one():
    assert (is_number("-999"), is_number("NA"), is_number("nan")) == (True, False, False)
