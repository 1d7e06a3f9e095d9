"""CSV files: cells that depend on no block size, rows of another width, lines below the table."""

from __future__ import annotations

import pytest

from tallystick.errors import DataError
from tallystick.io.csv_file import footer_start, is_utf8, looks_like_total, open_csv
from tallystick.io.csv_repair import unread
from tallystick.schema import Reading


def opened(tmp_path, text, **reading):
    path = tmp_path / "t.csv"
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return open_csv(str(path), Reading(**reading), "t.csv")


def rows(source):
    return [tuple(row.values()) for batch in source.batches() for row in batch.to_pylist()]


TEXT = 'n,word\n1,"a,b"\n2,\n3,"x\ny"\n'


def test_every_cell_is_text_as_written_without_its_quotes(tmp_path):
    assert rows(opened(tmp_path, TEXT)) == [("1", "a,b"), ("2", ""), ("3", "x\ny")]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("size", [1, 7, 1 << 20])
def test_cells_depend_on_no_block_size_and_no_line_end(tmp_path, end, size):
    text = TEXT.replace('"x\ny"', "z").replace("\n", end)
    assert rows(opened(tmp_path, text).within(size)) == [("1", "a,b"), ("2", ""), ("3", "z")]


def test_how_it_is_read_is_said_in_words(tmp_path):
    assert opened(tmp_path, "a;b\n1;2\n").form == "separated by semicolons, UTF-8, header in line 1"
    assert opened(tmp_path, "1,2\n3,4\n").form == "comma-separated, UTF-8, no header"


def test_a_row_of_another_width_is_refused_left_out_or_kept_in_its_place(tmp_path):
    text = "a,b\n1,2\n3\n4,5\n"
    with pytest.raises(DataError, match=r"t\.csv has 1 row .*line 3"):
        rows(opened(tmp_path, text, bad_rows="error"))
    skipped = opened(tmp_path, text, bad_rows="skip")
    assert rows(skipped) == [("1", "2"), ("4", "5")]
    assert [note.code for note in skipped.notes] == ["rows-skipped", "lines-skipped"]
    kept = opened(tmp_path, text, bad_rows="skip").each_row()
    (batch,) = kept.batches()
    assert batch.to_pydict() == {"a": ["1", "", "4"], "b": ["2", "", "5"]}
    assert unread(batch) == {1: "line 3 has 1 cell, not 2"}
    assert kept.notes[0].text == "not read: 1 row (line 3 has 1 cell, not 2)."


def test_lines_below_the_table_are_found_and_a_row_of_its_width_is_a_row():
    assert footer_start(b"1,2\n3,4\nSource: us\n", 2, ",") == (8, ["Source: us"])
    assert footer_start(b"1,2\nTotal,4\n", 2, ",") == (12, [])
    assert looks_like_total(b"1,2,3,4\nTotal,,,4\n", 4, ",") == "Total,,,4"
    assert looks_like_total(b"1,2\nred,4\n", 2, ",") == ""


def test_plain_rows_may_be_had_as_bytes_and_quoted_ones_may_not(tmp_path):
    (piece,) = opened(tmp_path, "a;b\n1;2\n").pieces()
    assert piece.plain() == (b"1;2\n", ";")
    (quoted,) = opened(tmp_path, TEXT).pieces()
    assert quoted.plain() is None


def test_bytes_that_are_not_utf8_are_named(tmp_path):
    assert [is_utf8(b) for b in (b"a", "é".encode(), b"\xe9")] == [True, True, False]
    with pytest.raises(DataError, match=r"t\.csv .*encoding="):
        opened(tmp_path, b"caf\xe9,b\n" + b"1,2\n" * 99)


def test_a_quoted_cell_behind_a_space_is_not_counted_among_rows_of_another_length(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text('a,b\n1, "x,y"\n2,"z"\n3,4,5\n')
    source = open_csv(str(path), Reading(bad_rows="error"), "t.csv")
    with pytest.raises(DataError, match=r"has 1 row that does not have 2 cells \(line 4; the first has 3\)"):
        list(source.batches())
