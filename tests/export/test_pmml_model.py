"""PMML, evaluated by JPMML-Evaluator: labels, probabilities, missing and unseen levels are the model's."""

from __future__ import annotations

import shutil

import exports as e
import numpy as np
import pytest

import tallystick as ts
from tallystick.errors import OptionError
from tallystick.text import label_text

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(shutil.which("java") is None, reason="java is not installed"),
]
EACH = ["tree costs", "regression tree", "bayes gaussian", "bayes poisson", "logistic products", "card three"]


@pytest.mark.parametrize("name", [*EACH, "card crossed", "rules costs"])
def test_an_evaluator_answers_what_the_model_answers(name, tmp_path):
    found = e.run_pmml(e.fitted(name).export("pmml"), e.new_rows(name), tmp_path)
    labels, shares = e.expected(name)
    if name == "regression tree":
        assert found["prediction"] == labels
        return
    assert found["prediction"] == [label_text(label) for label in labels]
    got = np.array([found[f"P({label_text(c)})"] for c in e.fitted(name).classes_.tolist()]).T
    assert np.abs(got - shares).max() <= 1e-12


def test_reasons_are_those_of_the_model(tmp_path):
    model, rows = e.fitted("card"), {n: v[:300] for n, v in e.new_rows("card").items()}
    found = e.run_pmml(model.export("pmml"), rows, tmp_path)
    for i, wanted in enumerate(model.reasons(rows, most=4)):
        told = [found[f"reason_{k}"][i] for k in range(1, 5)]
        assert told[: len(wanted)] == [reason.text for reason in wanted]
        assert all(not text or text != text for text in told[len(wanted) :])


@pytest.mark.parametrize("name", ["tree", "tree observed"])
def test_a_number_at_a_cut_goes_where_the_model_sends_it(name, tmp_path):
    model, table = e.fitted(name), e.at_cuts(name)
    found = e.run_pmml(model.export("pmml"), table, tmp_path)
    assert found["prediction"] == [label_text(label) for label in model.predict(table).tolist()]


def test_names_stay_names(tmp_path):
    name, level = '<a b="c">&', "x\\\" ' <&> ]]>"
    rows = {name: [level, "b", level, "b"] * 5, "y": ["no<", '"yes"', "no<", '"yes"'] * 5}
    for make in (ts.DecisionTree, ts.NaiveBayes):
        model = make().fit(rows, "y")
        found = e.run_pmml(model.export("pmml"), {name: [level, "b"]}, tmp_path)
        assert found["prediction"] == ["no<", '"yes"']


def test_what_pmml_cannot_say_is_refused():
    with pytest.raises(OptionError, match="in parts has no PMML"):
        e.fitted("tree c4.5").export("pmml")
    never = ts.NaiveBayes(alpha=0).fit({"a": ["x", "y", "x"] * 9, "y": ["p", "q", "q"] * 9}, "y")
    with pytest.raises(OptionError, match="makes a class impossible"):
        never.export("pmml")
    model = ts.DecisionTree().fit({"a": ["x\x01", "y"] * 9, "y": ["p", "q"] * 9}, "y")
    with pytest.raises(OptionError, match="which no XML text can hold"):
        model.export("pmml")
