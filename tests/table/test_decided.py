"""What a column is once it is judged: parts of dates by range and by wish, and errors that name the cell."""

from __future__ import annotations

import numpy as np
import pytest

from tallystick.errors import DataError
from tallystick.io.frames import from_texts
from tallystick.schema import Column
from tallystick.table.kinds import (
    KindVerdict,
    NumberFacts,
    date_parts,
    decide_numbers,
    refuse_numbers,
    unreadable_cells,
)
from tallystick.table.merging import Merged
from tallystick.table.wishes import Asked

FACTS = NumberFacts(10, 1, 18_262.0, 18_700.0, dated=True)


def test_parts_have_the_missing_rows_and_the_way_of_their_dates():
    column = Column("d", "numeric", unit="date", written="31.12.2020", missing=1)
    year, month, weekday = date_parts(column, FACTS, Asked("date"))
    assert (year.name, year.low, year.high) == ("d year", 2020.0, 2021.0)
    assert (month.low, month.high) == (1.0, 12.0)
    assert {c.written for c in (year, month, weekday)} == {"31.12.2020"}
    assert {c.missing for c in (year, month, weekday)} == {1}
    (hour,) = date_parts(column, FACTS, Asked("date", parts=("hour",)))
    assert hour.name == "d hour"


def test_dates_that_nobody_asked_about_have_no_parts():
    before = KindVerdict("dates", "")
    assert decide_numbers("d", Asked(), FACTS, before, ()).parts == ()
    assert len(decide_numbers("d", Asked("date"), FACTS, before, ()).parts) == 3


def test_errors_name_the_cell_and_what_was_asked():
    assert "should be numeric, but 1 cell is not a number, e.g. 'x' in row 3." in str(
        unreadable_cells("n", Asked("numeric"), 1, 2, "x")
    )
    assert "should hold dates, but holds 'x' in row 3." in str(
        unreadable_cells("d", Asked("date"), 1, 2, "x")
    )
    with pytest.raises(DataError, match="holds numbers once 'a' is merged into '1'"):
        refuse_numbers("c", Merged(from_texts(["1"]), np.ones((1, 1)), {"a": ("1", np.ones(1))}))
