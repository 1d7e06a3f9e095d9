"""Values that no table was made for end in one line of ours, or in an answer; none ends the process."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from decimal import Decimal
from pathlib import Path

import hostile_values
import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import tallystick as ts
from tallystick.errors import DataError
from tallystick.io.open import open_source
from tallystick.table.reader import read_table

NAMES = [*hostile_values.CELLS, *hostile_values.COLUMNS]
PARTS = 4


@pytest.mark.slow
@pytest.mark.parametrize("part", range(PARTS))
def test_no_value_leaves_a_foreign_error_or_ends_the_process(part):
    script = Path(hostile_values.__file__)
    run = [sys.executable, str(script), *NAMES[part::PARTS]]
    done = subprocess.run(run, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    assert json.loads(done.stdout) == []


def kind_of(cells):
    return read_table(open_source({"x": cells, "o": [1.5, 2.5] * (len(cells) // 2)})).schema["x"]


def test_whole_numbers_beyond_64_bits_are_read_as_a_file_is(tmp_path):
    wide = [10**30, 10**30 + 1, 10**30, 7]
    path = tmp_path / "t.jsonl"
    path.write_text("\n".join(json.dumps({"x": n, "o": i}) for i, n in enumerate(wide)))
    (tmp_path / "t.csv").write_text("x,o\n" + "\n".join(f"{n},{i}" for i, n in enumerate(wide)))
    want = read_table(open_source(tmp_path / "t.csv")).schema["x"]
    assert want.levels == ("1000000000000000000000000000000", "1000000000000000000000000000001", "7")
    assert kind_of(wide) == want
    assert read_table(open_source(path)).schema["x"] == want


def test_decimals_are_numbers_wherever_doubles_reach():
    column = kind_of([Decimal("1.5"), Decimal("NaN"), Decimal("sNaN"), Decimal("-2")])
    assert (column.kind, column.low, column.high, column.missing) == ("numeric", -2.0, 1.5, 2)
    for far in ("Infinity", "1E+999999"):
        with pytest.raises(DataError, match="infinite"):
            kind_of([Decimal(far), Decimal("1.5"), Decimal("2"), Decimal("3")])


def test_wide_floats_and_strange_units_of_time_are_read():
    assert kind_of(np.arange(4, dtype=np.longdouble) / 2).high == 1.5
    years, days = kind_of(np.arange(4).astype("M8[Y]")), kind_of(np.arange(4).astype("M8[Y]").astype("M8[D]"))
    assert (years.unit, years) == ("date", days)


def test_a_longdouble_is_read_where_a_double_equals_it_and_named_where_none_does():
    y = ["a", "b"] * 20
    halves, thirds = (np.array([1, 2] * 20, np.longdouble) / n for n in (2, 3))
    model = ts.NaiveBayes().fit(pd.DataFrame({"x": halves.astype(float)}), y)
    words = r"column 'x' holds '0\.33333.*' in row 1, a longdouble that no double equals.*astype\('float64"
    for make in (pd.DataFrame, dict):
        for memory in (None, "64MB"):
            assert ts.NaiveBayes(memory=memory).fit(make({"x": halves}), y).to_bytes() == model.to_bytes()
        assert model.predict(make({"x": halves})).tolist() == y
        for act in (lambda data: ts.NaiveBayes().fit(data, y), model.predict):
            with pytest.raises(DataError, match=words):
                act(make({"x": thirds}))


@pytest.mark.slow
@pytest.mark.parametrize("digits", [401, 4_250, 5_000])
def test_a_whole_number_beyond_doubles_is_told_with_its_column_row_and_digits(digits, tmp_path):
    rows = [{"x": i % 7, "y": "pq"[i % 2]} for i in range(500)]
    lines = [json.dumps(row) for row in rows] + ['{"x": ' + "7" * digits + ', "y": "p"}']
    (tmp_path / "t.jsonl").write_text("\n".join(lines))
    (tmp_path / "t.json").write_text("[" + ",\n".join(lines) + "]")
    cells = [f"{row['x']},{row['y']}" for row in rows]
    (tmp_path / "t.csv").write_text("\n".join(["x,y", *cells, "7" * digits + ",p"]))
    model = ts.NaiveBayes().fit(rows, "y")
    for name in ("t.jsonl", "t.json", "t.csv"):
        with pytest.raises(DataError, match=r"column 'x' was numeric .* row 501 holds '7777777*…'"):
            model.predict(tmp_path / name)
        first = ts.NaiveBayes().fit(tmp_path / name, "y").notes_[0].text
        assert re.match(r"column 'x' holds .* '777777*…'.*(kept as levels|taken as missing)\.", first)


def test_half_a_character_is_named():
    with pytest.raises(DataError, match=r"column 'x' holds '\\ud800', with half of a character"):
        kind_of(["\ud800", "a", "b", "a"])
    with pytest.raises(DataError, match="the column name"):
        open_source({"\ud800": [1]})


def test_bytes_that_are_not_utf8_are_named_with_their_column(tmp_path):
    rows = pa.table({"x": hostile_values.bad_utf8(pa.string()), "y": ["a", "b"] * 4})
    pq.write_table(rows, tmp_path / "t.parquet")
    for data in (rows, tmp_path / "t.parquet"):
        for options in ({}, {"memory": "64MB"}):
            with pytest.raises(DataError, match="column 'x' holds bytes that are not UTF-8"):
                ts.NaiveBayes(**options).fit(data, "y")


def test_lists_are_not_cells_but_may_be_left_out():
    rows = {"x": [hostile_values.cyclic() for _ in range(4)], "o": [1.5, 2.5] * 2}
    with pytest.raises(DataError, match="column 'x' is of type 'list"):
        ts.NaiveBayes().fit(rows, ["a", "b"] * 2)
    assert ts.NaiveBayes(kinds={"x": "out"}).fit(rows, ["a", "b"] * 2).schema_.used[0].name == "o"


@pytest.mark.parametrize("form", ["{}", "[{}]"])
def test_a_key_that_comes_twice_in_a_record_is_an_error(form, tmp_path):
    path = tmp_path / "t.jsonl"
    path.write_text(form.format('{"a": 1, "b": 2, "a": 3}'))
    with pytest.raises(DataError, match="line 1: a record has the key 'a' twice"):
        read_table(open_source(path))


def test_names_lose_the_white_space_around_them_at_every_door(tmp_path):
    (tmp_path / "t.csv").write_text(" x ,y\n1.5,a\n2.5,b\n1.5,a\n")
    rows = [{" x ": x, "y": y} for x, y in ((1.5, "a"), (2.5, "b"), (1.5, "a"))]
    (tmp_path / "t.jsonl").write_text("\n".join(map(json.dumps, rows)))
    frame = pd.DataFrame(rows)
    want = ts.NaiveBayes().fit(tmp_path / "t.csv", "y").to_bytes()
    for data in (rows, frame, pa.Table.from_pandas(frame), tmp_path / "t.jsonl"):
        assert ts.NaiveBayes().fit(data, "y").to_bytes() == want
    with pytest.raises(DataError, match="2 columns called 'x'"):
        open_source(pd.DataFrame({"x": [1], " x": [2]}))
