"""What labels and weights are taken for: one promise each."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from tallystick.errors import DataError, TargetError
from tallystick.io.open import open_source
from tallystick.schema import ColumnOptions
from tallystick.table.reader import read_table


def target_of(labels, **options):
    rows = len(labels)
    return read_table(open_source({"x": np.arange(rows) * 1.5}), target=labels, **options)


# row 33
@pytest.mark.parametrize(
    ("labels", "texts", "kind"),
    [
        ([1, 2, 10, 1], ("1", "2", "10"), "integer"),
        ([1.0, 2.0, 10.0, 1.0], ("1", "2", "10"), "integer"),
        (["b", "a", "b", "a"], ("a", "b"), "text"),
        (["1", "2", "1", "2"], ("1", "2"), "text"),
        ([True, False, True, True], ("false", "true"), "boolean"),
        ([0.5, 1.5, 0.5, 1.5], ("0.5", "1.5"), "number"),
    ],
)
def test_labels_are_canonical_texts_with_their_type(labels, texts, kind):
    for given in (labels, np.array(labels), pd.Series(labels), pl.Series(labels), pa.array(labels)):
        target = target_of(given).schema.target
        assert (target.labels, target.type) == (texts, kind)


def test_labels_of_a_file_have_the_type_they_look_like(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("x,y\n1.5,1\n2.5,0\n3.5,1\n")
    frame = pd.read_csv(path)
    assert (
        read_table(open_source(path), target="y").schema == read_table(open_source(frame), target="y").schema
    )


@pytest.mark.parametrize("form", [list, lambda cells: pd.Series(cells, dtype="category")])
def test_labels_of_mixed_types_are_one_class_per_text_with_a_note(form):
    table = target_of(form([1, "1", 1.0, "no"]))
    assert table.schema.target.labels == ("1", "no")
    assert "mixed-labels" in [note.code for note in table.notes]


@pytest.mark.parametrize("cells", [["a", None, "b"], ["a", float("nan"), "b"], [1, 2.0, None], ["a", "b"]])
@pytest.mark.parametrize("form", [list, pd.Series, lambda cells: pd.Series(cells, dtype=object)])
def test_labels_of_one_type_have_no_such_note_whatever_is_missing(cells, form):
    assert "mixed-labels" not in [note.code for note in target_of(form(cells * 2)).notes]


# row 21
def test_a_misspelt_target_is_an_error_with_the_nearest_name():
    with pytest.raises(TargetError, match=r"no column 'partly'.*Did you mean 'party'"):
        read_table(open_source({"party": ["a", "b"], "x": [1, 2]}), target="partly")


# row 28
def test_rows_without_a_target_are_left_out_and_counted():
    table = target_of(["a", "b", None, "a", "b"])
    assert table.rows == 4
    (note,) = table.notes
    assert (note.code, note.count) == ("rows-left-out", 1)
    with pytest.raises(TargetError, match=r"missing in 3 of 5 rows"):
        target_of(["a", "b", None, None, None])


# row 40
def test_one_class_is_an_error():
    with pytest.raises(TargetError, match=r"target 'y' has one class \('no'\) in 4 rows; two are needed"):
        target_of(["no"] * 4)


def test_declared_labels_are_classes_even_without_rows():
    table = read_table(
        open_source({"x": [1.5, 2.5], "y": ["a", "a"]}), ColumnOptions(levels={"y": ["a", "b"]}), "y"
    )
    assert table.schema.target.labels == ("a", "b")


# row 41
def test_a_continuous_target_is_an_error_pointing_to_regression():
    with pytest.raises(TargetError, match=r"continuous: 30 different numbers.*RegressionTree"):
        target_of(np.arange(30) * 1.37)
    response = target_of(np.arange(30) * 1.37, regression=True)
    assert response.response.tolist() == (np.arange(30) * 1.37).tolist()
    assert response.schema.target.labels == ()


# row 42
def test_ten_thousand_classes_are_read():
    table = target_of(np.arange(30_000) % 10_000)
    assert len(table.schema.target.labels) == 10_000
    assert table.classes.dtype == np.uint16


def test_a_target_of_another_length_is_an_error():
    with pytest.raises(TargetError, match=r"has 3 values for 4 rows"):
        read_table(open_source({"x": [1, 2, 3, 4]}), target=["a", "b", "a"])


# rows 52 and 53
@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ([1, -1, 1], "negative in 1 row, first in row 2"),
        ([1, 1, float("nan")], "missing in 1 row, first in row 3"),
        ([float("inf"), 1, 1], "infinite in 1 row, first in row 1"),
        ([1, 1], "has 2 weights for 3 rows"),
        ([0, 0, 0], "all sample weights are zero"),
        ([2.0**62, 2.0**62, 1], "beyond exact counting"),
        (["a", "b", "c"], "not a number"),
    ],
)
def test_bad_weights_are_an_error_with_their_row(weights, message):
    with pytest.raises(DataError, match=message):
        read_table(open_source({"x": [1.5, 2.5, 3.5]}), weights=weights)


def test_whole_weights_are_exact_and_others_are_multiples_of_a_small_unit_that_sum_to_the_rows():
    table = read_table(open_source({"x": [1.5, 2.5, 3.5]}), weights=[2**40, 1, 0])
    assert (table.weights.tolist(), table.unit, table.rows) == ([2**40, 1], 1, 2)
    table = read_table(open_source({"x": [1.5, 2.5, 3.5]}), weights=[0.5, 1e-300, 1])
    assert (table.weights.tolist(), table.unit) == ([2**32, 1, 2**33], 2**32)
