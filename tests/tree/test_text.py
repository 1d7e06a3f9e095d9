"""A tree as lines of text."""

from __future__ import annotations

from dataclasses import replace
from importlib.resources import files

import numpy as np
import pytest
from trees import SCHEMA, one_test

import tallystick as ts
from tallystick.schema import Column, Schema
from tallystick.tree.model import Answers, ClassWeights, Tree
from tallystick.tree.view import count, heading, show

LOST = replace(SCHEMA, columns=tuple(replace(c, missing=1) for c in SCHEMA.columns))


def test_the_print_names_columns_levels_counts_and_the_way_of_missing_values():
    text = str(Tree(LOST, one_test(missing=1)))
    assert text.splitlines() == [
        "Tree for y: 6 rows, 2 leaves, 3 nodes, depth 1, training accuracy 0.8333 (5 of 6)",
        "Counts: no, perhaps, yes",
        "all rows             3 1 2   no 0.500",
        "├─ x < 5             3 0 0 → no 1.000",
        "└─ x ≥ 5 or missing  0 1 2 → yes 0.667",
    ]


def test_a_footnote_tells_where_missing_values_go_that_training_had_not():
    lines = str(Tree(SCHEMA, one_test(missing=0))).splitlines()
    assert lines[-3:] == [
        "├─ x < 5  3 0 0 → no 1.000",
        "└─ x ≥ 5  0 1 2 → yes 0.667",
        "No tested value was missing in training; a missing or new one takes the branch of most rows.",
    ]
    assert not str(Tree(LOST, one_test(missing=0))).endswith("most rows.")


def test_a_long_tree_says_how_many_branches_are_not_shown():
    lines = show(Tree(LOST, one_test(missing=1)), most=2).splitlines()
    assert lines[-1] == "… and 1 more branch; tree.show(most=3) tells all."


def test_weights_and_costs_are_said_above_the_tree():
    costs = ((0.0, 1.0, 1.0), (1.0, 0.0, 1.0), (1.0, 9.0, 0.0))
    answers = Answers(costs=costs, weights=ClassWeights((1.0, 2.0, 0.5)))
    text = "\n".join(heading(Tree(SCHEMA, one_test(missing=1), answers=answers)))
    assert "A row counts by its class (no 1, perhaps 2, yes 0.5)" in text
    assert "The answer is the class of the least expected cost" in text


def test_numbers_of_things_agree_with_their_words():
    assert [count(n, "leaf") for n in (1, 2)] == ["1 leaf", "2 leaves"]
    assert count(1234, "row") == "1,234 rows"


def test_a_name_cannot_change_the_print():
    schema = Schema((Column("a\n\x1b[31m", "numeric"),), SCHEMA.target)
    assert "\x1b" not in str(Tree(schema, one_test(missing=0)))
    assert len(str(Tree(schema, one_test(missing=0))).splitlines()) == 6


def test_a_stump_that_is_most_probable_does_not_hide_the_tree_that_answers():
    tennis = files("tallystick") / "examples" / "play-tennis.csv"
    tree = ts.DecisionTree().fit(tennis, "Play")
    assert tree.model_.shown_as == "answers"
    text = str(tree)
    assert "is the root alone: 14 rows do not prove that any test helps. Shown is the smallest" in text
    shown = tree.model_.shown
    assert shown.nodes.leaves > 1
    ends = tree.apply(tennis)
    assert (tree.predict(tennis) == "Yes").sum() < 14  # better than the base rate
    wrong = shown.training_error()
    assert wrong == tree.model_.training_error() < 5
    assert set(ends) <= set(range(len(tree.model_.nodes)))
    rows = [{"a": i % 2, "b": i % 5, "y": i % 3 == 0} for i in range(12)]
    same = ts.DecisionTree().fit(rows, "y")
    assert len(set(same.predict(rows))) == 1
    assert same.model_.shown_as == "grown"
    assert "whose leaves need not answer as the average does" in str(same)


@pytest.mark.slow
def test_no_line_of_a_large_tree_is_longer_than_a_terminal():
    draw = np.random.default_rng(4)
    names = [f"a-level-with-quite-a-long-name-{k}" for k in range(12)]
    codes, x = draw.integers(0, 12, 1500), draw.integers(0, 40, 1500)
    y = ((codes * 7 + x // 3) % 4 + draw.integers(0, 2, 1500)).tolist()
    table = {"a-column-with-a-name-that-goes-on-and-on": [names[c] for c in codes], "x": x.tolist()}
    tree = ts.DecisionTree(average=False).fit(table, [f"class {v}" for v in y])
    body = [line for line in tree.show(most=10_000).splitlines() if line[:1] in "├│└"]
    assert tree.model_.nodes.depth.max() >= 6
    assert max(map(len, body)) <= 80
    assert any("…" in line for line in body)
