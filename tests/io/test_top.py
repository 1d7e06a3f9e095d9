"""The top of a table: lines before it, several header rows, a damaged header."""

from __future__ import annotations

import pytest

from tallystick.errors import DataError
from tallystick.io.csv_file import open_csv
from tallystick.io.csv_head import first_rows, joined_header, top_of, width_of
from tallystick.schema import Reading

ROWS = "".join(f"{i}.5,{i % 7},{('red', 'blue')[i % 2]},AB-{100 + i}\n" for i in range(30))
NAMES = ("height", "age", "colour", "code")


def opened(tmp_path, text, **reading):
    path = tmp_path / "t.csv"
    path.write_text(text, encoding="utf-8")
    source = open_csv(str(path), Reading(**reading), "t.csv")
    return source.columns, sum(batch.num_rows for batch in source.batches()), {n.code for n in source.notes}


@pytest.mark.parametrize(
    "header",
    [
        "height,,age,colour,code",
        "height,age,colour,code,",
        '"height,age,colour,code',
        'height,"age,colour,code',
        "height;age;colour;code",
        "height age colour code",
        '"height""age",colour,code',
        "hei\0ght,age,colour,code",
    ],
)
def test_a_damaged_header_is_mended(tmp_path, header):
    assert opened(tmp_path, header + "\n" + ROWS) == (NAMES, 30, {"header-repaired"})


@pytest.mark.parametrize("header", ["heightage,colour,code", "height,age,col,our,code"])
def test_a_header_that_could_be_read_in_several_ways_is_refused_and_never_lost(tmp_path, header):
    with pytest.raises(DataError, match=r"names in line 1, but 4 cells in the rows below"):
        opened(tmp_path, header + "\n" + ROWS)


def test_lines_before_the_table_are_left_out_and_its_header_is_found(tmp_path):
    for above in ("Report, of May\n", "Report\n\n", "Report,,,\n,,,\n"):
        columns, rows, notes = opened(tmp_path, above + ",".join(NAMES) + "\n" + ROWS)
        assert (columns, rows, notes) == (NAMES, 30, {"lines-before-header"})


def test_rows_of_names_below_the_header_are_joined_or_left_out(tmp_path):
    header = ",".join(NAMES) + "\n"
    columns, rows, notes = opened(tmp_path, header + "cm,years,-,-\n" + ROWS)
    assert columns == ("height cm", "age years", "colour -", "code -")
    assert (rows, notes) == (30, {"header-rows"})
    assert opened(tmp_path, header + header + ROWS) == (NAMES, 30, {"header-rows"})
    assert opened(tmp_path, header + "cm,years,-,-\n" + ROWS, bad_rows="error")[0] == NAMES


def test_a_row_of_data_with_texts_for_numbers_is_no_header(tmp_path):
    text = ",".join(NAMES) + "\nunknown,3,red,AB-100\n" + ROWS
    assert opened(tmp_path, text)[:2] == (NAMES, 31)


def test_a_table_without_header_is_told_by_the_forms_of_its_cells(tmp_path):
    text = "".join(f"{1 + i % 28:02d}/01/2021,{i % 24:02d}:15,AB-{100 + i},text {i}x\n" for i in range(30))
    columns, rows, notes = opened(tmp_path, text)
    assert (columns[0], rows, notes) == ("column_1", 30, {"no-header"})


def test_of_two_tables_the_first_is_the_table():
    rows = first_rows("a,b\n" + 9 * "1,2\n" + "c,d,e\n" + 9 * "1,2,3\n", ",")
    assert width_of(rows) == 2
    top = top_of(rows, ",", True, None, "t.csv")
    assert (top.start, top.row.cells) == (0, ["a", "b"])
    assert joined_header(top, rows) == top
