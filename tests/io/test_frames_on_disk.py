"""Rows that wait in a scratch file: the cells and the order that were given."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from tallystick.io import frames

CELLS = pa.table(
    {
        "t": pa.array(["é", None, "", "long " * 9, "e"] * 40),
        "n": pa.array(np.arange(200.0)),
        "d": pa.array(["u", "v", "u", None, "w"] * 40).dictionary_encode(),
        "b": pa.array([True, None, False, True, True] * 40),
    }
)


@pytest.mark.parametrize("size", [7, 64, 500])
def test_rows_on_disk_are_the_rows_that_were_given(size):
    kept = frames.table_on_disk(CELLS.to_batches(max_chunksize=size), CELLS.column_names)
    assert kept.to_pylist() == CELLS.to_pylist()
    assert kept.schema == CELLS.schema


@pytest.mark.parametrize("size", [7, 500])
def test_rows_are_taken_in_any_order_and_more_than_once(size):
    kept = frames.table_on_disk(CELLS.to_batches(max_chunksize=size), CELLS.column_names)
    rows = np.random.default_rng(0).permutation(400) % 200
    found = pa.Table.from_batches(frames.take_rows(kept, [rows[:150], rows[:0], rows[150:]]))
    assert found.to_pylist() == [CELLS.slice(i, 1).to_pylist()[0] for i in rows.tolist()]


def test_cells_on_disk_take_no_memory():
    before = pa.total_allocated_bytes()
    kept = frames.table_on_disk(pa.table({"x": np.arange(500_000.0)}).to_batches(max_chunksize=10_000), ["x"])
    assert kept.num_rows == 500_000
    assert pa.total_allocated_bytes() - before < 100_000  # 4 MB of cells


def test_a_batch_without_rows_keeps_its_schema():
    kept = frames.table_on_disk([pa.RecordBatch.from_pylist([], CELLS.schema)], CELLS.column_names)
    assert (kept.num_rows, kept.schema) == (0, CELLS.schema)


def test_many_small_batches_become_few():
    wide = pa.table({f"x{j}": np.arange(20_000.0) + j for j in range(40)})  # 6.4 MB
    kept = frames.table_on_disk(wide.to_batches(max_chunksize=100), wide.column_names)
    assert kept.equals(wide)
    assert kept.column(39).num_chunks == 2


def test_dictionaries_too_large_for_their_codes_together_become_one():
    codes = pa.array([*range(100)] * 2, pa.int8())
    several = [
        pa.record_batch(
            {"d": pa.DictionaryArray.from_arrays(codes, pa.array([f"{k} {i}" for i in range(100)]))}
        )
        for k in range(3)
    ]
    kept = frames.table_on_disk(several, ["d"])
    assert kept.column("d").to_pylist() == [f"{k} {i}" for k in range(3) for i in [*range(100)] * 2]
    assert kept.column("d").num_chunks == 1


def test_no_batch_at_all_is_a_table_without_rows():
    kept = frames.table_on_disk([], ["a", "b"])
    assert (kept.num_rows, kept.column_names) == (0, ["a", "b"])
