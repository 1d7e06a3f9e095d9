"""Column names: text, unique, or refused."""

from __future__ import annotations

import pytest

from tallystick.errors import DataError
from tallystick.io.source import clean_names


def test_names_lose_outer_space_and_numbers_become_text():
    assert clean_names([" a ", "b"], "t")[0] == ("a", "b")
    assert clean_names([0, 1], "t")[0] == ("0", "1")
    assert clean_names([], "t") == ((), ())


def test_an_empty_name_is_made_up_unlike_all_others_and_said():
    names, notes = clean_names(["", "column_1", " "], "t")
    assert names == ("column_1_", "column_1", "column_3")
    assert [note.code for note in notes] == ["name-made", "name-made"]
    assert notes[0].text == "column 1 has no name; it is called 'column_1_'."


def test_names_that_differ_in_case_or_spaces_are_said():
    _, notes = clean_names(["Age", "age", "a ge", "b"], "t")
    assert [note.text for note in notes] == [
        "column names differ only in letter case or spaces: 'Age', 'age', 'a ge'."
    ]


@pytest.mark.parametrize(
    ("names", "says"),
    [
        (["a", "b", "a"], "t has 2 columns called 'a', at positions 1, 3. Give each"),
        (["a"] * 9, "at positions 1, 2, 3, 4, 5 and 4 more"),
        (["a", "a", "b", "b"], r"\(1 more names repeat\)"),
        (["a", 1], "t mixes text and numbers as column names"),
        ([1.5], "a column name that is not text: 1.5"),
        ([True], "a column name that is not text"),
        (["\ud800"], "with half of a character in it"),
    ],
)
def test_names_that_cannot_be_told_apart_or_written_are_refused(names, says):
    with pytest.raises(DataError, match=says):
        clean_names(names, "t")
