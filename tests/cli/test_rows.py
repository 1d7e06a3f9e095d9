"""Rows out of `tally predict`: written whole or not at all."""

from __future__ import annotations

import pyarrow as pa
import pytest

from tallystick.cli.rows import write_rows

pytestmark = pytest.mark.slow


def test_a_failure_on_the_way_leaves_no_file(tmp_path):
    def tables():
        yield pa.table({"a": [1]})
        yield pa.table({"a": [2]})
        raise ValueError("broken off")

    with pytest.raises(ValueError, match="broken off"):
        write_rows(tables(), str(tmp_path / "out.csv"), raw=False)
    assert list(tmp_path.iterdir()) == []
