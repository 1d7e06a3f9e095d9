"""The survey of a database's rows by queries says what the survey of the rows says."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sql_tables import awkward, duckdb_address, put

from tallystick.io.database import open_table
from tallystick.io.open import open_source
from tallystick.sql.read import GroupedRows, RowsNeededError, read_there
from tallystick.table.reader import read_table


def there(folder, frame, weights=None):
    return read_there(open_table(put(duckdb_address(folder), "t", frame)), None, "y", weights, None)


def test_groups_count_for_the_rows_they_stand_for():
    rows = GroupedRows(3, heavy=np.array([[5], [2], [1]]))
    assert rows.count(None).tolist() == [8]
    assert rows.count(np.array([True, False, True])).tolist() == [6]


@pytest.mark.slow
@pytest.mark.parametrize("weights", [None, "w"])
def test_schema_notes_and_rows_are_those_of_the_rows(tmp_path, weights):
    frame = awkward()
    frame["id"] = np.arange(len(frame))  # numbers the rows: a second look tells
    frame["one"] = 4.0
    frame["cylinders"] = np.resize([3, 4, 5, 6, 8], len(frame))
    frame["gear"] = np.resize([3.0, np.nan, 5.0, -0.0], len(frame))
    found, here = there(tmp_path, frame, weights), read_table(open_source(frame), None, "y", weights)
    facts = ("schema", "notes", "rows", "weight", "unit", "fingerprint", "source_notes")
    assert [getattr(found, name) for name in facts] == [getattr(here, name) for name in facts]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("cells", "why"),
    [
        ([f"some words {i} of a text that is long" for i in range(60)], "read word by word"),
        ([2**60 + i for i in range(60)], "whole numbers beyond 2\\^53"),
        ([np.inf, 1.0, 2.5] * 20, "infinite numbers"),
        ([f"{i}.5" for i in range(60)], "numbers as texts"),
    ],
)
def test_what_cannot_be_told_there_is_said(tmp_path, cells, why):
    with pytest.raises(RowsNeededError, match=why):
        there(tmp_path, pd.DataFrame({"x": cells, "z": np.arange(60) % 7, "y": ["a", "b"] * 30}))


@pytest.mark.slow
@pytest.mark.parametrize("weight", [0.5, -1.0, np.nan, 2.0**40])
def test_weights_that_are_not_copies_are_summed_here(tmp_path, weight):
    frame = pd.DataFrame({"x": np.arange(60) % 7, "w": [1.0, weight] * 30, "y": ["a", "b"] * 30})
    with pytest.raises(RowsNeededError, match="weights are not whole numbers"):
        there(tmp_path, frame, "w")
