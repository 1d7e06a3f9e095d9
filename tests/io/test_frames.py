"""Containers and files: what comes in, what is refused, and in which words."""

from __future__ import annotations

import gzip
import os
import subprocess
import sys

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import tallystick as ts
from tallystick.errors import DataError, OptionError
from tallystick.io.open import open_source, read
from tallystick.table.reader import read_table

ROWS = b"".join(b"%d,%d,x%d\n" % (i, i * 2, i % 3) for i in range(30))
TABLE = b"a,b,c\n" + ROWS


@pytest.fixture
def file(tmp_path):
    def write(data: bytes, name: str = "train.csv", **options):
        path = tmp_path / name
        path.write_bytes(data)
        return read(path, **options)

    return write


def rows_of(source):
    return [tuple(row.values()) for batch in source.batches() for row in batch.to_pylist()]


def notes_of(source):
    return {note.code: note.text for note in source.notes}


def expected_rows():
    return [(str(i), str(i * 2), f"x{i % 3}") for i in range(30)]


def test_import_loads_no_data_library():
    heavy = ["pyarrow", "duckdb", "pandas", "polars", "scipy", "sklearn", "pyspark", "rich", "jinja2"]
    code = f"import sys, tallystick; print([m for m in {heavy} if m in sys.modules])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout.strip() == "[]"


# ---- the file, rows 1 to 15 ----


def test_an_empty_file_is_an_error(file):  # row 1
    with pytest.raises(DataError, match=r"train.csv is empty \(0 bytes\)"):
        file(b"")
    with pytest.raises(DataError, match=r"only empty lines"):
        file(b"\n\n\n")


def test_a_header_without_rows_has_no_rows(file):  # row 2
    source = file(b"a,b,c\n")
    assert rows_of(source) == []
    with pytest.raises(DataError, match=r"train.csv has a header \(3 columns\) but no rows"):
        read_table(source)


def test_one_row_is_read(file):  # row 3
    assert rows_of(file(b"a,b\n1,x")) == [("1", "x")]


def test_a_first_row_of_numbers_is_data_with_a_note(file):  # row 4
    source = file(b"1,2,3\n4,5,6\n")
    assert source.columns == ("column_1", "column_2", "column_3")
    assert len(rows_of(source)) == 2
    assert "no-header" in notes_of(source)
    assert file(b"1,2,3\n4,5,6\n", header=True).columns == ("1", "2", "3")
    assert rows_of(file(b"a,b\nc,d\n", header=False)) == [("a", "b"), ("c", "d")]


def test_lines_before_the_header_and_below_the_table_are_left_out_with_a_note(file):  # row 5
    source = file(b"My report\nof 2020\n\n" + TABLE + b"Total,30\n")
    assert rows_of(source) == expected_rows()
    notes = notes_of(source)
    assert "lines 1 to 3" in notes["lines-before-header"]
    assert "'Total,30'" in notes["lines-after-table"]


@pytest.mark.parametrize("footer", [b"\nSource: census\n", b"Total,\n", b"Total: 30 rows", b"\n\n"])
def test_footers_are_left_out(file, footer):
    assert rows_of(file(TABLE + footer)) == expected_rows()


@pytest.mark.slow
@pytest.mark.parametrize("row", [b"Total,,", b"End,,", b"Note: x,,"])
def test_a_row_of_the_width_of_the_table_is_a_row_wherever_it_stands(file, row):
    lines = TABLE.rstrip(b"\n").split(b"\n")
    expected = sorted([*expected_rows(), tuple(row.decode().split(","))])
    for place in range(1, len(lines) + 1):
        source = file(b"\n".join([*lines[:place], row, *lines[place:]]) + b"\n")
        assert sorted(rows_of(source)) == expected
        assert ("last-row-total" in notes_of(source)) == (place == len(lines))


def test_a_byte_order_mark_means_nothing(file):  # row 6
    assert file(b"\xef\xbb\xbf" + TABLE).columns == ("a", "b", "c")


@pytest.mark.parametrize("end", [b"\r\n", b"\r", b"\n"])
def test_line_ends_mean_nothing(file, end):  # row 7
    data = TABLE.replace(b"\n", end)
    assert rows_of(file(data)) == expected_rows()
    assert rows_of(file(data[: -len(end)])) == expected_rows()


def test_mixed_line_ends_mean_nothing(file):
    assert rows_of(file(TABLE.replace(b"\n", b"\r\n", 7))) == expected_rows()


