"""What a column is, from what the judge said; and the errors that name cells."""

from __future__ import annotations

import pyarrow as pa
import pytest

from tallystick.schema import Note
from tallystick.table import strings
from tallystick.table.column_survey import in_one_way
from tallystick.table.kinds import (
    KindVerdict,
    NumberFacts,
    decide_numbers,
    decide_out,
    infinite_cells,
    infinite_note,
    unreadable_cells,
)
from tallystick.table.wishes import Asked

BEFORE = KindVerdict("numbers", "")


def test_a_column_of_numbers_has_its_range_and_its_missing_rows():
    facts = NumberFacts(100, 3, -1.5, 4.0, whole=False)
    column = decide_numbers("x", Asked(), facts, BEFORE, ()).column
    assert (column.kind, column.low, column.high, column.missing) == ("numeric", -1.5, 4.0, 3)
    assert not column.declared


def test_dates_say_so_and_what_was_asked_for_is_declared():
    dated = decide_numbers("d", Asked("numeric"), NumberFacts(9, 0, 0.0, 8.5, False, dated=True), BEFORE, ())
    assert (dated.column.unit, dated.column.declared) == ("date", True)


def test_notes_are_those_of_the_texts_then_of_the_values():
    first, second = Note("a", "texts."), Note("b", "values.")
    before = KindVerdict("numbers", "its texts are numbers", (first,))
    found = decide_numbers("x", Asked(), NumberFacts(9, 0, 0.5, 2.5, False), before, (second,))
    assert found.notes[:2] == (first, second)
    assert found.column.why == "its texts are numbers"


def test_a_column_left_out_keeps_its_reason():
    found = decide_out("x", Asked("out"), KindVerdict("out", "as asked"), 2)
    assert (found.column.kind, found.column.missing, found.column.declared) == ("out", 2, True)
    assert found.column.why == "as asked"


def test_infinite_cells_are_named_by_their_rows():
    assert "holds 1 infinite value (row 4)" in str(infinite_cells("x", 1, [3]))
    assert "holds 9 infinite values (row 1, 2, …)" in str(infinite_cells("x", 9, [0, 1]))
    assert "holds 2 infinite values. Make" in str(infinite_cells("x", 2, []))
    assert infinite_note("x", 2).count == 2


def test_cells_that_are_not_numbers_are_named_with_a_cure():
    error = str(unreadable_cells("x", Asked("numeric"), 2, 6, "red"))
    assert error.startswith("column 'x' should be numeric, but 2 cells are not numbers, e.g. 'red' in row 7.")
    assert "1 cell is not a number, e.g. 'red'. " in str(
        unreadable_cells("x", Asked("numeric"), 1, -1, "red")
    )


@pytest.mark.parametrize(
    ("texts", "written", "into"),
    [(["1", "1.0", "2"], ["1", "2"], [0, 0, 1, 2]), (["1", "red"], ["1", "red"], None), ([], [], None)],
)
def test_texts_that_are_all_numbers_are_written_in_one_way(texts, written, into):
    given = pa.array(texts, pa.large_string())
    found, _, codes = in_one_way(given, strings.numbers_of(given, "."))
    assert found.to_pylist() == written
    assert (None if codes is None else codes.tolist()) == into
