"""What judging asks of a method: every method has all of it, and nobody has to ask what it has."""

from __future__ import annotations

import pytest

import tallystick as ts
from tallystick.estimators.peers import Foreign, Majority, Mean
from tallystick.evaluate.method import Answering, Fits, FoldRows


def declared(protocol):
    """The names of what a Protocol declares."""
    own = {
        name
        for name in vars(protocol)
        if callable(vars(protocol)[name]) or isinstance(vars(protocol)[name], property)
    }
    return {name for name in own if not name.startswith("__") and name not in ("_abc_impl", "_is_protocol")}


def test_the_page_names_what_is_asked():
    assert {"get_params", "_fit_table", "model_", "_numbers", "_own_costs", "_by_label"} <= declared(Fits)
    assert declared(Answering) == {"shares"}
    assert declared(FoldRows) == {"blocks", "answers", "rows"}


@pytest.mark.parametrize(
    "method", [ts.NaiveBayes, ts.DecisionTree, ts.RegressionTree, ts.LogisticRegression, ts.Scorecard]
)
def test_every_method_of_ours_has_all_of_it(method):
    assert {name for name in declared(Fits) - {"model_"} if not hasattr(method, name)} == set()


@pytest.mark.parametrize("method", [Majority, Mean, Foreign])
def test_methods_that_are_compared_have_what_folds_ask(method):
    asked = declared(Fits) - {"model_", "_read"}  # the table is read by ours
    assert {name for name in asked if not hasattr(method, name)} == set()


def test_a_fitted_model_answers_a_block():
    rows = {"c": ["u", "v"] * 5, "y": ["p", "q"] * 5}
    for make in (ts.NaiveBayes, ts.DecisionTree, ts.LogisticRegression, ts.Scorecard):
        model = make()
        table = model._read(rows, "y")
        shares = model._fit_table(table).model_.shares(table.slice(0, 4))
        assert shares.shape == (4, 2)
        assert shares.sum(axis=1).tolist() == pytest.approx([1.0] * 4)
