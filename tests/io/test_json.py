"""JSON lines and arrays of records."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from tables import encoded, tables

from tallystick.errors import DataError
from tallystick.io.open import open_source

RECORDS = [
    {"x": 1.5, "w": "a", "b": True},
    {"x": None, "w": "b", "b": False},
    {"x": 2.5, "w": "a", "b": True},
]


def rows_of(x):
    return [tuple(row.values()) for batch in open_source(x).batches() for row in batch.to_pylist()]


@pytest.mark.slow
@settings(max_examples=40, deadline=None)
@given(tables())
def test_json_lines_give_the_same_table(table):
    import tempfile

    names = list(table)
    with tempfile.NamedTemporaryFile("w", suffix=".jsonl") as file:
        for row in zip(*table.values(), strict=True):
            file.write(json.dumps(dict(zip(names, row, strict=True)), default=str) + "\n")
        file.flush()
        assert encoded(file.name) == encoded(table)


def test_json_files_are_lines_or_one_array(tmp_path):
    lines, array = tmp_path / "t.jsonl", tmp_path / "t.json"
    lines.write_text("\n".join(map(json.dumps, RECORDS)) + "\n\n")
    array.write_text(json.dumps(RECORDS, indent=1))
    assert rows_of(lines) == rows_of(array) == rows_of(RECORDS)
    lines.write_text('{"x": 1}\n{"x": }\n')
    with pytest.raises(DataError, match=r"t.jsonl, line 2 is not JSON"):
        open_source(lines)
    lines.write_text('{"x": 1}\n[1]\n')
    with pytest.raises(DataError, match=r"line 2 is not a record"):
        open_source(lines)
    lines.write_text('{"x": {"deep": {"deeper": 1}}}\n{"x": {"deep": 2}}\n')
    with pytest.raises(DataError, match=r"column 'x.deep' holds 'dict' objects"):
        rows_of(lines)


def test_an_object_in_a_record_is_columns(tmp_path):
    path = tmp_path / "t.jsonl"
    path.write_text('{"x": {"a": 1, "b": "u"}, "y": 2}\n{"x": {"a": 3}, "y": 4}\n{"y": 5}\n')
    assert open_source(path).columns == ("x.a", "x.b", "y")
    found = [tuple(row.values()) for batch in open_source(path).batches() for row in batch.to_pylist()]
    assert found == [(1, "u", 2), (3, None, 4), (None, None, 5)]
    path.write_text('{"x": {"a": 1}, "x.a": 2}\n')
    with pytest.raises(DataError, match=r"t.jsonl has a record with 'x.a' twice"):
        open_source(path)


def test_keys_of_records_have_an_order_that_rows_do_not_change():
    records = [{"b": 1, "a": 2}, {"a": 3, "c": 4}]
    assert open_source(records).columns == open_source(records[::-1]).columns == ("a", "b", "c")
    assert open_source(RECORDS).columns == ("x", "w", "b")


@pytest.mark.parametrize("text", ["[]", " [ ]\n", "\ufeff[\n\n]"])
def test_an_empty_array_has_no_columns(tmp_path, text):
    (tmp_path / "t.json").write_text(text, encoding="utf-8")
    assert open_source(tmp_path / "t.json").columns == ()
    (tmp_path / "t.csv").write_text("[]\n1\n2\n")
    assert open_source(tmp_path / "t.csv").columns == ("[]",)
