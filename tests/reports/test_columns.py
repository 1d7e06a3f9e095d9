"""Of the page, the data: every column with its distribution, and names where there is room."""

from __future__ import annotations

from svg import title, words

import tallystick as ts
from tallystick.description.text import describe_table
from tallystick.reports.columns import column_row, data_section


def test_columns_stand_by_what_they_tell_with_their_missing_cells(given):
    found = data_section(given("tree"))
    first = found["rows"][0]
    assert (first["name"], first["kind"], first["missing"], first["missing_share"]) == (
        "wind",
        "levels",
        "3",
        "5.0 %",
    )
    assert {row["name"] for row in found["rows"]} == {"wind", "temp", "<b>"}
    assert (found["more"], found["left"]) == ([], 0)
    assert [c["label"] for c in found["classes"]] == ["no", "yes"]


def test_levels_are_named_under_their_bars_and_numbers_by_their_ends(given):
    rows = {row["name"]: row for row in data_section(given("tree"))["rows"]}
    assert words(rows["wind"]["bars"]) == ["strong", "weak"]
    assert words(rows["temp"]["bars"]) == ["0", "8"]
    assert rows["temp"]["cut"].startswith("best cut: < ")
    assert rows["wind"]["caption"] == ""


def test_a_hostile_name_stays_text_in_its_picture(given):
    row = next(r for r in data_section(given("tree"))["rows"] if r["name"] == "<b>")
    assert title(row["bars"]).startswith("distribution of <b> by class: ")
    assert "<b>" not in row["bars"]


def test_a_column_has_its_distribution_before_there_is_a_target():
    from tallystick.description.text import describe_table
    from tallystick.io.open import open_source
    from tallystick.schema import ColumnOptions
    from tallystick.table.reader import read_table

    table = read_table(open_source([{"sky": "sr"[i % 3 == 0]} for i in range(9)]), ColumnOptions(), None)
    view = describe_table("days", table)["sky"]
    row = column_row(view, table.schema["sky"], 9, (), 1.0)
    assert words(row["bars"]) == ["r", "s"]
    assert "s: 6 rows" in title(row["bars"])
    assert row["gain"] == ""


def shown(levels, kind="levels", labels=("no", "yes")):
    """The bars of a column of such levels, the k-th of them k + 1 times."""
    rows = [{"c": level, "y": labels[i % 2]} for k, level in enumerate(levels) for i in range(2 * k + 2)]
    known = {"kinds": {"c": kind}} | (
        {"columns": ts.Columns(levels={"c": levels})} if kind == "ordered" else {}
    )
    table = ts.NaiveBayes(**known)._read(rows, "y")
    view = describe_table("rows", table)["c"]
    return words(column_row(view, table.schema["c"], len(rows), labels, 1.0)["bars"])


def test_names_without_room_stand_beside_lines_and_of_many_the_rest_is_one():
    many = [f"a long name {k}" for k in range(9)]
    assert shown(many) == [*(f"a long name {k}" for k in (8, 7, 6, 5, 4)), "4 others"]
    assert shown(["medium rare", "well done"]) == ["medium rare", "well done"]


def test_of_very_many_levels_the_rest_is_counted_once():
    assert shown([f"shop number {k}" for k in range(134)])[-1] == "129 others"


def test_ordered_levels_keep_their_order():
    sizes = ["very small", "rather small", "middling", "rather large", "very large", "enormous", "beyond all"]
    assert shown(sizes, "ordered") == [*sizes[2:], "2 others"]
