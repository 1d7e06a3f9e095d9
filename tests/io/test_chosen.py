"""Some columns of a source are a source, of files and of frames."""

from __future__ import annotations

import pandas as pd
import pytest

import tallystick as ts
from tallystick.errors import DataError
from tallystick.io.open import open_source
from tallystick.io.source import ChosenColumns


def test_the_table_is_that_of_the_columns_alone(tmp_path):
    frame = pd.DataFrame(
        {"a": [1, 2, 3, 4] * 5, "b": list("xyzw") * 5, "c": [0, 1] * 10, "y": list("pq") * 10}
    )
    frame.to_csv(tmp_path / "t.csv", index=False)
    wanted = ts.NaiveBayes().fit(frame[["b", "y"]], "y").to_bytes()
    for rows in (frame, tmp_path / "t.csv"):
        for memory in (None, "64 MB"):
            chosen = ChosenColumns(open_source(rows), ["y", "b"])
            assert chosen.columns == ("b", "y")
            assert ts.NaiveBayes(memory=memory).fit(chosen, "y").to_bytes() == wanted


def test_a_column_that_is_not_there_is_named():
    with pytest.raises(DataError, match="there is no column 'z'"):
        ChosenColumns(open_source([{"a": 1}]), ["z"])