def test_quoted_newlines_and_doubled_quotes_are_cells(file):  # row 8
    assert rows_of(file(b'a,b\n1,"x\ny"\n2,"say ""hi"""\n3,5" pipe\n')) == [
        ("1", "x\ny"),
        ("2", 'say "hi"'),
        ("3", '5" pipe'),
    ]


def test_a_stray_quote_is_an_error_with_the_line_that_opened_it(file):
    with pytest.raises(DataError, match=r"quote opened in line 32 that is never closed"):
        rows_of(file(TABLE + b'1,"x,3\n' + ROWS, strict=True))
    with pytest.raises(DataError, match=r"stray quote: the cell opened in line 32"):
        rows_of(file(TABLE + b'1,"x,3\n' + ROWS + b'4,"y",6\n', strict=True))


def test_ragged_rows_are_an_error_with_lines_and_count_or_skipped(file):  # row 9
    data = TABLE + b"1,2\n" + ROWS + b"1,2,3,4\n" * 6 + ROWS
    with pytest.raises(DataError, match=r"7 rows that do not have 3 cells \(lines 32, 63, 64, 65, 66, …"):
        rows_of(file(data, strict=True))
    source = file(data, bad_rows="skip")
    assert len(rows_of(source)) == 90
    assert "7 rows" in notes_of(source)["rows-skipped"]


@pytest.mark.parametrize("sep", [b";", b"\t", b"|"])
def test_separators_are_found(file, sep):  # row 10
    assert rows_of(file(TABLE.replace(b",", sep))) == expected_rows()


def test_one_column_where_another_separator_fits_is_an_error_naming_it(file):
    with pytest.raises(DataError, match=r"Pass sep=' '"):
        file(TABLE.replace(b",", b" "), strict=True)
    with pytest.raises(DataError, match=r"Pass sep=';'"):
        file(TABLE.replace(b",", b";"), sep=",")
    assert rows_of(file(TABLE.replace(b",", b" "), sep=" ")) == expected_rows()


def test_a_single_column_is_a_table(file):
    assert rows_of(file(b"text\nhello big world\n\nbye\n")) == [("hello big world",), ("",), ("bye",)]


def test_bytes_that_are_not_utf8_are_an_error_with_offset_and_cure(file):  # row 11
    data = "a,b\n1,caf\xe9\n".encode("cp1252")
    with pytest.raises(DataError, match=r"not UTF-8: byte 9 \(line 2\) is 0xE9.*encoding='cp1252'"):
        rows_of(file(data))
    assert rows_of(file(data, encoding="cp1252")) == [("1", "café")]
    with pytest.raises(OptionError, match=r"encoding 'klingon' is not a known text encoding"):
        file(data, encoding="klingon")


def test_utf16_is_read_by_its_mark_or_refused_with_a_hint(file):  # row 12
    text = TABLE.decode() + "7,8,€\n"
    assert rows_of(file(text.encode("utf-16")))[-1] == ("7", "8", "€")
    with pytest.raises(DataError, match=r"UTF-16 without a byte order mark. Pass encoding='utf-16-le'"):
        file(text.encode("utf-16-le"))
    assert rows_of(file(text.encode("utf-16-be"), encoding="utf-16-be"))[-1] == ("7", "8", "€")


def test_nul_bytes_are_an_error_with_the_line(file):  # row 13
    with pytest.raises(DataError, match=r"NUL byte in line 3"):
        file(b"a,b\n1,2\n3,\x004\n", strict=True)
    with pytest.raises(DataError, match=r"NUL byte in line 60,00\d"):
        rows_of(file(b"a,b\n" + b"1,2\n" * 60_000 + b"3,\x004\n", strict=True))


def test_gz_is_unpacked_and_damage_is_named(file):  # row 14
    assert rows_of(file(gzip.compress(TABLE), "train.csv.gz")) == expected_rows()
    with pytest.raises(DataError, match=r"damaged gz file"):
        rows_of(file(gzip.compress(TABLE)[:-20]))


@pytest.mark.parametrize(
    ("data", "what"),
    [
        (b"PK\x03\x04zip", "zip file"),
        (b"\xd0\xcf\x11\xe0old", "workbook"),
        (b"%PDF-1.4", "PDF"),
        (b"<!DOCTYPE html>", "HTML"),
    ],
)
def test_other_files_called_csv_are_named(file, data, what):
    with pytest.raises(DataError, match=rf"train.csv is an?.*{what}"):
        file(data)


