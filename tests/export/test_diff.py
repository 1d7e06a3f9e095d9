"""What changed between two models, in words, for every kind of model; silence exactly when nothing did."""

from __future__ import annotations

import copy
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from model_files import models, rows

import tallystick as ts
from tallystick.errors import ModelFileError
from tallystick.export.diff import compare
from tallystick.model.file import from_bytes, to_bytes

MODELS = {name: json.loads(model.to_bytes()) for name, model in models().items()}


def said(a, b):
    return str(compare(json.loads(a.to_bytes()), json.loads(b.to_bytes())))


@pytest.mark.parametrize("name", MODELS)
def test_a_model_and_itself_are_the_same(name):
    assert str(compare(MODELS[name], copy.deepcopy(MODELS[name]))) == "The two models are the same."


def test_counts_of_naive_bayes_are_told_by_column_value_and_class():
    table = rows()
    changed = [*table[:-1], table[-1] | {"sky": "snow", "n": 9}]
    options = {
        "kinds": {"said": "text", "n": "numeric"},
        "distributions": {"n": "binned", "temp": "gaussian"},
    }
    text = said(ts.NaiveBayes(**options).fit(table, "y"), ts.NaiveBayes(**options).fit(changed, "y"))
    assert "schema, columns, column 'sky', levels: 'snow' was added" in text
    assert "column 'sky', counts, level 'snow' was added" in text
    assert "column 'sky', counts, level 'fog', class " in text
    assert "(-1)" in text


def test_a_tree_is_told_by_the_way_to_each_node_and_its_classes():
    table = rows()
    changed = [*table[:-1], table[-1] | {"y": "b" if table[-1]["y"] == "a" else "a"}]
    options = {"kinds": {"said": "out"}}
    text = said(ts.DecisionTree(**options).fit(table, "y"), ts.DecisionTree(**options).fit(changed, "y"))
    assert "rows of class 'a' at the root changed from " in text
    assert "rows of class 'b' where " in text
    assert "test where " in text or "test at the root" in text
    assert "[[" not in text  # no raw lists


def test_weights_of_logistic_regression_are_told_by_column_level_and_class():
    table = rows()
    options = {"kinds": {"said": "text", "n": "numeric"}}
    text = said(
        ts.LogisticRegression(**options).fit(table, "y"),
        ts.LogisticRegression(**options).fit(table[:-2], "y"),
    )
    assert "column 'sky', weights, level 'fog', class 'b' changed from " in text
    assert "column 'said', weights, word 'apple', class 'b' changed from " in text
    assert "column 'n', slope, class 'b' changed from " in text
    assert "constant, class 'b' changed from " in text


def test_a_parameter_that_was_not_set_is_told():
    table = rows()
    text = said(
        ts.DecisionTree(kinds={"said": "out"}).fit(table, "y"),
        ts.DecisionTree(kinds={"said": "out"}, max_depth=30).fit(table, "y"),
    )
    assert text == "parameter, max_depth changed from 'none' to 30"


def test_means_of_a_regression_tree_are_told():
    table = [{"x": i % 7, "y": i * 1.5} for i in range(40)]
    text = said(ts.RegressionTree().fit(table, "y"), ts.RegressionTree().fit(table[:-1], "y"))
    assert "mean at the root changed from " in text
    assert "weight at the root changed from 40 to 39 (-1)" in text


def test_models_of_two_kinds_are_told_apart_in_a_line():
    text = str(compare(MODELS["bayes"], MODELS["tree"]))
    assert text == "kind of model changed from 'naive-bayes' to 'decision-tree'"


def places(value, path=()):
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in items:
        yield (*path, key)
        yield from places(inner, (*path, key))


@pytest.mark.slow
@settings(max_examples=300)
@given(data=st.data())
def test_any_change_that_still_is_a_model_is_told(data):
    name = data.draw(st.sampled_from(sorted(MODELS)))
    before = MODELS[name]
    after = copy.deepcopy(before)
    path = data.draw(st.sampled_from([p for p in places(before) if p[0] not in ("format", "sha256", "kind")]))
    place = after
    for step in path[:-1]:
        place = place[step]
    old = place[path[-1]]
    place[path[-1]] = (
        old + 1
        if type(old) is int
        else old * 1.5 + 1e-3
        if isinstance(old, float)
        else not old
        if isinstance(old, bool)
        else old + "!"
        if isinstance(old, str)
        else old
    )
    try:
        again = from_bytes(to_bytes({k: v for k, v in after.items() if k not in ("format", "sha256")}))
        found = compare(before, again)
    except ModelFileError:
        return  # no model any more
    assert bool(found) == (after != before)
    assert all("\n" not in str(change) for change in found.changes)
