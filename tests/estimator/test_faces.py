"""What compare and report ask of a method: no row alone, and the pair that naive Bayes should doubt."""

from __future__ import annotations

import tallystick as ts
from tallystick.bayes.explain import dependence
from tallystick.judge.checks import as_it_is, no_checks
from tallystick.scorecard.estimator import guarded_card
from tallystick.tree.estimator import guarded_tree

ROWS = {"a": [float(i) for i in range(20)], "y": ["p"] + ["q"] * 19}


def test_a_tree_with_a_leaf_of_one_row_is_fitted_again():
    tree = ts.DecisionTree.id3(kinds={"a": "numeric"})
    table = tree._read(ROWS, "y")
    tree._fit_table(table)
    assert (tree.model_.rows.sum(axis=1) == 1).any()
    shown = guarded_tree(tree, table)
    assert not (shown.model_.rows.sum(axis=1) <= 1).any()
    assert shown.min_samples_leaf == 2
    assert guarded_tree(shown, table) is shown
    assert as_it_is(tree, table) is tree


def test_columns_that_repeat_each_other_are_doubted():
    rows = {"a": ["u", "v", "u", "v"] * 20, "b": ["k", "l", "k", "l"] * 20, "y": ["p", "p", "q", "q"] * 20}
    (check,) = dependence(ts.NaiveBayes()._read(rows, "y"))
    assert check.text == "columns 'a' and 'b' share 1.00 bits given the class, 0.02 by chance alone."


def test_columns_apart_and_a_single_one_are_not():
    rows = {"a": ["u", "v", "u", "v"] * 20, "b": ["k", "k", "l", "l"] * 20, "y": ["p"] * 40 + ["q"] * 40}
    assert list(dependence(ts.NaiveBayes()._read(rows, "y"))) == []
    alone = {"a": rows["a"], "y": rows["y"]}
    table = ts.NaiveBayes()._read(alone, "y")
    assert list(dependence(table)) == list(no_checks(table)) == []


def test_a_card_with_a_line_of_one_row_is_fitted_again():
    rows = [{"a": "uv"[i % 2], "b": i % 30, "y": "pq"[(i % 2) ^ (i % 9 == 0)]} for i in range(120)]
    rows.append({"a": "alone", "b": 99, "y": "q"})
    card = ts.Scorecard(kinds={"a": "levels", "b": "numeric"})
    table = card._read(rows, "y")
    card._fit_table(table)

    def alone(model):
        return any((part.rows.sum(axis=1) == 1).any() for part in model.model_.parts)

    assert alone(card)
    shown = guarded_card(card, table)
    assert not alone(shown)
    assert shown.pairs == 0
    assert guarded_card(shown, table) is shown


def test_a_missing_value_that_one_row_has_alone_is_not_on_a_guarded_card():
    rows = [{"a": "uv"[i % 2], "b": i % 30, "y": "pq"[(i % 2) ^ (i % 9 == 0)]} for i in range(120)]
    rows.append({"a": None, "b": None, "y": "q"})
    card = ts.Scorecard(kinds={"a": "levels", "b": "numeric"})
    table = card._read(rows, "y")
    card._fit_table(table)
    assert any((part.rows.sum(axis=1) == 1).any() for part in card.model_.parts)
    shown = guarded_card(card, table)
    for part in shown.model_.parts:
        assert (part.rows.sum(axis=1) != 1).all()
        assert not part.points[part.rows.sum(axis=1) == 0].any()
    assert "missing" not in str(shown.card_)
    assert any((part.rows.sum(axis=1) == 1).any() for part in card.model_.parts)  # it is as it was
