"""A tree for the page: its nodes as data, numbered as in the tree that is shown."""

from __future__ import annotations

import numpy as np

from tallystick.tree import report as trees
from tallystick.tree.report import tree_data, tree_facts


def test_counts_of_branches_sum_to_those_of_their_node(given):
    data = tree_data(given("tree").model, {})
    counts, parent = np.array(data["counts"]), data["parent"]
    assert (parent[0], data["branch"][0]) == (-1, "all rows")
    for node in {p for p in parent if p >= 0}:
        assert (
            counts[[k for k, p in enumerate(parent) if p == node]].sum(axis=0).tolist()
            == counts[node].tolist()
        )
    assert data["rows"] == counts.sum(axis=1).tolist()
    assert data["open"] is True


def test_the_chosen_split_is_among_the_candidates(given):
    data = tree_data(given("tree").model, {})
    for node, table in data["tables"].items():
        (chosen,) = [row for row in table if row[4]]
        assert chosen[0] == data["asks"][int(node)]


def test_facts_tell_the_size_of_the_tree_that_is_shown(given):
    model = given("tree").model
    facts = tree_facts(model, {})
    assert facts["nodes"] == str(len(model.shown.nodes))
    assert facts["leaves"] == str(model.shown.nodes.leaves)
    assert facts["still"].startswith("<svg")


def test_too_many_counts_keep_the_largest_classes(given, monkeypatch):
    monkeypatch.setattr(trees, "MOST_CELLS", 1)
    model = given("tree").model
    first = tree_data(model, {})["counts"][0]
    assert first == {str(k): float(n) for k, n in enumerate(model.shown.rows[0]) if n}


def test_a_tree_too_large_for_the_page_keeps_the_nodes_of_most_rows_and_counts_the_others(given, monkeypatch):
    model = given("tree").model
    whole, nodes = tree_data(model, {}), model.shown.nodes
    assert whole["left"] == {}
    assert tree_facts(model, {})["left"] == ""
    monkeypatch.setattr(trees, "MOST_DRAWN_NODES", 3)
    data, facts = tree_data(model, {}), tree_facts(model, {})
    assert len(data["parent"]) == 3
    assert data["parent"] == [-1, 0, 0]
    assert data["rows"] == [whole["rows"][whole["origin"].index(o)] for o in data["origin"]]
    assert sum(data["left"].values()) + 3 == len(nodes)
    for k, count in data["left"].items():
        assert data["lines"][int(k)][-1] == f"… {count:,} more"
        assert data["asks"][int(k)]
    assert (facts["left"], facts["kept"]) == (f"{len(nodes) - 3:,}", "3")
