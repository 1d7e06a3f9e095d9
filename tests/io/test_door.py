"""What was brought is opened, or refused in one line."""

from __future__ import annotations

from types import SimpleNamespace

import pandas as pd
import pyarrow as pa
import pytest

from tallystick.errors import DataError, OptionError
from tallystick.io.open import files_behind, is_spark, open_source, opened, read, with_each_row

FRAME = pd.DataFrame({"x": [1, 2]})


def rows(x):
    return sum(batch.num_rows for batch in open_source(x).batches())


def test_a_path_a_frame_records_and_a_source_are_tables(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("x,y\n1,a\n2,b\n")
    for x in (path, str(path), FRAME, [{"x": 1}, {"x": 2}], pa.table({"x": [1, 2]}), open_source(FRAME)):
        assert rows(x) == 2
    assert rows([path, path]) == 4
    assert rows(f"SELECT * FROM '{path}'") == 2


def test_a_source_that_a_user_wrote_needs_four_members():
    own = SimpleNamespace(
        name="mine", columns=("x",), notes=(), batches=lambda: iter([pa.record_batch({"x": [1, 2, 3]})])
    )
    assert (rows(own), open_source(own).name) == (3, "mine")


@pytest.mark.parametrize(
    ("x", "says"),
    [
        (FRAME["x"], "a Series is one column or one row, not a table"),
        (7, "cannot read a table from 'int'"),
        (object(), "cannot read a table from 'object'"),
        ("select x from 'nothing.csv'", "there is no such file, and the query cannot be run"),
    ],
)
def test_what_is_not_a_table_is_refused_in_one_line(x, says):
    with pytest.raises(DataError, match=says) as caught:
        open_source(x)
    assert "\n" not in str(caught.value)


def test_read_takes_a_path_or_a_query(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("1;2\n3;4\n")
    source = read(path, sep=";", header=False, missing=["-"])
    assert source.columns == ("column_1", "column_2")
    assert source.reading.missing == ("-",)
    assert read(path, memory="64MB").reading.longest < 1 << 26
    with pytest.raises(OptionError, match="read takes a path or sql="):
        read()
    with pytest.raises(OptionError, match="Pass one of them"):
        read(path, sql="SELECT 1")


def test_what_is_used_twice_is_opened_once_and_objects_stay_as_they_are(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("x\n1\n")
    source = opened(str(path))
    assert opened(source) is source
    assert opened(FRAME) is FRAME is with_each_row(FRAME)
    assert with_each_row(path).each
    assert files_behind(source) == [str(path)]
    assert files_behind(FRAME) == []
    assert not is_spark(FRAME)


@pytest.mark.parametrize(
    "given",
    [
        {"encoding": 5},
        {"encoding": ""},
        {"sep": 1.5},
        {"sep": ""},
        {"header": "yes"},
        {"decimal": "x"},
        {"bad_rows": "maybe"},
        {"inf": 0},
        {"missing": 5},
        {"missing": {"NA": 1}},
        {"memory": 1.5},
    ],
    ids=str,
)
def test_settings_of_reading_that_make_no_sense_are_refused_by_name(given, tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("x,y\n1,a\n2,b\n")
    with pytest.raises(OptionError, match=next(iter(given))):
        read(path, **given)


def test_one_mark_of_missing_may_stand_by_itself(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("x,y\n1,a\nNA,b\n")
    assert read(path, missing="NA").reading == read(path, missing=["NA"]).reading
