"""A workbook, computed by the package formulas: it answers what the model answers."""

from __future__ import annotations

import exports as e
import numpy as np
import pytest

import tallystick as ts
from tallystick.errors import OptionError
from tallystick.export.form import form_of
from tallystick.text import label_text

pytestmark = pytest.mark.slow


@pytest.mark.parametrize(
    "name",
    [
        "tree cart",
        pytest.param("regression tree", marks=pytest.mark.night),  # half a minute of the package formulas
        "bayes gaussian",
        pytest.param("logistic products", marks=pytest.mark.night),
        "card",
        "card crossed",
        "rules costs",
    ],
)
def test_a_workbook_answers_what_the_model_answers(name, tmp_path):
    model, rows = e.fitted(name), e.records({n: v[:25] for n, v in e.new_rows(name).items()})
    found = e.run_excel(model.export("excel"), form_of(model.model_).given, rows, tmp_path)
    labels, shares = e.expected(name)
    if name == "regression tree":
        assert np.allclose([float(f["prediction"]) for f in found], labels[:25], rtol=0, atol=1e-9)
        return
    assert [str(f["prediction"]) for f in found] == [label_text(label) for label in labels[:25]]
    names = [f"P({label_text(c)})" for c in model.classes_.tolist()]
    assert np.abs(np.array([[float(f[n]) for n in names] for f in found]) - shares[:25]).max() <= 1e-9
    if name.startswith("card"):
        told = [[f[f"reason {k}"] for k in range(1, 5) if f[f"reason {k}"]] for f in found]
        given = {n: v[:25] for n, v in e.new_rows(name).items()}
        assert told == [[r.text for r in row] for row in model.reasons(given, most=4)]


def test_a_text_among_numbers_is_no_answer(tmp_path):
    model = ts.DecisionTree().fit({"x": [1.0, 2.0] * 20, "y": ["p", "q"] * 20}, "y")
    found = e.run_excel(model.export("excel"), ("x",), [{"x": "abc"}, {"x": "?"}, {"x": None}], tmp_path)
    assert str(found[0]["prediction"]) == "#N/A"
    assert found[1] == found[2]


def test_what_formulas_cannot_say_is_refused():
    for name, words in (("bayes words", "reads the words"), ("tree c4.5", "in parts has no workbook")):
        with pytest.raises(OptionError, match=words):
            e.fitted(name).export("excel")
    never = ts.NaiveBayes(alpha=0).fit({"a": ["x", "y", "x"] * 9, "y": ["p", "q", "q"] * 9}, "y")
    with pytest.raises(OptionError, match="makes a class impossible"):
        never.export("excel")


def test_the_same_model_gives_the_same_bytes():
    assert e.fitted("card").export("excel") == e.fitted("card").export("excel")
