"""Rows as clients send them."""

from __future__ import annotations

import contextlib
import io
import json
import struct

import pyarrow as pa
import pytest
from arrow_bytes import of_rows, packed

import tallystick as ts
from tallystick.errors import TallyError
from tallystick.serve.guards import Limits
from tallystick.serve.requests import (
    ARROW,
    CSV,
    JSON,
    Refused,
    arrow_source,
    charset,
    csv_source,
    flag,
    json_rows,
    media_type,
    no_rows,
    wanted_type,
)


def test_content_types():
    assert media_type(None) == JSON
    assert media_type(b"application/json; charset=utf-8") == JSON
    assert media_type(b"Text/CSV;charset=latin1") == CSV
    assert media_type(ARROW.encode()) == ARROW
    with pytest.raises(Refused, match="cannot be read") as refused:
        media_type(b"image/png")
    assert refused.value.status == 415


@pytest.mark.parametrize(
    ("accept", "kind"),
    [
        (None, CSV),
        (b"*/*", CSV),
        (b"application/json", JSON),
        (b"text/html, text/*;q=0.5", CSV),
        (b"text/csv", CSV),
    ],
)
def test_what_is_accepted_or_what_was_sent(accept, kind):
    assert wanted_type(accept, CSV) == kind


def test_what_cannot_be_accepted_is_refused():
    with pytest.raises(Refused) as refused:
        wanted_type(b"image/png", JSON)
    assert refused.value.status == 406


def test_one_row_or_several():
    assert json_rows(b'{"a":1}', 5) == ([{"a": 1}], True)
    assert json_rows(b'\xef\xbb\xbf[{"a":1},{"a":null}]', 5) == ([{"a": 1}, {"a": None}], False)
    assert json_rows(b"[]", 5) == ([], False)


@pytest.mark.parametrize(
    ("body", "status", "says"),
    [
        (b"", 400, "not JSON"),
        (b"{", 400, r"line 1, column 2"),
        (b"nonsense", 400, "not JSON"),
        (b"3", 400, "not a row"),
        (b"null", 400, "not a row"),
        (b'[{"a":1},3]', 400, "row 2 is 3"),
        (b"[[1,2],[3,4]]", 400, "row 1 is"),
        (b'{"a":1,"a":2}', 400, "'a' is there twice"),
        (b'{"a":NaN}', 400, "NaN is not JSON"),
        (b'{"a":-Infinity}', 400, "-Infinity is not JSON"),
        (b'{"a":"\xff"}', 400, "not UTF-8: byte 6"),
        (b"[" * 100_000, 413, "rows"),
        (b"[" * 90, 400, "not JSON"),
        (b'{"a":' * 50_000, 413, "rows"),
        (b'{"a":' + b"1" * 10_000 + b"}", 400, "digits"),
        (b"[" + b",".join([b"{}"] * 9) + b"]", 413, "9 rows, at most 5"),
    ],
)
def test_what_is_no_row_is_refused_in_one_line(body, status, says):
    with pytest.raises(Refused, match=says) as refused:
        json_rows(body, 5)
    assert refused.value.status == status
    assert "\n" not in refused.value.text


def test_a_body_as_deep_as_python_goes_is_refused():
    with pytest.raises(Refused, match="too deep"):
        json_rows(b"[" * 50_000 + b"]" * 50_000, 100_000)


def test_csv_is_read_as_a_file(tmp_path):
    data = "a;b\n1,5;é\n".encode("cp1252")
    source = csv_source(data, {"sep": ";", "decimal": ","}, "cp1252")
    (tmp_path / "x.csv").write_bytes(data)
    file = ts.read(tmp_path / "x.csv", sep=";", decimal=",", encoding="cp1252")
    assert [b.to_pylist() for b in source.batches()] == [b.to_pylist() for b in file.batches()]
    assert charset(b"text/csv; charset=CP1252") == "cp1252"
    assert charset(b"text/csv; charset=utf-8") is None
    with pytest.raises(TallyError, match="the request is empty"):
        csv_source(b"", {}, None)
    for begun in (b"\x1f\x8b\x08", b"PK\x03\x04", b"SQLite format 3\0"):
        with pytest.raises(Refused, match="not CSV"):
            csv_source(begun, {}, None)


