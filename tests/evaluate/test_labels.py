"""The labels of rows as class numbers: known, unknown and missing ones."""

from __future__ import annotations

import numpy as np
import pytest

import tallystick as ts
from tallystick.errors import TargetError
from tallystick.evaluate.labels import MISSING, UNKNOWN, labels_of

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
