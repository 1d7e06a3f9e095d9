"""Answers beside the rows of a batch: names, types, and what needs all rows in one place."""

from __future__ import annotations

import pyarrow as pa
import pytest

import tallystick as ts
from tallystick import __version__
from tallystick.errors import OptionError
from tallystick.spark.fitting import SparkAnswers, answer_names, answered, deals, refuse_far, transform

ROWS = {"c": ["u", "v", "u", "v"], "y": [0, 1, 0, 1]}


@pytest.fixture(scope="module")
def model():
    return ts.NaiveBayes().fit(ROWS, "y")


def test_answers_have_the_type_of_the_labels(model):
    assert answer_names(model) == [("prediction", pa.int64()), ("P(0)", pa.float64()), ("P(1)", pa.float64())]
    line = ts.RegressionTree().fit({"a": [1.0, 2.0, 3.0], "y": [1.5, 2.5, 3.5]}, "y")
    assert answer_names(line) == [("prediction", pa.float64())]


def test_a_batch_has_its_cells_and_the_answers_of_the_model(model):
    batch = pa.RecordBatch.from_pydict({"id": [7, 8], "c": ["u", "v"]})
    found = answered(model, batch)
    assert found.schema.names == ["id", "c", "prediction", "P(0)", "P(1)"]
    assert found.column("prediction").to_pylist() == model.predict({"c": ["u", "v"]}).tolist()
    assert found.column("P(1)").to_pylist() == model.predict_proba({"c": ["u", "v"]})[:, 1].tolist()


def test_a_worker_answers_by_the_model_file(model):
    batch = pa.RecordBatch.from_pydict({"c": ["u"]})
    (found,) = SparkAnswers(model.to_bytes(), __version__)([batch])
    assert found.equals(answered(model, batch))


def test_rows_that_are_here_get_their_shares(model):
    assert transform(model, {"c": ["u"]}).tolist() == model.predict_proba({"c": ["u"]}).tolist()


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: ts.DecisionTree.c45(), "pruning='pessimistic' needs all rows in one place"),
    ],
)
def test_settings_that_need_all_rows_in_one_place_are_refused(make, says):
    with pytest.raises(OptionError, match=says):
        refuse_far(make())
    refuse_far(ts.NaiveBayes())


def test_a_fit_that_deals_rows_into_folds_is_known_before_the_work():
    assert [deals(m) for m in (ts.NaiveBayes(), ts.NaiveBayes(calibrate=True), ts.Scorecard(l2="cv"))] == [
        False,
        True,
        True,
    ]
