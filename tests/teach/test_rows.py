"""Rows behind a picture: the columns that were named, or the most telling ones; the rest in one line."""

from __future__ import annotations

import pytest

import tallystick as ts
from tallystick.teach.pictures import FEW, chosen, complete, only, read, two_classes

ROWS = [
    {"noise": i * 7 % 11, "telling": i / 2, "sky": "sun" if i % 2 else "rain", "y": "up" if i > 9 else "down"}
    for i in range(20)
]


def table(rows=ROWS, target="y"):
    return read(rows, target, {})


def test_the_most_telling_numbers_are_drawn_unless_others_are_named():
    assert chosen(table(), None, 1, ("numeric",)) == ["telling"]
    assert chosen(table(), ["sky", "noise"], 2, ("numeric", "levels")) == ["sky", "noise"]


@pytest.mark.parametrize(
    ("names", "many", "line"),
    [
        (["telling", "nosie"], 2, "no column 'nosie' to draw. Did you mean 'noise'?"),
        (["telling", "telling"], 2, "takes 2 columns"),
        (None, 3, "needs 3 columns (numeric), and the table has 2"),
    ],
)
def test_columns_that_cannot_be_drawn_are_one_line(names, many, line):
    with pytest.raises(ts.TallyError, match=line.replace("(", r"\(").replace(")", r"\)").replace("?", r"\?")):
        chosen(table(), names, many, ("numeric",))


def test_other_columns_are_left_out_and_rows_without_a_value_are_not_drawn():
    part = only(table(), ["noise"])
    assert [c.name for c in part.schema.columns] == ["noise"]
    rows = [dict(row, noise=None if i < 5 else row["noise"]) for i, row in enumerate(ROWS)]
    assert complete(table(rows), ["noise"]).tolist() == list(range(5, 20))


def test_of_many_rows_some_are_drawn_from_the_first_to_the_last():
    many = [{"x": i / 8, "y": i % 2} for i in range(5 * FEW)]
    rows = complete(table(many), ["x"])
    assert len(rows) == FEW
    assert (rows[0], rows[-1]) == (0, 5 * FEW - 1)


def test_three_classes_are_too_many_for_a_likelihood_of_two_weights():
    with pytest.raises(ts.TallyError, match="of two classes, and 'y' has 3"):
        two_classes(table([{"x": i, "y": "abc"[i % 3]} for i in range(9)]))
