"""Why a column won, and why a leaf is a leaf."""

import pytest

import tallystick as ts
from tallystick.tree.work import reason, worked_node

XOR = [{"a": a, "b": b, "y": a ^ b} for a in (0, 1) for b in (0, 1)]


def worked(tree, node=0):
    return worked_node(tree.model_, node, tree._table.slice(0, tree._table.rows), tree._options())


@pytest.mark.parametrize(
    ("settings", "node", "kind"),
    [
        ({}, 1, "pure"),
        ({"max_depth": 1}, 2, "depth"),
        ({"min_samples_split": 6}, 2, "split"),
        ({"min_samples_leaf": 3}, 2, "leaf"),
        ({"min_impurity_decrease": 0.5}, 0, "decrease"),
        ({"max_leaf_nodes": 3}, 2, "leaves"),
        ({"min_entropy": 0.98}, 0, "entropy"),
    ],
)
def test_a_leaf_tells_what_stopped_it(tennis, settings, node, kind):
    tree = ts.DecisionTree.id3(**settings).fit(tennis, "Play")
    assert worked(tree, node).stop.kind == kind


def test_zero_gain_stops_where_it_is_told_to():
    tree = ts.DecisionTree.id3(stop_at_zero_gain=True).fit(XOR, "y")
    assert worked(tree).stop.kind == "no gain"


def test_alike_rows_and_used_columns_are_told_apart():
    twins = [{"a": i // 2, "y": i % 2} for i in range(4)]
    used = ts.DecisionTree.id3(stop_at_zero_gain=False).fit(twins, "y")
    assert worked(used, 1).stop.kind == "used up"
    rows = [{"a": 0, "b": 0, "y": 0}, {"a": 0, "b": 0, "y": 1}, {"a": 1, "b": 1, "y": 1}]
    alike = ts.DecisionTree.id3(stop_at_zero_gain=False).fit(rows, "y")
    assert worked(alike, 1).stop.kind == "alike"


def test_a_column_without_rows_enough_is_not_offered():
    rows = [{"n": n, "y": y} for n, y in ((1, "a"), (2, "b"), (2, "a"), (2, "b"))]
    tree = ts.DecisionTree.id3(min_samples_leaf=2).fit(rows, "y")
    found = worked(tree)
    assert found.stop.kind == "rows"
    assert found.offers[0].why_not == "no cut leaves rows enough on both sides"


def test_the_reason_of_a_choice(tennis):
    why, rivals = reason(worked(ts.DecisionTree.id3().fit(tennis, "Play")), ts.DecisionTree.id3()._options())
    assert (why, [o.column.name for o in rivals]) == ("best", ["Humidity", "Wind", "Temperature"])
    tree = ts.DecisionTree.id3(stop_at_zero_gain=False).fit(XOR, "y")
    assert reason(worked(tree), tree._options())[0] == "tie"
    alone = ts.DecisionTree.id3().fit([{"a": i, "y": i} for i in (0, 1)], "y")
    assert reason(worked(alone), alone._options())[0] == "only"
