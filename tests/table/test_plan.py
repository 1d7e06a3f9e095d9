"""What the user said of the columns, checked against the names of the table."""

from __future__ import annotations

import pytest

import tallystick as ts
from tallystick.errors import OptionError
from tallystick.schema import MISSING_MARKS, ColumnOptions, Reading
from tallystick.table.wishes import Asked, check_wishes


def test_a_wish_for_an_unknown_column_or_kind_is_named():
    with pytest.raises(ts.TallyError, match=r"column 'agee', which is not in the table\. Did you mean 'age'"):
        check_wishes(ColumnOptions(kinds={"agee": "numeric"}), ["age"], Reading(), "error")
    with pytest.raises(ts.TallyError, match=r"gives column 'age' the kind 'number'\. Use one of: "):
        check_wishes(ColumnOptions(kinds={"age": "number"}), ["age"], Reading(), "error")


def test_what_is_said_of_one_column_and_of_all():
    wishes = ColumnOptions(kinds={"age": "levels"}, keep=["id"], missing=["-9"])
    plan = check_wishes(wishes, ["age", "id", "x"], Reading(decimal=",", day_first=True), "missing")
    assert plan.of("age").kind == "levels"
    assert plan.of("id").keep
    assert plan.of("x") == Asked(marks=("", "-9"), mark=",", day_first=True, inf="missing")
    assert plan.decimal == ","


def test_nothing_said_is_a_point_and_the_usual_marks():
    plain = check_wishes(ColumnOptions(), ["x"], Reading(), "error").plain
    assert (plain.decimal, plain.mark, plain.day_first, plain.marks) == (".", None, None, MISSING_MARKS)


@pytest.mark.parametrize(
    ("option", "wishes"),
    [
        ("missing", ColumnOptions(missing=["half \ud800"])),
        ("levels", ColumnOptions(levels={"x": ["half \ud800", "b"]})),
        ("merge", ColumnOptions(merge={"x": {"half \ud800": ["b"]}})),
        ("merge", ColumnOptions(merge={"x": {"b": ["half \ud800"]}})),
    ],
)
def test_a_text_that_no_cell_can_hold_is_refused(option, wishes):
    with pytest.raises(OptionError, match=rf"{option} names 'half \\ud800', with half of a character"):
        check_wishes(wishes, ["x"], Reading(), "error")
