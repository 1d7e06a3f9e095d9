"""What stands at the top of an export: which model, what it reads, and nothing that can end a comment."""

from __future__ import annotations

from tallystick import __version__
from tallystick.export.form import Form
from tallystick.export.heading import MOST, heading
from tallystick.schema import Column

COLUMNS = (
    Column("n", "numeric"),
    Column("day", "numeric", unit="date"),
    Column("c", "levels", levels=("u",)),
    Column("b", "boolean", levels=("false", "true")),
    Column("t", "text", words=("red", "sun")),
)


def form(columns=COLUMNS, labels=("no", "yes"), marks=(), nodes=([[1.0]],)):
    return Form("decision-tree", "ill", labels, columns, marks, "abc", nodes=nodes)


def test_every_column_is_named_with_what_it_holds():
    lines = heading(form())
    assert lines[0] == f"Tallystick {__version__}: a decision tree for 'ill'."
    assert lines[1:4] == ["Classes: no, yes.", "Model file sha256: abc.", "Columns:"]
    assert lines[4:9] == [
        "  n (numbers)",
        "  day (dates, as days since 1970-01-01)",
        "  c (1 level)",
        "  b (two levels)",
        "  t (text, 2 words)",
    ]


def test_missing_marks_and_where_missing_goes_are_said():
    told = heading(form(marks=("?", "")))
    assert "Missing: null, NaN and the texts '?', ''." in told
    spread = heading(form(nodes=([0, 1.5, [1, 2], [[1, 0.5], [2, 0.5]], None], [[1.0]], [[0.0]])))
    assert spread[-1].startswith("A missing value goes down all branches of a test")


def test_many_columns_and_classes_are_counted():
    many = tuple(Column(f"c{i}", "numeric") for i in range(MOST + 2))
    lines = heading(form(many, tuple(f"l{i}" for i in range(MOST + 3))))
    assert "  and 2 more" in lines
    assert lines[1].endswith(" and 3 more.")


def test_no_name_can_end_its_line():
    for line in heading(form((Column("a\n*/ --\u2028x", "numeric"),), ("p\r\nq",))):
        assert line.isprintable()


def test_classes_that_are_no_text_are_named_too():
    assert heading(form(labels=(0, 1)))[1] == "Classes: 0, 1."
    assert heading(form(labels=(False, True)))[1] == "Classes: false, true."
