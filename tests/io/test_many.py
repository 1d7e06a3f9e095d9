"""Several files as one table."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from tallystick.errors import DataError
from tallystick.io.open import open_source
from tallystick.table.reader import read_table


def test_several_files_are_one_table_whatever_their_order_or_format(tmp_path):
    frame = pd.DataFrame({"x": np.arange(60) % 7 + 0.5, "w": list("abc") * 20, "y": ["p", "q"] * 30})
    frame[:20].to_csv(tmp_path / "part-1.csv", index=False)
    frame[20:50][["y", "w", "x"]].to_csv(tmp_path / "part-2.csv.gz", index=False)
    frame[50:].to_parquet(tmp_path / "part-3.parquet")
    paths = sorted(tmp_path.glob("part*"))
    whole = read_table(open_source(frame), target="y")
    for x in (paths, paths[::-1], str(tmp_path / "part-*")):
        table = read_table(open_source(x), target="y")
        assert table.fingerprint == whole.fingerprint
        assert set(table.schema.columns) == set(whole.schema.columns)
    assert open_source(paths).columns == open_source(paths[::-1]).columns
    (tmp_path / "part-4.csv").write_text("x,w\n1,a\n")
    with pytest.raises(DataError, match=r"part-4.csv lacks 'y'"):
        open_source(str(tmp_path / "part-*"))
    with pytest.raises(DataError, match="no file matches"):
        open_source(str(tmp_path / "nothing-*"))