def test_a_directory_a_missing_file_and_a_locked_one_are_named(tmp_path):
    with pytest.raises(DataError, match=r"is a directory"):
        open_source(tmp_path)
    (tmp_path / "votes.csv").write_bytes(TABLE)
    with pytest.raises(DataError, match=r"no file '.*vote.csv'. Did you mean 'votes.csv'"):
        open_source(tmp_path / "vote.csv")
    if os.geteuid() != 0:  # root may read all
        (tmp_path / "votes.csv").chmod(0)
        with pytest.raises(DataError, match=r"no permission"):
            open_source(tmp_path / "votes.csv")


@pytest.mark.slow
def test_an_endless_line_is_an_error(file):  # row 15
    with pytest.raises(DataError, match=r"a line of more than 64 MiB, line 2"):
        rows_of(file(b"a,b\n1," + b"x" * (65 << 20)))


# ---- names, rows 16 to 19 ----


def test_repeated_names_are_an_error_with_positions(file):
    with pytest.raises(DataError, match=r"2 columns called 'a', at positions 1, 3"):
        file(b"a,b,a\n1,2,3\n")


def test_names_that_differ_only_in_case_or_spaces_get_a_note(file):
    assert "'a b', 'A  b'" in notes_of(file(b"a b,A  b\n1,2\n"))["names-alike"]


def test_an_empty_name_is_made_up_with_a_note(file):
    source = file(b"a,,c\n1,2,3\n")
    assert source.columns == ("a", "column_2", "c")
    assert "name-made" in notes_of(source)


def test_strange_names_work_and_are_escaped_when_shown(file):
    source = file('"line\nbreak",🙂,=cmd(),<b>,\u202eabc,\x1b[31m\n1,2,3,4,5,6\n7,8,9,1,2,3\n'.encode())
    assert source.columns[0] == "line\nbreak"
    assert len(read_table(source).schema.used) == 6
    with pytest.raises(DataError) as caught:
        read_table(open_source({"\x1b[31m": [None, None]}))
    assert "\x1b" not in str(caught.value)


def test_names_that_are_numbers_become_text_and_a_mix_is_an_error():
    assert open_source(pd.DataFrame(np.ones((2, 2)))).columns == ("0", "1")
    with pytest.raises(DataError, match=r"mixes text and numbers.*df.columns.map\(str\)"):
        open_source(pd.DataFrame({0: [1], "a": [2]}))


@pytest.mark.slow
def test_ten_thousand_columns_are_read():  # row 22
    assert (
        len(read_table(open_source(np.random.default_rng(0).normal(size=(20, 10_000)))).schema.used) == 10_000
    )


# ---- containers ----


def test_every_container_has_a_door():
    frame = pd.DataFrame({"a": [1, 2], "b": ["x", "y"]})
    arrow = pa.table(frame)
    for x in (frame, arrow, arrow.to_reader(), pl.from_arrow(arrow), pl.from_arrow(arrow).lazy(),
              frame.to_dict("list"), frame.to_dict("records")):  # fmt: skip
        source = open_source(x)
        assert source.columns == ("a", "b")
        assert rows_of(source) == rows_of(source) == [(1, "x"), (2, "y")]
        assert open_source(source) is source


def test_records_may_lack_keys():
    assert rows_of(open_source([{"a": 1}, {"b": "x"}])) == [(1, None), (None, "x")]


def test_arrays_have_names_and_wrong_shapes_are_refused():
    assert open_source(np.ones((2, 3))).columns == ("x0", "x1", "x2")
    assert open_source([[1, 2], [3, 4]]).columns == ("x0", "x1")
    structured = np.array([(1, "x"), (2, "y")], dtype=[("a", int), ("b", "U1")])
    assert rows_of(open_source(structured)) == [(1, "x"), (2, "y")]
    with pytest.raises(DataError, match=r"1 dimension, but a table has two"):
        open_source(np.ones(3))
    with pytest.raises(DataError, match=r"Complex data not supported"):
        open_source(np.ones((2, 2), complex))
    with pytest.raises(DataError, match=r"different lengths"):
        open_source({"a": [1, 2], "b": [1]})
    with pytest.raises(DataError, match=r"cannot read a table from 'int'"):
        open_source(3)


