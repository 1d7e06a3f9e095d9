"""What the user said of the table."""

from __future__ import annotations

import pytest

import tallystick as ts
from tallystick.data.schema import MISSING_MARKS
from tallystick.errors import Argument, Message, OptionError
from tallystick.studio.asked import TableWishes, cure_of


def test_a_kind_is_said_and_taken_back():
    said = TableWishes().with_kind("zip", "levels")
    assert said.columns == ts.Columns(kinds={"zip": "levels"})
    assert said.with_kind("zip", "") == TableWishes()
    with pytest.raises(OptionError, match="no kind 'colour'"):
        TableWishes().with_kind("zip", "colour")


def test_marks_of_missing_values_are_said_and_taken_back():
    said = TableWishes().with_missing("-999, n/a,")
    assert said.columns.missing == ("", "-999", "n/a")
    assert said.marks == "-999, n/a"
    assert said.with_missing(" ") == TableWishes()
    assert TableWishes().shared == {}


def test_what_a_note_advises_is_done_by_one_press():
    advice = Message("column 'x' has 3 rows of -999. Pass ", Argument("missing", ["-999"]), ".")
    cure = cure_of(advice)
    assert cure is not None
    assert TableWishes().with_cure(cure).columns.missing == (*MISSING_MARKS, "-999")
    assert TableWishes().with_cure(Argument("keep", ["id"])).columns.keep == ("id",)
    merged = TableWishes().with_cure(Argument("merge", {"yes": ["Yes"]}))
    assert merged.columns == ts.Columns(merge={"yes": ["Yes"]})
    assert cure_of("plain words") is None
    assert cure_of(Message("pass ", Argument("missing", ...))) is None
