"""A description as lines that fit their width."""

from __future__ import annotations

import pytest

import tallystick as ts
from tallystick.description.columns import ColumnView, Description, Part
from tallystick.description.text import SHOWN_CLASSES, page, small
from tallystick.draw.svg import plain
from tallystick.errors import Count, Message, show_every_line


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


def test_numbers_stand_in_a_table_and_levels_as_bars_with_their_names_under_them():
    rows = [
        {"size": i * 1.5, "day": f"2024-02-{i % 28 + 1:02}", "sky": "sun" if i % 3 else "rain"}
        for i in range(56)
    ]
    lines = str(ts.describe(rows)).splitlines()
    at = next(i for i, line in enumerate(lines) if line.startswith("numbers"))
    assert lines[at].split() == ["numbers", "min", "25", "%", "median", "75", "%", "max", "mean"]
    assert lines[at + 1].split() == ["size", "0", "20.625", "41.25", "61.875", "82.5", "41.25"]
    assert lines[at + 2].split()[1] == "2024-02-01"
    assert lines[at + 4].split() == ["sky", "██████", "▅▅▅▅▅▅▅"]
    assert lines[at + 5].split() == ["sun", "37", "rain", "19"]


@pytest.mark.slow
def test_every_line_is_shown_where_it_is_asked_for():
    rows = {f"c{j}": [f"level {i * (j + 1) % 17}" for i in range(100)] for j in range(120)}
    found = ts.describe(rows | {"y": [i % 20 for i in range(100)]}, "y")
    short = str(found)
    assert "and 20 more columns (--all)" in short
    assert "more class" in short
    try:
        show_every_line(True)
        whole = str(found)
    finally:
        show_every_line(False)
    assert "--all" not in whole
    assert " +" not in whole
    assert all(f"level {i} " in whole for i in range(17))
    assert str(found) == short
    assert max(map(len, whole.splitlines())) <= 80


@pytest.mark.parametrize("cells", [60, 80, 120])
def test_bars_and_numbers_fit_the_page(cells):
    rows = {
        "a": [f"a level with a rather long name {i % 30}" for i in range(90)],
        "b": [i * 123456.789 for i in range(90)],
        "c": [f"2024-02-01 10:{i % 60:02}:33.5" for i in range(90)],
    }
    lines = plain(page(ts.describe(rows), cells)).splitlines()
    assert max(map(len, lines)) <= cells
