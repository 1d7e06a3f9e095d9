"""The labels of rows as class numbers: known, unknown and missing ones."""

from __future__ import annotations

import numpy as np
import pytest

import tallystick as ts
from tallystick.errors import DataError, TargetError
from tallystick.judge.run import MISSING, UNKNOWN, weights_of
from tallystick.judge.run import class_labels_of as labels_of

SCHEMA = ts.NaiveBayes()._read({"x": ["u", "v"], "y": ["no", "yes"]}, "y").schema
NUMBERS = ts.NaiveBayes()._read({"x": ["u", "v"], "y": [0, 1]}, "y").schema


def test_labels_of_a_column_or_an_array_are_the_same():
    rows = {"y": ["yes", "no", " yes ", "maybe", None, "NA"]}
    wanted = [1, 0, 1, UNKNOWN, MISSING, MISSING]
    assert labels_of(rows, "y", SCHEMA).tolist() == wanted
    assert labels_of(None, np.array(rows["y"], object), SCHEMA).tolist() == wanted


@pytest.mark.parametrize("cells", [[1, 0], [1.0, 0.0], ["1", "0"]])
def test_a_number_is_its_class_however_it_is_written(cells):
    assert labels_of(None, cells, NUMBERS).tolist() == [1, 0]


def test_missing_numbers_are_missing_labels():
    assert labels_of(None, np.array([1.0, np.nan, 7.0]), NUMBERS).tolist() == [1, MISSING, UNKNOWN]
    assert labels_of(None, [], NUMBERS).tolist() == []


def test_a_column_that_is_not_there_is_refused_with_the_nearest():
    with pytest.raises(TargetError, match=r"there is no column 'party'.*Did you mean 'partei'"):
        labels_of({"partei": ["yes"]}, "party", SCHEMA)


@pytest.mark.parametrize("cells", [[{"a": 1}, "no"], [[1], [2, 3]], ["no", "\ud800"], np.zeros(2, complex)])
def test_labels_that_are_no_cells_are_refused_in_one_line(cells):
    with pytest.raises(DataError, match="column 'y'"):
        labels_of(None, cells, SCHEMA)


def test_weights_are_an_array_or_a_column_and_one_per_row():
    rows = {"x": ["u", "v"], "w": [1, 3]}
    assert weights_of(rows, "w", 2).tolist() == weights_of(rows, [1.0, 3.0], 2).tolist() == [1, 3]
    with pytest.raises(DataError, match="sample_weight has 3 values for 2 rows"):
        weights_of(rows, [1, 2, 3], 2)
    with pytest.raises(DataError, match="negative"):
        weights_of(rows, [1, -2], 2)
    with pytest.raises(DataError, match="all sample weights are zero"):
        weights_of(rows, [0, 0], 2)
    with pytest.raises(DataError, match=r"there is no column 'v'"):
        weights_of(rows, "v", 2)


def test_score_takes_the_weights_of_a_column_and_as_many_labels_as_rows():
    rows = {"x": ["u", "v"] * 9, "y": ["no", "yes"] * 9, "w": [1, 0] * 9}
    model = ts.NaiveBayes().fit(rows, "y")
    wrong = {**rows, "y": ["no", "no"] * 9}
    assert (model.score(wrong, "y"), model.score(wrong, "y", "w")) == (0.5, 1.0)
    with pytest.raises(TargetError, match="y has 3 labels for 18 rows"):
        model.score(rows, ["no", "yes", "no"])