def test_read_is_a_public_name():
    assert ts.read is read


def test_a_named_separator_is_used_even_where_spaces_give_every_line_as_many_cells(file):
    with pytest.raises(DataError, match=r"but ' ' would give every line the same number"):
        file(b"b b\n0 0\n1 1\n")
    assert rows_of(file(b"b b\n0 0\n1 1\n", sep=",")) == [("0 0",), ("1 1",)]


def test_a_stream_or_a_lazy_frame_that_raises_is_one_line_with_its_own_error_behind():
    def batches():
        yield pa.record_batch({"x": [1, 2]})
        raise RuntimeError("mid\nway")

    stream = pa.RecordBatchReader.from_batches(pa.schema([("x", pa.int64())]), batches())
    with pytest.raises(DataError) as told:
        open_source(stream)
    assert "the Arrow table cannot be read to its end: 'mid\\nway'. Check" in str(told.value)
    assert told.value.__cause__ is not None
    with pytest.raises(DataError, match=r"the LazyFrame cannot be collected: '.*z"):
        open_source(pl.LazyFrame({"x": [1]}).select("z"))


@pytest.mark.parametrize("cells", [5, "abc", b"abc", {"a": 1}, None, 1.5])
def test_a_column_of_one_value_is_refused_by_its_name(cells):
    with pytest.raises(DataError, match=r"column 'x' is given as .* but needs one value per row"):
        open_source({"x": cells})


@pytest.mark.parametrize(
    "cells",
    [
        np.array([["a", "b"], ["c", "d"]] * 10),
        np.array([["a", 1.5], ["c", None]] * 10, object),
        np.array([[2**60, 1], [2**60 + 1, 2]] * 10),
        np.array([[1.5, 1], [2.5, 2]] * 10),
    ],
    ids=["texts", "objects", "large whole numbers", "floats"],
)
def test_a_masked_matrix_is_the_table_of_its_columns_with_missing_cells(cells):
    mask = np.array([[False, True], [False, False]] * 10)
    source = open_source(np.ma.array(cells, mask=mask))
    for j in range(2):
        found = [None if cell != cell else cell for cell in source.get(j).to_pylist()]
        assert found == [None if m else c for c, m in zip(cells[:, j].tolist(), mask[:, j], strict=True)]


def test_masked_fields_are_missing_cells():
    fields = [("a", "i8"), ("b", "U1")]
    source = open_source(np.ma.array([(1, "u"), (2, "v")], dtype=fields, mask=[(False, True), (True, False)]))
    assert [source.get(j).to_pylist() for j in range(2)] == [[1, None], [None, "v"]]


def test_a_set_is_no_column_since_its_values_have_no_order():
    for values in ({"u", "v"}, frozenset({"u", "v"})):
        with pytest.raises(DataError, match=r"'a' is given as '(frozen)?set', but needs one value"):
            open_source({"a": values, "b": [1, 2]})
        with pytest.raises(DataError, match="one value per row"):
            ts.NaiveBayes().fit({"b": [1, 2]}, values)


def test_a_class_is_no_table():
    for use in (ts.describe, lambda x: ts.NaiveBayes().fit(x, "y")):
        with pytest.raises(DataError, match="'DataFrame' is a type, not a table"):
            use(pd.DataFrame)


def test_a_lazy_frame_is_no_column_even_where_it_cannot_be_collected():
    bad = pl.LazyFrame({"a": [1, 2]}).select("b")
    with pytest.raises(DataError, match=r"'y' is given as 'LazyFrame', but needs one value per row"):
        ts.NaiveBayes().fit({"b": [1, 2]}, bad)


def test_a_sparse_matrix_keeps_whole_numbers_and_refuses_what_a_dense_one_does():
    from scipy import sparse

    large = np.array([[2**53], [2**53 + 1], [0], [-(2**60)]])
    assert open_source(sparse.csr_matrix(large)).get(0).to_pylist() == large[:, 0].tolist()
    assert open_source(sparse.csr_matrix([[1], [2]])).get(0).to_pylist() == [1.0, 2.0]
    with pytest.raises(DataError, match="Complex data not supported: the sparse matrix holds complex128"):
        open_source(sparse.csr_matrix(np.ones((2, 2)) * 1j))
    with pytest.raises(DataError, match="the sparse matrix has 1 dimension, but a table has two"):
        open_source(sparse.coo_array(np.ones(3)))
