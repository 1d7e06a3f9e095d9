"""A tree as boxes: a leaf tells what the model answers, and in brackets the share of its own rows."""

from __future__ import annotations

import re
from functools import cache
from importlib import resources

import numpy as np
import pytest
from svg import words

import tallystick as ts
from tallystick.draw.svg import percent
from tallystick.tree.picture import branch_words, node_answers, node_lines, tree_svg

VOTES = str(resources.files("tallystick.examples") / "votes.csv")


@cache
def fitted(**options):
    return ts.DecisionTree(**options).fit(VOTES, "party")


@pytest.mark.slow
@pytest.mark.parametrize("options", [{}, {"average": False, "smoothing": 5.0}, {"class_weight": "balanced"}])
def test_every_row_is_answered_within_what_its_leaf_tells(options):
    model = fitted(**options)
    tree = model.model_
    answers, shown = node_answers(tree), tree.shown
    block = next(iter(model._blocks(VOTES))).block
    stops, shares = shown.stops(block), tree.shares(block)
    own = shares[np.arange(len(stops)), answers.label[stops]]
    assert (own >= answers.low[stops] - 1e-12).all()
    assert (own <= answers.high[stops] + 1e-12).all()
    for leaf in np.unique(stops):  # and the ends are answers that rows get, where every way has a row
        assert answers.low[leaf] == pytest.approx(own[stops == leaf].min())
        assert answers.high[leaf] == pytest.approx(own[stops == leaf].max())


def test_a_leaf_tells_the_answer_and_in_brackets_its_own_share():
    model = fitted(average=False, smoothing=5.0)
    tree = model.model_
    leaf = int(np.argmax(np.where(tree.nodes.leaf, tree.nodes.weight, 0)))
    said, own = node_lines(tree.shown, node_answers(tree), leaf)
    label, counts = int(tree.labels[leaf]), tree.rows[leaf]
    assert said == f"{tree.schema.predicted.labels[label]} {percent(tree.node_shares[leaf, label])}"
    assert own == f"({percent(counts[label] / counts.sum())} of {counts.sum():.0f} rows)"
    assert said in words(model.picture())


def test_answers_that_differ_within_a_leaf_are_told_as_a_range():
    tree = fitted().model_
    answers = node_answers(tree)
    wide = int(np.argmax(answers.high - answers.low))
    assert re.fullmatch(r"[\d.]+ to [\d.]+ %", answers.share_text(wide))
    one = int(np.flatnonzero(answers.high == answers.low)[0])
    assert re.fullmatch(r"[\d.]+ %", answers.share_text(one))


def test_branches_are_told_in_words():
    tree = fitted().model_.shown
    assert branch_words(tree, 0) == "all rows"
    assert branch_words(tree, 1) == "physician-fee-freeze = n or missing"


def test_a_regression_tree_tells_means():
    table = [{"x": k % 13, "y": float(k % 13 > 5) * 10 + k % 2} for k in range(40)]
    tree = ts.RegressionTree().fit(table, "y").model_
    assert node_lines(tree, None, 0) == (f"{tree.nodes.mean[0]:.5g}", "40 rows")
    assert "40 rows" in words(tree_svg(tree))


def test_labels_that_are_numbers_read_as_labels():
    table = [{"x": k % 13, "y": int(k % 13 > 5) + 3} for k in range(60)]
    tree = ts.DecisionTree().fit(table, "y").model_
    lines = [node_lines(tree.shown, node_answers(tree), n) for n in range(len(tree.shown.nodes))]
    assert lines[0][0].startswith("60 rows · class 3 ")
    assert all(line[0].startswith(("class 3 ", "class 4 ")) for line in lines[1:])
    assert "class 4" in words(tree_svg(tree))
