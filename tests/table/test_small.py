"""A small matrix read in a few steps is the table that a survey of its rows leads to."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tallystick.errors import TallyError
from tallystick.io.open import open_source
from tallystick.parallel import FEW_ROWS
from tallystick.schema import ANY_TABLE, NO_WISHES, ColumnOptions
from tallystick.table.matrix import small_table
from tallystick.table.reader import read_table

NUMBERS = st.sampled_from([0.0, -0.0, 1.0, 2.0, 3.0, -1.5, 0.25, 1e300, 2.0**53, np.nan, np.inf])
FEW = st.sampled_from([0.0, 1.0, np.nan, 7.0])
LABELS = st.sampled_from([0, 1, 2, 7, -3, 250, 300, 10**7, 2**53 + 1])
ORDINARY = np.array([[0.5, 1.0], [1.5, 2.0], [2.5, 2.0], [0.5, 1.0]])


def _told(read: Any) -> Any:
    """Return all that a table holds, bits of numbers included, or what is said instead."""
    try:
        table = read()
    except TallyError as error:
        return str(error).replace("the DataFrame", "the array")
    columns = {name: (data.dtype, data.tobytes()) for name, data in table.columns.items()}
    classes = table.classes.dtype, table.classes.tolist()
    said = table.notes, table.source_notes, table.files
    whys = [column.why for column in table.schema.columns]
    return table.schema, whys, columns, table.rows, classes, said, table.unit, table.kept, table.fingerprint


def _both(matrix: Any, labels: Any, wishes: ColumnOptions) -> tuple[Any, Any]:
    frame = pd.DataFrame(matrix, columns=[f"x{j}" for j in range(matrix.shape[1])])
    ours = _told(lambda: read_table(open_source(matrix), wishes, labels))
    return ours, _told(lambda: read_table(open_source(frame), wishes, labels))


@st.composite
def _tables(draw: Any) -> tuple[Any, Any]:
    rows = draw(st.integers(1, 25))
    cells = draw(st.sampled_from([NUMBERS, FEW, st.floats(-4, 4).map(lambda v: round(v, 1))]))
    columns = draw(st.lists(st.lists(cells, min_size=rows, max_size=rows), min_size=1, max_size=5))
    with np.errstate(over="ignore"):
        matrix = np.array(columns, draw(st.sampled_from([np.float64, np.float32]))).T
    labels = draw(st.lists(LABELS, min_size=rows, max_size=rows))
    return matrix if draw(st.booleans()) else np.ascontiguousarray(matrix), np.array(labels)


@pytest.mark.slow
@settings(max_examples=150)
@given(table=_tables(), trivial=st.booleans())
@example(table=(np.arange(24.0)[:, None], np.arange(24) % 2), trivial=False)  # numbers its rows
@example(table=(np.ones((4, 1)), np.arange(4) % 2), trivial=True)
@example(table=(np.arange(300.0)[:, None] / 7, np.arange(300)), trivial=False)  # no classes
def test_table_is_that_of_a_survey(table: tuple[Any, Any], trivial: bool) -> None:
    ours, surveyed = _both(*table, ANY_TABLE if trivial else NO_WISHES)
    assert ours == surveyed


@pytest.mark.parametrize("labels", [[0, 1, 1, 0], [5, 7, 7, 5], [-1, 1, 1, -1], [0, 2, 300, 2]])
def test_ordinary_matrix_needs_no_survey(labels: list[int]) -> None:
    given_labels = np.array(labels)
    small = small_table(open_source(ORDINARY), NO_WISHES, given_labels, 1)
    assert (small is None) == (max(labels) > 255)
    ours, surveyed = _both(ORDINARY, given_labels, NO_WISHES)
    assert ours == surveyed


@pytest.mark.parametrize(
    ("matrix", "labels", "wishes"),
    [
        (ORDINARY, np.array([0, 1, 1]), NO_WISHES),
        (ORDINARY, np.array([[0], [1], [1], [0]]), NO_WISHES),
        (ORDINARY, np.array(["a", "b", "b", "a"]), NO_WISHES),
        (ORDINARY, "x1", NO_WISHES),
        (ORDINARY, np.array([0, 1, 1, 0], ">i4"), NO_WISHES),
        (ORDINARY, np.zeros(4, [("a", "i1"), ("y", "i4")])["y"], NO_WISHES),
        (ORDINARY, np.array([0, 1, 1, 0]), ColumnOptions(kinds={"x0": "levels"})),
        (np.where(ORDINARY > 2, np.inf, ORDINARY), np.array([0, 1, 1, 0]), NO_WISHES),
        (np.arange(4.0)[:, None], np.array([0, 1, 1, 0]), NO_WISHES),
        (np.zeros((FEW_ROWS, 1)), np.zeros(FEW_ROWS, int), NO_WISHES),
        (ORDINARY.astype(int), np.array([0, 1, 1, 0]), NO_WISHES),
    ],
)
def test_what_needs_a_survey_is_surveyed(matrix: Any, labels: Any, wishes: ColumnOptions) -> None:
    assert small_table(open_source(matrix), wishes, labels, 1) is None


def test_masked_labels_are_missing_ones():
    x = np.arange(40.0).reshape(20, 2) % 7
    y = np.ma.array(np.arange(20) % 2, mask=[False, False, False, False, True] * 4)
    for labels in (y, y[:, None]):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of labels in a matrix
            table = read_table(open_source(x), target=labels)
        assert table.rows == 16
