"""Arrow and ORC files: the model of the frame; a file cut short is one line."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.feather
import pyarrow.orc
import pytest

import tallystick as ts

TABLE = pa.table({"x": [i / 4 for i in range(90)], "sky": list("abc" * 30), "y": list("pqq" * 30)})


def written(folder, name):
    if name.endswith("orc"):
        pyarrow.orc.write_table(TABLE, folder / name)
    else:
        pyarrow.feather.write_feather(TABLE, folder / name, chunksize=32)
    return str(folder / name)


@pytest.mark.parametrize("name", ["t.feather", "t.orc"])
def test_a_file_gives_the_model_of_the_frame(tmp_path, name):
    here = ts.NaiveBayes().fit(written(tmp_path, name), "y")
    assert here.to_bytes() == ts.NaiveBayes().fit(TABLE, "y").to_bytes()


@pytest.mark.parametrize("name", ["t.feather", "t.orc"])
def test_a_file_cut_short_is_one_line(tmp_path, name):
    path = written(tmp_path, name)
    whole = Path(path).read_bytes()
    Path(path).write_bytes(whole[: len(whole) // 2])
    with pytest.raises(ts.TallyError, match=r"is a damaged (Arrow|ORC) file: .*Write it again\."):
        list(ts.read(path).batches())
