"""A tree on disk, with less memory than its rows take: the bytes of the tree in memory."""

from __future__ import annotations

import gc
import os
import sys

import numpy as np
import pandas as pd
import pytest

import tallystick as ts
from tallystick.errors import OptionError
from tallystick.io import scratch
from tallystick.io.open import open_source
from tallystick.stats import exact as room
from tallystick.table.reader import read_table, read_to_disk
from tallystick.tree import growth as growing_room
from tallystick.tree import growth as split_search
from tallystick.tree import learner as tree_levels
from tallystick.tree import off_memory as disk_levels
from tallystick.tree.learner import join

LINUX = sys.platform == "linux"


def rows(n=4_000, seed=3):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, 3))
    x[:, 1] = np.round(x[:, 1], 2)
    x[rng.random(x.shape) < 0.04] = np.nan
    signal = np.nan_to_num(x[:, 0]) + np.nan_to_num(x[:, 1]) ** 2 + rng.normal(size=n)
    frame = pd.DataFrame(x, columns=list("abc"))
    frame["g"] = rng.choice(["u", "v", None], n)
    frame["y"] = np.where(signal > 0.5, "yes", "no")
    return frame


FRAME = rows()
WEIGHTS = {"none": None, "whole": np.arange(len(FRAME)) % 4, "real": np.linspace(0.1, 3, len(FRAME))}
TREES = {
    "default": lambda: ts.DecisionTree(max_depth=7),
    "gini": lambda: ts.DecisionTree.cart(),
    "c45": lambda: ts.DecisionTree.c45(pruning=None, missing_values="learned", max_depth=5),
    "balanced": lambda: ts.DecisionTree(criterion="entropy", class_weight="balanced", min_samples_leaf=20),
    "bins": lambda: ts.DecisionTree(max_bins=16, max_depth=5),
}


@pytest.fixture(autouse=True)
def little_memory(monkeypatch):
    """Nothing is grown at once, few rows fit, a column is read in pieces, and all nodes lie on disk."""
    monkeypatch.setattr(scratch, "FEW", 0)
    monkeypatch.setattr("tallystick.tree.growth.GrowingTree.solve", lambda *given: None)
    monkeypatch.setattr(growing_room, "GROWING", 23_000)  # bytes: a node of 700 rows is large
    monkeypatch.setattr(disk_levels, "SHARE", 256)
    monkeypatch.setattr("tallystick.tree.learner.FEW_VALUES", 900)  # column b is told by codes


@pytest.mark.slow
@pytest.mark.parametrize("weights", WEIGHTS)
@pytest.mark.parametrize("tree", TREES)
def test_a_tree_on_disk_is_the_tree_in_memory(tree, weights, monkeypatch):
    there = read_to_disk(open_source(FRAME), 32 << 20, None, "y", WEIGHTS[weights])
    monkeypatch.setattr(disk_levels, "ENTRY", 96 * 20)
    found = TREES[tree]()._fit_table(there).to_bytes()
    monkeypatch.undo()
    here = read_table(open_source(FRAME), None, "y", WEIGHTS[weights])
    assert TREES[tree]()._fit_table(here).to_bytes() == found


@pytest.mark.slow
def test_a_regression_on_disk_is_the_one_in_memory(monkeypatch):
    data = FRAME.drop(columns="y")
    there = read_to_disk(open_source(data), 32 << 20, None, "a", regression=True)
    found = ts.RegressionTree(max_depth=5)._fit_table(there).to_bytes()
    monkeypatch.undo()
    here = read_table(open_source(data), None, "a", regression=True)
    assert ts.RegressionTree(max_depth=5)._fit_table(here).to_bytes() == found


