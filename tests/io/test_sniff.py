"""A first look at a text table."""

from __future__ import annotations

import pytest

from tallystick.errors import DataError
from tallystick.io.csv_head import best_separator, first_rows, look_at
from tallystick.schema import Reading


def look(text, **reading):
    return look_at(text, Reading(**reading), "t.csv")


@pytest.mark.parametrize(
    ("text", "sep"),
    [
        ("a,b\n1,2\n", ","),
        ("a;b\n1,5;2\n", ";"),
        ("a\tb\n1\t2,3\n", "\t"),
        ("a|b\nx, y|z\n", "|"),
        ("note\none, two\nthree\n", ","),
        ("alone\n1\n", ","),
    ],
)
def test_the_separator_that_gives_most_rows_as_many_cells_is_taken(text, sep):
    assert best_separator(text) == sep


def test_a_header_has_names_and_its_line_is_skipped():
    found = look("age,name\n31,Ann\n25,Bob\n")
    assert (found.header, found.names, found.skip, found.numbers) == (True, ("age", "name"), 1, 1)
    assert found.notes == ()


def test_a_first_row_of_data_has_no_names_and_is_said():
    found = look("1,2\n3,4\n5,6\n")
    assert (found.header, found.names, found.skip) == (False, (), 0)
    assert [note.code for note in found.notes] == ["no-header"]
    assert look("1,2\n3,4\n", header=True).names == ("1", "2")  # what is given is never overruled


def test_lines_above_the_table_are_left_out_and_said():
    found = look("My table\n\na,b\n1,2\n3,4\n")
    assert (found.names, found.skip) == (("a", "b"), 3)
    assert found.notes[0].text == "lines 1 to 2 before the table are left out, e.g. 'My table'."


def test_a_line_that_names_the_separator_is_believed():
    assert look("sep=;\na;b\n1;2\n").dialect.sep == ";"


def test_rows_know_their_lines_and_quoted_line_ends_are_not_rows():
    assert [(row.cells, row.first, row.last) for row in first_rows('a,b\n\n1,"x\ny"\n', ",")] == [
        (["a", "b"], 1, 1),
        (["1", "x\ny"], 3, 4),
    ]


@pytest.mark.parametrize(
    ("text", "reading", "says"),
    [
        ("\n \n\n", {}, "t.csv holds only empty lines"),
        ("a,b\n0,1,2\n1,3,4\n", {}, "t.csv has 2 names in line 1, but 3 cells in the rows below"),
        ("a b\n1 2\n", {}, r"has one column when separated by ',', but ' ' would give every line"),
    ],
)
def test_what_cannot_be_a_table_is_refused(text, reading, says):
    with pytest.raises(DataError, match=says):
        look(text, **reading)
