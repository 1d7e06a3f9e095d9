"""Parquet files: whatever their row groups, and damaged ones are named."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from tables import arrow, encoded, tables

from tallystick.errors import DataError
from tallystick.io.columnar import open_parquet
from tallystick.io.open import open_source
from tallystick.schema import Reading


@pytest.mark.slow
@settings(max_examples=25, deadline=None)
@given(tables())
def test_a_parquet_file_gives_the_same_table_whatever_its_row_groups(table):
    import tempfile

    with tempfile.NamedTemporaryFile(suffix=".parquet") as file:
        pq.write_table(arrow(table), file.name, row_group_size=3)
        assert encoded(file.name) == encoded(table)


def test_a_damaged_parquet_file_is_named(tmp_path):
    path = tmp_path / "t.parquet"
    path.write_bytes(b"PAR1 not really")
    with pytest.raises(DataError, match=r"t.parquet is a damaged Parquet file"):
        open_source(path)


def test_rows_come_in_any_size_and_a_repeated_text_is_held_once(tmp_path):
    path = tmp_path / "t.parquet"
    words = ["long" * 50, "short"] * 500
    pq.write_table(pa.table({"w": words, "n": list(range(1000))}), path)
    source = open_parquet(str(path), Reading(), "t.parquet")
    (batch,) = source.batches()
    assert pa.types.is_dictionary(batch.column(0).type)
    small = list(source.within(1 << 10).batches())
    assert len(small) > 1
    assert [v for b in small for v in b.column(0).to_pylist()] == words
    assert source.files == (str(path),)
