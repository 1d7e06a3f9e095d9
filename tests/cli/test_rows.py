"""Rows out of `tally predict`: written whole or not at all."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tallystick.cli.predict import write_rows
from tallystick.errors import DataError

pytestmark = pytest.mark.slow


def test_a_failure_on_the_way_leaves_no_file(tmp_path):
    def tables():
        yield pa.table({"a": [1]})
        yield pa.table({"a": [2]})
        raise ValueError("broken off")

    with pytest.raises(ValueError, match="broken off"):
        write_rows(tables(), str(tmp_path / "out.csv"), raw=False)
    assert list(tmp_path.iterdir()) == []


def test_a_column_that_files_hold_in_different_types_is_told_where_parquet_has_one(tmp_path):
    several = [pa.table({"a": [1]}), pa.table({"a": ["x"]})]
    with pytest.raises(
        DataError, match=r"column 'a' is of type 'int64' in the first rows and 'string' in later"
    ):
        write_rows(iter(several), str(tmp_path / "out.parquet"), raw=False)
    assert list(tmp_path.iterdir()) == []
    write_rows(iter(several), str(tmp_path / "out.csv"), raw=False)
    assert (tmp_path / "out.csv").read_text() == "a\n1\nx\n"
    write_rows(iter([pa.table({"a": [0.5]}), pa.table({"a": [1]})]), str(tmp_path / "out.parquet"), raw=False)
    assert pq.read_table(tmp_path / "out.parquet")["a"].to_pylist() == [0.5, 1.0]
