"""A tree to plain data and back, and data that is damaged."""

from __future__ import annotations

import copy
import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from trees import REGRESSION, SCHEMA, random_nodes, random_tree

import tallystick as ts
from tallystick.errors import ModelFileError
from tallystick.tree import model
from tallystick.tree.model import Answers, Tree

seeds = st.integers(0, 10_000)


READ = {"schema": SCHEMA, "unit": 1, "answers": Answers()}


@pytest.mark.slow
@settings(max_examples=100, deadline=None)
@given(seeds, st.booleans())
def test_a_tree_survives_its_own_data(seed, regression):
    schema = REGRESSION if regression else SCHEMA
    tree = Tree(schema, random_nodes(seed, regression=regression))
    again = Tree.from_dict(tree.to_dict(), schema, 1, Answers())
    for name in (
        "counts",
        "column",
        "cut",
        "n_children",
        "branch_start",
        "branch_of",
        "missing_branch",
        "gain",
        "mean",
        "deviance",
    ):
        np.testing.assert_array_equal(getattr(again.nodes, name), getattr(tree.nodes, name), err_msg=name)
    assert again.to_dict() == tree.to_dict()
    assert again.kind == ("regression-tree" if regression else "decision-tree")


def broken(change):
    tree = next(t for s in range(200) if 1 in (t := random_tree(s)).nodes.column and 0 in t.nodes.column)
    data = copy.deepcopy(tree.to_dict())
    change(data)
    return data


def first_test(data):
    return next(row for row in data["nodes"] if len(row) == 7 and row[4] is not None)


DAMAGE = {
    "no node": lambda d: d.update(nodes=[]),
    "a node too many": lambda d: d["nodes"].append([0, 0, 0]),
    "a node too few": lambda d: d["nodes"].pop(),
    "a short node": lambda d: d["nodes"][-1].pop(),
    "a node that is not a list": lambda d: d["nodes"].__setitem__(0, 7),
    "a count that is true": lambda d: d["nodes"][-1].__setitem__(0, True),
    "a count that is a fraction": lambda d: d["nodes"][-1].__setitem__(0, 1.5),
    "a negative count": lambda d: d["nodes"][-1].__setitem__(0, -1),
    "a huge count": lambda d: d["nodes"][-1].__setitem__(0, 10**30),
    "counts that do not add up": lambda d: d["nodes"][0].__setitem__(0, d["nodes"][0][0] + 1),
    "an unknown column": lambda d: first_test(d).__setitem__(3, 4),
    "a negative column": lambda d: first_test(d).__setitem__(3, -1),
    "a cut on levels": lambda d: first_test(d).__setitem__(3, 1),
    "no cut on a number": lambda d: first_test(d).__setitem__(4, None),
    "an endless cut": lambda d: first_test(d).__setitem__(4, math.inf),
    "a cut beyond doubles": lambda d: first_test(d).__setitem__(4, 10**400),
    "a cut that is text": lambda d: first_test(d).__setitem__(4, "5"),
    "a missing branch that is not there": lambda d: first_test(d).__setitem__(5, 2),
    "a missing branch below all": lambda d: first_test(d).__setitem__(5, -3),
    "a gain that is not a number": lambda d: first_test(d).__setitem__(6, None),
    "a level without a branch number": lambda d: d["branches"][0].pop(),
    "a branch that is not there": lambda d: d["branches"][0].__setitem__(0, 9),
    "a branch below all": lambda d: d["branches"][0].__setitem__(0, -2),
    "a test without branches": lambda d: d["branches"].pop(),
    "branches that are not a list": lambda d: d.update(branches=3),
    "too few candidates": lambda d: d.update(candidates=["[]"]),
    "candidates that are not text": lambda d: d.update(candidates=[1] * sum(len(r) == 7 for r in d["nodes"])),
}


@pytest.mark.parametrize("damage", DAMAGE)
def test_a_damaged_tree_is_refused_in_one_line(damage):
    with pytest.raises(ModelFileError) as caught:
        Tree.from_dict(broken(DAMAGE[damage]), **READ)
    assert "\n" not in str(caught.value)


def test_candidates_of_many_columns_are_written_of_few_nodes_at_once(monkeypatch):
    rng = np.random.default_rng(0)
    rows = pd.DataFrame(rng.random((300, 5)), columns=list("abcde")).assign(y=rng.choice(["p", "q"], 300))
    tree = ts.DecisionTree().fit(rows, "y").model_
    whole = tree.to_dict()
    assert len(list(tree.in_parts()["candidates"])) == 1
    monkeypatch.setattr(model, "TESTS_WRITTEN", 50)  # ten nodes
    parts = list(tree.in_parts()["candidates"])
    assert len(tree.nodes) / 20 < len(parts) <= -(-len(tree.nodes) // 10)
    assert tree.to_dict() == whole
