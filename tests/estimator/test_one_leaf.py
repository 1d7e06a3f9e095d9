"""Tables that have nothing to tell apart: a tree is one leaf, with a note; others refuse them."""

from __future__ import annotations

import pickle

import pytest

import tallystick as ts
from tallystick.errors import DataError, TargetError

ONE = [{"a": i % 3, "b": "xy"[i % 2], "y": "no"} for i in range(12)]
ALIKE = [{"a": 1, "b": "x", "y": "no" if i % 3 else "yes"} for i in range(12)]
TREES = (
    ts.DecisionTree(),
    ts.DecisionTree.id3(),
    ts.DecisionTree.c45(),
    ts.DecisionTree.cart(),
    ts.OptimalTree(),
    ts.DecisionTree(memory="64MB"),
)


@pytest.mark.slow
@pytest.mark.parametrize("tree", TREES, ids=repr)
@pytest.mark.parametrize(
    ("rows", "note", "counts"), [(ONE, "one-class", [12]), (ALIKE, "one-value", [8, 4])], ids=["one", "alike"]
)
def test_a_tree_of_one_leaf_answers_prints_explains_and_exports(tree, rows, note, counts):
    fitted = type(tree)(**tree.get_params(deep=False)).fit(rows, "y")
    assert fitted.model_.nodes.counts.tolist() == [counts]
    assert note in {n.code for n in fitted.notes_}
    assert fitted.predict(rows[:2]).tolist() == ["no", "no"]
    assert fitted.predict_proba(rows[:1]).sum() == pytest.approx(1)
    assert str(fitted.explain(rows[0]))
    assert "always no" in str(fitted.rules())
    assert all(fitted.export(kind) for kind in ("sql", "python", "js", "rules"))
    assert pickle.loads(pickle.dumps(fitted)).to_bytes() == fitted.to_bytes()
    assert "1 leaf" in str(fitted)


def test_a_regression_of_inputs_that_are_alike_is_the_mean():
    tree = ts.RegressionTree().fit([{"a": 1, "y": i / 2} for i in range(5)], "y")
    assert tree.predict([{"a": 1}]).tolist() == [1.0]


def test_describe_tells_of_such_tables():
    assert "one-class" in {n.code for n in ts.describe(ONE, "y").notes}
    assert {n.code for n in ts.describe(ALIKE, "y").notes} >= {"one-value"}


@pytest.mark.parametrize("kind", [ts.NaiveBayes, ts.LogisticRegression, ts.Scorecard, ts.RuleList])
def test_other_methods_have_nothing_to_say_there_and_refuse(kind):
    with pytest.raises(TargetError, match=r"has one class .*two are needed"):
        kind().fit(ONE, "y")
    with pytest.raises(DataError, match="no usable column"):
        kind().fit(ALIKE, "y")


def test_columns_that_name_their_rows_are_still_refused():
    rows = [{"id": f"n{i:03}", "y": i % 2} for i in range(40)]
    with pytest.raises(DataError, match=r"no usable column.*identifier"):
        ts.DecisionTree().fit(rows, "y")
