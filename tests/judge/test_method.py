"""What judging asks of a method: every method has all of it, and nobody has to ask what it has."""

from __future__ import annotations

import numpy as np
import pytest

import tallystick as ts
from tallystick.judge.api import Foreign, Majority, Mean
from tallystick.judge.run import Answering, Fits, FoldRows, fresh


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


@pytest.mark.slow
@pytest.mark.parametrize(
    "method",
    [
        ts.NaiveBayes(),
        ts.DecisionTree(),
        ts.LogisticRegression(),
        ts.LogisticRegression(l2=0.0),
        ts.Scorecard(),
        ts.RuleList(),
    ],
    ids=str,
)
def test_a_fit_that_only_answers_answers_as_any_other_to_the_bit(method):
    rng = np.random.default_rng(4)
    x = rng.random(80)
    rows = {"x": x, "c": rng.choice(["u", "v", "w"], 80), "y": np.where(x + rng.random(80) > 1, "p", "q")}
    table = method._read(rows, "y")
    whole, quick = fresh(method)._fit_table(table), fresh(method)._fit_to_answer(table)
    block = table.slice(0, table.rows)
    assert quick.model_.shares(block).tobytes() == whole.model_.shares(block).tobytes()
    assert whole.rows_["fingerprint"]
    assert not quick.rows_


def test_a_fit_that_only_answers_does_not_look_for_separated_classes():
    rows = {"x": [0.7 * v for v in range(20)], "y": ["p"] * 10 + ["q"] * 10}
    table = ts.LogisticRegression()._read(rows, "y")
    told = [note.code for note in ts.LogisticRegression()._fit_table(table).notes_]
    silent = [note.code for note in ts.LogisticRegression()._fit_to_answer(table).notes_]
    assert "separation" in told
    assert "separation" not in silent
