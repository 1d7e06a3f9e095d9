"""Single cells as people give them: numbers, texts, marks, and what means a level without being one."""

from __future__ import annotations

import math

import pytest

from tallystick.errors import DataError
from tallystick.predict.row import alias, read_number, written
from tallystick.schema import Column

X = Column("x", "numeric")
MARKS = {"": True, "-999": True}


@pytest.mark.parametrize(
    ("cell", "number"),
    [(3, 3.0), (" 2.5 ", 2.5), ("1e3", 1000.0), (".5", 0.5), ("inf", math.inf), ("+7.", 7.0)],
)
def test_a_number_is_read_however_it_comes(cell, number):
    assert read_number(X, cell, MARKS) == number


@pytest.mark.parametrize("cell", [None, "", "NA", "n/a", "-999", -999, math.nan])
def test_what_marks_a_missing_number_is_missing(cell):
    assert read_number(X, cell, MARKS) is None


@pytest.mark.parametrize("cell", ["1_000", "red", "0x10", "1,5"])
def test_what_is_not_a_number_is_refused_with_its_column_and_value(cell):
    with pytest.raises(DataError, match=f"column 'x' was numeric .* the row holds '{cell}'"):
        read_number(X, cell, MARKS)


@pytest.mark.parametrize("cell", ["0.1", "18300", 10**30, 0.5, True])
def test_a_date_that_is_no_whole_number_of_days_is_for_a_table_to_read(cell):
    days = Column("d", "numeric", unit="date")
    assert read_number(days, 18_300, MARKS) == 18_300
    assert read_number(days, None, MARKS) is None
    with pytest.raises(DataError, match="column 'd'"):
        read_number(days, cell, MARKS)


def test_a_cell_is_written_as_tables_write_it():
    assert written("  red\t", "a") == "red"
    assert written(True, "a") == "true"
    assert written(2.0, "a") == "2"
    assert written(None, "a") is None


def test_a_text_means_the_level_that_is_the_same_number():
    digits = Column("a", "levels", ("0", "1", "007"))
    assert alias("1.0", digits) == "1"
    assert alias("1e0", digits) == "1"
    assert alias("07", digits) == "07"  # leading zeros mean something
    assert alias("18446744073709551617", digits) == "18446744073709551617"


def test_words_for_yes_and_no_mean_each_other():
    answers = Column("a", "levels", ("no", "yes"))
    assert alias("TRUE", answers) == "yes"
    assert alias("0", answers) == "no"
    assert alias("blue", answers) == "blue"