@pytest.mark.slow
def test_nodes_and_candidates_lie_on_disk_and_candidates_are_those_of_the_nodes_asked_for():
    tree = ts.DecisionTree.id3()._fit_table(read_to_disk(open_source(FRAME), 32 << 20, None, "y")).model_
    assert scratch.on_disk(tree.nodes.counts)
    assert tree.candidates.on_disk
    every = tree.all_candidates
    for node in np.flatnonzero(tree.nodes.column >= 0)[::50].tolist():
        one, same = tree.candidates_of(np.array([node])), every.of_nodes(np.array([node]))
        assert one.column.tolist() == same.column.tolist()
        assert one.gain.tolist() == same.gain.tolist()
        assert one.counts.tolist() == same.counts.tolist()
        assert one.branch_of.tolist() == same.branch_of.tolist()


@pytest.mark.slow
def test_many_subtrees_of_few_bytes_lie_on_disk_too_in_one_file(monkeypatch):
    sizes = []

    def counted(arrays):
        sizes.append(sum(array.nbytes for array in arrays.values()))
        return sizes[-1]

    there = read_to_disk(open_source(FRAME), 32 << 20, None, "y")
    monkeypatch.setattr(scratch, "FEW", 100_000)
    monkeypatch.setattr(scratch, "size_of", counted)
    seen = []
    monkeypatch.setattr(tree_levels, "join", lambda parts, *given: seen.extend(parts) or join(parts, *given))
    gc.collect()
    before = len(os.listdir("/proc/self/fd")) if LINUX else 0
    tree = ts.DecisionTree.id3()._fit_table(there).model_
    here = [part.said for part in seen if not scratch.on_disk(part.said["column"])]
    assert max(sizes) < scratch.FEW < sum(sizes) / 3
    assert sum(array.nbytes for said in here for array in said.values()) < 2 * scratch.FEW
    assert scratch.on_disk(tree.nodes.counts)
    del here
    seen.clear()
    gc.collect()
    assert not LINUX or len(os.listdir("/proc/self/fd")) <= before + 1


@pytest.mark.parametrize("tree", ["bins", "parts", "codes"])
def test_a_tree_by_tables_that_the_budget_has_no_room_for_ends_in_one_line_too(tree, monkeypatch):
    made = {"bins": ts.DecisionTree.id3(max_bins=16), "parts": ts.DecisionTree.c45()}
    rows = FRAME[["b", "g", "y"]] if tree == "codes" else FRAME
    there = read_to_disk(open_source(rows), 32 << 20, None, "y")
    monkeypatch.setattr(room, "READING", 1)
    monkeypatch.setattr(room, "LEFT", (32 << 20) - 6_000 * 50)
    with pytest.raises(OptionError, match="more than 50 nodes, for which memory=32 MB has no room"):
        made.get(tree, ts.DecisionTree.id3())._fit_table(there)


@pytest.mark.slow
def test_a_tree_that_the_budget_has_no_room_for_ends_in_one_line(monkeypatch):
    monkeypatch.setattr(room, "READING", 1)
    monkeypatch.setattr(room, "LEFT", (32 << 20) - 40_000)
    there = read_to_disk(open_source(FRAME), 32 << 20, None, "y")
    with pytest.raises(OptionError, match="more than 263 nodes, for which memory=32 MB has no room"):
        ts.DecisionTree.id3()._fit_table(there)
    assert len(ts.DecisionTree.id3(max_depth=5)._fit_table(there).model_.nodes) < 263


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("little", [True, False])
def test_neither_threads_nor_the_way_decide_which_tree_the_budget_has_no_room_for(
    threads, little, monkeypatch
):
    if not little:
        monkeypatch.undo()  # all is grown at once
    there = read_to_disk(open_source(FRAME[:1_000]), 32 << 20, None, "y")
    fit = ts.DecisionTree.id3(threads=threads)._fit_table
    nodes = len(fit(there).model_.nodes)
    monkeypatch.setattr(split_search, "most_nodes", lambda *_: nodes)
    monkeypatch.setattr(room, "most_nodes", lambda *_: nodes)
    assert len(fit(there).model_.nodes) == nodes
    monkeypatch.setattr(split_search, "most_nodes", lambda *_: nodes - 1)
    monkeypatch.setattr(room, "most_nodes", lambda *_: nodes - 1)
    with pytest.raises(OptionError, match=f"more than {nodes - 1:,} nodes, for which"):
        fit(there)
