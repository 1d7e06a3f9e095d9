"""Naive Bayes as a logistic model: the same shares from sums of weights, or a refusal."""

from __future__ import annotations

import numpy as np
import pytest

import tallystick as ts
from tallystick.bayes.explain import logistic_form
from tallystick.errors import OptionError

ROWS = {
    "c": ["u", "v", "v", "u", None, "v"],
    "n": [1.0, 2.0, 4.0, 3.0, None, 7.0],
    "t": ["red sun", "blue sun", "red", "blue", "sun", "red red"],
    "y": ["p", "q", "q", "p", "p", "q"],
}
KINDS = {"c": "levels", "n": "numeric", "t": "text"}


@pytest.mark.parametrize(
    "options",
    [{"share": "classes"}, {"distributions": {"n": "poisson"}}, {"calibrate": True, "share": "classes"}],
)
def test_the_shares_are_those_of_naive_bayes(options):
    options = {"distributions": {"n": "gaussian"}} | options
    model = ts.NaiveBayes(kinds=KINDS, **options).fit(ROWS, "y")
    form = logistic_form(model.model_)
    table = model._read(ROWS, "y")
    block = table.slice(0, table.rows)
    assert np.allclose(form.shares(block), model.model_.shares(block), rtol=0, atol=1e-12)
    assert form.intercepts[-1] == 0.0
    assert all(weight.weights[-1] == 0.0 for weight in form.weights)


def test_a_variance_per_class_has_no_such_form():
    model = ts.NaiveBayes(distributions={"n": "gaussian"}, kinds=KINDS).fit(ROWS, "y")
    with pytest.raises(
        OptionError, match=r"column 'n' is Gaussian with a variance per class.*share='classes'"
    ):
        logistic_form(model.model_)


def test_every_level_and_word_has_a_line():
    rows = {name: cells for name, cells in ROWS.items() if name != "n"}
    form = logistic_form(ts.NaiveBayes(kinds={"c": "levels", "t": "text"}).fit(rows, "y").model_)
    assert [(w.column, w.value) for w in form.weights] == [
        ("c", "u"),
        ("c", "v"),
        ("t", "blue"),
        ("t", "red"),
        ("t", "sun"),
    ]
    assert str(form).splitlines()[0] == "log-odds against q: intercept, then what each value adds"
    assert form.to_dict()["classes"] == ["p", "q"]
