"""ONNX, run by onnxruntime: the same labels, shares to 1e-6."""

from __future__ import annotations

import exports as e
import numpy as np
import pytest
from exports import run_onnx

import tallystick as ts
from tallystick.errors import OptionError

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("name", [n for n in e.MODELS if n != "tree c4.5"])
def test_onnxruntime_answers_what_the_model_answers(name):
    e.same(run_onnx(e.fitted(name).export("onnx"), e.new_rows(name)), name, 1e-6)


@pytest.mark.parametrize("name", ["tree", "tree observed", "bayes"])
def test_a_number_at_a_cut_goes_where_the_model_sends_it(name):
    model, table = e.fitted(name), e.at_cuts(name)
    found = run_onnx(model.export("onnx"), table)[1]
    assert np.abs(found - model.predict_proba(table)).max() <= 1e-6


@pytest.mark.parametrize("name", ["tree", "bayes", "logistic"])
def test_onnx_answers_the_label_first_then_the_probabilities(name):
    onnx = pytest.importorskip("onnx")
    outputs = onnx.load_from_string(e.fitted(name).export("onnx")).graph.output
    assert [output.name for output in outputs] == ["label", "probabilities"]


def test_onnx_says_what_it_is():
    onnx = pytest.importorskip("onnx")
    model = onnx.load_from_string(e.fitted("bayes").export("onnx"))
    assert "a naive Bayes model for 'class'" in model.doc_string
    assert e.EVIL in [i.name for i in model.graph.input]


@pytest.mark.parametrize("make", [lambda: ts.DecisionTree(min_samples_leaf=15), ts.RuleList, ts.Scorecard])
def test_a_model_that_reads_no_column_is_refused(make):
    """Nothing would say how many rows are asked about."""
    model = make().fit({"a": [1.0, 2.0, 1.0, 2.0] * 5, "y": ["p", "p", "q", "q"] * 5}, "y")
    with pytest.raises(OptionError, match=r"reads? no column, and ONNX needs an input"):
        model.export("onnx")
