"""Which table of a file is taken: the only one; of several the one that is named."""

from __future__ import annotations

import pytest

import tallystick as ts
from tallystick.io.source import chosen_part


def test_the_only_part_is_taken_without_a_word():
    assert chosen_part(None, ["a", "b"], ["b"], "x.xlsx", "sheet") == ("b", ())


def test_of_several_sheets_the_first_is_read_and_the_others_are_named():
    name, (note,) = chosen_part(None, ["a", "b"], ["a", "b"], "x.xlsx", "sheet")
    assert name == "a"
    assert note.text == "x.xlsx has 2 sheets; 'a' is read, not 'b'."


def test_of_several_tables_one_must_be_named():
    with pytest.raises(ts.TallyError, match=r"x\.db has 2 tables: 'a', 'b'\. Name one: .*table='a'"):
        chosen_part(None, ["a", "b"], ["a", "b"], "x.db", "table")


def test_a_part_that_is_not_there_is_named_with_those_that_are():
    with pytest.raises(ts.TallyError, match=r"x\.db has no table 'row'\. Did you mean 'rows'\?"):
        chosen_part("row", ["rows", "other"], ["rows"], "x.db", "table")


def test_nothing_inside_is_an_error():
    with pytest.raises(ts.TallyError, match=r"has no sheet that holds anything"):
        chosen_part(None, ["a"], [], "x.xlsx", "sheet")
