"""Rules say what the tree says."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from trees import REGRESSION, SCHEMA, random_nodes, random_rows, random_tree, refilled

from tallystick.errors import OptionError
from tallystick.schema import Column, Schema, Target
from tallystick.tree.model import Tree
from tallystick.tree.nodes import STAYS, Nodes
from tallystick.tree.prune import Bound
from tallystick.tree.rules import generalised, holds, rules

seeds = st.integers(0, 10_000)


@pytest.mark.slow
@settings(max_examples=150, deadline=None)
@given(seeds)
def test_rules_give_every_row_the_class_of_its_leaf(seed):
    tree, block = random_tree(seed), random_rows(seed, 120)
    found = rules(tree)
    labels = tree.labels[tree.stops(block)]
    taken = np.array([holds(rule.conditions, block) for rule in found])
    assert (taken.sum(axis=0) == 1).all(), (
        "just one rule holds for every row, missing and unseen values included"
    )
    answers = np.array([SCHEMA.target.labels.index(rule.answer) for rule in found])
    assert (answers[taken.argmax(axis=0)] == labels).all()
    assert sum(rule.covers for rule in found) == tree.rows[0].sum()


@pytest.mark.slow
@settings(max_examples=100, deadline=None)
@given(seeds)
def test_a_rule_names_a_column_once_and_siblings_of_one_class_are_joined(seed):
    tree = random_tree(seed)
    found = rules(tree)
    for rule in found:
        names = [c.column.name for c in rule.conditions]
        assert len(names) == len(set(names))
    stays = int((tree.nodes.branch_of == STAYS).any()) + int(
        (tree.nodes.missing_branch[~tree.nodes.leaf] == STAYS).any()
    )
    if not stays:
        assert len(found) <= tree.nodes.leaves


@pytest.mark.slow
@settings(max_examples=50, deadline=None)
@given(seeds)
def test_regression_rules_cover_every_row_once(seed):
    tree, block = Tree(REGRESSION, random_nodes(seed, regression=True)), random_rows(seed, 60)
    taken = np.array([holds(rule.conditions, block) for rule in rules(tree)])
    assert (taken.sum(axis=0) == 1).all()
    answers = np.array([rule.answer for rule in rules(tree)])
    assert (answers[taken.argmax(axis=0)] == tree.shares(block)[:, 0]).all()


@pytest.mark.slow
@settings(max_examples=50, deadline=None)
@given(seeds)
def test_dropping_conditions_never_raises_the_feared_error_of_a_rule(seed):
    grown, block = random_tree(seed), random_rows(seed, 80)
    tree = Tree(SCHEMA, refilled(grown, block))
    bound = Bound(0.25).upper
    before, after = rules(tree), generalised(rules(tree), block, 1, bound)
    assert len(after) <= len(before)
    assert sum(len(r.conditions) for r in after) <= sum(len(r.conditions) for r in before)
    feared = [
        bound(np.array([r.covers - r.right]), np.array([r.covers]))[0] / r.covers for r in after if r.covers
    ]
    assert feared == sorted(feared)
    assert "otherwise" in str(after)


def boolean_tree() -> Tree:
    """f3 first; on its 0 side f2 (1: yes); on its 1 side f2 (0: f1, 1: no)."""
    schema = Schema(
        tuple(Column(f"f{j}", "boolean", levels=("0", "1")) for j in (1, 2, 3)),
        Target("y", ("0", "1"), "integer"),
    )
    column = [2, 1, -1, -1, 1, 0, -1, -1, -1]
    counts = [[3, 2], [1, 1], [1, 0], [0, 1], [2, 1], [1, 1], [1, 0], [0, 1], [1, 0]]
    sizes = [2 if c >= 0 else 0 for c in column]
    nodes = Nodes(
        counts=np.array(counts),
        column=np.array(column, np.int32),
        cut=np.full(9, np.nan),
        n_children=np.array(sizes, np.int32),
        branch_start=np.concatenate([[0], np.cumsum(sizes)]),
        branch_of=np.array([0, 1] * 4, np.int32),
        missing_branch=np.where(np.array(column) >= 0, 0, STAYS).astype(np.int32),
        gain=np.zeros(9),
    )
    return Tree(schema, nodes)


def test_a_tree_of_two_classes_is_a_boolean_expression():
    found = rules(boolean_tree())
    assert found.expression() == "f2∧¬f3 ∨ f1∧¬f2∧f3"
    assert found.expression("0") == "¬f1∧¬f2 ∨ f2∧f3 ∨ ¬f2∧¬f3"  # the leaf says f3∧¬f2∧¬f1: f3 is not needed
    with pytest.raises(OptionError, match="two classes, this model has 3"):
        rules(random_tree(3)).expression()


def test_a_rule_reads_as_a_sentence_with_coverage_share_and_lift():
    text = str(rules(boolean_tree()).rules[1])
    assert text == "if f3 = 0 and f2 = 1 then 1 (1 row, 20.0%; share 1.000, lift 2.50)"