def test_switches():
    assert flag({}, "strict") is None
    assert flag({"strict": "TRUE"}, "strict") is True
    assert flag({"strict": "0"}, "strict") is False
    with pytest.raises(Refused, match="Use true or false"):
        flag({"strict": "maybe"}, "strict")


def test_arrow_streams_and_what_is_none():
    table = pa.table({"a": [1, None], "b": ["x", "y"]})
    sink = io.BytesIO()
    with pa.ipc.new_stream(sink, table.schema) as stream:
        stream.write_table(table)
    data = sink.getvalue()
    assert [b.to_pylist() for b in arrow_source(data, Limits()).batches()] == [table.to_pylist()]
    for cut in range(0, len(data) - 16, 7):
        with contextlib.suppress(TallyError):  # a stream that ends early may be one of no rows
            list(arrow_source(data[:cut], Limits()).batches())
    with pytest.raises(TallyError, match="not an Arrow stream"):
        arrow_source(json.dumps([1]).encode(), Limits())


def refused(data: bytes, limits: Limits) -> str:
    with pytest.raises(Refused) as found:
        arrow_source(data, limits)
    assert found.value.status == 413
    return found.value.text


@pytest.mark.parametrize(
    "cells",
    [
        pa.nulls(1),
        pa.array([{}], pa.struct([])),
        pa.array([[]], pa.list_(pa.null(), 0)),
    ],
    ids=lambda cells: str(cells.type),
)
def test_rows_that_take_no_byte_are_counted_before_anything_is_made_of_them(cells):
    data = packed(pa.table({"x": cells}), None)
    assert "may have 100,000 rows" in refused(of_rows(data, 10**12), Limits())


@pytest.mark.parametrize("codec", ["lz4", "zstd"])
def test_packed_arrow_counts_as_what_it_unpacks_to(codec):
    limits = Limits(body=1 << 20)
    data = packed(pa.table({"x": [0.0] * 100_000, "y": [0.0] * 100_000}), codec)
    assert len(data) < 1 << 20
    assert "unpacks to more than 1,048,576 bytes" in refused(data, limits)
    assert arrow_source(data, Limits()).rows == 100_000


@pytest.mark.parametrize("form", ["dictionary", "view", "runs", "runs of a dictionary"])
def test_a_text_that_many_rows_share_counts_in_each(form):
    text = pa.array(["x" * 10_000])
    views = struct.pack("<i4sii", 10_000, b"xxxx", 0, 0) * 5_000, b"x" * 10_000
    runs = pa.RunEndEncodedArray.from_arrays
    cells = {
        "dictionary": lambda: pa.DictionaryArray.from_arrays(pa.array([0] * 5_000, pa.int8()), text),
        "view": lambda: pa.Array.from_buffers(pa.string_view(), 5_000, [None, *map(pa.py_buffer, views)]),
        "runs": lambda: runs(pa.array([5_000], pa.int32()), text),
        "runs of a dictionary": lambda: runs(pa.array([5_000], pa.int32()), text.dictionary_encode()),
    }[form]()
    data = packed(pa.table({"x": cells}), None)
    limits = Limits(body=1 << 20)
    assert "unpacks to more than" in refused(data, limits)


def test_a_dictionary_of_nothing_has_an_end():
    cells = pa.DictionaryArray.from_arrays(pa.array([0], pa.int8()), pa.nulls(1))
    data = packed(pa.table({"x": cells}), None)
    assert "unpacks to more than" in refused(of_rows(data, 10**12), Limits())


def test_no_rows_have_all_columns():
    schema = ts.NaiveBayes().fit([{"a": i % 3, "y": i % 2} for i in range(20)], "y").schema_
    assert no_rows(schema).columns == ("a",)
