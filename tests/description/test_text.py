"""A description as lines that fit their width."""

from __future__ import annotations

import pytest

import tallystick as ts
from tallystick.description.columns import ColumnView, Description, Part
from tallystick.description.text import SHOWN_CLASSES, page, small
from tallystick.draw.text import plain
from tallystick.errors import Count, Message


def test_no_control_character_reaches_the_page():
    hostile = "\x1b[2J\u202eevil\r\n\x07"
    table = [
        {hostile: v, "y": y} for v, y in zip(["\x1b[31mred", "blue\x9b", "blue\x9b"], "abb", strict=True)
    ]
    page = str(ts.describe(table, "y"))
    assert all(c.isprintable() or c == "\n" for c in page)
    assert "\\x1b[2J" in page


@pytest.mark.parametrize(("count", "words"), [(1, "1 row, 1 column"), (2, "2 rows, 1 column")])
def test_one_of_a_thing_is_not_many(count, words):
    assert str(ts.describe({"x": ["a", "b"][:count]}, kinds={"x": "levels"})).startswith(
        f"the dict of columns: {words}"
    )


def view(kind, *parts, distinct=0):
    return ColumnView("x", kind, "because", 0, distinct, parts)


def test_few_levels_stand_with_their_names_and_many_as_blocks():
    assert small(view("levels", Part("n", 1), Part("y", 8))) == "n ▂ y █"
    assert small(view("levels", *(Part(f"level {i}", 8) for i in range(5)))) == "█████"
    assert small(view("levels", *(Part(f"l{i}", 8) for i in range(20)))) == "█" * 11 + "…"
    assert small(view("text", distinct=1)) == "1 word"
    assert small(view("numeric", Part("", 4, 0.0), Part("", 0, 1.0), Part("", 8, 2.0))) == "▅ █"


def test_columns_of_one_reason_are_told_together_with_their_numbers():
    columns = tuple(
        ColumnView(name, "levels", Message(Count(n), " distinct texts"), 0, n, ())
        for name, n in (("a", 2), ("b", 3), ("c", 2))
    )
    lines = plain(page(Description("t", 4, columns, ()))).splitlines()
    assert lines[0] == "t: 4 rows, 3 columns"
    assert lines[-1] == "  levels   distinct texts: a 2, b 3, c 2"


@pytest.mark.parametrize("cells", [60, 80, 120])
def test_no_line_is_wider_than_asked(cells):
    names = [f"a column with a rather long name, number {i}" for i in range(3)]
    rows = {name: ["left", "right"] * 10 for name in names} | {"y": ["p", "q"] * 10}
    lines = plain(page(ts.describe(rows, "y"), cells)).splitlines()
    assert max(map(len, lines)) <= cells


def test_classes_beyond_the_shown_are_one_line():
    classes = tuple(Part(f"c{i}", 2) for i in range(SHOWN_CLASSES + 1))
    told = plain(page(Description("t", 26, (view("levels"),), (), "y", classes, 3.7)))
    assert "  and 1 more class with 2 rows" in told
