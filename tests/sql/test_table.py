"""A table in a database: groups of its rows, and rows that had to come."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from sql_tables import duckdb_address, put

import tallystick as ts
from tallystick.errors import OptionError
from tallystick.sql.table import numbers

FRAME = pd.DataFrame(
    {"a": ["u", "v", None, "u"] * 15, "x": [1.5, np.nan, 2.5, 3.5] * 15, "y": ["n", "p"] * 30}
)


@pytest.fixture
def table(tmp_path):
    made = ts.NaiveBayes(engine=ts.Sql())._read(put(duckdb_address(tmp_path), "t", FRAME), "y")
    yield made
    made.release()


@pytest.mark.slow
def test_rows_are_grouped_by_each_key_in_one_query(table):
    before = table.source.database.received
    by_a, by_x = table.groups(table.rows_of(["a", "x"]), [["c0"], ["c1"]])
    assert sorted(zip(by_a.keys[0], by_a.classes, by_a.weights, strict=True)) == [
        (0, 0, 15),
        (0, 1, 15),
        (1, 1, 15),
        (2, 0, 15),
    ]
    assert by_x.weights.sum() == 60
    assert np.isnan(by_x.keys[0]).sum() == 1
    assert table.source.database.received - before < 1000
    assert table.block_of(by_a, ["a"]).codes("a").dtype == np.uint8


def test_rows_come_once_and_a_note_says_so(table):
    assert not table.source_notes
    assert sum(block.rows for block in table.blocks()) == 60
    assert table.here is table.here
    assert [note.code for note in table.source_notes] == ["rows-fetched"]
    assert table.fingerprint == table.here.fingerprint


def test_what_needs_rows_by_number_is_refused(table):
    with pytest.raises(OptionError, match="they are in a database"):
        table.column("x")


def test_cells_of_an_answer_become_numbers():
    assert numbers(pa.chunked_array([[1, None]])).tolist() == [1, 0]
    assert np.isnan(numbers(pa.array([None, 2.0]))).tolist() == [True, False]
