"""Sources beyond the common ones: JSON lines, several files, SQL, sparse and odd arrays, rare Arrow types."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from tables import arrow, encoded, tables

from tallystick.data.read.reader import read_table
from tallystick.data.source import open_source
from tallystick.errors import DataError

pytestmark = pytest.mark.slow

RECORDS = [
    {"x": 1.5, "w": "a", "b": True},
    {"x": None, "w": "b", "b": False},
    {"x": 2.5, "w": "a", "b": True},
]


def rows_of(x):
    return [tuple(row.values()) for batch in open_source(x).batches() for row in batch.to_pylist()]


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
    lines.write_text('{"x": {"deep": 1}}\n{"x": 2}\n')
    with pytest.raises(DataError, match=r"column 'x' holds 'dict' objects"):
        rows_of(lines)


def test_keys_of_records_have_an_order_that_rows_do_not_change():
    records = [{"b": 1, "a": 2}, {"a": 3, "c": 4}]
    assert open_source(records).columns == open_source(records[::-1]).columns == ("a", "b", "c")
    assert open_source(RECORDS).columns == ("x", "w", "b")


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


def test_queries_and_relations_are_tables(tmp_path):
    duckdb = pytest.importorskip("duckdb")
    path = tmp_path / "t.csv"
    path.write_text("x,w,y\n1.5,a,p\n2.5,b,q\n3.5,a,p\n")
    plain = read_table(open_source(path), target="y")
    for x in (f"SELECT * FROM '{path}'", f"from '{path}'", duckdb.sql(f"SELECT * FROM '{path}'")):
        source = open_source(x)
        assert rows_of(source) == rows_of(source)
        table = read_table(source, target="y")
        assert (table.schema, table.fingerprint) == (plain.schema, plain.fingerprint)
    with pytest.raises(DataError, match=r"the query cannot be run: .*nowhere"):
        open_source("select nope from 'nowhere.csv'")


def test_a_sparse_matrix_is_the_matrix_it_stands_for():
    sparse = pytest.importorskip("scipy.sparse")
    dense = np.array([[0, 1.5, 0], [2, 0, 1], [0, 0, 1], [3, 2.5, 0]])
    expected = encoded(dense)
    for form in (sparse.csr_matrix, sparse.csc_array, sparse.coo_array, sparse.lil_matrix):
        assert encoded(form(dense)) == expected
    frame = pd.DataFrame({f"x{j}": pd.arrays.SparseArray(dense[:, j]) for j in range(3)})
    assert encoded(frame) == expected


def test_odd_arrays_are_tables():
    masked = np.ma.masked_array([[1.5, 2.5], [3.5, 4.5]], mask=[[0, 1], [0, 0]])
    assert encoded(masked) == encoded(np.array([[1.5, np.nan], [3.5, 4.5]]))
    numbers = np.array([[1, 200], [3, 4], [5, 7]])
    expected = encoded(numbers.astype(float))
    for kind in (np.int8, np.uint8, np.int16, np.int32, np.uint64, np.float32, object, ">f8", "F"):
        array = np.asfortranarray(numbers, float) if kind == "F" else numbers.astype(np.uint8).astype(kind)
        if kind is not np.int8:
            assert encoded(array) == expected, kind
    assert encoded(np.array([["a", "x"], ["b", "y"]])) == encoded({"x0": ["a", "b"], "x1": ["x", "y"]})


def test_rare_arrow_types_are_the_values_they_hold():
    words = ["a", "b", "b", "c"]
    runs = pa.RunEndEncodedArray.from_arrays([1, 3, 4], pa.array(["a", "b", "c"]))
    assert encoded(pa.table({"w": runs})) == encoded({"w": words})
    half = pa.array(np.array([1.5, 2.5, 3.5], np.float16))
    assert encoded(pa.table({"x": half})) == encoded({"x": [1.5, 2.5, 3.5]})
    empty = pa.table({"x": pa.chunked_array([], pa.float64())})
    with pytest.raises(DataError, match="no rows"):
        read_table(open_source(empty))


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
